// rivus_bench: rivus, its peers and the machine's limits in one run, as only ratios of one run mean anything.
#include <omp.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <rivus/rivus.hpp>
#include <string>
#include <thread>

#include "cases.hpp"

#if defined(RIVUS_BENCH_CLANG)
namespace by_clang {
void register_random123();
}
#endif

namespace {

const rivus::stream source = rivus::stream::from_seed(42)["bench"];

void* touched_memory() {
  const auto n = large_size / sizeof(float);
  float* memory = static_cast<float*>(::operator new(large_size, std::align_val_t{64}));
  std::fill_n(memory, n, 1.0f);
  return memory;
}

template <class D>
void register_fill_of(rivus::isa set, const std::string& name, D d) {
  using T = typename D::value_type;
  // Scalar code is no faster on small data than on large.
  for (const std::size_t bytes : {small_size, large_size}) {
    if (bytes == large_size && set == rivus::isa::scalar) continue;
    const std::string full = "fill/" + name + "/" + rivus::name(set) + "/" + std::to_string(bytes);
    benchmark::RegisterBenchmark(full.c_str(), [=](benchmark::State& state) {
      rivus::set_isa(set);
      T* out = static_cast<T*>(bench_output());
      measure(state, bytes, [&] { rivus::fill<D>(out, bytes / sizeof(T), source, d); });
    });
  }
}

void register_fills_of_rivus(rivus::isa set) {
  register_fill_of(set, "bits/u32", rivus::bits<std::uint32_t>{});
  register_fill_of(set, "bits/u64", rivus::bits<std::uint64_t>{});
  register_fill_of(set, "uniform/f32", rivus::uniform<float>{});
  register_fill_of(set, "uniform/f64", rivus::uniform<double>{});
  register_fill_of(set, "normal/f32", rivus::normal<float>{});
  register_fill_of(set, "normal/f64", rivus::normal<double>{});
  register_fill_of(set, "exponential/f32", rivus::exponential<float>{});
  register_fill_of(set, "exponential/f64", rivus::exponential<double>{});
  register_fill_of(set, "randint/i32", rivus::integer<std::int32_t>{0, 1000});
  register_fill_of(set, "bernoulli/u8", rivus::bernoulli{0.3});
}

// Bytes a second of processor time, as everywhere; the report divides by real time instead.
template <class Run>
void register_threads(const std::string& name, const Run& run) {
  const int most = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  for (int threads = 1;; threads = std::min(2 * threads, most)) {
    const std::string full = name + "/" + std::to_string(large_size) + "/threads:" + std::to_string(threads);
    benchmark::RegisterBenchmark(full.c_str(), [=](benchmark::State& state) {
      rivus::set_isa(rivus::available_isas().back());
      omp_set_num_threads(threads);
      measure(state, large_size, run);
      omp_set_num_threads(1);
    });
    if (threads == most) break;
  }
}

}  // namespace

void* bench_output() {
  static void* const memory = touched_memory();
  return memory;
}
const void* bench_input() {
  static const void* const memory = touched_memory();
  return memory;
}

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  omp_set_num_threads(1);
  benchmark::AddCustomContext("rivus", rivus::version());
  std::string isas;
  for (const rivus::isa set : rivus::available_isas())
    isas.append(isas.empty() ? "" : " ").append(rivus::name(set));
  benchmark::AddCustomContext("isas", isas);
  benchmark::AddCustomContext("compiler", RIVUS_BENCH_COMPILER_NAME);
  benchmark::AddCustomContext("library flags", RIVUS_BENCH_LIBRARY_FLAGS);
  benchmark::AddCustomContext("peer flags", RIVUS_BENCH_PEER_FLAGS);
#if defined(RIVUS_BENCH_CLANG)
  benchmark::AddCustomContext("clang", RIVUS_BENCH_CLANG);
#endif

  for (const rivus::isa set : rivus::available_isas()) register_fills_of_rivus(set);
  register_generators();
  register_random123();
#if defined(RIVUS_BENCH_CLANG)
  by_clang::register_random123();
#endif
  register_small_calls();
  register_reductions();
  register_determinism();
  register_eigen();
  register_libraries();
  register_limits();
  const std::string best = rivus::name(rivus::available_isas().back());
  register_threads("fill/bits/u32/" + best, [] {
    const std::size_t n = large_size / sizeof(std::uint32_t);
    rivus::fill<rivus::bits<std::uint32_t>>(static_cast<std::uint32_t*>(bench_output()), n, source, {});
  });
  register_threads("sum/f32/" + best, [] {
    benchmark::DoNotOptimize(
        rivus::sum(static_cast<const float*>(bench_input()), large_size / sizeof(float)));
  });
  const float* const values = static_cast<const float*>(bench_input());
  register_threads("cumsum/f32/" + best, [=] {
    rivus::cumsum(values, large_size / sizeof(float), static_cast<float*>(bench_output()));
  });
  register_threads("softmax/f32/" + best, [=] {
    constexpr std::size_t columns = 1024, rows = large_size / sizeof(float) / columns;
    rivus::softmax(rivus::matrix<const float>(values, rows, columns),
                   rivus::matrix<float>(static_cast<float*>(bench_output()), rows, columns));
  });
  register_threads("index_add/f32/" + best, [=] { scatter_large(); });
  register_threads("limit/read/" + best, [] { read_by_threads(); });
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
