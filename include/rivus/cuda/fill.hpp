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
void fill(cudaStream_t on, typename D::value_type* out, index64 n, stream s, D d, std::uint64_t first,
          const std::uint64_t* device_first);

}  // namespace detail

// out[j] = d(s, first + j) for 0 <= j < n: the values of rivus::fill, in device memory.
//
// Shape: any n, any first with first + n <= 2^64; out may have any alignment that suits its type, and is
// filled fastest at a multiple of 16 bytes with first a multiple of 4.
// D: those of rivus::fill.
// Work: launches kernels on the stream and returns; it neither allocates nor synchronises, and can be
// captured.
// Errors: std::invalid_argument as rivus::fill, before anything is launched; cuda_error if a launch fails.
// Determinism: everywhere; the values are those of the CPU.
template <class D>
void fill(cudaStream_t on, typename D::value_type* out, index64 n, stream s, D d, index64 first = 0) {
  static_assert(rivus::detail::filled::contains<D>, "rivus::cuda::fill: no kernel for this distribution");
  detail::fill(on, out, n, s, d, first, nullptr);
}

// The same with first taken from device memory when the kernel runs, modulo 2^64.
template <class D>
void fill(cudaStream_t on, typename D::value_type* out, index64 n, stream s, D d, const position& first) {
  static_assert(rivus::detail::filled::contains<D>, "rivus::cuda::fill: no kernel for this distribution");
  detail::fill(on, out, n, s, d, 0, first.device_pointer());
}

}  // namespace rivus::cuda

#endif
