#include <rivus/fill.hpp>

#include <charconv>
#include <stdexcept>
#include <string>

#include "environment.hpp"
#include "kernels.hpp"
#include "parallel.hpp"

namespace rivus {
namespace {

// Below this many elements a second thread costs more than it brings.
constexpr std::size_t elements_per_thread = std::size_t{1} << 15;

template <class T>
std::string text(T value) {
  char digits[64];
  return std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

template <class D>
void require_valid(const typename D::value_type* out, std::size_t n, D d, std::uint64_t first) {
  // First, as comparisons of parameters obey the modes too.
  require_default_environment("rivus::fill");
  d.check([](const char* parameter, auto value, const char* rule) {
    throw std::invalid_argument("rivus::fill: " + std::string(parameter) + " = " + text(value) + " " + rule);
  });
  if (n > 0 && out == nullptr) throw std::invalid_argument("rivus::fill: out is null but n = " + text(n));
  if (n > 0 && first > ~std::uint64_t{0} - (n - 1)) {
    throw std::invalid_argument("rivus::fill: first = " + text(first) + " and n = " + text(n) +
                                " go beyond the last element, 2^64 - 1");
  }
}

}  // namespace

template <class D>
void detail::fill(typename D::value_type* out, std::size_t n, stream s, D d, std::uint64_t first) {
  require_valid<D>(out, n, d, first);
  const auto kernel = active_kernels().fill<D>();
  parallel_ranges(n, elements_per_thread, [&](std::size_t begin, std::size_t end) {
    kernel(out + begin, end - begin, s, d, first + begin);
  });
}

// An instance of fill for each distribution of the list.
template <class... D>
constexpr host_fills instances(detail::list<D...>) {
  return {fill_kernel<D>{&detail::fill<D>}...};
}
[[gnu::used]] constinit const host_fills fill_instances = instances(detail::filled{});

}  // namespace rivus
