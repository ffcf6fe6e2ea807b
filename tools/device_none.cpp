#include <stdexcept>

#include "device.hpp"

namespace rivus::tools::device {

const std::string& missing() {
  static const std::string reason = "this rivus was built without CUDA";
  return reason;
}

void require_present() { throw std::runtime_error("--device cuda: " + missing()); }

template <class D>
void fill(typename D::value_type*, std::size_t, stream, D, std::uint64_t) {
  require_present();
}
template <class T>
T sum(const T*, std::size_t) {
  require_present();
  return {};
}
template <class T>
T dot(const T*, const T*, std::size_t) {
  require_present();
  return {};
}
template <class T>
T exact_sum(const T*, std::size_t) {
  require_present();
  return {};
}
template <class T>
T exact_dot(const T*, const T*, std::size_t) {
  require_present();
  return {};
}
template <class T>
void matmul(matrix<const T>, matrix<const T>, matrix<T>, const matmul_options<T>&) {
  require_present();
}
template <class X>
X reduce(reduction, const X*, std::size_t) {
  require_present();
  return {};
}
template <class T>
void cumsum(const T*, std::size_t, T*) {
  require_present();
}
template <class T>
void cumprod(const T*, std::size_t, T*) {
  require_present();
}
template <class T>
void exclusive_cumsum(const T*, std::size_t, T*) {
  require_present();
}
template <class T>
void exclusive_cumprod(const T*, std::size_t, T*) {
  require_present();
}
template <class T>
void softmax(matrix<const T>, matrix<T>) {
  require_present();
}
template <class T>
void layer_norm(matrix<const T>, const T*, const T*, T, matrix<T>, T*, T*) {
  require_present();
}
template <class T>
void index_add(T*, std::size_t, const std::uint64_t*, const T*, std::size_t) {
  require_present();
}
template <class T>
void segment_sum(const std::uint64_t*, const T*, std::size_t, T*, std::size_t) {
  require_present();
}
template <class T>
void histogram(const T*, std::size_t, T, T, std::uint64_t*, std::size_t) {
  require_present();
}

namespace {

[[gnu::used]] constinit const auto fills = detail::make_fill_instances(rivus::detail::filled{});
[[gnu::used]] constinit const auto floats = detail::make_real_instances<float>();
[[gnu::used]] constinit const auto doubles = detail::make_real_instances<double>();
[[gnu::used]] constinit const auto of_f16 = &device::reduce<f16>;
[[gnu::used]] constinit const auto of_bf16 = &device::reduce<bf16>;

}  // namespace

}  // namespace rivus::tools::device
