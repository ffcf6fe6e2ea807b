// What the kernels of scatter share: contributions by destination.
#ifndef RIVUS_CUDA_SCATTER_CUH
#define RIVUS_CUDA_SCATTER_CUH

#include <rivus/arguments.hpp>
#include <rivus/cuda/scatter.hpp>
#include <rivus/tree.hpp>

#include "reduce.cuh"

namespace rivus::cuda {

using detail::segments_by_offsets;

// Contribution k goes to destination(k), which ascends, and comes from source(k). Those of indices out of range
// come last and go to `size`.
struct sorted_view {
  const void* destinations;
  const void* sources;
  std::uint64_t n, size;
  bool wide;

  __device__ __forceinline__ std::uint64_t destination(std::uint64_t k) const { return at(destinations, k); }
  __device__ __forceinline__ std::uint64_t source(std::uint64_t k) const { return at(sources, k); }
  // Whether k is one more contribution to destination d.
  __device__ __forceinline__ bool goes_on(std::uint64_t k, std::uint64_t d) const {
    return k < n && destination(k) == d;
  }
  __device__ __forceinline__ bool begins(std::uint64_t k) const {
    return k < n && destination(k) < size && (k == 0 || destination(k - 1) != destination(k));
  }

 private:
  __device__ __forceinline__ std::uint64_t at(const void* p, std::uint64_t k) const {
    return wide ? static_cast<const std::uint64_t*>(p)[k] : static_cast<const std::uint32_t*>(p)[k];
  }
};

// Sorts on the stream. With bags, sources are the bags of the contributions, else their positions.
sorted_view sort_by_id(const char* who, cudaStream_t on, const indices& ids, std::size_t n, std::size_t size,
                       const segments_by_offsets* bags, const scratch_memory& scratch, index_error* error);
// Only looks for errors.
void check_ids(const char* who, cudaStream_t on, const indices& ids, std::size_t n, std::size_t size,
               index_error* error);
// The position of offset s is first + s.
void check_segments(const char* who, cudaStream_t on, const segments_by_offsets& segments,
                    std::uint64_t first, bool none_empty, index_error* error);

// What is written beside the results of n contributions to so many destinations.
inline detail::extent extent_of(const index_error* error) { return detail::extent_of("error", error, 1); }
inline detail::extent extent_of(const scratch_memory& scratch, std::size_t n, std::size_t size) {
  return detail::extent_of_scratch(scratch.data, scatter_scratch_bytes(n, size));
}

}  // namespace rivus::cuda

#endif
