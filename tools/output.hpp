// output: bytes to stdout or to a file, with every failure noticed.
#ifndef RIVUS_TOOLS_OUTPUT_HPP
#define RIVUS_TOOLS_OUTPUT_HPP

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace rivus::tools {

// The reader of stdout has gone; there is nothing left to do and nothing to complain about.
struct closed_pipe {};

// Errors: closed_pipe; std::runtime_error for any other failure.
void write_stdout(const void* data, std::size_t size);
inline void write_stdout(std::string_view text) { write_stdout(text.data(), text.size()); }

// A file that appears under its name when it is complete. Until commit() it is a temporary file in the same
// folder, which the destructor removes; what was there before stays untouched.
class replacement_file {
 public:
  // Errors: std::runtime_error naming the path and the reason.
  explicit replacement_file(std::filesystem::path path);
  ~replacement_file();
  replacement_file(const replacement_file&) = delete;
  replacement_file& operator=(const replacement_file&) = delete;

  void write(const void* data, std::size_t size);
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int file_ = -1;
};

}  // namespace rivus::tools

#endif
