// What every call on the device refuses before it launches anything, as the host does: outputs that share memory, scratch
// and error among them, elements that do, and values outside of enumerations.
#include <cfenv>
#include <rivus/cuda/exact.hpp>
#include <rivus/cuda/matmul.hpp>
#include <rivus/cuda/normalise.hpp>
#include <rivus/cuda/reduce.hpp>
#include <rivus/cuda/scan.hpp>
#include <rivus/cuda/scatter.hpp>

#include "../refusals.hpp"
#include "device.hpp"

namespace rivus {
namespace {

using cuda::index_error;
using test::counts;
using test::device_array;
using test::expect_refusal;
using test::in;

// Of each operation the host's arguments; the rest is here.
struct device {
  static constexpr bool has_extras = true;
  float* scratch;
  index64 bytes;
  float* result;
  index_error* error;

#define RIVUS_CALL(name, ...)                             \
  template <class... A>                                   \
  void name(const A&... a) const {                        \
    cuda::name(nullptr, a... __VA_OPT__(, ) __VA_ARGS__); \
  }
  RIVUS_CALL(sum, result, scratch, bytes)
  RIVUS_CALL(dot, result, scratch, bytes)
  RIVUS_CALL(exact_sum, result, scratch, bytes)
  RIVUS_CALL(exact_dot, result, scratch, bytes)
  RIVUS_CALL(reduce, result, scratch, bytes)
  RIVUS_CALL(variance, result, scratch, bytes)
  RIVUS_CALL(argmin, test::places(result), scratch, bytes)
  RIVUS_CALL(argmax, test::places(result), scratch, bytes)
  RIVUS_CALL(reduce_rows)
  RIVUS_CALL(variance_rows)
  RIVUS_CALL(argmin_rows)
  RIVUS_CALL(argmax_rows)
  RIVUS_CALL(reduce_columns, scratch, bytes)
  RIVUS_CALL(variance_columns, scratch, bytes)
  RIVUS_CALL(segment_reduce, error)
  RIVUS_CALL(matmul)
  RIVUS_CALL(softmax)
  RIVUS_CALL(log_softmax)
  RIVUS_CALL(softmax_backward)
  RIVUS_CALL(log_softmax_backward)
  RIVUS_CALL(layer_norm)
  RIVUS_CALL(layer_norm_backward, scratch, bytes)
  RIVUS_CALL(rms_norm)
  RIVUS_CALL(rms_norm_backward, scratch, bytes)
  RIVUS_CALL(cumsum, scratch, bytes)
  RIVUS_CALL(cumprod, scratch, bytes)
  RIVUS_CALL(exclusive_cumsum, scratch, bytes)
  RIVUS_CALL(exclusive_cumprod, scratch, bytes)
  RIVUS_CALL(cumsum_rows, scratch, bytes)
  RIVUS_CALL(cumprod_rows, scratch, bytes)
  RIVUS_CALL(exclusive_cumsum_rows, scratch, bytes)
  RIVUS_CALL(exclusive_cumprod_rows, scratch, bytes)
  RIVUS_CALL(index_add, scratch, bytes, error)
  RIVUS_CALL(index_add_rows, scratch, bytes, error)
  RIVUS_CALL(scatter_min, scratch, bytes, error)
  RIVUS_CALL(scatter_max, scratch, bytes, error)
  RIVUS_CALL(scatter_prod, scratch, bytes, error)
  RIVUS_CALL(put, scratch, bytes, error)
  RIVUS_CALL(segment_sum, scratch, bytes, error)
  RIVUS_CALL(segment_sum_rows, scratch, bytes, error)
  RIVUS_CALL(histogram)
  RIVUS_CALL(embedding_bag, error)
  RIVUS_CALL(embedding_bag_backward, scratch, bytes, error)
  RIVUS_CALL(index_add_atomic, error)
  RIVUS_CALL(index_add_rows_atomic, error)
#undef RIVUS_CALL
  void bincount(const std::int32_t* ids, std::size_t n, std::uint64_t* out, std::size_t bins) const {
    cuda::bincount(nullptr, ids, n, out, bins, error);
  }
  void bincount(const std::int32_t* ids, const float* weights, std::size_t n, float* out,
                std::size_t bins) const {
    cuda::bincount(nullptr, ids, weights, n, out, bins, scratch, bytes, error);
  }
};

class cuda_refusals : public test::device_test {};

TEST_F(cuda_refusals, of_every_operation) {
  const std::vector<float> zeros(20 * test::spacing);
  device_array<float> memory(zeros);
  test::expect_all_refused<device>(
      test::device_operations<device>(), memory.data(),
      [](float* scratch, std::size_t bytes, float* result, float* error) {
        return device{scratch, bytes, result, reinterpret_cast<index_error*>(error)};
      },
      [](auto f, const char* name, const std::vector<std::string>& says) {
        expect_refusal(f, {("rivus::cuda::" + std::string(name) + ":").c_str()});
        for (const std::string& text : says) expect_refusal(f, {text.c_str()});
      },
      [&] { return memory.untouched(); }, [&] { memory.set(zeros); });
}

// The host rounds the count of a mean, and the width of a histogram.
TEST_F(cuda_refusals, of_other_rounding) {
  constexpr std::size_t n = 4;
  device_array<float> a(std::vector<float>(64, 1.0f)), c(64);
  const float* const x = a.data();
  float* const y = c.data();
  std::fesetround(FE_UPWARD);
  const auto refuses_mode = [&](const char* who, auto call) {
    const std::string message = test::error_of<std::runtime_error>(call);
    EXPECT_TRUE(test::mentions(message, {who, "does not round to nearest"}));
  };
  refuses_mode("rivus::cuda::reduce:", [&] { cuda::reduce(nullptr, reduction::mean, x, n, y, y + 32, 64); });
  refuses_mode("rivus::cuda::variance:", [&] { cuda::variance(nullptr, x, n, 1, y, y + 32, 64); });
  refuses_mode("rivus::cuda::reduce_columns:",
               [&] { cuda::reduce_columns(nullptr, reduction::mean, in(x, n), y, y + 32, 64); });
  refuses_mode("rivus::cuda::variance_columns:",
               [&] { cuda::variance_columns(nullptr, in(x, n), y, 1, y + 32, 64); });
  refuses_mode("rivus::cuda::histogram:", [&] { cuda::histogram(nullptr, x, n, 0.0f, 1.0f, counts(y), n); });
  std::fesetround(FE_TONEAREST);
  EXPECT_TRUE(c.untouched());
  // What is not refused.
  cuda::matmul(nullptr, in(x, n), in(x, n), matrix<float>(y, n, n, 8, 1));
  EXPECT_FALSE(c.untouched());
}

}  // namespace
}  // namespace rivus
