// Reductions of terms (rivus/expressions.hpp) on the device: by a warp, and by a grid.
#ifndef RIVUS_CUDA_REDUCE_CUH
#define RIVUS_CUDA_REDUCE_CUH

#include <rivus/arguments.hpp>
#include <rivus/expressions.hpp>
#include <rivus/order.hpp>

#include "launch.hpp"

namespace rivus::cuda {

namespace expr = real::expr;

using rivus::detail::extent_of;
using rivus::detail::extent_of_scratch;
using rivus::detail::require_apart;
using rivus::detail::require_pointer;
using rivus::detail::require_scratch;
using rivus::detail::require_values;

inline constexpr unsigned warp_size = 32, warps_in_block = block_threads / warp_size;
static_assert(order::lanes == warp_size, "a chunk's lanes are a warp's");

// The lanes of a warp combined by halves; every thread gets the result, as the two it is made of always meet.
template <class Term, class T>
__device__ __forceinline__ T folded(T lane) {
#pragma unroll
  for (unsigned half = order::lanes / 2; half >= 1; half /= 2) {
    lane = Term::combine(lane, __shfl_xor_sync(0xFFFFFFFFu, lane, half));
  }
  return lane;
}

// value[0] becomes the fold by halves of all. By recursion, as nvcc does not unroll the loop over halves first and
// would keep the array in memory.
template <class Op, unsigned Half, unsigned N, class T>
__device__ __forceinline__ void fold_halves(T (&value)[N]) {
#pragma unroll
  for (unsigned l = 0; l < Half; ++l) value[l] = Op::combine(value[l], value[l + Half]);
  if constexpr (Half > 1) fold_halves<Op, Half / 2>(value);
}

// Of a whole warp: the result of the chunk of terms (i, j), ..., (i, j + n - 1), 0 < n <= order::chunk.
template <class Term, class T = typename Term::wide>
__device__ __forceinline__ T chunk_result(const Term& term, std::uint64_t i, std::uint64_t j,
                                          std::uint64_t n) {
  const unsigned lane = threadIdx.x % warp_size;
  T sum = Term::template neutral<T>();
  if (n == order::chunk) {
#pragma unroll 16
    for (unsigned row = 0; row < order::chunk / order::lanes; ++row) {
      sum = term.enter(sum, expr::place<T>{i, j + row * order::lanes + lane});
    }
  } else {
    for (unsigned k = lane; k < n; k += order::lanes) sum = term.enter(sum, expr::place<T>{i, j + k});
  }
  return folded<Term>(sum);
}

// A warp's team (rivus/row_operations.hpp).
class warp_team {
 public:
  __device__ bool is_first() const { return threadIdx.x % warp_size == 0; }

  // Chunk results are elements of the next level: each enters its lane there when it comes.
  template <class Term, class T = typename Term::wide>
  __device__ T sum(const Term& term, std::uint64_t i, std::uint64_t n) const {
    if (n == 0) return std::is_base_of_v<expr::adding, Term> ? T(0) : Term::template neutral<T>();
    constexpr int levels = 4;
    T level[levels];
    for (T& lane : level) lane = Term::template neutral<T>();
    const std::uint64_t chunks = order::chunks(n);
    for (std::uint64_t c = 0;; ++c) {
      const std::uint64_t left = n - c * order::chunk;
      T result = chunk_result(term, i, c * order::chunk, left < order::chunk ? left : order::chunk);
      if (chunks == 1) return result;
      std::uint64_t at = c, count = chunks;
#pragma unroll
      for (int k = 0; k < levels; ++k) {
        if (at % order::lanes == threadIdx.x % warp_size) level[k] = Term::combine(level[k], result);
        if ((at + 1) % order::chunk != 0 && at + 1 != count) break;
        result = folded<Term>(level[k]);
        if (count <= order::chunk) return result;
        level[k] = Term::template neutral<T>();
        at /= order::chunk;
        count = order::chunks(count);
      }
    }
  }

  template <expr::extreme Which, class X>
  __device__ wide_t<X> most(const expr::elements<X>& x, std::uint64_t i, std::uint64_t n) const {
    using T = wide_t<X>;
    auto most = expr::least_key<T>();
    for (std::uint64_t j = threadIdx.x % warp_size; j < n; j += warp_size) {
      const auto k = expr::key_of<Which>(expr::place<T>{i, j}(x));
      most = most < k ? k : most;
    }
#pragma unroll
    for (unsigned half = warp_size / 2; half >= 1; half /= 2) {
      const auto other = __shfl_xor_sync(0xFFFFFFFFu, most, half);
      most = most < other ? other : most;
    }
    return expr::value_of<Which, T>(most);
  }

  template <class E, class X>
  __device__ void write(const E& expression, X* to, std::uint64_t i, std::uint64_t n) const {
    using T = wide_t<X>;
    for (std::uint64_t j = threadIdx.x % warp_size; j < n; j += warp_size) {
      to[j] = real::narrow<X>(real::canonical(expression(expr::place<T>{i, j})));
    }
  }
};

// Chunk results as terms that combine as Term's do; volatile because other blocks write them.
template <class Term>
struct results_of {
  using wide = typename Term::wide;
  const volatile wide* results;
  template <class F, class At>
  __device__ F enter(F lane, const At& at) const {
    return Term::combine(lane, static_cast<wide>(results[at.j]));
  }
  template <class F>
  __device__ static F combine(F a, F b) {
    return Term::combine(a, b);
  }
  template <class F>
  __device__ static F neutral() {
    return Term::template neutral<F>();
  }
};

// A warp to a chunk; the block that is done last combines their results, level by level, and calls
// finish(result).
template <class Term, class Finish, class T = typename Term::wide>
__global__ void __launch_bounds__(block_threads)
    reduce_chunks(const Term term, const std::uint64_t n, const Finish finish, unsigned* ticket,
                  volatile T* partial) {
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const std::uint64_t chunks = order::chunks(n);
  const auto length = [](std::uint64_t all, std::uint64_t c) {
    const std::uint64_t left = all - c * order::chunk;
    return left < order::chunk ? left : std::uint64_t{order::chunk};
  };
  for (std::uint64_t c = std::uint64_t{blockIdx.x} * warps_in_block + warp; c < chunks;
       c += std::uint64_t{gridDim.x} * warps_in_block) {
    const T r = chunk_result(term, 0, c * order::chunk, length(n, c));
    if (lane == 0) {
      if (chunks == 1) {
        finish(r);
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
    for (std::uint64_t c = warp; c < sums; c += warps_in_block) {
      const T r = chunk_result(results_of<Term>{partial}, 0, c * order::chunk, length(count, c));
      if (lane == 0) next[c] = r;
    }
    __threadfence_block();
    __syncthreads();
    partial = next;
    count = sums;
  }
  if (threadIdx.x == 0) finish(static_cast<T>(partial[0]));
}

// The scratch: the ticket, then the results of chunks, level after level.
inline constexpr std::size_t ticket_bytes = 8;

template <class T>
std::size_t chunk_scratch_bytes(std::size_t n) {
  std::size_t values = 0;
  for (std::size_t count = order::chunks(n); count > 0; count = order::chunks(count)) {
    values += count;
    if (count == 1) break;
  }
  return values <= 1 ? 0 : ticket_bytes + values * sizeof(T);
}

// Enqueues the reduction of n > 0 terms; the scratch is large enough.
template <class Term, class Finish>
void enqueue_reduction(const char* who, cudaStream_t on, const Term& term, std::size_t n,
                       const Finish& finish, void* scratch) {
  const std::size_t chunks = order::chunks(n);
  auto* const ticket = static_cast<unsigned*>(scratch);
  if (chunks > 1) require(cudaMemsetAsync(ticket, 0, ticket_bytes, on), "cudaMemsetAsync", who);
  auto* const partial = reinterpret_cast<typename Term::wide*>(static_cast<char*>(scratch) + ticket_bytes);
  const unsigned grid = grid_blocks((chunks + warps_in_block - 1) / warps_in_block, 2048);
  launch("launch of reduce_chunks", who, on, grid, block_threads, &reduce_chunks<Term, Finish>, term,
         std::uint64_t{n}, finish, ticket, partial);
}

}  // namespace rivus::cuda

#endif
