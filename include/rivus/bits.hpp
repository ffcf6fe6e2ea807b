// bits: the words themselves.
#ifndef RIVUS_BITS_HPP
#define RIVUS_BITS_HPP

#include <rivus/real.hpp>
#include <rivus/stream.hpp>

namespace rivus {

// Element i's random bits: T is std::uint32_t or std::uint64_t.
//
// Range: every value of T. Words consumed: one 32-bit word an element, two for std::uint64_t.
// Determinism: everywhere. Source: docs/spec.md, section 2.
template <class T>
struct bits {
  static_assert(std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::uint64_t>,
                "rivus::bits: std::uint32_t or std::uint64_t");
  using value_type = T;
  using word = T;
  static constexpr int words_per_step = 1;

  // Calls fail(parameter, value, rule) for each parameter outside its domain.
  template <class Fail>
  constexpr void check(Fail&&) const {}

  template <class W>
  RIVUS_HD constexpr W from_word(W w) const noexcept {
    return w;
  }

  RIVUS_HD constexpr T operator()(stream s, index64 i) const noexcept {
    if constexpr (sizeof(T) == 4) {
      return s.bits32(i);
    } else {
      return s.bits64(i);
    }
  }

  // Elements 4q .. 4q+3.
  RIVUS_HD constexpr vec<T, 4> quad(stream s, index64 q) const noexcept {
    if constexpr (sizeof(T) == 4) {
      return s.block(q);
    } else {
      const vec<std::uint32_t, 4> p = s.block(2 * q), next = s.block(2 * q + 1);
      return {{stream::join(p[0], p[1]), stream::join(p[2], p[3]), stream::join(next[0], next[1]),
               stream::join(next[2], next[3])}};
    }
  }
};

namespace detail {

// Element i, and elements 4q .. 4q+3, of a distribution that makes one value of one word.
template <class D>
RIVUS_HD constexpr typename D::value_type one(const D& d, stream s, std::uint64_t i) noexcept {
  return d.from_word(bits<typename D::word>{}(s, i));
}
template <class D>
RIVUS_HD constexpr vec<typename D::value_type, 4> four(const D& d, stream s, std::uint64_t q) noexcept {
  const vec<typename D::word, 4> w = bits<typename D::word>{}.quad(s, q);
  return {{d.from_word(w[0]), d.from_word(w[1]), d.from_word(w[2]), d.from_word(w[3])}};
}

// A real distribution is a standard value, scaled by its parameters; outside their domain it is NaN.
template <class D>
RIVUS_HD typename D::value_type finish(const D& d, typename D::value_type standard) noexcept {
  if (d.is_standard()) return standard;
  return d.is_valid() ? d.scaled(standard) : real::quiet_nan<typename D::value_type>();
}

}  // namespace detail

}  // namespace rivus

#endif
