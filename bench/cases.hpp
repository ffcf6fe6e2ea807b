// What the parts of rivus_bench share.
#ifndef RIVUS_BENCH_CASES_HPP
#define RIVUS_BENCH_CASES_HPP

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

// A first-level cache's worth, and far more than any cache holds.
inline constexpr std::size_t bench_sizes[] = {std::size_t{16} << 10, std::size_t{256} << 20};

// 64-byte aligned memory for n values, already touched.
template <class T>
class bench_buffer {
 public:
  explicit bench_buffer(std::size_t n)
      : data_(static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64}))) {
    for (std::size_t i = 0; i < n; ++i) data_.get()[i] = T(1);
  }
  T* data() const { return data_.get(); }

 private:
  struct release {
    void operator()(T* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  std::unique_ptr<T, release> data_;
};

// Registers `name`/bytes: run(data, n) fills n values of T.
template <class T, class Run>
void register_fill(const std::string& name, std::size_t bytes, Run run) {
  benchmark::RegisterBenchmark(
      (name + "/" + std::to_string(bytes)).c_str(), [bytes, run](benchmark::State& state) {
        const std::size_t n = bytes / sizeof(T);
        const bench_buffer<T> buffer(n);
        for (auto _ : state) {
          run(buffer.data(), n);
          benchmark::ClobberMemory();
        }
        state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
      });
}
template <class T, class Run>
void register_fills(const std::string& name, Run run) {
  for (const std::size_t bytes : bench_sizes) register_fill<T>(name, bytes, run);
}

void register_peers();
void register_limits();

#endif
