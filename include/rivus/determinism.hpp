// determinism: what each operation guarantees, and what happens where that is less than the caller asks for.
#ifndef RIVUS_DETERMINISM_HPP
#define RIVUS_DETERMINISM_HPP

#include <cstddef>
#include <optional>
#include <rivus/config.hpp>
#include <stdexcept>
#include <string>
#if __cplusplus >= 202002L && __has_include(<span>)
#include <span>
#endif

namespace rivus {

// When an operation returns the same bits again for the same arguments; each level includes those before it.
enum class determinism {
  not_guaranteed,  // perhaps never
  run_to_run,      // on the same machine, by the same program
  gpu_to_gpu,      // also on any other GPU, whatever its model and the grid
  everywhere       // also on any CPU, instruction set, thread count and compiler
};

// "not_guaranteed", "run_to_run", "gpu_to_gpu", "everywhere".
const char* name(determinism level);

// What an operation below the asked level does: nothing, a warning, or an exception in place of the result.
enum class determinism_mode { off, warn, error };

// "off", "warn", "error".
const char* name(determinism_mode mode);

struct determinism_settings {
  determinism_mode mode = determinism_mode::off;
  determinism level = determinism::everywhere;

  friend bool operator==(determinism_settings a, determinism_settings b) {
    return a.mode == b.mode && a.level == b.level;
  }
  friend bool operator!=(determinism_settings a, determinism_settings b) { return !(a == b); }
};

// Sets mode and level for all threads that are in no deterministic_scope.
//
// Until then the mode is what the environment variable RIVUS_DETERMINISTIC says, off, warn or error, and
// otherwise off. A program that uses cuBLAS as well calls require_cublas_workspace_config() beside it.
// Errors: std::invalid_argument for values outside of the enumerations.
// Thread safety: may be called at any time; calls already running finish with what they began with.
void use_deterministic_algorithms(determinism_mode mode, determinism level = determinism::everywhere);

// The settings that hold for the calling thread.
// Errors: std::invalid_argument when they are those of RIVUS_DETERMINISTIC and that has another value.
determinism_settings active_determinism();

// Sets mode and level for the calling thread alone, until the end of the scope. Scopes nest: they end in the
// thread that began them, the last one first. Errors: as use_deterministic_algorithms.
class [[nodiscard]] deterministic_scope {
 public:
  explicit deterministic_scope(determinism_mode mode, determinism level = determinism::everywhere);
  ~deterministic_scope();
  deterministic_scope(const deterministic_scope&) = delete;
  deterministic_scope& operator=(const deterministic_scope&) = delete;

 private:
  std::optional<determinism_settings> before_;
};

// What an operation below the asked level throws in mode error, before anything is written.
class nondeterministic_operation : public std::runtime_error {
 public:
  nondeterministic_operation(const std::string& what, const char* of, const char* with, const char* on,
                             const char* instead)
      : std::runtime_error(what), operation(of), dtype(with), device(on), alternative(instead) {}

  std::string operation;
  std::string dtype;
  std::string device;
  std::string alternative;  // empty where there is none
};

// Where the warnings of mode warn go, one a call and without a line break; by default, and for null, to
// stderr. Returns the one before. The handler runs in the thread of the operation, perhaps in several at
// once; what it throws passes through the operation.
using warning_handler = void (*)(const char* text);
warning_handler set_warning_handler(warning_handler handler);

// Checks, in any mode, that the environment variable CUBLAS_WORKSPACE_CONFIG is :4096:8 or :16:8, without
// which cuBLAS may return other bits from run to run where several streams are in use. To be called before
// the process first uses cuBLAS: it cannot be seen here whether cuBLAS ran before the variable was set.
// Errors: std::runtime_error, saying what to set. Source: the cuBLAS documentation, "Results
// reproducibility".
void require_cublas_workspace_config();

// A public operation and what it guarantees.
struct operation_info {
  const char* name;                 // its function, or its draw
  const char* dtypes;               // of the elements, separated by spaces
  std::optional<determinism> host;  // empty where there is none
  std::optional<determinism> cuda;  // empty where there is none
  const char* rule;                 // what decides its bits: words of the stream, or an order of docs/spec.md
  const char* alternative;          // the operation to use where the level is too low; mostly empty
};

#ifdef __cpp_lib_span
// All public operations, sorted by name.
std::span<const operation_info> operations();
#endif

namespace detail {

// What an operation begins with that has less than determinism::everywhere: nothing, a warning or an
// exception, by the settings of the calling thread. A warning comes once in the process for each operation.
// Its name is that of operations(); an empty alternative or a null one says that there is none.
// Errors: nondeterministic_operation; std::invalid_argument as active_determinism.
void alert_not_deterministic(const char* operation, const char* dtype, const char* device,
                             const char* alternative, determinism has = determinism::not_guaranteed);

}  // namespace detail
}  // namespace rivus

#endif
