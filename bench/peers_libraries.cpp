// Libraries that come built: cuRAND's host generators and OpenBLAS.
#include <cstdlib>

#include "cases.hpp"

#if defined(RIVUS_BENCH_OPENBLAS)
#include <cblas.h>
extern "C" void openblas_set_num_threads(int);
#endif
#if defined(RIVUS_BENCH_CURAND)
#include <curand.h>
#endif

namespace {

#if defined(RIVUS_BENCH_CURAND)
// A host generator works in this thread's memory and needs no device. `generate` calls cuRAND.
template <curandRngType kind, class T, class Generate>
void register_curand(const std::string& name, const Generate& generate) {
  register_fills<T>(name, [generate](T* out, std::size_t n) {
    static const curandGenerator_t generator = [] {
      curandGenerator_t g = nullptr;
      if (curandCreateGeneratorHost(&g, kind) != CURAND_STATUS_SUCCESS) std::abort();
      if (curandGenerateSeeds(g) != CURAND_STATUS_SUCCESS) std::abort();
      return g;
    }();
    if (generate(generator, out, n) != CURAND_STATUS_SUCCESS) std::abort();
  });
}

template <curandRngType kind>
void register_curands(const std::string& name) {
  register_curand<kind, std::uint32_t>(name + "/bits/u32",
                                       [](auto g, auto out, auto n) { return curandGenerate(g, out, n); });
  register_curand<kind, float>(name + "/uniform/f32",
                               [](auto g, auto out, auto n) { return curandGenerateUniform(g, out, n); });
  register_curand<kind, double>(
      name + "/uniform/f64", [](auto g, auto out, auto n) { return curandGenerateUniformDouble(g, out, n); });
  register_curand<kind, float>(
      name + "/normal/f32", [](auto g, auto out, auto n) { return curandGenerateNormal(g, out, n, 0, 1); });
  register_curand<kind, double>(name + "/normal/f64", [](auto g, auto out, auto n) {
    return curandGenerateNormalDouble(g, out, n, 0, 1);
  });
}

void register_curand_host() {
  register_curands<CURAND_RNG_PSEUDO_PHILOX4_32_10>("peer/curand-host-philox");
  register_curands<CURAND_RNG_PSEUDO_XORWOW>("peer/curand-host-xorwow");
}
#else
void register_curand_host() {}
#endif

#if defined(RIVUS_BENCH_OPENBLAS)
void register_openblas() {
  openblas_set_num_threads(1);
  register_reads<float>("peer/openblas/dot/f32", [](const float* x, std::size_t n) {
    return cblas_sdot(static_cast<blasint>(n / 2), x, 1, x + n / 2, 1);
  });
  register_reads<double>("peer/openblas/dot/f64", [](const double* x, std::size_t n) {
    return cblas_ddot(static_cast<blasint>(n / 2), x, 1, x + n / 2, 1);
  });
  register_matmuls("peer/openblas/matmul/f32",
                   [](const float* a, const float* b, float* c, std::size_t size) {
                     const auto n = static_cast<blasint>(size);
                     cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
                   });
}
#else
void register_openblas() {}
#endif

}  // namespace

void register_libraries() {
  register_curand_host();
  register_openblas();
}
