// What every call on the device refuses before it launches anything, as the host does: outputs that share memory, scratch
// and error among them, elements that do, and values outside of enumerations.
#include <cfenv>
#include <rivus/cuda/exact.hpp>
#include <rivus/cuda/matmul.hpp>
#include <rivus/cuda/normalise.hpp>
#include <rivus/cuda/reduce.hpp>
#include <rivus/cuda/scan.hpp>
#include <rivus/cuda/scatter.hpp>

#include "../overlaps.hpp"
#include "device.hpp"

namespace rivus {
namespace {

using cuda::index_error;
using test::device_array;
using test::expect_refusal;

// The second in more than one chunk, so that scratch is needed.
constexpr std::size_t n = 4, many = 2049;
constexpr std::size_t bytes = sizeof(float) * (test::overlap_distance - 2);
using view = matrix<const float>;
using to = matrix<float>;

view in(const float* p) { return {p, n, n}; }
to out(float* p) { return {p, n, n}; }
std::int32_t* ids(float* p) { return reinterpret_cast<std::int32_t*>(p); }
std::size_t* place(float* p) { return reinterpret_cast<std::size_t*>(p); }
std::uint64_t* counts(float* p) { return reinterpret_cast<std::uint64_t*>(p); }
index_error* error(float* p) { return reinterpret_cast<index_error*>(p); }

using at = float* const*;
using test::overlapping_call;

// Calls of one dimension that are alike.
overlapping_call reduction_of(const char* who,
                              void (*call)(cudaStream_t, const float*, index64, float*, void*, index64)) {
  return {who, 2, {"scratch", "result", "x"}, [=](at p) { call(nullptr, p[2], many, p[1], p[0], bytes); }};
}
overlapping_call product_of(const char* who, void (*call)(cudaStream_t, const float*, const float*, index64,
                                                          float*, void*, index64)) {
  return {who, 2, {"scratch", "result", "x", "y"}, [=](at p) {
            call(nullptr, p[2], p[3], many, p[1], p[0], bytes);
          }};
}
overlapping_call scatter_of(const char* who,
                            void (*call)(cudaStream_t, float*, index64, indices, const float*, index64, void*,
                                         index64, index_error*)) {
  return {who, 3, {"scratch", "error", "out", "ids", "x"}, [=](at p) {
            call(nullptr, p[2], n, ids(p[3]), p[4], n, p[0], bytes, error(p[1]));
          }};
}

std::vector<overlapping_call> all_calls() {
  const std::vector<const char*> reduced = {"scratch", "result", "x"}, by_row = {"out", "x"},
                                 by_column = {"scratch", "out", "x"},
                                 scattered = {"scratch", "error", "out", "ids", "x"};
  return {
      reduction_of("rivus::cuda::sum", cuda::sum<float>),
      product_of("rivus::cuda::dot", cuda::dot<float>),
      reduction_of("rivus::cuda::exact_sum", cuda::exact_sum<float>),
      product_of("rivus::cuda::exact_dot", cuda::exact_dot<float>),
      {"rivus::cuda::reduce", 2, reduced,
       [](at p) { cuda::reduce(nullptr, reduction::sum, p[2], many, p[1], p[0], bytes); }},
      {"rivus::cuda::variance", 2, reduced,
       [](at p) { cuda::variance(nullptr, p[2], many, 1, p[1], p[0], bytes); }},
      {"rivus::cuda::argmin", 2, reduced,
       [](at p) { cuda::argmin(nullptr, p[2], many, place(p[1]), p[0], bytes); }},
      {"rivus::cuda::argmax", 2, reduced,
       [](at p) { cuda::argmax(nullptr, p[2], many, place(p[1]), p[0], bytes); }},
      {"rivus::cuda::reduce_rows", 1, by_row,
       [](at p) { cuda::reduce_rows(nullptr, reduction::sum, in(p[1]), p[0]); }},
      {"rivus::cuda::variance_rows", 1, by_row,
       [](at p) { cuda::variance_rows(nullptr, in(p[1]), p[0], 1); }},
      {"rivus::cuda::argmin_rows", 1, by_row,
       [](at p) { cuda::argmin_rows(nullptr, in(p[1]), place(p[0])); }},
      {"rivus::cuda::argmax_rows", 1, by_row,
       [](at p) { cuda::argmax_rows(nullptr, in(p[1]), place(p[0])); }},
      {"rivus::cuda::reduce_columns", 2, by_column,
       [](at p) { cuda::reduce_columns(nullptr, reduction::sum, in(p[2]), p[1], p[0], bytes); }},
      {"rivus::cuda::variance_columns", 2, by_column,
       [](at p) { cuda::variance_columns(nullptr, in(p[2]), p[1], 1, p[0], bytes); }},
      {"rivus::cuda::matmul",
       1,
       {"c", "a", "b", "bias"},
       [](at p) { cuda::matmul(nullptr, in(p[1]), in(p[2]), out(p[0]), {p[3], true}); }},
      {"rivus::cuda::softmax", 1, {"y", "x"}, [](at p) { cuda::softmax(nullptr, in(p[1]), out(p[0])); }},
      {"rivus::cuda::log_softmax",
       1,
       {"y", "x"},
       [](at p) { cuda::log_softmax(nullptr, in(p[1]), out(p[0])); }},
      {"rivus::cuda::softmax_backward",
       1,
       {"dx", "y", "dy"},
       [](at p) { cuda::softmax_backward(nullptr, in(p[1]), in(p[2]), out(p[0])); }},
      {"rivus::cuda::log_softmax_backward",
       1,
       {"dx", "y", "dy"},
       [](at p) { cuda::log_softmax_backward(nullptr, in(p[1]), in(p[2]), out(p[0])); }},
      {"rivus::cuda::layer_norm",
       3,
       {"mean", "reciprocal", "y", "x", "weight", "bias"},
       [](at p) { cuda::layer_norm<float>(nullptr, in(p[3]), p[4], p[5], 1, out(p[2]), p[0], p[1]); }},
      {"rivus::cuda::layer_norm_backward",
       4,
       {"scratch", "dweight", "dbias", "dx", "dy", "x", "weight", "mean", "reciprocal"},
       [](at p) {
         cuda::layer_norm_backward<float>(nullptr, in(p[4]), in(p[5]), p[6], p[7], p[8], out(p[3]), p[1],
                                          p[2], p[0], bytes);
       }},
      {"rivus::cuda::rms_norm",
       2,
       {"reciprocal", "y", "x", "weight"},
       [](at p) { cuda::rms_norm<float>(nullptr, in(p[2]), p[3], 1, out(p[1]), p[0]); }},
      {"rivus::cuda::rms_norm_backward",
       3,
       {"scratch", "dweight", "dx", "dy", "x", "weight", "reciprocal"},
       [](at p) {
         cuda::rms_norm_backward<float>(nullptr, in(p[3]), in(p[4]), p[5], p[6], out(p[2]), p[1], p[0],
                                        bytes);
       }},
      {"rivus::cuda::cumsum",
       2,
       {"scratch", "y", "x"},
       [](at p) { cuda::cumsum(nullptr, p[2], many, p[1], p[0], bytes); }},
      {"rivus::cuda::exclusive_cumprod_rows",
       2,
       {"scratch", "y", "x"},
       [](at p) {
         cuda::exclusive_cumprod_rows(nullptr, view(p[2], 1, many), to(p[1], 1, many), p[0], bytes);
       }},
      scatter_of("rivus::cuda::index_add", cuda::index_add<float>),
      scatter_of("rivus::cuda::scatter_min", cuda::scatter_min<float>),
      scatter_of("rivus::cuda::scatter_max", cuda::scatter_max<float>),
      scatter_of("rivus::cuda::scatter_prod", cuda::scatter_prod<float>),
      scatter_of("rivus::cuda::put", cuda::put<float>),
      {"rivus::cuda::index_add_rows", 3, scattered,
       [](at p) { cuda::index_add_rows(nullptr, p[2], n, 2, ids(p[3]), p[4], n, p[0], bytes, error(p[1])); }},
      {"rivus::cuda::segment_sum", 3, scattered,
       [](at p) { cuda::segment_sum(nullptr, ids(p[3]), p[4], n, p[2], n, p[0], bytes, error(p[1])); }},
      {"rivus::cuda::segment_sum_rows", 3, scattered,
       [](at p) {
         cuda::segment_sum_rows(nullptr, ids(p[3]), p[4], n, 2, p[2], n, p[0], bytes, error(p[1]));
       }},
      {"rivus::cuda::bincount",
       3,
       {"scratch", "error", "out", "ids", "weights"},
       [](at p) { cuda::bincount(nullptr, ids(p[3]), p[4], n, p[2], n, p[0], bytes, error(p[1])); }},
      {"rivus::cuda::bincount",
       2,
       {"error", "out", "ids"},
       [](at p) { cuda::bincount(nullptr, ids(p[2]), n, counts(p[1]), n, error(p[0])); }},
      {"rivus::cuda::histogram",
       1,
       {"out", "x"},
       [](at p) { cuda::histogram(nullptr, p[1], n, 0.0f, 1.0f, counts(p[0]), n); }},
      {"rivus::cuda::embedding_bag",
       2,
       {"error", "out", "table", "ids", "offsets"},
       [](at p) {
         cuda::embedding_bag(nullptr, p[2], n, 2, ids(p[3]), n, ids(p[4]), n, bag_mode::mean, p[1],
                             error(p[0]));
       }},
      {"rivus::cuda::embedding_bag_backward",
       3,
       {"scratch", "error", "out", "gradient", "ids", "offsets"},
       [](at p) {
         cuda::embedding_bag_backward(nullptr, p[3], ids(p[4]), n, ids(p[5]), n, bag_mode::mean, p[2], n, 2,
                                      p[0], bytes, error(p[1]));
       }},
      {"rivus::cuda::index_add_atomic",
       2,
       {"error", "out", "ids", "x"},
       [](at p) { cuda::index_add_atomic(nullptr, p[1], n, ids(p[2]), p[3], n, error(p[0])); }},
      {"rivus::cuda::index_add_rows_atomic",
       2,
       {"error", "out", "ids", "x"},
       [](at p) { cuda::index_add_rows_atomic(nullptr, p[1], n, 2, ids(p[2]), p[3], n, error(p[0])); }},
  };
}

class cuda_refusals : public test::device_test {};

TEST_F(cuda_refusals, of_outputs_that_share_memory) {
  const std::vector<float> zeros(9 * test::overlap_distance);
  device_array<float> memory(zeros);
  for (const overlapping_call& c : all_calls()) {
    test::expect_refused_overlaps(
        c, memory.data(),
        [&](auto f, const char* who, const char* message) { expect_refusal(f, {who, message}); },
        [&] { memory.set(zeros); });
    EXPECT_TRUE(memory.untouched()) << c.who;
  }
}

TEST_F(cuda_refusals, of_the_rest) {
  device_array<float> a(std::vector<float>(64, 1.0f)), c(64);
  const float* const x = a.data();
  float* const y = c.data();
  for (const std::ptrdiff_t stride : {0, 3, -3}) {
    const std::string mentioned = "row_stride = " + std::to_string(stride);
    expect_refusal([&] { cuda::matmul(nullptr, in(x), in(x), to(y + 32, n, n, stride, 1)); },
                   {"rivus::cuda::matmul", mentioned.c_str(), "overlap"});
    expect_refusal([&] { cuda::softmax(nullptr, in(x), to(y + 32, n, n, stride, 1)); },
                   {"rivus::cuda::softmax", mentioned.c_str(), "overlap"});
  }
  const auto zeros = device_array<std::int32_t>(std::vector<std::int32_t>(n, 0));
  for (const int value : {-1, 9, 77}) {
    const auto kind = static_cast<reduction>(value);
    const std::string mentioned = "kind = " + std::to_string(value) + " is not a reduction";
    expect_refusal([&] { cuda::reduce(nullptr, kind, x, n, y, y + 32, 64); },
                   {"rivus::cuda::reduce", mentioned.c_str()});
    expect_refusal([&] { cuda::reduce_rows(nullptr, kind, in(x), y); }, {"rows", mentioned.c_str()});
    expect_refusal([&] { cuda::reduce_columns(nullptr, kind, in(x), y, y + 32, 64); },
                   {"columns", mentioned.c_str()});
  }
  device_array<unsigned char> scratch(cuda::scatter_scratch_bytes(n, n));
  for (const int value : {-1, 2, 7}) {
    const auto mode = static_cast<bag_mode>(value);
    const std::string mentioned = "mode = " + std::to_string(value) + " is not a bag_mode";
    expect_refusal([&] { cuda::embedding_bag(nullptr, x, n, n, zeros.data(), n, zeros.data(), n, mode, y); },
                   {"rivus::cuda::embedding_bag:", mentioned.c_str()});
    expect_refusal(
        [&] {
          cuda::embedding_bag_backward(nullptr, x, zeros.data(), n, zeros.data(), n, mode, y, n, n,
                                       scratch.data(), scratch.size_bytes());
        },
        {"rivus::cuda::embedding_bag_backward:", mentioned.c_str()});
  }
  // The host rounds the count of a mean, and the width of a histogram.
  std::fesetround(FE_UPWARD);
  const auto refuses_mode = [&](const char* who, auto call) {
    const std::string message = test::error_of<std::runtime_error>(call);
    EXPECT_TRUE(test::mentions(message, {who, "does not round to nearest"}));
  };
  refuses_mode("rivus::cuda::reduce:", [&] { cuda::reduce(nullptr, reduction::mean, x, n, y, y + 32, 64); });
  refuses_mode("rivus::cuda::variance:", [&] { cuda::variance(nullptr, x, n, 1, y, y + 32, 64); });
  refuses_mode("rivus::cuda::reduce_columns:",
               [&] { cuda::reduce_columns(nullptr, reduction::mean, in(x), y, y + 32, 64); });
  refuses_mode("rivus::cuda::variance_columns:",
               [&] { cuda::variance_columns(nullptr, in(x), y, 1, y + 32, 64); });
  refuses_mode("rivus::cuda::histogram:", [&] { cuda::histogram(nullptr, x, n, 0.0f, 1.0f, counts(y), n); });
  std::fesetround(FE_TONEAREST);
  EXPECT_TRUE(c.untouched());
  // What is not refused.
  cuda::matmul(nullptr, in(x), in(x), to(y, n, n, 8, 1));
  EXPECT_FALSE(c.untouched());
}

}  // namespace
}  // namespace rivus
