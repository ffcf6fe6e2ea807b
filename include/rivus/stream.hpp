// stream: a named place in a tree of random streams, and the words found there.
#ifndef RIVUS_STREAM_HPP
#define RIVUS_STREAM_HPP

#include <rivus/index.hpp>
#include <rivus/philox.hpp>
#include <rivus/threefry.hpp>
#if !defined(__CUDACC_RTC__)
#include <string_view>  // declares std::hash
#endif
#if __cplusplus >= 202002L && __has_include(<compare>)
#include <compare>
#endif

namespace rivus {

namespace detail {

template <class T>
inline constexpr bool is_character_v = std::is_same_v<T, char> || std::is_same_v<T, unsigned char>
#ifdef __cpp_char8_t
                                       || std::is_same_v<T, char8_t>
#endif
    ;

template <class T, class = void>
inline constexpr bool is_byte_string_v = false;
template <class T>
inline constexpr bool is_byte_string_v<
    T, std::void_t<decltype(std::declval<const T&>().data()), decltype(std::declval<const T&>().size())>> =
    is_character_v<std::remove_cv_t<std::remove_pointer_t<decltype(std::declval<const T&>().data())>>>;

template <class T>
inline constexpr bool always_false_v = false;

}  // namespace detail

// A source of 2^66 random words without state: 16 bytes that can be copied, compared, stored and passed by
// value into a kernel.
//
// Streams form a tree. `s["dropout"]` and `s[7]` are children, each with its own key; `s.lane(j)` are
// cheap siblings for the threads of one kernel. Everything is constexpr: a literal name hashes when the
// program is compiled.
// Not cryptographic. N streams of J lanes collide with probability about N^2 J / 2^128.
// Determinism: everywhere. Source: docs/spec.md, section 1.
struct stream {
  std::uint64_t key;
  std::uint64_t nonce;

  // The root stream of a seed: an integer of any type, modulo 2^64. No real and no bool, here and below.
  RIVUS_HD static constexpr stream from_seed(index64 seed) noexcept { return {seed, 0}; }

  // The child called `name`: an integer or enumerator (modulo 2^64; a char is its number), a string literal or
  // char array (up to its first NUL), a const char* (likewise), or anything with data() and size() over
  // bytes, such as std::string_view (all its bytes, NUL included).
  //
  // A name that spells a canonical decimal below 2^64, such as "17", is that number's child. "init/w" is one name:
  // the path is s / "init" / "w", or s / path("init/w") (path.hpp).
#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // of the name's data() and size()
#endif
  template <class T>
  RIVUS_HD constexpr stream operator[](const T& name) const noexcept {
    if constexpr (index64::takes<T>) {
      return child(static_cast<std::uint64_t>(name));
    } else if constexpr (std::is_enum_v<T>) {
      return child(static_cast<std::uint64_t>(static_cast<std::underlying_type_t<T>>(name)));
    } else if constexpr (std::is_array_v<T> &&
                         detail::is_character_v<std::remove_cv_t<std::remove_extent_t<T>>>) {
      std::size_t n = 0;
      while (n < std::extent_v<T> && name[n] != 0) ++n;
      return child(name, n);
    } else if constexpr (std::is_pointer_v<T> &&
                         detail::is_character_v<std::remove_cv_t<std::remove_pointer_t<T>>>) {
      std::size_t n = 0;
      while (name[n] != 0) ++n;
      return child(name, n);
    } else if constexpr (detail::is_byte_string_v<T>) {
      return child(name.data(), name.size());
    } else {
      static_assert(detail::always_false_v<T>, "rivus: a child stream is named by an integer or by a string");
    }
  }

  // s / "init" / 3 is s["init"][3].
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  template <class T>
  RIVUS_HD constexpr stream operator/(const T& name) const noexcept {
    return (*this)[name];
  }

  // Lane j: the words that cuRAND calls subsequence nonce + j of the same seed. Costs one addition.
  //
  // lane(0) is the stream itself; lanes of lanes add up. Give a kernel the lanes of a child of its own.
  RIVUS_HD constexpr stream lane(index64 j) const noexcept { return {key, nonce + j}; }

  // Words 4b .. 4b+3.
  RIVUS_HD constexpr vec<std::uint32_t, 4> block(index64 b) const noexcept {
    return philox4x32::block({{lo(b), hi(b), lo(nonce), hi(nonce)}}, {{lo(key), hi(key)}});
  }

  // Word i, i < 2^64 (block reaches the rest): what the i-th call of curand() returns after
  // curand_init(key, nonce, 0, &state).
  RIVUS_HD constexpr std::uint32_t word(index64 i) const noexcept {
    const vec<std::uint32_t, 4> w = block(i >> 2);
    return (i & 2) ? ((i & 1) ? w[3] : w[2]) : ((i & 1) ? w[1] : w[0]);
  }

  // The bits of element i: word i, or words 2i (low half) and 2i+1.
  RIVUS_HD constexpr std::uint32_t bits32(index64 i) const noexcept { return word(i); }
  RIVUS_HD constexpr std::uint64_t bits64(index64 i) const noexcept {
    const vec<std::uint32_t, 4> w = block(i >> 1);
    return chosen_pair(w, i & 1);
  }
  // Words 0 and 1 of a block, or 2 and 3, as one.
  //
  // Not by a shift in device code: where the halves are chosen by an index, nvcc 13.0 for sm_100 and later compares the
  // word with a constant as if the low half of a product, which the high half is, were the whole product.
  RIVUS_HD static constexpr std::uint64_t chosen_pair(const vec<std::uint32_t, 4>& w, bool second) noexcept {
    const std::uint32_t low = second ? w[2] : w[0], high = second ? w[3] : w[1];
#if defined(__CUDA_ARCH__)
    if (!__builtin_is_constant_evaluated()) return packed(low, high);
#endif
    return join(low, high);
  }

  // The stream from which element i of this one is drawn anew at its t-th rejection, or has its t-th further digit,
  // 1 <= t < 2^32.
  RIVUS_HD constexpr stream redraw(index64 t) const noexcept { return hashed({{lo(t), 0, 0, tag_redraw}}); }

  RIVUS_HD static constexpr std::uint32_t lo(std::uint64_t x) noexcept {
    return static_cast<std::uint32_t>(x);
  }
  RIVUS_HD static constexpr std::uint32_t hi(std::uint64_t x) noexcept {
    return static_cast<std::uint32_t>(x >> 32);
  }
  RIVUS_HD static constexpr std::uint64_t join(std::uint32_t low, std::uint32_t high) noexcept {
    return rivus::join(low, high);
  }

  RIVUS_HD friend constexpr bool operator==(stream a, stream b) noexcept {
    return a.key == b.key && a.nonce == b.nonce;
  }
  RIVUS_HD friend constexpr bool operator!=(stream a, stream b) noexcept { return !(a == b); }
  // By key, then by nonce: an order for containers.
  RIVUS_HD friend constexpr bool operator<(stream a, stream b) noexcept {
    return a.key != b.key ? a.key < b.key : a.nonce < b.nonce;
  }
  RIVUS_HD friend constexpr bool operator>(stream a, stream b) noexcept { return b < a; }
  RIVUS_HD friend constexpr bool operator<=(stream a, stream b) noexcept { return !(b < a); }
  RIVUS_HD friend constexpr bool operator>=(stream a, stream b) noexcept { return !(a < b); }
#if defined(__cpp_lib_three_way_comparison)
  friend constexpr std::strong_ordering operator<=>(stream a, stream b) noexcept {
    return a.key != b.key ? a.key <=> b.key : a.nonce <=> b.nonce;
  }
#endif

  // The tags keep the four uses of the hash apart.
  static constexpr std::uint32_t tag_number = 1;
  static constexpr std::uint32_t tag_piece = 2;
  static constexpr std::uint32_t tag_redraw = 3;
  static constexpr std::uint32_t tag_last_piece = 0x100;

  // One step of the keyed hash: Threefry-4x32-20 of `input` under this stream's key and nonce.
  RIVUS_HD constexpr stream hashed(vec<std::uint32_t, 4> input) const noexcept {
    const vec<std::uint32_t, 4> o = threefry4x32::block(input, {{lo(key), hi(key), lo(nonce), hi(nonce)}});
    return {join(o[0], o[1]), join(o[2], o[3])};
  }

 private:
#if defined(__CUDA_ARCH__)
  RIVUS_HD static std::uint64_t packed(std::uint32_t low, std::uint32_t high) noexcept {
    std::uint64_t x;
    asm("mov.b64 %0, {%1, %2};" : "=l"(x) : "r"(low), "r"(high));
    return x;
  }
#endif

  RIVUS_HD constexpr stream child(std::uint64_t i) const noexcept {
    return hashed({{lo(i), hi(i), 0, tag_number}});
  }

  template <class Char>
  RIVUS_HD constexpr stream child(const Char* name, std::size_t n) const noexcept {
    std::uint64_t number = 0;
    if (is_decimal(name, n, number)) return child(number);
    stream s = *this;
    for (; n > 12; name += 12, n -= 12) s = s.hashed(piece(name, 12, tag_piece));
    return s.hashed(piece(name, n, tag_last_piece + static_cast<std::uint32_t>(n)));
  }

  template <class Char>
  RIVUS_HD static constexpr vec<std::uint32_t, 4> piece(const Char* name, std::size_t n,
                                                        std::uint32_t tag) noexcept {
    vec<std::uint32_t, 4> p{{0, 0, 0, tag}};
    for (std::size_t i = 0; i < n; ++i) {
      p[static_cast<int>(i / 4)] |= std::uint32_t{static_cast<unsigned char>(name[i])} << (8 * (i % 4));
    }
    return p;
  }

  // Canonical decimals below 2^64: no sign, no leading zero.
  template <class Char>
  RIVUS_HD static constexpr bool is_decimal(const Char* name, std::size_t n, std::uint64_t& value) noexcept {
    if (n == 0 || n > 20 || (n > 1 && name[0] == Char('0'))) return false;
    value = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (name[i] < Char('0') || name[i] > Char('9')) return false;
      const auto digit = static_cast<std::uint64_t>(name[i] - Char('0'));
      if (value > (~std::uint64_t{0} - digit) / 10) return false;
      value = 10 * value + digit;
    }
    return true;
  }
};

static_assert(sizeof(stream) == 16 && std::is_trivially_copyable_v<stream>);

}  // namespace rivus

#if !defined(__CUDACC_RTC__)
template <>
struct std::hash<rivus::stream> {
  std::size_t operator()(rivus::stream s) const noexcept {
    // Keys of children are hashes already; those of roots are seeds.
    return static_cast<std::size_t>((s.key ^ s.nonce * 0x9E3779B97F4A7C15u) * 0xD1342543DE82EF95u);
  }
};
#endif

#endif
