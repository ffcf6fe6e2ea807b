// reduce on the device: sums in one fixed order, on a CUDA stream.
#ifndef RIVUS_CUDA_REDUCE_HPP
#define RIVUS_CUDA_REDUCE_HPP

#include <cstddef>
#include <rivus/cuda/error.hpp>
#include <rivus/half.hpp>
#include <rivus/index.hpp>

namespace rivus::cuda {

// Bytes of device memory, aligned to 8, that sum and dot over n values need to work in.
template <class T>
rivus::detail::for_reals<T, std::size_t> scratch_bytes(index64 n);

// *result = x[0] + ... + x[n-1] in the order of sum/v1: the bits of rivus::sum. All pointers are to device
// memory.
//
// Shape: any n (0 gives +0), any grid. The scratch needs no initial value and may be used again by later work
// on the stream.
// Work: one memset and one kernel on the stream; neither allocates nor synchronises, and can be captured.
// Errors: std::invalid_argument for null pointers, for too little scratch, and where the result or the scratch
// overlaps another array; cuda_error if a launch fails.
// Determinism: everywhere. Source: docs/spec.md, section 4.
template <class T>
rivus::detail::for_reals<T> sum(cudaStream_t on, const T* x, index64 n, T* result, void* scratch,
                                index64 bytes);

// *result = x[0] * y[0] + ... in the order of dot/v1. Otherwise as sum.
template <class T>
rivus::detail::for_reals<T> dot(cudaStream_t on, const T* x, const T* y, index64 n, T* result, void* scratch,
                                index64 bytes);

}  // namespace rivus::cuda

#endif
