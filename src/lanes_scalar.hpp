// Lanes of one: the built-in types themselves. Every operation of real.hpp serves them as it is.
#ifndef RIVUS_SRC_LANES_SCALAR_HPP
#define RIVUS_SRC_LANES_SCALAR_HPP

#include <cstring>

#include <rivus/real.hpp>
#include <rivus/vec.hpp>

namespace rivus {
namespace {

using lanes_u32 = std::uint32_t;
using lanes_u64 = std::uint64_t;
using lanes_f32 = float;
using lanes_f64 = double;

template <class V, class T>
RIVUS_HD V load(const T* p) {
  V x;
  std::memcpy(&x, static_cast<const void*>(p), sizeof x);
  return x;
}
template <class V, class T>
RIVUS_HD void store(T* p, V x) {
  std::memcpy(static_cast<void*>(p), &x, sizeof x);
}

// Even and odd elements of [x y], and back.
template <class V>
RIVUS_HD vec<V, 2> unzip(V x, V y) {
  return {{x, y}};
}
template <class V>
RIVUS_HD vec<V, 2> zip(V even, V odd) {
  return {{even, odd}};
}

template <class V>
RIVUS_HD V canonical_nan(V x) {
  return real::canonical(x);
}
template <class V>
RIVUS_HD V fold(V x) {
  return x;
}
RIVUS_HD lanes_u32 one_where_less(lanes_u32 a, lanes_u32 b) { return a < b; }
// Bit j: whether a[j] < b[j].
RIVUS_HD unsigned less_bits(lanes_u64 a, lanes_u64 b) { return a < b; }

// Of each 64-bit lane: the product of the low halves; the halves exchanged.
RIVUS_HD lanes_u64 mul_low_halves(lanes_u64 a, lanes_u64 b) { return (a & 0xFFFFFFFFu) * (b & 0xFFFFFFFFu); }
RIVUS_HD lanes_u64 swap_halves(lanes_u64 a) { return a << 32 | a >> 32; }
// p ^ k, and the high half of x into the high half.
RIVUS_HD lanes_u64 merge_high(lanes_u64 p, lanes_u64 x, lanes_u64 k) { return p ^ (x & 0xFFFFFFFF00000000u) ^ k; }

// Which counter each 64-bit lane holds, so that store_blocks puts their blocks in order.
constexpr std::uint64_t counter_order[] = {0};
// s = [x1 x0] and t = [x3 x2] of each counter, low half first.
RIVUS_HD void store_blocks(std::uint32_t* out, lanes_u64 s, lanes_u64 t) {
  store(out, swap_halves(s));
  store(out + 2, swap_halves(t));
}

// Philox groups in flight, and the distances between the three stages of their pipeline.
constexpr int groups_in_flight = 1;
constexpr int merge_distance = 2;
constexpr int swap_distance = 3;
// Rows and vectors of a matmul tile.
constexpr int tile_rows = 4;
constexpr int tile_vectors = 4;

}  // namespace
}  // namespace rivus

#endif
