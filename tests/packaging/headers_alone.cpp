#include <cstdint>
#include <cstdio>
#include <cstring>
#include <rivus/normal.hpp>
#include <rivus/stream.hpp>

int main() {
  constexpr rivus::stream weights = rivus::stream::from_seed(42)["weights"];
  for (std::uint64_t i = 0; i < 4; ++i) {
    const float value = rivus::normal<float>{0, 1}(weights, i);
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    std::printf("%08x\n", static_cast<unsigned>(bits));
  }
}
