// What the machine can do, built with -O3 -march=native: reading and writing memory.
#include <cstring>

#include "cases.hpp"

namespace {

// A vector as wide as the machine's, or as two of them.
typedef std::uint32_t row __attribute__((vector_size(64)));

std::uint32_t read_all(const std::uint32_t* data, std::size_t n) {
  constexpr std::size_t width = sizeof(row) / sizeof(std::uint32_t), rows = 4;
  row sum[rows] = {};
  for (std::size_t i = 0; i + rows * width <= n; i += rows * width) {
    for (std::size_t r = 0; r < rows; ++r) {
      row x;
      std::memcpy(&x, data + i + r * width, sizeof x);
      sum[r] += x;
    }
  }
  std::uint32_t all = 0;
  for (const row& r : sum) {
    for (std::size_t j = 0; j < width; ++j) all += r[j];
  }
  return all;
}

}  // namespace

void register_limits() {
  for (const std::size_t bytes : {bench_sizes[0], std::size_t{4} << 20, bench_sizes[1]}) {
    benchmark::RegisterBenchmark(
        ("limit/read/" + std::to_string(bytes)).c_str(), [bytes](benchmark::State& state) {
          const std::size_t n = bytes / sizeof(std::uint32_t);
          const bench_buffer<std::uint32_t> buffer(n);
          for (auto _ : state) benchmark::DoNotOptimize(read_all(buffer.data(), n));
          state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
        });
  }
  register_fills<std::uint32_t>(
      "limit/store", [](std::uint32_t* out, std::size_t n) { std::memset(out, 0x5a, n * sizeof *out); });
}
