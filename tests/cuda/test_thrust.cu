// draws, and engines for Thrust and of C++26, on the device, compared with the host.
#include <thrust/copy.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>

#include <numeric>
#include <rivus/fill.hpp>
#include <rivus/philox_engine.hpp>
#include <rivus/thrust.hpp>

#include "device.hpp"

namespace rivus {
namespace {

using test::device_array;

constexpr stream s = stream::from_seed(42)["thrust"];

using cuda_thrust = test::device_test;

template <class D>
void expect_draws(const char* name, D d) {
  SCOPED_TRACE(name);
  using T = typename D::value_type;
  for (const int n : test::cases<int>({1, 31, 257, 10007}, {259})) {
    for (const std::uint64_t first : {std::uint64_t{5}, (std::uint64_t{1} << 34) - 130}) {
      SCOPED_TRACE(std::to_string(n) + " from " + std::to_string(first));
      std::vector<T> filled(static_cast<std::size_t>(n));
      fill(filled.data(), filled.size(), s, d, first);
      device_array<T> copied(filled.size()), transformed(filled.size());
      const auto it = draws(s, d, first);
      thrust::copy(it, it + n, thrust::device_pointer_cast(copied.data()));
      const thrust::counting_iterator<std::uint64_t> index(first);
      thrust::transform(thrust::device, index, index + n, transformed.data(), drawn{s, d});
      EXPECT_TRUE(copied.holds(filled));
      EXPECT_TRUE(transformed.holds(filled));
    }
  }
}

TEST_F(cuda_thrust, algorithms_see_what_fill_writes) {
  expect_draws("normal", normal<float>{1, 2});
  expect_draws("uniform", uniform<double>{});
  expect_draws("integer", integer<std::int32_t>{-7, 1000});
}

TEST_F(cuda_thrust, reductions_with_a_policy_and_without) {
  // Integers, whose sums do not depend on the order.
  const integer<std::int32_t> d{-7, 1000};
  for (const int n : test::cases<int>({1, 1000, 50001}, {1001})) {
    std::vector<std::int32_t> filled(static_cast<std::size_t>(n));
    fill(filled.data(), filled.size(), s, d, 3);
    const std::int32_t sum = std::accumulate(filled.begin(), filled.end(), 0);
    const auto it = draws(s, d, 3);
    EXPECT_EQ(thrust::reduce(it, it + n), sum);
    EXPECT_EQ(thrust::reduce(thrust::device, it, it + n), sum);
  }
}

// Values of engines made, seeded, placed and read in a kernel. The second half is of a type whose words are
// narrower than it.
using narrow_engine = philox_engine<std::uint16_t, 11, 2, 7, 0x551, 0x637>;
struct engine_values {
  stream from;
  RIVUS_HD std::uint64_t operator()(std::uint64_t i) const {
    const auto low = static_cast<unsigned>(i);
    switch (i % 5) {
      case 0: {
        thrust_engine words(from.lane(i));
        thrust::uniform_int_distribution<int> die(1, 6);
        words.discard(low % 7);
        return die(words) + 8 * std::uint64_t{words()};
      }
      case 1: {
        philox4x32_engine e(low);
        e.set_counter({low, 1, 0xFFFFFFFF, 0xFFFFFFFE});
        e.discard(low % 13);
        return e() << 32 | e();
      }
      case 2: {
        philox4x64_engine e(i * 0x9E3779B97F4A7C15u);
        e.discard(i * 0x123456789ABCDEFu);
        return e();
      }
      case 3: {
        cursor words(from, i);
        thrust::uniform_int_distribution<int> die(1, 6);
        philox4x32_engine e(low);
        return die(words) + 8 * die(e);
      }
      default: {
        narrow_engine e(static_cast<std::uint16_t>(i));
        e.discard(i << 40 | i);
        return std::uint64_t{e()} << 16 | e();
      }
    }
  }
};

TEST_F(cuda_thrust, engines_in_kernels) {
  const std::size_t n = test::few_cases() ? 200 : 2000;
  std::vector<std::uint64_t> expected(n);
  for (std::size_t i = 0; i < n; ++i) expected[i] = engine_values{s}(i);
  device_array<std::uint64_t> values(n);
  const thrust::counting_iterator<std::uint64_t> index(0);
  thrust::transform(thrust::device, index, index + static_cast<std::ptrdiff_t>(n), values.data(),
                    engine_values{s});
  EXPECT_TRUE(values.holds(expected));
}

}  // namespace
}  // namespace rivus
