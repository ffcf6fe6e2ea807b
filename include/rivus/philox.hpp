// Philox: a counter-based bijection. Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy
// as 1, 2, 3", SC11, section 3.3 and table 2.
#ifndef RIVUS_PHILOX_HPP
#define RIVUS_PHILOX_HPP

#include <rivus/vec.hpp>

namespace rivus {

// The two halves of the double-width product a * b.
template <class W>
struct wide {
  W lo, hi;
};
RIVUS_HD constexpr wide<std::uint32_t> mul_wide(std::uint32_t a, std::uint32_t b) noexcept {
  const std::uint64_t p = std::uint64_t{a} * b;
  return {static_cast<std::uint32_t>(p), static_cast<std::uint32_t>(p >> 32)};
}
RIVUS_HD constexpr wide<std::uint64_t> mul_wide(std::uint64_t a, std::uint64_t b) noexcept {
#if defined(__SIZEOF_INT128__) || !defined(__CUDACC_RTC__)
  __extension__ using u128 = unsigned __int128;
  const u128 p = static_cast<u128>(a) * b;
  return {static_cast<std::uint64_t>(p), static_cast<std::uint64_t>(p >> 64)};
#else
  // NVRTC has the type with --device-int128 only.
  const std::uint64_t a_lo = a & 0xFFFFFFFFu, a_hi = a >> 32, b_lo = b & 0xFFFFFFFFu, b_hi = b >> 32;
  const std::uint64_t low = a_lo * b_lo, middle = a_hi * b_lo + (low >> 32),
                      cross = a_lo * b_hi + (middle & 0xFFFFFFFFu);
  return {a * b, a_hi * b_hi + (middle >> 32) + (cross >> 32)};
#endif
}

// The 64-bit word of two halves.
RIVUS_HD constexpr std::uint64_t join(std::uint32_t low, std::uint32_t high) noexcept {
  return low | std::uint64_t{high} << 32;
}

template <class W, int N>
struct philox_constants;
template <>
struct philox_constants<std::uint32_t, 2> {
  static constexpr std::uint32_t multiplier[1] = {0xD256D193u};
  static constexpr std::uint32_t weyl[1] = {0x9E3779B9u};
};
template <>
struct philox_constants<std::uint32_t, 4> {
  static constexpr std::uint32_t multiplier[2] = {0xD2511F53u, 0xCD9E8D57u};
  static constexpr std::uint32_t weyl[2] = {0x9E3779B9u, 0xBB67AE85u};
};
template <>
struct philox_constants<std::uint64_t, 2> {
  static constexpr std::uint64_t multiplier[1] = {0xD2B74407B1CE6E93u};
  static constexpr std::uint64_t weyl[1] = {0x9E3779B97F4A7C15u};
};
template <>
struct philox_constants<std::uint64_t, 4> {
  static constexpr std::uint64_t multiplier[2] = {0xD2E7470EE14C6C93u, 0xCA5A826395121157u};
  static constexpr std::uint64_t weyl[2] = {0x9E3779B97F4A7C15u, 0xBB67AE8584CAA73Bu};
};

// Philox-N x W bits: `block` maps a counter of N words to N random words, under a key of N/2 words.
//
// Each key gives a bijection of the counters. Rounds: 10 is the published count.
// Determinism: everywhere. Source: Salmon et al. 2011, section 3.3.
template <class W, int N, int Rounds = 10>
struct philox {
  static_assert(N == 2 || N == 4, "rivus::philox: 2 or 4 words");
  using word_type = W;
  using counter_type = vec<W, N>;
  using key_type = vec<W, N / 2>;
  static constexpr int rounds = Rounds;

  RIVUS_HD static constexpr counter_type block(counter_type c, key_type k) noexcept {
    using constants = philox_constants<W, N>;
    for (int r = 0; r < Rounds; ++r) {
      if constexpr (N == 2) {
        const wide<W> p = mul_wide(c[0], constants::multiplier[0]);
        c = {{static_cast<W>(p.hi ^ k[0] ^ c[1]), p.lo}};
        k[0] += constants::weyl[0];
      } else {
        const wide<W> p = mul_wide(c[0], constants::multiplier[0]);
        const wide<W> q = mul_wide(c[2], constants::multiplier[1]);
        c = {{static_cast<W>(q.hi ^ c[1] ^ k[0]), q.lo, static_cast<W>(p.hi ^ c[3] ^ k[1]), p.lo}};
        k[0] += constants::weyl[0];
        k[1] += constants::weyl[1];
      }
    }
    return c;
  }
};

using philox2x32 = philox<std::uint32_t, 2>;
using philox4x32 = philox<std::uint32_t, 4>;
using philox2x64 = philox<std::uint64_t, 2>;
using philox4x64 = philox<std::uint64_t, 4>;

}  // namespace rivus

#endif
