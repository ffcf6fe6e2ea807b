// uniform: reals spread evenly over an interval whose ends are chosen by name.
#ifndef RIVUS_UNIFORM_HPP
#define RIVUS_UNIFORM_HPP

#include <rivus/bits.hpp>
#include <rivus/real.hpp>

namespace rivus {

// Which ends belong to the interval: c closed, o open, left and right.
enum class interval { co, oc, oo };

// Uniform on the unit interval of the given kind: (0, 1] for oc, (0, 1) for oo. See below for [a, b).
//
// Range: oc: the multiples of 2^-24 (float) or 2^-53 (double) from one step to 1; oo: the odd multiples below
// 1.
// Words consumed: one an element, two for double.
// Determinism: everywhere. Source: docs/spec.md, section 3.
template <class T, interval I = interval::co>
struct uniform {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "rivus::uniform: float or double");
  using value_type = T;
  using word = typename real::format<T>::word;
  static constexpr int words_per_step = 1;
  // Of an element, of 32 bits.
  RIVUS_HD static constexpr int words() noexcept { return sizeof(word) / 4; }

  template <class Fail>
  RIVUS_HOST void check(Fail&&) const {}
  RIVUS_HD constexpr bool is_standard() const noexcept { return true; }

  // The value that a word, or each of a vector of words, stands for.
  template <class W>
  RIVUS_HD static constexpr real::real_t<W> standard(W w) noexcept {
    const W top = w >> (real::format<T>::bits - real::format<T>::digits);
    using real::mul;
    using real::to_real;
    const W k = I == interval::oc ? top + W(word{1}) : top | W(word{1});
    return mul(to_real(k), real::real_t<W>(real::format<T>::step));
  }
  template <class F>
  RIVUS_HD F scaled(F u) const noexcept {
    return u;
  }
  RIVUS_HD constexpr T from_word(word w) const noexcept { return standard(w); }
  RIVUS_HD constexpr T operator()(stream s, index64 i) const noexcept { return detail::one(*this, s, i); }
  // The next element of a cursor.
  template <class Cursor>
  RIVUS_HD constexpr auto operator()(Cursor& c) const noexcept -> decltype(c.next(*this)) {
    return c.next(*this);
  }
  RIVUS_HD constexpr vec<T, 4> quad(stream s, index64 q) const noexcept { return detail::four(*this, s, q); }
};

// Uniform on [a, b); [0, 1) by default.
//
// Range: [a, b) exactly, b is never returned. On [0, 1): all multiples of 2^-24 (float) or 2^-53 (double).
// Needs a < b, and b - a finite.
// Words consumed: one an element, two for double.
// Errors: out of its domain fill throws std::invalid_argument, and the function gives NaN.
// Determinism: everywhere. Source: docs/spec.md, section 3.
template <class T>
struct uniform<T, interval::co> {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "rivus::uniform: float or double");
  using value_type = T;
  using word = typename real::format<T>::word;
  static constexpr int words_per_step = 1;
  // Of an element, of 32 bits.
  RIVUS_HD static constexpr int words() noexcept { return sizeof(word) / 4; }

  T a = 0;
  T b = 1;

  // Calls fail(parameter, value, rule) for the parameter that is outside its domain.
  template <class Fail>
  RIVUS_HOST void check(Fail&& fail) const {
    if (!real::is_finite(a)) return fail("a", a, "must be finite");
    if (!real::is_finite(b)) return fail("b", b, "must be finite");
    if (!real::less(a, b)) return fail("b", b, "must be greater than a");
    if (!real::is_finite(real::sub(b, a)))
      return fail("b", b, "must be close enough to a for b - a to be finite");
  }
  RIVUS_HD constexpr bool is_valid() const noexcept { return real::is_positive(real::sub(b, a)); }
  RIVUS_HD constexpr bool is_standard() const noexcept {
    return real::to_bits(a) == 0 && real::to_bits(b) == real::to_bits(T(1));
  }

  template <class W>
  RIVUS_HD static constexpr real::real_t<W> standard(W w) noexcept {
    using real::unit_fraction;
    return unit_fraction(w);
  }
  template <class F>
  RIVUS_HD F scaled(F u) const noexcept {
    using real::fma;
    using real::lesser;
    return lesser(F(real::next_below(b)), fma(F(real::sub(b, a)), u, F(a)));
  }
  RIVUS_HD constexpr T from_word(word w) const noexcept { return detail::finish(*this, standard(w)); }
  RIVUS_HD constexpr T operator()(stream s, index64 i) const noexcept { return detail::one(*this, s, i); }
  // The next element of a cursor.
  template <class Cursor>
  RIVUS_HD constexpr auto operator()(Cursor& c) const noexcept -> decltype(c.next(*this)) {
    return c.next(*this);
  }
  RIVUS_HD constexpr vec<T, 4> quad(stream s, index64 q) const noexcept { return detail::four(*this, s, q); }
};

}  // namespace rivus

#endif
