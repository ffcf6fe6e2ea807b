// shuffle: a random order, in place.
#ifndef RIVUS_SHUFFLE_HPP
#define RIVUS_SHUFFLE_HPP

#include <rivus/integer.hpp>
#if !defined(__CUDACC_RTC__)
#include <iterator>
#endif

namespace rivus {

// Puts [first, last) into a random order, every order equally likely: shuffle/v1.
//
// Shape: random-access iterators over movable elements (not std::vector<bool>'s, which are none). Step i,
// from the last element down to the second, swaps element i with element below(i + 1) of the stream's element
// i.
// Words consumed: those of below, from elements 1 .. n-1.
// Determinism: everywhere. Source: docs/spec.md, section 3; Fisher and Yates 1938, Durstenfeld 1964.
template <class Iterator>
RIVUS_HD constexpr void shuffle(Iterator first, Iterator last, stream s) {
  static_assert(std::is_lvalue_reference_v<decltype(first[0])>,
                "rivus::shuffle: the iterator must give references");
  using difference = decltype(last - first);
  for (difference i = (last - first) - 1; i > 0; --i) {
    const std::uint64_t k = static_cast<std::uint64_t>(i);
    const difference j = static_cast<difference>(below(s, k, k + 1));
    auto held = std::move(first[i]);
    first[i] = std::move(first[j]);
    first[j] = std::move(held);
  }
}

// The same of a range, which has begin and end or is an array. Not for kernels.
template <class R>
RIVUS_HOST constexpr void shuffle(R&& range, stream s) {
  shuffle(std::begin(range), std::end(range), s);
}

}  // namespace rivus

#endif
