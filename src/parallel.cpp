#include "parallel.hpp"

#include <pthread.h>

#include <atomic>

namespace rivus {
namespace {

std::atomic<bool> forked{false};
// As the library is loaded, for threads may have been started by others too.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] { forked = true; });

}  // namespace

bool has_threads() { return !forked; }

}  // namespace rivus
