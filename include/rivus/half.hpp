// f16, bf16: 16-bit reals to store values in. Arithmetic widens them to float and rounds once at the end.
#ifndef RIVUS_HALF_HPP
#define RIVUS_HALF_HPP

#include <rivus/real.hpp>

// CUDA's types, known by name alone.
struct __half;
struct __nv_bfloat16;

namespace rivus {

// IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits. Converts from and to CUDA's __half, bit by bit.
struct f16 {
  std::uint16_t bits;

  f16() = default;
  RIVUS_HD explicit constexpr f16(std::uint16_t b) noexcept : bits(b) {}
  template <class H, std::enable_if_t<std::is_same_v<H, ::__half>, int> = 0>
  RIVUS_HD f16(const H& h) noexcept {
    static_assert(sizeof h == sizeof bits);
    __builtin_memcpy(&bits, &h, sizeof bits);
  }
  template <class H, std::enable_if_t<std::is_same_v<H, ::__half>, int> = 0>
  RIVUS_HD operator H() const noexcept {
    H h;
    __builtin_memcpy(static_cast<void*>(&h), &bits, sizeof bits);
    return h;
  }
};

// The upper half of a float: 1 sign, 8 exponent, 7 fraction bits. Converts from and to CUDA's __nv_bfloat16.
struct bf16 {
  std::uint16_t bits;

  bf16() = default;
  RIVUS_HD explicit constexpr bf16(std::uint16_t b) noexcept : bits(b) {}
  template <class H, std::enable_if_t<std::is_same_v<H, ::__nv_bfloat16>, int> = 0>
  RIVUS_HD bf16(const H& h) noexcept {
    static_assert(sizeof h == sizeof bits);
    __builtin_memcpy(&bits, &h, sizeof bits);
  }
  template <class H, std::enable_if_t<std::is_same_v<H, ::__nv_bfloat16>, int> = 0>
  RIVUS_HD operator H() const noexcept {
    H h;
    __builtin_memcpy(static_cast<void*>(&h), &bits, sizeof bits);
    return h;
  }
};

namespace real {

// The float with that value; a NaN becomes the canonical one.
RIVUS_HD float widen(bf16 x) noexcept {
  return canonical(from_bits(static_cast<std::uint32_t>(x.bits) << 16));
}
RIVUS_HD float widen(f16 x) noexcept {
  const std::uint32_t magnitude = x.bits & 0x7fffu, sign = (x.bits & 0x8000u) << 16;
  // Below 2^-14 a multiple of 2^-24; infinity and NaN have all exponent bits; the rest has another bias.
  const std::uint32_t subnormal = to_bits(mul(to_real(magnitude), 0x1p-24f));
  const std::uint32_t normal = (magnitude << 13) + (112u << 23);
  const std::uint32_t other = magnitude > 0x7c00u ? format<float>::quiet_nan : format<float>::infinity;
  const std::uint32_t b = magnitude < 0x400u ? subnormal : magnitude < 0x7c00u ? normal : other;
  return from_bits(magnitude > 0x7c00u ? b : b | sign);
}
RIVUS_HD float widen(float x) noexcept { return x; }
RIVUS_HD double widen(double x) noexcept { return x; }

// The nearest value of H, of two equally near the even one; a NaN becomes the canonical one.
template <class H>
RIVUS_HD H narrow(decltype(widen(H{})) x) noexcept {
  if constexpr (std::is_same_v<H, bf16>) {
    const std::uint32_t b = to_bits(x);
    const std::uint32_t rounded = (b + 0x7fffu + (b >> 16 & 1)) >> 16;
    return bf16(static_cast<std::uint16_t>(is_nan(x) ? 0x7fc0u : rounded));
  } else if constexpr (std::is_same_v<H, f16>) {
    const std::uint32_t b = to_bits(x), magnitude = b & 0x7fffffffu, sign = b >> 16 & 0x8000u;
    // Below 2^-14 the addition rounds to a multiple of 2^-24, the unit of 1/2.
    const std::uint32_t subnormal =
        to_bits(add(from_bits(magnitude < 0x38800000u ? magnitude : 0u), 0.5f)) - to_bits(0.5f);
    const std::uint32_t normal = (magnitude + 0xfffu + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
    const std::uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;
    const std::uint32_t h = magnitude < 0x47800000u ? finite : 0x7c00u;
    return f16(static_cast<std::uint16_t>(is_nan(x) ? 0x7e00u : h | sign));
  } else {
    return x;
  }
}

}  // namespace real

// The type that values of X are computed in: float for float, f16 and bf16; double for double.
template <class X>
using wide_t = decltype(real::widen(X{}));

}  // namespace rivus

#endif
