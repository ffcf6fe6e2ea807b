#include <rivus/arguments.hpp>
#include <rivus/cuda/normalise.hpp>
#include <rivus/row_operations.hpp>

#include "scatter.cuh"

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
  const std::uint64_t across = (n + block_threads - 1) / block_threads, pieces = tree::chunks(rows) * across;
  for (std::uint64_t p = blockIdx.x; p < pieces; p += gridDim.x) {
    const std::uint64_t chunk = p / across, j = p % across * block_threads + threadIdx.x;
    if (j >= n) continue;
    T lane[tree::lanes];
#pragma unroll
    for (T& v : lane) v = Term::template neutral<T>();
    const std::uint64_t first = chunk * tree::chunk;
    const std::uint64_t end = rows - first < tree::chunk ? rows : first + tree::chunk;
    for (std::uint64_t i = first; i < end; i += tree::lanes) {
#pragma unroll
      for (unsigned l = 0; l < tree::lanes; ++l) {
        if (i + l < end) lane[l] = term.enter(lane[l], expr::place<T>{i + l, j});
      }
    }
    tree::fold_halves<Term>(lane);
    results[chunk * n + j] = lane[0];
  }
}

// Leaves are rows of n values: a thread combines the leaves of a node in a column.
template <class Op, class T>
__global__ void __launch_bounds__(block_threads)
    column_nodes(const T* __restrict__ leaves, const std::uint64_t count, const std::uint64_t n,
                 T* __restrict__ to) {
  const std::uint64_t all = tree::nodes(count) * n;
  for (std::uint64_t p = std::uint64_t{blockIdx.x} * block_threads + threadIdx.x; p < all;
       p += std::uint64_t{gridDim.x} * block_threads) {
    const std::uint64_t first = p / n * tree::node, j = p % n;
    T leaf[tree::node];
#pragma unroll
    for (unsigned k = 0; k < tree::node; ++k)
      leaf[k] = first + k < count ? leaves[(first + k) * n + j] : Op::template neutral<T>();
    tree::combine_node<Op>(leaf);
    to[p] = leaf[0];
  }
}

// Of n columns: a value of each that terms need, the results, and those of chunks, level after level.
template <class X, class T = wide_t<X>>
struct column_memory {
  T* m;
  double* results;
  double* leaves;

  column_memory(scratch_layout& at, std::size_t rows, std::size_t n)
      : m(at.take<T>(n)),
        results(at.take<double>(n)),
        leaves(at.take<double>(tree::chunks(rows) > 1 ? tree::values_on_levels(tree::chunks(rows)) * n : 0)) {
  }
};

// The result in column j of all rows > 0, in the returned array.
template <class X, class Term, class T = typename Term::wide>
const T* enqueue_columns(const char* who, cudaStream_t on, const Term& term, std::size_t rows, std::size_t n,
                         const column_memory<X>& memory) {
  T* const results = reinterpret_cast<T*>(memory.results);
  T* leaves = reinterpret_cast<T*>(memory.leaves);
  const std::size_t chunks = tree::chunks(rows);
  launch("launch of column_chunks", who, on,
         grid_blocks(chunks * tree::pieces(n, block_threads), most_blocks), block_threads,
         &column_chunks<Term, T>, term, std::uint64_t{rows}, std::uint64_t{n}, chunks > 1 ? leaves : results);
  for (std::size_t count = chunks; count > 1; count = tree::nodes(count)) {
    T* const to = tree::nodes(count) > 1 ? leaves + count * n : results;
    launch("launch of column_nodes", who, on,
           grid_blocks(tree::pieces(tree::nodes(count) * n, block_threads), most_blocks), block_threads,
           &column_nodes<typename Term::op, T>, static_cast<const T*>(leaves), std::uint64_t{count},
           std::uint64_t{n}, to);
    leaves = to;
  }
  return results;
}

template <extreme Which, class X, class Y, class T = wide_t<X>>
__global__ void __launch_bounds__(block_threads)
    column_extremes(const expr::elements<X> x, const std::uint64_t rows, const std::uint64_t n, Y* results) {
  for (std::uint64_t j = std::uint64_t{blockIdx.x} * block_threads + threadIdx.x; j < n;
       j += std::uint64_t{gridDim.x} * block_threads) {
    auto most = expr::least_key<T>();
    for (std::uint64_t i = 0; i < rows; ++i) {
      const auto k = expr::key_of<Which>(expr::place<T>{i, j}(x));
      most = most < k ? k : most;
    }
    results[j] = real::narrow<Y>(expr::value_of<Which, T>(most));
  }
}
template <extreme Which, class X, class Y>
void enqueue_column_extremes(const char* who, cudaStream_t on, const expr::elements<X>& x, std::size_t rows,
                             std::size_t n, Y* results) {
  launch("launch of column_extremes", who, on,
         grid_blocks((n + block_threads - 1) / block_threads, most_blocks), block_threads,
         &column_extremes<Which, X, Y>, x, std::uint64_t{rows}, std::uint64_t{n}, results);
}

// What becomes of the value of n terms of the reduction R; m is what they were taken relative to, in two steps.
template <class R, class X, class V, class T = wide_t<X>>
struct store_end {
  std::uint64_t n;
  const T* m;
  X* out;
  __device__ void operator()(V value, std::uint64_t j = 0) const {
    if constexpr (std::is_base_of_v<expr::in_two_steps, R>) {
      out[j] = R::template end<X>(value, n, m[j]);
    } else {
      out[j] = R::template end<X>(value, n);
    }
  }
};
template <class V, class End>
__global__ void __launch_bounds__(block_threads)
    end_columns(const V* __restrict__ values, const std::uint64_t n, const End end) {
  for (std::uint64_t j = std::uint64_t{blockIdx.x} * block_threads + threadIdx.x; j < n;
       j += std::uint64_t{gridDim.x} * block_threads) {
    end(values[j], j);
  }
}
template <class R, class X, class V, class T = wide_t<X>>
void enqueue_ends(const char* who, cudaStream_t on, std::size_t columns, const V* values, std::size_t n,
                  const T* m, X* out) {
  using end = store_end<R, X, V>;
  launch("launch of end_columns", who, on, grid_blocks(tree::pieces(columns, block_threads), most_blocks),
         block_threads, &end_columns<V, end>, values, std::uint64_t{columns}, end{n, m, out});
}

template <class T>
__global__ void store_value(const T value, const std::uint64_t n, T* out) {
  for (std::uint64_t j = std::uint64_t{blockIdx.x} * block_threads + threadIdx.x; j < n;
       j += std::uint64_t{gridDim.x} * block_threads) {
    out[j] = value;
  }
}
template <class X>
void enqueue_value(const char* who, cudaStream_t on, X value, std::size_t n, X* out) {
  if (n == 0) return;
  launch("launch of store_value", who, on, grid_blocks((n + block_threads - 1) / block_threads, most_blocks),
         block_threads, &store_value<X>, value, std::uint64_t{n}, out);
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

constexpr unsigned extreme_blocks = 1024;
unsigned blocks_for_extremes(std::size_t n) {
  return grid_blocks(tree::pieces(n, block_threads), extreme_blocks);
}

// Of a reduction of n > 0 elements: a value that its terms need, what blocks find of an extreme, and what sums need.
template <class X, class T = wide_t<X>>
struct reduce_memory {
  T* m;
  found_in<X>* found;
  tree_memory<double> sums;

  reduce_memory(scratch_layout& at, std::size_t n)
      : m(at.take<T>(1)), found(at.take<found_in<X>>(blocks_for_extremes(n))), sums(at, n) {}
};

template <extreme Which, class X>
void enqueue_extreme(const char* who, cudaStream_t on, const X* x, std::size_t n, X* value, wide_t<X>* wide,
                     std::size_t* at, found_in<X>* partial) {
  const unsigned blocks = blocks_for_extremes(n);
  launch("launch of find_extreme", who, on, blocks, block_threads, &find_extreme<Which, X>, x,
         std::uint64_t{n}, partial);
  launch("launch of end_extreme", who, on, 1, block_threads, &end_extreme<Which, X>, partial, blocks, value,
         wide, at);
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
template <class X, class Y>
reduce_memory<X> take_reduce_scratch(const char* who, const X* x, std::size_t n, const Y* result,
                                     const scratch_memory& scratch) {
  return take_scratch<reduce_memory<X>>(who, scratch, n, {extent_of("result", result, 1)},
                                        {extent_of("x", x, n)}, n);
}
template <extreme Which, class X>
void arg_of_all(const char* who, cudaStream_t on, const X* x, std::size_t n, std::size_t* result,
                const scratch_memory& scratch) {
  if (n == 0) refuse(who, "n = 0");
  require_values(who, "x", x, n);
  require_pointer(who, "result", result);
  const auto memory = take_reduce_scratch(who, x, n, result, scratch);
  enqueue_extreme<Which, X>(who, on, x, n, nullptr, nullptr, result, memory.found);
}

// The reduction R of n > 0 elements, as of `count`; and of each of the columns of x, which has rows.
template <class X, class R>
void enqueue_all(const char* who, cudaStream_t on, R, const X* x, std::size_t n, std::size_t count, X* result,
                 const reduce_memory<X>& memory) {
  using T = wide_t<X>;
  const expr::elements<X> e{x, 0};
  const auto reduce = [&](auto r, const auto& term, std::size_t of, auto* to) {
    using V = typename std::decay_t<decltype(term)>::wide;
    using end = store_end<decltype(r), std::decay_t<decltype(*to)>, V>;
    enqueue_reduction(who, on, term, n, end{of, memory.m, to}, memory.sums.template as<V>());
  };
  if constexpr (std::is_base_of_v<expr::of_terms, R>) {
    reduce(R{}, R::term(e), count, result);
  } else if constexpr (std::is_base_of_v<expr::of_extremes, R>) {
    enqueue_extreme<R::which, X>(who, on, x, n, result, nullptr, nullptr, memory.found);
  } else {
    using first = typename R::first;
    if constexpr (std::is_base_of_v<expr::of_extremes, first>) {
      enqueue_extreme<first::which, X>(who, on, x, n, nullptr, memory.m, nullptr, memory.found);
    } else {
      reduce(first{}, first::term(e), n, memory.m);
    }
    reduce(R{}, R::term(e, expr::down<T>{memory.m}), count, result);
  }
}
template <class X, class R>
void enqueue_all_columns(const char* who, cudaStream_t on, R, const expr::elements<X>& x, std::size_t rows,
                         std::size_t n, std::size_t count, X* out, const column_memory<X>& memory) {
  using T = wide_t<X>;
  const auto reduce = [&](auto r, const auto& term, std::size_t of, auto* to) {
    const auto* const values = enqueue_columns(who, on, term, rows, n, memory);
    enqueue_ends<decltype(r)>(who, on, n, values, of,
                              static_cast<const wide_t<std::decay_t<decltype(*to)>>*>(memory.m), to);
  };
  if constexpr (std::is_base_of_v<expr::of_terms, R>) {
    reduce(R{}, R::term(x), count, out);
  } else if constexpr (std::is_base_of_v<expr::of_extremes, R>) {
    enqueue_column_extremes<R::which, X>(who, on, x, rows, n, out);
  } else {
    using first = typename R::first;
    if constexpr (std::is_base_of_v<expr::of_extremes, first>) {
      enqueue_column_extremes<first::which, X>(who, on, x, rows, n, memory.m);
    } else {
      reduce(first{}, first::term(x), rows, memory.m);
    }
    reduce(R{}, R::term(x, expr::along<T>{memory.m, T(0)}), count, out);
  }
}

// Of a gradient.
template <class X, class Term>
void sum_columns(const char* who, cudaStream_t on, const Term& term, std::size_t rows, std::size_t n, X* out,
                 const column_memory<X>& memory) {
  enqueue_ends<expr::sum_of>(who, on, n, enqueue_columns(who, on, term, rows, n, memory), rows,
                             static_cast<const wide_t<X>*>(nullptr), out);
}

}  // namespace

template <class X>
for_reals<X, std::size_t> reduce_scratch_bytes(index64 n) {
  return n == 0 ? 0 : scratch_size<reduce_memory<X>>(std::size_t{n});
}

template <class X>
for_reals<X> reduce(cudaStream_t on, reduction kind, const X* x, index64 n, X* result, void* scratch,
                    index64 bytes) {
  const char* const who = "rivus::cuda::reduce";
  require_default_environment(who);
  require_reduction(who, kind, n);
  require_pointer(who, "result", result);
  require_values(who, "x", x, n);
  expr::with_reduction(kind, [&](auto r) {
    if (n == 0) return enqueue_value<X>(who, on, expr::of_nothing<X>(r), 1, result);
    enqueue_all(who, on, r, x, n, n, result, take_reduce_scratch(who, x, n, result, {scratch, bytes}));
  });
}

template <class X>
for_reals<X> variance(cudaStream_t on, const X* x, index64 n, index64 less, X* result, void* scratch,
                      index64 bytes) {
  const char* const who = "rivus::cuda::variance";
  const expr::variance_of r;
  require_default_environment(who);
  require_pointer(who, "result", result);
  require_values(who, "x", x, n);
  if (n <= less) return enqueue_value<X>(who, on, expr::of_nothing<X>(r), 1, result);
  enqueue_all(who, on, r, x, n, n - less, result, take_reduce_scratch(who, x, n, result, {scratch, bytes}));
}

template <class X>
for_reals<X> argmin(cudaStream_t on, const X* x, index64 n, std::size_t* result, void* scratch,
                    index64 bytes) {
  arg_of_all<extreme::smallest>("rivus::cuda::argmin", on, x, n, result, {scratch, bytes});
}
template <class X>
for_reals<X> argmax(cudaStream_t on, const X* x, index64 n, std::size_t* result, void* scratch,
                    index64 bytes) {
  arg_of_all<extreme::largest>("rivus::cuda::argmax", on, x, n, result, {scratch, bytes});
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
for_reals<X> segment_reduce(cudaStream_t on, reduction kind, const X* x, index64 n, indices offsets,
                            index64 segments, X* out, index_error* error) {
  const char* const who = "rivus::cuda::segment_reduce";
  rivus::detail::require_segments(who, kind, x, n, offsets, segments, out, {extent_of(error)});
  const segments_by_offsets all{offsets, segments, n};
  check_segments(who, on, all, 0, kind == reduction::minimum || kind == reduction::maximum, error);
  enqueue_rows(who, on, expr::reduce_row<X>{kind, {x, 0}, out, all}, segments, n);
}
template <class X>
for_reals<X> variance_rows(cudaStream_t on, rivus::detail::input_matrix<X> x, X* out, index64 less) {
  const char* const who = "rivus::cuda::variance_rows";
  require_reduced(who, x, out, x.rows);
  enqueue_rows(who, on, expr::variance_row<X>{elements_of(x), less, out}, x.rows, x.cols);
}

template <class X>
for_reals<X, std::size_t> column_scratch_bytes(index64 rows, index64 cols) {
  return scratch_size<column_memory<X>>(std::size_t{rows}, std::size_t{cols});
}

template <class X>
for_reals<X> reduce_columns(cudaStream_t on, reduction kind, rivus::detail::input_matrix<X> x, X* out,
                            void* scratch, index64 bytes) {
  const char* const who = "rivus::cuda::reduce_columns";
  require_default_environment(who);
  const std::size_t rows = x.rows, n = x.cols;
  require_reduction(who, kind, n == 0 ? 1 : rows);
  require_reduced(who, x, out, n);
  if (n == 0) return;
  expr::with_reduction(kind, [&](auto r) {
    if (rows == 0) return enqueue_value<X>(who, on, expr::of_nothing<X>(r), n, out);
    const auto memory = take_scratch<column_memory<X>>(
        who, {scratch, bytes}, rows * n, {extent_of("out", out, n)}, {extent_of("x", x)}, rows, n);
    enqueue_all_columns(who, on, r, elements_of(x), rows, n, rows, out, memory);
  });
}

template <class X>
for_reals<X> variance_columns(cudaStream_t on, rivus::detail::input_matrix<X> x, X* out, index64 less,
                              void* scratch, index64 bytes) {
  const char* const who = "rivus::cuda::variance_columns";
  const expr::variance_of r;
  require_default_environment(who);
  const std::size_t rows = x.rows, n = x.cols;
  require_reduced(who, x, out, n);
  if (n == 0) return;
  if (rows <= less) return enqueue_value<X>(who, on, expr::of_nothing<X>(r), n, out);
  const auto memory = take_scratch<column_memory<X>>(
      who, {scratch, bytes}, rows * n, {extent_of("out", out, n)}, {extent_of("x", x)}, rows, n);
  enqueue_all_columns(who, on, r, elements_of(x), rows, n, rows - less, out, memory);
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
  if (rows == 0) {
    if (dweight != nullptr) enqueue_value<X>(who, on, real::narrow<X>(T(0)), n, dweight);
    if (dbias != nullptr) enqueue_value<X>(who, on, real::narrow<X>(T(0)), n, dbias);
    return;
  }
  if (dweight != nullptr || dbias != nullptr) {
    const auto memory = take_scratch<column_memory<X>>(
        who, {scratch, bytes}, rows * n, {},
        {extent_of("dy", dy), extent_of("x", x), extent_of("weight", weight, n),
         extent_of("mean", mean, rows), extent_of("reciprocal", reciprocal, rows), extent_of("dx", dx),
         extent_of("dweight", dweight, n), extent_of("dbias", dbias, n)},
        rows, n);
    if (dweight != nullptr) {
      using h = expr::times<expr::minus<expr::elements<X>, expr::down<T>>, expr::down<T>>;
      sum_columns(who, on, expr::products(elements_of(dy), h{{elements_of(x), {mean}}, {reciprocal}}), rows,
                  n, dweight, memory);
    }
    if (dbias != nullptr) sum_columns(who, on, expr::terms(elements_of(dy)), rows, n, dbias, memory);
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
  if (rows == 0) {
    if (dweight != nullptr) enqueue_value<X>(who, on, real::narrow<X>(T(0)), n, dweight);
    return;
  }
  if (dweight != nullptr) {
    const auto memory = take_scratch<column_memory<X>>(
        who, {scratch, bytes}, rows * n, {},
        {extent_of("dy", dy), extent_of("x", x), extent_of("weight", weight, n),
         extent_of("reciprocal", reciprocal, rows), extent_of("dx", dx), extent_of("dweight", dweight, n)},
        rows, n);
    using h = expr::times<expr::elements<X>, expr::down<T>>;
    sum_columns(who, on, expr::products(elements_of(dy), h{elements_of(x), {reciprocal}}), rows, n, dweight,
                memory);
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
  template void segment_reduce(cudaStream_t, reduction, const X*, index64, indices, index64, X*,            \
                               index_error*);                                                               \
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
