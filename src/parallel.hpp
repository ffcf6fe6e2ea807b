// Static ranges over OpenMP's threads. What is computed never depends on how it is divided.
#ifndef RIVUS_SRC_PARALLEL_HPP
#define RIVUS_SRC_PARALLEL_HPP

#include <omp.h>

#include <cstddef>

#include "environment.hpp"

namespace rivus {

// False in the child of a fork: OpenMP's threads stayed behind in the parent, and GNU's runtime would wait
// for them.
bool has_threads();

// Calls body(begin, end) for disjoint ranges that cover [0, n), one a thread, with begins at multiples of
// `grain`. In this thread alone when n <= grain, when already inside a parallel region, and in the child of a
// fork.
template <class Body>
void parallel_ranges(std::size_t n, std::size_t grain, const Body& body) {
  const std::size_t pieces = (n + grain - 1) / grain;
  const auto most = static_cast<std::size_t>(omp_in_parallel() || !has_threads() ? 1 : omp_get_max_threads());
  const std::size_t threads = pieces < most ? pieces : most;
  if (threads <= 1) {
    if (n > 0) body(std::size_t{0}, n);
    return;
  }
#pragma omp parallel num_threads(static_cast <int>(threads))
  {
    const default_environment environment;
    const auto team = static_cast<std::size_t>(omp_get_num_threads());
    const auto me = static_cast<std::size_t>(omp_get_thread_num());
    // The first pieces % team threads take one piece more.
    const std::size_t each = pieces / team, more = pieces % team;
    const std::size_t begin = (me * each + (me < more ? me : more)) * grain;
    const std::size_t end = begin + (each + (me < more)) * grain;
    if (begin < n) body(begin, end < n ? end : n);
  }
}

}  // namespace rivus

#endif
