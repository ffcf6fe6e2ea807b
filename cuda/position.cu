#include <rivus/cuda/error.hpp>
#include <rivus/cuda/position.hpp>

#include "launch.hpp"

namespace rivus::cuda {
namespace {

// As kernels, whose arguments a captured graph keeps.
__global__ void set_position(std::uint64_t* position, std::uint64_t first) { *position = first; }
__global__ void advance_position(std::uint64_t* position, std::uint64_t by) { *position += by; }

}  // namespace

position::position(index64 i) {
  const std::uint64_t first = i;
  require(cudaMalloc(&device_, sizeof *device_), "cudaMalloc", "rivus::cuda::position");
  const cudaError_t copied = cudaMemcpy(device_, &first, sizeof first, cudaMemcpyHostToDevice);
  if (copied != cudaSuccess) cudaFree(device_);
  require(copied, "cudaMemcpy", "rivus::cuda::position");
}

position::~position() { cudaFree(device_); }

void position::set(cudaStream_t on, index64 first) {
  launch("launch of set_position", "rivus::cuda::position::set", on, 1, 1, &set_position, device_, first);
}

void position::advance(cudaStream_t on, index64 by) {
  launch("launch of advance_position", "rivus::cuda::position::advance", on, 1, 1, &advance_position, device_,
         by);
}

}  // namespace rivus::cuda
