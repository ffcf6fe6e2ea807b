#include <bit>
#include <cstdint>
#include <cstdio>
#include <rivus/rivus.hpp>

int main() {
  float x[4];
  rivus::fill(x, rivus::stream::from_seed(42)["weights"], rivus::normal<float>{0, 1});
  for (float value : x) std::printf("%08x\n", std::bit_cast<std::uint32_t>(value));
}
