// Every operation of nothing and of a single element, each dimension being 0 or 1: what tests/test_empty.cpp shows of the
// host's results, which those here must be.
#include <rivus/cuda/exact.hpp>
#include <rivus/cuda/fill.hpp>
#include <rivus/cuda/matmul.hpp>
#include <rivus/cuda/normalise.hpp>
#include <rivus/cuda/reduce.hpp>
#include <rivus/cuda/scan.hpp>
#include <rivus/cuda/scatter.hpp>
#include <rivus/exact.hpp>
#include <rivus/reduce.hpp>

#include "../distributions.hpp"
#include "../reference.hpp"
#include "device.hpp"

namespace rivus {
namespace {

using cuda::index_error;
using test::device_array;
using test::error_of;

constexpr std::size_t none_or_one[] = {0, 1};

// One element on both sides, of which n are to be written.
template <class T>
struct both_sides {
  T host{};
  device_array<T> device = device_array<T>(1);

  explicit both_sides(T value) : host(value) { device.set({value}); }

  // Both calls write the same n elements and nothing else, or refuse with the same words.
  template <class Host, class Device>
  void expect(const char* what, std::size_t n, Host on_host, Device on_device) {
    const T before = host;
    const std::string refused = error_of([&] { on_host(&host); }),
                      refused_too = error_of([&] { on_device(device.data()); });
    EXPECT_EQ(refused.substr(refused.rfind(':') + 1), refused_too.substr(refused_too.rfind(':') + 1)) << what;
    EXPECT_TRUE(device.holds(&host, n)) << what;
    host = before;
  }
};

template <class X>
class cuda_empty_reals : public test::device_test {
 public:
  static X of(double value) { return test::nearest<X>(value); }
};
using element_types = ::testing::Types<float, double, f16, bf16>;
TYPED_TEST_SUITE(cuda_empty_reals, element_types);

TYPED_TEST(cuda_empty_reals, sums_reductions_and_scans) {
  using X = TypeParam;
  const X three = this->of(3), two = this->of(2);
  const device_array<X> x(std::vector<X>{three}), y(std::vector<X>{two});
  both_sides<X> out(this->of(9));
  both_sides<std::size_t> at(9);
  const device_array<double> memory(16);
  void* const scratch = memory.data();
  const std::size_t bytes = memory.size_bytes();
  using kind_list = std::initializer_list<reduction>;
  const kind_list kinds = {reduction::sum,     reduction::mean,    reduction::l1_norm,
                           reduction::l2_norm, reduction::product, reduction::max_norm,
                           reduction::minimum, reduction::maximum, reduction::logsumexp};
  for (const std::size_t n : none_or_one) {
    out.expect(
        "sum", 1, [&](X* to) { *to = sum(&three, n); },
        [&](X* to) { cuda::sum(nullptr, x.data(), n, to, scratch, bytes); });
    out.expect(
        "dot", 1, [&](X* to) { *to = dot(&three, &two, n); },
        [&](X* to) { cuda::dot(nullptr, x.data(), y.data(), n, to, scratch, bytes); });
    if constexpr (std::is_floating_point_v<X>) {
      const device_array<unsigned char> limbs(cuda::exact_scratch_bytes<X>(n));
      out.expect(
          "exact_sum", 1, [&](X* to) { *to = exact_sum(&three, n); },
          [&](X* to) { cuda::exact_sum(nullptr, x.data(), n, to, limbs.data(), limbs.size_bytes()); });
      out.expect(
          "exact_dot", 1, [&](X* to) { *to = exact_dot(&three, &two, n); },
          [&](X* to) {
            cuda::exact_dot(nullptr, x.data(), y.data(), n, to, limbs.data(), limbs.size_bytes());
          });
    }
    for (const reduction kind : kinds)
      out.expect(
          name(kind), n == 0 && (kind == reduction::minimum || kind == reduction::maximum) ? 0 : 1,
          [&](X* to) { *to = reduce(kind, &three, n); },
          [&](X* to) { cuda::reduce(nullptr, kind, x.data(), n, to, scratch, bytes); });
    for (const std::size_t less : {0u, 1u, 2u})
      out.expect(
          "variance", 1, [&](X* to) { *to = variance(&three, n, less); },
          [&](X* to) { cuda::variance(nullptr, x.data(), n, less, to, scratch, bytes); });
    at.expect(
        "argmin", n, [&](std::size_t* to) { *to = argmin(&three, n); },
        [&](std::size_t* to) { cuda::argmin(nullptr, x.data(), n, to, scratch, bytes); });
    at.expect(
        "argmax", n, [&](std::size_t* to) { *to = argmax(&three, n); },
        [&](std::size_t* to) { cuda::argmax(nullptr, x.data(), n, to, scratch, bytes); });
    for (const std::size_t rows : none_or_one) {
      const matrix<const X> h(&three, rows, n), d(x.data(), rows, n);
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(n));
      for (const reduction kind : kinds) {
        const bool extreme = kind == reduction::minimum || kind == reduction::maximum;
        out.expect(
            name(kind), extreme && n == 0 ? 0 : rows, [&](X* to) { reduce_rows(kind, h, to); },
            [&](X* to) { cuda::reduce_rows(nullptr, kind, d, to); });
        out.expect(
            name(kind), extreme && rows == 0 ? 0 : n, [&](X* to) { reduce_columns(kind, h, to); },
            [&](X* to) { cuda::reduce_columns(nullptr, kind, d, to, scratch, bytes); });
      }
      for (const std::size_t less : none_or_one) {
        out.expect(
            "variance_rows", rows, [&](X* to) { variance_rows(h, to, less); },
            [&](X* to) { cuda::variance_rows(nullptr, d, to, less); });
        out.expect(
            "variance_columns", n, [&](X* to) { variance_columns(h, to, less); },
            [&](X* to) { cuda::variance_columns(nullptr, d, to, less, scratch, bytes); });
      }
      at.expect(
          "argmin_rows", rows * n, [&](std::size_t* to) { argmin_rows(h, to); },
          [&](std::size_t* to) { cuda::argmin_rows(nullptr, d, to); });
      at.expect(
          "argmax_rows", rows * n, [&](std::size_t* to) { argmax_rows(h, to); },
          [&](std::size_t* to) { cuda::argmax_rows(nullptr, d, to); });
      out.expect(
          "cumsum_rows", rows * n, [&](X* to) { cumsum_rows(h, matrix<X>(to, rows, n)); },
          [&](X* to) { cuda::cumsum_rows(nullptr, d, matrix<X>(to, rows, n), scratch, bytes); });
      out.expect(
          "cumprod_rows", rows * n, [&](X* to) { cumprod_rows(h, matrix<X>(to, rows, n)); },
          [&](X* to) { cuda::cumprod_rows(nullptr, d, matrix<X>(to, rows, n), scratch, bytes); });
      out.expect(
          "exclusive_cumsum_rows", rows * n, [&](X* to) { exclusive_cumsum_rows(h, matrix<X>(to, rows, n)); },
          [&](X* to) { cuda::exclusive_cumsum_rows(nullptr, d, matrix<X>(to, rows, n), scratch, bytes); });
      out.expect(
          "exclusive_cumprod_rows", rows * n,
          [&](X* to) { exclusive_cumprod_rows(h, matrix<X>(to, rows, n)); },
          [&](X* to) { cuda::exclusive_cumprod_rows(nullptr, d, matrix<X>(to, rows, n), scratch, bytes); });
    }
  }
}

TYPED_TEST(cuda_empty_reals, rows_and_products) {
  using X = TypeParam;
  using T = wide_t<X>;
  const X three = this->of(3), two = this->of(2), five = this->of(5), seven = this->of(7);
  const T half = T(0.5);
  const device_array<X> x(std::vector<X>{three}), dy(std::vector<X>{two}), weight(std::vector<X>{five}),
      bias(std::vector<X>{seven});
  const device_array<T> halves(std::vector<T>{half});
  const device_array<double> memory(16);
  both_sides<X> out(this->of(9)), dweight(this->of(9)), dbias(this->of(9));
  both_sides<T> mean(9), reciprocal(9);
  for (const std::size_t rows : none_or_one) {
    for (const std::size_t cols : none_or_one) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
      const std::size_t n = rows * cols;
      const matrix<const X> hx(&three, rows, cols), hdy(&two, rows, cols), x_(x.data(), rows, cols),
          dy_(dy.data(), rows, cols);
      const auto of = [&](X* to) { return matrix<X>(to, rows, cols); };
      out.expect(
          "softmax", n, [&](X* to) { softmax(hx, of(to)); },
          [&](X* to) { cuda::softmax(nullptr, x_, of(to)); });
      out.expect(
          "log_softmax", n, [&](X* to) { log_softmax(hx, of(to)); },
          [&](X* to) { cuda::log_softmax(nullptr, x_, of(to)); });
      out.expect(
          "softmax_backward", n, [&](X* to) { softmax_backward(hx, hdy, of(to)); },
          [&](X* to) { cuda::softmax_backward(nullptr, x_, dy_, of(to)); });
      out.expect(
          "log_softmax_backward", n, [&](X* to) { log_softmax_backward(hx, hdy, of(to)); },
          [&](X* to) { cuda::log_softmax_backward(nullptr, x_, dy_, of(to)); });
      // What is written beside the rows, too.
      const auto expect_beside = [&](auto& values, std::size_t count, auto before) {
        EXPECT_TRUE(values.device.holds(&values.host, cols == 0 ? 0 : count));
        values.host = before;
      };
      out.expect(
          "layer_norm", n,
          [&](X* to) { layer_norm<X>(hx, &five, &seven, T(0.25), of(to), &mean.host, &reciprocal.host); },
          [&](X* to) {
            cuda::layer_norm<X>(nullptr, x_, weight.data(), bias.data(), T(0.25), of(to), mean.device.data(),
                                reciprocal.device.data());
          });
      expect_beside(mean, rows, T(9));
      expect_beside(reciprocal, rows, T(9));
      out.expect(
          "layer_norm_backward", n,
          [&](X* to) {
            layer_norm_backward<X>(hdy, hx, &five, &half, &half, of(to), &dweight.host, &dbias.host);
          },
          [&](X* to) {
            cuda::layer_norm_backward<X>(nullptr, dy_, x_, weight.data(), halves.data(), halves.data(),
                                         of(to), dweight.device.data(), dbias.device.data(), memory.data(),
                                         memory.size_bytes());
          });
      expect_beside(dweight, cols, this->of(9));
      expect_beside(dbias, cols, this->of(9));
      out.expect(
          "rms_norm", n, [&](X* to) { rms_norm<X>(hx, &five, T(7), of(to), &reciprocal.host); },
          [&](X* to) {
            cuda::rms_norm<X>(nullptr, x_, weight.data(), T(7), of(to), reciprocal.device.data());
          });
      expect_beside(reciprocal, rows, T(9));
      out.expect(
          "rms_norm_backward", n,
          [&](X* to) { rms_norm_backward<X>(hdy, hx, &five, &half, of(to), &dweight.host); },
          [&](X* to) {
            cuda::rms_norm_backward<X>(nullptr, dy_, x_, weight.data(), halves.data(), of(to),
                                       dweight.device.data(), memory.data(), memory.size_bytes());
          });
      expect_beside(dweight, cols, this->of(9));
      for (const std::size_t depth : none_or_one) {
        for (const bool with_bias : {false, true}) {
          out.expect(
              "matmul", n,
              [&](X* to) {
                matmul(matrix<const X>(&three, rows, depth), matrix<const X>(&two, depth, cols), of(to),
                       matmul_options<X>{with_bias ? &seven : nullptr, with_bias});
              },
              [&](X* to) {
                cuda::matmul(nullptr, matrix<const X>(x.data(), rows, depth),
                             matrix<const X>(dy.data(), depth, cols), of(to),
                             matmul_options<X>{with_bias ? bias.data() : nullptr, with_bias});
              });
        }
      }
    }
  }
}

template <class T>
class cuda_empty_numbers : public test::device_test {};
using number_types = ::testing::Types<float, double, std::int32_t, std::uint64_t>;
TYPED_TEST_SUITE(cuda_empty_numbers, number_types);

// An id without a place is refused by the host, and reported by the device, which writes nothing then.
TYPED_TEST(cuda_empty_numbers, contributions) {
  using T = TypeParam;
  const T three = 3;
  const std::int32_t zero = 0;
  const device_array<T> x(std::vector<T>{three});
  const device_array<std::int32_t> ids(std::vector<std::int32_t>{zero});
  both_sides<T> out(2);
  both_sides<std::uint64_t> counts(9);
  const device_array<unsigned char> scratch(cuda::scatter_scratch_bytes(1, 1));
  device_array<unsigned long long> error(std::vector<unsigned long long>{0});
  auto* const e = reinterpret_cast<index_error*>(error.data());
  void* const s = scratch.data();
  const std::size_t bytes = scratch.size_bytes();
  for (const std::size_t n : none_or_one) {
    for (const std::size_t size : none_or_one) {
      SCOPED_TRACE(std::to_string(n) + " to " + std::to_string(size));
      const auto expect = [&](auto& to, const char* what, std::size_t written, auto on_host, auto on_device) {
        if (n > size) {
          on_device(to.device.data());
          EXPECT_TRUE(to.device.untouched()) << what;
          EXPECT_TRUE(
              test::mentions(error_of([&] { cuda::require_no_index_error(nullptr, e); }), {"position 0 "}));
          error.set({0});
        } else {
          to.expect(what, written, on_host, on_device);
          EXPECT_TRUE(error.untouched());
        }
      };
      const auto expect_into = [&](const char* what, auto on_host, auto on_device) {
        expect(
            out, what, n * size, [&](T* to) { on_host(to, size, &zero, &three, n, executor{}); },
            [&](T* to) { on_device(nullptr, to, size, ids.data(), x.data(), n, s, bytes, e); });
      };
      expect_into("index_add", index_add<T>, cuda::index_add<T>);
      expect_into("scatter_min", scatter_min<T>, cuda::scatter_min<T>);
      expect_into("scatter_max", scatter_max<T>, cuda::scatter_max<T>);
      expect_into("scatter_prod", scatter_prod<T>, cuda::scatter_prod<T>);
      expect_into("put", put<T>, cuda::put<T>);
      expect(
          out, "segment_sum", size, [&](T* to) { segment_sum(&zero, &three, n, to, size); },
          [&](T* to) { cuda::segment_sum(nullptr, ids.data(), x.data(), n, to, size, s, bytes, e); });
      expect(
          out, "bincount of weights", size, [&](T* to) { bincount(&zero, &three, n, to, size); },
          [&](T* to) { cuda::bincount(nullptr, ids.data(), x.data(), n, to, size, s, bytes, e); });
      expect(
          counts, "bincount", size, [&](std::uint64_t* to) { bincount(&zero, n, to, size); },
          [&](std::uint64_t* to) { cuda::bincount(nullptr, ids.data(), n, to, size, e); });
      for (const std::size_t cols : none_or_one) {
        expect(
            out, "index_add_rows", n * size * cols,
            [&](T* to) { index_add_rows(to, size, cols, &zero, &three, n); },
            [&](T* to) {
              cuda::index_add_rows(nullptr, to, size, cols, ids.data(), x.data(), n, s, bytes, e);
            });
        expect(
            out, "segment_sum_rows", size * cols,
            [&](T* to) { segment_sum_rows(&zero, &three, n, cols, to, size); },
            [&](T* to) {
              cuda::segment_sum_rows(nullptr, ids.data(), x.data(), n, cols, to, size, s, bytes, e);
            });
        if constexpr (std::is_floating_point_v<T>) {
          expect(
              out, "index_add_rows_atomic", n * size * cols,
              [&](T* to) { index_add_rows(to, size, cols, &zero, &three, n); },
              [&](T* to) {
                cuda::index_add_rows_atomic(nullptr, to, size, cols, ids.data(), x.data(), n, e);
              });
          // With so many rows in the table, and as many bags as ids.
          for (const bag_mode mode : {bag_mode::sum, bag_mode::mean}) {
            if (n > size) continue;
            expect(
                out, "embedding_bag", n * cols,
                [&](T* to) { embedding_bag(&three, size, cols, &zero, n, &zero, n, mode, to); },
                [&](T* to) {
                  cuda::embedding_bag(nullptr, x.data(), size, cols, ids.data(), n, ids.data(), n, mode, to,
                                      e);
                });
            expect(
                out, "embedding_bag of nothing", cols,
                [&](T* to) { embedding_bag(&three, size, cols, &zero, 0, &zero, 1, mode, to); },
                [&](T* to) {
                  cuda::embedding_bag(nullptr, x.data(), size, cols, ids.data(), 0, ids.data(), 1, mode, to,
                                      e);
                });
            expect(
                out, "embedding_bag_backward", n * cols,
                [&](T* to) { embedding_bag_backward(&three, &zero, n, &zero, n, mode, to, size, cols); },
                [&](T* to) {
                  cuda::embedding_bag_backward(nullptr, x.data(), ids.data(), n, ids.data(), n, mode, to,
                                               size, cols, s, bytes, e);
                });
          }
        }
      }
    }
    if constexpr (std::is_floating_point_v<T>) {
      counts.expect(
          "histogram", 1, [&](std::uint64_t* to) { histogram(&three, n, T(0), T(4), to, 1); },
          [&](std::uint64_t* to) { cuda::histogram(nullptr, x.data(), n, T(0), T(4), to, 1); });
    }
  }
}

class cuda_empty : public test::device_test {};

TEST_F(cuda_empty, fills) {
  const stream s = stream::from_seed(42)["empty"];
  const cuda::position at(7);
  test::for_each_distribution([&](const char* name, auto d) {
    using T = typename decltype(d)::value_type;
    both_sides<T> out(T(9));
    for (const std::size_t n : none_or_one) {
      for (const std::uint64_t first : {std::uint64_t{0}, ~std::uint64_t{0}})
        out.expect(
            name, n, [&](T* to) { fill(to, n, s, d, first); },
            [&](T* to) { cuda::fill(nullptr, to, n, s, d, first); });
      out.expect(
          name, n, [&](T* to) { fill(to, n, s, d, 7); },
          [&](T* to) { cuda::fill(nullptr, to, n, s, d, at); });
    }
  });
}

}  // namespace
}  // namespace rivus
