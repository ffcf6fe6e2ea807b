#include <rivus/arguments.hpp>
#include <rivus/cuda/scan.hpp>

#include "launch.hpp"

namespace rivus::cuda {
namespace {

using rivus::detail::products;
using rivus::detail::require_values;
using rivus::detail::sums;

constexpr unsigned warps = block_threads / 32;
constexpr unsigned all_lanes = 0xFFFFFFFFu;
constexpr unsigned chunk = rivus::detail::scan_chunk;
static_assert(rivus::detail::scan_row == 32, "a row is a warp");
// Rows that are read before the first of them is scanned.
constexpr unsigned rows_together = 8;

std::uint64_t chunks_of(std::uint64_t n) { return n / chunk + (n % chunk != 0); }

// Rows of n elements each; chunk c of row r is warp r * chunks + c.
template <class X>
struct rows {
  X* data;
  std::ptrdiff_t stride;

  __device__ X* at(std::uint64_t row, std::uint64_t element) const {
    return data + (static_cast<std::ptrdiff_t>(row) * stride + static_cast<std::ptrdiff_t>(element));
  }
};

// Of a whole warp: calls result(i, value) for the elements i of the chunk x[0..n), which value is all of them up to i,
// and returns the last value in every lane.
template <class Op, class X, class Result>
__device__ __forceinline__ wide_t<X> scan_chunk(const X* x, unsigned n, const Result& result) {
  using T = wide_t<X>;
  const unsigned lane = threadIdx.x % 32;
  T carry = Op::template neutral<T>();
  for (unsigned begin = 0; begin < n; begin += rows_together * 32) {
    T s[rows_together];
#pragma unroll
    for (unsigned r = 0; r < rows_together; ++r) {
      const unsigned i = begin + r * 32 + lane;
      s[r] = i < n ? real::widen(x[i]) : Op::template neutral<T>();
    }
#pragma unroll
    for (unsigned r = 0; r < rows_together; ++r) {
#pragma unroll
      for (unsigned d = 1; d < 32; d *= 2) {
        const T before = __shfl_up_sync(all_lanes, s[r], d);
        if (lane >= d) s[r] = Op::combine(before, s[r]);
      }
    }
#pragma unroll
    for (unsigned r = 0; r < rows_together; ++r) {
      const T value = Op::combine(carry, s[r]);
      carry = __shfl_sync(all_lanes, value, 31);
      result(begin + r * 32 + lane, value);
    }
  }
  return carry;
}

// f(row, chunk, its elements) for the chunks of this warp.
template <class F>
__device__ __forceinline__ void for_each_chunk(std::uint64_t row_count, std::uint64_t n, const F& f) {
  const std::uint64_t chunks = (n + chunk - 1) / chunk, all = row_count * chunks;
  for (std::uint64_t w = std::uint64_t{blockIdx.x} * warps + threadIdx.x / 32; w < all;
       w += std::uint64_t{gridDim.x} * warps) {
    const std::uint64_t c = w % chunks, left = n - c * chunk;
    f(w / chunks, c, left < chunk ? static_cast<unsigned>(left) : chunk);
  }
}

// The totals of chunks, in rows one after the other.
template <class Op, class X>
__global__ void __launch_bounds__(block_threads)
    total_chunks(const rows<const X> x, const std::uint64_t row_count, const std::uint64_t n,
                 wide_t<X>* __restrict__ totals) {
  const std::uint64_t chunks = (n + chunk - 1) / chunk;
  for_each_chunk(row_count, n, [&](std::uint64_t row, std::uint64_t c, unsigned size) {
    const wide_t<X> total = scan_chunk<Op>(x.at(row, c * chunk), size, [](unsigned, wide_t<X>) {});
    if (threadIdx.x % 32 == 0) totals[row * chunks + c] = total;
  });
}

// The results, from the totals of the chunks and their scan. y may be x: a warp has read a row before it writes it.
template <class Op, bool Exclusive, class X>
__global__ void __launch_bounds__(block_threads, 4)
    scan_values(const rows<const X> x, const rows<X> y, const std::uint64_t row_count, const std::uint64_t n,
                const wide_t<X>* __restrict__ totals, const wide_t<X>* __restrict__ offsets) {
  using T = wide_t<X>;
  const std::uint64_t chunks = (n + chunk - 1) / chunk;
  const unsigned lane = threadIdx.x % 32;
  for_each_chunk(row_count, n, [&](std::uint64_t row, std::uint64_t c, unsigned size) {
    const std::uint64_t at = row * chunks + c;
    const T offset = c > 0 ? offsets[at - 1] : Op::template neutral<T>();
    // The last result of the chunk before.
    T last = Op::template first<T>();
    if (Exclusive && c > 0) last = c > 1 ? Op::combine(offsets[at - 2], totals[at - 1]) : totals[at - 1];
    X* const to = y.at(row, c * chunk);
    scan_chunk<Op>(x.at(row, c * chunk), size, [&](unsigned i, T value) {
      T result = Op::combine(offset, value);
      if constexpr (Exclusive) {
        const T before = __shfl_up_sync(all_lanes, result, 1), next = __shfl_sync(all_lanes, result, 31);
        result = lane == 0 ? last : before;
        last = next;
      }
      if (i < size) to[i] = real::narrow<X>(real::canonical(result));
    });
  });
}

// Scans, with the totals of each level and their scans in scratch.
template <class Op, bool Exclusive, class X>
void scan_levels(const char* who, cudaStream_t on, rows<const X> x, rows<X> y, std::uint64_t row_count,
                 std::uint64_t n, wide_t<X>* scratch) {
  using T = wide_t<X>;
  const std::uint64_t chunks = chunks_of(n), all = row_count * chunks;
  const unsigned grid = grid_blocks((all + warps - 1) / warps, 1u << 16);
  T* const totals = scratch;
  T* const offsets = scratch + all;
  if (chunks > 1) {
    launch("launch of total_chunks", who, on, grid, block_threads, &total_chunks<Op, X>, x, row_count, n,
           totals);
    const auto stride = static_cast<std::ptrdiff_t>(chunks);
    scan_levels<Op, false, T>(who, on, {totals, stride}, {offsets, stride}, row_count, chunks, offsets + all);
  }
  launch("launch of scan_values", who, on, grid, block_threads, &scan_values<Op, Exclusive, X>, x, y,
         row_count, n, static_cast<const T*>(totals), static_cast<const T*>(offsets));
}

template <class Op, bool Exclusive, class X>
void scan_rows(const char* who, cudaStream_t on, matrix<const X> x, matrix<X> y, void* scratch,
               std::size_t bytes) {
  rivus::detail::require_scan(who, x, y);
  if (x.rows == 0 || x.cols == 0) return;
  const std::size_t needed = scan_scratch_bytes<X>(x.cols, x.rows);
  rivus::detail::require_scratch(who, scratch, bytes, needed, x.rows * x.cols);
  rivus::detail::require_apart(who, {rivus::detail::extent_of_scratch(scratch, needed)},
                               {rivus::detail::extent_of("x", x), rivus::detail::extent_of("y", y)});
  scan_levels<Op, Exclusive, X>(who, on, {x.data, x.row_stride}, {y.data, y.row_stride}, x.rows, x.cols,
                                static_cast<wide_t<X>*>(scratch));
}
template <class Op, bool Exclusive, class X>
void scan_row(const char* who, cudaStream_t on, const X* x, std::size_t n, X* y, void* scratch,
              std::size_t bytes) {
  require_values(who, "x", x, n);
  require_values(who, "y", y, n);
  scan_rows<Op, Exclusive>(who, on, matrix<const X>(x, 1, n), matrix<X>(y, 1, n), scratch, bytes);
}

}  // namespace

template <class T>
rivus::detail::for_reals<T, std::size_t> scan_scratch_bytes(index64 n, index64 rows) {
  std::size_t values = 0;
  for (std::size_t count = chunks_of(n); count > 1; count = chunks_of(count)) values += 2 * count;
  return rows * values * sizeof(wide_t<T>);
}

template <class T>
rivus::detail::for_reals<T> cumsum(cudaStream_t on, const T* x, index64 n, T* y, void* scratch,
                                   index64 bytes) {
  scan_row<sums, false>("rivus::cuda::cumsum", on, x, n, y, scratch, bytes);
}
template <class T>
rivus::detail::for_reals<T> cumprod(cudaStream_t on, const T* x, index64 n, T* y, void* scratch,
                                    index64 bytes) {
  scan_row<products, false>("rivus::cuda::cumprod", on, x, n, y, scratch, bytes);
}
template <class T>
rivus::detail::for_reals<T> exclusive_cumsum(cudaStream_t on, const T* x, index64 n, T* y, void* scratch,
                                             index64 bytes) {
  scan_row<sums, true>("rivus::cuda::exclusive_cumsum", on, x, n, y, scratch, bytes);
}
template <class T>
rivus::detail::for_reals<T> exclusive_cumprod(cudaStream_t on, const T* x, index64 n, T* y, void* scratch,
                                              index64 bytes) {
  scan_row<products, true>("rivus::cuda::exclusive_cumprod", on, x, n, y, scratch, bytes);
}
template <class T>
rivus::detail::for_reals<T> cumsum_rows(cudaStream_t on, rivus::detail::input_matrix<T> x, matrix<T> y,
                                        void* scratch, index64 bytes) {
  scan_rows<sums, false>("rivus::cuda::cumsum_rows", on, x, y, scratch, bytes);
}
template <class T>
rivus::detail::for_reals<T> cumprod_rows(cudaStream_t on, rivus::detail::input_matrix<T> x, matrix<T> y,
                                         void* scratch, index64 bytes) {
  scan_rows<products, false>("rivus::cuda::cumprod_rows", on, x, y, scratch, bytes);
}
template <class T>
rivus::detail::for_reals<T> exclusive_cumsum_rows(cudaStream_t on, rivus::detail::input_matrix<T> x,
                                                  matrix<T> y, void* scratch, index64 bytes) {
  scan_rows<sums, true>("rivus::cuda::exclusive_cumsum_rows", on, x, y, scratch, bytes);
}
template <class T>
rivus::detail::for_reals<T> exclusive_cumprod_rows(cudaStream_t on, rivus::detail::input_matrix<T> x,
                                                   matrix<T> y, void* scratch, index64 bytes) {
  scan_rows<products, true>("rivus::cuda::exclusive_cumprod_rows", on, x, y, scratch, bytes);
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
