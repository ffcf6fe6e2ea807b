// draws and engines in Thrust's algorithms on the host. THRUST_DEVICE_SYSTEM says which threads run them.
#include <gtest/gtest.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform.h>

#include <numeric>
#include <rivus/fill.hpp>
#include <rivus/philox_engine.hpp>
#include <rivus/thrust.hpp>
#include <vector>

#include "support.hpp"

namespace rivus {
namespace {

using test::as_word;

constexpr stream s = stream::from_seed(42)["thrust"];

template <class T>
::testing::AssertionResult same(const thrust::device_vector<T>& got, const std::vector<T>& expected) {
  if (got.size() != expected.size()) return ::testing::AssertionFailure() << got.size() << " elements";
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const T x = got[i];
    if (as_word(x) != as_word(expected[i])) return ::testing::AssertionFailure() << "element " << i;
  }
  return ::testing::AssertionSuccess();
}

template <class D>
void expect_draws(const char* name, D d) {
  SCOPED_TRACE(name);
  using T = typename D::value_type;
  for (const std::size_t n : {0, 1, 3, 31, 257, 10007}) {
    for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{5}, (std::uint64_t{1} << 34) - 130}) {
      SCOPED_TRACE(std::to_string(n) + " from " + std::to_string(first));
      std::vector<T> filled(n);
      fill(std::span<T>(filled), s, d, first);
      const auto it = draws(s, d, first);
      const auto count = static_cast<std::ptrdiff_t>(n);
      thrust::device_vector<T> copied(n), transformed(n), explicitly(n);
      thrust::copy(it, it + count, copied.begin());
      const thrust::counting_iterator<std::uint64_t> index(first);
      thrust::transform(index, index + count, transformed.begin(), drawn{s, d});
      thrust::transform(thrust::device, it, it + count, explicitly.begin(), [](T x) { return x; });
      ASSERT_TRUE(same(copied, filled));
      ASSERT_TRUE(same(transformed, filled));
      ASSERT_TRUE(same(explicitly, filled));
    }
  }
}

TEST(thrust_host, algorithms_see_what_fill_writes) {
  expect_draws("normal", normal<float>{1, 2});
  expect_draws("uniform", uniform<double>{});
  expect_draws("integer", integer<std::int32_t>{-7, 1000});
  expect_draws("bernoulli", bernoulli{0.3});
}

TEST(thrust_host, reductions_with_a_policy_and_without) {
  // Integers, whose sums do not depend on the order.
  const integer<std::int64_t> d{-1000000, 1000000};
  for (const int n : {0, 1, 1000, 50001}) {
    std::vector<std::int64_t> filled(static_cast<std::size_t>(n));
    fill(std::span<std::int64_t>(filled), s, d, 3);
    const std::int64_t sum = std::accumulate(filled.begin(), filled.end(), std::int64_t{0});
    const auto it = draws(s, d, 3);
    EXPECT_EQ(thrust::reduce(it, it + n), sum);
    EXPECT_EQ(thrust::reduce(thrust::host, it, it + n), sum);
    EXPECT_EQ(thrust::reduce(thrust::device, it, it + n), sum);
    EXPECT_EQ(thrust::inner_product(thrust::device, it, it + n, it, std::int64_t{0}),
              std::inner_product(filled.begin(), filled.end(), filled.begin(), std::int64_t{0}));
    thrust::device_vector<std::int64_t> sums(filled.size());
    thrust::inclusive_scan(it, it + n, sums.begin());
    std::partial_sum(filled.begin(), filled.end(), filled.begin());
    EXPECT_TRUE(same(sums, filled));
  }
}

TEST(thrust_host, an_engine_reads_the_words_of_its_stream) {
  static_assert(thrust_engine<>::min == 0 && thrust_engine<>::max == 0xFFFFFFFFu);
  static_assert(thrust_engine<philox4x64_engine>::max == ~std::uint64_t{0});
  thrust_engine words(s.lane(3)), later(s.lane(3), 100);
  cursor expected(s.lane(3));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(words(), expected());
  EXPECT_EQ(words, later);
  words.discard(5), later.discard(5), expected.discard(5);
  EXPECT_EQ(words(), expected());
  EXPECT_EQ(later.position(), 105u);

  thrust_engine<philox4x64_engine> standard(7);
  philox4x64_engine seven(7);
  for (int i = 0; i < 10; ++i) ASSERT_EQ(standard(), seven());
}

TEST(thrust_host, engines_drive_thrusts_distributions) {
  // The formula of Thrust's uniform_real_distribution: w / 2^32.
  thrust_engine words(s);
  thrust::uniform_real_distribution<double> unit;
  for (std::uint64_t i = 0; i < 100; ++i) ASSERT_EQ(unit(words), s.word(i) * 0x1p-32);
  thrust::uniform_int_distribution<int> die(1, 6);
  std::vector<int> counts(7);
  for (int i = 0; i < 6000; ++i) ++counts[static_cast<std::size_t>(die(words))];
  for (std::size_t face = 1; face <= 6; ++face) EXPECT_NEAR(counts[face], 1000, 6 * 29) << "face " << face;
  thrust::normal_distribution<double> gauss;
  thrust_engine<philox4x32_engine> standard(1);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) sum += gauss(words) + gauss(standard);
  EXPECT_NEAR(sum, 0, 6 * 142);
}

// An engine for each element, made from its lane.
struct die_of_lane {
  stream from;
  RIVUS_HD int operator()(std::uint64_t i) const {
    thrust_engine words(from.lane(i));
    thrust::uniform_int_distribution<int> die(1, 6);
    die(words);
    return die(words);
  }
};

// Without a wrapper: Thrust takes min and max as constants.
TEST(thrust_host, cursors_and_engines_go_into_distributions_as_they_are) {
  cursor words(s);
  thrust_engine<cursor> wrapped(s);
  philox4x32_engine engine(7u);
  thrust_engine<philox4x32_engine> wrapped_engine(7u);
  thrust::uniform_real_distribution<float> unit;
  thrust::uniform_int_distribution<int> die(1, 6);
  // Of its own each, as it may keep the second value of a pair.
  thrust::normal_distribution<double> gauss, other_gauss;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(unit(words), unit(wrapped));
    EXPECT_EQ(die(words), die(wrapped));
    EXPECT_EQ(gauss(engine), other_gauss(wrapped_engine));
  }
}

TEST(thrust_host, engines_inside_algorithms) {
  const thrust::counting_iterator<std::uint64_t> index(0);
  thrust::device_vector<int> dice(1000);
  thrust::transform(index, index + 1000, dice.begin(), die_of_lane{s});
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_EQ(dice[i], die_of_lane{s}(i));
}

}  // namespace
}  // namespace rivus
