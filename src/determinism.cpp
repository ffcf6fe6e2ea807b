#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <rivus/arguments.hpp>
#include <rivus/determinism.hpp>
#include <set>
#include <string_view>

namespace rivus {
namespace {

constexpr determinism_mode modes[] = {determinism_mode::off, determinism_mode::warn, determinism_mode::error};

determinism_settings initial() {
  const char* wanted = std::getenv("RIVUS_DETERMINISTIC");
  if (wanted == nullptr || *wanted == '\0') return {};
  for (const determinism_mode mode : modes) {
    if (std::string_view(wanted) == name(mode)) return {mode, determinism::everywhere};
  }
  throw std::invalid_argument("rivus: the environment variable RIVUS_DETERMINISTIC = '" +
                              std::string(wanted) + "' must be off, warn or error");
}

// Both settings in one word, so that no thread sees half of a change.
constexpr int unset = -1;
constexpr int packed(determinism_settings s) {
  return static_cast<int>(s.mode) << 8 | static_cast<int>(s.level);
}
determinism_settings unpacked(int word) {
  return {static_cast<determinism_mode>(word >> 8), static_cast<determinism>(word & 0xff)};
}

void require_settings(const char* who, determinism_mode mode, determinism level) {
  detail::require_enumerator(who, "mode", mode, determinism_mode::error, "a determinism_mode");
  detail::require_enumerator(who, "level", level, determinism::everywhere, "a level of determinism");
}

std::atomic<int> of_process{unset};
thread_local std::optional<determinism_settings> of_thread;

void print_warning(const char* text) { std::fprintf(stderr, "%s\n", text); }
std::atomic<warning_handler> handler{print_warning};

// Whether this is the first call in the process for that operation.
bool is_first(const char* operation) {
  static std::mutex guard;
  // Never destroyed: an operation may run while the process ends.
  static auto& seen = *new std::set<std::string, std::less<>>;
  const std::lock_guard lock(guard);
  return seen.emplace(operation).second;
}

std::string alert(const char* operation, const char* dtype, const char* device, std::string_view alternative,
                  determinism has, determinism asked) {
  std::string text = "rivus: " + std::string(operation) + " of " + dtype + " on " + device + " is " +
                     name(has) + ", but " + name(asked) + " is asked for; ";
  if (alternative.empty()) return text + "there is no alternative";
  return text.append("use ").append(alternative).append(" instead");
}

}  // namespace

const char* name(determinism level) {
  switch (level) {
    case determinism::not_guaranteed:
      return "not_guaranteed";
    case determinism::run_to_run:
      return "run_to_run";
    case determinism::gpu_to_gpu:
      return "gpu_to_gpu";
    case determinism::everywhere:
      return "everywhere";
  }
  return "unknown";
}

const char* name(determinism_mode mode) {
  switch (mode) {
    case determinism_mode::off:
      return "off";
    case determinism_mode::warn:
      return "warn";
    case determinism_mode::error:
      return "error";
  }
  return "unknown";
}

void use_deterministic_algorithms(determinism_mode mode, determinism level) {
  require_settings("rivus::use_deterministic_algorithms", mode, level);
  of_process.store(packed({mode, level}));
}

determinism_settings active_determinism() {
  if (of_thread) return *of_thread;
  int word = of_process.load();
  if (word == unset) {
    // Threads that meet here read alike; settings that came between stand.
    const int first = packed(initial());
    if (of_process.compare_exchange_strong(word, first)) word = first;
  }
  return unpacked(word);
}

deterministic_scope::deterministic_scope(determinism_mode mode, determinism level) : before_(of_thread) {
  require_settings("rivus::deterministic_scope", mode, level);
  of_thread = determinism_settings{mode, level};
}
deterministic_scope::~deterministic_scope() { of_thread = before_; }

warning_handler set_warning_handler(warning_handler next) {
  return handler.exchange(next == nullptr ? print_warning : next);
}

void require_cublas_workspace_config() {
  const char* const value = std::getenv("CUBLAS_WORKSPACE_CONFIG");
  const std::string_view text = value == nullptr ? "" : value;
  if (text == ":4096:8" || text == ":16:8") return;
  throw std::runtime_error(
      "rivus::require_cublas_workspace_config: CUBLAS_WORKSPACE_CONFIG is " +
      (value == nullptr ? "unset" : "'" + std::string(value) + "'") +
      "; set it to :4096:8 (24 MiB of device memory) or :16:8 (which may be slower) before cuBLAS "
      "is first used, as cuBLAS may otherwise return other bits from run to run where several streams are "
      "in use");
}

namespace detail {

void alert_not_deterministic(const char* operation, const char* dtype, const char* device,
                             const char* alternative, determinism has) {
  const determinism_settings settings = active_determinism();
  if (settings.mode == determinism_mode::off || has >= settings.level) return;
  if (alternative == nullptr) alternative = "";
  if (settings.mode == determinism_mode::warn) {
    if (is_first(operation))
      handler.load()(alert(operation, dtype, device, alternative, has, settings.level).c_str());
    return;
  }
  throw nondeterministic_operation(alert(operation, dtype, device, alternative, has, settings.level),
                                   operation, dtype, device, alternative);
}

}  // namespace detail
}  // namespace rivus
