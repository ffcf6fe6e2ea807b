#include "scatter.cuh"

namespace rivus::cuda {
namespace {

// Runs of up to this many contributions are added up by one thread, longer ones by a warp.
constexpr unsigned short_run = 8;
// Blocks on a multiprocessor: without a wish ptxas makes room for eight, and spills.
constexpr unsigned fold_residents = 4;

// The least or the greatest. NaN wins; of equal values, which may be zeros, the sign bit decides.
template <class T, bool Greatest>
struct extreme {
  static __device__ __forceinline__ T identity() {
    if constexpr (std::is_floating_point_v<T>) {
      const T infinity = real::from_bits(real::format<T>::infinity);
      return Greatest ? real::neg(infinity) : infinity;
    } else {
      // Of unsigned integers 0 or all ones, of signed ones with the other sign bit.
      using word = std::make_unsigned_t<T>;
      constexpr word least = std::is_signed_v<T> ? word{1} << (8 * sizeof(T) - 1) : 0;
      return static_cast<T>(Greatest ? least : ~least);
    }
  }
  static __device__ __forceinline__ T combine(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (real::is_nan(a) || real::is_nan(b)) return real::quiet_nan<T>();
      if (real::less(a, b)) return Greatest ? b : a;
      if (real::less(b, a)) return Greatest ? a : b;
      return real::top_bit(real::to_bits(a)) == Greatest ? b : a;
    } else {
      return (a < b) == Greatest ? b : a;
    }
  }
};

// Of a whole warp: the lanes fold by halves; all get the result.
template <class Op, class T>
__device__ __forceinline__ T fold_lanes(T lane) {
#pragma unroll
  for (unsigned half = order::lanes / 2; half >= 1; half /= 2)
    lane = Op::combine(lane, __shfl_down_sync(0xFFFFFFFFu, lane, half));
  return __shfl_sync(0xFFFFFFFFu, lane, 0);
}

// Of a whole warp: the results of chunks enter the lanes of the level above, one by one. 2048^4 is 2^44.
template <class Op, class T>
struct upper_levels {
  static constexpr int levels = 3;
  T lane[levels];
  unsigned long long count[levels];

  __device__ __forceinline__ upper_levels() {
#pragma unroll
    for (int i = 0; i < levels; ++i) {
      lane[i] = Op::identity();
      count[i] = 0;
    }
  }
  template <int Level = 0>
  __device__ __forceinline__ void enter(T result) {
    if (threadIdx.x % 32 == count[Level] % order::lanes) lane[Level] = Op::combine(lane[Level], result);
    if (++count[Level] % order::chunk != 0) return;
    if constexpr (Level + 1 < levels) {
      const T chunk = fold_lanes<Op>(lane[Level]);
      lane[Level] = Op::identity();
      enter<Level + 1>(chunk);
    }
  }
  template <int Level = 0>
  __device__ __forceinline__ T result() {
    const T fold = fold_lanes<Op>(lane[Level]);
    if constexpr (Level + 1 < levels) {
      if (count[Level] == 1) return fold;
      if (count[Level] % order::chunk != 0) enter<Level + 1>(fold);
      return result<Level + 1>();
    } else {
      return fold;
    }
  }
};

// Of a whole warp: the run that begins at contribution k.
template <class Op, class T>
__device__ __forceinline__ T fold_run(const sorted_view& all, const T* __restrict__ x, std::uint64_t k) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t d = all.destination(k);
  upper_levels<Op, T> results;
  for (; all.goes_on(k + order::chunk - 1, d); k += order::chunk) {
    T sum = Op::identity();
#pragma unroll 16
    for (unsigned row = 0; row < order::chunk / order::lanes; ++row)
      sum = Op::combine(sum, x[all.source(k + row * order::lanes + lane)]);
    results.enter(fold_lanes<Op>(sum));
  }
  if (all.goes_on(k, d)) {
    T sum = Op::identity();
    bool present = true;
    for (k += lane; __any_sync(0xFFFFFFFFu, present); k += order::lanes) {
      present = all.goes_on(k, d);
      if (present) sum = Op::combine(sum, x[all.source(k)]);
    }
    results.enter(fold_lanes<Op>(sum));
  }
  return results.result();
}

template <class Op, bool Fresh, class T>
__global__ void __launch_bounds__(block_threads, fold_residents)
    fold_runs(const sorted_view all, const T* __restrict__ x, T* __restrict__ out) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * block_threads;
  const auto store = [&](std::uint64_t d, T fold) {
    out[d] = canonical_of(Fresh ? fold : Op::combine(out[d], fold));
  };
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * block_threads + threadIdx.x - lane; first < all.n;
       first += stride) {
    const std::uint64_t k = first + lane;
    unsigned length = 0;
    if (all.begins(k)) {
      const std::uint64_t d = all.destination(k);
      do ++length;
      while (length <= short_run && all.goes_on(k + length, d));
      if (length <= short_run) {
        T value[short_run];
#pragma unroll
        for (unsigned l = 0; l < short_run; ++l)
          value[l] = l < length ? x[all.source(k + l)] : Op::identity();
        fold_halves<Op, short_run / 2>(value);
        store(d, value[0]);
      }
    }
    for (unsigned left = __ballot_sync(0xFFFFFFFFu, length > short_run); left != 0; left &= left - 1) {
      const std::uint64_t begin = first + static_cast<unsigned>(__ffs(static_cast<int>(left)) - 1);
      const T fold = fold_run<Op>(all, x, begin);
      if (lane == 0) store(all.destination(begin), fold);
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
  double low, high, width;
  __device__ __forceinline__ std::uint64_t operator()(std::uint64_t i, std::uint64_t bins) const {
    const double value = static_cast<double>(x[i]);
    if (real::is_nan(value) || real::less(value, low) || real::less(high, value)) return bins;
    const double place =
        real::mul(real::div(real::sub(value, low), width), static_cast<double>(static_cast<long long>(bins)));
    const auto bin = static_cast<std::uint64_t>(static_cast<long long>(place));
    return bin < bins ? bin : bins - 1;
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
  require_few(who, n);
  detail::require_scatter(who, out, size, 1, ids, values, x, n,
                          {extent_of(scratch, n, size), extent_of(error)});
}

template <class Op, bool Fresh = false, class T>
void fold_all(const char* who, cudaStream_t on, T* out, std::size_t size, const indices& ids, const T* x,
              std::size_t n, const scratch_memory& scratch, index_error* error, const char* values = "x") {
  using value_type = decltype(Op::identity());
  require_all(who, out, size, ids, values, x, n, scratch, error);
  if (Fresh && size > 0 && n == 0)
    require(cudaMemsetAsync(out, 0, size * sizeof(T), on), "cudaMemsetAsync", who);
  if (n == 0) return;
  const sorted_view all = sort_by_id(who, on, ids, n, size, nullptr, scratch, error);
  if (Fresh && size > 0) require(cudaMemsetAsync(out, 0, size * sizeof(T), on), "cudaMemsetAsync", who);
  launch("launch of fold_runs", who, on, grid_of(n), block_threads, &fold_runs<Op, Fresh, value_type>, all,
         reinterpret_cast<const value_type*>(x), reinterpret_cast<value_type*>(out));
}

}  // namespace

template <class T>
detail::for_numbers<T> index_add(cudaStream_t on, T* out, index64 size, indices ids, const T* x, index64 n,
                                 void* scratch, index64 bytes, index_error* error) {
  fold_all<adding<arithmetic<T>>>("rivus::cuda::index_add", on, out, size, ids, x, n, {scratch, bytes},
                                  error);
}
template <class T>
detail::for_numbers<T> scatter_min(cudaStream_t on, T* out, index64 size, indices ids, const T* x, index64 n,
                                   void* scratch, index64 bytes, index_error* error) {
  fold_all<extreme<T, false>>("rivus::cuda::scatter_min", on, out, size, ids, x, n, {scratch, bytes}, error);
}
template <class T>
detail::for_numbers<T> scatter_max(cudaStream_t on, T* out, index64 size, indices ids, const T* x, index64 n,
                                   void* scratch, index64 bytes, index_error* error) {
  fold_all<extreme<T, true>>("rivus::cuda::scatter_max", on, out, size, ids, x, n, {scratch, bytes}, error);
}
template <class T>
detail::for_numbers<T> scatter_prod(cudaStream_t on, T* out, index64 size, indices ids, const T* x, index64 n,
                                    void* scratch, index64 bytes, index_error* error) {
  fold_all<multiplying<arithmetic<T>>>("rivus::cuda::scatter_prod", on, out, size, ids, x, n,
                                       {scratch, bytes}, error);
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
  fold_all<adding<arithmetic<T>>, true>("rivus::cuda::segment_sum", on, out, segments, ids, x, n,
                                        {scratch, bytes}, error);
}
template <class T>
detail::for_numbers<T> bincount(cudaStream_t on, indices ids, const T* weights, index64 n, T* out,
                                index64 bins, void* scratch, index64 bytes, index_error* error) {
  fold_all<adding<arithmetic<T>>, true>("rivus::cuda::bincount", on, out, bins, ids, weights, n,
                                        {scratch, bytes}, error, "weights");
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
  const double width = detail::require_histogram(who, x, n, lo, hi, out, bins);
  count(who, on, bin_of_value<T>{x, lo, hi, width}, n, out, bins);
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
