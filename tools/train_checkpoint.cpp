#include "train_checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <fstream>
#include <rivus/config.hpp>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "numbers.hpp"
#include "output.hpp"
#include "train_model.hpp"

namespace rivus::tools::training {

namespace {

// The file: 16 bytes of magic, the format's version and the value contract's (u32 each), then the members of
// checkpoint in their order, and the digest of all that came before, in hexadecimal. Little-endian; real
// numbers by their bits, the flag as u32, the two vectors without their lengths.
constexpr std::string_view magic = "rivus checkpoint";
constexpr std::uint32_t format_version = 2;
constexpr std::size_t digest_digits = 32;

class writer {
 public:
  void bytes(const void* data, std::size_t n) {
    const auto* first = static_cast<const std::uint8_t*>(data);
    bytes_.insert(bytes_.end(), first, first + n);
  }
  template <class T>
  void integer(T value) {
    for (std::size_t i = 0; i < sizeof value; ++i)
      bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  void real(double value) { integer(std::bit_cast<std::uint64_t>(value)); }
  void reals(std::span<const float> values) {
    for (const float x : values) integer(std::bit_cast<std::uint32_t>(x));
  }
  void text(std::string_view s) { bytes(s.data(), s.size()); }
  const std::vector<std::uint8_t>& result() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

// Of bytes that are known to be there.
class reader {
 public:
  explicit reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::span<const std::uint8_t> bytes(std::size_t n) {
    const auto taken = bytes_.first(n);
    bytes_ = bytes_.subspan(n);
    return taken;
  }
  template <class T>
  T integer() {
    T value = 0;
    std::size_t i = 0;
    for (const std::uint8_t b : bytes(sizeof value)) value |= static_cast<T>(T{b} << (8 * i++));
    return value;
  }
  double real() { return std::bit_cast<double>(integer<std::uint64_t>()); }
  std::vector<float> reals(std::size_t n) {
    std::vector<float> values(n);
    for (float& x : values) x = std::bit_cast<float>(integer<std::uint32_t>());
    return values;
  }
  std::string text(std::size_t n) {
    const auto taken = bytes(n);
    return {taken.begin(), taken.end()};
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

void write_digest(writer& out, const digest& d) {
  const digest::state& s = d.saved();
  out.integer(s.chained.key);
  out.integer(s.chained.nonce);
  out.bytes(s.held.data(), s.held.size());
  out.integer(s.held_bytes);
}

digest read_digest(reader& in) {
  digest::state s;
  s.chained.key = in.integer<std::uint64_t>();
  s.chained.nonce = in.integer<std::uint64_t>();
  const auto held = in.bytes(s.held.size());
  std::copy(held.begin(), held.end(), s.held.begin());
  s.held_bytes = std::min(in.integer<std::uint32_t>(), static_cast<std::uint32_t>(s.held.size()));
  return digest(s);
}

std::string digest_of(std::span<const std::uint8_t> bytes) {
  digest d;
  d.add(bytes.data(), bytes.size());
  return d.hex();
}

std::vector<std::uint8_t> to_bytes(const checkpoint& c) {
  writer out;
  out.text(magic);
  out.integer(format_version);
  out.integer(static_cast<std::uint32_t>(contract_version));
  out.integer(c.parameters.seed);
  out.integer(c.parameters.epochs);
  out.integer(c.parameters.batch);
  out.real(c.parameters.lr);
  out.real(c.parameters.dropout);
  out.integer(std::uint32_t{c.parameters.augment});
  out.integer(c.samples);
  out.text(c.data);
  out.integer(c.epoch);
  out.integer(c.batch);
  write_digest(out, c.order);
  write_digest(out, c.masks);
  out.reals(c.weights);
  out.reals(c.velocity);
  out.text(digest_of(out.result()));
  return out.result();
}

checkpoint from_bytes(reader in) {
  checkpoint c;
  c.parameters.seed = in.integer<std::uint64_t>();
  c.parameters.epochs = in.integer<std::uint64_t>();
  c.parameters.batch = in.integer<std::uint64_t>();
  c.parameters.lr = in.real();
  c.parameters.dropout = in.real();
  c.parameters.augment = in.integer<std::uint32_t>() != 0;
  c.samples = in.integer<std::uint64_t>();
  c.data = in.text(digest_digits);
  c.epoch = in.integer<std::uint64_t>();
  c.batch = in.integer<std::uint64_t>();
  c.order = read_digest(in);
  c.masks = read_digest(in);
  c.weights = in.reals(parameter_count);
  c.velocity = in.reals(parameter_count);
  return c;
}

// The size of every checkpoint.
std::size_t whole_size() {
  static const std::size_t size = [] {
    checkpoint empty;
    empty.data.resize(digest_digits);
    empty.weights.resize(parameter_count);
    empty.velocity.resize(parameter_count);
    return to_bytes(empty).size();
  }();
  return size;
}

// At most n bytes from its beginning.
std::vector<std::uint8_t> read_file(const std::filesystem::path& file, std::size_t n) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::vector<std::uint8_t> bytes(n);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(n));
  if (!in.is_open() || in.bad()) {
    throw std::runtime_error(
        fmt::format("{}: cannot be read: {}", file.string(), std::generic_category().message(errno)));
  }
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

}  // namespace

void save_checkpoint(const std::filesystem::path& file, const checkpoint& state) {
  const std::vector<std::uint8_t> bytes = to_bytes(state);
  replacement_file out(file);
  out.write(bytes.data(), bytes.size());
  out.commit();
}

checkpoint load_checkpoint(const std::filesystem::path& file) {
  const auto fail = [&](const std::string& reason) {
    throw std::runtime_error(fmt::format("{}: {}", file.string(), reason));
  };
  const std::vector<std::uint8_t> bytes = read_file(file, whole_size() + 1);
  if (bytes.size() < magic.size() || !std::equal(magic.begin(), magic.end(), bytes.begin())) {
    fail("is not a checkpoint of rivus train");
  }
  reader in(bytes);
  in.bytes(magic.size());
  if (bytes.size() >= magic.size() + 8) {
    const auto version = in.integer<std::uint32_t>();
    if (version != format_version) {
      fail(fmt::format("has version {} of the checkpoint format; this program reads version {}", version,
                       format_version));
    }
    const auto contract = in.integer<std::uint32_t>();
    if (contract != std::uint32_t{contract_version}) {
      fail(fmt::format("was made under version {} of the value contract; this program computes version {}",
                       contract, contract_version));
    }
  }
  if (bytes.size() < whole_size()) {
    fail(fmt::format("is truncated: it has {} bytes, and a checkpoint has {}", bytes.size(), whole_size()));
  }
  if (bytes.size() > whole_size()) fail(fmt::format("is too long: a checkpoint has {} bytes", whole_size()));
  const std::span content = std::span(bytes).first(bytes.size() - digest_digits);
  if (reader(std::span(bytes).last(digest_digits)).text(digest_digits) != digest_of(content)) {
    fail("is corrupt: its content does not have the digest at its end");
  }
  return from_bytes(in);
}

void expect_same_run(const std::filesystem::path& file, const checkpoint& saved, const hyperparameters& given,
                     std::uint64_t samples, const std::string& data) {
  const auto expect = [&](const char* option, const auto& then, const auto& now) {
    if (then != now) {
      throw usage_error(fmt::format("--resume: {} was saved with {} {}, but this run has {} {}",
                                    file.string(), option, then, option, now));
    }
  };
  const hyperparameters& p = saved.parameters;
  expect("--seed", p.seed, given.seed);
  expect("--epochs", p.epochs, given.epochs);
  expect("--batch", p.batch, given.batch);
  expect("--lr", p.lr, given.lr);
  expect("--dropout", p.dropout, given.dropout);
  expect("augmentation", p.augment ? "on" : "off", given.augment ? "on" : "off");
  expect("training samples", saved.samples, samples);
  if (saved.data != data) {
    throw usage_error(fmt::format("--resume: {} was saved with other training data", file.string()));
  }
}

}  // namespace rivus::tools::training
