#include <rivus/cuda/exact.hpp>
#include <rivus/exact.hpp>

#include "device.hpp"

namespace rivus {
namespace {

using test::as_word;
using test::device_array;

// What the exact sums need on the device, for up to n values; the scratch is of just the size that is asked for.
template <class T>
struct workplace {
  explicit workplace(const std::vector<T>& x, const std::vector<T>& y = {})
      : n(x.size()), x_(x, sizeof(T)), y_(y, 3 * sizeof(T)), result(1, sizeof(T)), scratch(bytes()) {}

  std::size_t bytes() const { return cuda::exact_scratch_bytes<T>(n); }
  void expect_sum(T expected) {
    cuda::exact_sum<T>(nullptr, x_.data(), n, result.data(), scratch.data(), bytes());
    EXPECT_TRUE(result.holds(&expected, 1)) << "sum of " << n;
  }
  void expect_dot(T expected) {
    cuda::exact_dot<T>(nullptr, x_.data(), y_.data(), n, result.data(), scratch.data(), bytes());
    EXPECT_TRUE(result.holds(&expected, 1)) << "dot of " << n;
  }
  // Both leave what is around the scratch alone.
  void expect_guards() {
    const std::vector<unsigned char> used = scratch.values();
    EXPECT_TRUE(scratch.holds(used));
  }

  std::size_t n;
  device_array<T> x_, y_, result;
  device_array<unsigned char> scratch;
};

template <class T>
std::vector<T> random_values(std::size_t n, std::uint64_t seed, int exponents = 3) {
  test::words random(seed);
  std::vector<T> values(n);
  for (T& v : values) v = random.wide_real<T>(exponents);
  return values;
}

template <class T>
class cuda_exact : public test::device_test {
 public:
  static void expect_both(const std::vector<T>& x, const std::vector<T>& y) {
    workplace<T> on_device(x, y);
    on_device.expect_sum(exact_sum(x.data(), x.size()));
    on_device.expect_dot(exact_dot(x.data(), y.data(), x.size()));
    on_device.expect_guards();
  }
};
using reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(cuda_exact, reals);

TYPED_TEST(cuda_exact, gives_the_host_s_bits_for_any_count_and_grid) {
  using T = TypeParam;
  const auto counts = test::cases<std::size_t>(
      {0, 1, 2, 31, 32, 33, 1000, 2047, 2048, 2049, 4100, 16384, 16385, 50003}, {1, 33, 2049, 16385});
  for (const std::size_t n : counts) {
    const auto x = random_values<T>(n, n + 1), y = random_values<T>(n, n + 2);
    test::for_each_grid([&] { TestFixture::expect_both(x, y); });
  }
}

TYPED_TEST(cuda_exact, of_any_range) {
  using T = TypeParam;
  for (const int exponents : test::cases({0, 20, 60, 120, 1000}, {20, 1000})) {
    SCOPED_TRACE(exponents);
    const int most = sizeof(T) == 4 ? std::min(exponents, 120) : exponents;
    const auto x = random_values<T>(3000, 3, most), y = random_values<T>(3000, 4, most);
    TestFixture::expect_both(x, y);
    TestFixture::expect_both(x, random_values<T>(3000, 5, 1));
  }
}

// Tiles of other magnitudes, one warp after another through all of them.
TYPED_TEST(cuda_exact, of_a_range_that_changes) {
  using T = TypeParam;
  const test::forced_grid forced(1);
  auto x = random_values<T>(40000, 6, 1), y = random_values<T>(40000, 7, 1);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = std::ldexp(x[i], static_cast<int>(i / 5000 * 37 % 90) - 45);
  TestFixture::expect_both(x, y);
}

TYPED_TEST(cuda_exact, treats_special_values_as_the_host_does) {
  using T = TypeParam;
  constexpr T inf = test::infinity<T>, tiny = std::numeric_limits<T>::denorm_min();
  constexpr T largest = std::numeric_limits<T>::max();
  const T odd_nan = test::as_real<T>(static_cast<test::word_of<T>>(~test::word_of<T>{0} - 5));
  for (const std::size_t n : test::cases<std::size_t>({1, 40, 2100}, {40})) {
    const std::vector<T> ones(n, T(1));
    for (const T value : {T(-0.0), T(0), tiny, -3 * tiny, inf, -inf, odd_nan, largest}) {
      SCOPED_TRACE(static_cast<double>(value));
      std::vector<T> x(n, value);
      TestFixture::expect_both(x, ones);
      TestFixture::expect_both(x, x);
      x[n / 2] = -inf;
      TestFixture::expect_both(x, ones);
      x.assign(n, T(-0.0));
      x[n - 1] = value;
      TestFixture::expect_both(x, ones);
      x.assign(n, largest);
      x[n / 2] = value;
      x[n - 1] = -largest;
      TestFixture::expect_both(x, ones);
    }
  }
  // The host's, so that agreement with it says something.
  const std::vector<T> zeros(100, T(-0.0));
  workplace<T>(zeros).expect_sum(T(-0.0));
  workplace<T>(std::vector<T>{}).expect_sum(T(0));
  workplace<T>(std::vector<T>{largest, largest, -largest, -largest, tiny}).expect_sum(tiny);
  workplace<T>(std::vector<T>(300, odd_nan)).expect_sum(test::as_real<T>(test::canonical_nan<T>));
}

TYPED_TEST(cuda_exact, of_many_equal_terms) {
  using T = TypeParam;
  const test::forced_grid forced(1);
  for (const T value : {T(1), T(-65535)}) {
    TestFixture::expect_both(std::vector<T>(40000, value), std::vector<T>(40000, T(1.5)));
  }
}

TYPED_TEST(cuda_exact, can_be_captured_and_uses_its_scratch_again) {
  using T = TypeParam;
  const std::size_t n = 10001;
  const auto first = random_values<T>(n, 8), second = random_values<T>(n, 9, 60);
  workplace<T> at(first);
  const test::device_stream on;
  const test::device_graph graph(
      on, [&] { cuda::exact_sum<T>(on, at.x_.data(), n, at.result.data(), at.scratch.data(), at.bytes()); });
  for (const auto& x : {first, second, first}) {
    at.x_.set(x);
    graph.replay(on);
    on.wait();
    const T expected = exact_sum(x.data(), n);
    EXPECT_TRUE(at.result.holds(&expected, 1));
  }
}

TEST(cuda_exact_errors, refuses_null_pointers_and_too_little_scratch) {
  workplace<float> at(std::vector<float>(50, 1.0f), std::vector<float>(50, 1.0f));
  const float* const x = at.x_.data();
  float* const result = at.result.data();
  unsigned char* const scratch = at.scratch.data();
  const std::size_t bytes = at.bytes();
  const auto refuses = [&](const float* px, const float* py, std::size_t n, float* r, void* work,
                           std::size_t size, const char* mentioned) {
    if (px != nullptr || py == nullptr) {
      test::expect_refusal([&] { cuda::exact_dot<float>(nullptr, px, py, n, r, work, size); },
                           {"rivus::cuda::exact_dot", mentioned});
    }
    if (py != nullptr) {
      test::expect_refusal([&] { cuda::exact_sum<float>(nullptr, px, n, r, work, size); },
                           {"rivus::cuda::exact_sum", mentioned});
    }
  };
  refuses(x, x, 50, nullptr, scratch, bytes, "result is null");
  refuses(x, x, 0, nullptr, scratch, bytes, "result is null");
  refuses(nullptr, x, 50, result, scratch, bytes, "x is null");
  refuses(x, nullptr, 50, result, scratch, bytes, "y is null");
  refuses(x, x, 50, result, nullptr, bytes, "scratch is null");
  refuses(x, x, 50, result, scratch, bytes - 1, ("needs " + std::to_string(bytes)).c_str());
  refuses(x, x, 50, result, scratch + 4, bytes, "aligned to 8");
  EXPECT_TRUE(at.result.untouched());
  EXPECT_TRUE(at.scratch.untouched());
  EXPECT_EQ(cuda::exact_scratch_bytes<double>(0), 0u);
}

TEST(cuda_exact_errors, say_which_call_failed_and_where) {
  workplace<double> at(std::vector<double>(50, 1.0));
  const auto sums = [&](std::size_t n) {
    return [&at, n] {
      cuda::exact_sum<double>(nullptr, at.x_.data(), n, at.result.data(), at.scratch.data(), at.bytes());
    };
  };
  test::expect_failure(sums(50), {"rivus::cuda::exact_sum", "cudaMemsetAsync"});
  test::expect_failure(sums(0), {"rivus::cuda::exact_sum", "cudaMemsetAsync"});
  EXPECT_TRUE(at.result.untouched());
}

}  // namespace
}  // namespace rivus
