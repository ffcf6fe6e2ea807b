// RIVUS_HD and RIVUS_HOST, the version, and the compiler modes that are refused. Nothing else in rivus is a macro.
#ifndef RIVUS_CONFIG_HPP
#define RIVUS_CONFIG_HPP

#include <rivus/std.hpp>

#define RIVUS_VERSION_MAJOR 0
#define RIVUS_VERSION_MINOR 1
#define RIVUS_VERSION_PATCH 0
#define RIVUS_VERSION_STRING "0.1.0"

// Host and device. Forced inline, so that an object built for one instruction set never exports a
// copy of a header function that the linker could hand to code running on another.
#if defined(__CUDACC__)
#define RIVUS_HD __host__ __device__ __forceinline__
#else
#define RIVUS_HD inline __attribute__((always_inline))
#endif

// Host alone, but where a program is compiled at run time (NVRTC), which allows no such function.
#if defined(__CUDACC_RTC__)
#define RIVUS_HOST __device__
#else
#define RIVUS_HOST
#endif

#if __cplusplus < 201703L
#error "rivus: C++17 or newer is needed (-std=c++17)"
#endif
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \
    (defined(__NO_SIGNED_ZEROS__) && __NO_SIGNED_ZEROS__)
#error "rivus: -ffast-math and its parts let the compiler change values; compile without them"
#endif
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "rivus: -ffinite-math-only lets the compiler change values; compile without it"
#endif
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#error "rivus: float must be evaluated as float (FLT_EVAL_METHOD 0); on 32-bit x86 use -msse2 -mfpmath=sse"
#endif

namespace rivus {

static_assert(sizeof(0.1) == sizeof(double),
              "rivus: -fsingle-precision-constant changes values; compile without it");

// Version of the value contract (docs/spec.md) that this library computes.
inline constexpr int contract_version = 1;

}  // namespace rivus

#endif
