// reductions: means, norms, extremes and the like, of everything, of rows or of columns, in one fixed order, on
// the host. Sums and dot products themselves: reduce.hpp.
#ifndef RIVUS_REDUCTIONS_HPP
#define RIVUS_REDUCTIONS_HPP

#include <rivus/executor.hpp>
#include <rivus/half.hpp>
#include <rivus/matmul.hpp>
#include <rivus/range.hpp>

namespace rivus {

// sum: sum/v1 (tree.hpp). mean: the sum divided by the count. l1_norm: the sum of magnitudes. l2_norm: the square
// root of dot/v1 with itself, in double, rounded once. product: the shape of sum/v1 with multiplications, absent lanes being 1. max_norm:
// the largest magnitude. minimum, maximum: NaN if there is one, and -0 below +0. logsumexp: m + ln of the sum
// of e^(x - m) with m the maximum, or m where it is not finite.
//
// Of nothing: sum and norms 0, product 1, mean NaN, logsumexp -inf; a minimum or maximum is refused.
enum class reduction { sum, mean, l1_norm, l2_norm, max_norm, product, minimum, maximum, logsumexp };

// The name of a reduction, as it is written above.
const char* name(reduction kind) noexcept;

// A reduction of x[0], ..., x[n-1]. T: float, double, or f16 and bf16, which are widened to float, and the result
// rounded once.
//
// Errors: std::invalid_argument for a null x with n > 0, for an extreme of nothing and for another kind;
// std::runtime_error when the thread flushes subnormals or does not round to nearest; std::bad_alloc.
// Threads: those of `on` for large n. Determinism: everywhere. Source: docs/spec.md, section 4.
template <class T>
detail::for_reals<T, T> reduce(reduction kind, const T* x, index64 n, const executor& on = {});

// The sum of (x - mean)^2 in two passes, divided by n - less: less = 1 estimates the variance of what x is a sample
// of. NaN unless n > less. Otherwise as reduce.
template <class T>
detail::for_reals<T, T> variance(const T* x, index64 n, index64 less = 0, const executor& on = {});

// Where the least or the largest element is: the first of equals; the first NaN, if there is one.
// Errors: as reduce, and std::invalid_argument for n = 0.
template <class T>
detail::for_reals<T, std::size_t> argmin(const T* x, index64 n, const executor& on = {});
template <class T>
detail::for_reals<T, std::size_t> argmax(const T* x, index64 n, const executor& on = {});

// out[i] = the reduction of row i, or out[j] that of column j, without a transposition. Row i does not depend on
// the other rows, nor on how many there are.
//
// Shape: x.rows x x.cols with x.col_stride 1; out has x.rows or x.cols elements and must not overlap x. Where that is
// none, nothing is done.
// Errors: as reduce, and std::invalid_argument for another col_stride, a null out, and overlap. Nothing has been
// written then.
template <class T>
detail::for_reals<T> reduce_rows(reduction kind, detail::input_matrix<T> x, T* out, const executor& on = {});
template <class T>
detail::for_reals<T> reduce_columns(reduction kind, detail::input_matrix<T> x, T* out,
                                    const executor& on = {});
template <class T>
detail::for_reals<T> variance_rows(detail::input_matrix<T> x, T* out, index64 less = 0,
                                   const executor& on = {});
template <class T>
detail::for_reals<T> variance_columns(detail::input_matrix<T> x, T* out, index64 less = 0,
                                      const executor& on = {});
// The column of each row's extreme.
template <class T>
detail::for_reals<T> argmin_rows(matrix<const T> x, std::size_t* out, const executor& on = {});
template <class T>
detail::for_reals<T> argmax_rows(matrix<const T> x, std::size_t* out, const executor& on = {});

// The same of a contiguous range.
template <class R, class T = detail::element_of<R>>
detail::for_reals<T, T> reduce(reduction kind, const R& x, const executor& on = {}) {
  return reduce<T>(kind, std::data(x), std::size(x), on);
}
template <class R, class T = detail::element_of<R>>
detail::for_reals<T, T> variance(const R& x, index64 less = 0, const executor& on = {}) {
  return variance<T>(std::data(x), std::size(x), less, on);
}
template <class R, class T = detail::element_of<R>>
detail::for_reals<T, std::size_t> argmin(const R& x, const executor& on = {}) {
  return argmin<T>(std::data(x), std::size(x), on);
}
template <class R, class T = detail::element_of<R>>
detail::for_reals<T, std::size_t> argmax(const R& x, const executor& on = {}) {
  return argmax<T>(std::data(x), std::size(x), on);
}

// And of a matrix that can be written to.
template <class T, class = std::enable_if_t<!std::is_const_v<T>>>
void argmin_rows(matrix<T> x, std::size_t* out, const executor& on = {}) {
  argmin_rows<T>(matrix<const T>(x), out, on);
}
template <class T, class = std::enable_if_t<!std::is_const_v<T>>>
void argmax_rows(matrix<T> x, std::size_t* out, const executor& on = {}) {
  argmax_rows<T>(matrix<const T>(x), out, on);
}

}  // namespace rivus

#endif
