// cursor: sequential use of a stream, as a standard random bit generator.
#ifndef RIVUS_CURSOR_HPP
#define RIVUS_CURSOR_HPP

#include <rivus/stream.hpp>
#if !defined(__CUDACC_RTC__)
#include <array>
#include <rivus/refuse.hpp>
#include <string>
#include <string_view>
#endif

namespace rivus {

// Reads the words of a stream one after the other: a uniform_random_bit_generator for <random> and
// std::shuffle, and, as in normal<float>{}(c), for the distributions here.
//
// Range: operator() gives every 32-bit value. The position is the index of the next word; it counts modulo
// 2^64. A distribution gets its first element none of whose words has been read, and the position moves past
// these; calls of one alone give the elements of fill, the second of a pair after the first.
// Cost: one block for each four words read in order. Copies continue independently.
// Determinism: everywhere (the words; what <random> makes of them differs between standard libraries).
// Thread safety: as an int; give each thread a cursor of its own.
class cursor {
 public:
  using result_type = std::uint32_t;

  // Of the root stream of a seed.
  RIVUS_HD constexpr cursor() noexcept : cursor(0) {}
  RIVUS_HD constexpr explicit cursor(index64 seed) noexcept : cursor(stream::from_seed(seed)) {}
  RIVUS_HD constexpr explicit cursor(stream s, index64 position = 0) noexcept
      : stream_(s), position_(position) {}

  RIVUS_HD constexpr void seed(index64 value = 0) noexcept { *this = cursor(value); }
  RIVUS_HD constexpr void seed(stream s) noexcept { *this = cursor(s); }

  // Called, as in <random>, or taken as constants, as Thrust has them.
  static constexpr constant<result_type, 0> min{};
  static constexpr constant<result_type, 0xFFFFFFFFu> max{};

  RIVUS_HD constexpr result_type operator()() noexcept {
    half_ = 0;
    const std::uint64_t i = position_++;
    if ((i & 3) == 0 || !has_block_) {
      block_ = stream_.block(i >> 2);
      has_block_ = true;
    }
    return block_[static_cast<int>(i & 3)];
  }

  // The next element of a distribution.
  template <class D>
  RIVUS_HD constexpr auto next(const D& d) noexcept {
    const std::uint64_t words = static_cast<std::uint64_t>(d.words());
    constexpr bool in_pairs = D::words_per_step == 2;
    if (in_pairs && half_ == words) {
      half_ = 0;
      return d(stream_, position_ / words - 1);
    }
    const std::uint64_t step = in_pairs ? 2 * words : words,
                        steps = position_ / step + (position_ % step != 0);
    seek((steps + 1) * step);
    half_ = in_pairs ? static_cast<unsigned char>(words) : 0;
    return d(stream_, steps * step / words);
  }

  RIVUS_HD constexpr void discard(index64 n) noexcept { seek(position_ + n); }
  RIVUS_HD constexpr void seek(index64 position) noexcept {
    position_ = position;
    has_block_ = false;
    half_ = 0;
  }
  RIVUS_HD constexpr std::uint64_t position() const noexcept { return position_; }
  RIVUS_HD constexpr stream source() const noexcept { return stream_; }

  // Cursors are equal when they will read the same words.
  RIVUS_HD friend constexpr bool operator==(const cursor& a, const cursor& b) noexcept {
    return a.stream_ == b.stream_ && a.position_ == b.position_ && a.half_ == b.half_;
  }
  RIVUS_HD friend constexpr bool operator!=(const cursor& a, const cursor& b) noexcept { return !(a == b); }

#if !defined(__CUDACC_RTC__)
  // "rivus-cursor-1 KEY NONCE POSITION", each of the three as 16 lower-case hexadecimal digits; then " half32" or
  // " half64" where the second of a pair comes next, of such words.
  std::string to_text() const {
    std::string text = tag;
    for (const std::uint64_t x : {stream_.key, stream_.nonce, position_}) {
      text += ' ';
      for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[x >> shift & 15];
    }
    return text.append(half_name[half_]);
  }

  // The cursor that to_text described. Errors: std::invalid_argument, naming what is wrong.
  static cursor from_text(std::string_view text) {
    if (text.substr(0, tag_size) != tag) {
      fail("version tag", std::string(text.substr(0, text.find(' '))), "must be rivus-cursor-1");
    }
    text.remove_prefix(tag_size);
    const std::uint64_t key = take_field(text, "key");
    const std::uint64_t nonce = take_field(text, "nonce");
    const std::uint64_t position = take_field(text, "position");
    cursor c({key, nonce}, position);
    while (c.half_ < 2 && text != half_name[c.half_]) ++c.half_;
    if (text != half_name[c.half_]) fail("text after the position", std::string(text), "must not be there");
    return c;
  }

  // The four bytes "rvc" 1, one that is the words (of 32 bits) of an element where the second of a pair comes next and 0
  // elsewhere, three zero bytes, then key, nonce and position, little-endian.
  using bytes_type = std::array<unsigned char, 32>;
  bytes_type to_bytes() const {
    bytes_type bytes{'r', 'v', 'c', 1, half_};
    std::size_t at = 8;
    for (const std::uint64_t x : {stream_.key, stream_.nonce, position_}) {
      for (int shift = 0; shift < 64; shift += 8) bytes[at++] = static_cast<unsigned char>(x >> shift);
    }
    return bytes;
  }

  // The cursor that to_bytes described. Errors: std::invalid_argument, naming what is wrong.
  static cursor from_bytes(const bytes_type& bytes) {
    const bytes_type head{'r', 'v', 'c', 1, bytes[4] <= 2 ? bytes[4] : static_cast<unsigned char>(0)};
    for (std::size_t i = 0; i < 8; ++i) {
      if (bytes[i] != head[i]) {
        fail(i == 3 ? "version byte" : "header byte " + std::to_string(i), std::to_string(bytes[i]),
             "must be " + std::to_string(head[i]));
      }
    }
    std::uint64_t field[3] = {};
    for (std::size_t i = 0; i < 24; ++i) field[i / 8] |= std::uint64_t{bytes[8 + i]} << (8 * (i % 8));
    cursor c({field[0], field[1]}, field[2]);
    c.half_ = bytes[4];
    return c;
  }
#endif

 private:
#if !defined(__CUDACC_RTC__)
  static constexpr const char* tag = "rivus-cursor-1";
  static constexpr std::size_t tag_size = 14;
  static constexpr std::string_view half_name[] = {"", " half32", " half64"};

  [[noreturn]] static void fail(const std::string& what, const std::string& value, const std::string& rule) {
    detail::refuse("rivus::cursor", what + " '" + value + "' " + rule);
  }

  static std::uint64_t take_field(std::string_view& text, const char* name) {
    const std::string_view digits = text.substr(text.empty() ? 0 : 1, 16);
    if (text.empty() || text[0] != ' ') fail(name, std::string(text.substr(0, 17)), "must follow one space");
    std::uint64_t x = 0;
    for (const char c : digits) {
      const int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
      if (d < 0) fail(name, std::string(digits), "must be 16 lower-case hexadecimal digits");
      x = x << 4 | static_cast<std::uint64_t>(d);
    }
    if (digits.size() != 16) fail(name, std::string(digits), "must be 16 lower-case hexadecimal digits");
    text.remove_prefix(17);
    return x;
  }
#endif

  stream stream_;
  std::uint64_t position_;
  vec<std::uint32_t, 4> block_{};
  bool has_block_ = false;
  // Where the last call read a pair and gave its first element, the words of one; else 0.
  unsigned char half_ = 0;
};

}  // namespace rivus

#endif
