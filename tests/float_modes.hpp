// The floating-point modes that rivus refuses to compute in.
#ifndef RIVUS_TESTS_FLOAT_MODES_HPP
#define RIVUS_TESTS_FLOAT_MODES_HPP

#include <gtest/gtest.h>

#include <cfenv>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace rivus::test {

// The control bits of the register that float arithmetic obeys (not the flags of what has happened).
struct float_mode {
  std::uint64_t control = 0;

  bool operator==(const float_mode&) const = default;

#if defined(__x86_64__)
  static float_mode current() { return {_mm_getcsr() & 0xFFC0u}; }
  static void apply(float_mode m) {
    _mm_setcsr((_mm_getcsr() & ~0xFFC0u) | static_cast<unsigned>(m.control));
  }
  static constexpr std::uint64_t flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
  static constexpr std::uint64_t upward = 0x4000, toward_zero = 0x6000;
#elif defined(__aarch64__)
  static float_mode current() {
    std::uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return {fpcr};
  }
  static void apply(float_mode m) { __asm__ volatile("msr fpcr, %0" : : "r"(m.control)); }
  static constexpr std::uint64_t flush_to_zero = std::uint64_t{1} << 24, denormals_are_zero = flush_to_zero;
  static constexpr std::uint64_t upward = std::uint64_t{1} << 22, toward_zero = std::uint64_t{3} << 22;
#endif

  // That of the main thread, which nothing has changed when it is asked for first.
  static float_mode standard() {
    static const float_mode at_start = current();
    return at_start;
  }
};

// f(a word of the complaint) in each of those modes.
template <class F>
void for_each_float_mode(F f) {
  const float_mode standard = float_mode::standard();
  const struct {
    const char* name;
    std::uint64_t bits;
    const char* complaint;
  } modes[] = {{"flush to zero", float_mode::flush_to_zero, "subnormal"},
               {"denormals are zero", float_mode::denormals_are_zero, "subnormal"},
               {"upward", float_mode::upward, "nearest"},
               {"toward zero", float_mode::toward_zero, "nearest"}};
  for (const auto& mode : modes) {
    SCOPED_TRACE(mode.name);
    float_mode::apply({standard.control | mode.bits});
    f(mode.complaint);
    float_mode::apply(standard);
  }
}

}  // namespace rivus::test

#endif
