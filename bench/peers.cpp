// Other generators and OpenBLAS, built with -O3 -march=native.
#include <random>
#include <string>

#include "cases.hpp"

#if defined(RIVUS_BENCH_RANDOM123)
#include <Random123/philox.h>

#include <Random123/boxmuller.hpp>
#include <Random123/uniform.hpp>
#endif
#if defined(RIVUS_BENCH_OPENBLAS)
#include <cblas.h>
extern "C" void openblas_set_num_threads(int);
#endif
#if defined(RIVUS_BENCH_CURAND)
#include <curand.h>
#endif

namespace {

void register_std() {
  register_fills<std::uint32_t>("peer/mt19937/bits/u32", [](std::uint32_t* out, std::size_t n) {
    std::mt19937 engine(42);
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint32_t>(engine());
  });
  register_fills<float>("peer/mt19937/uniform/f32", [](float* out, std::size_t n) {
    std::mt19937 engine(42);
    std::uniform_real_distribution<float> uniform;
    for (std::size_t i = 0; i < n; ++i) out[i] = uniform(engine);
  });
  register_fill<float>("peer/mt19937/normal/f32", bench_sizes[0], [](float* out, std::size_t n) {
    std::mt19937 engine(42);
    std::normal_distribution<float> normal;
    for (std::size_t i = 0; i < n; ++i) out[i] = normal(engine);
  });
}

#if defined(RIVUS_BENCH_RANDOM123)
// The plain loop: one counter, four words; `emit` turns a block into what goes to out + i.
template <class T, class Emit>
void random123_loop(T* out, std::size_t n, std::size_t values_per_block, Emit emit) {
  r123::Philox4x32 philox;
  const r123::Philox4x32::key_type key = {{42, 0}};
  for (std::size_t i = 0; i + values_per_block <= n; i += values_per_block) {
    const auto block = static_cast<std::uint32_t>(i / values_per_block);
    emit(philox(r123::Philox4x32::ctr_type{{block, 0, 0, 0}}, key), out + i);
  }
}

void register_random123() {
  using block = r123::Philox4x32::ctr_type;
  register_fills<std::uint32_t>("peer/random123/bits/u32", [](std::uint32_t* out, std::size_t n) {
    random123_loop(out, n, 4, [](const block& w, std::uint32_t* to) {
      for (unsigned j = 0; j < 4; ++j) to[j] = w[j];
    });
  });
  register_fills<float>("peer/random123/uniform/f32", [](float* out, std::size_t n) {
    random123_loop(out, n, 4, [](const block& w, float* to) {
      for (unsigned j = 0; j < 4; ++j) to[j] = r123::u01<float>(w[j]);
    });
  });
  register_fill<float>("peer/random123/normal/f32", bench_sizes[0], [](float* out, std::size_t n) {
    random123_loop(out, n, 4, [](const block& w, float* to) {
      for (unsigned j = 0; j < 4; j += 2) {
        const r123::float2 z = r123::boxmuller(w[j], w[j + 1]);
        to[j] = z.x;
        to[j + 1] = z.y;
      }
    });
  });
  register_fill<double>("peer/random123/normal/f64", bench_sizes[0], [](double* out, std::size_t n) {
    random123_loop(out, n, 2, [](const block& w, double* to) {
      const auto join = [](std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; };
      const r123::double2 z = r123::boxmuller(join(w[0], w[1]), join(w[2], w[3]));
      to[0] = z.x;
      to[1] = z.y;
    });
  });
}
#else
void register_random123() {}
#endif

#if defined(RIVUS_BENCH_CURAND)
// The host generator's buffer is filled on the CPU; no device is used.
template <class T, class Generate>
void register_curand(const std::string& name, Generate generate) {
  register_fills<T>("peer/curand-host/" + name, [generate](T* out, std::size_t n) {
    static const curandGenerator_t generator = [] {
      curandGenerator_t g = nullptr;
      if (curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10) != CURAND_STATUS_SUCCESS)
        std::abort();
      return g;
    }();
    generate(generator, out, n);
  });
}
void register_curand_host() {
  register_curand<std::uint32_t>("bits/u32", [](auto g, auto out, auto n) { curandGenerate(g, out, n); });
  register_curand<float>("uniform/f32", [](auto g, auto out, auto n) { curandGenerateUniform(g, out, n); });
  register_curand<float>("normal/f32",
                         [](auto g, auto out, auto n) { curandGenerateNormal(g, out, n, 0, 1); });
}
#else
void register_curand_host() {}
#endif

#if defined(RIVUS_BENCH_OPENBLAS)
void register_openblas() {
  openblas_set_num_threads(1);
  for (const int n : {512, 1024}) {
    benchmark::RegisterBenchmark(
        ("peer/openblas/matmul/f32/" + std::to_string(n)).c_str(), [n](benchmark::State& state) {
          const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
          const bench_buffer<float> a(size), b(size), c(size);
          for (auto _ : state) {
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a.data(), n, b.data(), n, 0,
                        c.data(), n);
          }
          state.SetItemsProcessed(state.iterations() * 2 * std::int64_t{n} * n * n);
        });
  }
}
#else
void register_openblas() {}
#endif

}  // namespace

void register_peers() {
  register_std();
  register_random123();
  register_curand_host();
  register_openblas();
}
