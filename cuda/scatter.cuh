// What the kernels of scatter share: contributions by destination.
#ifndef RIVUS_CUDA_SCATTER_CUH
#define RIVUS_CUDA_SCATTER_CUH

#include <rivus/arguments.hpp>
#include <rivus/cuda/scatter.hpp>
#include <rivus/tree.hpp>

#include "reduce.cuh"

namespace rivus::cuda {

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

// Bags by their offsets.
struct bag_view {
  indices offsets;
  std::uint64_t bags, n;

  __device__ __forceinline__ std::uint64_t begin(std::uint64_t b) const { return bounded(offsets[b]); }
  __device__ __forceinline__ std::uint64_t end(std::uint64_t b) const {
    const std::uint64_t from = begin(b), to = b + 1 < bags ? begin(b + 1) : n;
    return to < from ? from : to;
  }
  __device__ __forceinline__ std::uint64_t length(std::uint64_t b) const { return end(b) - begin(b); }

 private:
  __device__ __forceinline__ std::uint64_t bounded(std::uint64_t offset) const {
    return offset < n ? offset : n;
  }
};

// Sorts on the stream. With bags, sources are the bags of the contributions, else their positions.
sorted_view sort_by_id(const char* who, cudaStream_t on, const indices& ids, std::size_t n, std::size_t size,
                       const bag_view* bags, const scratch_memory& scratch, index_error* error);
// Only looks for errors.
void check_ids(const char* who, cudaStream_t on, const indices& ids, std::size_t n, std::size_t size,
               index_error* error);
void check_bags(const char* who, cudaStream_t on, const bag_view& bags, index_error* error);

// What is written beside the results of n contributions to so many destinations.
inline detail::extent extent_of(const index_error* error) { return detail::extent_of("error", error, 1); }
inline detail::extent extent_of(const scratch_memory& scratch, std::size_t n, std::size_t size) {
  return detail::extent_of_scratch(scratch.data, scatter_scratch_bytes(n, size));
}

}  // namespace rivus::cuda

#endif
