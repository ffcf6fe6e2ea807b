// options: what several commands take, each with one meaning and one text in --help.
#ifndef RIVUS_TOOLS_OPTIONS_HPP
#define RIVUS_TOOLS_OPTIONS_HPP

#include <CLI/App.hpp>
#include <cstdint>
#include <rivus/stream.hpp>
#include <string>
#include <string_view>

namespace rivus::tools {

// --seed S.
void add_seed(CLI::App& command, std::uint64_t& seed);

// --seed S and --path P, which name a stream.
struct stream_options {
  std::uint64_t seed = 0;
  std::string path;
  bool has_path = false;
};
void add_stream(CLI::App& command, stream_options& options);

// Errors: usage_error for an empty component in the path.
stream stream_of(const stream_options& options);

// --threads T and --isa NAME. Both take effect while the command line is read.
void add_threads(CLI::App& command);
void add_isa(CLI::App& command);

// --device cpu|cuda.
void add_device(CLI::App& command, bool& on_cuda);

}  // namespace rivus::tools

#endif
