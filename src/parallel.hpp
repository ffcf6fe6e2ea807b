// Static ranges over the threads of an executor. What is computed never depends on how it is divided.
#ifndef RIVUS_SRC_PARALLEL_HPP
#define RIVUS_SRC_PARALLEL_HPP

#include <omp.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <rivus/executor.hpp>

#include "environment.hpp"

namespace rivus {

// How many parts of work the executor takes at most.
std::size_t concurrency(const executor& on);

// Calls body(begin, end) for disjoint ranges that cover [0, n), one a thread, with begins at multiples of
// `grain`. In this thread alone when n <= grain, when already inside a parallel region, and in the child of a
// fork. Throws what a body threw.
template <class Body>
void parallel_ranges(std::size_t n, std::size_t grain, const executor& on, const Body& body) {
  const std::size_t pieces = (n + grain - 1) / grain;
  const std::size_t most = pieces > 1 ? concurrency(on) : 1, threads = pieces < most ? pieces : most;
  if (threads <= 1) {
    if (n > 0) body(std::size_t{0}, n);
    return;
  }
  std::exception_ptr error;
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
  const auto part = [&](std::size_t me, std::size_t team) {
    const default_environment environment;
    // The first pieces % team parts take one piece more.
    const std::size_t each = pieces / team, more = pieces % team;
    const std::size_t begin = (me * each + (me < more ? me : more)) * grain;
    const std::size_t end = begin + (each + (me < more)) * grain;
    try {
      if (begin < n) body(begin, end < n ? end : n);
    } catch (...) {
      if (!failed.test_and_set()) error = std::current_exception();
    }
  };
  if (on.is_openmp()) {
#pragma omp parallel num_threads(static_cast <int>(threads))
    part(static_cast<std::size_t>(omp_get_thread_num()), static_cast<std::size_t>(omp_get_num_threads()));
  } else {
    on.run(threads, [&](std::size_t i) { part(i, threads); });
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace rivus

#endif
