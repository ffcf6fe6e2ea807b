#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <rivus/matmul.hpp>
#include <thread>
#include <vector>

#include "float_modes.hpp"
#include "reference.hpp"
#include "support.hpp"

namespace rivus {
namespace {

using test::as_word;
using test::canonical_nan;

// matmul/v1 by its definition.
template <class T>
void expected_matmul(matrix<const T> a, matrix<const T> b, matrix<T> c, std::size_t block = 128) {
  for (std::size_t i = 0; i < c.rows; ++i) {
    for (std::size_t j = 0; j < c.cols; ++j) {
      std::vector<T> chains;
      for (std::size_t k = 0; k < a.cols; ++k) {
        if (k % block == 0) chains.push_back(0);
        chains.back() = std::fma(a(i, k), b(k, j), chains.back());
      }
      if (chains.empty()) chains.push_back(0);
      c(i, j) = test::canonical(test::tree_of(chains.data(), chains.size(), std::plus<T>()));
    }
  }
}

// A matrix with memory of its own, by rows, in a larger frame that must not be touched.
template <class T>
class owned {
 public:
  owned(std::size_t rows, std::size_t cols, std::size_t padding = 0)
      : rows_(rows), cols_(cols), pitch_(cols + padding), values_(2 * guard + rows * pitch_, frame) {}

  matrix<T> view() { return {values_.data() + guard, rows_, cols_, static_cast<std::ptrdiff_t>(pitch_), 1}; }
  operator matrix<const T>() { return view(); }

  owned& randomise(std::uint64_t seed, int exponents = 6) {
    test::words random(seed);
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t j = 0; j < cols_; ++j) view()(i, j) = random.wide_real<T>(exponents);
    }
    return *this;
  }
  bool frame_is_whole() const {
    for (std::size_t at = 0; at < values_.size(); ++at) {
      const bool inside = at >= guard && at < guard + rows_ * pitch_ && (at - guard) % pitch_ < cols_;
      if (!inside && values_[at] != frame) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t guard = 64;
  static constexpr T frame = T(-12345.5);
  std::size_t rows_, cols_, pitch_;
  std::vector<T> values_;
};

template <class T>
::testing::AssertionResult same_bits(matrix<T> got, matrix<T> expected) {
  for (std::size_t i = 0; i < got.rows; ++i) {
    for (std::size_t j = 0; j < got.cols; ++j) {
      if (as_word(got(i, j)) != as_word(expected(i, j))) {
        return ::testing::AssertionFailure()
               << "element (" << i << ", " << j << ") of " << got.rows << " x " << got.cols << " is "
               << got(i, j) << " instead of " << expected(i, j);
      }
    }
  }
  return ::testing::AssertionSuccess();
}

template <class T>
class matmuls : public ::testing::Test {
 public:
  // The product of m x k and k x n, on every instruction set, in a padded result.
  static void expect_product(std::size_t m, std::size_t k, std::size_t n) {
    SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n));
    owned<T> a(m, k, 3), b(k, n, 1), expected(m, n);
    a.randomise(m + 7 * k), b.randomise(n + 13 * k);
    expected_matmul<T>(a, b, expected.view());
    test::for_each_isa([&] {
      owned<T> c(m, n, 5);
      matmul(a, b, c.view());
      EXPECT_TRUE(same_bits(c.view(), expected.view()));
      EXPECT_TRUE(c.frame_is_whole());
    });
  }
};
using reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(matmuls, reals);

TYPED_TEST(matmuls, by_hand) {
  using T = TypeParam;
  test::for_each_isa([] {
    const T a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, -1, 2, 0.5, 3};
    T c[4] = {};
    matmul(matrix<const T>(a, 2, 3), matrix<const T>(b, 3, 2), matrix<T>(c, 2, 2));
    EXPECT_EQ(c[0], T(0.5));
    EXPECT_EQ(c[1], T(13));
    EXPECT_EQ(c[2], T(2));
    EXPECT_EQ(c[3], T(28));
  });
}

TYPED_TEST(matmuls, of_small_ragged_shapes) {
  for (const std::size_t m : {1u, 2u, 3u, 5u, 7u, 8u, 14u, 15u, 17u, 31u, 33u}) {
    for (const std::size_t n : {1u, 2u, 7u, 8u, 15u, 16u, 17u, 31u, 32u, 33u, 48u, 63u, 65u}) {
      for (const std::size_t k : {1u, 2u, 9u}) this->expect_product(m, k, n);
    }
  }
}

TYPED_TEST(matmuls, of_shapes_beyond_one_block) {
  for (const std::size_t k : {255u, 256u, 257u, 511u, 513u, 700u}) this->expect_product(17, k, 33);
  for (const std::size_t n : {257u, 511u, 512u, 513u, 1100u}) this->expect_product(5, 300, n);
  for (const std::size_t m : {97u, 100u, 257u}) this->expect_product(m, 270, 49);
  this->expect_product(1, 700, 1);
  this->expect_product(1, 1030, 530);
  this->expect_product(530, 300, 1);
  this->expect_product(100, 300, 257);
}

TYPED_TEST(matmuls, of_nothing) {
  using T = TypeParam;
  test::for_each_isa([] {
    for (const auto& [m, k, n] : {std::array<std::size_t, 3>{0, 3, 4}, {3, 4, 0}, {0, 0, 0}, {0, 5, 0}}) {
      owned<T> a(m, k), b(k, n), c(m, n);
      matmul(a, b, c.view());
      EXPECT_TRUE(c.frame_is_whole());
    }
    // No terms: +0, whatever was there.
    owned<T> a(5, 0), b(0, 7), c(5, 7, 2);
    c.randomise(1);
    matmul(a, b, c.view());
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < 7; ++j) EXPECT_EQ(as_word(c.view()(i, j)), as_word(T(0)));
    }
    EXPECT_TRUE(c.frame_is_whole());
    matmul(matrix<const T>(nullptr, 0, 3), matrix<const T>(nullptr, 3, 0), matrix<T>(nullptr, 0, 0));
  });
}

template <class T>
matrix<T> backwards(matrix<T> m) {
  if (m.rows == 0 || m.cols == 0) return m;
  return {&m(m.rows - 1, m.cols - 1), m.rows, m.cols, -m.row_stride, -m.col_stride};
}

TYPED_TEST(matmuls, of_any_strides) {
  using T = TypeParam;
  const std::size_t m = 37, k = 300, n = 51;
  owned<T> a(m, k), b(k, n), at(k, m, 2), bt(n, k, 1), a_back(m, k), b_back(k, n), expected(m, n);
  a.randomise(1), b.randomise(2);
  const auto copy = [](matrix<T> from, matrix<T> to) {
    for (std::size_t i = 0; i < to.rows; ++i) {
      for (std::size_t j = 0; j < to.cols; ++j) to(i, j) = from(i, j);
    }
  };
  copy(a.view().transposed(), at.view());
  copy(b.view().transposed(), bt.view());
  copy(a.view(), backwards(a_back.view()));
  copy(b.view(), backwards(b_back.view()));
  // Every third column of a wider matrix, and one row for all.
  owned<T> wide(k, 3 * n);
  const matrix<T> third(wide.view().data, k, n, static_cast<std::ptrdiff_t>(3 * n), 3);
  copy(b.view(), third);
  const matrix<T> same_row(a.view().data, m, k, 0, 1);
  owned<T> expected_same(m, n);
  expected_matmul<T>(a, b, expected.view());
  expected_matmul<T>(same_row, b, expected_same.view());

  test::for_each_isa([&] {
    for (const matrix<T>& left : {a.view(), at.view().transposed(), backwards(a_back.view())}) {
      for (const matrix<T>& right : {b.view(), bt.view().transposed(), backwards(b_back.view()), third}) {
        owned<T> c(m, n, 4), ct(n, m, 4), c_back(m, n), c_wide(m, 2 * n);
        const matrix<T> every_other(c_wide.view().data, m, n, static_cast<std::ptrdiff_t>(2 * n), 2);
        for (const matrix<T>& out :
             {c.view(), ct.view().transposed(), backwards(c_back.view()), every_other}) {
          matmul(left, right, out);
          ASSERT_TRUE(same_bits(out, expected.view()));
        }
        ASSERT_TRUE(c.frame_is_whole() && ct.frame_is_whole() && c_back.frame_is_whole());
        for (std::size_t i = 0; i < m; ++i) {
          for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(c_wide.view()(i, 2 * j + 1), T(-12345.5));
        }
      }
    }
    owned<T> c(m, n);
    matmul(same_row, b, c.view());
    EXPECT_TRUE(same_bits(c.view(), expected_same.view()));
  });
}

// What batch a row is computed in does not matter.
TYPED_TEST(matmuls, rows_and_columns_do_not_depend_on_the_others) {
  using T = TypeParam;
  const std::size_t m = 29, k = 270, n = 67;
  owned<T> a(m, k), b(k, n);
  a.randomise(3), b.randomise(4);
  test::for_each_isa([&] {
    owned<T> whole(m, n);
    matmul(a, b, whole.view());
    for (std::size_t i = 0; i < m; ++i) {
      owned<T> row(1, n);
      matmul(matrix<const T>(&a.view()(i, 0), 1, k), b, row.view());
      ASSERT_TRUE(same_bits(row.view(), matrix<T>(&whole.view()(i, 0), 1, n)));
    }
    for (std::size_t j = 0; j < n; ++j) {
      owned<T> column(m, 1);
      matmul(a, matrix<const T>(&b.view()(0, j), k, 1, n, 1), column.view());
      ASSERT_TRUE(same_bits(column.view(), matrix<T>(&whole.view()(0, j), m, 1, n, 1)));
    }
  });
}

TYPED_TEST(matmuls, do_not_depend_on_the_threads) {
  using T = TypeParam;
  for (const auto& [m, k, n] :
       {std::array<std::size_t, 3>{300, 150, 257}, {40, 200, 1500}, {1500, 200, 40}}) {
    owned<T> a(m, k), b(k, n), expected(m, n);
    a.randomise(5), b.randomise(6);
    expected_matmul<T>(a, b, expected.view());
    test::for_each_isa([&] {
      test::for_each_thread_count([&] {
        owned<T> c(m, n, 1);
        matmul(a, b, c.view());
        EXPECT_TRUE(same_bits(c.view(), expected.view()));
        EXPECT_TRUE(c.frame_is_whole());
      });
    });
  }
}

TYPED_TEST(matmuls, several_threads_multiply_at_once) {
  using T = TypeParam;
  const test::threads_kept kept;
  omp_set_num_threads(2);
  const std::size_t size = 150;
  owned<T> a(size, size), b(size, size), expected(size, size);
  a.randomise(7), b.randomise(8);
  expected_matmul<T>(a, b, expected.view());
  std::vector<owned<T>> results(4, owned<T>(size, size));
  std::vector<std::thread> threads;
  for (owned<T>& c : results) threads.emplace_back([&] { matmul(a, b, c.view()); });
  for (std::thread& t : threads) t.join();
  for (owned<T>& c : results) EXPECT_TRUE(same_bits(c.view(), expected.view()));
}

TYPED_TEST(matmuls, make_every_nan_canonical_and_carry_infinities) {
  using T = TypeParam;
  constexpr T inf = test::infinity<T>;
  const std::size_t m = 20, k = 300, n = 40;
  for (const std::size_t at : {std::size_t{0}, std::size_t{150}, k - 1}) {
    owned<T> a(m, k), b(k, n), expected(m, n);
    a.randomise(9), b.randomise(10);
    a.view()(3, at) = test::as_real<T>(static_cast<test::word_of<T>>(-1));
    a.view()(4, at) = test::as_real<T>(static_cast<test::word_of<T>>(as_word(inf) + 1));
    a.view()(5, at) = inf;
    a.view()(6, at) = inf;
    a.view()(6, k - 1 - at / 2) = -inf;
    b.view()(at, 7) = 0;
    b.view()(at, 8) = -inf;
    b.view()(at, 9) = -test::any_nan<T>;
    expected_matmul<T>(a, b, expected.view());
    ASSERT_EQ(as_word(expected.view()(3, 0)), canonical_nan<T>);
    ASSERT_TRUE(std::isinf(expected.view()(5, 0)));
    ASSERT_EQ(as_word(expected.view()(5, 7)), canonical_nan<T>);
    test::for_each_isa([&] {
      owned<T> c(m, n);
      matmul(a, b, c.view());
      EXPECT_TRUE(same_bits(c.view(), expected.view()));
    });
  }
}

TYPED_TEST(matmuls, start_from_plus_zero_and_keep_subnormals) {
  using T = TypeParam;
  constexpr T tiny = std::numeric_limits<T>::denorm_min();
  test::for_each_isa([] {
    const T minus[] = {T(-0.0)}, one[] = {1};
    T c[1] = {7};
    matmul(matrix<const T>(minus, 1, 1), matrix<const T>(one, 1, 1), matrix<T>(c, 1, 1));
    EXPECT_EQ(as_word(c[0]), as_word(T(0)));
    const std::vector<T> small(600, 3 * tiny), ones(600, T(1));
    matmul(matrix<const T>(small.data(), 1, 600), matrix<const T>(ones.data(), 600, 1), matrix<T>(c, 1, 1));
    EXPECT_EQ(c[0], 1800 * tiny);
  });
}

// Blocks of any length, on all levels of the tree, between visits of a tile and within.
TYPED_TEST(matmuls, of_any_block) {
  using T = TypeParam;
  for (const std::size_t k : {1u, 127u, 128u, 129u, 511u, 513u, 1025u, 1700u, 4100u}) {
    const std::size_t m = 17, n = 35;
    owned<T> a(m, k), b(k, n), expected(m, n);
    a.randomise(k), b.randomise(k + 1);
    for (const std::size_t block : {1u, 3u, 64u, 100u, 128u, 256u, 300u, 512u, 700u, 5000u}) {
      if (k > 2000 && block != 1 && block != 128 && block != 700) continue;
      SCOPED_TRACE(std::to_string(k) + " by " + std::to_string(block));
      expected_matmul<T>(a, b, expected.view(), block);
      test::for_each_isa([&] {
        owned<T> c(m, n, 2);
        matmul(a, b, c.view(), {.block = block});
        EXPECT_TRUE(same_bits(c.view(), expected.view()));
        EXPECT_TRUE(c.frame_is_whole());
      });
    }
  }
  owned<T> a(1, 5), b(5, 1), c(1, 1);
  EXPECT_TRUE(test::mentions(test::error_of([&] { matmul(a, b, c.view(), {.block = 0}); }),
                             {"rivus::matmul", "block = 0 must be at least 1"}));
  EXPECT_TRUE(test::mentions(test::error_of([&] { matmul(a, b, c.view(), {.block = -2}); }),
                             {"rivus::matmul", "block = -2 must be at least 1"}));
  // As many blocks as memory could hold in one place; of no stride, so that it need not.
  const std::size_t deep = std::size_t{1} << 32;
  const matrix<const T> row(a.view().data, 1, deep, 0, 0), column(b.view().data, deep, 1, 0, 0);
  EXPECT_TRUE(test::mentions(test::error_of([&] { matmul(row, column, c.view(), {.block = 1}); }),
                             {"rivus::matmul", "block = 1 makes 2^32 blocks"}));
}

// More rows than wait together for the rest of their depth.
TYPED_TEST(matmuls, of_many_rows) {
  using T = TypeParam;
  const std::size_t m = 2070, k = 1100, n = 3;
  owned<T> a(m, k), b(k, n), expected(m, n), c(m, n);
  a.randomise(1), b.randomise(2);
  expected_matmul<T>(a, b, expected.view());
  test::for_each_isa([&] {
    matmul(a, b, c.view(), executor::this_thread());
    EXPECT_TRUE(same_bits(c.view(), expected.view()));
  });
}

// What comes after a product by its definition, step by step.
template <class T>
void expected_epilogue(matrix<T> c, const matmul_options<T>& then) {
  for (std::size_t i = 0; i < c.rows; ++i) {
    for (std::size_t j = 0; j < c.cols; ++j) {
      if (then.bias != nullptr) c(i, j) = c(i, j) + then.bias[j];
      if (then.relu && !std::isnan(c(i, j))) c(i, j) = c(i, j) > 0 ? c(i, j) : T(0);
      c(i, j) = test::canonical(c(i, j));
    }
  }
}
template <class T>
std::vector<matmul_options<T>> epilogues(const T* bias) {
  return {{}, {bias, false}, {nullptr, true}, {bias, true}};
}

// On all four combinations of transposed operands, and of either order in the result.
TYPED_TEST(matmuls, end_as_the_epilogue_says) {
  using T = TypeParam;
  for (const auto& [m, k, n] :
       {std::array<std::size_t, 3>{1, 1, 1}, {3, 0, 5}, {17, 9, 33}, {29, 300, 67}, {5, 257, 530}}) {
    SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n));
    owned<T> a(m, k, 1), b(k, n, 2), at(k, m, 3), bt(n, k, 1), bias(1, n);
    a.randomise(m), b.randomise(n + 1), bias.randomise(k, 9);
    for (std::size_t l = 0; l < k; ++l) {
      for (std::size_t i = 0; i < m; ++i) at.view()(l, i) = a.view()(i, l);
      for (std::size_t j = 0; j < n; ++j) bt.view()(j, l) = b.view()(l, j);
    }
    for (const matmul_options<T>& then : epilogues<T>(bias.view().data)) {
      owned<T> expected(m, n);
      expected_matmul<T>(a, b, expected.view());
      expected_epilogue(expected.view(), then);
      test::for_each_isa([&] {
        for (const matrix<T>& left : {a.view(), at.view().transposed()}) {
          for (const matrix<T>& right : {b.view(), bt.view().transposed()}) {
            owned<T> c(m, n, 4), ct(n, m, 2);
            for (const matrix<T>& out : {c.view(), ct.view().transposed()}) {
              matmul(left, right, out, then);
              ASSERT_TRUE(same_bits(out, expected.view()));
            }
            ASSERT_TRUE(c.frame_is_whole() && ct.frame_is_whole());
          }
        }
      });
    }
  }
}

TYPED_TEST(matmuls, end_the_same_on_any_threads) {
  using T = TypeParam;
  for (const auto& [m, k, n] : {std::array<std::size_t, 3>{40, 200, 1500}, {1500, 200, 40}}) {
    owned<T> a(m, k), b(k, n), bias(1, n), expected(m, n);
    a.randomise(5), b.randomise(6), bias.randomise(7, 9);
    const matmul_options<T> then{bias.view().data, true};
    expected_matmul<T>(a, b, expected.view());
    expected_epilogue(expected.view(), then);
    test::for_each_isa([&] {
      test::for_each_thread_count([&] {
        owned<T> c(m, n, 1);
        matmul(a, b, c.view(), then);
        EXPECT_TRUE(same_bits(c.view(), expected.view()));
      });
    });
  }
}

// Chains of one step, each of which the bias meets.
TYPED_TEST(matmuls, epilogues_treat_special_values_as_they_should) {
  using T = TypeParam;
  constexpr T inf = test::infinity<T>, tiny = std::numeric_limits<T>::denorm_min();
  const T odd_nan = test::as_real<T>(static_cast<test::word_of<T>>(-1));
  const T specials[] = {0, T(-0.0), tiny, -tiny, 1, -1, inf, -inf, odd_nan, -std::numeric_limits<T>::max()};
  constexpr std::size_t count = std::size(specials);
  // -tiny / 2 rounds to -0, which a bias of -0 leaves.
  owned<T> a(count + 1, 1), b(1, count), expected(count + 1, count);
  for (std::size_t i = 0; i < count; ++i) a.view()(i, 0) = specials[i], b.view()(0, i) = 1;
  a.view()(count, 0) = -tiny;
  b.view()(0, 0) = b.view()(0, 1) = T(0.5);
  for (const matmul_options<T>& then : epilogues<T>(specials)) {
    expected_matmul<T>(a, b, expected.view());
    ASSERT_EQ(as_word(expected.view()(count, 1)), as_word(T(-0.0)));
    expected_epilogue(expected.view(), then);
    ASSERT_EQ(as_word(expected.view()(count, 1)), as_word(then.relu ? T(0) : T(-0.0)));
    ASSERT_EQ(as_word(expected.view()(8, 3)), canonical_nan<T>);
    test::for_each_isa([&] {
      owned<T> c(count + 1, count);
      matmul(a, b, c.view(), then);
      EXPECT_TRUE(same_bits(c.view(), expected.view()));
    });
  }
}

template <class X>
class half_matmuls : public ::testing::Test {};
using halves = ::testing::Types<f16, bf16>;
TYPED_TEST_SUITE(half_matmuls, halves);

// Chains of floats, rounded once.
TYPED_TEST(half_matmuls, widen_and_round_once) {
  using X = TypeParam;
  for (const auto& [m, k, n] : {std::array<std::size_t, 3>{1, 1, 1},
                                {2, 0, 3},
                                {17, 40, 33},
                                {9, 300, 530},
                                {1100, 20, 3},
                                {70, 260, 90}}) {
    SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n));
    std::vector<X> a = test::random_elements<X>(m * k, m), b = test::random_elements<X>(k * n, n + 1),
                   bias = test::random_elements<X>(n, 3, 9);
    if (k > 1) a[k - 1] = test::nearest<X>(-test::any_nan<double>), a[m / 2 * k] = test::nearest<X>(40000);
    std::vector<float> wide_a, wide_b, wide_bias, expected(m * n);
    for (const X v : a) wide_a.push_back(static_cast<float>(test::value_of(v)));
    for (const X v : b) wide_b.push_back(static_cast<float>(test::value_of(v)));
    for (const X v : bias) wide_bias.push_back(static_cast<float>(test::value_of(v)));
    // By columns.
    std::vector<X> bt(k * n);
    for (std::size_t l = 0; l < k; ++l) {
      for (std::size_t j = 0; j < n; ++j) bt[j * k + l] = b[l * n + j];
    }
    for (int kind = 0; kind < 4; ++kind) {
      const matrix<float> result(expected.data(), m, n);
      expected_matmul<float>({wide_a.data(), m, k}, {wide_b.data(), k, n}, result);
      expected_epilogue(result, epilogues<float>(wide_bias.data())[static_cast<std::size_t>(kind)]);
      const matmul_options<X> then = epilogues<X>(bias.data())[static_cast<std::size_t>(kind)];
      test::for_each_isa([&] {
        for (const int threads : {1, 3}) {
          const test::threads_kept kept;
          omp_set_num_threads(threads);
          for (const matrix<const X>& right :
               {matrix<const X>(b.data(), k, n), matrix<const X>(bt.data(), n, k).transposed()}) {
            std::vector<X> c(m * n);
            const matrix<const X> left(a.data(), m, k);
            if (kind == 0) {
              matmul(left, right, matrix<X>(c.data(), m, n));
            } else {
              matmul(left, right, matrix<X>(c.data(), m, n), then);
            }
            for (std::size_t i = 0; i < m * n; ++i)
              ASSERT_EQ(test::as_word(c[i]),
                        test::as_word(test::nearest<X>(static_cast<double>(expected[i]))))
                  << i;
          }
        }
      });
    }
  }
}

TYPED_TEST(matmuls, refuse_shapes_that_do_not_fit) {
  using T = TypeParam;
  owned<T> a(3, 4), b(4, 5), b_short(2, 5), c(3, 5), c_tall(6, 5), c_wide(3, 7);
  EXPECT_TRUE(test::mentions(test::error_of([&] { matmul(a, b_short, c.view()); }),
                             {"rivus::matmul", "a is 3 x 4", "b is 2 x 5"}));
  EXPECT_TRUE(test::mentions(test::error_of([&] { matmul(a, b, c_tall.view()); }),
                             {"rivus::matmul", "a is 3 x 4", "c is 6 x 5"}));
  EXPECT_TRUE(test::mentions(test::error_of([&] { matmul(a, b, c_wide.view()); }),
                             {"rivus::matmul", "b is 4 x 5", "c is 3 x 7"}));
  for (owned<T>* out : {&c, &c_tall, &c_wide}) {
    const matrix<T> m = out->view();
    for (std::size_t i = 0; i < m.rows; ++i) {
      for (std::size_t j = 0; j < m.cols; ++j) EXPECT_EQ(m(i, j), T(-12345.5));
    }
  }
}

TYPED_TEST(matmuls, refuse_null_data) {
  using T = TypeParam;
  owned<T> a(3, 4), b(4, 5), c(3, 5);
  EXPECT_TRUE(test::mentions(test::error_of([&] { matmul(matrix<const T>(nullptr, 3, 4), b, c.view()); }),
                             {"rivus::matmul", "a is", "null"}));
  EXPECT_TRUE(test::mentions(test::error_of([&] { matmul(a, matrix<const T>(nullptr, 4, 5), c.view()); }),
                             {"rivus::matmul", "b is", "null"}));
  EXPECT_TRUE(test::mentions(test::error_of([&] { matmul(a, b, matrix<T>(nullptr, 3, 5)); }),
                             {"rivus::matmul", "c is", "null"}));
}

TYPED_TEST(matmuls, refuse_floating_point_modes_that_change_values) {
  using T = TypeParam;
  owned<T> a(3, 4), b(4, 5), c(3, 5);
  a.randomise(1), b.randomise(2);
  test::for_each_float_mode([&](const char* complaint) {
    const auto before = test::float_mode::current();
    EXPECT_TRUE(test::mentions(test::error_of<std::runtime_error>([&] { matmul(a, b, c.view()); }),
                               {"rivus::matmul", complaint}));
    EXPECT_EQ(test::float_mode::current(), before);
    EXPECT_EQ(c.view()(2, 4), T(-12345.5));
  });
}

}  // namespace
}  // namespace rivus
