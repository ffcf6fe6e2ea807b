// partial: reductions of a part of a whole, made anywhere, merged in any order, with the bits of the single call.
#ifndef RIVUS_PARTIAL_HPP
#define RIVUS_PARTIAL_HPP

#include <cstdint>
#include <rivus/reductions.hpp>
#include <rivus/tree.hpp>
#include <vector>

namespace rivus {

namespace detail {

// Values at the nodes of tree/v1 that cover a contiguous range of leaves, from the left, each node as large as it can be. Of a
// width w each has w values, one tree to a place.
class tree_roots {
 public:
  // left[j] = the two combined, for n values.
  using combination = void (*)(double* left, const double* right, std::size_t n);

  explicit tree_roots(std::size_t width = 1) : width_(width) {}
  // Those of [first, first + leaves), with values to come.
  static tree_roots covering(std::uint64_t first, std::uint64_t leaves, std::size_t width);

  std::size_t width() const { return width_; }
  std::size_t size() const { return nodes_.size(); }
  const std::vector<double>& values() const { return values_; }
  double* data() { return values_.data(); }

  // The node of so many leaves that begins at `first`, where the range ends; and all of another range.
  void append(std::uint64_t first, std::uint64_t leaves, const double* values, combination combine);
  void append(const tree_roots& next, combination combine);
  // The value of all, of a range that is not empty, begins at 0 and is whole. Afterwards it is no range any more.
  const double* finish(combination combine);

 private:
  struct node {
    std::uint64_t first, leaves;
  };
  std::size_t width_;
  std::vector<node> nodes_;
  std::vector<double> values_;
};

}  // namespace detail

// A reduction of elements first, first + 1, ..., first + n - 1 of a larger array, or of one on other threads, processes or
// machines. Neighbours merge, in any order; one that begins at 0 finishes with the bits that the single call gives.
//
// It holds at most 2 log2(n / 2048) values, and the elements of the two chunks of 2048 that it has in part. T: float, double,
// f16 or bf16. Errors: std::invalid_argument as reduce, and where named; std::runtime_error when the thread flushes subnormals
// or does not round to nearest; std::bad_alloc. Threads: those of `on`. Determinism: everywhere.
// Source: docs/spec.md, section 4.
template <class T>
class partial {
 public:
  using wide_type = wide_t<T>;

  // Of nothing, at 0.
  partial() : partial(reduction::sum, nullptr, 0) {}

  // Any reduction but logsumexp, which needs the largest element of the whole first. Errors: also for a `first` + n that
  // exceeds 2^64 - 1.
  partial(reduction kind, const T* x, index64 n, index64 first = 0, const executor& on = {});
  template <class R, class = std::enable_if_t<std::is_same_v<detail::element_of<R>, T>>>
  partial(reduction kind, const R& x, index64 first = 0, const executor& on = {})
      : partial(kind, std::data(x), std::size(x), first, on) {}

  static partial dot(const T* x, const T* y, index64 n, index64 first = 0, const executor& on = {});
  // Where the least or the largest element is: finish_index tells.
  static partial argmin(const T* x, index64 n, index64 first = 0, const executor& on = {});
  static partial argmax(const T* x, index64 n, index64 first = 0, const executor& on = {});
  // Given what a partial mean of the whole finished with (finish_wide), and a partial maximum.
  static partial variance(wide_type mean, const T* x, index64 n, index64 first = 0, const executor& on = {});
  static partial logsumexp(wide_type largest, const T* x, index64 n, index64 first = 0,
                           const executor& on = {});

  std::uint64_t first() const noexcept { return first_; }
  std::uint64_t size() const noexcept { return count_; }

  // Becomes that of both, of which one ends where the other begins; of nothing, the other. Errors: std::invalid_argument for
  // others, for another reduction, and for another mean or largest element.
  partial& merge(const partial& other);

  // The result, of all n elements; a variance is divided by n - less. Errors: std::invalid_argument where this is not of
  // [0, n), and where the reduction has no such result.
  T finish(index64 n, index64 less = 0) const;
  // The same before it is rounded to a 16-bit type.
  wide_type finish_wide(index64 n, index64 less = 0) const;
  std::size_t finish_index(index64 n) const;

  // 32 bytes (rvp 1; the precision of T in bits; the kind; two zero bytes; first, count, and the mean or largest element
  // or 0, as the bits of doubles), the values of the nodes from the left as doubles, or of extremes an index and a key, then
  // the elements before the first node and behind the last, of dot those of y behind them; last the first 8 bytes of the
  // digest (docs/spec.md, section 6) of all before. Little-endian.
  std::vector<unsigned char> to_bytes() const;
  // Errors: std::invalid_argument, naming what is wrong.
  static partial from_bytes(const unsigned char* bytes, index64 size);
  static partial from_bytes(const std::vector<unsigned char>& bytes) {
    return from_bytes(bytes.data(), bytes.size());
  }

 private:
  // Beside those of `reduction`.
  enum class more : unsigned char { dot = 9, variance = 10, argmin = 11, argmax = 12 };

  partial(unsigned char what, wide_type given, const T* x, const T* y, std::size_t n, std::uint64_t first,
          const executor& on, const char* who);
  bool is_extreme() const noexcept;
  template <class X>
  X finished(std::uint64_t n, std::uint64_t less) const;
  template <class Use>
  auto with_term(const Use& use) const;
  std::uint64_t whole_begin() const noexcept;
  std::uint64_t whole_end() const noexcept;
  void take(const T* x, const T* y, const executor& on);
  void append_leaf(std::uint64_t leaf, const std::vector<T>& x, const std::vector<T>& y);
  void require_whole(const char* who, std::uint64_t n) const;

  unsigned char what_ = 0;
  wide_type given_ = 0;
  std::uint64_t first_ = 0, count_ = 0;
  // Elements before and behind the whole chunks.
  std::vector<T> head_, tail_, head_y_, tail_y_;
  detail::tree_roots roots_;
  std::uint64_t at_ = 0;
  std::int64_t key_ = 0;
};

template <class R, class T = detail::element_of<R>>
partial(reduction, const R&, index64 = 0, const executor& = {}) -> partial<T>;

// A sum of arrays of `size` values, one tree/v1 for each place, whose leaves come one after the other: gradients of
// micro-batches, say. Leaves first, first + 1, ... are pushed; neighbours merge; one that begins at 0 finishes. T: float or
// double. Errors and determinism: as partial.
template <class T>
class leaves {
 public:
  explicit leaves(index64 size, index64 first = 0);

  std::uint64_t first() const noexcept { return first_; }
  std::uint64_t count() const noexcept { return count_; }
  std::size_t size() const noexcept { return roots_.width(); }

  // The next leaf, of size() values.
  leaves& push(const T* values);
  template <class R, class = std::enable_if_t<std::is_same_v<detail::element_of<R>, T>>>
  leaves& push(const R& values) {
    detail::require_same_size("rivus::leaves::push", "values", std::size(values), "the sum", size());
    return push(std::data(values));
  }
  leaves& merge(const leaves& other);
  // The sums of all leaves 0, ..., count - 1 go to out, which has size() elements.
  void finish(index64 count, T* out) const;

  // As a partial's, with "rvl" for "rvp", and size() in the place of the mean.
  std::vector<unsigned char> to_bytes() const;
  static leaves from_bytes(const unsigned char* bytes, index64 size);
  static leaves from_bytes(const std::vector<unsigned char>& bytes) {
    return from_bytes(bytes.data(), bytes.size());
  }

 private:
  std::uint64_t first_, count_ = 0;
  detail::tree_roots roots_;
};

}  // namespace rivus

#endif
