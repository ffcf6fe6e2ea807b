// Stands before the runtime's launch functions, which nvcc's host code calls, and counts.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "device.hpp"

namespace {

std::atomic<std::uint64_t> count;

template <class F>
F* next(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    std::fprintf(stderr, "the CUDA runtime has no %s\n", name);
    std::abort();
  }
  return reinterpret_cast<F*>(found);
}

}  // namespace

namespace rivus::test {

std::uint64_t launches() { return count; }

}  // namespace rivus::test

extern "C" {

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                             cudaStream_t on) {
  static auto* const real = next<decltype(cudaLaunchKernel)>("cudaLaunchKernel");
  const cudaError_t code = real(kernel, grid, block, arguments, shared, on);
  count += code == cudaSuccess;
  return code;
}

// What nvcc 13 calls; the headers do not declare it for host code.
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                               cudaStream_t on) {
  static auto* const real = next<decltype(__cudaLaunchKernel)>("__cudaLaunchKernel");
  const cudaError_t code = real(kernel, grid, block, arguments, shared, on);
  count += code == cudaSuccess;
  return code;
}

}  // extern "C"
