// The accuracy that the specification promises, with MPFR as the judge.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <rivus/exponential.hpp>
#include <rivus/normal.hpp>
#include <rivus/real.hpp>
#include <vector>

#include "support.hpp"

namespace rivus {
namespace {

using test::as_word;
using test::canonical_nan;

// A number of 200 bits: exact, for what is asked here.
class number {
 public:
  number(double x = 0) {
    mpfr_init2(x_, 200);
    mpfr_set_d(x_, x, MPFR_RNDN);
  }
  ~number() { mpfr_clear(x_); }
  number(const number&) = delete;
  number& operator=(const number&) = delete;

  mpfr_ptr operator*() { return x_; }
  operator mpfr_srcptr() const { return x_; }
  double nearest() const { return mpfr_get_d(x_, MPFR_RNDN); }
  // The spacing of T at this value.
  template <class T>
  double ulp() const {
    constexpr int digits = std::numeric_limits<T>::digits, least = std::numeric_limits<T>::min_exponent;
    return mpfr_zero_p(x_)
               ? std::ldexp(1.0, least - digits)
               : std::ldexp(1.0, std::max<int>(static_cast<int>(mpfr_get_exp(x_)), least) - digits);
  }
  // |this - x| / unit
  double error(double x, double unit) const {
    number d;
    mpfr_sub_d(*d, x_, x, MPFR_RNDN);
    mpfr_div_d(*d, d, unit, MPFR_RNDN);
    return std::abs(d.nearest());
  }

 private:
  mpfr_t x_;
};

template <class T>
class accuracy : public ::testing::Test {};
using reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(accuracy, reals);

template <class T>
void minus_log_of_word(number& x, test::word_of<T> w) {
  const auto [f, negative, exact] = test::fraction_of<T>(w);
  if (exact) {
    mpfr_set_d(*x, f, MPFR_RNDN);
    mpfr_log1p(*x, x, MPFR_RNDN);
  } else {
    mpfr_set_d(*x, negative ? static_cast<T>(1 + f) : f, MPFR_RNDN);
    mpfr_log(*x, x, MPFR_RNDN);
  }
  mpfr_neg(*x, x, MPFR_RNDN);
}

// 2 pi (w + 1/2) 2^-bits
template <class T>
void angle_of_word(number& x, test::word_of<T> w) {
  mpfr_const_pi(*x, MPFR_RNDN);
  number k;
  mpfr_set_uj(*k, w, MPFR_RNDN);
  mpfr_add_d(*k, k, 0.5, MPFR_RNDN);
  mpfr_mul(*x, x, k, MPFR_RNDN);
  mpfr_mul_2si(*x, x, 1 - 8 * static_cast<long>(sizeof(T)), MPFR_RNDN);
}

TYPED_TEST(accuracy, exponential_within_two_ulp) {
  using T = TypeParam;
  double worst = 0;
  for (const auto w : test::edge_and_random_words<test::word_of<T>>(60000, 1)) {
    number exact;
    minus_log_of_word<T>(exact, w);
    const T x = exponential<T>{}.from_word(w);
    const double error = exact.error(x, exact.ulp<T>());
    ASSERT_LE(error, 2) << "word " << w;
    ASSERT_TRUE(x > 0 && std::isfinite(x)) << "word " << w;
    worst = std::max(worst, error);
  }
  // A test that compared a value with itself would find no error.
  EXPECT_GT(worst, 0.5);
  this->RecordProperty("worst_ulp", std::to_string(worst));
}

template <class T>
double normal_error(test::word_of<T> radius, test::word_of<T> angle, T& largest) {
  const double bound = sizeof(T) == 4 ? 0x1p-22 : 0x1p-51;
  number r, theta, sine, cosine;
  minus_log_of_word<T>(r, radius);
  mpfr_mul_2ui(*r, r, 1, MPFR_RNDN);
  mpfr_sqrt(*r, r, MPFR_RNDN);
  angle_of_word<T>(theta, angle);
  mpfr_sin_cos(*sine, *cosine, theta, MPFR_RNDN);
  mpfr_mul(*sine, sine, r, MPFR_RNDN);
  mpfr_mul(*cosine, cosine, r, MPFR_RNDN);
  const auto z = normal<T>::standard(radius, angle);
  largest = std::max({largest, std::abs(z[0]), std::abs(z[1])});
  const double unit = bound * r.nearest();
  return std::max(sine.error(z[0], unit), cosine.error(z[1], unit));
}

TYPED_TEST(accuracy, normal_within_its_bound) {
  using T = TypeParam;
  using word = test::word_of<T>;
  double worst = 0;
  T largest = 0;
  const auto expect_accurate = [&](word radius, word angle) {
    const double error = normal_error<T>(radius, angle, largest);
    ASSERT_LE(error, 1) << radius << ' ' << angle;
    worst = std::max(worst, error);
  };
  test::words random(2);
  for (int i = 0; i < 40000; ++i) expect_accurate(static_cast<word>(random()), static_cast<word>(random()));
  const auto edges = test::edge_words<word>();
  for (const word edge : edges) {
    for (int i = 0; i < 10; ++i) {
      expect_accurate(edge, static_cast<word>(random()));
      expect_accurate(static_cast<word>(random()), edge);
      expect_accurate(edge, edges[random.below(edges.size())]);
    }
  }
  expect_accurate(0, 0);
  EXPECT_NEAR(static_cast<double>(largest), sizeof(T) == 4 ? 6.77 : 9.50, 0.01);
  EXPECT_GT(worst, 0.2);
  this->RecordProperty("worst_of_bound", std::to_string(worst));
}

template <class T>
void expect_exp(T x) {
  number exact(static_cast<double>(x));
  mpfr_exp(*exact, exact, MPFR_RNDN);
  const T y = real::exp(x);
  if (std::isinf(y)) {
    EXPECT_GT(mpfr_cmp_d(exact, std::numeric_limits<T>::max()), 0) << x;
  } else {
    ASSERT_LE(exact.error(y, exact.ulp<T>()), 1) << "exp(" << x << ")";
  }
}

TYPED_TEST(accuracy, exp_within_one_ulp) {
  using T = TypeParam;
  const T top = std::log(std::numeric_limits<T>::max()),
          bottom = std::log(std::numeric_limits<T>::denorm_min());
  const T normal_bottom = std::log(std::numeric_limits<T>::min());
  test::words random(3);
  for (int i = 0; i < 60000; ++i) {
    expect_exp(random.real<T>() * top);                                             // all results
    expect_exp(random.wide_real<T>(20));                                            // all exponents
    expect_exp(normal_bottom + (random.real<T>() + 1) * (bottom - normal_bottom));  // subnormal results
  }
  // Around the ends, the halves of ln 2 where the reduction steps, and zero.
  for (const T at : {top, bottom, bottom - T(std::log(2.0)), normal_bottom, T(0.34657359027997264),
                     T(-0.34657359027997264), T(1)}) {
    T up = at, down = at;
    for (int i = 0; i < 200; ++i) {
      expect_exp(up);
      expect_exp(down);
      up = std::nextafter(up, test::infinity<T>);
      down = std::nextafter(down, -test::infinity<T>);
    }
  }
}

TYPED_TEST(accuracy, log_within_two_ulps) {
  using T = TypeParam;
  using word = test::word_of<T>;
  constexpr T inf = test::infinity<T>, tiny = std::numeric_limits<T>::denorm_min();
  const auto expect_log = [](T x) {
    number exact(static_cast<double>(x));
    mpfr_log(*exact, exact, MPFR_RNDN);
    ASSERT_LE(exact.error(real::log(x), exact.ulp<T>()), 2) << "log(" << x << ")";
  };
  test::words random(4);
  for (int i = 0; i < 60000; ++i) {
    const T x = test::as_real<T>(static_cast<word>(random() & ~test::as_word(T(-0.0))));
    if (x > 0 && std::isfinite(x)) expect_log(x);
    expect_log(1 + random.wide_real<T>(30) / T(0x1p31));
  }
  for (const T at :
       {T(1), T(0.75), T(1.5), T(2), tiny, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()}) {
    T up = at, down = at;
    for (int i = 0; i < 100; ++i) {
      if (std::isfinite(up)) expect_log(up);
      if (down > 0) expect_log(down);
      up = std::nextafter(up, inf);
      down = std::nextafter(down, T(0));
    }
  }
  EXPECT_EQ(as_word(real::log(T(1))), as_word(T(0)));
  EXPECT_EQ(real::log(T(0)), -inf);
  EXPECT_EQ(real::log(T(-0.0)), -inf);
  EXPECT_EQ(real::log(inf), inf);
  for (const T x : {-tiny, T(-1), -inf, test::any_nan<T>, -test::any_nan<T>})
    EXPECT_EQ(as_word(real::log(x)), canonical_nan<T>);
}

TYPED_TEST(accuracy, exp_of_special_values) {
  using T = TypeParam;
  constexpr T inf = test::infinity<T>, tiny = std::numeric_limits<T>::denorm_min();
  EXPECT_EQ(real::exp(T(0)), T(1));
  EXPECT_EQ(real::exp(T(-0.0)), T(1));
  EXPECT_EQ(real::exp(tiny), T(1));
  EXPECT_EQ(real::exp(-tiny), T(1));
  EXPECT_EQ(real::exp(inf), inf);
  EXPECT_EQ(real::exp(std::numeric_limits<T>::max()), inf);
  EXPECT_EQ(as_word(real::exp(-inf)), as_word(T(0)));
  EXPECT_EQ(as_word(real::exp(std::numeric_limits<T>::lowest())), as_word(T(0)));
  for (const T nan :
       {test::any_nan<T>, -test::any_nan<T>, test::as_real<T>(static_cast<test::word_of<T>>(-1)),
        test::as_real<T>(static_cast<test::word_of<T>>(as_word(inf) + 1))}) {
    EXPECT_EQ(as_word(real::exp(nan)), canonical_nan<T>);
  }
  // The largest argument that does not overflow, and the least whose result is not rounded to nothing.
  T x = std::log(std::numeric_limits<T>::max());
  while (std::isfinite(real::exp(x))) x = std::nextafter(x, inf);
  expect_exp(x);
  expect_exp(std::nextafter(x, T(0)));
}

// What MPFR makes of an operation, rounded once to T as IEEE 754 asks, subnormals included.
template <class T, class Operation>
T rounded(Operation operation) {
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  constexpr int digits = std::numeric_limits<T>::digits;
  mpfr_set_emin(std::numeric_limits<T>::min_exponent - digits + 1);
  mpfr_set_emax(std::numeric_limits<T>::max_exponent);
  mpfr_t result;
  mpfr_init2(result, digits);
  const int direction = operation(result);
  mpfr_subnormalize(result, direction, MPFR_RNDN);
  const auto value = static_cast<T>(mpfr_get_d(result, MPFR_RNDN));
  mpfr_clear(result);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  return value;
}

TYPED_TEST(accuracy, fma_sqrt_and_division_are_those_of_ieee_754) {
  using T = TypeParam;
  constexpr int half_range = std::numeric_limits<T>::max_exponent / 2 + 4;
  test::words random(4);
  for (int i = 0; i < 40000; ++i) {
    const int exponents = i % 2 == 0 ? 3 : half_range;
    const T a = random.wide_real<T>(exponents), b = random.wide_real<T>(exponents);
    T c = random.wide_real<T>(exponents);
    // Every other time nearly all of the product cancels.
    if (i % 4 < 2) c = -a * b * (1 + static_cast<T>(i % 3) * std::numeric_limits<T>::epsilon());
    const number x(a), y(b), z(c), positive(std::abs(a));
    const T fma = rounded<T>([&](mpfr_ptr r) { return mpfr_fma(r, x, y, z, MPFR_RNDN); });
    const T quotient = rounded<T>([&](mpfr_ptr r) { return mpfr_div(r, x, y, MPFR_RNDN); });
    const T root = rounded<T>([&](mpfr_ptr r) { return mpfr_sqrt(r, positive, MPFR_RNDN); });
    if (std::isfinite(c)) {
      ASSERT_EQ(real::fma(a, b, c), fma) << a << ' ' << b << ' ' << c;
    }
    ASSERT_EQ(real::div(a, b), quotient) << a << ' ' << b;
    ASSERT_EQ(real::sqrt(std::abs(a)), root) << a;
  }
}

TEST(float_fma, does_not_round_twice) {
  // The product lies half-way between two floats; a double of the sum forgets on which side c puts it.
  const volatile float a = 1 + 0x1p-12f, c = 0x1p-80f;
  const float below = 1 + 0x1p-11f, above = below + 0x1p-23f;
  EXPECT_EQ(real::fma(static_cast<float>(a), static_cast<float>(a), static_cast<float>(c)), above);
  EXPECT_EQ(real::fma(static_cast<float>(a), static_cast<float>(a), static_cast<float>(-c)), below);
  // Likewise in the subnormal range, where the result has fewer digits.
  const volatile float d = 0x1.000002p-75f, e = 0x1p-75f;
  EXPECT_EQ(real::fma(static_cast<float>(d), static_cast<float>(e), 0.0f), 0x1p-149f);
  EXPECT_EQ(real::fma(static_cast<float>(e), static_cast<float>(e), 0.0f), 0.0f);
}

TEST(sqrt_from_estimate, rounds_correctly_whatever_the_estimate) {
  // All of [1, 4), and estimates up to 6 ulp away, of which a GPU's is one (at most 2).
  const std::uint32_t one = real::to_bits(1.0f), four = real::to_bits(4.0f);
  std::int64_t wrong = 0, exact_without_iteration = 0;
#pragma omp parallel for reduction(+ : wrong, exact_without_iteration)
  for (std::uint32_t b = one; b < four; ++b) {
    const float x = real::from_bits(b), root = std::sqrt(x);
    const std::uint32_t nearest = real::to_bits(static_cast<float>(1 / std::sqrt(static_cast<double>(x))));
    for (std::uint32_t ulp = 0; ulp <= 12; ++ulp) {
      const float y = real::from_bits(nearest + ulp - 6);
      wrong += real::sqrt_from_estimate(x, y) != root;
      exact_without_iteration += real::mul(x, y) == root;
    }
  }
  EXPECT_EQ(wrong, 0);
  // That the estimates were estimates.
  EXPECT_LT(exact_without_iteration, 13 * std::int64_t{four - one} / 4);
  // Multiples by powers of four, as far as normals need them.
  for (const float x : {0x1p-33f, 0x1.8p-31f, 46.0f, 0x1.6p5f}) {
    EXPECT_EQ(real::sqrt_from_estimate(x, static_cast<float>(1 / std::sqrt(static_cast<double>(x)))),
              std::sqrt(x));
  }
}

}  // namespace
}  // namespace rivus
