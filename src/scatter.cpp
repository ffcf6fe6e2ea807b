#include <cstring>
#include <rivus/scatter.hpp>

#include "scatter_fold.hpp"
#include "scatter_runs.hpp"

namespace rivus {
namespace {

using detail::refuse;
using detail::require_array;

// Below this many elements a second thread costs more than it brings.
constexpr std::size_t elements_per_thread = 32768;
// Columns that are added up together: their lanes stay in the first-level cache.
constexpr std::size_t strip = 64;

template <class T>
void clear(T* out, std::size_t n, const executor& on) {
  parallel_ranges(n, elements_per_thread, on,
                  [&](std::size_t begin, std::size_t end) { std::fill(out + begin, out + end, T(0)); });
}

// A function, and what it calls the bound of its indices and its values.
struct call {
  const char* name;
  const char* limit = "size";
  const char* values = "x";
};

// The runs of ids, after all checks of a call whose arrays have one dimension.
template <class T>
runs require_runs(const call& who, const T* out, std::size_t size, const indices& ids, const T* x,
                  std::size_t n, const executor& on) {
  require_default_environment(who.name);
  detail::require_scatter(who.name, out, size, 1, ids, who.values, x, n);
  return runs_of_values(ids, x, n, size, require_ids(who.name, ids, n, who.limit, size, on), on);
}

// Of integers only the bits count, where they are not compared.
template <class T>
using arithmetic = typename std::conditional_t<std::is_floating_point_v<T>, std::type_identity<T>,
                                               std::make_unsigned<T>>::type;
template <class T>
arithmetic<T>* as_arithmetic(T* x) {
  return reinterpret_cast<arithmetic<T>*>(x);
}
template <class T>
const arithmetic<T>* as_arithmetic(const T* x) {
  return reinterpret_cast<const arithmetic<T>*>(x);
}

// out[d] = Op(out[d], the fold of its run), or that fold alone.
template <class Op, bool Fresh = false, class T>
void fold_runs(const runs& all, T* out, const T* x, const executor& on) {
  for_each_run(all, contributions_per_thread, on, [&](std::size_t d, std::size_t begin, std::size_t end) {
    const T fold = fold_run<Op>(all, x, begin, end);
    out[d] = canonical_of(Fresh ? fold : Op::combine(out[d], fold));
  });
}

// The order plays no part.
template <class Op, class T>
void extreme_runs(const runs& all, T* out, const T* x, const executor& on) {
  for_each_run(all, contributions_per_thread, on, [&](std::size_t d, std::size_t begin, std::size_t end) {
    T result = out[d];
    for (std::size_t k = begin; k < end; ++k) result = Op::combine(result, all.value(x, k));
    out[d] = result;
  });
}

template <class T>
void sum_fresh(const call& who, const indices& ids, const T* x, std::size_t n, T* out, std::size_t size,
               const executor& on) {
  const runs all = require_runs(who, out, size, ids, x, n, on);
  auto* const to = as_arithmetic(out);
  clear(to, size, on);
  fold_runs<adding<arithmetic<T>>, true>(all, to, as_arithmetic(x), on);
}

// store(j, sum of column j) for the rows row(k), begin <= k < end, begin < end. A row is anything with elements.
template <class T, class Row, class Store>
void fold_rows(std::size_t begin, std::size_t end, std::size_t cols, const Row& row, const Store& store) {
  for (std::size_t first = 0; first < cols; first += strip) {
    const std::size_t width = std::min(strip, cols - first);
    level_fold<adding<T>, T, strip> fold(width);
    for (std::size_t k = begin; k < end; ++k) fold.enter(row(k) + first);
    const T* const sums = fold.result();
    for (std::size_t j = 0; j < width; ++j) store(first + j, sums[j]);
  }
}

// Runs a thread should have at least, of rows of so many columns.
std::size_t rows_per_thread(std::size_t cols) { return 1 + elements_per_thread / (cols + 1); }

// Row d of out, added to or fresh, from the rows row(source) of its run.
template <bool Fresh, class T, class Row>
void add_rows(const runs& all, T* out, std::size_t cols, const Row& row, const executor& on) {
  for_each_run(all, rows_per_thread(cols), on, [&](std::size_t d, std::size_t begin, std::size_t end) {
    T* const to = out + d * cols;
    fold_rows<T>(
        begin, end, cols, [&](std::size_t k) { return row(all.source(k)); },
        [&](std::size_t j, T sum) { to[j] = canonical_of(Fresh ? sum : adding<T>::combine(to[j], sum)); });
  });
}

template <bool Fresh, class T>
void sum_rows(const call& who, T* out, std::size_t rows, std::size_t cols, const indices& ids, const T* x,
              std::size_t n, const executor& on) {
  require_default_environment(who.name);
  detail::require_scatter(who.name, out, rows, cols, ids, who.values, x, n);
  const runs all = runs_of(ids, n, rows, require_ids(who.name, ids, n, who.limit, rows, on), on);
  auto* const to = as_arithmetic(out);
  if constexpr (Fresh) clear(to, rows * cols, on);
  const auto* const from = as_arithmetic(x);
  add_rows<Fresh>(all, to, cols, [from, cols](std::size_t i) { return from + i * cols; }, on);
}

// out[bin_of(i)] counts the i < n; a bin_of that is not below bins leaves i out.
template <class Bin>
void count(std::size_t n, std::uint64_t* out, std::size_t bins, const executor& on, const Bin& bin_of) {
  // Each thread counts by itself where that takes little memory, and else all count together: of integers the
  // order does not matter.
  constexpr std::size_t few = 65536;
  const std::size_t parts = bins > few ? 1
                                       : std::clamp<std::size_t>(n / (contributions_per_thread + bins), 1,
                                                                 std::max(concurrency(on), std::size_t{1}));
  std::vector<std::uint64_t> counts(parts > 1 ? parts * bins : 0);
  clear(out, bins, on);
  if (parts > 1) {
    for_each_part(n, parts, on, [&](std::size_t p, std::size_t begin, std::size_t end) {
      std::uint64_t* const mine = &counts[p * bins];
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t bin = bin_of(i);
        if (bin < bins) ++mine[bin];
      }
    });
    for (std::size_t i = 0; i < counts.size(); ++i) out[i % bins] += counts[i];
  } else if (bins <= few) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t bin = bin_of(i);
      if (bin < bins) ++out[bin];
    }
  } else {
    parallel_ranges(n, contributions_per_thread, on, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t bin = bin_of(i);
        if (bin < bins) std::atomic_ref(out[bin]).fetch_add(1, std::memory_order_relaxed);
      }
    });
  }
}

// Bags by their offsets, which are valid.
struct bag_view {
  indices offsets;
  std::size_t bags, n;

  std::size_t begin(std::size_t b) const { return offsets[b]; }
  std::size_t end(std::size_t b) const { return b + 1 < bags ? begin(b + 1) : n; }
  std::size_t length(std::size_t b) const { return end(b) - begin(b); }
};

bag_view require_offsets(const char* who, const indices& offsets, std::size_t bags, std::size_t n) {
  for (std::size_t b = 0; b < bags; ++b) {
    const auto complain = [&](const std::string& rule) {
      refuse(who, "offsets[" + detail::text_of(b) + "] = " + text_of(offsets, b) + rule);
    };
    if (b == 0 && offsets[b] != 0) complain(" is not 0");
    if (b > 0 && (offsets.is_negative(b) || offsets[b] < offsets[b - 1]))
      complain(" is below offsets[" + detail::text_of(b - 1) + "]");
    if (offsets[b] > n) complain(" is above n = " + detail::text_of(n));
  }
  return {offsets, bags, n};
}

template <class T>
T divided(T x, std::size_t n) {
  return real::div(x, static_cast<T>(n));
}

// A row of a gradient, each element divided by a number.
template <class T>
struct quotients {
  const T* x;
  T divisor;
  quotients operator+(std::size_t j) const { return {x + j, divisor}; }
  T operator[](std::size_t j) const { return real::div(x[j], divisor); }
};

}  // namespace

template <class T>
detail::for_numbers<T> index_add(T* out, index64 size, indices ids, const T* x, index64 n,
                                 const executor& on) {
  const runs all = require_runs({"rivus::index_add"}, out, size, ids, x, n, on);
  fold_runs<adding<arithmetic<T>>>(all, as_arithmetic(out), as_arithmetic(x), on);
}
template <class T>
detail::for_numbers<T> index_add_rows(T* out, index64 rows, index64 cols, indices ids, const T* x, index64 n,
                                      const executor& on) {
  sum_rows<false>({"rivus::index_add_rows", "rows"}, out, rows, cols, ids, x, n, on);
}
template <class T>
detail::for_numbers<T> scatter_min(T* out, index64 size, indices ids, const T* x, index64 n,
                                   const executor& on) {
  extreme_runs<extreme<T, false>>(require_runs({"rivus::scatter_min"}, out, size, ids, x, n, on), out, x, on);
}
template <class T>
detail::for_numbers<T> scatter_max(T* out, index64 size, indices ids, const T* x, index64 n,
                                   const executor& on) {
  extreme_runs<extreme<T, true>>(require_runs({"rivus::scatter_max"}, out, size, ids, x, n, on), out, x, on);
}
template <class T>
detail::for_numbers<T> scatter_prod(T* out, index64 size, indices ids, const T* x, index64 n,
                                    const executor& on) {
  const runs all = require_runs({"rivus::scatter_prod"}, out, size, ids, x, n, on);
  fold_runs<multiplying<arithmetic<T>>>(all, as_arithmetic(out), as_arithmetic(x), on);
}
template <class T>
detail::for_numbers<T> put(T* out, index64 size, indices ids, const T* x, index64 n, const executor& on) {
  const runs all = require_runs({"rivus::put"}, out, size, ids, x, n, on);
  for_each_run(all, contributions_per_thread, on,
               [&](std::size_t d, std::size_t, std::size_t end) { out[d] = all.value(x, end - 1); });
}
template <class T>
detail::for_numbers<T> segment_sum(indices ids, const T* x, index64 n, T* out, index64 segments,
                                   const executor& on) {
  sum_fresh({"rivus::segment_sum", "segments"}, ids, x, n, out, segments, on);
}
template <class T>
detail::for_numbers<T> segment_sum_rows(indices ids, const T* x, index64 n, index64 cols, T* out,
                                        index64 segments, const executor& on) {
  sum_rows<true>({"rivus::segment_sum_rows", "segments"}, out, segments, cols, ids, x, n, on);
}
void bincount(indices ids, index64 n, std::uint64_t* out, index64 bins, const executor& on) {
  const char* const who = "rivus::bincount";
  require_default_environment(who);
  detail::require_counts(who, out, bins, require_array(who, "ids", ids, n));
  require_ids(who, ids, n, "bins", bins, on);
  ids.visit([&](const auto& words) {
    count(n, out, bins, on, [&](std::size_t i) { return std::size_t{words.word(i)}; });
  });
}
template <class T>
detail::for_numbers<T> bincount(indices ids, const T* weights, index64 n, T* out, index64 bins,
                                const executor& on) {
  sum_fresh({"rivus::bincount", "bins", "weights"}, ids, weights, n, out, bins, on);
}
template <class T>
detail::for_floats<T> histogram(const T* x, index64 n, detail::given_t<T> lo, detail::given_t<T> hi,
                                std::uint64_t* out, index64 bins, const executor& on) {
  const char* const who = "rivus::histogram";
  const double low = lo, high = hi, width = detail::require_histogram(who, x, n, lo, hi, out, bins);
  const double number = static_cast<double>(bins);
  count(n, out, bins, on, [&](std::size_t i) {
    const double value = x[i];
    if (!(value >= low && value <= high)) return std::size_t{bins};
    const double place = real::mul(real::div(real::sub(value, low), width), number);
    return std::min<std::size_t>(static_cast<std::size_t>(place), bins - 1);
  });
}
template <class T>
detail::for_floats<T> embedding_bag(const T* table, index64 rows, index64 cols, indices ids, index64 n,
                                    indices offsets, index64 bags, bag_mode mode, T* out,
                                    const executor& on) {
  const char* const who = "rivus::embedding_bag";
  require_default_environment(who);
  detail::require_bags(who, require_array(who, "out", out, bags, cols),
                       require_array(who, "table", table, rows, cols), ids, n, offsets, bags, mode);
  const bag_view view = require_offsets(who, offsets, bags, n);
  require_ids(who, ids, n, "rows", rows, on);
  parallel_ranges(bags, rows_per_thread(cols), on, [&](std::size_t first, std::size_t last) {
    for (std::size_t b = first; b < last; ++b) {
      T* const to = out + b * cols;
      const std::size_t length = view.length(b);
      if (length == 0) std::fill_n(to, cols, T(0));
      if (length == 0) continue;
      fold_rows<T>(
          view.begin(b), view.end(b), cols, [&](std::size_t k) { return table + ids[k] * cols; },
          [&](std::size_t j, T sum) {
            to[j] = real::canonical(mode == bag_mode::mean ? divided(sum, length) : sum);
          });
    }
  });
}
template <class T>
detail::for_floats<T> embedding_bag_backward(const T* gradient, indices ids, index64 n, indices offsets,
                                             index64 bags, bag_mode mode, T* out, index64 rows, index64 cols,
                                             const executor& on) {
  const char* const who = "rivus::embedding_bag_backward";
  require_default_environment(who);
  detail::require_bags(who, require_array(who, "out", out, rows, cols),
                       require_array(who, "gradient", gradient, bags, cols), ids, n, offsets, bags, mode);
  const bag_view view = require_offsets(who, offsets, bags, n);
  require_ids(who, ids, n, "rows", rows, on);
  std::vector<std::size_t> bag_of(n);
  for (std::size_t b = 0; b < bags; ++b)
    std::fill(bag_of.begin() + static_cast<std::ptrdiff_t>(view.begin(b)),
              bag_of.begin() + static_cast<std::ptrdiff_t>(view.end(b)), b);
  const runs all = runs_of(ids, n, rows, false, on, bag_of.data(), bags);
  if (mode == bag_mode::sum) {
    add_rows<false>(all, out, cols, [&](std::size_t b) { return gradient + b * cols; }, on);
  } else {
    const auto row = [&](std::size_t b) {
      return quotients<T>{gradient + b * cols, static_cast<T>(view.length(b))};
    };
    add_rows<false>(all, out, cols, row, on);
  }
}

#define RIVUS_SCATTER(T)                                                                             \
  template void index_add(T*, index64, indices, const T*, index64, const executor&);                 \
  template void index_add_rows(T*, index64, index64, indices, const T*, index64, const executor&);   \
  template void scatter_min(T*, index64, indices, const T*, index64, const executor&);               \
  template void scatter_max(T*, index64, indices, const T*, index64, const executor&);               \
  template void scatter_prod(T*, index64, indices, const T*, index64, const executor&);              \
  template void put(T*, index64, indices, const T*, index64, const executor&);                       \
  template void segment_sum(indices, const T*, index64, T*, index64, const executor&);               \
  template void segment_sum_rows(indices, const T*, index64, index64, T*, index64, const executor&); \
  template void bincount(indices, const T*, index64, T*, index64, const executor&);
RIVUS_SCATTER(float)
RIVUS_SCATTER(double)
RIVUS_SCATTER(std::int32_t)
RIVUS_SCATTER(std::uint32_t)
RIVUS_SCATTER(std::int64_t)
RIVUS_SCATTER(std::uint64_t)
#undef RIVUS_SCATTER
#define RIVUS_SCATTER_FLOATS(T)                                                                             \
  template void histogram(const T*, index64, T, T, std::uint64_t*, index64, const executor&);               \
  template void embedding_bag(const T*, index64, index64, indices, index64, indices, index64, bag_mode, T*, \
                              const executor&);                                                             \
  template void embedding_bag_backward(const T*, indices, index64, indices, index64, bag_mode, T*, index64, \
                                       index64, const executor&);
RIVUS_SCATTER_FLOATS(float)
RIVUS_SCATTER_FLOATS(double)
#undef RIVUS_SCATTER_FLOATS

}  // namespace rivus
