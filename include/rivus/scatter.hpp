// scatter: contributions to destinations that indices name, in one fixed order, on the host.
#ifndef RIVUS_SCATTER_HPP
#define RIVUS_SCATTER_HPP

#include <cstddef>
#include <cstdint>
#include <rivus/executor.hpp>

namespace rivus {

// T is float, double, std::int32_t, std::uint32_t, std::int64_t or std::uint64_t; I, the type of indices, is
// std::int32_t or std::int64_t.

// out[d] = out[d] + s for each destination d that ids names, where s is the sum/v1 of the x[i] with ids[i] = d,
// in ascending order of i; the sum of out[d] and s is rounded once more.
//
// Shape: out has `size` elements, ids and x have n; any n, any alignment, any number of contributions to one
// destination. The other elements of out are not touched. Integers wrap around. Infinities as IEEE 754; a NaN
// result is the canonical one.
// Errors: std::invalid_argument for an index outside [0, size), which it names, for null pointers, and for an
// out that overlaps ids or x; std::runtime_error when the thread flushes subnormals or does not round to
// nearest; std::bad_alloc. Nothing has been written then.
// Memory: 16 bytes a contribution (32 beyond 2^32 of them or of destinations), none where ids ascend.
// Threads: those of `on` for large n. Determinism: everywhere. Source: docs/spec.md, section 4.
template <class T, class I>
void index_add(T* out, std::size_t size, const I* ids, const T* x, std::size_t n, const executor& on = {});

// Row by row: out, row-major, has rows x cols elements and x has n x cols; row ids[i] of out receives row i of
// x, and each column is added up by itself. Otherwise as index_add.
template <class T, class I>
void index_add_rows(T* out, std::size_t rows, std::size_t cols, const I* ids, const T* x, std::size_t n,
                    const executor& on = {});

// out[d] = the least, or the greatest, of out[d] and the x[i] with ids[i] = d: NaN wins, and -0 is below +0.
// Otherwise as index_add.
template <class T, class I>
void scatter_min(T* out, std::size_t size, const I* ids, const T* x, std::size_t n, const executor& on = {});
template <class T, class I>
void scatter_max(T* out, std::size_t size, const I* ids, const T* x, std::size_t n, const executor& on = {});

// out[d] = out[d] * p, where p is the product of the x[i] with ids[i] = d in the shape of sum/v1, lanes
// without an element being 1. Otherwise as index_add.
template <class T, class I>
void scatter_prod(T* out, std::size_t size, const I* ids, const T* x, std::size_t n, const executor& on = {});

// out[d] = x[i] for the largest i with ids[i] = d: the last writer wins, bit for bit. Otherwise as index_add.
template <class T, class I>
void put(T* out, std::size_t size, const I* ids, const T* x, std::size_t n, const executor& on = {});

// out[d] = the sum/v1 of the x[i] with ids[i] = d, in ascending order of i; +0 where there are none. What out
// held before plays no part; ids need not ascend. Otherwise as index_add.
template <class T, class I>
void segment_sum(const I* ids, const T* x, std::size_t n, T* out, std::size_t segments,
                 const executor& on = {});
// The same for each column of x, n x cols, into out, segments x cols.
template <class T, class I>
void segment_sum_rows(const I* ids, const T* x, std::size_t n, std::size_t cols, T* out, std::size_t segments,
                      const executor& on = {});

// out[d] = how many of ids are d, 0 <= d < bins. Errors and determinism as index_add.
template <class I>
void bincount(const I* ids, std::size_t n, std::uint64_t* out, std::size_t bins, const executor& on = {});
// out[d] = the sum of the weights[i] with ids[i] = d: segment_sum.
template <class T, class I>
void bincount(const I* ids, const T* weights, std::size_t n, T* out, std::size_t bins,
              const executor& on = {});

// out[b] = how many of x are in bin b of `bins` bins of equal width over [lo, hi], T float or double.
//
// x is in bin min(floor(RN(RN(RN(x - lo) / RN(hi - lo)) * bins)), bins - 1), all in f64, where lo <= x <= hi;
// hi belongs to the last bin. Values outside and NaN are left out.
// Shape: any n; 1 <= bins <= 2^53; lo and hi finite, lo < hi and RN(hi - lo) finite.
// Errors: std::invalid_argument for parameters outside of these, null pointers, and an out that overlaps x;
// std::runtime_error as index_add. Determinism: everywhere. Source: docs/spec.md, section 4.
template <class T>
void histogram(const T* x, std::size_t n, T lo, T hi, std::uint64_t* out, std::size_t bins,
               const executor& on = {});

// What a bag of rows becomes: their sum, or that divided by their number.
enum class bag_mode { sum, mean };

// Row b of out = the sum, by sum/v1 for each column, of the rows ids[offsets[b]], ..., ids[offsets[b+1] - 1] of
// the table; the last bag ends at n. The mean is that sum divided by the length of the bag, rounded once more.
// An empty bag gives +0. T is float or double.
//
// Shape: table is rows x cols and out is bags x cols, both row-major; ids has n elements and offsets has `bags`,
// the first of which is 0.
// Errors: std::invalid_argument for an index outside [0, rows), offsets that do not ascend from 0 to at most
// n, null pointers, and an out that overlaps anything; otherwise as index_add.
// Determinism: everywhere. Source: docs/spec.md, section 4.
template <class T, class I>
void embedding_bag(const T* table, std::size_t rows, std::size_t cols, const I* ids, std::size_t n,
                   const I* offsets, std::size_t bags, bag_mode mode, T* out, const executor& on = {});

// Adds the gradient of embedding_bag with respect to the table to `out`, rows x cols: by index_add_rows, where
// contribution i is the row of `gradient`, bags x cols, of the bag that i is in; for the mean each element of it
// is divided by the length of the bag first. Otherwise as embedding_bag.
template <class T, class I>
void embedding_bag_backward(const T* gradient, const I* ids, std::size_t n, const I* offsets,
                            std::size_t bags, bag_mode mode, T* out, std::size_t rows, std::size_t cols,
                            const executor& on = {});

namespace detail {

// RN(hi - lo). Errors: those of histogram for lo, hi and bins.
template <class T>
double require_histogram(const char* who, T lo, T hi, std::size_t bins);

}  // namespace detail
}  // namespace rivus

#endif
