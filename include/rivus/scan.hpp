// scan: running sums and products in one fixed order, on the host.
//
// scan/v1: rows of 32, chunks of 64 rows, blocks of 512 chunks. A row is folded from the left. A row's values in its chunk are
// these added to the last such value of the row before; a chunk's in its block, and a block's in the array, likewise. So
// a running sum of what is not negative never falls, and a zero changes nothing. Each addition rounds once, and adding to
// what is not there changes nothing. Source: docs/spec.md, section 4.
#ifndef RIVUS_SCAN_HPP
#define RIVUS_SCAN_HPP

#include <rivus/executor.hpp>
#include <rivus/half.hpp>
#include <rivus/matmul.hpp>
#include <rivus/range.hpp>

namespace rivus {

// y[i] = x[0] + ... + x[i], or x[0] * ... * x[i], in the order of scan/v1. T: float, double, or f16 and bf16, which
// are widened to float, and each result rounded once.
//
// Shape: any n, any alignment; y is x, or does not overlap it. y[i] does not depend on n. A NaN is the canonical one.
// Errors: std::invalid_argument for a null x or y with n > 0, and for overlap; std::runtime_error when the thread
// flushes subnormals or does not round to nearest; std::bad_alloc. Nothing has been written then.
// Threads: those of `on` for large n. Determinism: everywhere. Source: docs/spec.md, section 4.
template <class T>
detail::for_reals<T> cumsum(const T* x, index64 n, T* y, const executor& on = {});
template <class T>
detail::for_reals<T> cumprod(const T* x, index64 n, T* y, const executor& on = {});

// The same without x[i]: y[0] is +0, or 1, and y[i + 1] is what y[i] is above.
template <class T>
detail::for_reals<T> exclusive_cumsum(const T* x, index64 n, T* y, const executor& on = {});
template <class T>
detail::for_reals<T> exclusive_cumprod(const T* x, index64 n, T* y, const executor& on = {});

// The same of contiguous ranges. Errors: also std::invalid_argument for ranges of different lengths.
template <class R, class S, class T = detail::element_of<R>>
detail::for_reals<T> cumsum(const R& x, S&& y, const executor& on = {}) {
  detail::require_same_size("rivus::cumsum", "x", std::size(x), "y", std::size(y));
  cumsum<T>(std::data(x), std::size(x), std::data(y), on);
}
template <class R, class S, class T = detail::element_of<R>>
detail::for_reals<T> cumprod(const R& x, S&& y, const executor& on = {}) {
  detail::require_same_size("rivus::cumprod", "x", std::size(x), "y", std::size(y));
  cumprod<T>(std::data(x), std::size(x), std::data(y), on);
}
template <class R, class S, class T = detail::element_of<R>>
detail::for_reals<T> exclusive_cumsum(const R& x, S&& y, const executor& on = {}) {
  detail::require_same_size("rivus::exclusive_cumsum", "x", std::size(x), "y", std::size(y));
  exclusive_cumsum<T>(std::data(x), std::size(x), std::data(y), on);
}
template <class R, class S, class T = detail::element_of<R>>
detail::for_reals<T> exclusive_cumprod(const R& x, S&& y, const executor& on = {}) {
  detail::require_same_size("rivus::exclusive_cumprod", "x", std::size(x), "y", std::size(y));
  exclusive_cumprod<T>(std::data(x), std::size(x), std::data(y), on);
}

// The same of every row of a matrix: row i does not depend on the other rows, nor on how many there are.
//
// Shape: x and y are m x n, with col_stride 1 and any row_stride that keeps the rows of y apart; y is x, or does not
// overlap it.
// Errors: as above, and std::invalid_argument for other shapes and strides.
template <class T>
detail::for_reals<T> cumsum_rows(detail::input_matrix<T> x, matrix<T> y, const executor& on = {});
template <class T>
detail::for_reals<T> cumprod_rows(detail::input_matrix<T> x, matrix<T> y, const executor& on = {});
template <class T>
detail::for_reals<T> exclusive_cumsum_rows(detail::input_matrix<T> x, matrix<T> y, const executor& on = {});
template <class T>
detail::for_reals<T> exclusive_cumprod_rows(detail::input_matrix<T> x, matrix<T> y, const executor& on = {});

}  // namespace rivus

#endif
