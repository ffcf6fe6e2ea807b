// Philox4x32-10 over 64-bit lanes, each of which holds one counter in two registers, S = [x0 x1] and
// T = [x2 x3], low half first. A round is one multiplication of low halves, one merge (exclusive or with the
// other register's high half and the key) and one exchange of halves, for each of S and T.
#ifndef RIVUS_SRC_PHILOX_PAIRS_HPP
#define RIVUS_SRC_PHILOX_PAIRS_HPP

#include "philox_constants.hpp"

namespace rivus {
namespace {

// The words of consecutive blocks come in groups, in order.
using group_words = vec<lanes_u32, 2>;

RIVUS_HD lanes_u64 high_half(std::uint32_t x) { return lanes_u64(std::uint64_t{x} << 32); }

// The words of blocks b .. b + group_blocks - 1, modulo 2^64.
RIVUS_INLINE group_words philox_group(stream s, std::uint64_t b) {
  const lanes_u64 m0(std::uint64_t{philox_multiplier<0>}), m1(std::uint64_t{philox_multiplier<1>});
  lanes_u64 x = lanes_u64(b) + load<lanes_u64>(counter_order), y = lanes_u64(s.nonce);
  lanes_u64 k0 = high_half(stream::lo(s.key)), k1 = high_half(stream::hi(s.key));
  // Rolled: unrolled, g++ makes a vector of each multiple of the key's increment, four instructions for one.
  RIVUS_UNROLL(1)
  for (int round = 0; round < 9; ++round) {
    const lanes_u64 p = mul_low_halves(x, m0), q = mul_low_halves(y, m1);
    x = swap_halves(merge_high(q, x, k0));
    y = swap_halves(merge_high(p, y, k1));
    k0 = k0 + high_half(philox_weyl<0>);
    k1 = k1 + high_half(philox_weyl<1>);
  }
  const lanes_u64 p = mul_low_halves(x, m0), q = mul_low_halves(y, m1);
  return in_order(merge_high(q, x, k0), merge_high(p, y, k1));
}

// The words of many groups whose block numbers have the same high half.
class philox_groups {
 public:
  RIVUS_INLINE philox_groups(stream s, std::uint32_t high) {
    const folded_rounds f(s, high);
    first_x2_ = lanes_u64(std::uint64_t{f.first_x2});
    second_s_ = high_half(f.second_x0);
    second_t_ = lanes_u64(std::uint64_t{f.second_x2});
    for (int r = 0; r < 8; ++r) {
      s_key_[r] = high_half(f.k0[r]);
      t_key_[r] = high_half(f.k1[r]);
    }
  }

  // emit(i, words) for n groups from block number `low` on, i counted from `first`; Groups at a time, which n
  // is a multiple of, each time followed by after(i, Groups).
  template <int Groups, class Emit, class After>
  RIVUS_INLINE void run(std::uint32_t low, std::size_t first, std::size_t n, const Emit& emit,
                        const After& after) const {
    constexpr int chains = 2 * Groups;  //: S and T of each group
    const lanes_u64 multiplier[2] = {lanes_u64(std::uint64_t{philox_multiplier<0>}),
                                     lanes_u64(std::uint64_t{philox_multiplier<1>})};
    // The products of counter word 0 are a running sum.
    const lanes_u64 step(std::uint64_t{philox_multiplier<0>} * group_blocks);
    lanes_u64 p =
        mul_low_halves(lanes_u64(std::uint64_t{low}) + load<lanes_u64>(counter_order), multiplier[0]);
    for (std::size_t i = first; i < first + n; i += Groups) {
      lanes_u64 x[chains], product[chains], merged[chains];
      RIVUS_UNROLL(16)
      for (int g = 0; g < Groups; ++g) {
        const lanes_u64 x2 = (p >> 32) ^ first_x2_;
        x[2 * g] = swap_halves(mul_low_halves(x2, multiplier[1]) ^ second_s_);
        x[2 * g + 1] = p ^ second_t_;
        p = p + step;
      }
      // A round of chain c, in three stages.
      const auto multiply = [&](int c) { product[c] = mul_low_halves(x[c], multiplier[c % 2]); };
      const auto merge = [&](int c, int round) {
        const lanes_u64 other = product[c ^ 1];
        merged[c] = c % 2 == 0   ? merge_high(other, x[c], s_key_[round])
                    : round == 0 ? other ^ t_key_[0]
                                 : merge_high(other, x[c], t_key_[round]);
      };
      const auto finish = [&](int c, int round) {
        if (round < 7) {
          x[c] = swap_halves(merged[c]);
        } else if (c % 2 == 1) {
          emit(i + static_cast<std::size_t>(c / 2), in_order(merged[c - 1], merged[c]));
        }
      };
      if constexpr (Groups > 1) {
        // The later stages run some chains behind the first, so that each instruction finds its operands
        // ready and few registers are live.
        static_assert(2 <= merge_distance && merge_distance <= swap_distance && swap_distance < chains);
        RIVUS_UNROLL(256)
        for (int q = 0; q < 8 * chains + swap_distance; ++q) {
          if (q < 8 * chains) multiply(q % chains);
          if (q >= merge_distance && q - merge_distance < 8 * chains)
            merge((q - merge_distance) % chains, (q - merge_distance) / chains);
          if (q >= swap_distance) finish((q - swap_distance) % chains, (q - swap_distance) / chains);
        }
      } else {
        RIVUS_UNROLL(8)
        for (int round = 0; round < 8; ++round) {
          multiply(0);
          multiply(1);
          merge(0, round);
          merge(1, round);
          finish(0, round);
          finish(1, round);
        }
      }
      after(i, std::size_t{Groups});
    }
  }

 private:
  lanes_u64 first_x2_, second_s_, second_t_, s_key_[8], t_key_[8];
};

}  // namespace
}  // namespace rivus

#endif
