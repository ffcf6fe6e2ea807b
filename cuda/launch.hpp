// What the launches share.
#ifndef RIVUS_CUDA_LAUNCH_HPP
#define RIVUS_CUDA_LAUNCH_HPP

#include <cstdint>
#include <cstdlib>
#include <rivus/cuda/error.hpp>

namespace rivus::cuda {

inline constexpr unsigned block_threads = 256;

// As many blocks as `wanted`, and at most `most`. RIVUS_CUDA_GRID overrides the latter: results never depend
// on it, which is what the tests use it for.
inline unsigned grid_blocks(std::uint64_t wanted, std::uint64_t most) {
  if (const char* forced = std::getenv("RIVUS_CUDA_GRID")) {
    const unsigned long long blocks = std::strtoull(forced, nullptr, 10);
    if (blocks > 0) most = blocks;
  }
  return static_cast<unsigned>(wanted < most ? wanted : most);
}

}  // namespace rivus::cuda

#endif
