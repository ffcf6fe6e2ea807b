#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"

namespace rivus::tools {

void add_id(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("id", "Print a stream's key and nonce");
  command->footer(
      "Prints one line: key and nonce, 16 hexadecimal digits each.\n"
      "\n"
      "Examples:\n"
      "  rivus id --seed 42\n"
      "  rivus id --seed 42 --path dropout/block3/17");
  const auto options = std::make_shared<stream_options>();
  add_stream(*command, *options);
  command->callback([options] {
    const stream s = stream_of(*options);
    write_stdout(fmt::format("{:016x} {:016x}\n", s.key, s.nonce));
  });
}

}  // namespace rivus::tools
