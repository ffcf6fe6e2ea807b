#include <cfenv>
#include <cstdint>
#include <rivus/runtime.hpp>
#include <stdexcept>
#include <string>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace rivus {
namespace {

struct float_modes {
  bool flushes_subnormals;
  bool rounds_to_nearest;
};

// From the register that vector code obeys: fegetround may look at another one.
float_modes modes_of_thread() {
#if defined(__x86_64__)
  constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040, rounding = 0x6000;
  const unsigned mxcsr = _mm_getcsr();
  return {(mxcsr & (flush_to_zero | denormals_are_zero)) != 0, (mxcsr & rounding) == 0};
#elif defined(__aarch64__)
  std::uint64_t fpcr;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
  return {(fpcr >> 24 & 1) != 0, (fpcr >> 22 & 3) == 0};
#else
  const volatile float smallest = 0x1p-126f;
  const volatile float half = smallest / 2;
  return {half == 0, std::fegetround() == FE_TONEAREST};
#endif
}

}  // namespace

void require_default_environment(const char* who) {
  if (detail::has_default_environment()) return;
  const float_modes modes = modes_of_thread();
  if (modes.flushes_subnormals) {
    throw std::runtime_error(std::string(who) +
                             ": this thread flushes subnormal numbers to zero, which changes values; clear "
                             "flush-to-zero and denormals-are-zero around the call");
  }
  if (!modes.rounds_to_nearest) {
    throw std::runtime_error(std::string(who) +
                             ": this thread does not round to nearest, which changes values; call "
                             "fesetround(FE_TONEAREST) first");
  }
}

}  // namespace rivus
