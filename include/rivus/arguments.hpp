// arguments: the checks that the bulk calls of host and device share. Not for kernels.
#ifndef RIVUS_ARGUMENTS_HPP
#define RIVUS_ARGUMENTS_HPP

#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <rivus/matmul.hpp>
#include <rivus/runtime.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace rivus::detail {

template <class T>
std::string text_of(T value) {
  char digits[64];
  return std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse(const char* who, const std::string& what) {
  throw std::invalid_argument(who + (": " + what));
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
  if (n > 0 && out == nullptr) refuse(who, "out is null but n = " + text_of(n));
  if (n > 0 && first > ~std::uint64_t{0} - (n - 1)) {
    refuse(who,
           "first = " + text_of(first) + " and n = " + text_of(n) + " go beyond the last element, 2^64 - 1");
  }
}

// Of a matrix product, c = a b.
template <class T>
void require_valid(const char* who, matrix<const T> a, matrix<const T> b, matrix<T> c) {
  require_default_environment(who);
  const auto shape = [](const char* name, const auto& m) {
    return std::string(name) + " is " + text_of(m.rows) + " x " + text_of(m.cols);
  };
  if (a.cols != b.rows || a.rows != c.rows || b.cols != c.cols)
    refuse(who, "shapes do not fit: " + shape("a", a) + ", " + shape("b", b) + ", " + shape("c", c));
  const auto require_data = [&](const char* name, const auto& m) {
    if (m.data == nullptr && m.rows != 0 && m.cols != 0)
      refuse(who, shape(name, m) + " but its data is null");
  };
  require_data("a", a);
  require_data("b", b);
  require_data("c", c);
}

// What an array or the rows of a matrix cover.
struct extent {
  const char* name;
  std::uintptr_t begin, end;
  std::ptrdiff_t stride;
};
template <class X>
extent extent_of(const char* name, const X* data, std::size_t n) {
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  return {name, at, at + n * sizeof(X), 0};
}
template <class X>
extent extent_of(const char* name, matrix<X> m) {
  if (m.rows == 0 || m.cols == 0) return {name, 0, 0, 0};
  const X *first = m.data, *last = m.address(m.rows - 1, 0);
  if (last < first) std::swap(first, last);
  return {name, reinterpret_cast<std::uintptr_t>(first), reinterpret_cast<std::uintptr_t>(last + m.cols),
          m.rows > 1 ? m.row_stride : 0};
}
inline void require_apart(const char* who, const extent& out, const extent& in) {
  if (out.begin < in.end && in.begin < out.end) refuse(who, std::string(out.name) + " overlaps " + in.name);
}
inline void require_apart_or_same(const char* who, const extent& out, const extent& in) {
  if (out.begin != in.begin || out.end != in.end || out.stride != in.stride) require_apart(who, out, in);
}

// A matrix whose rows are whole; those of an output lie apart.
template <class X>
void require_rows(const char* who, const char* name, matrix<X> m) {
  const auto shape = [&] { return std::string(name) + " is " + text_of(m.rows) + " x " + text_of(m.cols); };
  if (m.rows == 0 || m.cols == 0) return;
  if (m.data == nullptr) refuse(who, shape() + " but its data is null");
  if (m.col_stride != 1 && m.cols > 1)
    refuse(who, std::string(name) + " has col_stride = " + text_of(m.col_stride) + " and must have 1");
  const std::size_t apart = static_cast<std::size_t>(m.row_stride < 0 ? -m.row_stride : m.row_stride);
  if (!std::is_const_v<X> && m.rows > 1 && apart < m.cols)
    refuse(who, shape() + " but row_stride = " + text_of(m.row_stride) + " makes its rows overlap");
}
template <class X, class Y>
void require_same_shape(const char* who, const char* a, matrix<X> x, const char* b, matrix<Y> y) {
  if (x.rows != y.rows || x.cols != y.cols)
    refuse(who, "shapes do not fit: " + (a + (" is " + text_of(x.rows))) + " x " + text_of(x.cols) + ", " +
                    b + " is " + text_of(y.rows) + " x " + text_of(y.cols));
}
// An output of the shape of its inputs, each of which it may be.
template <class X>
void require_rows_like(const char* who, const char* out_name, matrix<X> out,
                       std::initializer_list<std::pair<const char*, matrix<const X>>> inputs) {
  for (const auto& [name, m] : inputs) require_same_shape(who, name, m, out_name, out);
  if (out.rows > 0 && out.cols == 0) refuse(who, std::string(out_name) + " has no columns");
  for (const auto& [name, m] : inputs) require_rows(who, name, m);
  require_rows(who, out_name, out);
  for (const auto& [name, m] : inputs)
    require_apart_or_same(who, extent_of(out_name, out), extent_of(name, m));
}
// Results of n values beside the inputs they are made of, which must stay whole.
template <class X>
void require_apart_from(const char* who, const char* name, const X* out, std::size_t n,
                        std::initializer_list<extent> inputs) {
  for (const extent& in : inputs) require_apart(who, extent_of(name, out, out == nullptr ? 0 : n), in);
}

}  // namespace rivus::detail

#endif
