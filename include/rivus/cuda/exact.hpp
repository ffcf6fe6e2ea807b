// exact on the device: sums and dot products without error but one rounding, on a CUDA stream.
#ifndef RIVUS_CUDA_EXACT_HPP
#define RIVUS_CUDA_EXACT_HPP

#include <cstddef>
#include <rivus/cuda/error.hpp>
#include <rivus/half.hpp>
#include <rivus/index.hpp>

namespace rivus::cuda {

// Bytes of device memory, aligned to 8, that exact_sum and exact_dot over n values need to work in.
template <class T>
rivus::detail::for_floats<T, std::size_t> exact_scratch_bytes(index64 n);

// *result = the sum x[0] + ... + x[n-1] without error, rounded once: the bits of rivus::exact_sum. T is float or
// double. All pointers are to device memory.
//
// Shape: any n (0 gives +0), any grid. The scratch needs no initial value and may be used again by later work
// on the stream.
// Work: one memset and one kernel on the stream; neither allocates nor synchronises, and can be captured.
// Errors: std::invalid_argument for null pointers, for too little scratch, and where the result or the scratch
// overlaps another array; cuda_error if a launch fails.
// Determinism: everywhere, and in any order of the elements. Source: docs/spec.md, section 4.
template <class T>
rivus::detail::for_floats<T> exact_sum(cudaStream_t on, const T* x, index64 n, T* result, void* scratch,
                                       index64 bytes);

// *result = the sum of the products x[i] * y[i] without error, rounded once. Otherwise as exact_sum.
template <class T>
rivus::detail::for_floats<T> exact_dot(cudaStream_t on, const T* x, const T* y, index64 n, T* result,
                                       void* scratch, index64 bytes);

}  // namespace rivus::cuda

#endif
