// What every call refuses before it writes: outputs that share memory, elements that do, and values outside of
// enumerations.
#include <rivus/determinism.hpp>
#include <rivus/normalise.hpp>
#include <rivus/reductions.hpp>
#include <rivus/scan.hpp>
#include <rivus/scatter.hpp>

#include "overlaps.hpp"

namespace rivus {
namespace {

using test::error_of;
using test::mentions;

constexpr std::size_t n = 4;
using view = matrix<const float>;
using to = matrix<float>;

view in(const float* p) { return {p, n, n}; }
to out(float* p) { return {p, n, n}; }
std::int32_t* ids(float* p) { return reinterpret_cast<std::int32_t*>(p); }
std::size_t* places(float* p) { return reinterpret_cast<std::size_t*>(p); }
std::uint64_t* counts(float* p) { return reinterpret_cast<std::uint64_t*>(p); }

using at = float* const*;
const test::overlapping_call calls[] = {
    {"rivus::matmul",
     1,
     {"c", "a", "b", "bias"},
     [](at p) { matmul(in(p[1]), in(p[2]), out(p[0]), {p[3], true}); }},
    {"rivus::reduce_rows", 1, {"out", "x"}, [](at p) { reduce_rows(reduction::sum, in(p[1]), p[0]); }},
    {"rivus::reduce_columns", 1, {"out", "x"}, [](at p) { reduce_columns(reduction::sum, in(p[1]), p[0]); }},
    {"rivus::variance_rows", 1, {"out", "x"}, [](at p) { variance_rows(in(p[1]), p[0]); }},
    {"rivus::variance_columns", 1, {"out", "x"}, [](at p) { variance_columns(in(p[1]), p[0]); }},
    {"rivus::argmin_rows", 1, {"out", "x"}, [](at p) { argmin_rows(in(p[1]), places(p[0])); }},
    {"rivus::argmax_rows", 1, {"out", "x"}, [](at p) { argmax_rows(in(p[1]), places(p[0])); }},
    {"rivus::softmax", 1, {"y", "x"}, [](at p) { softmax(in(p[1]), out(p[0])); }},
    {"rivus::log_softmax", 1, {"y", "x"}, [](at p) { log_softmax(in(p[1]), out(p[0])); }},
    {"rivus::softmax_backward",
     1,
     {"dx", "y", "dy"},
     [](at p) { softmax_backward(in(p[1]), in(p[2]), out(p[0])); }},
    {"rivus::log_softmax_backward",
     1,
     {"dx", "y", "dy"},
     [](at p) { log_softmax_backward(in(p[1]), in(p[2]), out(p[0])); }},
    {"rivus::layer_norm",
     3,
     {"mean", "reciprocal", "y", "x", "weight", "bias"},
     [](at p) { layer_norm<float>(in(p[3]), p[4], p[5], 1, out(p[2]), p[0], p[1]); }},
    {"rivus::layer_norm_backward",
     3,
     {"dweight", "dbias", "dx", "dy", "x", "weight", "mean", "reciprocal"},
     [](at p) { layer_norm_backward<float>(in(p[3]), in(p[4]), p[5], p[6], p[7], out(p[2]), p[0], p[1]); }},
    {"rivus::rms_norm",
     2,
     {"reciprocal", "y", "x", "weight"},
     [](at p) { rms_norm<float>(in(p[2]), p[3], 1, out(p[1]), p[0]); }},
    {"rivus::rms_norm_backward",
     2,
     {"dweight", "dx", "dy", "x", "weight", "reciprocal"},
     [](at p) { rms_norm_backward<float>(in(p[2]), in(p[3]), p[4], p[5], out(p[1]), p[0]); }},
    {"rivus::cumsum", 1, {"y", "x"}, [](at p) { cumsum(p[1], n, p[0]); }},
    {"rivus::exclusive_cumprod_rows",
     1,
     {"y", "x"},
     [](at p) { exclusive_cumprod_rows(in(p[1]), out(p[0])); }},
    {"rivus::index_add", 1, {"out", "ids", "x"}, [](at p) { index_add(p[0], n, ids(p[1]), p[2], n); }},
    {"rivus::index_add_rows",
     1,
     {"out", "ids", "x"},
     [](at p) { index_add_rows(p[0], n, 2, ids(p[1]), p[2], n); }},
    {"rivus::scatter_min", 1, {"out", "ids", "x"}, [](at p) { scatter_min(p[0], n, ids(p[1]), p[2], n); }},
    {"rivus::scatter_max", 1, {"out", "ids", "x"}, [](at p) { scatter_max(p[0], n, ids(p[1]), p[2], n); }},
    {"rivus::scatter_prod", 1, {"out", "ids", "x"}, [](at p) { scatter_prod(p[0], n, ids(p[1]), p[2], n); }},
    {"rivus::put", 1, {"out", "ids", "x"}, [](at p) { put(p[0], n, ids(p[1]), p[2], n); }},
    {"rivus::segment_sum", 1, {"out", "ids", "x"}, [](at p) { segment_sum(ids(p[1]), p[2], n, p[0], n); }},
    {"rivus::segment_sum_rows",
     1,
     {"out", "ids", "x"},
     [](at p) { segment_sum_rows(ids(p[1]), p[2], n, 2, p[0], n); }},
    {"rivus::bincount", 1, {"out", "ids"}, [](at p) { bincount(ids(p[1]), n, counts(p[0]), n); }},
    {"rivus::bincount", 1, {"out", "ids", "weights"}, [](at p) { bincount(ids(p[1]), p[2], n, p[0], n); }},
    {"rivus::histogram", 1, {"out", "x"}, [](at p) { histogram(p[1], n, 0.0f, 1.0f, counts(p[0]), n); }},
    {"rivus::embedding_bag",
     1,
     {"out", "table", "ids", "offsets"},
     [](at p) { embedding_bag(p[1], n, 2, ids(p[2]), n, ids(p[3]), n, bag_mode::mean, p[0]); }},
    {"rivus::embedding_bag_backward",
     1,
     {"out", "gradient", "ids", "offsets"},
     [](at p) { embedding_bag_backward(p[1], ids(p[2]), n, ids(p[3]), n, bag_mode::mean, p[0], n, 2); }},
};

TEST(refusals, of_outputs_that_share_memory) {
  const std::vector<float> zeros(8 * test::overlap_distance);
  std::vector<float> memory = zeros;
  for (const test::overlapping_call& c : calls) {
    test::expect_refused_overlaps(
        c, memory.data(),
        [&](auto f, const char* who, const char* message) {
          EXPECT_TRUE(mentions(error_of(f), {who, message}));
        },
        [&] { memory = zeros; });
    EXPECT_EQ(memory, zeros) << c.who;
  }
}

TEST(refusals, of_outputs_whose_elements_share_memory) {
  struct shape {
    std::size_t rows, cols;
    std::ptrdiff_t row_stride, col_stride;
  };
  const std::vector<float> a(100, 1.0f), b(100, 1.0f), before(100, 7.0f);
  std::vector<float> c = before;
  const auto multiply = [&](const shape& s) {
    matmul(view(a.data(), s.rows, 2), view(b.data(), 2, s.cols),
           to(c.data() + 50, s.rows, s.cols, s.row_stride, s.col_stride));
  };
  const auto soften = [&](const shape& s) {
    softmax(view(a.data(), s.rows, s.cols), to(c.data() + 50, s.rows, s.cols, s.row_stride, s.col_stride));
  };
  for (const shape& s : {shape{3, 4, 0, 1},
                         {3, 4, 3, 1},
                         {3, 4, -3, 1},
                         {2, 2, 1, 1},
                         {2, 2, 0, 0},
                         {3, 4, 1, 0},
                         {1, 4, 9, 0},
                         {4, 1, 0, 9},
                         {3, 4, 1, 2},
                         {4, 3, 2, 3},
                         {4, 3, -2, 3},
                         {4, 3, 2, -3}}) {
    const std::string strides =
        "row_stride = " + std::to_string(s.row_stride) + " and col_stride = " + std::to_string(s.col_stride);
    EXPECT_TRUE(
        mentions(error_of([&] { multiply(s); }), {"rivus::matmul", "c is", strides.c_str(), "overlap"}));
    if (s.col_stride == 1) {
      EXPECT_TRUE(
          mentions(error_of([&] { soften(s); }), {"rivus::softmax", "y is", strides.c_str(), "overlap"}));
    }
    EXPECT_EQ(c, before);
  }
  for (const shape& s : {shape{3, 4, 4, 1},
                         {3, 4, -4, 1},
                         {3, 4, 1, 3},
                         {1, 4, 0, 1},
                         {4, 1, 1, 0},
                         {1, 1, 0, 0},
                         {3, 2, 2, 3},
                         {3, 3, 2, 3},
                         {3, 2, -2, 3},
                         {2, 9, 3, 2}}) {
    const std::size_t count = s.rows * s.cols;
    EXPECT_NO_THROW(multiply(s)) << s.row_stride << ", " << s.col_stride;
    EXPECT_EQ(static_cast<std::size_t>(std::count(c.begin(), c.end(), 2.0f)), count);
    c = before;
    if (s.col_stride == 1) {
      EXPECT_NO_THROW(soften(s));
      c = before;
    }
  }
}

// Parts of one array that lie between each other share nothing.
TEST(refusals, let_pass_what_only_lies_between) {
  std::vector<float> whole(4 * 12);
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<float>(i % 5);
  const std::vector<float> before = whole;
  const auto block = [&](std::size_t column) { return to(whole.data() + column, 4, 4, 12, 1); };
  const auto original = [&](std::size_t column) { return view(before.data() + column, 4, 4, 12, 1); };
  const auto expect = [&](auto call, auto oracle) {
    std::vector<float> expected(16);
    oracle(to(expected.data(), 4, 4));
    call();
    for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(block(4)(i / 4, i % 4), expected[i]);
    whole = before;
  };
  expect([&] { softmax(view(block(0)), block(4)); }, [&](to y) { softmax(original(0), y); });
  expect([&] { cumsum_rows(view(block(8)), block(4)); }, [&](to y) { cumsum_rows(original(8), y); });
  expect([&] { matmul(view(block(0)), view(block(8)), block(4)); },
         [&](to y) { matmul(original(0), original(8), y); });
  expect([&] { matmul(view(block(0)).transposed(), view(block(8)), block(4)); },
         [&](to y) { matmul(original(0).transposed(), original(8), y); });
  // With a weight in the gap between rows, and one column of the gap too many.
  expect([&] { rms_norm<float>(view(block(0)), whole.data() + 8, 1, block(4), nullptr); },
         [&](to y) { rms_norm<float>(original(0), before.data() + 8, 1, y, nullptr); });
  EXPECT_TRUE(
      mentions(error_of([&] { rms_norm<float>(view(block(0)), whole.data() + 1, 1, block(4), nullptr); }),
               {"y overlaps weight"}));
  EXPECT_TRUE(mentions(error_of([&] { softmax(view(block(1)), block(4)); }), {"y overlaps x"}));
  EXPECT_TRUE(mentions(error_of([&] { softmax(view(block(7)), block(4)); }), {"y overlaps x"}));
  EXPECT_TRUE(
      mentions(error_of([&] { softmax(view(block(0)), to(whole.data() + 15, 3, 4, 12, 1)); }), {"shapes"}));
  // Real and imaginary parts.
  std::vector<float> parts(2 * 16, 1.0f);
  const to real_part(parts.data(), 4, 4, 8, 2), imaginary(parts.data() + 1, 4, 4, 8, 2);
  matmul(view(real_part), view(real_part), imaginary);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(parts[i], i % 2 == 0 ? 1.0f : 4.0f);
  EXPECT_EQ(whole, before);
}

TEST(refusals, of_values_outside_of_their_enumeration) {
  std::vector<float> x(16, 1.0f), y(16, 7.0f);
  const std::vector<float> before = y;
  const std::int32_t zeros[4] = {};
  for (const int value : {-1, 9, 77}) {
    const auto kind = static_cast<reduction>(value);
    const std::string named = "kind = " + std::to_string(value) + " is not a reduction";
    EXPECT_TRUE(mentions(error_of([&] { reduce(kind, x); }), {"rivus::reduce", named.c_str()}));
    EXPECT_TRUE(
        mentions(error_of([&] { reduce_rows(kind, in(x.data()), y.data()); }), {"rows", named.c_str()}));
    EXPECT_TRUE(mentions(error_of([&] { reduce_columns(kind, in(x.data()), y.data()); }),
                         {"columns", named.c_str()}));
    EXPECT_STREQ(name(kind), "unknown");
  }
  for (const int value : {-1, 2, 7}) {
    const auto mode = static_cast<bag_mode>(value);
    const std::string named = "mode = " + std::to_string(value) + " is not a bag_mode";
    EXPECT_TRUE(mentions(error_of([&] { embedding_bag(x.data(), 4, 4, zeros, 4, zeros, 4, mode, y.data()); }),
                         {"rivus::embedding_bag:", named.c_str()}));
    EXPECT_TRUE(mentions(
        error_of([&] { embedding_bag_backward(x.data(), zeros, 4, zeros, 4, mode, y.data(), 4, 4); }),
        {"rivus::embedding_bag_backward:", named.c_str()}));
  }
  EXPECT_EQ(y, before);
  const determinism_settings settings = active_determinism();
  for (const int value : {-1, 3, 256}) {
    const auto mode = static_cast<determinism_mode>(value);
    const std::string named = "mode = " + std::to_string(value) + " is not a determinism_mode";
    EXPECT_TRUE(mentions(error_of([&] { use_deterministic_algorithms(mode); }),
                         {"rivus::use_deterministic_algorithms", named.c_str()}));
    EXPECT_TRUE(mentions(error_of([&] { deterministic_scope scope(mode); }),
                         {"rivus::deterministic_scope", named.c_str()}));
  }
  for (const int value : {-1, 4, 256}) {
    const auto level = static_cast<determinism>(value);
    const std::string named = "level = " + std::to_string(value) + " is not a level";
    EXPECT_TRUE(mentions(error_of([&] { use_deterministic_algorithms(determinism_mode::off, level); }),
                         {"rivus::use_deterministic_algorithms", named.c_str()}));
    EXPECT_TRUE(mentions(error_of([&] { deterministic_scope scope(determinism_mode::off, level); }),
                         {"rivus::deterministic_scope", named.c_str()}));
  }
  EXPECT_EQ(active_determinism(), settings);
  const isa set = active_isa();
  for (const int value : {-1, 4}) {
    EXPECT_TRUE(mentions(error_of([&] { set_isa(static_cast<isa>(value)); }),
                         {"rivus::set_isa", ("set = " + std::to_string(value)).c_str()}));
  }
  EXPECT_EQ(active_isa(), set);
}

}  // namespace
}  // namespace rivus
