// refuse: how a call says that it was given something wrong. Not for kernels.
#ifndef RIVUS_REFUSE_HPP
#define RIVUS_REFUSE_HPP

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace rivus::detail {

// Throws std::invalid_argument("who: what"); in code compiled without exceptions says the same and aborts.
[[noreturn, gnu::cold, gnu::noinline]] inline void refuse(const char* who, const std::string& what) {
#if defined(__cpp_exceptions)
  throw std::invalid_argument(who + (": " + what));
#else
  std::fprintf(stderr, "%s: %s\n", who, what.c_str());
  std::abort();
#endif
}

}  // namespace rivus::detail

#endif
