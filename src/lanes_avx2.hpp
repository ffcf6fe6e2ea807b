// Lanes of AVX2 with FMA: 8 x 32 or 4 x 64 bits.
#ifndef RIVUS_SRC_LANES_AVX2_HPP
#define RIVUS_SRC_LANES_AVX2_HPP

#include <immintrin.h>

#include <rivus/half.hpp>
#include <rivus/philox.hpp>
#include <rivus/real.hpp>
#include <rivus/vec.hpp>

namespace rivus {
namespace {

struct lanes_u32 {
  using value_type = std::uint32_t;
  __m256i v;
  lanes_u32() = default;
  RIVUS_HD lanes_u32(__m256i x) : v(x) {}
  RIVUS_HD explicit lanes_u32(std::uint32_t x) : v(_mm256_set1_epi32(static_cast<int>(x))) {}
};
struct lanes_u64 {
  using value_type = std::uint64_t;
  __m256i v;
  lanes_u64() = default;
  RIVUS_HD lanes_u64(__m256i x) : v(x) {}
  RIVUS_HD explicit lanes_u64(std::uint64_t x) : v(_mm256_set1_epi64x(static_cast<long long>(x))) {}
};
struct lanes_f32 {
  using value_type = float;
  static constexpr float exponent_unit = 0x1p-23f;
  __m256 v;
  lanes_f32() = default;
  RIVUS_HD lanes_f32(__m256 x) : v(x) {}
  RIVUS_HD explicit lanes_f32(float x) : v(_mm256_set1_ps(x)) {}
};
struct lanes_f64 {
  using value_type = double;
  static constexpr double exponent_unit = 1.0;
  __m256d v;
  lanes_f64() = default;
  RIVUS_HD lanes_f64(__m256d x) : v(x) {}
  RIVUS_HD explicit lanes_f64(double x) : v(_mm256_set1_pd(x)) {}
};
// A lane is chosen by its top bit.
struct mask_32 {
  __m256 m;
};
struct mask_64 {
  __m256d m;
};

template <class V, class T>
RIVUS_HD V load(const T* p) {
  if constexpr (std::is_same_v<V, lanes_f32>) {
    return _mm256_loadu_ps(reinterpret_cast<const float*>(p));
  } else if constexpr (std::is_same_v<V, lanes_f64>) {
    return _mm256_loadu_pd(reinterpret_cast<const double*>(p));
  } else {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(p));
  }
}
template <class T>
RIVUS_HD void store(T* p, lanes_u32 x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(p), x.v);
}
template <class T>
RIVUS_HD void store(T* p, lanes_u64 x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(p), x.v);
}
template <class T>
RIVUS_HD void store(T* p, lanes_f32 x) {
  _mm256_storeu_ps(reinterpret_cast<float*>(p), x.v);
}
template <class T>
RIVUS_HD void store(T* p, lanes_f64 x) {
  _mm256_storeu_pd(reinterpret_cast<double*>(p), x.v);
}

RIVUS_HD lanes_u32 operator+(lanes_u32 a, lanes_u32 b) { return _mm256_add_epi32(a.v, b.v); }
RIVUS_HD lanes_u32 operator-(lanes_u32 a, lanes_u32 b) { return _mm256_sub_epi32(a.v, b.v); }
RIVUS_HD lanes_u32 operator^(lanes_u32 a, lanes_u32 b) { return _mm256_xor_si256(a.v, b.v); }
RIVUS_HD lanes_u32 operator|(lanes_u32 a, lanes_u32 b) { return _mm256_or_si256(a.v, b.v); }
RIVUS_HD lanes_u32 operator<<(lanes_u32 a, int n) { return _mm256_slli_epi32(a.v, n); }
RIVUS_HD lanes_u32 operator>>(lanes_u32 a, int n) { return _mm256_srli_epi32(a.v, n); }
RIVUS_HD lanes_u64 operator+(lanes_u64 a, lanes_u64 b) { return _mm256_add_epi64(a.v, b.v); }
RIVUS_HD lanes_u64 operator-(lanes_u64 a, lanes_u64 b) { return _mm256_sub_epi64(a.v, b.v); }
RIVUS_HD lanes_u64 operator&(lanes_u64 a, lanes_u64 b) { return _mm256_and_si256(a.v, b.v); }
RIVUS_HD lanes_u64 operator|(lanes_u64 a, lanes_u64 b) { return _mm256_or_si256(a.v, b.v); }
RIVUS_HD lanes_u64 operator^(lanes_u64 a, lanes_u64 b) { return _mm256_xor_si256(a.v, b.v); }
RIVUS_HD lanes_u64 operator<<(lanes_u64 a, int n) { return _mm256_slli_epi64(a.v, n); }
RIVUS_HD lanes_u64 operator>>(lanes_u64 a, int n) { return _mm256_srli_epi64(a.v, n); }

RIVUS_HD lanes_f32 add(lanes_f32 a, lanes_f32 b) { return _mm256_add_ps(a.v, b.v); }
RIVUS_HD lanes_f32 sub(lanes_f32 a, lanes_f32 b) { return _mm256_sub_ps(a.v, b.v); }
RIVUS_HD lanes_f32 mul(lanes_f32 a, lanes_f32 b) { return _mm256_mul_ps(a.v, b.v); }
RIVUS_HD lanes_f32 div(lanes_f32 a, lanes_f32 b) { return _mm256_div_ps(a.v, b.v); }
RIVUS_HD lanes_f32 fma(lanes_f32 a, lanes_f32 b, lanes_f32 c) { return _mm256_fmadd_ps(a.v, b.v, c.v); }
RIVUS_HD lanes_f32 sqrt(lanes_f32 a) { return _mm256_sqrt_ps(a.v); }
RIVUS_HD lanes_f32 neg(lanes_f32 a) { return _mm256_xor_ps(a.v, _mm256_set1_ps(-0.0f)); }
RIVUS_HD lanes_f32 absolute(lanes_f32 a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.v); }
RIVUS_HD mask_32 less(lanes_f32 a, lanes_f32 b) { return {_mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ)}; }
RIVUS_HD lanes_u32 to_bits(lanes_f32 a) { return _mm256_castps_si256(a.v); }
RIVUS_HD lanes_f32 from_bits(lanes_u32 a) { return _mm256_castsi256_ps(a.v); }
RIVUS_HD lanes_f32 lesser(lanes_f32 a, lanes_f32 b) { return _mm256_min_ps(a.v, b.v); }
RIVUS_HD lanes_f32 to_real(lanes_u32 w) { return _mm256_cvtepi32_ps(w.v); }
RIVUS_HD lanes_f64 add(lanes_f64 a, lanes_f64 b) { return _mm256_add_pd(a.v, b.v); }
RIVUS_HD lanes_f64 sub(lanes_f64 a, lanes_f64 b) { return _mm256_sub_pd(a.v, b.v); }
RIVUS_HD lanes_f64 mul(lanes_f64 a, lanes_f64 b) { return _mm256_mul_pd(a.v, b.v); }
RIVUS_HD lanes_f64 div(lanes_f64 a, lanes_f64 b) { return _mm256_div_pd(a.v, b.v); }
RIVUS_HD lanes_f64 fma(lanes_f64 a, lanes_f64 b, lanes_f64 c) { return _mm256_fmadd_pd(a.v, b.v, c.v); }
RIVUS_HD lanes_f64 sqrt(lanes_f64 a) { return _mm256_sqrt_pd(a.v); }
RIVUS_HD lanes_f64 neg(lanes_f64 a) { return _mm256_xor_pd(a.v, _mm256_set1_pd(-0.0)); }
RIVUS_HD lanes_f64 absolute(lanes_f64 a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a.v); }
RIVUS_HD mask_64 less(lanes_f64 a, lanes_f64 b) { return {_mm256_cmp_pd(a.v, b.v, _CMP_LT_OQ)}; }
RIVUS_HD lanes_u64 to_bits(lanes_f64 a) { return _mm256_castpd_si256(a.v); }
RIVUS_HD lanes_f64 from_bits(lanes_u64 a) { return _mm256_castsi256_pd(a.v); }
RIVUS_HD lanes_f64 lesser(lanes_f64 a, lanes_f64 b) { return _mm256_min_pd(a.v, b.v); }
// Without a 64-bit conversion: 2^52 + low half and 2^84 + 2^63 + high half are exact, and their sum rounds
// once.
RIVUS_HD lanes_f64 to_real(lanes_u64 w) {
  const __m256i low = _mm256_blend_epi32(w.v, _mm256_set1_epi64x(0x4330000000000000), 0xAA);
  const __m256i high = _mm256_xor_si256(_mm256_srli_epi64(w.v, 32), _mm256_set1_epi64x(0x4530000080000000));
  const __m256d h = _mm256_sub_pd(_mm256_castsi256_pd(high), _mm256_set1_pd(0x1p84 + 0x1p63 + 0x1p52));
  return _mm256_add_pd(h, _mm256_castsi256_pd(low));
}

// In fewer steps than by to_real: the top 52 bits as a fraction of [1, 2), from which 1 is subtracted, or
// 1 - 2^-53 where the 53rd bit is set. Both differences are exact.
RIVUS_HD lanes_f64 unit_fraction(lanes_u64 w) {
  const __m256d one = _mm256_set1_pd(1.0), below_one = _mm256_set1_pd(0x1.fffffffffffffp-1);
  const __m256d u = _mm256_or_pd(_mm256_castsi256_pd(_mm256_srli_epi64(w.v, 12)), one);
  return _mm256_sub_pd(u, _mm256_blendv_pd(one, below_one, _mm256_castsi256_pd(_mm256_slli_epi64(w.v, 52))));
}

RIVUS_HD mask_32 top_bit(lanes_u32 w) { return {_mm256_castsi256_ps(w.v)}; }
RIVUS_HD mask_32 second_bit(lanes_u32 w) { return top_bit(w << 1); }
RIVUS_HD mask_32 top_two_bits(lanes_u32 w) {
  return {_mm256_castsi256_ps(_mm256_and_si256(w.v, _mm256_slli_epi32(w.v, 1)))};
}
RIVUS_HD mask_64 top_bit(lanes_u64 w) { return {_mm256_castsi256_pd(w.v)}; }
RIVUS_HD mask_64 second_bit(lanes_u64 w) { return top_bit(w << 1); }
RIVUS_HD mask_64 top_two_bits(lanes_u64 w) { return top_bit(w & (w << 1)); }
RIVUS_HD lanes_f32 select(mask_32 m, lanes_f32 a, lanes_f32 b) { return _mm256_blendv_ps(b.v, a.v, m.m); }
RIVUS_HD lanes_f64 select(mask_64 m, lanes_f64 a, lanes_f64 b) { return _mm256_blendv_pd(b.v, a.v, m.m); }
RIVUS_HD lanes_f32 add_where(mask_32 m, lanes_f32 a, lanes_f32 b) { return select(m, add(a, b), a); }
RIVUS_HD lanes_f64 add_where(mask_64 m, lanes_f64 a, lanes_f64 b) { return select(m, add(a, b), a); }

RIVUS_HD lanes_f32 flip_sign(lanes_f32 x, lanes_u32 w) {
  return _mm256_xor_ps(x.v, _mm256_and_ps(_mm256_castsi256_ps(w.v), _mm256_set1_ps(-0.0f)));
}
RIVUS_HD lanes_f64 flip_sign(lanes_f64 x, lanes_u64 w) {
  return _mm256_xor_pd(x.v, _mm256_and_pd(_mm256_castsi256_pd(w.v), _mm256_set1_pd(-0.0)));
}

template <int Scale>
RIVUS_HD lanes_f32 split_exponent(lanes_f32 u, lanes_f32& t) {
  const __m256i b = _mm256_castps_si256(u.v);
  const __m256i k =
      _mm256_and_si256(_mm256_sub_epi32(b, _mm256_set1_epi32(Scale == 1 ? 0x3f400000 : 0x3fc00000)),
                       _mm256_set1_epi32(static_cast<int>(0xff800000u)));
  t = _mm256_sub_ps(_mm256_castsi256_ps(_mm256_sub_epi32(b, k)), _mm256_set1_ps(Scale));
  return _mm256_cvtepi32_ps(k);
}
template <int Scale>
RIVUS_HD lanes_f64 split_exponent(lanes_f64 u, lanes_f64& t) {
  const __m256i b = _mm256_castpd_si256(u.v);
  const __m256i origin = _mm256_set1_epi64x(Scale == 1 ? 0x3fe8000000000000 : 0x3ff8000000000000);
  const __m256i k = _mm256_and_si256(_mm256_sub_epi64(b, origin),
                                     _mm256_set1_epi64x(static_cast<long long>(0xfff0000000000000u)));
  t = _mm256_sub_pd(_mm256_castsi256_pd(_mm256_sub_epi64(b, k)), _mm256_set1_pd(Scale));
  // k / 2^52 is small and signed: made positive by 2048, it fits the low bits of 2^52.
  const __m256i e =
      _mm256_srli_epi64(_mm256_xor_si256(k, _mm256_set1_epi64x(static_cast<long long>(1ull << 63))), 52);
  return _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(e, _mm256_set1_epi64x(0x4330000000000000))),
                       _mm256_set1_pd(0x1p52 + 2048));
}

// Even and odd elements of [x y], in an order that zip undoes.
RIVUS_HD vec<lanes_u32, 2> unzip(lanes_u32 x, lanes_u32 y) {
  const __m256 a = _mm256_castsi256_ps(x.v), b = _mm256_castsi256_ps(y.v);
  return {{_mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88)),
           _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xDD))}};
}
RIVUS_HD vec<lanes_f32, 2> zip(lanes_f32 even, lanes_f32 odd) {
  return {{_mm256_unpacklo_ps(even.v, odd.v), _mm256_unpackhi_ps(even.v, odd.v)}};
}
RIVUS_HD vec<lanes_u64, 2> unzip(lanes_u64 x, lanes_u64 y) {
  return {{_mm256_unpacklo_epi64(x.v, y.v), _mm256_unpackhi_epi64(x.v, y.v)}};
}
RIVUS_HD vec<lanes_f64, 2> zip(lanes_f64 even, lanes_f64 odd) {
  return {{_mm256_unpacklo_pd(even.v, odd.v), _mm256_unpackhi_pd(even.v, odd.v)}};
}

RIVUS_HD lanes_f32 canonical_nan(lanes_f32 x) {
  const __m256i nan = _mm256_set1_epi32(static_cast<int>(real::format<float>::quiet_nan));
  return _mm256_blendv_ps(x.v, _mm256_castsi256_ps(nan), _mm256_cmp_ps(x.v, x.v, _CMP_UNORD_Q));
}
RIVUS_HD lanes_f64 canonical_nan(lanes_f64 x) {
  const __m256i nan = _mm256_set1_epi64x(static_cast<long long>(real::format<double>::quiet_nan));
  return _mm256_blendv_pd(x.v, _mm256_castsi256_pd(nan), _mm256_cmp_pd(x.v, x.v, _CMP_UNORD_Q));
}

// The sum of the elements by halves: l += l + n/2, ..., l += l + 1.
RIVUS_HD float fold(lanes_f32 x) {
  const __m128 b = _mm_add_ps(_mm256_castps256_ps128(x.v), _mm256_extractf128_ps(x.v, 1));
  const __m128 c = _mm_add_ps(b, _mm_movehl_ps(b, b));
  return _mm_cvtss_f32(_mm_add_ss(c, _mm_shuffle_ps(c, c, 1)));
}
RIVUS_HD double fold(lanes_f64 x) {
  const __m128d b = _mm_add_pd(_mm256_castpd256_pd128(x.v), _mm256_extractf128_pd(x.v, 1));
  return _mm_cvtsd_f64(_mm_add_sd(b, _mm_unpackhi_pd(b, b)));
}

// x moved up by one element, into the place of which comes the last of `before`.
RIVUS_HD lanes_f32 shift_in(lanes_f32 before, lanes_f32 x) {
  const __m256 middle = _mm256_permute2f128_ps(before.v, x.v, 0x21);
  return _mm256_castsi256_ps(_mm256_alignr_epi8(_mm256_castps_si256(x.v), _mm256_castps_si256(middle), 12));
}
RIVUS_HD lanes_f64 shift_in(lanes_f64 before, lanes_f64 x) {
  return _mm256_shuffle_pd(_mm256_permute2f128_pd(before.v, x.v, 0x21), x.v, 0x5);
}
// What transposition.hpp is made of: pairs of elements zipped, and squares of 128-bit blocks transposed.
RIVUS_HD vec<lanes_f32, 2> zip_pairs(lanes_f32 x, lanes_f32 y) {
  const __m256d a = _mm256_castps_pd(x.v), b = _mm256_castps_pd(y.v);
  return {{_mm256_castpd_ps(_mm256_unpacklo_pd(a, b)), _mm256_castpd_ps(_mm256_unpackhi_pd(a, b))}};
}
RIVUS_HD void transpose_blocks(lanes_f32* r, int stride) {
  const __m256 a = r[0].v, b = r[stride].v;
  r[0] = _mm256_permute2f128_ps(a, b, 0x20);
  r[stride] = _mm256_permute2f128_ps(a, b, 0x31);
}
RIVUS_HD void transpose_blocks(lanes_f64* r, int stride) {
  const __m256d a = r[0].v, b = r[stride].v;
  r[0] = _mm256_permute2f128_pd(a, b, 0x20);
  r[stride] = _mm256_permute2f128_pd(a, b, 0x31);
}
// To 32 bytes that begin at such a multiple, past the caches.
RIVUS_HD void stream_vector(void* to, const void* from) {
  _mm256_stream_si256(static_cast<__m256i*>(to), _mm256_loadu_si256(static_cast<const __m256i_u*>(from)));
}
RIVUS_HD void end_streams() { _mm_sfence(); }
constexpr std::size_t stream_bytes = 32;

// 16-bit reals: real::widen and real::narrow of 8 at once.
RIVUS_HD lanes_f32 load_half(const f16* p) {
  return canonical_nan(lanes_f32(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(p)))));
}
RIVUS_HD lanes_f32 load_half(const bf16* p) {
  const __m256i w = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(p)));
  return canonical_nan(lanes_f32(_mm256_castsi256_ps(_mm256_slli_epi32(w, 16))));
}
RIVUS_HD void store_half(f16* p, lanes_f32 x) {
  const __m128i h = _mm256_cvtps_ph(canonical_nan(x).v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  _mm_storeu_si128(reinterpret_cast<__m128i_u*>(p), h);
}
RIVUS_HD void store_half(bf16* p, lanes_f32 x) {
  const __m256i b = _mm256_castps_si256(canonical_nan(x).v);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(b, 16), _mm256_set1_epi32(1));
  const __m256i rounded =
      _mm256_srli_epi32(_mm256_add_epi32(_mm256_add_epi32(b, _mm256_set1_epi32(0x7fff)), odd), 16);
  _mm_storeu_si128(reinterpret_cast<__m128i_u*>(p),
                   _mm_packus_epi32(_mm256_castsi256_si128(rounded), _mm256_extracti128_si256(rounded, 1)));
}

// a >= b where their maximum is a; that is -1, and one more is 0.
RIVUS_HD lanes_u32 one_where_less(lanes_u32 a, lanes_u32 b) {
  return _mm256_add_epi32(_mm256_cmpeq_epi32(_mm256_max_epu32(a.v, b.v), a.v), _mm256_set1_epi32(1));
}
// Bit j: whether a[j] < b[j].
RIVUS_HD unsigned less_bits(lanes_u64 a, lanes_u64 b) {
  const __m256i sign = _mm256_set1_epi64x(static_cast<long long>(1ull << 63));
  const __m256i m = _mm256_cmpgt_epi64(_mm256_xor_si256(b.v, sign), _mm256_xor_si256(a.v, sign));
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(m)));
}

// The product of the low halves.
RIVUS_HD lanes_u64 mul_low_halves(lanes_u64 a, lanes_u64 b) { return _mm256_mul_epu32(a.v, b.v); }

// The high halves of w * n. The even elements of least become the least of them and the low halves.
RIVUS_HD lanes_u32 mul_high(lanes_u32 w, lanes_u32 n, lanes_u32& least) {
  const __m256i even = _mm256_mul_epu32(w.v, n.v), odd = _mm256_mul_epu32(_mm256_srli_epi64(w.v, 32), n.v);
  least = _mm256_min_epu32(least.v, _mm256_min_epu32(even, odd));
  return _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA);
}
RIVUS_HD bool any_least_below(lanes_u32 least, lanes_u32 bound) {
  const __m256i reached = _mm256_cmpeq_epi32(_mm256_max_epu32(least.v, bound.v), least.v);
  return _mm256_testc_si256(reached, _mm256_set1_epi64x(0xFFFFFFFF)) == 0;
}

// Elements of each four of x and y.
template <int Which>
RIVUS_HD lanes_u32 shuffle(__m256i x, __m256i y) {
  return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(x), _mm256_castsi256_ps(y), Which));
}
// Of each four elements, the middle two change places.
RIVUS_HD lanes_u32 exchange(lanes_u32 x) { return _mm256_shuffle_epi32(x.v, 0xD8); }
// a * m, both halves exchanged.
RIVUS_HD wide<lanes_u32> mul_wide(lanes_u32 a, lanes_u32 m) {
  const __m256i even = _mm256_mul_epu32(a.v, m.v), odd = _mm256_mul_epu32(_mm256_srli_epi64(a.v, 32), m.v);
  return {shuffle<0x88>(even, odd), shuffle<0xDD>(even, odd)};
}
// a * m, the low halves in a's order and the high halves exchanged.
RIVUS_HD wide<lanes_u32> mul_wide_crossed(lanes_u32 a, lanes_u32 m) {
  const __m256i even = _mm256_mul_epu32(a.v, m.v), odd = _mm256_mul_epu32(_mm256_srli_epi64(a.v, 32), m.v);
  return {_mm256_mullo_epi32(a.v, m.v), shuffle<0xDD>(even, odd)};
}
// Which counter each lane holds, so that in_order finds its words.
constexpr std::uint32_t counter_order[] = {0, 2, 4, 6, 1, 3, 5, 7};
// The words of eight counters, from a vector for each word.
RIVUS_HD vec<lanes_u32, 4> in_order(const vec<lanes_u32, 4>& x) {
  const __m256i a = _mm256_unpacklo_epi32(x[0].v, x[1].v), b = _mm256_unpackhi_epi32(x[0].v, x[1].v);
  const __m256i c = _mm256_unpacklo_epi32(x[2].v, x[3].v), d = _mm256_unpackhi_epi32(x[2].v, x[3].v);
  return {{_mm256_unpacklo_epi64(a, c), _mm256_unpackhi_epi64(a, c), _mm256_unpacklo_epi64(b, d),
           _mm256_unpackhi_epi64(b, d)}};
}
constexpr int groups_in_flight = 3;

RIVUS_HD vec<lanes_u64, 4> pairs(const vec<lanes_u32, 4>& w) { return {{w[0].v, w[1].v, w[2].v, w[3].v}}; }
// Words against a digit, and whether one of them may equal it: then some of what was stored may be wrong.
class digit_lanes {
 public:
  static constexpr bool in_memory = false;

  RIVUS_HD explicit digit_lanes(std::uint32_t digit) : half_(digit >> 1), nearest_(~std::uint32_t{0}) {}
  // 1 where a word is less, 0 elsewhere.
  RIVUS_HD void store_less(std::uint8_t* out, const vec<lanes_u32, 4>& w) {
    // Differences of halves do not overflow, and packing saturates: signs and zeros stay.
    __m256i d[4];
    for (int j = 0; j < 4; ++j) d[j] = _mm256_sub_epi32(half_.v, _mm256_srli_epi32(w[j].v, 1));
    const __m256i packed = _mm256_packs_epi16(_mm256_packs_epi32(d[0], d[1]), _mm256_packs_epi32(d[2], d[3]));
    nearest_ = _mm256_min_epu8(nearest_.v, packed);
    const __m256i less =
        _mm256_and_si256(_mm256_cmpgt_epi8(packed, _mm256_setzero_si256()), _mm256_set1_epi8(1));
    // Packing keeps to the halves of a register: fours of bytes come as 0 2 4 6 1 3 5 7.
    _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(out),
                        _mm256_permutevar8x32_epi32(less, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
  }
  RIVUS_HD bool undecided() const {
    return _mm256_movemask_epi8(_mm256_cmpeq_epi8(nearest_.v, _mm256_setzero_si256())) != 0;
  }

 private:
  lanes_u32 half_, nearest_;
};

// a * 1 + b and a * 1 - b: as fmas, additions and they share the work among more units.
template <class V>
RIVUS_HD V opaque_one() {
  V one(real::element_t<V>(1));
  __asm__("" : "+x"(one.v));
  return one;
}
template <class V>
RIVUS_HD V add_on_fma(V a, V one, V b) {
  return fma(a, one, b);
}
RIVUS_HD lanes_f32 sub_on_fma(lanes_f32 a, lanes_f32 one, lanes_f32 b) {
  return _mm256_fmsub_ps(a.v, one.v, b.v);
}
RIVUS_HD lanes_f64 sub_on_fma(lanes_f64 a, lanes_f64 one, lanes_f64 b) {
  return _mm256_fmsub_pd(a.v, one.v, b.v);
}
// acc | (a ^ b).
template <class W>
RIVUS_HD W or_difference(W acc, W a, W b) {
  return acc | (a ^ b);
}
RIVUS_HD lanes_f64 load_widened(const float* p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
// Sums of exact_kernels.hpp: places to read in at once, and accumulators for each level.
constexpr int exact_places = 4;
constexpr int exact_chains = 2;

// Vectors, and pairs of vectors, of words that are turned into values side by side.
constexpr int vectors_together = 4;
constexpr int pairs_together = 2;
// Registers for the lanes of sums.
constexpr int sum_registers = 16;
// Rows and vectors of a matmul tile.
constexpr int tile_rows = 6;
constexpr int tile_vectors = 2;

}  // namespace
}  // namespace rivus

#endif
