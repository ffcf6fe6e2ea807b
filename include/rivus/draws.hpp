// draws: the elements of a stream as a function object and as an iterator.
#ifndef RIVUS_DRAWS_HPP
#define RIVUS_DRAWS_HPP

#if !defined(__CUDACC_RTC__)
#include <iterator>
#endif
#include <rivus/stream.hpp>

namespace rivus {

// The function i -> distribution(source, i), as one object of the distribution's value_type.
//
// Words consumed, errors: those of the distribution's operator(), which never throws.
// Determinism: everywhere; drawn{s, d}(i) has the bits that fill gives element i.
template <class D>
struct drawn {
  using value_type = typename D::value_type;

  stream source;
  D distribution;

  RIVUS_HD constexpr value_type operator()(index64 i) const noexcept {
    return static_cast<value_type>(distribution(source, i));
  }
};
template <class D>
drawn(stream, D) -> drawn<D>;

// What draws() returns: points to element position() of a stream, and computes it when it is read.
//
// The index counts modulo 2^64: + and - wrap, and the difference of two iterators is the shorter way between
// them. Only iterators of the same stream and distribution can be compared.
template <class D>
class draw_iterator {
 public:
  using value_type = typename D::value_type;
  using reference = value_type;
  using pointer = void;
  using difference_type = std::int64_t;
  // A value is no reference, as a forward iterator of C++17 should have; algorithms only read, and need the
  // constant-time steps.
  using iterator_category = std::random_access_iterator_tag;

  RIVUS_HD constexpr draw_iterator() noexcept : draw_{} {}
  RIVUS_HD constexpr draw_iterator(stream s, D d, index64 position) noexcept
      : draw_{s, d}, position_(position) {}

  RIVUS_HD constexpr std::uint64_t position() const noexcept { return position_; }

  RIVUS_HD constexpr reference operator*() const noexcept { return draw_(position_); }
  RIVUS_HD constexpr reference operator[](difference_type n) const noexcept { return *(*this + n); }

  RIVUS_HD constexpr draw_iterator& operator+=(difference_type n) noexcept {
    position_ += static_cast<std::uint64_t>(n);
    return *this;
  }
  RIVUS_HD constexpr draw_iterator& operator-=(difference_type n) noexcept {
    position_ -= static_cast<std::uint64_t>(n);
    return *this;
  }
  RIVUS_HD constexpr draw_iterator& operator++() noexcept { return *this += 1; }
  RIVUS_HD constexpr draw_iterator& operator--() noexcept { return *this -= 1; }
  RIVUS_HD constexpr draw_iterator operator++(int) noexcept {
    const draw_iterator before = *this;
    ++*this;
    return before;
  }
  RIVUS_HD constexpr draw_iterator operator--(int) noexcept {
    const draw_iterator before = *this;
    --*this;
    return before;
  }
  RIVUS_HD friend constexpr draw_iterator operator+(draw_iterator a, difference_type n) noexcept {
    return a += n;
  }
  RIVUS_HD friend constexpr draw_iterator operator+(difference_type n, draw_iterator a) noexcept {
    return a += n;
  }
  RIVUS_HD friend constexpr draw_iterator operator-(draw_iterator a, difference_type n) noexcept {
    return a -= n;
  }
  RIVUS_HD friend constexpr difference_type operator-(const draw_iterator& a,
                                                      const draw_iterator& b) noexcept {
    return static_cast<difference_type>(a.position_ - b.position_);
  }

  RIVUS_HD friend constexpr bool operator==(const draw_iterator& a, const draw_iterator& b) noexcept {
    return a.position_ == b.position_;
  }
  RIVUS_HD friend constexpr bool operator!=(const draw_iterator& a, const draw_iterator& b) noexcept {
    return !(a == b);
  }
  RIVUS_HD friend constexpr bool operator<(const draw_iterator& a, const draw_iterator& b) noexcept {
    return a - b < 0;
  }
  RIVUS_HD friend constexpr bool operator>(const draw_iterator& a, const draw_iterator& b) noexcept {
    return b < a;
  }
  RIVUS_HD friend constexpr bool operator<=(const draw_iterator& a, const draw_iterator& b) noexcept {
    return !(b < a);
  }
  RIVUS_HD friend constexpr bool operator>=(const draw_iterator& a, const draw_iterator& b) noexcept {
    return !(a < b);
  }

 private:
  drawn<D> draw_;
  std::uint64_t position_ = 0;
};

// An iterator with draws(s, d, first)[j] == d(s, first + j): for std::copy, std::transform_reduce, ranges, and
// with <rivus/thrust.hpp> for Thrust's algorithms, on host and device.
//
// Range: any first, any j of int64; first + j modulo 2^64.
// Cost: each element that is read computes its block; fill shares blocks among neighbours and is faster.
// Words consumed: the distribution's, for the elements that are read.
// Errors: none; out of its domain a distribution gives what its comment says.
// Determinism: everywhere; the bits of fill.
template <class D>
RIVUS_HD constexpr draw_iterator<D> draws(stream s, D d, index64 first = 0) noexcept {
  return {s, d, first};
}

}  // namespace rivus

#endif
