// The table of kernels behind reductions and row operations (rivus/row_operations.hpp) for one instruction set.
#ifndef RIVUS_SRC_EXPRESSION_TABLE_HPP
#define RIVUS_SRC_EXPRESSION_TABLE_HPP

#include <rivus/fill.hpp>
#include <rivus/row_operations.hpp>

namespace rivus {

namespace expr = real::expr;

template <class... T>
using list = detail::list<T...>;

// The result of each chunk of the terms (i, j), ..., (i, j + n - 1).
template <class Term>
struct row_kernel {
  void (*chunks)(const Term& term, std::size_t i, std::size_t j, std::size_t n, typename Term::wide* partial);
};
// For each of the columns j, ..., j + n - 1 the result of the chunk of its terms in `rows` rows from i on.
template <class Term>
struct column_kernel {
  void (*chunk)(const Term& term, std::size_t i, std::size_t rows, std::size_t j, std::size_t n,
                typename Term::wide* results);
};
// The values of an expression at (i, j), ..., (i, j + n - 1), rounded to X.
template <class E, class X>
struct write_kernel {
  void (*write)(const E& expression, X* to, std::size_t i, std::size_t j, std::size_t n);
};
// The key of an extreme of x[0..n), and where it is first met.
template <class X>
struct extreme_kernels {
  using key = decltype(expr::least_key<wide_t<X>>());
  key (*most[3])(const X* x, std::size_t n);
  std::size_t (*find[3])(const X* x, std::size_t n, key k);
};

template <class X, class E = expr::elements<X>, class C = expr::constant_of<X>, class A = expr::along<X>>
using row_terms =
    list<expr::terms<E>, expr::terms<expr::absolute_of<E>>, expr::squares<E>, expr::squares<expr::doubles<X>>,
         expr::squares<expr::deviation<X>>, expr::terms<expr::exp_of<expr::deviation<X>>>, expr::factors<E>,
         expr::products<E, E>, expr::products<E, A>, expr::products<expr::times<E, A>, expr::normalised<X>>,
         expr::products<expr::times<E, A>, expr::scaled<X>>>;

// As above, with a mean, or what is largest, for each column; and with one for each row.
template <class X, class E = expr::elements<X>, class M = expr::minus<E, expr::along<wide_t<X>>>,
          class D = expr::down<wide_t<X>>>
using column_terms =
    list<expr::terms<E>, expr::terms<expr::absolute_of<E>>, expr::squares<expr::doubles<X>>, expr::squares<M>,
         expr::terms<expr::exp_of<M>>, expr::factors<E>, expr::products<E, expr::times<expr::minus<E, D>, D>>,
         expr::products<E, expr::times<E, D>>>;

template <class X, class E = expr::elements<X>, class C = expr::constant_of<X>, class A = expr::along<X>>
using written =
    list<expr::over<expr::exp_of<expr::deviation<X>>, C>, expr::minus<expr::deviation<X>, C>,
         expr::times<E, expr::deviation<X>>, expr::fma_of<expr::negative<expr::exp_of<E>>, C, E>,
         expr::fma_of<expr::normalised<X>, A, A>,
         expr::times<C, expr::fma_of<expr::negative<expr::normalised<X>>, C, expr::fma_of<E, A, C>>>,
         expr::times<expr::scaled<X>, A>,
         expr::times<C, expr::fma_of<expr::negative<expr::scaled<X>>, C, expr::times<E, A>>>>;

template <class X, class Rows = row_terms<X>, class Columns = column_terms<X>, class Written = written<X>>
struct expressions_on;
template <class X, class... R, class... C, class... E>
struct expressions_on<X, list<R...>, list<C...>, list<E...>>
    : row_kernel<R>..., column_kernel<C>..., write_kernel<E, X>..., extreme_kernels<X> {};

struct expression_table {
  expressions_on<float> f32;
  expressions_on<double> f64;
  expressions_on<f16> half;
  expressions_on<bf16> brain;

  template <class X>
  constexpr const expressions_on<X>& on() const {
    if constexpr (std::is_same_v<X, float>) {
      return f32;
    } else if constexpr (std::is_same_v<X, double>) {
      return f64;
    } else if constexpr (std::is_same_v<X, f16>) {
      return half;
    } else {
      return brain;
    }
  }
};

extern const expression_table scalar_expressions, avx2_expressions, avx512_expressions, neon_expressions;

}  // namespace rivus

#endif
