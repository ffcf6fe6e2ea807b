// fill: many elements of a distribution at once, on the host.
#ifndef RIVUS_FILL_HPP
#define RIVUS_FILL_HPP

#include <cstddef>
#if defined(__cpp_lib_span) || (__cplusplus >= 202002L && __has_include(<span>))
#include <span>
#endif

#include <rivus/bernoulli.hpp>
#include <rivus/bits.hpp>
#include <rivus/exponential.hpp>
#include <rivus/integer.hpp>
#include <rivus/normal.hpp>
#include <rivus/uniform.hpp>

namespace rivus {

// out[j] = d(s, first + j) for 0 <= j < n.
//
// Shape: any n, any first with first + n <= 2^64, any alignment of out. Filling in pieces gives the same values.
// D: bits<u32|u64>, uniform, normal, exponential of float or double, bernoulli, integer of 32 or 64 bits.
// Words consumed: the distribution's, for elements first .. first+n-1 and no others.
// Errors: std::invalid_argument for a parameter outside its domain, first + n beyond 2^64, or a null out with n > 0;
// std::runtime_error when the thread flushes subnormals or does not round to nearest. Nothing has been written then.
// Threads: those of OpenMP for large n. Safe to call from several threads on different memory.
// Determinism: everywhere; neither threads nor instruction set change a bit.
template <class D>
void fill(typename D::value_type* out, std::size_t n, stream s, D d, std::uint64_t first = 0);

#ifdef __cpp_lib_span
template <class D>
void fill(std::span<typename D::value_type> out, stream s, D d, std::uint64_t first = 0) {
  fill<D>(out.data(), out.size(), s, d, first);
}
#endif

}  // namespace rivus

#endif
