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

RIVUS_HD lanes_u64 mul_low_halves(lanes_u64 a, lanes_u64 b) { return (a & 0xFFFFFFFFu) * (b & 0xFFFFFFFFu); }

// The halves of a 64-bit lane apart, so that exchanging them costs nothing.
struct lanes_2x32 {
  std::uint32_t low, high;
  lanes_2x32() = default;
  RIVUS_HD explicit lanes_2x32(std::uint64_t x)
      : low(static_cast<std::uint32_t>(x)), high(static_cast<std::uint32_t>(x >> 32)) {}
  RIVUS_HD std::uint64_t joined() const { return low | std::uint64_t{high} << 32; }
};
RIVUS_HD lanes_2x32 load_counters(const std::uint64_t* p) { return lanes_2x32(*p); }
RIVUS_HD lanes_2x32 operator+(lanes_2x32 a, lanes_2x32 b) { return lanes_2x32(a.joined() + b.joined()); }
RIVUS_HD lanes_2x32 operator^(lanes_2x32 a, lanes_2x32 b) { return lanes_2x32(a.joined() ^ b.joined()); }
RIVUS_HD lanes_2x32 operator>>(lanes_2x32 a, int n) { return lanes_2x32(a.joined() >> n); }
// The product of the low halves; the halves exchanged; p ^ k, and the high half of x into the high half.
RIVUS_HD lanes_2x32 mul_low_halves(lanes_2x32 a, lanes_2x32 b) {
  return lanes_2x32(std::uint64_t{a.low} * b.low);
}
RIVUS_HD lanes_2x32 swap_halves(lanes_2x32 a) { return lanes_2x32(a.high | std::uint64_t{a.low} << 32); }
RIVUS_HD lanes_2x32 merge_high(lanes_2x32 p, lanes_2x32 x, lanes_2x32 k) {
  p.high ^= x.high ^ k.high;
  return p;
}

// Which counter each 64-bit lane holds, so that store_blocks puts their blocks in order.
constexpr std::uint64_t counter_order[] = {0};
// s = [x1 x0] and t = [x3 x2] of each counter, low half first.
RIVUS_HD void store_blocks(std::uint32_t* out, lanes_2x32 s, lanes_2x32 t) {
  const std::uint32_t block[4] = {s.high, s.low, t.high, t.low};
  std::memcpy(static_cast<void*>(out), block, sizeof block);
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
