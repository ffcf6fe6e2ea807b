// Lanes of AVX-512 (F, DQ, BW, VL): 16 x 32 or 8 x 64 bits.
#ifndef RIVUS_SRC_LANES_AVX512_HPP
#define RIVUS_SRC_LANES_AVX512_HPP

// Some intrinsics of g++ 12 read a variable that they leave undefined on purpose.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop

#include <rivus/half.hpp>
#include <rivus/real.hpp>
#include <rivus/vec.hpp>

namespace rivus {
namespace {

struct lanes_u32 {
  using value_type = std::uint32_t;
  __m512i v;
  lanes_u32() = default;
  RIVUS_HD lanes_u32(__m512i x) : v(x) {}
  RIVUS_HD explicit lanes_u32(std::uint32_t x) : v(_mm512_set1_epi32(static_cast<int>(x))) {}
};
struct lanes_u64 {
  using value_type = std::uint64_t;
  __m512i v;
  lanes_u64() = default;
  RIVUS_HD lanes_u64(__m512i x) : v(x) {}
  RIVUS_HD explicit lanes_u64(std::uint64_t x) : v(_mm512_set1_epi64(static_cast<long long>(x))) {}
};
struct lanes_f32 {
  using value_type = float;
  static constexpr float exponent_unit = 1.0f;
  __m512 v;
  lanes_f32() = default;
  RIVUS_HD lanes_f32(__m512 x) : v(x) {}
  RIVUS_HD explicit lanes_f32(float x) : v(_mm512_set1_ps(x)) {}
};
struct lanes_f64 {
  using value_type = double;
  static constexpr double exponent_unit = 1.0;
  __m512d v;
  lanes_f64() = default;
  RIVUS_HD lanes_f64(__m512d x) : v(x) {}
  RIVUS_HD explicit lanes_f64(double x) : v(_mm512_set1_pd(x)) {}
};
struct mask_32 {
  __mmask16 m;
};
struct mask_64 {
  __mmask8 m;
};

template <class V, class T>
RIVUS_HD V load(const T* p) {
  if constexpr (std::is_same_v<V, lanes_f32>) {
    return _mm512_loadu_ps(p);
  } else if constexpr (std::is_same_v<V, lanes_f64>) {
    return _mm512_loadu_pd(p);
  } else {
    return _mm512_loadu_si512(p);
  }
}
template <class T>
RIVUS_HD void store(T* p, lanes_u32 x) {
  _mm512_storeu_si512(p, x.v);
}
template <class T>
RIVUS_HD void store(T* p, lanes_u64 x) {
  _mm512_storeu_si512(p, x.v);
}
template <class T>
RIVUS_HD void store(T* p, lanes_f32 x) {
  _mm512_storeu_ps(p, x.v);
}
template <class T>
RIVUS_HD void store(T* p, lanes_f64 x) {
  _mm512_storeu_pd(p, x.v);
}

RIVUS_HD lanes_u32 operator+(lanes_u32 a, lanes_u32 b) { return _mm512_add_epi32(a.v, b.v); }
RIVUS_HD lanes_u32 operator-(lanes_u32 a, lanes_u32 b) { return _mm512_sub_epi32(a.v, b.v); }
RIVUS_HD lanes_u32 operator|(lanes_u32 a, lanes_u32 b) { return _mm512_or_si512(a.v, b.v); }
RIVUS_HD lanes_u32 operator<<(lanes_u32 a, int n) { return _mm512_slli_epi32(a.v, static_cast<unsigned>(n)); }
RIVUS_HD lanes_u32 operator>>(lanes_u32 a, int n) { return _mm512_srli_epi32(a.v, static_cast<unsigned>(n)); }
RIVUS_HD lanes_u64 operator+(lanes_u64 a, lanes_u64 b) { return _mm512_add_epi64(a.v, b.v); }
RIVUS_HD lanes_u64 operator-(lanes_u64 a, lanes_u64 b) { return _mm512_sub_epi64(a.v, b.v); }
RIVUS_HD lanes_u64 operator&(lanes_u64 a, lanes_u64 b) { return _mm512_and_si512(a.v, b.v); }
RIVUS_HD lanes_u64 operator|(lanes_u64 a, lanes_u64 b) { return _mm512_or_si512(a.v, b.v); }
RIVUS_HD lanes_u64 operator^(lanes_u64 a, lanes_u64 b) { return _mm512_xor_si512(a.v, b.v); }
RIVUS_HD lanes_u64 operator<<(lanes_u64 a, int n) { return _mm512_slli_epi64(a.v, static_cast<unsigned>(n)); }
RIVUS_HD lanes_u64 operator>>(lanes_u64 a, int n) { return _mm512_srli_epi64(a.v, static_cast<unsigned>(n)); }

RIVUS_HD lanes_f32 add(lanes_f32 a, lanes_f32 b) { return _mm512_add_ps(a.v, b.v); }
RIVUS_HD lanes_f32 sub(lanes_f32 a, lanes_f32 b) { return _mm512_sub_ps(a.v, b.v); }
RIVUS_HD lanes_f32 mul(lanes_f32 a, lanes_f32 b) { return _mm512_mul_ps(a.v, b.v); }
RIVUS_HD lanes_f32 div(lanes_f32 a, lanes_f32 b) { return _mm512_div_ps(a.v, b.v); }
RIVUS_HD lanes_f32 fma(lanes_f32 a, lanes_f32 b, lanes_f32 c) { return _mm512_fmadd_ps(a.v, b.v, c.v); }
RIVUS_HD lanes_f32 sqrt(lanes_f32 a) { return _mm512_sqrt_ps(a.v); }
RIVUS_HD lanes_f32 neg(lanes_f32 a) { return _mm512_xor_ps(a.v, _mm512_set1_ps(-0.0f)); }
RIVUS_HD lanes_f32 absolute(lanes_f32 a) { return _mm512_abs_ps(a.v); }
RIVUS_HD mask_32 less(lanes_f32 a, lanes_f32 b) { return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ)}; }
RIVUS_HD lanes_u32 to_bits(lanes_f32 a) { return _mm512_castps_si512(a.v); }
RIVUS_HD lanes_f32 from_bits(lanes_u32 a) { return _mm512_castsi512_ps(a.v); }
RIVUS_HD lanes_f32 lesser(lanes_f32 a, lanes_f32 b) { return _mm512_min_ps(a.v, b.v); }
RIVUS_HD lanes_f32 to_real(lanes_u32 w) { return _mm512_cvtepi32_ps(w.v); }
RIVUS_HD lanes_f64 add(lanes_f64 a, lanes_f64 b) { return _mm512_add_pd(a.v, b.v); }
RIVUS_HD lanes_f64 sub(lanes_f64 a, lanes_f64 b) { return _mm512_sub_pd(a.v, b.v); }
RIVUS_HD lanes_f64 mul(lanes_f64 a, lanes_f64 b) { return _mm512_mul_pd(a.v, b.v); }
RIVUS_HD lanes_f64 div(lanes_f64 a, lanes_f64 b) { return _mm512_div_pd(a.v, b.v); }
RIVUS_HD lanes_f64 fma(lanes_f64 a, lanes_f64 b, lanes_f64 c) { return _mm512_fmadd_pd(a.v, b.v, c.v); }
RIVUS_HD lanes_f64 sqrt(lanes_f64 a) { return _mm512_sqrt_pd(a.v); }
RIVUS_HD lanes_f64 neg(lanes_f64 a) { return _mm512_xor_pd(a.v, _mm512_set1_pd(-0.0)); }
RIVUS_HD lanes_f64 absolute(lanes_f64 a) { return _mm512_abs_pd(a.v); }
RIVUS_HD mask_64 less(lanes_f64 a, lanes_f64 b) { return {_mm512_cmp_pd_mask(a.v, b.v, _CMP_LT_OQ)}; }
RIVUS_HD lanes_u64 to_bits(lanes_f64 a) { return _mm512_castpd_si512(a.v); }
RIVUS_HD lanes_f64 from_bits(lanes_u64 a) { return _mm512_castsi512_pd(a.v); }
RIVUS_HD lanes_f64 lesser(lanes_f64 a, lanes_f64 b) { return _mm512_min_pd(a.v, b.v); }
RIVUS_HD lanes_f64 to_real(lanes_u64 w) { return _mm512_cvtepi64_pd(w.v); }

RIVUS_HD mask_32 top_bit(lanes_u32 w) { return {_mm512_movepi32_mask(w.v)}; }
RIVUS_HD mask_32 top_two_bits(lanes_u32 w) {
  return {_mm512_cmpge_epu32_mask(w.v, _mm512_set1_epi32(static_cast<int>(0xC0000000u)))};
}
RIVUS_HD mask_32 second_bit(lanes_u32 w) {
  return {_mm512_test_epi32_mask(w.v, _mm512_set1_epi32(0x40000000))};
}
RIVUS_HD mask_64 top_bit(lanes_u64 w) { return {_mm512_movepi64_mask(w.v)}; }
RIVUS_HD mask_64 top_two_bits(lanes_u64 w) {
  return {_mm512_cmpge_epu64_mask(w.v, _mm512_set1_epi64(static_cast<long long>(0xC000000000000000u)))};
}
RIVUS_HD mask_64 second_bit(lanes_u64 w) {
  return {_mm512_test_epi64_mask(w.v, _mm512_set1_epi64(0x4000000000000000))};
}
RIVUS_HD lanes_f32 select(mask_32 m, lanes_f32 a, lanes_f32 b) { return _mm512_mask_blend_ps(m.m, b.v, a.v); }
RIVUS_HD lanes_f64 select(mask_64 m, lanes_f64 a, lanes_f64 b) { return _mm512_mask_blend_pd(m.m, b.v, a.v); }
RIVUS_HD lanes_f32 add_where(mask_32 m, lanes_f32 a, lanes_f32 b) {
  return _mm512_mask_add_ps(a.v, m.m, a.v, b.v);
}
RIVUS_HD lanes_f64 add_where(mask_64 m, lanes_f64 a, lanes_f64 b) {
  return _mm512_mask_add_pd(a.v, m.m, a.v, b.v);
}

// x ^ (w & sign) in one instruction.
RIVUS_HD lanes_f32 flip_sign(lanes_f32 x, lanes_u32 w) {
  return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(
      _mm512_castps_si512(x.v), w.v, _mm512_set1_epi32(static_cast<int>(0x80000000u)), 0x78));
}
RIVUS_HD lanes_f64 flip_sign(lanes_f64 x, lanes_u64 w) {
  return _mm512_castsi512_pd(_mm512_ternarylogic_epi64(
      _mm512_castpd_si512(x.v), w.v, _mm512_set1_epi64(static_cast<long long>(0x8000000000000000u)), 0x78));
}

// getexp of u / 0.75 is the exponent that puts the mantissa in [3/4, 3/2).
template <int Scale>
RIVUS_HD lanes_f32 split_exponent(lanes_f32 u, lanes_f32& t) {
  const __m512 m = _mm512_getmant_ps(u.v, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_zero);
  t = Scale == 1 ? _mm512_sub_ps(m, _mm512_set1_ps(1.0f))
                 : _mm512_fmadd_ps(m, _mm512_set1_ps(Scale), _mm512_set1_ps(-Scale));
  return _mm512_getexp_ps(_mm512_mul_ps(u.v, _mm512_set1_ps(0x1.555556p0f / Scale)));
}
template <int Scale>
RIVUS_HD lanes_f64 split_exponent(lanes_f64 u, lanes_f64& t) {
  const __m512d m = _mm512_getmant_pd(u.v, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_zero);
  t = Scale == 1 ? _mm512_sub_pd(m, _mm512_set1_pd(1.0))
                 : _mm512_fmadd_pd(m, _mm512_set1_pd(Scale), _mm512_set1_pd(-Scale));
  return _mm512_getexp_pd(_mm512_mul_pd(u.v, _mm512_set1_pd(0x1.5555555555556p0 / Scale)));
}

// Even and odd elements of [x y], in an order that zip undoes.
RIVUS_HD vec<lanes_u32, 2> unzip(lanes_u32 x, lanes_u32 y) {
  const __m512 a = _mm512_castsi512_ps(x.v), b = _mm512_castsi512_ps(y.v);
  return {{_mm512_castps_si512(_mm512_shuffle_ps(a, b, 0x88)),
           _mm512_castps_si512(_mm512_shuffle_ps(a, b, 0xDD))}};
}
RIVUS_HD vec<lanes_f32, 2> zip(lanes_f32 even, lanes_f32 odd) {
  return {{_mm512_unpacklo_ps(even.v, odd.v), _mm512_unpackhi_ps(even.v, odd.v)}};
}
RIVUS_HD vec<lanes_u64, 2> unzip(lanes_u64 x, lanes_u64 y) {
  return {{_mm512_unpacklo_epi64(x.v, y.v), _mm512_unpackhi_epi64(x.v, y.v)}};
}
RIVUS_HD vec<lanes_f64, 2> zip(lanes_f64 even, lanes_f64 odd) {
  return {{_mm512_unpacklo_pd(even.v, odd.v), _mm512_unpackhi_pd(even.v, odd.v)}};
}

RIVUS_HD lanes_f32 canonical_nan(lanes_f32 x) {
  const __m512i nan = _mm512_set1_epi32(static_cast<int>(real::format<float>::quiet_nan));
  return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(x.v, x.v, _CMP_UNORD_Q), x.v, _mm512_castsi512_ps(nan));
}
RIVUS_HD lanes_f64 canonical_nan(lanes_f64 x) {
  const __m512i nan = _mm512_set1_epi64(static_cast<long long>(real::format<double>::quiet_nan));
  return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(x.v, x.v, _CMP_UNORD_Q), x.v, _mm512_castsi512_pd(nan));
}

// The sum of the elements by halves: l += l + n/2, ..., l += l + 1.
RIVUS_HD float fold(lanes_f32 x) {
  const __m256 a = _mm256_add_ps(_mm512_castps512_ps256(x.v), _mm512_extractf32x8_ps(x.v, 1));
  const __m128 b = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  const __m128 c = _mm_add_ps(b, _mm_movehl_ps(b, b));
  return _mm_cvtss_f32(_mm_add_ss(c, _mm_shuffle_ps(c, c, 1)));
}
RIVUS_HD double fold(lanes_f64 x) {
  const __m256d a = _mm256_add_pd(_mm512_castpd512_pd256(x.v), _mm512_extractf64x4_pd(x.v, 1));
  const __m128d b = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
  return _mm_cvtsd_f64(_mm_add_sd(b, _mm_unpackhi_pd(b, b)));
}

// x moved up by one element, into the place of which comes the last of `before`.
RIVUS_HD lanes_f32 shift_in(lanes_f32 before, lanes_f32 x) {
  return _mm512_castsi512_ps(
      _mm512_alignr_epi32(_mm512_castps_si512(x.v), _mm512_castps_si512(before.v), 15));
}
RIVUS_HD lanes_f64 shift_in(lanes_f64 before, lanes_f64 x) {
  return _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(x.v), _mm512_castpd_si512(before.v), 7));
}
// What transposition.hpp is made of: pairs of elements zipped, and squares of 128-bit blocks transposed.
RIVUS_HD vec<lanes_f32, 2> zip_pairs(lanes_f32 x, lanes_f32 y) {
  const __m512d a = _mm512_castps_pd(x.v), b = _mm512_castps_pd(y.v);
  return {{_mm512_castpd_ps(_mm512_unpacklo_pd(a, b)), _mm512_castpd_ps(_mm512_unpackhi_pd(a, b))}};
}
RIVUS_HD void transpose_blocks(lanes_f64* r, int stride) {
  const __m512d a = r[0].v, b = r[stride].v, c = r[2 * stride].v, d = r[3 * stride].v;
  const __m512d ab = _mm512_shuffle_f64x2(a, b, 0x44), more_ab = _mm512_shuffle_f64x2(a, b, 0xEE);
  const __m512d cd = _mm512_shuffle_f64x2(c, d, 0x44), more_cd = _mm512_shuffle_f64x2(c, d, 0xEE);
  r[0] = _mm512_shuffle_f64x2(ab, cd, 0x88);
  r[stride] = _mm512_shuffle_f64x2(ab, cd, 0xDD);
  r[2 * stride] = _mm512_shuffle_f64x2(more_ab, more_cd, 0x88);
  r[3 * stride] = _mm512_shuffle_f64x2(more_ab, more_cd, 0xDD);
}
RIVUS_HD void transpose_blocks(lanes_f32* r, int stride) {
  lanes_f64 d[4];
  for (int k = 0; k < 4; ++k) d[k] = _mm512_castps_pd(r[k * stride].v);
  transpose_blocks(d, 1);
  for (int k = 0; k < 4; ++k) r[k * stride] = _mm512_castpd_ps(d[k].v);
}
// To 64 bytes that begin at such a multiple, past the caches.
RIVUS_HD void stream_vector(void* to, const void* from) {
  _mm512_stream_si512(static_cast<__m512i*>(to), _mm512_loadu_si512(from));
}
RIVUS_HD void end_streams() { _mm_sfence(); }
constexpr std::size_t stream_bytes = 64;

// 16-bit reals: real::widen and real::narrow of 16 at once.
RIVUS_HD lanes_f32 load_half(const f16* p) {
  return canonical_nan(lanes_f32(_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(p)))));
}
RIVUS_HD lanes_f32 load_half(const bf16* p) {
  const __m512i w = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(p)));
  return canonical_nan(lanes_f32(_mm512_castsi512_ps(_mm512_slli_epi32(w, 16))));
}
RIVUS_HD void store_half(f16* p, lanes_f32 x) {
  const __m256i h = _mm512_cvtps_ph(canonical_nan(x).v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(p), h);
}
RIVUS_HD void store_half(bf16* p, lanes_f32 x) {
  const __m512i b = _mm512_castps_si512(canonical_nan(x).v);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(b, 16), _mm512_set1_epi32(1));
  const __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(b, _mm512_set1_epi32(0x7fff)), odd);
  _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(p), _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded, 16)));
}

// Bit j: whether a[j] < b[j].
RIVUS_HD unsigned less_bits(lanes_u64 a, lanes_u64 b) { return _mm512_cmplt_epu64_mask(a.v, b.v); }

// The product of the low halves; the halves exchanged.
RIVUS_HD lanes_u64 mul_low_halves(lanes_u64 a, lanes_u64 b) { return _mm512_mul_epu32(a.v, b.v); }
RIVUS_HD lanes_u64 swap_halves(lanes_u64 a) {
#if defined(__clang__)
  // By name: clang 19 draws the merge before it and the shuffle together into an xor and a vpermt2d, which
  // is slower.
  __m512i r;
  __asm__("vpshufd $0xB1, %1, %0" : "=v"(r) : "v"(a.v));
  return r;
#else
  return _mm512_shuffle_epi32(a.v, _MM_PERM_CDAB);
#endif
}
// p ^ k, and the high half of x into the high half: one masked instruction, as k has no low half.
RIVUS_HD lanes_u64 merge_high(lanes_u64 p, lanes_u64 x, lanes_u64 k) {
  return _mm512_mask_ternarylogic_epi32(p.v, 0xAAAA, x.v, k.v, 0x96);
}

// The high halves of w * n. The even elements of least become the least of them and the low halves.
RIVUS_HD lanes_u32 mul_high(lanes_u32 w, lanes_u32 n, lanes_u32& least) {
  const __m512i even = _mm512_mul_epu32(w.v, n.v), odd = _mm512_mul_epu32(_mm512_srli_epi64(w.v, 32), n.v);
  least = _mm512_min_epu32(least.v, _mm512_min_epu32(even, odd));
  return _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_CDAB);
}
RIVUS_HD bool any_least_below(lanes_u32 least, lanes_u32 bound) {
  return _mm512_mask_cmplt_epu32_mask(0x5555, least.v, bound.v) != 0;
}

// Which counter each 64-bit lane holds, so that in_order finds its words.
constexpr std::uint64_t counter_order[] = {0, 4, 1, 5, 2, 6, 3, 7};
// The words of eight counters, from s = [x1 x0] and t = [x3 x2], low half first.
RIVUS_HD vec<lanes_u32, 2> in_order(lanes_u64 s, lanes_u64 t) {
  const __m512 a = _mm512_castsi512_ps(s.v), b = _mm512_castsi512_ps(t.v);
  return {{_mm512_castps_si512(_mm512_shuffle_ps(a, b, 0x11)),
           _mm512_castps_si512(_mm512_shuffle_ps(a, b, 0xBB))}};
}

RIVUS_HD vec<lanes_u64, 2> pairs(const vec<lanes_u32, 2>& w) { return {{w[0].v, w[1].v}}; }
// Words against a digit, and whether one of them may equal it: then some of what was stored may be wrong.
class digit_lanes {
 public:
  static constexpr bool in_memory = false;

  RIVUS_HD explicit digit_lanes(std::uint32_t digit) : digit_(digit) {}
  // 1 where a word is less, 0 elsewhere.
  RIVUS_HD void store_less(std::uint8_t* out, const vec<lanes_u32, 2>& w) {
    const __mmask32 less =
        _mm512_kunpackw(_mm512_cmplt_epu32_mask(w[1].v, digit_.v), _mm512_cmplt_epu32_mask(w[0].v, digit_.v));
    // The ones from memory: compilers broadcast a constant through the port that comparisons and shuffles need.
    _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(out), _mm256_maskz_loadu_epi8(less, ones));
    for (int j = 0; j < 2; ++j) apart_ = _mm512_mask_cmpneq_epi32_mask(apart_, w[j].v, digit_.v);
  }
  RIVUS_HD bool undecided() const { return apart_ != 0xFFFF; }

 private:
  static constexpr std::uint64_t one = 0x0101010101010101;
  static constexpr std::uint64_t ones[] = {one, one, one, one};

  lanes_u32 digit_;
  __mmask16 apart_ = 0xFFFF;  // a bit that is no more set: a word that was equal, in that place
};

// Philox groups in flight, and the distances between the three stages of their pipeline.
constexpr int groups_in_flight = 8;
constexpr int merge_distance = 4;
constexpr int swap_distance = 7;
// a * 1 + b and a * 1 - b: as fmas, additions and they share the work among more units.
template <class V>
RIVUS_HD V opaque_one() {
  V one(real::element_t<V>(1));
  __asm__("" : "+v"(one.v));
  return one;
}
template <class V>
RIVUS_HD V add_on_fma(V a, V one, V b) {
  return fma(a, one, b);
}
RIVUS_HD lanes_f32 sub_on_fma(lanes_f32 a, lanes_f32 one, lanes_f32 b) {
  return _mm512_fmsub_ps(a.v, one.v, b.v);
}
RIVUS_HD lanes_f64 sub_on_fma(lanes_f64 a, lanes_f64 one, lanes_f64 b) {
  return _mm512_fmsub_pd(a.v, one.v, b.v);
}
// acc | (a ^ b) in one instruction.
template <class W>
RIVUS_HD W or_difference(W acc, W a, W b) {
  return _mm512_ternarylogic_epi32(acc.v, a.v, b.v, 0xF6);
}
RIVUS_HD lanes_f64 load_widened(const float* p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
// Sums of exact_kernels.hpp: places to read in at once, and accumulators for each level.
constexpr int exact_places = 4;
constexpr int exact_chains = 2;

// Vectors, and pairs of vectors, of words that are turned into values side by side.
constexpr int vectors_together = 4;
constexpr int pairs_together = 2;
// Registers for the lanes of sums.
constexpr int sum_registers = 16;
// Rows and vectors of a matmul tile.
constexpr int tile_rows = 14;
constexpr int tile_vectors = 2;

}  // namespace
}  // namespace rivus

#endif
