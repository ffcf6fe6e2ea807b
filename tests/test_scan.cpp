#include <gtest/gtest.h>

#include <functional>
#include <rivus/executor.hpp>
#include <rivus/scan.hpp>
#include <vector>

#include "float_modes.hpp"
#include "reference.hpp"
#include "support.hpp"

namespace rivus {
namespace {

using test::as_word;

// scan/v1 by the letter of the specification.
template <class T, class Op>
std::vector<T> in_order(const std::vector<T>& x, Op op) {
  // From the row up: how many elements a unit has, and what the last value was, on the level above, before it began.
  struct level {
    std::size_t unit;
    bool first = true;
    T carry = 0, last = 0;
  };
  level levels[] = {{32}, {2048}, {std::size_t{1} << 20}};
  std::vector<T> y(x.size());
  T v = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    v = i % 32 == 0 ? x[i] : op(v, x[i]);
    T value = v;
    for (std::size_t k = 0; k < 3; ++k) {
      level& l = levels[k];
      // A unit begins; where it is the first of the next larger one there is nothing before it.
      if (i % l.unit == 0) {
        l.carry = l.last;
        l.first = k == 2 ? i == 0 : i % levels[k + 1].unit == 0;
      }
      if (!l.first) value = op(l.carry, value);
      l.last = value;
    }
    y[i] = value;
  }
  return y;
}

// What a scan is, and what it should give.
template <class X>
struct operation {
  const char* name;
  void (*scan)(const X*, index64, X*, const executor&);
  void (*rows)(matrix<const X>, matrix<X>, const executor&);
  bool multiplies, exclusive;

  std::vector<X> expected(const std::vector<X>& x) const {
    using T = wide_t<X>;
    std::vector<T> wide(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) wide[i] = static_cast<T>(test::value_of(x[i]));
    wide = multiplies ? in_order(wide, std::multiplies<T>()) : in_order(wide, std::plus<T>());
    if (exclusive) wide.insert(wide.begin(), multiplies ? T(1) : T(0));
    std::vector<X> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = test::nearest<X>(wide[i]);
    return y;
  }
};
template <class X>
const operation<X> operations[] = {
    {"cumsum", cumsum<X>, cumsum_rows<X>, false, false},
    {"cumprod", cumprod<X>, cumprod_rows<X>, true, false},
    {"exclusive_cumsum", exclusive_cumsum<X>, exclusive_cumsum_rows<X>, false, true},
    {"exclusive_cumprod", exclusive_cumprod<X>, exclusive_cumprod_rows<X>, true, true}};

template <class X>
X value(double v) {
  return test::nearest<X>(v);
}
// The least positive one.
template <class X>
X least() {
  if constexpr (sizeof(X) == 2) {
    return X::from_bits(1);
  } else {
    return std::numeric_limits<X>::denorm_min();
  }
}
template <class X>
::testing::AssertionResult same_bits(const X* got, const X* expected, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    if (test::as_word(got[i]) != test::as_word(expected[i]))
      return ::testing::AssertionFailure()
             << "element " << i << " of " << n << " is " << test::value_of(got[i]) << " instead of "
             << test::value_of(expected[i]);
  }
  return ::testing::AssertionSuccess();
}

template <class X>
class scans : public ::testing::Test {
 public:
  // Products that neither overflow nor vanish: factors near one, now and then negative.
  static std::vector<X> values(const operation<X>& what, std::size_t n, std::uint64_t seed) {
    test::words random(seed);
    std::vector<X> x(n);
    for (X& v : x) {
      v = what.multiplies ? value<X>((1 + random.real<double>() / 16) * (random.below(8) == 0 ? -1 : 1))
                          : value<X>(random.wide_real<double>(4));
    }
    return x;
  }

  // On every instruction set, for x[0..n), beside memory that must stay as it is.
  static void expect_scan(const operation<X>& what, const std::vector<X>& x, const std::vector<X>& expected,
                          std::size_t n) {
    const X mark = value<X>(-1234.5);
    test::for_each_isa([&] {
      std::vector<X> y(n + 2, mark);
      what.scan(x.data(), n, y.data() + 1, {});
      ASSERT_TRUE(same_bits(y.data() + 1, expected.data(), n)) << what.name;
      ASSERT_EQ(test::as_word(y[0]), test::as_word(mark));
      ASSERT_EQ(test::as_word(y[n + 1]), test::as_word(mark));
    });
  }
  static void expect_scan(const operation<X>& what, const std::vector<X>& x) {
    expect_scan(what, x, what.expected(x), x.size());
  }
};
using elements = ::testing::Types<float, double, f16, bf16>;
TYPED_TEST_SUITE(scans, elements);
template <class T>
class real_scans : public scans<T> {};
using reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(real_scans, reals);

TYPED_TEST(scans, by_hand) {
  using X = TypeParam;
  const std::vector<X> x = {value<X>(3), value<X>(-1), value<X>(0.5), value<X>(4)};
  const double expected[4][4] = {{3, 2, 2.5, 6.5}, {3, -3, -1.5, -6}, {0, 3, 2, 2.5}, {1, 3, -3, -1.5}};
  test::for_each_isa([&] {
    for (std::size_t o = 0; o < 4; ++o) {
      std::vector<X> y(4);
      operations<X>[o].scan(x.data(), 4, y.data(), {});
      for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(test::value_of(y[i]), expected[o][i]);
      operations<X>[o].scan(nullptr, 0, nullptr, {});
    }
  });
}

// The order decides what survives.
TYPED_TEST(real_scans, round_in_the_order_of_the_specification) {
  using T = TypeParam;
  const T large = 1 / std::numeric_limits<T>::epsilon() * 2;
  test::for_each_isa([&] {
    T y[64];
    const T few[] = {large, 1, 1, -large};
    cumsum(few, 4, y);
    EXPECT_EQ(y[2], large);
    EXPECT_EQ(y[3], T(0));
    // A row is added up before the carry joins it.
    std::vector<T> rows(64, T(0));
    rows[0] = large;
    rows[32] = rows[40] = 1;
    cumsum(rows.data(), 64, y);
    EXPECT_EQ(y[63], large + 2);
    EXPECT_EQ(y[39], large);
  });
}

TYPED_TEST(scans, of_every_short_length) {
  for (const auto& what : operations<TypeParam>) {
    const auto x = this->values(what, 200, 1);
    const auto expected = what.expected(x);
    for (std::size_t n = 0; n <= 200; ++n) this->expect_scan(what, x, expected, n);
  }
}

TYPED_TEST(scans, around_whole_chunks) {
  for (const auto& what : operations<TypeParam>) {
    const auto x = this->values(what, 4 * 2048, 2);
    const auto expected = what.expected(x);
    for (const std::size_t chunks : {1u, 2u, 3u}) {
      for (const int end : {-33, -32, -1, 0, 1, 31, 32, 33})
        this->expect_scan(what, x, expected, chunks * 2048 + static_cast<std::size_t>(end));
    }
  }
}

// Of what is not negative a running sum never falls, and a zero changes nothing.
TYPED_TEST(scans, are_monotone) {
  using X = TypeParam;
  test::words random(9);
  for (int trial = 0; trial < 40; ++trial) {
    const std::size_t n = 1 + random.below(trial % 8 == 0 ? 9000 : 300);
    std::vector<X> x(n), y(n);
    for (X& v : x)
      v = random.below(4) == 0 ? value<X>(0)
                               : value<X>(std::fabs(random.wide_real<double>(sizeof(X) == 2 ? 4 : 12)));
    test::for_each_isa([&] {
      cumsum(x.data(), n, y.data());
      for (std::size_t i = 1; i < n; ++i) {
        ASSERT_LE(test::value_of(y[i - 1]), test::value_of(y[i])) << i << " of " << n;
        if (test::value_of(x[i]) == 0) {
          ASSERT_EQ(test::as_word(y[i - 1]), test::as_word(y[i])) << i << " of " << n;
        }
      }
    });
  }
}

TEST(scans_of_floats, of_some_blocks) {
  // So large that results go past the caches, to an address of no alignment.
  const std::size_t most = 4 * 512 * 2048 + 2 * 2048 + 77;
  for (const auto& what : {operations<float>[0], operations<float>[3]}) {
    const auto x = scans<float>::values(what, most, 3);
    const auto expected = what.expected(x);
    test::for_each_isa([&] {
      for (const int threads : {1, 2}) {
        const test::threads_kept kept;
        omp_set_num_threads(threads);
        std::vector<float> y(most + 2, 7.0f);
        what.scan(x.data(), most, y.data() + 1, {});
        EXPECT_TRUE(same_bits(y.data() + 1, expected.data(), most)) << what.name << ", threads " << threads;
        EXPECT_EQ(y[0], 7.0f);
        EXPECT_EQ(y[most + 1], 7.0f);
      }
    });
  }
}

TYPED_TEST(scans, do_not_depend_on_the_threads) {
  using X = TypeParam;
  // Several times what two threads take at once.
  const std::size_t n = 1'200'044 / sizeof(X);
  auto pool = [](std::size_t parts, executor::part part) {
    for (std::size_t i = parts; i-- > 0;) part(i);
  };
  for (const auto& what : operations<X>) {
    const auto x = this->values(what, n, 4);
    const auto expected = what.expected(x);
    test::for_each_isa([&] {
      test::for_each_thread_count([&] {
        std::vector<X> y(n);
        what.scan(x.data(), n, y.data(), {});
        EXPECT_TRUE(same_bits(y.data(), expected.data(), n)) << what.name;
      });
      // In place, and with parts in any order.
      std::vector<X> y = x;
      what.scan(y.data(), n, y.data(), executor(3, pool));
      EXPECT_TRUE(same_bits(y.data(), expected.data(), n)) << what.name;
    });
  }
}

TYPED_TEST(scans, in_place) {
  using X = TypeParam;
  for (const auto& what : operations<X>) {
    for (const std::size_t n : {1u, 5u, 31u, 32u, 33u, 100u, 2048u, 2049u, 4100u, 10000u}) {
      const auto x = this->values(what, n, n);
      const auto expected = what.expected(x);
      test::for_each_isa([&] {
        auto y = x;
        what.scan(y.data(), n, y.data(), {});
        ASSERT_TRUE(same_bits(y.data(), expected.data(), n)) << what.name;
      });
    }
  }
}

TYPED_TEST(scans, do_not_depend_on_alignment) {
  using X = TypeParam;
  const std::size_t n = 2100;
  for (const auto& what : operations<X>) {
    const auto x = this->values(what, n, 5);
    const auto expected = what.expected(x);
    std::vector<unsigned char> from(n * sizeof(X) + 128), to(n * sizeof(X) + 128);
    test::for_each_isa([&] {
      for (std::size_t offset = 0; offset <= 64; offset += 1 + offset / 9) {
        std::memcpy(from.data() + offset, x.data(), n * sizeof(X));
        what.scan(reinterpret_cast<const X*>(from.data() + offset), n,
                  reinterpret_cast<X*>(to.data() + 3 * offset % 65), {});
        std::vector<X> y(n);
        std::memcpy(static_cast<void*>(y.data()), to.data() + 3 * offset % 65, n * sizeof(X));
        ASSERT_TRUE(same_bits(y.data(), expected.data(), n)) << "offset " << offset;
      }
    });
  }
}

TYPED_TEST(scans, of_rows) {
  using X = TypeParam;
  struct shape {
    std::size_t rows, cols, x_gap, y_gap;
  };
  for (const shape& s :
       {shape{7, 50, 3, 0}, {3, 2100, 0, 5}, {300, 33, 0, 0}, {1, 4100, 9, 9}, {2, 140'003, 1, 0}}) {
    for (const auto& what : operations<X>) {
      const std::size_t x_pitch = s.cols + s.x_gap, y_pitch = s.cols + s.y_gap;
      const auto x = this->values(what, s.rows * x_pitch, s.cols);
      std::vector<X> expected(s.rows * y_pitch, value<X>(7));
      for (std::size_t i = 0; i < s.rows; ++i) {
        const auto* const row = x.data() + i * x_pitch;
        const auto y = what.expected(std::vector<X>(row, row + s.cols));
        std::copy(y.begin(), y.end(), expected.data() + i * y_pitch);
      }
      const auto pitch = [](std::size_t p) { return static_cast<std::ptrdiff_t>(p); };
      test::for_each_isa([&] {
        std::vector<X> y(s.rows * y_pitch, value<X>(7)), in_place = x;
        what.rows({x.data(), s.rows, s.cols, pitch(x_pitch), 1},
                  {y.data(), s.rows, s.cols, pitch(y_pitch), 1}, {});
        ASSERT_TRUE(same_bits(y.data(), expected.data(), y.size())) << what.name;
        // From the last row to the first, in place.
        const matrix<X> backwards(in_place.data() + (s.rows - 1) * x_pitch, s.rows, s.cols, -pitch(x_pitch),
                                  1);
        what.rows(backwards, backwards, {});
        for (std::size_t i = 0; i < s.rows; ++i) {
          ASSERT_TRUE(same_bits(in_place.data() + i * x_pitch, expected.data() + i * y_pitch, s.cols));
          ASSERT_TRUE(
              same_bits(in_place.data() + i * x_pitch + s.cols, x.data() + i * x_pitch + s.cols, s.x_gap));
        }
      });
    }
  }
}

TYPED_TEST(scans, of_special_values) {
  using X = TypeParam;
  const double inf = test::infinity<double>, tiny = test::value_of(least<X>());
  const double specials[] = {0.0, -0.0, tiny, -3 * tiny, inf, -inf, test::any_nan<double>, 1, -1};
  test::words random(6);
  for (const auto& what : operations<X>) {
    for (const std::size_t n : {1u, 40u, 2049u, 5000u}) {
      for (const double special : specials) {
        // Of nothing else, one at some place, and among some others.
        std::vector<X> x(n, value<X>(special));
        this->expect_scan(what, x);
        x.assign(n, value<X>(1.5));
        x[random.below(n)] = value<X>(special);
        this->expect_scan(what, x);
        for (int i = 0; i < 4; ++i)
          x[random.below(n)] = value<X>(specials[random.below(std::size(specials))]);
        this->expect_scan(what, x);
      }
    }
  }
}

TYPED_TEST(real_scans, make_every_nan_canonical) {
  using T = TypeParam;
  for (const T nan : {-test::any_nan<T>, test::as_real<T>(static_cast<test::word_of<T>>(-1)),
                      test::as_real<T>(static_cast<test::word_of<T>>(as_word(test::infinity<T>) + 1))}) {
    for (const std::size_t at : {0u, 31u, 100u, 2048u, 4999u}) {
      std::vector<T> x(5000, T(1)), y(5000);
      x[at] = nan;
      test::for_each_isa([&] {
        for (const auto& what : operations<T>) {
          what.scan(x.data(), x.size(), y.data(), {});
          for (std::size_t i = 0; i < 5000; ++i) {
            const bool poisoned = i >= at + what.exclusive;
            ASSERT_EQ(as_word(y[i]) == test::canonical_nan<T>, poisoned) << what.name << " " << i;
          }
        }
      });
    }
  }
}

TYPED_TEST(real_scans, keep_the_sign_of_zero) {
  using T = TypeParam;
  test::for_each_isa([] {
    const std::vector<T> x(5000, T(-0.0));
    std::vector<T> y(5000);
    cumsum(x.data(), 5000, y.data());
    for (const T v : y) ASSERT_EQ(as_word(v), as_word(T(-0.0)));
    exclusive_cumsum(x.data(), 5000, y.data());
    for (std::size_t i = 0; i < 5000; ++i) ASSERT_EQ(as_word(y[i]), as_word(i == 0 ? T(0) : T(-0.0)));
  });
}

TYPED_TEST(real_scans, of_any_data) {
  using T = TypeParam;
  test::words random(7);
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t n = random.below(std::uint64_t{1} << (1 + random.below(14)));
    std::vector<T> x(n);
    for (T& v : x)
      v = trial % 2 == 0 ? test::as_real<T>(static_cast<test::word_of<T>>(random()))
                         : random.wide_real<T>(60);
    for (const auto& what : operations<T>) this->expect_scan(what, x);
  }
}

TYPED_TEST(scans, refuse_what_they_cannot_do) {
  using X = TypeParam;
  std::vector<X> x(100, value<X>(1)), y(100, value<X>(2));
  const auto before_x = x, before_y = y;
  for (const auto& what : operations<X>) {
    const std::string who = std::string("rivus::") + what.name, rows = who + "_rows";
    const auto refuses = [&](auto f, std::initializer_list<const char*> parts) {
      EXPECT_TRUE(test::mentions(test::error_of(f), parts)) << what.name;
    };
    refuses([&] { what.scan(nullptr, 3, y.data(), {}); }, {(who + ": ").c_str(), "x is null", "n = 3"});
    refuses([&] { what.scan(x.data(), 3, nullptr, {}); }, {(who + ": ").c_str(), "y is null", "n = 3"});
    refuses([&] { what.scan(x.data(), 20, x.data() + 1, {}); }, {who.c_str(), "y overlaps x"});
    refuses([&] { what.scan(x.data() + 19, 20, x.data(), {}); }, {who.c_str(), "y overlaps x"});
    const matrix<X> out(y.data(), 4, 10);
    const auto refuses_rows = [&](matrix<const X> in, matrix<X> to,
                                  std::initializer_list<const char*> parts) {
      refuses([&] { what.rows(in, to, {}); }, parts);
    };
    refuses_rows({x.data(), 4, 11}, out, {rows.c_str(), "x is 4 x 11", "y is 4 x 10"});
    refuses_rows({x.data(), 5, 10}, out, {rows.c_str(), "x is 5 x 10", "y is 4 x 10"});
    refuses_rows({nullptr, 4, 10}, out, {rows.c_str(), "x is 4 x 10", "null"});
    refuses_rows({x.data(), 4, 10, 1, 4}, out, {rows.c_str(), "x has col_stride = 4"});
    refuses_rows({x.data(), 4, 10}, {y.data(), 4, 10, 1, 4}, {rows.c_str(), "y has col_stride = 4"});
    refuses_rows({x.data(), 4, 10}, {y.data(), 4, 10, 9, 1}, {rows.c_str(), "row_stride = 9"});
    refuses_rows({y.data(), 4, 10, 11, 1}, out, {rows.c_str(), "y overlaps x"});
    test::for_each_float_mode([&](const char* complaint) {
      EXPECT_TRUE(
          test::mentions(test::error_of<std::runtime_error>([&] { what.scan(x.data(), 9, y.data(), {}); }),
                         {who.c_str(), complaint}));
    });
  }
  EXPECT_TRUE(same_bits(x.data(), before_x.data(), 100));
  EXPECT_TRUE(same_bits(y.data(), before_y.data(), 100));
}

}  // namespace
}  // namespace rivus
