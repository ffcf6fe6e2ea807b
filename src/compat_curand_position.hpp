// Where a generator of cuRAND's host interface stands.
//
// Outputs come in groups of four. Group after group goes to subsequences 0 .. 65535 and again to 0; each counts
// the blocks it has used, one or two for a group. The counts differ where calls of both kinds came by turns, so
// they are kept as runs of equal counts. One run, or two, is the rule.
#ifndef RIVUS_SRC_COMPAT_CURAND_POSITION_HPP
#define RIVUS_SRC_COMPAT_CURAND_POSITION_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rivus::compat {

inline constexpr std::uint32_t subsequences = 65536;

// From x = begin to where the next run begins.
struct curand_run {
  std::uint32_t begin;
  std::uint64_t block;

  friend bool operator==(const curand_run&, const curand_run&) = default;
};

// The blocks of the groups to come: group i, with x = i mod 65536 and y = i div 65536, is of subsequence
// (current + x) mod 65536, and its first block is that of x's run + y * (blocks of a group).
struct curand_route {
  std::uint64_t key;
  std::uint32_t current;
  std::vector<curand_run> runs;  // begins at x = 0
};

class curand_position {
 public:
  // Output number `offset` of a new sequence is next.
  void set_offset(std::uint64_t offset) {
    offset_ = offset;
    current_ = lane_ = 0;
    stale_ = true;
  }
  // As cuRAND has it when seed or ordering change: groups done count as outputs of the offset.
  void restart() { stale_ = true; }

  // To be called before what follows.
  void settle() {
    if (!stale_) return;
    stale_ = false;
    counts_.assign(1, {0, 0});
    current_ = 0;
    // At output 0 cuRAND leaves the place in the group as it was.
    if (offset_ == 0) return;
    lane_ = static_cast<unsigned>(offset_ % 4);
    const std::uint64_t group = offset_ / 4;
    current_ = static_cast<std::uint32_t>(group % subsequences);
    counts_[0].block = group / subsequences;
    add(0, current_, 1);
  }

  // How many outputs of the first group are past.
  unsigned lane() const { return lane_; }

  curand_route route(std::uint64_t seed) const {
    curand_route r{seed, current_, {}};
    append(r.runs, current_, subsequences, 0);
    append(r.runs, 0, current_, subsequences - current_);
    return r;
  }

  void advance(std::size_t outputs, int blocks) {
    const std::uint64_t first = lane_ + outputs % 4, groups = outputs / 4 + first / 4;
    const auto each = static_cast<std::uint64_t>(blocks);
    for (curand_run& run : counts_) run.block += groups / subsequences * each;
    const auto more = static_cast<std::uint32_t>(groups % subsequences), end = current_ + more;
    add(current_, end < subsequences ? end : subsequences, each);
    if (end > subsequences) add(0, end - subsequences, each);
    current_ = end % subsequences;
    lane_ = static_cast<unsigned>(first % 4);
    offset_ += groups;
  }

 private:
  // Appends the runs of subsequences [begin, end), begin at x.
  void append(std::vector<curand_run>& to, std::uint32_t begin, std::uint32_t end, std::uint32_t x) const {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const std::uint32_t stop = i + 1 < counts_.size() ? counts_[i + 1].begin : subsequences;
      const std::uint32_t from = counts_[i].begin < begin ? begin : counts_[i].begin;
      if (from >= (stop < end ? stop : end)) continue;
      const std::uint64_t block = counts_[i].block;
      if (to.empty() || to.back().block != block) to.push_back({x + (from - begin), block});
    }
  }

  // Adds to the counts of [begin, end).
  void add(std::uint32_t begin, std::uint32_t end, std::uint64_t blocks) {
    if (begin >= end) return;
    split(begin);
    if (end < subsequences) split(end);
    for (curand_run& run : counts_) {
      if (run.begin >= begin && run.begin < end) run.block += blocks;
    }
    // Neighbours that are equal now are one.
    std::size_t kept = 1;
    for (std::size_t i = 1; i < counts_.size(); ++i) {
      if (counts_[i].block != counts_[kept - 1].block) counts_[kept++] = counts_[i];
    }
    counts_.resize(kept);
  }

  void split(std::uint32_t at) {
    std::size_t i = 0;
    while (i + 1 < counts_.size() && counts_[i + 1].begin <= at) ++i;
    if (counts_[i].begin == at) return;
    counts_.insert(counts_.begin() + static_cast<std::ptrdiff_t>(i) + 1, {at, counts_[i].block});
  }

  std::uint64_t offset_ = 0;  // and the groups done since it was set
  std::uint32_t current_ = 0;
  unsigned lane_ = 0;
  bool stale_ = true;
  std::vector<curand_run> counts_;
};

}  // namespace rivus::compat

#endif
