// order: the shape of sum/v1, the one order in which rivus adds.
//
// A chunk is 2048 elements in rows of 32 lanes. Lane l adds x[l], x[l+32], x[l+64], ... in that order; lanes
// without an element are -0. The lanes fold by halves: l += l+16, then +8, +4, +2, +1. Several chunks: their
// results are summed by the same rule. The order depends on the index alone. Source: docs/spec.md, section 4.
#ifndef RIVUS_ORDER_HPP
#define RIVUS_ORDER_HPP

#include <rivus/config.hpp>

namespace rivus::order {

inline constexpr int lanes = 32;
inline constexpr std::size_t chunk = 2048;

RIVUS_HD constexpr std::size_t chunks(std::size_t n) noexcept { return n / chunk + (n % chunk != 0); }

}  // namespace rivus::order

#endif
