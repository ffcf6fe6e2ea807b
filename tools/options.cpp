#include "options.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <rivus/path.hpp>
#include <rivus/runtime.hpp>
#include <stdexcept>

#include "numbers.hpp"

namespace rivus::tools {

namespace {

constexpr int most_threads = 1024;

}  // namespace

void add_seed(CLI::App& command, std::uint64_t& seed) {
  command
      .add_option_function<std::string>(
          "--seed",
          [&seed](const std::string& text) { seed = integer_argument<std::uint64_t>("--seed", text); },
          "Seed: an integer from 0 to 2^64-1, decimal or 0x... (default: 0)")
      ->type_name("S");
}

void add_stream(CLI::App& command, stream_options& options) {
  add_seed(command, options.seed);
  command
      .add_option_function<std::string>(
          "--path",
          [&options](const std::string& text) {
            options.path = text;
            options.has_path = true;
          },
          "Stream below the seed's root: names and numbers joined by /,\n"
          "such as init/conv1.weight/3; a plain decimal is a number\n(default: the root)")
      ->type_name("P");
}

stream stream_of(const stream_options& options) {
  const stream root = stream::from_seed(options.seed);
  if (!options.has_path) return root;
  try {
    return root / path(options.path);
  } catch (const std::invalid_argument&) {
    throw usage_error(
        fmt::format("--path: '{}' has an empty component (the root has no path at all)", options.path));
  }
}

void add_threads(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--threads",
          [](const std::string& text) {
            omp_set_num_threads(integer_argument<int>("--threads", text, 1, most_threads));
          },
          fmt::format("Threads, 1 to {}; they change the speed and no value\n(default: OMP_NUM_THREADS, else "
                      "one a core)",
                      most_threads))
      ->type_name("T");
}

void add_isa(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--isa",
          [](const std::string& text) {
            try {
              set_isa(isa_from_name(text));
            } catch (const std::invalid_argument& error) {
              std::string_view sentence = error.what();
              if (constexpr std::string_view prefix = "rivus: "; sentence.starts_with(prefix)) {
                sentence.remove_prefix(prefix.size());
              }
              throw usage_error(fmt::format("--isa: {}", sentence));
            }
          },
          "Instruction set: scalar, avx2, avx512 or neon; it changes the\nspeed and no value "
          "(default: RIVUS_ISA, else the best here)")
      ->type_name("NAME");
}

void add_device(CLI::App& command, bool& on_cuda) {
  command
      .add_option_function<std::string>(
          "--device",
          [&on_cuda](const std::string& text) {
            if (text != "cpu" && text != "cuda") {
              throw usage_error(fmt::format("--device: '{}' is not one of cpu, cuda", text));
            }
            on_cuda = text == "cuda";
          },
          "Where to compute: cpu or cuda; it changes the speed and no\nvalue (default: cpu)")
      ->type_name("NAME");
}

}  // namespace rivus::tools
