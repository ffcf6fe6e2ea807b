// arguments: the checks that the bulk calls of host and device share. Not for kernels.
#ifndef RIVUS_ARGUMENTS_HPP
#define RIVUS_ARGUMENTS_HPP

#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <rivus/matmul.hpp>
#include <rivus/reductions.hpp>
#include <rivus/refuse.hpp>
#include <rivus/runtime.hpp>
#include <rivus/scatter.hpp>
#include <string>
#include <type_traits>
#include <utility>

namespace rivus::detail {

template <class T>
std::string text_of(T value) {
  char digits[64];
  return std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

inline std::string text_of(const indices& ids, std::size_t i) {
  return (ids.is_negative(i) ? std::string("-") : std::string())
      .append(text_of(ids.is_negative(i) ? 0 - ids[i] : ids[i]));
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_values(const char* who, const char* name, bool null,
                                                                 std::size_t n) {
  refuse(who, null ? std::string(name) + " is null but n = " + text_of(n)
                   : "n = " + text_of(n) + " exceeds the memory");
}
// An array of n values. A count that was negative exceeds the memory, for one.
template <class T>
void require_values(const char* who, const char* name, const T* x, std::size_t n) {
  if ((n > 0 && x == nullptr) || n > ~std::size_t{0} / 2 / sizeof *x)
    refuse_values(who, name, x == nullptr, n);
}

// Of a fill. Errors: std::invalid_argument and std::runtime_error, as rivus::fill documents them.
template <class D>
void require_valid(const char* who, const typename D::value_type* out, std::size_t n, const D& d,
                   std::uint64_t first) {
  // First, as comparisons of parameters obey the modes too.
  if (!has_default_environment()) require_default_environment(who);
  d.check([&](const char* parameter, auto value, const char* rule) {
    refuse(who, std::string(parameter) + " = " + text_of(value) + " " + rule);
  });
  require_values(who, "out", out, n);
  if (n > 0 && first > ~std::uint64_t{0} - (n - 1)) {
    refuse(who,
           "first = " + text_of(first) + " and n = " + text_of(n) + " go beyond the last element, 2^64 - 1");
  }
}

// Of an enumeration with the values 0, 1, ..., last.
template <class E>
void require_enumerator(const char* who, const char* name, E value, E last, const char* what) {
  using number = std::underlying_type_t<E>;
  if (static_cast<std::make_unsigned_t<number>>(value) > static_cast<std::make_unsigned_t<number>>(last))
    refuse(who, std::string(name) + " = " + text_of(static_cast<number>(value)) + " is not " + what);
}

template <class X>
std::string shape_of(const char* name, const matrix<X>& m) {
  return std::string(name) + " is " + text_of(m.rows) + " x " + text_of(m.cols);
}

// What an array or a matrix covers: bytes from `begin` to `end`, or of these pieces of `run` bytes whose distances are
// multiples of `step`.
struct extent {
  const char* name;
  std::uintptr_t begin, end;
  std::size_t run, step;
  std::ptrdiff_t row_stride;
};
template <class X>
extent extent_of(const char* name, const X* data, std::size_t n) {
  if (data == nullptr || n == 0) return {name, 0, 0, 0, 0, 0};
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  return {name, at, at + n * sizeof(X), n * sizeof(X), 0, 0};
}
inline std::size_t magnitude(std::ptrdiff_t stride) {
  return stride < 0 ? 0 - static_cast<std::size_t>(stride) : static_cast<std::size_t>(stride);
}
template <class X>
extent extent_of(const char* name, const matrix<X>& m) {
  if (m.data == nullptr || m.rows == 0 || m.cols == 0) return {name, 0, 0, 0, 0, 0};
  // A single row or column has no stride. Sums wrap around where an address does.
  const std::ptrdiff_t down = m.rows > 1 ? m.row_stride : 0, along = m.cols > 1 ? m.col_stride : 0;
  const std::size_t rows = magnitude(down), cols = magnitude(along);
  const std::size_t height = (m.rows - 1) * rows, width = (m.cols - 1) * cols;
  const auto at = reinterpret_cast<std::uintptr_t>(m.data);
  const std::size_t before = (down < 0 ? height : 0) + (along < 0 ? width : 0);
  const std::uintptr_t begin = at - before * sizeof(X);
  const std::size_t run = cols == 1 ? m.cols : rows == 1 ? m.rows : 1;
  const std::size_t step = cols == 1 ? rows : rows == 1 ? cols : std::gcd(rows, cols);
  return {name, begin, begin + (height + width + 1) * sizeof(X), run * sizeof(X), step * sizeof(X), down};
}
// Never false where they share memory; true also where they only might: of pieces at unlike distances.
inline bool overlap(const extent& a, const extent& b) {
  if (a.begin >= b.end || b.begin >= a.end) return false;
  const std::size_t step = std::gcd(a.step, b.step);
  if (step == 0) return true;
  // On a circle of length `step`, b's pieces all begin at `at`, and a's at 0.
  const std::size_t apart = a.begin < b.begin ? b.begin - a.begin : a.begin - b.begin;
  const std::size_t at = a.begin < b.begin || apart % step == 0 ? apart % step : step - apart % step;
  return at < a.run || step - at < b.run;
}

// No output shares memory with an input or with another output.
inline void require_apart(const char* who, std::initializer_list<extent> outputs,
                          std::initializer_list<extent> inputs) {
  const auto require = [&](const extent& out, const extent& other) {
    if (overlap(out, other)) refuse(who, std::string(out.name) + " overlaps " + other.name);
  };
  for (const extent* out = outputs.begin(); out != outputs.end(); ++out) {
    for (const extent& in : inputs) require(*out, in);
    for (const extent* other = out + 1; other != outputs.end(); ++other) require(*out, *other);
  }
}
inline void require_apart_or_same(const char* who, const extent& out, const extent& in) {
  if (out.begin != in.begin || out.end != in.end || out.row_stride != in.row_stride)
    require_apart(who, {out}, {in});
}

// What an array of rows x cols elements of so many bytes covers, which is not null.
inline extent require_array(const char* who, const char* name, const void* data, std::size_t bytes,
                            std::size_t rows, std::size_t cols) {
  std::size_t n, all;
  if (__builtin_mul_overflow(rows, cols, &n) || __builtin_mul_overflow(n, bytes, &all) ||
      all > ~std::size_t{0} / 2)
    refuse(who, std::string(name) + " of " + text_of(rows) + " x " + text_of(cols) +
                    " elements exceeds the memory");
  if (n > 0 && data == nullptr)
    refuse(who, std::string(name) + " is null but has n = " + text_of(n) + " elements");
  return extent_of(name, static_cast<const unsigned char*>(data), all);
}
template <class T>
extent require_array(const char* who, const char* name, const T* data, std::size_t rows,
                     std::size_t cols = 1) {
  return require_array(who, name, data, sizeof(T), rows, cols);
}
inline extent require_array(const char* who, const char* name, const indices& ids, std::size_t n) {
  return require_array(who, name, ids.data(), ids.bytes(), n, 1);
}

// A matrix with data. The elements of an output have a place each.
template <class X>
void require_data(const char* who, const char* name, const matrix<X>& m) {
  if (m.rows == 0 || m.cols == 0) return;
  if (m.rows > ~std::size_t{0} / 2 / sizeof(X) / m.cols)
    refuse(who, shape_of(name, m) + " and exceeds the memory");
  if (m.data == nullptr) refuse(who, shape_of(name, m) + " but its data is null");
  if constexpr (!std::is_const_v<X>) {
    const std::size_t rows = magnitude(m.row_stride), cols = magnitude(m.col_stride);
    // (i, j) lies where (i + cols / g, j - rows / g) does, g the greatest common divisor.
    const std::size_t g = std::gcd(m.rows > 1 ? rows : 0, m.cols > 1 ? cols : 0);
    const bool distinct = m.rows == 1   ? m.cols == 1 || cols > 0
                          : m.cols == 1 ? rows > 0
                                        : g > 0 && (cols / g >= m.rows || rows / g >= m.cols);
    if (!distinct)
      refuse(who, shape_of(name, m) + " but row_stride = " + text_of(m.row_stride) +
                      " and col_stride = " + text_of(m.col_stride) + " make its elements overlap");
  }
}
// The same, with rows that are whole.
template <class X>
void require_rows(const char* who, const char* name, const matrix<X>& m) {
  if (m.rows > 0 && m.cols > 1 && m.col_stride != 1)
    refuse(who, std::string(name) + " has col_stride = " + text_of(m.col_stride) + " and must have 1");
  require_data(who, name, m);
}
template <class X, class Y>
void require_same_shape(const char* who, const char* a, const matrix<X>& x, const char* b,
                        const matrix<Y>& y) {
  if (x.rows != y.rows || x.cols != y.cols)
    refuse(who, "shapes do not fit: " + shape_of(a, x) + ", " + shape_of(b, y));
}

// Of a matrix product, c = a b.
template <class T>
void require_product(const char* who, const matrix<const T>& a, const matrix<const T>& b, const matrix<T>& c,
                     const matmul_options<T>& options) {
  require_default_environment(who);
  if (a.cols != b.rows || a.rows != c.rows || b.cols != c.cols)
    refuse(who, "shapes do not fit: " + shape_of("a", a) + ", " + shape_of("b", b) + ", " + shape_of("c", c));
  // A negative one too; and the tree of a device has 32 levels.
  const std::uint64_t block = options.block;
  if (block == 0 || block >> 63 != 0)
    refuse(who, "block = " + text_of(static_cast<std::int64_t>(block)) + " must be at least 1");
  require_data(who, "a", a);
  require_data(who, "b", b);
  require_data(who, "c", c);
  if (a.cols / block >> 32 != 0)
    refuse(who, "block = " + text_of(block) + " makes 2^32 blocks or more of the depth " + text_of(a.cols));
  require_apart(who, {extent_of("c", c)},
                {extent_of("a", a), extent_of("b", b), extent_of("bias", options.bias, c.cols)});
}

// An output of the shape of its inputs, each of which it may be.
template <class X>
void require_rows_like(const char* who, const char* out_name, const matrix<X>& out,
                       std::initializer_list<std::pair<const char*, matrix<const X>>> inputs) {
  for (const auto& [name, m] : inputs) require_same_shape(who, name, m, out_name, out);
  if (out.rows > 0 && out.cols == 0) refuse(who, std::string(out_name) + " has no columns");
  for (const auto& [name, m] : inputs) require_rows(who, name, m);
  require_rows(who, out_name, out);
  for (const auto& [name, m] : inputs)
    require_apart_or_same(who, extent_of(out_name, out), extent_of(name, m));
}

// Of scans of rows.
template <class X>
void require_scan(const char* who, const matrix<const X>& x, const matrix<X>& y) {
  require_default_environment(who);
  require_same_shape(who, "x", x, "y", y);
  require_rows(who, "x", x);
  require_rows(who, "y", y);
  require_apart_or_same(who, extent_of("y", y), extent_of("x", x));
}

// A reduction of n values.
inline void require_reduction(const char* who, reduction kind, std::size_t n) {
  require_enumerator(who, "kind", kind, reduction::logsumexp, "a reduction");
  if (n == 0 && (kind == reduction::minimum || kind == reduction::maximum))
    refuse(who, std::string("a ") + name(kind) + " of nothing");
}
// Of the rows or columns of x, n of them.
template <class X, class Y>
void require_reduced(const char* who, const matrix<const X>& x, const Y* out, std::size_t n) {
  require_rows(who, "x", x);
  require_apart(who, {require_array(who, "out", out, n)}, {extent_of("x", x)});
}

// Of layer_norm, and of rms_norm, which has neither bias nor mean.
template <class X, class T = wide_t<X>>
void require_norm(const char* who, const matrix<const X>& x, const X* weight, const X* bias,
                  const matrix<X>& y, const T* mean, const T* reciprocal) {
  require_rows_like(who, "y", y, {{"x", x}});
  const extent means = extent_of("mean", mean, x.rows),
               reciprocals = extent_of("reciprocal", reciprocal, x.rows);
  require_apart(who, {means, reciprocals}, {extent_of("x", x)});
  require_apart(who, {means, reciprocals, extent_of("y", y)},
                {extent_of("weight", weight, x.cols), extent_of("bias", bias, x.cols)});
}
// Of their gradients.
template <class X, class T = wide_t<X>>
void require_norm_backward(const char* who, const matrix<const X>& dy, const matrix<const X>& x,
                           const X* weight, const T* mean, const T* reciprocal, const matrix<X>& dx,
                           const X* dweight, const X* dbias) {
  require_rows_like(who, "dx", dx, {{"dy", dy}, {"x", x}});
  const extent weights = extent_of("dweight", dweight, x.cols), biases = extent_of("dbias", dbias, x.cols);
  require_apart(who, {weights, biases}, {extent_of("dy", dy), extent_of("x", x)});
  require_apart(who, {weights, biases, extent_of("dx", dx)},
                {extent_of("weight", weight, x.cols), extent_of("mean", mean, x.rows),
                 require_array(who, "reciprocal", reciprocal, x.rows)});
}

// Of contributions x, n x cols, to out, rows x cols, and of what else is written.
template <class T>
void require_scatter(const char* who, const T* out, std::size_t rows, std::size_t cols, const indices& ids,
                     const char* values, const T* x, std::size_t n, std::initializer_list<extent> more = {}) {
  const extent to = require_array(who, "out", out, rows, cols), by = require_array(who, "ids", ids, n),
               from = require_array(who, values, x, n, cols);
  require_apart(who, {to}, {by, from});
  require_apart(who, more, {to, by, from});
}
// Of counts of what n values say.
inline void require_counts(const char* who, const std::uint64_t* out, std::size_t bins, const extent& values,
                           std::initializer_list<extent> more = {}) {
  const extent to = require_array(who, "out", out, bins);
  require_apart(who, {to}, {values});
  require_apart(who, more, {to, values});
}
// RN(hi - lo) of a histogram.
template <class T>
double require_histogram(const char* who, const T* x, std::size_t n, T lo, T hi, const std::uint64_t* out,
                         std::size_t bins) {
  require_default_environment(who);
  const auto limits = [&] { return "lo = " + text_of(lo) + " and hi = " + text_of(hi); };
  const double width = real::sub(double{hi}, double{lo});
  if (!real::is_finite(lo) || !real::is_finite(hi) || !real::less(lo, hi))
    refuse(who, limits() + " must be finite, and lo less than hi");
  if (!real::is_finite(width)) refuse(who, limits() + " are too far apart");
  if (bins == 0 || bins > std::size_t{1} << 53)
    refuse(who, "bins = " + text_of(bins) + " is not in [1, 2^53]");
  require_counts(who, out, bins, require_array(who, "x", x, n));
  return width;
}
// Of bags of rows of a table: `out` and `values` are what there is for each bag and for each row, or the other way
// round.
inline void require_bags(const char* who, const extent& out, const extent& values, const indices& ids,
                         std::size_t n, const indices& offsets, std::size_t bags, bag_mode mode,
                         std::initializer_list<extent> more = {}) {
  require_enumerator(who, "mode", mode, bag_mode::mean, "a bag_mode");
  if (bags == 0 && n > 0) refuse(who, "there are n = " + text_of(n) + " ids but no bags");
  const extent by = require_array(who, "ids", ids, n), from = require_array(who, "offsets", offsets, bags);
  require_apart(who, {out}, {values, by, from});
  require_apart(who, more, {out, values, by, from});
}

// Of offsets that can be read.
inline segments_by_offsets require_offsets(const char* who, const indices& offsets, std::size_t count,
                                           std::size_t n) {
  for (std::size_t s = 0; s < count; ++s) {
    const auto complain = [&](const std::string& rule) {
      refuse(who, "offsets[" + text_of(s) + "] = " + text_of(offsets, s) + rule);
    };
    if (s == 0 && offsets[s] != 0) complain(" is not 0");
    if (s > 0 && (offsets.is_negative(s) || offsets[s] < offsets[s - 1]))
      complain(" is below offsets[" + text_of(s - 1) + "]");
    if (offsets[s] > n) complain(" is above n = " + text_of(n));
  }
  return {offsets, count, n};
}
// Of reductions of segments.
template <class X>
void require_segments(const char* who, reduction kind, const X* x, std::size_t n, const indices& offsets,
                      std::size_t count, const X* out, std::initializer_list<extent> more = {}) {
  require_reduction(who, kind, 1);
  if (count == 0 && n > 0) refuse(who, "there are n = " + text_of(n) + " elements but no segments");
  const extent to = require_array(who, "out", out, count), from = require_array(who, "x", x, n),
               by = require_array(who, "offsets", offsets, count);
  require_apart(who, {to}, {from, by});
  require_apart(who, more, {to, from, by});
}

// Of memory to work in on a device, apart from what else the call uses.
inline void require_scratch(const char* who, const void* scratch, std::size_t bytes, std::size_t needed,
                            std::size_t n) {
  if (needed == 0) return;
  if (scratch == nullptr) refuse(who, "scratch is null");
  if (bytes < needed)
    refuse(who,
           "bytes = " + text_of(bytes) + " of scratch, but n = " + text_of(n) + " needs " + text_of(needed));
  if (reinterpret_cast<std::uintptr_t>(scratch) % 8 != 0) refuse(who, "scratch must be aligned to 8 bytes");
}
inline extent extent_of_scratch(const void* scratch, std::size_t needed) {
  return extent_of("scratch", static_cast<const unsigned char*>(scratch), needed);
}
template <class T>
void require_pointer(const char* who, const char* name, const T* p) {
  if (p == nullptr) refuse(who, std::string(name) + " is null");
}

}  // namespace rivus::detail

#endif
