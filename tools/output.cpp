#include "output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace rivus::tools {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(std::string_view where, std::string_view what, int error = errno) {
  throw std::runtime_error(fmt::format("{}: {}: {}", where, what, std::generic_category().message(error)));
}

// Returns false at the first error, which errno tells.
bool write_all(int file, const void* data, std::size_t size) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(file, next, size);
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    next += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

void write_stdout(const void* data, std::size_t size) {
  if (write_all(STDOUT_FILENO, data, size)) return;
  if (errno == EPIPE) throw closed_pipe{};
  fail("standard output", "cannot write");
}

replacement_file::replacement_file(fs::path path) : path_(std::move(path)) {
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw std::runtime_error(fmt::format("{}: cannot write: not a regular file", path_.string()));
  }
  if (!path_.has_filename()) {
    throw std::runtime_error(
        fmt::format("'{}': cannot write: the name of a file is missing", path_.string()));
  }
  // A link stays and what it points to is replaced.
  if (fs::is_symlink(path_, error) && fs::exists(status)) path_ = fs::canonical(path_);
  for (int attempt = 0; file_ < 0; ++attempt) {
    temporary_ = path_.parent_path() / fmt::format(".rivus-{}-{}.part", ::getpid(), attempt);
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0 && errno != EEXIST) fail(path_.string(), "cannot write");
  }
  // Nobody may read the new file who could not read the old one.
  if (fs::exists(status) && ::fchmod(file_, static_cast<mode_t>(status.permissions())) != 0)
    fail(path_.string(), "cannot write");
}

replacement_file::~replacement_file() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void replacement_file::write(const void* data, std::size_t size) {
  if (!write_all(file_, data, size)) fail(path_.string(), "cannot write");
}

void replacement_file::commit() {
  // On the disk before it takes the old file's name, so that a crash leaves one of the two.
  if (::fsync(file_) != 0) fail(path_.string(), "cannot write");
  const int file = std::exchange(file_, -1);
  if (::close(file) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0)
    fail(path_.string(), "cannot write");
  temporary_.clear();
}

}  // namespace rivus::tools
