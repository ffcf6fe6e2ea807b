#include <algorithm>
#include <memory>
#include <rivus/arguments.hpp>
#include <rivus/scan.hpp>

#include "kernels.hpp"
#include "parallel.hpp"

namespace rivus {
namespace {

using combine::products;
using combine::sums;
using detail::require_values;
using tree::chunk;
using tree::chunks;

// What a thread takes at once: read for the totals, it is still in its cache for the values.
constexpr std::size_t piece_bytes = std::size_t{1} << 19;
// Elements that make a thread worth its while.
constexpr std::size_t elements_per_thread = std::size_t{1} << 16;
// Results that no cache holds are written past it.
constexpr std::size_t streamed_bytes = std::size_t{1} << 24;

// What threads that share a row of n values note of so many chunks at once; nothing where one thread scans it.
template <class X>
struct notes {
  using T = wide_t<X>;
  std::size_t most;
  std::unique_ptr<T[]> totals;
  std::unique_ptr<tree::scan_place<T>[]> starts;

  notes(std::size_t n, const executor& on) : most(0) {
    const std::size_t threads = n < 2 * elements_per_thread ? 1 : concurrency(on);
    if (threads == 1) return;
    most = std::min(chunks(n), threads * (piece_bytes / sizeof(X) / chunk));
    totals.reset(new T[most]);
    starts.reset(new tree::scan_place<T>[most]);
  }
};

template <class Op, bool Exclusive, class X>
void scan(const X* x, std::size_t n, X* y, const notes<X>& of, const executor& on) {
  using T = wide_t<X>;
  const scan_kernel<X>& kernel = active_kernels().scan<Op, X>();
  const auto write = (Exclusive ? kernel.exclusive : kernel.inclusive)[n * sizeof(X) >= streamed_bytes];
  const auto length = [&](std::size_t c) { return std::min(n - c * chunk, chunk); };
  tree::scan_walk<Op, T> at;
  const std::size_t count = chunks(n);
  if (of.most == 0) {
    for (std::size_t c = 0; c < count; ++c)
      at.pass(write(x + c * chunk, length(c), at.here(), y + c * chunk));
    return;
  }
  constexpr std::size_t grain = elements_per_thread / chunk;
  for (std::size_t first = 0; first < count; first += of.most) {
    const std::size_t together = std::min(of.most, count - first);
    parallel_ranges(together, grain, on, [&](std::size_t begin, std::size_t end) {
      for (std::size_t c = begin; c < end; ++c)
        of.totals[c] = kernel.total(x + (first + c) * chunk, length(first + c));
    });
    for (std::size_t c = 0; c < together; ++c) {
      of.starts[c] = at.here();
      at.pass(of.totals[c]);
    }
    parallel_ranges(together, grain, on, [&](std::size_t begin, std::size_t end) {
      for (std::size_t c = begin; c < end; ++c)
        write(x + (first + c) * chunk, length(first + c), of.starts[c], y + (first + c) * chunk);
    });
  }
}

// Long rows are shared by the threads, short ones divided among them.
template <class Op, bool Exclusive, class X>
void scan_rows(const char* who, matrix<const X> x, matrix<X> y, const executor& on) {
  detail::require_scan(who, x, y);
  if (x.rows == 0 || x.cols == 0) return;
  const auto rows = [&](std::size_t begin, std::size_t end, const executor& inner) {
    // Once, so that no memory is asked for when some rows have been written.
    const notes<X> of(x.cols, inner);
    for (std::size_t i = begin; i < end; ++i)
      scan<Op, Exclusive>(x.address(i, 0), x.cols, y.address(i, 0), of, inner);
  };
  if (x.rows == 1 || x.cols >= 2 * elements_per_thread) return rows(0, x.rows, on);
  parallel_ranges(x.rows, elements_per_thread / x.cols + 1, on,
                  [&](std::size_t begin, std::size_t end) { rows(begin, end, executor::this_thread()); });
}
template <class Op, bool Exclusive, class X>
void scan_row(const char* who, const X* x, std::size_t n, X* y, const executor& on) {
  require_values(who, "x", x, n);
  require_values(who, "y", y, n);
  scan_rows<Op, Exclusive>(who, matrix<const X>(x, 1, n), matrix<X>(y, 1, n), on);
}

}  // namespace

template <class T>
detail::for_reals<T> cumsum(const T* x, index64 n, T* y, const executor& on) {
  scan_row<sums, false>("rivus::cumsum", x, n, y, on);
}
template <class T>
detail::for_reals<T> cumprod(const T* x, index64 n, T* y, const executor& on) {
  scan_row<products, false>("rivus::cumprod", x, n, y, on);
}
template <class T>
detail::for_reals<T> exclusive_cumsum(const T* x, index64 n, T* y, const executor& on) {
  scan_row<sums, true>("rivus::exclusive_cumsum", x, n, y, on);
}
template <class T>
detail::for_reals<T> exclusive_cumprod(const T* x, index64 n, T* y, const executor& on) {
  scan_row<products, true>("rivus::exclusive_cumprod", x, n, y, on);
}
template <class T>
detail::for_reals<T> cumsum_rows(detail::input_matrix<T> x, matrix<T> y, const executor& on) {
  scan_rows<sums, false>("rivus::cumsum_rows", x, y, on);
}
template <class T>
detail::for_reals<T> cumprod_rows(detail::input_matrix<T> x, matrix<T> y, const executor& on) {
  scan_rows<products, false>("rivus::cumprod_rows", x, y, on);
}
template <class T>
detail::for_reals<T> exclusive_cumsum_rows(detail::input_matrix<T> x, matrix<T> y, const executor& on) {
  scan_rows<sums, true>("rivus::exclusive_cumsum_rows", x, y, on);
}
template <class T>
detail::for_reals<T> exclusive_cumprod_rows(detail::input_matrix<T> x, matrix<T> y, const executor& on) {
  scan_rows<products, true>("rivus::exclusive_cumprod_rows", x, y, on);
}

#define RIVUS_SCANS(T)                                                              \
  template void cumsum(const T*, index64, T*, const executor&);                     \
  template void cumprod(const T*, index64, T*, const executor&);                    \
  template void exclusive_cumsum(const T*, index64, T*, const executor&);           \
  template void exclusive_cumprod(const T*, index64, T*, const executor&);          \
  template void cumsum_rows(matrix<const T>, matrix<T>, const executor&);           \
  template void cumprod_rows(matrix<const T>, matrix<T>, const executor&);          \
  template void exclusive_cumsum_rows(matrix<const T>, matrix<T>, const executor&); \
  template void exclusive_cumprod_rows(matrix<const T>, matrix<T>, const executor&);
RIVUS_SCANS(float)
RIVUS_SCANS(double)
RIVUS_SCANS(f16)
RIVUS_SCANS(bf16)
#undef RIVUS_SCANS

}  // namespace rivus
