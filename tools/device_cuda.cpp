#include <cuda_runtime_api.h>

#include <algorithm>
#include <rivus/cuda/error.hpp>
#include <rivus/cuda/exact.hpp>
#include <rivus/cuda/fill.hpp>
#include <rivus/cuda/matmul.hpp>
#include <rivus/cuda/normalise.hpp>
#include <rivus/cuda/reduce.hpp>
#include <rivus/cuda/scan.hpp>
#include <rivus/cuda/scatter.hpp>
#include <stdexcept>
#include <string>

#include "device.hpp"

namespace rivus::tools::device {

namespace {

using cuda::require;

constexpr cudaStream_t on = nullptr;
constexpr const char* place = "--device cuda";
constexpr std::size_t widest_access = 16;

// Device memory that grows and never shrinks. The end of the process returns it.
class buffer {
 public:
  void* at_least(std::size_t bytes) {
    if (bytes > size_ || data_ == nullptr) {
      require(cudaFree(data_), "cudaFree", place);
      data_ = nullptr;
      size_ = 0;
      require(cudaMalloc(&data_, std::max(bytes, widest_access)), "cudaMalloc", place);
      size_ = bytes;
    }
    return data_;
  }
  template <class T>
  T* copy_of(const T* values, std::size_t n) {
    T* const copy = static_cast<T*>(at_least(n * sizeof(T)));
    if (n > 0) require(cudaMemcpy(copy, values, n * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy", place);
    return copy;
  }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

template <class T>
void copy_back(T* values, const T* from, std::size_t n) {
  // Waits for the kernel, and reports what went wrong in it.
  if (n > 0) require(cudaMemcpy(values, from, n * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy", place);
}

buffer first_operand, second_operand, third_operand, results, more_results, scratch;

std::string find_missing() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    cudaGetLastError();
    return std::string("no CUDA device: ") + cudaGetErrorString(status);
  }
  return count == 0 ? "no CUDA device" : "";
}

// The memory between a matrix's lowest and highest element.
template <class T>
struct extent {
  explicit extent(const matrix<T>& m) : begin(m.data) {
    if (m.rows == 0 || m.cols == 0) return;
    std::ptrdiff_t lowest = 0, highest = 0;
    for (const std::ptrdiff_t reach : {static_cast<std::ptrdiff_t>(m.rows - 1) * m.row_stride,
                                       static_cast<std::ptrdiff_t>(m.cols - 1) * m.col_stride}) {
      (reach < 0 ? lowest : highest) += reach;
    }
    begin = m.data + lowest;
    count = static_cast<std::size_t>(highest - lowest) + 1;
  }
  template <class U>
  matrix<U> in(U* copy, matrix<T> m) const {
    return {copy + (m.data - begin), m.rows, m.cols, m.row_stride, m.col_stride};
  }

  T* begin;
  std::size_t count = 0;
};

}  // namespace

const std::string& missing() {
  static const std::string reason = find_missing();
  return reason;
}

void require_present() {
  if (!missing().empty()) throw std::runtime_error("--device cuda: " + missing());
}

template <class D>
void fill(typename D::value_type* out, std::size_t n, stream s, D d, std::uint64_t first) {
  using T = typename D::value_type;
  require_present();
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(out) % widest_access / sizeof(T);
  T* const values = static_cast<T*>(results.at_least((n + offset) * sizeof(T))) + offset;
  cuda::fill(on, values, n, s, d, first);
  copy_back(out, values, n);
}

namespace {

// What reduce(result, scratch, bytes) writes to the result.
template <class T, class Reduce>
T reduced(std::size_t bytes, const Reduce& reduce) {
  T result{};
  T* const out = static_cast<T*>(results.at_least(sizeof(T)));
  reduce(out, scratch.at_least(bytes), bytes);
  copy_back(&result, out, 1);
  return result;
}

}  // namespace

template <class T>
T sum(const T* x, std::size_t n) {
  require_present();
  return reduced<T>(cuda::scratch_bytes<T>(n), [&](T* out, void* memory, std::size_t bytes) {
    cuda::sum(on, first_operand.copy_of(x, n), n, out, memory, bytes);
  });
}
template <class T>
T dot(const T* x, const T* y, std::size_t n) {
  require_present();
  return reduced<T>(cuda::scratch_bytes<T>(n), [&](T* out, void* memory, std::size_t bytes) {
    cuda::dot(on, first_operand.copy_of(x, n), second_operand.copy_of(y, n), n, out, memory, bytes);
  });
}
template <class T>
T exact_sum(const T* x, std::size_t n) {
  require_present();
  return reduced<T>(cuda::exact_scratch_bytes<T>(n), [&](T* out, void* memory, std::size_t bytes) {
    cuda::exact_sum(on, first_operand.copy_of(x, n), n, out, memory, bytes);
  });
}
template <class T>
T exact_dot(const T* x, const T* y, std::size_t n) {
  require_present();
  return reduced<T>(cuda::exact_scratch_bytes<T>(n), [&](T* out, void* memory, std::size_t bytes) {
    cuda::exact_dot(on, first_operand.copy_of(x, n), second_operand.copy_of(y, n), n, out, memory, bytes);
  });
}

template <class T>
void matmul(matrix<const T> a, matrix<const T> b, matrix<T> c, const matmul_options<T>& options) {
  require_present();
  const extent<const T> in_a(a), in_b(b);
  const extent<T> in_c(c);
  const T* const device_a = first_operand.copy_of(in_a.begin, in_a.count);
  const T* const device_b = second_operand.copy_of(in_b.begin, in_b.count);
  T* const device_c = results.copy_of(in_c.begin, in_c.count);
  cuda::matmul(on, in_a.in(device_a, a), in_b.in(device_b, b), in_c.in(device_c, c), options);
  copy_back(in_c.begin, device_c, in_c.count);
}

template <class X>
X reduce(reduction kind, const X* x, std::size_t n) {
  require_present();
  return reduced<X>(cuda::reduce_scratch_bytes<X>(n), [&](X* out, void* memory, std::size_t bytes) {
    cuda::reduce<X>(on, kind, first_operand.copy_of(x, n), n, out, memory, bytes);
  });
}

namespace {

template <class T>
void scan(void (*call)(cudaStream_t, const T*, index64, T*, void*, index64), const T* x, std::size_t n,
          T* y) {
  require_present();
  const std::size_t bytes = cuda::scan_scratch_bytes<T>(n);
  T* const out = static_cast<T*>(results.at_least(n * sizeof(T)));
  call(on, first_operand.copy_of(x, n), n, out, scratch.at_least(bytes), bytes);
  copy_back(y, out, n);
}

}  // namespace

template <class T>
void cumsum(const T* x, std::size_t n, T* y) {
  scan<T>(&cuda::cumsum<T>, x, n, y);
}
template <class T>
void cumprod(const T* x, std::size_t n, T* y) {
  scan<T>(&cuda::cumprod<T>, x, n, y);
}
template <class T>
void exclusive_cumsum(const T* x, std::size_t n, T* y) {
  scan<T>(&cuda::exclusive_cumsum<T>, x, n, y);
}
template <class T>
void exclusive_cumprod(const T* x, std::size_t n, T* y) {
  scan<T>(&cuda::exclusive_cumprod<T>, x, n, y);
}

template <class T>
void softmax(matrix<const T> x, matrix<T> y) {
  require_present();
  const extent<const T> in_x(x);
  const extent<T> in_y(y);
  const T* const device_x = first_operand.copy_of(in_x.begin, in_x.count);
  T* const device_y = results.copy_of(in_y.begin, in_y.count);
  cuda::softmax(on, in_x.in(device_x, x), in_y.in(device_y, y));
  copy_back(in_y.begin, device_y, in_y.count);
}
template <class T>
void layer_norm(matrix<const T> x, const T* weight, const T* bias, T epsilon, matrix<T> y, T* mean,
                T* reciprocal) {
  require_present();
  const extent<const T> in_x(x);
  const extent<T> in_y(y);
  const T* const device_x = first_operand.copy_of(in_x.begin, in_x.count);
  T* const device_y = results.copy_of(in_y.begin, in_y.count);
  T* const of_rows = static_cast<T*>(more_results.at_least(2 * x.rows * sizeof(T)));
  cuda::layer_norm<T>(on, in_x.in(device_x, x), second_operand.copy_of(weight, x.cols),
                      third_operand.copy_of(bias, x.cols), epsilon, in_y.in(device_y, y), of_rows,
                      of_rows + x.rows);
  copy_back(in_y.begin, device_y, in_y.count);
  copy_back(mean, of_rows, x.rows);
  copy_back(reciprocal, of_rows + x.rows, x.rows);
}

template <class T>
void index_add(T* out, std::size_t size, const std::uint64_t* ids, const T* x, std::size_t n) {
  require_present();
  const std::size_t bytes = cuda::scatter_scratch_bytes(n, size);
  T* const sums = results.copy_of(out, size);
  cuda::index_add(on, sums, size, second_operand.copy_of(ids, n), first_operand.copy_of(x, n), n,
                  scratch.at_least(bytes), bytes);
  copy_back(out, sums, size);
}
template <class T>
void segment_sum(const std::uint64_t* ids, const T* x, std::size_t n, T* out, std::size_t segments) {
  require_present();
  const std::size_t bytes = cuda::scatter_scratch_bytes(n, segments);
  T* const sums = static_cast<T*>(results.at_least(segments * sizeof(T)));
  cuda::segment_sum(on, second_operand.copy_of(ids, n), first_operand.copy_of(x, n), n, sums, segments,
                    scratch.at_least(bytes), bytes);
  copy_back(out, sums, segments);
}
template <class T>
void histogram(const T* x, std::size_t n, T lo, T hi, std::uint64_t* out, std::size_t bins) {
  require_present();
  auto* const counts = static_cast<std::uint64_t*>(results.at_least(bins * sizeof(std::uint64_t)));
  cuda::histogram<T>(on, first_operand.copy_of(x, n), n, lo, hi, counts, bins);
  copy_back(out, counts, bins);
}

namespace {

[[gnu::used]] constinit const auto fills = detail::make_fill_instances(rivus::detail::filled{});
[[gnu::used]] constinit const auto floats = detail::make_real_instances<float>();
[[gnu::used]] constinit const auto doubles = detail::make_real_instances<double>();
[[gnu::used]] constinit const auto of_f16 = &device::reduce<f16>;
[[gnu::used]] constinit const auto of_bf16 = &device::reduce<bf16>;

}  // namespace

}  // namespace rivus::tools::device
