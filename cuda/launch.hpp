// What the launches share.
#ifndef RIVUS_CUDA_LAUNCH_HPP
#define RIVUS_CUDA_LAUNCH_HPP

#include <cstdint>
#include <cstdlib>
#include <rivus/cuda/error.hpp>
#include <type_traits>

namespace rivus::cuda {

inline constexpr unsigned block_threads = 256;
// Blocks that a multiprocessor is to hold at once, where registers decide: six leave a thread 40 of them. Compute capability
// 7.5 has room for four.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr unsigned resident_blocks = 4;
#else
inline constexpr unsigned resident_blocks = 6;
#endif

// As many blocks as `wanted`, and at most `most`. RIVUS_CUDA_GRID overrides the latter: results never depend
// on it, which is what the tests use it for.
inline unsigned grid_blocks(std::uint64_t wanted, std::uint64_t most) {
  if (const char* forced = std::getenv("RIVUS_CUDA_GRID")) {
    const unsigned long long blocks = std::strtoull(forced, nullptr, 10);
    if (blocks > 0) most = blocks;
  }
  return static_cast<unsigned>(wanted < most ? wanted : most);
}

// kernel<<<grid, block, 0, on>>>(arguments...), but with the status of this very launch: cudaGetLastError would
// also give, and take away, an earlier error of the caller's.
template <class... P>
void launch(const char* name, const char* place, cudaStream_t on, unsigned grid, unsigned block,
            void (*kernel)(P...), std::type_identity_t<P>... arguments) {
  void* pointers[] = {const_cast<void*>(static_cast<const volatile void*>(&arguments))...};
  const auto* const function = reinterpret_cast<const void*>(kernel);
  require(cudaLaunchKernel(function, dim3(grid), dim3(block), pointers, 0, on), name, place);
}

}  // namespace rivus::cuda

#endif
