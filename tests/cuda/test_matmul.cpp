#include <rivus/cuda/matmul.hpp>

#include "../reference.hpp"
#include "device.hpp"

namespace rivus {
namespace {

using test::device_array;

// An m x n matrix on both sides, its rows or its columns `pitch` apart, in memory that it does not fill.
template <class T>
class both_sides {
 public:
  both_sides(std::size_t rows, std::size_t cols, std::size_t padding, bool by_columns)
      : pitch_((by_columns ? rows : cols) + padding),
        by_columns_(by_columns),
        rows_(rows),
        cols_(cols),
        host_(pitch_ * (by_columns ? cols : rows), T(-12345.5)),
        device_(host_, sizeof(T)) {}

  matrix<T> host() { return view(host_.data()); }
  matrix<T> device() { return view(device_.data()); }

  void randomise(std::uint64_t seed) {
    test::words random(seed);
    set([&] { return random.wide_real<T>(6); });
  }
  template <class F>
  void set(F value) {
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t j = 0; j < cols_; ++j) host()(i, j) = value();
    }
    device_.set(host_);
  }
  // That the device has the host's values, and what is between them as it was.
  ::testing::AssertionResult agree() { return device_.holds(host_); }

 private:
  matrix<T> view(T* data) {
    const auto pitch = static_cast<std::ptrdiff_t>(pitch_);
    return {data, rows_, cols_, by_columns_ ? 1 : pitch, by_columns_ ? pitch : 1};
  }

  std::size_t pitch_;
  bool by_columns_;
  std::size_t rows_, cols_;
  std::vector<T> host_;
  device_array<T> device_;
};

template <class T>
class cuda_matmul : public test::device_test {
 public:
  // layout: three bits, which of a, b and c lie by columns.
  static void expect_product(std::size_t m, std::size_t k, std::size_t n, int layout) {
    SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n) + ", layout " +
                 std::to_string(layout));
    both_sides<T> a(m, k, 1, (layout & 1) != 0), b(k, n, 0, (layout & 2) != 0), c(m, n, 3, (layout & 4) != 0);
    a.randomise(m + k);
    b.randomise(k + n);
    matmul(a.host(), b.host(), c.host());
    cuda::matmul(nullptr, a.device(), b.device(), c.device());
    ASSERT_TRUE(c.agree());
  }
  static void expect_epilogue(std::size_t m, std::size_t k, std::size_t n, int layout, bool with_bias,
                              bool relu) {
    SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n) + ", layout " +
                 std::to_string(layout) + (with_bias ? ", bias" : "") + (relu ? ", relu" : ""));
    both_sides<T> a(m, k, 1, (layout & 1) != 0), b(k, n, 0, (layout & 2) != 0), c(m, n, 3, (layout & 4) != 0),
        bias(1, n, 0, false);
    a.randomise(m + k);
    b.randomise(k + n);
    bias.randomise(n);
    const auto then = [&](matrix<T> values) {
      return matmul_options<T>{with_bias ? values.data : nullptr, relu};
    };
    matmul(a.host(), b.host(), c.host(), then(bias.host()));
    cuda::matmul(nullptr, a.device(), b.device(), c.device(), then(bias.device()));
    ASSERT_TRUE(c.agree());
  }
};
using reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(cuda_matmul, reals);

TYPED_TEST(cuda_matmul, gives_the_host_s_bits_for_any_shape_and_layout) {
  int layout = 0;
  const auto sides = test::cases<std::size_t>({1, 3, 16, 63, 65, 130}, {5, 65});
  const auto depths = test::cases<std::size_t>({0, 1, 7, 15, 16, 17, 33, 100}, {17, 33});
  for (const std::size_t m : sides) {
    for (const std::size_t n : sides) {
      for (const std::size_t k : depths) TestFixture::expect_product(m, k, n, layout++ % 8);
    }
  }
}

// Blocks within a slab and over several, few of them and more than the smaller kernel has levels for.
TYPED_TEST(cuda_matmul, combines_blocks_as_the_host_does) {
  using T = TypeParam;
  for (const std::size_t k : test::cases<std::size_t>({128, 129, 700, 2200}, {700, 2200})) {
    both_sides<T> a(3, k, 0, false), b(k, 5, 1, false), c(3, 5, 0, false);
    a.randomise(k);
    b.randomise(k + 1);
    for (const std::size_t block : {1u, 5u, 16u, 100u, 128u, 3000u}) {
      SCOPED_TRACE(std::to_string(k) + " by " + std::to_string(block));
      const matmul_options<T> options{.block = block};
      matmul(a.host(), b.host(), c.host(), options);
      cuda::matmul(nullptr, a.device(), b.device(), c.device(), options);
      ASSERT_TRUE(c.agree());
    }
  }
}

TYPED_TEST(cuda_matmul, ends_as_the_host_does) {
  for (int layout = 0; layout < 8; ++layout) {
    TestFixture::expect_epilogue(5, 20, 70, layout, true, true);
    TestFixture::expect_epilogue(70, 3, 9, layout, layout % 2 == 0, layout % 2 != 0);
  }
  TestFixture::expect_epilogue(3, 0, 4, 0, true, true);
}

template <class X>
class cuda_half_matmul : public test::device_test {};
using halves = ::testing::Types<f16, bf16>;
TYPED_TEST_SUITE(cuda_half_matmul, halves);

TYPED_TEST(cuda_half_matmul, gives_the_host_s_bits) {
  using X = TypeParam;
  const std::size_t m = 20, k = 37, n = 70;
  // As words, which a device_array can print.
  const auto array = [](const std::vector<X>& x) {
    std::vector<std::uint16_t> words(x.size());
    std::memcpy(words.data(), static_cast<const void*>(x.data()), x.size() * sizeof(X));
    return words;
  };
  auto x = test::random_elements<X>(m * k, 1), y = test::random_elements<X>(k * n, 2),
       bias = test::random_elements<X>(n, 3, 9);
  x[3] = X::from_bits(0xffff), x[k] = test::nearest<X>(60000.0), x[5 * k] = X::from_bits(1);
  device_array<std::uint16_t> a(array(x)), b(array(y)), c(m * n), d(array(bias));
  const auto at = [](const device_array<std::uint16_t>& words) { return reinterpret_cast<X*>(words.data()); };
  for (const bool with_bias : {false, true}) {
    for (const bool relu : {false, true}) {
      std::vector<X> expected(m * n);
      matmul(matrix<const X>(x.data(), m, k), matrix<const X>(y.data(), k, n),
             matrix<X>(expected.data(), m, n), matmul_options<X>{with_bias ? bias.data() : nullptr, relu});
      const matrix<X> out(at(c), m, n);
      if (with_bias || relu) {
        cuda::matmul(nullptr, matrix<const X>(at(a), m, k), matrix<const X>(at(b), k, n), out,
                     matmul_options<X>{with_bias ? at(d) : nullptr, relu});
      } else {
        cuda::matmul(nullptr, matrix<const X>(at(a), m, k), matrix<const X>(at(b), k, n), out);
      }
      EXPECT_TRUE(c.holds(array(expected)));
    }
  }
}

// More blocks than the smaller kernel has levels for.
TYPED_TEST(cuda_half_matmul, combines_blocks_as_the_host_does) {
  using X = TypeParam;
  const std::size_t k = 70;
  std::vector<std::uint16_t> words;
  for (const X& v : test::random_elements<X>(2 * k + 1, 4)) words.push_back(v.bits);
  device_array<std::uint16_t> device(words, 2);
  const auto product = [&](std::uint16_t* at, auto multiply) {
    X* const x = reinterpret_cast<X*>(at);
    multiply(matrix<const X>(x, 1, k), matrix<const X>(x + k, k, 1), matrix<X>(x + 2 * k, 1, 1),
             matmul_options<X>{.block = 3});
  };
  product(words.data(), [](auto a, auto b, auto c, const auto& options) { matmul(a, b, c, options); });
  product(device.data(),
          [](auto a, auto b, auto c, const auto& options) { cuda::matmul(nullptr, a, b, c, options); });
  EXPECT_TRUE(device.holds(words));
}

TYPED_TEST(cuda_matmul, does_not_depend_on_the_grid) {
  test::for_each_grid([] { TestFixture::expect_product(200, 20, 150, 0); });
}

TYPED_TEST(cuda_matmul, treats_special_values_as_the_host_does) {
  using T = TypeParam;
  constexpr T inf = test::infinity<T>, tiny = std::numeric_limits<T>::denorm_min();
  const T odd_nan = test::as_real<T>(static_cast<test::word_of<T>>(~test::word_of<T>{0} - 5));
  const T specials[] = {0, T(-0.0), 1, -1, tiny, -tiny, inf, -inf, odd_nan, std::numeric_limits<T>::max()};
  test::words random(3);
  for (const std::size_t k : {1, 2, 5, 16, 20}) {
    both_sides<T> a(20, k, 0, false), b(k, 70, 0, false), c(20, 70, 0, false);
    // Few of the large ones, or all elements would be NaN.
    const auto any = [&] { return specials[random.below(random.below(4) == 0 ? std::size(specials) : 6)]; };
    a.set(any);
    b.set(any);
    matmul(a.host(), b.host(), c.host());
    cuda::matmul(nullptr, a.device(), b.device(), c.device());
    EXPECT_TRUE(c.agree());
    both_sides<T> bias(1, 70, 0, false);
    bias.set(any);
    for (const bool relu : {false, true}) {
      matmul(a.host(), b.host(), c.host(), matmul_options<T>{bias.host().data, relu});
      cuda::matmul(nullptr, a.device(), b.device(), c.device(), matmul_options<T>{bias.device().data, relu});
      EXPECT_TRUE(c.agree());
    }
  }
}

TEST(cuda_matmul_errors, refuses_shapes_that_do_not_fit_and_null_matrices) {
  both_sides<float> a(3, 4, 0, false), b(5, 6, 0, false), c(3, 6, 0, false);
  test::expect_refusal([&] { cuda::matmul(nullptr, a.device(), b.device(), c.device()); },
                       {"rivus::cuda::matmul", "a is 3 x 4", "b is 5 x 6", "c is 3 x 6"});
  const matrix<const float> null(nullptr, 4, 6);
  test::expect_refusal([&] { cuda::matmul(nullptr, a.device(), null, c.device()); },
                       {"rivus::cuda::matmul", "b is 4 x 6", "null"});
  EXPECT_TRUE(c.agree());
}

TEST(cuda_matmul_errors, nothing_is_launched_for_an_empty_result) {
  const std::uint64_t before = test::launches();
  const matrix<float> none(nullptr, 0, 7);
  both_sides<float> b(4, 7, 0, false);
  EXPECT_NO_THROW(cuda::matmul(nullptr, matrix<const float>(nullptr, 0, 4), b.device(), none));
  EXPECT_EQ(test::launches(), before);
}

TEST(cuda_matmul_errors, say_which_call_failed_and_where) {
  both_sides<double> a(3, 4, 0, false), b(4, 6, 0, false), c(3, 6, 0, false);
  test::expect_failure([&] { cuda::matmul(nullptr, a.device(), b.device(), c.device()); },
                       {"rivus::cuda::matmul", "launch of multiply_tiles"});
  EXPECT_TRUE(c.agree());
}

}  // namespace
}  // namespace rivus
