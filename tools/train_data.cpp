#include "train_data.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <new>
#include <rivus/real.hpp>
#include <stdexcept>
#include <system_error>

namespace rivus::tools::training {

namespace {

// A file whose content is compressed by gzip, or is not.
class data_file {
 public:
  explicit data_file(std::filesystem::path path) : path_(std::move(path)) {
    std::ifstream file(path_, std::ios::binary);
    if (!file) fail("cannot be opened: " + std::generic_category().message(errno));
    held_.assign(std::istreambuf_iterator<char>(file), {});
    if (file.bad()) fail("cannot be read: " + std::generic_category().message(errno));
    compressed_ = at_member();
    if (compressed_ && inflateInit2(&zlib_, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  data_file(const data_file&) = delete;
  data_file& operator=(const data_file&) = delete;
  ~data_file() {
    if (compressed_) inflateEnd(&zlib_);
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw std::runtime_error(fmt::format("{}: {}", path_.string(), reason));
  }

  // Up to n bytes, fewer only at the end of a whole file. Memory grows with what is there, not with what
  // a header claims.
  std::vector<std::uint8_t> read(std::uint64_t n) {
    constexpr std::uint64_t piece = 1 << 22;
    std::vector<std::uint8_t> bytes;
    while (bytes.size() < n) {
      const std::size_t before = bytes.size(), wanted = std::min(piece, n - before);
      bytes.resize(before + wanted);
      const std::size_t got =
          compressed_ ? inflate(bytes.data() + before, wanted) : copy(bytes.data() + before, wanted);
      bytes.resize(before + got);
      if (got < wanted) break;
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
  bool at_member() const {
    return held_.size() - next_ >= 2 && held_[next_] == '\x1f' && held_[next_ + 1] == '\x8b';
  }

  std::size_t copy(std::uint8_t* to, std::size_t n) {
    const std::size_t m = std::min(n, held_.size() - next_);
    std::copy_n(held_.data() + next_, m, to);
    next_ += m;
    return m;
  }

  // A gzip file is one member after the other, and nothing else.
  std::size_t inflate(std::uint8_t* to, std::size_t n) {
    zlib_.next_out = to;
    zlib_.avail_out = static_cast<unsigned>(n);
    while (zlib_.avail_out > 0 && !ended_) {
      const std::size_t given = std::min<std::size_t>(held_.size() - next_, 1u << 30);
      zlib_.next_in = reinterpret_cast<unsigned char*>(held_.data() + next_);
      zlib_.avail_in = static_cast<unsigned>(given);
      const int result = ::inflate(&zlib_, Z_NO_FLUSH);
      next_ += given - zlib_.avail_in;
      if (result == Z_STREAM_END) {
        ended_ = next_ == held_.size();
        if (!ended_ && !at_member())
          fail(fmt::format("has {} bytes after its gzip data", held_.size() - next_));
        inflateReset(&zlib_);
      } else if (result == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (result == Z_BUF_ERROR || (result == Z_OK && next_ == held_.size() && zlib_.avail_out > 0)) {
        fail("is truncated: the gzip data end too early");
      } else if (result != Z_OK) {
        fail(fmt::format("is corrupt: {}", zlib_.msg != nullptr ? zlib_.msg : "the gzip data are damaged"));
      }
    }
    return n - zlib_.avail_out;
  }

  std::filesystem::path path_;
  std::string held_;  // the file, of which the rest from next_ on is still to be read
  std::size_t next_ = 0;
  bool compressed_ = false, ended_ = false;
  z_stream zlib_{};
};

// The header of an idx file of bytes; returns the number of items.
std::uint32_t read_header(data_file& file, std::uint32_t magic,
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
  data_file file(path);
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

// Compressed or not.
std::filesystem::path find_file(const std::filesystem::path& folder, const std::string& name) {
  for (const char* const ending : {".gz", ""}) {
    if (std::filesystem::exists(folder / (name + ending))) return folder / (name + ending);
  }
  throw std::runtime_error(fmt::format(
      "{}: neither {}.gz nor {} is there; the Debian package dataset-fashion-mnist has these files",
      folder.string(), name, name));
}

}  // namespace

dataset read_dataset(const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path images = find_file(folder, name + "-images-idx3-ubyte");
  const std::filesystem::path labels = find_file(folder, name + "-labels-idx1-ubyte");
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
