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

namespace {

[[gnu::used]] constinit const auto fills = detail::make_fill_instances(rivus::detail::filled{});
[[gnu::used]] constinit const auto floats = detail::make_real_instances<float>();
[[gnu::used]] constinit const auto doubles = detail::make_real_instances<double>();

}  // namespace

}  // namespace rivus::tools::device
