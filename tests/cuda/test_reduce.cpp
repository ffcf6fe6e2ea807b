#include <rivus/cuda/reduce.hpp>
#include <rivus/reduce.hpp>

#include "device.hpp"

namespace rivus {
namespace {

using test::as_word;
using test::device_array;

// What sum and dot need on the device, for up to n values; the scratch is of just the size that is asked for.
template <class T>
struct workplace {
  explicit workplace(const std::vector<T>& x, const std::vector<T>& y = {})
      : n(x.size()), x_(x, sizeof(T)), y_(y, 3 * sizeof(T)), result(1, sizeof(T)), scratch(bytes()) {}

  std::size_t bytes() const { return cuda::scratch_bytes<T>(n); }
  void expect_sum(T expected) {
    cuda::sum<T>(nullptr, x_.data(), n, result.data(), scratch.data(), bytes());
    EXPECT_TRUE(result.holds(&expected, 1)) << "sum of " << n;
  }
  void expect_dot(T expected) {
    cuda::dot<T>(nullptr, x_.data(), y_.data(), n, result.data(), scratch.data(), bytes());
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
std::vector<T> random_values(std::size_t n, std::uint64_t seed) {
  test::words random(seed);
  std::vector<T> values(n);
  for (T& v : values) v = random.wide_real<T>(20);
  return values;
}

template <class T>
class cuda_reduce : public test::device_test {
 public:
  static void expect_both(const std::vector<T>& x, const std::vector<T>& y) {
    workplace<T> on_device(x, y);
    on_device.expect_sum(sum(x.data(), x.size()));
    on_device.expect_dot(dot(x.data(), y.data(), x.size()));
    on_device.expect_guards();
  }
};
using reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(cuda_reduce, reals);

TYPED_TEST(cuda_reduce, gives_the_host_s_bits_for_any_count_and_grid) {
  using T = TypeParam;
  const auto counts =
      test::cases<std::size_t>({0,    1,    2,    3,    31,   32,   33,    63,    64,    65,    1000,  2047,
                                2048, 2049, 2080, 4095, 4096, 4097, 10000, 16384, 16385, 81925, 200003},
                               {1, 33, 2048, 2049, 81925});
  for (const std::size_t n : counts) {
    test::for_each_grid(
        [&] { TestFixture::expect_both(random_values<T>(n, n + 1), random_values<T>(n, n + 2)); });
  }
}

TYPED_TEST(cuda_reduce, has_as_many_levels_as_it_takes) {
  using T = TypeParam;
  // More than 32 nodes of 32 chunks.
  constexpr std::size_t n = 1030 * 2048 + 1;
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(i * 2654435761u % 1000003) * T(0x1p-7) - T(3900);
  workplace<T> on_device(x);
  on_device.expect_sum(sum(x.data(), n));
  on_device.expect_guards();
}

TYPED_TEST(cuda_reduce, treats_special_values_as_the_host_does) {
  using T = TypeParam;
  constexpr T inf = test::infinity<T>, tiny = std::numeric_limits<T>::denorm_min();
  const T odd_nan = test::as_real<T>(static_cast<test::word_of<T>>(~test::word_of<T>{0} - 5));
  for (const std::size_t n : {1, 40, 2049, 5000}) {
    const std::vector<T> ones(n, T(1));
    for (const T value :
         {T(-0.0), T(0), tiny, -3 * tiny, inf, -inf, odd_nan, std::numeric_limits<T>::max()}) {
      SCOPED_TRACE(static_cast<double>(value));
      std::vector<T> x(n, value);
      TestFixture::expect_both(x, ones);
      x[n / 2] = -inf;
      TestFixture::expect_both(x, ones);
      x.assign(n, T(-0.0));
      x[n - 1] = value;
      TestFixture::expect_both(x, ones);
    }
  }
  // A sum of nothing but -0 is -0, one of nothing +0: the host's, so that agreement with it says something.
  const std::vector<T> zeros(100, T(-0.0));
  EXPECT_EQ(as_word(sum(zeros.data(), 100)), as_word(T(-0.0)));
  workplace<T>(zeros).expect_sum(T(-0.0));
  workplace<T>(std::vector<T>{}).expect_sum(T(0));
  workplace<T>(std::vector<T>(3000, odd_nan)).expect_sum(test::as_real<T>(test::canonical_nan<T>));
}

TYPED_TEST(cuda_reduce, uses_its_scratch_again) {
  using T = TypeParam;
  const auto x = random_values<T>(30000, 5);
  workplace<T> on_device(x, x);
  for (int i = 0; i < 5; ++i) {
    on_device.expect_sum(sum(x.data(), x.size()));
    on_device.expect_dot(dot(x.data(), x.data(), x.size()));
  }
}

TYPED_TEST(cuda_reduce, can_be_captured) {
  using T = TypeParam;
  const std::size_t n = 10001;
  const auto first = random_values<T>(n, 8), second = random_values<T>(n, 9);
  workplace<T> at(first);
  const test::device_stream on;
  const test::device_graph graph(
      on, [&] { cuda::sum<T>(on, at.x_.data(), n, at.result.data(), at.scratch.data(), at.bytes()); });
  for (const auto& x : {first, second, first}) {
    at.x_.set(x);
    graph.replay(on);
    on.wait();
    const T expected = sum(x.data(), n);
    EXPECT_TRUE(at.result.holds(&expected, 1));
  }
}

TEST(cuda_reduce_errors, refuses_null_pointers_and_too_little_scratch) {
  workplace<float> at(std::vector<float>(5000, 1.0f), std::vector<float>(5000, 1.0f));
  const float* const x = at.x_.data();
  float* const result = at.result.data();
  unsigned char* const scratch = at.scratch.data();
  const std::size_t bytes = at.bytes();
  const auto refuses = [&](const float* px, const float* py, std::size_t n, float* r, void* work,
                           std::size_t size, const char* mentioned) {
    if (px != nullptr || py == nullptr) {
      test::expect_refusal([&] { cuda::dot<float>(nullptr, px, py, n, r, work, size); },
                           {"rivus::cuda::dot", mentioned});
    }
    if (py != nullptr) {
      test::expect_refusal([&] { cuda::sum<float>(nullptr, px, n, r, work, size); },
                           {"rivus::cuda::sum", mentioned});
    }
  };
  refuses(x, x, 5000, nullptr, scratch, bytes, "result is null");
  refuses(x, x, 0, nullptr, scratch, bytes, "result is null");
  refuses(nullptr, x, 5000, result, scratch, bytes, "x is null");
  refuses(x, nullptr, 5000, result, scratch, bytes, "y is null");
  refuses(x, x, 5000, result, nullptr, bytes, "scratch is null");
  refuses(x, x, 5000, result, scratch, bytes - 1, std::to_string(bytes - 1).c_str());
  refuses(x, x, 5000, result, scratch, bytes - 1, ("needs " + std::to_string(bytes)).c_str());
  refuses(x, x, 5000, result, scratch + 4, bytes, "aligned to 8");
  EXPECT_TRUE(at.result.untouched());
  EXPECT_TRUE(at.scratch.untouched());
  EXPECT_EQ(cuda::scratch_bytes<float>(2048), 0u);
  EXPECT_EQ(cuda::scratch_bytes<double>(0), 0u);
}

TEST(cuda_reduce_errors, say_which_call_failed_and_where) {
  workplace<double> at(std::vector<double>(5000, 1.0));
  const auto sums = [&](std::size_t n) {
    return [&at, n] {
      cuda::sum<double>(nullptr, at.x_.data(), n, at.result.data(), at.scratch.data(), at.bytes());
    };
  };
  test::expect_failure(sums(5000), {"rivus::cuda::sum", "cudaMemsetAsync"});
  test::expect_failure(sums(5), {"rivus::cuda::sum", "launch of reduce_chunks"});
  test::expect_failure(sums(0), {"rivus::cuda::sum", "cudaMemsetAsync"});
  EXPECT_TRUE(at.result.untouched());
}

}  // namespace
}  // namespace rivus
