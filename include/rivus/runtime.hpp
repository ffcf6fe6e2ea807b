// runtime: what the bulk calls run on.
#ifndef RIVUS_RUNTIME_HPP
#define RIVUS_RUNTIME_HPP

#include <rivus/config.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace rivus {

// The instruction sets that host kernels are built for. Results never depend on which one runs.
enum class isa { scalar, avx2, avx512, neon };

// "scalar", "avx2" (AVX2 with FMA), "avx512" (F, DQ, BW, VL), "neon".
const char* name(isa set);

// The instruction set so called. Errors: std::invalid_argument, quoting the text.
isa isa_from_name(std::string_view text);

// Those that this machine has and this build contains, scalar first and the best last.
std::vector<isa> available_isas();

// The one in use: by default the best, or the one that the environment variable RIVUS_ISA names.
// Errors: std::invalid_argument when RIVUS_ISA names none that is available.
isa active_isa();

// Chooses one for the whole process. Errors: std::invalid_argument when it is not available.
// Thread safety: may be called at any time; calls already running finish with the one they began with.
void set_isa(isa set);

namespace detail {

// Whether this thread rounds to nearest and keeps subnormals, seen by what it computes: reading the control
// register waits on AMD for all arithmetic before it, for longer than a short fill takes. The subnormal comes
// from a conversion, as on Intel one that comes from an addition costs 50 ns.
inline bool has_default_environment() noexcept {
  const volatile double half_of_least_normal = 0x1p-127;
  const volatile float one_ = 1;
  const float one = one_, subnormal = static_cast<float>(half_of_least_normal);
  return subnormal + 0x1p-126f == 0x1.8p-126f && one + 0x1p-25f == one && one + 0x1.8p-24f != one;
}

}  // namespace detail

// Errors: std::runtime_error, beginning with `who`, if this thread flushes subnormal numbers or does not
// round to nearest, either of which would change values. Every bulk call begins with it; it computes with a
// subnormal, which traps where FE_UNDERFLOW does.
void require_default_environment(const char* who);

// Of the library that is linked, as RIVUS_VERSION_STRING is of the headers.
const char* version();

}  // namespace rivus

#endif
