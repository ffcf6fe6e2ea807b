// matmul: matrix products in one fixed order, on the host.
#ifndef RIVUS_MATMUL_HPP
#define RIVUS_MATMUL_HPP

#include <cstddef>
#include <rivus/executor.hpp>
#include <rivus/half.hpp>
#include <type_traits>

namespace rivus {

// A view of a matrix in memory: element (i, j) is data[i * row_stride + j * col_stride].
template <class T>
struct matrix {
  T* data;
  std::size_t rows;
  std::size_t cols;
  std::ptrdiff_t row_stride;
  std::ptrdiff_t col_stride;

  // Row-major, without gaps.
  RIVUS_HD constexpr matrix(T* data_, index64 rows_, index64 cols_) noexcept
      : matrix(data_, rows_, cols_, static_cast<std::ptrdiff_t>(cols_), 1) {}
  RIVUS_HD constexpr matrix(T* data_, index64 rows_, index64 cols_, std::ptrdiff_t row_stride_,
                            std::ptrdiff_t col_stride_) noexcept
      : data(data_), rows(rows_), cols(cols_), row_stride(row_stride_), col_stride(col_stride_) {}

  // A view to read from.
  template <class U, std::enable_if_t<std::is_same_v<const U, T> && !std::is_const_v<U>, int> = 0>
  RIVUS_HD constexpr matrix(const matrix<U>& m) noexcept
      : matrix(m.data, m.rows, m.cols, m.row_stride, m.col_stride) {}

  RIVUS_HD constexpr matrix transposed() const noexcept { return {data, cols, rows, col_stride, row_stride}; }
  RIVUS_HD constexpr T& operator()(index64 i, index64 j) const noexcept { return *address(i, j); }
  // Of element (i, j), which need not be aligned.
  RIVUS_HD constexpr T* address(index64 i, index64 j) const noexcept {
    return data + (static_cast<std::ptrdiff_t>(i) * row_stride + static_cast<std::ptrdiff_t>(j) * col_stride);
  }
};

namespace detail {

// A parameter whose type follows from the others: arguments may convert to it.
template <class T>
struct given {
  using type = T;
};
template <class T>
using given_t = typename given<T>::type;
template <class T>
using input_matrix = given_t<matrix<const T>>;

}  // namespace detail

// c = a b (matmul/v1): depth is cut into blocks of 128 steps; of each block comes the chain acc = fma(a(i, k), b(k, j),
// acc), k ascending from acc = +0, and the chains of c(i, j) are the leaves of tree/v1 (tree.hpp).
//
// Shape: a is m x k, b is k x n, c is m x n; any strides that give each element of c a place of its own; k = 0
// gives zeros. c must not overlap a or b. A NaN element is the canonical one.
// Errors: std::invalid_argument for shapes that do not fit, a null matrix, and a c that overlaps a or b or whose own
// elements overlap; std::runtime_error when the thread flushes subnormals or does not round to nearest. Nothing has
// been written then. std::bad_alloc where a thread finds no memory to work in: of several threads, each of which keeps
// its own, others may have written by then.
// Threads: those of `on` for large products. Determinism: everywhere; a row does not depend on the other rows.
// Source: docs/spec.md, section 4.
//
// f16 and bf16 are widened to float, and each element of c is rounded once, at the end.
void matmul(matrix<const float> a, matrix<const float> b, matrix<float> c, const executor& on = {});
void matmul(matrix<const double> a, matrix<const double> b, matrix<double> c, const executor& on = {});
void matmul(matrix<const f16> a, matrix<const f16> b, matrix<f16> c, const executor& on = {});
void matmul(matrix<const bf16> a, matrix<const bf16> b, matrix<bf16> c, const executor& on = {});

// How a product is made, and what becomes of its elements before they are stored: matmul(a, b, c, {.bias = p}).
template <class T>
struct matmul_options {
  // What is added to each column, a value for each; null: nothing.
  const T* bias = nullptr;
  // Whether what is not above 0 becomes +0. NaN stays NaN.
  bool relu = false;
  // Steps of depth to a chain, at least 1 and so that they are fewer than 2^32 chains: part of the values. One that is not below
  // the depth makes one chain of all.
  index64 block = 128;
};

// The same with options: an element is the product's x, then rounded(x + bias[j]), then that or +0. For float and double
// the bits of matmul followed by the same steps on c.
//
// Shape, errors, threads and determinism: as matmul; bias has c.cols elements and must not overlap c.
void matmul(matrix<const float> a, matrix<const float> b, matrix<float> c,
            const matmul_options<float>& options, const executor& on = {});
void matmul(matrix<const double> a, matrix<const double> b, matrix<double> c,
            const matmul_options<double>& options, const executor& on = {});
void matmul(matrix<const f16> a, matrix<const f16> b, matrix<f16> c, const matmul_options<f16>& options,
            const executor& on = {});
void matmul(matrix<const bf16> a, matrix<const bf16> b, matrix<bf16> c, const matmul_options<bf16>& options,
            const executor& on = {});

namespace detail {

// x where it is above 0 or NaN, else +0.
template <class F>
RIVUS_HD F rectified(F x) {
  using real::add;
  using real::less;
  using real::select;
  const F zero(real::element_t<F>(0));
  // Of -0 the addition makes +0.
  const F y = add(x, zero);
  return select(less(y, zero), zero, y);
}

}  // namespace detail

}  // namespace rivus

#endif
