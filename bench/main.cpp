// rivus_bench: rivus, its peers and the machine's limits in one run, as only ratios of one run mean anything.
#include <omp.h>

#include <rivus/rivus.hpp>
#include <span>
#include <string>
#include <vector>

#include "cases.hpp"

namespace {

const rivus::stream source = rivus::stream::from_seed(42)["bench"];

template <class D>
void register_rivus_fill(rivus::isa set, const std::string& name, D d) {
  using T = typename D::value_type;
  const std::string full = "fill/" + name + "/" + rivus::name(set);
  const auto run = [set, d](T* out, std::size_t n) {
    rivus::set_isa(set);
    rivus::fill<D>(out, n, source, d);
  };
  // Scalar code is no faster on small data than on large.
  if (set == rivus::isa::scalar) return register_fill<T>(full, bench_sizes[0], run);
  register_fills<T>(full, run);
}

void register_rivus_fills(rivus::isa set) {
  register_rivus_fill(set, "bits/u32", rivus::bits<std::uint32_t>{});
  register_rivus_fill(set, "bits/u64", rivus::bits<std::uint64_t>{});
  register_rivus_fill(set, "uniform/f32", rivus::uniform<float>{});
  register_rivus_fill(set, "uniform/f64", rivus::uniform<double>{});
  register_rivus_fill(set, "normal/f32", rivus::normal<float>{});
  register_rivus_fill(set, "normal/f64", rivus::normal<double>{});
  register_rivus_fill(set, "exponential/f32", rivus::exponential<float>{});
  register_rivus_fill(set, "exponential/f64", rivus::exponential<double>{});
  register_rivus_fill(set, "randint/i32", rivus::integer<std::int32_t>{0, 1000});
  register_rivus_fill(set, "bernoulli/u8", rivus::bernoulli{0.3});
}

template <class T>
void register_reductions(rivus::isa set, const std::string& dtype) {
  const std::string tail = "/" + dtype + "/" + rivus::name(set) + "/";
  for (const std::size_t bytes : {bench_sizes[0], std::size_t{4} << 20, bench_sizes[1]}) {
    const auto run = [set, bytes](benchmark::State& state, bool dot) {
      rivus::set_isa(set);
      const std::size_t n = bytes / sizeof(T) / (dot ? 2 : 1);
      const bench_buffer<T> x(n), y(dot ? n : 0);
      for (auto _ : state)
        benchmark::DoNotOptimize(dot ? rivus::dot(x.data(), y.data(), n) : rivus::sum(x.data(), n));
      state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
    };
    benchmark::RegisterBenchmark(("sum" + tail + std::to_string(bytes)).c_str(), run, false);
    benchmark::RegisterBenchmark(("dot" + tail + std::to_string(bytes)).c_str(), run, true);
  }
}

void register_matmul(rivus::isa set) {
  for (const std::size_t n : {std::size_t{512}, std::size_t{1024}}) {
    const std::string name = std::string("matmul/f32/") + rivus::name(set) + "/" + std::to_string(n);
    benchmark::RegisterBenchmark(name.c_str(), [set, n](benchmark::State& state) {
      rivus::set_isa(set);
      const bench_buffer<float> a(n * n), b(n * n), c(n * n);
      for (auto _ : state) rivus::matmul({a.data(), n, n}, {b.data(), n, n}, {c.data(), n, n});
      state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(2 * n * n * n));
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  omp_set_num_threads(1);
  benchmark::AddCustomContext("rivus", std::string(rivus::version()) + ", one thread");
  benchmark::AddCustomContext("peers built with", RIVUS_BENCH_PEER_FLAGS);
  for (const rivus::isa set : rivus::available_isas()) register_rivus_fills(set);
  register_peers();
  for (const rivus::isa set : rivus::available_isas()) {
    register_reductions<float>(set, "f32");
    register_reductions<double>(set, "f64");
  }
  for (const rivus::isa set : rivus::available_isas()) {
    if (set != rivus::isa::scalar) register_matmul(set);
  }
  register_limits();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
