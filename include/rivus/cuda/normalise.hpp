// normalise on the device: the calls of rivus/normalise.hpp on a CUDA stream, to the same bits. A warp to a row.
#ifndef RIVUS_CUDA_NORMALISE_HPP
#define RIVUS_CUDA_NORMALISE_HPP

#include <rivus/cuda/reductions.hpp>
#include <rivus/normalise.hpp>

namespace rivus::cuda {

// As cuda/reductions.hpp says; an output may be one of the inputs. dweight and dbias take scratch of
// column_scratch_bytes(rows, cols), which may be null where both are.
template <class T>
rivus::detail::for_reals<T> softmax(cudaStream_t on, rivus::detail::input_matrix<T> x, matrix<T> y);
template <class T>
rivus::detail::for_reals<T> softmax_backward(cudaStream_t on, rivus::detail::input_matrix<T> y,
                                             rivus::detail::input_matrix<T> dy, matrix<T> dx);
template <class T>
rivus::detail::for_reals<T> log_softmax(cudaStream_t on, rivus::detail::input_matrix<T> x, matrix<T> y);
template <class T>
rivus::detail::for_reals<T> log_softmax_backward(cudaStream_t on, rivus::detail::input_matrix<T> y,
                                                 rivus::detail::input_matrix<T> dy, matrix<T> dx);
template <class T>
rivus::detail::for_reals<T> layer_norm(cudaStream_t on, rivus::detail::input_matrix<T> x,
                                       rivus::detail::given_t<const T*> weight,
                                       rivus::detail::given_t<const T*> bias, wide_t<T> epsilon, matrix<T> y,
                                       wide_t<T>* mean, wide_t<T>* reciprocal);
template <class T>
rivus::detail::for_reals<T> layer_norm_backward(
    cudaStream_t on, rivus::detail::input_matrix<T> dy, rivus::detail::input_matrix<T> x,
    rivus::detail::given_t<const T*> weight, const wide_t<T>* mean, const wide_t<T>* reciprocal, matrix<T> dx,
    rivus::detail::given_t<T*> dweight, rivus::detail::given_t<T*> dbias, void* scratch, index64 bytes);
template <class T>
rivus::detail::for_reals<T> rms_norm(cudaStream_t on, rivus::detail::input_matrix<T> x,
                                     rivus::detail::given_t<const T*> weight, wide_t<T> epsilon, matrix<T> y,
                                     wide_t<T>* reciprocal);
template <class T>
rivus::detail::for_reals<T> rms_norm_backward(cudaStream_t on, rivus::detail::input_matrix<T> dy,
                                              rivus::detail::input_matrix<T> x,
                                              rivus::detail::given_t<const T*> weight,
                                              const wide_t<T>* reciprocal, matrix<T> dx,
                                              rivus::detail::given_t<T*> dweight, void* scratch,
                                              index64 bytes);

}  // namespace rivus::cuda

#endif
