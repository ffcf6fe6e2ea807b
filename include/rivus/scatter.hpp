// scatter: contributions to destinations that indices name, in one fixed order, on the host.
#ifndef RIVUS_SCATTER_HPP
#define RIVUS_SCATTER_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <rivus/executor.hpp>
#include <rivus/half.hpp>
#include <rivus/matmul.hpp>
#include <rivus/reductions.hpp>

namespace rivus {

namespace detail {

template <class I>
inline constexpr bool is_index = is_one_of<I, signed char, unsigned char, short, unsigned short, int,
                                           unsigned, long, unsigned long, long long, unsigned long long>;

template <bool Supported, class R>
struct result_for_numbers {
  static_assert(Supported,
                "rivus: the elements must be float, double, std::int32_t, std::uint32_t, std::int64_t or "
                "std::uint64_t");
  using type = R;
};
template <class T, class R = void>
using for_numbers = typename result_for_numbers<
    is_one_of<T, float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>, R>::type;

// Integers whose width is that of the unsigned W, and whose sign bit is `sign`, if they have one.
template <class W>
struct index_words {
  const void* data;
  std::uint64_t sign;

  RIVUS_HD W word(std::size_t i) const noexcept {
#if defined(__CUDA_ARCH__)
    return static_cast<const W*>(data)[i];
#else
    // The type may be another one of this width.
    W w;
    std::memcpy(&w, static_cast<const unsigned char*>(data) + i * sizeof w, sizeof w);
    return w;
#endif
  }
  RIVUS_HD std::uint64_t operator[](std::size_t i) const noexcept { return (word(i) ^ sign) - sign; }
};

}  // namespace detail

// The ids that a call takes: a pointer to integers of any type of up to 64 bits, but bool and characters.
class indices {
 public:
  RIVUS_HD constexpr indices(std::nullptr_t = nullptr) noexcept {}
  template <class I>
  RIVUS_HD constexpr indices(const I* ids) noexcept
      : data_(ids),
        bytes_(sizeof(I)),
        sign_(std::is_signed_v<I> ? std::uint64_t{1} << (8 * sizeof(I) - 1) : 0) {
    static_assert(detail::is_index<I>,
                  "rivus: ids must be integers of up to 64 bits, neither bool nor characters");
  }

  RIVUS_HD constexpr const void* data() const noexcept { return data_; }
  // Of one of them.
  RIVUS_HD constexpr unsigned bytes() const noexcept { return bytes_; }

  // Number i modulo 2^64: where it is negative, above all sizes.
  RIVUS_HD std::uint64_t operator[](std::size_t i) const noexcept {
    return bytes_ == 4   ? words<std::uint32_t>()[i]
           : bytes_ == 8 ? words<std::uint64_t>()[i]
           : bytes_ == 2 ? words<std::uint16_t>()[i]
                         : words<std::uint8_t>()[i];
  }
  RIVUS_HD bool is_negative(std::size_t i) const noexcept { return sign_ != 0 && (*this)[i] >> 63 != 0; }

  // use(words), with the detail::index_words of this width.
  template <class Use>
  void visit(const Use& use) const {
    switch (bytes_) {
      case 1:
        return use(words<std::uint8_t>());
      case 2:
        return use(words<std::uint16_t>());
      case 4:
        return use(words<std::uint32_t>());
      default:
        return use(words<std::uint64_t>());
    }
  }

 private:
  template <class W>
  RIVUS_HD detail::index_words<W> words() const noexcept {
    return {data_, sign_};
  }

  const void* data_ = nullptr;
  unsigned bytes_ = 1;
  std::uint64_t sign_ = 0;
};

// T is float, double, std::int32_t, std::uint32_t, std::int64_t or std::uint64_t.

// The obvious loop: out[ids[i]] = out[ids[i]] + x[i], i ascending, each addition rounded. Where very many
// contributions come to one destination that is not accurate (2^25 ones in float make 16777216): segment_reduce and
// exact_sum are.
//
// Shape: out has `size` elements, ids and x have n; any n, any alignment, any number of contributions to one
// destination. The other elements of out are not touched. Integers wrap around. Infinities as IEEE 754; a NaN
// result is the canonical one.
// Errors: std::invalid_argument for an index outside [0, size), which it names, for null pointers, and for an
// out that overlaps ids or x; std::runtime_error when the thread flushes subnormals or does not round to
// nearest; std::bad_alloc. Nothing has been written then.
// Memory: none in one thread; 128 KiB for each of several.
// Threads: those of `on` for large n. Determinism: everywhere. Source: docs/spec.md, section 4.
template <class T>
detail::for_numbers<T> index_add(T* out, index64 size, indices ids, const T* x, index64 n,
                                 const executor& on = {});

// Row by row: out, row-major, has rows x cols elements and x has n x cols; row ids[i] of out receives row i of
// x, and each column is added up by itself. Otherwise as index_add.
template <class T>
detail::for_numbers<T> index_add_rows(T* out, index64 rows, index64 cols, indices ids, const T* x, index64 n,
                                      const executor& on = {});

// out[d] = the least, or the greatest, of out[d] and the x[i] with ids[i] = d: NaN wins, and -0 is below +0.
// Otherwise as index_add.
template <class T>
detail::for_numbers<T> scatter_min(T* out, index64 size, indices ids, const T* x, index64 n,
                                   const executor& on = {});
template <class T>
detail::for_numbers<T> scatter_max(T* out, index64 size, indices ids, const T* x, index64 n,
                                   const executor& on = {});

// out[ids[i]] = out[ids[i]] * x[i], i ascending. Otherwise as index_add.
template <class T>
detail::for_numbers<T> scatter_prod(T* out, index64 size, indices ids, const T* x, index64 n,
                                    const executor& on = {});

// out[d] = x[i] for the largest i with ids[i] = d: the last writer wins, bit for bit. Otherwise as index_add.
template <class T>
detail::for_numbers<T> put(T* out, index64 size, indices ids, const T* x, index64 n, const executor& on = {});

// As index_add to an out of +0: what it held before plays no part; ids need not ascend. bincount with weights of
// float adds up doubles and rounds once.
template <class T>
detail::for_numbers<T> segment_sum(indices ids, const T* x, index64 n, T* out, index64 segments,
                                   const executor& on = {});
// The same for each column of x, n x cols, into out, segments x cols.
template <class T>
detail::for_numbers<T> segment_sum_rows(indices ids, const T* x, index64 n, index64 cols, T* out,
                                        index64 segments, const executor& on = {});

// out[s] = the reduction of segment s as of an array of its own, x[offsets[s]], ..., x[offsets[s + 1] - 1]; the last
// one ends at n. T: float, double, f16 or bf16.
//
// Shape: offsets has `segments` elements, which ascend from 0 to at most n; segments may be empty, which a minimum or
// maximum refuses.
// Errors: std::invalid_argument for other offsets, another kind, null pointers, and an out that overlaps x or
// offsets; std::runtime_error and std::bad_alloc as index_add. Nothing has been written then.
// Threads: those of `on` for large n. Determinism: everywhere. Source: docs/spec.md, section 4.
template <class T>
detail::for_reals<T> segment_reduce(reduction kind, const T* x, index64 n, indices offsets, index64 segments,
                                    T* out, const executor& on = {});

// out[d] = how many of ids are d, 0 <= d < bins. Errors and determinism as index_add.
void bincount(indices ids, index64 n, std::uint64_t* out, index64 bins, const executor& on = {});
// out[d] = the sum of the weights[i] with ids[i] = d: segment_sum.
template <class T>
detail::for_numbers<T> bincount(indices ids, const T* weights, index64 n, T* out, index64 bins,
                                const executor& on = {});

// out[b] = how many of x are in bin b of `bins` bins of equal width over [lo, hi], T float or double.
//
// x is in bin min(floor(RN(RN(RN(x - lo) * bins) / RN(hi - lo))), bins - 1), all in f64 and without overflow, where
// lo <= x <= hi; hi belongs to the last bin. Values outside and NaN are left out.
// Shape: any n; 1 <= bins <= 2^53; lo and hi finite, lo < hi and RN(hi - lo) finite.
// Errors: std::invalid_argument for parameters outside of these, null pointers, and an out that overlaps x;
// std::runtime_error as index_add. Determinism: everywhere. Source: docs/spec.md, section 4.
template <class T>
detail::for_floats<T> histogram(const T* x, index64 n, detail::given_t<T> lo, detail::given_t<T> hi,
                                std::uint64_t* out, index64 bins, const executor& on = {});

// What a bag of rows becomes: their sum, or that divided by their number.
enum class bag_mode { sum, mean };

// Row b of out = the sum, one after the other from +0 on, of the rows ids[offsets[b]], ..., ids[offsets[b+1] - 1] of
// the table; the last bag ends at n. The mean is that sum divided by the length of the bag, rounded once more.
// An empty bag gives +0. T is float or double.
//
// Shape: table is rows x cols and out is bags x cols, both row-major; ids has n elements and offsets has `bags`,
// the first of which is 0.
// Errors: std::invalid_argument for an index outside [0, rows), offsets that do not ascend from 0 to at most
// n, another mode, null pointers, and an out that overlaps anything; otherwise as index_add.
// Determinism: everywhere. Source: docs/spec.md, section 4.
template <class T>
detail::for_floats<T> embedding_bag(const T* table, index64 rows, index64 cols, indices ids, index64 n,
                                    indices offsets, index64 bags, bag_mode mode, T* out,
                                    const executor& on = {});

// Adds the gradient of embedding_bag with respect to the table to `out`, rows x cols: by index_add_rows, where
// contribution i is the row of `gradient`, bags x cols, of the bag that i is in; for the mean each element of it
// is divided by the length of the bag first. Otherwise as embedding_bag.
template <class T>
detail::for_floats<T> embedding_bag_backward(const T* gradient, indices ids, index64 n, indices offsets,
                                             index64 bags, bag_mode mode, T* out, index64 rows, index64 cols,
                                             const executor& on = {});

namespace detail {

// Segments of n elements by the offsets of their beginnings. Offsets that nobody has checked lead no further than n.
struct segments_by_offsets {
  indices offsets;
  std::uint64_t count, n;

  RIVUS_HD std::uint64_t begin(std::uint64_t s) const noexcept {
    const std::uint64_t offset = offsets[s];
    return offset < n ? offset : n;
  }
  RIVUS_HD std::uint64_t end(std::uint64_t s) const noexcept {
    const std::uint64_t from = begin(s), to = s + 1 < count ? begin(s + 1) : n;
    return to < from ? from : to;
  }
  RIVUS_HD std::uint64_t length(std::uint64_t s) const noexcept { return end(s) - begin(s); }
};

// The bins of a histogram: of value x, or `bins` where it is in none. All in double; both differences scaled down
// where the product could overflow, which changes no bit of the quotient.
template <class T>
class bins_of {
 public:
  RIVUS_HD bins_of(T lo, T hi, std::uint64_t bins)
      : low_(static_cast<double>(lo)),
        high_(static_cast<double>(hi)),
        width_(real::sub(high_, low_)),
        number_(static_cast<double>(static_cast<long long>(bins))),
        bins_(bins) {
    if (!real::less(width_, 0x1p900)) {
      scale_ = 0x1p-64;
      width_ = real::mul(width_, scale_);
    }
  }
  RIVUS_HD std::uint64_t operator()(T x) const {
    const double value = static_cast<double>(x);
    if (real::is_nan(value) || real::less(value, low_) || real::less(high_, value)) return bins_;
    const double place = real::mul(real::mul(real::sub(value, low_), scale_), number_);
    const auto bin = static_cast<std::uint64_t>(static_cast<long long>(real::div(place, width_)));
    return bin < bins_ ? bin : bins_ - 1;
  }

 private:
  double low_, high_, width_, number_, scale_ = 1;
  std::uint64_t bins_;
};

}  // namespace detail

}  // namespace rivus

#endif
