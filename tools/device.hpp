// device: bulk calls on a CUDA device with values in host memory, for a command that may have been built without CUDA.
#ifndef RIVUS_TOOLS_DEVICE_HPP
#define RIVUS_TOOLS_DEVICE_HPP

#include <cstddef>
#include <cstdint>
#include <rivus/fill.hpp>
#include <rivus/matmul.hpp>
#include <rivus/reductions.hpp>
#include <string>

namespace rivus::tools::device {

// Why there is no device to use; empty where there is one.
const std::string& missing();

// Errors: std::runtime_error saying missing().
void require_present();

// As the host's functions of these names. One thread at a time.
//
// fill works in device memory of the alignment of out, modulo 16. Device memory is kept for the next call.
// Errors: as rivus::cuda's, and std::runtime_error where there is no device.
template <class D>
void fill(typename D::value_type* out, std::size_t n, stream s, D d, std::uint64_t first);
template <class T>
T sum(const T* x, std::size_t n);
template <class T>
T dot(const T* x, const T* y, std::size_t n);
template <class T>
T exact_sum(const T* x, std::size_t n);
template <class T>
T exact_dot(const T* x, const T* y, std::size_t n);
template <class T>
void matmul(matrix<const T> a, matrix<const T> b, matrix<T> c, const matmul_options<T>& options);
template <class X>
X reduce(reduction kind, const X* x, std::size_t n);
template <class T>
void cumsum(const T* x, std::size_t n, T* y);
template <class T>
void cumprod(const T* x, std::size_t n, T* y);
template <class T>
void exclusive_cumsum(const T* x, std::size_t n, T* y);
template <class T>
void exclusive_cumprod(const T* x, std::size_t n, T* y);
template <class T>
void softmax(matrix<const T> x, matrix<T> y);
template <class T>
void layer_norm(matrix<const T> x, const T* weight, const T* bias, T epsilon, matrix<T> y, T* mean,
                T* reciprocal);
template <class T>
void index_add(T* out, std::size_t size, const std::uint64_t* ids, const T* x, std::size_t n);
template <class T>
void segment_sum(const std::uint64_t* ids, const T* x, std::size_t n, T* out, std::size_t segments);
template <class T>
void histogram(const T* x, std::size_t n, T lo, T hi, std::uint64_t* out, std::size_t bins);

namespace detail {

template <class D>
struct fill_instance {
  void (*fill)(typename D::value_type*, std::size_t, stream, D, std::uint64_t);
};
template <class... D>
struct fill_instances : fill_instance<D>... {};
template <class... D>
constexpr fill_instances<D...> make_fill_instances(rivus::detail::list<D...>) {
  return {fill_instance<D>{&device::fill<D>}...};
}
template <class T>
struct real_instances {
  T (*sum)(const T*, std::size_t);
  T (*dot)(const T*, const T*, std::size_t);
  T (*exact_sum)(const T*, std::size_t);
  T (*exact_dot)(const T*, const T*, std::size_t);
  void (*matmul)(matrix<const T>, matrix<const T>, matrix<T>, const matmul_options<T>&);
  T (*reduce)(reduction, const T*, std::size_t);
  void (*scans[4])(const T*, std::size_t, T*);
  void (*softmax)(matrix<const T>, matrix<T>);
  void (*layer_norm)(matrix<const T>, const T*, const T*, T, matrix<T>, T*, T*);
  void (*index_add)(T*, std::size_t, const std::uint64_t*, const T*, std::size_t);
  void (*segment_sum)(const std::uint64_t*, const T*, std::size_t, T*, std::size_t);
  void (*histogram)(const T*, std::size_t, T, T, std::uint64_t*, std::size_t);
};
template <class T>
constexpr real_instances<T> make_real_instances() {
  return {
      &device::sum<T>,
      &device::dot<T>,
      &device::exact_sum<T>,
      &device::exact_dot<T>,
      &device::matmul<T>,
      &device::reduce<T>,
      {&device::cumsum<T>, &device::cumprod<T>, &device::exclusive_cumsum<T>, &device::exclusive_cumprod<T>},
      &device::softmax<T>,
      &device::layer_norm<T>,
      &device::index_add<T>,
      &device::segment_sum<T>,
      &device::histogram<T>};
}

}  // namespace detail

}  // namespace rivus::tools::device

#endif
