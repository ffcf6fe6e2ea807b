// A statistical smoke test with fixed seeds. Each statistic accepts what the distribution claims to be, and
// must reject a neighbour of it, named beside it: a test too weak to tell them apart fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <rivus/fill.hpp>
#include <rivus/shuffle.hpp>
#include <span>
#include <string>
#include <vector>

#include "support.hpp"

namespace rivus {
namespace {

const stream root = stream::from_seed(20260801)["statistics"];

template <class D>
std::vector<typename D::value_type> draw(const char* name, std::size_t n, D d, stream from = root) {
  std::vector<typename D::value_type> x(n);
  fill(std::span(x), from[name], d);
  return x;
}

// Standard deviations from what is expected: under 4 is luck, over 6 is not.
#define EXPECT_ACCEPTED(deviations) EXPECT_LT(std::abs(deviations), 4)
#define EXPECT_REJECTED(deviations) EXPECT_GT(std::abs(deviations), 6)

// Pearson's chi-square of counts, as a standard normal deviate (Wilson and Hilferty).
double chi_square(const std::vector<double>& counts, const std::vector<double>& probabilities,
                  double freedom = 0) {
  const double n = std::accumulate(counts.begin(), counts.end(), 0.0);
  double x = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = n * probabilities[i];
    x += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  const double k = freedom > 0 ? freedom : static_cast<double>(counts.size() - 1);
  return (std::cbrt(x / k) - (1 - 2 / (9 * k))) / std::sqrt(2 / (9 * k));
}
std::vector<double> equal_shares(std::size_t cells) {
  return std::vector<double>(cells, 1.0 / static_cast<double>(cells));
}
// Even cells more frequent, odd ones less, by this fraction.
std::vector<double> tilted_shares(std::size_t cells, double by) {
  std::vector<double> p = equal_shares(cells);
  for (std::size_t i = 0; i < cells; ++i) p[i] *= i % 2 == 0 ? 1 + by : 1 - by;
  return p;
}
template <class T, class Cell>
std::vector<double> counts_of(const std::vector<T>& x, std::size_t cells, Cell cell) {
  std::vector<double> counts(cells);
  for (const T v : x) ++counts[static_cast<std::size_t>(cell(v))];
  return counts;
}

// Of a number of successes in n trials.
double binomial(double successes, std::size_t n, double p) {
  const double trials = static_cast<double>(n);
  return (successes - trials * p) / std::sqrt(trials * p * (1 - p));
}

// Kolmogorov and Smirnov's distance, times sqrt(n): above 1.95 once in a thousand times, above 2.7 once in a
// million.
template <class T, class Cdf>
double kolmogorov_smirnov(std::vector<T> x, Cdf cdf) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  double distance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double f = cdf(static_cast<double>(x[i])), at = static_cast<double>(i);
    distance = std::max({distance, f - at / n, (at + 1) / n - f});
  }
  return distance * std::sqrt(n);
}
#define EXPECT_DISTANCE_ACCEPTED(distance) EXPECT_LT(distance, 1.95)
#define EXPECT_DISTANCE_REJECTED(distance) EXPECT_GT(distance, 2.7)

// Correlation of x[i] with y[i] in standard deviations.
double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  const double mx = std::accumulate(x.begin(), x.end(), 0.0) / n,
               my = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mx) * (y[i] - my);
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
  }
  return xy / std::sqrt(xx * yy) * std::sqrt(n);
}
// x, and 1 % of y.
std::vector<double> blended(std::vector<double> x, const std::vector<double>& y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += 0.01 * y[i];
  return x;
}

TEST(statistics, bytes_are_equally_frequent) {
  const auto words = draw("bytes", 1 << 20, bits<std::uint32_t>{});
  for (int shift = 0; shift < 32; shift += 8) {
    const auto counts = counts_of(words, 256, [&](std::uint32_t w) { return w >> shift & 0xFF; });
    EXPECT_ACCEPTED(chi_square(counts, equal_shares(256))) << "byte " << shift / 8;
    EXPECT_REJECTED(chi_square(counts, tilted_shares(256, 0.02))) << "byte " << shift / 8;
  }
}

TEST(statistics, sixteen_bits_of_words_are_equally_frequent) {
  const auto words = draw("halves", 1 << 21, bits<std::uint64_t>{});
  for (int shift = 0; shift < 64; shift += 8) {
    const auto counts =
        counts_of(words, 65536, [&](std::uint64_t w) { return std::rotr(w, shift) & 0xFFFF; });
    EXPECT_ACCEPTED(chi_square(counts, equal_shares(65536))) << "bit " << shift;
    EXPECT_REJECTED(chi_square(counts, tilted_shares(65536, 0.06))) << "bit " << shift;
  }
}

template <class T>
class real_statistics : public ::testing::Test {};
using reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(real_statistics, reals);

TYPED_TEST(real_statistics, uniforms_are_uniform_up_to_1_and_not_1_01) {
  using T = TypeParam;
  const auto expect_uniform = [](const std::vector<T>& x) {
    EXPECT_DISTANCE_ACCEPTED(kolmogorov_smirnov(x, [](double u) { return u; }));
    EXPECT_DISTANCE_REJECTED(kolmogorov_smirnov(x, [](double u) { return u / 1.01; }));
  };
  constexpr std::size_t n = 1 << 18;
  expect_uniform(draw("co", n, uniform<T>{}));
  expect_uniform(draw("oc", n, uniform<T, interval::oc>{}));
  expect_uniform(draw("oo", n, uniform<T, interval::oo>{}));
  auto between = draw("between", n, uniform<T>{-3, 5});
  for (T& v : between) v = (v + 3) / 8;
  expect_uniform(between);
}

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

TYPED_TEST(real_statistics, normals_have_deviation_1_and_not_1_02_and_mean_0_and_not_0_01) {
  using T = TypeParam;
  const auto z = draw("normal", 1 << 20, normal<T>{});
  EXPECT_DISTANCE_ACCEPTED(kolmogorov_smirnov(z, normal_cdf));
  EXPECT_DISTANCE_REJECTED(kolmogorov_smirnov(z, [](double x) { return normal_cdf(x / 1.02); }));
  EXPECT_DISTANCE_REJECTED(kolmogorov_smirnov(z, [](double x) { return normal_cdf(x - 0.01); }));
  const auto shifted = draw("scaled normal", 1 << 20, normal<T>{3, T(0.5)});
  EXPECT_DISTANCE_ACCEPTED(kolmogorov_smirnov(shifted, [](double x) { return normal_cdf((x - 3) / 0.5); }));
  EXPECT_DISTANCE_REJECTED(kolmogorov_smirnov(shifted, [](double x) { return normal_cdf((x - 3) / 0.51); }));
}

TYPED_TEST(real_statistics, normal_tails_beyond_3_5_are_those_of_deviation_1_and_not_1_05) {
  using T = TypeParam;
  const auto z = draw("tails", 1 << 22, normal<T>{});
  for (const T side : {T(-1), T(1)}) {
    const auto beyond =
        static_cast<double>(std::count_if(z.begin(), z.end(), [&](T x) { return side * x > 3.5; }));
    EXPECT_ACCEPTED(binomial(beyond, z.size(), normal_cdf(-3.5)));
    EXPECT_REJECTED(binomial(beyond, z.size(), normal_cdf(-3.5 / 1.05)));
  }
}

TYPED_TEST(real_statistics, exponentials_have_rate_1_and_not_1_02) {
  using T = TypeParam;
  const auto x = draw("exponential", 1 << 19, exponential<T>{});
  EXPECT_DISTANCE_ACCEPTED(kolmogorov_smirnov(x, [](double v) { return -std::expm1(-v); }));
  EXPECT_DISTANCE_REJECTED(kolmogorov_smirnov(x, [](double v) { return -std::expm1(-v * 1.02); }));
  const auto y = draw("scaled exponential", 1 << 19, exponential<T>{T(2.5)});
  EXPECT_DISTANCE_ACCEPTED(kolmogorov_smirnov(y, [](double v) { return -std::expm1(-v * 2.5); }));
  EXPECT_DISTANCE_REJECTED(kolmogorov_smirnov(y, [](double v) { return -std::expm1(-v * 2.55); }));
}

TEST(statistics, bernoulli_has_its_probability_and_not_2_percent_more) {
  for (const double p : {0.1, 0.5, 0.01, 0.97}) {
    const auto x = draw("bernoulli", 1 << 24, bernoulli{p});
    const double successes = std::accumulate(x.begin(), x.end(), 0.0);
    EXPECT_ACCEPTED(binomial(successes, x.size(), p)) << p;
    EXPECT_REJECTED(binomial(successes, x.size(), p * 1.02)) << p;
  }
}

// The shares that a word of 2^bits values leaves when it is reduced by a remainder.
std::vector<double> remainder_shares(std::size_t cells, int bits) {
  const std::uint64_t words = std::uint64_t{1} << bits;
  std::vector<double> p(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    p[i] = static_cast<double>(words / cells + (i < words % cells)) / static_cast<double>(words);
  }
  return p;
}

TEST(statistics, integers_are_unbiased_and_not_remainders_of_16_bits) {
  const auto small = draw("integer", 1 << 23, integer<std::int32_t>{-500, 500});
  const auto counts = counts_of(small, 1000, [](std::int32_t v) { return v + 500; });
  EXPECT_ACCEPTED(chi_square(counts, equal_shares(1000)));
  EXPECT_REJECTED(chi_square(counts, remainder_shares(1000, 16)));

  // The same of a bound that takes 64 bits a draw.
  const auto large = draw("large", 1 << 23, integer<std::uint64_t>{0, std::uint64_t{1000} << 40});
  const auto large_counts = counts_of(large, 1000, [](std::uint64_t v) { return v >> 40; });
  EXPECT_ACCEPTED(chi_square(large_counts, equal_shares(1000)));
  EXPECT_REJECTED(chi_square(large_counts, remainder_shares(1000, 16)));
}

TEST(statistics, bytes_below_100_are_unbiased_and_not_remainders_of_8_bits) {
  std::vector<double> counts(100);
  const integer<unsigned char> d{0, 100};
  for (std::uint64_t i = 0; i < 200'000; ++i) ++counts[d(root["u8"], i)];
  EXPECT_ACCEPTED(chi_square(counts, equal_shares(100)));
  EXPECT_REJECTED(chi_square(counts, remainder_shares(100, 8)));
}

TEST(statistics, no_part_of_a_range_of_3e9_is_favoured_as_a_remainder_of_32_bits_favours_it) {
  constexpr std::uint32_t n = 3000000000u;
  constexpr std::uint32_t favoured = 0u - n;  // 2^32 - n values would come twice
  const auto x = draw("3e9", 1 << 20, integer<std::uint32_t>{0, n});
  const auto first =
      static_cast<double>(std::count_if(x.begin(), x.end(), [](std::uint32_t v) { return v < favoured; }));
  EXPECT_ACCEPTED(binomial(first, x.size(), static_cast<double>(favoured) / n));
  EXPECT_REJECTED(binomial(first, x.size(), 2.0 * favoured / 4294967296.0));
}

TEST(statistics, odd_numbers_below_2_to_the_25_are_half_and_not_a_quarter) {
  const auto x = draw("odd", 1 << 20, integer<std::int32_t>{0, 1 << 25});
  const auto odd =
      static_cast<double>(std::count_if(x.begin(), x.end(), [](std::int32_t v) { return v % 2 == 1; }));
  EXPECT_ACCEPTED(binomial(odd, x.size(), 0.5));
  EXPECT_REJECTED(binomial(odd, x.size(), 0.249));
}

// Neighbouring elements, and those of one pair or one block.
TYPED_TEST(real_statistics, elements_are_uncorrelated_and_not_by_1_percent) {
  using T = TypeParam;
  const auto expect_uncorrelated = [](const char* what, std::vector<double> x) {
    for (std::size_t lag = 1; lag <= 8; ++lag) {
      const std::vector<double> later(x.begin() + static_cast<std::ptrdiff_t>(lag), x.end());
      const std::vector<double> earlier(x.begin(), x.end() - static_cast<std::ptrdiff_t>(lag));
      EXPECT_ACCEPTED(correlation(earlier, later)) << what << " lag " << lag;
      EXPECT_REJECTED(correlation(blended(earlier, later), later)) << what << " lag " << lag;
    }
  };
  constexpr std::size_t n = 1 << 20;
  const auto u = draw("serial uniform", n, uniform<T>{});
  const auto z = draw("serial normal", n, normal<T>{});
  std::vector<double> squares(n);
  std::transform(z.begin(), z.end(), squares.begin(), [](T x) { return static_cast<double>(x) * x; });
  expect_uncorrelated("uniform", {u.begin(), u.end()});
  expect_uncorrelated("normal", {z.begin(), z.end()});
  // Two values of a pair share their radius, which only the squares would show.
  expect_uncorrelated("normal squared", squares);
}

// Bits in which the words of two streams differ: half of them, and not so when one word in a hundred is
// shared.
void expect_unrelated(stream a, stream b, const std::string& what) {
  constexpr std::size_t n = 1 << 17;
  const bits<std::uint32_t> d;
  std::vector<std::uint32_t> x(n), y(n);
  fill(std::span(x), a, d);
  fill(std::span(y), b, d);
  const auto differing = [&] {
    double count = 0;
    for (std::size_t i = 0; i < n; ++i) count += std::popcount(x[i] ^ y[i]);
    return binomial(count, 32 * n, 0.5);
  };
  EXPECT_ACCEPTED(differing()) << what;
  for (std::size_t i = 0; i < n; i += 100) y[i] = x[i];
  EXPECT_REJECTED(differing()) << what;
}

TEST(statistics, related_streams_are_unrelated) {
  const stream s = root["related"];
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const std::string name = "seed " + std::to_string(seed);
    expect_unrelated(stream::from_seed(seed), stream::from_seed(seed + 1), name + " and the next");
    expect_unrelated(stream::from_seed(seed)["init"], stream::from_seed(seed + 1)["init"],
                     name + ": children");
  }
  for (int bit = 0; bit < 64; bit += 9) {
    expect_unrelated(s, stream{s.key ^ std::uint64_t{1} << bit, s.nonce}, "key bit " + std::to_string(bit));
    expect_unrelated(s, s.lane(std::uint64_t{1} << bit), "lane bit " + std::to_string(bit));
    expect_unrelated(s[0], s[std::uint64_t{1} << bit], "child bit " + std::to_string(bit));
  }
  for (const int i : {0, 1, 7, 1000}) {
    expect_unrelated(s[i], s[i + 1], "children " + std::to_string(i));
    expect_unrelated(s.lane(static_cast<std::uint64_t>(i)), s.lane(static_cast<std::uint64_t>(i) + 1),
                     "lanes " + std::to_string(i));
    expect_unrelated(s[i], s, "child and parent");
  }
  expect_unrelated(s["layer1"], s["layer2"], "names");
  expect_unrelated(s, s.redraw(1), "redraw");
}

// The first element of many streams: as random as many elements of one.
void expect_random_across(const char* what, const std::function<stream(std::uint64_t)>& member) {
  constexpr std::size_t n = 1 << 18;
  for (const std::uint64_t element : {0u, 1u}) {
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = uniform<double>{}(member(i), element);
    const auto counts = counts_of(x, 256, [](double v) { return v * 256; });
    EXPECT_ACCEPTED(chi_square(counts, equal_shares(256))) << what;
    EXPECT_REJECTED(chi_square(counts, tilted_shares(256, 0.05))) << what;
    std::vector<double> next(x.begin() + 1, x.end());
    next.push_back(x[0]);
    EXPECT_ACCEPTED(correlation(x, next)) << what;
    EXPECT_REJECTED(correlation(blended(blended(x, next), next), next)) << what;
  }
}

TEST(statistics, seeds_children_and_lanes_are_random_across) {
  const stream s = root["across"];
  expect_random_across("seeds", [](std::uint64_t i) { return stream::from_seed(i); });
  expect_random_across("children", [s](std::uint64_t i) { return s[i]; });
  expect_random_across("lanes", [s](std::uint64_t i) { return s.lane(i); });
  expect_random_across("children of seeds",
                       [](std::uint64_t i) { return stream::from_seed(i)["dropout"][3]; });
}

// How often each item comes to each place. Swap(v, s) is to make every order equally likely.
template <class Swap>
double shuffled_places(Swap shuffle_with) {
  constexpr std::size_t items = 20, shuffles = 40000;
  std::vector<double> counts(items * items);
  for (std::uint64_t t = 0; t < shuffles; ++t) {
    std::array<std::size_t, items> v;
    std::iota(v.begin(), v.end(), std::size_t{0});
    shuffle_with(v, root["places"][t]);
    for (std::size_t place = 0; place < items; ++place) ++counts[place * items + v[place]];
  }
  return chi_square(counts, equal_shares(items * items), (items - 1) * (items - 1));
}

TEST(statistics, shuffled_items_come_to_every_place_and_not_as_a_naive_shuffle_puts_them) {
  EXPECT_ACCEPTED(shuffled_places([](auto& v, stream s) { shuffle(v.begin(), v.end(), s); }));
  EXPECT_REJECTED(shuffled_places([](auto& v, stream s) {
    for (std::size_t i = 0; i < v.size(); ++i) std::swap(v[i], v[below(s, i, v.size())]);
  }));
}

TEST(statistics, every_order_of_four_is_equally_likely_and_not_as_a_naive_shuffle_makes_them) {
  const auto orders = [](auto shuffle_with) {
    std::vector<double> counts(256);
    for (std::uint64_t t = 0; t < 48000; ++t) {
      std::array<std::size_t, 4> v = {0, 1, 2, 3};
      shuffle_with(v, root["orders"][t]);
      ++counts[v[0] + 4 * v[1] + 16 * v[2] + 64 * v[3]];
    }
    std::vector<double> seen;
    for (const double c : counts) {
      if (c > 0) seen.push_back(c);
    }
    return seen;
  };
  const auto right = orders([](auto& v, stream s) { shuffle(v.begin(), v.end(), s); });
  ASSERT_EQ(right.size(), 24u);
  EXPECT_ACCEPTED(chi_square(right, equal_shares(24)));
  const auto naive = orders([](auto& v, stream s) {
    for (std::size_t i = 0; i < 4; ++i) std::swap(v[i], v[below(s, i, 4)]);
  });
  EXPECT_REJECTED(chi_square(naive, equal_shares(24)));
}

}  // namespace
}  // namespace rivus
