// rivus's sums, dot products and matrix products. A dot product's bytes are those of both vectors.
#include <rivus/rivus.hpp>
#include <string>

#include "cases.hpp"

namespace {

template <class T>
void register_sums(rivus::isa set, const std::string& dtype) {
  const std::string tail = "/" + dtype + "/" + rivus::name(set);
  const auto prepare = [set] { rivus::set_isa(set); };
  register_reads<T>("sum" + tail, [](const T* x, std::size_t n) { return rivus::sum(x, n); }, prepare);
  register_reads<T>(
      "dot" + tail, [](const T* x, std::size_t n) { return rivus::dot(x, x + n / 2, n / 2); }, prepare);
}

}  // namespace

void register_reductions() {
  for (const rivus::isa set : rivus::available_isas()) {
    register_sums<float>(set, "f32");
    register_sums<double>(set, "f64");
    // Scalar matrix products take seconds and interest nobody.
    if (set == rivus::isa::scalar) continue;
    register_matmuls(
        std::string("matmul/f32/") + rivus::name(set),
        [](const float* a, const float* b, float* c, std::size_t n) {
          rivus::matmul({a, n, n}, {b, n, n}, {c, n, n});
        },
        [set] { rivus::set_isa(set); });
  }
}
