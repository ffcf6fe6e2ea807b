// Squares of lanes transposed, of what each lanes_*.hpp supplies.
#ifndef RIVUS_SRC_TRANSPOSITION_HPP
#define RIVUS_SRC_TRANSPOSITION_HPP

#include "sum_kernels.hpp"

namespace rivus {
namespace {

// r[j], lane i becomes r[i], lane j.
template <class V>
RIVUS_HD void transpose(V* r) {
  constexpr int width = static_cast<int>(width_of<V>),
                block = 16 / static_cast<int>(sizeof(real::element_t<V>));
  if constexpr (width > 1) {
    RIVUS_UNROLL(8)
    for (int g = 0; g < width; g += block) {
      if constexpr (block == 2) {
        const auto z = zip(r[g], r[g + 1]);
        r[g] = z[0];
        r[g + 1] = z[1];
      } else {
        const auto a = zip(r[g], r[g + 1]), b = zip(r[g + 2], r[g + 3]);
        const auto low = zip_pairs(a[0], b[0]), high = zip_pairs(a[1], b[1]);
        r[g] = low[0];
        r[g + 1] = low[1];
        r[g + 2] = high[0];
        r[g + 3] = high[1];
      }
    }
    RIVUS_UNROLL(4)
    for (int c = 0; c < block; ++c) transpose_blocks(r + c, block);
  }
}

}  // namespace
}  // namespace rivus

#endif
