#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <rivus/half.hpp>
#include <rivus/reduce.hpp>
#include <rivus/reductions.hpp>
#include <vector>

#include "support.hpp"

namespace rivus {
namespace {

// The types by their definition: the value of bits in the range of finite ones, without sign.
template <class H>
struct fields;
template <>
struct fields<f16> {
  static constexpr int fraction_bits = 10, bias = 15;
};
template <>
struct fields<bf16> {
  static constexpr int fraction_bits = 7, bias = 127;
};
template <class H>
constexpr int infinity_bits = 0x7FFF >> fields<H>::fraction_bits << fields<H>::fraction_bits;
template <class H>
long double value_of(int bits) {
  const int fraction = bits & ((1 << fields<H>::fraction_bits) - 1), field = bits >> fields<H>::fraction_bits;
  return std::ldexp(
      static_cast<long double>(field == 0 ? fraction : fraction + (1 << fields<H>::fraction_bits)),
      std::max(field, 1) - fields<H>::bias - fields<H>::fraction_bits);
}
// The nearest by search; what would follow the largest value stands for infinity.
template <class H>
int nearest_bits(long double x) {
  if (std::isnan(x)) return infinity_bits<H> | 1 << (fields<H>::fraction_bits - 1);
  const int sign = std::signbit(x) ? 0x8000 : 0;
  x = std::abs(x);
  if (x >= value_of<H>(infinity_bits<H>)) return sign | infinity_bits<H>;
  int low = 0, high = infinity_bits<H>;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (value_of<H>(middle) <= x ? low : high) = middle;
  }
  const long double half = (value_of<H>(low) + value_of<H>(high)) / 2;
  return sign | (x > half || (x == half && low % 2 != 0) ? high : low);
}

template <class H>
class half : public ::testing::Test {
 public:
  template <class N>
  static void expect_nearest(N x) {
    ASSERT_EQ(H(x).bits, nearest_bits<H>(static_cast<long double>(x))) << static_cast<long double>(x);
  }
};
using halves = ::testing::Types<f16, bf16>;
TYPED_TEST_SUITE(half, halves);

TYPED_TEST(half, every_value_comes_back) {
  using H = TypeParam;
  for (int b = 0; b <= 0xFFFF; ++b) {
    const H h = H::from_bits(static_cast<std::uint16_t>(b));
    ASSERT_EQ(h.bits, b);
    const int magnitude = b & 0x7FFF;
    const auto x = static_cast<float>(h);
    if (magnitude > infinity_bits<H>) {
      ASSERT_EQ(test::as_word(x), test::canonical_nan<float>);
      continue;
    }
    const long double value =
        magnitude == infinity_bits<H> ? std::numeric_limits<long double>::infinity() : value_of<H>(magnitude);
    ASSERT_EQ(x, static_cast<float>((b & 0x8000) != 0 ? -value : value));
    ASSERT_EQ(H(x).bits, b);
    ASSERT_EQ(H(static_cast<double>(x)).bits, b);
  }
}

TYPED_TEST(half, rounds_floats_and_doubles_once) {
  using H = TypeParam;
  for (int b = 0; b < infinity_bits<H>; ++b) {
    // The middle to the next value, and what is next to it as float and as double: to the latter, by way of float, the middle.
    const auto middle = static_cast<double>((value_of<H>(b) + value_of<H>(b + 1)) / 2);
    const auto m = static_cast<float>(middle);
    for (const float x : {m, std::nextafter(m, 0.f), std::nextafter(m, 1e38f), -m}) this->expect_nearest(x);
    for (const double x : {middle, std::nextafter(middle, 0.), std::nextafter(middle, 1e300), -middle})
      this->expect_nearest(x);
    if (::testing::Test::HasFatalFailure()) return;
  }
  test::words random(1);
  for (int i = 0; i < 100'000; ++i) {
    const auto x = std::bit_cast<double>(std::uint64_t{random()} << 32 | random());
    if (!std::isnan(x)) this->expect_nearest(x);
    this->expect_nearest(random.wide_real<double>(170));
  }
  for (const double x :
       {0.0, -0.0, HUGE_VAL, -HUGE_VAL, 1e300, 0x1p-1074, 0x1.fffffffffffffp-134, 3.3895313892515355e38}) {
    this->expect_nearest(x);
    this->expect_nearest(static_cast<float>(x));
  }
  EXPECT_EQ(H(std::nan("")).bits, nearest_bits<H>(NAN));
}

TYPED_TEST(half, rounds_integers_once) {
  for (int i = -70'000; i <= 70'000; ++i) this->expect_nearest(i);
  for (int shift = 0; shift < 64; ++shift) {
    for (const std::uint64_t near : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
      for (const std::uint64_t high : {0x800u, 0x801u, 0x803u, 0xFFFu}) {
        const std::uint64_t u = (high << shift) + near;
        this->expect_nearest(u);
        this->expect_nearest(static_cast<std::int64_t>(u));
        this->expect_nearest(static_cast<std::uint32_t>(u));
        this->expect_nearest(static_cast<std::int8_t>(u));
      }
    }
  }
  this->expect_nearest(std::numeric_limits<std::int64_t>::min());
  this->expect_nearest(std::numeric_limits<std::int64_t>::max());
  this->expect_nearest(std::numeric_limits<std::uint64_t>::max());
}

TYPED_TEST(half, means_what_it_says) {
  using H = TypeParam;
  EXPECT_EQ(float(H(1.5f)), 1.5f);
  EXPECT_EQ(float(H(2)), 2.f);
  const std::vector<H> x(1000, H(0.5f));
  EXPECT_EQ(float(sum(x.data(), x.size())), 500.f);
  static_assert(H::from_bits(0x3c00).bits == 0x3c00);
  static_assert(sizeof(H) == 2 && std::is_trivially_copyable_v<H> &&
                std::is_trivially_default_constructible_v<H>);
  static_assert(!std::is_convertible_v<float, H> && !std::is_convertible_v<int, H> &&
                !std::is_convertible_v<H, float> && !std::is_convertible_v<H, int> &&
                !std::is_convertible_v<std::uint16_t, H>);
  static_assert(
      ![](auto b) { return requires { H::from_bits(b); }; }(true) &&
      ![](auto b) { return requires { H::from_bits(b); }; }(0.5f));
  static_assert(!std::is_constructible_v<H, bool> && !std::is_constructible_v<H, long double>);
}

}  // namespace
}  // namespace rivus
