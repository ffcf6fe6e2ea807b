// matmul on the device: matrix products in one fixed order, on a CUDA stream.
#ifndef RIVUS_CUDA_MATMUL_HPP
#define RIVUS_CUDA_MATMUL_HPP

#include <rivus/cuda/error.hpp>
#include <rivus/matmul.hpp>

namespace rivus::cuda {

// c = a b by matmul/v1, in device memory: the bits of rivus::matmul.
//
// Shape: as rivus::matmul; any strides. c must not overlap a or b.
// Work: one kernel on the stream; neither allocates nor synchronises, and can be captured.
// Errors: std::invalid_argument for shapes that do not fit or a null matrix; cuda_error if the launch fails.
// Determinism: everywhere. Source: docs/spec.md, section 4.
void matmul(cudaStream_t on, matrix<const float> a, matrix<const float> b, matrix<float> c);
void matmul(cudaStream_t on, matrix<const double> a, matrix<const double> b, matrix<double> c);

}  // namespace rivus::cuda

#endif
