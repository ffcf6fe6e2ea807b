// reduce: sums in one fixed order, on the host.
#ifndef RIVUS_REDUCE_HPP
#define RIVUS_REDUCE_HPP

#include <rivus/executor.hpp>
#include <rivus/half.hpp>
#include <rivus/range.hpp>

namespace rivus {

// x[0] + ... + x[n-1], added in the order of sum/v1 (tree.hpp).
//
// Shape: any n (0 gives +0), any alignment. Overflow and infinities as IEEE 754; a NaN result is the
// canonical one.
// Errors: std::invalid_argument for a null x with n > 0; std::runtime_error when the thread flushes
// subnormals or does not round to nearest.
// Threads: those of `on` for large n. Determinism: everywhere. Source: docs/spec.md, section 4.
float sum(const float* x, index64 n, const executor& on = {});
double sum(const double* x, index64 n, const executor& on = {});
// Of 16-bit values: widened to float, added as floats, and rounded once.
f16 sum(const f16* x, index64 n, const executor& on = {});
bf16 sum(const bf16* x, index64 n, const executor& on = {});

// x[0] * y[0] + ... + x[n-1] * y[n-1] in the order of dot/v1: each product enters its lane by an fma.
// Otherwise as sum.
float dot(const float* x, const float* y, index64 n, const executor& on = {});
double dot(const double* x, const double* y, index64 n, const executor& on = {});
f16 dot(const f16* x, const f16* y, index64 n, const executor& on = {});
bf16 dot(const bf16* x, const bf16* y, index64 n, const executor& on = {});

// The same of contiguous ranges. Errors: also std::invalid_argument for ranges of different lengths.
template <class R, class T = detail::element_of<R>>
detail::for_reals<T, T> sum(const R& x, const executor& on = {}) {
  return sum(std::data(x), std::size(x), on);
}
template <class T>
detail::for_reals<T, T> sum(std::initializer_list<T> x, const executor& on = {}) {
  return sum(x.begin(), x.size(), on);
}
template <class R, class S, class T = detail::element_of<R>, class = detail::element_of<S>>
detail::for_reals<T, T> dot(const R& x, const S& y, const executor& on = {}) {
  detail::require_same_size("rivus::dot", "x", std::size(x), "y", std::size(y));
  return dot(std::data(x), std::data(y), std::size(x), on);
}

}  // namespace rivus

#endif
