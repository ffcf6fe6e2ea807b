#include <rivus/cuda/reduce.hpp>

#include "reduce.cuh"

namespace rivus::cuda {
namespace {

template <class X>
struct store_rounded {
  X* result;
  __device__ void operator()(wide_t<X> sum) const { *result = real::narrow<X>(real::canonical(sum)); }
};

template <class X, class Term>
void reduce(const char* who, cudaStream_t on, const Term& term, std::size_t n, X* result,
            const scratch_memory& scratch, std::initializer_list<rivus::detail::extent> inputs) {
  const auto memory =
      take_scratch<tree_memory<wide_t<X>>>(who, scratch, n, {extent_of("result", result, 1)}, inputs, n);
  enqueue_reduction(who, on, term, n, store_rounded<X>{result}, memory);
}

}  // namespace

template <class T>
rivus::detail::for_reals<T, std::size_t> scratch_bytes(index64 n) {
  return scratch_size<tree_memory<wide_t<T>>>(std::size_t{n});
}

template <class T>
rivus::detail::for_reals<T> sum(cudaStream_t on, const T* x, index64 n, T* result, void* scratch,
                                index64 bytes) {
  const char* const who = "rivus::cuda::sum";
  require_pointer(who, "result", result);
  require_values(who, "x", x, n);
  if (n == 0) return require(cudaMemsetAsync(result, 0, sizeof(T), on), "cudaMemsetAsync", who);
  reduce(who, on, expr::terms(expr::elements<T>{x, 0}), n, result, {scratch, bytes}, {extent_of("x", x, n)});
}
template <class T>
rivus::detail::for_reals<T> dot(cudaStream_t on, const T* x, const T* y, index64 n, T* result, void* scratch,
                                index64 bytes) {
  const char* const who = "rivus::cuda::dot";
  require_pointer(who, "result", result);
  require_values(who, "x", x, n);
  require_values(who, "y", y, n);
  if (n == 0) return require(cudaMemsetAsync(result, 0, sizeof(T), on), "cudaMemsetAsync", who);
  const expr::elements<T> a{x, 0}, b{y, 0};
  reduce(who, on, expr::products(a, b), n, result, {scratch, bytes},
         {extent_of("x", x, n), extent_of("y", y, n)});
}

#define RIVUS_INSTANTIATE(T)                                              \
  template std::size_t scratch_bytes<T>(index64);                         \
  template void sum(cudaStream_t, const T*, index64, T*, void*, index64); \
  template void dot(cudaStream_t, const T*, const T*, index64, T*, void*, index64);
RIVUS_INSTANTIATE(float)
RIVUS_INSTANTIATE(double)
RIVUS_INSTANTIATE(f16)
RIVUS_INSTANTIATE(bf16)
#undef RIVUS_INSTANTIATE

}  // namespace rivus::cuda
