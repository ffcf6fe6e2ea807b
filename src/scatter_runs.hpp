// Contributions in the order of their destinations: a run holds those to one destination, in source order.
#ifndef RIVUS_SRC_SCATTER_RUNS_HPP
#define RIVUS_SRC_SCATTER_RUNS_HPP

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <rivus/arguments.hpp>
#include <utility>
#include <vector>

#include "parallel.hpp"

namespace rivus {
namespace {

// Below this many contributions a second thread costs more than it brings.
constexpr std::size_t contributions_per_thread = 8192;

using detail::index_words;

// Number i, with its sign.
std::string text_of(const indices& ids, std::size_t i) {
  return ids.is_negative(i) ? "-" + detail::text_of(0 - ids[i]) : detail::text_of(ids[i]);
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

// Whether ids ascend. Errors: std::invalid_argument for the first that is not in [0, size).
bool require_ids(const char* who, const indices& ids, std::size_t n, const char* limit, std::size_t size,
                 const executor& on) {
  std::atomic<bool> ascending{true};
  std::atomic<std::size_t> first_bad{n};
  parallel_ranges(n, contributions_per_thread, on, [&](std::size_t begin, std::size_t end) {
    bool all = true, up = true;
    ids.visit([&](const auto& words) {
      for (std::size_t i = begin; i < end; ++i) all &= words[i] < size;
      // Where all are valid there is no sign.
      for (std::size_t i = std::max(begin, std::size_t{1}); i < end; ++i)
        up &= words.word(i - 1) <= words.word(i);
    });
    if (!up) ascending = false;
    if (all) return;
    std::size_t bad = begin, least = first_bad;
    while (ids[bad] < size) ++bad;
    while (bad < least && !first_bad.compare_exchange_weak(least, bad)) {
    }
  });
  if (first_bad < n) {
    detail::refuse(who, "ids[" + detail::text_of(first_bad.load()) + "] = " + text_of(ids, first_bad) +
                            " is not in [0, " + limit + "), " + limit + " = " + detail::text_of(size));
  }
  return ascending;
}

// Contributions by destination: contribution k goes to destination(k), which ascends, and comes from source(k). One
// type for all, as the widths would multiply what is compiled. Sorted values of 32 bits come along themselves, in the
// place of their sources, as to look them up in source order again costs more than the sort.
class runs {
 public:
  template <class P>
  struct entry {
    P destination, source;
  };

  // Valid ids of 32 or 64 bits that ascend as they are: contribution k comes from source k.
  runs(const indices& ids, std::size_t n)
      : n_(n), kind_(ids.bytes() == 4 ? kind::ids32 : kind::ids64), data_(ids.data()) {}
  runs(std::unique_ptr<entry<std::uint32_t>[]> entries, std::size_t n, bool have_values)
      : n_(n),
        kind_(kind::entries32),
        have_values_(have_values),
        data_(entries.get()),
        own32_(std::move(entries)) {}
  runs(std::unique_ptr<entry<std::uint64_t>[]> entries, std::size_t n, bool)
      : n_(n), kind_(kind::entries64), data_(entries.get()), own64_(std::move(entries)) {}

  std::size_t size() const { return n_; }
  bool in_place() const { return kind_ <= kind::ids64; }
  // use(destination), destination(k) being that of contribution k.
  template <class Use>
  void with_destinations(const Use& use) const {
    switch (kind_) {
      case kind::ids32:
        return use(
            [p = index_words<std::uint32_t>{data_, 0}](std::size_t k) { return std::size_t{p.word(k)}; });
      case kind::ids64:
        return use(
            [p = index_words<std::uint64_t>{data_, 0}](std::size_t k) { return std::size_t{p.word(k)}; });
      case kind::entries32:
        return use([p = entries<std::uint32_t>()](std::size_t k) { return std::size_t{p[k].destination}; });
      case kind::entries64:
        return use([p = entries<std::uint64_t>()](std::size_t k) { return std::size_t{p[k].destination}; });
    }
  }
  // Not where the values came along.
  std::size_t source(std::size_t k) const {
    if (in_place()) return k;
    return kind_ == kind::entries32 ? entries<std::uint32_t>()[k].source : entries<std::uint64_t>()[k].source;
  }
  // The values of contributions k, ..., k + n - 1, of which x has the one of source i at x[i].
  template <class T>
  void values(const T* x, std::size_t k, std::size_t n, T* to) const {
    if constexpr (sizeof(T) == sizeof(std::uint32_t)) {
      if (have_values_) {
        const auto* const from = entries<std::uint32_t>() + k;
        for (std::size_t i = 0; i < n; ++i) to[i] = std::bit_cast<T>(from[i].source);
        return;
      }
    }
    for (std::size_t i = 0; i < n; ++i) to[i] = x[source(k + i)];
  }
  template <class T>
  T value(const T* x, std::size_t k) const {
    T v;
    values(x, k, 1, &v);
    return v;
  }

 private:
  enum class kind { ids32, ids64, entries32, entries64 };

  template <class P>
  const entry<P>* entries() const {
    return static_cast<const entry<P>*>(data_);
  }

  std::size_t n_;
  kind kind_;
  bool have_values_ = false;
  const void* data_;
  std::unique_ptr<entry<std::uint32_t>[]> own32_;
  std::unique_ptr<entry<std::uint64_t>[]> own64_;
};

// Stable, by counting a digit of at most 11 bits at a time, the lowest first. sources[i] is where contribution i comes
// from, i itself where that is null; with values, n words, it carries words[i] instead.
template <class P>
runs sort_runs(const indices& ids, std::size_t n, std::size_t size, const executor& on,
               const std::size_t* sources, const void* words = nullptr) {
  using entry = runs::entry<P>;
  const int bits = std::max(static_cast<int>(std::bit_width(size - 1)), 1);
  const int passes = (bits + 10) / 11, digit_bits = (bits + passes - 1) / passes;
  const std::size_t buckets = std::size_t{1} << digit_bits;
  const std::size_t parts =
      std::clamp<std::size_t>(n / contributions_per_thread, 1, std::max(concurrency(on), std::size_t{1}));
  std::unique_ptr<entry[]> to(new entry[n]), from(passes > 1 ? new entry[n] : nullptr);
  std::vector<std::size_t> places(parts * buckets);

  const auto pass = [&](int shift, const auto& read) {
    const auto digit = [&](const entry& e) {
      return static_cast<std::size_t>(e.destination >> shift) & (buckets - 1);
    };
    for_each_part(n, parts, on, [&](std::size_t p, std::size_t begin, std::size_t end) {
      std::size_t* const counts = &places[p * buckets];
      std::fill_n(counts, buckets, std::size_t{0});
      for (std::size_t i = begin; i < end; ++i) ++counts[digit(read(i))];
    });
    std::size_t sum = 0;
    for (std::size_t b = 0; b < buckets; ++b) {
      for (std::size_t p = 0; p < parts; ++p) sum += std::exchange(places[p * buckets + b], sum);
    }
    for_each_part(n, parts, on, [&](std::size_t p, std::size_t begin, std::size_t end) {
      std::size_t* const place = &places[p * buckets];
      for (std::size_t i = begin; i < end; ++i) {
        const entry e = read(i);
        to[place[digit(e)]++] = e;
      }
    });
  };
  const auto word = [&](std::size_t i) {
    std::uint32_t w;
    std::memcpy(&w, static_cast<const unsigned char*>(words) + i * sizeof w, sizeof w);
    return w;
  };
  ids.visit([&](const auto& id) {
    pass(0, [&](std::size_t i) {
      return entry{static_cast<P>(id.word(i)), static_cast<P>(words != nullptr     ? word(i)
                                                              : sources != nullptr ? sources[i]
                                                                                   : i)};
    });
  });
  for (int p = 1; p < passes; ++p) {
    std::swap(from, to);
    pass(p * digit_bits, [&](std::size_t i) { return from[i]; });
  }
  return {std::move(to), n, words != nullptr};
}

// The runs of ids, which are valid and ascend or not; sources, where given, are below source_count.
runs runs_of(const indices& ids, std::size_t n, std::size_t size, bool ascending, const executor& on,
             const std::size_t* sources = nullptr, std::size_t source_count = 0) {
  if (ascending && ids.bytes() >= 4 && sources == nullptr) return {ids, n};
  constexpr std::size_t narrow = std::size_t{1} << 32;
  if (size <= narrow && std::max(n, source_count) <= narrow)
    return sort_runs<std::uint32_t>(ids, n, size, on, sources);
  return sort_runs<std::uint64_t>(ids, n, size, on, sources);
}

// The same of contributions that are the values x.
template <class T>
runs runs_of_values(const indices& ids, const T* x, std::size_t n, std::size_t size, bool ascending,
                    const executor& on) {
  if (!ascending && sizeof(T) == sizeof(std::uint32_t) && size <= std::size_t{1} << 32)
    return sort_runs<std::uint32_t>(ids, n, size, on, nullptr, x);
  return runs_of(ids, n, size, ascending, on);
}

// body(destination, begin, end) for every run [begin, end) of contributions. A run belongs to the thread in
// whose range it begins.
template <class Body>
void for_each_run(const runs& all, std::size_t grain, const executor& on, const Body& body) {
  all.with_destinations([&](const auto& destination_of) {
    parallel_ranges(all.size(), grain, on, [&](std::size_t begin, std::size_t end) {
      std::size_t k = begin;
      if (k > 0) {
        while (k < end && destination_of(k) == destination_of(k - 1)) ++k;
      }
      while (k < end) {
        const std::size_t first = k, destination = destination_of(k);
        do ++k;
        while (k < all.size() && destination_of(k) == destination);
        body(destination, first, k);
      }
    });
  });
}

}  // namespace
}  // namespace rivus

#endif
