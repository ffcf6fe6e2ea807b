// Reductions of terms (rivus/expressions.hpp) on the device: by a warp, and by a grid.
#ifndef RIVUS_CUDA_REDUCE_CUH
#define RIVUS_CUDA_REDUCE_CUH

#include <rivus/arguments.hpp>
#include <rivus/expressions.hpp>
#include <rivus/tree.hpp>

#include "launch.hpp"
#include "scratch.hpp"

namespace rivus::cuda {

namespace expr = real::expr;

using rivus::detail::extent_of;
using rivus::detail::require_apart;
using rivus::detail::require_pointer;
using rivus::detail::require_values;

inline constexpr unsigned warp_size = 32, warps_in_block = block_threads / warp_size;
inline constexpr unsigned all_lanes = 0xFFFFFFFFu;
static_assert(tree::lanes == warp_size && tree::node == warp_size,
              "lanes, and the leaves of a node, are a warp's");

// A lane for each thread of a warp: the lanes folded by halves, or the leaves of a node combined. All threads get the result,
// as the two it is made of always meet.
template <class Op, class T>
__device__ __forceinline__ T fold_lanes(T lane) {
#pragma unroll
  for (unsigned half = warp_size / 2; half >= 1; half /= 2)
    lane = Op::combine(lane, __shfl_xor_sync(all_lanes, lane, half));
  return lane;
}
template <class Op, class T>
__device__ __forceinline__ T combine_node(T leaf) {
#pragma unroll
  for (unsigned size = 1; size < warp_size; size *= 2)
    leaf = Op::combine(leaf, __shfl_xor_sync(all_lanes, leaf, size));
  return leaf;
}

// Of a whole warp: the result of the chunk of terms (i, j), ..., (i, j + n - 1), 0 < n <= tree::chunk.
template <class Term, class T = typename Term::wide>
__device__ __forceinline__ T chunk_result(const Term& term, std::uint64_t i, std::uint64_t j,
                                          std::uint64_t n) {
  const unsigned lane = threadIdx.x % warp_size;
  T sum = Term::template neutral<T>();
  if (n == tree::chunk) {
#pragma unroll 16
    for (unsigned row = 0; row < tree::chunk / tree::lanes; ++row) {
      sum = term.enter(sum, expr::place<T>{i, j + row * tree::lanes + lane});
    }
  } else {
    for (unsigned k = lane; k < n; k += tree::lanes) sum = term.enter(sum, expr::place<T>{i, j + k});
  }
  return fold_lanes<Term>(sum);
}

// Of a whole warp: tree/v1 of leaves that come one by one. What waits on level k is with lane k modulo 32.
template <class Op, class T>
class warp_tree {
 public:
  __device__ __forceinline__ void push(T leaf) {
    const int level = tree::carries(count_++);
    for (int k = 0; k < level; ++k) leaf = Op::combine(waiting(k), leaf);
    if (threadIdx.x % warp_size == static_cast<unsigned>(level) % warp_size)
      (level < 32 ? low_ : high_) = leaf;
  }
  // Of at least one leaf.
  __device__ __forceinline__ T result() const {
    int k = tree::carries(~count_);
    T value = waiting(k);
    while (count_ >> ++k != 0) {
      if ((count_ >> k & 1) != 0) value = Op::combine(waiting(k), value);
    }
    return value;
  }

 private:
  __device__ __forceinline__ T waiting(int k) const {
    return __shfl_sync(all_lanes, k < 32 ? low_ : high_, k % 32);
  }
  T low_, high_;
  std::uint64_t count_ = 0;
};

// A warp's team (rivus/row_operations.hpp).
class warp_team {
 public:
  __device__ bool is_first() const { return threadIdx.x % warp_size == 0; }

  template <class Term, class T = typename Term::wide>
  __device__ T sum(const Term& term, std::uint64_t i, std::uint64_t n) const {
    if (n == 0) return Term::template nothing<T>();
    if (n <= tree::chunk) return chunk_result(term, i, 0, n);
    warp_tree<Term, T> leaves;
    for (std::uint64_t j = 0; j < n; j += tree::chunk)
      leaves.push(chunk_result(term, i, j, n - j < tree::chunk ? n - j : tree::chunk));
    return leaves.result();
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
      const auto other = __shfl_xor_sync(all_lanes, most, half);
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

// A warp to a chunk; the block that is done last combines their results, a warp to a node, level by level, and calls
// finish(result). Volatile because other blocks write them.
template <class Term, class Finish, class T = typename Term::wide>
__global__ void __launch_bounds__(block_threads)
    reduce_chunks(const Term term, const std::uint64_t n, const Finish finish, unsigned* ticket,
                  volatile T* partial) {
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const std::uint64_t chunks = tree::chunks(n);
  for (std::uint64_t c = std::uint64_t{blockIdx.x} * warps_in_block + warp; c < chunks;
       c += std::uint64_t{gridDim.x} * warps_in_block) {
    const std::uint64_t left = n - c * tree::chunk;
    const T r =
        chunk_result(term, 0, c * tree::chunk, left < tree::chunk ? left : std::uint64_t{tree::chunk});
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
  for (std::uint64_t count = chunks; count > 1; count = tree::nodes(count)) {
    volatile T* const next = partial + count;
#pragma unroll 1
    for (std::uint64_t a = warp; a < tree::nodes(count); a += warps_in_block) {
      const std::uint64_t leaf = a * tree::node + lane;
      const T value = leaf < count ? static_cast<T>(partial[leaf]) : Term::template neutral<T>();
      const T combined = combine_node<Term>(value);
      if (lane == 0) next[a] = combined;
    }
    __threadfence_block();
    __syncthreads();
    partial = next;
  }
  if (threadIdx.x == 0) finish(static_cast<T>(partial[0]));
}

// The ticket, then the results of chunks, level after level; nothing for one chunk.
template <class T>
struct tree_memory {
  unsigned* ticket = nullptr;
  T* partial = nullptr;

  tree_memory(scratch_layout& at, std::size_t n) {
    const std::size_t chunks = tree::chunks(n);
    if (chunks <= 1) return;
    ticket = at.take<unsigned>(1);
    partial = at.take<T>(tree::values_on_levels(chunks));
  }
  tree_memory(unsigned* ticket_, T* partial_) : ticket(ticket_), partial(partial_) {}
  // The same for values that are no larger.
  template <class V>
  tree_memory<V> as() const {
    static_assert(sizeof(V) <= sizeof(T));
    return {ticket, reinterpret_cast<V*>(partial)};
  }
};

// Enqueues the reduction of n > 0 terms.
template <class Term, class Finish>
void enqueue_reduction(const char* who, cudaStream_t on, const Term& term, std::size_t n,
                       const Finish& finish, const tree_memory<typename Term::wide>& memory) {
  const std::size_t chunks = tree::chunks(n);
  if (chunks > 1)
    require(cudaMemsetAsync(memory.ticket, 0, sizeof *memory.ticket, on), "cudaMemsetAsync", who);
  launch("launch of reduce_chunks", who, on, grid_blocks(tree::pieces(chunks, warps_in_block), 2048),
         block_threads, &reduce_chunks<Term, Finish>, term, std::uint64_t{n}, finish, memory.ticket,
         memory.partial);
}

}  // namespace rivus::cuda

#endif
