// row_operations: each operation on the rows of a matrix, once for host and device.
//
// A team works on one row: team.sum(term, i, n) is sum/v1 of the terms (i, 0), ..., (i, n - 1), team.most<W>(x, i, n)
// an extreme of the elements, and team.write(expression, to, i, n) the values of an expression, rounded to the
// elements' type. Every thread of a team gets the same value. Formulas: docs/spec.md, section 4.
#ifndef RIVUS_ROW_OPERATIONS_HPP
#define RIVUS_ROW_OPERATIONS_HPP

#include <rivus/expressions.hpp>
#include <rivus/reductions.hpp>

namespace rivus::real::expr {

// n as a real, rounded.
template <class T>
RIVUS_HD T count(std::size_t n) {
  return static_cast<T>(static_cast<unsigned long long>(n));
}

// A matrix to write to, row by row.
template <class X>
struct rows {
  X* data;
  std::ptrdiff_t stride;

  RIVUS_HD X* operator()(std::size_t i) const { return data + static_cast<std::ptrdiff_t>(i) * stride; }
};

template <class X>
using constant_of = constant<wide_t<X>>;
template <class X>
using deviation = minus<elements<X>, constant_of<X>>;
// (x - mean) / deviation, by its reciprocal.
template <class X>
using normalised = times<deviation<X>, constant_of<X>>;
template <class X>
using scaled = times<elements<X>, constant_of<X>>;

// ln of the sum of e^(x - largest), or what makes it superfluous: an infinite or undefined largest.
template <class X>
struct log_sum_exp {
  using T = wide_t<X>;
  elements<X> x;

  template <class Team>
  RIVUS_HD T operator()(Team& team, std::size_t i, std::size_t n) const {
    const T largest =
        n == 0 ? neg(from_bits(format<T>::infinity)) : team.template most<extreme::largest>(x, i, n);
    if (!is_finite(largest)) return largest;
    const T sum = team.sum(terms(exp_of<deviation<X>>{{x, {largest}}}), i, n);
    return add(largest, log(sum));
  }
};

template <class X>
struct softmax_row {
  using T = wide_t<X>;
  elements<X> x;
  rows<X> y;

  template <class Team>
  RIVUS_HD void operator()(Team& team, std::size_t i, std::size_t n) const {
    const exp_of<deviation<X>> e{{x, {team.template most<extreme::largest>(x, i, n)}}};
    const T sum = team.sum(terms(e), i, n);
    team.write(over<exp_of<deviation<X>>, constant<T>>{e, {sum}}, y(i), i, n);
  }
};

template <class X>
struct log_softmax_row {
  using T = wide_t<X>;
  elements<X> x;
  rows<X> y;

  template <class Team>
  RIVUS_HD void operator()(Team& team, std::size_t i, std::size_t n) const {
    const deviation<X> d{x, {team.template most<extreme::largest>(x, i, n)}};
    const T sum = team.sum(terms(exp_of<deviation<X>>{d}), i, n);
    team.write(minus<deviation<X>, constant<T>>{d, {log(sum)}}, y(i), i, n);
  }
};

// y (dy - sum(y dy))
template <class X>
struct softmax_backward_row {
  using T = wide_t<X>;
  elements<X> y, dy;
  rows<X> dx;

  template <class Team>
  RIVUS_HD void operator()(Team& team, std::size_t i, std::size_t n) const {
    const T inner = team.sum(products(y, dy), i, n);
    team.write(times<elements<X>, deviation<X>>{y, {dy, {inner}}}, dx(i), i, n);
  }
};

// dy - e^y sum(dy)
template <class X>
struct log_softmax_backward_row {
  using T = wide_t<X>;
  elements<X> y, dy;
  rows<X> dx;

  template <class Team>
  RIVUS_HD void operator()(Team& team, std::size_t i, std::size_t n) const {
    const T sum = team.sum(terms(dy), i, n);
    team.write(fma_of<negative<exp_of<elements<X>>>, constant<T>, elements<X>>{{{y}}, {sum}, dy}, dx(i), i,
               n);
  }
};

// (x - mean) / sqrt(variance + epsilon) * weight + bias
template <class X>
struct layer_norm_row {
  using T = wide_t<X>;
  elements<X> x;
  along<X> weight, bias;
  rows<X> y;
  T epsilon;
  T *mean, *reciprocal;

  template <class Team>
  RIVUS_HD void operator()(Team& team, std::size_t i, std::size_t n) const {
    const T size = count<T>(n);
    const deviation<X> d{x, {canonical(div(team.sum(terms(x), i, n), size))}};
    const T variance = div(team.sum(squares(d), i, n), size);
    const T r = canonical(div(T(1), sqrt(add(variance, epsilon))));
    team.write(fma_of<normalised<X>, along<X>, along<X>>{{d, {r}}, weight, bias}, y(i), i, n);
    if (team.is_first() && mean != nullptr) mean[i] = d.b.value;
    if (team.is_first() && reciprocal != nullptr) reciprocal[i] = r;
  }
};

// With g = dy weight and h = (x - mean) reciprocal: reciprocal (g - sum(g) / n - h sum(g h) / n)
template <class X>
struct layer_norm_backward_row {
  using T = wide_t<X>;
  elements<X> dy, x;
  along<X> weight;
  const T *mean, *reciprocal;
  rows<X> dx;

  template <class Team>
  RIVUS_HD void operator()(Team& team, std::size_t i, std::size_t n) const {
    const T size = count<T>(n);
    const constant<T> r{reciprocal[i]};
    const normalised<X> h{{x, {mean[i]}}, r};
    const T minus_mean_g = neg(div(team.sum(products(dy, weight), i, n), size));
    const T mean_gh = div(team.sum(products(times<elements<X>, along<X>>{dy, weight}, h), i, n), size);
    using g = fma_of<elements<X>, along<X>, constant<T>>;
    using inner = fma_of<negative<normalised<X>>, constant<T>, g>;
    team.write(times<constant<T>, inner>{r, {{h}, {mean_gh}, {dy, weight, {minus_mean_g}}}}, dx(i), i, n);
  }
};

// x / sqrt(mean of squares + epsilon) * weight
template <class X>
struct rms_norm_row {
  using T = wide_t<X>;
  elements<X> x;
  along<X> weight;
  rows<X> y;
  T epsilon;
  T* reciprocal;

  template <class Team>
  RIVUS_HD void operator()(Team& team, std::size_t i, std::size_t n) const {
    const T mean_square = div(team.sum(squares(x), i, n), count<T>(n));
    const T r = canonical(div(T(1), sqrt(add(mean_square, epsilon))));
    team.write(times<scaled<X>, along<X>>{{x, {r}}, weight}, y(i), i, n);
    if (team.is_first() && reciprocal != nullptr) reciprocal[i] = r;
  }
};

// With g = dy weight and h = x reciprocal: reciprocal (g - h sum(g h) / n)
template <class X>
struct rms_norm_backward_row {
  using T = wide_t<X>;
  elements<X> dy, x;
  along<X> weight;
  const T* reciprocal;
  rows<X> dx;

  template <class Team>
  RIVUS_HD void operator()(Team& team, std::size_t i, std::size_t n) const {
    const constant<T> r{reciprocal[i]};
    const scaled<X> h{x, r};
    using g = times<elements<X>, along<X>>;
    const T mean_gh = div(team.sum(products(g{dy, weight}, h), i, n), count<T>(n));
    using inner = fma_of<negative<scaled<X>>, constant<T>, g>;
    team.write(times<constant<T>, inner>{r, {{h}, {mean_gh}, {dy, weight}}}, dx(i), i, n);
  }
};

template <class X>
struct reduce_row {
  using T = wide_t<X>;
  reduction kind;
  elements<X> x;
  X* result;

  template <class Team>
  RIVUS_HD T value(Team& team, std::size_t i, std::size_t n) const {
    switch (kind) {
      case reduction::sum:
        return n == 0 ? T(0) : team.sum(terms(x), i, n);
      case reduction::mean:
        return div(n == 0 ? T(0) : team.sum(terms(x), i, n), count<T>(n));
      case reduction::l1_norm:
        return n == 0 ? T(0) : team.sum(terms(absolute_of<elements<X>>{x}), i, n);
      case reduction::l2_norm:
        return n == 0 ? T(0) : sqrt(team.sum(squares(x), i, n));
      case reduction::product:
        return team.sum(factors(x), i, n);
      case reduction::max_norm:
        return n == 0 ? T(0) : team.template most<extreme::largest_magnitude>(x, i, n);
      case reduction::minimum:
        return team.template most<extreme::smallest>(x, i, n);
      case reduction::maximum:
        return team.template most<extreme::largest>(x, i, n);
      case reduction::logsumexp:
        return log_sum_exp<X>{x}(team, i, n);
    }
    return quiet_nan<T>();
  }
  template <class Team>
  RIVUS_HD void operator()(Team& team, std::size_t i, std::size_t n) const {
    const T v = value(team, i, n);
    if (team.is_first()) result[i] = narrow<X>(canonical(v));
  }
};

// The sum of squared deviations from the mean, divided by n - less.
template <class X>
struct variance_row {
  using T = wide_t<X>;
  elements<X> x;
  std::size_t less;
  X* result;

  template <class Team>
  RIVUS_HD void operator()(Team& team, std::size_t i, std::size_t n) const {
    T v = quiet_nan<T>();
    if (n > less) {
      const T mean = div(team.sum(terms(x), i, n), count<T>(n));
      v = div(team.sum(squares(deviation<X>{x, {mean}}), i, n), count<T>(n - less));
    }
    if (team.is_first()) result[i] = narrow<X>(canonical(v));
  }
};

}  // namespace rivus::real::expr

#endif
