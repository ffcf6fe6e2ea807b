// The commands of `rivus` that are not large enough for a header of their own.
#ifndef RIVUS_TOOLS_COMMANDS_HPP
#define RIVUS_TOOLS_COMMANDS_HPP

#include <CLI/App.hpp>

namespace rivus::tools {

void add_draw(CLI::App& app);
void add_id(CLI::App& app);
void add_sum(CLI::App& app);
void add_dot(CLI::App& app);
void add_verify(CLI::App& app);
void add_env(CLI::App& app);
void add_ops(CLI::App& app);

}  // namespace rivus::tools

#endif
