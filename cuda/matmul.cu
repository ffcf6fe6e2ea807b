#include <rivus/arguments.hpp>
#include <rivus/cuda/matmul.hpp>
#include <rivus/real.hpp>

#include "launch.hpp"

namespace rivus::cuda {
namespace {

// A block computes a tile of c from slabs of a and b in shared memory, a thread 4 x 4 elements of it, each of
// them one chain over ascending k.
constexpr unsigned tile = 64;
constexpr unsigned depth = 16;
constexpr unsigned each = 4;
constexpr unsigned side = tile / each;
static_assert(side * side == block_threads);

template <class X>
__global__ void __launch_bounds__(block_threads)
    multiply_tiles(const matrix<const X> a, const matrix<const X> b, const matrix<X> c,
                   const epilogue<X> then, const std::uint64_t tiles) {
  using T = wide_t<X>;
  // One column more, so that the rows of a column lie in different banks.
  __shared__ T slab_a[depth][tile + 1];
  __shared__ T slab_b[depth][tile + 1];
  const unsigned row = threadIdx.x / side, col = threadIdx.x % side;
  const std::uint64_t across = (c.cols + tile - 1) / tile;
  for (std::uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const std::uint64_t i0 = t / across * tile, j0 = t % across * tile;
    T acc[each][each];
#pragma unroll
    for (unsigned i = 0; i < each; ++i) {
#pragma unroll
      for (unsigned j = 0; j < each; ++j) acc[i][j] = T(0);
    }
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
      for (unsigned k = 0; k < steps; ++k) {
        T x[each], y[each];
#pragma unroll
        for (unsigned i = 0; i < each; ++i) x[i] = slab_a[k][row + i * side];
#pragma unroll
        for (unsigned j = 0; j < each; ++j) y[j] = slab_b[k][col + j * side];
#pragma unroll
        for (unsigned i = 0; i < each; ++i) {
#pragma unroll
          for (unsigned j = 0; j < each; ++j) acc[i][j] = real::fma(x[i], y[j], acc[i][j]);
        }
      }
      __syncthreads();
    }
    T bias[each];
#pragma unroll
    for (unsigned j = 0; j < each; ++j) {
      const std::uint64_t at_col = j0 + col + j * side;
      bias[j] = then.bias != nullptr && at_col < c.cols ? real::widen(then.bias[at_col]) : T(-0.0);
    }
#pragma unroll
    for (unsigned i = 0; i < each; ++i) {
#pragma unroll
      for (unsigned j = 0; j < each; ++j) {
        const std::uint64_t at_row = i0 + row + i * side, at_col = j0 + col + j * side;
        T x = real::add(acc[i][j], bias[j]);
        if (then.relu) x = rivus::detail::rectified(x);
        if (at_row < c.rows && at_col < c.cols) c(at_row, at_col) = real::narrow<X>(real::canonical(x));
      }
    }
  }
}

template <class T>
void multiply(cudaStream_t on, matrix<const T> a, matrix<const T> b, matrix<T> c, const epilogue<T>& then) {
  rivus::detail::require_product("rivus::cuda::matmul", a, b, c, then);
  if (c.rows == 0 || c.cols == 0) return;
  const std::uint64_t tiles = std::uint64_t{(c.rows + tile - 1) / tile} * ((c.cols + tile - 1) / tile);
  launch("launch of multiply_tiles", "rivus::cuda::matmul", on, grid_blocks(tiles, 1u << 30), block_threads,
         &multiply_tiles<T>, a, b, c, then, tiles);
}

}  // namespace

#define RIVUS_MATMUL(T)                                                                                      \
  void matmul(cudaStream_t on, matrix<const T> a, matrix<const T> b, matrix<T> c) {                          \
    multiply(on, a, b, c, epilogue<T>{});                                                                    \
  }                                                                                                          \
  void matmul(cudaStream_t on, matrix<const T> a, matrix<const T> b, matrix<T> c, const epilogue<T>& then) { \
    multiply(on, a, b, c, then);                                                                             \
  }
RIVUS_MATMUL(float)
RIVUS_MATMUL(double)
RIVUS_MATMUL(f16)
RIVUS_MATMUL(bf16)
#undef RIVUS_MATMUL

}  // namespace rivus::cuda
