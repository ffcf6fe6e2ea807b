#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <ranges>
#include <rivus/draws.hpp>
#include <rivus/fill.hpp>
#include <vector>

#include "distributions.hpp"
#include "support.hpp"

namespace rivus {
namespace {

using test::as_word;

constexpr stream s = stream::from_seed(42)["draws"];
constexpr std::uint64_t last = ~std::uint64_t{0};

static_assert(std::random_access_iterator<draw_iterator<uniform<float>>>);
static_assert(std::random_access_iterator<draw_iterator<integer<std::int64_t>>>);
static_assert(std::sized_sentinel_for<draw_iterator<bernoulli>, draw_iterator<bernoulli>>);
static_assert(std::is_trivially_copyable_v<draw_iterator<normal<double>>>);
static_assert(std::is_same_v<std::iterator_traits<draw_iterator<bernoulli>>::value_type, std::uint8_t>);
static_assert(drawn{s, bits<std::uint32_t>{}}(5) == s.word(5));
static_assert(*draws(s, bits<std::uint64_t>{}, 9) == s.bits64(9));

template <class T>
::testing::AssertionResult same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return ::testing::AssertionFailure() << a.size() << " for " << b.size();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (as_word(a[i]) != as_word(b[i])) return ::testing::AssertionFailure() << "element " << i;
  }
  return ::testing::AssertionSuccess();
}

TEST(draws, are_what_fill_writes) {
  test::for_each_distribution([](const char* name, auto d) {
    SCOPED_TRACE(name);
    using T = typename decltype(d)::value_type;
    for (const std::uint64_t first :
         {std::uint64_t{0}, std::uint64_t{3}, (std::uint64_t{1} << 34) - 7, last - 99}) {
      std::vector<T> filled(100), copied(100), transformed(100);
      fill(std::span<T>(filled), s, d, first);
      const auto it = draws(s, d, first);
      std::copy(it, it + 100, copied.begin());
      std::vector<std::uint64_t> indices(100);
      std::iota(indices.begin(), indices.end(), first);
      std::transform(indices.begin(), indices.end(), transformed.begin(), drawn{s, d});
      ASSERT_TRUE(same(copied, filled)) << first;
      ASSERT_TRUE(same(transformed, filled)) << first;
      for (int j : {0, 1, 50, 99}) {
        ASSERT_EQ(as_word(it[j]), as_word(filled[static_cast<std::size_t>(j)]));
      }
    }
  });
}

TEST(draws, steps_of_an_iterator) {
  const auto it = draws(s, bits<std::uint32_t>{}, 10);
  auto at = it;
  EXPECT_EQ(*at, s.word(10));
  EXPECT_EQ(*++at, s.word(11));
  EXPECT_EQ(*at++, s.word(11));
  EXPECT_EQ(*at--, s.word(12));
  EXPECT_EQ(*--at, s.word(10));
  EXPECT_EQ(*(at += 7), s.word(17));
  EXPECT_EQ(*(at -= 9), s.word(8));
  EXPECT_EQ(at[-3], s.word(5));
  EXPECT_EQ(*(it + 5), s.word(15));
  EXPECT_EQ(*(5 + it), s.word(15));
  EXPECT_EQ(*(it - 5), s.word(5));
  EXPECT_EQ((it + 5) - it, 5);
  EXPECT_EQ(it - (it + 5), -5);
  EXPECT_EQ((it + 5).position(), 15u);
  EXPECT_TRUE(it == it + 0 && it != it + 1 && it < it + 1 && it + 1 > it && it <= it && it >= it);
  EXPECT_FALSE(it != it + 0 || it == it + 1 || it + 1 < it || it > it + 1 || it + 1 <= it || it >= it + 1);
}

TEST(draws, the_index_counts_modulo_2_to_the_64) {
  const auto it = draws(s, bits<std::uint32_t>{}, last - 1), end = it + 5;
  EXPECT_EQ(end.position(), 3u);
  EXPECT_EQ(end - it, 5);
  EXPECT_TRUE(it < end);
  EXPECT_FALSE(end < it);
  const std::vector<std::uint32_t> expected = {s.word(last - 1), s.word(last), s.word(0), s.word(1),
                                               s.word(2)};
  EXPECT_EQ(std::vector<std::uint32_t>(it, end), expected);
}

TEST(draws, in_algorithms_and_ranges) {
  const integer<int> d{-1000, 1000};
  std::vector<int> filled(1000);
  fill(std::span<int>(filled), s, d, 77);
  const auto it = draws(s, d, 77);
  EXPECT_EQ(std::distance(it, it + 1000), 1000);
  EXPECT_EQ(std::accumulate(it, it + 1000, 0), std::accumulate(filled.begin(), filled.end(), 0));
  EXPECT_EQ(std::transform_reduce(it, it + 1000, it, std::int64_t{0}),
            std::inner_product(filled.begin(), filled.end(), filled.begin(), std::int64_t{0}));
  EXPECT_EQ(*std::max_element(it, it + 1000), *std::max_element(filled.begin(), filled.end()));
  EXPECT_EQ(std::count_if(it, it + 1000, [](int x) { return x > 0; }),
            std::count_if(filled.begin(), filled.end(), [](int x) { return x > 0; }));
  std::vector<int> reversed(filled.rbegin(), filled.rend());
  EXPECT_TRUE(std::equal(reversed.begin(), reversed.end(), std::reverse_iterator(it + 1000)));

  const std::ranges::subrange range(it, it + 1000);
  EXPECT_EQ(range.size(), 1000u);
  EXPECT_TRUE(std::ranges::equal(range, filled));
  std::vector<int> even;
  for (const int x : range | std::views::filter([](int y) { return y % 2 == 0; })) even.push_back(x);
  std::erase_if(filled, [](int x) { return x % 2 != 0; });
  EXPECT_EQ(even, filled);
}

}  // namespace
}  // namespace rivus
