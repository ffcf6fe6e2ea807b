// sum/v1 and what is built on it, by the letter of the specification, for the tests of reductions.
#ifndef RIVUS_TESTS_REFERENCE_HPP
#define RIVUS_TESTS_REFERENCE_HPP

#include <algorithm>
#include <cmath>
#include <rivus/half.hpp>
#include <rivus/real.hpp>

#include "support.hpp"

namespace rivus::test {

template <class T>
T canonical(T x) {
  return std::isnan(x) ? as_real<T>(canonical_nan<T>) : x;
}

// A sequence in chunks of 2048 and 32 lanes: enter(i, lane) is what element i makes of its lane, which starts as
// `neutral`; lanes and chunk results combine by combine(a, b).
template <class T, class Enter, class Combine>
std::vector<T> chunk_results(std::size_t n, T neutral, Enter enter, Combine combine) {
  std::vector<T> results;
  for (std::size_t begin = 0; begin < n; begin += 2048) {
    const std::size_t end = std::min(begin + 2048, n);
    T lane[32];
    for (std::size_t l = 0; l < 32; ++l) {
      lane[l] = neutral;
      for (std::size_t i = begin + l; i < end; i += 32) lane[l] = enter(i, lane[l]);
    }
    for (std::size_t width = 16; width >= 1; width /= 2) {
      for (std::size_t l = 0; l < width; ++l) lane[l] = combine(lane[l], lane[l + width]);
    }
    results.push_back(lane[0]);
  }
  return results;
}
// tree/v1 of leaf[0..n), by its definition.
template <class T, class Combine>
T tree_of(const T* leaf, std::size_t n, Combine combine) {
  if (n == 1) return leaf[0];
  std::size_t m = 1;
  while (2 * m < n) m *= 2;
  return combine(tree_of(leaf, m, combine), tree_of(leaf + m, n - m, combine));
}
template <class T, class Enter, class Combine>
T in_lanes(std::size_t n, T neutral, Enter enter, Combine combine) {
  const std::vector<T> results = chunk_results<T>(n, neutral, enter, combine);
  return canonical(tree_of(results.data(), results.size(), combine));
}
// Of f(0), ..., f(n - 1).
template <class T, class F>
T sum_of(std::size_t n, F f) {
  const auto add = [](T a, T b) { return a + b; };
  return n == 0 ? T(0) : in_lanes<T>(n, T(-0.0), [&](std::size_t i, T lane) { return lane + f(i); }, add);
}
template <class T, class F, class G>
T dot_of(std::size_t n, F f, G g) {
  const auto add = [](T a, T b) { return a + b; };
  return n == 0 ? T(0)
                : in_lanes<T>(
                      n, T(-0.0), [&](std::size_t i, T lane) { return std::fma(f(i), g(i), lane); }, add);
}
template <class T, class F>
T product_of(std::size_t n, F f) {
  const auto mul = [](T a, T b) { return a * b; };
  return n == 0 ? T(1) : in_lanes<T>(n, T(1), [&](std::size_t i, T lane) { return lane * f(i); }, mul);
}

// 16-bit values by their definition, in doubles.
inline double value_of_half(std::uint16_t b) {
  const int exponent = b >> 10 & 31, fraction = b & 1023;
  const double magnitude = exponent == 31  ? (fraction ? any_nan<double> : infinity<double>)
                           : exponent == 0 ? std::ldexp(fraction, -24)
                                           : std::ldexp(1024 + fraction, exponent - 25);
  return b & 0x8000 ? -magnitude : magnitude;
}
inline double value_of(f16 x) { return value_of_half(x.bits); }
inline double value_of(bf16 x) {
  return static_cast<double>(as_real<float>(static_cast<std::uint32_t>(x.bits) << 16));
}
inline float value_of(float x) { return x; }
inline double value_of(double x) { return x; }

// The nearest X to a value, found among all: for 16 bits by trying.
template <class X>
X nearest(double v) {
  static const std::vector<double> values = [] {
    std::vector<double> all;
    for (unsigned b = 0; b < 0x8000; ++b) {
      const double x = value_of(X::from_bits(static_cast<std::uint16_t>(b)));
      if (std::isinf(x)) break;
      all.push_back(x);
    }
    return all;
  }();
  const auto infinite = static_cast<std::uint16_t>(values.size());
  if (std::isnan(v)) {
    return X::from_bits(static_cast<std::uint16_t>(infinite | (infinite == 0x7c00 ? 0x200 : 0x40)));
  }
  const std::uint16_t sign = std::signbit(v) ? 0x8000 : 0;
  const double m = std::fabs(v), ulp = values.back() - values[values.size() - 2];
  if (m >= values.back() + ulp / 2) return X::from_bits(static_cast<std::uint16_t>(sign | infinite));
  auto up = static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), m) - values.begin());
  if (up == values.size()) --up;
  if (up > 0) {
    const double below = m - values[up - 1], above = values[up] - m;
    if (below < above || (below == above && up % 2 == 1)) --up;
  }
  return X::from_bits(static_cast<std::uint16_t>(sign | up));
}
template <>
inline float nearest<float>(double v) {
  return canonical(static_cast<float>(v));
}
template <>
inline double nearest<double>(double v) {
  return canonical(v);
}

inline std::uint16_t as_word(f16 x) { return x.bits; }
inline std::uint16_t as_word(bf16 x) { return x.bits; }

template <class X>
std::vector<X> random_elements(std::size_t n, std::uint64_t seed, int exponents = 4) {
  words random(seed);
  std::vector<X> x(n);
  for (X& v : x) v = nearest<X>(random.wide_real<double>(exponents));
  return x;
}

// In order, NaN above all and -0 below +0.
template <class T>
bool ordered_less(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}

}  // namespace rivus::test

#endif
