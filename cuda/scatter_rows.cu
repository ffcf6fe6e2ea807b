#include <algorithm>

#include "scatter.cuh"

namespace rivus::cuda {
namespace {

// A warp folds 32 columns of a run, a thread a column, one contribution after the other.

// What contribution k adds to the columns: a row of x, one of a gradient divided by the length of its bag, or one of a
// table. find(k) says where, once for all columns.
template <class T>
struct rows_of_sources {
  sorted_view all;
  const T* x;
  std::uint64_t cols;
  __device__ __forceinline__ std::uint64_t find(std::uint64_t k) const { return all.source(k) * cols; }
  __device__ __forceinline__ T operator()(std::uint64_t at, std::uint64_t j) const { return x[at + j]; }
};
template <class T>
struct divided_row {
  std::uint64_t at;
  T divisor;
};
template <class T>
struct quotients_of_bags {
  sorted_view all;
  const T* x;
  std::uint64_t cols;
  segments_by_offsets bags;
  __device__ __forceinline__ divided_row<T> find(std::uint64_t k) const {
    const std::uint64_t b = all.source(k);
    return {b * cols, static_cast<T>(static_cast<long long>(bags.length(b)))};
  }
  __device__ __forceinline__ T operator()(const divided_row<T>& row, std::uint64_t j) const {
    return real::div(x[row.at + j], row.divisor);
  }
};
template <class T>
struct rows_of_table {
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};
  const T* table;
  std::uint64_t rows, cols;
  indices ids;
  __device__ __forceinline__ std::uint64_t find(std::uint64_t k) const {
    const std::uint64_t id = ids[k];
    return id < rows ? id * cols : nowhere;
  }
  __device__ __forceinline__ T operator()(std::uint64_t at, std::uint64_t j) const {
    return at != nowhere ? table[at + j] : combine::sums::neutral<T>();
  }
};

// What lane l of the warp has.
__device__ __forceinline__ std::uint64_t of_lane(std::uint64_t at, unsigned l) {
  return __shfl_sync(0xFFFFFFFFu, static_cast<unsigned long long>(at), static_cast<int>(l));
}
template <class T>
__device__ __forceinline__ divided_row<T> of_lane(const divided_row<T>& row, unsigned l) {
  return {of_lane(row.at, l), __shfl_sync(0xFFFFFFFFu, row.divisor, static_cast<int>(l))};
}

// `sum` and then contributions begin <= k < end in column j. Of a whole warp, whose lanes find one contribution each and tell the
// others.
template <class T, class Value>
__device__ __forceinline__ T fold_column(T sum, std::uint64_t begin, std::uint64_t end, std::uint64_t j,
                                         const Value& value) {
  for (std::uint64_t k = begin; k < end; k += 32) {
    const std::uint64_t mine = k + threadIdx.x % 32;
    const auto found = value.find(mine < end ? mine : k);
    const unsigned n = end - k < 32 ? static_cast<unsigned>(end - k) : 32;
    for (unsigned l = 0; l < n; ++l) sum = combine::sums::combine(sum, value(of_lane(found, l), j));
  }
  return sum;
}

// A warp to 32 contributions and 32 columns: it takes the runs that begin there.
template <bool Fresh, class T, class Value>
__global__ void __launch_bounds__(block_threads)
    add_rows(const sorted_view all, const std::uint64_t cols, const Value value, T* __restrict__ out) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t tiles = (cols + 31) / 32, items = (all.n + 31) / 32 * tiles;
  for (std::uint64_t item = (std::uint64_t{blockIdx.x} * block_threads + threadIdx.x) / 32; item < items;
       item += std::uint64_t{gridDim.x} * (block_threads / 32)) {
    const std::uint64_t first = item / tiles * 32, column = item % tiles * 32 + lane;
    // Threads without a column read the last one.
    const std::uint64_t j = column < cols ? column : cols - 1;
    for (unsigned left = __ballot_sync(all_lanes, all.begins(first + lane)); left != 0; left &= left - 1) {
      const std::uint64_t begin = first + static_cast<unsigned>(__ffs(static_cast<int>(left)) - 1);
      const std::uint64_t d = all.destination(begin);
      // Whole warps of contributions, then what is left of the run.
      std::uint64_t end = begin;
      unsigned met;
      do {
        met = __popc(__ballot_sync(all_lanes, all.goes_on(end + lane, d)));
        end += met;
      } while (met == 32);
      const T sum = fold_column<T>(Fresh ? T(0) : out[d * cols + j], begin, end, j, value);
      if (column < cols) out[d * cols + column] = combine::canonical(sum);
    }
  }
}

// A warp to a bag and 32 columns.
template <class T>
__global__ void __launch_bounds__(block_threads)
    sum_bags(const segments_by_offsets bags, const rows_of_table<T> value, const bool mean,
             T* __restrict__ out) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t cols = value.cols, tiles = (cols + 31) / 32, items = bags.count * tiles;
  for (std::uint64_t item = (std::uint64_t{blockIdx.x} * block_threads + threadIdx.x) / 32; item < items;
       item += std::uint64_t{gridDim.x} * (block_threads / 32)) {
    const std::uint64_t b = item / tiles, column = item % tiles * 32 + lane;
    const std::uint64_t begin = bags.begin(b), end = bags.end(b);
    T sum = fold_column<T>(T(0), begin, end, column < cols ? column : cols - 1, value);
    if (mean && end > begin) sum = real::div(sum, static_cast<T>(static_cast<long long>(end - begin)));
    if (column < cols) out[b * cols + column] = real::canonical(sum);
  }
}

unsigned grid_of(std::uint64_t warp_items) {
  return grid_blocks(tree::pieces(warp_items, block_threads / 32), 4096);
}

template <bool Fresh, class T, class Value>
void add_runs(const char* who, cudaStream_t on, const sorted_view& all, std::uint64_t cols,
              const Value& value, T* out) {
  launch("launch of add_rows", who, on, grid_of((all.n + 31) / 32 * ((cols + 31) / 32)), block_threads,
         &add_rows<Fresh, T, Value>, all, cols, value, out);
}

template <bool Fresh, class T>
void sum_rows(const char* who, cudaStream_t on, T* out, std::size_t rows, std::size_t cols,
              const indices& ids, const T* x, std::size_t n, const scratch_memory& scratch,
              index_error* error) {
  detail::require_scatter(who, out, rows, cols, ids, "x", x, n,
                          {extent_of(scratch, n, rows), extent_of(error)});
  const auto clear = [&] {
    if (Fresh && rows * cols > 0)
      require(cudaMemsetAsync(out, 0, rows * cols * sizeof(T), on), "cudaMemsetAsync", who);
  };
  if (n == 0) return clear();
  const sorted_view all = sort_by_id(who, on, ids, n, rows, nullptr, scratch, error);
  clear();
  if (cols == 0) return;
  add_runs<Fresh>(who, on, all, cols, rows_of_sources<T>{all, x, cols}, out);
}

}  // namespace

template <class T>
detail::for_numbers<T> index_add_rows(cudaStream_t on, T* out, index64 rows, index64 cols, indices ids,
                                      const T* x, index64 n, void* scratch, index64 bytes,
                                      index_error* error) {
  sum_rows<false>("rivus::cuda::index_add_rows", on, out, rows, cols, ids, x, n, {scratch, bytes}, error);
}
template <class T>
detail::for_numbers<T> segment_sum_rows(cudaStream_t on, indices ids, const T* x, index64 n, index64 cols,
                                        T* out, index64 segments, void* scratch, index64 bytes,
                                        index_error* error) {
  sum_rows<true>("rivus::cuda::segment_sum_rows", on, out, segments, cols, ids, x, n, {scratch, bytes},
                 error);
}
template <class T>
detail::for_floats<T> embedding_bag(cudaStream_t on, const T* table, index64 rows, index64 cols, indices ids,
                                    index64 n, indices offsets, index64 bags, bag_mode mode, T* out,
                                    index_error* error) {
  const char* const who = "rivus::cuda::embedding_bag";
  detail::require_bags(who, detail::require_array(who, "out", out, bags, cols),
                       detail::require_array(who, "table", table, rows, cols), ids, n, offsets, bags, mode,
                       {extent_of(error)});
  const segments_by_offsets view{offsets, bags, n};
  check_segments(who, on, view, n, false, error);
  check_ids(who, on, ids, n, rows, error);
  if (bags == 0 || cols == 0) return;
  launch("launch of sum_bags", who, on, grid_of(bags * ((cols + 31) / 32)), block_threads, &sum_bags<T>, view,
         rows_of_table<T>{table, rows, cols, ids}, mode == bag_mode::mean, out);
}
template <class T>
detail::for_floats<T> embedding_bag_backward(cudaStream_t on, const T* gradient, indices ids, index64 n,
                                             indices offsets, index64 bags, bag_mode mode, T* out,
                                             index64 rows, index64 cols, void* scratch, index64 bytes,
                                             index_error* error) {
  const char* const who = "rivus::cuda::embedding_bag_backward";
  detail::require_bags(who, detail::require_array(who, "out", out, rows, cols),
                       detail::require_array(who, "gradient", gradient, bags, cols), ids, n, offsets, bags,
                       mode, {extent_of({scratch, bytes}, n, std::max(rows, bags)), extent_of(error)});
  if (n == 0) return;
  const segments_by_offsets view{offsets, bags, n};
  const sorted_view all = sort_by_id(who, on, ids, n, rows, &view, {scratch, bytes}, error);
  check_segments(who, on, view, n, false, error);
  if (cols == 0) return;
  if (mode == bag_mode::sum) {
    add_runs<false>(who, on, all, cols, rows_of_sources<T>{all, gradient, cols}, out);
  } else {
    add_runs<false>(who, on, all, cols, quotients_of_bags<T>{all, gradient, cols, view}, out);
  }
}

#define RIVUS_ROWS(T)                                                                                   \
  template void index_add_rows(cudaStream_t, T*, index64, index64, indices, const T*, index64, void*,   \
                               index64, index_error*);                                                  \
  template void segment_sum_rows(cudaStream_t, indices, const T*, index64, index64, T*, index64, void*, \
                                 index64, index_error*);
RIVUS_ROWS(float)
RIVUS_ROWS(double)
RIVUS_ROWS(std::int32_t)
RIVUS_ROWS(std::uint32_t)
RIVUS_ROWS(std::int64_t)
RIVUS_ROWS(std::uint64_t)
#undef RIVUS_ROWS
#define RIVUS_BAGS(T)                                                                                        \
  template void embedding_bag(cudaStream_t, const T*, index64, index64, indices, index64, indices, index64,  \
                              bag_mode, T*, index_error*);                                                   \
  template void embedding_bag_backward(cudaStream_t, const T*, indices, index64, indices, index64, bag_mode, \
                                       T*, index64, index64, void*, index64, index_error*);
RIVUS_BAGS(float)
RIVUS_BAGS(double)
#undef RIVUS_BAGS

}  // namespace rivus::cuda
