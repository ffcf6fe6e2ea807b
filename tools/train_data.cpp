#include "train_data.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <rivus/real.hpp>
#include <stdexcept>
#include <system_error>

namespace rivus::tools::training {

namespace {

class gzip_file {
 public:
  explicit gzip_file(std::filesystem::path path) : path_(std::move(path)) {
    errno = 0;
    file_ = gzopen(path_.c_str(), "rb");
    if (file_ == nullptr) fail("cannot be opened: " + last_error());
    gzbuffer(file_, 1 << 17);
  }
  gzip_file(const gzip_file&) = delete;
  gzip_file& operator=(const gzip_file&) = delete;
  ~gzip_file() { gzclose_r(file_); }

  [[noreturn]] void fail(const std::string& reason) const {
    throw std::runtime_error(fmt::format("{}: {}", path_.string(), reason));
  }

  // Up to n bytes, fewer only at the end of a whole file. Memory grows with what is there, not with what
  // a header claims.
  std::vector<std::uint8_t> read(std::uint64_t n) {
    constexpr std::uint64_t piece = 1 << 22;
    std::vector<std::uint8_t> bytes;
    while (bytes.size() < n) {
      const std::size_t before = bytes.size();
      const auto wanted = static_cast<unsigned>(std::min(piece, n - before));
      bytes.resize(before + wanted);
      errno = 0;
      const int got = gzread(file_, bytes.data() + before, wanted);
      check();
      bytes.resize(before + static_cast<std::size_t>(std::max(got, 0)));
      if (bytes.size() < before + wanted) break;
    }
    return bytes;
  }

  std::uint32_t read_big_endian() {
    const std::vector<std::uint8_t> b = read(4);
    if (b.size() < 4) fail("ends within its header");
    return std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | b[3];
  }

  // The checksum is compared only when the end is reached.
  void expect_end() {
    if (!read(1).empty()) fail("is longer than its header says");
  }

 private:
  // zlib begins with the path, which fail() gives already.
  std::string reason_in(std::string_view text) const {
    const std::string path = path_.string() + ": ";
    return std::string(text.substr(text.starts_with(path) ? path.size() : 0));
  }
  static std::string last_error() { return std::generic_category().message(errno); }

  void check() const {
    int code = Z_OK;
    const char* text = gzerror(file_, &code);
    switch (code) {
      case Z_OK:
      case Z_STREAM_END:
        break;
      case Z_ERRNO:
        fail("cannot be read: " + last_error());
      case Z_BUF_ERROR:
        fail("is truncated: the gzip data end too early");
      default:
        fail(fmt::format("is corrupt: {}", reason_in(text)));
    }
    // What is no gzip file at all would pass through unchanged.
    if (gzdirect(file_) != 0) fail("is not a gzip file");
  }

  std::filesystem::path path_;
  gzFile file_;
};

// The header of an idx file of bytes; returns the number of items.
std::uint32_t read_header(gzip_file& file, std::uint32_t magic,
                          const std::vector<std::uint32_t>& item_shape) {
  const std::uint32_t found = file.read_big_endian();
  if (found != magic) {
    file.fail(
        fmt::format("has the magic number {:08x}, where an idx file of this kind has {:08x}", found, magic));
  }
  const std::uint32_t count = file.read_big_endian();
  for (const std::uint32_t wanted : item_shape) {
    const std::uint32_t extent = file.read_big_endian();
    if (extent != wanted)
      file.fail(fmt::format("has images with a side of {} pixels, not {}", extent, wanted));
  }
  if (count == 0) file.fail("holds no items");
  return count;
}

std::vector<std::uint8_t> read_items(const std::filesystem::path& path, std::uint32_t magic,
                                     const std::vector<std::uint32_t>& item_shape) {
  gzip_file file(path);
  const std::uint32_t count = read_header(file, magic, item_shape);
  std::uint64_t bytes = count;
  for (const std::uint32_t extent : item_shape) bytes *= extent;
  std::vector<std::uint8_t> items = file.read(bytes);
  if (items.size() < bytes) {
    file.fail(fmt::format("is too short: its header says {} items, {} bytes, but {} bytes follow", count,
                          bytes, items.size()));
  }
  file.expect_end();
  return items;
}

}  // namespace

dataset read_dataset(const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path images = folder / (name + "-images-idx3-ubyte.gz");
  const std::filesystem::path labels = folder / (name + "-labels-idx1-ubyte.gz");
  dataset data{read_items(images, 0x00000803, {image_side, image_side}), read_items(labels, 0x00000801, {})};
  if (data.images.size() != data.labels.size() * image_pixels) {
    throw std::runtime_error(fmt::format("{}: has {} labels for the {} images of {}", labels.string(),
                                         data.size(), data.images.size() / image_pixels,
                                         images.filename().string()));
  }
  const auto bad =
      std::find_if(data.labels.begin(), data.labels.end(), [](auto c) { return c >= class_count; });
  if (bad != data.labels.end()) {
    throw std::runtime_error(fmt::format("{}: label {} is {}, beyond the classes 0 to {}", labels.string(),
                                         bad - data.labels.begin(), *bad, class_count - 1));
  }
  return data;
}

const std::array<float, 256>& normalised_grey() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> t;
    for (std::size_t x = 0; x < t.size(); ++x) {
      t[x] = real::div(real::sub(real::div(static_cast<float>(x), 255.0f), 0.286f), 0.353f);
    }
    return t;
  }();
  return table;
}

}  // namespace rivus::tools::training
