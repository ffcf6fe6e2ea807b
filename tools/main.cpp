#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <rivus/runtime.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "commands.hpp"
#include "output.hpp"
#include "train.hpp"

namespace {

constexpr int failure = 1;
constexpr int bad_usage = 2;
constexpr int broken_pipe = 128 + SIGPIPE;

int complain(std::string_view sentence, int code) {
  // The library's sentences begin with its name, which is ours.
  if (constexpr std::string_view prefix = "rivus: "; sentence.starts_with(prefix))
    sentence.remove_prefix(prefix.size());
  std::fputs(fmt::format("rivus: {}\n", sentence).c_str(), stderr);
  return code;
}

// The program's name and that of the command in hand, if there is one.
std::string called(const CLI::App& app) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  return commands.empty() ? "rivus" : fmt::format("rivus {}", commands.front()->get_name());
}

int complain_about_usage(const CLI::App& app, const char* first, const CLI::ParseError& error) {
  std::string sentence = error.what();
  if (app.get_subcommands().empty() && first[0] != '-') {
    std::vector<std::string> names;
    for (const CLI::App* const command : app.get_subcommands({})) names.push_back(command->get_name());
    sentence = fmt::format("'{}' is not a command; the commands are {}", first, fmt::join(names, ", "));
  }
  std::replace(sentence.begin(), sentence.end(), '\n', ' ');
  return complain(fmt::format("{}; see {} --help", sentence, called(app)), bad_usage);
}

int run(int argc, char** argv) {
  CLI::App app("Random streams and fixed-order sums with the same bits on every machine.", "rivus");
  app.set_version_flag("--version", fmt::format("rivus {}", rivus::version()), "Print the version and exit");
  app.require_subcommand(0, 1);
  app.footer(
      "Environment: RIVUS_ISA chooses the instruction set, OMP_NUM_THREADS the number of threads;\n"
      "neither changes a value.\n"
      "Exit code: 0 success, 1 failure, 2 bad usage, 130 interrupted, 141 nobody read the output.\n"
      "\n"
      "Examples:\n"
      "  rivus draw --seed 42 --path init/conv1.weight --dist normal --count 5\n"
      "  rivus verify\n"
      "  rivus draw --help");
  rivus::tools::add_draw(app);
  rivus::tools::add_id(app);
  rivus::tools::add_sum(app);
  rivus::tools::add_dot(app);
  rivus::tools::add_train(app);
  rivus::tools::add_verify(app);
  rivus::tools::add_env(app);
  rivus::tools::add_ops(app);
  if (argc < 2) {
    std::fputs(app.help().c_str(), stderr);
    return bad_usage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    rivus::tools::write_stdout(fmt::format("{}\n", version.what()));
  } catch (const CLI::CallForHelp&) {
    rivus::tools::write_stdout(app.help());
  } catch (const CLI::RuntimeError& ending) {
    return ending.get_exit_code();
  } catch (const CLI::ParseError& error) {
    return complain_about_usage(app, argv[1], error);
  } catch (const std::invalid_argument& error) {
    return complain(fmt::format("{}; see {} --help", error.what(), called(app)), bad_usage);
  }
  return 0;
}

// stdout's buffer is written here and not at exit, where nobody would notice that it failed.
void flush_stdout() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw std::system_error(errno, std::generic_category(), "standard output");
}

}  // namespace

int main(int argc, char** argv) {
  // So that a write to a closed pipe returns, and temporary files and the progress bar are cleared away.
  std::signal(SIGPIPE, SIG_IGN);
  // Likewise where a file grows beyond its limit.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const int code = run(argc, argv);
    flush_stdout();
    return code;
  } catch (const rivus::tools::closed_pipe&) {
    return broken_pipe;
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::broken_pipe) return broken_pipe;
    return complain(error.what(), failure);
  } catch (const std::bad_alloc&) {
    return complain("not enough memory", failure);
  } catch (const std::exception& error) {
    return complain(error.what(), failure);
  }
}
