// integer: whole numbers below a bound, without bias and at random access.
#ifndef RIVUS_INTEGER_HPP
#define RIVUS_INTEGER_HPP

#include <rivus/bits.hpp>

namespace rivus {

namespace detail {

// Bounds up to this one take one 32-bit word an element, larger ones two.
inline constexpr std::uint64_t small_bound = std::uint64_t{1} << 20;

// W sets the width of the draw. bound is below 2^bits, and 0 stands for 2^bits.
template <class W>
RIVUS_HD constexpr W below(stream s, std::uint64_t i, W bound) noexcept {
  W word = bits<W>{}(s, i);
  if (bound == 0) return word;
  wide<W> m = mul_wide(word, bound);
  if (m.lo < bound) {
    // Only now pay for the division. Words are refused while m.lo < 2^bits mod bound: what is left falls
    // evenly on all values (Lemire 2019). Each refusal takes the same element of another stream.
    const W refused = static_cast<W>(W{0} - bound) % bound;
    for (std::uint32_t t = 1; t <= 128 && m.lo < refused; ++t) {
      word = bits<W>{}(s.redraw(t), i);
      m = mul_wide(word, bound);
    }
  }
  return m.hi;
}

}  // namespace detail

// Element i, uniform on [0, n), where n = 0 stands for 2^64.
//
// Every value has the same probability, but for a remainder below 2^-128.
// Words consumed: one an element for n <= 2^20, else two; more, from streams of their own, when refused.
// Determinism: everywhere. Source: docs/spec.md, section 3; Lemire 2019.
RIVUS_HD constexpr std::uint64_t below(stream s, index64 i, index64 n) noexcept {
  const std::uint64_t bound = n;
  if (bound - 1 < detail::small_bound) return detail::below(s, i, static_cast<std::uint32_t>(bound));
  return detail::below(s, i, bound);
}

// Uniform on the integers in [lo, hi), without bias. I is any integer type of up to 64 bits.
//
// Range: [lo, hi). Needs lo < hi. The whole range of a type is that of bits<I>.
// Words consumed: as below(hi - lo).
// Errors: out of its domain fill throws std::invalid_argument, and the function gives lo.
// Determinism: everywhere. Source: docs/spec.md, section 3.
template <class I>
struct integer {
  static_assert(std::is_integral_v<I> && !std::is_same_v<I, bool> && sizeof(I) <= 8,
                "rivus::integer: an integer type of up to 64 bits");
  using value_type = I;
  static constexpr int words_per_step = 1;

  I lo = 0;
  I hi = 0;

  template <class Fail>
  RIVUS_HOST constexpr void check(Fail&& fail) const {
    if (!(lo < hi)) return fail("hi", hi, "must be greater than lo");
  }

  // The number of values, hi - lo.
  RIVUS_HD constexpr std::uint64_t size() const noexcept {
    return static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo);
  }

  // Of an element, of 32 bits.
  RIVUS_HD constexpr int words() const noexcept { return size() - 1 < detail::small_bound ? 1 : 2; }

  RIVUS_HD constexpr I operator()(stream s, index64 i) const noexcept {
    if (!(lo < hi)) return lo;
    return static_cast<I>(static_cast<std::uint64_t>(lo) + below(s, i, size()));
  }

  // The next element of a cursor.
  template <class Cursor>
  RIVUS_HD constexpr auto operator()(Cursor& c) const noexcept -> decltype(c.next(*this)) {
    return c.next(*this);
  }

  // Elements 4q .. 4q+3.
  RIVUS_HD constexpr vec<I, 4> quad(stream s, index64 q) const noexcept {
    vec<I, 4> r{{lo, lo, lo, lo}};
    if (!(lo < hi)) return r;
    if (size() > detail::small_bound) {
      for (int j = 0; j < 4; ++j) r[j] = (*this)(s, 4 * q + static_cast<std::uint64_t>(j));
      return r;
    }
    const vec<std::uint32_t, 4> w = s.block(q);
    const auto n = static_cast<std::uint32_t>(size());
    for (int j = 0; j < 4; ++j) {
      const wide<std::uint32_t> m = mul_wide(w[j], n);
      const std::uint64_t value =
          m.lo < n ? below(s, 4 * q + static_cast<std::uint64_t>(j), n) : std::uint64_t{m.hi};
      r[j] = static_cast<I>(static_cast<std::uint64_t>(lo) + value);
    }
    return r;
  }
};

}  // namespace rivus

#endif
