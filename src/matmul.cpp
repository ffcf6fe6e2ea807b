#include <algorithm>
#include <memory>
#include <new>
#include <rivus/arguments.hpp>
#include <rivus/matmul.hpp>
#include <utility>

#include "kernels.hpp"
#include "parallel.hpp"

namespace rivus {
namespace {

// Rows (or columns) of c that make a thread worth its while, for long enough chains.
constexpr std::size_t lines_per_thread = 48;
constexpr std::size_t steps_per_thread = std::size_t{1} << 20;
// Of 16-bit matrices: enough rows that widening a block of b for them is little work.
constexpr std::size_t strip_rows = 1024;

template <class T>
matrix<T> rows_of(matrix<T> m, std::size_t begin, std::size_t end) {
  return {m.data == nullptr ? m.data : m.address(begin, 0), end - begin, m.cols, m.row_stride, m.col_stride};
}
template <class T>
matrix<T> cols_of(matrix<T> m, std::size_t begin, std::size_t end) {
  return rows_of(m.transposed(), begin, end).transposed();
}

// Memory for n elements in one thread, freed with it.
template <class T>
T* workspace(std::size_t n) {
  struct memory {
    T* data = nullptr;
    std::size_t size = 0;
    ~memory() { ::operator delete(data, std::align_val_t{64}); }
  };
  thread_local memory own;
  if (own.size < n) {
    T* const more = static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{64}));
    ::operator delete(std::exchange(own.data, more), std::align_val_t{64});
    own.size = n;
  }
  return own.data;
}

// Of the columns from `begin` on.
template <class T>
matmul_options<T> columns_from(const matmul_options<T>& options, std::size_t begin) {
  return {options.bias == nullptr ? nullptr : options.bias + begin, options.relu, options.block};
}

// In this thread.
template <class T>
void multiply_part(matrix<const T> a, matrix<const T> b, matrix<T> c, const matmul_options<T>& options) {
  if constexpr (std::is_same_v<T, wide_t<T>>) {
    active_kernels().matmul<T>()(a, b, c, options,
                                 workspace<T>(matmul_workspace(c.rows, a.cols, options.block)));
  } else {
    // In floats, a part of c at a time.
    using wide = wide_t<T>;
    const std::size_t height = std::min(c.rows, strip_rows), width = std::min(c.cols, matmul_width);
    const std::unique_ptr<wide[]> sums(new wide[height * width]), bias(new wide[width]);
    wide* const work = workspace<wide>(matmul_workspace(height, a.cols, options.block));
    for (std::size_t j = 0; j < c.cols; j += width) {
      const std::size_t columns = std::min(width, c.cols - j);
      for (std::size_t q = 0; options.bias != nullptr && q < columns; ++q)
        bias[q] = real::widen(options.bias[j + q]);
      const matmul_options<wide> here = {options.bias == nullptr ? nullptr : bias.get(), options.relu,
                                         options.block};
      for (std::size_t i = 0; i < c.rows; i += height) {
        const matrix<wide> part(sums.get(), std::min(height, c.rows - i), columns);
        active_kernels().matmul<T>()(rows_of(a, i, i + part.rows), cols_of(b, j, j + columns), part, here,
                                     work);
        for (std::size_t r = 0; r < part.rows; ++r) {
          for (std::size_t q = 0; q < columns; ++q) c(i + r, j + q) = real::narrow<T>(part(r, q));
        }
      }
    }
  }
}

template <class T>
void multiply(matrix<const T> a, matrix<const T> b, matrix<T> c, const matmul_options<T>& options,
              const executor& on) {
  detail::require_product("rivus::matmul", a, b, c, options);
  if (c.rows == 0 || c.cols == 0) return;
  const std::size_t lines = c.rows < c.cols ? c.cols : c.rows;
  // A product too small to share is one piece.
  const std::size_t others = (c.rows < c.cols ? c.rows : c.cols) * (a.cols + 1);
  const std::size_t least = steps_per_thread / others + 1;
  const std::size_t grain = (least + lines_per_thread - 1) / lines_per_thread * lines_per_thread;
  parallel_ranges(lines, grain, on, [&](std::size_t begin, std::size_t end) {
    if (c.rows < c.cols) {
      multiply_part(a, cols_of(b, begin, end), cols_of(c, begin, end), columns_from(options, begin));
    } else {
      multiply_part(rows_of(a, begin, end), b, rows_of(c, begin, end), options);
    }
  });
}

}  // namespace

#define RIVUS_MATMUL(T)                                                                            \
  void matmul(matrix<const T> a, matrix<const T> b, matrix<T> c, const executor& on) {             \
    multiply(a, b, c, matmul_options<T>{}, on);                                                    \
  }                                                                                                \
  void matmul(matrix<const T> a, matrix<const T> b, matrix<T> c, const matmul_options<T>& options, \
              const executor& on) {                                                                \
    multiply(a, b, c, options, on);                                                                \
  }
RIVUS_MATMUL(float)
RIVUS_MATMUL(double)
RIVUS_MATMUL(f16)
RIVUS_MATMUL(bf16)
#undef RIVUS_MATMUL

}  // namespace rivus
