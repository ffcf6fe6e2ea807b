#include <algorithm>
#include <atomic>
#include <memory>
#include <rivus/arguments.hpp>
#include <rivus/normalise.hpp>
#include <rivus/reduce.hpp>
#include <rivus/reductions.hpp>
#include <rivus/scatter.hpp>
#include <rivus/tree.hpp>
#include <vector>

#include "host_team.hpp"

namespace rivus {
namespace {

using detail::refuse;
using detail::require_reduction;

using expr::extreme;

// Long rows are shared by the threads, short ones divided among them.
bool is_long(std::uint64_t n) { return n >= 2 * elements_per_thread; }
template <template <class> class Operation, class X>
void for_rows(const Operation<X>& operation, std::size_t rows, std::size_t n, const executor& on) {
  const auto with = [&](const executor& inner, std::size_t begin, std::size_t end) {
    host_team<X> team(inner, n);
    for (std::size_t i = begin; i < end; ++i) operation(team, i, n);
  };
  if (rows == 1 || is_long(n)) return with(on, 0, rows);
  parallel_ranges(rows, elements_per_thread / (n + 1) + 1, on,
                  [&](std::size_t begin, std::size_t end) { with(executor::this_thread(), begin, end); });
}

// The results of columns of n terms each: use(results), which the memory holds that was asked for before.
template <class Term, class T = typename Term::wide>
class column_results {
 public:
  column_results(std::size_t rows, std::size_t n)
      : rows_(rows), n_(n), values_(new T[std::max<std::size_t>(tree::chunks(rows), 1) * n]) {}

  // Element j: of the terms (0, j), (1, j), ... in the order of sum/v1.
  const T* operator()(const Term& term, const executor& on) {
    constexpr std::size_t strip = 1024;
    const std::size_t chunks = tree::chunks(rows_), strips = tree::pieces(n_, strip);
    T* const results = values_.get();
    if (chunks == 0) {
      std::fill_n(results, n_, Term::template nothing<T>());
      return results;
    }
    const auto kernel =
        static_cast<const column_kernel<Term>&>(table<typename elements_in<Term>::type>()).chunk;
    const std::size_t height = std::min(rows_, tree::chunk);
    parallel_ranges(chunks * strips, elements_per_thread / (height * std::min(n_, strip)) + 1, on,
                    [&](std::size_t begin, std::size_t end) {
                      for (std::size_t p = begin; p < end; ++p) {
                        const std::size_t i = p / strips * tree::chunk, j = p % strips * strip;
                        kernel(term, i, std::min(rows_ - i, tree::chunk), j, std::min(n_ - j, strip),
                               results + p / strips * n_ + j);
                      }
                    });
    tree::combine_all<Term>(results, chunks, n_);
    return results;
  }

 private:
  std::size_t rows_, n_;
  const std::unique_ptr<T[]> values_;
};

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

// A gradient's sums of columns: none where they are not asked for.
template <class T>
struct summed_columns {
  std::vector<T> sums;
  template <class X>
  void store(X* out) const {
    for (std::size_t j = 0; j < sums.size(); ++j) out[j] = real::narrow<X>(real::canonical(sums[j]));
  }
};
template <class X, class Term, class T = typename Term::wide>
summed_columns<T> sums_of_columns(const X* wanted, const Term& term, const matrix<const X>& like,
                                  const executor& on) {
  if (wanted == nullptr || like.cols == 0) return {};
  column_results<Term> results(like.rows, like.cols);
  const T* const values = results(term, on);
  return {std::vector<T>(values, values + like.cols)};
}

// out[j] = of(j), a reduction of column j.
template <class X, class Of>
void store_columns(std::size_t n, X* out, const Of& of) {
  for (std::size_t j = 0; j < n; ++j) out[j] = of(j);
}

// The reduction R of each of the n > 0 columns of x, where there are rows: of as many as `count`, which is what the result is
// divided by.
template <class X, class R>
void reduce_columns_by(R, const expr::elements<X>& x, std::size_t rows, std::size_t n, std::size_t count,
                       X* out, const executor& on) {
  using T = wide_t<X>;
  if constexpr (std::is_base_of_v<expr::of_terms, R>) {
    using term = decltype(R::term(x));
    column_results<term> results(rows, n);
    const auto* const values = results(R::term(x), on);
    store_columns(n, out, [&](std::size_t j) { return R::template end<X>(values[j], count); });
  } else if constexpr (std::is_base_of_v<expr::of_extremes, R>) {
    const auto values = std::make_unique<T[]>(n);
    most_of_columns<R::which>(x, rows, n, values.get(), on);
    store_columns(n, out, [&](std::size_t j) { return real::narrow<X>(values[j]); });
  } else {
    const auto first = std::make_unique<T[]>(n);
    const expr::along<T> m{first.get(), T(0)};
    using term = decltype(R::term(x, m));
    column_results<term> results(rows, n);
    if constexpr (std::is_base_of_v<expr::of_extremes, typename R::first>) {
      most_of_columns<R::first::which>(x, rows, n, first.get(), on);
    } else {
      column_results<decltype(R::first::term(x))> sums(rows, n);
      const T* const values = sums(R::first::term(x), on);
      store_columns(n, first.get(),
                    [&](std::size_t j) { return R::first::template end<T>(values[j], rows); });
    }
    const T* const values = results(R::term(x, m), on);
    store_columns(n, out, [&](std::size_t j) { return R::template end<X>(values[j], count, first[j]); });
  }
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
detail::for_reals<X> segment_reduce(reduction kind, const X* x, index64 n, indices offsets, index64 segments,
                                    X* out, const executor& on) {
  const char* const who = "rivus::segment_reduce";
  require_default_environment(who);
  detail::require_segments(who, kind, x, n, offsets, segments, out);
  const auto all = detail::require_offsets(who, offsets, segments, n);
  std::size_t longest = 0;
  for (std::size_t s = 0; s < segments; ++s) {
    if (all.length(s) == 0 && (kind == reduction::minimum || kind == reduction::maximum))
      refuse(who,
             "a " + std::string(name(kind)) + " of nothing: segment " + detail::text_of(s) + " is empty");
    longest = std::max<std::size_t>(longest, all.length(s));
  }
  // As with rows, long ones are shared by the threads.
  const expr::reduce_row<X> reduce{kind, {x, 0}, out, all};
  if (is_long(longest)) {
    host_team<X> team(on, longest);
    for (std::size_t s = 0; s < segments; ++s) {
      if (is_long(all.length(s))) reduce(team, s, n);
    }
  }
  if (segments == 0) return;
  parallel_ranges(segments, elements_per_thread / (n / segments + 1) + 1, on,
                  [&](std::size_t begin, std::size_t end) {
                    host_team<X> team(executor::this_thread(), std::min(longest, 2 * elements_per_thread));
                    for (std::size_t s = begin; s < end; ++s) {
                      if (!is_long(all.length(s))) reduce(team, s, n);
                    }
                  });
}

template <class X>
detail::for_reals<X> reduce_columns(reduction kind, detail::input_matrix<X> x, X* out, const executor& on) {
  require_reduced("rivus::reduce_columns", x, out, x.cols);
  require_reduction("rivus::reduce_columns", kind, x.cols == 0 ? 1 : x.rows);
  if (x.cols == 0) return;
  expr::with_reduction(kind, [&](auto r) {
    if (x.rows == 0) {
      std::fill_n(out, x.cols, expr::of_nothing<X>(r));
    } else {
      reduce_columns_by(r, elements_of(x), x.rows, x.cols, x.rows, out, on);
    }
  });
}

template <class X>
detail::for_reals<X> variance_columns(detail::input_matrix<X> x, X* out, index64 less, const executor& on) {
  require_reduced("rivus::variance_columns", x, out, x.cols);
  if (x.cols == 0) return;
  if (x.rows <= less) {
    std::fill_n(out, x.cols, expr::of_nothing<X>(expr::variance_of{}));
  } else {
    reduce_columns_by(expr::variance_of{}, elements_of(x), x.rows, x.cols, x.rows - less, out, on);
  }
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
  const expr::down<T> m{mean}, r{reciprocal};
  using h = expr::times<expr::minus<expr::elements<X>, expr::down<T>>, expr::down<T>>;
  // Before dx, which may be dy or x; and stored behind it, when no more memory is asked for.
  const auto weights =
      sums_of_columns(dweight, expr::products(elements_of(dy), h{{elements_of(x), m}, r}), x, on);
  const auto biases = sums_of_columns(dbias, expr::terms(elements_of(dy)), x, on);
  const expr::along<X> w{weight, T(1)};
  for_rows(
      expr::layer_norm_backward_row<X>{elements_of(dy), elements_of(x), w, mean, reciprocal, rows_of(dx)},
      x.rows, x.cols, on);
  weights.store(dweight);
  biases.store(dbias);
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
  using h = expr::times<expr::elements<X>, expr::down<T>>;
  const auto weights =
      sums_of_columns(dweight, expr::products(elements_of(dy), h{elements_of(x), {reciprocal}}), x, on);
  const expr::along<X> w{weight, T(1)};
  for_rows(expr::rms_norm_backward_row<X>{elements_of(dy), elements_of(x), w, reciprocal, rows_of(dx)},
           x.rows, x.cols, on);
  weights.store(dweight);
}

namespace {

// The sum of the terms (0, 0), ..., (0, n - 1).
template <class X, class Term>
X total(const Term& term, std::size_t n, const executor& on) {
  return real::narrow<X>(real::canonical(host_team<X>(on, n).sum(term, 0, n)));
}
template <class X>
X sum_of(const X* x, std::size_t n, const executor& on) {
  as_row("rivus::sum", "x", x, n);
  return total<X>(expr::terms(expr::elements<X>{x, 0}), n, on);
}
template <class X>
X dot_of(const X* x, const X* y, std::size_t n, const executor& on) {
  as_row("rivus::dot", "x", x, n);
  as_row("rivus::dot", "y", y, n);
  const expr::elements<X> a{x, 0}, b{y, 0};
  return total<X>(expr::products(a, b), n, on);
}

}  // namespace

#define RIVUS_SUMS(X)                                                           \
  X sum(const X* x, index64 n, const executor& on) { return sum_of(x, n, on); } \
  X dot(const X* x, const X* y, index64 n, const executor& on) { return dot_of(x, y, n, on); }
RIVUS_SUMS(float)
RIVUS_SUMS(double)
RIVUS_SUMS(f16)
RIVUS_SUMS(bf16)
#undef RIVUS_SUMS

#define RIVUS_INSTANTIATE(X)                                                                               \
  template X reduce(reduction, const X*, index64, const executor&);                                        \
  template X variance(const X*, index64, index64, const executor&);                                        \
  template std::size_t argmin(const X*, index64, const executor&);                                         \
  template std::size_t argmax(const X*, index64, const executor&);                                         \
  template void argmin_rows(matrix<const X>, std::size_t*, const executor&);                               \
  template void argmax_rows(matrix<const X>, std::size_t*, const executor&);                               \
  template void reduce_rows(reduction, matrix<const X>, X*, const executor&);                              \
  template void segment_reduce(reduction, const X*, index64, indices, index64, X*, const executor&);       \
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
