#include <rivus/arguments.hpp>
#include <rivus/combine.hpp>
#include <rivus/cuda/scan.hpp>
#include <rivus/tree.hpp>

#include "launch.hpp"
#include "scratch.hpp"

namespace rivus::cuda {
namespace {

using combine::products;
using combine::sums;
using rivus::detail::require_values;

constexpr unsigned all_lanes = 0xFFFFFFFFu;
constexpr unsigned rows = 32, columns = tree::lanes;
// A warp folds so many rows at once, a thread a row, in shared memory.
constexpr unsigned group = rows * columns;
static_assert(tree::chunk % group == 0 && columns == 32);
// As many warps as shared memory has room for.
constexpr unsigned warps = 4, scan_threads = 32 * warps;

// Rows of n elements each; chunk c of row r is warp r * chunks + c.
template <class X>
struct row_view {
  X* data;
  std::ptrdiff_t stride;

  __device__ X* at(std::uint64_t row, std::uint64_t element) const {
    return data + (static_cast<std::ptrdiff_t>(row) * stride + static_cast<std::ptrdiff_t>(element));
  }
};

// One element more to a row, so that those of a column lie in different banks.
template <class T>
using tile = T[rows][columns + 1];

// Of a whole warp: calls result(i, value) for the elements i of the chunk x[0..n), which value is all of them up to i in the
// chunk, and returns the last value in every lane. value(i) is called for rows that are there, i < n or not.
template <class Op, class X, class Result>
__device__ __forceinline__ wide_t<X> scan_chunk(const X* x, unsigned n, tile<wide_t<X>>& row,
                                                const Result& result) {
  using T = wide_t<X>;
  const unsigned lane = threadIdx.x % 32;
  T carry = Op::template neutral<T>();
  for (unsigned begin = 0; begin < n; begin += group) {
    const unsigned present = n - begin < group ? (n - begin + columns - 1) / columns : rows;
    for (unsigned r = 0; r < present; ++r) {
      const unsigned i = begin + r * columns + lane;
      row[r][lane] = i < n ? real::widen(x[i]) : Op::template neutral<T>();
    }
    __syncwarp();
    T total = Op::template neutral<T>();
    if (lane < present) {
#pragma unroll 8
      for (unsigned j = 0; j < columns; ++j) {
        total = Op::combine(total, row[lane][j]);
        row[lane][j] = total;
      }
    }
    __syncwarp();
    for (unsigned r = 0; r < present; ++r) {
      result(begin + r * columns + lane, Op::combine(carry, row[r][lane]));
      carry = Op::combine(carry, __shfl_sync(all_lanes, total, r));
    }
    __syncwarp();
  }
  return carry;
}

// f(row, chunk, its elements) for the chunks of this warp.
template <class F>
__device__ __forceinline__ void for_each_chunk(std::uint64_t row_count, std::uint64_t n, const F& f) {
  const std::uint64_t chunks = tree::chunks(n), all = row_count * chunks;
  for (std::uint64_t w = std::uint64_t{blockIdx.x} * warps + threadIdx.x / 32; w < all;
       w += std::uint64_t{gridDim.x} * warps) {
    const std::uint64_t c = w % chunks, left = n - c * tree::chunk;
    f(w / chunks, c, left < tree::chunk ? static_cast<unsigned>(left) : static_cast<unsigned>(tree::chunk));
  }
}

// The totals of chunks, in rows one after the other.
template <class Op, class X>
__global__ void __launch_bounds__(scan_threads)
    total_chunks(const row_view<const X> x, const std::uint64_t row_count, const std::uint64_t n,
                 wide_t<X>* __restrict__ totals) {
  __shared__ tile<wide_t<X>> tiles[warps];
  const std::uint64_t chunks = tree::chunks(n);
  for_each_chunk(row_count, n, [&](std::uint64_t row, std::uint64_t c, unsigned size) {
    const wide_t<X> total =
        scan_chunk<Op>(x.at(row, c * tree::chunk), size, tiles[threadIdx.x / 32], [](unsigned, wide_t<X>) {});
    if (threadIdx.x % 32 == 0) totals[row * chunks + c] = total;
  });
}

// A warp to a block: offsets[c] = the left fold of the block's totals before c, and the fold of all of them to last[block].
// Blocks hold `size` values, rows `count`.
template <class Op, class T>
__global__ void __launch_bounds__(block_threads)
    fold_totals(const T* __restrict__ totals, const std::uint64_t row_count, const std::uint64_t count,
                const std::uint64_t size, T* __restrict__ offsets, T* __restrict__ last) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t blocks = tree::pieces(count, size);
  for (std::uint64_t w = (std::uint64_t{blockIdx.x} * block_threads + threadIdx.x) / 32;
       w < row_count * blocks; w += std::uint64_t{gridDim.x} * (block_threads / 32)) {
    const std::uint64_t begin = w % blocks * size, left = count - begin, n = left < size ? left : size;
    const std::uint64_t at = w / blocks * count + begin;
    T fold = Op::template neutral<T>();
    for (std::uint64_t i = 0; i < n; i += 32) {
      const T mine = i + lane < n ? totals[at + i + lane] : Op::template neutral<T>();
      T before = fold;
#pragma unroll
      for (unsigned l = 0; l < 32; ++l) {
        if (lane == l) before = fold;
        fold = Op::combine(fold, __shfl_sync(all_lanes, mine, l));
      }
      if (i + lane < n) offsets[at + i + lane] = before;
    }
    if (lane == 0 && last != nullptr) last[w] = fold;
  }
}

// Of rows of `chunks` chunks and `blocks` blocks: what chunks amount to, what is before them in their block, what blocks amount
// to, and what is before them.
template <class T>
struct scan_memory {
  T *totals = nullptr, *in_block = nullptr, *block_totals = nullptr, *in_array = nullptr;

  scan_memory(scratch_layout& at, std::size_t n, std::size_t row_count) {
    const std::size_t chunks = tree::chunks(n), blocks = tree::pieces(chunks, tree::scan_block);
    if (chunks <= 1) return;
    totals = at.take<T>(row_count * chunks);
    in_block = at.take<T>(row_count * chunks);
    block_totals = at.take<T>(row_count * blocks);
    in_array = at.take<T>(row_count * blocks);
  }
};

// The results. y may be x: a warp has read its rows before it writes them.
template <class Op, bool Exclusive, class X>
__global__ void __launch_bounds__(scan_threads)
    scan_values(const row_view<const X> x, const row_view<X> y, const std::uint64_t row_count,
                const std::uint64_t n, const scan_memory<wide_t<X>> memory) {
  using T = wide_t<X>;
  __shared__ tile<T> tiles[warps];
  const std::uint64_t chunks = tree::chunks(n), blocks = tree::pieces(chunks, tree::scan_block);
  const unsigned lane = threadIdx.x % 32;
  for_each_chunk(row_count, n, [&](std::uint64_t row, std::uint64_t c, unsigned size) {
    T in_block = Op::template neutral<T>(), in_array = in_block;
    // The last result of the chunk before.
    T last = Op::template nothing<T>();
    if (chunks > 1) {
      in_block = memory.in_block[row * chunks + c];
      in_array = memory.in_array[row * blocks + c / tree::scan_block];
      // Where the block begins that is what comes before it.
      if (c > 0) last = c % tree::scan_block != 0 ? Op::combine(in_array, in_block) : in_array;
    }
    X* const to = y.at(row, c * tree::chunk);
    scan_chunk<Op>(x.at(row, c * tree::chunk), size, tiles[threadIdx.x / 32], [&](unsigned i, T value) {
      T result = Op::combine(in_array, Op::combine(in_block, value));
      if constexpr (Exclusive) {
        const T before = __shfl_up_sync(all_lanes, result, 1), next = __shfl_sync(all_lanes, result, 31);
        result = lane == 0 ? last : before;
        last = next;
      }
      if (i < size) to[i] = real::narrow<X>(real::canonical(result));
    });
  });
}

template <class Op, bool Exclusive, class X>
void scan_rows(const char* who, cudaStream_t on, matrix<const X> x, matrix<X> y,
               const scratch_memory& scratch) {
  using T = wide_t<X>;
  rivus::detail::require_scan(who, x, y);
  if (x.rows == 0 || x.cols == 0) return;
  const std::size_t n = x.cols, row_count = x.rows, chunks = tree::chunks(n);
  const auto memory = take_scratch<scan_memory<T>>(
      who, scratch, row_count * n, {}, {rivus::detail::extent_of("x", x), rivus::detail::extent_of("y", y)},
      n, row_count);
  const row_view<const X> from{x.data, x.row_stride};
  const unsigned grid = grid_blocks(tree::pieces(row_count * chunks, warps), 1u << 16);
  if (chunks > 1) {
    const std::size_t blocks = tree::pieces(chunks, tree::scan_block);
    launch("launch of total_chunks", who, on, grid, scan_threads, &total_chunks<Op, X>, from,
           std::uint64_t{row_count}, std::uint64_t{n}, memory.totals);
    const auto fold = [&](const T* totals, std::size_t count, std::size_t size, T* offsets, T* last) {
      const std::size_t folds = row_count * tree::pieces(count, size);
      launch("launch of fold_totals", who, on, grid_blocks(tree::pieces(folds, block_threads / 32), 1u << 16),
             block_threads, &fold_totals<Op, T>, totals, std::uint64_t{row_count}, std::uint64_t{count},
             std::uint64_t{size}, offsets, last);
    };
    fold(memory.totals, chunks, tree::scan_block, memory.in_block, memory.block_totals);
    fold(memory.block_totals, blocks, blocks, memory.in_array, nullptr);
  }
  launch("launch of scan_values", who, on, grid, scan_threads, &scan_values<Op, Exclusive, X>, from,
         row_view<X>{y.data, y.row_stride}, std::uint64_t{row_count}, std::uint64_t{n}, memory);
}
template <class Op, bool Exclusive, class X>
void scan_row(const char* who, cudaStream_t on, const X* x, std::size_t n, X* y,
              const scratch_memory& scratch) {
  require_values(who, "x", x, n);
  require_values(who, "y", y, n);
  scan_rows<Op, Exclusive>(who, on, matrix<const X>(x, 1, n), matrix<X>(y, 1, n), scratch);
}

}  // namespace

template <class T>
rivus::detail::for_reals<T, std::size_t> scan_scratch_bytes(index64 n, index64 rows_) {
  return scratch_size<scan_memory<wide_t<T>>>(std::size_t{n}, std::size_t{rows_});
}

template <class T>
rivus::detail::for_reals<T> cumsum(cudaStream_t on, const T* x, index64 n, T* y, void* scratch,
                                   index64 bytes) {
  scan_row<sums, false>("rivus::cuda::cumsum", on, x, n, y, {scratch, bytes});
}
template <class T>
rivus::detail::for_reals<T> cumprod(cudaStream_t on, const T* x, index64 n, T* y, void* scratch,
                                    index64 bytes) {
  scan_row<products, false>("rivus::cuda::cumprod", on, x, n, y, {scratch, bytes});
}
template <class T>
rivus::detail::for_reals<T> exclusive_cumsum(cudaStream_t on, const T* x, index64 n, T* y, void* scratch,
                                             index64 bytes) {
  scan_row<sums, true>("rivus::cuda::exclusive_cumsum", on, x, n, y, {scratch, bytes});
}
template <class T>
rivus::detail::for_reals<T> exclusive_cumprod(cudaStream_t on, const T* x, index64 n, T* y, void* scratch,
                                              index64 bytes) {
  scan_row<products, true>("rivus::cuda::exclusive_cumprod", on, x, n, y, {scratch, bytes});
}
template <class T>
rivus::detail::for_reals<T> cumsum_rows(cudaStream_t on, rivus::detail::input_matrix<T> x, matrix<T> y,
                                        void* scratch, index64 bytes) {
  scan_rows<sums, false>("rivus::cuda::cumsum_rows", on, x, y, {scratch, bytes});
}
template <class T>
rivus::detail::for_reals<T> cumprod_rows(cudaStream_t on, rivus::detail::input_matrix<T> x, matrix<T> y,
                                         void* scratch, index64 bytes) {
  scan_rows<products, false>("rivus::cuda::cumprod_rows", on, x, y, {scratch, bytes});
}
template <class T>
rivus::detail::for_reals<T> exclusive_cumsum_rows(cudaStream_t on, rivus::detail::input_matrix<T> x,
                                                  matrix<T> y, void* scratch, index64 bytes) {
  scan_rows<sums, true>("rivus::cuda::exclusive_cumsum_rows", on, x, y, {scratch, bytes});
}
template <class T>
rivus::detail::for_reals<T> exclusive_cumprod_rows(cudaStream_t on, rivus::detail::input_matrix<T> x,
                                                   matrix<T> y, void* scratch, index64 bytes) {
  scan_rows<products, true>("rivus::cuda::exclusive_cumprod_rows", on, x, y, {scratch, bytes});
}

#define RIVUS_SCANS(T)                                                                           \
  template std::size_t scan_scratch_bytes<T>(index64, index64);                                  \
  template void cumsum(cudaStream_t, const T*, index64, T*, void*, index64);                     \
  template void cumprod(cudaStream_t, const T*, index64, T*, void*, index64);                    \
  template void exclusive_cumsum(cudaStream_t, const T*, index64, T*, void*, index64);           \
  template void exclusive_cumprod(cudaStream_t, const T*, index64, T*, void*, index64);          \
  template void cumsum_rows(cudaStream_t, matrix<const T>, matrix<T>, void*, index64);           \
  template void cumprod_rows(cudaStream_t, matrix<const T>, matrix<T>, void*, index64);          \
  template void exclusive_cumsum_rows(cudaStream_t, matrix<const T>, matrix<T>, void*, index64); \
  template void exclusive_cumprod_rows(cudaStream_t, matrix<const T>, matrix<T>, void*, index64);
RIVUS_SCANS(float)
RIVUS_SCANS(double)
RIVUS_SCANS(f16)
RIVUS_SCANS(bf16)
#undef RIVUS_SCANS

}  // namespace rivus::cuda
