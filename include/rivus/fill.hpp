// fill: many elements of a distribution at once, on the host.
#ifndef RIVUS_FILL_HPP
#define RIVUS_FILL_HPP

#include <cstddef>
#include <cstring>
#include <type_traits>
#if __cplusplus >= 202002L && __has_include(<span>)
#include <span>
#endif

#include <rivus/bernoulli.hpp>
#include <rivus/bits.hpp>
#include <rivus/executor.hpp>
#include <rivus/exponential.hpp>
#include <rivus/integer.hpp>
#include <rivus/normal.hpp>
#include <rivus/runtime.hpp>
#include <rivus/uniform.hpp>

namespace rivus {

namespace detail {

template <class... D>
struct list {
  template <class T>
  static constexpr bool contains = (std::is_same_v<T, D> || ...);
};

// The distributions that have host kernels: one line each.
using filled = list<bits<std::uint32_t>, bits<std::uint64_t>,                     //
                    uniform<float>, uniform<double>,                              //
                    uniform<float, interval::oc>, uniform<double, interval::oc>,  //
                    uniform<float, interval::oo>, uniform<double, interval::oo>,  //
                    normal<float>, normal<double>,                                //
                    exponential<float>, exponential<double>,                      //
                    bernoulli,                                                    //
                    integer<std::int32_t>, integer<std::uint32_t>,                //
                    integer<std::int64_t>, integer<std::uint64_t>>;

// And those of narrower integers, made of these.
using filled_narrow =
    list<integer<std::int8_t>, integer<std::uint8_t>, integer<std::int16_t>, integer<std::uint16_t>,
         bits<std::int8_t>, bits<std::uint8_t>, bits<std::int16_t>, bits<std::uint16_t>>;

// The distribution with the integer type of the lists in the place of another one that has the same values; bits of
// 32 and 64 are the words.
template <class I, class Signed, class Unsigned>
using listed_of_width = std::conditional_t<std::is_signed_v<I>, Signed, Unsigned>;
template <class I>
using listed_integer = std::conditional_t<
    sizeof(I) == 1, listed_of_width<I, std::int8_t, std::uint8_t>,
    std::conditional_t<sizeof(I) == 2, listed_of_width<I, std::int16_t, std::uint16_t>,
                       std::conditional_t<sizeof(I) == 4, listed_of_width<I, std::int32_t, std::uint32_t>,
                                          listed_of_width<I, std::int64_t, std::uint64_t>>>>;
template <class D>
constexpr D with_listed_integers(const D& d) noexcept {
  return d;
}
template <class I>
constexpr integer<listed_integer<I>> with_listed_integers(const integer<I>& d) noexcept {
  return {d.lo, d.hi};
}
template <class I>
constexpr bits<std::conditional_t<(sizeof(I) < 4), listed_integer<I>, typename bits<I>::word>>
with_listed_integers(const bits<I>&) noexcept {
  return {};
}

// Defined in the library for the distributions of the lists.
template <class D>
void fill(typename D::value_type* out, std::size_t n, stream s, D d, std::uint64_t first, const executor& on);

// Up to four elements of one quad cost less here than a call. Returns false where there are more, and where
// there is something to complain about.
template <class D>
inline bool fill_few(typename D::value_type* out, std::size_t n, stream s, const D& d, std::uint64_t first) {
  if (n - 1 > 3 || (first & 3) + n > 4 || out == nullptr || !has_default_environment()) return false;
  bool valid = true;
  d.check([&](auto&&...) { valid = false; });
  if (!valid) return false;
  using T = typename D::value_type;
  if (n == 1) {
    const T x = d(s, first);
    std::memcpy(static_cast<void*>(out), &x, sizeof x);
  } else {
    const vec<T, 4> x = d.quad(s, first >> 2);
    std::memcpy(static_cast<void*>(out), &x.v[first & 3], n * sizeof(T));
  }
  return true;
}

}  // namespace detail

// out[j] = d(s, first + j) for 0 <= j < n.
//
// Shape: any n, any first with first + n <= 2^64, any alignment of out. Filling in pieces gives the same
// values.
// D: bits and integer of any integer type, uniform, normal, exponential of float or double, bernoulli.
// Words consumed: the distribution's, for elements first .. first+n-1 and no others.
// Errors: std::invalid_argument for a parameter outside its domain, first + n beyond 2^64, or a null out with
// n > 0; std::runtime_error when the thread flushes subnormals or does not round to nearest. Nothing has been
// written then.
// Threads: those of `on` for large n. Safe to call from several threads on different memory.
// Determinism: everywhere; neither threads nor instruction set change a bit.
template <class D>
void fill(typename D::value_type* out, index64 n, stream s, D d, index64 first = 0, const executor& on = {}) {
  const auto listed = detail::with_listed_integers(d);
  using L = std::remove_const_t<decltype(listed)>;
  static_assert(detail::filled::contains<L> || detail::filled_narrow::contains<L>,
                "rivus::fill: no host kernel for this distribution; call it element by element");
  if (!detail::fill_few(out, n, s, d, first))
    detail::fill(reinterpret_cast<typename L::value_type*>(out), n, s, listed, first, on);
}

// Events as bool.
inline void fill(bool* out, index64 n, stream s, bernoulli d, index64 first = 0, const executor& on = {}) {
  static_assert(sizeof(bool) == 1);
  fill(reinterpret_cast<std::uint8_t*>(out), n, s, d, first, on);
}

#ifdef __cpp_lib_span
template <class D>
void fill(std::span<typename D::value_type> out, stream s, D d, index64 first = 0, const executor& on = {}) {
  fill<D>(out.data(), out.size(), s, d, first, on);
}
inline void fill(std::span<bool> out, stream s, bernoulli d, index64 first = 0, const executor& on = {}) {
  fill(out.data(), out.size(), s, d, first, on);
}
#endif

}  // namespace rivus

#endif
