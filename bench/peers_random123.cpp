// Random123's Philox4x32-10 in the plain loop that its users write.
#include "cases.hpp"

#if defined(RIVUS_BENCH_RANDOM123)
#include <Random123/philox.h>

#include <Random123/boxmuller.hpp>
#include <Random123/uniform.hpp>

namespace {

using block = r123::Philox4x32::ctr_type;

// One counter, four words; `emit` turns a block into what goes to out + i.
template <class T, class Emit>
void loop(T* out, std::size_t n, std::size_t values_per_block, const Emit& emit) {
  r123::Philox4x32 philox;
  const r123::Philox4x32::key_type key = {{42, 0}};
  for (std::size_t i = 0; i + values_per_block <= n; i += values_per_block) {
    const auto counter = static_cast<std::uint32_t>(i / values_per_block);
    emit(philox(block{{counter, 0, 0, 0}}, key), out + i);
  }
}

std::uint64_t join(std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; }

}  // namespace

void RIVUS_BENCH_COMPILER::register_random123() {
  const std::string name = peer("random123");
  register_fills<std::uint32_t>(name + "/bits/u32", [](std::uint32_t* out, std::size_t n) {
    loop(out, n, 4, [](const block& w, std::uint32_t* to) {
      for (unsigned j = 0; j < 4; ++j) to[j] = w[j];
    });
  });
  register_fills<float>(name + "/uniform/f32", [](float* out, std::size_t n) {
    loop(out, n, 4, [](const block& w, float* to) {
      for (unsigned j = 0; j < 4; ++j) to[j] = r123::u01<float>(w[j]);
    });
  });
  register_fills<double>(name + "/uniform/f64", [](double* out, std::size_t n) {
    loop(out, n, 2, [](const block& w, double* to) {
      to[0] = r123::u01<double>(join(w[0], w[1]));
      to[1] = r123::u01<double>(join(w[2], w[3]));
    });
  });
  register_fills<float>(name + "/normal/f32", [](float* out, std::size_t n) {
    loop(out, n, 4, [](const block& w, float* to) {
      for (unsigned j = 0; j < 4; j += 2) {
        const r123::float2 z = r123::boxmuller(w[j], w[j + 1]);
        to[j] = z.x;
        to[j + 1] = z.y;
      }
    });
  });
  register_fills<double>(name + "/normal/f64", [](double* out, std::size_t n) {
    loop(out, n, 2, [](const block& w, double* to) {
      const r123::double2 z = r123::boxmuller(join(w[0], w[1]), join(w[2], w[3]));
      to[0] = z.x;
      to[1] = z.y;
    });
  });
}
#else
void RIVUS_BENCH_COMPILER::register_random123() {}
#endif
