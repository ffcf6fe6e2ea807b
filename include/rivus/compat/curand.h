// The host interface of NVIDIA's cuRAND for its generator PHILOX4_32_10, on the CPU and with CUDA: the same names,
// the same statuses and the same words.
//
// A program that includes <curand.h> includes this header instead, or puts include/rivus/compat/drop_in first in
// its include path, and links rivus::rivus; curandCreateGenerator and curandCreatePoissonDistribution, which put
// things in device memory, are in rivus::cuda. The functions are in namespace rivus::compat and named in the
// global one, so that libcurand may be linked into the same program.
//
// Words, uniforms and Poisson draws below a mean of 2000 are those of libcurand's host generator, bit for bit,
// in any pattern of calls, also where that pattern surprises:
// - A generator counts blocks for each of 65536 subsequences, 1 for four 32-bit values and 2 for four doubles,
//   when a group of four is complete. A call that changes between them within a group uses the words of its
//   block again. An offset counts 32-bit values: only below 262144 is it the number of doubles left out.
// - After another seed, curandGenerateSeeds or another ordering, output does not begin anew: the next output is
//   number offset + (groups of four completed since the offset was set), modulo 2^64; where that is 0, the place
//   in the group stays. curandSetGeneratorOffset makes the position clear again. Setting the seed that is set
//   already does nothing.
// Normals are within 4e-6 max(1, |z|) (float) or 1e-12 (double) of libcurand's, which takes them from the C
// library on the CPU and from approximations on the GPU; here both give the same bits. Log-normals are exp of
// them. A Poisson draw with a mean from 2000 on is a rounded normal and differs by one where rounding does.
//
// Generators: CURAND_RNG_PSEUDO_PHILOX4_32_10, and CURAND_RNG_PSEUDO_DEFAULT, which is XORWOW in cuRAND and
// Philox here: its values differ. Others give CURAND_STATUS_TYPE_ERROR; where RIVUS_CURAND_ANY_GENERATOR is defined
// before this header, the other pseudo-random ones are Philox, too, which one line on stderr says at the first of them.
// Orderings: BEST, DEFAULT and LEGACY, all with the same values.
// Statuses: as libcurand's, and CURAND_STATUS_OUT_OF_RANGE for null pointers to outputs, which it does not look at.
// Nothing throws.
// Determinism: everywhere; the values of a device generator are those of a host generator.
// Thread safety: one call at a time on a generator.
// Not here: curandGeneratePoissonMethod, which NVIDIA's manual does not describe, and quasirandom generators; their
// direction vectors do not compile.
// Source: the behaviour of libcurand 10.4.0.
#ifndef RIVUS_COMPAT_CURAND_H
#define RIVUS_COMPAT_CURAND_H

#if !defined(__cplusplus)
#error "rivus/compat/curand.h: C++ only; declare what you call in a C++ file of your own"
#endif
#if defined(CURAND_H_)
#error "rivus/compat/curand.h takes the place of NVIDIA's curand.h: include one of the two in a source file"
#endif
// NVIDIA's header, if included later, is passed over: its names are these.
#define CURAND_H_

#include <cstddef>
#if defined(RIVUS_CURAND_ANY_GENERATOR)
#include <cstdio>
#endif
#include <rivus/compat/curand_values.hpp>

// That of libcurand whose behaviour this is.
#define CURAND_VER_MAJOR 10
#define CURAND_VER_MINOR 4
#define CURAND_VER_PATCH 0
#define CURAND_VERSION (CURAND_VER_MAJOR * 1000 + CURAND_VER_MINOR * 100 + CURAND_VER_PATCH)

// NVIDIA's brings the runtime in.
#if __has_include(<cuda_runtime.h>)
#include <cuda_runtime.h>
#else
typedef struct CUstream_st* cudaStream_t;
#endif
#if __has_include(<library_types.h>)
#include <library_types.h>
#else
typedef enum libraryPropertyType_t { MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL } libraryPropertyType;
#endif

// Global, as programs declare it themselves.
struct curandGenerator_st;

namespace rivus::compat {

enum curandStatus {
  CURAND_STATUS_SUCCESS = 0,
  CURAND_STATUS_VERSION_MISMATCH = 100,
  CURAND_STATUS_NOT_INITIALIZED = 101,
  CURAND_STATUS_ALLOCATION_FAILED = 102,
  CURAND_STATUS_TYPE_ERROR = 103,
  CURAND_STATUS_OUT_OF_RANGE = 104,
  CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
  CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
  CURAND_STATUS_LAUNCH_FAILURE = 201,
  CURAND_STATUS_PREEXISTING_FAILURE = 202,
  CURAND_STATUS_INITIALIZATION_FAILED = 203,
  CURAND_STATUS_ARCH_MISMATCH = 204,
  CURAND_STATUS_INTERNAL_ERROR = 999
};
using curandStatus_t = curandStatus;

enum curandRngType {
  CURAND_RNG_TEST = 0,
  CURAND_RNG_PSEUDO_DEFAULT = 100,
  CURAND_RNG_PSEUDO_XORWOW = 101,
  CURAND_RNG_PSEUDO_MRG32K3A = 121,
  CURAND_RNG_PSEUDO_MTGP32 = 141,
  CURAND_RNG_PSEUDO_MT19937 = 142,
  CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
  CURAND_RNG_QUASI_DEFAULT = 200,
  CURAND_RNG_QUASI_SOBOL32 = 201,
  CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202,
  CURAND_RNG_QUASI_SOBOL64 = 203,
  CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204
};
using curandRngType_t = curandRngType;

enum curandOrdering {
  CURAND_ORDERING_PSEUDO_BEST = 100,
  CURAND_ORDERING_PSEUDO_DEFAULT = 101,
  CURAND_ORDERING_PSEUDO_SEEDED = 102,
  CURAND_ORDERING_PSEUDO_LEGACY = 103,
  CURAND_ORDERING_PSEUDO_DYNAMIC = 104,
  CURAND_ORDERING_QUASI_DEFAULT = 201
};
using curandOrdering_t = curandOrdering;

using ::curandGenerator_st;
using curandGenerator_t = curandGenerator_st*;

namespace detail {

curandStatus_t create_generator_host(curandGenerator_t* generator, curandRngType_t type) noexcept;
curandStatus_t create_generator(curandGenerator_t* generator, curandRngType_t type) noexcept;

// The type itself; under RIVUS_CURAND_ANY_GENERATOR Philox in the place of another pseudo-random one. Inlined, as files
// with and without it may be linked together.
inline __attribute__((always_inline)) curandRngType_t taken_as(curandRngType_t type) noexcept {
#if defined(RIVUS_CURAND_ANY_GENERATOR)
  if (type == CURAND_RNG_PSEUDO_XORWOW || type == CURAND_RNG_PSEUDO_MRG32K3A ||
      type == CURAND_RNG_PSEUDO_MTGP32 || type == CURAND_RNG_PSEUDO_MT19937) {
    static const int said =
        std::fprintf(stderr,
                     "rivus: cuRAND's generator type %d is taken as Philox4_32_10, as all of them are under "
                     "RIVUS_CURAND_ANY_GENERATOR; the values are Philox's\n",
                     static_cast<int>(type));
    static_cast<void>(said);
    return CURAND_RNG_PSEUDO_PHILOX4_32_10;
  }
#endif
  return type;
}

}  // namespace detail

// A generator with seed 0 and offset 0 that writes to memory of the host, on the calling thread and OpenMP's.
inline __attribute__((always_inline)) curandStatus_t
curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) noexcept {
  return detail::create_generator_host(generator, detail::taken_as(type));
}
// One that writes to memory of the current device, on the stream of curandSetStream; calls return at once, and
// neither allocate nor synchronise, but for the tables of Poisson draws with another mean. A call after many short
// ones of both kinds by turns takes up to 256 launches. In rivus::cuda.
// Errors: CURAND_STATUS_INITIALIZATION_FAILED without a device.
inline __attribute__((always_inline)) curandStatus_t curandCreateGenerator(curandGenerator_t* generator,
                                                                           curandRngType_t type) noexcept {
  return detail::create_generator(generator, detail::taken_as(type));
}
curandStatus_t curandDestroyGenerator(curandGenerator_t generator) noexcept;

// 10400, and 10, 4 and 0 for MAJOR_VERSION, MINOR_VERSION and PATCH_LEVEL.
curandStatus_t curandGetVersion(int* version) noexcept;
curandStatus_t curandGetProperty(int property, int* value) noexcept;

// No effect on a host generator.
curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) noexcept;
// Any seed; it is the key of Philox. See above for what the position becomes.
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed) noexcept;
// The next output is number `offset`, any number; positions beyond 2^64 - 1 follow without a break.
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) noexcept;
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t ordering) noexcept;
// Always CURAND_STATUS_TYPE_ERROR.
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                       unsigned dimensions) noexcept;
// Nothing but the change of position that the end of the first paragraph above tells of.
curandStatus_t curandGenerateSeeds(curandGenerator_t generator) noexcept;

// n values each, any n, odd ones too; out needs the alignment of its type. With n = 0 nothing else is looked at
// but the generator.
curandStatus_t curandGenerate(curandGenerator_t generator, unsigned* out, std::size_t n) noexcept;
// CURAND_STATUS_TYPE_ERROR for n > 0: Philox has no 64-bit words here.
curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long* out,
                                      std::size_t n) noexcept;
// In (0, 1], as curand_uniform_of; doubles by the pairs of curand_uniform_double_of(a, b).
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* out, std::size_t n) noexcept;
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* out, std::size_t n) noexcept;
// Any mean and standard deviation: mean + stddev z, product and sum each rounded.
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* out, std::size_t n, float mean,
                                    float stddev) noexcept;
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* out, std::size_t n,
                                          double mean, double stddev) noexcept;
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* out, std::size_t n, float mean,
                                       float stddev) noexcept;
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* out, std::size_t n,
                                             double mean, double stddev) noexcept;
// Errors: CURAND_STATUS_OUT_OF_RANGE unless 0 < lambda <= 400000; NaN gives zeros, as with libcurand.
curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned* out, std::size_t n,
                                     double lambda) noexcept;

// A distribution for curand_discrete in memory of the current device; its draws are those of
// curandGeneratePoisson below a mean of 2000, and rounded normals from there on. In rivus::cuda.
// Errors: as curandGeneratePoisson; CURAND_STATUS_ALLOCATION_FAILED, CURAND_STATUS_INITIALIZATION_FAILED.
curandStatus_t curandCreatePoissonDistribution(double lambda,
                                               curandDiscreteDistribution_t* distribution) noexcept;
// The same in memory of the host, which NVIDIA does not have.
curandStatus_t create_poisson_distribution_host(double lambda,
                                                curandDiscreteDistribution_t* distribution) noexcept;
// Of either. Errors: CURAND_STATUS_NOT_INITIALIZED for what is none, also if destroyed before.
curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t distribution) noexcept;

namespace detail {

// What belongs to generators that are not here: one error for a source file, however much of it that uses.
template <class T>
struct not_of_philox {
  static_assert(sizeof(T) == 0, "rivus: of cuRAND's generators there is only Philox here");
  curandStatus_t status = CURAND_STATUS_TYPE_ERROR;
};
struct missing {};
template <class... T>
struct missing_for {
  using type = not_of_philox<missing>;
};

}  // namespace detail

// Declared so that a program that uses them, and no other, is told.
enum curandDirectionVectorSet {
  CURAND_DIRECTION_VECTORS_32_JOEKUO6 = 101,
  CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6 = 102,
  CURAND_DIRECTION_VECTORS_64_JOEKUO6 = 103,
  CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6 = 104
};
using curandDirectionVectorSet_t = curandDirectionVectorSet;
using curandDirectionVectors32_t = detail::not_of_philox<detail::missing>;
using curandDirectionVectors64_t = detail::not_of_philox<detail::missing>;
using curandMethod = detail::not_of_philox<detail::missing>;
using curandMethod_t = curandMethod;
template <class... T>
curandStatus_t curandGetDirectionVectors32(T...) {
  return typename detail::missing_for<T...>::type().status;
}
template <class... T>
curandStatus_t curandGetDirectionVectors64(T...) {
  return typename detail::missing_for<T...>::type().status;
}
template <class... T>
curandStatus_t curandGetScrambleConstants32(T...) {
  return typename detail::missing_for<T...>::type().status;
}
template <class... T>
curandStatus_t curandGetScrambleConstants64(T...) {
  return typename detail::missing_for<T...>::type().status;
}

}  // namespace rivus::compat

using rivus::compat::curandGenerator_t;
using rivus::compat::curandOrdering, rivus::compat::curandOrdering_t;
using rivus::compat::curandRngType, rivus::compat::curandRngType_t;
using rivus::compat::curandStatus, rivus::compat::curandStatus_t;

using rivus::compat::CURAND_ORDERING_PSEUDO_BEST, rivus::compat::CURAND_ORDERING_PSEUDO_DEFAULT,
    rivus::compat::CURAND_ORDERING_PSEUDO_DYNAMIC, rivus::compat::CURAND_ORDERING_PSEUDO_LEGACY,
    rivus::compat::CURAND_ORDERING_PSEUDO_SEEDED, rivus::compat::CURAND_ORDERING_QUASI_DEFAULT;
using rivus::compat::CURAND_RNG_PSEUDO_DEFAULT, rivus::compat::CURAND_RNG_PSEUDO_MRG32K3A,
    rivus::compat::CURAND_RNG_PSEUDO_MT19937, rivus::compat::CURAND_RNG_PSEUDO_MTGP32,
    rivus::compat::CURAND_RNG_PSEUDO_PHILOX4_32_10, rivus::compat::CURAND_RNG_PSEUDO_XORWOW,
    rivus::compat::CURAND_RNG_QUASI_DEFAULT, rivus::compat::CURAND_RNG_QUASI_SCRAMBLED_SOBOL32,
    rivus::compat::CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, rivus::compat::CURAND_RNG_QUASI_SOBOL32,
    rivus::compat::CURAND_RNG_QUASI_SOBOL64, rivus::compat::CURAND_RNG_TEST;
using rivus::compat::CURAND_STATUS_ALLOCATION_FAILED, rivus::compat::CURAND_STATUS_ARCH_MISMATCH,
    rivus::compat::CURAND_STATUS_DOUBLE_PRECISION_REQUIRED,
    rivus::compat::CURAND_STATUS_INITIALIZATION_FAILED, rivus::compat::CURAND_STATUS_INTERNAL_ERROR,
    rivus::compat::CURAND_STATUS_LAUNCH_FAILURE, rivus::compat::CURAND_STATUS_LENGTH_NOT_MULTIPLE,
    rivus::compat::CURAND_STATUS_NOT_INITIALIZED, rivus::compat::CURAND_STATUS_OUT_OF_RANGE,
    rivus::compat::CURAND_STATUS_PREEXISTING_FAILURE, rivus::compat::CURAND_STATUS_SUCCESS,
    rivus::compat::CURAND_STATUS_TYPE_ERROR, rivus::compat::CURAND_STATUS_VERSION_MISMATCH;

using rivus::compat::curandCreateGenerator, rivus::compat::curandCreateGeneratorHost,
    rivus::compat::curandCreatePoissonDistribution, rivus::compat::curandDestroyDistribution,
    rivus::compat::curandDestroyGenerator, rivus::compat::curandGenerate,
    rivus::compat::curandGenerateLogNormal, rivus::compat::curandGenerateLogNormalDouble,
    rivus::compat::curandGenerateLongLong, rivus::compat::curandGenerateNormal,
    rivus::compat::curandGenerateNormalDouble, rivus::compat::curandGeneratePoisson,
    rivus::compat::curandGenerateSeeds, rivus::compat::curandGenerateUniform,
    rivus::compat::curandGenerateUniformDouble, rivus::compat::curandGetProperty,
    rivus::compat::curandGetVersion, rivus::compat::curandSetGeneratorOffset,
    rivus::compat::curandSetGeneratorOrdering, rivus::compat::curandSetPseudoRandomGeneratorSeed,
    rivus::compat::curandSetQuasiRandomGeneratorDimensions, rivus::compat::curandSetStream;

using rivus::compat::CURAND_DIRECTION_VECTORS_32_JOEKUO6, rivus::compat::CURAND_DIRECTION_VECTORS_64_JOEKUO6,
    rivus::compat::CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6,
    rivus::compat::CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6, rivus::compat::curandDirectionVectorSet,
    rivus::compat::curandDirectionVectorSet_t;
using rivus::compat::curandDirectionVectors32_t, rivus::compat::curandDirectionVectors64_t,
    rivus::compat::curandGetDirectionVectors32, rivus::compat::curandGetDirectionVectors64,
    rivus::compat::curandGetScrambleConstants32, rivus::compat::curandGetScrambleConstants64,
    rivus::compat::curandMethod, rivus::compat::curandMethod_t;

#endif
