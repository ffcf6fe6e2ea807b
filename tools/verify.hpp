// verify: does this machine compute the values of the contract?
#ifndef RIVUS_TOOLS_VERIFY_HPP
#define RIVUS_TOOLS_VERIFY_HPP

#include <iosfwd>
#include <string>

namespace rivus::tools {

struct verify_options {
  bool quiet = false;  // print only what fails, and the summary
  std::string filter;  // only cases whose name contains this text
};

// Computes the digest of every case with every instruction set that this machine has, on one thread and on
// several, on a CUDA device where there is one, and of the pure functions in the headers; prints a table against the frozen digests.
//
// Returns the exit status: 0 when all agree, 1 otherwise.
// Errors: std::invalid_argument for a filter that matches no case, before anything is printed.
int run_verify(std::ostream& out, const verify_options& options);

}  // namespace rivus::tools

#endif
