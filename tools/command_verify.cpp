#include <CLI/Error.hpp>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string>
#include <utility>

#include "commands.hpp"
#include "output.hpp"
#include "verify.hpp"

namespace rivus::tools {

namespace {

// stdout, a line at a time, with failures reported as everywhere in the command.
class stdout_lines : public std::streambuf {
 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    pending_.append(text, static_cast<std::size_t>(size));
    if (pending_.find('\n', pending_.size() - static_cast<std::size_t>(size)) != std::string::npos) sync();
    return size;
  }
  int_type overflow(int_type c) override {
    const char character = traits_type::to_char_type(c);
    if (!traits_type::eq_int_type(c, traits_type::eof())) xsputn(&character, 1);
    return traits_type::not_eof(c);
  }
  int sync() override {
    const std::string text = std::exchange(pending_, {});
    write_stdout(text);
    return 0;
  }

 private:
  std::string pending_;
};

void run(const verify_options& options) {
  stdout_lines lines;
  std::ostream out(&lines);
  out.exceptions(std::ios::badbit);
  const int status = run_verify(out, options);
  out.flush();
  if (status != 0) throw CLI::RuntimeError(status);
}

}  // namespace

void add_verify(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("verify", "Check that this machine computes the values of the contract");
  command->footer(
      "Draws from every distribution and type and reduces, with every instruction set that this machine has, "
      "on one\n"
      "thread and on several, and on a CUDA device if there is one, and compares digests of the results with "
      "frozen\n"
      "ones. Prints a table with PASS or FAIL in each row; the exit code is 1 when anything fails.\n"
      "\n"
      "Examples:\n"
      "  rivus verify\n"
      "  rivus verify --quiet --filter normal");
  const auto options = std::make_shared<verify_options>();
  command->add_flag("--quiet", options->quiet, "Print only what fails, and the summary");
  command->add_option("--filter", options->filter, "Only cases whose name contains this (default: all)")
      ->type_name("TEXT");
  command->callback([options] { run(*options); });
}

}  // namespace rivus::tools
