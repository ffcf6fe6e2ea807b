// The words of a stream over lanes, by groups of blocks.
#ifndef RIVUS_SRC_WORD_KERNELS_HPP
#define RIVUS_SRC_WORD_KERNELS_HPP

#include <cstring>

// philox_group and philox_groups come with the lanes: philox_words.hpp or philox_pairs.hpp.

namespace rivus {
namespace {

constexpr int group_vectors = group_words::size();
constexpr std::size_t group_size = 4 * group_blocks;  // words

// Reads the groups of blocks from `block` on.
class word_reader {
 public:
  RIVUS_HD word_reader(stream s, std::uint64_t block) : stream_(s), block_(block) {}

  // emit(i, words) for the next groups, i = 0 .. groups - 1.
  template <class Emit>
  RIVUS_HD void read(std::size_t groups, const Emit& emit) {
    for (std::size_t i = 0; i < groups;) {
      // Up to where counter word 0 carries into word 1.
      const std::uint64_t room = ((std::uint64_t{1} << 32) - stream::lo(block_)) / group_blocks;
      std::size_t n = groups - i < room ? groups - i : static_cast<std::size_t>(room);
      if (n < worth_preparing) {
        emit(i, philox_group(stream_, block_));
        n = 1;
      } else {
        run(
            n, [&](std::size_t j, const group_words& w) __attribute__((always_inline)) { emit(i + j, w); });
      }
      block_ += n * group_blocks;
      i += n;
    }
  }

 private:
  // For fewer groups than this, preparing costs more than it saves.
  static constexpr std::size_t worth_preparing = groups_in_flight + 2;

  template <class Emit>
  RIVUS_HD void run(std::size_t n, const Emit& emit) const {
    const philox_groups groups(stream_, stream::hi(block_));
    const std::uint32_t first = stream::lo(block_);
    const std::size_t batches = n / groups_in_flight, done = batches * groups_in_flight;
    groups.run<groups_in_flight>(first, batches, emit);
    groups.run<1>(
        first + static_cast<std::uint32_t>(done * group_blocks),
        n - done, [&](std::size_t j, const group_words& w) __attribute__((always_inline)) {
          emit(done + j, w);
        });
  }

  stream stream_;
  std::uint64_t block_;
};

}  // namespace
}  // namespace rivus

#endif
