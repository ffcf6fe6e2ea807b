// What the device tests share: memory with guards, the count of launches, forced grids.
#ifndef RIVUS_TESTS_CUDA_DEVICE_HPP
#define RIVUS_TESTS_CUDA_DEVICE_HPP

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <rivus/cuda/error.hpp>
#include <string>
#include <utility>
#include <vector>

#include "../support.hpp"

namespace rivus::test {

// How many kernels this program has launched.
std::uint64_t launches();

inline void succeed(cudaError_t code, const char* call) { cuda::require(code, call, "test"); }

// RIVUS_TEST_FEW asks for fewer cases: the slower modes of execution look for other mistakes than wrong arithmetic.
inline bool few_cases() { return std::getenv("RIVUS_TEST_FEW") != nullptr; }
template <class T>
std::vector<T> cases(std::initializer_list<T> all, std::initializer_list<T> few) {
  return few_cases() ? few : all;
}

// As a number.
template <class T>
auto printable(T value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return +value;
  } else {
    return value.bits;
  }
}

// n values in device memory, `offset` bytes after a place aligned to 256, with guards on both sides.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t n, std::size_t offset = 0)
      : n_(n), begin_(guard + offset), before_(size(), mark) {
    void* memory = nullptr;
    succeed(cudaMalloc(&memory, size()), "cudaMalloc");
    bytes_ = static_cast<unsigned char*>(memory);
    reset();
  }
  explicit device_array(const std::vector<T>& values, std::size_t offset = 0)
      : device_array(values.size(), offset) {
    set(values);
  }
  ~device_array() { cudaFree(bytes_); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;

  T* data() const { return reinterpret_cast<T*>(bytes_ + begin_); }
  std::size_t size_bytes() const { return n_ * sizeof(T); }

  void set(const std::vector<T>& values) {
    std::memcpy(before_.data() + begin_, static_cast<const void*>(values.data()), size_bytes());
    reset();
  }
  std::vector<T> values() const {
    std::vector<T> v(n_);
    succeed(cudaMemcpy(v.data(), data(), size_bytes(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return v;
  }

  // That the first values are these, bit for bit, and nothing else was written. Then everything is as at first.
  ::testing::AssertionResult holds(const T* values, std::size_t n) {
    std::vector<unsigned char> got(size()), expected = before_;
    succeed(cudaMemcpy(got.data(), bytes_, size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    if (n > 0) std::memcpy(expected.data() + begin_, static_cast<const void*>(values), n * sizeof(T));
    const auto at =
        static_cast<std::size_t>(std::mismatch(got.begin(), got.end(), expected.begin()).first - got.begin());
    if (at == size()) {
      reset();
      return ::testing::AssertionSuccess();
    }
    auto failure = ::testing::AssertionFailure() << "n " << n << ", offset " << begin_ - guard << ": ";
    if (at < begin_) return failure << "byte " << at << " of the guard before it was written";
    if (at >= begin_ + n * sizeof(T)) return failure << "written beyond the end";
    const std::size_t j = (at - begin_) / sizeof(T);
    T value;
    std::memcpy(static_cast<void*>(&value), got.data() + begin_ + j * sizeof(T), sizeof(T));
    return failure << "element " << j << " is " << printable(value) << " instead of " << printable(values[j]);
  }
  ::testing::AssertionResult holds(const std::vector<T>& values) {
    return holds(values.data(), values.size());
  }
  ::testing::AssertionResult untouched() { return holds(nullptr, 0); }

 private:
  static constexpr std::size_t guard = 256;
  static constexpr unsigned char mark = 0xA5;

  std::size_t size() const { return begin_ + size_bytes() + guard; }
  void reset() { succeed(cudaMemcpy(bytes_, before_.data(), size(), cudaMemcpyHostToDevice), "cudaMemcpy"); }

  std::size_t n_, begin_;
  std::vector<unsigned char> before_;
  unsigned char* bytes_ = nullptr;
};

class device_stream {
 public:
  explicit device_stream(unsigned flags = cudaStreamNonBlocking) {
    succeed(cudaStreamCreateWithFlags(&stream_, flags), "cudaStreamCreateWithFlags");
  }
  ~device_stream() { cudaStreamDestroy(stream_); }
  device_stream(const device_stream&) = delete;
  device_stream& operator=(const device_stream&) = delete;
  operator cudaStream_t() const { return stream_; }
  void wait() const { succeed(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  cudaStream_t stream_ = nullptr;
};

// The work that f(stream) submits, to be run again and again.
class device_graph {
 public:
  template <class F>
  device_graph(const device_stream& on, F f) {
    cudaGraph_t graph;
    succeed(cudaStreamBeginCapture(on, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
    f();
    succeed(cudaStreamEndCapture(on, &graph), "cudaStreamEndCapture");
    succeed(cudaGraphInstantiate(&graph_, graph, 0), "cudaGraphInstantiate");
    cudaGraphDestroy(graph);
  }
  ~device_graph() { cudaGraphExecDestroy(graph_); }
  device_graph(const device_graph&) = delete;
  device_graph& operator=(const device_graph&) = delete;
  void replay(const device_stream& on) const { succeed(cudaGraphLaunch(graph_, on), "cudaGraphLaunch"); }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

// Grids of that many blocks at most, as long as it lives.
class forced_grid {
 public:
  explicit forced_grid(int blocks) { setenv("RIVUS_CUDA_GRID", std::to_string(blocks).c_str(), 1); }
  ~forced_grid() { unsetenv("RIVUS_CUDA_GRID"); }
  forced_grid(const forced_grid&) = delete;
  forced_grid& operator=(const forced_grid&) = delete;
};

template <class F>
void for_each_grid(F f) {
  f();
  for (const int blocks : {1, 3, 7}) {
    SCOPED_TRACE("grid: " + std::to_string(blocks));
    const forced_grid forced(blocks);
    f();
  }
}

// A test that runs kernels.
class device_test : public ::testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_GT(launches(), before_) << "no kernel was launched";
  }

 private:
  std::uint64_t before_ = launches();
};

// f() throws std::invalid_argument with these words, and has launched nothing.
template <class F>
void expect_refusal(F f, std::initializer_list<const char*> mentioned) {
  const std::uint64_t before = launches();
  EXPECT_TRUE(mentions(error_of(f), mentioned));
  EXPECT_EQ(launches(), before);
}

// f(), which uses the legacy stream, throws cuda_error with these words where that stream may not be used: while
// another captures in global mode.
template <class F>
void expect_failure(F f, std::initializer_list<const char*> mentioned,
                    cudaError_t expected = cudaErrorStreamCaptureImplicit) {
  const device_stream other(cudaStreamDefault);
  succeed(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  cudaError_t code = cudaSuccess;
  std::string message = "[nothing was thrown]";
  try {
    f();
  } catch (const cuda_error& e) {
    code = e.code();
    message = e.what();
  }
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(other, &graph);
  if (graph != nullptr) cudaGraphDestroy(graph);
  cudaGetLastError();
  EXPECT_EQ(code, expected);
  EXPECT_TRUE(mentions(message, mentioned));
  EXPECT_TRUE(mentions(message, {cudaGetErrorName(expected)}));
}

}  // namespace rivus::test

#endif
