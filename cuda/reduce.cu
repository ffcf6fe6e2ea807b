#include <rivus/cuda/reduce.hpp>
#include <rivus/order.hpp>
#include <rivus/real.hpp>

#include "launch.hpp"

namespace rivus::cuda {
namespace {

constexpr unsigned warps = block_threads / 32;
static_assert(order::lanes == 32, "a chunk's lanes are a warp's");

// The scratch: the ticket, then the results of chunks, level after level.
constexpr std::size_t ticket_bytes = 8;

// Of a whole warp: the result of the chunk x[0..n), 0 < n <= order::chunk, in lane 0.
template <bool Dot, class Pointer, class T = std::remove_cv_t<std::remove_pointer_t<Pointer>>>
__device__ __forceinline__ T chunk_result(Pointer x, Pointer y, std::uint64_t n) {
  const unsigned lane = threadIdx.x % 32;
  T sum = T(-0.0);
  const auto enter = [&](unsigned i) {
    const T a = x[i];
    if constexpr (Dot) {
      const T b = y[i];
      sum = real::fma(a, b, sum);
    } else {
      sum = real::add(sum, a);
    }
  };
  if (n == order::chunk) {
#pragma unroll 16
    for (unsigned row = 0; row < order::chunk / order::lanes; ++row) enter(row * order::lanes + lane);
  } else {
    for (unsigned i = lane; i < n; i += order::lanes) enter(i);
  }
#pragma unroll
  for (unsigned half = order::lanes / 2; half >= 1; half /= 2) {
    sum = real::add(sum, __shfl_down_sync(0xFFFFFFFFu, sum, half));
  }
  return sum;
}

// A warp to a chunk; the block that is done last sums their results, level by level. partial is volatile
// because other blocks write it.
template <bool Dot, class T>
__global__ void __launch_bounds__(block_threads)
    reduce_chunks(const T* __restrict__ x, const T* __restrict__ y, const std::uint64_t n,
                  T* __restrict__ result, unsigned* ticket, volatile T* partial) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::uint64_t chunks = order::chunks(n);
  const auto length = [](std::uint64_t all, std::uint64_t c) {
    const std::uint64_t left = all - c * order::chunk;
    return left < order::chunk ? left : std::uint64_t{order::chunk};
  };
  for (std::uint64_t c = std::uint64_t{blockIdx.x} * warps + warp; c < chunks;
       c += std::uint64_t{gridDim.x} * warps) {
    const std::uint64_t at = c * order::chunk;
    const T r = chunk_result<Dot>(x + at, Dot ? y + at : y, length(n, c));
    if (lane == 0) {
      if (chunks == 1) {
        *result = real::canonical(r);
      } else {
        partial[c] = r;
      }
    }
  }
  if (chunks == 1) return;

  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  std::uint64_t count = chunks;
  while (count > 1) {
    volatile T* const next = partial + count;
    const std::uint64_t sums = order::chunks(count);
    for (std::uint64_t c = warp; c < sums; c += warps) {
      const volatile T* const from = partial + c * order::chunk;
      const T r = chunk_result<false>(from, from, length(count, c));
      if (lane == 0) next[c] = r;
    }
    __threadfence_block();
    __syncthreads();
    partial = next;
    count = sums;
  }
  if (threadIdx.x == 0) *result = real::canonical(static_cast<T>(partial[0]));
}

template <class T>
void require_pointer(const char* who, const char* name, const T* p) {
  if (p == nullptr) throw std::invalid_argument(std::string(who) + ": " + name + " is null");
}

template <bool Dot, class T>
void reduce(const char* who, cudaStream_t on, const T* x, const T* y, std::size_t n, T* result, void* scratch,
            std::size_t bytes) {
  require_pointer(who, "result", result);
  if (n == 0) return require(cudaMemsetAsync(result, 0, sizeof(T), on), "cudaMemsetAsync", who);
  require_pointer(who, "x", x);
  if (Dot) require_pointer(who, "y", y);
  const std::size_t chunks = order::chunks(n), needed = scratch_bytes<T>(n);
  auto* const ticket = static_cast<unsigned*>(scratch);
  if (chunks > 1) {
    require_pointer(who, "scratch", scratch);
    if (bytes < needed) {
      throw std::invalid_argument(std::string(who) + ": bytes = " + std::to_string(bytes) +
                                  " of scratch, but n = " + std::to_string(n) + " needs " +
                                  std::to_string(needed));
    }
    if (reinterpret_cast<std::uintptr_t>(scratch) % 8 != 0) {
      throw std::invalid_argument(std::string(who) + ": scratch must be aligned to 8 bytes");
    }
    require(cudaMemsetAsync(ticket, 0, ticket_bytes, on), "cudaMemsetAsync", who);
  }
  auto* const partial = reinterpret_cast<T*>(static_cast<char*>(scratch) + ticket_bytes);
  const unsigned grid = grid_blocks((chunks + warps - 1) / warps, 2048);
  launch("launch of reduce_chunks", who, on, grid, block_threads, &reduce_chunks<Dot, T>, x, y,
         std::uint64_t{n}, result, ticket, partial);
}

}  // namespace

template <class T>
std::size_t scratch_bytes(std::size_t n) {
  std::size_t values = 0;
  for (std::size_t count = order::chunks(n); count > 0; count = order::chunks(count)) {
    values += count;
    if (count == 1) break;
  }
  return values <= 1 ? 0 : ticket_bytes + values * sizeof(T);
}

template <class T>
void sum(cudaStream_t on, const T* x, std::size_t n, T* result, void* scratch, std::size_t bytes) {
  reduce<false, T>("rivus::cuda::sum", on, x, nullptr, n, result, scratch, bytes);
}
template <class T>
void dot(cudaStream_t on, const T* x, const T* y, std::size_t n, T* result, void* scratch,
         std::size_t bytes) {
  reduce<true, T>("rivus::cuda::dot", on, x, y, n, result, scratch, bytes);
}

template std::size_t scratch_bytes<float>(std::size_t);
template std::size_t scratch_bytes<double>(std::size_t);
template void sum(cudaStream_t, const float*, std::size_t, float*, void*, std::size_t);
template void sum(cudaStream_t, const double*, std::size_t, double*, void*, std::size_t);
template void dot(cudaStream_t, const float*, const float*, std::size_t, float*, void*, std::size_t);
template void dot(cudaStream_t, const double*, const double*, std::size_t, double*, void*, std::size_t);

}  // namespace rivus::cuda
