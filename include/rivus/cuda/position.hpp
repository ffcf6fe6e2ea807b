// position: a first index that lives on the device, for CUDA graphs.
#ifndef RIVUS_CUDA_POSITION_HPP
#define RIVUS_CUDA_POSITION_HPP

#include <cuda_runtime_api.h>

#include <cstdint>
#include <rivus/index.hpp>

namespace rivus::cuda {

// A 64-bit index in device memory, which work on a stream reads and advances.
//
// A graph that was captured from fill(..., position) and position.advance(...) draws fresh values at each
// replay. Owns eight bytes of device memory, taken by the constructor and returned by the destructor, which
// both may synchronise; nothing else here does. Errors: cuda_error.
class position {
 public:
  explicit position(index64 first = 0);
  ~position();
  position(const position&) = delete;
  position& operator=(const position&) = delete;

  // In the order of the stream; both can be captured.
  void set(cudaStream_t on, index64 first);
  void advance(cudaStream_t on, index64 by);

  const std::uint64_t* device_pointer() const noexcept { return device_; }

 private:
  std::uint64_t* device_ = nullptr;
};

}  // namespace rivus::cuda

#endif
