// matmul/v1 over lanes. Blocking changes when a product is added, never in which order: each element of c is
// one chain over ascending k, put down in memory between blocks of depth. 16-bit elements are widened as they are
// packed.
#ifndef RIVUS_SRC_MATMUL_KERNELS_HPP
#define RIVUS_SRC_MATMUL_KERNELS_HPP

#include "sum_kernels.hpp"

namespace rivus {
namespace {

// tile_rows by tile_vectors vectors of c in registers, over `depth` steps of packed a and b. `then`: null, or what
// comes after the last step, with the bias of all the tile's columns.
template <class T>
void matmul_tile(const T* a, const T* b, std::size_t depth, T* c, std::ptrdiff_t row_stride, bool first,
                 bool last, const epilogue<T>* then) {
  using real::add;
  using real::fma;
  using reals = reals_of<T>;
  constexpr int width = sizeof(reals) / sizeof(T);
  reals acc[tile_rows][tile_vectors];
  RIVUS_UNROLL(16)
  for (int i = 0; i < tile_rows; ++i) {
    RIVUS_UNROLL(4)
    for (int j = 0; j < tile_vectors; ++j) {
      acc[i][j] = first ? reals(T(0)) : load<reals>(c + i * row_stride + j * width);
    }
  }
  RIVUS_UNROLL(4)
  for (std::size_t k = 0; k < depth; ++k) {
    reals row[tile_vectors];
    RIVUS_UNROLL(4)
    for (int j = 0; j < tile_vectors; ++j) row[j] = load<reals>(b + j * width);
    RIVUS_UNROLL(16)
    for (int i = 0; i < tile_rows; ++i) {
      const reals factor(a[i]);
      RIVUS_UNROLL(4)
      for (int j = 0; j < tile_vectors; ++j) acc[i][j] = fma(factor, row[j], acc[i][j]);
    }
    a += tile_rows;
    b += tile_vectors * width;
  }
  if (last && then != nullptr) {
    RIVUS_UNROLL(4)
    for (int j = 0; j < tile_vectors; ++j) {
      const reals bias = then->bias != nullptr ? load<reals>(then->bias + j * width) : reals(T(-0.0));
      RIVUS_UNROLL(16)
      for (int i = 0; i < tile_rows; ++i) {
        acc[i][j] = add(acc[i][j], bias);
        if (then->relu) acc[i][j] = detail::rectified(acc[i][j]);
      }
    }
  }
  RIVUS_UNROLL(16)
  for (int i = 0; i < tile_rows; ++i) {
    RIVUS_UNROLL(4)
    for (int j = 0; j < tile_vectors; ++j) {
      store(c + i * row_stride + j * width, last ? canonical_nan(acc[i][j]) : acc[i][j]);
    }
  }
}

template <class T>
T element_of(const matrix<const T>& m, std::size_t i, std::size_t j) {
  T x;
  std::memcpy(&x, static_cast<const void*>(m.address(i, j)), sizeof x);
  return x;
}

// Rows i .. i+rows-1 and columns k .. k+depth-1 of m: `width` rows to a panel, each panel k-major; zeros
// beyond the edge.
template <class X, class T>
void pack(matrix<const X> m, std::size_t i, std::size_t rows, std::size_t k, std::size_t depth,
          std::size_t width, T* out) {
  for (std::size_t panel = 0; panel < rows; panel += width) {
    const std::size_t used = rows - panel < width ? rows - panel : width;
    T* const to = out + panel * depth;
    if (std::is_same_v<X, T> && m.row_stride == 1 && used == width) {
      for (std::size_t l = 0; l < depth; ++l) {
        std::memcpy(to + l * width, static_cast<const void*>(m.address(i + panel, k + l)), width * sizeof(T));
      }
    } else {
      // Along the memory of each row; a panel fits the first-level cache.
      for (std::size_t j = 0; j < used; ++j) {
        for (std::size_t l = 0; l < depth; ++l)
          to[l * width + j] = real::widen(element_of(m, i + panel + j, k + l));
      }
      for (std::size_t j = used; j < width; ++j) {
        for (std::size_t l = 0; l < depth; ++l) to[l * width + j] = 0;
      }
    }
  }
}

template <class X, class T = wide_t<X>>
void matmul_block(matrix<const X> a, matrix<const X> b, matrix<T> c, const epilogue<T>& then, T* workspace) {
  constexpr std::size_t tile_columns = tile_vectors * sizeof(reals_of<T>) / sizeof(T);
  constexpr std::size_t panel_columns = matmul_width / tile_columns * tile_columns;
  static_assert(tile_rows <= matmul_max_rows);
  T* const packed_b = workspace;
  T* const packed_a = workspace + matmul_depth * matmul_width;
  const std::size_t depth = a.cols;

  for (std::size_t j0 = 0; j0 < c.cols; j0 += panel_columns) {
    const std::size_t columns = c.cols - j0 < panel_columns ? c.cols - j0 : panel_columns;
    std::size_t k0 = 0;
    do {
      const std::size_t steps = depth - k0 < matmul_depth ? depth - k0 : matmul_depth;
      const bool first = k0 == 0, last = k0 + steps == depth;
      pack(b.transposed(), j0, columns, k0, steps, tile_columns, packed_b);
      for (std::size_t i = 0; i < c.rows; i += tile_rows) {
        const std::size_t rows = c.rows - i < tile_rows ? c.rows - i : tile_rows;
        pack(a, i, rows, k0, steps, tile_rows, packed_a);
        for (std::size_t j = 0; j < columns; j += tile_columns) {
          const std::size_t width = columns - j < tile_columns ? columns - j : tile_columns;
          const T* const panel = packed_b + j * steps;
          T bias[tile_columns] = {};
          epilogue<T> here = then;
          if (then.bias != nullptr) {
            here.bias = then.bias + j0 + j;
            if (width < tile_columns)
              here.bias = static_cast<T*>(std::memcpy(bias, here.bias, width * sizeof(T)));
          }
          const epilogue<T>* const end = then.bias != nullptr || then.relu ? &here : nullptr;
          if (rows == tile_rows && width == tile_columns && c.col_stride == 1) {
            matmul_tile(packed_a, panel, steps, &c(i, j0 + j), c.row_stride, first, last, end);
            continue;
          }
          // An edge, or columns apart: by way of a whole tile.
          alignas(64) T edge[tile_rows * tile_columns] = {};
          const auto for_each = [&](auto move) {
            for (std::size_t r = 0; r < rows; ++r) {
              for (std::size_t q = 0; q < width; ++q)
                move(&edge[r * tile_columns + q], &c(i + r, j0 + j + q));
            }
          };
          if (!first) {
            for_each([](T* in, T* out) { std::memcpy(in, static_cast<const void*>(out), sizeof(T)); });
          }
          matmul_tile(packed_a, panel, steps, edge, static_cast<std::ptrdiff_t>(tile_columns), first, last,
                      end);
          for_each([](T* in, T* out) { std::memcpy(static_cast<void*>(out), in, sizeof(T)); });
        }
      }
      k0 += steps;
    } while (k0 < depth);
  }
}

}  // namespace
}  // namespace rivus

#endif
