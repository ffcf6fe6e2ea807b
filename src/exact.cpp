#include <algorithm>
#include <mutex>
#include <rivus/arguments.hpp>
#include <rivus/exact.hpp>

#include "kernels.hpp"
#include "parallel.hpp"

namespace rivus {
namespace detail {
namespace {

// Below this many elements a second thread costs more than it brings.
constexpr std::size_t elements_per_thread = 65536;

// What add(begin, end, limbs) adds for [0, n), in pieces of any threads: the limbs come together in any order.
template <class V, class W, class Add>
void add_in_parts(exact_limbs<W>& to, std::size_t n, const executor& on, const Add& add) {
  std::mutex merging;
  parallel_ranges(n, elements_per_thread, on, [&](std::size_t begin, std::size_t end) {
    if constexpr (std::is_same_v<V, W>) {
      if (begin == 0 && end == n) return add(begin, end, to);
    }
    exact_limbs<V> part;
    add(begin, end, part);
    const std::lock_guard lock(merging);
    to.add(part);
  });
}

// Values of 16 bits, widened some at a time.
constexpr std::size_t widened_together = 4096;
template <class H>
void widen_all(const H* x, std::size_t n, float* wide) {
  for (std::size_t i = 0; i < n; ++i) wide[i] = real::widen(x[i]);
}

template <class T, class W>
void add_values(const char* who, exact_limbs<W>& to, const T* x, std::size_t n, const executor& on) {
  require_default_environment(who);
  require_values(who, "x", x, n);
  const auto kernel = active_kernels().exact<W>().sum;
  add_in_parts<W>(to, n, on, [&](std::size_t begin, std::size_t end, exact_limbs<W>& part) {
    if constexpr (std::is_same_v<T, W>) {
      kernel(x + begin, end - begin, part);
    } else {
      float wide[widened_together];
      for (std::size_t i = begin; i < end; i += widened_together) {
        const std::size_t m = std::min(end - i, widened_together);
        widen_all(x + i, m, wide);
        kernel(wide, m, part);
      }
    }
  });
}

// Products are exact in double, or in two doubles: their limbs are always those of double.
template <class T, class W>
void add_products(const char* who, exact_limbs<W>& to, const T* x, const T* y, std::size_t n,
                  const executor& on) {
  require_default_environment(who);
  require_values(who, "x", x, n);
  require_values(who, "y", y, n);
  const auto kernel = active_kernels().exact<W>().dot;
  add_in_parts<double>(to, n, on, [&](std::size_t begin, std::size_t end, exact_limbs<double>& part) {
    if constexpr (std::is_same_v<T, W>) {
      kernel(x + begin, y + begin, end - begin, part);
    } else {
      float wide_x[widened_together], wide_y[widened_together];
      for (std::size_t i = begin; i < end; i += widened_together) {
        const std::size_t m = std::min(end - i, widened_together);
        widen_all(x + i, m, wide_x);
        widen_all(y + i, m, wide_y);
        kernel(wide_x, wide_y, m, part);
      }
    }
  });
}

}  // namespace

#define RIVUS_EXACT(T, W)                                                                              \
  void exact_add(const char* who, exact_limbs<W>& to, const T* x, std::size_t n, const executor& on) { \
    add_values(who, to, x, n, on);                                                                     \
  }                                                                                                    \
  void exact_add_products(const char* who, exact_limbs<W>& to, const T* x, const T* y, std::size_t n,  \
                          const executor& on) {                                                        \
    add_products(who, to, x, y, n, on);                                                                \
  }
RIVUS_EXACT(float, float)
RIVUS_EXACT(double, double)
RIVUS_EXACT(f16, float)
RIVUS_EXACT(bf16, float)
#undef RIVUS_EXACT

}  // namespace detail

namespace {

template <class T>
using limbs_of = detail::exact_limbs<decltype(real::widen(T{}))>;

template <class T>
T sum_of(const T* x, std::size_t n, const executor& on) {
  limbs_of<T> limbs;
  detail::exact_add("rivus::exact_sum", limbs, x, n, on);
  return limbs.template rounded<T>();
}
template <class T>
T dot_of(const T* x, const T* y, std::size_t n, const executor& on) {
  limbs_of<T> limbs;
  detail::exact_add_products("rivus::exact_dot", limbs, x, y, n, on);
  return limbs.template rounded<T>();
}

}  // namespace

#define RIVUS_EXACT(T)                                                                \
  T exact_sum(const T* x, index64 n, const executor& on) { return sum_of(x, n, on); } \
  T exact_dot(const T* x, const T* y, index64 n, const executor& on) { return dot_of(x, y, n, on); }
RIVUS_EXACT(float)
RIVUS_EXACT(double)
RIVUS_EXACT(f16)
RIVUS_EXACT(bf16)
#undef RIVUS_EXACT

}  // namespace rivus
