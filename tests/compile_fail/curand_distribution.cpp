// expect: curandDiscreteDistribution_st
#include <rivus/compat/curand_kernel.h>

#ifdef WRONG
// As NVIDIA's <curand.h> has it, with another layout.
typedef struct curandDiscreteDistribution_st* curandDiscreteDistribution_t;
struct curandDiscreteDistribution_st {
  void* self;
};
#endif
unsigned next(curandState* s, curandDiscreteDistribution_t d) { return curand_discrete(s, d); }
