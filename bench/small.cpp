// Calls for a few values, and what a user would write instead: a loop over the pure function, built with -O3.
#include <rivus/rivus.hpp>
#include <string>

#include "cases.hpp"

namespace {

const rivus::stream source = rivus::stream::from_seed(42)["bench"];

template <class D>
[[gnu::noinline]] void by_one(typename D::value_type* out, std::size_t n, rivus::stream s, D d,
                              std::uint64_t first) {
  for (std::size_t i = 0; i < n; ++i) out[i] = d(s, first + i);
}

// For n and first that are multiples of 4.
template <class D>
[[gnu::noinline]] void by_quad(typename D::value_type* out, std::size_t n, rivus::stream s, D d,
                               std::uint64_t first) {
  for (std::size_t i = 0; i < n; i += 4) {
    const auto four = d.quad(s, (first + i) / 4);
    for (int j = 0; j < 4; ++j) out[i + static_cast<std::size_t>(j)] = four[j];
  }
}

// Each call goes on where the last one ended.
template <class D, class Call>
void run(benchmark::State& state, std::size_t n, const Call& call) {
  using T = typename D::value_type;
  T* out = static_cast<T*>(bench_output());
  std::uint64_t first = 0;
  // A stream that the compiler does not know.
  rivus::stream s = source;
  benchmark::DoNotOptimize(s);
  measure(state, n * sizeof(T), [&] {
    call(out, n, s, D{}, first);
    first += n;
  });
}

template <class D>
void register_calls(const std::string& name) {
  for (const std::size_t n : {1, 4, 16, 64, 256, 1024}) {
    const std::string tail = std::string("/").append(std::to_string(n));
    for (const rivus::isa set : rivus::available_isas()) {
      benchmark::RegisterBenchmark((name + "/" + rivus::name(set) + tail).c_str(),
                                   [=](benchmark::State& state) {
                                     rivus::set_isa(set);
                                     run<D>(state, n, [](auto... x) { rivus::fill<D>(x...); });
                                   });
    }
    benchmark::RegisterBenchmark((name + "/loop" + tail).c_str(),
                                 [=](benchmark::State& state) { run<D>(state, n, by_one<D>); });
    if (n % 4 == 0) {
      benchmark::RegisterBenchmark((name + "/quad" + tail).c_str(),
                                   [=](benchmark::State& state) { run<D>(state, n, by_quad<D>); });
    }
  }
}

}  // namespace

void register_small_calls() {
  register_calls<rivus::bits<std::uint32_t>>("small/bits/u32");
  register_calls<rivus::uniform<float>>("small/uniform/f32");
  register_calls<rivus::normal<float>>("small/normal/f32");
}
