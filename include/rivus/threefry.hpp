// Threefry: a counter-based bijection without multiplications. Salmon, Moraes, Dror and Shaw, "Parallel
// random numbers: as easy as 1, 2, 3", SC11, section 3.2; the rotations are those of table 1.
#ifndef RIVUS_THREEFRY_HPP
#define RIVUS_THREEFRY_HPP

#include <rivus/vec.hpp>

namespace rivus {

// parity: the word that completes the key schedule. rotation[r % 8][j]: of the j-th pair in round r.
template <class W, int N>
struct threefry_constants;
template <>
struct threefry_constants<std::uint32_t, 2> {
  static constexpr std::uint32_t parity = 0x1BD11BDAu;
  static constexpr int rotation[8][1] = {{13}, {15}, {26}, {6}, {17}, {29}, {16}, {24}};
};
template <>
struct threefry_constants<std::uint32_t, 4> {
  static constexpr std::uint32_t parity = 0x1BD11BDAu;
  static constexpr int rotation[8][2] = {{10, 26}, {11, 21}, {13, 27}, {23, 5},
                                         {6, 20},  {17, 11}, {25, 10}, {18, 20}};
};
template <>
struct threefry_constants<std::uint64_t, 2> {
  static constexpr std::uint64_t parity = 0x1BD11BDAA9FC1A22u;
  static constexpr int rotation[8][1] = {{16}, {42}, {12}, {31}, {16}, {32}, {24}, {21}};
};
template <>
struct threefry_constants<std::uint64_t, 4> {
  static constexpr std::uint64_t parity = 0x1BD11BDAA9FC1A22u;
  static constexpr int rotation[8][2] = {{14, 16}, {52, 57}, {23, 40}, {5, 37},
                                         {25, 33}, {46, 12}, {58, 22}, {32, 32}};
};

// Threefry-N x W bits: `block` maps a counter of N words to N random words, under a key of N words.
//
// Each key gives a bijection of the counters. Rounds: 20 is the published count.
// Determinism: everywhere. Source: Salmon et al. 2011, section 3.2.
template <class W, int N, int Rounds = 20>
struct threefry {
  static_assert(N == 2 || N == 4, "rivus::threefry: 2 or 4 words");
  using word_type = W;
  using counter_type = vec<W, N>;
  using key_type = vec<W, N>;
  static constexpr int rounds = Rounds;

  RIVUS_HD static constexpr counter_type block(counter_type x, key_type k) noexcept {
    using constants = threefry_constants<W, N>;
    vec<W, N + 1> ks{};
    ks[N] = constants::parity;
    for (int i = 0; i < N; ++i) {
      ks[i] = k[i];
      ks[N] ^= k[i];
      x[i] += k[i];
    }
    mix<0>(x, ks);
    return x;
  }

 private:
  // Round R and those after it. By recursion, for every rotation and key index to be a constant: device code
  // can not read the tables.
  template <int R>
  RIVUS_HD static constexpr void mix(counter_type& x, const vec<W, N + 1>& ks) noexcept {
    if constexpr (R < Rounds) {
      using constants = threefry_constants<W, N>;
      constexpr int first = constants::rotation[R % 8][0], second = constants::rotation[R % 8][N / 2 - 1];
      // Odd rounds of the four-word form pair word 0 with 3 and word 2 with 1.
      constexpr int partner = N == 4 && R % 2 == 1 ? 3 : 1;
      x[0] += x[partner];
      x[partner] = rotate(x[partner], first) ^ x[0];
      if constexpr (N == 4) {
        x[2] += x[4 - partner];
        x[4 - partner] = rotate(x[4 - partner], second) ^ x[2];
      }
      if constexpr (R % 4 == 3) {
        constexpr int d = R / 4 + 1;
        for (int i = 0; i < N; ++i) x[i] += ks[(d + i) % (N + 1)];
        x[N - 1] += static_cast<W>(d);
      }
      mix<R + 1>(x, ks);
    }
  }

  RIVUS_HD static constexpr W rotate(W x, int n) noexcept {
    return static_cast<W>((x << n) | (x >> (8 * static_cast<int>(sizeof(W)) - n)));
  }
};

using threefry2x32 = threefry<std::uint32_t, 2>;
using threefry4x32 = threefry<std::uint32_t, 4>;
using threefry2x64 = threefry<std::uint64_t, 2>;
using threefry4x64 = threefry<std::uint64_t, 4>;

}  // namespace rivus

#endif
