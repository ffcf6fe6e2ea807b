// One call of each function that <curand_kernel.h> has for Philox, written once for whichever header of that name
// the source includes first: rivus's on CPU and GPU, and NVIDIA's on the CPU.
#ifndef RIVUS_TESTS_COMPAT_TEST_CURAND_KERNEL_CALLS_HPP
#define RIVUS_TESTS_COMPAT_TEST_CURAND_KERNEL_CALLS_HPP

#include "test_curand_kernel_script.hpp"

#if defined(__CUDACC__)
#define CURAND_TEST_FUNCTION __host__ __device__ inline
#else
#define CURAND_TEST_FUNCTION inline
#endif

namespace rivus::test {
namespace {

struct taker {
  drawn d;
  CURAND_TEST_FUNCTION void one(double x) { d.value[d.count++] = x; }
  template <class Two>
  CURAND_TEST_FUNCTION void two(Two v) {
    one(static_cast<double>(v.x));
    one(static_cast<double>(v.y));
  }
  template <class Four>
  CURAND_TEST_FUNCTION void four(Four v) {
    two(v);
    one(static_cast<double>(v.z));
    one(static_cast<double>(v.w));
  }
};

template <class State, class Distribution>
CURAND_TEST_FUNCTION drawn perform(const call& c, State* s, Distribution distribution) {
  taker t{};
  const auto mean = static_cast<float>(c.a), stddev = static_cast<float>(c.b);
  switch (c.what) {
    case call::init:
      curand_init(c.n, c.subsequence, c.offset, s);
      break;
    case call::skip:
      skipahead(c.n, s);
      break;
    case call::skip_sequence:
      skipahead_sequence(c.n, s);
      break;
    case call::word:
      t.one(static_cast<double>(curand(s)));
      break;
    case call::word4:
      t.four(curand4(s));
      break;
    case call::uniform:
      t.one(static_cast<double>(curand_uniform(s)));
      break;
    case call::uniform4:
      t.four(curand_uniform4(s));
      break;
    case call::uniform_double:
      t.one(curand_uniform_double(s));
      break;
    case call::uniform2_double:
      t.two(curand_uniform2_double(s));
      break;
    case call::uniform4_double:
      t.four(curand_uniform4_double(s));
      break;
    case call::normal:
      t.one(static_cast<double>(curand_normal(s)));
      break;
    case call::normal2:
      t.two(curand_normal2(s));
      break;
    case call::normal4:
      t.four(curand_normal4(s));
      break;
    case call::normal_double:
      t.one(curand_normal_double(s));
      break;
    case call::normal2_double:
      t.two(curand_normal2_double(s));
      break;
    case call::normal4_double:
      t.four(curand_normal4_double(s));
      break;
    case call::log_normal:
      t.one(static_cast<double>(curand_log_normal(s, mean, stddev)));
      break;
    case call::log_normal2:
      t.two(curand_log_normal2(s, mean, stddev));
      break;
    case call::log_normal4:
      t.four(curand_log_normal4(s, mean, stddev));
      break;
    case call::log_normal_double:
      t.one(curand_log_normal_double(s, c.a, c.b));
      break;
    case call::log_normal2_double:
      t.two(curand_log_normal2_double(s, c.a, c.b));
      break;
    case call::log_normal4_double:
      t.four(curand_log_normal4_double(s, c.a, c.b));
      break;
    case call::discrete:
      t.one(static_cast<double>(curand_discrete(s, distribution)));
      break;
    case call::discrete4:
      t.four(curand_discrete4(s, distribution));
      break;
    case call::poisson:
      t.one(static_cast<double>(curand_poisson(s, c.a)));
      break;
    case call::poisson4:
      t.four(curand_poisson4(s, c.a));
      break;
    default:
      break;
  }
  return t.d;
}

inline fixed_values values_of_header() {
  uint4 counter{};
  uint2 key{};
  counter.x = 0x243f6a88, counter.y = 0x85a308d3, counter.z = 0x13198a2e, counter.w = 0x03707344;
  key.x = 0xa4093822, key.y = 0x299f31d0;
  const uint4 b = curand_Philox4x32_10(counter, key);
  return {{b.x, b.y, b.z, b.w},
          {CURAND_2POW32, CURAND_2POW32_DOUBLE, CURAND_2POW32_INV, CURAND_2POW32_INV_DOUBLE,
           CURAND_2POW53_INV_DOUBLE, CURAND_2PI, CURAND_2PI_DOUBLE, CURAND_PI_DOUBLE, CURAND_2POW32_INV_2PI,
           CURAND_2POW53_INV_2PI_DOUBLE, CURAND_SQRT2, CURAND_SQRT2_DOUBLE}};
}

}  // namespace
}  // namespace rivus::test

#endif
