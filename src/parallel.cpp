#include "parallel.hpp"

#include <pthread.h>

#include <atomic>

namespace rivus {
namespace {

// In the child of a fork: OpenMP's threads stayed behind in the parent, and GNU's runtime would wait for them.
std::atomic<bool> forked{false};
// As the library is loaded, for threads may have been started by others too.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] { forked = true; });

}  // namespace

std::size_t concurrency(const executor& on) {
  if (!on.is_openmp()) return on.threads();
  return omp_in_parallel() || forked ? 1 : static_cast<std::size_t>(omp_get_max_threads());
}

}  // namespace rivus
