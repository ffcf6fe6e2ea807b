// Where a generator of cuRAND's host interface stands.
//
// Outputs come in groups of four. Group after group goes to subsequences 0 .. 65535 and again to 0; each counts
// the blocks it has used, one or two for a group. The counts differ where calls of both kinds came by turns, so
// they are kept as runs of equal counts: one or two as a rule, tens of thousands where short calls alternate.
#ifndef RIVUS_COMPAT_CURAND_POSITION_HPP
#define RIVUS_COMPAT_CURAND_POSITION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

namespace rivus::compat {

inline constexpr std::uint32_t subsequences = 65536;

// From x = begin to where the next run begins.
struct curand_run {
  std::uint32_t begin;
  std::uint64_t block;

  friend bool operator==(const curand_run& a, const curand_run& b) {
    return a.begin == b.begin && a.block == b.block;
  }
};

// The blocks of the groups to come: group i, with x = i mod 65536 and y = i div 65536, is of subsequence
// (current + x) mod 65536, and its first block is that of x's run + y * (blocks of a group).
struct curand_route {
  std::uint64_t key;
  std::uint32_t current;
  std::vector<curand_run> runs;  // begins at x = 0, and reaches as far as there are groups
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
    counts_.clear();
    counts_.emplace(0, 0);
    turns_ = 0;
    current_ = 0;
    // At output 0 cuRAND leaves the place in the group as it was.
    if (offset_ == 0) return;
    lane_ = static_cast<unsigned>(offset_ % 4);
    const std::uint64_t group = offset_ / 4;
    current_ = static_cast<std::uint32_t>(group % subsequences);
    turns_ = group / subsequences;
    add(0, current_, 1);
  }

  // How many outputs of the first group are past.
  unsigned lane() const { return lane_; }

  // For a call of n outputs.
  curand_route route(std::uint64_t seed, std::size_t n) const {
    curand_route r{seed, current_, {}};
    const auto groups =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(subsequences, n / 4 + (lane_ + n % 4 + 3) / 4));
    const std::uint32_t first = std::min(groups, subsequences - current_);
    append(r.runs, current_, current_ + first, 0);
    append(r.runs, 0, groups - first, first);
    return r;
  }

  void advance(std::size_t outputs, int blocks) {
    const std::uint64_t first = lane_ + outputs % 4, groups = outputs / 4 + first / 4;
    const auto each = static_cast<std::uint64_t>(blocks);
    turns_ += groups / subsequences * each;
    const auto more = static_cast<std::uint32_t>(groups % subsequences), end = current_ + more;
    add(current_, end < subsequences ? end : subsequences, each);
    if (end > subsequences) add(0, end - subsequences, each);
    current_ = end % subsequences;
    lane_ = static_cast<unsigned>(first % 4);
    offset_ += groups;
  }

 private:
  using counts = std::map<std::uint32_t, std::uint64_t>;

  // Appends the runs of subsequences [begin, end), begin at x.
  void append(std::vector<curand_run>& to, std::uint32_t begin, std::uint32_t end, std::uint32_t x) const {
    if (begin >= end) return;
    for (auto run = std::prev(counts_.upper_bound(begin)); run != counts_.end() && run->first < end; ++run) {
      const std::uint64_t block = turns_ + run->second;
      if (to.empty() || to.back().block != block)
        to.push_back({x + (std::max(run->first, begin) - begin), block});
    }
  }

  // Adds to the counts of [begin, end).
  void add(std::uint32_t begin, std::uint32_t end, std::uint64_t blocks) {
    if (begin >= end) return;
    const auto first = split(begin), last = end < subsequences ? split(end) : counts_.end();
    for (auto run = first; run != last; ++run) run->second += blocks;
    // Only at the ends neighbours may have become equal.
    merge(last);
    merge(first);
  }

  // The run that begins there, made where there is none.
  counts::iterator split(std::uint32_t at) {
    const auto run = std::prev(counts_.upper_bound(at));
    return run->first == at ? run : counts_.emplace_hint(std::next(run), at, run->second);
  }
  void merge(counts::iterator run) {
    if (run == counts_.begin() || run == counts_.end()) return;
    if (std::prev(run)->second == run->second) counts_.erase(run);
  }

  std::uint64_t offset_ = 0;  // and the groups done since it was set
  std::uint32_t current_ = 0;
  unsigned lane_ = 0;
  bool stale_ = true;
  std::uint64_t turns_ = 0;  // blocks that every subsequence has used
  counts counts_;            // and those besides, by the subsequences where they change
};

}  // namespace rivus::compat

#endif
