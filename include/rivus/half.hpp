// f16, bf16: 16-bit reals to store values in. Arithmetic widens them to float and rounds once at the end.
#ifndef RIVUS_HALF_HPP
#define RIVUS_HALF_HPP

#include <rivus/real.hpp>

// CUDA's types, known by name alone.
struct __half;
struct __nv_bfloat16;

namespace rivus {

namespace detail {

// What 16-bit reals are made of: f16(1.5f), f16(2).
template <class N>
inline constexpr bool is_number_v = std::is_same_v<N, float> || std::is_same_v<N, double> ||
                                    (std::is_integral_v<N> && !std::is_same_v<N, bool> && sizeof(N) <= 8);

}  // namespace detail

// IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits. f16(x) rounds, float(h) is exact, and nothing else converts but
// CUDA's __half, from and to, bit by bit.
struct f16 {
  std::uint16_t bits;

  f16() = default;
  // The nearest value to a float, a double or an integer, of two equally near the even one; beyond the largest, infinity.
  template <class N, std::enable_if_t<detail::is_number_v<N>, int> = 0>
  RIVUS_HD explicit f16(N x) noexcept;
  RIVUS_HD explicit operator float() const noexcept;
  RIVUS_HD static constexpr f16 from_bits(std::uint16_t b) noexcept {
    f16 h{};
    h.bits = b;
    return h;
  }
  template <class R, std::enable_if_t<std::is_floating_point_v<R> || std::is_same_v<R, bool>, int> = 0>
  static f16 from_bits(R) = delete;
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

// The upper half of a float: 1 sign, 8 exponent, 7 fraction bits. Converts as f16 does, and from and to CUDA's __nv_bfloat16.
struct bf16 {
  std::uint16_t bits;

  bf16() = default;
  // The nearest value to a float, a double or an integer, of two equally near the even one; beyond the largest, infinity.
  template <class N, std::enable_if_t<detail::is_number_v<N>, int> = 0>
  RIVUS_HD explicit bf16(N x) noexcept;
  RIVUS_HD explicit operator float() const noexcept;
  RIVUS_HD static constexpr bf16 from_bits(std::uint16_t b) noexcept {
    bf16 h{};
    h.bits = b;
    return h;
  }
  template <class R, std::enable_if_t<std::is_floating_point_v<R> || std::is_same_v<R, bool>, int> = 0>
  static bf16 from_bits(R) = delete;
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
    return bf16::from_bits(static_cast<std::uint16_t>(is_nan(x) ? 0x7fc0u : rounded));
  } else if constexpr (std::is_same_v<H, f16>) {
    const std::uint32_t b = to_bits(x), magnitude = b & 0x7fffffffu, sign = b >> 16 & 0x8000u;
    // Below 2^-14 the addition rounds to a multiple of 2^-24, the unit of 1/2.
    const std::uint32_t subnormal =
        to_bits(add(from_bits(magnitude < 0x38800000u ? magnitude : 0u), 0.5f)) - to_bits(0.5f);
    const std::uint32_t normal = (magnitude + 0xfffu + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
    const std::uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;
    const std::uint32_t h = magnitude < 0x47800000u ? finite : 0x7c00u;
    return f16::from_bits(static_cast<std::uint16_t>(is_nan(x) ? 0x7e00u : h | sign));
  } else {
    return x;
  }
}

// A float between which and x no 16-bit value and no middle of two lies, so that rounding it rounds x, once: x cut off, and its
// last bit set where something was (round to odd; Boldo and Melquiond 2008).
RIVUS_HD float to_odd(float x) noexcept { return x; }
RIVUS_HD float to_odd(double x) noexcept {
  const std::uint64_t b = to_bits(x), magnitude = b & ~format<double>::sign;
  const auto sign = static_cast<std::uint32_t>(b >> 32) & format<float>::sign;
  if (magnitude > format<double>::infinity) return quiet_nan<float>();
  if (magnitude == format<double>::infinity) return from_bits(sign | format<float>::infinity);
  constexpr int dropped = 52 - 23;
  const int field = static_cast<int>(magnitude >> 52) - 1023 + 127;
  if (field >= 255) return from_bits(sign | (format<float>::infinity - 1));
  // A float with this field, or a subnormal one, of which fewer bits are left.
  const std::uint64_t fraction =
      field > 0 ? static_cast<std::uint64_t>(field) << 52 | (magnitude & 0xFFFFFFFFFFFFFu)
                : (magnitude & 0xFFFFFFFFFFFFFu) | std::uint64_t{1} << 52;
  const int shift = field > 0 ? dropped : dropped + 1 - field;
  const std::uint64_t kept = shift < 64 ? fraction >> shift : 0;
  const bool some = shift < 64 ? kept << shift != fraction : true;
  return from_bits(sign | static_cast<std::uint32_t>(kept | (magnitude != 0 && some)));
}
template <class I, std::enable_if_t<std::is_integral_v<I>, int> = 0>
RIVUS_HD float to_odd(I x) noexcept {
  const bool negative = x < 0;
  std::uint64_t magnitude = static_cast<std::uint64_t>(x);
  if (negative) magnitude = 0 - magnitude;
  // Likewise to odd, where a double does not hold it.
  const bool large = magnitude >> 53 != 0;
  if (large) magnitude = magnitude >> 11 | ((magnitude & 0x7FF) != 0);
  const double rounded = mul(static_cast<double>(static_cast<std::int64_t>(magnitude)), large ? 2048.0 : 1.0);
  return to_odd(negative ? neg(rounded) : rounded);
}

// The nearest float.
RIVUS_HD float nearest_float(double x) noexcept {
#if defined(__CUDA_ARCH__)
  float f;
  asm("cvt.rn.f32.f64 %0, %1;" : "=f"(f) : "d"(x));
  return canonical(f);
#else
  return canonical(static_cast<float>(x));
#endif
}

}  // namespace real

template <class N, std::enable_if_t<detail::is_number_v<N>, int>>
RIVUS_HD f16::f16(N x) noexcept : bits(real::narrow<f16>(real::to_odd(x)).bits) {}
template <class N, std::enable_if_t<detail::is_number_v<N>, int>>
RIVUS_HD bf16::bf16(N x) noexcept : bits(real::narrow<bf16>(real::to_odd(x)).bits) {}
RIVUS_HD f16::operator float() const noexcept { return real::widen(*this); }
RIVUS_HD bf16::operator float() const noexcept { return real::widen(*this); }

// The type that values of X are computed in: float for float, f16 and bf16; double for double.
template <class X>
using wide_t = decltype(real::widen(X{}));

namespace detail {

template <bool Supported, class R>
struct result_for_reals {
  static_assert(Supported, "rivus: the elements must be float, double, rivus::f16 or rivus::bf16");
  using type = R;
};
template <bool Supported, class R>
struct result_for_floats {
  static_assert(Supported, "rivus: the elements must be float or double");
  using type = R;
};
template <class T, class... U>
inline constexpr bool is_one_of = (std::is_same_v<T, U> || ...);

// R, the result of a function of elements T that the library has for these types alone: of others the compiler shall
// say so, not the linker.
template <class T, class R = void>
using for_reals = typename result_for_reals<is_one_of<T, float, double, f16, bf16>, R>::type;
template <class T, class R = void>
using for_floats = typename result_for_floats<is_one_of<T, float, double>, R>::type;

}  // namespace detail
}  // namespace rivus

#endif
