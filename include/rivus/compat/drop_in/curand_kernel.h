// With -I on this folder, before CUDA's own: #include <curand_kernel.h> finds rivus's.
#ifndef RIVUS_COMPAT_DROP_IN_CURAND_KERNEL_H
#define RIVUS_COMPAT_DROP_IN_CURAND_KERNEL_H

// NVIDIA's includes its curand.h as well.
#if !defined(CURAND_H_)
#include <rivus/compat/curand.h>
#endif
#include <rivus/compat/curand_kernel.h>

#endif
