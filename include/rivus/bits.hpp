// bits: the words themselves.
#ifndef RIVUS_BITS_HPP
#define RIVUS_BITS_HPP

#include <rivus/real.hpp>
#include <rivus/stream.hpp>

namespace rivus {

// Element i's random bits as an integer of any type T, each value of which is equally likely.
//
// Range: every value of T: the word, or where T is narrower its leading bits. Words consumed: one 32-bit word an
// element, two for T of 64 bits.
// Determinism: everywhere. Source: docs/spec.md, section 2.
template <class T>
struct bits {
  static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8,
                "rivus::bits: an integer type of up to 64 bits");
  using value_type = T;
  using word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  static constexpr int words_per_step = 1;
  // Of an element, of 32 bits.
  RIVUS_HD static constexpr int words() noexcept { return sizeof(word) / 4; }

  // Calls fail(parameter, value, rule) for each parameter outside its domain.
  template <class Fail>
  RIVUS_HOST constexpr void check(Fail&&) const {}

  // Also of vectors of words, where T is one.
  template <class W>
  RIVUS_HD constexpr auto from_word(W w) const noexcept {
    if constexpr (std::is_same_v<T, word>) {
      return w;
    } else {
      return static_cast<T>(w >> (8 * (sizeof(word) - sizeof(T))));
    }
  }

  RIVUS_HD constexpr T operator()(stream s, index64 i) const noexcept {
    if constexpr (sizeof(T) == 8) {
      return from_word(s.bits64(i));
    } else {
      return from_word(s.bits32(i));
    }
  }

  // The next element of a cursor.
  template <class Cursor>
  RIVUS_HD constexpr auto operator()(Cursor& c) const noexcept -> decltype(c.next(*this)) {
    return c.next(*this);
  }

  // Elements 4q .. 4q+3.
  RIVUS_HD constexpr vec<T, 4> quad(stream s, index64 q) const noexcept {
    const vec<std::uint32_t, 4> p = s.block(sizeof(T) == 8 ? 2 * q : std::uint64_t{q});
    if constexpr (std::is_same_v<T, std::uint32_t>) {
      return p;
    } else if constexpr (sizeof(T) == 8) {
      const vec<std::uint32_t, 4> next = s.block(2 * q + 1);
      return {{from_word(stream::join(p[0], p[1])), from_word(stream::join(p[2], p[3])),
               from_word(stream::join(next[0], next[1])), from_word(stream::join(next[2], next[3]))}};
    } else {
      return {{from_word(p[0]), from_word(p[1]), from_word(p[2]), from_word(p[3])}};
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
RIVUS_HD constexpr typename D::value_type finish(const D& d, typename D::value_type standard) noexcept {
  if (d.is_standard()) return standard;
  return d.is_valid() ? d.scaled(standard) : real::quiet_nan<typename D::value_type>();
}

}  // namespace detail

}  // namespace rivus

#endif
