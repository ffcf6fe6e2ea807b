// normalise: softmax and log-softmax, layer norm and RMS norm, and their gradients, row by row, on the host.
#ifndef RIVUS_NORMALISE_HPP
#define RIVUS_NORMALISE_HPP

#include <rivus/executor.hpp>
#include <rivus/half.hpp>
#include <rivus/matmul.hpp>

namespace rivus {

// What all calls here share. T: float, double, f16 or bf16; 16-bit values are widened to float, and each result is
// rounded once. Matrices have the same shape, one row after the other (col_stride 1, any row_stride), and at least
// one column. The output may be one of the input matrices, or must not overlap them; what else is written overlaps
// nothing. Rows do not depend on each other.
//
// Errors: std::invalid_argument for shapes that do not fit, another col_stride, null data and overlap;
// std::runtime_error when the thread flushes subnormals or does not round to nearest; std::bad_alloc. Nothing has
// been written then.
// Threads: those of `on`. Determinism: everywhere. Source: docs/spec.md, section 4.

// y = e^(x - m) / s in each row, with m its maximum and s = sum/v1 of e^(x - m).
template <class T>
detail::for_reals<T> softmax(detail::input_matrix<T> x, matrix<T> y, const executor& on = {});
// dx = y (dy - dot/v1(y, dy)), with y what softmax gave.
template <class T>
detail::for_reals<T> softmax_backward(detail::input_matrix<T> y, detail::input_matrix<T> dy, matrix<T> dx,
                                      const executor& on = {});

// y = (x - m) - ln s.
template <class T>
detail::for_reals<T> log_softmax(detail::input_matrix<T> x, matrix<T> y, const executor& on = {});
// dx = dy - e^y sum/v1(dy), with y what log_softmax gave.
template <class T>
detail::for_reals<T> log_softmax_backward(detail::input_matrix<T> y, detail::input_matrix<T> dy, matrix<T> dx,
                                          const executor& on = {});

// y = (x - mean) r weight + bias, with r = 1 / sqrt(variance + epsilon). weight and bias have a value for each
// column; a null weight stands for ones, a null bias for zeros. mean and reciprocal (r) are written, one for each
// row, unless null: the gradient needs them.
template <class T>
detail::for_reals<T> layer_norm(detail::input_matrix<T> x, detail::given_t<const T*> weight,
                                detail::given_t<const T*> bias, wide_t<T> epsilon, matrix<T> y,
                                wide_t<T>* mean, wide_t<T>* reciprocal, const executor& on = {});
// dx, and unless null dweight and dbias, which add up over the rows (by sum/v1) and have a value for each column.
template <class T>
detail::for_reals<T> layer_norm_backward(detail::input_matrix<T> dy, detail::input_matrix<T> x,
                                         detail::given_t<const T*> weight, const wide_t<T>* mean,
                                         const wide_t<T>* reciprocal, matrix<T> dx,
                                         detail::given_t<T*> dweight, detail::given_t<T*> dbias,
                                         const executor& on = {});

// y = x r weight, with r = 1 / sqrt(mean of squares + epsilon). Otherwise as layer_norm.
template <class T>
detail::for_reals<T> rms_norm(detail::input_matrix<T> x, detail::given_t<const T*> weight, wide_t<T> epsilon,
                              matrix<T> y, wide_t<T>* reciprocal, const executor& on = {});
template <class T>
detail::for_reals<T> rms_norm_backward(detail::input_matrix<T> dy, detail::input_matrix<T> x,
                                       detail::given_t<const T*> weight, const wide_t<T>* reciprocal,
                                       matrix<T> dx, detail::given_t<T*> dweight, const executor& on = {});

}  // namespace rivus

#endif
