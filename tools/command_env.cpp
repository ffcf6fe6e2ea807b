#include <dlfcn.h>
#include <fmt/format.h>
#include <omp.h>
#include <sys/utsname.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include <cfenv>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <rivus/config.hpp>
#include <rivus/runtime.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "commands.hpp"
#include "output.hpp"

namespace rivus::tools {

namespace {

using json = nlohmann::ordered_json;

json text_or_null(const std::string& text) { return text.empty() ? json() : json(text); }

// What follows the separator on the first line that begins with `key`.
std::string field(const char* path, std::string_view key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t at = line.find(separator, key.size());
    if (at == std::string::npos) continue;
    std::string value = line.substr(at + 1);
    value.erase(0, value.find_first_not_of(" \t\""));
    value.erase(value.find_last_not_of(" \t\"") + 1);
    return value;
  }
  return {};
}

json compiler() {
#if defined(__clang__)
  const char* const name = "Clang " __clang_version__;
#elif defined(__GNUC__)
  const char* const name = "GCC " __VERSION__;
#else
  const char* const name = "unknown";
#endif
  return {{"name", name}, {"build_type", RIVUS_BUILD_TYPE}, {"flags", RIVUS_BUILD_FLAGS}};
}

json processor() {
  utsname system{};
  uname(&system);
  return {{"model", text_or_null(field("/proc/cpuinfo", "model name", ':'))},
          {"architecture", system.machine},
          {"processors", omp_get_num_procs()}};
}

json instruction_sets() {
  json available = json::array();
  for (const isa set : available_isas()) available.push_back(name(set));
  json result = {{"available", available}, {"in_use", nullptr}};
  try {
    result["in_use"] = name(active_isa());
  } catch (const std::invalid_argument& error) {
    result["error"] = error.what();
  }
  return result;
}

json operating_system() {
  utsname system{};
  uname(&system);
#ifdef __GLIBC__
  const std::string library = fmt::format("glibc {}", gnu_get_libc_version());
#else
  const std::string library;
#endif
  return {{"name", text_or_null(field("/etc/os-release", "PRETTY_NAME", '='))},
          {"kernel", fmt::format("{} {}", system.sysname, system.release)},
          {"c_library", text_or_null(library)}};
}

json floating_point() {
  const char* rounding = "unknown";
  switch (std::fegetround()) {
    case FE_TONEAREST:
      rounding = "to nearest";
      break;
    case FE_UPWARD:
      rounding = "upward";
      break;
    case FE_DOWNWARD:
      rounding = "downward";
      break;
    case FE_TOWARDZERO:
      rounding = "toward zero";
      break;
    default:
      break;
  }
  // volatile keeps the arithmetic for run time, where the mode is.
  volatile float smallest_normal = std::numeric_limits<float>::min();
  volatile float subnormal = std::numeric_limits<float>::denorm_min();
  const volatile float halved = smallest_normal * 0.5f;
  const volatile float scaled = subnormal * 0x1p100f;
  return {{"rounding", rounding},
          {"flushes_subnormal_results", halved == 0.0f},
          {"takes_subnormal_operands_for_zero", scaled == 0.0f}};
}

// A shared library that may not be there. Never closed: the CUDA libraries do not support it.
class library {
 public:
  explicit library(std::initializer_list<const char*> names) {
    for (const char* const name : names) {
      if (handle_ == nullptr) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
  }

  // Calls a function that returns 0 for success.
  template <class... A>
  bool call(const char* name, A... arguments) const {
    if (handle_ == nullptr) return false;
    const auto function = reinterpret_cast<int (*)(A...)>(dlsym(handle_, name));
    return function != nullptr && function(arguments...) == 0;
  }

 private:
  void* handle_ = nullptr;
};

json cuda_version(int number) {
  return number == 0 ? json() : json(fmt::format("{}.{}", number / 1000, number % 1000 / 10));
}

json cuda_devices(const library& driver) {
  constexpr int major = 75, minor = 76, multiprocessors = 16;  // CUdevice_attribute
  json devices = json::array();
  int count = 0;
  if (!driver.call("cuInit", 0u) || !driver.call("cuDeviceGetCount", &count)) return devices;
  for (int i = 0; i < count; ++i) {
    int device = 0;
    char name[256] = "";
    int capability[2] = {}, units = 0;
    std::size_t memory = 0;
    if (!driver.call("cuDeviceGet", &device, i)) continue;
    driver.call("cuDeviceGetName", name, static_cast<int>(sizeof name), device);
    driver.call("cuDeviceGetAttribute", &capability[0], major, device);
    driver.call("cuDeviceGetAttribute", &capability[1], minor, device);
    driver.call("cuDeviceGetAttribute", &units, multiprocessors, device);
    driver.call("cuDeviceTotalMem_v2", &memory, device);
    devices.push_back({{"name", name},
                       {"compute_capability", fmt::format("{}.{}", capability[0], capability[1])},
                       {"multiprocessors", units},
                       {"memory_bytes", memory}});
  }
  return devices;
}

// The release of the kernel module, such as 570.86.15.
std::string cuda_kernel_module() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;) {
    if (word[0] >= '0' && word[0] <= '9' && word.find('.') != std::string::npos) return word;
  }
  return {};
}

json cuda() {
  const library driver{"libcuda.so.1"};
  const library runtime{"libcudart.so", "libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"};
  int driver_version = 0, runtime_version = 0;
  driver.call("cuDriverGetVersion", &driver_version);
  runtime.call("cudaRuntimeGetVersion", &runtime_version);
  if (driver_version == 0 && runtime_version == 0) return nullptr;
  return {{"runtime", cuda_version(runtime_version)},
          {"driver", cuda_version(driver_version)},
          {"kernel_module", text_or_null(cuda_kernel_module())},
          {"devices", cuda_devices(driver)}};
}

json variables() {
  json result;
  for (const char* const name :
       {"RIVUS_ISA", "RIVUS_DETERMINISTIC", "OMP_NUM_THREADS", "OMP_DYNAMIC", "CUBLAS_WORKSPACE_CONFIG"}) {
    const char* const value = std::getenv(name);
    result[name] = value == nullptr ? json() : json(value);
  }
  return result;
}

void run() {
  const json environment = {{"rivus", version()},
                            {"contract", contract_version},
                            {"compiler", compiler()},
                            {"cpu", processor()},
                            {"isa", instruction_sets()},
                            {"threads", omp_get_max_threads()},
                            {"system", operating_system()},
                            {"floating_point", floating_point()},
                            {"cuda", cuda()},
                            {"variables", variables()}};
  // A variable may hold bytes that are not UTF-8.
  write_stdout(environment.dump(2, ' ', false, json::error_handler_t::replace) + '\n');
}

}  // namespace

void add_env(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("env", "Show the environment that a claim about results must name");
  command->footer(
      "Prints JSON: versions of rivus and of the value contract, compiler and flags, processor, instruction "
      "sets,\n"
      "threads, system, floating-point modes, CUDA (null where there is none; memory in bytes) and the "
      "environment\n"
      "variables that matter (null where unset).\n"
      "\n"
      "Example:\n"
      "  rivus env > environment.json");
  command->callback(run);
}

}  // namespace rivus::tools
