#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <rivus/determinism.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "commands.hpp"
#include "output.hpp"

namespace rivus::tools {

namespace {

constexpr std::size_t columns = 6;
using row = std::array<std::string, columns>;
constexpr std::array<const char*, columns> heading = {"operation", "types",      "host",
                                                      "CUDA",      "decided by", "alternative"};

std::string level(const std::optional<determinism>& of) { return of ? name(*of) : "-"; }

row cells(const operation_info& info) {
  return {info.name, info.dtypes, level(info.host), level(info.cuda), info.rule, info.alternative};
}

std::string text() {
  std::vector<row> rows{row{}};
  std::copy(heading.begin(), heading.end(), rows[0].begin());
  for (const operation_info& info : operations()) rows.push_back(cells(info));
  std::array<std::size_t, columns> width{};
  for (const row& r : rows) {
    for (std::size_t i = 0; i < columns; ++i) width[i] = std::max(width[i], r[i].size());
  }
  std::string out;
  for (const row& r : rows) {
    std::string line;
    for (std::size_t i = 0; i < columns; ++i) line += fmt::format("{:<{}}  ", r[i], width[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

// The part of docs/determinism.md from one marker to the other.
std::string markdown() {
  std::string out = "<!-- begin: rivus ops --markdown -->\n";
  const auto line = [&](const auto& r) { out += fmt::format("| {} |\n", fmt::join(r, " | ")); };
  line(heading);
  out += "|---|---|---|---|---|---|\n";
  for (const operation_info& info : operations()) {
    row r = cells(info);
    for (const std::size_t code : {0, 5}) {
      if (!r[code].empty()) r[code] = fmt::format("`{}`", r[code]);
    }
    line(r);
  }
  return out + "<!-- end: rivus ops --markdown -->\n";
}

std::string json() {
  using nlohmann::ordered_json;
  const auto level_or_null = [](const std::optional<determinism>& of) {
    return of ? ordered_json(name(*of)) : ordered_json();
  };
  ordered_json all = ordered_json::array();
  for (const operation_info& info : operations()) {
    ordered_json dtypes = ordered_json::array();
    std::istringstream words(info.dtypes);
    for (std::string word; words >> word;) dtypes.push_back(word);
    all.push_back({{"name", info.name},
                   {"dtypes", dtypes},
                   {"host", level_or_null(info.host)},
                   {"cuda", level_or_null(info.cuda)},
                   {"rule", info.rule},
                   {"alternative", *info.alternative == '\0' ? ordered_json() : info.alternative}});
  }
  return all.dump(2) + '\n';
}

struct ops_options {
  bool json = false;
  bool markdown = false;
};

}  // namespace

void add_ops(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("ops", "List the operations and what each guarantees");
  command->footer(
      "For each operation its types, its determinism on the host and on CUDA (- where there is none), what "
      "decides its\n"
      "bits, and what to use where that is not enough. docs/determinism.md explains the levels.\n"
      "\n"
      "Examples:\n"
      "  rivus ops\n"
      "  rivus ops --json");
  const auto options = std::make_shared<ops_options>();
  CLI::Option* const as_json = command->add_flag("--json", options->json, "Print JSON, null for none");
  command->add_flag("--markdown", options->markdown, "Print the table of docs/determinism.md")
      ->excludes(as_json);
  command->callback([options] {
    write_stdout(options->json ? json() : options->markdown ? markdown() : text());
  });
}

}  // namespace rivus::tools
