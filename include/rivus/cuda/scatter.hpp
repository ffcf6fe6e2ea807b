// scatter on the device: contributions to destinations that indices name, in one fixed order, on a CUDA stream.
#ifndef RIVUS_CUDA_SCATTER_HPP
#define RIVUS_CUDA_SCATTER_HPP

#include <cstddef>
#include <cstdint>
#include <rivus/cuda/error.hpp>
#include <rivus/scatter.hpp>

namespace rivus::cuda {

// In device memory: where indices were out of range. All its bytes are 0 (cudaMemsetAsync) as long as there
// were none. Several calls may share one; it keeps the lowest position.
struct index_error {
  unsigned long long complement;  // 2^64 - 1 - position, or 0
};

// Errors: std::invalid_argument that names the position, if one of the calls before it on the stream met an
// index out of range; cuda_error. Synchronises the stream.
void require_no_index_error(cudaStream_t on, const index_error* error);

// Bytes of device memory, aligned to 8, that the calls below need to work in: with n contributions, and `size`
// destinations or bags, whichever are more.
std::size_t scatter_scratch_bytes(index64 n, index64 size);

// out[ids[i]] = out[ids[i]] + x[i], i ascending: the bits of rivus::index_add. A thread adds up what comes to one
// destination. All pointers are to device memory.
//
// Shape and types: as rivus::index_add, any grid. The scratch needs no initial value and may be used
// again by later work on the stream. Neither out nor the scratch nor *error overlaps another array.
// An index outside [0, size) contributes nothing; its position goes to *error unless that is null.
// Work: kernels on the stream; neither allocates nor synchronises, and can be captured.
// Errors: std::invalid_argument for null pointers, overlap, and too little scratch; cuda_error
// if a launch fails.
// Determinism: everywhere. Source: docs/spec.md, section 4.
template <class T>
rivus::detail::for_numbers<T> index_add(cudaStream_t on, T* out, index64 size, indices ids, const T* x,
                                        index64 n, void* scratch, index64 bytes,
                                        index_error* error = nullptr);

// As the functions of the same names in rivus, and index_add above.
template <class T>
rivus::detail::for_numbers<T> index_add_rows(cudaStream_t on, T* out, index64 rows, index64 cols, indices ids,
                                             const T* x, index64 n, void* scratch, index64 bytes,
                                             index_error* error = nullptr);
template <class T>
rivus::detail::for_numbers<T> scatter_min(cudaStream_t on, T* out, index64 size, indices ids, const T* x,
                                          index64 n, void* scratch, index64 bytes,
                                          index_error* error = nullptr);
template <class T>
rivus::detail::for_numbers<T> scatter_max(cudaStream_t on, T* out, index64 size, indices ids, const T* x,
                                          index64 n, void* scratch, index64 bytes,
                                          index_error* error = nullptr);
template <class T>
rivus::detail::for_numbers<T> scatter_prod(cudaStream_t on, T* out, index64 size, indices ids, const T* x,
                                           index64 n, void* scratch, index64 bytes,
                                           index_error* error = nullptr);
template <class T>
rivus::detail::for_numbers<T> put(cudaStream_t on, T* out, index64 size, indices ids, const T* x, index64 n,
                                  void* scratch, index64 bytes, index_error* error = nullptr);
template <class T>
rivus::detail::for_numbers<T> segment_sum(cudaStream_t on, indices ids, const T* x, index64 n, T* out,
                                          index64 segments, void* scratch, index64 bytes,
                                          index_error* error = nullptr);
template <class T>
rivus::detail::for_numbers<T> segment_sum_rows(cudaStream_t on, indices ids, const T* x, index64 n,
                                               index64 cols, T* out, index64 segments, void* scratch,
                                               index64 bytes, index_error* error = nullptr);
template <class T>
rivus::detail::for_numbers<T> bincount(cudaStream_t on, indices ids, const T* weights, index64 n, T* out,
                                       index64 bins, void* scratch, index64 bytes,
                                       index_error* error = nullptr);

// As rivus::segment_reduce, a warp to a segment. Position s stands for an error in offsets[s]; what the segments
// contain is not specified then, but a minimum or maximum of an empty segment, an error too, is NaN.
template <class T>
rivus::detail::for_reals<T> segment_reduce(cudaStream_t on, reduction kind, const T* x, index64 n,
                                           indices offsets, index64 segments, T* out,
                                           index_error* error = nullptr);

// Without scratch.
void bincount(cudaStream_t on, indices ids, index64 n, std::uint64_t* out, index64 bins,
              index_error* error = nullptr);
// Errors: also those of rivus::histogram.
template <class T>
rivus::detail::for_floats<T> histogram(cudaStream_t on, const T* x, index64 n, rivus::detail::given_t<T> lo,
                                       rivus::detail::given_t<T> hi, std::uint64_t* out, index64 bins);

// As rivus::embedding_bag and rivus::embedding_bag_backward. An index out of range counts as -0 in the sum and
// contributes nothing to the gradient. Position n + b stands for an error in offsets[b]; what the bags
// contain is not specified then.
template <class T>
rivus::detail::for_floats<T> embedding_bag(cudaStream_t on, const T* table, index64 rows, index64 cols,
                                           indices ids, index64 n, indices offsets, index64 bags,
                                           bag_mode mode, T* out, index_error* error = nullptr);
template <class T>
rivus::detail::for_floats<T> embedding_bag_backward(cudaStream_t on, const T* gradient, indices ids,
                                                    index64 n, indices offsets, index64 bags, bag_mode mode,
                                                    T* out, index64 rows, index64 cols, void* scratch,
                                                    index64 bytes, index_error* error = nullptr);

// index_add and index_add_rows by atomic additions, in whatever order they happen; T is float or double. No
// scratch. Subnormal sums of float may be flushed.
// Errors: also nondeterministic_operation, where the settings ask for it (determinism.hpp).
// Determinism: not_guaranteed.
template <class T>
rivus::detail::for_floats<T> index_add_atomic(cudaStream_t on, T* out, index64 size, indices ids, const T* x,
                                              index64 n, index_error* error = nullptr);
template <class T>
rivus::detail::for_floats<T> index_add_rows_atomic(cudaStream_t on, T* out, index64 rows, index64 cols,
                                                   indices ids, const T* x, index64 n,
                                                   index_error* error = nullptr);

}  // namespace rivus::cuda

#endif
