// cuda_error: a failed call of the CUDA runtime.
#ifndef RIVUS_CUDA_ERROR_HPP
#define RIVUS_CUDA_ERROR_HPP

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace rivus {

// Carries the status, and says which call failed and where.
class cuda_error : public std::runtime_error {
 public:
  cuda_error(cudaError_t code, const char* call, const char* place)
      : std::runtime_error(std::string(place) + ": " + call + ": " + cudaGetErrorName(code) + ": " +
                           cudaGetErrorString(code)),
        code_(code) {}

  cudaError_t code() const noexcept { return code_; }

 private:
  cudaError_t code_;
};

namespace cuda {

// Errors: cuda_error unless the call succeeded. `place` is who called.
inline void require(cudaError_t code, const char* call, const char* place) {
  if (code != cudaSuccess) throw cuda_error(code, call, place);
}

}  // namespace cuda

}  // namespace rivus

#endif
