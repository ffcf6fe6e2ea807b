#include <algorithm>
#include <rivus/arguments.hpp>
#include <rivus/fill.hpp>
#include <tuple>

#include "kernels.hpp"
#include "parallel.hpp"

namespace rivus {
namespace {

// Below this many elements a second thread costs more than it brings.
constexpr std::size_t elements_per_thread = std::size_t{1} << 15;

// Narrow integers are made of those of 32 bits, some at a time.
constexpr std::size_t widened_together = 1024;
template <class I>
integer<std::int32_t> widened(const integer<I>& d) {
  return {d.lo, d.hi};
}
template <class I>
bits<std::uint32_t> widened(const bits<I>&) {
  return {};
}
template <class I>
I narrowed(const integer<I>&, std::int32_t value) {
  return static_cast<I>(value);
}
template <class I>
I narrowed(const bits<I>& d, std::uint32_t word) {
  return d.from_word(word);
}

}  // namespace

template <class D>
void detail::fill(typename D::value_type* out, std::size_t n, stream s, D d, std::uint64_t first,
                  const executor& on) {
  require_valid("rivus::fill", out, n, d, first);
  if constexpr (filled::contains<D>) {
    const auto kernel = active_kernels().fill<D>();
    parallel_ranges(n, elements_per_thread, on, [&](std::size_t begin, std::size_t end) {
      kernel(out + begin, end - begin, s, d, first + begin);
    });
  } else {
    const auto in_words = widened(d);
    using W = std::remove_const_t<decltype(in_words)>;
    const auto kernel = active_kernels().fill<W>();
    parallel_ranges(n, elements_per_thread, on, [&](std::size_t begin, std::size_t end) {
      typename W::value_type values[widened_together];
      for (std::size_t i = begin; i < end; i += widened_together) {
        const std::size_t m = std::min(end - i, widened_together);
        kernel(values, m, s, in_words, first + i);
        for (std::size_t j = 0; j < m; ++j) out[i + j] = narrowed(d, values[j]);
      }
    });
  }
}

// An instance of fill for each distribution of the lists.
template <class... D>
constexpr auto instances(detail::list<D...>) {
  return std::tuple{&detail::fill<D>...};
}
[[gnu::used]] constinit const auto fill_instances = instances(detail::filled{});
[[gnu::used]] constinit const auto narrow_instances = instances(detail::filled_narrow{});

}  // namespace rivus
