#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <rivus/exact.hpp>
#include <rivus/reduce.hpp>
#include <span>
#include <thread>
#include <vector>
#if defined(RIVUS_HAVE_RAPIDCHECK)
#include <rapidcheck.h>
#endif

#include "float_modes.hpp"
#include "support.hpp"

namespace rivus {
namespace {

using test::as_word;

// The reference: sums in fixed point, of positive and of negative terms apart, as integers in units of 2^-2304; and
// rounding by search among all values of the type.
class big {
 public:
  static constexpr int bias = 2304;

  // Adds m * 2^e.
  void add(std::uint64_t m, int e) {
    const auto at = static_cast<unsigned>(e + bias), shift = at % 32;
    const std::uint64_t low = m << shift, high = shift == 0 ? 0 : m >> (64 - shift);
    const std::uint64_t parts[] = {low & 0xFFFFFFFFu, low >> 32, high};
    std::uint64_t carry = 0;
    for (std::size_t k = 0; k < 3 || carry != 0; ++k) {
      std::uint32_t& digit = digits_.at(at / 32 + k);
      carry += digit + (k < 3 ? parts[k] : 0);
      digit = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  void add(const big& b) { combine(b, 1); }
  void subtract(const big& b) { combine(b, -1); }
  friend bool operator<(const big& a, const big& b) {
    return std::lexicographical_compare(a.digits_.rbegin(), a.digits_.rend(), b.digits_.rbegin(),
                                        b.digits_.rend());
  }
  friend bool operator==(const big& a, const big& b) { return a.digits_ == b.digits_; }

 private:
  void combine(const big& b, std::int64_t sign) {
    std::int64_t carry = 0;
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      const std::int64_t sum =
          static_cast<std::int64_t>(digits_[i]) + sign * static_cast<std::int64_t>(b.digits_[i]) + carry;
      digits_[i] = static_cast<std::uint32_t>(sum);
      carry = sum >> 32;
    }
  }
  std::array<std::uint32_t, 144> digits_{};
};

// Every type as double, by its definition.
double as_double(float x) { return x; }
double as_double(double x) { return x; }
double of_fields(int bits, int exponent_bits, int fraction_bits) {
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const int field = bits >> fraction_bits & ((1 << exponent_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = bits >> (exponent_bits + fraction_bits) & 1 ? -1 : 1;
  if (field == (1 << exponent_bits) - 1) return fraction ? NAN : sign * INFINITY;
  return sign * std::ldexp(field == 0 ? fraction : fraction + (1 << fraction_bits),
                           std::max(field, 1) - bias - fraction_bits);
}
double as_double(f16 x) { return of_fields(x.bits, 5, 10); }
double as_double(bf16 x) { return of_fields(x.bits, 8, 7); }

template <class T>
struct type_facts {
  static constexpr int infinity_exponent = sizeof(T) == 8 ? 1024 : 128;
  static constexpr test::word_of<T> infinity =
      sizeof(T) == 8 ? test::word_of<T>(0x7ff0000000000000u) : test::word_of<T>(0x7f800000u);
  static constexpr test::word_of<T> nan = test::canonical_nan<T>;
};
template <>
struct type_facts<f16> {
  static constexpr int infinity_exponent = 16;
  static constexpr std::uint16_t infinity = 0x7c00, nan = 0x7e00;
};
template <>
struct type_facts<bf16> {
  static constexpr int infinity_exponent = 128;
  static constexpr std::uint16_t infinity = 0x7f80, nan = 0x7fc0;
};

template <class T>
class reference {
 public:
  using word = test::word_of<T>;
  using facts = type_facts<T>;

  void add(double x) {
    all_minus_zero_ &= x == 0 && std::signbit(x);
    some_ = true;
    if (!std::isfinite(x)) return add_special(x);
    int e = 0;
    const double m = std::frexp(std::abs(x), &e);
    sums_[std::signbit(x)].add(static_cast<std::uint64_t>(std::ldexp(m, 53)), e - 53);
  }
  void add_product(double x, double y) {
    if (x == 0 || y == 0 || !std::isfinite(x) || !std::isfinite(y)) return add(x * y);
    all_minus_zero_ = false;
    some_ = true;
    int e = 0, f = 0;
    const auto m = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::abs(x), &e), 53));
    const auto n = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::abs(y), &f), 53));
    // By halves, whose products fit.
    for (const int i : {0, 32}) {
      for (const int j : {0, 32}) {
        sums_[std::signbit(x) != std::signbit(y)].add((m >> i & 0xFFFFFFFFu) * (n >> j & 0xFFFFFFFFu),
                                                      e + f - 106 + i + j);
      }
    }
  }

  // Of finite values alone.
  void add(const reference& r) {
    for (const int i : {0, 1}) sums_[i].add(r.sums_[i]);
    all_minus_zero_ &= r.all_minus_zero_;
    some_ |= r.some_;
  }
  void multiply(std::size_t times) {
    for (big& sum : sums_) {
      big product, doubled = sum;
      for (std::size_t t = times; t > 0; t /= 2) {
        if (t % 2 != 0) product.add(doubled);
        doubled.add(big(doubled));
      }
      sum = product;
    }
  }

  word result() const {
    if (nan_ || (infinite_[0] && infinite_[1])) return facts::nan;
    if (infinite_[0]) return facts::infinity;
    if (infinite_[1]) return with_sign(facts::infinity);
    const bool negative = sums_[0] < sums_[1];
    big rest = sums_[negative];
    rest.subtract(sums_[!negative]);
    if (rest == big{}) return some_ && all_minus_zero_ ? with_sign(0) : 0;
    // The largest value not above, and the one after it, of which infinity stands for 2^infinity_exponent.
    word low = 0, high = facts::infinity;
    while (high - low > 1) {
      const auto middle = static_cast<word>(low + (high - low) / 2);
      (rest < of_word(middle) ? high : low) = middle;
    }
    if (!(rest < of_word(facts::infinity))) return negative ? with_sign(facts::infinity) : facts::infinity;
    big twice = rest, limit = of_word(low);
    twice.add(rest);
    limit.add(of_word(high));
    const bool up = limit < twice || (limit == twice && low % 2 != 0);
    const word nearest = up ? high : low;
    return negative ? with_sign(nearest) : nearest;
  }

 private:
  static word with_sign(word w) { return static_cast<word>(w | word{1} << (8 * sizeof(word) - 1)); }
  static big of_word(word w) {
    big b;
    if (w == facts::infinity) {
      b.add(1, facts::infinity_exponent);
    } else {
      int e = 0;
      const double m = std::frexp(as_double(std::bit_cast<T>(w)), &e);
      b.add(static_cast<std::uint64_t>(std::ldexp(m, 53)), e - 53);
    }
    return b;
  }
  void add_special(double x) {
    if (std::isnan(x)) {
      nan_ = true;
    } else {
      infinite_[std::signbit(x)] = true;
    }
  }

  big sums_[2];
  bool nan_ = false, infinite_[2] = {}, all_minus_zero_ = true, some_ = false;
};

template <class T>
auto expected_sum(std::span<const T> x) {
  reference<T> r;
  for (const T v : x) r.add(as_double(v));
  return r.result();
}
template <class T>
auto expected_dot(std::span<const T> x, std::span<const T> y) {
  reference<T> r;
  for (std::size_t i = 0; i < x.size(); ++i) r.add_product(as_double(x[i]), as_double(y[i]));
  return r.result();
}

// Values of T whose magnitude is about 2^(-e) to 2^e, as far as T has them.
template <class T>
T nearest(double x) {
  if constexpr (sizeof(T) == 2) {
    return real::narrow<T>(static_cast<float>(x));
  } else {
    return static_cast<T>(x);
  }
}
template <class T>
T any_value(test::words& random, int exponents) {
  return nearest<T>(random.wide_real<double>(exponents));
}
template <class T>
T any_bits(test::words& random) {
  return std::bit_cast<T>(static_cast<test::word_of<T>>(random()));
}
template <class T>
bool is_finite(T x) {
  return std::isfinite(as_double(x));
}

template <class T>
class exact : public ::testing::Test {
 public:
  static std::vector<T> values(std::size_t n, std::uint64_t seed, int exponents = 3) {
    test::words random(seed);
    std::vector<T> x(n);
    for (T& v : x) v = any_value<T>(random, exponents);
    return x;
  }
  static void expect_equal(std::span<const T> x, std::span<const T> y) {
    const auto sum_of = expected_sum(x), dot_of = expected_dot(x, y);
    test::for_each_isa([&] {
      ASSERT_EQ(as_word(exact_sum(x)), sum_of) << "sum of " << x.size();
      ASSERT_EQ(as_word(exact_dot(x, y)), dot_of) << "dot of " << x.size();
    });
  }
  static void expect_equal(const std::vector<T>& x, const std::vector<T>& y) {
    expect_equal(std::span<const T>(x), std::span<const T>(y));
  }
};
using types = ::testing::Types<float, double, f16, bf16>;
TYPED_TEST_SUITE(exact, types);

TYPED_TEST(exact, short_sums_are_what_they_look_like) {
  using T = TypeParam;
  const auto of = [](double x) { return nearest<T>(x); };
  const std::vector<T> x = {of(1), of(2), of(3), of(4.5)}, y = {of(2), of(-1), of(0), of(10)};
  test::for_each_isa([&] {
    EXPECT_EQ(as_double(exact_sum(std::span<const T>(x))), 10.5);
    EXPECT_EQ(as_double(exact_dot(std::span<const T>(x), std::span<const T>(y))), 45);
    EXPECT_EQ(as_word(exact_sum(x.data(), 0)), 0u);
    EXPECT_EQ(as_word(exact_dot(x.data(), y.data(), 0)), 0u);
    EXPECT_EQ(as_word(exact_sum(static_cast<const T*>(nullptr), 0)), 0u);
  });
}

TYPED_TEST(exact, of_every_short_length) {
  using T = TypeParam;
  const auto x = this->values(200, 1), y = this->values(200, 2);
  for (std::size_t n = 0; n <= 200; ++n) {
    this->expect_equal(std::span<const T>(x.data(), n), std::span<const T>(y.data(), n));
  }
}

TYPED_TEST(exact, around_whole_blocks) {
  using T = TypeParam;
  const auto x = this->values(8400, 3), y = this->values(8400, 4);
  for (const std::size_t block : {1024u, 2048u, 4096u, 8192u}) {
    for (const int end : {-17, -1, 0, 1, 8, 63, 65}) {
      const std::size_t n = block + static_cast<std::size_t>(end);
      this->expect_equal(std::span<const T>(x.data(), n), std::span<const T>(y.data(), n));
    }
  }
}

// Each width of exponents, from one that any window takes to one that none does.
TYPED_TEST(exact, of_any_range) {
  for (const int exponents : {0, 1, 10, 20, 40, 60, 100, 140, 500, 1060}) {
    SCOPED_TRACE(exponents);
    for (const std::size_t n : {100u, 3000u, 20000u}) {
      this->expect_equal(this->values(n, n, exponents), this->values(n, n + 1, exponents));
      this->expect_equal(this->values(n, n, exponents), this->values(n, n + 1, 1));
    }
  }
}

// A window that has to move, up and down, and blocks among others that fit into none.
TYPED_TEST(exact, of_a_range_that_changes) {
  using T = TypeParam;
  test::words random(5);
  std::vector<T> x, y;
  for (int block = 0; block < 12; ++block) {
    const int scale = static_cast<int>(random.below(200)) - 100,
              spread = static_cast<int>(random.below(4)) * 20;
    for (int i = 0; i < 2500; ++i) {
      x.push_back(nearest<T>(std::ldexp(random.wide_real<double>(spread), scale)));
      y.push_back(any_value<T>(random, spread));
    }
  }
  this->expect_equal(x, y);
  // One value far from the others.
  for (const double far : {1e30, -1e-30, 1e300, 1e-300, 0x1p-1074, 65504.0}) {
    auto z = this->values(10000, 6);
    z[7777] = nearest<T>(far);
    if (is_finite(z[7777])) this->expect_equal(z, this->values(10000, 7));
  }
}

TYPED_TEST(exact, of_any_bits) {
  using T = TypeParam;
  test::words random(8);
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t n = random.below(std::uint64_t{1} << (1 + random.below(13)));
    std::vector<T> x(n), y(n);
    for (std::size_t i = 0; i < n; ++i) {
      do x[i] = any_bits<T>(random);
      while (trial % 8 != 0 && !is_finite(x[i]));
      do y[i] = any_bits<T>(random);
      while (trial % 8 != 0 && !is_finite(y[i]));
    }
    this->expect_equal(x, y);
  }
}

// Every exponent and edge of the fraction, each with each of some others.
TYPED_TEST(exact, rounds_two_values_as_they_must) {
  using T = TypeParam;
  using word = test::word_of<T>;
  test::words random(9);
  std::vector<T> edges;
  constexpr int fraction_bits = sizeof(T) == 8 ? 52 : sizeof(T) == 4 ? 23 : std::is_same_v<T, f16> ? 10 : 7;
  const word fields = static_cast<word>(type_facts<T>::infinity >> fraction_bits);
  for (word field = 0; field < fields; field = static_cast<word>(field + (sizeof(T) == 8 ? 13 : 1))) {
    for (const word fraction : {word{0}, word{1}, static_cast<word>((word{1} << fraction_bits) - 1)}) {
      edges.push_back(std::bit_cast<T>(static_cast<word>(field << fraction_bits | fraction)));
    }
  }
  edges.push_back(std::bit_cast<T>(static_cast<word>(type_facts<T>::infinity - 1)));
  for (const T a : edges) {
    for (int i = 0; i < 12; ++i) {
      word w = std::bit_cast<word>(edges[random.below(edges.size())]);
      if (i % 2 != 0) {
        // Half an ulp away from a, or near it.
        w = static_cast<word>(std::bit_cast<word>(a) -
                              (static_cast<word>(fraction_bits + 1 - i / 4) << fraction_bits));
        if (w >= type_facts<T>::infinity) w = 0;
      }
      if (random.below(2) != 0) w = static_cast<word>(w | word{1} << (8 * sizeof(T) - 1));
      const std::array<T, 3> x{a, std::bit_cast<T>(w), std::bit_cast<T>(static_cast<word>(i % 3))};
      ASSERT_EQ(as_word(exact_sum(x.data(), 3)), expected_sum(std::span<const T>(x)));
      const std::array<T, 3> y{x[1], x[0], nearest<T>(-1)};
      ASSERT_EQ(as_word(exact_dot(x.data(), y.data(), 3)),
                expected_dot(std::span<const T>(x), std::span<const T>(y)));
    }
  }
}

TYPED_TEST(exact, an_intermediate_overflow_does_not_matter) {
  using T = TypeParam;
  const T largest = std::bit_cast<T>(static_cast<test::word_of<T>>(type_facts<T>::infinity - 1));
  const T minus = std::bit_cast<T>(
      static_cast<test::word_of<T>>(as_word(largest) | test::word_of<T>{1} << (8 * sizeof(T) - 1)));
  test::for_each_isa([&] {
    for (const std::size_t half : {1u, 50u, 5000u}) {
      std::vector<T> x(half, largest);
      x.resize(2 * half, minus);
      x.push_back(nearest<T>(1));
      EXPECT_EQ(as_double(exact_sum(std::span<const T>(x))), 1);
      const std::vector<T> ones(x.size(), nearest<T>(1));
      EXPECT_EQ(as_double(exact_dot(std::span<const T>(x), std::span<const T>(ones))), 1);
      const std::vector<T> all(x.size(), largest);
      EXPECT_EQ(as_word(exact_sum(std::span<const T>(all))), type_facts<T>::infinity);
      EXPECT_EQ(as_word(exact_dot(std::span<const T>(all), std::span<const T>(x))),
                as_word(nearest<T>(as_double(largest))));
      // Exactly: largest^2 half times, as often its opposite, and largest.
      EXPECT_EQ(as_word(exact_dot(std::span<const T>(all), std::span<const T>(all))),
                type_facts<T>::infinity);
    }
  });
}

TYPED_TEST(exact, keeps_the_sign_of_zero) {
  using T = TypeParam;
  const T minus_zero = nearest<T>(-0.0), one = nearest<T>(1);
  test::for_each_isa([&] {
    for (const std::size_t n : {1u, 5u, 31u, 32u, 33u, 100u, 5000u, 200000u}) {
      std::vector<T> x(n, minus_zero);
      const std::vector<T> ones(n, one);
      EXPECT_EQ(as_word(exact_sum(std::span<const T>(x))), as_word(minus_zero)) << n;
      EXPECT_EQ(as_word(exact_dot(std::span<const T>(x), std::span<const T>(ones))), as_word(minus_zero))
          << n;
      for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
        auto mixed = x;
        mixed[at] = nearest<T>(0);
        EXPECT_EQ(as_word(exact_sum(std::span<const T>(mixed))), 0u) << n;
        EXPECT_EQ(as_word(exact_dot(std::span<const T>(mixed), std::span<const T>(ones))), 0u) << n;
        if (n > 1) {
          mixed[at] = nearest<T>(3);
          mixed[(at + 1) % n] = nearest<T>(-3);
          EXPECT_EQ(as_word(exact_sum(std::span<const T>(mixed))), 0u) << n;
        }
      }
    }
    // A product that is too small for T is not zero, and neither is its sum with others.
    const T tiny = std::bit_cast<T>(test::word_of<T>{1});
    const std::vector<T> x(100, tiny), y(100, nearest<T>(-0.001));
    EXPECT_EQ(as_word(exact_dot(std::span<const T>(x), std::span<const T>(y))),
              expected_dot(std::span<const T>(x), std::span<const T>(y)));
  });
}

TYPED_TEST(exact, treats_nan_and_infinity_as_ieee_754_does) {
  using T = TypeParam;
  const T inf = std::bit_cast<T>(type_facts<T>::infinity), minus_inf = nearest<T>(-INFINITY);
  const T zero = nearest<T>(0), one = nearest<T>(1);
  const T odd_nan = std::bit_cast<T>(static_cast<test::word_of<T>>(~test::word_of<T>{0} - 1));
  const T least_nan = std::bit_cast<T>(static_cast<test::word_of<T>>(type_facts<T>::infinity + 1));
  for (const std::size_t n : {2u, 40u, 3000u, 9000u}) {
    const std::vector<T> ones(n, one);
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
      for (const T value : {inf, minus_inf, odd_nan, least_nan}) {
        auto x = ones;
        x[at] = value;
        this->expect_equal(x, ones);
        this->expect_equal(x, x);
        auto y = ones;
        y[at] = zero;
        this->expect_equal(x, y);
        x[(at + 1) % n] = inf;
        this->expect_equal(x, ones);
      }
    }
  }
}

TYPED_TEST(exact, keeps_subnormals) {
  using T = TypeParam;
  using word = test::word_of<T>;
  test::words random(10);
  std::vector<T> x(5000);
  for (T& v : x)
    v = std::bit_cast<T>(static_cast<word>(random.below(50) | (random() & 1) << (8 * sizeof(T) - 1)));
  this->expect_equal(x, this->values(5000, 11));
  this->expect_equal(x, x);
}

TYPED_TEST(exact, does_not_depend_on_order_threads_or_pieces) {
  using T = TypeParam;
  constexpr std::size_t n = 200'003;
  auto x = this->values(n, 12, 12), y = this->values(n, 13, 12);
  for (std::size_t i = 50'000; i < 60'000; ++i)
    x[i] = nearest<T>(std::ldexp(as_double(x[i]), static_cast<int>(i % 80) - 40));
  const auto sum_of = expected_sum<T>(x), dot_of = expected_dot<T>(x, y);
  test::words random(14);
  test::for_each_isa([&] {
    test::for_each_thread_count([&] {
      for (std::size_t i = n - 1; i > 0; --i) {
        const std::size_t j = random.below(i + 1);
        std::swap(x[i], x[j]);
        std::swap(y[i], y[j]);
      }
      ASSERT_EQ(as_word(exact_sum(std::span<const T>(x))), sum_of);
      ASSERT_EQ(as_word(exact_dot(std::span<const T>(x), std::span<const T>(y))), dot_of);
    });
    exact_accumulator<T> sums[3], all;
    for (std::size_t i = 0; i < n;) {
      const std::size_t m = std::min<std::size_t>(n - i, 1 + random.below(random.below(2) != 0 ? 40 : 40000));
      sums[random.below(3)].add(std::span<const T>(x.data() + i, m));
      i += m;
    }
    for (const int i : {2, 0, 1}) all += sums[i];
    ASSERT_EQ(as_word(all.value()), sum_of);
    exact_accumulator<T> other = sums[1];
    other.add(sums[0]);
    other.add(sums[2]);
    ASSERT_TRUE(all == other);
  });
}

TYPED_TEST(exact, does_not_depend_on_alignment) {
  using T = TypeParam;
  const std::size_t n = 5000;
  const auto x = this->values(n, 15), y = this->values(n, 16);
  const auto sum_of = expected_sum<T>(x), dot_of = expected_dot<T>(x, y);
  std::vector<unsigned char> xs(n * sizeof(T) + 64), ys(n * sizeof(T) + 64);
  test::for_each_isa([&] {
    for (std::size_t offset = 0; offset < 64; offset += sizeof(T)) {
      std::memcpy(xs.data() + offset, static_cast<const void*>(x.data()), n * sizeof(T));
      std::memcpy(ys.data() + 64 - sizeof(T) - offset, static_cast<const void*>(y.data()), n * sizeof(T));
      const T* const px = reinterpret_cast<const T*>(xs.data() + offset);
      const T* const py = reinterpret_cast<const T*>(ys.data() + 64 - sizeof(T) - offset);
      ASSERT_EQ(as_word(exact_sum(px, n)), sum_of) << offset;
      ASSERT_EQ(as_word(exact_dot(px, py, n)), dot_of) << offset;
    }
  });
}

// The states are equal, not the rounded values alone: where products become so small that the error of one has no
// bits to be exact in, and everywhere else.
TYPED_TEST(exact, bulk_and_single_additions_leave_the_same_state) {
  using T = TypeParam;
  for (const int scale :
       {-1000, -540, -530, -520, -510, -500, -490, -480, -460, -70, -60, -50, -10, 0, 60, 500, 510}) {
    for (const int spread : {1, 60}) {
      auto x = this->values(1500, 21, spread), y = this->values(1500, 22, spread);
      for (auto* const v : {&x, &y}) {
        for (T& value : *v) {
          const T scaled = nearest<T>(std::ldexp(as_double(value), scale));
          value = is_finite(scaled) ? scaled : value;
        }
      }
      exact_accumulator<T> sums, products;
      for (std::size_t i = 0; i < x.size(); ++i) {
        sums.add(x[i]);
        products.add_product(x[i], y[i]);
      }
      test::for_each_isa([&] {
        exact_accumulator<T> bulk_sums, bulk_products;
        bulk_sums.add(std::span<const T>(x));
        bulk_products.add_products(x.data(), y.data(), x.size());
        ASSERT_TRUE(bulk_sums == sums) << scale;
        ASSERT_TRUE(bulk_products == products) << scale;
      });
    }
  }
}

// Each addition of an accumulator to itself doubles it, far beyond the largest value.
TYPED_TEST(exact, accumulators_have_room_for_as_many_terms_as_memory) {
  using T = TypeParam;
  exact_accumulator<T> up, down;
  const T largest = std::bit_cast<T>(static_cast<test::word_of<T>>(type_facts<T>::infinity - 1));
  up.add_product(largest, largest);
  up.add(nearest<T>(1.5));
  down.add_product(largest, nearest<T>(-as_double(largest)));
  down.add(nearest<T>(-1.5));
  for (int i = 0; i < 62; ++i) {
    up += exact_accumulator<T>(up);
    down.add(exact_accumulator<T>(down));
  }
  EXPECT_EQ(as_word(up.value()), type_facts<T>::infinity);
  EXPECT_EQ(as_double(down.value()), -INFINITY);
  up.add(nearest<T>(0.5));
  up += down;
  EXPECT_EQ(as_double(up.value()), 0.5);
}

// Many terms of one sign: more than a block's integers hold.
TYPED_TEST(exact, of_many_equal_terms) {
  using T = TypeParam;
  for (const double value : {1.0, -65504.0, 0x1.8p-3}) {
    const std::vector<T> x(300'000, nearest<T>(value)), y(300'000, nearest<T>(-1.5));
    this->expect_equal(x, y);
  }
}

// One value in each block is so far from the others that the block fits no window: bins of exponents add it up. With more than
// 2^20 such values in one thread.
template <class T>
class exact_bins : public exact<T> {
 public:
  using word = test::word_of<T>;
  static constexpr int fraction_bits = real::format<T>::fraction_bits;
  static constexpr word fields = real::format<T>::infinity >> fraction_bits;
  static constexpr std::size_t distance = 512;  // no block is smaller
  const bool few = std::getenv("RIVUS_TEST_FEW") != nullptr;

  // Of the largest fraction, and of the exponent that is farthest.
  static T ordinary(word field) {
    return std::bit_cast<T>(static_cast<word>((field << fraction_bits) + (word{1} << fraction_bits) - 1));
  }
  static T stray(word field) {
    return std::bit_cast<T>(static_cast<word>(((field + fields / 2) % fields << fraction_bits) + 1));
  }
  static std::vector<T> values(std::size_t n, T ordinary, T stray) {
    std::vector<T> x(n, ordinary);
    for (std::size_t i = 0; i < n; i += distance) x[i] = stray;
    return x;
  }
  static word sum_of(std::size_t n, T ordinary, T stray) { return dot_of(n, ordinary, stray, T(1)); }
  static word dot_of(std::size_t n, T ordinary, T stray, T y) {
    const std::size_t strays = (n + distance - 1) / distance;
    reference<T> r, s;
    r.add_product(as_double(ordinary), as_double(y));
    s.add_product(as_double(stray), as_double(y));
    r.multiply(n - strays);
    s.multiply(strays);
    r.add(s);
    return r.result();
  }
};
using reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(exact_bins, reals);

TEST(exact_floats, of_a_million_ordinary_values) {
  std::vector<float> x(std::size_t{1} << 20, 1.75f);
  for (std::size_t i = 0; i < x.size(); i += 4096) x[i] = 1e-30f;
  test::for_each_isa([&] {
    test::for_each_thread_count([&] { EXPECT_EQ(exact_sum(x), 1834560.f); });
    exact_accumulator<float> a;
    a.add(x, executor::this_thread());
    EXPECT_EQ(a.value(), 1834560.f);
  });
}

TYPED_TEST(exact_bins, hold_values_of_every_exponent) {
  using T = TypeParam;
  constexpr std::size_t n = (std::size_t{1} << 20) + 5000;
  const auto step = TestFixture::fields / (this->few ? 5 : 255);
  for (test::word_of<T> field = 0; field < TestFixture::fields; field += step) {
    const T sign = field / step % 2 == 0 ? T(1) : T(-1);
    const T ordinary = sign * this->ordinary(field), stray = this->stray(field);
    const std::vector<T> x = this->values(n, ordinary, stray);
    ASSERT_EQ(as_word(exact_sum(x, executor::this_thread())), this->sum_of(n, ordinary, stray))
        << "exponent field " << +field;
    if (field / step % 8 != 0) continue;
    const T y = this->ordinary(TestFixture::fields / 2);
    ASSERT_EQ(as_word(exact_dot(x, std::vector<T>(n, y), executor::this_thread())),
              this->dot_of(n, ordinary, stray, y))
        << "exponent field " << +field;
  }
}

TYPED_TEST(exact_bins, of_any_number_of_threads) {
  using T = TypeParam;
  const std::size_t n = (std::size_t{1} << 20) * (this->few ? 1 : 7) + 5000;
  const T ordinary = this->ordinary(TestFixture::fields / 2), stray = -this->stray(TestFixture::fields / 2),
          y = T(-1.25);
  const std::vector<T> x = this->values(n, ordinary, stray), ys(n, y);
  const test::threads_kept kept;
  for (int threads = 1; threads <= 7; ++threads) {
    omp_set_num_threads(threads);
    EXPECT_EQ(as_word(exact_sum(x)), this->sum_of(n, ordinary, stray)) << threads << " threads";
    EXPECT_EQ(as_word(exact_dot(x, ys)), this->dot_of(n, ordinary, stray, y)) << threads << " threads";
  }
  omp_set_num_threads(1);
  test::for_each_isa([&] {
    EXPECT_EQ(as_word(exact_dot(x, ys)), this->dot_of(n, ordinary, stray, y));
    exact_accumulator<T> a;
    for (std::size_t i = 0, m = 1; i < n; i += m, m = std::min(n - i, 3 * m)) a.add(x.data() + i, m);
    EXPECT_EQ(as_word(a.value()), this->sum_of(n, ordinary, stray));
  });
}

TYPED_TEST(exact, accumulators_take_values_products_and_each_other) {
  using T = TypeParam;
  test::words random(17);
  for (int trial = 0; trial < 50; ++trial) {
    reference<T> expected;
    exact_accumulator<T> a;
    for (int i = 0; i < 40; ++i) {
      const T x = any_value<T>(random, 30), y = any_value<T>(random, 30);
      switch (random.below(4)) {
        case 0:
          a.add(x);
          expected.add(as_double(x));
          break;
        case 1:
          a.add_product(x, y);
          expected.add_product(as_double(x), as_double(y));
          break;
        case 2: {
          const auto xs = TestFixture::values(random.below(100), random()),
                     ys = TestFixture::values(100, random());
          a.add_products(xs.data(), ys.data(), xs.size());
          for (std::size_t k = 0; k < xs.size(); ++k)
            expected.add_product(as_double(xs[k]), as_double(ys[k]));
          break;
        }
        default: {
          exact_accumulator<T> b;
          b.add(y);
          a += b;
          expected.add(as_double(y));
        }
      }
      ASSERT_EQ(as_word(a.value()), expected.result());
    }
    const auto again = exact_accumulator<T>::from_bytes(a.to_bytes());
    ASSERT_TRUE(again == a);
    ASSERT_EQ(as_word(again.value()), as_word(a.value()));
  }
}

TYPED_TEST(exact, equal_sets_make_equal_bytes) {
  using T = TypeParam;
  const T inf = nearest<T>(INFINITY), minus_inf = nearest<T>(-INFINITY), nan = nearest<T>(NAN);
  const std::vector<T> sets[] = {{},
                                 {nearest<T>(-0.0), nearest<T>(-0.0)},
                                 {nearest<T>(-0.0), nearest<T>(0.0)},
                                 {nearest<T>(1), nearest<T>(-1), nearest<T>(-0.0)},
                                 {inf, minus_inf, nearest<T>(2)},
                                 {inf, nan, nearest<T>(2)},
                                 {inf, inf, nearest<T>(-2)},
                                 {nearest<T>(3), nearest<T>(-5), nearest<T>(-0.25)}};
  for (std::vector<T> set : sets) {
    exact_accumulator<T> first;
    first.add(std::span<const T>(set));
    for (std::size_t turn = 0; turn < set.size(); ++turn) {
      std::rotate(set.begin(), set.begin() + 1, set.end());
      exact_accumulator<T> one_by_one, merged;
      for (const T x : set) {
        one_by_one.add(x);
        exact_accumulator<T> alone;
        alone.add(x);
        merged += alone;
      }
      EXPECT_EQ(one_by_one.to_bytes(), first.to_bytes());
      EXPECT_EQ(merged.to_bytes(), first.to_bytes());
      // Among so many others that blocks and bins take them.
      std::vector<T> many = set;
      many.resize(20000, nearest<T>(-0.0));
      std::reverse(many.begin(), many.end());
      exact_accumulator<T> bulk = first;
      bulk.add(std::span<const T>(many));
      exact_accumulator<T> twice = first;
      twice += first;
      for (std::size_t i = set.size(); i < many.size(); ++i) twice.add(nearest<T>(-0.0));
      EXPECT_EQ(bulk.to_bytes(), twice.to_bytes());
    }
  }
  exact_accumulator<T> a, b;
  a.add(nearest<T>(1));
  EXPECT_FALSE(a == b);
  EXPECT_TRUE(a != b);
  b.add(nearest<T>(-0.0));
  EXPECT_TRUE(b != exact_accumulator<T>());
}

TYPED_TEST(exact, refuses_damaged_bytes) {
  using T = TypeParam;
  using accumulator = exact_accumulator<T>;
  accumulator a;
  a.add(nearest<T>(-1.5));
  const auto bytes = a.to_bytes();
  EXPECT_EQ(bytes[0], 'r');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int flip : {1, 0x80}) {
      auto damaged = bytes;
      damaged[i] = static_cast<unsigned char>(damaged[i] ^ flip);
      const std::string message = test::error_of([&] { (void)accumulator::from_bytes(damaged); });
      EXPECT_TRUE(test::mentions(message, {"rivus::exact_accumulator"})) << i;
    }
  }
  const auto message_of = [&](std::size_t at, unsigned char value) {
    auto damaged = bytes;
    damaged[at] = value;
    return test::error_of([&] { (void)accumulator::from_bytes(damaged); });
  };
  EXPECT_TRUE(test::mentions(message_of(3, 2), {"version byte = 2", "1"}));
  EXPECT_TRUE(test::mentions(message_of(4, 99), {"precision = 99"}));
  EXPECT_TRUE(test::mentions(message_of(20, 99), {"damaged"}));
  EXPECT_TRUE(
      test::mentions(test::error_of([&] { (void)accumulator::from_bytes(bytes.data(), bytes.size() - 1); }),
                     {"size = ", "must be"}));
}

TYPED_TEST(exact, refuses_null_pointers_and_unlike_spans) {
  using T = TypeParam;
  const T x[3] = {};
  const T* const null = nullptr;
  exact_accumulator<T> a;
  EXPECT_TRUE(
      test::mentions(test::error_of([&] { (void)exact_sum(null, 3); }), {"rivus::exact_sum", "x is null"}));
  EXPECT_TRUE(test::mentions(test::error_of([&] { (void)exact_dot(null, x, 3); }),
                             {"rivus::exact_dot", "x is null"}));
  EXPECT_TRUE(test::mentions(test::error_of([&] { (void)exact_dot(x, null, 3); }),
                             {"rivus::exact_dot", "y is null"}));
  EXPECT_TRUE(test::mentions(test::error_of([&] { a.add(null, 3); }),
                             {"rivus::exact_accumulator::add", "x is null"}));
  EXPECT_TRUE(test::mentions(
      test::error_of([&] { (void)exact_dot(std::span<const T>(x, 2), std::span<const T>(x, 3)); }),
      {"rivus::exact_dot", "x", "2", "y", "3"}));
  EXPECT_TRUE(a == exact_accumulator<T>());
}

TYPED_TEST(exact, refuses_floating_point_modes_that_change_values) {
  using T = TypeParam;
  const std::vector<T> x(100, nearest<T>(1));
  test::for_each_float_mode([&](const char* complaint) {
    EXPECT_TRUE(test::mentions(test::error_of<std::runtime_error>([&] { (void)exact_sum(x.data(), 100); }),
                               {"rivus::exact_sum", complaint}));
    EXPECT_TRUE(
        test::mentions(test::error_of<std::runtime_error>([&] { (void)exact_dot(x.data(), x.data(), 100); }),
                       {"rivus::exact_dot", complaint}));
  });
}

// 16-bit results round once: by way of float this would go the other way.
TEST(exact_16, rounds_once) {
  // 1 + 2^-11 is halfway between two f16, and 2^-40 above it is lost in a float.
  const std::vector<f16> x = {nearest<f16>(1), nearest<f16>(0x1p-11)};
  exact_accumulator<f16> a;
  a.add(std::span<const f16>(x));
  EXPECT_EQ(as_double(a.value()), 1);
  a.add_product(nearest<f16>(0x1p-20), nearest<f16>(0x1p-20));
  EXPECT_EQ(as_double(a.value()), 1 + 0x1p-10);
  exact_accumulator<bf16> b;
  b.add(nearest<bf16>(1));
  b.add(nearest<bf16>(0x1p-8));
  EXPECT_EQ(as_double(b.value()), 1);
  b.add(nearest<bf16>(0x1p-100));
  EXPECT_EQ(as_double(b.value()), 1 + 0x1p-7);
}

TEST(exact_threads, several_sum_at_once) {
  const test::threads_kept kept;
  omp_set_num_threads(2);
  const auto x = exact<float>::values(200'001, 18);
  const auto expected = expected_sum<float>(x);
  std::vector<float> results(4);
  std::vector<std::thread> threads;
  for (float& result : results) threads.emplace_back([&] { result = exact_sum(std::span<const float>(x)); });
  for (std::thread& t : threads) t.join();
  for (const float result : results) EXPECT_EQ(as_word(result), expected);
}

#if defined(RIVUS_HAVE_RAPIDCHECK)
// The same cases in every run, unless the caller asks for others.
const int seeded = setenv("RC_PARAMS", "seed=1 max_success=300", 0);

template <class T>
class exact_properties : public ::testing::Test {};
TYPED_TEST_SUITE(exact_properties, types);

template <class T>
std::vector<T> of_words(const std::vector<test::word_of<T>>& words) {
  std::vector<T> x;
  for (const auto w : words) x.push_back(std::bit_cast<T>(w));
  return x;
}
// Bits of all kinds: any, few that differ, and those of small integers.
template <class T>
auto words_of() {
  using word = test::word_of<T>;
  return rc::gen::container<std::vector<word>>(
      rc::gen::oneOf(rc::gen::arbitrary<word>(),
                     rc::gen::map(rc::gen::inRange(-100, 100), [](int i) { return as_word(nearest<T>(i)); }),
                     rc::gen::element(word{0}, word{1}, as_word(nearest<T>(-0.0)),
                                      static_cast<word>(type_facts<T>::infinity - 1))));
}

TYPED_TEST(exact_properties, the_sum_is_the_reference_s) {
  using T = TypeParam;
  EXPECT_TRUE(rc::check([] {
    const auto x = of_words<T>(*words_of<T>());
    RC_ASSERT(as_word(exact_sum(std::span<const T>(x))) == expected_sum<T>(x));
  }));
}

TYPED_TEST(exact_properties, the_dot_product_is_the_reference_s) {
  using T = TypeParam;
  EXPECT_TRUE(rc::check([] {
    auto x = of_words<T>(*words_of<T>()), y = of_words<T>(*words_of<T>());
    const std::size_t n = std::min(x.size(), y.size());
    x.resize(n), y.resize(n);
    RC_ASSERT(as_word(exact_dot(std::span<const T>(x), std::span<const T>(y))) == expected_dot<T>(x, y));
  }));
}

TYPED_TEST(exact_properties, any_division_and_order_makes_the_same_bytes) {
  using T = TypeParam;
  EXPECT_TRUE(rc::check([] {
    const auto x = of_words<T>(*words_of<T>());
    exact_accumulator<T> all;
    all.add(std::span<const T>(x));
    std::vector<exact_accumulator<T>> parts(3);
    for (const T v : x) parts[*rc::gen::inRange<std::size_t>(0, 3)].add(v);
    exact_accumulator<T> merged = parts[2];
    merged += exact_accumulator<T>::from_bytes(parts[0].to_bytes());
    merged += parts[1];
    RC_ASSERT(merged.to_bytes() == all.to_bytes());
    RC_ASSERT(as_word(merged.value()) == expected_sum<T>(x));
  }));
}
#endif

}  // namespace
}  // namespace rivus
