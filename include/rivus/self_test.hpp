// self_test: whether the compiler and its flags left the values of this file's code as they are.
#ifndef RIVUS_SELF_TEST_HPP
#define RIVUS_SELF_TEST_HPP

#include <cstdint>
#include <cstring>
#include <rivus/bernoulli.hpp>
#include <rivus/bits.hpp>
#include <rivus/exponential.hpp>
#include <rivus/integer.hpp>
#include <rivus/normal.hpp>
#include <rivus/runtime.hpp>
#include <rivus/shuffle.hpp>
#include <rivus/stream.hpp>
#include <rivus/uniform.hpp>

namespace rivus {

// Of this file alone: the linker must not take what another file, with other flags, made of the same.
namespace {
namespace self_tests {

constexpr int count = 1024;
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

// report(name, digest) of elements one by one and of elements in fours.
template <class Report, class D>
void digest_values(Report& report, const char* name, D d) {
  const stream s = stream::from_seed(7)[name];
  digest values, fours;
  for (std::uint64_t i = first; i < first + count; ++i) values.add(d(s, i));
  for (std::uint64_t q = first / 4; q < (first + count) / 4; ++q) {
    for (const auto x : d.quad(s, q)) fours.add(x);
  }
  report(name, values.state);
  report(name, fours.state);
}
// Of what callers do with a value: were its last step a product, these additions could absorb it.
template <class Report, class D>
void digest_absorbed(Report& report, const char* name, D d) {
  using T = typename D::value_type;
  const stream s = stream::from_seed(8)[name];
  digest sums;
  T total = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    total += d(s, i);
    sums.add(total);
    sums.add(T(1) - d(s, i));
    sums.add(d(s, 2 * i) + d(s, 2 * i + 1));
    sums.add(d(s, 2 * i) - d(s, 2 * i + 1));
  }
  report(name, sums.state);
}
template <class Report, class D>
void digest_reals(Report& report, const char* name, D d) {
  digest_values(report, name, d);
  digest_absorbed(report, name, d);
}
template <class T, class Report>
void digest_reals(Report& report) {
  digest_reals(report, "uniform", uniform<T>{});
  digest_reals(report, "uniform_oc", uniform<T, interval::oc>{});
  digest_reals(report, "uniform_oo", uniform<T, interval::oo>{});
  digest_reals(report, "uniform_ab", uniform<T>{T(-0.3), T(17.1)});
  digest_reals(report, "normal", normal<T>{});
  digest_reals(report, "normal_scaled", normal<T>{T(-2.7), T(0.1)});
  digest_reals(report, "exponential", exponential<T>{});
  digest_reals(report, "exponential_rate", exponential<T>{T(0.3)});
}

template <class Report>
void digest_all(Report&& report) {
  digest_values(report, "bits_u32", bits<std::uint32_t>{});
  digest_values(report, "bits_u64", bits<std::uint64_t>{});
  digest_values(report, "bernoulli", bernoulli{0.3});
  digest_values(report, "integer_i32", integer<std::int32_t>{-1000, 1000});
  digest_values(report, "integer_u32", integer<std::uint32_t>{0, 3000000000u});
  digest_values(report, "integer_i64", integer<std::int64_t>{INT64_MIN, INT64_MAX});
  digest_reals<float>(report);
  digest_reals<double>(report);
  std::uint16_t order[count];
  for (int i = 0; i < count; ++i) order[i] = static_cast<std::uint16_t>(i);
  rivus::shuffle(order, order + count, stream::from_seed(9));
  digest shuffled;
  for (const std::uint16_t x : order) shuffled.add(x);
  report("shuffle", shuffled.state);
}

}  // namespace self_tests

// Whether draws in the file that calls it, as its compiler and flags made them, have the bits of docs/spec.md: for
// flags that no macro shows, such as clang's -funsafe-math-optimizations. Draws some 50000 values and compares their
// digest; false also where the thread flushes subnormals or does not round to nearest.
//
// A template, so that only files that call it compile it. Time: some milliseconds. Determinism: everywhere.
template <class = void>
bool self_test() {
  self_tests::digest all;
  self_tests::digest_all([&](const char*, std::uint64_t digest) { all.add(digest); });
  return detail::has_default_environment() && all.state == 0x647cb18c22fe6420;
}

}  // namespace
}  // namespace rivus

#endif
