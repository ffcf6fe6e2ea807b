// scan on the device: running sums and products in one fixed order, on a CUDA stream.
#ifndef RIVUS_CUDA_SCAN_HPP
#define RIVUS_CUDA_SCAN_HPP

#include <rivus/cuda/error.hpp>
#include <rivus/scan.hpp>

namespace rivus::cuda {

// Bytes of device memory, aligned to 8, that a scan of `rows` rows of n values each needs to work in.
template <class T>
rivus::detail::for_reals<T, std::size_t> scan_scratch_bytes(index64 n, index64 rows = 1);

// y[i] = x[0] + ... + x[i], or x[0] * ... * x[i], by scan/v1: the bits of rivus::cumsum and its relatives. T: float,
// double, f16 or bf16. All pointers are to device memory.
//
// Shape: any n, any grid; y is x, or does not overlap it. The scratch needs no initial value and may be used again by
// later work on the stream.
// Work: one kernel on the stream for 2048 values a row, four for more; neither
// allocates nor synchronises, and can be captured.
// Errors: as rivus::cumsum, and std::invalid_argument for too little scratch or one that overlaps x or y;
// cuda_error if a launch fails.
// Determinism: everywhere. Source: docs/spec.md, section 4.
template <class T>
rivus::detail::for_reals<T> cumsum(cudaStream_t on, const T* x, index64 n, T* y, void* scratch,
                                   index64 bytes);
template <class T>
rivus::detail::for_reals<T> cumprod(cudaStream_t on, const T* x, index64 n, T* y, void* scratch,
                                    index64 bytes);
template <class T>
rivus::detail::for_reals<T> exclusive_cumsum(cudaStream_t on, const T* x, index64 n, T* y, void* scratch,
                                             index64 bytes);
template <class T>
rivus::detail::for_reals<T> exclusive_cumprod(cudaStream_t on, const T* x, index64 n, T* y, void* scratch,
                                              index64 bytes);

// The same of every row of a matrix, as rivus::cumsum_rows.
template <class T>
rivus::detail::for_reals<T> cumsum_rows(cudaStream_t on, rivus::detail::input_matrix<T> x, matrix<T> y,
                                        void* scratch, index64 bytes);
template <class T>
rivus::detail::for_reals<T> cumprod_rows(cudaStream_t on, rivus::detail::input_matrix<T> x, matrix<T> y,
                                         void* scratch, index64 bytes);
template <class T>
rivus::detail::for_reals<T> exclusive_cumsum_rows(cudaStream_t on, rivus::detail::input_matrix<T> x,
                                                  matrix<T> y, void* scratch, index64 bytes);
template <class T>
rivus::detail::for_reals<T> exclusive_cumprod_rows(cudaStream_t on, rivus::detail::input_matrix<T> x,
                                                   matrix<T> y, void* scratch, index64 bytes);

}  // namespace rivus::cuda

#endif
