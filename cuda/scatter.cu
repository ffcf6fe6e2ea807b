#include "scatter.cuh"

namespace rivus::cuda {
namespace {

using combine::extreme;

// A run: the contributions to a destination, which a thread folds into it, one after the other. W is the type of the fold.
template <class Op, bool Fresh, class W, class T>
__global__ void __launch_bounds__(block_threads)
    fold_runs(const sorted_view all, const T* __restrict__ x, T* __restrict__ out) {
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * block_threads + threadIdx.x; first < all.n;
       first += std::uint64_t{gridDim.x} * block_threads) {
    if (!all.begins(first)) continue;
    const std::uint64_t d = all.destination(first);
    W fold = Fresh ? W(0) : static_cast<W>(out[d]);
    for (std::uint64_t k = first; all.goes_on(k, d); ++k)
      fold = Op::combine(fold, static_cast<W>(x[all.source(k)]));
    if constexpr (std::is_same_v<W, T>) {
      out[d] = combine::canonical(fold);
    } else {
      out[d] = real::nearest_float(fold);
    }
  }
}

// W is a word as wide as the elements: their bits are copied.
template <class W>
__global__ void __launch_bounds__(block_threads)
    put_last(const sorted_view all, const W* __restrict__ x, W* __restrict__ out) {
  for (std::uint64_t k = std::uint64_t{blockIdx.x} * block_threads + threadIdx.x; k < all.n;
       k += std::uint64_t{gridDim.x} * block_threads) {
    const std::uint64_t d = all.destination(k);
    if (d < all.size && !all.goes_on(k + 1, d)) out[d] = x[all.source(k)];
  }
}

// The bins of indices, and of values: those not below `bins` are not counted.
struct bin_of_index {
  indices ids;
  __device__ __forceinline__ std::uint64_t operator()(std::uint64_t i, std::uint64_t) const { return ids[i]; }
};
template <class T>
struct bin_of_value {
  const T* x;
  detail::bins_of<T> bin_of;
  __device__ __forceinline__ std::uint64_t operator()(std::uint64_t i, std::uint64_t) const {
    return bin_of(x[i]);
  }
};

// Few bins are counted in shared memory first. The order of integer additions does not matter.
constexpr unsigned few_bins = 2048;
template <class Bin>
__global__ void __launch_bounds__(block_threads)
    count_bins(const Bin bin_of, const std::uint64_t n, const std::uint64_t bins, unsigned long long* out) {
  __shared__ unsigned long long counts[few_bins];
  const bool few = bins <= few_bins;
  if (few) {
    for (unsigned b = threadIdx.x; b < bins; b += block_threads) counts[b] = 0;
    __syncthreads();
  }
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * block_threads + threadIdx.x; i < n;
       i += std::uint64_t{gridDim.x} * block_threads) {
    const std::uint64_t bin = bin_of(i, bins);
    if (bin < bins) atomicAdd(few ? &counts[bin] : &out[bin], 1ull);
  }
  if (few) {
    __syncthreads();
    for (unsigned b = threadIdx.x; b < bins; b += block_threads) {
      if (counts[b] != 0) atomicAdd(&out[b], counts[b]);
    }
  }
}

template <class Bin>
void count(const char* who, cudaStream_t on, const Bin& bin_of, std::size_t n, std::uint64_t* out,
           std::size_t bins) {
  if (bins == 0) return;
  require(cudaMemsetAsync(out, 0, bins * sizeof *out, on), "cudaMemsetAsync", who);
  if (n == 0) return;
  const unsigned grid = grid_blocks((n + block_threads * 8 - 1) / (block_threads * 8), 1024);
  launch("launch of count_bins", who, on, grid, block_threads, &count_bins<Bin>, bin_of, std::uint64_t{n},
         std::uint64_t{bins}, reinterpret_cast<unsigned long long*>(out));
}

unsigned grid_of(std::uint64_t n) { return grid_blocks((n + block_threads - 1) / block_threads, 4096); }

template <class T>
void require_all(const char* who, const T* out, std::size_t size, const indices& ids, const char* values,
                 const T* x, std::size_t n, const scratch_memory& scratch, const index_error* error) {
  detail::require_scatter(who, out, size, 1, ids, values, x, n,
                          {extent_of(scratch, n, size), extent_of(error)});
}

template <class Op, bool Fresh = false, class W = void, class T>
void fold_all(const char* who, cudaStream_t on, T* out, std::size_t size, const indices& ids, const T* x,
              std::size_t n, const scratch_memory& scratch, index_error* error, const char* values = "x") {
  using wide = std::conditional_t<std::is_void_v<W>, T, W>;
  require_all(who, out, size, ids, values, x, n, scratch, error);
  const auto clear = [&] {
    if (Fresh && size > 0) require(cudaMemsetAsync(out, 0, size * sizeof(T), on), "cudaMemsetAsync", who);
  };
  if (n == 0) return clear();
  const sorted_view all = sort_by_id(who, on, ids, n, size, nullptr, scratch, error);
  clear();
  launch("launch of fold_runs", who, on, grid_of(n), block_threads, &fold_runs<Op, Fresh, wide, T>, all, x,
         out);
}

}  // namespace

template <class T>
detail::for_numbers<T> index_add(cudaStream_t on, T* out, index64 size, indices ids, const T* x, index64 n,
                                 void* scratch, index64 bytes, index_error* error) {
  fold_all<combine::sums>("rivus::cuda::index_add", on, out, size, ids, x, n, {scratch, bytes}, error);
}
template <class T>
detail::for_numbers<T> scatter_min(cudaStream_t on, T* out, index64 size, indices ids, const T* x, index64 n,
                                   void* scratch, index64 bytes, index_error* error) {
  fold_all<combine::extremes<extreme::smallest>>("rivus::cuda::scatter_min", on, out, size, ids, x, n,
                                                 {scratch, bytes}, error);
}
template <class T>
detail::for_numbers<T> scatter_max(cudaStream_t on, T* out, index64 size, indices ids, const T* x, index64 n,
                                   void* scratch, index64 bytes, index_error* error) {
  fold_all<combine::extremes<extreme::largest>>("rivus::cuda::scatter_max", on, out, size, ids, x, n,
                                                {scratch, bytes}, error);
}
template <class T>
detail::for_numbers<T> scatter_prod(cudaStream_t on, T* out, index64 size, indices ids, const T* x, index64 n,
                                    void* scratch, index64 bytes, index_error* error) {
  fold_all<combine::products>("rivus::cuda::scatter_prod", on, out, size, ids, x, n, {scratch, bytes}, error);
}
template <class T>
detail::for_numbers<T> put(cudaStream_t on, T* out, index64 size, indices ids, const T* x, index64 n,
                           void* scratch, index64 bytes, index_error* error) {
  const char* const who = "rivus::cuda::put";
  using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  require_all(who, out, size, ids, "x", x, n, {scratch, bytes}, error);
  if (n == 0) return;
  const sorted_view all = sort_by_id(who, on, ids, n, size, nullptr, {scratch, bytes}, error);
  launch("launch of put_last", who, on, grid_of(n), block_threads, &put_last<word>, all,
         reinterpret_cast<const word*>(x), reinterpret_cast<word*>(out));
}
template <class T>
detail::for_numbers<T> segment_sum(cudaStream_t on, indices ids, const T* x, index64 n, T* out,
                                   index64 segments, void* scratch, index64 bytes, index_error* error) {
  fold_all<combine::sums, true>("rivus::cuda::segment_sum", on, out, segments, ids, x, n, {scratch, bytes},
                                error);
}
template <class T>
detail::for_numbers<T> bincount(cudaStream_t on, indices ids, const T* weights, index64 n, T* out,
                                index64 bins, void* scratch, index64 bytes, index_error* error) {
  // Of floats in doubles, rounded once.
  using W = std::conditional_t<std::is_same_v<T, float>, double, T>;
  fold_all<combine::sums, true, W>("rivus::cuda::bincount", on, out, bins, ids, weights, n, {scratch, bytes},
                                   error, "weights");
}
void bincount(cudaStream_t on, indices ids, index64 n, std::uint64_t* out, index64 bins, index_error* error) {
  const char* const who = "rivus::cuda::bincount";
  detail::require_counts(who, out, bins, detail::require_array(who, "ids", ids, n), {extent_of(error)});
  check_ids(who, on, ids, n, bins, error);
  count(who, on, bin_of_index{ids}, n, out, bins);
}
template <class T>
detail::for_floats<T> histogram(cudaStream_t on, const T* x, index64 n, detail::given_t<T> lo,
                                detail::given_t<T> hi, std::uint64_t* out, index64 bins) {
  const char* const who = "rivus::cuda::histogram";
  detail::require_histogram(who, x, n, lo, hi, out, bins);
  count(who, on, bin_of_value<T>{x, {lo, hi, bins}}, n, out, bins);
}

#define RIVUS_SCATTER(T)                                                                                  \
  template void index_add(cudaStream_t, T*, index64, indices, const T*, index64, void*, index64,          \
                          index_error*);                                                                  \
  template void scatter_min(cudaStream_t, T*, index64, indices, const T*, index64, void*, index64,        \
                            index_error*);                                                                \
  template void scatter_max(cudaStream_t, T*, index64, indices, const T*, index64, void*, index64,        \
                            index_error*);                                                                \
  template void scatter_prod(cudaStream_t, T*, index64, indices, const T*, index64, void*, index64,       \
                             index_error*);                                                               \
  template void put(cudaStream_t, T*, index64, indices, const T*, index64, void*, index64, index_error*); \
  template void segment_sum(cudaStream_t, indices, const T*, index64, T*, index64, void*, index64,        \
                            index_error*);                                                                \
  template void bincount(cudaStream_t, indices, const T*, index64, T*, index64, void*, index64, index_error*);
RIVUS_SCATTER(float)
RIVUS_SCATTER(double)
RIVUS_SCATTER(std::int32_t)
RIVUS_SCATTER(std::uint32_t)
RIVUS_SCATTER(std::int64_t)
RIVUS_SCATTER(std::uint64_t)
#undef RIVUS_SCATTER
template void histogram(cudaStream_t, const float*, index64, float, float, std::uint64_t*, index64);
template void histogram(cudaStream_t, const double*, index64, double, double, std::uint64_t*, index64);

}  // namespace rivus::cuda
