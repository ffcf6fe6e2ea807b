#include <sys/mman.h>

#include <cstdlib>
#include <rivus/normalise.hpp>
#include <rivus/reduce.hpp>
#include <rivus/reductions.hpp>
#include <rivus/scatter.hpp>

#include "float_modes.hpp"
#include "reference.hpp"

namespace rivus {
namespace {

using test::as_word;
using test::dot_of;
using test::nearest;
using test::product_of;
using test::sum_of;
using test::value_of;

constexpr reduction all_kinds[] = {reduction::sum,     reduction::mean,    reduction::l1_norm,
                                   reduction::l2_norm, reduction::product, reduction::max_norm,
                                   reduction::minimum, reduction::maximum, reduction::logsumexp};

// An extreme of f(0), ..., f(n - 1), NaN winning.
template <class T, class F, class Less>
T extreme_of(std::size_t n, F f, Less less) {
  T most = f(0);
  for (std::size_t i = 1; i < n; ++i) {
    if (!std::isnan(most) && (std::isnan(f(i)) || less(most, f(i)))) most = f(i);
  }
  return most;
}
template <class T, class F>
T largest_of(std::size_t n, F f) {
  return extreme_of<T>(n, f, test::ordered_less<T>);
}

template <class T, class F>
T reduced(reduction kind, std::size_t n, F f) {
  const T count = static_cast<T>(n);
  switch (kind) {
    case reduction::sum:
      return sum_of<T>(n, f);
    case reduction::mean:
      return sum_of<T>(n, f) / count;
    case reduction::l1_norm:
      return sum_of<T>(n, [&](std::size_t i) { return std::fabs(f(i)); });
    case reduction::l2_norm:
      return static_cast<T>(std::sqrt(dot_of<double>(n, f, f)));
    case reduction::product:
      return product_of<T>(n, f);
    case reduction::max_norm:
      return n == 0 ? T(0) : largest_of<T>(n, [&](std::size_t i) { return std::fabs(f(i)); });
    case reduction::minimum:
      return extreme_of<T>(n, f, [](T a, T b) { return test::ordered_less(b, a); });
    case reduction::maximum:
      return largest_of<T>(n, f);
    case reduction::logsumexp: {
      const T m = n == 0 ? -test::infinity<T> : largest_of<T>(n, f);
      if (!std::isfinite(m)) return m;
      return m + real::log(sum_of<T>(n, [&](std::size_t i) { return real::exp(f(i) - m); }));
    }
  }
  return 0;
}
template <class T, class F>
T variance_of(std::size_t n, std::size_t less, F f) {
  if (n <= less) return test::any_nan<T>;
  const T mean = sum_of<T>(n, f) / static_cast<T>(n);
  const auto d = [&](std::size_t i) { return f(i) - mean; };
  return dot_of<T>(n, d, d) / static_cast<T>(n - less);
}

template <class X>
class reductions : public ::testing::Test {
  using wide = wide_t<X>;

 public:
  static wide at(const std::vector<X>& x, std::size_t i) { return static_cast<wide>(value_of(x[i])); }

  static void expect_all(const std::vector<X>& x, std::size_t n) {
    const auto f = [&](std::size_t i) { return at(x, i); };
    std::vector<std::pair<reduction, X>> expected;
    for (const reduction kind : all_kinds) {
      if (n == 0 && (kind == reduction::minimum || kind == reduction::maximum)) continue;
      expected.emplace_back(kind, nearest<X>(reduced<wide>(kind, n, f)));
    }
    const X plain = nearest<X>(variance_of<wide>(n, 0, f)), sample = nearest<X>(variance_of<wide>(n, 1, f));
    test::for_each_isa([&] {
      for (const auto& [kind, value] : expected) {
        ASSERT_EQ(as_word(reduce(kind, x.data(), n)), as_word(value)) << name(kind) << " of " << n;
      }
      ASSERT_EQ(as_word(variance(x.data(), n)), as_word(plain)) << "variance of " << n;
      ASSERT_EQ(as_word(variance(x.data(), n, 1)), as_word(sample)) << "variance of " << n;
    });
  }
};
using element_types = ::testing::Types<float, double, f16, bf16>;
TYPED_TEST_SUITE(reductions, element_types);

TEST(half, every_value_widens_and_comes_back) {
  for (unsigned b = 0; b < 0x10000; ++b) {
    const f16 h = f16::from_bits(static_cast<std::uint16_t>(b));
    const bf16 w = bf16::from_bits(static_cast<std::uint16_t>(b));
    ASSERT_EQ(as_word(real::widen(h)), as_word(nearest<float>(value_of(h)))) << b;
    ASSERT_EQ(as_word(real::widen(w)), as_word(nearest<float>(value_of(w)))) << b;
    ASSERT_EQ(real::narrow<f16>(real::widen(h)).bits, nearest<f16>(value_of(h)).bits) << b;
    ASSERT_EQ(real::narrow<bf16>(real::widen(w)).bits, nearest<bf16>(value_of(w)).bits) << b;
  }
}

template <class H>
void expect_narrow(float x) {
  ASSERT_EQ(real::narrow<H>(x).bits, nearest<H>(static_cast<double>(x)).bits) << x;
}
TEST(half, narrowing_rounds_to_nearest_even) {
  test::words random(1);
  for (int i = 0; i < 20000; ++i) {
    const auto x = test::as_real<float>(static_cast<std::uint32_t>(random()));
    expect_narrow<f16>(x);
    expect_narrow<bf16>(x);
    expect_narrow<f16>(random.wide_real<float>(26));
  }
  // Half way between neighbours, and just beside it.
  for (unsigned b = 0; b < 0x7c00; b += 7) {
    const double a = test::value_of_half(static_cast<std::uint16_t>(b)),
                 c = b == 0x7bff ? 65536.0 : test::value_of_half(static_cast<std::uint16_t>(b + 1));
    const float middle = static_cast<float>((a + c) / 2);
    for (const float x : {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, 1e9f), -middle})
      expect_narrow<f16>(x);
  }
}

TYPED_TEST(reductions, follow_the_specification_at_every_length) {
  const auto x = test::random_elements<TypeParam>(70000, 1);
  for (std::size_t n = 0; n <= 70; ++n) this->expect_all(x, n);
  for (const std::size_t n :
       {127u, 128u, 129u, 1000u, 2047u, 2048u, 2049u, 4095u, 4096u, 6145u, 8192u, 10001u, 67000u})
    this->expect_all(x, n);
}

TYPED_TEST(reductions, sums_and_dot_products) {
  using X = TypeParam;
  using T = wide_t<X>;
  const auto x = test::random_elements<X>(5000, 6), y = test::random_elements<X>(5000, 7);
  for (const std::size_t n : {0u, 1u, 33u, 2048u, 5000u}) {
    const auto f = [&](std::size_t i) { return this->at(x, i); };
    const auto g = [&](std::size_t i) { return this->at(y, i); };
    test::for_each_isa([&] {
      EXPECT_EQ(as_word(sum(x.data(), n)), as_word(nearest<X>(sum_of<T>(n, f))));
      EXPECT_EQ(as_word(dot(x.data(), y.data(), n)), as_word(nearest<X>(dot_of<T>(n, f, g))));
    });
  }
  EXPECT_TRUE(test::mentions(test::error_of([&] { dot(x.data(), static_cast<const X*>(nullptr), 2); }),
                             {"y is null"}));
}

TYPED_TEST(reductions, do_not_depend_on_threads) {
  using X = TypeParam;
  const std::size_t n = 300001;
  const auto x = test::random_elements<X>(n, 2);
  for (const reduction kind : all_kinds) {
    const X alone = reduce(kind, x.data(), n, executor::this_thread());
    const X spread = variance(x.data(), n, 1, executor::this_thread());
    test::for_each_thread_count([&] {
      EXPECT_EQ(as_word(reduce(kind, x.data(), n)), as_word(alone)) << name(kind);
      EXPECT_EQ(as_word(variance(x.data(), n, 1)), as_word(spread));
    });
  }
}

// Empty ones, those that begin anywhere, and one that the threads share.
TYPED_TEST(reductions, of_segments_are_those_of_arrays_of_their_own) {
  using X = TypeParam;
  const std::vector<std::size_t> lengths{0, 1, 33, 2048, 0, 2049, 5, 200001, 64, 0};
  std::vector<std::int64_t> offsets;
  std::size_t n = 0;
  for (const std::size_t length : lengths) {
    offsets.push_back(static_cast<std::int64_t>(n));
    n += length;
  }
  const auto x = test::random_elements<X>(n + 1, 8);
  for (const reduction kind : all_kinds) {
    const bool refuses_nothing = kind == reduction::minimum || kind == reduction::maximum;
    std::vector<X> expected(lengths.size()), out(lengths.size());
    std::vector<std::int64_t> begins = offsets;
    if (refuses_nothing) begins = {0, 1, 34, 2082, 4131, 200000};
    for (std::size_t s = 0; s < begins.size(); ++s) {
      const auto begin = static_cast<std::size_t>(begins[s]),
                 end = s + 1 < begins.size() ? static_cast<std::size_t>(begins[s + 1]) : n;
      expected[s] = reduce(kind, x.data() + 1 + begin, end - begin);
    }
    test::for_each_thread_count([&] {
      out.assign(out.size(), X(7.0f));
      segment_reduce(kind, x.data() + 1, n, begins.data(), begins.size(), out.data());
      for (std::size_t s = 0; s < begins.size(); ++s)
        EXPECT_EQ(as_word(out[s]), as_word(expected[s])) << name(kind) << " of segment " << s;
    });
  }
  segment_reduce<X>(reduction::sum, nullptr, 0, nullptr, 0, nullptr);
}

TYPED_TEST(reductions, of_special_values) {
  using X = TypeParam;
  const X inf = nearest<X>(INFINITY), minus_inf = nearest<X>(-INFINITY), nan = nearest<X>(NAN),
          zero = nearest<X>(0), minus_zero = nearest<X>(-0.0), one = nearest<X>(1), large = nearest<X>(60000);
  for (const std::size_t n : {1u, 5u, 33u, 2050u}) {
    for (const X value : {inf, minus_inf, nan, zero, minus_zero, large}) {
      std::vector<X> x(n, value);
      this->expect_all(x, n);
      x[n / 2] = one;
      this->expect_all(x, n);
      x.assign(n, one);
      x[n - 1] = value;
      this->expect_all(x, n);
      x[0] = minus_inf;
      this->expect_all(x, n);
      x.assign(n, minus_zero);
      x[n / 2] = value;
      this->expect_all(x, n);
    }
  }
}

TYPED_TEST(reductions, unaligned) {
  using X = TypeParam;
  const std::size_t n = 3001;
  const auto x = test::random_elements<X>(n, 3);
  std::vector<unsigned char> bytes(n * sizeof(X) + 64);
  test::for_each_isa([&] {
    for (const std::size_t offset : {1u, 3u, 7u, 31u}) {
      std::memcpy(bytes.data() + offset, static_cast<const void*>(x.data()), n * sizeof(X));
      const auto* const moved = reinterpret_cast<const X*>(bytes.data() + offset);
      for (const reduction kind : all_kinds) {
        ASSERT_EQ(as_word(reduce(kind, moved, n)), as_word(reduce(kind, x.data(), n))) << name(kind);
      }
    }
  });
}

TYPED_TEST(reductions, arg_extremes_are_the_first) {
  using X = TypeParam;
  const auto base = test::random_elements<X>(5000, 4, 0);
  const X nan = nearest<X>(NAN), high = nearest<X>(9), low = nearest<X>(-9), zero = nearest<X>(0),
          minus_zero = nearest<X>(-0.0);
  test::for_each_isa([&] {
    for (const std::size_t n : {1u, 2u, 31u, 33u, 700u, 5000u}) {
      std::vector<X> x(base.begin(), base.begin() + static_cast<std::ptrdiff_t>(n));
      x[n / 3] = x[n / 2] = high;
      EXPECT_EQ(argmax(x.data(), n), n / 3);
      x[n / 3] = x[n - 1] = low;
      EXPECT_EQ(argmin(x.data(), n), n / 3);
      x[n - 1] = nan;
      EXPECT_EQ(argmin(x.data(), n), n - 1);
      EXPECT_EQ(argmax(x.data(), n), n - 1);
    }
    const std::vector<X> zeros = {zero, minus_zero, zero, minus_zero};
    EXPECT_EQ(argmin(zeros.data(), 4), 1u);
    EXPECT_EQ(argmax(zeros.data(), 4), 0u);
    std::size_t columns[2];
    argmax_rows(matrix<const X>(base.data(), 2, 2500), columns);
    EXPECT_EQ(columns[1], argmax(base.data() + 2500, 2500));
    argmin_rows(matrix<const X>(base.data(), 2, 2500), columns);
    EXPECT_EQ(columns[0], argmin(base.data(), 2500));
  });
}

TYPED_TEST(reductions, of_rows_and_columns) {
  using X = TypeParam;
  struct shape {
    std::size_t rows, cols, stride;
  };
  for (const auto& [rows, cols, stride] : {shape{1, 1, 1},
                                           {1, 300, 300},
                                           {300, 1, 1},
                                           {7, 33, 40},
                                           {33, 129, 129},
                                           {65, 17, 20},
                                           {2050, 19, 19},
                                           {3, 2500, 2600},
                                           {4100, 3, 5}}) {
    const auto data = test::random_elements<X>(rows * stride, 5);
    const matrix<const X> x(data.data(), rows, cols, static_cast<std::ptrdiff_t>(stride), 1);
    for (const reduction kind : all_kinds) {
      std::vector<X> by_row(rows), by_column(cols);
      std::vector<X> row_expected(rows), column_expected(cols);
      for (std::size_t i = 0; i < rows; ++i) row_expected[i] = reduce(kind, &x(i, 0), cols);
      for (std::size_t j = 0; j < cols; ++j) {
        std::vector<X> column(rows);
        for (std::size_t i = 0; i < rows; ++i) column[i] = x(i, j);
        column_expected[j] = reduce(kind, column.data(), rows);
      }
      test::for_each_isa([&] {
        reduce_rows(kind, x, by_row.data());
        reduce_columns(kind, x, by_column.data());
        for (std::size_t i = 0; i < rows; ++i)
          ASSERT_EQ(as_word(by_row[i]), as_word(row_expected[i])) << name(kind);
        for (std::size_t j = 0; j < cols; ++j)
          ASSERT_EQ(as_word(by_column[j]), as_word(column_expected[j])) << name(kind) << " of column " << j;
      });
    }
    std::vector<X> v(rows), w(cols);
    variance_rows(x, v.data(), 1);
    variance_columns(x, w.data(), 1);
    EXPECT_EQ(as_word(v[rows / 2]), as_word(variance(&x(rows / 2, 0), cols, 1)));
    std::vector<X> column(rows);
    for (std::size_t i = 0; i < rows; ++i) column[i] = x(i, cols / 2);
    EXPECT_EQ(as_word(w[cols / 2]), as_word(variance(column.data(), rows, 1)));
  }
}

// Row by row by the formulas, on every instruction set and number of threads, alone and among other rows.
template <class X>
class normalise : public ::testing::Test {
 public:
  struct problem {
    std::size_t rows, cols;
    std::vector<X> x, dy, weight, bias;
    problem(std::size_t r, std::size_t c)
        : rows(r),
          cols(c),
          x(test::random_elements<X>(r * c, c + 1)),
          dy(test::random_elements<X>(r * c, c + 2)),
          weight(test::random_elements<X>(c, c + 3)),
          bias(test::random_elements<X>(c, c + 4)) {}
    matrix<const X> xs() const { return {x.data(), rows, cols}; }
    matrix<const X> dys() const { return {dy.data(), rows, cols}; }
  };
  static wide_t<X> v(X x) { return static_cast<wide_t<X>>(value_of(x)); }
  static void expect_equal(const std::vector<X>& got, const std::vector<X>& expected, const char* what) {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(as_word(got[i]), as_word(expected[i])) << what << " at " << i << " of " << got.size();
  }
  template <class F>
  static void for_each_problem(F f) {
    for (const auto& [rows, cols] : {std::pair<std::size_t, std::size_t>{1, 1},
                                     {3, 7},
                                     {5, 32},
                                     {4, 100},
                                     {40, 257},
                                     {2, 2048},
                                     {2, 5001}}) {
      f(problem(rows, cols));
    }
  }
};
TYPED_TEST_SUITE(normalise, element_types);

TYPED_TEST(normalise, softmax_and_its_gradient) {
  using X = TypeParam;
  using T = wide_t<X>;
  const auto v = this->v;
  this->for_each_problem([&](const auto& p) {
    std::vector<X> y(p.x.size()), l(p.x.size()), dx(p.x.size()), dl(p.x.size());
    for (std::size_t r = 0; r < p.rows; ++r) {
      const std::size_t at = r * p.cols;
      const T m = largest_of<T>(p.cols, [&](std::size_t j) { return v(p.x[at + j]); });
      const T s = sum_of<T>(p.cols, [&](std::size_t j) { return real::exp(v(p.x[at + j]) - m); });
      for (std::size_t j = 0; j < p.cols; ++j) {
        y[at + j] = nearest<X>(real::exp(v(p.x[at + j]) - m) / s);
        l[at + j] = nearest<X>((v(p.x[at + j]) - m) - real::log(s));
      }
      const T inner = dot_of<T>(
          p.cols, [&](std::size_t j) { return v(y[at + j]); },
          [&](std::size_t j) { return v(p.dy[at + j]); });
      const T total = sum_of<T>(p.cols, [&](std::size_t j) { return v(p.dy[at + j]); });
      for (std::size_t j = 0; j < p.cols; ++j) {
        dx[at + j] = nearest<X>(v(y[at + j]) * (v(p.dy[at + j]) - inner));
        dl[at + j] = nearest<X>(std::fma(-real::exp(v(l[at + j])), total, v(p.dy[at + j])));
      }
    }
    test::for_each_isa([&] {
      std::vector<X> out(p.x.size());
      const matrix<X> o(out.data(), p.rows, p.cols);
      softmax(p.xs(), o);
      this->expect_equal(out, y, "softmax");
      softmax_backward(matrix<const X>(y.data(), p.rows, p.cols), p.dys(), o);
      this->expect_equal(out, dx, "softmax_backward");
      log_softmax(p.xs(), o);
      this->expect_equal(out, l, "log_softmax");
      log_softmax_backward(matrix<const X>(l.data(), p.rows, p.cols), p.dys(), o);
      this->expect_equal(out, dl, "log_softmax_backward");
      // In place.
      out = p.x;
      softmax(matrix<const X>(o), o);
      this->expect_equal(out, y, "softmax in place");
    });
  });
}

TYPED_TEST(normalise, layer_norm_and_its_gradient) {
  using X = TypeParam;
  using T = wide_t<X>;
  const auto v = this->v;
  const T epsilon = T(1e-5);
  this->for_each_problem([&](const auto& p) {
    const T n = static_cast<T>(p.cols);
    std::vector<X> y(p.x.size()), bare(p.x.size()), dx(p.x.size()), dw(p.cols), db(p.cols);
    std::vector<T> mean(p.rows), r(p.rows);
    const auto x_at = [&](std::size_t i, std::size_t j) { return v(p.x[i * p.cols + j]); };
    const auto dy_at = [&](std::size_t i, std::size_t j) { return v(p.dy[i * p.cols + j]); };
    const auto h = [&](std::size_t i, std::size_t j) { return (x_at(i, j) - mean[i]) * r[i]; };
    for (std::size_t i = 0; i < p.rows; ++i) {
      mean[i] = sum_of<T>(p.cols, [&](std::size_t j) { return x_at(i, j); }) / n;
      const auto d = [&](std::size_t j) { return x_at(i, j) - mean[i]; };
      r[i] = T(1) / std::sqrt(dot_of<T>(p.cols, d, d) / n + epsilon);
      const auto g = [&](std::size_t j) { return T(dy_at(i, j) * v(p.weight[j])); };
      const T mean_g = dot_of<T>(
                           p.cols, [&](std::size_t j) { return dy_at(i, j); },
                           [&](std::size_t j) { return v(p.weight[j]); }) /
                       n;
      const T mean_gh = dot_of<T>(p.cols, g, [&](std::size_t j) { return h(i, j); }) / n;
      for (std::size_t j = 0; j < p.cols; ++j) {
        y[i * p.cols + j] = nearest<X>(std::fma(h(i, j), v(p.weight[j]), v(p.bias[j])));
        bare[i * p.cols + j] = nearest<X>(std::fma(h(i, j), T(1), T(0)));
        dx[i * p.cols + j] =
            nearest<X>(r[i] * std::fma(-h(i, j), mean_gh, std::fma(dy_at(i, j), v(p.weight[j]), -mean_g)));
      }
    }
    for (std::size_t j = 0; j < p.cols; ++j) {
      dw[j] = nearest<X>(dot_of<T>(
          p.rows, [&](std::size_t i) { return dy_at(i, j); }, [&](std::size_t i) { return h(i, j); }));
      db[j] = nearest<X>(sum_of<T>(p.rows, [&](std::size_t i) { return dy_at(i, j); }));
    }
    test::for_each_isa([&] {
      std::vector<X> out(p.x.size()), weights(p.cols), biases(p.cols);
      std::vector<T> m(p.rows), s(p.rows);
      const matrix<X> o(out.data(), p.rows, p.cols);
      layer_norm<X>(p.xs(), p.weight.data(), p.bias.data(), epsilon, o, m.data(), s.data());
      this->expect_equal(out, y, "layer_norm");
      EXPECT_EQ(m, mean);
      EXPECT_EQ(s, r);
      layer_norm<X>(p.xs(), nullptr, nullptr, epsilon, o, nullptr, nullptr);
      this->expect_equal(out, bare, "layer_norm without weights");
      layer_norm_backward<X>(p.dys(), p.xs(), p.weight.data(), m.data(), s.data(), o, weights.data(),
                             biases.data());
      this->expect_equal(out, dx, "layer_norm_backward");
      this->expect_equal(weights, dw, "dweight");
      this->expect_equal(biases, db, "dbias");
    });
  });
}

TYPED_TEST(normalise, rms_norm_and_its_gradient) {
  using X = TypeParam;
  using T = wide_t<X>;
  const auto v = this->v;
  const T epsilon = T(1e-6);
  this->for_each_problem([&](const auto& p) {
    const T n = static_cast<T>(p.cols);
    std::vector<X> y(p.x.size()), dx(p.x.size()), dw(p.cols);
    std::vector<T> r(p.rows);
    const auto x_at = [&](std::size_t i, std::size_t j) { return v(p.x[i * p.cols + j]); };
    const auto dy_at = [&](std::size_t i, std::size_t j) { return v(p.dy[i * p.cols + j]); };
    for (std::size_t i = 0; i < p.rows; ++i) {
      const auto x = [&](std::size_t j) { return x_at(i, j); };
      r[i] = T(1) / std::sqrt(dot_of<T>(p.cols, x, x) / n + epsilon);
      const auto g = [&](std::size_t j) { return T(dy_at(i, j) * v(p.weight[j])); };
      const auto h = [&](std::size_t j) { return T(x(j) * r[i]); };
      const T mean_gh = dot_of<T>(p.cols, g, h) / n;
      for (std::size_t j = 0; j < p.cols; ++j) {
        y[i * p.cols + j] = nearest<X>(h(j) * v(p.weight[j]));
        dx[i * p.cols + j] = nearest<X>(r[i] * std::fma(-h(j), mean_gh, g(j)));
      }
    }
    for (std::size_t j = 0; j < p.cols; ++j) {
      dw[j] = nearest<X>(dot_of<T>(
          p.rows, [&](std::size_t i) { return dy_at(i, j); },
          [&](std::size_t i) { return x_at(i, j) * r[i]; }));
    }
    test::for_each_isa([&] {
      std::vector<X> out(p.x.size()), weights(p.cols);
      std::vector<T> s(p.rows);
      const matrix<X> o(out.data(), p.rows, p.cols);
      rms_norm<X>(p.xs(), p.weight.data(), epsilon, o, s.data());
      this->expect_equal(out, y, "rms_norm");
      EXPECT_EQ(s, r);
      rms_norm_backward<X>(p.dys(), p.xs(), p.weight.data(), s.data(), o, weights.data());
      this->expect_equal(out, dx, "rms_norm_backward");
      this->expect_equal(weights, dw, "dweight");
    });
  });
}

TYPED_TEST(normalise, a_row_does_not_depend_on_the_others) {
  using X = TypeParam;
  const typename TestFixture::problem p(300, 1000);
  std::vector<X> alone(1000), among(300 * 1000);
  test::for_each_thread_count([&] {
    softmax(p.xs(), matrix<X>(among.data(), 300, 1000));
    for (const std::size_t i : {0u, 7u, 299u}) {
      softmax(matrix<const X>(p.x.data() + i * 1000, 1, 1000), matrix<X>(alone.data(), 1, 1000));
      this->expect_equal(alone, std::vector<X>(&among[i * 1000], &among[i * 1000] + 1000), "row");
    }
    layer_norm<X>(p.xs(), p.weight.data(), nullptr, 0, matrix<X>(among.data(), 300, 1000), nullptr, nullptr);
    layer_norm<X>(matrix<const X>(p.x.data() + 5000, 1, 1000), p.weight.data(), nullptr, 0,
                  matrix<X>(alone.data(), 1, 1000), nullptr, nullptr);
    this->expect_equal(alone, std::vector<X>(&among[5000], &among[6000]), "row");
  });
}

TEST(reductions_errors, name_the_offset) {
  const std::vector<float> x(10, 1.0f), before(3, 7.0f);
  std::vector<float> out = before;
  const auto refuses = [&](std::vector<int> offsets, reduction kind, const char* says) {
    EXPECT_TRUE(test::mentions(
        test::error_of([&] { segment_reduce(kind, x.data(), 10, offsets.data(), 3, out.data()); }),
        {"rivus::segment_reduce", says}));
    EXPECT_EQ(out, before);
  };
  refuses({1, 2, 3}, reduction::sum, "offsets[0] = 1 is not 0");
  refuses({0, 4, 3}, reduction::sum, "offsets[2] = 3 is below offsets[1]");
  refuses({0, -4, 3}, reduction::sum, "offsets[1] = -4 is below offsets[0]");
  refuses({0, 4, 11}, reduction::mean, "offsets[2] = 11 is above n = 10");
  refuses({0, 4, 4}, reduction::minimum, "a minimum of nothing: segment 1 is empty");
  refuses({0, 4, 10}, reduction::maximum, "a maximum of nothing: segment 2 is empty");
}

TEST(reductions_errors, name_the_parameter) {
  using test::error_of;
  using test::mentions;
  std::vector<float> x(12), out(12);
  const matrix<const float> m(x.data(), 3, 4);
  EXPECT_TRUE(mentions(error_of([&] { reduce(reduction::maximum, x.data(), 0); }),
                       {"rivus::reduce", "maximum", "nothing"}));
  EXPECT_TRUE(mentions(error_of([&] { reduce<float>(reduction::sum, nullptr, 3); }), {"x is null", "n = 3"}));
  EXPECT_TRUE(mentions(error_of([&] { reduce(static_cast<reduction>(77), x.data(), 3); }), {"kind = 77"}));
  EXPECT_TRUE(mentions(error_of([&] { argmax(x.data(), 0); }), {"rivus::argmax", "n = 0"}));
  EXPECT_TRUE(mentions(error_of([&] { reduce_rows(reduction::sum, m.transposed(), out.data()); }),
                       {"col_stride = 4"}));
  EXPECT_TRUE(mentions(error_of([&] { reduce_rows(reduction::sum, m, x.data() + 11); }), {"out overlaps x"}));
  EXPECT_TRUE(
      mentions(error_of([&] { reduce_columns<float>(reduction::sum, m, nullptr); }), {"out is null"}));
  EXPECT_TRUE(
      mentions(error_of([&] { softmax(m, matrix<float>(out.data(), 4, 3)); }), {"shapes", "3 x 4", "4 x 3"}));
  EXPECT_TRUE(mentions(error_of([&] { softmax(m, matrix<float>(x.data() + 1, 3, 4)); }), {"y overlaps x"}));
  EXPECT_TRUE(
      mentions(error_of([&] { softmax(m, matrix<float>(out.data(), 3, 4, 2, 1)); }), {"row_stride = 2"}));
  EXPECT_TRUE(mentions(
      error_of([&] { softmax(matrix<const float>(nullptr, 3, 4), matrix<float>(out.data(), 3, 4)); }),
      {"x is 3 x 4", "null"}));
  EXPECT_TRUE(mentions(error_of([&] {
                         layer_norm_backward<float>(m, m, nullptr, nullptr, nullptr,
                                                    matrix<float>(out.data(), 3, 4), nullptr, nullptr);
                       }),
                       {"mean is null"}));
  std::vector<float> ones(3, 1.0f);
  EXPECT_TRUE(mentions(error_of([&] {
                         rms_norm_backward<float>(m, m, nullptr, ones.data(), matrix<float>(out.data(), 3, 4),
                                                  x.data() + 2);
                       }),
                       {"rivus::rms_norm_backward", "dweight overlaps dy"}));
  EXPECT_EQ(out, std::vector<float>(12));
}

// Mapped memory that is never written is one page of zeros, however large.
TEST(reductions_of_many, go_beyond_2_to_the_32) {
  if (std::getenv("RIVUS_TEST_FEW") != nullptr) GTEST_SKIP() << "RIVUS_TEST_FEW: this would take minutes";
  const std::size_t n = (std::size_t{1} << 32) + 3000, bytes = n * sizeof(bf16), at = n - 5;
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no address space for " << bytes << " bytes";
  auto* const x = static_cast<bf16*>(memory);
  x[at] = nearest<bf16>(2);
  EXPECT_EQ(argmax(x, n), at);
  EXPECT_EQ(as_word(reduce(reduction::maximum, x, n)), as_word(nearest<bf16>(2)));
  EXPECT_EQ(as_word(sum(x, n)), as_word(nearest<bf16>(2)));
  x[at] = nearest<bf16>(-3);
  EXPECT_EQ(argmin(x, n), at);
  EXPECT_EQ(as_word(reduce(reduction::l1_norm, x, n)), as_word(nearest<bf16>(3)));
  munmap(memory, bytes);
}

}  // namespace
}  // namespace rivus
