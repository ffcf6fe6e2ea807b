#include "npy.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <limits>
#include <optional>
#include <stdexcept>
#include <system_error>

namespace rivus::tools {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = std::size_t{1} << 20;
// A pipe may promise more than it holds, so memory for it grows with what has come.
constexpr std::size_t pipe_step = std::size_t{1} << 20;

struct malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class input_file {
 public:
  explicit input_file(const std::filesystem::path& path)
      : file_(path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status{};
    if (file_ < 0) fail("cannot open");
    if (::fstat(file_, &status) != 0) {
      const int error = errno;
      ::close(file_);
      errno = error;
      fail("cannot open");
    }
    if (!S_ISREG(status.st_mode)) return;
    // What a file given as standard input still holds.
    const off_t begin = ::lseek(file_, 0, SEEK_CUR);
    size_ = static_cast<std::uint64_t>(status.st_size - std::min(status.st_size, std::max<off_t>(begin, 0)));
  }
  ~input_file() { ::close(file_); }
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;

  // Of a regular file.
  std::optional<std::uint64_t> size() const { return size_; }
  std::uint64_t position() const { return position_; }

  // Returns less than `size` only at the end of the file.
  std::size_t read(void* data, std::size_t size) {
    std::size_t done = 0;
    while (done < size) {
      const ssize_t got = ::read(file_, static_cast<char*>(data) + done, size - done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail("cannot read");
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    position_ += done;
    return done;
  }

 private:
  [[noreturn]] static void fail(const char* what) {
    throw malformed(fmt::format("{}: {}", what, std::generic_category().message(errno)));
  }

  int file_;
  std::optional<std::uint64_t> size_;
  std::uint64_t position_ = 0;
};

struct header {
  std::string descr;
  std::string shape_text;
  std::vector<std::uint64_t> shape;
};

// Reads the one Python expression that a header holds:
// {'descr': '<f4', 'fortran_order': False, 'shape': (3,), }
class header_parser {
 public:
  explicit header_parser(std::string_view text) : text_(text) {}

  header parse() {
    header result;
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        claim(has_descr, key);
        if (peek() == '[') throw malformed("structured arrays are not supported");
        result.descr = string();
      } else if (key == "fortran_order") {
        claim(has_order, key);
        truth();  // Of no consequence in one dimension.
      } else if (key == "shape") {
        claim(has_shape, key);
        peek();
        const std::size_t start = next_;
        result.shape = tuple();
        result.shape_text = text_.substr(start, next_ - start);
      } else {
        throw malformed(fmt::format("malformed header: unknown key '{}'", key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (peek() != '\0' || next_ != text_.size()) fail("the end");
    for (const auto& [present, key] :
         {std::pair{has_descr, "descr"}, {has_order, "fortran_order"}, {has_shape, "shape"}}) {
      if (!present) throw malformed(fmt::format("malformed header: no key '{}'", key));
    }
    return result;
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    throw malformed(fmt::format("malformed header: expected {} at its byte {}", expected, next_));
  }
  static void claim(bool& present, std::string_view key) {
    if (std::exchange(present, true)) throw malformed(fmt::format("malformed header: '{}' given twice", key));
  }

  char peek() {
    while (next_ < text_.size() && std::string_view(" \n\t\r\f").find(text_[next_]) != std::string_view::npos)
      ++next_;
    return next_ < text_.size() ? text_[next_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c || next_ == text_.size()) return false;
    ++next_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("'{}'", c));
  }

  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("a string");
    const std::size_t start = next_ + 1, end = text_.find(quote, start);
    if (end == std::string_view::npos) fail("a string");
    next_ = end + 1;
    return std::string(text_.substr(start, end - start));
  }

  void truth() {
    peek();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(next_).starts_with(word)) {
        next_ += word.size();
        return;
      }
    }
    fail("True or False");
  }

  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> items;
    bool comma = true;
    expect('(');
    while (!accept(')')) {
      if (!comma) fail("','");
      items.push_back(integer());
      comma = accept(',');
    }
    if (items.size() == 1 && !comma) fail("a tuple before");
    return items;
  }

  std::uint64_t integer() {
    peek();
    std::uint64_t value = 0;
    const char* const end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data() + next_, end, value);
    if (error == std::errc::result_out_of_range) throw malformed("the shape is too large");
    if (error != std::errc{}) fail("a length");
    next_ = static_cast<std::size_t>(stop - text_.data());
    accept('L');  // Python 2 wrote long integers so.
    return value;
  }

  std::string_view text_;
  std::size_t next_ = 0;
};

std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

header read_header(input_file& file) {
  const auto take = [&file](std::size_t size, const char* what) {
    std::string bytes(size, '\0');
    if (file.read(bytes.data(), size) < size) throw malformed(fmt::format("truncated within {}", what));
    return bytes;
  };
  std::string start(magic.size(), '\0');
  start.resize(file.read(start.data(), start.size()));
  if (start.empty()) throw malformed("the file is empty");
  if (!magic.starts_with(start)) throw malformed("not a NumPy file: it does not begin with \\x93NUMPY");
  if (start != magic) throw malformed("truncated within the magic string");
  const std::string version = take(2, "the version");
  const int major = static_cast<unsigned char>(version[0]), minor = static_cast<unsigned char>(version[1]);
  if (major < 1 || major > 3 || minor != 0) {
    throw malformed(
        fmt::format("version {}.{} of the format is not supported (1.0, 2.0 and 3.0 are)", major, minor));
  }
  const std::size_t size = little_endian(take(major == 1 ? 2 : 4, "the header's length"));
  if (const auto whole = file.size(); whole && size > *whole - std::min(*whole, file.position())) {
    throw malformed(fmt::format("truncated: the header is to have {} bytes, {} are left", size,
                                *whole - std::min(*whole, file.position())));
  }
  if (size > longest_header) throw malformed(fmt::format("the header is to have {} bytes, too many", size));
  return header_parser(take(size, "the header")).parse();
}

template <class T>
std::vector<T> read_data(input_file& file, std::uint64_t count, bool swapped) {
  if (count > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T))
    throw malformed("the shape is too large");
  const std::uint64_t size = count * sizeof(T);
  const auto truncated = [size](std::uint64_t present) {
    return malformed(fmt::format("truncated: the shape needs {} bytes of data, {} are there", size, present));
  };
  const auto whole = file.size();
  const std::uint64_t present = whole ? *whole - std::min(*whole, file.position()) : size;
  if (present < size) throw truncated(present);
  if (present > size) {
    throw malformed(
        fmt::format("{} bytes follow the {} bytes of data that the shape needs", present - size, size));
  }
  std::vector<T> values;
  std::uint64_t done = 0;
  while (done < count) {
    const std::uint64_t step =
        whole ? count : std::min<std::uint64_t>(count - done, std::max<std::uint64_t>(done, pipe_step));
    values.resize(done + step);
    const std::size_t got = file.read(values.data() + done, step * sizeof(T));
    if (got < step * sizeof(T)) throw truncated(done * sizeof(T) + got);
    done += step;
  }
  if (char extra; file.read(&extra, 1) == 1) {
    throw malformed(fmt::format("more bytes follow the {} bytes of data that the shape needs", size));
  }
  if (swapped != (std::endian::native == std::endian::big)) swap_bytes(std::span(values));
  return values;
}

// Bytes of a real that NumPy calls by this name, without a mark of its byte order; 0 for any other type.
std::size_t bytes_of_real(std::string_view name) {
  constexpr std::pair<std::string_view, std::size_t> names[] = {
      {"f2", 2},     {"e", 2},  {"float16", 2}, {"half", 2},    {"f4", 4},    {"f", 4},     {"float32", 4},
      {"single", 4}, {"f8", 8}, {"d", 8},       {"float64", 8}, {"float", 8}, {"double", 8}};
  for (const auto& [known, bytes] : names) {
    if (name == known) return bytes;
  }
  return 0;
}

npy_array read(const std::filesystem::path& path) {
  input_file file(path);
  const header head = read_header(file);
  std::string_view name = head.descr;
  // No mark and = stand for the order of the machine, and | for none.
  const char order =
      name.empty() || std::string_view("<>=|").find(name[0]) == std::string_view::npos ? '=' : name[0];
  if (order != '=' || name.starts_with('=')) name.remove_prefix(1);
  const std::size_t bytes = bytes_of_real(name);
  if (bytes == 0)
    throw malformed(fmt::format("dtype '{}' is not supported: it must be f2, f4 or f8", head.descr));
  if (head.shape.size() > 1) {
    throw malformed(fmt::format("shape {} has {} dimensions, it must have one or none", head.shape_text,
                                head.shape.size()));
  }
  const std::uint64_t count = head.shape.empty() ? 1 : head.shape[0];
  const bool big = order == '>' || (order != '<' && std::endian::native == std::endian::big);
  if (bytes == 2) return read_data<f16>(file, count, big);
  if (bytes == 4) return read_data<float>(file, count, big);
  return read_data<double>(file, count, big);
}

}  // namespace

npy_array read_npy(const std::filesystem::path& path) {
  try {
    return read(path);
  } catch (const malformed& error) {
    throw std::runtime_error(
        fmt::format("{}: {}", path == "-" ? "standard input" : path.string(), error.what()));
  } catch (const std::bad_alloc&) {
    throw std::runtime_error(fmt::format("{}: not enough memory", path.string()));
  }
}

std::string npy_header(std::string_view descr, std::uint64_t count) {
  std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}", descr, count);
  // The data begins at a multiple of 64 bytes, and a newline stands before it.
  const std::size_t prefix = magic.size() + 4;
  dictionary.resize((prefix + dictionary.size() + 1 + 63) / 64 * 64 - prefix - 1, ' ');
  dictionary += '\n';
  std::string result(magic);
  result += '\x01';
  result += '\0';
  result += static_cast<char>(dictionary.size() & 0xff);
  result += static_cast<char>(dictionary.size() >> 8);
  return result + dictionary;
}

}  // namespace rivus::tools
