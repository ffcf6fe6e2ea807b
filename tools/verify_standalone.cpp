// rivus_verify: `rivus verify` for a machine without the libraries that the command `rivus` needs.
#include <exception>
#include <iostream>
#include <string>

#include "verify.hpp"

namespace {

constexpr const char* usage =
    "usage: rivus_verify [--quiet] [--filter TEXT]\n"
    "\n"
    "Compares the values that this machine computes with the frozen digests, for each of its instruction "
    "sets.\n"
    "  --quiet        print only what fails, and the summary\n"
    "  --filter TEXT  only cases whose name contains TEXT\n"
    "Exit status: 0 when all agree, 1 when some differ, 2 for bad usage.\n";

}  // namespace

int main(int argc, char** argv) {
  rivus::tools::verify_options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      std::cout << usage;
      return 0;
    }
    if (argument == "--quiet") {
      options.quiet = true;
    } else if (argument == "--filter" && i + 1 < argc) {
      options.filter = argv[++i];
    } else {
      std::cerr << "rivus_verify: " << (argument == "--filter" ? "no text after " : "unknown argument ")
                << argument << '\n'
                << usage;
      return 2;
    }
  }
  try {
    return rivus::tools::run_verify(std::cout, options);
  } catch (const std::exception& error) {
    std::cerr << "rivus_verify: " << error.what() << '\n';
    return 1;
  }
}
