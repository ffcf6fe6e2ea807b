#include <fmt/format.h>

#include <memory>
#include <rivus/exact.hpp>
#include <rivus/reduce.hpp>
#include <rivus/runtime.hpp>
#include <stdexcept>
#include <string>
#include <variant>

#include "commands.hpp"
#include "device.hpp"
#include "npy.hpp"
#include "numbers.hpp"
#include "options.hpp"
#include "output.hpp"
#include "values.hpp"

namespace rivus::tools {

namespace {

struct reduce_options {
  std::string first;
  std::string second;
  bool hex = false;
  bool on_cuda = false;
  bool exact = false;
};

template <class T>
void print(T value, bool hex) {
  char text[longest_value + 1];
  char* end = hex ? write_hex(text, value) : write_decimal(text, real::widen(value));
  *end++ = '\n';
  write_stdout({text, static_cast<std::size_t>(end - text)});
}

void require_name(const char* parameter, const std::string& file) {
  if (file.empty()) throw usage_error(fmt::format("{}: '' is not the name of a file", parameter));
}

// What host() or on_device() gives; the latter is a template, not to be compiled for the type that devices do not take.
template <class T, class Host, class Device>
void print_result(const reduce_options& options, const Host& host, const Device& on_device) {
  if constexpr (std::is_same_v<T, f16>) {
    if (options.on_cuda) throw usage_error("--device: cuda takes files of f32 and f64, not of f16");
    print(host(), options.hex);
  } else {
    print(options.on_cuda ? on_device() : host(), options.hex);
  }
}

void run_sum(const reduce_options& options) {
  require_name("FILE", options.first);
  active_isa();
  if (options.on_cuda) device::require_present();
  const npy_array x = read_npy(options.first);
  std::visit(
      [&]<class T>(const std::vector<T>& values) {
        const auto* const data = values.data();
        const std::size_t n = values.size();
        print_result<T>(
            options, [&] { return options.exact ? exact_sum(data, n) : sum(data, n); },
            [&](auto... none) {
              return options.exact ? device::exact_sum(data, n, none...) : device::sum(data, n, none...);
            });
      },
      x);
}

std::size_t bits_of(const npy_array& x) {
  return std::visit([]<class T>(const std::vector<T>&) { return 8 * sizeof(T); }, x);
}

void run_dot(const reduce_options& options) {
  require_name("FILE", options.first);
  require_name("FILE2", options.second);
  active_isa();
  if (options.on_cuda) device::require_present();
  if (options.first == "-" && options.second == "-")
    throw usage_error("FILE2: the standard input can be read once");
  const npy_array x = read_npy(options.first), y = read_npy(options.second);
  std::visit(
      [&]<class T>(const std::vector<T>& a) {
        const auto* const b = std::get_if<std::vector<T>>(&y);
        if (b == nullptr) {
          throw std::runtime_error(fmt::format("{} holds f{} and {} f{}: dot needs the same type",
                                               options.first, 8 * sizeof(T), options.second, bits_of(y)));
        }
        if (a.size() != b->size()) {
          throw std::runtime_error(fmt::format("{} has {} elements and {} has {}: dot needs the same number",
                                               options.first, a.size(), options.second, b->size()));
        }
        const T *const p = a.data(), *const q = b->data();
        const std::size_t n = a.size();
        print_result<T>(
            options, [&] { return options.exact ? exact_dot(p, q, n) : dot(p, q, n); },
            [&](auto... none) {
              return options.exact ? device::exact_dot(p, q, n, none...) : device::dot(p, q, n, none...);
            });
      },
      x);
}

void add_common(CLI::App& command, reduce_options& options) {
  command.add_flag("--hex", options.hex, "Print the result's bits: 4 digits for f16, 8 for f32, 16 for f64");
  command.add_flag("--exact", options.exact, "Add without error and round once, whatever the order");
  add_threads(command);
  add_isa(command);
  add_device(command, options.on_cuda);
}

}  // namespace

void add_sum(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("sum", "Add up an array in the fixed order of sum/v1");
  command->footer(
      "Prints the sum in the shortest decimal that reads back as the same value. FILE is a NumPy file (.npy) "
      "of one\n"
      "dimension or none, f16, f32 or f64, or - for the standard input; the sum has the same type.\n"
      "\n"
      "Examples:\n"
      "  rivus draw --dist normal --count 1000000 --npy x.npy\n"
      "  rivus sum x.npy\n"
      "  rivus sum x.npy --hex --threads 3\n"
      "  rivus draw --dist uniform --count 1000 --npy - | rivus sum -\n"
      "  rivus sum x.npy --exact");
  const auto options = std::make_shared<reduce_options>();
  command->add_option("FILE", options->first, "NumPy file, or - for the standard input")
      ->required()
      ->type_name("");
  add_common(*command, *options);
  command->callback([options] { run_sum(*options); });
}

void add_dot(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("dot", "Multiply two arrays in the fixed order of dot/v1");
  command->footer(
      "Prints the sum of the products in the shortest decimal that reads back as the same value. Both files "
      "are NumPy\n"
      "files (.npy) of one dimension or none, of the same length and type, f16, f32 or f64; - is the "
      "standard input.\n"
      "\n"
      "Examples:\n"
      "  rivus dot x.npy y.npy\n"
      "  rivus dot x.npy x.npy --hex --isa scalar");
  const auto options = std::make_shared<reduce_options>();
  command->add_option("FILE", options->first, "NumPy file, or - for the standard input")
      ->required()
      ->type_name("");
  command->add_option("FILE2", options->second, "Another of the same length and type")
      ->required()
      ->type_name("");
  add_common(*command, *options);
  command->callback([options] { run_dot(*options); });
}

}  // namespace rivus::tools
