// fill on the device: many elements of a distribution at once, on a CUDA stream.
#ifndef RIVUS_CUDA_FILL_HPP
#define RIVUS_CUDA_FILL_HPP

#include <rivus/cuda/error.hpp>
#include <rivus/cuda/position.hpp>
#include <rivus/fill.hpp>

namespace rivus::cuda {

namespace detail {

// Defined in the library for the distributions of rivus::detail::filled. device_first may be null.
template <class D>
void fill(cudaStream_t on, typename D::value_type* out, std::size_t n, stream s, D d, std::uint64_t first,
          const std::uint64_t* device_first);

template <class D>
void fill_as_listed(cudaStream_t on, typename D::value_type* out, std::size_t n, stream s, D d,
                    std::uint64_t first, const std::uint64_t* device_first) {
  const auto listed = rivus::detail::with_listed_integers(d);
  using L = std::remove_const_t<decltype(listed)>;
  static_assert(
      rivus::detail::filled::contains<L>,
      "rivus::cuda::fill: no kernel for this distribution (integers have 32 or 64 bits there); draw it "
      "element by element in a kernel");
  fill(on, reinterpret_cast<typename L::value_type*>(out), n, s, listed, first, device_first);
}

}  // namespace detail

// out[j] = d(s, first + j) for 0 <= j < n: the values of rivus::fill, in device memory.
//
// Shape: any n, any first with first + n <= 2^64; out may have any alignment that suits its type, and is
// filled fastest at a multiple of 16 bytes with first a multiple of 4.
// D: those of rivus::fill, integers and bits of 32 or 64 bits.
// Work: launches kernels on the stream and returns; it neither allocates nor synchronises, and can be
// captured.
// Errors: std::invalid_argument as rivus::fill, before anything is launched; cuda_error if a launch fails.
// Determinism: everywhere; the values are those of the CPU.
template <class D>
void fill(cudaStream_t on, typename D::value_type* out, index64 n, stream s, D d, index64 first = 0) {
  detail::fill_as_listed(on, out, n, s, d, first, nullptr);
}

// The same with first taken from device memory when the kernel runs, modulo 2^64.
template <class D>
void fill(cudaStream_t on, typename D::value_type* out, index64 n, stream s, D d, const position& first) {
  detail::fill_as_listed(on, out, n, s, d, 0, first.device_pointer());
}

// Events as bool.
inline void fill(cudaStream_t on, bool* out, index64 n, stream s, bernoulli d, index64 first = 0) {
  fill(on, reinterpret_cast<std::uint8_t*>(out), n, s, d, first);
}
inline void fill(cudaStream_t on, bool* out, index64 n, stream s, bernoulli d, const position& first) {
  fill(on, reinterpret_cast<std::uint8_t*>(out), n, s, d, first);
}

}  // namespace rivus::cuda

#endif
