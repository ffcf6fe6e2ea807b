// Groups of cuRAND's host interface on the CPU. Plain loops over a tile, which the compiler makes vectors of: each
// instruction set compiles them with its own flags.
#ifndef RIVUS_SRC_COMPAT_CURAND_KERNELS_HPP
#define RIVUS_SRC_COMPAT_CURAND_KERNELS_HPP

#include <cstddef>
#include <cstring>
#include <rivus/compat/curand_draws.hpp>

namespace rivus::compat {

// Groups of neighbouring subsequences, all of the same block number.
struct curand_span {
  std::uint64_t key, block;
  std::uint32_t first;  // subsequence
  std::size_t groups;
};

template <class Draw>
struct curand_kernel {
  void (*run)(const curand_span& span, const Draw& draw, typename Draw::value_type* out);
};
struct curand_kernels : for_each_draw<curand_kernel> {};

extern const curand_kernels curand_scalar_kernels, curand_avx2_kernels, curand_avx512_kernels,
    curand_neon_kernels;

namespace {

constexpr std::size_t curand_tile = 64;
using tile_words = std::uint32_t[4][curand_tile];

RIVUS_HD void philox_tile(std::uint64_t key, std::uint64_t block, std::uint32_t first, tile_words& x) {
  using constants = philox_constants<std::uint32_t, 4>;
  auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  // Round 1: the products of counter word 0 are the same for all, counter word 3 is zero.
  const auto p0 = mul_wide(static_cast<std::uint32_t>(block), constants::multiplier[0]);
  const std::uint32_t x0 = static_cast<std::uint32_t>(block >> 32) ^ k0, x2 = p0.hi ^ k1, x3 = p0.lo;
  std::uint32_t keys[18];
  for (int r = 0; r < 9; ++r) {
    keys[2 * r] = k0 += constants::weyl[0];
    keys[2 * r + 1] = k1 += constants::weyl[1];
  }
  for (std::size_t i = 0; i < curand_tile; ++i) {
    const auto q1 = mul_wide(first + static_cast<std::uint32_t>(i), constants::multiplier[1]);
    std::uint32_t a = q1.hi ^ x0, b = q1.lo, c = x2, d = x3;
#pragma GCC unroll 9
    for (int r = 0; r < 9; ++r) {
      const auto p = mul_wide(a, constants::multiplier[0]), q = mul_wide(c, constants::multiplier[1]);
      a = q.hi ^ b ^ keys[2 * r];
      b = q.lo;
      c = p.hi ^ d ^ keys[2 * r + 1];
      d = p.lo;
    }
    x[0][i] = a;
    x[1][i] = b;
    x[2][i] = c;
    x[3][i] = d;
  }
}

template <class Draw>
void run(const curand_span& span, const Draw& draw, typename Draw::value_type* out) {
  using value = typename Draw::value_type;
  alignas(64) tile_words words[Draw::blocks];
  alignas(64) value values[4][curand_tile], tile[4 * curand_tile];
  for (std::size_t at = 0; at < span.groups; at += curand_tile) {
    for (int b = 0; b < Draw::blocks; ++b) {
      philox_tile(span.key, span.block + static_cast<unsigned>(b),
                  span.first + static_cast<std::uint32_t>(at), words[b]);
    }
    for (std::size_t i = 0; i < curand_tile; ++i) {
      curand_block w[Draw::blocks];
      for (int b = 0; b < Draw::blocks; ++b)
        w[b] = {{words[b][0][i], words[b][1][i], words[b][2][i], words[b][3][i]}};
      const auto v = draw(w);
      for (int j = 0; j < 4; ++j) values[j][i] = v[j];
    }
    for (std::size_t i = 0; i < curand_tile; ++i) {
      for (std::size_t j = 0; j < 4; ++j) tile[4 * i + j] = values[j][i];
    }
    const std::size_t groups = span.groups - at < curand_tile ? span.groups - at : curand_tile;
    std::memcpy(static_cast<void*>(out + 4 * at), tile, 4 * groups * sizeof(value));
  }
}

constexpr curand_kernels make_curand_kernels() {
  return {{{&run<word_draw>},
           {&run<uniform_draw>},
           {&run<uniform_double_draw>},
           {&run<normal_draw<float>>},
           {&run<normal_draw<double>>},
           {&run<log_normal_draw<float>>},
           {&run<log_normal_draw<double>>},
           {&run<histogram_draw>},
           {&run<rounded_normal_draw>}}};
}

}  // namespace
}  // namespace rivus::compat

#endif
