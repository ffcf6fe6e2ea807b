// scan/v1 over lanes: the values of a chunk (rivus/scan.hpp). A lane takes a row: as many rows at a time as a vector has lanes
// are transposed, folded, and transposed back.
#ifndef RIVUS_SRC_SCAN_KERNELS_HPP
#define RIVUS_SRC_SCAN_KERNELS_HPP

#include "kernels.hpp"
#include "sum_kernels.hpp"
#include "transposition.hpp"

namespace rivus {
namespace {

// Rows side by side, element j of each in column[j].
template <class Op, class X>
struct rows_of_scan {
  using T = wide_t<X>;
  using V = reals_of<T>;
  static constexpr std::size_t rows = width_of<V>, columns = tree::lanes, elements = rows * columns;

  V column[columns];

  // The left folds of each row of x.
  RIVUS_HD void enter(const X* x) {
    RIVUS_UNROLL(32)
    for (std::size_t t = 0; t < columns; t += rows) {
      RIVUS_UNROLL(16)
      for (std::size_t r = 0; r < rows; ++r) column[t + r] = load_wide<V>(x + r * columns + t);
      transpose(column + t);
      RIVUS_UNROLL(16)
      for (std::size_t j = t; j < t + rows; ++j) {
        if (j > 0) column[j] = Op::combine(column[j - 1], column[j]);
      }
    }
  }
  // What each row is added to, in a chunk whose last value so far is `carry`, which becomes that after them.
  RIVUS_HD V carries(T& carry) const {
    alignas(64) T total[rows], before[rows];
    store(total, column[columns - 1]);
    RIVUS_UNROLL(16)
    for (std::size_t r = 0; r < rows; ++r) {
      before[r] = carry;
      carry = Op::combine(carry, total[r]);
    }
    return load<V>(before);
  }
  // Back into rows, which are stored.
  RIVUS_HD void leave(X* y) {
    RIVUS_UNROLL(32)
    for (std::size_t t = 0; t < columns; t += rows) {
      transpose(column + t);
      RIVUS_UNROLL(16)
      for (std::size_t r = 0; r < rows; ++r)
        store_narrow<V, X>(y + r * columns + t, canonical_nan(column[t + r]));
    }
  }
};

template <class Op, class X>
wide_t<X> scan_total(const X* x, std::size_t n) {
  using group = rows_of_scan<Op, X>;
  auto carry = Op::template neutral<wide_t<X>>();
  for (std::size_t i = 0; i + group::elements <= n; i += group::elements) {
    group g;
    g.enter(x + i);
    g.carries(carry);
  }
  return carry;
}

template <class Op, bool Exclusive, class X>
wide_t<X> scan_values(const X* x, std::size_t n, const tree::scan_place<wide_t<X>>& at, X* y) {
  using group = rows_of_scan<Op, X>;
  using T = typename group::T;
  using V = typename group::V;
  T carry = Op::template neutral<T>(), before = at.before;
  std::size_t i = 0;
  const V in_block(at.in_block), in_array(at.in_array);
  for (; i + group::elements <= n; i += group::elements) {
    group g;
    g.enter(x + i);
    const V row = g.carries(carry);
    RIVUS_UNROLL(32)
    for (V& v : g.column) v = Op::combine(in_array, Op::combine(in_block, Op::combine(row, v)));
    if constexpr (Exclusive) {
      const V last = g.column[group::columns - 1];
      RIVUS_UNROLL(32)
      for (std::size_t j = group::columns - 1; j > 0; --j) g.column[j] = g.column[j - 1];
      g.column[0] = shift_in(V(before), last);
      alignas(64) T ends[group::rows];
      store(ends, last);
      before = ends[group::rows - 1];
    }
    // Only after its elements have been read, as y may be x.
    g.leave(y + i);
  }
  while (i < n) {
    const std::size_t end = n - i < group::columns ? n : i + group::columns;
    T value = Op::template neutral<T>();
    for (; i < end; ++i) {
      value = Op::combine(value, element_at(x, i));
      const T result = Op::combine(at.in_array, Op::combine(at.in_block, Op::combine(carry, value)));
      const X out = real::narrow<X>(real::canonical(Exclusive ? before : result));
      std::memcpy(static_cast<void*>(y + i), static_cast<const void*>(&out), sizeof out);
      before = result;
    }
    carry = Op::combine(carry, value);
  }
  return carry;
}

// Copies n bytes past the caches.
inline void stream_copy(void* to, const void* from, std::size_t n) {
  auto* const out = static_cast<unsigned char*>(to);
  const auto* const in = static_cast<const unsigned char*>(from);
  const std::size_t off = reinterpret_cast<std::uintptr_t>(out) % stream_bytes;
  std::size_t i = off == 0 ? 0 : stream_bytes - off < n ? stream_bytes - off : n;
  std::memcpy(out, in, i);
  for (; i + stream_bytes <= n; i += stream_bytes) stream_vector(out + i, in + i);
  std::memcpy(out + i, in + i, n - i);
}
template <class Op, bool Exclusive, class X>
wide_t<X> stream_values(const X* x, std::size_t n, const tree::scan_place<wide_t<X>>& at, X* y) {
  alignas(64) X values[tree::chunk];
  const wide_t<X> total = scan_values<Op, Exclusive>(x, n, at, values);
  stream_copy(y, values, n * sizeof(X));
  end_streams();
  return total;
}

}  // namespace
}  // namespace rivus

#endif
