// A stable sort by 8 bits of the key at a time: count digits by parts, sum the counts, place. No block waits for
// another, so that any order of the blocks will do.
#ifndef RIVUS_CUDA_RADIX_SORT_CUH
#define RIVUS_CUDA_RADIX_SORT_CUH

#include <rivus/tree.hpp>

#include "launch.hpp"

namespace rivus::cuda {
namespace {

constexpr unsigned sort_warps = block_threads / 32, sort_items = 8, sort_tile = block_threads * sort_items;
constexpr unsigned digits = 256;
// Blocks on a multiprocessor: without a wish ptxas makes room for eight, and spills.
constexpr unsigned place_residents = 3;
static_assert(digits == block_threads, "a thread to a digit");

// [0, n) in parts of whole tiles, of any n: this is asked before n is checked.
struct sort_parts {
  std::uint64_t n, length, count;

  explicit sort_parts(std::uint64_t all) : n(all) {
    constexpr std::uint64_t least = 4 * sort_tile, most = 1024 * sort_tile;
    length = all <= 1024 * least ? least : tree::pieces(all, most) * sort_tile;
    count = tree::pieces(all, length);
  }
  __device__ std::uint64_t begin(std::uint64_t p) const { return p * length; }
  __device__ std::uint64_t end(std::uint64_t p) const {
    return n - begin(p) < length ? n : begin(p) + length;
  }
};

template <class K>
__device__ __forceinline__ unsigned digit_of(K key, unsigned shift) {
  return static_cast<unsigned>(key >> shift) % digits;
}

// Of a whole warp: the sum of the values of this lane and those before.
template <class K>
__device__ __forceinline__ K sum_up_to(K value) {
#pragma unroll
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const K other = __shfl_up_sync(0xFFFFFFFFu, value, distance);
    if (threadIdx.x % 32 >= distance) value += other;
  }
  return value;
}
// Of a whole block: the sum of the values of the threads before. sums has room for the warps.
template <class K>
__device__ __forceinline__ K sum_before(K value, K* sums) {
  const unsigned warp = threadIdx.x / 32;
  const K sum = sum_up_to(value);
  if (threadIdx.x % 32 == 31) sums[warp] = sum;
  __syncthreads();
  K before = 0;
#pragma unroll
  for (unsigned w = 0; w < sort_warps - 1; ++w) before += w < warp ? sums[w] : K(0);
  return before + sum - value;
}

// counts[digit * parts.count + p]
template <class K>
__global__ void __launch_bounds__(block_threads)
    count_digits(const K* __restrict__ keys, const sort_parts parts, const unsigned shift,
                 K* __restrict__ counts) {
  __shared__ unsigned count[digits];
  for (std::uint64_t p = blockIdx.x; p < parts.count; p += gridDim.x) {
    count[threadIdx.x] = 0;
    __syncthreads();
    for (std::uint64_t i = parts.begin(p) + threadIdx.x; i < parts.end(p); i += block_threads)
      atomicAdd(&count[digit_of(keys[i], shift)], 1u);
    __syncthreads();
    counts[threadIdx.x * parts.count + p] = count[threadIdx.x];
  }
}

// A warp to a digit: counts become sums over the parts before; totals[digit] is that of all parts.
template <class K>
__global__ void __launch_bounds__(block_threads)
    sum_counts(const std::uint64_t parts, K* __restrict__ counts, K* __restrict__ totals) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned digit = blockIdx.x * sort_warps + threadIdx.x / 32; digit < digits;
       digit += gridDim.x * sort_warps) {
    K* const row = counts + digit * parts;
    K total = 0;
    for (std::uint64_t p = lane; p - lane < parts; p += 32) {
      const K count = p < parts ? row[p] : K(0), sum = sum_up_to(count);
      if (p < parts) row[p] = total + sum - count;
      total += __shfl_sync(0xFFFFFFFFu, sum, 31);
    }
    if (lane == 0) totals[digit] = total;
  }
}

// A null `values` stands for 0, 1, 2, ...
template <class K>
__global__ void __launch_bounds__(block_threads, place_residents)
    place(const K* __restrict__ keys, const K* __restrict__ values, const sort_parts parts,
          const unsigned shift, const K* __restrict__ counts, const K* __restrict__ totals,
          K* __restrict__ keys_out, K* __restrict__ values_out) {
  __shared__ unsigned ahead[sort_warps][digits + 1];
  __shared__ K next[digits];
  __shared__ K sums[sort_warps];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const K first = sum_before(totals[threadIdx.x], sums);
  for (std::uint64_t p = blockIdx.x; p < parts.count; p += gridDim.x) {
    next[threadIdx.x] = first + counts[threadIdx.x * parts.count + p];
    for (std::uint64_t tile = parts.begin(p), end = parts.end(p); tile < end; tile += sort_tile) {
#pragma unroll
      for (unsigned w = 0; w < sort_warps; ++w) ahead[w][threadIdx.x] = 0;
      if (threadIdx.x < sort_warps) ahead[threadIdx.x][digits] = 0;
      __syncthreads();
      // Each warp takes a piece of the tile, and counts what it has met of each digit.
      const std::uint64_t begin = tile + warp * (32 * sort_items) + lane;
      K key[sort_items];
      unsigned rank[sort_items];
#pragma unroll
      for (unsigned j = 0; j < sort_items; ++j) {
        const std::uint64_t i = begin + 32 * j;
        // What is beyond the end has a digit of its own.
        key[j] = i < end ? keys[i] : K(0);
        const unsigned digit = i < end ? digit_of(key[j], shift) : digits;
        const unsigned peers = __match_any_sync(0xFFFFFFFFu, digit);
        const unsigned before = __popc(peers & ((1u << lane) - 1));
        const unsigned met = ahead[warp][digit];
        rank[j] = met + before;
        __syncwarp();
        if (before == 0) ahead[warp][digit] = met + __popc(peers);
        __syncwarp();
      }
      __syncthreads();
      unsigned sum = 0;
#pragma unroll
      for (unsigned w = 0; w < sort_warps; ++w) {
        const unsigned met = ahead[w][threadIdx.x];
        ahead[w][threadIdx.x] = sum;
        sum += met;
      }
      __syncthreads();
#pragma unroll
      for (unsigned j = 0; j < sort_items; ++j) {
        const std::uint64_t i = begin + 32 * j;
        if (i < end) {
          const unsigned digit = digit_of(key[j], shift);
          const K to = next[digit] + ahead[warp][digit] + rank[j];
          keys_out[to] = key[j];
          values_out[to] = values != nullptr ? values[i] : static_cast<K>(i);
        }
      }
      __syncthreads();
      next[threadIdx.x] += sum;
    }
  }
}

// Keys and values in two places of n each, by turns.
template <class K>
struct sort_buffers {
  K *keys, *values, *other_keys, *other_values;
  K *counts, *totals;
};

// Sorts by the lowest `bits` bits of the keys; the result is in keys and values. iota: the values are 0, 1, ...
template <class K>
void radix_sort(const char* who, cudaStream_t on, std::uint64_t n, int bits, bool iota, sort_buffers<K>& at) {
  const sort_parts parts(n);
  const unsigned grid = grid_blocks(parts.count, 1024);
  for (int shift = 0; shift < bits; shift += 8) {
    const K* const values = iota && shift == 0 ? nullptr : at.values;
    launch("launch of count_digits", who, on, grid, block_threads, &count_digits<K>, at.keys, parts,
           static_cast<unsigned>(shift), at.counts);
    launch("launch of sum_counts", who, on, grid_blocks(digits / sort_warps, digits), block_threads,
           &sum_counts<K>, parts.count, at.counts, at.totals);
    launch("launch of place", who, on, grid, block_threads, &place<K>, at.keys, values, parts,
           static_cast<unsigned>(shift), at.counts, at.totals, at.other_keys, at.other_values);
    std::swap(at.keys, at.other_keys);
    std::swap(at.values, at.other_values);
  }
}

}  // namespace
}  // namespace rivus::cuda

#endif
