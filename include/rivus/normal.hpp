// normal: Gaussian values in pairs.
#ifndef RIVUS_NORMAL_HPP
#define RIVUS_NORMAL_HPP

#include <rivus/bits.hpp>
#include <rivus/real.hpp>

namespace rivus {

// Normal with a mean and a standard deviation, by the Box-Muller transform: elements 2p and 2p+1 are the sine
// and the cosine of one pair of words, in cuRAND's order.
//
// Range: within mean +- 6.77 stddev (float) or 9.50 stddev (double); never NaN, infinite or the pair (0, 0)
// at mean 0 and stddev 1. Error there: at most 2^-22 (float) or 2^-51 (double) of the pair's radius. Needs
// mean finite, stddev finite and not negative.
// Words consumed: one an element, two for double.
// Errors: out of its domain fill throws std::invalid_argument, and the function gives NaN.
// Determinism: everywhere. Source: docs/spec.md, section 3; Box and Muller 1958.
template <class T>
struct normal {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "rivus::normal: float or double");
  using value_type = T;
  using word = typename real::format<T>::word;
  static constexpr int words_per_step = 2;
  // Of an element, of 32 bits.
  RIVUS_HD static constexpr int words() noexcept { return sizeof(word) / 4; }

  T mean = 0;
  T stddev = 1;

  template <class Fail>
  RIVUS_HOST void check(Fail&& fail) const {
    if (!real::is_finite(mean)) return fail("mean", mean, "must be finite");
    if (!real::is_nonnegative(stddev)) return fail("stddev", stddev, "must be finite and not negative");
  }
  RIVUS_HD bool is_valid() const noexcept { return real::is_finite(mean) && real::is_nonnegative(stddev); }
  RIVUS_HD bool is_standard() const noexcept {
    return real::to_bits(mean) == 0 && real::to_bits(stddev) == real::to_bits(T(1));
  }

  // The pair that two words stand for, or pairs from two vectors of words.
  template <class W>
  RIVUS_HD static vec<real::real_t<W>, 2> standard(W radius, W angle) noexcept {
    using real::flip_sign;
    using real::mul;
    using real::sqrt_of_positive;
    using F = real::real_t<W>;
    const F r = sqrt_of_positive(real::minus_log<2>(radius));
    const real::signed_sin_cos<F, W> q = real::sin_cos_turn(angle);
#if defined(__CUDA_ARCH__)
    // There the signs are equal, and a product stays what it is.
    const F signed_r = flip_sign(r, q.sin_sign);
    return {{mul(signed_r, q.sin), mul(signed_r, q.cos)}};
#else
    // The signs last: no addition of the caller's may receive the product.
    return {{flip_sign(mul(r, q.sin), q.sin_sign), flip_sign(mul(r, q.cos), q.cos_sign)}};
#endif
  }
  template <class F>
  RIVUS_HD F scaled(F z) const noexcept {
    using real::fma;
    return fma(F(stddev), z, F(mean));
  }

  RIVUS_HD T operator()(stream s, index64 i) const noexcept {
    vec<T, 2> z;
    if constexpr (sizeof(T) == 4) {
      const vec<std::uint32_t, 4> w = s.block(i >> 2);
      z = (i & 2) ? standard(w[2], w[3]) : standard(w[0], w[1]);
    } else {
      const vec<std::uint32_t, 4> w = s.block(i >> 1);
      z = standard(stream::join(w[0], w[1]), stream::join(w[2], w[3]));
    }
    return detail::finish(*this, (i & 1) ? z[1] : z[0]);
  }

  // The next element of a cursor.
  template <class Cursor>
  RIVUS_HD constexpr auto operator()(Cursor& c) const noexcept -> decltype(c.next(*this)) {
    return c.next(*this);
  }

  // Elements 4q .. 4q+3.
  RIVUS_HD vec<T, 4> quad(stream s, index64 q) const noexcept {
    const vec<word, 4> w = bits<word>{}.quad(s, q);
    const vec<T, 2> a = standard(w[0], w[1]), b = standard(w[2], w[3]);
    return {{detail::finish(*this, a[0]), detail::finish(*this, a[1]), detail::finish(*this, b[0]),
             detail::finish(*this, b[1])}};
  }
};

}  // namespace rivus

#endif
