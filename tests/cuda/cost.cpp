// Runs each kernel on its fast path and says before each how many values it computes of what.
#include <cstdio>
#include <rivus/cuda/fill.hpp>
#include <rivus/cuda/reduce.hpp>

#include "device.hpp"

namespace {

using namespace rivus;

constexpr std::size_t n = std::size_t{1} << 16;

void announce(const char* what, std::size_t values) { std::fprintf(stderr, "cost: %zu %s\n", values, what); }

template <class D>
void cost_of(const char* what, D d) {
  test::device_array<typename D::value_type> out(n);
  announce(what, n);
  cuda::fill(nullptr, out.data(), n, stream::from_seed(1), d);
}

template <class T>
void cost_of_reals(const std::string& type) {
  cost_of(("uniform " + type).c_str(), uniform<T>{});
  cost_of(("uniform a b " + type).c_str(), uniform<T>{T(-3), T(7)});
  cost_of(("uniform-oc " + type).c_str(), uniform<T, interval::oc>{});
  cost_of(("uniform-oo " + type).c_str(), uniform<T, interval::oo>{});
  cost_of(("normal " + type).c_str(), normal<T>{});
  cost_of(("normal mean stddev " + type).c_str(), normal<T>{T(1.5), T(0.1)});
  cost_of(("exponential " + type).c_str(), exponential<T>{});
  cost_of(("exponential rate " + type).c_str(), exponential<T>{T(3)});

  constexpr std::size_t many = 32 * n;
  const test::device_array<T> x(many), result(1);
  const test::device_array<unsigned char> scratch(cuda::scratch_bytes<T>(many));
  announce(("sum " + type).c_str(), many);
  cuda::sum<T>(nullptr, x.data(), many, result.data(), scratch.data(), scratch.size_bytes());
  announce(("dot " + type).c_str(), many);
  cuda::dot<T>(nullptr, x.data(), x.data(), many, result.data(), scratch.data(), scratch.size_bytes());
}

}  // namespace

int main() {
  cost_of("bits u32", bits<std::uint32_t>{});
  cost_of("bits u64", bits<std::uint64_t>{});
  cost_of_reals<float>("f32");
  cost_of_reals<double>("f64");
  cost_of("bernoulli", bernoulli{0.3});
  cost_of("integer i32", integer<std::int32_t>{-7, 1000});
  cost_of("integer i32 wide", integer<std::int32_t>{0, 2000000000});
  cost_of("integer i64", integer<std::int64_t>{-7, 1000});
  cost_of("integer i64 wide", integer<std::int64_t>{0, std::int64_t{1} << 60});
}
