// What the two forms of Philox4x32-10 over lanes share.
#ifndef RIVUS_SRC_PHILOX_CONSTANTS_HPP
#define RIVUS_SRC_PHILOX_CONSTANTS_HPP

#include <rivus/stream.hpp>

#include "unroll.hpp"

namespace rivus {
namespace {

// So many blocks have two vectors of 64-bit lanes, or four of 32-bit ones.
constexpr std::size_t group_blocks = sizeof counter_order / sizeof counter_order[0];

template <int I>
constexpr std::uint32_t philox_multiplier = philox_constants<std::uint32_t, 4>::multiplier[I];

template <int I>
constexpr std::uint32_t philox_weyl = philox_constants<std::uint32_t, 4>::weyl[I];

// While the high half of the block number stays, only counter word 0 varies. With p the product of word 0,
// and q that of x2 = hi(p) ^ first_x2, the words after round 2 are
// { hi(q) ^ second_x0, lo(q), lo(p) ^ second_x2, a constant }, and that constant is in k1[0].
struct folded_rounds {
  std::uint32_t first_x2, second_x0, second_x2;
  std::uint32_t k0[8], k1[8];  // of rounds 3 to 10

  RIVUS_HD folded_rounds(stream s, std::uint32_t high) {
    std::uint32_t key0 = stream::lo(s.key), key1 = stream::hi(s.key);
    const wide<std::uint32_t> q = rivus::mul_wide(stream::lo(s.nonce), philox_multiplier<1>);
    first_x2 = stream::hi(s.nonce) ^ key1;
    const wide<std::uint32_t> p = rivus::mul_wide(q.hi ^ high ^ key0, philox_multiplier<0>);
    second_x0 = q.lo ^ (key0 += philox_weyl<0>);
    second_x2 = p.hi ^ (key1 += philox_weyl<1>);
    for (int r = 0; r < 8; ++r) {
      k0[r] = key0 += philox_weyl<0>;
      k1[r] = key1 += philox_weyl<1>;
    }
    k1[0] ^= p.lo;
  }
};

}  // namespace
}  // namespace rivus

#endif
