#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <rivus/reduce.hpp>
#include <span>
#include <thread>
#include <vector>

#include "float_modes.hpp"
#include "reference.hpp"

namespace rivus {
namespace {

using test::as_word;
using test::canonical_nan;

template <class T>
T expected_sum(std::span<const T> x) {
  return test::sum_of<T>(x.size(), [&](std::size_t i) { return x[i]; });
}
template <class T>
T expected_dot(std::span<const T> x, std::span<const T> y) {
  return test::dot_of<T>(
      x.size(), [&](std::size_t i) { return x[i]; }, [&](std::size_t i) { return y[i]; });
}

template <class T>
class reduce : public ::testing::Test {
 public:
  static std::vector<T> values(std::size_t n, std::uint64_t seed, int exponents = 20) {
    test::words random(seed);
    std::vector<T> x(n);
    for (T& v : x) v = random.wide_real<T>(exponents);
    return x;
  }

  // On every instruction set, what the reference makes of the first n.
  static void expect_equal(const std::vector<T>& x, const std::vector<T>& y, std::size_t n) {
    const std::span<const T> xs(x.data(), n), ys(y.data(), n);
    const T sum_of = expected_sum(xs), dot_of = expected_dot(xs, ys);
    test::for_each_isa([&] {
      ASSERT_EQ(as_word(sum(xs)), as_word(sum_of)) << "sum of " << n;
      ASSERT_EQ(as_word(dot(xs, ys)), as_word(dot_of)) << "dot of " << n;
    });
  }
};
using reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(reduce, reals);

TYPED_TEST(reduce, short_sums_are_what_they_look_like) {
  using T = TypeParam;
  test::for_each_isa([] {
    const std::vector<T> x = {1, 2, 3, 4.5};
    const std::vector<T> y = {2, -1, 0, 10};
    EXPECT_EQ(sum(std::span<const T>(x)), T(10.5));
    EXPECT_EQ(dot(std::span<const T>(x), std::span<const T>(y)), T(45));
    EXPECT_EQ(as_word(sum(x.data(), 0)), as_word(T(0)));
    EXPECT_EQ(as_word(dot(x.data(), y.data(), 0)), as_word(T(0)));
    EXPECT_EQ(as_word(sum(std::span<const T>())), as_word(T(0)));
    EXPECT_EQ(sum(static_cast<const T*>(nullptr), 0), T(0));
  });
}

// Lane 0 meets element 32 before lane 16 meets lane 0: the order decides what survives.
TYPED_TEST(reduce, rounds_in_the_order_of_the_specification) {
  using T = TypeParam;
  const T large = 1 / std::numeric_limits<T>::epsilon() * 2;
  std::vector<T> x(64, T(0));
  x[0] = large;
  x[16] = 1;
  x[32] = -large;
  EXPECT_EQ(sum(std::span<const T>(x)), T(1));
  x[32] = 0;
  x[16] = 1;
  x[8] = -large;
  EXPECT_EQ(sum(std::span<const T>(x)), T(0));
}

TYPED_TEST(reduce, of_every_short_length) {
  const auto x = this->values(300, 1), y = this->values(300, 2);
  for (std::size_t n = 0; n <= 300; ++n) this->expect_equal(x, y, n);
}

TYPED_TEST(reduce, around_whole_chunks) {
  const test::threads_kept kept;
  omp_set_num_threads(1);
  const auto x = this->values(65 * 2048 + 65, 3), y = this->values(65 * 2048 + 65, 4);
  for (const std::size_t chunks : {1u, 2u, 3u, 4u, 7u, 31u, 32u, 33u, 64u, 65u}) {
    for (const int end : {-65, -33, -32, -31, -1, 0, 1, 15, 16, 17, 31, 32, 33, 63, 65}) {
      this->expect_equal(x, y, chunks * 2048 + static_cast<std::size_t>(end));
    }
  }
}

TYPED_TEST(reduce, on_three_levels) {
  using T = TypeParam;
  const std::size_t most = 2048 * 2048 + 2048 + 77;
  const auto x = this->values(most, 3), y = this->values(most, 4);
  for (const std::size_t n : {std::size_t{2048 * 2048}, std::size_t{2048 * 2048 + 1}, most}) {
    const std::span<const T> xs(x.data(), n), ys(y.data(), n);
    const T sum_of = expected_sum(xs), dot_of = expected_dot(xs, ys);
    test::for_each_isa([&] {
      test::for_each_thread_count([&] {
        EXPECT_EQ(as_word(sum(xs)), as_word(sum_of));
        EXPECT_EQ(as_word(dot(xs, ys)), as_word(dot_of));
      });
    });
  }
}

TYPED_TEST(reduce, does_not_depend_on_alignment) {
  using T = TypeParam;
  const std::size_t n = 5000;
  const auto x = this->values(n, 5), y = this->values(n, 6);
  const T sum_of = expected_sum<T>(x), dot_of = expected_dot<T>(x, y);
  std::vector<unsigned char> xs(n * sizeof(T) + 128), ys(n * sizeof(T) + 128);
  test::for_each_isa([&] {
    for (std::size_t offset = 0; offset <= 64; ++offset) {
      std::memcpy(xs.data() + offset, x.data(), n * sizeof(T));
      std::memcpy(ys.data() + 3 * offset % 65, y.data(), n * sizeof(T));
      const T* const px = reinterpret_cast<const T*>(xs.data() + offset);
      const T* const py = reinterpret_cast<const T*>(ys.data() + 3 * offset % 65);
      ASSERT_EQ(as_word(sum(px, n)), as_word(sum_of)) << "offset " << offset;
      ASSERT_EQ(as_word(dot(px, py, n)), as_word(dot_of)) << "offset " << offset;
    }
  });
}

TYPED_TEST(reduce, does_not_depend_on_the_threads) {
  using T = TypeParam;
  const std::size_t n = 1'000'003;
  const auto x = this->values(n, 7), y = this->values(n, 8);
  const T sum_of = expected_sum<T>(x), dot_of = expected_dot<T>(x, y);
  test::for_each_isa([&] {
    test::for_each_thread_count([&] {
      EXPECT_EQ(as_word(sum(std::span<const T>(x))), as_word(sum_of));
      EXPECT_EQ(as_word(dot(std::span<const T>(x), std::span<const T>(y))), as_word(dot_of));
    });
  });
}

TYPED_TEST(reduce, several_threads_sum_at_once) {
  using T = TypeParam;
  const test::threads_kept kept;
  omp_set_num_threads(2);
  const auto x = this->values(300'001, 9);
  const T expected = expected_sum<T>(x);
  std::vector<T> results(4);
  std::vector<std::thread> threads;
  for (T& result : results) threads.emplace_back([&] { result = sum(std::span<const T>(x)); });
  for (std::thread& t : threads) t.join();
  for (const T result : results) EXPECT_EQ(as_word(result), as_word(expected));
}

TYPED_TEST(reduce, keeps_the_sign_of_zero) {
  using T = TypeParam;
  test::for_each_isa([] {
    for (const std::size_t n : {1u, 5u, 31u, 32u, 33u, 100u, 2048u, 2049u, 5000u}) {
      const std::vector<T> minus(n, T(-0.0)), one(n, T(1));
      EXPECT_EQ(as_word(sum(std::span<const T>(minus))), as_word(T(-0.0))) << n;
      EXPECT_EQ(as_word(dot(std::span<const T>(minus), std::span<const T>(one))), as_word(T(-0.0))) << n;
      auto mixed = minus;
      mixed[n / 2] = 0;
      EXPECT_EQ(as_word(sum(std::span<const T>(mixed))), as_word(T(0))) << n;
      EXPECT_EQ(as_word(dot(std::span<const T>(mixed), std::span<const T>(one))), as_word(T(0))) << n;
      // A value and its opposite make +0.
      if (n > 1) {
        mixed[0] = 3, mixed[n - 1] = -3;
        EXPECT_EQ(as_word(sum(std::span<const T>(mixed))), as_word(T(0))) << n;
      }
    }
  });
}

TYPED_TEST(reduce, makes_every_nan_canonical) {
  using T = TypeParam;
  constexpr T inf = test::infinity<T>;
  const T nans[] = {test::any_nan<T>, -test::any_nan<T>,
                    test::as_real<T>(static_cast<test::word_of<T>>(as_word(inf) + 1)),
                    test::as_real<T>(static_cast<test::word_of<T>>(-1))};
  test::for_each_isa([&] {
    for (const std::size_t n : {1u, 2u, 33u, 100u, 2048u, 4097u, 10000u}) {
      const std::vector<T> one(n, T(1));
      const auto expect_nan = [&](const std::vector<T>& x) {
        EXPECT_EQ(as_word(sum(std::span<const T>(x))), canonical_nan<T>) << n;
        EXPECT_EQ(as_word(dot(std::span<const T>(x), std::span<const T>(one))), canonical_nan<T>) << n;
        EXPECT_EQ(as_word(dot(std::span<const T>(one), std::span<const T>(x))), canonical_nan<T>) << n;
      };
      for (const T nan : nans) {
        for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
          std::vector<T> x(n, T(2));
          x[at] = nan;
          expect_nan(x);
        }
      }
      if (n > 1) {
        std::vector<T> x(n, T(2));
        x[0] = inf, x[n - 1] = -inf;
        expect_nan(x);
      }
      std::vector<T> zeros(n, T(0)), infinities(n, inf);
      EXPECT_EQ(as_word(dot(std::span<const T>(zeros), std::span<const T>(infinities))), canonical_nan<T>);
    }
  });
}

TYPED_TEST(reduce, carries_infinities_and_overflow) {
  using T = TypeParam;
  constexpr T inf = test::infinity<T>, large = std::numeric_limits<T>::max();
  test::for_each_isa([&] {
    for (const std::size_t n : {2u, 40u, 3000u}) {
      std::vector<T> x(n, T(1));
      x[n / 2] = -inf;
      EXPECT_EQ(sum(std::span<const T>(x)), -inf);
      EXPECT_EQ(dot(std::span<const T>(x), std::span<const T>(x)), inf);
      const std::vector<T> huge(n, large);
      EXPECT_EQ(sum(std::span<const T>(huge)), inf);
    }
  });
}

TYPED_TEST(reduce, keeps_subnormals) {
  using T = TypeParam;
  constexpr T tiny = std::numeric_limits<T>::denorm_min();
  test::for_each_isa([&] {
    const std::vector<T> x(5000, 3 * tiny), one(5000, T(1));
    EXPECT_EQ(sum(std::span<const T>(x)), 15000 * tiny);
    EXPECT_EQ(dot(std::span<const T>(x), std::span<const T>(one)), 15000 * tiny);
  });
}

// A product rounded before it is added would lose what fma keeps.
TYPED_TEST(reduce, dot_rounds_once_a_step) {
  using T = TypeParam;
  constexpr T e = std::numeric_limits<T>::epsilon();
  std::vector<T> x(64, T(0)), y(64, T(0));
  x[0] = 1, y[0] = -1;
  x[32] = 1 + e, y[32] = 1 - e;
  test::for_each_isa([&] { EXPECT_EQ(dot(std::span<const T>(x), std::span<const T>(y)), -e * e); });
}

TYPED_TEST(reduce, any_data_of_any_length) {
  using T = TypeParam;
  test::words random(10);
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t n = random.below(std::uint64_t{1} << (1 + random.below(15)));
    std::vector<T> x(n), y(n);
    const int kind = static_cast<int>(random.below(4));
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = kind == 0 ? test::as_real<T>(static_cast<test::word_of<T>>(random()))
                       : random.wide_real<T>(30 * kind);
      y[i] = kind == 3 ? -x[i] : random.wide_real<T>(30);
    }
    this->expect_equal(x, y, n);
  }
}

TYPED_TEST(reduce, refuses_spans_of_different_lengths) {
  using T = TypeParam;
  const std::vector<T> x(5), y(7);
  const std::string message =
      test::error_of([&] { (void)dot(std::span<const T>(x), std::span<const T>(y)); });
  EXPECT_TRUE(test::mentions(message, {"rivus::dot", "x", "5", "y", "7"}));
}

TYPED_TEST(reduce, refuses_null_pointers) {
  using T = TypeParam;
  const T x[3] = {1, 2, 3};
  const T* const null = nullptr;
  EXPECT_TRUE(test::mentions(test::error_of([&] { (void)sum(null, 3); }), {"rivus::sum", "x", "null"}));
  EXPECT_TRUE(test::mentions(test::error_of([&] { (void)dot(null, x, 3); }), {"rivus::dot", "x is null"}));
  EXPECT_TRUE(test::mentions(test::error_of([&] { (void)dot(x, null, 3); }), {"rivus::dot", "y is null"}));
  EXPECT_EQ(dot(null, null, 0), T(0));
}

TYPED_TEST(reduce, refuses_floating_point_modes_that_change_values) {
  using T = TypeParam;
  const std::vector<T> x(100, T(1));
  test::for_each_float_mode([&](const char* complaint) {
    const auto before = test::float_mode::current();
    EXPECT_TRUE(test::mentions(test::error_of<std::runtime_error>([&] { (void)sum(x.data(), 100); }),
                               {"rivus::sum", complaint}));
    EXPECT_TRUE(
        test::mentions(test::error_of<std::runtime_error>([&] { (void)dot(x.data(), x.data(), 100); }),
                       {"rivus::dot", complaint}));
    EXPECT_EQ(test::float_mode::current(), before);
  });
}

}  // namespace
}  // namespace rivus
