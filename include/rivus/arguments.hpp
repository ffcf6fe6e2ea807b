// arguments: the checks that the bulk calls of host and device share. Not for kernels.
#ifndef RIVUS_ARGUMENTS_HPP
#define RIVUS_ARGUMENTS_HPP

#include <charconv>
#include <rivus/matmul.hpp>
#include <rivus/runtime.hpp>
#include <stdexcept>
#include <string>

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

}  // namespace rivus::detail

#endif
