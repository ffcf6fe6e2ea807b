// Prints one digest for each distribution, from the headers alone, and what self_test says. Every build of this program,
// whatever the compiler and its flags, prints the same.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <rivus/compat/curand_kernel.h>
#include <rivus/self_test.hpp>

namespace {

using rivus::self_tests::count;
using rivus::self_tests::digest;

void print_curand() {
  curandState s;
  curand_init(10, 11, 12, &s);
  digest values, sums;
  float total = 0;
  for (int i = 0; i < count; ++i) {
    values.add(curand_normal(&s));
    values.add(curand_normal_double(&s));
    values.add(curand_log_normal(&s, 0.1f, 1.3f));
    values.add(curand_log_normal_double(&s, 0.1, 1.3));
    values.add(curand_poisson(&s, 1.5 * i));
    const float2 z = curand_normal2(&s);
    total += z.x;
    sums.add(total);
    sums.add(z.x - z.y);
    sums.add(1 - curand_log_normal(&s, 0.1f, 1.3f));
    sums.add(1 - curand_uniform_double(&s));
  }
  std::printf("curand %016" PRIx64 " %016" PRIx64 "\n", values.state, sums.state);
}

}  // namespace

int main() {
  print_curand();
  rivus::self_tests::digest_all(
      [](const char* name, std::uint64_t state) { std::printf("%s %016" PRIx64 "\n", name, state); });
  std::printf("self_test %d\n", rivus::self_test());
}
