#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <rivus/arguments.hpp>
#include <rivus/combine.hpp>
#include <rivus/scatter.hpp>
#include <rivus/tree.hpp>
#include <vector>

#include "parallel.hpp"

namespace rivus {
namespace {

using combine::canonical;
using combine::extreme;
using detail::refuse;
using detail::require_array;

// Below this many elements, or contributions, a second thread costs more than it brings.
constexpr std::size_t elements_per_thread = 32768;
constexpr std::size_t contributions_per_thread = 8192;

template <class T>
void clear(T* out, std::size_t n, const executor& on) {
  parallel_ranges(n, elements_per_thread, on,
                  [&](std::size_t begin, std::size_t end) { std::fill(out + begin, out + end, T(0)); });
}

// Number i, with its sign.
// Errors: std::invalid_argument for the first id that is not in [0, size).
void require_ids(const char* who, const indices& ids, std::size_t n, const char* limit, std::size_t size,
                 const executor& on) {
  std::atomic<std::size_t> first_bad{n};
  parallel_ranges(n, contributions_per_thread, on, [&](std::size_t begin, std::size_t end) {
    bool all = true;
    ids.visit([&](const auto& words) {
      using word = decltype(words.word(0));
      // Negative numbers are, as words, those from the sign bit on.
      const std::uint64_t bound =
          words.sign == 0 ? size : std::min<std::uint64_t>(size, words.sign & word(-1));
      // In four places at once, which keeps more of memory busy.
      const std::size_t quarter = (end - begin) / 4;
      word most = 0;
      for (std::size_t i = begin; i < begin + quarter; ++i)
        most = std::max({most, words.word(i), words.word(i + quarter), words.word(i + 2 * quarter),
                         words.word(i + 3 * quarter)});
      for (std::size_t i = begin + 4 * quarter; i < end; ++i) most = std::max(most, words.word(i));
      all = most < bound;
    });
    if (all) return;
    std::size_t bad = begin, least = first_bad;
    while (ids[bad] < size) ++bad;
    while (bad < least && !first_bad.compare_exchange_weak(least, bad)) {
    }
  });
  if (first_bad < n) {
    refuse(who, "ids[" + detail::text_of(first_bad.load()) + "] = " + detail::text_of(ids, first_bad) +
                    " is not in [0, " + limit + "), " + limit + " = " + detail::text_of(size));
  }
}

// body(p, begin, end) for each of `parts` parts of [0, n), which are the same however many threads there are.
template <class Body>
void for_each_part(std::size_t n, std::size_t parts, const executor& on, const Body& body) {
  parallel_ranges(parts, 1, on, [&](std::size_t first, std::size_t last) {
    const std::size_t each = n / parts, more = n % parts;
    for (std::size_t p = first; p < last; ++p) {
      const std::size_t begin = p * each + std::min(p, more);
      body(p, begin, begin + each + (p < more));
    }
  });
}

// Contributions in order: those of each destination come to one thread, its owner, as they follow one another. Where there is
// one thread that is a loop. Several take so many contributions at a time: each sorts its part of them by owner, stably, and
// then goes through its own of all parts.
class contributions {
 public:
  contributions(const indices& ids, std::size_t n, std::size_t size, std::size_t work, const executor& on)
      : ids_(ids), n_(n), size_(size), on_(on) {
    const std::size_t least = contributions_per_thread / work + 1, most = std::min(n / least, size);
    if (most < 2) return;
    owners_ = std::max<std::size_t>(std::min({concurrency(on), most, most_owners}), 1);
    if (owners_ == 1) return;
    // destination -> owner ascends, by a multiplication: below 2^31 times 2^40 / (2^31 - 1) at most, which 64 bits hold, and for the
    // last destination below owners_ * 2^32.
    while ((size - 1) >> shift_ >> 31 != 0) ++shift_;
    factor_ = (std::uint64_t{owners_} << 32) / (((size - 1) >> shift_) + 1);
    each_ = std::min(round, tree::pieces(n, owners_));
    positions_.resize(owners_ * each_);
    ends_.resize(owners_ * owners_);
  }

  // How many threads there are.
  std::size_t owners() const { return owners_; }

  // use(o, i, d) for contribution i to d, which is owner o's: whether it met a NaN. Whether any did. Destinations are of
  // `bytes` each, from `out` on.
  template <class Use>
  bool visit(const void* out, std::size_t bytes, const Use& use) {
    std::atomic<bool> met = false;
    // The contributions at(begin), ..., at(end - 1). Destinations that are in no cache are asked for ahead of time.
    const bool asks = size_ * bytes > std::size_t{1} << 19;
    const auto go = [=](const auto& words, std::size_t o, std::size_t begin, std::size_t end,
                        const auto& at) {
      constexpr std::size_t ahead = 24;
      bool any = false;
      std::size_t k = begin;
      for (; asks && k + ahead < end; ++k) {
        const std::size_t i = at(k);
        __builtin_prefetch(static_cast<const char*>(out) + std::size_t{words.word(at(k + ahead))} * bytes, 1);
        any |= use(o, i, std::size_t{words.word(i)});
      }
      for (; k < end; ++k) {
        const std::size_t i = at(k);
        any |= use(o, i, std::size_t{words.word(i)});
      }
      return any;
    };
    if (owners_ == 1) {
      ids_.visit([&](const auto& words) { met = go(words, 0, 0, n_, [](std::size_t k) { return k; }); });
      return met;
    }
    for (std::size_t first = 0; first < n_; first += owners_ * each_) {
      parallel_ranges(owners_, 1, on_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) sort_part(first, p);
      });
      parallel_ranges(owners_, 1, on_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t o = begin; o < end; ++o) {
          ids_.visit([&](const auto& words) {
            bool any = false;
            for (std::size_t p = 0; p < owners_; ++p) {
              const std::size_t base = first + p * each_;
              const std::uint32_t *const positions = &positions_[p * each_], *const ends =
                                                                                 &ends_[p * owners_];
              any |= go(words, o, o == 0 ? 0 : ends[o - 1], ends[o],
                        [=](std::size_t k) { return base + positions[k]; });
            }
            if (any) met = true;
          });
        }
      });
    }
    return met;
  }

 private:
  // What a thread sorts at a time stays in its cache.
  static constexpr std::size_t round = std::size_t{1} << 15, most_owners = 256;

  void sort_part(std::size_t first, std::size_t p) {
    const std::size_t base = std::min(first + p * each_, n_), count = std::min(each_, n_ - base);
    std::uint32_t *const to = &positions_[p * each_], *const at = &ends_[p * owners_];
    ids_.visit([&](const auto& words) {
      const auto owner = [&](std::size_t k) {
        return (std::uint64_t{words.word(base + k)} >> shift_) * factor_ >> 32;
      };
      std::uint32_t counts[most_owners] = {};
      for (std::size_t k = 0; k < count; ++k) ++counts[owner(k)];
      // Where each owner's begin, which become where they end.
      std::uint32_t sum = 0;
      for (std::size_t o = 0; o < owners_; ++o) {
        at[o] = sum;
        sum += counts[o];
      }
      for (std::size_t k = 0; k < count; ++k) to[at[owner(k)]++] = static_cast<std::uint32_t>(k);
    });
  }

  const indices& ids_;
  std::size_t n_, size_;
  const executor& on_;
  std::size_t owners_ = 1, each_ = 0;
  int shift_ = 0;
  std::uint64_t factor_ = 0;
  // Of each part: its contributions by owner, in order, and where each owner's end.
  std::vector<std::uint32_t> positions_, ends_;
};

template <class T>
bool is_nan(T x) {
  // Faster than by its bits.
  return x != x;
}

// What a call's arrays have in common, after all checks: values to destinations of one element.
template <class T>
struct values_call {
  const char* name;
  T* out;
  std::size_t size;
  const indices& ids;
  const T* x;
  std::size_t n;
  const executor& on;
  const char* limit = "size";
  const char* values = "x";

  void require() const {
    require_default_environment(name);
    detail::require_scatter(name, out, size, 1, ids, values, x, n);
    require_ids(name, ids, n, limit, size, on);
  }
};

// out[d] = Op(out[d], x[i]); Fresh: from 0 on.
template <class Op, bool Fresh = false, class T>
void fold_values(const values_call<T>& c) {
  contributions all(c.ids, c.n, c.size, 1, c.on);
  if constexpr (Fresh) clear(c.out, c.size, c.on);
  T* const out = c.out;
  const T* const x = c.x;
  const auto fold = [&](auto looks_for_nan) {
    return all.visit(out, sizeof(T), [=](std::size_t, std::size_t i, std::size_t d) {
      const T v = Op::combine(out[d], x[i]);
      out[d] = v;
      return looks_for_nan && is_nan(v);
    });
  };
  // Where destinations are few they are looked at when all is done, which leaves the loop as it is written.
  bool met_nan = false;
  if (std::is_integral_v<T> || c.size <= c.n / 8) {
    fold(std::false_type{});
    for (std::size_t d = 0; d < c.size && !std::is_integral_v<T>; ++d) met_nan |= is_nan(out[d]);
  } else {
    met_nan = fold(std::true_type{});
  }
  if (met_nan)
    for (std::size_t i = 0; i < c.n; ++i) out[c.ids[i]] = canonical(out[c.ids[i]]);
}

// Rows to rows. Many columns are divided among threads, else their owners divide the rows: make(owner, first, end) gives one a source
// of rows from column `first` to `end`, source(i) that of contribution i.
template <bool Fresh, class T, class Make>
void add_rows(T* out, std::size_t rows, std::size_t cols, const indices& ids, std::size_t n,
              const executor& on, const Make& make) {
  if (rows == 0 || cols == 0) return;
  const auto add = [=](auto& source, std::size_t i, std::size_t d, std::size_t begin, std::size_t end) {
    T* const to = out + d * cols + begin;
    const T* const from = source(i);
    bool nan = false;
    for (std::size_t j = 0; j < end - begin; ++j) {
      const T v = combine::sums::combine(to[j], from[j]);
      to[j] = v;
      nan |= is_nan(v);
    }
    return nan;
  };
  std::atomic<bool> nan = false;
  // A cache line of columns at least.
  constexpr std::size_t line = 64 / sizeof(T);
  const std::size_t threads = n * cols < 2 * elements_per_thread ? 1 : concurrency(on);
  if (cols >= threads * line) {
    // Each thread with columns of its own.
    if constexpr (Fresh) clear(out, rows * cols, on);
    parallel_ranges(cols, threads == 1 ? cols : line, on, [&](std::size_t begin, std::size_t end) {
      auto source = make(std::size_t{0}, begin, end);
      bool any = false;
      ids.visit([&](const auto& words) {
        for (std::size_t i = 0; i < n; ++i) any |= add(source, i, std::size_t{words.word(i)}, begin, end);
      });
      if (any) nan = true;
    });
  } else {
    contributions all(ids, n, rows, cols, on);
    struct alignas(64) owner_source {
      decltype(make(std::size_t{0}, std::size_t{0}, std::size_t{0})) source;
    };
    std::vector<owner_source> sources;
    for (std::size_t o = 0; o < all.owners(); ++o) sources.push_back({make(o, std::size_t{0}, cols)});
    if constexpr (Fresh) clear(out, rows * cols, on);
    nan = all.visit(out, cols * sizeof(T), [&](std::size_t o, std::size_t i, std::size_t d) {
      return add(sources[o].source, i, d, 0, cols);
    });
  }
  if (!nan) return;
  for (std::size_t i = 0; i < n; ++i) {
    T* const row = out + ids[i] * cols;
    for (std::size_t j = 0; j < cols; ++j) row[j] = canonical(row[j]);
  }
}

template <bool Fresh, class T>
void sum_rows(const char* who, const char* limit, T* out, std::size_t rows, std::size_t cols,
              const indices& ids, const T* x, std::size_t n, const executor& on) {
  require_default_environment(who);
  detail::require_scatter(who, out, rows, cols, ids, "x", x, n);
  require_ids(who, ids, n, limit, rows, on);
  add_rows<Fresh>(out, rows, cols, ids, n, on, [=](std::size_t, std::size_t first, std::size_t) {
    return [=](std::size_t i) { return x + i * cols + first; };
  });
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

// The bags of contributions, which are asked for in ascending order.
class bag_walk {
 public:
  explicit bag_walk(const detail::segments_by_offsets& bags) : bags_(&bags) {}
  std::size_t operator()(std::size_t i) {
    while (end_ <= i) end_ = bags_->end(++bag_);
    return bag_;
  }

 private:
  const detail::segments_by_offsets* bags_;
  std::size_t bag_ = ~std::size_t{0}, end_ = 0;
};

// The gradient of each contribution: its bag's row, for the mean divided by the length of the bag.
template <class T>
class bag_gradient {
 public:
  // For the mean `quotients` has room for a row.
  bag_gradient(const T* gradient, const detail::segments_by_offsets& bags, std::size_t cols,
               std::size_t first, std::size_t end, T* quotients)
      : gradient_(gradient),
        cols_(cols),
        first_(first),
        end_(end),
        bags_(&bags),
        walk_(bags),
        quotients_(quotients) {}

  const T* operator()(std::size_t i) {
    const std::size_t b = walk_(i);
    const T* const row = gradient_ + b * cols_;
    if (quotients_ == nullptr) return row + first_;
    if (b != divided_) {
      const T length = static_cast<T>(bags_->length(b));
      for (std::size_t j = first_; j < end_; ++j) quotients_[j] = real::div(row[j], length);
      divided_ = b;
    }
    return quotients_ + first_;
  }

 private:
  const T* gradient_;
  std::size_t cols_, first_, end_;
  const detail::segments_by_offsets* bags_;
  bag_walk walk_;
  T* quotients_;
  std::size_t divided_ = ~std::size_t{0};
};

}  // namespace

template <class T>
detail::for_numbers<T> index_add(T* out, index64 size, indices ids, const T* x, index64 n,
                                 const executor& on) {
  const values_call<T> call{"rivus::index_add", out, size, ids, x, n, on};
  call.require();
  fold_values<combine::sums>(call);
}
template <class T>
detail::for_numbers<T> index_add_rows(T* out, index64 rows, index64 cols, indices ids, const T* x, index64 n,
                                      const executor& on) {
  sum_rows<false>("rivus::index_add_rows", "rows", out, rows, cols, ids, x, n, on);
}
template <class T>
detail::for_numbers<T> scatter_min(T* out, index64 size, indices ids, const T* x, index64 n,
                                   const executor& on) {
  const values_call<T> call{"rivus::scatter_min", out, size, ids, x, n, on};
  call.require();
  fold_values<combine::extremes<extreme::smallest>>(call);
}
template <class T>
detail::for_numbers<T> scatter_max(T* out, index64 size, indices ids, const T* x, index64 n,
                                   const executor& on) {
  const values_call<T> call{"rivus::scatter_max", out, size, ids, x, n, on};
  call.require();
  fold_values<combine::extremes<extreme::largest>>(call);
}
template <class T>
detail::for_numbers<T> scatter_prod(T* out, index64 size, indices ids, const T* x, index64 n,
                                    const executor& on) {
  const values_call<T> call{"rivus::scatter_prod", out, size, ids, x, n, on};
  call.require();
  fold_values<combine::products>(call);
}
template <class T>
detail::for_numbers<T> put(T* out, index64 size, indices ids, const T* x, index64 n, const executor& on) {
  const values_call<T> call{"rivus::put", out, size, ids, x, n, on};
  call.require();
  // The bits, NaN's too.
  using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  contributions all(ids, n, size, 1, on);
  auto* const to = reinterpret_cast<unsigned char*>(out);
  const auto* const from = reinterpret_cast<const unsigned char*>(x);
  all.visit(out, sizeof(T), [=](std::size_t, std::size_t i, std::size_t d) {
    std::memcpy(to + d * sizeof(word), from + i * sizeof(word), sizeof(word));
    return false;
  });
}
template <class T>
detail::for_numbers<T> segment_sum(indices ids, const T* x, index64 n, T* out, index64 segments,
                                   const executor& on) {
  const values_call<T> call{"rivus::segment_sum", out, segments, ids, x, n, on, "segments"};
  call.require();
  fold_values<combine::sums, true>(call);
}
template <class T>
detail::for_numbers<T> segment_sum_rows(indices ids, const T* x, index64 n, index64 cols, T* out,
                                        index64 segments, const executor& on) {
  sum_rows<true>("rivus::segment_sum_rows", "segments", out, segments, cols, ids, x, n, on);
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
  const values_call<T> call{"rivus::bincount", out, bins, ids, weights, n, on, "bins", "weights"};
  call.require();
  if constexpr (std::is_same_v<T, float>) {
    // In doubles, rounded once.
    std::vector<double> sums(bins);
    contributions all(ids, n, bins, 1, on);
    all.visit(sums.data(), sizeof(double),
              [to = sums.data(), weights](std::size_t, std::size_t i, std::size_t d) {
                to[d] = real::add(to[d], static_cast<double>(weights[i]));
                return false;
              });
    for (std::size_t d = 0; d < bins; ++d) out[d] = real::nearest_float(sums[d]);
  } else {
    fold_values<combine::sums, true>(call);
  }
}
template <class T>
detail::for_floats<T> histogram(const T* x, index64 n, detail::given_t<T> lo, detail::given_t<T> hi,
                                std::uint64_t* out, index64 bins, const executor& on) {
  detail::require_histogram("rivus::histogram", x, n, lo, hi, out, bins);
  const detail::bins_of<T> bin_of(lo, hi, bins);
  count(n, out, bins, on, [&](std::size_t i) { return std::size_t{bin_of(x[i])}; });
}
template <class T>
detail::for_floats<T> embedding_bag(const T* table, index64 rows, index64 cols, indices ids, index64 n,
                                    indices offsets, index64 bags, bag_mode mode, T* out,
                                    const executor& on) {
  const char* const who = "rivus::embedding_bag";
  require_default_environment(who);
  detail::require_bags(who, require_array(who, "out", out, bags, cols),
                       require_array(who, "table", table, rows, cols), ids, n, offsets, bags, mode);
  const detail::segments_by_offsets view = detail::require_offsets(who, offsets, bags, n);
  require_ids(who, ids, n, "rows", rows, on);
  parallel_ranges(bags, 1 + elements_per_thread / (cols + 1), on, [&](std::size_t first, std::size_t last) {
    for (std::size_t b = first; b < last; ++b) {
      T* const to = out + b * cols;
      std::fill_n(to, cols, T(0));
      for (std::size_t k = view.begin(b), end = view.end(b); k < end; ++k) {
        const T* const row = table + ids[k] * cols;
        for (std::size_t j = 0; j < cols; ++j) to[j] = real::add(to[j], row[j]);
      }
      const bool divides = mode == bag_mode::mean && view.length(b) > 0;
      const T length = static_cast<T>(view.length(b));
      for (std::size_t j = 0; j < cols; ++j)
        to[j] = real::canonical(divides ? real::div(to[j], length) : to[j]);
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
  const detail::segments_by_offsets view = detail::require_offsets(who, offsets, bags, n);
  require_ids(who, ids, n, "rows", rows, on);
  const std::size_t columns = cols;
  std::vector<T> quotients(mode == bag_mode::mean ? concurrency(on) * columns : 0);
  add_rows<false>(out, rows, cols, ids, n, on, [&](std::size_t owner, std::size_t first, std::size_t end) {
    return bag_gradient<T>(gradient, view, columns, first, end,
                           quotients.empty() ? nullptr : quotients.data() + owner * columns);
  });
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
