// The kernels behind reductions and row operations, written once over lanes; included after sum_kernels.hpp.
#ifndef RIVUS_SRC_EXPRESSION_KERNELS_HPP
#define RIVUS_SRC_EXPRESSION_KERNELS_HPP

#include "expression_table.hpp"
#include "sum_kernels.hpp"

namespace rivus {
namespace {

template <class Term>
void row_chunks(const Term& term, std::size_t i, std::size_t j, std::size_t n, typename Term::wide* partial) {
  // A copy, as no result that is stored changes it.
  const Term own = term;
  all_chunks<Term>(own, i, j, n, partial);
}

// The 32 lanes of a strip of columns stay in the first-level cache.
template <class Term>
void column_chunk(const Term& term, std::size_t i, std::size_t rows, std::size_t j, std::size_t n,
                  typename Term::wide* results) {
  using T = typename Term::wide;
  using reals = reals_of<T>;
  constexpr std::size_t width = width_of<reals>, strip = 1024 / sizeof(T);
  static_assert(strip % width == 0);
  alignas(64) T lanes[tree::lanes][strip];
  for (std::size_t first = 0; first < n; first += strip) {
    const std::size_t columns = n - first < strip ? n - first : strip, whole = columns / width * width;
    for (auto& lane : lanes) {
      for (T& v : lane) v = Term::template neutral<T>();
    }
    for (std::size_t row = 0; row < rows; ++row) {
      T* const lane = lanes[row % tree::lanes];
      for (std::size_t k = 0; k < whole; k += width) {
        store(lane + k,
              term.enter(load<reals>(lane + k), lanes_place<reals, true>{i + row, j + first + k, width}));
      }
      if (whole < columns) {
        const lanes_place<reals, false> rest{i + row, j + first + whole, columns - whole};
        store(lane + whole, term.enter(load<reals>(lane + whole), rest));
      }
    }
    for (std::size_t k = 0; k < strip; k += width) {
      reals lane[tree::lanes];
      for (int l = 0; l < tree::lanes; ++l) lane[l] = load<reals>(lanes[l] + k);
      tree::fold_halves<Term>(lane);
      store(lanes[0] + k, lane[0]);
    }
    std::memcpy(results + first, lanes[0], columns * sizeof(T));
  }
}

template <class E, class X>
void write_row(const E& expression, X* to, std::size_t i, std::size_t j, std::size_t n) {
  using reals = reals_of<wide_t<X>>;
  constexpr std::size_t width = width_of<reals>;
  std::size_t k = 0;
  for (; k + width <= n; k += width) {
    store_narrow(to + k, canonical_nan(expression(lanes_place<reals, true>{i, j + k, width})));
  }
  if (k < n) {
    const lanes_place<reals, false> rest{i, j + k, n - k};
    store_narrow(to + k, canonical_nan(expression(rest)), n - k);
  }
}

template <class T>
RIVUS_HD auto magnitude_of(T x) {
  return expr::key_of_number<expr::extreme::largest_magnitude>(x);
}
// Plain loops without branches, which compilers turn into vectors of integers. A NaN shows as a magnitude.
template <expr::extreme Which, class X>
auto most_of(const X* x, std::size_t n) {
  using T = wide_t<X>;
  auto most = expr::least_key<T>();
  expr::key_t<T> magnitude = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const T v = element_at(x, i);
    const auto k = expr::key_of_number<Which>(v), m = magnitude_of(v);
    most = most < k ? k : most;
    magnitude = magnitude < m ? m : magnitude;
  }
  return magnitude > static_cast<expr::key_t<T>>(real::format<T>::infinity) ? expr::nan_key<T> : most;
}
template <expr::extreme Which, class X>
std::size_t find_key(const X* x, std::size_t n, typename extreme_kernels<X>::key wanted) {
  using T = wide_t<X>;
  constexpr auto infinite = static_cast<expr::key_t<T>>(real::format<T>::infinity);
  constexpr std::size_t block = 1024;
  for (std::size_t first = 0; first < n; first += block) {
    const std::size_t end = n - first < block ? n : first + block;
    unsigned found = 0;
    if (wanted == expr::nan_key<T>) {
      for (std::size_t i = first; i < end; ++i) found |= magnitude_of(element_at(x, i)) > infinite ? 1u : 0u;
    } else {
      for (std::size_t i = first; i < end; ++i)
        found |= expr::key_of_number<Which>(element_at(x, i)) == wanted ? 1u : 0u;
    }
    if (found == 0) continue;
    for (std::size_t i = first;; ++i) {
      if (expr::key_of<Which>(element_at(x, i)) == wanted) return i;
    }
  }
  return n;
}

template <class X, class... R, class... C, class... E>
constexpr expressions_on<X> make_expressions_on(list<R...>, list<C...>, list<E...>) {
  using expr::extreme;
  return {row_kernel<R>{&row_chunks<R>}...,
          column_kernel<C>{&column_chunk<C>}...,
          write_kernel<E, X>{&write_row<E, X>}...,
          {{&most_of<extreme::largest, X>, &most_of<extreme::smallest, X>,
            &most_of<extreme::largest_magnitude, X>},
           {&find_key<extreme::largest, X>, &find_key<extreme::smallest, X>,
            &find_key<extreme::largest_magnitude, X>}}};
}
template <class X>
constexpr expressions_on<X> make_expressions_on() {
  return make_expressions_on<X>(row_terms<X>{}, column_terms<X>{}, written<X>{});
}
constexpr expression_table make_expressions() {
  return {make_expressions_on<float>(), make_expressions_on<double>(), make_expressions_on<f16>(),
          make_expressions_on<bf16>()};
}

}  // namespace
}  // namespace rivus

#endif
