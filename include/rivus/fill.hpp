// fill: many elements of a distribution at once, on the host.
#ifndef RIVUS_FILL_HPP
#define RIVUS_FILL_HPP

#include <cstddef>
#include <type_traits>
#if __cplusplus >= 202002L && __has_include(<span>)
#include <span>
#endif

#include <rivus/bernoulli.hpp>
#include <rivus/bits.hpp>
#include <rivus/exponential.hpp>
#include <rivus/integer.hpp>
#include <rivus/normal.hpp>
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

// Defined in the library for the distributions of the list.
template <class D>
void fill(typename D::value_type* out, std::size_t n, stream s, D d, std::uint64_t first);

}  // namespace detail

// out[j] = d(s, first + j) for 0 <= j < n.
//
// Shape: any n, any first with first + n <= 2^64, any alignment of out. Filling in pieces gives the same
// values.
// D: bits<u32|u64>, uniform, normal, exponential of float or double, bernoulli, integer of 32 or 64 bits.
// Words consumed: the distribution's, for elements first .. first+n-1 and no others.
// Errors: std::invalid_argument for a parameter outside its domain, first + n beyond 2^64, or a null out with
// n > 0; std::runtime_error when the thread flushes subnormals or does not round to nearest. Nothing has been
// written then.
// Threads: those of OpenMP for large n. Safe to call from several threads on different memory.
// Determinism: everywhere; neither threads nor instruction set change a bit.
template <class D>
void fill(typename D::value_type* out, std::size_t n, stream s, D d, std::uint64_t first = 0) {
  static_assert(detail::filled::contains<D>,
                "rivus::fill: no host kernel for this distribution; call it element by element");
  detail::fill(out, n, s, d, first);
}

#ifdef __cpp_lib_span
template <class D>
void fill(std::span<typename D::value_type> out, stream s, D d, std::uint64_t first = 0) {
  fill<D>(out.data(), out.size(), s, d, first);
}
#endif

}  // namespace rivus

#endif
