// bernoulli: events of a given probability.
#ifndef RIVUS_BERNOULLI_HPP
#define RIVUS_BERNOULLI_HPP

#include <rivus/bits.hpp>

namespace rivus {

// True with probability p, which is rounded to a multiple of 2^-32; p = 1 is always true and p = 0 never.
//
// Range: 0 or 1, stored by fill as std::uint8_t. Needs p in [0, 1].
// Words consumed: one an element.
// Errors: out of its domain fill throws std::invalid_argument; the function takes p < 0 and NaN for 0, p > 1
// for 1.
// Determinism: everywhere. Source: docs/spec.md, section 3.
struct bernoulli {
  using value_type = std::uint8_t;
  using word = std::uint32_t;
  static constexpr int words_per_step = 1;

  double p = 0.5;

  template <class Fail>
  constexpr void check(Fail&& fail) const {
    if (!(p >= 0 && p <= 1)) return fail("p", p, "must lie in [0, 1]");
  }

  // How many of the 2^32 words are true: p * 2^32 to the nearest integer, halves up.
  RIVUS_HD constexpr std::uint64_t threshold() const noexcept {
    if (!(p > 0)) return 0;
    if (p >= 1) return std::uint64_t{1} << 32;
    // The product is exact, so that no rounding comes before that to the nearest integer.
#if defined(__CUDA_ARCH__)
    if (!__builtin_is_constant_evaluated()) return nearest_half(real::mul(p, 0x1p33));
#endif
    return nearest_half(p * 0x1p33);
  }

  RIVUS_HD constexpr bool from_word(word w) const noexcept { return w < threshold(); }
  RIVUS_HD constexpr bool operator()(stream s, index64 i) const noexcept {
    return from_word(s.bits32(i));
  }
  RIVUS_HD constexpr vec<value_type, 4> quad(stream s, index64 q) const noexcept {
    return detail::four(*this, s, q);
  }

 private:
  // x / 2 to the nearest integer, halves up.
  RIVUS_HD static constexpr std::uint64_t nearest_half(double x) noexcept {
    return (static_cast<std::uint64_t>(x) + 1) >> 1;
  }
};

}  // namespace rivus

#endif
