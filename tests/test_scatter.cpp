#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <rivus/scatter.hpp>
#include <span>
#include <vector>

#include "float_modes.hpp"
#include "support.hpp"

namespace rivus {
namespace {

using test::as_word;

template <class T>
T canonical(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(x) ? test::as_real<T>(test::canonical_nan<T>) : x;
  } else {
    return x;
  }
}
template <class T>
T plus(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else {
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
}
template <class T>
T times(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a * b;
  } else {
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }
}

template <class T>
T extreme_of(const std::vector<T>& x, bool greatest) {
  T best = x[0];
  for (const T v : x) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(v) || std::isnan(best)) {
        best = test::as_real<T>(test::canonical_nan<T>);
      } else if (v == best) {
        if (std::signbit(v) != greatest) best = v;
      } else if ((v < best) != greatest) {
        best = v;
      }
    } else {
      best = greatest ? std::max(best, v) : std::min(best, v);
    }
  }
  return best;
}

template <class T>
::testing::AssertionResult equal(const std::vector<T>& got, const std::vector<T>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (as_word(got[i]) != as_word(expected[i]))
      return ::testing::AssertionFailure()
             << "element " << i << " is " << got[i] << " instead of " << expected[i];
  }
  return ::testing::AssertionSuccess();
}

template <class T>
T random_value(test::words& random) {
  if constexpr (std::is_floating_point_v<T>) {
    return random.wide_real<T>(12);
  } else {
    return static_cast<T>(random());
  }
}
template <class T>
std::vector<T> random_values(std::size_t n, std::uint64_t seed) {
  test::words random(seed);
  std::vector<T> x(n);
  for (T& v : x) v = random_value<T>(random);
  return x;
}

// Ids below size; one of them is named by a share of all.
template <class I>
std::vector<I> random_ids(std::size_t n, std::size_t size, std::uint64_t seed, int favoured = 0) {
  test::words random(seed);
  std::vector<I> ids(n);
  for (I& id : ids) {
    id = static_cast<I>(random.below(100) < static_cast<std::uint64_t>(favoured) ? size / 2
                                                                                 : random.below(size));
  }
  return ids;
}

template <class T>
class scatter : public ::testing::Test {};
using types =
    ::testing::Types<std::pair<float, std::int32_t>, std::pair<double, std::int64_t>,
                     std::pair<std::int32_t, std::int64_t>, std::pair<std::int64_t, std::int32_t>,
                     std::pair<std::uint32_t, std::int32_t>, std::pair<std::uint64_t, std::int64_t>>;
TYPED_TEST_SUITE(scatter, types);

template <class T, class I>
void expect_all(const std::vector<I>& ids, const std::vector<T>& x, std::size_t size,
                const executor& on = {}) {
  const std::size_t n = ids.size();
  const std::vector<T> before = random_values<T>(size, 77);
  std::vector<T> add = before, least = before, most = before, product = before, last = before,
                 fresh(size, T(0));
  std::vector<std::uint64_t> counts(size, 0);
  // Weights that are floats add up as doubles.
  using W = std::conditional_t<std::is_same_v<T, float>, double, T>;
  std::vector<W> weights(size, W(0));
  for (std::size_t i = 0; i < n; ++i) {
    const auto d = static_cast<std::size_t>(ids[i]);
    add[d] = canonical(plus(add[d], x[i]));
    product[d] = canonical(times(product[d], x[i]));
    least[d] = extreme_of<T>({least[d], x[i]}, false);
    most[d] = extreme_of<T>({most[d], x[i]}, true);
    last[d] = x[i];
    fresh[d] = canonical(plus(fresh[d], x[i]));
    weights[d] = canonical(plus(weights[d], static_cast<W>(x[i])));
    ++counts[d];
  }
  std::vector<T> weighed(size);
  for (std::size_t d = 0; d < size; ++d) weighed[d] = canonical(static_cast<T>(weights[d]));
  std::vector<T> out = before;
  index_add(out.data(), size, ids.data(), x.data(), n, on);
  EXPECT_TRUE(equal(out, add)) << "index_add";
  out = before;
  scatter_min(out.data(), size, ids.data(), x.data(), n, on);
  EXPECT_TRUE(equal(out, least)) << "scatter_min";
  out = before;
  scatter_max(out.data(), size, ids.data(), x.data(), n, on);
  EXPECT_TRUE(equal(out, most)) << "scatter_max";
  out = before;
  scatter_prod(out.data(), size, ids.data(), x.data(), n, on);
  EXPECT_TRUE(equal(out, product)) << "scatter_prod";
  out = before;
  put(out.data(), size, ids.data(), x.data(), n, on);
  EXPECT_TRUE(equal(out, last)) << "put";
  out = before;
  segment_sum(ids.data(), x.data(), n, out.data(), size, on);
  EXPECT_TRUE(equal(out, fresh)) << "segment_sum";
  out = before;
  bincount(ids.data(), x.data(), n, out.data(), size, on);
  EXPECT_TRUE(equal(out, weighed)) << "bincount of weights";
  std::vector<std::uint64_t> counted(size, 99);
  bincount(ids.data(), n, counted.data(), size, on);
  EXPECT_TRUE(equal(counted, counts)) << "bincount";
}

TYPED_TEST(scatter, is_what_it_looks_like) {
  using T = typename TypeParam::first_type;
  using I = typename TypeParam::second_type;
  const std::vector<I> ids = {2, 0, 2, 2, 4};
  const std::vector<T> x = {5, 7, 2, 3, 1};
  std::vector<T> out = {1, 1, 1, 1, 1};
  index_add(out.data(), 5, ids.data(), x.data(), 5);
  EXPECT_EQ(out, (std::vector<T>{8, 1, 11, 1, 2}));
  scatter_prod(out.data(), 5, ids.data(), x.data(), 5);
  EXPECT_EQ(out, (std::vector<T>{56, 1, 330, 1, 2}));
  scatter_min(out.data(), 5, ids.data(), x.data(), 5);
  EXPECT_EQ(out, (std::vector<T>{7, 1, 2, 1, 1}));
  scatter_max(out.data(), 5, ids.data(), x.data(), 5);
  EXPECT_EQ(out, (std::vector<T>{7, 1, 5, 1, 1}));
  put(out.data(), 5, ids.data(), x.data(), 5);
  EXPECT_EQ(out, (std::vector<T>{7, 1, 3, 1, 1}));
  segment_sum(ids.data(), x.data(), 5, out.data(), 5);
  EXPECT_EQ(out, (std::vector<T>{7, 0, 10, 0, 1}));
  std::uint64_t counts[5];
  bincount(ids.data(), 5, counts, 5);
  EXPECT_EQ((std::vector<std::uint64_t>(counts, counts + 5)), (std::vector<std::uint64_t>{1, 0, 3, 0, 1}));
}

TYPED_TEST(scatter, of_nothing) {
  using T = typename TypeParam::first_type;
  using I = typename TypeParam::second_type;
  expect_all<T, I>({}, {}, 0);
  expect_all<T, I>({}, {}, 9);
  index_add<T>(nullptr, 0, nullptr, nullptr, 0);
  index_add_rows<T>(nullptr, 7, 0, nullptr, nullptr, 0);
}

TYPED_TEST(scatter, adds_in_the_order_of_the_sources) {
  using T = typename TypeParam::first_type;
  using I = typename TypeParam::second_type;
  for (const std::size_t n : {1u, 2u, 33u, 100u, 2049u, 20000u}) {
    for (const std::size_t size : {1u, 2u, 17u, 5000u}) {
      SCOPED_TRACE(std::to_string(n) + " to " + std::to_string(size));
      auto ids = random_ids<I>(n, size, n + size);
      const auto x = random_values<T>(n, n);
      expect_all(ids, x, size);
      std::sort(ids.begin(), ids.end());
      expect_all(ids, x, size);
    }
  }
}

// Several threads go by what fits their caches, some rounds of it here.
TYPED_TEST(scatter, does_not_depend_on_the_threads) {
  using T = typename TypeParam::first_type;
  using I = typename TypeParam::second_type;
  const std::size_t n = std::getenv("RIVUS_TEST_FEW") != nullptr ? 70'003 : 300'003;
  const auto x = random_values<T>(n, 6);
  const auto ids = random_ids<I>(n, 3000, 7, 20), far = random_ids<I>(n, 200'000, 8);
  // Executed by this thread, in any order.
  auto backwards = [](std::size_t parts, executor::part p) {
    while (parts-- > 0) p(parts);
  };
  expect_all(far, x, 200'000);
  expect_all(far, x, 200'000, executor(2, backwards));
  expect_all(ids, x, 3000, executor::this_thread());
  for (const int threads : {2, 7}) {
    const test::threads_kept kept;
    omp_set_num_threads(threads);
    expect_all(ids, x, 3000);
  }
  expect_all(ids, x, 3000, executor(7, backwards));
  expect_all(std::vector<I>(n, I{1}), x, 2, executor(3, backwards));
}

TYPED_TEST(scatter, does_not_depend_on_alignment) {
  using T = typename TypeParam::first_type;
  using I = typename TypeParam::second_type;
  const std::size_t n = 777, size = 5;
  const auto ids = random_ids<I>(n, size, 9);
  const auto x = random_values<T>(n, 10);
  std::vector<T> expected(size);
  segment_sum(ids.data(), x.data(), n, expected.data(), size);
  for (std::size_t shift = 1; shift < 8; ++shift) {
    std::vector<T> moved(n + shift), out(size + shift);
    std::vector<I> named(n + shift);
    std::copy(x.begin(), x.end(), moved.begin() + static_cast<std::ptrdiff_t>(shift));
    std::copy(ids.begin(), ids.end(), named.begin() + static_cast<std::ptrdiff_t>(shift));
    segment_sum(named.data() + shift, moved.data() + shift, n, out.data() + shift, size);
    EXPECT_TRUE(equal(std::vector<T>(out.begin() + static_cast<std::ptrdiff_t>(shift), out.end()), expected));
  }
}

TYPED_TEST(scatter, rows_by_column) {
  using T = typename TypeParam::first_type;
  using I = typename TypeParam::second_type;
  for (const std::size_t cols : {1u, 3u, 63u, 64u, 65u, 130u}) {
    for (const std::size_t n : {0u, 1u, 33u, 500u, 5000u}) {
      if (n * cols > 400'000) continue;
      SCOPED_TRACE(std::to_string(n) + " rows of " + std::to_string(cols));
      const std::size_t rows = 7;
      auto ids = random_ids<I>(n, rows - 1, n + cols, 50);
      const auto x = random_values<T>(n * cols, 12), before = random_values<T>(rows * cols, 13);
      for (const bool sorted : {false, true}) {
        if (sorted) std::sort(ids.begin(), ids.end());
        std::vector<T> expected = before, fresh(rows * cols, T(0));
        for (std::size_t j = 0; j < cols; ++j) {
          for (std::size_t i = 0; i < n; ++i) {
            const std::size_t at = static_cast<std::size_t>(ids[i]) * cols + j;
            expected[at] = canonical(plus(expected[at], x[i * cols + j]));
            fresh[at] = canonical(plus(fresh[at], x[i * cols + j]));
          }
        }
        test::for_each_thread_count([&] {
          std::vector<T> out = before;
          index_add_rows(out.data(), rows, cols, ids.data(), x.data(), n);
          EXPECT_TRUE(equal(out, expected)) << "index_add_rows";
          segment_sum_rows(ids.data(), x.data(), n, cols, out.data(), rows);
          EXPECT_TRUE(equal(out, fresh)) << "segment_sum_rows";
        });
      }
    }
  }
}

template <class I>
class scatter_ids : public ::testing::Test {};
using id_types = ::testing::Types<signed char, unsigned char, short, unsigned short, int, unsigned, long,
                                  unsigned long, long long, unsigned long long>;
TYPED_TEST_SUITE(scatter_ids, id_types);

TYPED_TEST(scatter_ids, are_of_any_integer_type) {
  using I = TypeParam;
  const std::size_t n = 20'000, size = 100, bags = 3, cols = 2;
  auto ids = random_ids<I>(n, size, 3);
  const auto x = random_values<float>(n * cols, 4);
  for (const bool sorted : {false, true}) {
    if (sorted) std::sort(ids.begin(), ids.end());
    expect_all(ids, std::vector<float>(x.begin(), x.begin() + n), size);
    const std::vector<std::int64_t> wide(ids.begin(), ids.end()), wide_offsets = {0, 0, 99};
    const std::vector<I> offsets = {0, 0, 99};
    std::vector<float> got(size * cols, 1.0f), expected(size * cols, 1.0f);
    index_add_rows(got.data(), size, cols, ids.data(), x.data(), n);
    index_add_rows(expected.data(), size, cols, wide.data(), x.data(), n);
    EXPECT_TRUE(equal(got, expected)) << "index_add_rows";
    segment_sum_rows(ids.data(), x.data(), n, cols, got.data(), size);
    segment_sum_rows(wide.data(), x.data(), n, cols, expected.data(), size);
    EXPECT_TRUE(equal(got, expected)) << "segment_sum_rows";
    embedding_bag(x.data(), size, cols, ids.data(), n, offsets.data(), bags, bag_mode::mean, got.data());
    embedding_bag(x.data(), size, cols, wide.data(), n, wide_offsets.data(), bags, bag_mode::mean,
                  expected.data());
    EXPECT_TRUE(equal(got, expected)) << "embedding_bag";
    embedding_bag_backward(x.data(), ids.data(), n, offsets.data(), bags, bag_mode::mean, got.data(), size,
                           cols);
    embedding_bag_backward(x.data(), wide.data(), n, wide_offsets.data(), bags, bag_mode::mean,
                           expected.data(), size, cols);
    EXPECT_TRUE(equal(got, expected)) << "embedding_bag_backward";
  }
}

TYPED_TEST(scatter_ids, have_a_range) {
  using I = TypeParam;
  constexpr I least = std::numeric_limits<I>::min(), most = std::numeric_limits<I>::max();
  const std::vector<I> all = {least, most, 0, 1, static_cast<I>(most / 2), static_cast<I>(most / 2 + 1)};
  const indices view(all.data());
  EXPECT_EQ(view.bytes(), sizeof(I));
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(view[i], static_cast<std::uint64_t>(all[i])) << i;
    EXPECT_EQ(view.is_negative(i), all[i] < 0) << i;
  }
  // Room for every value of a byte with and without a sign.
  std::vector<float> out(300, 7.0f), x(4, 1.0f);
  std::vector<std::uint64_t> counts(300, 7);
  const std::vector<I> offsets = {0};
  const auto refuses = [&](I bad) {
    const std::vector<I> ids = {2, 1, bad, bad};
    const std::string named = "ids[2] = " + std::to_string(bad) + " is not in [0, ";
    const auto expect = [&](auto call) {
      EXPECT_TRUE(test::mentions(test::error_of(call), {named.c_str()}));
    };
    expect([&] { index_add(out.data(), 300, ids.data(), x.data(), 4); });
    expect([&] { index_add_rows(out.data(), 300, 1, ids.data(), x.data(), 4); });
    expect([&] { bincount(ids.data(), 4, counts.data(), 300); });
    expect([&] {
      embedding_bag(out.data(), 300, 1, ids.data(), 4, offsets.data(), 1, bag_mode::sum, x.data());
    });
  };
  if (least < 0) refuses(static_cast<I>(-1)), refuses(least);
  if (sizeof(I) > 1) {
    refuses(most), refuses(static_cast<I>(most / 2 + 1));
  } else {
    const std::vector<I> ids = {most, 0};
    index_add(out.data(), 300, ids.data(), x.data(), 2);
    EXPECT_EQ(out[static_cast<std::size_t>(most)], 8.0f);
    out[static_cast<std::size_t>(most)] = out[0] = 7.0f;
  }
  EXPECT_EQ(out, std::vector<float>(300, 7.0f));
  EXPECT_EQ(counts, std::vector<std::uint64_t>(300, 7));
  if (least < 0) {
    const std::vector<I> ids = {0, 0}, falling = {0, static_cast<I>(-1)};
    EXPECT_TRUE(test::mentions(test::error_of([&] {
                                 embedding_bag(out.data(), 300, 1, ids.data(), 2, falling.data(), 2,
                                               bag_mode::sum, x.data());
                               }),
                               {"offsets[1] = -1 is below offsets[0]"}));
  }
}

// More destinations than 32 bits count: of a reservation of addresses only the pages in use exist.
TEST(scatter_sizes, beyond_32_bits) {
  constexpr std::size_t size = (std::size_t{1} << 32) + 5000;
  void* const memory = mmap(nullptr, size * sizeof(float), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no room for addresses";
  float* const out = static_cast<float*>(memory);
  const std::vector<std::int64_t> ids = {static_cast<std::int64_t>(size - 1), 3, std::int64_t{1} << 32, 3,
                                         static_cast<std::int64_t>(size - 1)};
  const std::vector<float> x = {1, 2, 3, 4, 5};
  index_add(out, size, ids.data(), x.data(), ids.size());
  EXPECT_EQ(out[size - 1], 6.0f);
  EXPECT_EQ(out[3], 6.0f);
  EXPECT_EQ(out[std::size_t{1} << 32], 3.0f);
  EXPECT_EQ(out[0], 0.0f);
  // Where a sign would be, in the order of the sources and sorted.
  for (std::vector<std::uint32_t> high :
       {std::vector<std::uint32_t>{0x80000007, 5, 0xfffffffe, 0x80000007},
        std::vector<std::uint32_t>{5, 0x80000007, 0x80000007, 0xfffffffe}}) {
    out[5] = out[0x80000007] = out[0xfffffffe] = 0;
    const std::vector<float> ones(4, 1.0f);
    index_add(out, size, high.data(), ones.data(), high.size());
    EXPECT_EQ(out[5], 1.0f);
    EXPECT_EQ(out[0x80000007], 2.0f);
    EXPECT_EQ(out[0xfffffffe], 1.0f);
  }
  munmap(memory, size * sizeof(float));
}

// More threads than there are owners, and destinations that a multiplication of 32 bits does not find.
TEST(scatter_sizes, of_many_owners) {
  auto in_turn = [](std::size_t parts, executor::part p) {
    for (std::size_t i = 0; i < parts; ++i) p(i);
  };
  const std::size_t n = 2'300'000, size = 5000;
  const auto ids = random_ids<std::uint32_t>(n, size, 21);
  const auto x = random_values<float>(n, 22);
  std::vector<float> out(size), expected(size);
  for (std::size_t i = 0; i < n; ++i) expected[ids[i]] += x[i];
  index_add(out.data(), size, ids.data(), x.data(), n, executor(300, in_turn));
  EXPECT_TRUE(equal(out, expected));

  constexpr std::size_t vast = (std::size_t{1} << 33) + 5000, few = 40'000;
  void* const memory = mmap(nullptr, vast * sizeof(float), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no room for addresses";
  float* const far = static_cast<float*>(memory);
  std::vector<std::int64_t> places(few);
  test::words random(23);
  for (std::int64_t& d : places)
    d = static_cast<std::int64_t>(random.below(9) * (vast / 9) + random.below(500));
  std::map<std::int64_t, float> sums;
  for (std::size_t i = 0; i < few; ++i) sums[places[i]] += x[i];
  index_add(far, vast, places.data(), x.data(), few, executor(4, in_turn));
  for (const auto& [d, sum] : sums) ASSERT_EQ(as_word(far[d]), as_word(sum)) << d;
  munmap(memory, vast * sizeof(float));
}

template <class T>
class scatter_reals : public ::testing::Test {};
using reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(scatter_reals, reals);

TYPED_TEST(scatter_reals, special_values) {
  using T = TypeParam;
  constexpr T inf = test::infinity<T>, tiny = std::numeric_limits<T>::denorm_min();
  const T odd_nan = test::as_real<T>(static_cast<test::word_of<T>>(~test::word_of<T>{0} - 5));
  const T specials[] = {T(-0.0), T(0), tiny, -3 * tiny, inf, -inf, odd_nan, std::numeric_limits<T>::max(), 1};
  test::words random(14);
  for (const std::size_t n : {1u, 2u, 5u, 40u, 3000u, 40000u}) {
    for (int trial = 0; trial < (n > 3000 ? 2 : 20); ++trial) {
      std::vector<T> x(n, specials[random.below(9)]);
      for (int k = 0; k < 3; ++k) x[random.below(n)] = specials[random.below(9)];
      expect_all(random_ids<std::int32_t>(n, 3, random()), x, 3);
    }
  }
  // out = -0 keeps it where -0 alone is added, what begins at +0 does not; elements that no id names keep their bits.
  const std::int32_t ids[] = {1, 1};
  const T x[] = {T(-0.0), T(-0.0)};
  T out[] = {odd_nan, T(-0.0), T(0)};
  index_add(out, 3, ids, x, 2);
  EXPECT_EQ(as_word(out[0]), as_word(odd_nan));
  EXPECT_EQ(as_word(out[1]), as_word(T(-0.0)));
  segment_sum(ids, x, 2, out, 3);
  EXPECT_EQ(as_word(out[0]), as_word(T(0)));
  EXPECT_EQ(as_word(out[1]), as_word(T(0)));
  const std::int32_t one[] = {1};
  const T payload[] = {odd_nan};
  put(out, 3, one, payload, 1);
  EXPECT_EQ(as_word(out[1]), as_word(odd_nan));
}

TYPED_TEST(scatter_reals, bags_of_rows) {
  using T = TypeParam;
  const std::size_t rows = 50;
  const std::vector<std::int64_t> offsets = {0, 0, 3, 3, 40, 2500, 2501, 7000, 7000};
  for (const std::size_t cols : {1u, 7u, 65u}) {
    const std::size_t n = 7000, bags = offsets.size();
    const auto ids = random_ids<std::int64_t>(n, rows, cols);
    const auto table = random_values<T>(rows * cols, 15), gradient = random_values<T>(bags * cols, 16),
               before = random_values<T>(rows * cols, 17);
    for (const bag_mode mode : {bag_mode::sum, bag_mode::mean}) {
      std::vector<T> expected(bags * cols), back = before;
      for (std::size_t j = 0; j < cols; ++j) {
        for (std::size_t b = 0; b < bags; ++b) {
          const auto begin = static_cast<std::size_t>(offsets[b]),
                     end = b + 1 < bags ? static_cast<std::size_t>(offsets[b + 1]) : n;
          const T g = gradient[b * cols + j], length = static_cast<T>(end - begin);
          T& to = expected[b * cols + j];
          to = 0;
          for (std::size_t k = begin; k < end; ++k) {
            const std::size_t at = static_cast<std::size_t>(ids[k]) * cols + j;
            to += table[at];
            back[at] += mode == bag_mode::mean ? g / length : g;
          }
          if (mode == bag_mode::mean && end > begin) to /= length;
        }
      }
      test::for_each_thread_count([&] {
        std::vector<T> out(bags * cols, T(9));
        embedding_bag(table.data(), rows, cols, ids.data(), n, offsets.data(), bags, mode, out.data());
        EXPECT_TRUE(equal(out, expected));
        out = before;
        embedding_bag_backward(gradient.data(), ids.data(), n, offsets.data(), bags, mode, out.data(), rows,
                               cols);
        EXPECT_TRUE(equal(out, back));
      });
    }
  }
}

// By the words of the documentation, with every step rounded to f64.
TYPED_TEST(scatter_reals, histograms) {
  using T = TypeParam;
  const std::size_t n = 40'000;
  auto x = random_values<T>(n, 18);
  const T lo = T(-1.7), hi = T(2.3);
  x[0] = lo, x[1] = hi, x[2] = test::any_nan<T>, x[3] = test::infinity<T>, x[4] = std::nextafter(hi, T(9));
  x[5] = std::nextafter(lo, T(-9)), x[6] = T(-0.0), x[7] = std::nextafter(hi, T(0));
  for (const std::size_t bins : {1u, 3u, 10u, 1000u, 70'000u}) {
    std::vector<std::uint64_t> expected(bins, 0), out(bins, 5);
    for (const T v : x) {
      if (!(v >= lo) || !(v <= hi)) continue;
      const volatile double from = double(v) - double(lo), width = double(hi) - double(lo),
                            part = from * static_cast<double>(bins), place = part / width;
      ++expected[std::min(static_cast<std::size_t>(std::floor(place)), bins - 1)];
    }
    ASSERT_GT(expected[bins - 1], 0u);
    test::for_each_thread_count([&] {
      histogram(x.data(), n, lo, hi, out.data(), bins);
      EXPECT_EQ(out, expected) << bins;
    });
  }
  const T max = std::numeric_limits<T>::max(), tiny = std::numeric_limits<T>::denorm_min();
  std::uint64_t two[2];
  const T tinies[] = {0, tiny, 2 * tiny};
  histogram(tinies, 3, T(0), 2 * tiny, two, 2);
  EXPECT_EQ(two[0], 1u);
  EXPECT_EQ(two[1], 2u);
  // Integers fall one to a bin, the last with the upper end; and where the product would overflow.
  for (std::size_t bins = 1; bins <= 10'000; bins += bins < 300 ? 1 : 97) {
    std::vector<T> ends(bins);
    std::vector<std::uint64_t> out(bins);
    std::iota(ends.begin(), ends.end(), T(0));
    histogram(ends.data(), bins, T(0), static_cast<T>(bins), out.data(), bins);
    ASSERT_EQ(out, std::vector<std::uint64_t>(bins, 1)) << bins;
  }
  if constexpr (sizeof(T) == 8) {
    const T edges[] = {-0x1p1022, -0x1p1021, 0, 0x1p1021, 0x1.fffffp1021};
    std::uint64_t four[4];
    histogram(edges, 5, T(-0x1p1022), T(0x1p1022), four, 4);
    EXPECT_EQ((std::vector<std::uint64_t>(four, four + 4)), (std::vector<std::uint64_t>{1, 1, 1, 2}));
  }
  const auto refuses = [&](T from, T to, std::size_t bins, std::initializer_list<const char*> mentioned) {
    EXPECT_TRUE(
        test::mentions(test::error_of([&] { histogram(tinies, 3, from, to, two, bins); }), mentioned));
  };
  refuses(T(1), T(1), 2, {"rivus::histogram", "lo = 1 and hi = 1", "less"});
  refuses(T(2), T(1), 2, {"rivus::histogram", "lo = 2"});
  refuses(test::any_nan<T>, T(1), 2, {"finite"});
  refuses(T(0), test::infinity<T>, 2, {"finite"});
  refuses(T(0), T(1), 0, {"bins = 0"});
  refuses(T(0), T(1), (std::size_t{1} << 53) + 1, {"bins = 9007199254740993"});
  if (sizeof(T) == 8) refuses(-max, max, 2, {"too far apart"});
}

TEST(scatter_errors, name_the_index_and_write_nothing) {
  std::vector<float> out(5, 7.0f);
  std::vector<std::uint64_t> counts(5, 7);
  const std::vector<float> x(30'000, 1.0f);
  for (const std::int32_t bad : {-1, 5, std::numeric_limits<std::int32_t>::min()}) {
    test::for_each_thread_count([&] {
      std::vector<std::int32_t> ids(30'000, 2);
      ids[20'000] = bad;
      ids[25'000] = -77;
      const std::string named = "ids[20000] = " + std::to_string(bad) + " is not in [0, ";
      const auto refuses = [&](const char* who, const char* limit, auto f) {
        EXPECT_TRUE(test::mentions(test::error_of(f), {who, named.c_str(), limit}));
      };
      refuses("rivus::index_add:", "size = 5",
              [&] { index_add(out.data(), 5, ids.data(), x.data(), 30'000); });
      refuses("rivus::put:", "size = 5", [&] { put(out.data(), 5, ids.data(), x.data(), 30'000); });
      refuses("rivus::scatter_min:", "size = 5",
              [&] { scatter_min(out.data(), 5, ids.data(), x.data(), 30'000); });
      refuses("rivus::segment_sum:", "segments = 5",
              [&] { segment_sum(ids.data(), x.data(), 30'000, out.data(), 5); });
      refuses("rivus::index_add_rows:", "rows = 5",
              [&] { index_add_rows(out.data(), 5, 1, ids.data(), x.data(), 30'000); });
      refuses("rivus::bincount:", "bins = 5", [&] { bincount(ids.data(), 30'000, counts.data(), 5); });
      refuses("rivus::bincount:", "bins = 5", [&] { bincount(ids.data(), x.data(), 30'000, out.data(), 5); });
      const std::int32_t offsets[] = {0};
      refuses("rivus::embedding_bag:", "rows = 5", [&] {
        embedding_bag(x.data(), 5, 1, ids.data(), 30'000, offsets, 1, bag_mode::sum, out.data());
      });
      refuses("rivus::embedding_bag_backward:", "rows = 5", [&] {
        embedding_bag_backward(x.data(), ids.data(), 30'000, offsets, 1, bag_mode::sum, out.data(), 5, 1);
      });
    });
  }
  EXPECT_EQ(out, std::vector<float>(5, 7.0f));
  EXPECT_EQ(counts, std::vector<std::uint64_t>(5, 7));
}

TEST(scatter_errors, refuse_what_cannot_be) {
  std::vector<double> out(40, 7.0);
  const std::vector<double> x(40, 1.0);
  const std::vector<std::int64_t> ids(40, 0);
  const auto refuses = [](auto f, std::initializer_list<const char*> mentioned) {
    EXPECT_TRUE(test::mentions(test::error_of(f), mentioned));
  };
  double* const null = nullptr;
  const std::int64_t* const no_ids = nullptr;
  refuses([&] { index_add(null, 40, ids.data(), x.data(), 40); }, {"rivus::index_add", "out is null"});
  refuses([&] { index_add(out.data(), 40, no_ids, x.data(), 40); }, {"rivus::index_add", "ids is null"});
  refuses([&] { index_add<double>(out.data(), 40, ids.data(), null, 40); },
          {"rivus::index_add", "x is null"});
  refuses([&] { index_add(out.data(), 40, ids.data(), out.data() + 39, 40); }, {"out overlaps x"});
  refuses([&] { put(out.data(), 40, reinterpret_cast<std::int64_t*>(out.data() + 2), x.data(), 10); },
          {"rivus::put", "out overlaps ids"});
  refuses([&] { index_add(out.data(), std::size_t{1} << 62, ids.data(), x.data(), 40); },
          {"out of", "exceeds"});
  refuses(
      [&] {
        index_add_rows(out.data(), std::size_t{1} << 40, std::size_t{1} << 40, ids.data(), x.data(), 1);
      },
      {"rivus::index_add_rows", "out of", "exceeds"});
  index_add(out.data(), 20, ids.data(), out.data() + 20, 20);
  EXPECT_EQ(out[0], 147.0);

  const auto bags = [&](std::vector<std::int64_t> offsets, std::initializer_list<const char*> mentioned) {
    refuses(
        [&] {
          embedding_bag(x.data(), 4, 10, ids.data(), 5, offsets.data(), offsets.size(), bag_mode::sum,
                        out.data());
        },
        mentioned);
  };
  bags({1}, {"rivus::embedding_bag", "offsets[0] = 1 is not 0"});
  bags({0, 3, 2}, {"offsets[2] = 2 is below offsets[1]"});
  bags({0, 3, 6}, {"offsets[2] = 6 is above n = 5"});
  bags({}, {"n = 5 ids but no bags"});
}

TEST(scatter_errors, refuse_floating_point_modes_that_change_values) {
  test::for_each_float_mode([&](const char* complaint) {
    float out[2] = {1, 1};
    const float x[2] = {1, 1};
    const std::int32_t ids[2] = {0, 1};
    EXPECT_TRUE(test::mentions(test::error_of<std::runtime_error>([&] { index_add(out, 2, ids, x, 2); }),
                               {"rivus::index_add", complaint}));
    EXPECT_TRUE(
        test::mentions(test::error_of<std::runtime_error>([&] { index_add_rows(out, 2, 1, ids, x, 2); }),
                       {"rivus::index_add_rows", complaint}));
  });
}

}  // namespace
}  // namespace rivus
