// device: bulk calls on a CUDA device with values in host memory, for a command that may have been built without CUDA.
#ifndef RIVUS_TOOLS_DEVICE_HPP
#define RIVUS_TOOLS_DEVICE_HPP

#include <cstddef>
#include <cstdint>
#include <rivus/fill.hpp>
#include <rivus/matmul.hpp>
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
};
template <class T>
constexpr real_instances<T> make_real_instances() {
  return {&device::sum<T>, &device::dot<T>, &device::exact_sum<T>, &device::exact_dot<T>, &device::matmul<T>};
}

}  // namespace detail

}  // namespace rivus::tools::device

#endif
