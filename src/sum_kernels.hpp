// sum/v1 and dot/v1 over lanes: the results of chunks (rivus/tree.hpp), of whatever terms.
#ifndef RIVUS_SRC_SUM_KERNELS_HPP
#define RIVUS_SRC_SUM_KERNELS_HPP

#include <cstring>
#include <rivus/expressions.hpp>
#include <rivus/tree.hpp>

#include "lanes_of.hpp"
#include "unroll.hpp"

namespace rivus {
namespace {

namespace expr = real::expr;

template <class T>
using reals_of = typename lanes_of<typename real::format<T>::word>::reals;

template <class V>
constexpr std::size_t width_of = sizeof(V) / sizeof(real::element_t<V>);

// Values of X as reals, and back; only the first `valid`, zeros for the others.
template <class V, class X>
RIVUS_HD V load_wide(const X* p) {
  if constexpr (std::is_same_v<X, real::element_t<V>>) {
    return load<V>(p);
  } else if constexpr (requires { load_half(p); }) {
    return load_half(p);
  } else {
    // By bytes: the pointer may have any alignment.
    X narrow[width_of<V>];
    std::memcpy(static_cast<void*>(narrow), static_cast<const void*>(p), sizeof narrow);
    alignas(64) real::element_t<V> wide[width_of<V>];
    for (std::size_t k = 0; k < width_of<V>; ++k) wide[k] = real::widen(narrow[k]);
    return load<V>(wide);
  }
}
template <class V, class X>
RIVUS_HD V load_wide(const X* p, std::size_t valid) {
  alignas(64) X some[width_of<V>] = {};
  std::memcpy(static_cast<void*>(some), static_cast<const void*>(p), valid * sizeof(X));
  return load_wide<V>(some);
}
template <class V, class X>
RIVUS_HD void store_narrow(X* p, V x, std::size_t valid = width_of<V>) {
  if constexpr (std::is_same_v<X, real::element_t<V>>) {
    if (valid == width_of<V>) return store(p, x);
  } else if constexpr (requires { store_half(p, x); }) {
    if (valid == width_of<V>) return store_half(p, x);
  }
  alignas(64) real::element_t<V> wide[width_of<V>];
  X some[width_of<V>];
  store(wide, x);
  for (std::size_t k = 0; k < width_of<V>; ++k) some[k] = real::narrow<X>(wide[k]);
  std::memcpy(static_cast<void*>(p), static_cast<const void*>(some), valid * sizeof(X));
}

// By its bytes, as the pointer may have any alignment.
template <class X>
RIVUS_HD wide_t<X> element_at(const X* x, std::size_t i) {
  X v;
  std::memcpy(static_cast<void*>(&v), static_cast<const void*>(x + i), sizeof v);
  return real::widen(v);
}

// A place (rivus/expressions.hpp) that gives the values of columns j, j + 1, ...: a whole vector, or `valid` of it.
template <class V, bool Whole>
struct lanes_place {
  using T = real::element_t<V>;
  std::size_t i, j, valid;

  template <class X>
  RIVUS_HD V at_column(const X* p) const {
    if constexpr (Whole) {
      return load_wide<V>(p);
    } else {
      return load_wide<V>(p, valid);
    }
  }
  template <class X>
  RIVUS_HD V operator()(const expr::elements<X>& e) const {
    // The row's address stays the same for all of its columns.
    return at_column((e.data + static_cast<std::ptrdiff_t>(i) * e.row_stride) + j);
  }
  template <class X>
  RIVUS_HD V operator()(const expr::doubles<X>& e) const {
    const X* const x = (e.data + static_cast<std::ptrdiff_t>(i) * e.row_stride) + j;
    if constexpr (std::is_same_v<X, double>) {
      return at_column(x);
    } else if constexpr (std::is_same_v<X, float> && Whole) {
      return load_widened(x);
    } else {
      alignas(64) float some[width_of<V>] = {};
      for (std::size_t k = 0; k < (Whole ? width_of<V> : valid); ++k) some[k] = element_at(x, k);
      return load_widened(some);
    }
  }
  RIVUS_HD V operator()(const expr::constant<T>& c) const { return V(c.value); }
  template <class X>
  RIVUS_HD V operator()(const expr::along<X>& a) const {
    return a.data == nullptr ? V(a.otherwise) : at_column(a.data + j);
  }
  RIVUS_HD V operator()(const expr::down<T>& d) const { return V(d.data[i]); }
  template <class E>
  RIVUS_HD auto operator()(const E& expression) const -> decltype(expression(*this)) {
    return expression(*this);
  }
};

// Lanes l and l + half combine, then half of half, down to one.
template <class Term, class V>
RIVUS_HD auto folded(V x) {
  using T = real::element_t<V>;
  if constexpr (std::is_base_of_v<combine::sums, Term>) {
    return fold(x);
  } else {
    alignas(64) T lane[width_of<V>];
    store(lane, x);
    if constexpr (width_of<V> > 1) tree::fold_halves<Term>(lane);
    return lane[0];
  }
}

// The 32 lanes of Chunks chunks side by side, as vectors, and how a row of terms enters them.
template <class Term, int Chunks>
struct chunk_lanes {
  using T = typename Term::wide;
  using reals = reals_of<T>;
  static constexpr std::size_t width = width_of<reals>;
  static constexpr int vectors = tree::lanes / static_cast<int>(width);

  reals lane[Chunks][vectors];

  RIVUS_HD void clear() {
    for (auto& chunk : lane) {
      for (reals& v : chunk) v = reals(Term::template neutral<T>());
    }
  }
  // Rows `row` of the chunks that begin at (i, j).
  RIVUS_HD void enter(const Term& term, std::size_t i, std::size_t j, std::size_t row) {
    RIVUS_UNROLL(4)
    for (int c = 0; c < Chunks; ++c) {
      RIVUS_UNROLL(32)
      for (int k = 0; k < vectors; ++k) {
        const std::size_t at = j + static_cast<std::size_t>(c) * tree::chunk + row * tree::lanes +
                               static_cast<std::size_t>(k) * width;
        lane[c][k] = term.enter(lane[c][k], lanes_place<reals, true>{i, at, width});
      }
    }
  }
  // The first `rest` lanes take one term more.
  RIVUS_HD void enter_rest(const Term& term, std::size_t i, std::size_t j, std::size_t rest) {
    for (int k = 0; rest > 0; ++k) {
      const std::size_t valid = rest < width ? rest : width;
      const reals more = term.enter(lane[0][k], lanes_place<reals, false>{i, j, valid});
      alignas(64) T before[width], after[width];
      store(before, lane[0][k]);
      store(after, more);
      std::memcpy(before, after, valid * sizeof(T));
      lane[0][k] = load<reals>(before);
      j += valid;
      rest -= valid;
    }
  }
  // Lanes fold by halves: first whole vectors, then within one.
  RIVUS_HD T result(int chunk) {
    if constexpr (vectors > 1) tree::fold_halves<Term>(lane[chunk]);
    return folded<Term>(lane[chunk][0]);
  }
};

template <class Term, int Chunks>
RIVUS_HD void whole_chunks(const Term& term, std::size_t i, std::size_t j, typename Term::wide* partial) {
  chunk_lanes<Term, Chunks> lanes;
  lanes.clear();
  RIVUS_UNROLL(2)
  for (std::size_t row = 0; row < tree::chunk / tree::lanes; ++row) lanes.enter(term, i, j, row);
  for (int c = 0; c < Chunks; ++c) partial[c] = lanes.result(c);
}

// Registers that a term takes beside its lanes: plain elements are operands in memory.
template <class Term>
constexpr int registers_of = 4;
template <class T>
constexpr int registers_of<expr::terms<expr::elements<T>>> = std::is_same_v<T, wide_t<T>> ? 0 : 4;

// The result of each chunk of the terms (i, j), ..., (i, j + n - 1). As many chunks side by side as the registers
// hold, up to four: that hides the latency of additions, and reading in several places brings more from memory.
template <class Term>
RIVUS_HD void all_chunks(const Term& term, std::size_t i, std::size_t j, std::size_t n,
                         typename Term::wide* partial) {
  constexpr int fit = (sum_registers - registers_of<Term>) / chunk_lanes<Term, 1>::vectors;
  constexpr int together = fit < 1 ? 1 : fit > 4 ? 4 : fit;
  const auto advance = [&](int chunks) {
    j += static_cast<std::size_t>(chunks) * tree::chunk;
    n -= static_cast<std::size_t>(chunks) * tree::chunk;
    partial += chunks;
  };
  for (; n >= together * tree::chunk; advance(together)) whole_chunks<Term, together>(term, i, j, partial);
  if constexpr (together > 2) {
    if (n >= 2 * tree::chunk) {
      whole_chunks<Term, 2>(term, i, j, partial);
      advance(2);
    }
  }
  for (; n >= tree::chunk; advance(1)) whole_chunks<Term, 1>(term, i, j, partial);
  if (n > 0) {
    chunk_lanes<Term, 1> lanes;
    lanes.clear();
    const std::size_t rows = n / tree::lanes;
    for (std::size_t row = 0; row < rows; ++row) lanes.enter(term, i, j, row);
    lanes.enter_rest(term, i, j + rows * tree::lanes, n % tree::lanes);
    *partial = lanes.result(0);
  }
}

}  // namespace
}  // namespace rivus

#endif
