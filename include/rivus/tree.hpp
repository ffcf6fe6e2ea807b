// tree: the shape of every reduction, for host and device.
//
// A chunk is 2048 elements in rows of 32 lanes. Lane l adds x[l], x[l+32], x[l+64], ... in that order; lanes without an
// element are neutral. The lanes fold by halves: l += l+16, then +8, +4, +2, +1. The results of chunks are the leaves of
// tree/v1: neighbours combine, then neighbours of those, an odd last one going up as it is. So [a 2^k, (a+1) 2^k) is a
// node, whose value its leaves alone decide: sums can be cut there. The order depends on the index alone. Source:
// docs/spec.md, section 4.
#ifndef RIVUS_TREE_HPP
#define RIVUS_TREE_HPP

#include <rivus/config.hpp>

namespace rivus::tree {

inline constexpr int lanes = 32;
inline constexpr std::size_t chunk = 2048;

// ceil(n / size)
RIVUS_HD constexpr std::size_t pieces(std::size_t n, std::size_t size) noexcept {
  return n / size + (n % size != 0);
}
RIVUS_HD constexpr std::size_t chunks(std::size_t n) noexcept { return pieces(n, chunk); }

// value[0] becomes the fold by halves of all N, a power of two. By recursion, as nvcc does not unroll the loop over halves
// first and would keep the array in memory.
template <class Op, std::size_t N, std::size_t Half = N / 2, class T>
RIVUS_HD void fold_halves(T (&value)[N]) {
  for (std::size_t l = 0; l < Half; ++l) value[l] = Op::combine(value[l], value[l + Half]);
  if constexpr (Half > 1) fold_halves<Op, N, Half / 2>(value);
}

// tree/v1 of `count` > 0 leaves, each of `width` values, into the first. All are overwritten.
template <class Op, class T>
RIVUS_HD void combine_all(T* leaves, std::size_t count, std::size_t width = 1) {
  for (; count > 1; count -= count / 2) {
    const std::size_t pairs = count / 2;
    for (std::size_t p = 0; p < pairs; ++p) {
      const T* const a = leaves + 2 * p * width;
      for (std::size_t j = 0; j < width; ++j) leaves[p * width + j] = Op::combine(a[j], a[width + j]);
    }
    if (count % 2 != 0) {
      for (std::size_t j = 0; j < width; ++j) leaves[pairs * width + j] = leaves[(count - 1) * width + j];
    }
  }
}

// As leaves come one by one, leaf i merges with what waits on this many levels, the lowest first, like the carries of a
// binary counter that stands at i.
RIVUS_HD constexpr int carries(std::uint64_t i) noexcept {
  int k = 0;
  for (; (i & 1) != 0; i >>= 1) ++k;
  return k;
}

// On a device 32 leaves at a time become a node, level by level: the values on all levels, leaves among them.
inline constexpr std::size_t node = 32;
RIVUS_HD constexpr std::size_t nodes(std::size_t count) noexcept { return pieces(count, node); }
// leaf[0] becomes the node of all N leaves, a power of two.
template <class Op, std::size_t N, std::size_t Size = 1, class T>
RIVUS_HD void combine_node(T (&leaf)[N]) {
  for (std::size_t k = 0; k + Size < N; k += 2 * Size) leaf[k] = Op::combine(leaf[k], leaf[k + Size]);
  if constexpr (2 * Size < N) combine_node<Op, N, 2 * Size>(leaf);
}
RIVUS_HD constexpr std::size_t values_on_levels(std::size_t leaves) noexcept {
  std::size_t values = leaves;
  for (; leaves > 1; values += leaves) leaves = nodes(leaves);
  return values;
}

// Of scan/v1: chunks in a block, and where a chunk stands: what its values are added to, and the result before its first.
inline constexpr std::size_t scan_block = 512;

template <class T>
struct scan_place {
  T in_block, in_array, before;
};
template <class Op, class T>
class scan_walk {
 public:
  RIVUS_HD const scan_place<T>& here() const { return here_; }
  // Goes by a whole chunk, whose last value in it is `total`.
  RIVUS_HD void pass(T total) {
    here_.in_block = Op::combine(here_.in_block, total);
    here_.before = Op::combine(here_.in_array, here_.in_block);
    if (++chunks_ % scan_block != 0) return;
    here_.in_array = here_.before;
    here_.in_block = Op::template neutral<T>();
  }

 private:
  scan_place<T> here_ = {Op::template neutral<T>(), Op::template neutral<T>(), Op::template nothing<T>()};
  std::uint64_t chunks_ = 0;
};

}  // namespace rivus::tree

#endif
