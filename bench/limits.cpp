// What the machine can do, built with -O3 -march=native: reading, writing, and the multiplications of Philox.
#include <omp.h>

#include <cstring>

#include "cases.hpp"

#if defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace {

typedef std::uint64_t row __attribute__((vector_size(vector_bytes)));

// In so many pieces at once, each from front to back: more than one keeps more of memory busy.
template <std::size_t pieces>
std::uint64_t read_all(const std::uint64_t* data, std::size_t n) {
  constexpr std::size_t width = sizeof(row) / sizeof(std::uint64_t), rows = 8, rows_each = rows / pieces;
  const std::size_t each = n / pieces;
  row sum[rows];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < rows; ++r) sum[r] = row{};
  for (std::size_t i = 0; i < each; i += rows_each * width) {
#pragma GCC unroll 8
    for (std::size_t r = 0; r < rows; ++r) {
      row x;
      std::memcpy(&x, data + r / rows_each * each + i + r % rows_each * width, sizeof x);
      sum[r] |= x;
    }
  }
#pragma GCC unroll 8
  for (std::size_t r = 1; r < rows; ++r) sum[0] |= sum[r];
  std::uint64_t all[width], result = 0;
  std::memcpy(all, &sum[0], sizeof all);
  for (const std::uint64_t word : all) result |= word;
  return result;
}

// One multiplication 32 x 32 -> 64 in each lane; asm, so that none is removed, merged or replaced.
#if defined(__x86_64__) && defined(__AVX2__)
using factors = row;
constexpr std::size_t lanes = sizeof(row) / 8;
inline void multiply(factors& x, const factors& y) { asm volatile("vpmuludq %1, %0, %0" : "+v"(x) : "v"(y)); }
#elif defined(__x86_64__)
using factors = row;
constexpr std::size_t lanes = sizeof(row) / 8;
inline void multiply(factors& x, const factors& y) { asm volatile("pmuludq %1, %0" : "+x"(x) : "x"(y)); }
#elif defined(__ARM_NEON)
using factors = uint64x2_t;
constexpr std::size_t lanes = 2;
inline void multiply(factors& x, const factors& y) {
  asm volatile("umull %0.2d, %0.2s, %1.2s" : "+w"(x) : "w"(y));
}
#else
using factors = std::uint64_t;
constexpr std::size_t lanes = 1;
inline void multiply(factors& x, const factors& y) {
  x = (x & 0xffffffff) * y;
  asm volatile("" : "+r"(x));
}
#endif

// Twelve chains hide a latency of five or six at two multiplications a cycle.
constexpr std::size_t chains = 12, steps = 128;
void multiply_all() {
  const factors y = factors{} + std::uint64_t{0xd2511f53};
  // Every loop over the chains is unrolled, which leaves them in registers.
  factors x[chains];
#pragma GCC unroll 12
  for (std::size_t c = 0; c < chains; ++c) x[c] = y;
  for (std::size_t i = 0; i < steps; ++i) {
#pragma GCC unroll 12
    for (std::size_t c = 0; c < chains; ++c) multiply(x[c], y);
  }
}

}  // namespace

void read_by_threads() {
  const auto* const data = static_cast<const std::uint64_t*>(bench_input());
#pragma omp parallel
  {
    const auto threads = static_cast<std::size_t>(omp_get_num_threads()),
               me = static_cast<std::size_t>(omp_get_thread_num());
    const std::size_t each = large_size / sizeof *data / threads / 1024 * 1024;
    benchmark::DoNotOptimize(read_all<4>(data + me * each, each));
  }
}

void register_limits() {
  register_reads<std::uint64_t>("limit/read", read_all<4>);
  register_reads<std::uint64_t>("limit/read-in-order", read_all<1>);
  register_fills<std::uint32_t>(
      "limit/store", [](std::uint32_t* out, std::size_t n) { std::memset(out, 0x5a, n * sizeof *out); });
  // As bytes read and written: half of them each.
  register_reads<std::uint64_t>("limit/copy", [](const std::uint64_t* data, std::size_t n) {
    std::memcpy(bench_output(), data, n / 2 * sizeof *data);
    return data[0];
  });
  // As bytes of Philox4x32-10: twenty multiplications make sixteen bytes.
  benchmark::RegisterBenchmark("limit/vpmuludq", [](benchmark::State& state) {
    measure(state, steps * chains * lanes * 16 / 20, multiply_all);
  });
}
