// What the programs of this folder share of the device: checked calls, memory, and their command lines.
#ifndef RIVUS_BENCH_CUDA_DEVICE_HPP
#define RIVUS_BENCH_CUDA_DEVICE_HPP

#include <cuda_runtime_api.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <rivus/cuda/error.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rivus::device_bench {

inline void succeed(cudaError_t code, const char* call) { cuda::require(code, call, "rivus_cuda_bench"); }

// Device memory, freed with its last owner.
template <class T = void>
std::shared_ptr<T> device_memory(std::size_t bytes) {
  void* data = nullptr;
  const cudaError_t code = cudaMalloc(&data, bytes > 0 ? bytes : 1);
  if (code != cudaSuccess) cudaGetLastError();
  succeed(code, "cudaMalloc");
  return {static_cast<T*>(data), [](T* p) { cudaFree(p); }};
}

// Pinned host memory.
template <class T = void>
std::shared_ptr<T> pinned_memory(std::size_t bytes) {
  void* data = nullptr;
  succeed(cudaMallocHost(&data, bytes), "cudaMallocHost");
  return {static_cast<T*>(data), [](T* p) { cudaFreeHost(p); }};
}

inline int attribute(cudaDeviceAttr which) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, 0) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return value;
}

// Errors: std::runtime_error where there is no device.
inline void require_device() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess)
    throw std::runtime_error(std::string("no CUDA device: ") + cudaGetErrorString(code));
  if (count == 0) throw std::runtime_error("no CUDA device");
}

// A mistake on the command line.
class usage_error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Options of one value each: --name value.
class command_line {
 public:
  command_line(int argc, char** argv) : argc_(argc), argv_(argv) {}

  bool next() {
    if (at_ + 1 >= argc_) return false;
    name_ = argv_[++at_];
    return true;
  }
  std::string_view name() const { return name_; }
  std::string value() {
    if (at_ + 1 >= argc_) throw usage_error("no value after " + std::string(name_));
    return argv_[++at_];
  }
  template <class T>
  T number(T least, T most) {
    const std::string given = value();
    T parsed{};
    const auto end = given.data() + given.size();
    const auto result = std::from_chars(given.data(), end, parsed);
    if (result.ec != std::errc() || result.ptr != end || !(parsed >= least) || !(parsed <= most)) {
      throw usage_error(std::string(name_) + " " + given + ": a number from " + std::to_string(least) +
                        " to " + std::to_string(most) + " is needed");
    }
    return parsed;
  }
  [[noreturn]] void unknown() const { throw usage_error("unknown argument " + std::string(name_)); }

 private:
  int argc_;
  char** argv_;
  int at_ = 0;
  std::string_view name_;
};

}  // namespace rivus::device_bench

#endif
