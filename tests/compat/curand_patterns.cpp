// What public programs do around <curand.h> and <curand_kernel.h>, which are found in include/rivus/compat/drop_in.
typedef struct curandGenerator_st* curandGenerator_t;
struct curandStatePhilox4_32_10;
struct curandStateXORWOW;
typedef struct curandStateXORWOW curandState;
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

// A header of theirs, that spares its users NVIDIA's.
struct simulation {
  curandGenerator_t generator;
  curandState* states;
  curandStatePhilox4_32_10_t* philox;
};

#define RIVUS_CURAND_ANY_GENERATOR
#include <curand.h>
#include <curand_kernel.h>
#if __has_include(<curand_uniform.h>)
#include <curand_discrete.h>
#include <curand_globals.h>
#include <curand_lognormal.h>
#include <curand_mtgp32_host.h>
#include <curand_normal.h>
#include <curand_philox4x32_x.h>
#include <curand_poisson.h>
#include <curand_uniform.h>
#endif

#if !defined(RIVUS_COMPAT_CURAND_KERNEL_H) || !defined(RIVUS_COMPAT_CURAND_H)
#error "the folder drop_in was not the first in which the headers were looked for"
#endif
#if defined(RIVUS_TEST_TOOLKIT)
// <curand.h> alone brings the runtime in.
cudaError_t allocate(float** x) { return cudaMalloc(reinterpret_cast<void**>(x), 4); }
#endif

#include <cstdio>

int main() {
  curandState state;
  curandStatePhilox4_32_10_t philox;
  simulation s{nullptr, &state, &philox};
  curand_init(1, 2, 3, s.states);
  curand_init(1, 2, 3, s.philox);
  if (curand(s.states) != curand(s.philox)) return 1;
  const uint4 block = curand_Philox4x32_10({3, 0, 2, 0}, {1, 0});
  curand_init(1, 2, 12, s.states);
  if (curand(s.states) != block.x || static_cast<float>(block.y) * CURAND_2POW32_INV >= 1) return 2;
  float x[3], y[3];
  for (const auto type : {CURAND_RNG_PSEUDO_MT19937, CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A,
                          CURAND_RNG_PSEUDO_MTGP32, CURAND_RNG_PSEUDO_PHILOX4_32_10}) {
    if (curandCreateGeneratorHost(&s.generator, type) != CURAND_STATUS_SUCCESS) return 3;
    if (curandGenerateUniform(s.generator, type == CURAND_RNG_PSEUDO_MT19937 ? y : x, 3) !=
        CURAND_STATUS_SUCCESS)
      return 4;
    if (x[0] != y[0] && type != CURAND_RNG_PSEUDO_MT19937) return 5;
    curandDestroyGenerator(s.generator);
  }
  if (curandCreateGeneratorHost(&s.generator, CURAND_RNG_QUASI_SOBOL32) != CURAND_STATUS_TYPE_ERROR) return 6;
  std::puts("patterns work");
}
