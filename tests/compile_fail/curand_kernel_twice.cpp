// expect: NVIDIA's <curand_kernel.h> was included before <rivus/compat/curand_kernel.h>
// wrong flags: -DCURAND_KERNEL_H_
#include <rivus/compat/curand_kernel.h>

float next(curandState* s) { return curand_uniform(s); }
