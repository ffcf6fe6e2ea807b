// The bad arguments of every operation, which the host and the device refuse alike: a table, run against each of them.
//
// `On` calls an operation: on.softmax(x, y) and so on, with the arguments that rivus::softmax has. On a device, what
// more there is (a stream, scratch, a result, an index_error) belongs to `On`.
#ifndef RIVUS_TESTS_REFUSALS_HPP
#define RIVUS_TESTS_REFUSALS_HPP

#include <functional>
#include <rivus/determinism.hpp>
#include <rivus/normalise.hpp>
#include <rivus/reductions.hpp>
#include <rivus/scan.hpp>
#include <rivus/scatter.hpp>
#include <set>

#include "support.hpp"

namespace rivus::test {

// What an operation uses on a device besides its arrays.
enum extras : unsigned { none = 0, scratch = 1, error = 2, result = 4 };

struct array {
  array(const char* name_, bool optional_ = false) : name(name_), optional(optional_) {}
  const char* name;
  bool optional;  // may be null
};

// call(on, at, n): with array i at at[i], the outputs first, in sizes that grow with n. Of zeros it succeeds with n =
// `usual`, for which it uses at least 3 floats of each input and fewer than `spacing` - 2 of any array.
template <class On>
struct operation {
  const char* name;
  unsigned extras;
  std::size_t usual, outputs;
  std::vector<array> arrays;
  std::function<void(const On&, float* const*, std::size_t n)> call;
};
inline constexpr std::size_t spacing = 4096;

inline matrix<const float> in(const float* p, std::size_t rows, std::size_t cols) { return {p, rows, cols}; }
inline matrix<const float> in(const float* p, std::size_t n) { return in(p, n, n); }
inline matrix<float> to(float* p, std::size_t n) { return {p, n, n}; }
inline const std::int32_t* ids(float* p) { return reinterpret_cast<std::int32_t*>(p); }
inline std::uint64_t* counts(float* p) { return reinterpret_cast<std::uint64_t*>(p); }
inline std::size_t* places(float* p) { return reinterpret_cast<std::size_t*>(p); }

template <class On>
std::vector<operation<On>> operations() {
  using at = float* const*;
  using size = std::size_t;
  constexpr bool optional = true;
  // The second in more than one chunk.
  constexpr size few = 4, many = 2049;
  static constexpr auto sum = reduction::sum;
  const std::vector<array> unary = {"y", "x"}, gradient = {"dx", "y", "dy"}, scattered = {"out", "ids", "x"};
  return {
      {"sum", scratch | result, many, 0, {"x"}, [](const On& on, at p, size n) { on.sum(p[0], n); }},
      {"dot",
       scratch | result,
       many,
       0,
       {"x", "y"},
       [](const On& on, at p, size n) { on.dot(p[0], p[1], n); }},
      {"exact_sum",
       scratch | result,
       many,
       0,
       {"x"},
       [](const On& on, at p, size n) { on.exact_sum(p[0], n); }},
      {"exact_dot",
       scratch | result,
       many,
       0,
       {"x", "y"},
       [](const On& on, at p, size n) { on.exact_dot(p[0], p[1], n); }},
      {"reduce",
       scratch | result,
       many,
       0,
       {"x"},
       [](const On& on, at p, size n) { on.reduce(sum, p[0], n); }},
      {"variance",
       scratch | result,
       many,
       0,
       {"x"},
       [](const On& on, at p, size n) { on.variance(p[0], n, 1); }},
      {"argmin", scratch | result, many, 0, {"x"}, [](const On& on, at p, size n) { on.argmin(p[0], n); }},
      {"argmax", scratch | result, many, 0, {"x"}, [](const On& on, at p, size n) { on.argmax(p[0], n); }},
      {"reduce_rows",
       none,
       few,
       1,
       {"out", "x"},
       [](const On& on, at p, size n) { on.reduce_rows(sum, in(p[1], n), p[0]); }},
      {"variance_rows",
       none,
       few,
       1,
       {"out", "x"},
       [](const On& on, at p, size n) { on.variance_rows(in(p[1], n), p[0], 1); }},
      {"argmin_rows",
       none,
       few,
       1,
       {"out", "x"},
       [](const On& on, at p, size n) { on.argmin_rows(in(p[1], n), places(p[0])); }},
      {"argmax_rows",
       none,
       few,
       1,
       {"out", "x"},
       [](const On& on, at p, size n) { on.argmax_rows(in(p[1], n), places(p[0])); }},
      {"reduce_columns",
       scratch,
       few,
       1,
       {"out", "x"},
       [](const On& on, at p, size n) { on.reduce_columns(sum, in(p[1], n), p[0]); }},
      {"variance_columns",
       scratch,
       few,
       1,
       {"out", "x"},
       [](const On& on, at p, size n) { on.variance_columns(in(p[1], n), p[0], 1); }},
      {"segment_reduce",
       error,
       few,
       1,
       {"out", "x", "offsets"},
       [](const On& on, at p, size n) { on.segment_reduce(sum, p[1], n, ids(p[2]), n, p[0]); }},
      {"matmul",
       none,
       few,
       1,
       {"c", "a", "b", {"bias", optional}},
       [](const On& on, at p, size n) {
         on.matmul(in(p[1], n), in(p[2], n), to(p[0], n), matmul_options<float>{p[3], true});
       }},
      {"softmax", none, few, 1, unary,
       [](const On& on, at p, size n) { on.softmax(in(p[1], n), to(p[0], n)); }},
      {"log_softmax", none, few, 1, unary,
       [](const On& on, at p, size n) { on.log_softmax(in(p[1], n), to(p[0], n)); }},
      {"softmax_backward", none, few, 1, gradient,
       [](const On& on, at p, size n) { on.softmax_backward(in(p[1], n), in(p[2], n), to(p[0], n)); }},
      {"log_softmax_backward", none, few, 1, gradient,
       [](const On& on, at p, size n) { on.log_softmax_backward(in(p[1], n), in(p[2], n), to(p[0], n)); }},
      {"layer_norm",
       none,
       few,
       3,
       {{"mean", optional}, {"reciprocal", optional}, "y", "x", {"weight", optional}, {"bias", optional}},
       [](const On& on, at p, size n) {
         on.layer_norm(in(p[3], n), p[4], p[5], 1.0f, to(p[2], n), p[0], p[1]);
       }},
      {"layer_norm_backward",
       scratch,
       few,
       3,
       {{"dweight", optional},
        {"dbias", optional},
        "dx",
        "dy",
        "x",
        {"weight", optional},
        "mean",
        "reciprocal"},
       [](const On& on, at p, size n) {
         on.layer_norm_backward(in(p[3], n), in(p[4], n), p[5], p[6], p[7], to(p[2], n), p[0], p[1]);
       }},
      {"rms_norm",
       none,
       few,
       2,
       {{"reciprocal", optional}, "y", "x", {"weight", optional}},
       [](const On& on, at p, size n) { on.rms_norm(in(p[2], n), p[3], 1.0f, to(p[1], n), p[0]); }},
      {"rms_norm_backward",
       scratch,
       few,
       2,
       {{"dweight", optional}, "dx", "dy", "x", {"weight", optional}, "reciprocal"},
       [](const On& on, at p, size n) {
         on.rms_norm_backward(in(p[2], n), in(p[3], n), p[4], p[5], to(p[1], n), p[0]);
       }},
      {"cumsum", scratch, many, 1, unary, [](const On& on, at p, size n) { on.cumsum(p[1], n, p[0]); }},
      {"cumprod", scratch, many, 1, unary, [](const On& on, at p, size n) { on.cumprod(p[1], n, p[0]); }},
      {"exclusive_cumsum", scratch, many, 1, unary,
       [](const On& on, at p, size n) { on.exclusive_cumsum(p[1], n, p[0]); }},
      {"exclusive_cumprod", scratch, many, 1, unary,
       [](const On& on, at p, size n) { on.exclusive_cumprod(p[1], n, p[0]); }},
      {"cumsum_rows", scratch, many, 1, unary,
       [](const On& on, at p, size n) { on.cumsum_rows(in(p[1], 1, n), matrix<float>(p[0], 1, n)); }},
      {"cumprod_rows", scratch, many, 1, unary,
       [](const On& on, at p, size n) { on.cumprod_rows(in(p[1], 1, n), matrix<float>(p[0], 1, n)); }},
      {"exclusive_cumsum_rows", scratch, many, 1, unary,
       [](const On& on, at p, size n) {
         on.exclusive_cumsum_rows(in(p[1], 1, n), matrix<float>(p[0], 1, n));
       }},
      {"exclusive_cumprod_rows", scratch, many, 1, unary,
       [](const On& on, at p, size n) {
         on.exclusive_cumprod_rows(in(p[1], 1, n), matrix<float>(p[0], 1, n));
       }},
      {"index_add", scratch | error, few, 1, scattered,
       [](const On& on, at p, size n) { on.index_add(p[0], n, ids(p[1]), p[2], n); }},
      {"index_add_rows", scratch | error, few, 1, scattered,
       [](const On& on, at p, size n) { on.index_add_rows(p[0], n, 2, ids(p[1]), p[2], n); }},
      {"scatter_min", scratch | error, few, 1, scattered,
       [](const On& on, at p, size n) { on.scatter_min(p[0], n, ids(p[1]), p[2], n); }},
      {"scatter_max", scratch | error, few, 1, scattered,
       [](const On& on, at p, size n) { on.scatter_max(p[0], n, ids(p[1]), p[2], n); }},
      {"scatter_prod", scratch | error, few, 1, scattered,
       [](const On& on, at p, size n) { on.scatter_prod(p[0], n, ids(p[1]), p[2], n); }},
      {"put", scratch | error, few, 1, scattered,
       [](const On& on, at p, size n) { on.put(p[0], n, ids(p[1]), p[2], n); }},
      {"segment_sum", scratch | error, few, 1, scattered,
       [](const On& on, at p, size n) { on.segment_sum(ids(p[1]), p[2], n, p[0], n); }},
      {"segment_sum_rows", scratch | error, few, 1, scattered,
       [](const On& on, at p, size n) { on.segment_sum_rows(ids(p[1]), p[2], n, 2, p[0], n); }},
      {"bincount",
       error,
       few,
       1,
       {"out", "ids"},
       [](const On& on, at p, size n) { on.bincount(ids(p[1]), n, counts(p[0]), n); }},
      {"bincount",
       scratch | error,
       few,
       1,
       {"out", "ids", "weights"},
       [](const On& on, at p, size n) { on.bincount(ids(p[1]), p[2], n, p[0], n); }},
      {"histogram",
       none,
       few,
       1,
       {"out", "x"},
       [](const On& on, at p, size n) { on.histogram(p[1], n, 0.0f, 1.0f, counts(p[0]), 4); }},
      {"embedding_bag",
       error,
       few,
       1,
       {"out", "table", "ids", "offsets"},
       [](const On& on, at p, size n) {
         on.embedding_bag(p[1], n, 2, ids(p[2]), n, ids(p[3]), n, bag_mode::mean, p[0]);
       }},
      {"embedding_bag_backward",
       scratch | error,
       few,
       1,
       {"out", "gradient", "ids", "offsets"},
       [](const On& on, at p, size n) {
         on.embedding_bag_backward(p[1], ids(p[2]), n, ids(p[3]), n, bag_mode::mean, p[0], n, 2);
       }},
  };
}

// With those that a device alone has.
template <class On>
std::vector<operation<On>> device_operations() {
  using at = float* const*;
  std::vector<operation<On>> all = operations<On>();
  all.push_back({"index_add_atomic", error, 4, 1, {"out", "ids", "x"}, [](const On& on, at p, std::size_t n) {
                   on.index_add_atomic(p[0], n, ids(p[1]), p[2], n);
                 }});
  all.push_back(
      {"index_add_rows_atomic", error, 4, 1, {"out", "ids", "x"}, [](const On& on, at p, std::size_t n) {
         on.index_add_rows_atomic(p[0], n, 2, ids(p[1]), p[2], n);
       }});
  return all;
}

// A call that is refused, and what the error says.
template <class On>
struct bad_call {
  const char* name;
  std::vector<std::string> says;
  // x and y are floats, more than enough, and zeros are indices.
  std::function<void(const On&, const float* x, float* y, const std::int32_t* zeros)> call;
};

// Domains, shapes, strides and enumerations.
template <class On>
std::vector<bad_call<On>> bad_calls() {
  using floats = const float*;
  using indices_t = const std::int32_t*;
  using view = matrix<const float>;
  using out = matrix<float>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<bad_call<On>> all;
  const auto add = [&](const char* name, std::vector<std::string> says, auto call) {
    all.push_back({name, std::move(says), call});
  };

  for (const int value : {-1, 9, 77}) {
    const auto kind = static_cast<reduction>(value);
    const std::vector<std::string> says{"kind = " + std::to_string(value) + " is not a reduction"};
    add("reduce", says, [=](const On& on, floats x, float*, indices_t) { on.reduce(kind, x, 4); });
    add("reduce_rows", says,
        [=](const On& on, floats x, float* y, indices_t) { on.reduce_rows(kind, in(x, 4), y); });
    add("reduce_columns", says,
        [=](const On& on, floats x, float* y, indices_t) { on.reduce_columns(kind, in(x, 4), y); });
    add("segment_reduce", says,
        [=](const On& on, floats x, float* y, indices_t z) { on.segment_reduce(kind, x, 4, z, 1, y); });
  }
  for (const int value : {-1, 2, 7}) {
    const auto mode = static_cast<bag_mode>(value);
    const std::vector<std::string> says{"mode = " + std::to_string(value) + " is not a bag_mode"};
    add("embedding_bag", says, [=](const On& on, floats x, float* y, indices_t z) {
      on.embedding_bag(x, 4, 4, z, 4, z, 4, mode, y);
    });
    add("embedding_bag_backward", says, [=](const On& on, floats x, float* y, indices_t z) {
      on.embedding_bag_backward(x, z, 4, z, 4, mode, y, 4, 4);
    });
  }
  for (const auto kind : {reduction::minimum, reduction::maximum}) {
    const std::vector<std::string> says{"a " + std::string(name(kind)) + " of nothing"};
    add("reduce", says, [=](const On& on, floats x, float*, indices_t) { on.reduce(kind, x, 0); });
    add("reduce_rows", says,
        [=](const On& on, floats x, float* y, indices_t) { on.reduce_rows(kind, in(x, 4, 0), y); });
    add("reduce_columns", says,
        [=](const On& on, floats x, float* y, indices_t) { on.reduce_columns(kind, in(x, 0, 4), y); });
  }
  add("argmin", {"n = 0"}, [](const On& on, floats x, float*, indices_t) { on.argmin(x, 0); });
  add("argmax", {"n = 0"}, [](const On& on, floats x, float*, indices_t) { on.argmax(x, 0); });
  add("argmin_rows", {"x has no columns"},
      [](const On& on, floats x, float* y, indices_t) { on.argmin_rows(in(x, 2, 0), places(y)); });
  add("argmax_rows", {"x has no columns"},
      [](const On& on, floats x, float* y, indices_t) { on.argmax_rows(in(x, 2, 0), places(y)); });
  add("segment_reduce", {"n = 4", "no segments"}, [](const On& on, floats x, float* y, indices_t z) {
    on.segment_reduce(reduction::sum, x, 4, z, 0, y);
  });
  add("embedding_bag", {"n = 4 ids but no bags"}, [](const On& on, floats x, float* y, indices_t z) {
    on.embedding_bag(x, 4, 4, z, 4, z, 0, bag_mode::sum, y);
  });
  add("embedding_bag_backward", {"n = 4 ids but no bags"}, [](const On& on, floats x, float* y, indices_t z) {
    on.embedding_bag_backward(x, z, 4, z, 0, bag_mode::sum, y, 4, 4);
  });

  for (const auto& [lo, hi] : {std::pair{1.0, 1.0}, {2.0, 1.0}, {0.0, infinity}, {-infinity, 0.0}})
    add("histogram", {"lo = ", "hi = ", "must be finite"}, [=](const On& on, floats x, float* y, indices_t) {
      on.histogram(x, 4, static_cast<float>(lo), static_cast<float>(hi), counts(y), 4);
    });
  add("histogram", {"bins = 0 is not in [1, 2^53]"},
      [](const On& on, floats x, float* y, indices_t) { on.histogram(x, 4, 0.0f, 1.0f, counts(y), 0); });
  for (const std::int64_t block : {std::int64_t{0}, std::int64_t{-1}})
    add("matmul", {"block = " + std::to_string(block) + " must be at least 1"},
        [=](const On& on, floats x, float* y, indices_t) {
          matmul_options<float> options;
          options.block = block;
          on.matmul(in(x, 4), in(x, 4), to(y, 4), options);
        });

  // Shapes.
  add("matmul", {"shapes do not fit", "a is 2 x 3", "b is 2 x 4", "c is 2 x 4"},
      [](const On& on, floats x, float* y, indices_t) {
        on.matmul(in(x, 2, 3), in(x, 2, 4), out(y, 2, 4), matmul_options<float>{});
      });
  const std::vector<std::string> unlike{"shapes do not fit", "2 x 3", "3 x 2"};
  const auto unary = [&](const char* name, auto call) {
    add(name, unlike,
        [=](const On& on, floats x, float* y, indices_t) { call(on, in(x, 2, 3), out(y, 3, 2)); });
    add(name, {"x has col_stride = 2 and must have 1"},
        [=](const On& on, floats x, float* y, indices_t) { call(on, view(x, 2, 3, 6, 2), out(y, 2, 3)); });
    add(name, {"y is 4 x 4", "row_stride = 3", "overlap"},
        [=](const On& on, floats x, float* y, indices_t) { call(on, in(x, 4), out(y, 4, 4, 3, 1)); });
  };
  unary("softmax", [](const On& on, view x, out y) { on.softmax(x, y); });
  unary("log_softmax", [](const On& on, view x, out y) { on.log_softmax(x, y); });
  unary("layer_norm", [](const On& on, view x, out y) {
    float* const no = nullptr;
    on.layer_norm(x, no, no, 1.0f, y, no, no);
  });
  unary("rms_norm", [](const On& on, view x, out y) {
    float* const no = nullptr;
    on.rms_norm(x, no, 1.0f, y, no);
  });
  unary("cumsum_rows", [](const On& on, view x, out y) { on.cumsum_rows(x, y); });
  unary("cumprod_rows", [](const On& on, view x, out y) { on.cumprod_rows(x, y); });
  unary("exclusive_cumsum_rows", [](const On& on, view x, out y) { on.exclusive_cumsum_rows(x, y); });
  unary("exclusive_cumprod_rows", [](const On& on, view x, out y) { on.exclusive_cumprod_rows(x, y); });
  const auto binary = [&](const char* name, auto call) {
    add(name, unlike, [=](const On& on, floats x, float* y, indices_t) {
      call(on, in(x, 2, 3), in(x, 2, 3), out(y, 3, 2), x + 32);
    });
    add(name, unlike, [=](const On& on, floats x, float* y, indices_t) {
      call(on, in(x, 2, 3), in(x, 3, 2), out(y, 2, 3), x + 32);
    });
    add(name, {"has no columns"}, [=](const On& on, floats x, float* y, indices_t) {
      call(on, in(x, 2, 0), in(x, 2, 0), out(y, 2, 0), x + 32);
    });
  };
  binary("softmax_backward",
         [](const On& on, view y, view dy, out dx, floats) { on.softmax_backward(y, dy, dx); });
  binary("log_softmax_backward",
         [](const On& on, view y, view dy, out dx, floats) { on.log_softmax_backward(y, dy, dx); });
  binary("layer_norm_backward", [](const On& on, view dy, view x, out dx, floats of_rows) {
    float* const no = nullptr;
    on.layer_norm_backward(dy, x, no, of_rows, of_rows, dx, no, no);
  });
  binary("rms_norm_backward", [](const On& on, view dy, view x, out dx, floats of_rows) {
    float* const no = nullptr;
    on.rms_norm_backward(dy, x, no, of_rows, dx, no);
  });
  const auto strided = [&](const char* name, auto call) {
    add(name, {"x has col_stride = 2 and must have 1"},
        [=](const On& on, floats x, float* y, indices_t) { call(on, view(x, 2, 3, 6, 2), y); });
    add(name, {"x is 2 x 3", "null"},
        [=](const On& on, floats, float* y, indices_t) { call(on, view(nullptr, 2, 3), y); });
  };
  strided("reduce_rows", [](const On& on, view x, float* y) { on.reduce_rows(reduction::mean, x, y); });
  strided("reduce_columns", [](const On& on, view x, float* y) { on.reduce_columns(reduction::sum, x, y); });
  strided("variance_rows", [](const On& on, view x, float* y) { on.variance_rows(x, y, 1); });
  strided("variance_columns", [](const On& on, view x, float* y) { on.variance_columns(x, y, 1); });
  strided("argmin_rows", [](const On& on, view x, float* y) { on.argmin_rows(x, places(y)); });
  strided("argmax_rows", [](const On& on, view x, float* y) { on.argmax_rows(x, places(y)); });
  return all;
}

// Runs the table. `memory` are floats, for each array of an operation `spacing` of them and as many again for each
// extra; expect(f, who, says) expects that error; untouched() that nothing of it was written, and reset() makes all
// zeros. on_with(scratch, bytes, result, error) is an On.
template <class On, class OnWith, class Expect, class Untouched, class Reset>
void expect_all_refused(const std::vector<operation<On>>& table, float* memory, const OnWith& on_with,
                        const Expect& expect, const Untouched& untouched, const Reset& reset) {
  constexpr std::size_t bytes = sizeof(float) * (spacing - 2);
  for (const operation<On>& op : table) {
    SCOPED_TRACE(op.name);
    // The extras of a device come first, as outputs.
    std::vector<array> all;
    std::vector<std::size_t> extra_at(3, 0);
    for (const auto& [bit, name] : {std::pair{scratch, "scratch"}, {error, "error"}, {result, "result"}}) {
      if (On::has_extras && (op.extras & bit) != 0) {
        extra_at[static_cast<std::size_t>(bit) / 2] = all.size() + 1;
        all.push_back({name, bit == error});
      }
    }
    const std::size_t extras_here = all.size(), outputs = extras_here + op.outputs;
    all.insert(all.end(), op.arrays.begin(), op.arrays.end());
    const auto call = [&](const std::vector<float*>& p, std::size_t n) {
      const auto extra = [&](extras bit) {
        const std::size_t i = extra_at[static_cast<std::size_t>(bit) / 2];
        return i == 0 ? nullptr : p[i - 1];
      };
      op.call(on_with(extra(scratch), bytes, extra(result), extra(error)), p.data() + extras_here, n);
    };
    std::vector<float*> at;
    for (std::size_t i = 0; i < all.size(); ++i) at.push_back(memory + i * spacing);
    EXPECT_NO_THROW(call(at, op.usual));
    reset();
    const auto refuses = [&](std::size_t i, float* moved, std::size_t n, std::vector<std::string> says) {
      std::vector<float*> p = at;
      p[i] = moved;
      expect([&] { call(p, n); }, op.name, says);
      EXPECT_TRUE(untouched());
    };
    // An output upon every other one, and two elements on in every input, which some may be as a whole.
    for (std::size_t out = 0; out < outputs; ++out) {
      for (std::size_t other = 0; other < all.size(); ++other) {
        if (other == out) continue;
        const std::size_t first = other < outputs && other < out ? other : out,
                          second = first == out ? other : out;
        refuses(out, at[other] + (other < outputs ? 0 : 2), op.usual,
                {std::string(all[first].name) + " overlaps " + all[second].name});
      }
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].optional) refuses(i, nullptr, op.usual, {all[i].name, "null"});
    }
    for (const std::size_t n : {std::size_t{1} << 62, ~std::size_t{0}})
      refuses(0, at[0], n, {"exceeds the memory"});
  }

  float *const x = memory, *const y = memory + spacing, *const zeros = memory + 2 * spacing;
  const On on = on_with(memory + 3 * spacing, bytes, memory + 4 * spacing, memory + 5 * spacing);
  for (const bad_call<On>& bad : bad_calls<On>()) {
    SCOPED_TRACE(bad.name);
    expect([&] { bad.call(on, x, y, ids(zeros)); }, bad.name, bad.says);
    EXPECT_TRUE(untouched());
  }
}

// That the table has every operation of the registry that takes arrays, but those named.
template <class On>
void expect_no_operation_forgotten(std::set<std::string> others) {
  for (const operation<On>& op : operations<On>()) others.insert(op.name);
  for (const operation_info& op : rivus::operations()) EXPECT_EQ(others.count(op.name), 1u) << op.name;
}

}  // namespace rivus::test

#endif
