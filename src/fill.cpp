#include <rivus/arguments.hpp>
#include <rivus/fill.hpp>
#include <tuple>

#include "kernels.hpp"
#include "parallel.hpp"

namespace rivus {
namespace {

// Below this many elements a second thread costs more than it brings.
constexpr std::size_t elements_per_thread = std::size_t{1} << 15;

}  // namespace

template <class D>
void detail::fill(typename D::value_type* out, std::size_t n, stream s, D d, std::uint64_t first,
                  const executor& on) {
  require_valid("rivus::fill", out, n, d, first);
  const auto kernel = active_kernels().fill<D>();
  parallel_ranges(n, elements_per_thread, on, [&](std::size_t begin, std::size_t end) {
    kernel(out + begin, end - begin, s, d, first + begin);
  });
}

// An instance of fill for each distribution of the list.
template <class... D>
constexpr auto instances(detail::list<D...>) {
  return std::tuple{&detail::fill<D>...};
}
[[gnu::used]] constinit const auto fill_instances = instances(detail::filled{});

}  // namespace rivus
