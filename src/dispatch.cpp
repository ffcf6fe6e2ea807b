#include <atomic>
#include <cstdlib>
#include <rivus/arguments.hpp>
#include <stdexcept>

#include "kernels.hpp"

namespace rivus {
namespace {

// Best last.
std::vector<const kernels*> available() {
  std::vector<const kernels*> found{&scalar_kernels};
#if defined(RIVUS_HAVE_AVX2)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c"))
    found.push_back(&avx2_kernels);
#endif
#if defined(RIVUS_HAVE_AVX512)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    found.push_back(&avx512_kernels);
  }
#endif
#if defined(RIVUS_HAVE_NEON)
  found.push_back(&neon_kernels);
#endif
  return found;
}

std::string available_names() {
  std::string names;
  for (const kernels* k : available()) names += (names.empty() ? "" : ", ") + std::string(name(k->set));
  return names;
}

const kernels& find(isa set) {
  for (const kernels* k : available()) {
    if (k->set == set) return *k;
  }
  throw std::invalid_argument("rivus: instruction set '" + std::string(name(set)) +
                              "' is not available on this machine; it has " + available_names());
}

const kernels& initial() {
  const char* wanted = std::getenv("RIVUS_ISA");
  if (wanted == nullptr || *wanted == '\0') return *available().back();
  try {
    return find(isa_from_name(wanted));
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument(std::string(e.what()) + " (from the environment variable RIVUS_ISA)");
  }
}

std::atomic<const kernels*> chosen{nullptr};

}  // namespace

const kernels& active_kernels() {
  const kernels* k = chosen.load(std::memory_order_acquire);
  if (k != nullptr) return *k;
  // Threads that meet here choose alike; a set_isa that came between stands.
  const kernels* none = nullptr;
  chosen.compare_exchange_strong(none, &initial(), std::memory_order_acq_rel);
  return *chosen.load(std::memory_order_acquire);
}

const char* name(isa set) {
  switch (set) {
    case isa::scalar:
      return "scalar";
    case isa::avx2:
      return "avx2";
    case isa::avx512:
      return "avx512";
    case isa::neon:
      return "neon";
  }
  return "unknown";
}

isa isa_from_name(std::string_view text) {
  for (const isa set : {isa::scalar, isa::avx2, isa::avx512, isa::neon}) {
    if (text == name(set)) return set;
  }
  throw std::invalid_argument(
      "rivus: '" + std::string(text) +
      "' is not an instruction set; it must be scalar, avx2, avx512 or neon, and this machine has " +
      available_names());
}

std::vector<isa> available_isas() {
  std::vector<isa> sets;
  for (const kernels* k : available()) sets.push_back(k->set);
  return sets;
}

isa active_isa() { return active_kernels().set; }

void set_isa(isa set) {
  detail::require_enumerator("rivus::set_isa", "set", set, isa::neon, "an instruction set");
  chosen.store(&find(set), std::memory_order_release);
}

const char* version() { return RIVUS_VERSION_STRING; }

}  // namespace rivus
