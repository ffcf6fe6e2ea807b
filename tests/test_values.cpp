// The distributions as functions of one stream and one index, against the formulas of the specification
// worked out another way: in integers, in exact or wider floating point.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <rivus/shuffle.hpp>
#include <vector>

#include "distributions.hpp"
#include "events.hpp"
#include "support.hpp"

namespace rivus {
namespace {

using test::as_word;
using test::canonical_nan;

constexpr stream s = stream::from_seed(42)["values"];
constexpr std::uint64_t last = ~std::uint64_t{0};

using test::edge_and_random_words;

template <class T>
constexpr int bits_of = 8 * sizeof(T);
template <class T>
constexpr int digits_of = std::numeric_limits<T>::digits;
template <class T>
T scaled_integer(test::word_of<T> k) {
  return std::ldexp(static_cast<T>(k), -digits_of<T>);
}

template <class T>
class real_values : public ::testing::Test {};
using reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(real_values, reals);

TEST(bits, are_the_words_of_the_stream) {
  static_assert(bits<std::uint32_t>{}(s, 5) == s.word(5));
  static_assert(bits<std::uint64_t>{}(s, 5) == (s.word(10) | std::uint64_t{s.word(11)} << 32));
  for (const std::uint64_t i : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{1} << 34, last}) {
    EXPECT_EQ(bits<std::uint32_t>{}(s, i), s.word(i));
    EXPECT_EQ(bits<std::uint64_t>{}(s, i), s.bits64(i));
  }
}

TYPED_TEST(real_values, uniform_standard_forms) {
  using T = TypeParam;
  using word = test::word_of<T>;
  constexpr int drop = bits_of<T> - digits_of<T>;
  for (const word w : edge_and_random_words<word>(20000, 1)) {
    ASSERT_EQ(uniform<T>{}.from_word(w), scaled_integer<T>(w >> drop)) << w;
    ASSERT_EQ((uniform<T, interval::oc>{}.from_word(w)), scaled_integer<T>((w >> drop) + 1)) << w;
    ASSERT_EQ((uniform<T, interval::oo>{}.from_word(w)), scaled_integer<T>(2 * (w >> (drop + 1)) + 1)) << w;
  }
}

TYPED_TEST(real_values, uniform_elements_use_their_own_word) {
  using T = TypeParam;
  for (const std::uint64_t i :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{6}, std::uint64_t{1} << 33, last}) {
    const auto w = bits<test::word_of<T>>{}(s, i);
    EXPECT_EQ(uniform<T>{}(s, i), uniform<T>{}.from_word(w));
    EXPECT_EQ((uniform<T, interval::oc>{}(s, i)), (uniform<T, interval::oc>{}.from_word(w)));
    EXPECT_EQ((uniform<T, interval::oo>{}(s, i)), (uniform<T, interval::oo>{}.from_word(w)));
    EXPECT_EQ(exponential<T>{}(s, i), exponential<T>{}.from_word(w));
  }
}

TYPED_TEST(real_values, uniform_ends_are_where_their_names_say) {
  using T = TypeParam;
  using word = test::word_of<T>;
  const word ones = ~word{0};
  const T step = std::ldexp(T(1), -digits_of<T>);
  EXPECT_EQ(as_word(uniform<T>{}.from_word(0)), as_word(T(0)));
  EXPECT_EQ(uniform<T>{}.from_word(ones), 1 - step);
  EXPECT_EQ((uniform<T, interval::oc>{}.from_word(0)), step);
  EXPECT_EQ((uniform<T, interval::oc>{}.from_word(ones)), T(1));
  EXPECT_EQ((uniform<T, interval::oo>{}.from_word(0)), step);
  EXPECT_EQ((uniform<T, interval::oo>{}.from_word(ones)), 1 - step);
}

TYPED_TEST(real_values, uniform_between_parameters) {
  using T = TypeParam;
  using word = test::word_of<T>;
  constexpr T tiny = std::numeric_limits<T>::denorm_min(), small = std::numeric_limits<T>::min();
  constexpr T large = std::numeric_limits<T>::max(), e = std::numeric_limits<T>::epsilon();
  const std::vector<word> all = edge_and_random_words<word>(2000, 2);
  const struct {
    T a, b;
  } ranges[] = {{-1, 1},
                {0, 2},
                {T(0.1), T(0.3)},
                {-3, -2},
                {1, 1 + e},
                {1, 1 + 2 * e},
                {-1, 0},
                {-1 - e, -1},
                {0, tiny},
                {-tiny, 0},
                {-tiny, tiny},
                {0, small},
                {-3 * tiny, 100 * tiny},
                {-large / 2, large / 2},
                {0, large},
                {-large, 0},
                {large / 2, large},
                {1000, 1001},
                {T(-0.0), 1},
                {T(1e-30), T(1e30)}};
  for (const auto [a, b] : ranges) {
    for (const word w : all) {
      T expected = std::fma(b - a, scaled_integer<T>(w >> (bits_of<T> - digits_of<T>)), a);
      if (expected >= b) expected = std::nextafter(b, -test::infinity<T>);
      const T value = uniform<T>{a, b}.from_word(w);
      ASSERT_EQ(as_word(value), as_word(expected)) << '[' << a << ", " << b << ") " << w;
      ASSERT_GE(value, a);
      ASSERT_LT(value, b);
    }
  }
}

TEST(uniform, doubles_have_53_random_bits) {
  std::uint64_t ever_one = 0, ever_zero = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const auto k = static_cast<std::uint64_t>(std::ldexp(uniform<double>{}(s, i), 53));
    ever_one |= k;
    ever_zero |= ~k;
  }
  constexpr std::uint64_t all = (std::uint64_t{1} << 53) - 1;
  EXPECT_EQ(ever_one & all, all);
  EXPECT_EQ(ever_zero & all, all);
}

template <class T>
long double minus_log(test::word_of<T> w) {
  const auto [f, negative, exact] = test::fraction_of<T>(w);
  if (exact) return -std::log1p(static_cast<long double>(f));
  const T u = negative ? static_cast<T>(1 + f) : f;
  return -std::log(static_cast<long double>(u));
}
// Half of the word ulps that long double's own functions may be off by.
constexpr long double slack = 0x1p-60L;

TYPED_TEST(real_values, exponential_follows_its_definition) {
  using T = TypeParam;
  for (const auto w : edge_and_random_words<test::word_of<T>>(20000, 3)) {
    const T x = exponential<T>{}.from_word(w);
    const long double exact = minus_log<T>(w);
    const T ulp = x - std::nextafter(x, T(0));
    ASSERT_LE(std::abs(x - exact), 2 * static_cast<long double>(ulp) + slack * exact) << w;
    ASSERT_GT(x, 0);
  }
  EXPECT_NEAR(static_cast<double>(exponential<T>{}.from_word(0)), (bits_of<T> + 1) * std::log(2.0), 1e-5);
  EXPECT_NEAR(static_cast<double>(exponential<T>{}.from_word(static_cast<test::word_of<T>>(-1))),
              std::ldexp(1.0, -bits_of<T> - 1), std::ldexp(1.0, -bits_of<T> - 20));
}

TYPED_TEST(real_values, exponential_with_a_rate) {
  using T = TypeParam;
  for (const T rate :
       {T(2.5), T(0.1), T(1e-30), std::numeric_limits<T>::max(), std::numeric_limits<T>::min()}) {
    for (const auto w : edge_and_random_words<test::word_of<T>>(500, 4)) {
      const T expected = std::fma(exponential<T>{}.from_word(w), 1 / rate, T(0));
      ASSERT_EQ(as_word(exponential<T>{rate}.from_word(w)), as_word(expected))
          << "rate " << rate << " word " << w;
    }
  }
}

TYPED_TEST(real_values, normal_is_box_muller_sine_first) {
  using T = TypeParam;
  using word = test::word_of<T>;
  const long double bound = sizeof(T) == 4 ? 0x1p-22L : 0x1p-51L;
  const long double half_pi = 1.57079632679489661923132169163975144L;
  T largest = 0;
  const std::vector<word> radii = edge_and_random_words<word>(60, 5),
                          angles = edge_and_random_words<word>(60, 6);
  for (const word radius : radii) {
    for (const word angle : angles) {
      const auto z = normal<T>::standard(radius, angle);
      const long double r = std::sqrt(2 * minus_log<T>(radius));
      // The angle less its nearest quarter turn, in units of that.
      const word quadrant = static_cast<word>(angle + (word{1} << (bits_of<T> - 3))) >> (bits_of<T> - 2);
      const auto rest = static_cast<std::make_signed_t<word>>(static_cast<word>(angle << 2));
      const long double t =
          (std::ldexp(static_cast<long double>(rest), -bits_of<T>) + std::ldexp(2.0L, -bits_of<T>)) * half_pi;
      const long double sines[4] = {std::sin(t), std::cos(t), -std::sin(t), -std::cos(t)};
      ASSERT_LE(std::abs(z[0] - r * sines[quadrant]), (bound + slack) * r) << radius << ' ' << angle;
      ASSERT_LE(std::abs(z[1] - r * sines[(quadrant + 1) % 4]), (bound + slack) * r)
          << radius << ' ' << angle;
      ASSERT_FALSE(z[0] == 0 && z[1] == 0) << radius << ' ' << angle;
      ASSERT_TRUE(std::isfinite(z[0]) && std::isfinite(z[1])) << radius << ' ' << angle;
      largest = std::max({largest, std::abs(z[0]), std::abs(z[1])});
    }
  }
  EXPECT_NEAR(static_cast<double>(largest), sizeof(T) == 4 ? 6.77 : 9.50, 0.01);
}

TYPED_TEST(real_values, normal_elements_share_a_pair_of_words) {
  using T = TypeParam;
  for (const std::uint64_t p :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, (std::uint64_t{1} << 33) - 1, last / 2}) {
    const bits<test::word_of<T>> b;
    const auto z = normal<T>::standard(b(s, 2 * p), b(s, 2 * p + 1));
    EXPECT_EQ(as_word(normal<T>{}(s, 2 * p)), as_word(z[0]));
    EXPECT_EQ(as_word(normal<T>{}(s, 2 * p + 1)), as_word(z[1]));
  }
}

TYPED_TEST(real_values, normal_with_mean_and_deviation) {
  using T = TypeParam;
  constexpr T tiny = std::numeric_limits<T>::denorm_min(), large = std::numeric_limits<T>::max();
  const struct {
    T mean, stddev;
  } cases[] = {{3, 2},       {-1, T(0.1)}, {0, 1000 * tiny}, {5, 0},     {0, 0},
               {T(-0.0), 1}, {1, T(-0.0)}, {0, large},       {large, 1}, {T(1e-20), T(1e-20)}};
  for (const auto [mean, stddev] : cases) {
    for (std::uint64_t i = 0; i < 500; ++i) {
      const T expected = std::fma(stddev, normal<T>{}(s, i), mean);
      ASSERT_EQ(as_word(normal<T>{mean, stddev}(s, i)), as_word(expected)) << mean << ' ' << stddev;
    }
  }
}

TYPED_TEST(real_values, out_of_their_domain_they_are_the_canonical_nan) {
  using T = TypeParam;
  constexpr T inf = test::infinity<T>, nan = test::any_nan<T>, large = std::numeric_limits<T>::max();
  const auto expect_nan = [](auto d) {
    for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(as_word(d(s, i)), canonical_nan<T>);
    for (const T x : d.quad(s, 1)) EXPECT_EQ(as_word(x), canonical_nan<T>);
  };
  for (const auto d :
       {uniform<T>{1, 0}, uniform<T>{1, 1}, uniform<T>{0, 0}, uniform<T>{-large, large}, uniform<T>{nan, 1},
        uniform<T>{0, nan}, uniform<T>{-inf, 0}, uniform<T>{0, inf}, uniform<T>{-nan, -nan}}) {
    expect_nan(d);
  }
  for (const auto d :
       {normal<T>{0, -1}, normal<T>{0, nan}, normal<T>{0, inf}, normal<T>{nan, 1}, normal<T>{inf, 1},
        normal<T>{-inf, 0}, normal<T>{0, -std::numeric_limits<T>::denorm_min()}}) {
    expect_nan(d);
  }
  for (const T rate : {T(0), T(-0.0), T(-1), inf, nan, -nan, std::numeric_limits<T>::denorm_min()}) {
    expect_nan(exponential<T>{rate});
  }
}

TEST(bernoulli, digits_add_up_to_p) {
  const auto expect_digits = [](double p) {
    double rest = p;
    for (int t = 0; t < 40; ++t) {
      const double scaled = std::ldexp(rest, 32), digit = std::floor(scaled);
      ASSERT_EQ(bernoulli{p}.digit(t), digit) << p << ", digit " << t;
      rest = scaled - digit;
    }
    EXPECT_EQ(rest, 0) << p;
  };
  const double least = std::numeric_limits<double>::denorm_min(), normal = std::numeric_limits<double>::min();
  for (const double p : {0.5, 0.1, 1.0 / 3, 1e-9, 1e-12, 1e-300, 0x1p-32, 0x1p-33,
                         std::nextafter(0x1p-32, 0.0), std::nextafter(0x1p-32, 1.0), std::nextafter(1.0, 0.0),
                         normal, std::nextafter(normal, 0.0), least, 3 * least}) {
    expect_digits(p);
  }
  test::words random(7);
  for (int e = 1; e <= 1074; ++e) expect_digits(std::ldexp(static_cast<double>(random() >> 11 | 1), -52 - e));
  static_assert(bernoulli{0x1p-1074}.digit(33) == 1u << 14 && bernoulli{0x1p-1074}.digit(32) == 0);
  static_assert(bernoulli{0.1}.digit(0) == 0x19999999 && bernoulli{0.1}.digit(1) == 0x99999a00);
}

void expect_events(stream from, std::uint64_t i, double p) {
  const bool expected = test::expected_event(from, i, p);
  ASSERT_EQ(bernoulli{p}(from, i), expected) << i << ", " << p;
  const auto four = bernoulli{p}.quad(from, i / 4);
  for (std::uint64_t j = 0; j < 4; ++j) {
    ASSERT_EQ(four[static_cast<int>(j)], test::expected_event(from, i / 4 * 4 + j, p))
        << i << ", " << j << ", " << p;
  }
}

TEST(bernoulli, decides_by_further_digits_where_the_first_is_equal) {
  int as_the_first = 0, below = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    for (const double p : test::probabilities_at(s.word(i))) {
      expect_events(s, i, p);
      if (bernoulli{p}.digit(0) == s.word(i)) (bernoulli{p}(s, i) ? below : as_the_first) += 1;
    }
    for (const double p : {1e-9, 1e-12, 0x1p-1074, std::nextafter(1.0, 0.0), 0.1}) expect_events(s, i, p);
  }
  EXPECT_GT(as_the_first, 400);
  EXPECT_GT(below, 400);
  static constexpr double half = 0x1p-33;
  static_assert(bernoulli{0x1p-32 * s.word(5) + half}(s, 5) == (s.redraw(1).word(5) < 0x80000000u));
  static_assert(!bernoulli{0x1p-32 * s.word(5)}(s, 5) && bernoulli{0x1p-32 * (s.word(5) + 1.0)}(s, 5));
}

TEST(bernoulli, decides_by_the_third_digit_where_two_are_equal) {
  // Short words, so that p has bits for two whole digits and more.
  int found = 0;
  for (std::uint64_t i = 0; i < 40000; ++i) {
    const std::uint32_t word = s.word(i);
    if (word >> 20 != 0) continue;
    ++found;
    const double p = std::ldexp(static_cast<double>(stream::join(s.redraw(1).word(i), word)), -64);
    EXPECT_FALSE(bernoulli{p}(s, i));
    EXPECT_FALSE(bernoulli{std::nextafter(p, 0.0)}(s, i));
    EXPECT_TRUE(bernoulli{p + 0x1p-64}(s, i));
    for (const double q : {p, std::nextafter(p, 0.0), std::nextafter(p, 1.0), p + 0x1p-64, p + 0x1p-65})
      expect_events(s, i, q);
  }
  EXPECT_GT(found, 5);

  const auto [from, b] = test::three_digits;
  const double p = test::three_digits_p;
  ASSERT_EQ(from.word(4 * b), 0);
  EXPECT_FALSE(bernoulli{p}(from, 4 * b));
  EXPECT_FALSE(bernoulli{std::nextafter(p, 0.0)}(from, 4 * b));
  EXPECT_TRUE(bernoulli{std::nextafter(p, 1.0)}(from, 4 * b));
  for (const double q : {p, std::nextafter(p, 0.0), std::nextafter(p, 1.0), 0x1p-33, 0x1p-1074})
    expect_events(from, 4 * b, q);
}

TEST(bernoulli, is_total) {
  const double inf = test::infinity<double>, nan = test::any_nan<double>;
  for (std::uint64_t i = 0; i < 20; ++i) {
    for (const double p : {-1.0, -1e-300, -inf, nan, -nan}) EXPECT_FALSE(bernoulli{p}(s, i)) << p;
    for (const double p : {1.5, 1e300, inf}) EXPECT_TRUE(bernoulli{p}(s, i)) << p;
  }
}

TEST(bernoulli, elements_use_their_own_word) {
  static_assert(bernoulli{0.5}(s, 3) == (s.word(3) < 0x80000000u));
  for (std::uint64_t i = 0; i < 200; ++i) EXPECT_EQ(bernoulli{0.3}(s, i), s.word(i) < 1288490188u);
}

__extension__ using u128 = unsigned __int128;

// below(n) by the letter of the specification; counts its redraws.
std::uint64_t expected_below(stream from, std::uint64_t i, u128 n, int& redraws) {
  if (n <= u128{1} << 20) {
    const auto n64 = static_cast<std::uint64_t>(n);
    const std::uint64_t refused = (std::uint64_t{1} << 32) % n64;
    std::uint64_t m = from.word(i) * n64;
    for (std::uint32_t t = 1; t <= 128 && (m & 0xFFFFFFFF) < refused; ++t, ++redraws)
      m = from.redraw(t).word(i) * n64;
    return m >> 32;
  }
  const u128 two64 = u128{1} << 64;
  if (n == two64) return from.bits64(i);
  const u128 refused = two64 % n;
  u128 m = from.bits64(i) * n;
  for (std::uint32_t t = 1; t <= 128 && m % two64 < refused; ++t, ++redraws) m = from.redraw(t).bits64(i) * n;
  return static_cast<std::uint64_t>(m >> 64);
}

TEST(below, follows_the_specification) {
  const std::uint64_t bounds[] = {1,
                                  2,
                                  3,
                                  7,
                                  10,
                                  1000,
                                  65536,
                                  1047553,
                                  (1 << 20) - 1,
                                  1 << 20,
                                  (1 << 20) + 1,
                                  3000000000,
                                  0xFFFFFFFF,
                                  std::uint64_t{1} << 32,
                                  (std::uint64_t{1} << 32) + 1,
                                  (std::uint64_t{1} << 63) - 1,
                                  std::uint64_t{1} << 63,
                                  (std::uint64_t{1} << 63) + 1,
                                  std::uint64_t{3} << 62,
                                  last - 1,
                                  last};
  int redraws = 0;
  for (const std::uint64_t n : bounds) {
    for (std::uint64_t i = 0; i < 20000; ++i) {
      const std::uint64_t value = below(s, i, n);
      ASSERT_EQ(value, expected_below(s, i, n, redraws)) << n << " element " << i;
      ASSERT_LT(value, n);
    }
    for (const std::uint64_t i : {std::uint64_t{1} << 34, last})
      ASSERT_EQ(below(s, i, n), expected_below(s, i, n, redraws));
  }
  EXPECT_GT(redraws, 20000);  // half of the words of 2^63 + 1 are refused, half of those again, ...
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(below(s, i, 0), s.bits64(i));
}

TEST(below, small_bounds_are_refused_and_drawn_anew_too) {
  int redraws = 0;
  for (std::uint64_t i = 0; i < 200000; ++i)
    ASSERT_EQ(below(s, i, 1047553), expected_below(s, i, 1047553, redraws));
  EXPECT_GT(redraws, 20);
}

template <class I>
class integer_values : public ::testing::Test {};
using integers =
    ::testing::Types<signed char, unsigned char, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                     std::int64_t, std::uint64_t, char, long long, unsigned long long>;
TYPED_TEST_SUITE(integer_values, integers);

TYPED_TEST(integer_values, are_lo_plus_below) {
  using I = TypeParam;
  using limits = std::numeric_limits<I>;
  const struct {
    I lo, hi;
  } ranges[] = {{0, 1},
                {0, 100},
                {5, 6},
                {limits::min(), limits::max()},
                {limits::min(), I(limits::min() + 3)},
                {I(limits::max() - 3), limits::max()},
                {0, limits::max()},
                {limits::min(), I(limits::max() / 2)}};
  int redraws = 0;
  for (const auto [lo, hi] : ranges) {
    const auto n = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo);
    for (std::uint64_t i = 0; i < 500; ++i) {
      const I value = integer<I>{lo, hi}(s, i);
      ASSERT_GE(value, lo);
      ASSERT_LT(value, hi);
      const auto offset = static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(lo);
      ASSERT_EQ(offset, expected_below(s, i, n, redraws)) << "of " << n << " at " << i;
    }
  }
}

TYPED_TEST(integer_values, reach_both_ends) {
  using I = TypeParam;
  bool low = false, high = false;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const I value = integer<I>{10, 14}(s, i);
    low |= value == 10;
    high |= value == 13;
  }
  EXPECT_TRUE(low && high);
}

TYPED_TEST(integer_values, of_an_empty_range_are_lo) {
  using I = TypeParam;
  for (const auto d : {integer<I>{5, 5}, integer<I>{5, 4}, integer<I>{5, std::numeric_limits<I>::min()}}) {
    for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(d(s, i), I(5));
    for (const I x : d.quad(s, 0)) EXPECT_EQ(x, I(5));
  }
}

TEST(values, in_constant_expressions) {
  static_assert(integer<int>{-3, 4}(s, 9) >= -3 && integer<int>{-3, 4}(s, 9) < 4);
  static_assert(below(s, 0, 10) < 10);
  static_assert(bernoulli{1}(s, 0) && !bernoulli{0}(s, 0));
  static_assert(bits<std::uint32_t>{}.quad(s, 1)[2] == s.word(6));
  static constexpr auto order = [] {
    vec<int, 8> v{{0, 1, 2, 3, 4, 5, 6, 7}};
    shuffle(v.begin(), v.end(), s);
    return v;
  }();
  vec<int, 8> v{{0, 1, 2, 3, 4, 5, 6, 7}};
  shuffle(v.begin(), v.end(), s);
  EXPECT_EQ(v, order);
}

template <class D>
void expect_quads_equal_singles(const char* name, D d) {
  static_assert(std::is_trivially_copyable_v<D>);
  SCOPED_TRACE(name);
  for (const stream from : {s, stream{last, last}, stream{0, 0}}) {
    for (const std::uint64_t q :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{0xFFFFFFFF},
          std::uint64_t{1} << 32, std::uint64_t{1} << 61, last / 4}) {
      const auto four = d.quad(from, q);
      for (int j = 0; j < 4; ++j) {
        const typename D::value_type one = d(from, 4 * q + static_cast<std::uint64_t>(j));
        ASSERT_EQ(as_word(four[j]), as_word(one)) << "quad " << q << " element " << j;
      }
    }
  }
  // Enough of them to meet the words that below refuses.
  for (std::uint64_t q = 0; q < 5000; ++q) {
    const auto four = d.quad(s, q);
    for (int j = 0; j < 4; ++j) {
      const typename D::value_type one = d(s, 4 * q + static_cast<std::uint64_t>(j));
      ASSERT_EQ(as_word(four[j]), as_word(one)) << "quad " << q << " element " << j;
    }
  }
}
TEST(values, quads_equal_singles) {
  test::for_each_distribution([](const char* name, auto d) { expect_quads_equal_singles(name, d); });
  expect_quads_equal_singles("integer i8", integer<signed char>{-128, 127});
  expect_quads_equal_singles("integer u16", integer<std::uint16_t>{1, 65535});
}

TEST(values, parameters_are_checked_by_name) {
  const auto complaint = [](auto d) {
    std::string parameter = "none";
    d.check([&](const char* name, auto, const char*) { parameter = name; });
    return parameter;
  };
  const double inf = test::infinity<double>, nan = test::any_nan<double>,
               large = std::numeric_limits<double>::max();
  test::for_each_distribution([&](const char* name, auto d) { EXPECT_EQ(complaint(d), "none") << name; });
  EXPECT_EQ(complaint(uniform<double>{nan, 1}), "a");
  EXPECT_EQ(complaint(uniform<double>{-inf, 1}), "a");
  EXPECT_EQ(complaint(uniform<double>{0, inf}), "b");
  EXPECT_EQ(complaint(uniform<double>{0, 0}), "b");
  EXPECT_EQ(complaint(uniform<double>{1, -1}), "b");
  EXPECT_EQ(complaint(uniform<double>{-large, large}), "b");
  EXPECT_EQ(complaint(normal<double>{nan, 1}), "mean");
  EXPECT_EQ(complaint(normal<double>{0, -1}), "stddev");
  EXPECT_EQ(complaint(normal<double>{0, inf}), "stddev");
  EXPECT_EQ(complaint(exponential<double>{0}), "rate");
  EXPECT_EQ(complaint(exponential<double>{1e-310}), "rate");
  EXPECT_EQ(complaint(bernoulli{1.5}), "p");
  EXPECT_EQ(complaint(bernoulli{nan}), "p");
  EXPECT_EQ(complaint(integer<int>{3, 3}), "hi");
}

// shuffle/v1, by its definition.
template <class T>
void expected_shuffle(std::vector<T>& v, stream from) {
  int redraws = 0;
  for (std::size_t i = v.size(); i-- > 1;) std::swap(v[i], v[expected_below(from, i, i + 1, redraws)]);
}

TEST(shuffle, follows_the_specification) {
  for (const std::size_t n : {0u, 1u, 2u, 3u, 10u, 1000u, 50000u}) {
    std::vector<int> v(n);
    std::iota(v.begin(), v.end(), 0);
    std::vector<int> expected = v, sorted = v;
    expected_shuffle(expected, s);
    shuffle(v.begin(), v.end(), s);
    EXPECT_EQ(v, expected) << n;
    std::sort(v.begin(), v.end());
    EXPECT_EQ(v, sorted) << n;
  }
}

TEST(shuffle, moves_what_cannot_be_copied) {
  std::vector<std::unique_ptr<int>> v;
  std::vector<int> plain(50);
  std::iota(plain.begin(), plain.end(), 0);
  for (const int i : plain) v.push_back(std::make_unique<int>(i));
  shuffle(v.begin(), v.end(), s);
  shuffle(plain.begin(), plain.end(), s);
  for (std::size_t i = 0; i < v.size(); ++i) {
    ASSERT_NE(v[i], nullptr);
    EXPECT_EQ(*v[i], plain[i]);
  }
}

}  // namespace
}  // namespace rivus
