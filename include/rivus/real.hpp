// The one home of float arithmetic: named operations that no compiler flag can change, and the functions
// built from them. Everything is written over a real type F, which is float or double here and a vector of
// them (a lane type) in src/, and over the word type W of the same width.
//
// Rules (docs/spec.md, section 5): a product that feeds a sum is an fma; no libm; on the device inline PTX,
// because --use_fast_math turns operators and even __fmaf_rn into forms that flush subnormals.
#ifndef RIVUS_REAL_HPP
#define RIVUS_REAL_HPP

#include <rivus/config.hpp>

namespace rivus::real {

// Bits.
RIVUS_HD constexpr std::uint32_t to_bits(float x) noexcept { return __builtin_bit_cast(std::uint32_t, x); }
RIVUS_HD constexpr std::uint64_t to_bits(double x) noexcept { return __builtin_bit_cast(std::uint64_t, x); }
RIVUS_HD constexpr float from_bits(std::uint32_t b) noexcept { return __builtin_bit_cast(float, b); }
RIVUS_HD constexpr double from_bits(std::uint64_t b) noexcept { return __builtin_bit_cast(double, b); }

// The format of a real type: its word, and the constants that its algorithms need.
template <class T>
struct format;
template <>
struct format<float> {
  using word = std::uint32_t;
  static constexpr int bits = 32;
  static constexpr int fraction_bits = 23;
  static constexpr int digits = 24;
  static constexpr word sign = 0x80000000u;
  static constexpr word infinity = 0x7f800000u;
  static constexpr word quiet_nan = 0x7fc00000u;
  static constexpr float step = 0x1p-24f;       // of uniforms
  static constexpr float word_ulp = 0x1p-32f;   // one step of a word taken as a fraction
  static constexpr float word_half = 0x1p-33f;  // half of it
  static constexpr float exponent_unit = 0x1p-23f;
};
template <>
struct format<double> {
  using word = std::uint64_t;
  static constexpr int bits = 64;
  static constexpr int fraction_bits = 52;
  static constexpr int digits = 53;
  static constexpr word sign = 0x8000000000000000u;
  static constexpr word infinity = 0x7ff0000000000000u;
  static constexpr word quiet_nan = 0x7ff8000000000000u;
  static constexpr double step = 0x1p-53;
  static constexpr double word_ulp = 0x1p-64;
  static constexpr double word_half = 0x1p-65;
  static constexpr double exponent_unit = 1.0;
};

template <class T>
RIVUS_HD constexpr T quiet_nan() noexcept {
  return from_bits(format<T>::quiet_nan);
}
template <class T>
RIVUS_HD constexpr bool is_nan(T x) noexcept {
  return (to_bits(x) & ~format<T>::sign) > format<T>::infinity;
}
template <class T>
RIVUS_HD constexpr bool is_finite(T x) noexcept {
  // Not by a mask, in which compilers see |x| and may flush it.
  return to_bits(x) << 1 < format<T>::infinity << 1;
}
// Greater than zero, or equal to it (either zero), and finite.
template <class T>
RIVUS_HD constexpr bool is_nonnegative(T x) noexcept {
  return to_bits(x) < format<T>::infinity || to_bits(x) == format<T>::sign;
}
template <class T>
RIVUS_HD constexpr bool is_positive(T x) noexcept {
  return to_bits(x) - 1 < format<T>::infinity - 1;
}
template <class T>
RIVUS_HD constexpr T canonical(T x) noexcept {
  return is_nan(x) ? quiet_nan<T>() : x;
}
// The largest value below x, x finite.
template <class T>
RIVUS_HD T next_below(T x) noexcept {
  using word = typename format<T>::word;
  const word b = to_bits(x);
  if ((b & ~format<T>::sign) == 0) return from_bits(static_cast<word>(format<T>::sign | 1));
  return from_bits(static_cast<word>(b & format<T>::sign ? b + 1 : b - 1));
}

// Operations that round once, to nearest even, under any flags.
#if defined(__CUDA_ARCH__)
// In a constant expression, where C++20 allows an asm beside it, the operator.
#if __cplusplus >= 202002L
#define RIVUS_PTX_CONSTEXPR(value) \
  if (__builtin_is_constant_evaluated()) return value;
#define RIVUS_PTX_BINARY RIVUS_HD constexpr
#else
#define RIVUS_PTX_CONSTEXPR(value)
#define RIVUS_PTX_BINARY RIVUS_HD
#endif
#define RIVUS_PTX_OPERATION(T, letter, type, name, op)                            \
  RIVUS_PTX_BINARY T name(T a, T b) noexcept {                                    \
    RIVUS_PTX_CONSTEXPR(a op b)                                                   \
    T r;                                                                          \
    asm(#name ".rn." type " %0, %1, %2;" : "=" letter(r) : letter(a), letter(b)); \
    return r;                                                                     \
  }
#define RIVUS_PTX_OPERATIONS(T, letter, type)                                                 \
  RIVUS_PTX_OPERATION(T, letter, type, add, +)                                                \
  RIVUS_PTX_OPERATION(T, letter, type, sub, -)                                                \
  RIVUS_PTX_OPERATION(T, letter, type, mul, *)                                                \
  RIVUS_PTX_OPERATION(T, letter, type, div, /)                                                \
  RIVUS_HD T sqrt(T a) noexcept {                                                             \
    T r;                                                                                      \
    asm("sqrt.rn." type " %0, %1;" : "=" letter(r) : letter(a));                              \
    return r;                                                                                 \
  }                                                                                           \
  RIVUS_HD T fma(T a, T b, T c) noexcept {                                                    \
    T r;                                                                                      \
    asm("fma.rn." type " %0, %1, %2, %3;" : "=" letter(r) : letter(a), letter(b), letter(c)); \
    return r;                                                                                 \
  }                                                                                           \
  RIVUS_HD bool less(T a, T b) noexcept {                                                     \
    unsigned r;                                                                               \
    asm("{ .reg .pred p; setp.lt." type " p, %1, %2; selp.u32 %0, 1, 0, p; }"                 \
        : "=r"(r)                                                                             \
        : letter(a), letter(b));                                                              \
    return r != 0;                                                                            \
  }
RIVUS_PTX_OPERATIONS(float, "f", "f32")
RIVUS_PTX_OPERATIONS(double, "d", "f64")
#undef RIVUS_PTX_OPERATION
#undef RIVUS_PTX_BINARY
#undef RIVUS_PTX_CONSTEXPR
#undef RIVUS_PTX_OPERATIONS
#else
template <class T>
RIVUS_HD constexpr T add(T a, T b) noexcept {
  return a + b;
}
template <class T>
RIVUS_HD constexpr T sub(T a, T b) noexcept {
  return a - b;
}
template <class T>
RIVUS_HD constexpr T mul(T a, T b) noexcept {
  return a * b;
}
template <class T>
RIVUS_HD constexpr T div(T a, T b) noexcept {
  return a / b;
}
RIVUS_HD float sqrt(float a) noexcept { return __builtin_sqrtf(a); }
RIVUS_HD double sqrt(double a) noexcept { return __builtin_sqrt(a); }
RIVUS_HD float fma(float a, float b, float c) noexcept { return __builtin_fmaf(a, b, c); }
RIVUS_HD double fma(double a, double b, double c) noexcept { return __builtin_fma(a, b, c); }
RIVUS_HD bool less(float a, float b) noexcept { return a < b; }
RIVUS_HD bool less(double a, double b) noexcept { return a < b; }
#endif
// By its bits, as a negation that flushes subnormals is still a change; the device compiler sees through that.
RIVUS_HD float neg(float a) noexcept {
#if defined(__CUDA_ARCH__)
  float r;
  asm("neg.f32 %0, %1;" : "=f"(r) : "f"(a));
  return r;
#else
  return from_bits(to_bits(a) ^ format<float>::sign);
#endif
}
RIVUS_HD double neg(double a) noexcept { return from_bits(to_bits(a) ^ format<double>::sign); }
// The root of x, rounded to nearest even, from y within 6 ulp of 1 / sqrt(x): Goldschmidt's iteration and one
// correction. x must be far from the subnormals. That the result does not depend on y has been tried for every x
// in [1, 4), of which the others are multiples by powers of four (tests/test_real.cpp).
RIVUS_HD float sqrt_from_estimate(float x, float y) noexcept {
  float g = mul(x, y), h = mul(y, 0.5f);
  const float r = fma(neg(g), h, 0.5f);
  g = fma(g, r, g);
  h = fma(h, r, h);
  return fma(fma(neg(g), g, x), h, g);
}
// The root of x > 0, far from the subnormals: on the device without the branches that sqrt needs for others.
template <class F>
RIVUS_HD F sqrt_of_positive(F x) noexcept {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<F, float>) {
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return sqrt_from_estimate(x, y);
  }
#endif
  return sqrt(x);
}
RIVUS_HD float absolute(float a) noexcept {
#if defined(__CUDA_ARCH__)
  float r;
  asm("abs.f32 %0, %1;" : "=f"(r) : "f"(a));
  return r;
#else
  return from_bits(to_bits(a) & ~format<float>::sign);
#endif
}
RIVUS_HD double absolute(double a) noexcept { return from_bits(to_bits(a) & ~format<double>::sign); }
RIVUS_HD float canonical_nan(float x) noexcept { return canonical(x); }
RIVUS_HD double canonical_nan(double x) noexcept { return canonical(x); }

// The word as a signed integer, rounded to a real.
RIVUS_HD constexpr float to_real(std::uint32_t w) noexcept {
  return static_cast<float>(static_cast<std::int32_t>(w));
}
RIVUS_HD constexpr double to_real(std::uint64_t w) noexcept {
  return static_cast<double>(static_cast<std::int64_t>(w));
}

// Masks, and choices by them.
RIVUS_HD bool top_bit(std::uint32_t w) noexcept { return static_cast<std::int32_t>(w) < 0; }
RIVUS_HD bool top_bit(std::uint64_t w) noexcept { return static_cast<std::int64_t>(w) < 0; }
RIVUS_HD bool top_two_bits(std::uint32_t w) noexcept { return w >= 0xC0000000u; }
RIVUS_HD bool top_two_bits(std::uint64_t w) noexcept { return w >= 0xC000000000000000u; }
RIVUS_HD bool second_bit(std::uint32_t w) noexcept {
#if defined(__CUDA_ARCH__)
  // One instruction; of the expression below nvcc makes three.
  unsigned r;
  asm("{ .reg .pred p; .reg .b32 t; and.b32 t, %1, 0x40000000; setp.ne.u32 p, t, 0; selp.u32 %0, 1, 0, p; }"
      : "=r"(r)
      : "r"(w));
  return r != 0;
#else
  return (w & 0x40000000u) != 0;
#endif
}
RIVUS_HD bool second_bit(std::uint64_t w) noexcept { return (w & 0x4000000000000000u) != 0; }
RIVUS_HD float select(bool m, float a, float b) noexcept { return m ? a : b; }
RIVUS_HD double select(bool m, double a, double b) noexcept { return m ? a : b; }
// a + b where m, else a.
RIVUS_HD float add_where(bool m, float a, float b) noexcept { return m ? add(a, b) : a; }
RIVUS_HD double add_where(bool m, double a, double b) noexcept { return m ? add(a, b) : a; }
// a < b ? a : b; of equal zeros, b.
RIVUS_HD float lesser(float a, float b) noexcept { return less(a, b) ? a : b; }
RIVUS_HD double lesser(double a, double b) noexcept { return less(a, b) ? a : b; }
// f, plus one turn of `turn` where f < 0, which is where w's top bit is set.
template <class F, class W>
RIVUS_HD F wrap(F f, W w, F turn) noexcept {
  return add_where(top_bit(w), f, turn);
}
#if defined(__CUDA_ARCH__)
// The bits of a negative f are the greater ones.
RIVUS_HD float wrap(float f, std::uint32_t, float turn) noexcept {
  const std::uint32_t a = to_bits(f), b = to_bits(add(f, turn));
  return from_bits(a < b ? a : b);
}
#endif
// x, negated where the top bit of w is set.
RIVUS_HD float flip_sign(float x, std::uint32_t w) noexcept {
  return from_bits(to_bits(x) ^ (w & format<float>::sign));
}
RIVUS_HD double flip_sign(double x, std::uint64_t w) noexcept {
  return from_bits(to_bits(x) ^ (w & format<double>::sign));
}

// u = Scale * m * 2^e with m in [3/4, 3/2): t = Scale * (m - 1), exactly; returns e / exponent_unit.
template <int Scale>
RIVUS_HD float split_exponent(float u, float& t) noexcept {
  const std::uint32_t b = to_bits(u);
  const std::uint32_t k = (b - (Scale == 1 ? 0x3f400000u : 0x3fc00000u)) & 0xff800000u;
  t = sub(from_bits(b - k), static_cast<float>(Scale));
  return to_real(k);
}
template <int Scale>
RIVUS_HD double split_exponent(double u, double& t) noexcept {
  const std::uint64_t b = to_bits(u);
  const std::uint64_t k =
      (b - (Scale == 1 ? 0x3fe8000000000000u : 0x3ff8000000000000u)) & 0xfff0000000000000u;
  t = sub(from_bits(b - k), static_cast<double>(Scale));
  return static_cast<double>(static_cast<std::int32_t>(static_cast<std::int64_t>(k) >> 52));
}

// The real type that goes with a word type, the element type of a real type, and its exponent_unit.
template <class W>
using real_t = decltype(to_real(W{}));
template <class F>
struct element {
  using type = typename F::value_type;
  static constexpr type exponent_unit = F::exponent_unit;
};
template <>
struct element<float> : format<float> {
  using type = float;
};
template <>
struct element<double> : format<double> {
  using type = double;
};
template <class F>
using element_t = typename element<F>::type;

// The word's leading digits as a fraction of one.
template <class W>
RIVUS_HD constexpr real_t<W> unit_fraction(W w) noexcept {
  using T = element_t<real_t<W>>;
  return mul(to_real(w >> (format<T>::bits - format<T>::digits)), real_t<W>(format<T>::step));
}

// c0 + c1 x + c2 x^2 + ..., by Horner's rule.
template <class F>
RIVUS_HD F polynomial(F, element_t<F> c0) noexcept {
  return F(c0);
}
template <class F, class... C>
RIVUS_HD F polynomial(F x, element_t<F> c0, element_t<F> c1, C... c) noexcept {
  return fma(polynomial(x, c1, c...), x, F(c0));
}

// Scale * log(1 + t / Scale), for -1/4 <= t / Scale < 1/2. Scaling the coefficients by powers of two is
// exact.
template <int Scale, class F>
RIVUS_HD F log1p_scaled(F t) noexcept {
  using T = element_t<F>;
  constexpr T s = T(1) / Scale;
  constexpr T s2 = s * s, s3 = s2 * s, s4 = s2 * s2, s5 = s4 * s, s6 = s3 * s3, s7 = s6 * s, s8 = s4 * s4;
  const F t2 = mul(t, t);
  if constexpr (sizeof(T) == 4) {
    const F q =
        polynomial(t, -0x1.000016p-1f * s, 0x1.5555d8p-2f * s2, -0x1.ffdc3p-3f * s3, 0x1.99248ep-3f * s4,
                   -0x1.58a3c8p-3f * s5, 0x1.32d6ap-3f * s6, -0x1.eccaecp-4f * s7, 0x1.b8277p-5f * s8);
    return fma(q, t2, t);
  } else {
    // Even and odd powers apart: two short chains instead of one long one.
    constexpr T s9 = s8 * s, s10 = s8 * s2, s11 = s8 * s3, s12 = s8 * s4, s13 = s8 * s5, s14 = s8 * s6,
                s15 = s8 * s7, s16 = s8 * s8, s17 = s16 * s, s18 = s16 * s2, s19 = s16 * s3;
    const F even = polynomial(
        t2, -0x1p-1 * s, -0x1.fffffffffeb67p-3 * s3, -0x1.555555559badfp-3 * s5, -0x1.00000051bfc6ep-3 * s7,
        -0x1.999950dbcafdap-4 * s9, -0x1.556122f1079cfp-4 * s11, -0x1.23adeec376deep-4 * s13,
        -0x1.07421d4f1e9b9p-4 * s15, -0x1.c07ce8715fd77p-5 * s17, -0x1.31830e40338c2p-7 * s19);
    const F odd =
        polynomial(t2, 0x1.55555555558fdp-2 * s2, 0x1.999999990575p-3 * s4, 0x1.2492496554b57p-3 * s6,
                   0x1.c71c573ff692bp-4 * s8, 0x1.745fc7b05827ep-4 * s10, 0x1.3af793d2d06d3p-4 * s12,
                   0x1.109b3a3cb969bp-4 * s14, 0x1.02d44cf79c6a4p-4 * s16, 0x1.0c277cd6e6fc2p-5 * s18);
    return fma(fma(odd, t, even), t2, t);
  }
}

// -Scale ln u for the u that a word stands for: dense near both ends of (0, 1), never 0 and never 1.
template <int Scale, class W>
RIVUS_HD real_t<W> minus_log(W w) noexcept {
  using F = real_t<W>;
  using T = element_t<F>;
  constexpr T ln2 = sizeof(T) == 4 ? T(0x1.62e43p-1) : T(0x1.62e42fefa39efp-1);
  // The word as a signed fraction: u itself where positive, u - 1 where negative.
  const F f = fma(to_real(w), F(Scale * format<T>::word_ulp), F(Scale * format<T>::word_half));
  const F u = wrap(f, w, F(T(Scale)));
  F t;
  const F e = split_exponent<Scale>(u, t);
  // From 3/4 on take log(1 + f) of the exact f, which 1 + f would round.
  t = select(top_two_bits(w), f, t);
  return fma(e, F(-ln2 * Scale * element<F>::exponent_unit), neg(log1p_scaled<Scale>(t)));
}

template <class F>
struct sin_cos {
  F sin, cos;
};

// Of f quarter turns, -1/2 <= f <= 1/2.
template <class F>
RIVUS_HD sin_cos<F> sin_cos_quarter(F f) noexcept {
  const F z = mul(f, f);
  if constexpr (sizeof(element_t<F>) == 4) {
    return {mul(polynomial(z, 0x1.921fb6p0f, -0x1.4abbecp-1f, 0x1.466b2p-4f, -0x1.2f5992p-8f), f),
            fma(polynomial(z, -0x1.3bd3ap0f, 0x1.03b132p-2f, -0x1.4ea1aep-6f), z, F(1.0f))};
  } else {
    return {mul(polynomial(z, 0x1.921fb54442d18p0, -0x1.4abbce625be09p-1, 0x1.466bc67754fffp-4,
                           -0x1.32d2ccdfe9424p-8, 0x1.50782d5f14825p-13, -0x1.e2fe76fdffd29p-19,
                           0x1.e357ef99eaea7p-25),
                f),
            fma(polynomial(z, -0x1.3bd3cc9be45dep0, 0x1.03c1f081b5a65p-2, -0x1.55d3c7e3c2d7bp-6,
                           0x1.e1f5067b057f8p-11, -0x1.a6d1e6b52f418p-16, 0x1.f9c840cb5822cp-22,
                           -0x1.b14b5b3e5d2d7p-28),
                z, F(1.0))};
  }
}

// Sine and cosine of an angle; the signs are the top bits of two words, to be applied last.
template <class F, class W>
struct signed_sin_cos {
  F sin, cos;
  W sin_sign, cos_sign;
};

// Of the angle 2 pi (w + 1/2) / 2^bits.
template <class W>
RIVUS_HD signed_sin_cos<real_t<W>, W> sin_cos_turn(W w) noexcept {
  using F = real_t<W>;
  using word = typename format<element_t<F>>::word;
  using T = element_t<F>;
  // Quarter turns in (-1/2, 1/2), and the quadrant in integers.
  const F f = fma(to_real(w << 2), F(format<T>::word_ulp), F(4 * format<T>::word_half));
  const W a = w + W(word{1} << (format<T>::bits - 3));
  [[maybe_unused]] const W b = w + W(word{3} << (format<T>::bits - 3));
  const sin_cos<F> q = sin_cos_quarter(f);
  const auto swap = second_bit(a);
#if defined(__CUDA_ARCH__)
  // A choice negates at no cost: one sign for both.
  return {select(swap, q.cos, q.sin), select(swap, neg(q.sin), q.cos), a, a};
#else
  return {select(swap, q.cos, q.sin), select(swap, q.sin, q.cos), a, b};
#endif
}

// e^x within 1 ulp; +inf above and +0 below what the type can hold, the canonical NaN for NaN.
// x = n ln 2 + r with |r| <= ln 2 / 2, and e^r by a polynomial. Source: docs/spec.md, section 3.
template <class F>
RIVUS_HD F exp(F x) noexcept {
  using T = element_t<F>;
  using word = typename format<T>::word;
  constexpr bool narrow = sizeof(T) == 4;
  const F largest = F(narrow ? T(0x1.62e42ep6) : T(0x1.62e42fefa39efp9));
  const F smallest = F(narrow ? T(-0x1.9fe368p6) : T(-0x1.74910d52d3052p9));
  const auto above = less(largest, x), below = less(x, smallest);
  // A NaN stays as it is.
  const F inside = select(above, largest, select(below, smallest, x));

  // Adding 1.5 * 2^fraction_bits leaves the nearest integer in the low bits.
  constexpr T shift = narrow ? T(0x1.8p23) : T(0x1.8p52);
  const F shifted = fma(inside, F(narrow ? T(0x1.715476p0) : T(0x1.71547652b82fep0)), F(shift));
  const F n = sub(shifted, F(shift));
  F r = fma(n, F(narrow ? T(-0x1.62e43p-1) : T(-0x1.62e42fefa39efp-1)), inside);
  r = fma(n, F(narrow ? T(0x1.05c61p-29) : T(-0x1.abc9e3b39803fp-56)), r);
  F q;
  if constexpr (narrow) {
    q = polynomial(r, 0x1p-1f, 0x1.555556p-3f, 0x1.55551ap-5f, 0x1.1110f6p-7f, 0x1.6d110ap-10f,
                   0x1.a0f86cp-13f);
  } else {
    q = polynomial(r, 0x1p-1, 0x1.5555555555556p-3, 0x1.5555555555555p-5, 0x1.11111111109b3p-7,
                   0x1.6c16c16c167e1p-10, 0x1.a01a01a7c41d5p-13, 0x1.a01a01a47b054p-16, 0x1.71de0dae63bb3p-19,
                   0x1.27e4e1f48534fp-22, 0x1.af38a9b0ec855p-26, 0x1.1f66df7fca49fp-29);
  }
  const F y = add(F(T(1)), fma(q, mul(r, r), r));

  // Times 2^n in two steps, each a normal number, so that subnormal results round once. By fma, as it is
  // last.
  constexpr word bias = narrow ? 127 : 1023;
  constexpr word shift_bits = narrow ? word(0x4b400000u) : word(0x4338000000000000u);
  const auto half = to_bits(fma(n, F(T(0.5)), F(shift)));
  const auto rest = to_bits(shifted) - half;
  using W = std::remove_const_t<decltype(half)>;
  const F up = from_bits((half - W(word(shift_bits - bias))) << format<T>::fraction_bits);
  const F more = from_bits((rest + W(bias)) << format<T>::fraction_bits);
  const F scaled = fma(mul(y, up), more, F(T(0)));
  const F inf = F(from_bits(format<T>::infinity));
  return canonical_nan(select(above, inf, select(below, F(T(0)), scaled)));
}

// ln x within 2 ulp; -inf for zeros, the canonical NaN below zero and for NaN, +inf for +inf.
// x = m 2^e with m in [3/4, 3/2), ln m by the polynomial of minus_log. Source: docs/spec.md, section 3.
template <class T>
RIVUS_HD T log(T x) noexcept {
  constexpr bool narrow = sizeof(T) == 4;
  const auto b = to_bits(x);
  if ((b & ~format<T>::sign) == 0) return from_bits(format<T>::infinity | format<T>::sign);
  if (is_nan(x) || (b & format<T>::sign) != 0) return quiet_nan<T>();
  if (b == format<T>::infinity) return x;
  // A subnormal is made a normal number.
  const bool tiny = b < (typename format<T>::word{1} << format<T>::fraction_bits);
  T m;
  const T e = split_exponent<1>(tiny ? mul(x, narrow ? T(0x1p24) : T(0x1p54)) : x, m);
  const T power = fma(e, T(format<T>::exponent_unit), tiny ? (narrow ? T(-24) : T(-54)) : T(0));
  // ln 2 in two parts, of which the first has few enough digits that its product is exact.
  const T high = narrow ? T(0x1.62e4p-1) : T(0x1.62e42fefap-1);
  const T low = narrow ? T(0x1.7f7d1cp-20) : T(0x1.cf79abc9e3b3ap-40);
  return fma(power, high, fma(power, low, log1p_scaled<1>(m)));
}

}  // namespace rivus::real

#endif
