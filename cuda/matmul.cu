#include <rivus/arguments.hpp>
#include <rivus/combine.hpp>
#include <rivus/cuda/matmul.hpp>
#include <rivus/real.hpp>
#include <rivus/tree.hpp>

#include "launch.hpp"

namespace rivus::cuda {
namespace {

// A block computes a tile of c from slabs of a and b in shared memory, a thread 4 x 4 elements of it, each of them a chain over
// ascending k to a block of depth, and the tree of those.
constexpr unsigned tile = 64;
constexpr unsigned depth = 16;
constexpr unsigned each = 4;
constexpr unsigned side = tile / each;
static_assert(side * side == block_threads);

// The tree's levels wait in local memory, of which a device sets aside as much as all its threads could use: few where that is
// enough.
constexpr int few_levels = 4, most_levels = 32;
// Blocks on a multiprocessor: without a wish ptxas makes room for more, and spills.
constexpr unsigned residents = 2;

template <class X, int Levels>
__global__ void __launch_bounds__(block_threads, residents)
    multiply_tiles(const matrix<const X> a, const matrix<const X> b, const matrix<X> c,
                   const matmul_options<X> options, const std::uint64_t tiles) {
  using T = wide_t<X>;
  // One column more, so that the rows of a column lie in different banks.
  __shared__ T slab_a[depth][tile + 1];
  __shared__ T slab_b[depth][tile + 1];
  const unsigned row = threadIdx.x / side, col = threadIdx.x % side;
  const std::uint64_t across = (c.cols + tile - 1) / tile, block = options.block;
  for (std::uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const std::uint64_t i0 = t / across * tile, j0 = t % across * tile;
    T acc[each][each], waiting[Levels][each][each];
    const auto for_each = [&](const auto& f) {
#pragma unroll
      for (unsigned i = 0; i < each; ++i) {
#pragma unroll
        for (unsigned j = 0; j < each; ++j) f(acc[i][j], i, j);
      }
    };
    const auto begin = [](T& v, unsigned, unsigned) { v = T(0); };
    const auto merge = [&](const T(&before)[each][each]) {
      for_each([&](T& v, unsigned i, unsigned j) { v = combine::sums::combine(before[i][j], v); });
    };
    for_each(begin);
    std::uint64_t chains = 0, left = block;
    for (std::uint64_t k0 = 0; k0 < a.cols; k0 += depth) {
      for (unsigned e = threadIdx.x; e < depth * tile; e += block_threads) {
        const unsigned k = e % depth, i = e / depth;
        slab_a[k][i] = i0 + i < a.rows && k0 + k < a.cols ? real::widen(a(i0 + i, k0 + k)) : T(0);
        const unsigned l = e / tile, j = e % tile;
        slab_b[l][j] = k0 + l < b.rows && j0 + j < b.cols ? real::widen(b(k0 + l, j0 + j)) : T(0);
      }
      __syncthreads();
      // The chain ends with the last k: steps beyond it would turn -0 into +0.
      const unsigned steps = a.cols - k0 < depth ? static_cast<unsigned>(a.cols - k0) : depth;
      for (unsigned k = 0; k < steps;) {
        const unsigned end = left < steps - k ? k + static_cast<unsigned>(left) : steps;
        left -= end - k;
        for (; k < end; ++k) {
          T x[each], y[each];
#pragma unroll
          for (unsigned i = 0; i < each; ++i) x[i] = slab_a[k][row + i * side];
#pragma unroll
          for (unsigned j = 0; j < each; ++j) y[j] = slab_b[k][col + j * side];
          for_each([&](T& v, unsigned i, unsigned j) { v = real::fma(x[i], y[j], v); });
        }
        if (left > 0 || k0 + k == a.cols) continue;
        const int level = tree::carries(chains++);
        for (int l = 0; l < level; ++l) merge(waiting[l]);
        for_each([&](T& v, unsigned i, unsigned j) { waiting[level][i][j] = v; });
        for_each(begin);
        left = block;
      }
      __syncthreads();
    }
    for (int l = 0; chains >> l != 0; ++l) {
      if ((chains >> l & 1) != 0) merge(waiting[l]);
    }
    T bias[each];
#pragma unroll
    for (unsigned j = 0; j < each; ++j) {
      const std::uint64_t at_col = j0 + col + j * side;
      bias[j] = options.bias != nullptr && at_col < c.cols ? real::widen(options.bias[at_col]) : T(-0.0);
    }
    for_each([&](T v, unsigned i, unsigned j) {
      const std::uint64_t at_row = i0 + row + i * side, at_col = j0 + col + j * side;
      T x = real::add(v, bias[j]);
      if (options.relu) x = rivus::detail::rectified(x);
      if (at_row < c.rows && at_col < c.cols) c(at_row, at_col) = real::narrow<X>(real::canonical(x));
    });
  }
}

template <class T>
void multiply(cudaStream_t on, matrix<const T> a, matrix<const T> b, matrix<T> c,
              const matmul_options<T>& options) {
  rivus::detail::require_product("rivus::cuda::matmul", a, b, c, options);
  if (c.rows == 0 || c.cols == 0) return;
  const std::uint64_t tiles = std::uint64_t{(c.rows + tile - 1) / tile} * ((c.cols + tile - 1) / tile);
  // The last of at most 2^32 chains waits on no level, and the ones before on the first 32.
  const std::uint64_t chains = tree::pieces(a.cols, options.block);
  launch("launch of multiply_tiles", "rivus::cuda::matmul", on, grid_blocks(tiles, 1u << 30), block_threads,
         chains >> few_levels == 0 ? &multiply_tiles<T, few_levels> : &multiply_tiles<T, most_levels>, a, b,
         c, options, tiles);
}

}  // namespace

#define RIVUS_MATMUL(T)                                                             \
  void matmul(cudaStream_t on, matrix<const T> a, matrix<const T> b, matrix<T> c) { \
    multiply(on, a, b, c, matmul_options<T>{});                                     \
  }                                                                                 \
  void matmul(cudaStream_t on, matrix<const T> a, matrix<const T> b, matrix<T> c,   \
              const matmul_options<T>& options) {                                   \
    multiply(on, a, b, c, options);                                                 \
  }
RIVUS_MATMUL(float)
RIVUS_MATMUL(double)
RIVUS_MATMUL(f16)
RIVUS_MATMUL(bf16)
#undef RIVUS_MATMUL

}  // namespace rivus::cuda
