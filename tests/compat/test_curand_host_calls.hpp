// cuRAND's host interface as a program uses it, to be compiled with NVIDIA's <curand.h> and with rivus's.
#ifndef RIVUS_TESTS_COMPAT_TEST_CURAND_HOST_CALLS_HPP
#define RIVUS_TESTS_COMPAT_TEST_CURAND_HOST_CALLS_HPP

#include <cstddef>

namespace rivus::test {

enum class curand_kind {
  words,
  uniform,
  uniform_double,
  normal,
  normal_double,
  log_normal,
  log_normal_double,
  poisson,
  long_long
};

struct curand_calls {
  int (*create)(void** generator, int type);
  int (*destroy)(void* generator);
  int (*set_stream)(void* generator);
  int (*set_seed)(void* generator, unsigned long long seed);
  int (*set_offset)(void* generator, unsigned long long offset);
  int (*set_ordering)(void* generator, int ordering);
  int (*set_dimensions)(void* generator, unsigned dimensions);
  int (*generate_seeds)(void* generator);
  int (*generate)(void* generator, curand_kind kind, void* out, std::size_t n, double a, double b);
  int (*version)(int* version);
  int (*property)(int property, int* value);
};

extern const curand_calls rivus_calls, nvidia_calls;

}  // namespace rivus::test

#endif
