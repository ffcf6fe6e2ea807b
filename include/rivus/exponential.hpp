// exponential: waiting times of a given rate.
#ifndef RIVUS_EXPONENTIAL_HPP
#define RIVUS_EXPONENTIAL_HPP

#include <rivus/bits.hpp>
#include <rivus/real.hpp>

namespace rivus {

// Exponential with density rate * exp(-rate x), by inversion.
//
// Range: (0, 22.9) / rate for float, (0, 45.1) / rate for double; never 0, infinite or NaN at rate 1. Both
// tails are fine-grained. Error: at most 2 ulp at rate 1. Needs rate and the rounded 1/rate finite and
// positive.
// Words consumed: one an element, two for double.
// Errors: out of its domain fill throws std::invalid_argument, and the function gives NaN.
// Determinism: everywhere. Source: docs/spec.md, section 3.
template <class T>
struct exponential {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "rivus::exponential: float or double");
  using value_type = T;
  using word = typename real::format<T>::word;
  static constexpr int words_per_step = 1;
  // Of an element, of 32 bits.
  RIVUS_HD static constexpr int words() noexcept { return sizeof(word) / 4; }

  T rate = 1;

  template <class Fail>
  RIVUS_HOST void check(Fail&& fail) const {
    if (!real::is_positive(rate)) return fail("rate", rate, "must be finite and greater than 0");
    if (!real::is_finite(scale())) return fail("rate", rate, "must be large enough for 1/rate to be finite");
  }
  RIVUS_HD bool is_valid() const noexcept { return real::is_positive(rate) && real::is_positive(scale()); }
  RIVUS_HD bool is_standard() const noexcept { return real::to_bits(rate) == real::to_bits(T(1)); }
  RIVUS_HD T scale() const noexcept { return real::div(T(1), rate); }

  template <class W>
  RIVUS_HD static real::real_t<W> standard(W w) noexcept {
    return real::minus_log<1>(w);
  }
  template <class F>
  RIVUS_HD F scaled(F x) const noexcept {
    using real::fma;
    // An fma with +0 and not a product, which a caller's addition could absorb.
    return fma(x, F(scale()), F(T(0)));
  }
  RIVUS_HD T from_word(word w) const noexcept { return detail::finish(*this, standard(w)); }
  RIVUS_HD T operator()(stream s, index64 i) const noexcept { return detail::one(*this, s, i); }
  // The next element of a cursor.
  template <class Cursor>
  RIVUS_HD constexpr auto operator()(Cursor& c) const noexcept -> decltype(c.next(*this)) {
    return c.next(*this);
  }
  RIVUS_HD vec<T, 4> quad(stream s, index64 q) const noexcept { return detail::four(*this, s, q); }
};

}  // namespace rivus

#endif
