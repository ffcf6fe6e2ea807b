// What cuRAND's Philox4_32_10 makes of its words: the same values, by arithmetic that is the same on CPU and GPU.
//
// Uniforms are cuRAND's to the bit. Of normals and log-normals u and the angle are cuRAND's to the bit, and
// logarithm, root, sine, cosine and exponential are rivus's: cuRAND takes those of the C library on the CPU and
// approximations on the GPU, so that its own values differ between the two.
// Source: the behaviour of libcurand 10.4.0, and of its device functions compiled for the CPU without
// contraction.
#ifndef RIVUS_COMPAT_CURAND_VALUES_HPP
#define RIVUS_COMPAT_CURAND_VALUES_HPP

#include <rivus/real.hpp>
#include <rivus/vec.hpp>

namespace rivus::compat {
namespace detail {

// A product that no compiler may fuse with the addition after it.
template <class T>
RIVUS_HD T rounded_product(T a, T b) noexcept {
  return real::fma(a, b, T(0));
}

// sqrt(-2 ln u) from 2u, for 0 < u <= 1; -0 for 1, as with cuRAND.
template <class T>
RIVUS_HD T radius(T twice_u) noexcept {
  constexpr T minus_two_ln2 = sizeof(T) == 4 ? T(-0x1.62e43p0) : T(-0x1.62e42fefa39efp0);
  T t;
  const T e = real::split_exponent<2>(twice_u, t);
  const T x =
      real::fma(e, minus_two_ln2 * real::format<T>::exponent_unit, real::neg(real::log1p_scaled<2>(t)));
  const T r = real::sqrt_of_positive(x);
  return real::to_bits(x) << 1 == 0 ? x : r;  // of zero it is no root
}

// Sine and cosine of k quarter turns and f of another, |f| <= 1/2, times r. The signs last: no addition of the
// caller's may receive the product.
template <class T>
RIVUS_HD vec<T, 2> on_circle(T r, T f, typename real::format<T>::word k) noexcept {
  using word = typename real::format<T>::word;
  const real::sin_cos<T> q = real::sin_cos_quarter(f);
  const bool odd = (k & 1) != 0;
  const word sin_sign = k << (real::format<T>::bits - 2), cos_sign = (k + 1) << (real::format<T>::bits - 2);
  return {{real::flip_sign(real::mul(r, odd ? q.cos : q.sin), sin_sign),
           real::flip_sign(real::mul(r, odd ? q.sin : q.cos), cos_sign)}};
}

// Takes the nearest integer from quarter turns, to which the sum with 1.5 * 2^fraction_bits rounds them.
template <class T>
constexpr T nearest_shift = sizeof(T) == 4 ? T(0x1.8p23) : T(0x1.8p52);

// The 53 bits that cuRAND makes of two words, of which eleven are mixed.
RIVUS_HD double curand_53_bits(std::uint32_t a, std::uint32_t b) noexcept {
  return static_cast<double>(static_cast<std::int64_t>(a ^ std::uint64_t{b} << 21));
}

}  // namespace detail

// curand_uniform of a word: x 2^-32 + 2^-33, x rounded to a float first.
//
// Range: [2^-33, 1]; 1 for the 128 words from 0xffffff80 on, 0 never.
// Determinism: everywhere, and equal to cuRAND.
RIVUS_HD float curand_uniform_of(std::uint32_t x) noexcept {
  return real::fma(static_cast<float>(x), 0x1p-32f, 0x1p-33f);
}

// curand_uniform_double of one word: (x + 1) 2^-32, of which there are only 2^32.
//
// Range: [2^-32, 1]. Determinism: everywhere, and equal to cuRAND.
RIVUS_HD double curand_uniform_double_of(std::uint32_t x) noexcept {
  return real::fma(static_cast<double>(x), 0x1p-32, 0x1p-32);
}

// curand_uniform2_double of two words: z 2^-53 + 2^-54 for z = a XOR (b << 21).
//
// Range: [2^-54, 1]; 1 for z = 2^53 - 1 alone. Determinism: everywhere, and equal to cuRAND.
RIVUS_HD double curand_uniform_double_of(std::uint32_t a, std::uint32_t b) noexcept {
  return real::fma(detail::curand_53_bits(a, b), 0x1p-53, 0x1p-54);
}

// curand_normal2 of two words: radius times sine and cosine of an angle.
//
// Range: within +-6.77. Both are zero where x rounds to u = 1, with probability 2^-25.
// Error: at most 4e-6 max(1, |z|) from cuRAND's functions on the CPU.
// Determinism: everywhere. Source: Box and Muller 1958.
RIVUS_HD vec<float, 2> curand_normals_of(std::uint32_t x, std::uint32_t y) noexcept {
  // cuRAND's angle has rounded 2 pi first, then the product, then the sum.
  const float v = real::add(detail::rounded_product(static_cast<float>(y), 0x1.921fb6p-30f), 0x1.921fb6p-31f);
  // In quarter turns, by 2/pi in two parts.
  const float shifted = real::fma(v, 0x1.45f306p-1f, detail::nearest_shift<float>);
  const float k = real::sub(shifted, detail::nearest_shift<float>);
  const float f = real::fma(v, 0x1.b9391p-26f, real::fma(v, 0x1.45f306p-1f, real::neg(k)));
  return detail::on_circle(detail::radius(real::fma(static_cast<float>(x), 0x1p-31f, 0x1p-32f)), f,
                           real::to_bits(shifted));
}

// curand_normal2_double of four words: radius from the first two, angle from the last two.
//
// Range: within +-8.66. Error: at most 1e-12 from cuRAND's functions on the CPU.
// Determinism: everywhere. Source: Box and Muller 1958.
RIVUS_HD vec<double, 2> curand_normals_of(const vec<std::uint32_t, 4>& w) noexcept {
  // cuRAND's angle in half turns, in (0, 2]; twice that are quarter turns.
  const double v = real::fma(detail::curand_53_bits(w[2], w[3]), 0x1p-52, 0x1p-53);
  const double shifted = real::fma(v, 2.0, detail::nearest_shift<double>);
  const double f = real::fma(v, 2.0, real::sub(detail::nearest_shift<double>, shifted));
  return detail::on_circle(detail::radius(real::fma(detail::curand_53_bits(w[0], w[1]), 0x1p-52, 0x1p-53)), f,
                           real::to_bits(shifted));
}

// curand_log_normal of a normal value: exp(mean + stddev z), product and sum each rounded.
//
// Any arguments; +inf, 0 and NaN as real::exp has them. Determinism: everywhere.
RIVUS_HD float curand_log_normal_of(float z, float mean, float stddev) noexcept {
  return real::exp(real::add(mean, detail::rounded_product(stddev, z)));
}
RIVUS_HD double curand_log_normal_of(double z, double mean, double stddev) noexcept {
  return real::exp(real::add(mean, detail::rounded_product(stddev, z)));
}

// A discrete distribution as curand_discrete takes it: a square histogram, or a rounded normal.
//
// By the histogram: j = floor(length u) for u = curand_uniform_double_of(word), and the value is shift + j where
// u < V[j], else shift + K[j]. V and K have `length` elements and are readable where the values are drawn.
// Source: Marsaglia, Tsang and Wang 2004, "Fast generation of discrete random variables".
struct curand_discrete_distribution {
  const double* V;
  const std::uint32_t* K;
  std::uint32_t shift;
  std::uint32_t length;
  // Where length is 0: the integer part of mean + 1/2 + stddev z, for normals z (double).
  double mean;
  double stddev;
};

// The value of a histogram that a word stands for.
//
// cuRAND reads beyond V and K for the word 0xffffffff, where u = 1; here j is then length - 1.
// Needs length > 0. Determinism: everywhere.
RIVUS_HD std::uint32_t curand_discrete_of(std::uint32_t x, const curand_discrete_distribution& d) noexcept {
  const double u = curand_uniform_double_of(x);
  const auto at = static_cast<std::uint32_t>(real::mul(static_cast<double>(d.length), u));
  const std::uint32_t j = at < d.length ? at : d.length - 1;
  return d.shift + (u < d.V[j] ? j : d.K[j]);
}

// mean + stddev z rounded to the nearest integer as cuRAND does it: the integer part of the sum with 1/2, each
// step rounded.
//
// Values beyond 32 bits give the nearest end of their range, NaN 0. Determinism: everywhere.
RIVUS_HD std::uint32_t curand_rounded_normal_of(double z, double mean, double stddev) noexcept {
  const double x = real::add(real::add(detail::rounded_product(stddev, z), mean), 0.5);
  if (!(x > 0.0)) return 0;
  return x < 0x1p32 ? static_cast<std::uint32_t>(x) : 0xffffffffu;
}

// By the names of NVIDIA's curand.h, whose own distributions have another layout.
struct curandDiscreteDistribution_st : curand_discrete_distribution {};
using curandDiscreteDistribution_t = curandDiscreteDistribution_st*;

}  // namespace rivus::compat

// Where NVIDIA's header was included first these names are its own, and curand_discrete refuses what they name; where it
// comes later it does not compile, so that no distribution is taken for one of the other kind.
#if !defined(CURAND_H_) || defined(RIVUS_COMPAT_CURAND_H)
using rivus::compat::curandDiscreteDistribution_st, rivus::compat::curandDiscreteDistribution_t;
#endif

#endif
