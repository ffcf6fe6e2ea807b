// digest: 128 bits that stand for a string of bytes: the keyed hash that names child streams, under the root
// stream of seed 0. It tells accidents apart, not adversaries. Source: docs/spec.md, section 6.
#ifndef RIVUS_TOOLS_DIGEST_HPP
#define RIVUS_TOOLS_DIGEST_HPP

#include <array>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <rivus/stream.hpp>
#include <string>

namespace rivus::tools {

class digest {
 public:
  // A digest that is not at its end: the chained hash, and the last piece, which is held back.
  struct state {
    stream chained = stream::from_seed(0);
    std::array<unsigned char, 12> held{};
    std::uint32_t held_bytes = 0;
  };
  digest() = default;
  explicit digest(const state& s) : state_(s) {}
  const state& saved() const { return state_; }

  // Appends values as little-endian bytes, whatever the machine's own order.
  template <class T>
  void add(const T* values, std::size_t n) {
    static_assert(sizeof(T) == 1 || sizeof(T) == 4 || sizeof(T) == 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    add_bytes(reinterpret_cast<const unsigned char*>(values), n * sizeof(T));
#else
    for (std::size_t i = 0; i < n; ++i) {
      unsigned char own[sizeof(T)], little[sizeof(T)];
      std::memcpy(own, &values[i], sizeof(T));
      for (std::size_t b = 0; b < sizeof(T); ++b) little[b] = own[sizeof(T) - 1 - b];
      add_bytes(little, sizeof(T));
    }
#endif
  }
  template <class T>
  void add(const T& value) {
    add(&value, 1);
  }

  // Of all bytes so far: 32 hexadecimal digits.
  std::string hex() const {
    const auto& [chained, held, n] = state_;
    const stream s = chained.hashed(words(held.data(), n, stream::tag_last_piece + n));
    char text[33];
    std::snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, s.key, s.nonce);
    return text;
  }

 private:
  // A full piece is held back as well: if it is the last, it is hashed under a tag of its own.
  void add_bytes(const unsigned char* bytes, std::size_t n) {
    auto& [chained, held, held_bytes] = state_;
    while (n > 0) {
      if (held_bytes == held.size()) {
        chained = chained.hashed(words(held.data(), held_bytes, stream::tag_piece));
        held_bytes = 0;
      }
      const std::size_t room = held.size() - held_bytes;
      const std::size_t taken = n < room ? n : room;
      std::memcpy(held.data() + held_bytes, bytes, taken);
      held_bytes += static_cast<std::uint32_t>(taken);
      bytes += taken;
      n -= taken;
    }
  }

  static vec<std::uint32_t, 4> words(const unsigned char* bytes, std::uint32_t n, std::uint32_t tag) {
    vec<std::uint32_t, 4> w{{0, 0, 0, tag}};
    for (std::uint32_t i = 0; i < n; ++i)
      w[static_cast<int>(i / 4)] |= std::uint32_t{bytes[i]} << (8 * (i % 4));
    return w;
  }

  state state_;
};

}  // namespace rivus::tools

#endif
