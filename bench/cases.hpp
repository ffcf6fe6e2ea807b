// What the parts of rivus_bench share.
#ifndef RIVUS_BENCH_CASES_HPP
#define RIVUS_BENCH_CASES_HPP

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <string>

// A first-level cache's worth, a last-level cache's, and far more than any cache holds.
inline constexpr std::size_t small_size = std::size_t{16} << 10;
inline constexpr std::size_t middle_size = std::size_t{4} << 20;
inline constexpr std::size_t large_size = std::size_t{256} << 20;

// large_size bytes each, 64-byte aligned, touched once and shared by all cases: to map new pages costs more
// than most cases do. The input reads as 1 in f32 and as a normal number in f64.
void* bench_output();
const void* bench_input();

// The same source may be built by two compilers into one program.
#if defined(__clang__)
#define RIVUS_BENCH_COMPILER by_clang
#else
#define RIVUS_BENCH_COMPILER by_gcc
#endif

namespace RIVUS_BENCH_COMPILER {

// In files built with -march=native, this machine's own vector; GCC splits a wider one badly.
#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t vector_bytes = 32;
#else
constexpr std::size_t vector_bytes = 16;
#endif

// "peer/random123", or "peer/clang-random123".
inline std::string peer(const std::string& name) {
#if defined(__clang__)
  return "peer/clang-" + name;
#else
  return "peer/" + name;
#endif
}

template <class Body>
void measure(benchmark::State& state, std::size_t bytes, const Body& body) {
  for (auto _ : state) {
    body();
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

// Registers `name`/bytes: run(out, n) fills n values of T.
template <class T, class Run>
void register_fill(const std::string& name, std::size_t bytes, const Run& run) {
  benchmark::RegisterBenchmark((name + "/" + std::to_string(bytes)).c_str(),
                               [bytes, run = run](benchmark::State& state) mutable {
                                 T* out = static_cast<T*>(bench_output());
                                 measure(state, bytes, [&] { run(out, bytes / sizeof(T)); });
                               });
}
template <class T, class Run>
void register_fills(const std::string& name, const Run& run) {
  for (const std::size_t bytes : {small_size, large_size}) register_fill<T>(name, bytes, run);
}

struct nothing {
  void operator()() const {}
};

// Registers `name`/bytes: run(x, n) reads n values of T, after prepare().
template <class T, class Run, class Prepare = nothing>
void register_reads(const std::string& name, const Run& run, const Prepare& prepare = {}) {
  for (const std::size_t bytes : {small_size, middle_size, large_size}) {
    benchmark::RegisterBenchmark((name + "/" + std::to_string(bytes)).c_str(), [=](benchmark::State& state) {
      prepare();
      const T* x = static_cast<const T*>(bench_input());
      measure(state, bytes, [&] { benchmark::DoNotOptimize(run(x, bytes / sizeof(T))); });
    });
  }
}

// Registers `name`/n: run(a, b, c, n) multiplies square matrices, after prepare(). Items are floating-point
// operations.
template <class Run, class Prepare = nothing>
void register_matmuls(const std::string& name, const Run& run, const Prepare& prepare = {}) {
  for (const std::size_t n : {256u, 512u, 1024u, 2048u}) {
    benchmark::RegisterBenchmark((name + "/" + std::to_string(n)).c_str(), [=](benchmark::State& state) {
      prepare();
      const float* a = static_cast<const float*>(bench_input());
      float* c = static_cast<float*>(bench_output());
      measure(state, 3 * n * n * sizeof(float), [&] { run(a, a + n * n, c, n); });
      state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(2 * n * n * n));
    });
  }
}

void register_random123();

}  // namespace RIVUS_BENCH_COMPILER

using namespace RIVUS_BENCH_COMPILER;

void register_small_calls();
void register_reductions();
void register_determinism();
void register_generators();
void register_eigen();
void register_libraries();
void register_limits();

// All of the input, by the threads of OpenMP; and index_add of large_size bytes to 10^7 destinations.
void read_by_threads();
void scatter_large();

#endif
