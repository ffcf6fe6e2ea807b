// bernoulli: events of a given probability.
#ifndef RIVUS_BERNOULLI_HPP
#define RIVUS_BERNOULLI_HPP

#include <rivus/bits.hpp>

namespace rivus {

// True with probability p exactly: where U < p, U uniform on [0, 1) with as many digits as the comparison needs.
// p = 1 is always true and p = 0 never.
//
// Range: 0 or 1, stored by fill as std::uint8_t. Needs p in [0, 1].
// Words consumed: one an element; more, from streams of their own, where that equals the first 32 bits of p.
// Errors: out of its domain fill throws std::invalid_argument; the function takes p < 0 and NaN for 0, p > 1
// for 1.
// Determinism: everywhere. Source: docs/spec.md, section 3.
struct bernoulli {
  using value_type = std::uint8_t;
  using word = std::uint32_t;
  static constexpr int words_per_step = 1;
  // Of an element, of 32 bits.
  RIVUS_HD static constexpr int words() noexcept { return sizeof(word) / 4; }

  double p = 0.5;

  template <class Fail>
  RIVUS_HOST constexpr void check(Fail&& fail) const {
    if (!(p >= 0 && p <= 1)) return fail("p", p, "must lie in [0, 1]");
  }

  // Whether all elements are equal, whatever their words: true for p >= 1, else false.
  RIVUS_HD constexpr bool is_certain() const noexcept { return !(p > 0 && p < 1); }

  // Digit t = 0, 1, ... of p in base 2^32, 0 < p < 1.
  RIVUS_HD constexpr word digit(int t) const noexcept {
    const int right = places() - 32 * (t + 1);
    if (right >= 64 || right <= -32) return 0;
    return static_cast<word>(right >= 0 ? significand() >> right : significand() << -right);
  }

  // Element i, whose word is w. The t-th further digit of U comes from the stream's redraw t.
  RIVUS_HD constexpr bool from_word(stream s, std::uint64_t i, word w) const noexcept {
    if (is_certain()) return p >= 1;
    word d = digit(0);
    for (int t = 1; w == d && places() > 32 * t; ++t) {
      w = s.redraw(static_cast<std::uint32_t>(t)).bits32(i);
      d = digit(t);
    }
    return w < d;
  }

  RIVUS_HD constexpr bool operator()(stream s, index64 i) const noexcept {
    return from_word(s, i, s.bits32(i));
  }

  // The next element of a cursor.
  template <class Cursor>
  RIVUS_HD constexpr auto operator()(Cursor& c) const noexcept -> decltype(c.next(*this)) {
    return c.next(*this);
  }

  // Elements 4q .. 4q+3.
  RIVUS_HD constexpr vec<value_type, 4> quad(stream s, index64 q) const noexcept {
    if (is_certain()) return {{p >= 1, p >= 1, p >= 1, p >= 1}};
    const vec<word, 4> w = s.block(q);
    const word d = digit(0);
    if (w[0] == d || w[1] == d || w[2] == d || w[3] == d) {
      // One by one, so that the rare steps are in the program once.
      std::uint32_t bytes = 0;
      for (std::uint64_t j = 4; j-- > 0;) bytes = bytes << 8 | (*this)(s, 4 * q + j);
      return {{static_cast<value_type>(bytes), static_cast<value_type>(bytes >> 8),
               static_cast<value_type>(bytes >> 16), static_cast<value_type>(bytes >> 24)}};
    }
    return {{w[0] < d, w[1] < d, w[2] < d, w[3] < d}};
  }

 private:
  // 0 < p < 1 is significand() * 2^-places(), 53 <= places() <= 1074.
  RIVUS_HD constexpr std::uint64_t bits() const noexcept { return __builtin_bit_cast(std::uint64_t, p); }
  RIVUS_HD constexpr bool is_normal() const noexcept { return bits() >> 52 != 0; }
  RIVUS_HD constexpr std::uint64_t significand() const noexcept {
    return is_normal() ? (bits() & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1} << 52 : bits();
  }
  RIVUS_HD constexpr int places() const noexcept {
    return is_normal() ? 1075 - static_cast<int>(bits() >> 52) : 1074;
  }
};

}  // namespace rivus

#endif
