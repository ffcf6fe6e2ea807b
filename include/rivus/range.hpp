// range: what the bulk calls take of a contiguous range, such as a vector, an array, a span or an initializer list.
#ifndef RIVUS_RANGE_HPP
#define RIVUS_RANGE_HPP

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <rivus/refuse.hpp>
#include <string>
#include <type_traits>
#include <utility>

namespace rivus::detail {

template <class R>
using element_of = std::remove_cv_t<std::remove_pointer_t<decltype(std::data(std::declval<const R&>()))>>;

inline void require_same_size(const char* who, const char* a, std::size_t m, const char* b, std::size_t n) {
  if (m != n)
    refuse(who,
           std::string(a) + " has " + std::to_string(m) + " elements but " + b + " has " + std::to_string(n));
}

}  // namespace rivus::detail

#endif
