// reductions on the device: the calls of rivus/reductions.hpp on a CUDA stream, to the same bits.
#ifndef RIVUS_CUDA_REDUCTIONS_HPP
#define RIVUS_CUDA_REDUCTIONS_HPP

#include <rivus/cuda/error.hpp>
#include <rivus/reductions.hpp>

namespace rivus::cuda {

// What all calls here share. T: float, double, f16 or bf16. All pointers are to device memory, aligned to their
// type; results are written there. They enqueue kernels on the stream and neither allocate nor synchronise, so
// that they can be captured; the scratch needs no initial value and may be used again by later work on the stream.
// Errors: std::invalid_argument as on the host, for too little scratch, and where a result or the scratch overlaps
// another array; std::runtime_error as on the host from reduce, variance and those of columns, which divide by a
// count that the host rounds; cuda_error if a launch fails.
// Determinism: everywhere, with any grid. Source: docs/spec.md, section 4.

// Bytes of device memory, aligned to 8, that the calls on n values work in.
template <class T>
rivus::detail::for_reals<T, std::size_t> reduce_scratch_bytes(index64 n);

template <class T>
rivus::detail::for_reals<T> reduce(cudaStream_t on, reduction kind, const T* x, index64 n, T* result,
                                   void* scratch, index64 bytes);
template <class T>
rivus::detail::for_reals<T> variance(cudaStream_t on, const T* x, index64 n, index64 less, T* result,
                                     void* scratch, index64 bytes);
template <class T>
rivus::detail::for_reals<T> argmin(cudaStream_t on, const T* x, index64 n, std::size_t* result, void* scratch,
                                   index64 bytes);
template <class T>
rivus::detail::for_reals<T> argmax(cudaStream_t on, const T* x, index64 n, std::size_t* result, void* scratch,
                                   index64 bytes);

// A warp to a row.
template <class T>
rivus::detail::for_reals<T> reduce_rows(cudaStream_t on, reduction kind, rivus::detail::input_matrix<T> x,
                                        T* out);
template <class T>
rivus::detail::for_reals<T> variance_rows(cudaStream_t on, rivus::detail::input_matrix<T> x, T* out,
                                          index64 less);
template <class T>
rivus::detail::for_reals<T> argmin_rows(cudaStream_t on, matrix<const T> x, std::size_t* out);
template <class T>
rivus::detail::for_reals<T> argmax_rows(cudaStream_t on, matrix<const T> x, std::size_t* out);

// Bytes of device memory, aligned to 8, that the calls on columns work in.
template <class T>
rivus::detail::for_reals<T, std::size_t> column_scratch_bytes(index64 rows, index64 cols);

template <class T>
rivus::detail::for_reals<T> reduce_columns(cudaStream_t on, reduction kind, rivus::detail::input_matrix<T> x,
                                           T* out, void* scratch, index64 bytes);
template <class T>
rivus::detail::for_reals<T> variance_columns(cudaStream_t on, rivus::detail::input_matrix<T> x, T* out,
                                             index64 less, void* scratch, index64 bytes);

}  // namespace rivus::cuda

#endif
