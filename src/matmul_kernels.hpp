// matmul/v1 over lanes. Each element of c is a tree of chains, a chain to a block of depth. A tile of c is visited for a few
// hundred steps: the lower levels of the tree wait in a stack in the first-level cache, those above it in panels, as
// large as a strip of c, between visits. 16-bit elements are widened as they are packed.
#ifndef RIVUS_SRC_MATMUL_KERNELS_HPP
#define RIVUS_SRC_MATMUL_KERNELS_HPP

#include "sum_kernels.hpp"
#include "transposition.hpp"

namespace rivus {
namespace {

// Of at most 2^9 blocks in a visit the last waits on no level, and those before on the first 9.
constexpr std::size_t matmul_levels = 9;
static_assert(matmul_steps <= std::size_t{1} << matmul_levels);

// tile_rows by tile_vectors vectors of c in registers, over some steps of packed a and b.
template <class T>
struct tile_visit {
  const T *a, *b;
  std::size_t steps, block;
  // The chain that an earlier visit left unfinished, or null; and where this one leaves its own, or null.
  const T* resumed;
  T* unfinished;
  // What waits on the levels above, of which bit k of `merged` says that it comes to the left of this.
  const T* const* waiting;
  std::uint64_t merged;
  // Where the result goes.
  T* to;
  std::ptrdiff_t row_stride;
  // Null, or what comes after the last step, with the bias of all the tile's columns.
  const matmul_options<T>* end;

  using reals = reals_of<T>;
  static constexpr std::ptrdiff_t width = sizeof(reals) / sizeof(T), columns = tile_vectors * width;
  static constexpr std::size_t elements = tile_rows * static_cast<std::size_t>(columns);

  // f(vector, its row and column), for all.
  template <class F>
  RIVUS_HD static void for_each(reals (&acc)[tile_rows][tile_vectors], const F& f) {
    RIVUS_UNROLL(16)
    for (std::ptrdiff_t i = 0; i < tile_rows; ++i) {
      RIVUS_UNROLL(4)
      for (std::ptrdiff_t j = 0; j < tile_vectors; ++j) f(acc[i][j], i, j * width);
    }
  }
  RIVUS_HD static void merge(reals (&acc)[tile_rows][tile_vectors], const T* left) {
    for_each(acc, [&](reals& v, std::ptrdiff_t i, std::ptrdiff_t j) {
      v = combine::sums::combine(load<reals>(left + i * columns + j), v);
    });
  }
  RIVUS_HD static void keep(reals (&acc)[tile_rows][tile_vectors], T* at, std::ptrdiff_t stride) {
    for_each(acc, [&](reals& v, std::ptrdiff_t i, std::ptrdiff_t j) { store(at + i * stride + j, v); });
  }

  void operator()() const {
    using real::fma;
    alignas(64) T stack[matmul_levels][elements];
    reals acc[tile_rows][tile_vectors];
    const T *x = a, *y = b;
    std::size_t left = steps;
    for (std::uint64_t q = 0;; ++q) {
      if (resumed != nullptr && q == 0) {
        for_each(acc, [&](reals& v, std::ptrdiff_t i, std::ptrdiff_t j) {
          v = load<reals>(resumed + i * columns + j);
        });
      } else {
        for_each(acc, [](reals& v, std::ptrdiff_t, std::ptrdiff_t) { v = reals(T(0)); });
      }
      const std::size_t chain = left < block ? left : block;
      RIVUS_UNROLL(4)
      for (std::size_t k = 0; k < chain; ++k) {
        reals row[tile_vectors];
        RIVUS_UNROLL(4)
        for (int j = 0; j < tile_vectors; ++j) row[j] = load<reals>(y + j * width);
        RIVUS_UNROLL(16)
        for (int i = 0; i < tile_rows; ++i) {
          const reals factor(x[i]);
          RIVUS_UNROLL(4)
          for (int j = 0; j < tile_vectors; ++j) acc[i][j] = fma(factor, row[j], acc[i][j]);
        }
        x += tile_rows;
        y += columns;
      }
      left -= chain;
      if (left == 0) {
        for (int k = 0; q >> k != 0; ++k) {
          if ((q >> k & 1) != 0) merge(acc, stack[k]);
        }
        break;
      }
      const int level = tree::carries(q);
      for (int k = 0; k < level; ++k) merge(acc, stack[k]);
      keep(acc, stack[level], columns);
    }
    if (unfinished != nullptr) return keep(acc, unfinished, columns);
    for (int k = 0; merged >> k != 0; ++k) {
      if ((merged >> k & 1) != 0) merge(acc, waiting[k]);
    }
    if (end == nullptr) return keep(acc, to, row_stride);
    if (end->bias != nullptr) {
      for_each(acc, [&](reals& v, std::ptrdiff_t, std::ptrdiff_t j) {
        v = combine::sums::combine(v, load<reals>(end->bias + j));
      });
    }
    for_each(acc, [&](reals& v, std::ptrdiff_t, std::ptrdiff_t) {
      if (end->relu) v = detail::rectified(v);
      v = canonical_nan(v);
    });
    keep(acc, to, row_stride);
  }
};

template <class T>
T element_of(const matrix<const T>& m, std::size_t i, std::size_t j) {
  T x;
  std::memcpy(&x, static_cast<const void*>(m.address(i, j)), sizeof x);
  return x;
}

// A panel of rows that are whole, by squares: how many of its steps there are then. The last squares in a step may reach
// into the next one, which therefore comes later: they go first, and the last steps are left.
template <std::size_t width, class X, class T>
std::size_t pack_squares(const matrix<const X>& m, std::size_t i, std::size_t k, std::size_t depth, T* to) {
  using V = reals_of<T>;
  constexpr std::size_t lanes = width_of<V>;
  std::size_t l = 0;
  if (lanes == 1 || m.col_stride != 1) return l;
  for (; l + lanes < depth; l += lanes) {
    for (std::size_t g = (width - 1) / lanes * lanes;; g -= lanes) {
      V square[lanes];
      RIVUS_UNROLL(16)
      for (std::size_t r = 0; r < lanes; ++r)
        square[r] = g + r < width ? load_wide<V>(m.address(i + g + r, k + l)) : V(T(0));
      transpose(square);
      RIVUS_UNROLL(16)
      for (std::size_t s = 0; s < lanes; ++s) store(to + (l + s) * width + g, square[s]);
      if (g == 0) break;
    }
  }
  return l;
}

// Rows i .. i+rows-1 and columns k .. k+depth-1 of m: `width` rows to a panel, each panel k-major; zeros
// beyond the edge.
template <std::size_t width, class X, class T>
void pack(matrix<const X> m, std::size_t i, std::size_t rows, std::size_t k, std::size_t depth, T* out) {
  for (std::size_t panel = 0; panel < rows; panel += width) {
    const std::size_t used = rows - panel < width ? rows - panel : width;
    T* const to = out + panel * depth;
    if (std::is_same_v<X, T> && m.row_stride == 1 && used == width) {
      for (std::size_t l = 0; l < depth; ++l) {
        std::memcpy(to + l * width, static_cast<const void*>(m.address(i + panel, k + l)), width * sizeof(T));
      }
    } else {
      // Along the memory of each row; a panel fits the first-level cache.
      const std::size_t done = used == width ? pack_squares<width>(m, i + panel, k, depth, to) : 0;
      for (std::size_t j = 0; j < used; ++j) {
        for (std::size_t l = done; l < depth; ++l)
          to[l * width + j] = real::widen(element_of(m, i + panel + j, k + l));
      }
      for (std::size_t j = used; j < width; ++j) {
        for (std::size_t l = 0; l < depth; ++l) to[l * width + j] = 0;
      }
    }
  }
}

template <class X, class T = wide_t<X>>
void matmul_block(matrix<const X> a, matrix<const X> b, matrix<T> c, const matmul_options<T>& options,
                  T* workspace) {
  using visit = tile_visit<T>;
  constexpr std::size_t tile_columns = visit::columns;
  constexpr std::size_t panel_columns = matmul_width / tile_columns * tile_columns;
  // Of equal height, as b is packed for each strip: at most matmul_strip rows, rounded up to tiles.
  const std::size_t strips = tree::pieces(c.rows, matmul_strip);
  const std::size_t strip = tree::pieces(tree::pieces(c.rows, strips), tile_rows) * tile_rows;
  static_assert(tile_rows <= matmul_max_rows && tile_columns <= matmul_max_columns);
  T* const packed_b = workspace;
  T* const packed_a = workspace + matmul_steps * matmul_width;
  T* const panels = packed_a + matmul_steps * matmul_max_rows;
  const std::size_t depth = a.cols;
  const matmul_visits visits(depth, options.block);

  for (std::size_t j0 = 0; j0 < c.cols; j0 += panel_columns) {
    const std::size_t columns = c.cols - j0 < panel_columns ? c.cols - j0 : panel_columns;
    const std::size_t tiles = tree::pieces(columns, tile_columns);
    for (std::size_t i0 = 0; i0 < c.rows; i0 += strip) {
      const std::size_t height = c.rows - i0 < strip ? c.rows - i0 : strip;
      const std::size_t panel_size = tree::pieces(height, tile_rows) * tiles * visit::elements;
      std::size_t k0 = 0;
      do {
        const std::size_t steps = visits.steps_from(k0);
        const bool last = k0 + steps == depth;
        // Which node of the tree ends here, if one does; a chain of many steps goes over several visits.
        const std::uint64_t node = k0 / visits.node;
        const bool ends = last || (k0 + steps) % visits.node == 0;
        const int level = tree::carries(node);
        pack<tile_columns>(b.transposed(), j0, columns, k0, steps, packed_b);
        for (std::size_t i = i0; i < i0 + height; i += tile_rows) {
          const std::size_t rows = c.rows - i < tile_rows ? c.rows - i : tile_rows;
          pack<tile_rows>(a, i, rows, k0, steps, packed_a);
          for (std::size_t j = 0; j < columns; j += tile_columns) {
            const std::size_t width = columns - j < tile_columns ? columns - j : tile_columns;
            // The tile's place on each level, and last the place of an unfinished chain.
            // Nodes are of more than 2^8 steps: their tree has at most 56 levels.
            T* waiting[64];
            T* place = panels + ((i - i0) / tile_rows * tiles + j / tile_columns) * visit::elements;
            for (int k = 0; k <= visits.levels; ++k, place += panel_size) waiting[k] = place;
            T* const chain = waiting[visits.levels];
            visit v{packed_a,
                    packed_b + j * steps,
                    steps,
                    options.block,
                    k0 % visits.node != 0 ? chain : nullptr,
                    ends ? nullptr : chain,
                    waiting,
                    last ? node : node & ((std::uint64_t{1} << level) - 1),
                    nullptr,
                    visit::columns,
                    nullptr};
            if (!last) {
              v.to = waiting[level];
              v();
              continue;
            }
            alignas(64) T bias[tile_columns] = {};
            matmul_options<T> end = options;
            if (options.bias != nullptr) {
              end.bias = options.bias + j0 + j;
              if (width < tile_columns)
                end.bias = static_cast<T*>(std::memcpy(bias, end.bias, width * sizeof(T)));
            }
            v.end = &end;
            if (rows == tile_rows && width == tile_columns && c.col_stride == 1) {
              v.to = &c(i, j0 + j);
              v.row_stride = c.row_stride;
              v();
              continue;
            }
            // An edge, or columns apart: by way of a whole tile.
            alignas(64) T edge[visit::elements];
            v.to = edge;
            v();
            for (std::size_t r = 0; r < rows; ++r) {
              for (std::size_t q = 0; q < width; ++q)
                std::memcpy(static_cast<void*>(&c(i + r, j0 + j + q)), &edge[r * tile_columns + q],
                            sizeof(T));
            }
          }
        }
        k0 += steps;
      } while (k0 < depth);
    }
  }
}

}  // namespace
}  // namespace rivus

#endif
