// Exact sums: what src/exact_kernels.hpp does with blocks, each warp does with tiles, by the levels of a window.
// What does not fit there, and the sums of tiles, go to limbs in shared memory, and those of blocks to limbs in
// the scratch. Integers come together to the same whatever the order.
#include <new>
#include <rivus/arguments.hpp>
#include <rivus/cuda/exact.hpp>
#include <rivus/exact.hpp>

#include "launch.hpp"
#include "scratch.hpp"

namespace rivus::cuda {
namespace {

constexpr unsigned warps = block_threads / 32;
constexpr unsigned tile_rows = 64;
constexpr std::uint64_t tile = std::uint64_t{32} * tile_rows;
constexpr unsigned all_lanes = 0xFFFFFFFFu;

template <class T>
using limbs_of = detail::exact_limbs<T>;

// The scratch.
template <class T>
struct shared_sum {
  unsigned ticket;
  unsigned seen;
  unsigned long long limb[limbs_of<T>::count];
};

template <class T>
struct exact_memory {
  shared_sum<T>* sum;
  explicit exact_memory(scratch_layout& at) : sum(at.take<shared_sum<T>>(1)) {}
};

// Adds to limbs in shared or global memory that other threads add to as well.
struct atomic_limbs {
  unsigned long long* limb;
  RIVUS_HD void operator()(int i, std::int64_t v) const {
#if defined(__CUDA_ARCH__)
    atomicAdd(limb + i, static_cast<unsigned long long>(v));
#else
    (void)i, (void)v;
#endif
  }
};

template <class T, bool Dot>
struct levels {
  using format = real::format<T>;
  using word = typename format::word;
  using limbs = limbs_of<T>;
  static constexpr int count = Dot && sizeof(T) == 4 ? 4 : 3;
  // The bits that a level holds beside the sign, and by how many its unit is above that of the next.
  static constexpr int room = format::fraction_bits - 1;
  static constexpr int bias = sizeof(T) == 4 ? 127 : 1023;
  // A lane gets a value of each row: units of -2^room to 2^room - 1, and where errors of products enter a level too, those are less
  // than what the first level's rounding does not use of it. The lanes of a warp together go into 64 bits.
  static_assert(tile_rows <= word{1} << (format::bits - 1 - room) && tile <= std::uint64_t{1} << (63 - room));
  static constexpr int unset = 1 << 20;

  int unit = unset;  // 2^unit is the unit of the first level
  T magic[count];
  word sum[count];
  unsigned seen = 0;
  bool misfit = false;

  __device__ static constexpr word origin_of(int field) {
    return static_cast<word>(static_cast<word>(field) << format::fraction_bits |
                             word{1} << (format::fraction_bits - 1));
  }
  __device__ int unit_of(int k) const { return unit - k * room; }
  __device__ word origin(int k) const { return origin_of(bias + unit_of(k) + format::fraction_bits); }

  // For values with this exponent field at most, and a few times as large.
  __device__ void place(int field) {
    constexpr int least = detail::exact_result<T>::least + (count - 1) * room;
    constexpr int largest = bias - format::fraction_bits;
    const int wanted = field - bias + 1 + (sizeof(T) == 4 ? 2 : 3) - room;
    unit = wanted < least ? least : wanted > largest ? largest : wanted;
#pragma unroll
    for (int k = 0; k < count; ++k) magic[k] = real::from_bits(origin(k));
  }
  __device__ void clear() {
#pragma unroll
    for (int k = 0; k < count; ++k) sum[k] = 0;
    misfit = false;
  }
  // Takes v apart by the levels from First on. Whether nothing is left.
  template <int First, int Last>
  __device__ bool take(T v, word (&units)[count]) const {
    bool fits = true;
#pragma unroll
    for (int k = First; k < Last; ++k) {
      const T t = real::add(v, magic[k]);
      const word change = real::to_bits(t) - origin(k);
      if (k == 0) fits = (real::to_bits(t) ^ origin(k)) >> format::fraction_bits == 0;
      units[k] += change;
      v = real::sub(v, real::sub(t, magic[k]));
    }
    return fits && static_cast<word>(real::to_bits(v) << 1) == 0;
  }
  __device__ void add_units(const word (&units)[count]) {
#pragma unroll
    for (int k = 0; k < count; ++k) sum[k] += units[k];
  }

  __device__ void enter(T x, unsigned long long* to) {
    word units[count] = {};
    const bool fits = take<0, count>(x, units);
    if (fits) {
      add_units(units);
      seen |= real::to_bits(x) == format::sign ? limbs::minus_zero : limbs::other;
    } else {
      seen |= limbs::spread_value(x, atomic_limbs{to});
      misfit = true;
    }
  }
  // The product as p + e, p rounded and e its error, which is exact where p is neither too large nor too small.
  __device__ void enter(T x, T y, unsigned long long* to) {
    constexpr word least_exact = static_cast<word>(bias - (sizeof(T) == 4 ? 100 : 960))
                                 << format::fraction_bits;
    word units[count] = {};
    const T p = real::mul(x, y);
    const word bits = real::to_bits(p);
    const bool zero =
        static_cast<word>(real::to_bits(x) << 1) == 0 || static_cast<word>(real::to_bits(y) << 1) == 0;
    const bool exact = (bits & ~format::sign) >= least_exact || zero;
    const bool fits = take<0, count - 1>(p, units) && take<1, count>(real::fma(x, y, real::neg(p)), units);
    if (fits && exact) {
      add_units(units);
      seen |= bits == format::sign ? limbs::minus_zero : limbs::other;
    } else {
      seen |= limbs::spread_product(x, y, atomic_limbs{to});
      misfit = true;
    }
  }

  // Of a whole warp: what its lanes hold goes to the limbs.
  __device__ void flush(unsigned long long* to) const {
#pragma unroll
    for (int k = 0; k < count; ++k) {
      auto units = static_cast<std::int64_t>(static_cast<std::make_signed_t<word>>(sum[k]));
#pragma unroll
      for (unsigned half = 16; half >= 1; half /= 2) {
        units += __shfl_xor_sync(all_lanes, static_cast<long long>(units), half);
      }
      if (threadIdx.x % 32 == 0 && units != 0) {
        const auto magnitude = static_cast<std::uint64_t>(units);
        limbs::spread(units < 0 ? 0 - magnitude : magnitude, unit_of(k), units < 0, atomic_limbs{to});
      }
    }
  }
};

// Of a whole warp: the largest exponent field of the lanes.
template <class T>
__device__ int largest_field(T x) {
  using format = real::format<T>;
  int field = static_cast<int>((real::to_bits(x) & format::infinity) >> format::fraction_bits);
#pragma unroll
  for (unsigned half = 16; half >= 1; half /= 2) {
    const int other = __shfl_xor_sync(all_lanes, field, half);
    field = other > field ? other : field;
  }
  return field;
}

template <bool Dot, class T>
__global__ void __launch_bounds__(block_threads)
    exact_add(const T* __restrict__ x, const T* __restrict__ y, const std::uint64_t n, T* __restrict__ result,
              shared_sum<T>* total) {
  constexpr int count = limbs_of<T>::count;
  __shared__ unsigned long long limb[count];
  __shared__ unsigned seen;
  for (unsigned i = threadIdx.x; i < count; i += block_threads) limb[i] = 0;
  if (threadIdx.x == 0) seen = 0;
  __syncthreads();

  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  levels<T, Dot> sums;
  for (std::uint64_t at = (std::uint64_t{blockIdx.x} * warps + warp) * tile; at < n;
       at += std::uint64_t{gridDim.x} * warps * tile) {
    // The window stays where it was while everything fits.
    if (sums.unit == sums.unset || __any_sync(all_lanes, sums.misfit)) {
      const std::uint64_t i = at + lane;
      T first = i < n ? x[i] : T(0);
      if constexpr (Dot) first = real::mul(first, i < n ? y[i] : T(0));
      sums.place(largest_field(first));
    }
    sums.clear();
    const auto enter = [&](std::uint64_t i) {
      if constexpr (Dot) {
        sums.enter(x[i], y[i], limb);
      } else {
        sums.enter(x[i], limb);
      }
    };
    if (n - at >= tile) {
#pragma unroll 4
      for (unsigned row = 0; row < tile_rows; ++row) enter(at + row * 32 + lane);
    } else {
      for (std::uint64_t i = at + lane; i < n; i += 32) enter(i);
    }
    __syncwarp();
    sums.flush(limb);
  }
  atomicOr(&seen, sums.seen);
  __syncthreads();

  // By halves, so that limbs of the scratch have room for those of all blocks.
  for (unsigned i = threadIdx.x; i < count; i += block_threads) {
    const auto v = static_cast<std::int64_t>(limb[i]);
    const std::int64_t high = i + 1 < count ? v >> 32 : 0, low = v - high * (std::int64_t{1} << 32);
    if (low != 0) atomicAdd(&total->limb[i], static_cast<unsigned long long>(low));
    if (high != 0) atomicAdd(&total->limb[i + 1], static_cast<unsigned long long>(high));
  }
  if (threadIdx.x == 0) atomicOr(&total->seen, seen);

  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&total->ticket, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  __threadfence();
  const volatile shared_sum<T>* const all = total;
  // In shared memory, as so large an array would take up the stack of every thread.
  __shared__ alignas(limbs_of<T>) unsigned char memory[sizeof(limbs_of<T>)];
  limbs_of<T>& limbs = *new (memory) limbs_of<T>;
#pragma unroll 1
  for (int i = 0; i < count; ++i) limbs.limb[i] = static_cast<std::int64_t>(all->limb[i]);
  limbs.see(all->seen);
  *result = limbs.template rounded_in_place<T>();
}

template <bool Dot, class T>
void exact(const char* who, cudaStream_t on, const T* x, const T* y, std::size_t n, T* result, void* scratch,
           std::size_t bytes) {
  rivus::detail::require_pointer(who, "result", result);
  rivus::detail::require_values(who, "x", x, n);
  if (Dot) rivus::detail::require_values(who, "y", y, n);
  if (n == 0) return require(cudaMemsetAsync(result, 0, sizeof(T), on), "cudaMemsetAsync", who);
  const auto memory = take_scratch<exact_memory<T>>(
      who, {scratch, bytes}, n, {rivus::detail::extent_of("result", result, 1)},
      {rivus::detail::extent_of("x", x, n), rivus::detail::extent_of("y", y, n)});
  require(cudaMemsetAsync(memory.sum, 0, sizeof *memory.sum, on), "cudaMemsetAsync", who);
  const std::uint64_t tiles = n / tile + (n % tile != 0);
  const unsigned wanted = grid_blocks((tiles + warps - 1) / warps, 1056);
  // Of an element, and of the units of a tile's level, a limb gets less than 2^32 (the halves of a product share no bit): a block
  // has room for 2^31 of them, which 2^30 elements and the tiles that divide unevenly are not.
  static_assert(((std::uint64_t{1} << 30) / tile + warps) * (tile + levels<T, Dot>::count) < std::uint64_t{1}
                                                                                                 << 31);
  const unsigned least = static_cast<unsigned>(n >> 30) + 1;
  launch("launch of exact_add", who, on, wanted < least ? least : wanted, block_threads, &exact_add<Dot, T>,
         x, y, std::uint64_t{n}, result, memory.sum);
}

}  // namespace

template <class T>
rivus::detail::for_floats<T, std::size_t> exact_scratch_bytes(index64 n) {
  return n == 0 ? 0 : scratch_size<exact_memory<T>>();
}
template <class T>
rivus::detail::for_floats<T> exact_sum(cudaStream_t on, const T* x, index64 n, T* result, void* scratch,
                                       index64 bytes) {
  exact<false, T>("rivus::cuda::exact_sum", on, x, nullptr, n, result, scratch, bytes);
}
template <class T>
rivus::detail::for_floats<T> exact_dot(cudaStream_t on, const T* x, const T* y, index64 n, T* result,
                                       void* scratch, index64 bytes) {
  exact<true, T>("rivus::cuda::exact_dot", on, x, y, n, result, scratch, bytes);
}

template std::size_t exact_scratch_bytes<float>(index64);
template std::size_t exact_scratch_bytes<double>(index64);
template void exact_sum(cudaStream_t, const float*, index64, float*, void*, index64);
template void exact_sum(cudaStream_t, const double*, index64, double*, void*, index64);
template void exact_dot(cudaStream_t, const float*, const float*, index64, float*, void*, index64);
template void exact_dot(cudaStream_t, const double*, const double*, index64, double*, void*, index64);

}  // namespace rivus::cuda
