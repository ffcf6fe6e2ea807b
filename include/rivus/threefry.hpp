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

  RIVUS_HD static constexpr counter_type block(counter_type x, key_type k) {
    using constants = threefry_constants<W, N>;
    W ks[N + 1] = {};
    ks[N] = constants::parity;
    for (int i = 0; i < N; ++i) {
      ks[i] = k[i];
      ks[N] ^= k[i];
      x[i] += k[i];
    }
    for (int r = 0; r < Rounds; ++r) {
      // Odd rounds of the four-word form pair word 0 with 3 and word 2 with 1.
      for (int j = 0; j < N / 2; ++j) {
        const int a = 2 * j;
        const int b = (N == 4 && r % 2 == 1) ? 3 - 2 * j : 2 * j + 1;
        x[a] += x[b];
        x[b] = rotate(x[b], constants::rotation[r % 8][j]) ^ x[a];
      }
      if (r % 4 == 3) {
        const int d = r / 4 + 1;
        for (int i = 0; i < N; ++i) x[i] += ks[(d + i) % (N + 1)];
        x[N - 1] += static_cast<W>(d);
      }
    }
    return x;
  }

 private:
  RIVUS_HD static constexpr W rotate(W x, int n) {
    return static_cast<W>((x << n) | (x >> (8 * static_cast<int>(sizeof(W)) - n)));
  }
};

using threefry2x32 = threefry<std::uint32_t, 2>;
using threefry4x32 = threefry<std::uint32_t, 4>;
using threefry2x64 = threefry<std::uint64_t, 2>;
using threefry4x64 = threefry<std::uint64_t, 4>;

}  // namespace rivus

#endif
