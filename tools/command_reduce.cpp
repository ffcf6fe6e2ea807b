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
  char* end = hex ? write_hex(text, value) : write_decimal(text, value);
  *end++ = '\n';
  write_stdout({text, static_cast<std::size_t>(end - text)});
}

void run_sum(const reduce_options& options) {
  active_isa();
  if (options.on_cuda) device::require_present();
  const npy_array x = read_npy(options.first);
  std::visit(
      [&](const auto& values) {
        const auto* const data = values.data();
        const std::size_t n = values.size();
        if (options.exact) {
          print(options.on_cuda ? device::exact_sum(data, n) : exact_sum(data, n), options.hex);
        } else {
          print(options.on_cuda ? device::sum(data, n) : sum(data, n), options.hex);
        }
      },
      x);
}

void run_dot(const reduce_options& options) {
  active_isa();
  if (options.on_cuda) device::require_present();
  const npy_array x = read_npy(options.first), y = read_npy(options.second);
  std::visit(
      [&]<class T>(const std::vector<T>& a) {
        const auto* const b = std::get_if<std::vector<T>>(&y);
        if (b == nullptr) {
          throw std::runtime_error(fmt::format("{} holds f{} and {} f{}: dot needs the same type",
                                               options.first, 8 * sizeof(T), options.second,
                                               sizeof(T) == 4 ? 64 : 32));
        }
        if (a.size() != b->size()) {
          throw std::runtime_error(fmt::format("{} has {} elements and {} has {}: dot needs the same number",
                                               options.first, a.size(), options.second, b->size()));
        }
        const T *const p = a.data(), *const q = b->data();
        const std::size_t n = a.size();
        if (options.exact) {
          print(options.on_cuda ? device::exact_dot(p, q, n) : exact_dot(p, q, n), options.hex);
        } else {
          print(options.on_cuda ? device::dot(p, q, n) : dot(p, q, n), options.hex);
        }
      },
      x);
}

void add_common(CLI::App& command, reduce_options& options) {
  command.add_flag("--hex", options.hex, "Print the result's bits: 8 digits for f32, 16 for f64");
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
      "dimension, f32 or f64; the sum has the same type.\n"
      "\n"
      "Examples:\n"
      "  rivus draw --dist normal --count 1000000 --npy x.npy\n"
      "  rivus sum x.npy\n"
      "  rivus sum x.npy --hex --threads 3\n"
      "  rivus sum x.npy --exact");
  const auto options = std::make_shared<reduce_options>();
  command->add_option("FILE", options->first, "NumPy file of one dimension, f32 or f64")
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
      "files (.npy) of one dimension, of the same length and type, f32 or f64.\n"
      "\n"
      "Examples:\n"
      "  rivus dot x.npy y.npy\n"
      "  rivus dot x.npy x.npy --hex --isa scalar");
  const auto options = std::make_shared<reduce_options>();
  command->add_option("FILE", options->first, "NumPy file of one dimension, f32 or f64")
      ->required()
      ->type_name("");
  command->add_option("FILE2", options->second, "Another of the same length and type")
      ->required()
      ->type_name("");
  add_common(*command, *options);
  command->callback([options] { run_dot(*options); });
}

}  // namespace rivus::tools
