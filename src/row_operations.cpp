#include <algorithm>
#include <atomic>
#include <memory>
#include <rivus/arguments.hpp>
#include <rivus/normalise.hpp>
#include <rivus/order.hpp>
#include <rivus/reduce.hpp>
#include <rivus/reductions.hpp>

#include "expression_table.hpp"
#include "kernels.hpp"
#include "parallel.hpp"

namespace rivus {
namespace {

using detail::refuse;
using detail::require_reduction;

using expr::extreme;

// Elements, and chunks, that make a thread worth its while.
constexpr std::size_t elements_per_thread = std::size_t{1} << 16;
constexpr std::size_t chunks_per_thread = elements_per_thread / order::chunk;

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

// How chunk results combine: they are terms, or factors, of their own.
template <class Term, class T = typename Term::wide>
using results_of = std::conditional_t<std::is_base_of_v<expr::adding, Term>, expr::terms<expr::elements<T>>,
                                      expr::factors<expr::elements<T>>>;

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

// A team (rivus/row_operations.hpp) of the threads of an executor, for rows of n elements of X. It asks for memory when
// it is made: rows that follow one another are not to fail when some have been written.
template <class X>
class host_team {
  using T = wide_t<X>;

 public:
  host_team(const executor& on, std::size_t n)
      : on_(on), heap_(values_for(n) > few ? new T[values_for(n)] : nullptr) {}

  static constexpr bool is_first() { return true; }

  template <class Term>
  T sum(const Term& term, std::size_t i, std::size_t n) {
    if (n == 0) return std::is_base_of_v<expr::adding, Term> ? T(0) : Term::template neutral<T>();
    return sum(term, i, n, heap_ ? heap_.get() : few_);
  }

  template <extreme Which>
  T most(const expr::elements<X>& x, std::size_t i, std::size_t n) const {
    return expr::value_of<Which, T>(
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
  // A row of 2^20 elements has 512 chunks, and their sum one.
  static constexpr std::size_t few = 513;
  // The results of chunks, on each level.
  static std::size_t values_for(std::size_t n) {
    std::size_t values = 0;
    for (std::size_t count = n; count > 1; values += count) count = order::chunks(count);
    return values;
  }

  template <class Term>
  T sum(const Term& term, std::size_t i, std::size_t n, T* partial) const {
    const std::size_t count = order::chunks(n);
    const auto kernel =
        static_cast<const row_kernel<Term>&>(table<typename elements_in<Term>::type>()).chunks;
    parallel_ranges(count, chunks_per_thread, on_, [&](std::size_t begin, std::size_t end) {
      const std::size_t first = begin * order::chunk;
      kernel(term, i, first, std::min(end * order::chunk, n) - first, partial + begin);
    });
    if (count == 1) return partial[0];
    return sum(results_of<Term>(expr::elements<T>{partial, 0}), 0, count, partial + count);
  }

  const executor& on_;
  const std::unique_ptr<T[]> heap_;
  T few_[few];
};

// Long rows are shared by the threads, short ones divided among them.
template <template <class> class Operation, class X>
void for_rows(const Operation<X>& operation, std::size_t rows, std::size_t n, const executor& on) {
  const auto with = [&](const executor& inner, std::size_t begin, std::size_t end) {
    host_team<X> team(inner, n);
    for (std::size_t i = begin; i < end; ++i) operation(team, i, n);
  };
  if (rows == 1 || n >= 2 * elements_per_thread) return with(on, 0, rows);
  parallel_ranges(rows, elements_per_thread / (n + 1) + 1, on,
                  [&](std::size_t begin, std::size_t end) { with(executor::this_thread(), begin, end); });
}

// results[j] = the sum (or product) of the terms (0, j), (1, j), ... in the order of sum/v1.
template <class Term, class T = typename Term::wide>
void for_columns(const Term& term, std::size_t rows, std::size_t n, T* results, const executor& on) {
  constexpr std::size_t strip = 1024;
  const std::size_t chunks = order::chunks(rows), strips = (n + strip - 1) / strip;
  if (chunks == 0) {
    std::fill(results, results + n,
              std::is_base_of_v<expr::adding, Term> ? T(0) : Term::template neutral<T>());
    return;
  }
  const std::unique_ptr<T[]> heap(chunks > 1 ? new T[chunks * n] : nullptr);
  T* const partial = chunks > 1 ? heap.get() : results;
  const auto kernel =
      static_cast<const column_kernel<Term>&>(table<typename elements_in<Term>::type>()).chunk;
  const std::size_t height = std::min(rows, order::chunk);
  parallel_ranges(chunks * strips, elements_per_thread / (height * std::min(n, strip)) + 1, on,
                  [&](std::size_t begin, std::size_t end) {
                    for (std::size_t p = begin; p < end; ++p) {
                      const std::size_t i = p / strips * order::chunk, j = p % strips * strip;
                      kernel(term, i, std::min(rows - i, order::chunk), j, std::min(n - j, strip),
                             partial + p / strips * n + j);
                    }
                  });
  if (chunks > 1)
    for_columns(results_of<Term>({partial, static_cast<std::ptrdiff_t>(n)}), chunks, n, results, on);
}

template <extreme Which, class X, class T = wide_t<X>>
void most_of_columns(const expr::elements<X>& x, std::size_t rows, std::size_t n, T* results,
                     const executor& on) {
  parallel_ranges(n, elements_per_thread / rows + 1, on, [&](std::size_t begin, std::size_t end) {
    constexpr std::size_t strip = 128;
    for (std::size_t j = begin; j < end; j += strip) {
      const std::size_t columns = std::min(strip, end - j);
      using key = typename extreme_kernels<X>::key;
      key most[strip], magnitude[strip] = {};
      std::fill(most, most + strip, expr::least_key<T>());
      // Without branches, so that compilers make vectors of it; a NaN shows as a magnitude.
      for (std::size_t i = 0; i < rows; ++i) {
        const X* const row = x.data + static_cast<std::ptrdiff_t>(i) * x.row_stride + j;
        for (std::size_t k = 0; k < columns; ++k) {
          const T v = real::widen(row[k]);
          const key number = expr::key_of_number<Which>(v);
          const key m = expr::key_of_number<extreme::largest_magnitude>(v);
          most[k] = most[k] < number ? number : most[k];
          magnitude[k] = magnitude[k] < m ? m : magnitude[k];
        }
      }
      constexpr auto infinite = static_cast<key>(real::format<T>::infinity);
      for (std::size_t k = 0; k < columns; ++k)
        results[j + k] = expr::value_of<Which, T>(magnitude[k] > infinite ? expr::nan_key<T> : most[k]);
    }
  });
}

// A view of a matrix whose rows are whole, and what it covers.
template <class X>
expr::elements<std::remove_const_t<X>> elements_of(matrix<X> m) {
  return {m.data, m.row_stride};
}
template <class X>
expr::rows<X> rows_of(matrix<X> m) {
  return {m.data, m.row_stride};
}

// An output of the shape of its inputs, each of which it may be.
template <class X>
void require_rows_like(const char* who, const char* out_name, matrix<X> out,
                       std::initializer_list<std::pair<const char*, matrix<const X>>> inputs) {
  require_default_environment(who);
  detail::require_rows_like(who, out_name, out, inputs);
}

template <class X>
matrix<const X> as_row(const char* who, const char* name, const X* x, std::size_t n) {
  require_default_environment(who);
  detail::require_values(who, name, x, n);
  return {x, 1, n};
}

template <class X, class T = wide_t<X>, class F>
void finish(const T* values, std::size_t n, X* out, F f) {
  for (std::size_t j = 0; j < n; ++j) out[j] = real::narrow<X>(real::canonical(f(values[j])));
}

template <class X, class Y>
void require_reduced(const char* who, matrix<const X> x, const Y* out, std::size_t n) {
  require_default_environment(who);
  detail::require_reduced(who, x, out, n);
}

template <extreme Which, class X>
std::size_t arg_of(const X* x, std::size_t n, const executor& on) {
  return table<X>().find[static_cast<int>(Which)](x, n, extreme_key<Which>(x, n, on));
}
template <extreme Which, class X>
std::size_t arg_of_all(const char* who, const X* x, std::size_t n, const executor& on) {
  as_row(who, "x", x, n);
  if (n == 0) refuse(who, "n = 0");
  return arg_of<Which>(x, n, on);
}
template <extreme Which, class X>
void arg_of_rows(const char* who, matrix<const X> x, std::size_t* out, const executor& on) {
  require_reduced(who, x, out, x.rows);
  if (x.rows > 0 && x.cols == 0) refuse(who, "x has no columns");
  parallel_ranges(x.rows, elements_per_thread / (x.cols + 1) + 1, on,
                  [&](std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i)
                      out[i] = arg_of<Which>(x.address(i, 0), x.cols, executor::this_thread());
                  });
}

}  // namespace

const char* name(reduction kind) noexcept {
  constexpr const char* names[] = {"sum",     "mean",    "l1_norm", "l2_norm",  "max_norm",
                                   "product", "minimum", "maximum", "logsumexp"};
  const auto i = static_cast<std::size_t>(kind);
  return i < std::size(names) ? names[i] : "unknown";
}

template <class X>
detail::for_reals<X, X> reduce(reduction kind, const X* x, index64 n, const executor& on) {
  const auto row = as_row("rivus::reduce", "x", x, n);
  require_reduction("rivus::reduce", kind, n);
  X result;
  host_team<X> team(on, n);
  expr::reduce_row<X>{kind, elements_of(row), &result}(team, 0, n);
  return result;
}

template <class X>
detail::for_reals<X, X> variance(const X* x, index64 n, index64 less, const executor& on) {
  const auto row = as_row("rivus::variance", "x", x, n);
  X result;
  host_team<X> team(on, n);
  expr::variance_row<X>{elements_of(row), less, &result}(team, 0, n);
  return result;
}

template <class X>
detail::for_reals<X, std::size_t> argmin(const X* x, index64 n, const executor& on) {
  return arg_of_all<extreme::smallest>("rivus::argmin", x, n, on);
}
template <class X>
detail::for_reals<X, std::size_t> argmax(const X* x, index64 n, const executor& on) {
  return arg_of_all<extreme::largest>("rivus::argmax", x, n, on);
}
template <class X>
detail::for_reals<X> argmin_rows(matrix<const X> x, std::size_t* out, const executor& on) {
  arg_of_rows<extreme::smallest>("rivus::argmin_rows", x, out, on);
}
template <class X>
detail::for_reals<X> argmax_rows(matrix<const X> x, std::size_t* out, const executor& on) {
  arg_of_rows<extreme::largest>("rivus::argmax_rows", x, out, on);
}

template <class X>
detail::for_reals<X> reduce_rows(reduction kind, detail::input_matrix<X> x, X* out, const executor& on) {
  require_reduced("rivus::reduce_rows", x, out, x.rows);
  require_reduction("rivus::reduce_rows", kind, x.rows == 0 ? 1 : x.cols);
  for_rows(expr::reduce_row<X>{kind, elements_of(x), out}, x.rows, x.cols, on);
}
template <class X>
detail::for_reals<X> variance_rows(detail::input_matrix<X> x, X* out, index64 less, const executor& on) {
  require_reduced("rivus::variance_rows", x, out, x.rows);
  for_rows(expr::variance_row<X>{elements_of(x), less, out}, x.rows, x.cols, on);
}

template <class X>
detail::for_reals<X> reduce_columns(reduction kind, detail::input_matrix<X> x, X* out, const executor& on) {
  using T = wide_t<X>;
  require_reduced("rivus::reduce_columns", x, out, x.cols);
  require_reduction("rivus::reduce_columns", kind, x.cols == 0 ? 1 : x.rows);
  const std::size_t n = x.cols, rows = x.rows;
  if (n == 0) return;
  const expr::elements<X> e = elements_of(x);
  const auto values = std::make_unique<T[]>(n);
  const auto same = [](T v) { return v; };
  switch (kind) {
    case reduction::sum:
      for_columns(expr::terms(e), rows, n, values.get(), on);
      return finish(values.get(), n, out, same);
    case reduction::mean:
      for_columns(expr::terms(e), rows, n, values.get(), on);
      return finish(values.get(), n, out, [&](T v) { return real::div(v, expr::count<T>(rows)); });
    case reduction::l1_norm:
      for_columns(expr::terms(expr::absolute_of<expr::elements<X>>{e}), rows, n, values.get(), on);
      return finish(values.get(), n, out, same);
    case reduction::l2_norm:
      for_columns(expr::squares(e), rows, n, values.get(), on);
      return finish(values.get(), n, out, [](T v) { return real::sqrt(v); });
    case reduction::product:
      for_columns(expr::factors(e), rows, n, values.get(), on);
      return finish(values.get(), n, out, same);
    case reduction::max_norm:
      if (rows > 0) most_of_columns<extreme::largest_magnitude>(e, rows, n, values.get(), on);
      return finish(values.get(), n, out, same);
    case reduction::minimum:
      most_of_columns<extreme::smallest>(e, rows, n, values.get(), on);
      return finish(values.get(), n, out, same);
    case reduction::maximum:
      most_of_columns<extreme::largest>(e, rows, n, values.get(), on);
      return finish(values.get(), n, out, same);
    case reduction::logsumexp: {
      if (rows == 0)
        return std::fill(out, out + n,
                         real::narrow<X>(real::neg(real::from_bits(real::format<T>::infinity))));
      const auto largest = std::make_unique<T[]>(n);
      most_of_columns<extreme::largest>(e, rows, n, largest.get(), on);
      const expr::along<T> m{largest.get(), T(0)};
      for_columns(expr::terms(expr::exp_of<expr::minus<expr::elements<X>, expr::along<T>>>{{e, m}}), rows, n,
                  values.get(), on);
      for (std::size_t j = 0; j < n; ++j) {
        const T v = largest[j];
        out[j] =
            real::narrow<X>(real::canonical(real::is_finite(v) ? real::add(v, real::log(values[j])) : v));
      }
      return;
    }
  }
}

template <class X>
detail::for_reals<X> variance_columns(detail::input_matrix<X> x, X* out, index64 less, const executor& on) {
  using T = wide_t<X>;
  require_reduced("rivus::variance_columns", x, out, x.cols);
  const std::size_t n = x.cols, rows = x.rows;
  if (n == 0) return;
  if (rows <= less) return std::fill(out, out + n, real::narrow<X>(real::quiet_nan<T>()));
  const expr::elements<X> e = elements_of(x);
  const auto means = std::make_unique<T[]>(n), values = std::make_unique<T[]>(n);
  for_columns(expr::terms(e), rows, n, means.get(), on);
  for (std::size_t j = 0; j < n; ++j) means[j] = real::div(means[j], expr::count<T>(rows));
  const expr::along<T> m{means.get(), T(0)};
  for_columns(expr::squares(expr::minus<expr::elements<X>, expr::along<T>>{e, m}), rows, n, values.get(), on);
  finish(values.get(), n, out, [&](T v) { return real::div(v, expr::count<T>(rows - less)); });
}

template <class X>
detail::for_reals<X> softmax(detail::input_matrix<X> x, matrix<X> y, const executor& on) {
  require_rows_like("rivus::softmax", "y", y, {{"x", x}});
  for_rows(expr::softmax_row<X>{elements_of(x), rows_of(y)}, x.rows, x.cols, on);
}
template <class X>
detail::for_reals<X> softmax_backward(detail::input_matrix<X> y, detail::input_matrix<X> dy, matrix<X> dx,
                                      const executor& on) {
  require_rows_like("rivus::softmax_backward", "dx", dx, {{"y", y}, {"dy", dy}});
  for_rows(expr::softmax_backward_row<X>{elements_of(y), elements_of(dy), rows_of(dx)}, y.rows, y.cols, on);
}
template <class X>
detail::for_reals<X> log_softmax(detail::input_matrix<X> x, matrix<X> y, const executor& on) {
  require_rows_like("rivus::log_softmax", "y", y, {{"x", x}});
  for_rows(expr::log_softmax_row<X>{elements_of(x), rows_of(y)}, x.rows, x.cols, on);
}
template <class X>
detail::for_reals<X> log_softmax_backward(detail::input_matrix<X> y, detail::input_matrix<X> dy, matrix<X> dx,
                                          const executor& on) {
  require_rows_like("rivus::log_softmax_backward", "dx", dx, {{"y", y}, {"dy", dy}});
  for_rows(expr::log_softmax_backward_row<X>{elements_of(y), elements_of(dy), rows_of(dx)}, y.rows, y.cols,
           on);
}

template <class X>
detail::for_reals<X> layer_norm(detail::input_matrix<X> x, detail::given_t<const X*> weight,
                                detail::given_t<const X*> bias, wide_t<X> epsilon, matrix<X> y,
                                wide_t<X>* mean, wide_t<X>* reciprocal, const executor& on) {
  require_default_environment("rivus::layer_norm");
  detail::require_norm("rivus::layer_norm", x, weight, bias, y, mean, reciprocal);
  const wide_t<X> one = 1, zero = 0;
  for_rows(
      expr::layer_norm_row<X>{
          elements_of(x), {weight, one}, {bias, zero}, rows_of(y), epsilon, mean, reciprocal},
      x.rows, x.cols, on);
}

template <class X>
detail::for_reals<X> layer_norm_backward(detail::input_matrix<X> dy, detail::input_matrix<X> x,
                                         detail::given_t<const X*> weight, const wide_t<X>* mean,
                                         const wide_t<X>* reciprocal, matrix<X> dx,
                                         detail::given_t<X*> dweight, detail::given_t<X*> dbias,
                                         const executor& on) {
  using T = wide_t<X>;
  const char* const who = "rivus::layer_norm_backward";
  require_default_environment(who);
  detail::require_array(who, "mean", mean, x.rows);
  detail::require_norm_backward(who, dy, x, weight, mean, reciprocal, dx, dweight, dbias);
  // Before dx, which may be dy or x; and stored behind it, when no more memory is asked for.
  const std::unique_ptr<T[]> weights(dweight != nullptr ? new T[x.cols] : nullptr),
      biases(dbias != nullptr ? new T[x.cols] : nullptr);
  if (weights) {
    const expr::down<T> m{mean}, r{reciprocal};
    using h = expr::times<expr::minus<expr::elements<X>, expr::down<T>>, expr::down<T>>;
    for_columns(expr::products(elements_of(dy), h{{elements_of(x), m}, r}), x.rows, x.cols, weights.get(),
                on);
  }
  if (biases) for_columns(expr::terms(elements_of(dy)), x.rows, x.cols, biases.get(), on);
  const expr::along<X> w{weight, T(1)};
  for_rows(
      expr::layer_norm_backward_row<X>{elements_of(dy), elements_of(x), w, mean, reciprocal, rows_of(dx)},
      x.rows, x.cols, on);
  const auto same = [](T v) { return v; };
  if (weights) finish(weights.get(), x.cols, dweight, same);
  if (biases) finish(biases.get(), x.cols, dbias, same);
}

template <class X>
detail::for_reals<X> rms_norm(detail::input_matrix<X> x, detail::given_t<const X*> weight, wide_t<X> epsilon,
                              matrix<X> y, wide_t<X>* reciprocal, const executor& on) {
  using T = wide_t<X>;
  require_default_environment("rivus::rms_norm");
  const T* const no_mean = nullptr;
  detail::require_norm("rivus::rms_norm", x, weight, static_cast<const X*>(nullptr), y, no_mean, reciprocal);
  const expr::along<X> w{weight, T(1)};
  for_rows(expr::rms_norm_row<X>{elements_of(x), w, rows_of(y), epsilon, reciprocal}, x.rows, x.cols, on);
}

template <class X>
detail::for_reals<X> rms_norm_backward(detail::input_matrix<X> dy, detail::input_matrix<X> x,
                                       detail::given_t<const X*> weight, const wide_t<X>* reciprocal,
                                       matrix<X> dx, detail::given_t<X*> dweight, const executor& on) {
  using T = wide_t<X>;
  const char* const who = "rivus::rms_norm_backward";
  require_default_environment(who);
  const T* const no_mean = nullptr;
  detail::require_norm_backward(who, dy, x, weight, no_mean, reciprocal, dx, dweight,
                                static_cast<const X*>(nullptr));
  const std::unique_ptr<T[]> weights(dweight != nullptr ? new T[x.cols] : nullptr);
  if (weights) {
    using h = expr::times<expr::elements<X>, expr::down<T>>;
    for_columns(expr::products(elements_of(dy), h{elements_of(x), {reciprocal}}), x.rows, x.cols,
                weights.get(), on);
  }
  const expr::along<X> w{weight, T(1)};
  for_rows(expr::rms_norm_backward_row<X>{elements_of(dy), elements_of(x), w, reciprocal, rows_of(dx)},
           x.rows, x.cols, on);
  if (weights) finish(weights.get(), x.cols, dweight, [](T v) { return v; });
}

namespace {

template <class X>
X sum_of(const X* x, std::size_t n, const executor& on) {
  as_row("rivus::sum", "x", x, n);
  return real::narrow<X>(
      real::canonical(host_team<X>(on, n).sum(expr::terms(expr::elements<X>{x, 0}), 0, n)));
}
template <class X>
X dot_of(const X* x, const X* y, std::size_t n, const executor& on) {
  as_row("rivus::dot", "x", x, n);
  as_row("rivus::dot", "y", y, n);
  const expr::elements<X> a{x, 0}, b{y, 0};
  return real::narrow<X>(real::canonical(host_team<X>(on, n).sum(expr::products(a, b), 0, n)));
}

}  // namespace

f16 sum(const f16* x, index64 n, const executor& on) { return sum_of(x, n, on); }
bf16 sum(const bf16* x, index64 n, const executor& on) { return sum_of(x, n, on); }
f16 dot(const f16* x, const f16* y, index64 n, const executor& on) { return dot_of(x, y, n, on); }
bf16 dot(const bf16* x, const bf16* y, index64 n, const executor& on) { return dot_of(x, y, n, on); }

#define RIVUS_INSTANTIATE(X)                                                                               \
  template X reduce(reduction, const X*, index64, const executor&);                                        \
  template X variance(const X*, index64, index64, const executor&);                                        \
  template std::size_t argmin(const X*, index64, const executor&);                                         \
  template std::size_t argmax(const X*, index64, const executor&);                                         \
  template void argmin_rows(matrix<const X>, std::size_t*, const executor&);                               \
  template void argmax_rows(matrix<const X>, std::size_t*, const executor&);                               \
  template void reduce_rows(reduction, matrix<const X>, X*, const executor&);                              \
  template void reduce_columns(reduction, matrix<const X>, X*, const executor&);                           \
  template void variance_rows(matrix<const X>, X*, index64, const executor&);                              \
  template void variance_columns(matrix<const X>, X*, index64, const executor&);                           \
  template void softmax(matrix<const X>, matrix<X>, const executor&);                                      \
  template void softmax_backward(matrix<const X>, matrix<const X>, matrix<X>, const executor&);            \
  template void log_softmax(matrix<const X>, matrix<X>, const executor&);                                  \
  template void log_softmax_backward(matrix<const X>, matrix<const X>, matrix<X>, const executor&);        \
  template void layer_norm(matrix<const X>, const X*, const X*, wide_t<X>, matrix<X>, wide_t<X>*,          \
                           wide_t<X>*, const executor&);                                                   \
  template void layer_norm_backward(matrix<const X>, matrix<const X>, const X*, const wide_t<X>*,          \
                                    const wide_t<X>*, matrix<X>, X*, X*, const executor&);                 \
  template void rms_norm(matrix<const X>, const X*, wide_t<X>, matrix<X>, wide_t<X>*, const executor&);    \
  template void rms_norm_backward(matrix<const X>, matrix<const X>, const X*, const wide_t<X>*, matrix<X>, \
                                  X*, const executor&);
RIVUS_INSTANTIATE(float)
RIVUS_INSTANTIATE(double)
RIVUS_INSTANTIATE(f16)
RIVUS_INSTANTIATE(bf16)
#undef RIVUS_INSTANTIATE

}  // namespace rivus
