// scan/v1 over lanes: the values of a chunk (rivus/scan.hpp).
#ifndef RIVUS_SRC_SCAN_KERNELS_HPP
#define RIVUS_SRC_SCAN_KERNELS_HPP

#include "kernels.hpp"
#include "sum_kernels.hpp"

namespace rivus {
namespace {

// s[i] = s[i-D] + s[i] for all i >= D at once, then for 2D, ...
template <class Op, int D, class V, int Vectors>
RIVUS_HD void scan_row(V (&s)[Vectors]) {
  constexpr int width = static_cast<int>(width_of<V>);
  if constexpr (D < Vectors * width) {
    RIVUS_UNROLL(32)
    for (int k = Vectors - 1; k >= 0; --k) {
      if constexpr (D < width) {
        const V before = k > 0 ? s[k > 0 ? k - 1 : 0] : V(Op::template neutral<real::element_t<V>>());
        s[k] = Op::combine(shift_in<D>(before, s[k]), s[k]);
      } else if (k >= D / width) {
        s[k] = Op::combine(s[k - D / width], s[k]);
      }
    }
    scan_row<Op, 2 * D>(s);
  }
}

template <class Op, class X>
struct row_scan {
  using T = wide_t<X>;
  using V = reals_of<T>;
  static constexpr std::size_t width = width_of<V>;
  static constexpr int vectors = detail::scan_row / static_cast<int>(width);

  // The chunk's values in this row, and the last of them in all lanes.
  V s[vectors];
  V carry = V(Op::template neutral<T>());

  RIVUS_HD void next() {
    scan_row<Op, 1>(s);
    RIVUS_UNROLL(32)
    for (V& v : s) v = Op::combine(carry, v);
    carry = last_lane(s[vectors - 1]);
  }
  RIVUS_HD void enter(const X* x) {
    RIVUS_UNROLL(32)
    for (int k = 0; k < vectors; ++k) s[k] = load_wide<V>(x + static_cast<std::size_t>(k) * width);
    next();
  }
  // f(vector, its place in the row, how many of its elements there are), for all of the first n elements.
  template <class F>
  RIVUS_HD static void for_some(std::size_t n, const F& f) {
    for (std::size_t k = 0; k * width < n; ++k)
      f(k, k * width, n - k * width < width ? n - k * width : width);
  }
  RIVUS_HD void enter_some(const X* x, std::size_t n) {
    for (V& v : s) v = V(Op::template neutral<T>());
    for_some(n, [&](std::size_t k, std::size_t i, std::size_t valid) { s[k] = load_wide<V>(x + i, valid); });
    next();
  }
};

template <class Op, class X>
wide_t<X> scan_total(const X* x, std::size_t n) {
  using T = wide_t<X>;
  row_scan<Op, X> row;
  for (std::size_t i = 0; i + detail::scan_row <= n; i += detail::scan_row) row.enter(x + i);
  T last[row_scan<Op, X>::width];
  store(last, row.carry);
  return last[0];
}

template <class Op, bool Exclusive, class X>
wide_t<X> scan_values(const X* x, std::size_t n, const scan_place<wide_t<X>>& at, X* y) {
  using rows = row_scan<Op, X>;
  using T = typename rows::T;
  using V = typename rows::V;
  rows row;
  const V offset(at.offset);
  V before(at.before);
  // Only after the row's elements have been read, as y may be x.
  const auto results = [&] {
    RIVUS_UNROLL(32)
    for (V& v : row.s) v = Op::combine(offset, v);
    if constexpr (Exclusive) {
      RIVUS_UNROLL(32)
      for (V& v : row.s) {
        const V inclusive = v;
        v = shift_in<1>(before, inclusive);
        before = inclusive;
      }
    }
  };
  std::size_t i = 0;
  for (; i + detail::scan_row <= n; i += detail::scan_row) {
    row.enter(x + i);
    results();
    RIVUS_UNROLL(32)
    for (int k = 0; k < rows::vectors; ++k)
      store_narrow<V, X>(y + (i + static_cast<std::size_t>(k) * rows::width), canonical_nan(row.s[k]));
  }
  if (i < n) {
    row.enter_some(x + i, n - i);
    results();
    rows::for_some(n - i, [&](std::size_t k, std::size_t j, std::size_t valid) {
      store_narrow<V, X>(y + i + j, canonical_nan(row.s[k]), valid);
    });
  }
  T last[rows::width];
  store(last, row.carry);
  return last[0];
}

}  // namespace
}  // namespace rivus

#endif
