#include "test_curand_host_calls.hpp"

#include <curand.h>

namespace rivus::test {
namespace {

curandGenerator_t as_generator(void* g) { return static_cast<curandGenerator_t>(g); }

int create(void** g, int type) {
  curandGenerator_t made = nullptr;
  const curandStatus_t status =
      curandCreateGeneratorHost(g == nullptr ? nullptr : &made, static_cast<curandRngType_t>(type));
  if (g != nullptr) *g = made;
  return status;
}

int generate(void* generator, curand_kind kind, void* out, std::size_t n, double a, double b) {
  const curandGenerator_t g = as_generator(generator);
  const auto fa = static_cast<float>(a), fb = static_cast<float>(b);
  auto* const words = static_cast<unsigned*>(out);
  auto* const floats = static_cast<float*>(out);
  auto* const doubles = static_cast<double*>(out);
  switch (kind) {
    case curand_kind::words:
      return curandGenerate(g, words, n);
    case curand_kind::uniform:
      return curandGenerateUniform(g, floats, n);
    case curand_kind::uniform_double:
      return curandGenerateUniformDouble(g, doubles, n);
    case curand_kind::normal:
      return curandGenerateNormal(g, floats, n, fa, fb);
    case curand_kind::normal_double:
      return curandGenerateNormalDouble(g, doubles, n, a, b);
    case curand_kind::log_normal:
      return curandGenerateLogNormal(g, floats, n, fa, fb);
    case curand_kind::log_normal_double:
      return curandGenerateLogNormalDouble(g, doubles, n, a, b);
    case curand_kind::poisson:
      return curandGeneratePoisson(g, words, n, a);
    case curand_kind::long_long:
      return curandGenerateLongLong(g, static_cast<unsigned long long*>(out), n);
  }
  return -1;
}

}  // namespace

extern const curand_calls RIVUS_TEST_CALLS{
    &create,
    [](void* g) -> int { return curandDestroyGenerator(as_generator(g)); },
    [](void* g) -> int { return curandSetStream(as_generator(g), nullptr); },
    [](void* g, unsigned long long seed) -> int {
      return curandSetPseudoRandomGeneratorSeed(as_generator(g), seed);
    },
    [](void* g, unsigned long long offset) -> int {
      return curandSetGeneratorOffset(as_generator(g), offset);
    },
    [](void* g, int ordering) -> int {
      return curandSetGeneratorOrdering(as_generator(g), static_cast<curandOrdering_t>(ordering));
    },
    [](void* g, unsigned dimensions) -> int {
      return curandSetQuasiRandomGeneratorDimensions(as_generator(g), dimensions);
    },
    [](void* g) -> int { return curandGenerateSeeds(as_generator(g)); },
    &generate,
    [](int* version) -> int { return curandGetVersion(version); },
    [](int property, int* value) -> int {
      return curandGetProperty(static_cast<decltype(MAJOR_VERSION)>(property), value);
    }};

}  // namespace rivus::test
