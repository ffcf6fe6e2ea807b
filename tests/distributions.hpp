// Every distribution that fill takes, with parameters that reach its special cases.
#ifndef RIVUS_TESTS_DISTRIBUTIONS_HPP
#define RIVUS_TESTS_DISTRIBUTIONS_HPP

#include <limits>
#include <rivus/fill.hpp>

namespace rivus::test {

template <class T, class F>
void for_each_real_distribution(F f) {
  constexpr T tiny = std::numeric_limits<T>::denorm_min();
  constexpr T large = std::numeric_limits<T>::max() / 2;
  f("uniform", uniform<T>{});
  f("uniform -1 1", uniform<T>{-1, 1});
  f("uniform 0.1 0.3", uniform<T>{T(0.1), T(0.3)});
  f("uniform 1 to the next value", uniform<T>{1, 1 + std::numeric_limits<T>::epsilon()});
  f("uniform of subnormals", uniform<T>{-3 * tiny, 1000 * tiny});
  f("uniform of the largest values", uniform<T>{-large, large});
  f("uniform-oc", uniform<T, interval::oc>{});
  f("uniform-oo", uniform<T, interval::oo>{});
  f("normal", normal<T>{});
  f("normal 1.5 0.02", normal<T>{T(1.5), T(0.02)});
  f("normal of no deviation", normal<T>{-2, 0});
  f("normal of subnormal deviation", normal<T>{0, 1000 * tiny});
  f("exponential", exponential<T>{});
  f("exponential 0.3", exponential<T>{T(0.3)});
  f("exponential of the largest rate", exponential<T>{std::numeric_limits<T>::max()});
}

// f(name, distribution) for each.
template <class F>
void for_each_distribution(F f) {
  using limits32 = std::numeric_limits<std::int32_t>;
  using limits64 = std::numeric_limits<std::int64_t>;
  f("bits u32", bits<std::uint32_t>{});
  f("bits u64", bits<std::uint64_t>{});
  for_each_real_distribution<float>(f);
  for_each_real_distribution<double>(f);
  f("bernoulli 0.1", bernoulli{0.1});
  f("bernoulli 0", bernoulli{0});
  f("bernoulli 1", bernoulli{1});
  f("integer i32 of one value", integer<std::int32_t>{-7, -6});
  f("integer i32 small", integer<std::int32_t>{-7, 1000});
  // 2^32 mod 1047553 is 1047549: one word in 4100 is refused, as many as a small bound can.
  f("integer i32 refusing", integer<std::int32_t>{0, 1047553});
  f("integer i32 refusing, from -3", integer<std::int32_t>{-3, 1047550});
  f("integer i32 2^20", integer<std::int32_t>{0, 1 << 20});
  f("integer i32 2^20 + 1", integer<std::int32_t>{0, (1 << 20) + 1});
  f("integer i32 all but one", integer<std::int32_t>{limits32::min(), limits32::max()});
  f("integer i64 small", integer<std::int64_t>{-5, 5});
  f("integer i64 refusing a quarter", integer<std::int64_t>{-1, std::int64_t{3} << 61});
  f("integer i64 all but one", integer<std::int64_t>{limits64::min(), limits64::max()});
  f("integer u32 small", integer<std::uint32_t>{5, 8});
  f("integer u32 3e9", integer<std::uint32_t>{0, 3000000000u});
  f("integer u32 all but one", integer<std::uint32_t>{0, ~std::uint32_t{0}});
  f("integer u64 small", integer<std::uint64_t>{1000, 2000});
  f("integer u64 2^32", integer<std::uint64_t>{0, std::uint64_t{1} << 32});
  f("integer u64 refusing half", integer<std::uint64_t>{0, (std::uint64_t{1} << 63) + 1});
  f("integer u64 all but one", integer<std::uint64_t>{0, ~std::uint64_t{0}});
}

}  // namespace rivus::test

#endif
