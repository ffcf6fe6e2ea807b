// What a user writes first: ranges, rvalues and arguments that convert.
#include <gtest/gtest.h>

#include <array>
#include <list>
#include <rivus/rivus.hpp>
#include <span>
#include <vector>

#include "support.hpp"

namespace rivus {
namespace {

using test::as_word;

template <class T>
class natural : public ::testing::Test {};
using types = ::testing::Types<float, double, f16, bf16>;
TYPED_TEST_SUITE(natural, types);

TYPED_TEST(natural, ranges_are_their_elements) {
  using T = TypeParam;
  std::vector<T> x, y(100), z(100);
  for (int i = 0; i < 100; ++i) x.push_back(T(static_cast<float>(i * 37 % 100 - 50) / 8));
  const std::span<const T> view(x);
  const T* const p = x.data();
  EXPECT_EQ(as_word(sum(x)), as_word(sum(p, 100)));
  EXPECT_EQ(as_word(sum(view)), as_word(sum(p, 100)));
  EXPECT_EQ(as_word(sum(view.first(7))), as_word(sum(p, 7)));
  EXPECT_EQ(as_word(sum({T(1.0f), T(2.0f), T(4.0f)})), as_word(T(7.0f)));
  EXPECT_EQ(as_word(sum(std::array<T, 2>{T(1.0f), T(2.0f)})), as_word(T(3.0f)));
  const T three[] = {T(1.0f), T(2.0f), T(3.0f)};
  EXPECT_EQ(as_word(exact_sum(three)), as_word(T(6.0f)));
  EXPECT_EQ(as_word(exact_sum({T(1.0f), T(2.0f)})), as_word(T(3.0f)));
  EXPECT_EQ(as_word(dot(x, view)), as_word(dot(p, p, 100)));
  EXPECT_EQ(as_word(exact_dot(view, x)), as_word(exact_dot(p, p, 100)));
  EXPECT_EQ(argmin(x), argmin(p, 100));
  EXPECT_EQ(argmax(view), argmax(p, 100));
  EXPECT_EQ(as_word(variance(x)), as_word(variance(p, 100)));
  EXPECT_EQ(as_word(reduce(reduction::l1_norm, x)), as_word(reduce(reduction::l1_norm, p, 100)));
  const auto same = [&] {
    return std::equal(y.begin(), y.end(), z.begin(), [](T a, T b) { return as_word(a) == as_word(b); });
  };
  cumsum(x, y);
  cumsum(p, 100, z.data());
  EXPECT_TRUE(same());
  exclusive_cumprod(view, std::span<T>(y));
  exclusive_cumprod(p, 100, z.data());
  EXPECT_TRUE(same());

  exact_accumulator<T> a, b;
  for (const T v : x) a += v;
  b.add(x);
  EXPECT_EQ(a.to_bytes(), b.to_bytes());

  y.pop_back();
  const auto refuses = [](const auto& call, const char* who) {
    EXPECT_TRUE(test::mentions(test::error_of(call), {who, "x has 100 elements", "y has 99"}));
  };
  refuses([&] { (void)dot(x, y); }, "rivus::dot");
  refuses([&] { (void)exact_dot(x, y); }, "rivus::exact_dot");
  refuses([&] { cumsum(x, y); }, "rivus::cumsum");
  refuses([&] { cumprod(x, y); }, "rivus::cumprod");
  refuses([&] { exclusive_cumsum(x, y); }, "rivus::exclusive_cumsum");
  refuses([&] { exclusive_cumprod(x, y); }, "rivus::exclusive_cumprod");
}

TYPED_TEST(natural, matrices_to_write_are_matrices_to_read) {
  using T = TypeParam;
  std::vector<T> data, out(12), expected(12), per_row(3), mean_of(3);
  for (int i = 0; i < 12; ++i) data.push_back(T(static_cast<float>(i * 5 % 7)));
  const matrix<T> x(data.data(), 3, 4), y(out.data(), 3, 4);
  const matrix<const T> in = x;
  const matrix<T> other(expected.data(), 3, 4);
  const auto same = [&] {
    return std::equal(out.begin(), out.end(), expected.begin(),
                      [](T a, T b) { return as_word(a) == as_word(b); });
  };
  softmax(x, y);
  softmax<T>(in, other);
  EXPECT_TRUE(same());
  log_softmax(x, y);
  log_softmax<T>(in, other);
  EXPECT_TRUE(same());
  layer_norm(x, nullptr, nullptr, 0, y, nullptr, nullptr);
  layer_norm<T>(in, nullptr, nullptr, 0, other, nullptr, nullptr);
  EXPECT_TRUE(same());
  rms_norm(x, nullptr, 0, y, nullptr);
  rms_norm<T>(in, nullptr, 0, other, nullptr);
  EXPECT_TRUE(same());
  cumsum_rows(x, y);
  cumsum_rows<T>(in, other);
  EXPECT_TRUE(same());
  reduce_rows(reduction::maximum, x, per_row.data());
  variance_rows(x, mean_of.data());
  std::size_t at[3];
  argmax_rows(x, at);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(as_word(per_row[i]), as_word(x(i, at[i])));
    EXPECT_EQ(as_word(mean_of[i]), as_word(variance(&x(i, 0), 4)));
  }
}

TEST(natural_calls, a_histogram_of_whole_bounds) {
  const std::vector<double> x = {0, 0.5, 1, 2.5, 4, 5};
  std::uint64_t bins[4];
  histogram(x.data(), x.size(), 0, 4, bins, 4);
  EXPECT_TRUE(std::equal(bins, bins + 4, std::array<std::uint64_t, 4>{2, 1, 1, 1}.begin()));
}

TEST(natural_calls, shuffle_takes_a_range) {
  const stream s = stream::from_seed(42);
  std::vector<int> x(100), y(100);
  int z[100];
  for (int i = 0; i < 100; ++i) x[static_cast<std::size_t>(i)] = y[static_cast<std::size_t>(i)] = z[i] = i;
  shuffle(x, s);
  shuffle(std::span<int>(y), s);
  shuffle(z, s);
  EXPECT_EQ(x, y);
  EXPECT_TRUE(std::equal(x.begin(), x.end(), z));
  int w[100];
  for (int i = 0; i < 100; ++i) w[i] = i;
  shuffle(w, w + 100, s);
  EXPECT_TRUE(std::equal(x.begin(), x.end(), w));
}

struct serial_pool {
  void operator()(std::size_t n, executor::part p) const {
    for (std::size_t i = n; i-- > 0;) p(i);
  }
};

TEST(natural_calls, any_pool_runs_the_parts) {
  const std::vector<float> x(1 << 20, 1.5f);
  const float expected = sum(x);
  const serial_pool unchanging;
  EXPECT_EQ(sum(x, executor(3, unchanging)), expected);
  EXPECT_EQ(sum(x, executor(3, serial_pool())), expected);
  std::size_t parts = 0;
  EXPECT_EQ(sum(x, executor(3,
                            [&](std::size_t n, executor::part p) {
                              for (std::size_t i = 0; i < n; ++i, ++parts) p(i);
                            })),
            expected);
  EXPECT_EQ(parts, 3u);
}

TEST(natural_calls, the_self_test_finds_nothing) { EXPECT_TRUE(self_test()); }

}  // namespace
}  // namespace rivus
