#include <rivus/arguments.hpp>
#include <rivus/cuda/normalise.hpp>
#include <rivus/row_operations.hpp>

#include "reduce.cuh"

namespace rivus::cuda {
namespace {

using expr::extreme;
using rivus::detail::for_reals;
using rivus::detail::refuse;
using rivus::detail::require_reduced;
using rivus::detail::require_reduction;
using rivus::detail::require_rows_like;

constexpr unsigned most_blocks = 4096;

// Blocks on a multiprocessor: without a wish ptxas makes room for eight, and spills.
constexpr unsigned residents = 2;

template <class Operation>
__global__ void __launch_bounds__(block_threads, residents)
    for_rows(const Operation operation, const std::uint64_t rows, const std::uint64_t n) {
  warp_team team;
  const std::uint64_t warps = std::uint64_t{gridDim.x} * warps_in_block;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * warps_in_block + threadIdx.x / warp_size; i < rows;
       i += warps) {
    operation(team, i, n);
  }
}
template <class Operation>
void enqueue_rows(const char* who, cudaStream_t on, const Operation& operation, std::size_t rows,
                  std::size_t n) {
  if (rows == 0) return;
  launch("launch of for_rows", who, on,
         grid_blocks((rows + warps_in_block - 1) / warps_in_block, most_blocks), block_threads,
         &for_rows<Operation>, operation, std::uint64_t{rows}, std::uint64_t{n});
}

// results[c * n + j] = the chunk of rows from 2048 c on of the terms in column j: a thread to a column, which keeps
// the 32 lanes.
template <class Term, class T = typename Term::wide>
__global__ void __launch_bounds__(block_threads, 1)
    column_chunks(const Term term, const std::uint64_t rows, const std::uint64_t n, T* results) {
  const std::uint64_t across = (n + block_threads - 1) / block_threads, pieces = order::chunks(rows) * across;
  for (std::uint64_t p = blockIdx.x; p < pieces; p += gridDim.x) {
    const std::uint64_t chunk = p / across, j = p % across * block_threads + threadIdx.x;
    if (j >= n) continue;
    T lane[order::lanes];
#pragma unroll
    for (T& v : lane) v = Term::template neutral<T>();
    const std::uint64_t first = chunk * order::chunk;
    const std::uint64_t end = rows - first < order::chunk ? rows : first + order::chunk;
    for (std::uint64_t i = first; i < end; i += order::lanes) {
#pragma unroll
      for (unsigned l = 0; l < order::lanes; ++l) {
        if (i + l < end) lane[l] = term.enter(lane[l], expr::place<T>{i + l, j});
      }
    }
    fold_halves<Term, order::lanes / 2>(lane);
    results[chunk * n + j] = lane[0];
  }
}

// The result in column j of all rows, in results[j]; the chunks' lie behind.
template <class Term, class T = typename Term::wide>
void enqueue_columns(const char* who, cudaStream_t on, const Term& term, std::size_t rows, std::size_t n,
                     T* results) {
  using results_term = std::conditional_t<std::is_base_of_v<expr::adding, Term>,
                                          expr::terms<expr::elements<T>>, expr::factors<expr::elements<T>>>;
  const std::size_t chunks = order::chunks(rows);
  T* const to = chunks > 1 ? results + n : results;
  const std::size_t pieces = chunks * ((n + block_threads - 1) / block_threads);
  launch("launch of column_chunks", who, on, grid_blocks(pieces, most_blocks), block_threads,
         &column_chunks<Term, T>, term, std::uint64_t{rows}, std::uint64_t{n}, to);
  if (chunks == 1) return;
  // Level after level, each behind the one before; the last comes to the front.
  const results_term above(expr::elements<T>{to, static_cast<std::ptrdiff_t>(n)});
  if (order::chunks(chunks) == 1) {
    launch("launch of column_chunks", who, on,
           grid_blocks((n + block_threads - 1) / block_threads, most_blocks), block_threads,
           &column_chunks<results_term, T>, above, std::uint64_t{chunks}, std::uint64_t{n}, results);
    return;
  }
  enqueue_columns(who, on, above, chunks, n, to + chunks * n);
  require(cudaMemcpyAsync(results, to + chunks * n, n * sizeof(T), cudaMemcpyDeviceToDevice, on),
          "cudaMemcpyAsync", who);
}
// Of a column: its value and the results of its chunks, on each level.
std::size_t column_values(std::size_t rows) {
  std::size_t values = 1;
  for (std::size_t count = order::chunks(rows); count > 1; count = order::chunks(count)) values += count + 1;
  return values;
}

template <extreme Which, class X, class T = wide_t<X>>
__global__ void __launch_bounds__(block_threads)
    column_extremes(const expr::elements<X> x, const std::uint64_t rows, const std::uint64_t n, T* results) {
  for (std::uint64_t j = std::uint64_t{blockIdx.x} * block_threads + threadIdx.x; j < n;
       j += std::uint64_t{gridDim.x} * block_threads) {
    auto most = expr::least_key<T>();
    for (std::uint64_t i = 0; i < rows; ++i) {
      const auto k = expr::key_of<Which>(expr::place<T>{i, j}(x));
      most = most < k ? k : most;
    }
    results[j] = expr::value_of<Which, T>(most);
  }
}
template <extreme Which, class X, class T = wide_t<X>>
void enqueue_column_extremes(const char* who, cudaStream_t on, const expr::elements<X>& x, std::size_t rows,
                             std::size_t n, T* results) {
  launch("launch of column_extremes", who, on,
         grid_blocks((n + block_threads - 1) / block_threads, most_blocks), block_threads,
         &column_extremes<Which, X, T>, x, std::uint64_t{rows}, std::uint64_t{n}, results);
}

// What becomes of a sum of terms; m is what they were taken relative to.
enum class ending { as_it_is, divided, root, logarithm };
template <class X, class T = wide_t<X>>
__device__ X ended(ending how, T value, T divisor, const T* m) {
  switch (how) {
    case ending::as_it_is:
      break;
    case ending::divided:
      value = real::div(value, divisor);
      break;
    case ending::root:
      value = real::sqrt(value);
      break;
    case ending::logarithm:
      value = real::is_finite(*m) ? real::add(*m, real::log(value)) : *m;
      break;
  }
  return real::narrow<X>(real::canonical(value));
}
template <class X>
struct end_of_reduction {
  ending how;
  wide_t<X> divisor;
  const wide_t<X>* m;
  X* result;
  __device__ void operator()(wide_t<X> value) const { *result = ended<X>(how, value, divisor, m); }
};
template <class T>
struct store_quotient {
  T divisor;
  T* result;
  __device__ void operator()(T value) const { *result = real::canonical(real::div(value, divisor)); }
};

template <class X, class Y, class T = wide_t<X>>
__global__ void __launch_bounds__(block_threads)
    end_columns(const ending how, const std::uint64_t n, const T* values, const T divisor, const T* m,
                Y* out) {
  for (std::uint64_t j = std::uint64_t{blockIdx.x} * block_threads + threadIdx.x; j < n;
       j += std::uint64_t{gridDim.x} * block_threads) {
    out[j] = ended<Y>(how, values[j], divisor, m == nullptr ? nullptr : m + j);
  }
}
template <class X, class Y, class T = wide_t<X>>
void enqueue_ends(const char* who, cudaStream_t on, ending how, std::size_t n, const T* values, T divisor,
                  const T* m, Y* out) {
  launch("launch of end_columns", who, on, grid_blocks((n + block_threads - 1) / block_threads, most_blocks),
         block_threads, &end_columns<X, Y, T>, how, std::uint64_t{n}, values, divisor, m, out);
}

template <class T>
__global__ void store_value(const T value, const std::uint64_t n, T* out) {
  for (std::uint64_t j = std::uint64_t{blockIdx.x} * block_threads + threadIdx.x; j < n;
       j += std::uint64_t{gridDim.x} * block_threads) {
    out[j] = value;
  }
}
template <class X>
void enqueue_value(const char* who, cudaStream_t on, wide_t<X> value, std::size_t n, X* out) {
  if (n == 0) return;
  launch("launch of store_value", who, on, grid_blocks((n + block_threads - 1) / block_threads, most_blocks),
         block_threads, &store_value<X>, real::narrow<X>(value), std::uint64_t{n}, out);
}

// The extreme key, and the first place that has it; a thread without elements has none.
template <class Key>
struct found {
  Key key;
  std::uint64_t at;

  __device__ void meet(Key k, std::uint64_t i) {
    if (key < k || (key == k && i < at)) {
      key = k;
      at = i;
    }
  }
};
template <class Key>
__device__ found<Key> best_of_block(found<Key> best) {
#pragma unroll
  for (unsigned half = warp_size / 2; half >= 1; half /= 2) {
    const Key k = __shfl_xor_sync(0xFFFFFFFFu, best.key, half);
    const auto at = __shfl_xor_sync(0xFFFFFFFFu, static_cast<unsigned long long>(best.at), half);
    best.meet(k, at);
  }
  __shared__ found<Key> of_warps[warps_in_block];
  if (threadIdx.x % warp_size == 0) of_warps[threadIdx.x / warp_size] = best;
  __syncthreads();
  for (unsigned w = 0; w < warps_in_block; ++w) best.meet(of_warps[w].key, of_warps[w].at);
  return best;
}
template <class X>
using found_in = found<decltype(expr::least_key<wide_t<X>>())>;

template <extreme Which, class X>
__global__ void __launch_bounds__(block_threads)
    find_extreme(const X* x, const std::uint64_t n, found_in<X>* partial) {
  using T = wide_t<X>;
  found_in<X> best{expr::least_key<T>(), ~std::uint64_t{0}};
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * block_threads + threadIdx.x; i < n;
       i += std::uint64_t{gridDim.x} * block_threads) {
    best.meet(expr::key_of<Which, T>(real::widen(x[i])), i);
  }
  best = best_of_block(best);
  if (threadIdx.x == 0) partial[blockIdx.x] = best;
}
// One block: value, wide and at are written unless null.
template <extreme Which, class X>
__global__ void __launch_bounds__(block_threads)
    end_extreme(const found_in<X>* partial, const unsigned n, X* value, wide_t<X>* wide, std::size_t* at) {
  using T = wide_t<X>;
  found_in<X> best{expr::least_key<T>(), ~std::uint64_t{0}};
  for (unsigned i = threadIdx.x; i < n; i += block_threads) best.meet(partial[i].key, partial[i].at);
  best = best_of_block(best);
  if (threadIdx.x != 0) return;
  const T v = expr::value_of<Which, T>(best.key);
  if (value != nullptr) *value = real::narrow<X>(v);
  if (wide != nullptr) *wide = v;
  if (at != nullptr) *at = best.at;
}

// The scratch of a reduction: a value that its terms need, then that of sums or of extremes.
constexpr std::size_t value_bytes = 8;
constexpr unsigned extreme_blocks = 1024;
unsigned blocks_for_extremes(std::size_t n) {
  return grid_blocks((n + block_threads - 1) / block_threads, extreme_blocks);
}

template <extreme Which, class X>
void enqueue_extreme(const char* who, cudaStream_t on, const X* x, std::size_t n, X* value, wide_t<X>* wide,
                     std::size_t* at, void* scratch) {
  auto* const partial = reinterpret_cast<found_in<X>*>(static_cast<char*>(scratch) + value_bytes);
  const unsigned blocks = blocks_for_extremes(n);
  launch("launch of find_extreme", who, on, blocks, block_threads, &find_extreme<Which, X>, x,
         std::uint64_t{n}, partial);
  launch("launch of end_extreme", who, on, 1, block_threads, &end_extreme<Which, X>, partial, blocks, value,
         wide, at);
}

// What a reduction of nothing is.
template <class T>
T of_nothing(reduction kind) {
  switch (kind) {
    case reduction::mean:
      return real::quiet_nan<T>();
    case reduction::product:
      return T(1);
    case reduction::logsumexp:
      return real::neg(real::from_bits(real::format<T>::infinity));
    default:
      return T(0);
  }
}
ending ending_of(reduction kind) {
  switch (kind) {
    case reduction::mean:
      return ending::divided;
    case reduction::l2_norm:
      return ending::root;
    case reduction::logsumexp:
      return ending::logarithm;
    default:
      return ending::as_it_is;
  }
}

template <class X>
expr::elements<X> elements_of(matrix<const X> m) {
  return {m.data, m.row_stride};
}
template <class X>
expr::rows<X> rows_of(matrix<X> m) {
  return {m.data, m.row_stride};
}

template <extreme Which, class X>
struct arg_row {
  expr::elements<X> x;
  std::size_t* out;
  __device__ void operator()(warp_team&, std::uint64_t i, std::uint64_t n) const {
    using T = wide_t<X>;
    found_in<X> best{expr::least_key<T>(), ~std::uint64_t{0}};
    for (std::uint64_t j = threadIdx.x % warp_size; j < n; j += warp_size)
      best.meet(expr::key_of<Which>(expr::place<T>{i, j}(x)), j);
#pragma unroll
    for (unsigned half = warp_size / 2; half >= 1; half /= 2) {
      const auto k = __shfl_xor_sync(0xFFFFFFFFu, best.key, half);
      best.meet(k, __shfl_xor_sync(0xFFFFFFFFu, static_cast<unsigned long long>(best.at), half));
    }
    if (threadIdx.x % warp_size == 0) out[i] = best.at;
  }
};
template <extreme Which, class X>
void arg_rows(const char* who, cudaStream_t on, matrix<const X> x, std::size_t* out) {
  require_reduced(who, x, out, x.rows);
  if (x.rows > 0 && x.cols == 0) refuse(who, "x has no columns");
  enqueue_rows(who, on, arg_row<Which, X>{elements_of(x), out}, x.rows, x.cols);
}
// The scratch of reductions, and what it must not overlap.
template <class X, class Y>
void require_workplace(const char* who, const X* x, std::size_t n, const Y* result, const void* scratch,
                       std::size_t bytes) {
  const std::size_t needed = reduce_scratch_bytes<X>(n);
  require_scratch(who, scratch, bytes, needed, n);
  require_apart(who, {extent_of("result", result, 1), extent_of_scratch(scratch, needed)},
                {extent_of("x", x, n)});
}
template <class X>
void require_column_scratch(const char* who, const void* scratch, std::size_t bytes, std::size_t rows,
                            std::size_t n, std::initializer_list<rivus::detail::extent> others) {
  const std::size_t needed = column_scratch_bytes<X>(rows, n);
  require_scratch(who, scratch, bytes, needed, rows * n);
  require_apart(who, {extent_of_scratch(scratch, needed)}, others);
}
template <extreme Which, class X>
void arg_of_all(const char* who, cudaStream_t on, const X* x, std::size_t n, std::size_t* result,
                void* scratch, std::size_t bytes) {
  if (n == 0) refuse(who, "n = 0");
  require_values(who, "x", x, n);
  require_pointer(who, "result", result);
  require_workplace<X>(who, x, n, result, scratch, bytes);
  enqueue_extreme<Which, X>(who, on, x, n, nullptr, nullptr, result, scratch);
}

}  // namespace

template <class X>
for_reals<X, std::size_t> reduce_scratch_bytes(index64 n) {
  if (n == 0) return 0;
  const std::size_t chunks = chunk_scratch_bytes<wide_t<X>>(n),
                    extremes = blocks_for_extremes(n) * sizeof(found_in<X>);
  return value_bytes + (chunks < extremes ? extremes : chunks);
}

template <class X>
for_reals<X> reduce(cudaStream_t on, reduction kind, const X* x, index64 n, X* result, void* scratch,
                    index64 bytes) {
  using T = wide_t<X>;
  const char* const who = "rivus::cuda::reduce";
  require_default_environment(who);
  require_reduction(who, kind, n);
  require_pointer(who, "result", result);
  require_values(who, "x", x, n);
  if (n == 0) return enqueue_value<X>(who, on, of_nothing<T>(kind), 1, result);
  require_workplace<X>(who, x, n, result, scratch, bytes);
  const expr::elements<X> e{x, 0};
  T* const m = static_cast<T*>(scratch);
  void* const rest = static_cast<char*>(scratch) + value_bytes;
  const end_of_reduction<X> end{ending_of(kind), expr::count<T>(n), m, result};
  switch (kind) {
    case reduction::sum:
    case reduction::mean:
      return enqueue_reduction(who, on, expr::terms(e), n, end, rest);
    case reduction::l1_norm:
      return enqueue_reduction(who, on, expr::terms(expr::absolute_of<expr::elements<X>>{e}), n, end, rest);
    case reduction::l2_norm:
      return enqueue_reduction(who, on, expr::squares(e), n, end, rest);
    case reduction::product:
      return enqueue_reduction(who, on, expr::factors(e), n, end, rest);
    case reduction::max_norm:
      return enqueue_extreme<extreme::largest_magnitude, X>(who, on, x, n, result, nullptr, nullptr, scratch);
    case reduction::minimum:
      return enqueue_extreme<extreme::smallest, X>(who, on, x, n, result, nullptr, nullptr, scratch);
    case reduction::maximum:
      return enqueue_extreme<extreme::largest, X>(who, on, x, n, result, nullptr, nullptr, scratch);
    case reduction::logsumexp:
      enqueue_extreme<extreme::largest, X>(who, on, x, n, nullptr, m, nullptr, scratch);
      using relative = expr::minus<expr::elements<X>, expr::down<T>>;
      return enqueue_reduction(who, on, expr::terms(expr::exp_of<relative>{{e, {m}}}), n, end, rest);
  }
}

template <class X>
for_reals<X> variance(cudaStream_t on, const X* x, index64 n, index64 less, X* result, void* scratch,
                      index64 bytes) {
  using T = wide_t<X>;
  const char* const who = "rivus::cuda::variance";
  require_default_environment(who);
  require_pointer(who, "result", result);
  require_values(who, "x", x, n);
  if (n <= less) return enqueue_value<X>(who, on, real::quiet_nan<T>(), 1, result);
  require_workplace<X>(who, x, n, result, scratch, bytes);
  const expr::elements<X> e{x, 0};
  T* const m = static_cast<T*>(scratch);
  void* const rest = static_cast<char*>(scratch) + value_bytes;
  enqueue_reduction(who, on, expr::terms(e), n, store_quotient<T>{expr::count<T>(n), m}, rest);
  using relative = expr::minus<expr::elements<X>, expr::down<T>>;
  enqueue_reduction(who, on, expr::squares(relative{e, {m}}), n,
                    end_of_reduction<X>{ending::divided, expr::count<T>(n - less), nullptr, result}, rest);
}

template <class X>
for_reals<X> argmin(cudaStream_t on, const X* x, index64 n, std::size_t* result, void* scratch,
                    index64 bytes) {
  arg_of_all<extreme::smallest>("rivus::cuda::argmin", on, x, n, result, scratch, bytes);
}
template <class X>
for_reals<X> argmax(cudaStream_t on, const X* x, index64 n, std::size_t* result, void* scratch,
                    index64 bytes) {
  arg_of_all<extreme::largest>("rivus::cuda::argmax", on, x, n, result, scratch, bytes);
}
template <class X>
for_reals<X> argmin_rows(cudaStream_t on, matrix<const X> x, std::size_t* out) {
  arg_rows<extreme::smallest>("rivus::cuda::argmin_rows", on, x, out);
}
template <class X>
for_reals<X> argmax_rows(cudaStream_t on, matrix<const X> x, std::size_t* out) {
  arg_rows<extreme::largest>("rivus::cuda::argmax_rows", on, x, out);
}

template <class X>
for_reals<X> reduce_rows(cudaStream_t on, reduction kind, rivus::detail::input_matrix<X> x, X* out) {
  const char* const who = "rivus::cuda::reduce_rows";
  require_reduction(who, kind, x.rows == 0 ? 1 : x.cols);
  require_reduced(who, x, out, x.rows);
  enqueue_rows(who, on, expr::reduce_row<X>{kind, elements_of(x), out}, x.rows, x.cols);
}
template <class X>
for_reals<X> variance_rows(cudaStream_t on, rivus::detail::input_matrix<X> x, X* out, index64 less) {
  const char* const who = "rivus::cuda::variance_rows";
  require_reduced(who, x, out, x.rows);
  enqueue_rows(who, on, expr::variance_row<X>{elements_of(x), less, out}, x.rows, x.cols);
}

template <class X>
for_reals<X, std::size_t> column_scratch_bytes(index64 rows, index64 cols) {
  // The means, or maxima, and the sums.
  return (1 + column_values(rows)) * cols * sizeof(wide_t<X>);
}

template <class X>
for_reals<X> reduce_columns(cudaStream_t on, reduction kind, rivus::detail::input_matrix<X> x, X* out,
                            void* scratch, index64 bytes) {
  using T = wide_t<X>;
  const char* const who = "rivus::cuda::reduce_columns";
  require_default_environment(who);
  const std::size_t rows = x.rows, n = x.cols;
  require_reduction(who, kind, n == 0 ? 1 : rows);
  require_reduced(who, x, out, n);
  if (n == 0) return;
  if (rows == 0) return enqueue_value<X>(who, on, of_nothing<T>(kind), n, out);
  require_column_scratch<X>(who, scratch, bytes, rows, n, {extent_of("x", x), extent_of("out", out, n)});
  T* const m = static_cast<T*>(scratch);
  T* const values = m + n;
  const expr::elements<X> e = elements_of(x);
  switch (kind) {
    case reduction::sum:
    case reduction::mean:
      enqueue_columns(who, on, expr::terms(e), rows, n, values);
      break;
    case reduction::l1_norm:
      enqueue_columns(who, on, expr::terms(expr::absolute_of<expr::elements<X>>{e}), rows, n, values);
      break;
    case reduction::l2_norm:
      enqueue_columns(who, on, expr::squares(e), rows, n, values);
      break;
    case reduction::product:
      enqueue_columns(who, on, expr::factors(e), rows, n, values);
      break;
    case reduction::max_norm:
      enqueue_column_extremes<extreme::largest_magnitude, X>(who, on, e, rows, n, values);
      break;
    case reduction::minimum:
      enqueue_column_extremes<extreme::smallest, X>(who, on, e, rows, n, values);
      break;
    case reduction::maximum:
      enqueue_column_extremes<extreme::largest, X>(who, on, e, rows, n, values);
      break;
    case reduction::logsumexp: {
      enqueue_column_extremes<extreme::largest, X>(who, on, e, rows, n, m);
      using relative = expr::minus<expr::elements<X>, expr::along<T>>;
      enqueue_columns(who, on, expr::terms(expr::exp_of<relative>{{e, {m, T(0)}}}), rows, n, values);
      break;
    }
  }
  enqueue_ends<X>(who, on, ending_of(kind), n, values, expr::count<T>(rows), m, out);
}

template <class X>
for_reals<X> variance_columns(cudaStream_t on, rivus::detail::input_matrix<X> x, X* out, index64 less,
                              void* scratch, index64 bytes) {
  using T = wide_t<X>;
  const char* const who = "rivus::cuda::variance_columns";
  require_default_environment(who);
  const std::size_t rows = x.rows, n = x.cols;
  require_reduced(who, x, out, n);
  if (n == 0) return;
  if (rows <= less) return enqueue_value<X>(who, on, real::quiet_nan<T>(), n, out);
  require_column_scratch<X>(who, scratch, bytes, rows, n, {extent_of("x", x), extent_of("out", out, n)});
  T* const m = static_cast<T*>(scratch);
  T* const values = m + n;
  const expr::elements<X> e = elements_of(x);
  enqueue_columns(who, on, expr::terms(e), rows, n, values);
  enqueue_ends<T>(who, on, ending::divided, n, values, expr::count<T>(rows), static_cast<const T*>(nullptr),
                  m);
  using relative = expr::minus<expr::elements<X>, expr::along<T>>;
  enqueue_columns(who, on, expr::squares(relative{e, {m, T(0)}}), rows, n, values);
  enqueue_ends<X>(who, on, ending::divided, n, values, expr::count<T>(rows - less),
                  static_cast<const T*>(nullptr), out);
}

template <class X>
for_reals<X> softmax(cudaStream_t on, rivus::detail::input_matrix<X> x, matrix<X> y) {
  require_rows_like("rivus::cuda::softmax", "y", y, {{"x", x}});
  enqueue_rows("rivus::cuda::softmax", on, expr::softmax_row<X>{elements_of(x), rows_of(y)}, x.rows, x.cols);
}
template <class X>
for_reals<X> softmax_backward(cudaStream_t on, rivus::detail::input_matrix<X> y,
                              rivus::detail::input_matrix<X> dy, matrix<X> dx) {
  const char* const who = "rivus::cuda::softmax_backward";
  require_rows_like(who, "dx", dx, {{"y", y}, {"dy", dy}});
  enqueue_rows(who, on, expr::softmax_backward_row<X>{elements_of(y), elements_of(dy), rows_of(dx)}, y.rows,
               y.cols);
}
template <class X>
for_reals<X> log_softmax(cudaStream_t on, rivus::detail::input_matrix<X> x, matrix<X> y) {
  require_rows_like("rivus::cuda::log_softmax", "y", y, {{"x", x}});
  enqueue_rows("rivus::cuda::log_softmax", on, expr::log_softmax_row<X>{elements_of(x), rows_of(y)}, x.rows,
               x.cols);
}
template <class X>
for_reals<X> log_softmax_backward(cudaStream_t on, rivus::detail::input_matrix<X> y,
                                  rivus::detail::input_matrix<X> dy, matrix<X> dx) {
  const char* const who = "rivus::cuda::log_softmax_backward";
  require_rows_like(who, "dx", dx, {{"y", y}, {"dy", dy}});
  enqueue_rows(who, on, expr::log_softmax_backward_row<X>{elements_of(y), elements_of(dy), rows_of(dx)},
               y.rows, y.cols);
}
template <class X>
for_reals<X> layer_norm(cudaStream_t on, rivus::detail::input_matrix<X> x,
                        rivus::detail::given_t<const X*> weight, rivus::detail::given_t<const X*> bias,
                        wide_t<X> epsilon, matrix<X> y, wide_t<X>* mean, wide_t<X>* reciprocal) {
  using T = wide_t<X>;
  const char* const who = "rivus::cuda::layer_norm";
  rivus::detail::require_norm(who, x, weight, bias, y, mean, reciprocal);
  const expr::along<X> w{weight, T(1)}, b{bias, T(0)};
  enqueue_rows(who, on, expr::layer_norm_row<X>{elements_of(x), w, b, rows_of(y), epsilon, mean, reciprocal},
               x.rows, x.cols);
}
template <class X>
for_reals<X> layer_norm_backward(cudaStream_t on, rivus::detail::input_matrix<X> dy,
                                 rivus::detail::input_matrix<X> x, rivus::detail::given_t<const X*> weight,
                                 const wide_t<X>* mean, const wide_t<X>* reciprocal, matrix<X> dx,
                                 rivus::detail::given_t<X*> dweight, rivus::detail::given_t<X*> dbias,
                                 void* scratch, index64 bytes) {
  using T = wide_t<X>;
  const char* const who = "rivus::cuda::layer_norm_backward";
  const std::size_t rows = x.rows, n = x.cols;
  rivus::detail::require_array(who, "mean", mean, rows);
  rivus::detail::require_norm_backward(who, dy, x, weight, mean, reciprocal, dx, dweight, dbias);
  if (dweight != nullptr || dbias != nullptr)
    require_column_scratch<X>(
        who, scratch, bytes, rows, n,
        {extent_of("dy", dy), extent_of("x", x), extent_of("weight", weight, n),
         extent_of("mean", mean, rows), extent_of("reciprocal", reciprocal, rows), extent_of("dx", dx),
         extent_of("dweight", dweight, n), extent_of("dbias", dbias, n)});
  if (rows == 0) {
    if (dweight != nullptr) enqueue_value<X>(who, on, T(0), n, dweight);
    if (dbias != nullptr) enqueue_value<X>(who, on, T(0), n, dbias);
    return;
  }
  T* const values = static_cast<T*>(scratch);
  const T* const none = nullptr;
  if (dweight != nullptr) {
    using h = expr::times<expr::minus<expr::elements<X>, expr::down<T>>, expr::down<T>>;
    enqueue_columns(who, on, expr::products(elements_of(dy), h{{elements_of(x), {mean}}, {reciprocal}}), rows,
                    n, values);
    enqueue_ends<X>(who, on, ending::as_it_is, n, values, T(1), none, dweight);
  }
  if (dbias != nullptr) {
    enqueue_columns(who, on, expr::terms(elements_of(dy)), rows, n, values);
    enqueue_ends<X>(who, on, ending::as_it_is, n, values, T(1), none, dbias);
  }
  const expr::along<X> w{weight, T(1)};
  enqueue_rows(
      who, on,
      expr::layer_norm_backward_row<X>{elements_of(dy), elements_of(x), w, mean, reciprocal, rows_of(dx)},
      rows, n);
}
template <class X>
for_reals<X> rms_norm(cudaStream_t on, rivus::detail::input_matrix<X> x,
                      rivus::detail::given_t<const X*> weight, wide_t<X> epsilon, matrix<X> y,
                      wide_t<X>* reciprocal) {
  const char* const who = "rivus::cuda::rms_norm";
  const wide_t<X>* const no_mean = nullptr;
  rivus::detail::require_norm(who, x, weight, static_cast<const X*>(nullptr), y, no_mean, reciprocal);
  const expr::along<X> w{weight, wide_t<X>(1)};
  enqueue_rows(who, on, expr::rms_norm_row<X>{elements_of(x), w, rows_of(y), epsilon, reciprocal}, x.rows,
               x.cols);
}
template <class X>
for_reals<X> rms_norm_backward(cudaStream_t on, rivus::detail::input_matrix<X> dy,
                               rivus::detail::input_matrix<X> x, rivus::detail::given_t<const X*> weight,
                               const wide_t<X>* reciprocal, matrix<X> dx, rivus::detail::given_t<X*> dweight,
                               void* scratch, index64 bytes) {
  using T = wide_t<X>;
  const char* const who = "rivus::cuda::rms_norm_backward";
  const T* const no_mean = nullptr;
  rivus::detail::require_norm_backward(who, dy, x, weight, no_mean, reciprocal, dx, dweight,
                                       static_cast<const X*>(nullptr));
  const std::size_t rows = x.rows, n = x.cols;
  if (dweight != nullptr)
    require_column_scratch<X>(
        who, scratch, bytes, rows, n,
        {extent_of("dy", dy), extent_of("x", x), extent_of("weight", weight, n),
         extent_of("reciprocal", reciprocal, rows), extent_of("dx", dx), extent_of("dweight", dweight, n)});
  if (rows == 0) {
    if (dweight != nullptr) enqueue_value<X>(who, on, T(0), n, dweight);
    return;
  }
  if (dweight != nullptr) {
    T* const values = static_cast<T*>(scratch);
    using h = expr::times<expr::elements<X>, expr::down<T>>;
    enqueue_columns(who, on, expr::products(elements_of(dy), h{elements_of(x), {reciprocal}}), rows, n,
                    values);
    enqueue_ends<X>(who, on, ending::as_it_is, n, values, T(1), static_cast<const T*>(nullptr), dweight);
  }
  const expr::along<X> w{weight, T(1)};
  enqueue_rows(who, on,
               expr::rms_norm_backward_row<X>{elements_of(dy), elements_of(x), w, reciprocal, rows_of(dx)},
               rows, n);
}

#define RIVUS_INSTANTIATE(X)                                                                                \
  template std::size_t reduce_scratch_bytes<X>(index64);                                                    \
  template std::size_t column_scratch_bytes<X>(index64, index64);                                           \
  template void reduce(cudaStream_t, reduction, const X*, index64, X*, void*, index64);                     \
  template void variance(cudaStream_t, const X*, index64, index64, X*, void*, index64);                     \
  template void argmin(cudaStream_t, const X*, index64, std::size_t*, void*, index64);                      \
  template void argmax(cudaStream_t, const X*, index64, std::size_t*, void*, index64);                      \
  template void argmin_rows(cudaStream_t, matrix<const X>, std::size_t*);                                   \
  template void argmax_rows(cudaStream_t, matrix<const X>, std::size_t*);                                   \
  template void reduce_rows(cudaStream_t, reduction, matrix<const X>, X*);                                  \
  template void variance_rows(cudaStream_t, matrix<const X>, X*, index64);                                  \
  template void reduce_columns(cudaStream_t, reduction, matrix<const X>, X*, void*, index64);               \
  template void variance_columns(cudaStream_t, matrix<const X>, X*, index64, void*, index64);               \
  template void softmax(cudaStream_t, matrix<const X>, matrix<X>);                                          \
  template void softmax_backward(cudaStream_t, matrix<const X>, matrix<const X>, matrix<X>);                \
  template void log_softmax(cudaStream_t, matrix<const X>, matrix<X>);                                      \
  template void log_softmax_backward(cudaStream_t, matrix<const X>, matrix<const X>, matrix<X>);            \
  template void layer_norm(cudaStream_t, matrix<const X>, const X*, const X*, wide_t<X>, matrix<X>,         \
                           wide_t<X>*, wide_t<X>*);                                                         \
  template void layer_norm_backward(cudaStream_t, matrix<const X>, matrix<const X>, const X*,               \
                                    const wide_t<X>*, const wide_t<X>*, matrix<X>, X*, X*, void*, index64); \
  template void rms_norm(cudaStream_t, matrix<const X>, const X*, wide_t<X>, matrix<X>, wide_t<X>*);        \
  template void rms_norm_backward(cudaStream_t, matrix<const X>, matrix<const X>, const X*,                 \
                                  const wide_t<X>*, matrix<X>, X*, void*, index64);
RIVUS_INSTANTIATE(float)
RIVUS_INSTANTIATE(double)
RIVUS_INSTANTIATE(f16)
RIVUS_INSTANTIATE(bf16)
#undef RIVUS_INSTANTIATE

}  // namespace rivus::cuda
