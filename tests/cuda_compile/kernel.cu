// Every distribution inside a kernel, and the host code that launches it. Compiled under the flags listed in
// CMakeLists.txt.
#include <rivus/rivus.hpp>

template <class D>
__global__ void one_by_one(typename D::value_type* out, std::uint64_t n, rivus::stream s, D d) {
  const std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (i < n) out[i] = d(s, i);
}

template <class D>
__global__ void four_by_four(typename D::value_type* out, std::uint64_t n, rivus::stream s, D d) {
  const std::uint64_t b = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (4 * b + 3 >= n) return;
  const auto q = d.quad(s["quads"][b % 2].lane(b), b);
  for (int j = 0; j < 4; ++j) out[4 * b + static_cast<unsigned>(j)] = q[j];
}

__global__ void order(std::uint32_t* items, int n, rivus::stream s) { rivus::shuffle(items, items + n, s); }

template <class D>
void launch(void* out, std::uint64_t n, rivus::stream s, D d) {
  auto* p = static_cast<typename D::value_type*>(out);
  one_by_one<<<64, 256>>>(p, n, s, d);
  four_by_four<<<64, 256>>>(p, n, s, d);
}

template <class T>
void launch_reals(void* out, std::uint64_t n, rivus::stream s) {
  launch(out, n, s, rivus::uniform<T>{T(-1), T(2)});
  launch(out, n, s, rivus::uniform<T, rivus::interval::oc>{});
  launch(out, n, s, rivus::uniform<T, rivus::interval::oo>{});
  launch(out, n, s, rivus::normal<T>{T(1), T(2)});
  launch(out, n, s, rivus::exponential<T>{T(3)});
}

void launch_all(void* out, std::uint64_t n) {
  constexpr rivus::stream s = rivus::stream::from_seed(42)["kernel"];
  launch(out, n, s, rivus::bits<std::uint32_t>{});
  launch(out, n, s, rivus::bits<std::uint64_t>{});
  launch(out, n, s, rivus::bernoulli{0.25});
  launch(out, n, s, rivus::integer<std::int32_t>{-5, 5});
  launch(out, n, s, rivus::integer<std::uint64_t>{0, std::uint64_t{1} << 40});
  launch_reals<float>(out, n, s);
  launch_reals<double>(out, n, s);
  order<<<1, 1>>>(static_cast<std::uint32_t*>(out), 100, s);
}
