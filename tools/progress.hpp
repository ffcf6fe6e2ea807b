// progress: how far a long job has come, on stderr when that is a terminal.
#ifndef RIVUS_TOOLS_PROGRESS_HPP
#define RIVUS_TOOLS_PROGRESS_HPP

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace rivus::tools {

// One line that is redrawn in place. It appears when a job has taken half a second, is redrawn ten times a
// second at most, and is gone when the job ends. Where stderr is no terminal nothing is ever written.
class progress {
 public:
  progress(std::string label, std::uint64_t total);
  ~progress() { clear(); }
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  // Cheap enough for every step of a loop. `note` follows the bar, e.g. "loss 0.412".
  void update(std::uint64_t done, std::string_view note = {});

  // Wipes the line, so that other output can take its place; the next update draws it anew.
  void clear();

 private:
  using clock = std::chrono::steady_clock;

  void draw(std::uint64_t done, std::string_view note, clock::time_point now);

  std::string label_;
  std::uint64_t total_;
  bool enabled_;
  bool drawn_ = false;
  clock::time_point start_;
  clock::time_point next_;
};

}  // namespace rivus::tools

#endif
