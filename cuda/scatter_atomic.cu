// Apart from the rest, as these kernels alone return other bits from run to run.
#include <rivus/determinism.hpp>

#include "scatter.cuh"

namespace rivus::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(block_threads)
    add_atomic(T* out, const std::uint64_t rows, const std::uint64_t cols, const indices ids,
               const T* __restrict__ x, const std::uint64_t n) {
  for (std::uint64_t at = std::uint64_t{blockIdx.x} * block_threads + threadIdx.x; at < n * cols;
       at += std::uint64_t{gridDim.x} * block_threads) {
    const std::uint64_t i = cols == 1 ? at : at / cols;
    const std::uint64_t id = ids[i];
    if (id < rows) atomicAdd(&out[id * cols + (at - i * cols)], x[at]);
  }
}

template <class T>
void add(const char* who, const char* operation, const char* alternative, cudaStream_t on, T* out,
         std::size_t rows, std::size_t cols, const indices& ids, const T* x, std::size_t n,
         index_error* error) {
  detail::alert_not_deterministic(operation, sizeof(T) == 4 ? "f32" : "f64", "cuda", alternative);
  detail::require_scatter(who, out, rows, cols, ids, "x", x, n, {extent_of(error)});
  check_ids(who, on, ids, n, rows, error);
  if (n == 0 || cols == 0) return;
  const unsigned grid = grid_blocks((n * cols + block_threads - 1) / block_threads, 4096);
  launch("launch of add_atomic", who, on, grid, block_threads, &add_atomic<T>, out, std::uint64_t{rows},
         std::uint64_t{cols}, ids, x, std::uint64_t{n});
}

}  // namespace

template <class T>
detail::for_floats<T> index_add_atomic(cudaStream_t on, T* out, index64 size, indices ids, const T* x,
                                       index64 n, index_error* error) {
  add("rivus::cuda::index_add_atomic", "index_add_atomic", "index_add", on, out, size, 1, ids, x, n, error);
}
template <class T>
detail::for_floats<T> index_add_rows_atomic(cudaStream_t on, T* out, index64 rows, index64 cols, indices ids,
                                            const T* x, index64 n, index_error* error) {
  add("rivus::cuda::index_add_rows_atomic", "index_add_rows_atomic", "index_add_rows", on, out, rows, cols,
      ids, x, n, error);
}

#define RIVUS_ATOMIC(T)                                                                                \
  template void index_add_atomic(cudaStream_t, T*, index64, indices, const T*, index64, index_error*); \
  template void index_add_rows_atomic(cudaStream_t, T*, index64, index64, indices, const T*, index64,  \
                                      index_error*);
RIVUS_ATOMIC(float)
RIVUS_ATOMIC(double)
#undef RIVUS_ATOMIC

}  // namespace rivus::cuda
