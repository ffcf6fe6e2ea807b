// Prints one digest for each distribution, from the headers alone. Every build of this program, whatever the
// compiler and its flags, prints the same.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <rivus/bernoulli.hpp>
#include <rivus/bits.hpp>
#include <rivus/compat/curand_kernel.h>
#include <rivus/exponential.hpp>
#include <rivus/integer.hpp>
#include <rivus/normal.hpp>
#include <rivus/shuffle.hpp>
#include <rivus/stream.hpp>
#include <rivus/uniform.hpp>

namespace {

constexpr int count = 4096;
constexpr std::uint64_t first = 0x2fffffc00;  // past 32 bits, a multiple of four

// FNV-1a over 64-bit words.
struct digest {
  std::uint64_t state = 0xcbf29ce484222325;
  template <class T>
  void add(T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    state = (state ^ bits) * 0x100000001b3;
  }
};

template <class D>
void print(const char* name, D d) {
  const rivus::stream s = rivus::stream::from_seed(7)[name];
  digest values, fours;
  for (std::uint64_t i = first; i < first + count; ++i) values.add(d(s, i));
  for (std::uint64_t b = first / 4; b < (first + count) / 4; ++b) {
    for (auto x : d.quad(s, b)) fours.add(x);
  }
  std::printf("%s %016" PRIx64 " %016" PRIx64 "\n", name, values.state, fours.state);
}

// What callers do with a value: were the value's last step a product, these additions could absorb it.
template <class D>
void print_absorbed(const char* name, D d) {
  using T = typename D::value_type;
  const rivus::stream s = rivus::stream::from_seed(8)[name];
  digest sums;
  T total = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    total += d(s, i);
    sums.add(total);
    sums.add(T(1) - d(s, i));
    sums.add(d(s, 2 * i) + d(s, 2 * i + 1));
    sums.add(d(s, 2 * i) - d(s, 2 * i + 1));
  }
  std::printf("%s %016" PRIx64 "\n", name, sums.state);
}

template <class T>
void print_reals(const char* type) {
  char name[32];
  const auto named = [&](const char* what) {
    std::snprintf(name, sizeof name, "%s<%s>", what, type);
    return name;
  };
  print(named("uniform"), rivus::uniform<T>{});
  print(named("uniform_oc"), rivus::uniform<T, rivus::interval::oc>{});
  print(named("uniform_oo"), rivus::uniform<T, rivus::interval::oo>{});
  print(named("uniform_ab"), rivus::uniform<T>{T(-0.3), T(17.1)});
  print(named("normal"), rivus::normal<T>{});
  print(named("normal_scaled"), rivus::normal<T>{T(-2.7), T(0.1)});
  print(named("exponential"), rivus::exponential<T>{});
  print(named("exponential_rate"), rivus::exponential<T>{T(0.3)});
  print_absorbed(named("sum_uniform"), rivus::uniform<T>{});
  print_absorbed(named("sum_uniform_oo"), rivus::uniform<T, rivus::interval::oo>{});
  print_absorbed(named("sum_uniform_ab"), rivus::uniform<T>{T(-0.3), T(17.1)});
  print_absorbed(named("sum_normal"), rivus::normal<T>{});
  print_absorbed(named("sum_normal_scaled"), rivus::normal<T>{T(-2.7), T(0.1)});
  print_absorbed(named("sum_exponential"), rivus::exponential<T>{});
  print_absorbed(named("sum_exponential_rate"), rivus::exponential<T>{T(0.3)});
}

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
  print("bits<u32>", rivus::bits<std::uint32_t>{});
  print("bits<u64>", rivus::bits<std::uint64_t>{});
  print("bernoulli", rivus::bernoulli{0.3});
  print("integer<i32>", rivus::integer<std::int32_t>{-1000, 1000});
  print("integer<u32>", rivus::integer<std::uint32_t>{0, 3000000000u});
  print("integer<i64>", rivus::integer<std::int64_t>{INT64_MIN, INT64_MAX});
  print_reals<float>("f32");
  print_reals<double>("f64");

  std::uint16_t order[count];
  for (int i = 0; i < count; ++i) order[i] = static_cast<std::uint16_t>(i);
  rivus::shuffle(order, order + count, rivus::stream::from_seed(9));
  digest shuffled;
  for (std::uint16_t x : order) shuffled.add(x);
  std::printf("%s %016" PRIx64 "\n", "shuffle", shuffled.state);
}
