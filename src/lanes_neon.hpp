// Lanes of AArch64 Advanced SIMD: 4 x 32 or 2 x 64 bits.
#ifndef RIVUS_SRC_LANES_NEON_HPP
#define RIVUS_SRC_LANES_NEON_HPP

#include <arm_neon.h>

#include <cstring>
#include <rivus/philox.hpp>
#include <rivus/real.hpp>
#include <rivus/vec.hpp>

namespace rivus {
namespace {

struct lanes_u32 {
  using value_type = std::uint32_t;
  uint32x4_t v;
  lanes_u32() = default;
  RIVUS_HD lanes_u32(uint32x4_t x) : v(x) {}
  RIVUS_HD explicit lanes_u32(std::uint32_t x) : v(vdupq_n_u32(x)) {}
};
struct lanes_u64 {
  using value_type = std::uint64_t;
  uint64x2_t v;
  lanes_u64() = default;
  RIVUS_HD lanes_u64(uint64x2_t x) : v(x) {}
  RIVUS_HD explicit lanes_u64(std::uint64_t x) : v(vdupq_n_u64(x)) {}
};
struct lanes_f32 {
  using value_type = float;
  static constexpr float exponent_unit = 0x1p-23f;
  float32x4_t v;
  lanes_f32() = default;
  RIVUS_HD lanes_f32(float32x4_t x) : v(x) {}
  RIVUS_HD explicit lanes_f32(float x) : v(vdupq_n_f32(x)) {}
};
struct lanes_f64 {
  using value_type = double;
  static constexpr double exponent_unit = 0x1p-52;
  float64x2_t v;
  lanes_f64() = default;
  RIVUS_HD lanes_f64(float64x2_t x) : v(x) {}
  RIVUS_HD explicit lanes_f64(double x) : v(vdupq_n_f64(x)) {}
};
struct mask_32 {
  uint32x4_t m;
};
struct mask_64 {
  uint64x2_t m;
};

// By bytes: the pointer may have any alignment.
template <class V, class T>
RIVUS_HD V load(const T* p) {
  const uint8x16_t bytes = vld1q_u8(reinterpret_cast<const std::uint8_t*>(p));
  if constexpr (std::is_same_v<V, lanes_f32>) {
    return vreinterpretq_f32_u8(bytes);
  } else if constexpr (std::is_same_v<V, lanes_f64>) {
    return vreinterpretq_f64_u8(bytes);
  } else if constexpr (std::is_same_v<V, lanes_u32>) {
    return vreinterpretq_u32_u8(bytes);
  } else {
    return vreinterpretq_u64_u8(bytes);
  }
}
template <class T>
RIVUS_HD void store_bytes(T* p, uint8x16_t x) {
  vst1q_u8(reinterpret_cast<std::uint8_t*>(p), x);
}
template <class T>
RIVUS_HD void store(T* p, lanes_u32 x) {
  store_bytes(p, vreinterpretq_u8_u32(x.v));
}
template <class T>
RIVUS_HD void store(T* p, lanes_u64 x) {
  store_bytes(p, vreinterpretq_u8_u64(x.v));
}
template <class T>
RIVUS_HD void store(T* p, lanes_f32 x) {
  store_bytes(p, vreinterpretq_u8_f32(x.v));
}
template <class T>
RIVUS_HD void store(T* p, lanes_f64 x) {
  store_bytes(p, vreinterpretq_u8_f64(x.v));
}

// Shifts by a vector, as the immediate forms need a constant; the compiler makes those of these.
RIVUS_HD lanes_u32 operator+(lanes_u32 a, lanes_u32 b) { return vaddq_u32(a.v, b.v); }
RIVUS_HD lanes_u32 operator-(lanes_u32 a, lanes_u32 b) { return vsubq_u32(a.v, b.v); }
RIVUS_HD lanes_u32 operator^(lanes_u32 a, lanes_u32 b) { return veorq_u32(a.v, b.v); }
RIVUS_HD lanes_u32 operator|(lanes_u32 a, lanes_u32 b) { return vorrq_u32(a.v, b.v); }
RIVUS_HD lanes_u32 operator<<(lanes_u32 a, int n) { return vshlq_u32(a.v, vdupq_n_s32(n)); }
RIVUS_HD lanes_u32 operator>>(lanes_u32 a, int n) { return vshlq_u32(a.v, vdupq_n_s32(-n)); }
RIVUS_HD lanes_u64 operator+(lanes_u64 a, lanes_u64 b) { return vaddq_u64(a.v, b.v); }
RIVUS_HD lanes_u64 operator-(lanes_u64 a, lanes_u64 b) { return vsubq_u64(a.v, b.v); }
RIVUS_HD lanes_u64 operator&(lanes_u64 a, lanes_u64 b) { return vandq_u64(a.v, b.v); }
RIVUS_HD lanes_u64 operator|(lanes_u64 a, lanes_u64 b) { return vorrq_u64(a.v, b.v); }
RIVUS_HD lanes_u64 operator^(lanes_u64 a, lanes_u64 b) { return veorq_u64(a.v, b.v); }
RIVUS_HD lanes_u64 operator<<(lanes_u64 a, int n) { return vshlq_u64(a.v, vdupq_n_s64(n)); }
RIVUS_HD lanes_u64 operator>>(lanes_u64 a, int n) { return vshlq_u64(a.v, vdupq_n_s64(-n)); }

RIVUS_HD lanes_f32 add(lanes_f32 a, lanes_f32 b) { return vaddq_f32(a.v, b.v); }
RIVUS_HD lanes_f32 mul(lanes_f32 a, lanes_f32 b) { return vmulq_f32(a.v, b.v); }
RIVUS_HD lanes_f32 fma(lanes_f32 a, lanes_f32 b, lanes_f32 c) { return vfmaq_f32(c.v, a.v, b.v); }
RIVUS_HD lanes_f32 sub(lanes_f32 a, lanes_f32 b) { return vsubq_f32(a.v, b.v); }
RIVUS_HD lanes_f32 div(lanes_f32 a, lanes_f32 b) { return vdivq_f32(a.v, b.v); }
RIVUS_HD lanes_f32 sqrt(lanes_f32 a) { return vsqrtq_f32(a.v); }
RIVUS_HD lanes_f32 neg(lanes_f32 a) { return vnegq_f32(a.v); }
RIVUS_HD lanes_f32 absolute(lanes_f32 a) { return vabsq_f32(a.v); }
RIVUS_HD mask_32 less(lanes_f32 a, lanes_f32 b) { return {vcltq_f32(a.v, b.v)}; }
RIVUS_HD lanes_u32 to_bits(lanes_f32 a) { return vreinterpretq_u32_f32(a.v); }
RIVUS_HD lanes_f32 from_bits(lanes_u32 a) { return vreinterpretq_f32_u32(a.v); }
RIVUS_HD lanes_f32 lesser(lanes_f32 a, lanes_f32 b) { return vbslq_f32(vcltq_f32(a.v, b.v), a.v, b.v); }
RIVUS_HD lanes_f32 to_real(lanes_u32 w) { return vcvtq_f32_s32(vreinterpretq_s32_u32(w.v)); }
RIVUS_HD lanes_f64 add(lanes_f64 a, lanes_f64 b) { return vaddq_f64(a.v, b.v); }
RIVUS_HD lanes_f64 mul(lanes_f64 a, lanes_f64 b) { return vmulq_f64(a.v, b.v); }
RIVUS_HD lanes_f64 fma(lanes_f64 a, lanes_f64 b, lanes_f64 c) { return vfmaq_f64(c.v, a.v, b.v); }
RIVUS_HD lanes_f64 sub(lanes_f64 a, lanes_f64 b) { return vsubq_f64(a.v, b.v); }
RIVUS_HD lanes_f64 div(lanes_f64 a, lanes_f64 b) { return vdivq_f64(a.v, b.v); }
RIVUS_HD lanes_f64 sqrt(lanes_f64 a) { return vsqrtq_f64(a.v); }
RIVUS_HD lanes_f64 neg(lanes_f64 a) { return vnegq_f64(a.v); }
RIVUS_HD lanes_f64 absolute(lanes_f64 a) { return vabsq_f64(a.v); }
RIVUS_HD mask_64 less(lanes_f64 a, lanes_f64 b) { return {vcltq_f64(a.v, b.v)}; }
RIVUS_HD lanes_u64 to_bits(lanes_f64 a) { return vreinterpretq_u64_f64(a.v); }
RIVUS_HD lanes_f64 from_bits(lanes_u64 a) { return vreinterpretq_f64_u64(a.v); }
RIVUS_HD lanes_f64 lesser(lanes_f64 a, lanes_f64 b) { return vbslq_f64(vcltq_f64(a.v, b.v), a.v, b.v); }
RIVUS_HD lanes_f64 to_real(lanes_u64 w) { return vcvtq_f64_s64(vreinterpretq_s64_u64(w.v)); }

RIVUS_HD mask_32 top_bit(lanes_u32 w) { return {vcltzq_s32(vreinterpretq_s32_u32(w.v))}; }
RIVUS_HD mask_32 top_two_bits(lanes_u32 w) { return {vcgeq_u32(w.v, vdupq_n_u32(0xC0000000u))}; }
RIVUS_HD mask_32 second_bit(lanes_u32 w) { return {vtstq_u32(w.v, vdupq_n_u32(0x40000000u))}; }
RIVUS_HD mask_64 top_bit(lanes_u64 w) { return {vcltzq_s64(vreinterpretq_s64_u64(w.v))}; }
RIVUS_HD mask_64 top_two_bits(lanes_u64 w) { return {vcgeq_u64(w.v, vdupq_n_u64(0xC000000000000000u))}; }
RIVUS_HD mask_64 second_bit(lanes_u64 w) { return {vtstq_u64(w.v, vdupq_n_u64(0x4000000000000000u))}; }
RIVUS_HD lanes_f32 select(mask_32 m, lanes_f32 a, lanes_f32 b) { return vbslq_f32(m.m, a.v, b.v); }
RIVUS_HD lanes_f64 select(mask_64 m, lanes_f64 a, lanes_f64 b) { return vbslq_f64(m.m, a.v, b.v); }
RIVUS_HD lanes_f32 add_where(mask_32 m, lanes_f32 a, lanes_f32 b) { return select(m, add(a, b), a); }
RIVUS_HD lanes_f64 add_where(mask_64 m, lanes_f64 a, lanes_f64 b) { return select(m, add(a, b), a); }

RIVUS_HD lanes_f32 flip_sign(lanes_f32 x, lanes_u32 w) {
  const uint32x4_t sign = vandq_u32(w.v, vdupq_n_u32(real::format<float>::sign));
  return vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(x.v), sign));
}
RIVUS_HD lanes_f64 flip_sign(lanes_f64 x, lanes_u64 w) {
  const uint64x2_t sign = vandq_u64(w.v, vdupq_n_u64(real::format<double>::sign));
  return vreinterpretq_f64_u64(veorq_u64(vreinterpretq_u64_f64(x.v), sign));
}

template <int Scale>
RIVUS_HD lanes_f32 split_exponent(lanes_f32 u, lanes_f32& t) {
  const uint32x4_t b = vreinterpretq_u32_f32(u.v);
  const uint32x4_t k =
      vandq_u32(vsubq_u32(b, vdupq_n_u32(Scale == 1 ? 0x3f400000u : 0x3fc00000u)), vdupq_n_u32(0xff800000u));
  t = vsubq_f32(vreinterpretq_f32_u32(vsubq_u32(b, k)), vdupq_n_f32(Scale));
  return vcvtq_f32_s32(vreinterpretq_s32_u32(k));
}
template <int Scale>
RIVUS_HD lanes_f64 split_exponent(lanes_f64 u, lanes_f64& t) {
  const uint64x2_t b = vreinterpretq_u64_f64(u.v);
  const uint64x2_t origin = vdupq_n_u64(Scale == 1 ? 0x3fe8000000000000u : 0x3ff8000000000000u);
  const uint64x2_t k = vandq_u64(vsubq_u64(b, origin), vdupq_n_u64(0xfff0000000000000u));
  t = vsubq_f64(vreinterpretq_f64_u64(vsubq_u64(b, k)), vdupq_n_f64(Scale));
  return vcvtq_f64_s64(vreinterpretq_s64_u64(k));
}

// Even and odd elements of [x y], and back.
RIVUS_HD vec<lanes_u32, 2> unzip(lanes_u32 x, lanes_u32 y) {
  return {{vuzp1q_u32(x.v, y.v), vuzp2q_u32(x.v, y.v)}};
}
RIVUS_HD vec<lanes_f32, 2> zip(lanes_f32 even, lanes_f32 odd) {
  return {{vzip1q_f32(even.v, odd.v), vzip2q_f32(even.v, odd.v)}};
}
RIVUS_HD vec<lanes_u64, 2> unzip(lanes_u64 x, lanes_u64 y) {
  return {{vuzp1q_u64(x.v, y.v), vuzp2q_u64(x.v, y.v)}};
}
RIVUS_HD vec<lanes_f64, 2> zip(lanes_f64 even, lanes_f64 odd) {
  return {{vzip1q_f64(even.v, odd.v), vzip2q_f64(even.v, odd.v)}};
}

RIVUS_HD lanes_f32 canonical_nan(lanes_f32 x) {
  return vbslq_f32(vceqq_f32(x.v, x.v), x.v,
                   vreinterpretq_f32_u32(vdupq_n_u32(real::format<float>::quiet_nan)));
}
RIVUS_HD lanes_f64 canonical_nan(lanes_f64 x) {
  return vbslq_f64(vceqq_f64(x.v, x.v), x.v,
                   vreinterpretq_f64_u64(vdupq_n_u64(real::format<double>::quiet_nan)));
}

// The sum of the elements by halves: l += l + n/2, ..., l += l + 1.
RIVUS_HD float fold(lanes_f32 x) {
  const float32x2_t a = vadd_f32(vget_low_f32(x.v), vget_high_f32(x.v));
  return vget_lane_f32(a, 0) + vget_lane_f32(a, 1);
}
RIVUS_HD double fold(lanes_f64 x) { return vgetq_lane_f64(x.v, 0) + vgetq_lane_f64(x.v, 1); }

// x moved up by one element, into the place of which comes the last of `before`.
RIVUS_HD lanes_f32 shift_in(lanes_f32 before, lanes_f32 x) { return vextq_f32(before.v, x.v, 3); }
RIVUS_HD lanes_f64 shift_in(lanes_f64 before, lanes_f64 x) { return vextq_f64(before.v, x.v, 1); }
// What transposition.hpp is made of: pairs of elements zipped. There is one 128-bit block.
RIVUS_HD vec<lanes_f32, 2> zip_pairs(lanes_f32 x, lanes_f32 y) {
  const float64x2_t a = vreinterpretq_f64_f32(x.v), b = vreinterpretq_f64_f32(y.v);
  return {{vreinterpretq_f32_f64(vzip1q_f64(a, b)), vreinterpretq_f32_f64(vzip2q_f64(a, b))}};
}
template <class V>
RIVUS_HD void transpose_blocks(V*, int) {}
RIVUS_HD void stream_vector(void* to, const void* from) { std::memcpy(to, from, 16); }
RIVUS_HD void end_streams() {}
constexpr std::size_t stream_bytes = 16;

RIVUS_HD lanes_u32 one_where_less(lanes_u32 a, lanes_u32 b) { return vshrq_n_u32(vcltq_u32(a.v, b.v), 31); }
// Bit j: whether a[j] < b[j].
RIVUS_HD unsigned less_bits(lanes_u64 a, lanes_u64 b) {
  const uint64x2_t m = vshrq_n_u64(vcltq_u64(a.v, b.v), 63);
  return static_cast<unsigned>(vgetq_lane_u64(m, 0) | vgetq_lane_u64(m, 1) << 1);
}

// The product of the low halves.
RIVUS_HD lanes_u64 mul_low_halves(lanes_u64 a, lanes_u64 b) {
  return vmull_u32(vmovn_u64(a.v), vmovn_u64(b.v));
}

RIVUS_HD wide<lanes_u32> mul_wide(lanes_u32 a, lanes_u32 m) {
  const uint32x4_t low = vreinterpretq_u32_u64(vmull_u32(vget_low_u32(a.v), vget_low_u32(m.v)));
  const uint32x4_t high = vreinterpretq_u32_u64(vmull_high_u32(a.v, m.v));
  return {vuzp1q_u32(low, high), vuzp2q_u32(low, high)};
}
// The high halves of w * n; least becomes the least of it and the low halves.
RIVUS_HD lanes_u32 mul_high(lanes_u32 w, lanes_u32 n, lanes_u32& least) {
  const wide<lanes_u32> p = mul_wide(w, n);
  least = vminq_u32(least.v, p.lo.v);
  return p.hi;
}
RIVUS_HD bool any_least_below(lanes_u32 least, lanes_u32 bound) {
  return vmaxvq_u32(vcltq_u32(least.v, bound.v)) != 0;
}

// The order of the lanes never changes here (philox_words.hpp).
RIVUS_HD wide<lanes_u32> mul_wide_crossed(lanes_u32 a, lanes_u32 m) { return mul_wide(a, m); }
RIVUS_HD lanes_u32 exchange(lanes_u32 x) { return x; }
constexpr std::uint32_t counter_order[] = {0, 1, 2, 3};
// The words of four counters, from a vector for each word.
RIVUS_HD vec<lanes_u32, 4> in_order(const vec<lanes_u32, 4>& x) {
  const uint64x2_t a = vreinterpretq_u64_u32(vzip1q_u32(x[0].v, x[1].v));
  const uint64x2_t b = vreinterpretq_u64_u32(vzip2q_u32(x[0].v, x[1].v));
  const uint64x2_t c = vreinterpretq_u64_u32(vzip1q_u32(x[2].v, x[3].v));
  const uint64x2_t d = vreinterpretq_u64_u32(vzip2q_u32(x[2].v, x[3].v));
  return {{vreinterpretq_u32_u64(vzip1q_u64(a, c)), vreinterpretq_u32_u64(vzip2q_u64(a, c)),
           vreinterpretq_u32_u64(vzip1q_u64(b, d)), vreinterpretq_u32_u64(vzip2q_u64(b, d))}};
}
constexpr int groups_in_flight = 4;

RIVUS_HD vec<lanes_u64, 4> pairs(const vec<lanes_u32, 4>& w) {
  return {{vreinterpretq_u64_u32(w[0].v), vreinterpretq_u64_u32(w[1].v), vreinterpretq_u64_u32(w[2].v),
           vreinterpretq_u64_u32(w[3].v)}};
}
// Words against a digit, and whether one of them may equal it: then some of what was stored may be wrong.
class digit_lanes {
 public:
  static constexpr bool in_memory = false;

  RIVUS_HD explicit digit_lanes(std::uint32_t digit) : digit_(digit), nearest_(vdupq_n_u8(0xFF)) {}
  // 1 where a word is less, 0 elsewhere.
  RIVUS_HD void store_less(std::uint8_t* out, const vec<lanes_u32, 4>& w) {
    // Half the difference, rounded down, does not overflow, and narrowing saturates: signs and zeros stay.
    const auto half = [&](int j) { return vreinterpretq_s32_u32(vhsubq_u32(w[j].v, digit_.v)); };
    const int16x8_t a = vqmovn_high_s32(vqmovn_s32(half(0)), half(1));
    const int16x8_t b = vqmovn_high_s32(vqmovn_s32(half(2)), half(3));
    const uint8x16_t narrow = vreinterpretq_u8_s8(vqmovn_high_s16(vqmovn_s16(a), b));
    nearest_ = vminq_u8(nearest_, narrow);
    vst1q_u8(out, vshrq_n_u8(narrow, 7));
  }
  RIVUS_HD bool undecided() const { return vminvq_u8(nearest_) == 0; }

 private:
  lanes_u32 digit_;
  uint8x16_t nearest_;
};

// a + b and a - b where an addition may take the place of an fma, which here brings nothing.
template <class V>
RIVUS_HD V opaque_one() {
  return V(real::element_t<V>(1));
}
template <class V>
RIVUS_HD V add_on_fma(V a, V, V b) {
  return add(a, b);
}
template <class V>
RIVUS_HD V sub_on_fma(V a, V, V b) {
  return sub(a, b);
}
// acc | (a ^ b).
template <class W>
RIVUS_HD W or_difference(W acc, W a, W b) {
  return acc | (a ^ b);
}
RIVUS_HD lanes_f64 load_widened(const float* p) {
  return vcvt_f64_f32(vreinterpret_f32_u8(vld1_u8(reinterpret_cast<const std::uint8_t*>(p))));
}
// Sums of exact_kernels.hpp: places to read in at once, and accumulators for each level.
constexpr int exact_places = 4;
constexpr int exact_chains = 2;

// Vectors, and pairs of vectors, of words that are turned into values side by side.
constexpr int vectors_together = 4;
constexpr int pairs_together = 2;
// Registers for the lanes of sums.
constexpr int sum_registers = 16;
// Rows and vectors of a matmul tile.
constexpr int tile_rows = 8;
constexpr int tile_vectors = 3;

}  // namespace
}  // namespace rivus

#endif
