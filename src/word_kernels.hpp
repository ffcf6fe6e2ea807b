// Philox4x32-10 over lanes: the words of consecutive blocks.
//
// A 64-bit lane holds one counter in two registers, S = [x0 x1] and T = [x2 x3], low half first. A round is
// one multiplication of low halves, one merge (exclusive or with the other register's high half and the key)
// and one exchange of halves, for each of S and T. Within 2^32 blocks only counter word 0 varies: round 1 is
// then a running addition of its multiplier, and half of round 2 is constant.
#ifndef RIVUS_SRC_WORD_KERNELS_HPP
#define RIVUS_SRC_WORD_KERNELS_HPP

#include <cstring>
#include <rivus/stream.hpp>

#include "unroll.hpp"

namespace rivus {
namespace {

// Words come in groups of this many blocks.
constexpr std::size_t group_blocks = sizeof(lanes_2x32) / sizeof(std::uint64_t);

class word_reader {
 public:
  word_reader(stream s, std::uint64_t first_block) : stream_(s), block_(first_block) { prepare(); }

  // The words of the next `blocks` blocks.
  void read(std::uint32_t* out, std::size_t blocks) {
    while (blocks > 0) {
      const std::uint64_t before_carry = (std::uint64_t{1} << 32) - stream::lo(block_);
      const std::size_t n = blocks < before_carry ? blocks : static_cast<std::size_t>(before_carry);
      read_without_carry(out, n);
      out += 4 * n;
      blocks -= n;
      block_ += n;
      if (n == before_carry) prepare();
    }
  }

 private:
  using constants = philox_constants<std::uint32_t, 4>;
  static constexpr std::uint64_t m0 = constants::multiplier[0];
  static constexpr std::uint64_t m1 = constants::multiplier[1];

  // What does not change while the high half of the block number stays.
  void prepare() {
    const std::uint32_t c1 = stream::hi(block_), c2 = stream::lo(stream_.nonce),
                        c3 = stream::hi(stream_.nonce);
    std::uint32_t k0 = stream::lo(stream_.key), k1 = stream::hi(stream_.key);
    const wide<std::uint32_t> q = mul_wide(c2, constants::multiplier[1]);
    const std::uint32_t x0 = q.hi ^ c1 ^ k0, x1 = q.lo;  // after round 1, as well as x2 = hi(m0 c0) ^ c3 ^ k1
    first_merge_ = lanes_2x32(std::uint64_t{c3 ^ k1});
    advance_key(k0, k1);
    const wide<std::uint32_t> p = mul_wide(x0, constants::multiplier[0]);
    second_s_ = lanes_2x32(std::uint64_t{x1 ^ k0} << 32);
    second_t_ = lanes_2x32(std::uint64_t{p.hi ^ k1});
    for (int r = 0; r < 8; ++r) {
      advance_key(k0, k1);
      s_key_[r] = lanes_2x32(std::uint64_t{k0} << 32);
      // Round 3 takes in the constant x3 of round 2 with its key.
      t_key_[r] = lanes_2x32(std::uint64_t{r == 0 ? k1 ^ p.lo : k1} << 32);
    }
  }
  static void advance_key(std::uint32_t& k0, std::uint32_t& k1) {
    k0 += constants::weyl[0];
    k1 += constants::weyl[1];
  }

  void read_without_carry(std::uint32_t* out, std::size_t blocks) const {
    alignas(64) std::uint64_t start[group_blocks];
    for (std::size_t i = 0; i < group_blocks; ++i) start[i] = m0 * (stream::lo(block_) + counter_order[i]);
    lanes_2x32 p = load_counters(start);

    constexpr std::size_t batch = groups_in_flight * group_blocks;
    const std::size_t batches = blocks / batch;
    run<groups_in_flight>(p, out, batches);
    out += 4 * batch * batches;
    blocks -= batch * batches;
    const std::size_t groups = blocks / group_blocks;
    run<1>(p, out, groups);
    out += 4 * group_blocks * groups;
    blocks -= group_blocks * groups;
    if (blocks > 0) {
      alignas(64) std::uint32_t group[4 * group_blocks];
      run<1>(p, group, 1);
      std::memcpy(static_cast<void*>(out), group, 4 * sizeof(std::uint32_t) * blocks);
    }
  }

  // `batches` times Groups groups, from p = m0 times the counters of the first group on; moves p along.
  template <int Groups>
  void run(lanes_2x32& first, std::uint32_t* out, std::size_t batches) const {
    constexpr int n = 2 * Groups;  // chains: S and T of each group
    const lanes_2x32 step(m0 * group_blocks);
    const lanes_2x32 multiplier[2] = {lanes_2x32(m0), lanes_2x32(m1)};
    lanes_2x32 p = first;
    for (std::size_t i = 0; i < batches; ++i) {
      lanes_2x32 x[n], product[n], merged[n];
      RIVUS_UNROLL(16)
      for (int g = 0; g < Groups; ++g) {
        const lanes_2x32 x2 = (p >> 32) ^ first_merge_;
        x[2 * g] = swap_halves(mul_low_halves(x2, multiplier[1]) ^ second_s_);
        x[2 * g + 1] = p ^ second_t_;
        p = p + step;
      }
      // A round of chain c, in three stages.
      const auto multiply = [&](int c) { product[c] = mul_low_halves(x[c], multiplier[c % 2]); };
      const auto merge = [&](int c, int round) {
        const lanes_2x32 other = product[c ^ 1];
        merged[c] = c % 2 == 0   ? merge_high(other, x[c], s_key_[round])
                    : round == 0 ? other ^ t_key_[0]
                                 : merge_high(other, x[c], t_key_[round]);
      };
      const auto finish = [&](int c, int round) {
        if (round < 7) {
          x[c] = swap_halves(merged[c]);
        } else if (c % 2 == 1) {
          store_blocks(out + 2 * (c - 1) * static_cast<int>(group_blocks), merged[c - 1], merged[c]);
        }
      };
      if constexpr (Groups > 1) {
        // The later stages run some chains behind the first, so that each instruction finds its operands
        // ready and few registers are live.
        static_assert(2 <= merge_distance && merge_distance <= swap_distance && swap_distance < n);
        RIVUS_UNROLL(256)
        for (int q = 0; q < 8 * n + swap_distance; ++q) {
          if (q < 8 * n) multiply(q % n);
          const int m = q - merge_distance, f = q - swap_distance;
          if (m >= 0 && m < 8 * n) merge(m % n, m / n);
          if (f >= 0) finish(f % n, f / n);
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
      out += 4 * group_blocks * Groups;
    }
    first = p;
  }

  stream stream_;
  std::uint64_t block_;
  lanes_2x32 first_merge_, second_s_, second_t_;
  lanes_2x32 s_key_[8], t_key_[8];
};

}  // namespace
}  // namespace rivus

#endif
