#include <gtest/gtest.h>

#include <rivus/rivus.hpp>
#include <span>
#include <thread>
#include <vector>

#include "distributions.hpp"
#include "float_modes.hpp"
#include "support.hpp"

namespace rivus {
namespace {

constexpr stream s = stream::from_seed(42)["executor"];

// Runs the parts in threads of its own, the last one first, and counts them.
struct thread_pool {
  std::size_t calls = 0, parts = 0;
  void operator()(std::size_t n, executor::part part) {
    ++calls;
    parts += n;
    std::vector<std::thread> threads;
    for (std::size_t i = n; i-- > 0;) threads.emplace_back([=] { part(i); });
    for (std::thread& t : threads) t.join();
  }
};

TEST(executor, never_changes_a_value) {
  constexpr std::size_t n = 200'001;
  test::for_each_distribution([&](const char* name, auto d) {
    SCOPED_TRACE(name);
    std::vector<typename decltype(d)::value_type> expected(n), out(n);
    fill(expected.data(), n, s, d, 5, executor::this_thread());
    for (const std::size_t threads : {2u, 3u, 7u, 1000u}) {
      thread_pool pool;
      fill(std::span(out), s, d, 5, executor(threads, pool));
      EXPECT_EQ(std::memcmp(out.data(), expected.data(), n * sizeof out[0]), 0) << threads;
      EXPECT_EQ(pool.calls, 1u);
      EXPECT_GE(pool.parts, 2u);
      EXPECT_LE(pool.parts, threads);
    }
  });
}

TEST(executor, serves_sums_and_products) {
  constexpr std::size_t n = 300'001;
  std::vector<double> x(n), y(n);
  fill(std::span(x), s["x"], normal<double>{});
  fill(std::span(y), s["y"], normal<double>{});
  const std::span<const double> a(x), b(y);
  thread_pool pool;
  const executor on(3, pool);
  EXPECT_EQ(sum(a, on), sum(a));
  EXPECT_EQ(dot(a, b, on), dot(a, b));
  EXPECT_EQ(pool.calls, 2u);

  constexpr std::size_t m = 200;
  std::vector<double> expected(m * m), c(m * m);
  const matrix<const double> p(x.data(), m, m), q(y.data(), m, m);
  matmul(p, q, {expected.data(), m, m}, executor::this_thread());
  matmul(p, q, {c.data(), m, m}, on);
  EXPECT_EQ(c, expected);
  EXPECT_EQ(pool.calls, 3u);
}

TEST(executor, small_work_stays_in_the_calling_thread) {
  thread_pool pool;
  const executor on(8, pool);
  std::vector<float> out(10'000);
  for (const std::size_t n : {0u, 1u, 4u, 5u, 1000u, 10'000u}) fill(out.data(), n, s, normal<float>{}, 0, on);
  (void)sum(std::span<const float>(out), on);
  EXPECT_EQ(pool.calls, 0u);
}

TEST(executor, no_thread_or_one_means_the_calling_one) {
  for (const std::size_t threads : {0u, 1u}) {
    thread_pool pool;
    const executor on(threads, pool);
    EXPECT_FALSE(on.is_openmp());
    EXPECT_EQ(on.threads(), 1u);
    std::vector<float> out(200'000);
    fill(std::span(out), s, uniform<float>{}, 0, on);
    EXPECT_EQ(pool.calls, 0u);
    EXPECT_EQ(out[123'456], uniform<float>{}(s, 123'456));
  }
}

TEST(executor, workers_compute_in_the_default_modes_and_keep_theirs) {
  constexpr std::size_t n = 200'000;
  const uniform<float> d{0, 1e-40f};
  std::vector<float> expected(n), out(n);
  fill(std::span(expected), s, d);
  for (const std::uint64_t bits : {test::float_mode::flush_to_zero, test::float_mode::toward_zero}) {
    bool kept[4] = {};
    auto pool = [&](std::size_t parts, executor::part part) {
      for (std::size_t i = 0; i < parts; ++i) {
        std::thread([&] {
          const test::float_mode mode{test::float_mode::standard().control | bits};
          test::float_mode::apply(mode);
          part(i);
          kept[i] = test::float_mode::current() == mode;
        }).join();
      }
    };
    fill(std::span(out), s, d, 0, executor(4, pool));
    EXPECT_EQ(std::memcmp(out.data(), expected.data(), n * sizeof(float)), 0);
    for (const bool k : kept) EXPECT_TRUE(k);
  }
}

TEST(executor, what_a_pool_throws_passes_through) {
  auto pool = [](std::size_t, executor::part) { throw std::domain_error("no threads today"); };
  std::vector<float> out(200'000);
  EXPECT_EQ(test::error_of<std::domain_error>(
                [&] { fill(std::span(out), s, uniform<float>{}, 0, executor(4, pool)); }),
            "no threads today");
}

}  // namespace
}  // namespace rivus
