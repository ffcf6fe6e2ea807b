// Every operation of nothing and of a single element: each dimension is 0 or 1.
#include <algorithm>
#include <array>
#include <rivus/exact.hpp>
#include <rivus/fill.hpp>
#include <rivus/normalise.hpp>
#include <rivus/reduce.hpp>
#include <rivus/reductions.hpp>
#include <rivus/scan.hpp>
#include <rivus/scatter.hpp>
#include <rivus/shuffle.hpp>

#include "distributions.hpp"
#include "reference.hpp"

namespace rivus {
namespace {

using test::error_of;
using test::mentions;

constexpr std::size_t none_or_one[] = {0, 1};

// n elements amid others that must stay as they are.
template <class T>
class guarded {
 public:
  explicit guarded(const std::vector<T>& values) : n_(values.size()), before_(n_ + 2 * guard) {
    std::memset(static_cast<void*>(before_.data()), 0xA5, before_.size() * sizeof(T));
    std::copy(values.begin(), values.end(), before_.begin() + guard);
    now_ = before_;
  }
  explicit guarded(std::size_t n) : guarded(std::vector<T>(n)) {}

  T* data() { return now_.data() + guard; }
  // That these are the elements, bit for bit, and nothing else was written. Then everything is as at first.
  ::testing::AssertionResult holds(const std::vector<T>& values) {
    std::vector<T> expected = before_;
    std::copy(values.begin(), values.end(), expected.begin() + guard);
    const bool same = std::memcmp(static_cast<const void*>(now_.data()),
                                  static_cast<const void*>(expected.data()), now_.size() * sizeof(T)) == 0;
    const T first = now_[guard];
    now_ = before_;
    if (same) return ::testing::AssertionSuccess();
    auto failure = ::testing::AssertionFailure() << "not " << values.size() << " of " << n_ << " as expected";
    if constexpr (std::is_arithmetic_v<T>) failure << "; the first is " << +first;
    return failure;
  }
  ::testing::AssertionResult untouched() { return holds({}); }

 private:
  static constexpr std::size_t guard = 16;
  std::size_t n_;
  std::vector<T> before_, now_;
};

TEST(empty, fills_and_orders) {
  const stream s = stream::from_seed(42)["empty"];
  test::for_each_distribution([&](const char* name, auto d) {
    SCOPED_TRACE(name);
    using T = typename decltype(d)::value_type;
    guarded<T> out(1);
    for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{7}, ~std::uint64_t{0}}) {
      fill(out.data(), 0, s, d, first);
      EXPECT_TRUE(out.untouched());
      fill(out.data(), 1, s, d, first);
      EXPECT_TRUE(out.holds({d(s, first)}));
    }
    fill<decltype(d)>(nullptr, 0, s, d);
  });
  guarded<int> one(std::vector<int>{5});
  for (const std::size_t n : none_or_one) {
    shuffle(one.data(), one.data() + n, s);
    EXPECT_TRUE(one.untouched());
  }
}

template <class X>
class empty_reals : public ::testing::Test {
  using wide = wide_t<X>;

 public:
  static X of(double value) { return test::nearest<X>(value); }
  static std::vector<X> list(std::size_t n, double value) { return std::vector<X>(n, of(value)); }
  static std::vector<wide> wides(std::size_t n, double value) {
    return std::vector<wide>(n, static_cast<wide>(value));
  }
};
using element_types = ::testing::Types<float, double, f16, bf16>;
TYPED_TEST_SUITE(empty_reals, element_types);

// What a reduction is of nothing, where that is not refused, and of one 3.
constexpr double refused = 1e300;
constexpr struct {
  reduction kind;
  double of_nothing, of_three;
} kinds[] = {
    {reduction::sum, 0, 3},           {reduction::mean, NAN, 3},        {reduction::l1_norm, 0, 3},
    {reduction::l2_norm, 0, 3},       {reduction::max_norm, 0, 3},      {reduction::product, 1, 3},
    {reduction::minimum, refused, 3}, {reduction::maximum, refused, 3}, {reduction::logsumexp, -INFINITY, 3}};

TYPED_TEST(empty_reals, sums_and_reductions) {
  using X = TypeParam;
  const auto of = this->of;
  guarded<X> x(this->list(1, 3)), y(this->list(1, 2));
  EXPECT_EQ(test::as_word(sum(x.data(), 0)), test::as_word(of(0)));
  EXPECT_EQ(test::as_word(sum(x.data(), 1)), test::as_word(of(3)));
  EXPECT_EQ(test::as_word(dot(x.data(), y.data(), 0)), test::as_word(of(0)));
  EXPECT_EQ(test::as_word(dot(x.data(), y.data(), 1)), test::as_word(of(6)));
  EXPECT_EQ(test::as_word(exact_sum(x.data(), 0)), test::as_word(of(0)));
  EXPECT_EQ(test::as_word(exact_sum(x.data(), 1)), test::as_word(of(3)));
  EXPECT_EQ(test::as_word(exact_dot(x.data(), y.data(), 0)), test::as_word(of(0)));
  EXPECT_EQ(test::as_word(exact_dot(x.data(), y.data(), 1)), test::as_word(of(6)));
  for (const auto& [kind, of_nothing, of_three] : kinds) {
    if (of_nothing == refused) {
      EXPECT_TRUE(mentions(error_of([&, k = kind] { reduce(k, x.data(), 0); }), {name(kind), "of nothing"}));
    } else {
      EXPECT_EQ(test::as_word(reduce(kind, x.data(), 0)), test::as_word(of(of_nothing))) << name(kind);
    }
    EXPECT_EQ(test::as_word(reduce(kind, x.data(), 1)), test::as_word(of(of_three))) << name(kind);
  }
  for (const std::size_t less : {0u, 1u, 2u}) {
    EXPECT_EQ(test::as_word(variance(x.data(), 0, less)), test::as_word(of(NAN)));
    EXPECT_EQ(test::as_word(variance(x.data(), 1, less)), test::as_word(of(less == 0 ? 0 : NAN)));
  }
  EXPECT_TRUE(mentions(error_of([&] { argmin(x.data(), 0); }), {"rivus::argmin", "n = 0"}));
  EXPECT_TRUE(mentions(error_of([&] { argmax(x.data(), 0); }), {"rivus::argmax", "n = 0"}));
  EXPECT_EQ(argmin(x.data(), 1), 0u);
  EXPECT_EQ(argmax(x.data(), 1), 0u);
}

TYPED_TEST(empty_reals, reductions_of_rows_and_columns) {
  using X = TypeParam;
  for (const std::size_t rows : none_or_one) {
    for (const std::size_t cols : none_or_one) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
      guarded<X> in(this->list(rows * cols, 3)), out(1);
      guarded<std::size_t> at(std::vector<std::size_t>{9});
      const matrix<const X> x(in.data(), rows, cols);
      // `count` results, of `n` elements each.
      const auto expect = [&](std::size_t count, std::size_t n, double of_nothing, double of_three,
                              auto call) {
        if (count == 1 && n == 0 && of_nothing == refused) {
          EXPECT_TRUE(mentions(error_of(call), {"nothing"}));
          EXPECT_TRUE(out.untouched());
        } else {
          call();
          EXPECT_TRUE(out.holds(this->list(count, n == 0 ? of_nothing : of_three)));
        }
      };
      for (const auto& [kind, of_nothing, of_three] : kinds) {
        SCOPED_TRACE(name(kind));
        expect(rows, cols, of_nothing, of_three, [&, k = kind] { reduce_rows(k, x, out.data()); });
        expect(cols, rows, of_nothing, of_three, [&, k = kind] { reduce_columns(k, x, out.data()); });
      }
      for (const std::size_t less : none_or_one) {
        const double of_one = less == 0 ? 0 : NAN;
        expect(rows, cols, NAN, of_one, [&] { variance_rows(x, out.data(), less); });
        expect(cols, rows, NAN, of_one, [&] { variance_columns(x, out.data(), less); });
      }
      using arg_of_rows = void (*)(matrix<const X>, std::size_t*, const executor&);
      for (const arg_of_rows arg : {arg_of_rows{argmin_rows<X>}, arg_of_rows{argmax_rows<X>}}) {
        if (rows == 1 && cols == 0) {
          EXPECT_TRUE(mentions(error_of([&] { arg(x, at.data(), {}); }), {"x has no columns"}));
          EXPECT_TRUE(at.untouched());
        } else {
          arg(x, at.data(), {});
          EXPECT_TRUE(at.holds(std::vector<std::size_t>(rows, 0)));
        }
      }
      EXPECT_TRUE(in.untouched());
    }
  }
}

// Of one element 3, the gradient's being 2, weight 5 and bias 7: exact in all types.
TYPED_TEST(empty_reals, rows_become_rows) {
  using X = TypeParam;
  using T = wide_t<X>;
  for (const std::size_t rows : none_or_one) {
    for (const std::size_t cols : none_or_one) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
      const std::size_t n = rows * cols;
      guarded<X> in(this->list(n, 3)), gradient(this->list(n, 2)), ones(this->list(n, 1)),
          zeros(this->list(n, 0)), weight(this->list(cols, 5)), bias(this->list(cols, 7)), out(1), dweight(1),
          dbias(1);
      guarded<T> means(this->wides(rows, 3)), halves(this->wides(rows, 0.5)), mean(1), reciprocal(1);
      const matrix<const X> x(in.data(), rows, cols), dy(gradient.data(), rows, cols);
      const matrix<const X> one(ones.data(), rows, cols), zero(zeros.data(), rows, cols);
      const matrix<X> y(out.data(), rows, cols);
      const auto expect = [&](const char* what, double value, auto call) {
        SCOPED_TRACE(what);
        if (rows == 1 && cols == 0) {
          EXPECT_TRUE(mentions(error_of(call), {what, "has no columns"}));
          EXPECT_TRUE(out.untouched());
          return false;
        }
        call();
        EXPECT_TRUE(out.holds(this->list(n, value)));
        return true;
      };
      expect("rivus::softmax", 1, [&] { softmax(x, y); });
      expect("rivus::log_softmax", 0, [&] { log_softmax(x, y); });
      expect("rivus::softmax_backward", 0, [&] { softmax_backward(one, dy, y); });
      expect("rivus::log_softmax_backward", 0, [&] { log_softmax_backward(zero, dy, y); });
      if (expect("rivus::layer_norm", 7, [&] {
            layer_norm<X>(x, weight.data(), bias.data(), T(0.25), y, mean.data(), reciprocal.data());
          })) {
        EXPECT_TRUE(mean.holds(this->wides(rows, 3)));
        EXPECT_TRUE(reciprocal.holds(this->wides(rows, 2)));
      }
      if (expect("rivus::layer_norm_backward", 0, [&] {
            layer_norm_backward<X>(dy, x, weight.data(), means.data(), halves.data(), y, dweight.data(),
                                   dbias.data());
          })) {
        EXPECT_TRUE(dweight.holds(this->list(cols, 0)));
        EXPECT_TRUE(dbias.holds(this->list(cols, rows == 0 ? 0 : 2)));
      }
      // r = 1 / sqrt(9 + 7)
      if (expect("rivus::rms_norm", 3.75,
                 [&] { rms_norm<X>(x, weight.data(), T(7), y, reciprocal.data()); })) {
        EXPECT_TRUE(reciprocal.holds(this->wides(rows, 0.25)));
      }
      // With h = 3/2 and g = 10: (g - h g h) / 2.
      if (expect("rivus::rms_norm_backward", -6.25,
                 [&] { rms_norm_backward<X>(dy, x, weight.data(), halves.data(), y, dweight.data()); })) {
        EXPECT_TRUE(dweight.holds(this->list(cols, rows == 0 ? 0 : 3)));
      }
      for (guarded<X>* input : {&in, &gradient, &weight, &bias}) EXPECT_TRUE(input->untouched());
    }
  }
}

TYPED_TEST(empty_reals, scans) {
  using X = TypeParam;
  const struct {
    void (*row)(const X*, index64, X*, const executor&);
    void (*rows)(matrix<const X>, matrix<X>, const executor&);
    double of_three;
  } scans[] = {{cumsum<X>, cumsum_rows<X>, 3},
               {cumprod<X>, cumprod_rows<X>, 3},
               {exclusive_cumsum<X>, exclusive_cumsum_rows<X>, 0},
               {exclusive_cumprod<X>, exclusive_cumprod_rows<X>, 1}};
  guarded<X> in(this->list(1, 3)), out(1);
  for (const auto& scan : scans) {
    for (const std::size_t cols : none_or_one) {
      scan.row(in.data(), cols, out.data(), {});
      EXPECT_TRUE(out.holds(this->list(cols, scan.of_three)));
      for (const std::size_t rows : none_or_one) {
        scan.rows(matrix<const X>(in.data(), rows, cols), matrix<X>(out.data(), rows, cols), {});
        EXPECT_TRUE(out.holds(this->list(rows * cols, scan.of_three)));
      }
    }
  }
  EXPECT_TRUE(in.untouched());
}

TYPED_TEST(empty_reals, products_of_matrices) {
  using X = TypeParam;
  guarded<X> a(this->list(1, 3)), b(this->list(1, -2)), bias(this->list(1, 5)), c(1);
  for (const std::size_t m : none_or_one) {
    for (const std::size_t k : none_or_one) {
      for (const std::size_t n : none_or_one) {
        SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n));
        const matrix<const X> left(a.data(), m, k), right(b.data(), k, n);
        const matrix<X> to(c.data(), m, n);
        matmul(left, right, to);
        EXPECT_TRUE(c.holds(this->list(m * n, k == 0 ? 0 : -6)));
        matmul(left, right, to, {bias.data(), false});
        EXPECT_TRUE(c.holds(this->list(m * n, k == 0 ? 5 : -1)));
        matmul(left, right, to, {bias.data(), true});
        EXPECT_TRUE(c.holds(this->list(m * n, k == 0 ? 5 : 0)));
      }
    }
  }
}

template <class T>
class empty_numbers : public ::testing::Test {};
using number_types =
    ::testing::Types<float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(empty_numbers, number_types);

// n contributions of 3 to destinations that hold 2.
TYPED_TEST(empty_numbers, contributions) {
  using T = TypeParam;
  using list = std::vector<T>;
  guarded<std::int32_t> ids(std::vector<std::int32_t>{0});
  guarded<T> x(list{3}), out(list{2});
  guarded<std::uint64_t> counts(std::vector<std::uint64_t>{2});
  const struct {
    void (*call)(T*, index64, indices, const T*, index64, const executor&);
    T result;
  } into[] = {{index_add<T>, 5}, {scatter_min<T>, 2}, {scatter_max<T>, 3}, {scatter_prod<T>, 6}, {put<T>, 3}};
  const auto refuses = [&](auto call) {
    EXPECT_TRUE(mentions(error_of(call), {"ids[0] = 0 is not in [0, "}));
    EXPECT_TRUE(out.untouched());
    EXPECT_TRUE(counts.untouched());
  };
  for (const std::size_t n : none_or_one) {
    for (const std::size_t size : none_or_one) {
      SCOPED_TRACE(std::to_string(n) + " to " + std::to_string(size));
      const bool no_place = n > size;
      const auto expect = [&](const list& expected, auto call) {
        if (no_place) return refuses(call);
        call();
        EXPECT_TRUE(out.holds(expected));
      };
      for (const auto& one : into)
        expect(list(size * n, one.result), [&] { one.call(out.data(), size, ids.data(), x.data(), n, {}); });
      const list fresh(size, n == 0 ? T(0) : T(3));
      expect(fresh, [&] { segment_sum(ids.data(), x.data(), n, out.data(), size); });
      expect(fresh, [&] { bincount(ids.data(), x.data(), n, out.data(), size); });
      for (const std::size_t cols : none_or_one) {
        expect(list(size * n * cols, T(5)),
               [&] { index_add_rows(out.data(), size, cols, ids.data(), x.data(), n); });
        expect(list(cols == 0 ? 0 : size, fresh.empty() ? T(0) : fresh[0]),
               [&] { segment_sum_rows(ids.data(), x.data(), n, cols, out.data(), size); });
      }
      const auto count = [&] { bincount(ids.data(), n, counts.data(), size); };
      if (no_place) {
        refuses(count);
      } else {
        count();
        EXPECT_TRUE(counts.holds(std::vector<std::uint64_t>(size, n)));
      }
    }
  }
}

template <class T>
class empty_floats : public ::testing::Test {};
using float_types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(empty_floats, float_types);

TYPED_TEST(empty_floats, histograms_and_bags) {
  using T = TypeParam;
  using list = std::vector<T>;
  guarded<T> x(list{3}), out(list{2});
  guarded<std::int32_t> ids(std::vector<std::int32_t>{0}), offsets(std::vector<std::int32_t>{0});
  guarded<std::uint64_t> counts(1);
  for (const std::size_t n : none_or_one) {
    EXPECT_TRUE(
        mentions(error_of([&] { histogram(x.data(), n, T(0), T(4), counts.data(), 0); }), {"bins = 0"}));
    EXPECT_TRUE(counts.untouched());
    histogram(x.data(), n, T(0), T(4), counts.data(), 1);
    EXPECT_TRUE(counts.holds({n}));
    for (const std::size_t rows : none_or_one) {
      for (const std::size_t bags : none_or_one) {
        for (const std::size_t cols : none_or_one) {
          SCOPED_TRACE(std::to_string(n) + " ids of " + std::to_string(rows) + " x " + std::to_string(cols) +
                       " in " + std::to_string(bags) + " bags");
          for (const bag_mode mode : {bag_mode::sum, bag_mode::mean}) {
            const auto forward = [&] {
              embedding_bag(x.data(), rows, cols, ids.data(), n, offsets.data(), bags, mode, out.data());
            };
            const auto backward = [&] {
              embedding_bag_backward(x.data(), ids.data(), n, offsets.data(), bags, mode, out.data(), rows,
                                     cols);
            };
            if (n > bags || n > rows) {
              const char* const complaint = n > bags ? "no bags" : "ids[0] = 0 is not in [0, rows)";
              EXPECT_TRUE(mentions(error_of(forward), {"rivus::embedding_bag:", complaint}));
              EXPECT_TRUE(mentions(error_of(backward), {"rivus::embedding_bag_backward:", complaint}));
              EXPECT_TRUE(out.untouched());
            } else {
              forward();
              EXPECT_TRUE(out.holds(list(bags * cols, n == 0 ? T(0) : T(3))));
              backward();
              EXPECT_TRUE(out.holds(list(n * cols, T(5))));
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace rivus
