// expect: of cuRAND's generators there is only Philox here
#include <rivus/compat/curand_kernel.h>

#ifdef WRONG
using state = curandStateSobol32_t;
#else
using state = curandState;
#endif
float next(state* s) { return curand_uniform(s); }
