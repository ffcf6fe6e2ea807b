// Philox4x32-10 over lanes of 32-bit words: a register for each word of the counter.
#ifndef RIVUS_SRC_PHILOX_WORDS_HPP
#define RIVUS_SRC_PHILOX_WORDS_HPP

#include "philox_constants.hpp"

namespace rivus {
namespace {

// The words of consecutive blocks come in groups, in order.
using group_words = vec<lanes_u32, 4>;

// One round. Where the vector multiplication exchanges the order of the lanes, x[0] and x[2] are in the one
// order and x[1] and x[3] in the other, before and after; after the last round all four are in one.
template <bool Last>
RIVUS_INLINE void philox_round(group_words& x, lanes_u32 k0, lanes_u32 k1) {
  const lanes_u32 m0(philox_multiplier<0>), m1(philox_multiplier<1>);
  const wide<lanes_u32> p = Last ? mul_wide(x[0], m0) : mul_wide_crossed(x[0], m0);
  const wide<lanes_u32> q = Last ? mul_wide(x[2], m1) : mul_wide_crossed(x[2], m1);
  x = {{q.hi ^ (x[1] ^ k0), q.lo, p.hi ^ (x[3] ^ k1), p.lo}};
}

// The words of blocks b .. b + group_blocks - 1, modulo 2^64.
RIVUS_INLINE group_words philox_group(stream s, std::uint64_t b) {
  const lanes_u32 low(stream::lo(b)), c0 = low + load<lanes_u32>(counter_order);
  const lanes_u32 c1 = lanes_u32(stream::hi(b)) + one_where_less(c0, low);
  group_words x{{c0, exchange(c1), lanes_u32(stream::lo(s.nonce)), lanes_u32(stream::hi(s.nonce))}};
  lanes_u32 k0(stream::lo(s.key)), k1(stream::hi(s.key));
  // Rolled: unrolled, g++ makes a vector of each multiple of the key's increment, four instructions for one.
  RIVUS_UNROLL(group_blocks == 1 ? 9 : 1)
  for (int round = 0; round < 9; ++round) {
    philox_round<false>(x, k0, k1);
    k0 = k0 + lanes_u32(philox_weyl<0>);
    k1 = k1 + lanes_u32(philox_weyl<1>);
  }
  philox_round<true>(x, k0, k1);
  return in_order(x);
}

// The words of many groups whose block numbers have the same high half.
class philox_groups {
 public:
  RIVUS_INLINE philox_groups(stream s, std::uint32_t high) {
    const folded_rounds f(s, high);
    first_x2_ = lanes_u32(f.first_x2);
    second_x0_ = lanes_u32(f.second_x0);
    second_x2_ = lanes_u32(f.second_x2);
    for (int r = 0; r < 8; ++r) {
      k0_[r] = lanes_u32(f.k0[r]);
      k1_[r] = lanes_u32(f.k1[r]);
    }
  }

  // emit(i, words) for n groups from block number `low` on, i counted from `first`; Groups at a time, which n
  // is a multiple of, each time followed by after(i, Groups).
  template <int Groups, class Emit, class After>
  RIVUS_INLINE void run(std::uint32_t low, std::size_t first, std::size_t n, const Emit& emit,
                        const After& after) const {
    const lanes_u32 m0(philox_multiplier<0>), m1(philox_multiplier<1>), step(std::uint32_t{group_blocks});
    lanes_u32 c0 = lanes_u32(low) + load<lanes_u32>(counter_order);
    for (std::size_t i = first; i < first + n; i += Groups) {
      group_words x[Groups];
      RIVUS_UNROLL(8)
      for (int g = 0; g < Groups; ++g) {
        const wide<lanes_u32> p = mul_wide_crossed(c0, m0);
        const wide<lanes_u32> q = mul_wide_crossed(p.hi ^ first_x2_, m1);
        x[g] = {{q.hi ^ second_x0_, q.lo, p.lo ^ second_x2_, lanes_u32(std::uint32_t{0})}};
        c0 = c0 + step;
      }
      RIVUS_UNROLL(8)
      for (int r = 0; r < 7; ++r) {
        RIVUS_UNROLL(8)
        for (int g = 0; g < Groups; ++g) philox_round<false>(x[g], k0_[r], k1_[r]);
      }
      RIVUS_UNROLL(8)
      for (int g = 0; g < Groups; ++g) {
        philox_round<true>(x[g], k0_[7], k1_[7]);
        emit(i + static_cast<std::size_t>(g), in_order(x[g]));
      }
      after(i, std::size_t{Groups});
    }
  }

 private:
  lanes_u32 first_x2_, second_x0_, second_x2_, k0_[8], k1_[8];
};

}  // namespace
}  // namespace rivus

#endif
