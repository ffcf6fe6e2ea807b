// row_operations: each operation on the rows of a matrix, once for host and device.
//
// A team works on one row: team.sum(term, i, n) is sum/v1 of the terms (i, 0), ..., (i, n - 1), team.most<W>(x, i, n)
// an extreme of the elements, and team.write(expression, to, i, n) the values of an expression, rounded to the
// elements' type. Every thread of a team gets the same value. Formulas: docs/spec.md, section 4.
#ifndef RIVUS_ROW_OPERATIONS_HPP
#define RIVUS_ROW_OPERATIONS_HPP

#include <rivus/expressions.hpp>
#include <rivus/reductions.hpp>
#include <rivus/scatter.hpp>

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

// Reductions as data. One of terms has term(x), what enters its lanes, and end<X>(value, n), what becomes of the value of
// n terms; an extreme has `which`; and one in two steps has `first`, the reduction whose result m its terms need:
// term(x, m), m an operand, and end<X>(value, n, m).
struct of_terms {};
struct of_extremes {};
struct in_two_steps {};

struct as_it_is : of_terms {
  template <class X>
  RIVUS_HD static X end(wide_t<X> v, std::size_t) {
    return narrow<X>(canonical(v));
  }
};
struct sum_of : as_it_is {
  template <class X>
  RIVUS_HD static auto term(const elements<X>& x) {
    return terms(x);
  }
};
struct mean_of : of_terms {
  template <class X>
  RIVUS_HD static auto term(const elements<X>& x) {
    return terms(x);
  }
  template <class X>
  RIVUS_HD static X end(wide_t<X> v, std::size_t n) {
    return narrow<X>(canonical(div(v, count<wide_t<X>>(n))));
  }
};
struct l1_norm_of : as_it_is {
  template <class X>
  RIVUS_HD static auto term(const elements<X>& x) {
    return terms(absolute_of<elements<X>>{x});
  }
};
struct l2_norm_of : of_terms {
  template <class X>
  RIVUS_HD static auto term(const elements<X>& x) {
    return squares(doubles<X>{x.data, x.row_stride});
  }
  template <class X>
  RIVUS_HD static X end(double v, std::size_t) {
    const double root = canonical(sqrt(v));
    if constexpr (std::is_same_v<X, float>) {
      return nearest_float(root);
    } else {
      return X(root);
    }
  }
};
struct product_of : as_it_is {
  template <class X>
  RIVUS_HD static auto term(const elements<X>& x) {
    return factors(x);
  }
};
template <extreme Which>
struct extreme_of : of_extremes {
  static constexpr extreme which = Which;
};
// m + ln of the sum of e^(x - m), or m where it is infinite or undefined.
struct logsumexp_of : in_two_steps {
  using first = extreme_of<extreme::largest>;
  template <class X, class M>
  RIVUS_HD static auto term(const elements<X>& x, const M& m) {
    return terms(exp_of<minus<elements<X>, M>>{{x, m}});
  }
  template <class X, class T>
  RIVUS_HD static X end(T v, std::size_t, T m) {
    return narrow<X>(canonical(is_finite(m) ? add(m, log(v)) : m));
  }
};
// The sum of squared deviations from the mean, divided by n.
struct variance_of : in_two_steps {
  using first = mean_of;
  template <class X, class M>
  RIVUS_HD static auto term(const elements<X>& x, const M& m) {
    return squares(minus<elements<X>, M>{x, m});
  }
  template <class X, class T>
  RIVUS_HD static X end(T v, std::size_t n, T) {
    return narrow<X>(canonical(div(v, count<T>(n))));
  }
};

// use(the reduction of that kind), use being of the host or of the device.
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
template <class Use>
RIVUS_HD auto with_reduction(reduction kind, const Use& use) {
  switch (kind) {
    case reduction::sum:
      return use(sum_of{});
    case reduction::mean:
      return use(mean_of{});
    case reduction::l1_norm:
      return use(l1_norm_of{});
    case reduction::l2_norm:
      return use(l2_norm_of{});
    case reduction::product:
      return use(product_of{});
    case reduction::max_norm:
      return use(extreme_of<extreme::largest_magnitude>{});
    case reduction::minimum:
      return use(extreme_of<extreme::smallest>{});
    case reduction::maximum:
      return use(extreme_of<extreme::largest>{});
    case reduction::logsumexp:
      break;
  }
  return use(logsumexp_of{});
}

// What a reduction of nothing is. Of a minimum or maximum only a device asks, which cannot refuse an empty segment.
template <class X, class R>
RIVUS_HD X of_nothing(R) {
  using T = wide_t<X>;
  if constexpr (std::is_base_of_v<of_terms, R>) {
    using term = decltype(R::term(elements<X>{}));
    return R::template end<X>(term::template nothing<typename term::wide>(), 0);
  } else if constexpr (std::is_base_of_v<of_extremes, R>) {
    return narrow<X>(R::which == extreme::largest_magnitude ? T(0) : quiet_nan<T>());
  } else if constexpr (std::is_same_v<R, logsumexp_of>) {
    return narrow<X>(neg(from_bits(format<T>::infinity)));
  } else {
    return narrow<X>(quiet_nan<T>());
  }
}

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

template <class X, class Team, class R>
RIVUS_HD X reduced(Team& team, const elements<X>& x, std::size_t i, std::size_t n, R) {
  if (n == 0) return of_nothing<X>(R{});
  if constexpr (std::is_base_of_v<of_terms, R>) {
    return R::template end<X>(team.sum(R::term(x), i, n), n);
  } else if constexpr (std::is_base_of_v<of_extremes, R>) {
    return narrow<X>(team.template most<R::which>(x, i, n));
  } else {
    const wide_t<X> m = team.template most<R::first::which>(x, i, n);
    const wide_t<X> sum = is_finite(m) ? team.sum(R::term(x, constant<wide_t<X>>{m}), i, n) : m;
    return R::template end<X>(sum, n, m);
  }
}

// Rows are those of a matrix, or segments of x, whose row_stride is 0 then.
template <class X>
struct reduce_row {
  reduction kind;
  elements<X> x;
  X* result;
  rivus::detail::segments_by_offsets segments{};

  template <class Team>
  RIVUS_HD void operator()(Team& team, std::size_t i, std::size_t n) const {
    elements<X> row = x;
    if (segments.count > 0) {
      row.data += segments.begin(i);
      n = segments.length(i);
    }
    const X v = with_reduction(kind, [&](auto r) { return reduced<X>(team, row, i, n, r); });
    if (team.is_first()) result[i] = v;
  }
};

// With n - less in the place of n; NaN unless n > less.
template <class X>
struct variance_row {
  elements<X> x;
  std::size_t less;
  X* result;

  template <class Team>
  RIVUS_HD void operator()(Team& team, std::size_t i, std::size_t n) const {
    X v = of_nothing<X>(variance_of{});
    if (n > less) {
      using T = wide_t<X>;
      const T mean = mean_of::end<T>(team.sum(mean_of::term(x), i, n), n);
      v = variance_of::end<X>(team.sum(variance_of::term(x, constant<T>{mean}), i, n), n - less, mean);
    }
    if (team.is_first()) result[i] = v;
  }
};

}  // namespace rivus::real::expr

#endif
