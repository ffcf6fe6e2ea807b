// Reductions of rows by the threads of an executor (rivus/row_operations.hpp): what all that sums on the host is made of.
#ifndef RIVUS_SRC_HOST_TEAM_HPP
#define RIVUS_SRC_HOST_TEAM_HPP

#include <algorithm>
#include <atomic>
#include <memory>
#include <rivus/tree.hpp>

#include "expression_table.hpp"
#include "kernels.hpp"
#include "parallel.hpp"

namespace rivus {
namespace {

using expr::extreme;

// Elements, and chunks, that make a thread worth its while.
constexpr std::size_t elements_per_thread = std::size_t{1} << 16;
constexpr std::size_t chunks_per_thread = elements_per_thread / tree::chunk;

template <class X>
const expressions_on<X>& table() {
  return active_kernels().expressions->on<X>();
}
// The table that has the kernel for a term or an expression: that of its elements.
template <class X>
struct elements_in {
  using type = X;
};
template <template <class...> class E, class A, class... Rest>
struct elements_in<E<A, Rest...>> : elements_in<A> {};
template <class X, class B>
struct elements_in<expr::times<expr::constant<X>, B>> : elements_in<B> {};

// The key of an extreme, of n > 0 elements: the largest of all keys, in whatever order they are met.
template <extreme Which, class X>
auto extreme_key(const X* x, std::size_t n, const executor& on) {
  using key = typename extreme_kernels<X>::key;
  std::atomic<key> most{expr::least_key<wide_t<X>>()};
  parallel_ranges(n, elements_per_thread, on, [&](std::size_t begin, std::size_t end) {
    const key mine = table<X>().most[static_cast<int>(Which)](x + begin, end - begin);
    key before = most;
    while (before < mine && !most.compare_exchange_weak(before, mine)) {
    }
  });
  return most.load();
}

// The results of the chunks of the terms (i, 0), ..., (i, n - 1).
template <class Term, class T = typename Term::wide>
void chunk_results(const Term& term, std::size_t i, std::size_t n, T* results, const executor& on) {
  const auto kernel = static_cast<const row_kernel<Term>&>(table<typename elements_in<Term>::type>()).chunks;
  parallel_ranges(tree::chunks(n), chunks_per_thread, on, [&](std::size_t begin, std::size_t end) {
    const std::size_t first = begin * tree::chunk;
    kernel(term, i, first, std::min(end * tree::chunk, n) - first, results + begin);
  });
}

// Memory for so many values of any type: on the stack where they are few, as those of a row of 2^20 elements are.
class values_memory {
 public:
  explicit values_memory(std::size_t n) : heap_(n > few ? new double[n] : nullptr) {}

  template <class T>
  T* as() {
    static_assert(sizeof(T) <= sizeof(double));
    return static_cast<T*>(static_cast<void*>(heap_ ? heap_.get() : few_));
  }

 private:
  static constexpr std::size_t few = 512;
  const std::unique_ptr<double[]> heap_;
  double few_[few];
};

// A team (rivus/row_operations.hpp) of the threads of an executor, for rows of n elements of X. It asks for memory when
// it is made: rows that follow one another are not to fail when some have been written.
template <class X>
class host_team {
 public:
  host_team(const executor& on, std::size_t n) : on_(on), memory_(tree::chunks(n)) {}

  static constexpr bool is_first() { return true; }

  template <class Term, class T = typename Term::wide>
  T sum(const Term& term, std::size_t i, std::size_t n) {
    const std::size_t chunks = tree::chunks(n);
    if (chunks == 0) return Term::template nothing<T>();
    T* const results = memory_.as<T>();
    chunk_results(term, i, n, results, on_);
    tree::combine_all<Term>(results, chunks);
    return results[0];
  }

  template <extreme Which>
  wide_t<X> most(const expr::elements<X>& x, std::size_t i, std::size_t n) const {
    return expr::value_of<Which, wide_t<X>>(
        extreme_key<Which>(x.data + static_cast<std::ptrdiff_t>(i) * x.row_stride, n, on_));
  }

  template <class E>
  void write(const E& expression, X* to, std::size_t i, std::size_t n) const {
    const auto kernel = static_cast<const write_kernel<E, X>&>(table<X>()).write;
    parallel_ranges(n, elements_per_thread, on_, [&](std::size_t begin, std::size_t end) {
      kernel(expression, to + begin, i, begin, end - begin);
    });
  }

 private:
  const executor& on_;
  values_memory memory_;
};

}  // namespace
}  // namespace rivus

#endif
