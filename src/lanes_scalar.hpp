// Lanes of one: the built-in types themselves. Every operation of real.hpp serves them as it is.
#ifndef RIVUS_SRC_LANES_SCALAR_HPP
#define RIVUS_SRC_LANES_SCALAR_HPP

#include <cstring>
#include <rivus/real.hpp>
#include <rivus/stream.hpp>
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

using real::canonical_nan;
template <class V>
RIVUS_HD V fold(V x) {
  return x;
}
// x moved up by one element, into the place of which comes the last of `before`.
template <class V>
RIVUS_HD V shift_in(V before, V) {
  return before;
}
RIVUS_HD void stream_vector(void* to, const void* from) { std::memcpy(to, from, 16); }
RIVUS_HD void end_streams() {}
constexpr std::size_t stream_bytes = 16;

RIVUS_HD lanes_u32 one_where_less(lanes_u32 a, lanes_u32 b) { return a < b; }
// Bit j: whether a[j] < b[j].
RIVUS_HD unsigned less_bits(lanes_u64 a, lanes_u64 b) { return a < b; }

RIVUS_HD lanes_u64 mul_low_halves(lanes_u64 a, lanes_u64 b) { return (a & 0xFFFFFFFFu) * (b & 0xFFFFFFFFu); }
// The high half of w * n; least becomes the least of it and the low half.
RIVUS_HD lanes_u32 mul_high(lanes_u32 w, lanes_u32 n, lanes_u32& least) {
  const wide<std::uint32_t> p = mul_wide(w, n);
  least = p.lo < least ? p.lo : least;
  return p.hi;
}
RIVUS_HD bool any_least_below(lanes_u32 least, lanes_u32 bound) { return least < bound; }

// One lane has no order (philox_words.hpp).
RIVUS_HD wide<lanes_u32> mul_wide_crossed(lanes_u32 a, lanes_u32 m) { return mul_wide(a, m); }
RIVUS_HD lanes_u32 exchange(lanes_u32 x) { return x; }
constexpr std::uint32_t counter_order[] = {0};
RIVUS_HD vec<lanes_u32, 4> in_order(const vec<lanes_u32, 4>& x) { return x; }
constexpr int groups_in_flight = 2;

RIVUS_HD vec<lanes_u64, 2> pairs(const vec<lanes_u32, 4>& w) {
  return {{stream::join(w[0], w[1]), stream::join(w[2], w[3])}};
}
// Words against a digit, and whether one of them equals it.
class digit_lanes {
 public:
  // Compilers make vectors of words in memory.
  static constexpr bool in_memory = true;

  RIVUS_HD explicit digit_lanes(std::uint32_t digit) : digit_(digit) {}
  // 1 where a word is less, 0 elsewhere.
  RIVUS_HD void store_less(std::uint8_t* out, const std::uint32_t* w, std::size_t n) {
    const std::uint32_t digit = digit_;
    std::uint32_t equal = 0;
    for (std::size_t j = 0; j < n; ++j) {
      out[j] = w[j] < digit;
      equal |= w[j] == digit;
    }
    equal_ |= equal != 0;
  }
  RIVUS_HD bool undecided() const { return equal_; }

 private:
  std::uint32_t digit_;
  bool equal_ = false;
};

// a + b and a - b where an addition may take the place of an fma, which shares the work among more units.
template <class V>
RIVUS_HD V opaque_one() {
  return 1;
}
template <class V>
RIVUS_HD V add_on_fma(V a, V, V b) {
  return real::add(a, b);
}
template <class V>
RIVUS_HD V sub_on_fma(V a, V, V b) {
  return real::sub(a, b);
}
// acc | (a ^ b).
template <class W>
RIVUS_HD W or_difference(W acc, W a, W b) {
  return acc | (a ^ b);
}
RIVUS_HD lanes_f64 load_widened(const float* p) { return load<float>(p); }
// Sums of exact_kernels.hpp: places to read in at once, and accumulators for each level.
constexpr int exact_places = 4;
constexpr int exact_chains = 2;

// Vectors, and pairs of vectors, of words that are turned into values side by side.
constexpr int vectors_together = 1;
constexpr int pairs_together = 1;
// Registers for the lanes of sums.
constexpr int sum_registers = 32;
// Rows and vectors of a matmul tile.
constexpr int tile_rows = 4;
constexpr int tile_vectors = 4;

}  // namespace
}  // namespace rivus

#endif
