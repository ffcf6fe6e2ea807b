// What becomes of the contributions to one destination: sums and products in the shape of sum/v1, extremes.
#ifndef RIVUS_SRC_SCATTER_FOLD_HPP
#define RIVUS_SRC_SCATTER_FOLD_HPP

#include <algorithm>
#include <rivus/order.hpp>
#include <rivus/real.hpp>
#include <type_traits>

#include "kernels.hpp"
#include "scatter_runs.hpp"

namespace rivus {
namespace {

template <class T>
T canonical_of(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return real::canonical(x);
  } else {
    return x;
  }
}

// identity is what lanes without an element hold: it changes nothing, so that they may as well be left out.
template <class T>
struct adding {
  static constexpr T identity = T(-0.0);
  static T combine(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return real::add(a, b);
    } else {
      using word = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<word>(a) + static_cast<word>(b));
    }
  }
};
template <class T>
struct multiplying {
  static constexpr T identity = T(1);
  static T combine(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return real::mul(a, b);
    } else {
      using word = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<word>(a) * static_cast<word>(b));
    }
  }
};
// The least or the greatest. NaN wins; of equal values, which may be zeros, the sign bit decides.
template <class T, bool Greatest>
struct extreme {
  static T combine(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (real::is_nan(a) || real::is_nan(b)) return real::quiet_nan<T>();
      if (real::less(a, b)) return Greatest ? b : a;
      if (real::less(b, a)) return Greatest ? a : b;
      return real::top_bit(real::to_bits(a)) == Greatest ? b : a;
    } else {
      return (a < b) == Greatest ? b : a;
    }
  }
};

// The shape of sum/v1 over rows of at most Width columns that come one by one: lanes on each level.
template <class Op, class T, std::size_t Width>
class level_fold {
 public:
  explicit level_fold(std::size_t width) : width_(width) {}
  level_fold(const level_fold&) = delete;
  level_fold& operator=(const level_fold&) = delete;

  template <class Row>
  void enter(const Row& row) {
    enter(0, row);
  }
  // Of at least one row.
  const T* result() {
    for (int level = 0;; ++level) {
      if (count_[level] == 1) return lane_[level][0];
      const std::uint64_t rest = count_[level] % order::chunk;
      if (rest > 0) {
        fold(level, rest);
        enter(level + 1, lane_[level][0]);
      }
    }
  }

 private:
  // 2048^6 is 2^66.
  static constexpr int levels = 6;

  std::size_t width() const { return Width == 1 ? 1 : width_; }

  template <class Row>
  void enter(int level, const Row& row) {
    const std::uint64_t at = count_[level] % order::chunk;
    T* const lane = lane_[level][at % order::lanes];
    if (at < order::lanes) {
      for (std::size_t j = 0; j < width(); ++j) lane[j] = row[j];
    } else {
      for (std::size_t j = 0; j < width(); ++j) lane[j] = Op::combine(lane[j], row[j]);
    }
    ++count_[level];
    if (at + 1 == order::chunk) {
      fold(level, order::lanes);
      enter(level + 1, lane_[level][0]);
    }
  }
  void fold(int level, std::uint64_t present) {
    for (std::uint64_t half = order::lanes / 2; half >= 1; half /= 2) {
      for (std::uint64_t l = 0; l < half && l + half < present; ++l) {
        T* const a = lane_[level][l];
        const T* const b = lane_[level][l + half];
        for (std::size_t j = 0; j < width(); ++j) a[j] = Op::combine(a[j], b[j]);
      }
      present = std::min(present, half);
    }
  }

  std::size_t width_;
  std::uint64_t count_[levels + 1] = {};
  T lane_[levels][order::lanes][Width];
};

// 0 < n <= order::chunk. Overwrites x.
template <class Op, class T>
T fold_chunk(T* x, std::size_t n) {
  if constexpr (std::is_floating_point_v<T> && std::is_same_v<Op, adding<T>>) {
    if (n > order::lanes) {
      T result;
      active_kernels().linear<T>().sum(x, n, &result);
      return result;
    }
  }
  for (std::size_t i = order::lanes; i < n; i += order::lanes) {
    const std::size_t row = std::min<std::size_t>(order::lanes, n - i);
    for (std::size_t l = 0; l < row; ++l) x[l] = Op::combine(x[l], x[i + l]);
  }
  for (std::size_t half = order::lanes / 2; half >= 1; half /= 2) {
    for (std::size_t l = 0; l < half && l + half < n; ++l) x[l] = Op::combine(x[l], x[l + half]);
    n = std::min(n, half);
  }
  return x[0];
}

// The contributions [begin, end) of x, in the shape of sum/v1.
template <class Op, class T>
T fold_run(const runs& all, const T* x, std::size_t begin, std::size_t end) {
  if (end - begin == 1) return all.value(x, begin);
  T values[order::chunk];
  const auto chunk_at = [&](std::size_t k) {
    const std::size_t m = std::min(end - k, order::chunk);
    if constexpr (std::is_floating_point_v<T> && std::is_same_v<Op, adding<T>>) {
      if (m > order::lanes && all.in_place()) {
        T result;
        active_kernels().linear<T>().sum(x + k, m, &result);
        return result;
      }
    }
    all.values(x, k, m, values);
    return fold_chunk<Op>(values, m);
  };
  if (end - begin <= order::chunk) return chunk_at(begin);
  level_fold<Op, T, 1> results(1);
  for (std::size_t k = begin; k < end; k += order::chunk) {
    const T result = chunk_at(k);
    results.enter(&result);
  }
  return *results.result();
}

}  // namespace
}  // namespace rivus

#endif
