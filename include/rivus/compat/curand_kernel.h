// The device functions of cuRAND for Philox4_32_10: kernels written for <curand_kernel.h> compile with this header
// in its place, and draw the same values on the CPU as well.
//
// What is cuRAND's to the bit, for every seed, subsequence, offset and order of calls: words, uniforms, and which
// words each call consumes. Normals, log-normals and Poisson values are made of the same words by the same
// formulas, with arithmetic that is the same on CPU and GPU (curand_values.hpp says how near they are).
//
// What differs. curandState and curandState_t are Philox here, XORWOW in cuRAND: code that names no generator
// runs, with other values. cuRAND's other generators do not compile. NVIDIA's <curand.h>, where a source needs it, comes
// before this header; distributions made by libcurand have another layout, and curand_discrete takes rivus's. A block of four words is computed when its
// first word is needed, not before. curand_poisson of NaN is 0 (cuRAND does not return), and values beyond 32
// bits are 2^32 - 1 on the CPU too. curand_discrete does not read beyond its table.
//
// What cuRAND does and this header repeats, though a caller may not expect it:
// - curand_normal and its kin keep the second value of a pair for the next call, and neither skipahead nor
//   skipahead_sequence drops it: after an odd number of them the next value is one from before the skip.
//   rivus::compat::drop_cached_normals(state) drops it.
// - A change from normal to log-normal values, or back, drops it without a word.
// - curand_uniform_double has 32 random bits, not 53; curand_uniform2_double has 53, eleven of them mixed.
// - Uniforms are in (0, 1]: an index taken as floor(n * u) may be n. rivus::uniform<float> is in [0, 1).
// - Seeds are the key itself, and a state copied and used twice draws the same values twice.
// - curand_poisson consumes as many words as its values ask for: a position after it is not known beforehand.
// rivus::stream with the distributions of <rivus/rivus.hpp> has none of these, and needs no state.
#ifndef RIVUS_COMPAT_CURAND_KERNEL_H
#define RIVUS_COMPAT_CURAND_KERNEL_H

#if defined(CURAND_KERNEL_H_)
#error \
    "rivus: NVIDIA's <curand_kernel.h> was included before <rivus/compat/curand_kernel.h>; a source has one of them"
#endif
// NVIDIA's guards, so that its headers, if included later, add nothing: those that belong to this one, too.
#define CURAND_KERNEL_H_
#define CURAND_DISCRETE_H_
#define CURANDDISCRETE_H_
#define CURAND_GLOBALS_H
#define CURAND_LOGNORMAL_H_
#define CURAND_MRG32K3A_MATRICES_H_
#define CURAND_MTGP32_H
#define CURAND_MTGP32_HOST_H
#define CURAND_MTGP32_KERNEL_H
#define CURAND_MTGP32DC_P_11213_H
#define CURAND_NORMAL_H_
#define CURAND_NORMAL_STATIC_H
#define CURAND_PHILOX4X32_X__H_
#define CURAND_POISSON_H_
#define CURAND_UNIFORM_H_
#define CURAND_XORWOW_PRECALCULATED_H_

#if !defined(CURAND_2POW32)
#define CURAND_2POW32 0x1p32f
#define CURAND_2POW32_DOUBLE 0x1p32
#define CURAND_2POW32_INV 0x1p-32f
#define CURAND_2POW32_INV_DOUBLE 0x1p-32
#define CURAND_2POW53_INV_DOUBLE 0x1p-53
#define CURAND_2PI 0x1.921fb6p2f
#define CURAND_2PI_DOUBLE 0x1.921fb54442d18p2
#define CURAND_PI_DOUBLE 0x1.921fb54442d18p1
#define CURAND_2POW32_INV_2PI 0x1.921fb6p-30f
#define CURAND_2POW53_INV_2PI_DOUBLE 0x1.921fb54442d18p-51
#define CURAND_SQRT2 (-0x1.6a09e6p0f)
#define CURAND_SQRT2_DOUBLE (-0x1.6a09e667f3bcdp0)
#endif

#include <rivus/compat/curand_values.hpp>
#include <rivus/philox.hpp>

#if defined(__CUDACC_RTC__)
// NVRTC knows them.
#elif defined(__CUDACC__) || __has_include(<vector_types.h>)
#include <vector_types.h>
#else
// CUDA's vector types, where CUDA is not.
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};
struct alignas(16) double4 {
  double x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned int x, y;
};
struct alignas(16) uint4 {
  unsigned int x, y, z, w;
};
#endif

// Global, as programs declare them before this header: struct curandStateXORWOW; for curandState.
struct curandStatePhilox4_32_10;
struct curandStateXORWOW;

// CUDA 13 deprecates double4 for types whose alignment is in their names. cuRAND's functions still return it.
#if defined(__CUDACC_RTC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1444
#else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1444
#pragma nv_diag_suppress 20199
#endif

namespace rivus::compat {

// Here a state is a position of a Philox4x32-10 sequence. It may be copied, stored and moved between CPU and GPU;
// its members are not for other code.
struct alignas(16) philox_position {
  vec<std::uint32_t, 4> counter;  // of the next block
  vec<std::uint32_t, 4> block;    // the one before it
  vec<std::uint32_t, 2> key;
  std::uint32_t position;  // of the next word in `block`; 0 where the block is used up
  // The second values of pairs, and of which kind they are.
  std::uint32_t cached;
  std::uint32_t cached_double;
  float second;
  double second_double;
};
using ::curandStatePhilox4_32_10;
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;
using curandState = ::curandStateXORWOW;
using curandState_t = curandState;

}  // namespace rivus::compat

struct curandStatePhilox4_32_10 : rivus::compat::philox_position {};
// The same under another name, of a type of its own, as programs have functions for both.
struct curandStateXORWOW : curandStatePhilox4_32_10 {};

namespace rivus::compat {

namespace detail {

using philox_state = curandStatePhilox4_32_10;

enum pair_kind : std::uint32_t { no_pair = 0, normal_pair = 1, log_normal_pair = 2 };

// A state, so that calls with it add no other error.
template <int Which>
struct not_philox : philox_state {
  static_assert(Which < 0,
                "rivus: of cuRAND's generators there is only Philox here, curandStatePhilox4_32_10_t");
};

// low + 2^32 high of a pair of words, plus n; whether it wrapped.
RIVUS_HD bool add_to(std::uint32_t& low, std::uint32_t& high, std::uint64_t n) noexcept {
  const std::uint64_t sum = rivus::join(low, high) + n;
  low = static_cast<std::uint32_t>(sum);
  high = static_cast<std::uint32_t>(sum >> 32);
  return sum < n;
}

// A subsequence that ends runs on into the next one.
RIVUS_HD void add_blocks(vec<std::uint32_t, 4>& counter, std::uint64_t n) noexcept {
  const bool carry = add_to(counter[0], counter[1], n);
  add_to(counter[2], counter[3], carry);
}

RIVUS_HD void make_block(philox_state& s) noexcept {
  s.block = philox4x32::block(s.counter, s.key);
  add_blocks(s.counter, 1);
}

// After `counter` was set to the block that holds `position`.
RIVUS_HD void arrive(philox_state& s) noexcept {
  if (s.position != 0) make_block(s);
}

RIVUS_HD void leave(philox_state& s) noexcept {
  if (s.position == 0) return;
  const bool borrow = s.counter[0] == 0 && s.counter[1] == 0;
  add_to(s.counter[0], s.counter[1], ~std::uint64_t{0});
  if (borrow) add_to(s.counter[2], s.counter[3], ~std::uint64_t{0});
}

RIVUS_HD std::uint32_t next_word(philox_state& s) noexcept {
  std::uint32_t word = s.block[3];
  if (s.position == 0) {
    make_block(s);
    word = s.block[0];
  } else if (s.position == 1) {
    word = s.block[1];
  } else if (s.position == 2) {
    word = s.block[2];
  }
  s.position = (s.position + 1) & 3;
  return word;
}

RIVUS_HD vec<std::uint32_t, 4> next_words(philox_state& s) noexcept {
  if (s.position == 0) {
    const vec<std::uint32_t, 4> words = philox4x32::block(s.counter, s.key);
    add_blocks(s.counter, 1);
    return words;
  }
  const vec<std::uint32_t, 4> a = s.block;
  make_block(s);
  const vec<std::uint32_t, 4>& b = s.block;
  if (s.position == 1) return {{a[1], a[2], a[3], b[0]}};
  if (s.position == 2) return {{a[2], a[3], b[0], b[1]}};
  return {{a[3], b[0], b[1], b[2]}};
}

RIVUS_HD vec<float, 2> next_normals(philox_state& s) noexcept {
  const std::uint32_t x = next_word(s), y = next_word(s);
  return curand_normals_of(x, y);
}
RIVUS_HD vec<double, 2> next_normals_double(philox_state& s) noexcept {
  return curand_normals_of(next_words(s));
}

RIVUS_HD float4 four(vec<float, 2> a, vec<float, 2> b) noexcept { return {a[0], a[1], b[0], b[1]}; }
RIVUS_HD double4 four(vec<double, 2> a, vec<double, 2> b) noexcept { return {a[0], a[1], b[0], b[1]}; }

template <class T>
RIVUS_HD vec<T, 2> log_normals(vec<T, 2> z, T mean, T stddev) noexcept {
  return {{curand_log_normal_of(z[0], mean, stddev), curand_log_normal_of(z[1], mean, stddev)}};
}

// Poisson values for mean < 64: e^mean is multiplied by uniforms until it is 1 or less.
// Source: Knuth, The Art of Computer Programming, volume 2, section 3.4.1.
RIVUS_HD std::uint32_t poisson_of_small(philox_state& s, float mean) noexcept {
  float product = real::exp(mean);
  std::uint32_t draws = 0;
  do {
    product = real::mul(product, curand_uniform_of(next_word(s)));
    ++draws;
  } while (real::less(1.0f, product));
  return draws - 1;
}

// ln((n - 1)!) by Stirling's series, for n > 8.
RIVUS_HD double log_factorial_below(double n) noexcept {
  const double inverse = real::div(1.0, n), z = real::mul(inverse, inverse);
  const double series = real::polynomial(z, 1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188);
  const double power = real::fma(real::sub(n, 0.5), real::log(n), real::neg(n));
  return real::add(power, real::fma(series, inverse, 0x1.d67f1c864beb5p-1));
}

// Poisson values for 64 <= mean <= 4000: the inverse of an approximate distribution function
// P(x) = (1 + exp(alpha (mean - x) - beta))^-2, and rejection. Every step is rounded to a float as in cuRAND, since
// the last exponent is a difference of numbers up to 30000. alpha and beta: cuRAND's constants.
struct poisson_by_rejection {
  float mean, log_mean, alpha, inverse_alpha, beta;

  RIVUS_HD static float scale_of(float mean, float shift, float factor, float offset) noexcept {
    const float r = real::div(1.0f, real::sqrt(real::sub(mean, shift)));
    return real::add(rounded_product(factor, r), offset);
  }
  RIVUS_HD explicit poisson_by_rejection(float m) noexcept
      : mean(m),
        log_mean(static_cast<float>(real::log(static_cast<double>(m)))),
        alpha(scale_of(m, 0.12400979f, 1.43248035f, 0.00025361075f)),
        inverse_alpha(real::div(1.0f, alpha)),
        beta(scale_of(m, 1.97381164f, 0.21096735f, 0.94201734f)) {}

  RIVUS_HD float distribution(float x) const noexcept {
    const float t = real::add(1.0f, real::exp(real::sub(rounded_product(alpha, real::sub(mean, x)), beta)));
    return real::div(1.0f, rounded_product(t, t));
  }
  RIVUS_HD float inverse_distribution(float y) const noexcept {
    const float t = real::log(real::sub(real::div(1.0f, real::sqrt(y)), 1.0f));
    return real::add(rounded_product(real::neg(real::add(beta, t)), inverse_alpha), mean);
  }

  RIVUS_HD std::uint32_t operator()(philox_state& s) const noexcept {
    for (;;) {
      const float place = inverse_distribution(curand_uniform_of(next_word(s)));
      const float u = curand_uniform_of(next_word(s));
      // Below 8 no u is small enough to be accepted; for a uniform of 1 the place is infinite.
      if (real::less(place, 8.0f) || !real::less(place, 0x1p24f)) continue;
      const auto n = static_cast<std::uint32_t>(place);
      const float x = static_cast<float>(n);
      const float height =
          rounded_product(real::sub(distribution(real::add(x, 1.0f)), distribution(x)), 1.3f);
      const auto log_factorial = static_cast<float>(log_factorial_below(static_cast<double>(n) + 1.0));
      const float t = real::sub(real::add(real::neg(mean), rounded_product(x, log_mean)), log_factorial);
      // cuRAND compares with the double 1e-20, which is just above this float.
      if (real::less(rounded_product(u, height), real::exp(t)) && real::less(1e-20f, height)) return n;
    }
  }
};

}  // namespace detail

// The block of Philox4x32-10 itself, of a counter under a key.
RIVUS_HD uint4 curand_Philox4x32_10(uint4 counter, uint2 key) noexcept {
  const vec<std::uint32_t, 4> w =
      philox4x32::block({{counter.x, counter.y, counter.z, counter.w}}, {{key.x, key.y}});
  return {w[0], w[1], w[2], w[3]};
}

// Starts at word `offset` of subsequence `subsequence` of the sequence that is named by seed: 2^64 sequences of 2^64
// subsequences of 2^66 words each. Computes no block unless offset is in the middle of one.
RIVUS_HD void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                          curandStatePhilox4_32_10_t* state) noexcept {
  curandStatePhilox4_32_10_t s{};
  detail::add_to(s.key[0], s.key[1], seed);
  detail::add_to(s.counter[0], s.counter[1], offset / 4);
  detail::add_to(s.counter[2], s.counter[3], subsequence);
  s.position = static_cast<std::uint32_t>(offset % 4);
  detail::arrive(s);
  *state = s;
}

// As states of Sobol are set up, which are told of by their type.
template <class Vectors, int Which>
RIVUS_HD void curand_init(Vectors*, unsigned, detail::not_philox<Which>*) noexcept {}
template <class Vectors, class Scramble, int Which>
RIVUS_HD void curand_init(Vectors*, Scramble, unsigned, detail::not_philox<Which>*) noexcept {}

// Moves on by n words; past its end a subsequence runs on into the next. Keeps a cached normal.
RIVUS_HD void skipahead(unsigned long long n, curandStatePhilox4_32_10_t* state) noexcept {
  detail::leave(*state);
  const std::uint32_t position = state->position + static_cast<std::uint32_t>(n & 3);
  detail::add_blocks(state->counter, n / 4 + position / 4);
  state->position = position & 3;
  detail::arrive(*state);
}

// Moves on by n subsequences, to the same place in them. Keeps a cached normal.
RIVUS_HD void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t* state) noexcept {
  detail::leave(*state);
  detail::add_to(state->counter[2], state->counter[3], n);
  detail::arrive(*state);
}

// Forgets the second values of pairs that curand_normal, curand_log_normal and those of doubles keep: what is drawn
// after a skip then depends on the position alone. Not in cuRAND.
RIVUS_HD void drop_cached_normals(curandStatePhilox4_32_10_t* state) noexcept {
  state->cached = detail::no_pair;
  state->cached_double = detail::no_pair;
}

// Words. Consumed: one, or four. Range: all of 32 bits.
RIVUS_HD unsigned int curand(curandStatePhilox4_32_10_t* state) noexcept { return detail::next_word(*state); }
RIVUS_HD uint4 curand4(curandStatePhilox4_32_10_t* state) noexcept {
  const vec<std::uint32_t, 4> w = detail::next_words(*state);
  return {w[0], w[1], w[2], w[3]};
}

// Uniforms on (0, 1], as curand_values.hpp has them. Words consumed: one a value; two for each double of the forms
// with a number.
RIVUS_HD float curand_uniform(curandStatePhilox4_32_10_t* state) noexcept {
  return curand_uniform_of(detail::next_word(*state));
}
RIVUS_HD float4 curand_uniform4(curandStatePhilox4_32_10_t* state) noexcept {
  const vec<std::uint32_t, 4> w = detail::next_words(*state);
  return {curand_uniform_of(w[0]), curand_uniform_of(w[1]), curand_uniform_of(w[2]), curand_uniform_of(w[3])};
}
RIVUS_HD double curand_uniform_double(curandStatePhilox4_32_10_t* state) noexcept {
  return curand_uniform_double_of(detail::next_word(*state));
}
RIVUS_HD double2 curand_uniform2_double(curandStatePhilox4_32_10_t* state) noexcept {
  const vec<std::uint32_t, 4> w = detail::next_words(*state);
  return {curand_uniform_double_of(w[0], w[1]), curand_uniform_double_of(w[2], w[3])};
}
RIVUS_HD double4 curand_uniform4_double(curandStatePhilox4_32_10_t* state) noexcept {
  const double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
  return {a.x, a.y, b.x, b.y};
}

// Normals of mean 0 and standard deviation 1. Words consumed: two for two floats, four for two doubles; the forms
// without a number draw two values at every other call, and keep the second.
RIVUS_HD float curand_normal(curandStatePhilox4_32_10_t* state) noexcept {
  if (state->cached == detail::normal_pair) {
    state->cached = detail::no_pair;
    return state->second;
  }
  const vec<float, 2> z = detail::next_normals(*state);
  state->second = z[1];
  state->cached = detail::normal_pair;
  return z[0];
}
RIVUS_HD float2 curand_normal2(curandStatePhilox4_32_10_t* state) noexcept {
  const vec<float, 2> z = detail::next_normals(*state);
  return {z[0], z[1]};
}
RIVUS_HD float4 curand_normal4(curandStatePhilox4_32_10_t* state) noexcept {
  const vec<std::uint32_t, 4> w = detail::next_words(*state);
  return detail::four(curand_normals_of(w[0], w[1]), curand_normals_of(w[2], w[3]));
}
RIVUS_HD double curand_normal_double(curandStatePhilox4_32_10_t* state) noexcept {
  if (state->cached_double == detail::normal_pair) {
    state->cached_double = detail::no_pair;
    return state->second_double;
  }
  const vec<double, 2> z = detail::next_normals_double(*state);
  state->second_double = z[1];
  state->cached_double = detail::normal_pair;
  return z[0];
}
RIVUS_HD double2 curand_normal2_double(curandStatePhilox4_32_10_t* state) noexcept {
  const vec<double, 2> z = detail::next_normals_double(*state);
  return {z[0], z[1]};
}
RIVUS_HD double4 curand_normal4_double(curandStatePhilox4_32_10_t* state) noexcept {
  const vec<double, 2> a = detail::next_normals_double(*state);
  return detail::four(a, detail::next_normals_double(*state));
}

// exp(mean + stddev z) of normals z. Words consumed: as by normals; a value kept has the mean and the stddev of the
// call that drew it.
RIVUS_HD float curand_log_normal(curandStatePhilox4_32_10_t* state, float mean, float stddev) noexcept {
  if (state->cached == detail::log_normal_pair) {
    state->cached = detail::no_pair;
    return state->second;
  }
  const vec<float, 2> y = detail::log_normals(detail::next_normals(*state), mean, stddev);
  state->second = y[1];
  state->cached = detail::log_normal_pair;
  return y[0];
}
RIVUS_HD float2 curand_log_normal2(curandStatePhilox4_32_10_t* state, float mean, float stddev) noexcept {
  const vec<float, 2> y = detail::log_normals(detail::next_normals(*state), mean, stddev);
  return {y[0], y[1]};
}
RIVUS_HD float4 curand_log_normal4(curandStatePhilox4_32_10_t* state, float mean, float stddev) noexcept {
  const vec<std::uint32_t, 4> w = detail::next_words(*state);
  return detail::four(detail::log_normals(curand_normals_of(w[0], w[1]), mean, stddev),
                      detail::log_normals(curand_normals_of(w[2], w[3]), mean, stddev));
}
RIVUS_HD double curand_log_normal_double(curandStatePhilox4_32_10_t* state, double mean,
                                         double stddev) noexcept {
  if (state->cached_double == detail::log_normal_pair) {
    state->cached_double = detail::no_pair;
    return state->second_double;
  }
  const vec<double, 2> y = detail::log_normals(detail::next_normals_double(*state), mean, stddev);
  state->second_double = y[1];
  state->cached_double = detail::log_normal_pair;
  return y[0];
}
RIVUS_HD double2 curand_log_normal2_double(curandStatePhilox4_32_10_t* state, double mean,
                                           double stddev) noexcept {
  const vec<double, 2> y = detail::log_normals(detail::next_normals_double(*state), mean, stddev);
  return {y[0], y[1]};
}
RIVUS_HD double4 curand_log_normal4_double(curandStatePhilox4_32_10_t* state, double mean,
                                           double stddev) noexcept {
  const double2 a = curand_log_normal2_double(state, mean, stddev);
  const double2 b = curand_log_normal2_double(state, mean, stddev);
  return {a.x, a.y, b.x, b.y};
}

// Poisson values of mean lambda, by three methods: below 64, to 4000, and above, where they are rounded normals
// (double) and keep the second of a pair as curand_normal_double does. 0 for lambda <= 0 and NaN.
//
// Words consumed: as many as the values need, below 4000; four for each two values above.
// Nearness to cuRAND's functions on the CPU: another value, and from there on perhaps other words, where a uniform
// falls between two roundings of exp or log. Of 38 million values for eight lambdas from 64 to 4000 19 were others,
// of 43 million outside none.
RIVUS_HD unsigned int curand_poisson(curandStatePhilox4_32_10_t* state, double lambda) noexcept {
  if (lambda < 64.0) return detail::poisson_of_small(*state, static_cast<float>(lambda));
  if (lambda > 4000.0)
    return curand_rounded_normal_of(curand_normal_double(state), lambda, real::sqrt(lambda));
  if (lambda != lambda) return 0;
  return detail::poisson_by_rejection(static_cast<float>(lambda))(*state);
}

// Four of them, of which those above 4000 keep nothing.
RIVUS_HD uint4 curand_poisson4(curandStatePhilox4_32_10_t* state, double lambda) noexcept {
  if (lambda > 4000.0) {
    const double deviation = real::sqrt(lambda);
    const double4 z = curand_normal4_double(state);
    return {
        curand_rounded_normal_of(z.x, lambda, deviation), curand_rounded_normal_of(z.y, lambda, deviation),
        curand_rounded_normal_of(z.z, lambda, deviation), curand_rounded_normal_of(z.w, lambda, deviation)};
  }
  uint4 k{};
  for (int i = 0; i < 4; ++i) k = {k.y, k.z, k.w, curand_poisson(state, lambda)};
  return k;
}

// Values of a discrete distribution made by rivus's curandCreatePoissonDistribution, or by the caller.
//
// Words consumed: one a value by a table; without one those of curand_normal_double and curand_normal4_double.
RIVUS_HD unsigned int curand_discrete(curandStatePhilox4_32_10_t* state,
                                      const curand_discrete_distribution* distribution) noexcept {
  const curand_discrete_distribution& d = *distribution;
  if (d.length != 0) return curand_discrete_of(detail::next_word(*state), d);
  return curand_rounded_normal_of(curand_normal_double(state), d.mean, d.stddev);
}
RIVUS_HD uint4 curand_discrete4(curandStatePhilox4_32_10_t* state,
                                const curand_discrete_distribution* distribution) noexcept {
  const curand_discrete_distribution& d = *distribution;
  if (d.length != 0) {
    const vec<std::uint32_t, 4> w = detail::next_words(*state);
    return {curand_discrete_of(w[0], d), curand_discrete_of(w[1], d), curand_discrete_of(w[2], d),
            curand_discrete_of(w[3], d)};
  }
  const double4 z = curand_normal4_double(state);
  return {curand_rounded_normal_of(z.x, d.mean, d.stddev), curand_rounded_normal_of(z.y, d.mean, d.stddev),
          curand_rounded_normal_of(z.z, d.mean, d.stddev), curand_rounded_normal_of(z.w, d.mean, d.stddev)};
}

}  // namespace rivus::compat

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif
#if defined(__CUDACC_RTC__)
#pragma nv_diagnostic pop
#else
#pragma GCC diagnostic pop
#endif

// The names as programs use them. They are declared in rivus::compat so that an object which was compiled with
// NVIDIA's header can be linked beside one that was compiled with this.
using rivus::compat::curand;
using rivus::compat::curand4;
using rivus::compat::curand_discrete;
using rivus::compat::curand_discrete4;
using rivus::compat::curand_init;
using rivus::compat::curand_log_normal;
using rivus::compat::curand_log_normal2;
using rivus::compat::curand_log_normal2_double;
using rivus::compat::curand_log_normal4;
using rivus::compat::curand_log_normal4_double;
using rivus::compat::curand_log_normal_double;
using rivus::compat::curand_normal;
using rivus::compat::curand_normal2;
using rivus::compat::curand_normal2_double;
using rivus::compat::curand_normal4;
using rivus::compat::curand_normal4_double;
using rivus::compat::curand_normal_double;
using rivus::compat::curand_Philox4x32_10;
using rivus::compat::curand_poisson;
using rivus::compat::curand_poisson4;
using rivus::compat::curand_uniform;
using rivus::compat::curand_uniform2_double;
using rivus::compat::curand_uniform4;
using rivus::compat::curand_uniform4_double;
using rivus::compat::curand_uniform_double;
using rivus::compat::curandState;
using rivus::compat::curandState_t;
using rivus::compat::curandStatePhilox4_32_10_t;
using rivus::compat::skipahead;
using rivus::compat::skipahead_sequence;

// cuRAND's other generators: a pointer may be declared, and nothing else.
using curandStateXORWOW_t = rivus::compat::detail::not_philox<0>;
using curandStateMRG32k3a = rivus::compat::detail::not_philox<1>;
using curandStateMRG32k3a_t = curandStateMRG32k3a;
using curandStateMtgp32 = rivus::compat::detail::not_philox<2>;
using curandStateMtgp32_t = curandStateMtgp32;
using curandStateSobol32 = rivus::compat::detail::not_philox<3>;
using curandStateSobol32_t = curandStateSobol32;
using curandStateScrambledSobol32 = rivus::compat::detail::not_philox<4>;
using curandStateScrambledSobol32_t = curandStateScrambledSobol32;
using curandStateSobol64 = rivus::compat::detail::not_philox<5>;
using curandStateSobol64_t = curandStateSobol64;
using curandStateScrambledSobol64 = rivus::compat::detail::not_philox<6>;
using curandStateScrambledSobol64_t = curandStateScrambledSobol64;

#endif
