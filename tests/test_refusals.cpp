// What every call refuses before it writes: outputs that share memory, elements that do, and values outside of
// enumerations.
#include <algorithm>
#include <rivus/exact.hpp>
#include <rivus/matmul.hpp>
#include <rivus/reduce.hpp>

#include "refusals.hpp"

namespace rivus {
namespace {

using test::error_of;
using test::in;
using test::mentions;

using view = matrix<const float>;
using to = matrix<float>;

struct host {
  static constexpr bool has_extras = false;

#define RIVUS_CALL(name)                  \
  template <class... A>                   \
  void name(const A&... a) const {        \
    static_cast<void>(rivus::name(a...)); \
  }
  RIVUS_CALL(sum)
  RIVUS_CALL(dot)
  RIVUS_CALL(exact_sum)
  RIVUS_CALL(exact_dot)
  RIVUS_CALL(reduce)
  RIVUS_CALL(variance)
  RIVUS_CALL(argmin)
  RIVUS_CALL(argmax)
  RIVUS_CALL(reduce_rows)
  RIVUS_CALL(variance_rows)
  RIVUS_CALL(argmin_rows)
  RIVUS_CALL(argmax_rows)
  RIVUS_CALL(reduce_columns)
  RIVUS_CALL(variance_columns)
  RIVUS_CALL(segment_reduce)
  RIVUS_CALL(matmul)
  RIVUS_CALL(softmax)
  RIVUS_CALL(log_softmax)
  RIVUS_CALL(softmax_backward)
  RIVUS_CALL(log_softmax_backward)
  RIVUS_CALL(layer_norm)
  RIVUS_CALL(layer_norm_backward)
  RIVUS_CALL(rms_norm)
  RIVUS_CALL(rms_norm_backward)
  RIVUS_CALL(cumsum)
  RIVUS_CALL(cumprod)
  RIVUS_CALL(exclusive_cumsum)
  RIVUS_CALL(exclusive_cumprod)
  RIVUS_CALL(cumsum_rows)
  RIVUS_CALL(cumprod_rows)
  RIVUS_CALL(exclusive_cumsum_rows)
  RIVUS_CALL(exclusive_cumprod_rows)
  RIVUS_CALL(index_add)
  RIVUS_CALL(index_add_rows)
  RIVUS_CALL(scatter_min)
  RIVUS_CALL(scatter_max)
  RIVUS_CALL(scatter_prod)
  RIVUS_CALL(put)
  RIVUS_CALL(segment_sum)
  RIVUS_CALL(segment_sum_rows)
  RIVUS_CALL(bincount)
  RIVUS_CALL(histogram)
  RIVUS_CALL(embedding_bag)
  RIVUS_CALL(embedding_bag_backward)
#undef RIVUS_CALL
};

TEST(refusals, of_every_operation) {
  const std::vector<float> zeros(20 * test::spacing);
  std::vector<float> memory = zeros;
  test::expect_all_refused<host>(
      test::operations<host>(), memory.data(), [](float*, std::size_t, float*, float*) { return host{}; },
      [](auto f, const char* name, const std::vector<std::string>& says) {
        const std::string message = error_of(f);
        EXPECT_TRUE(mentions(message, {("rivus::" + std::string(name) + ":").c_str()}));
        for (const std::string& text : says) EXPECT_TRUE(mentions(message, {text.c_str()}));
      },
      [&] { return memory == zeros; }, [&] { memory = zeros; });
}

TEST(refusals, are_of_every_operation) {
  std::set<std::string> others{"below",
                               "bernoulli",
                               "bits",
                               "exponential",
                               "fill",
                               "integer",
                               "normal",
                               "shuffle",
                               "uniform",
                               "index_add_atomic",
                               "index_add_rows_atomic"};
  for (int kind = 0; kind <= static_cast<int>(reduction::logsumexp); ++kind)
    others.insert(name(static_cast<reduction>(kind)));
  test::expect_no_operation_forgotten<host>(others);
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

TEST(refusals, of_settings_outside_of_their_enumeration) {
  EXPECT_STREQ(name(static_cast<reduction>(9)), "unknown");
  EXPECT_STREQ(name(static_cast<reduction>(-1)), "unknown");
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
