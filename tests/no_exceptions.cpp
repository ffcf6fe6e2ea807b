// The headers and the calls in a program without exceptions and run-time types: what is refused ends it with its sentence.
#include <rivus/compat/curand_kernel.h>

#include <rivus/compat/jax.hpp>
#include <rivus/compat/numpy.hpp>
#include <rivus/compat/pytorch.hpp>
#include <rivus/rivus.hpp>
#include <string_view>

int main(int argc, char** argv) {
  float x[5];
  rivus::fill(x, 5, rivus::stream::from_seed(42), rivus::uniform<float>{});
  if (!(rivus::exact_sum(x) > 0 && rivus::sum(x, 5) > 0)) return 1;
  const std::string_view what = argc > 1 ? argv[1] : "";
  // Refused by the header, and by the library.
  if (what == "header") rivus::dot(x, std::span<const float>(x, 3));
  if (what == "library") rivus::sum(static_cast<const float*>(nullptr), 4);
}
