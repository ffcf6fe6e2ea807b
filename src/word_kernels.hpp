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

  // emit(i, words) for the next groups, i = 0 .. groups - 1, and after(i, n) now and then, when the n groups
  // from i on have been emitted.
  template <class Emit, class After>
  RIVUS_INLINE void read(std::size_t groups, const Emit& emit, const After& after) {
    for (std::size_t i = 0; i < groups;) {
      // Up to where counter word 0 carries into word 1.
      const std::uint64_t room = ((std::uint64_t{1} << 32) - stream::lo(block_)) / group_blocks;
      std::size_t n = groups - i < room ? groups - i : static_cast<std::size_t>(room);
      if (n < worth_preparing) {
        emit(i, philox_group(stream_, block_));
        after(i, std::size_t{1});
        n = 1;
      } else {
        run(i, n, emit, after);
      }
      block_ += n * group_blocks;
      i += n;
    }
  }
  template <class Emit>
  RIVUS_INLINE void read(std::size_t groups, const Emit& emit) {
    read(groups, emit, [](std::size_t, std::size_t) {});
  }

 private:
  // For fewer groups than this, preparing costs more than it saves.
  static constexpr std::size_t worth_preparing = groups_in_flight + 2;

  template <class Emit, class After>
  RIVUS_INLINE void run(std::size_t i, std::size_t n, const Emit& emit, const After& after) const {
    const philox_groups groups(stream_, stream::hi(block_));
    const std::uint32_t low = stream::lo(block_);
    const std::size_t whole = n / groups_in_flight * groups_in_flight;
    groups.run<groups_in_flight>(low, i, whole, emit, after);
    groups.run<1>(low + static_cast<std::uint32_t>(whole * group_blocks), i + whole, n - whole, emit, after);
  }

  stream stream_;
  std::uint64_t block_;
};

}  // namespace
}  // namespace rivus

#endif
