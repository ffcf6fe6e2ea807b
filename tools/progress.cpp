#include "progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace rivus::tools {

namespace {

using namespace std::chrono_literals;

constexpr auto patience = 500ms;
constexpr auto interval = 100ms;
constexpr std::size_t widest_bar = 30;

bool stderr_is_terminal() {
  const char* const kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && (kind == nullptr || std::string_view(kind) != "dumb");
}

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string remaining(double seconds) {
  const auto s = static_cast<std::uint64_t>(std::min(seconds + 0.5, 1e9));
  if (s >= 3600) return fmt::format("{} h {:02} min left", s / 3600, s / 60 % 60);
  if (s >= 60) return fmt::format("{} min {:02} s left", s / 60, s % 60);
  return fmt::format("{} s left", s);
}

}  // namespace

progress::progress(std::string label, std::uint64_t total)
    : label_(std::move(label)),
      total_(total),
      enabled_(total > 0 && stderr_is_terminal()),
      start_(clock::now()),
      next_(start_ + patience) {}

void progress::update(std::uint64_t done, std::string_view note) {
  if (!enabled_) return;
  const clock::time_point now = clock::now();
  if (now < next_) return;
  next_ = now + interval;
  draw(std::min(done, total_), note, now);
}

void progress::draw(std::uint64_t done, std::string_view note, clock::time_point now) {
  const double part = static_cast<double>(done) / static_cast<double>(total_);
  std::string tail = fmt::format(" {:3.0f} %", 100 * part);
  if (done > 0) {
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    tail += "  " + remaining(elapsed * (1 - part) / part);
  }
  if (!note.empty()) tail += fmt::format("  {}", note);

  // A line as wide as the terminal would wrap.
  const std::size_t room = terminal_width() - 1;
  const std::size_t taken = label_.size() + tail.size() + 3;
  const std::size_t bar = taken < room ? std::min(widest_bar, room - taken) : 0;
  const auto filled = static_cast<std::size_t>(part * static_cast<double>(bar));
  std::string line = label_;
  if (bar > 0) line += fmt::format(" [{}{}]", std::string(filled, '#'), std::string(bar - filled, '.'));
  line += tail;
  line.resize(std::min(line.size(), room));
  std::fputs(fmt::format("\r{}\x1b[K", line).c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

void progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace rivus::tools
