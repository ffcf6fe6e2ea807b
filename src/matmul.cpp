#include <new>
#include <rivus/arguments.hpp>
#include <rivus/matmul.hpp>

#include "kernels.hpp"
#include "parallel.hpp"

namespace rivus {
namespace {

// Rows (or columns) of c that make a thread worth its while, for long enough chains.
constexpr std::size_t lines_per_thread = 48;
constexpr std::size_t steps_per_thread = std::size_t{1} << 20;

template <class T>
matrix<T> rows_of(matrix<T> m, std::size_t begin, std::size_t end) {
  return {m.rows == 0 ? m.data : &m(begin, 0), end - begin, m.cols, m.row_stride, m.col_stride};
}
template <class T>
matrix<T> cols_of(matrix<T> m, std::size_t begin, std::size_t end) {
  return rows_of(m.transposed(), begin, end).transposed();
}

// Memory for one thread, freed with it.
template <class T>
T* workspace() {
  struct memory {
    T* data = static_cast<T*>(::operator new (matmul_workspace * sizeof(T), std::align_val_t{64}));
    ~memory() { ::operator delete (data, std::align_val_t{64}); }
  };
  thread_local memory own;
  return own.data;
}

template <class T>
void multiply(matrix<const T> a, matrix<const T> b, matrix<T> c, const executor& on) {
  detail::require_valid("rivus::matmul", a, b, c);
  if (c.rows == 0 || c.cols == 0) return;
  const auto kernel = active_kernels().linear<T>().matmul;
  const std::size_t lines = c.rows < c.cols ? c.cols : c.rows;
  // A product too small to share is one piece.
  const std::size_t others = (c.rows < c.cols ? c.rows : c.cols) * (a.cols + 1);
  const std::size_t least = steps_per_thread / others + 1;
  const std::size_t grain = (least + lines_per_thread - 1) / lines_per_thread * lines_per_thread;
  parallel_ranges(lines, grain, on, [&](std::size_t begin, std::size_t end) {
    if (c.rows < c.cols) {
      kernel(a, cols_of(b, begin, end), cols_of(c, begin, end), workspace<T>());
    } else {
      kernel(rows_of(a, begin, end), b, rows_of(c, begin, end), workspace<T>());
    }
  });
}

}  // namespace

void matmul(matrix<const float> a, matrix<const float> b, matrix<float> c, const executor& on) {
  multiply(a, b, c, on);
}
void matmul(matrix<const double> a, matrix<const double> b, matrix<double> c, const executor& on) {
  multiply(a, b, c, on);
}

}  // namespace rivus
