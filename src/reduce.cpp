#include <memory>
#include <rivus/arguments.hpp>
#include <rivus/order.hpp>
#include <rivus/real.hpp>
#include <rivus/reduce.hpp>
#include <rivus/runtime.hpp>
#include <string>

#include "kernels.hpp"
#include "parallel.hpp"

namespace rivus {
namespace {

using detail::require_values;

// Below this many chunks a second thread costs more than it brings.
constexpr std::size_t chunks_per_thread = 32;

template <class T>
T sum_of_values(const T* x, std::size_t n, const executor& on);

// The results of the chunks, computed by chunk(first_element, elements, results), and summed like any other
// values.
template <class T, class Chunk>
T reduce(std::size_t n, const executor& on, const Chunk& chunk) {
  const std::size_t count = order::chunks(n);
  constexpr std::size_t few = 512;
  T on_stack[few];
  const std::unique_ptr<T[]> on_heap(count > few ? new T[count] : nullptr);
  T* const partial = on_heap ? on_heap.get() : on_stack;
  parallel_ranges(count, chunks_per_thread, on, [&](std::size_t begin, std::size_t end) {
    const std::size_t first = begin * order::chunk;
    chunk(first, (end * order::chunk < n ? end * order::chunk : n) - first, partial + begin);
  });
  return count == 1 ? real::canonical(partial[0]) : sum_of_values(partial, count, on);
}

template <class T>
T sum_of_values(const T* x, std::size_t n, const executor& on) {
  const auto& kernel = active_kernels().linear<T>();
  return reduce<T>(n, on, [&](std::size_t i, std::size_t m, T* results) { kernel.sum(x + i, m, results); });
}

template <class T>
T sum_of(const T* x, std::size_t n, const executor& on) {
  require_default_environment("rivus::sum");
  require_values("rivus::sum", "x", x, n);
  if (n == 0) return T(0);
  return sum_of_values(x, n, on);
}

template <class T>
T dot_of(const T* x, const T* y, std::size_t n, const executor& on) {
  require_default_environment("rivus::dot");
  require_values("rivus::dot", "x", x, n);
  require_values("rivus::dot", "y", y, n);
  if (n == 0) return T(0);
  const auto& kernel = active_kernels().linear<T>();
  return reduce<T>(n, on,
                   [&](std::size_t i, std::size_t m, T* results) { kernel.dot(x + i, y + i, m, results); });
}

}  // namespace

float sum(const float* x, index64 n, const executor& on) { return sum_of(x, n, on); }
double sum(const double* x, index64 n, const executor& on) { return sum_of(x, n, on); }
float dot(const float* x, const float* y, index64 n, const executor& on) { return dot_of(x, y, n, on); }
double dot(const double* x, const double* y, index64 n, const executor& on) { return dot_of(x, y, n, on); }

}  // namespace rivus
