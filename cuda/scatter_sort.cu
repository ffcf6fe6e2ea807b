#include <algorithm>
#include <bit>

#include "radix_sort.cuh"
#include "scatter.cuh"

namespace rivus::cuda {
namespace {

__device__ __forceinline__ void note(index_error* error, std::uint64_t position) {
  if (error != nullptr) atomicMax(&error->complement, ~static_cast<unsigned long long>(position));
}

// keys may be null.
template <class K>
__global__ void __launch_bounds__(block_threads)
    make_keys(const indices ids, const std::uint64_t n, const std::uint64_t size, K* __restrict__ keys,
              index_error* error) {
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * block_threads + threadIdx.x; i < n;
       i += std::uint64_t{gridDim.x} * block_threads) {
    const std::uint64_t id = ids[i];
    const bool valid = id < size;
    if (!valid) note(error, i);
    if (keys != nullptr) keys[i] = static_cast<K>(valid ? id : size);
  }
}

// Positions of offsets count from `first`.
__global__ void __launch_bounds__(block_threads)
    check_offsets(const segments_by_offsets bags, const std::uint64_t first, const bool none_empty,
                  index_error* error) {
  for (std::uint64_t b = std::uint64_t{blockIdx.x} * block_threads + threadIdx.x; b < bags.count;
       b += std::uint64_t{gridDim.x} * block_threads) {
    // Negative ones are above n.
    const std::uint64_t offset = bags.offsets[b];
    const bool valid = b == 0 ? offset == 0 : offset >= bags.offsets[b - 1];
    if (!valid || offset > bags.n || (none_empty && bags.length(b) == 0)) note(error, first + b);
  }
}

// The last bag that begins at or before each contribution.
template <class K>
__global__ void __launch_bounds__(block_threads)
    find_bags(const segments_by_offsets bags, K* __restrict__ bag_of) {
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * block_threads + threadIdx.x; i < bags.n;
       i += std::uint64_t{gridDim.x} * block_threads) {
    std::uint64_t low = 0, high = bags.count;
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (bags.begin(middle) <= i) {
        low = middle;
      } else {
        high = middle;
      }
    }
    bag_of[i] = static_cast<K>(low);
  }
}

unsigned grid_of(std::uint64_t n) { return grid_blocks((n + block_threads - 1) / block_threads, 4096); }

bool is_wide(std::uint64_t n, std::uint64_t size) {
  constexpr std::uint64_t most = 0xFFFFFFFF;
  return n > most || size > most;
}

template <class K>
struct sort_memory : sort_buffers<K> {
  sort_memory(scratch_layout& at, std::size_t n) {
    for (K** p : {&this->keys, &this->values, &this->other_keys, &this->other_values}) *p = at.take<K>(n);
    this->counts = at.take<K>(digits * sort_parts(n).count);
    this->totals = at.take<K>(digits);
  }
};

template <class K>
sorted_view sort_keys(const char* who, cudaStream_t on, const indices& ids, std::size_t n, std::size_t size,
                      const segments_by_offsets* bags, const scratch_memory& scratch, index_error* error) {
  auto buffers = take_scratch<sort_memory<K>>(who, scratch, n, {}, {}, n);
  launch("launch of make_keys", who, on, grid_of(n), block_threads, &make_keys<K>, ids, std::uint64_t{n},
         std::uint64_t{size}, buffers.keys, error);
  if (bags != nullptr)
    launch("launch of find_bags", who, on, grid_of(n), block_threads, &find_bags<K>, *bags, buffers.values);
  radix_sort<K>(who, on, n, static_cast<int>(std::bit_width(size)), bags == nullptr, buffers);
  return {buffers.keys, buffers.values, n, size, sizeof(K) == 8};
}

}  // namespace

std::size_t scatter_scratch_bytes(index64 n, index64 size) {
  if (n == 0) return 0;
  return is_wide(n, size) ? scratch_size<sort_memory<std::uint64_t>>(std::size_t{n})
                          : scratch_size<sort_memory<std::uint32_t>>(std::size_t{n});
}

sorted_view sort_by_id(const char* who, cudaStream_t on, const indices& ids, std::size_t n, std::size_t size,
                       const segments_by_offsets* bags, const scratch_memory& scratch, index_error* error) {
  const std::size_t bound = bags != nullptr ? std::max<std::size_t>(size, bags->count) : size;
  return is_wide(n, bound) ? sort_keys<std::uint64_t>(who, on, ids, n, size, bags, scratch, error)
                           : sort_keys<std::uint32_t>(who, on, ids, n, size, bags, scratch, error);
}

void check_ids(const char* who, cudaStream_t on, const indices& ids, std::size_t n, std::size_t size,
               index_error* error) {
  if (n == 0 || error == nullptr) return;
  launch("launch of make_keys", who, on, grid_of(n), block_threads, &make_keys<std::uint32_t>, ids,
         std::uint64_t{n}, std::uint64_t{size}, nullptr, error);
}
void check_segments(const char* who, cudaStream_t on, const segments_by_offsets& segments,
                    std::uint64_t first, bool none_empty, index_error* error) {
  if (segments.count == 0 || error == nullptr) return;
  launch("launch of check_offsets", who, on, grid_of(segments.count), block_threads, &check_offsets, segments,
         first, none_empty, error);
}

void require_no_index_error(cudaStream_t on, const index_error* error) {
  const char* const who = "rivus::cuda::require_no_index_error";
  if (error == nullptr) detail::refuse(who, "error is null");
  index_error found;
  require(cudaMemcpyAsync(&found, error, sizeof found, cudaMemcpyDeviceToHost, on), "cudaMemcpyAsync", who);
  require(cudaStreamSynchronize(on), "cudaStreamSynchronize", who);
  if (found.complement != 0)
    detail::refuse(who, "the index at position " + detail::text_of(~found.complement) + " is out of range");
}

}  // namespace rivus::cuda
