// cuBLAS.
#include <cublas_v2.h>

#include "cases.hpp"

namespace rivus::device_bench {

namespace {

void require(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw std::runtime_error(std::string(call) + ": status " + std::to_string(static_cast<int>(status)));
  }
}

// Made once a program; it lives until its end.
cublasHandle_t ready(cudaStream_t on) {
  static cublasHandle_t made = nullptr;
  if (made == nullptr) {
    cublasHandle_t handle = nullptr;
    require(cublasCreate(&handle), "cublasCreate");
    made = handle;
  }
  require(cublasSetStream(made, on), "cublasSetStream");
  require(cublasSetPointerMode(made, CUBLAS_POINTER_MODE_HOST), "cublasSetPointerMode");
  return made;
}

}  // namespace

std::vector<way> blas_matmul(const context& c, std::size_t n, const float* a, const float* b,
                             float* product) {
  way w{"cublasSgemm", role::other, [n, a, b, product](cudaStream_t on, std::uint64_t) {
          const float one = 1, zero = 0;
          const int m = static_cast<int>(n);
          // Column-major: the product of the transposes in the other order.
          require(
              cublasSgemm(ready(on), CUBLAS_OP_N, CUBLAS_OP_N, m, m, m, &one, b, m, a, m, &zero, product, m),
              "cublasSgemm");
        }};
  w.check = [&c] { ready(c.stream); };
  return {w};
}

std::vector<way> blas_dot(const context& c, std::size_t bytes) {
  const std::size_t n = bytes / 2 / sizeof(float);
  if (n > 0x7FFFFFFF) return {};
  const auto result = device_memory<float>(sizeof(float));
  way w{"cublasSdot", role::other, [&c, bytes, n, result](cudaStream_t on, std::uint64_t k) {
          const float* const x = c.in->place<float>(bytes, k);
          const cublasHandle_t handle = ready(on);
          require(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
          require(cublasSdot(handle, static_cast<int>(n), x, 1, x + n, 1, result.get()), "cublasSdot");
        }};
  w.check = [&c] { ready(c.stream); };
  return {w};
}

std::string blas_missing() { return ""; }

}  // namespace rivus::device_bench
