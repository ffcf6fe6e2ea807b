// Random123's own headers as the judge: engines with any number of rounds, words, children.
#include <Random123/philox.h>
#include <Random123/threefry.h>
#include <gtest/gtest.h>

#include <rivus/stream.hpp>
#include <string>
#include <utility>

#include "support.hpp"

namespace rivus {
namespace {

template <class Ours, class Theirs>
void expect_equal_engines(std::uint64_t seed) {
  using word = typename Ours::word_type;
  test::words random(seed);
  for (int trial = 0; trial < 300; ++trial) {
    typename Ours::counter_type c{};
    typename Ours::key_type k{};
    typename Theirs::ctr_type their_c;
    typename Theirs::key_type their_k;
    for (int i = 0; i < c.size(); ++i)
      their_c[static_cast<std::size_t>(i)] = c[i] = static_cast<word>(random());
    for (int i = 0; i < k.size(); ++i)
      their_k[static_cast<std::size_t>(i)] = k[i] = static_cast<word>(random());
    const auto ours = Ours::block(c, k);
    const auto theirs = Theirs()(their_c, their_k);
    for (int i = 0; i < c.size(); ++i) {
      ASSERT_EQ(ours[i], theirs[static_cast<std::size_t>(i)])
          << "rounds " << Ours::rounds << " trial " << trial << " word " << i;
    }
  }
}

template <template <unsigned> class Theirs, class W, int N, int... R>
void philox_rounds(std::integer_sequence<int, R...>) {
  (expect_equal_engines<philox<W, N, R + 1>, Theirs<R + 1>>(R), ...);
}
template <template <unsigned> class Theirs, class W, int N, int... R>
void threefry_rounds(std::integer_sequence<int, R...>) {
  (expect_equal_engines<threefry<W, N, R + 1>, Theirs<R + 1>>(R), ...);
}

TEST(random123, philox_with_1_to_16_rounds) {
  using counts = std::make_integer_sequence<int, 16>;
  philox_rounds<r123::Philox2x32_R, std::uint32_t, 2>(counts{});
  philox_rounds<r123::Philox4x32_R, std::uint32_t, 4>(counts{});
  philox_rounds<r123::Philox2x64_R, std::uint64_t, 2>(counts{});
  philox_rounds<r123::Philox4x64_R, std::uint64_t, 4>(counts{});
}

TEST(random123, threefry_with_1_to_32_rounds) {
  using counts = std::make_integer_sequence<int, 32>;
  threefry_rounds<r123::Threefry2x32_R, std::uint32_t, 2>(counts{});
  threefry_rounds<r123::Threefry4x32_R, std::uint32_t, 4>(counts{});
  threefry_rounds<r123::Threefry2x64_R, std::uint64_t, 2>(counts{});
  threefry_rounds<r123::Threefry4x64_R, std::uint64_t, 4>(counts{});
}

std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

TEST(random123, words_of_streams) {
  test::words random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    const stream s{random(), random()};
    const std::uint64_t i = random();
    const r123::Philox4x32::ctr_type c = {{low(i >> 2), high(i >> 2), low(s.nonce), high(s.nonce)}};
    const r123::Philox4x32::key_type k = {{low(s.key), high(s.key)}};
    ASSERT_EQ(s.word(i), r123::Philox4x32()(c, k)[i & 3]);
  }
}

stream their_hash(stream s, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t tag) {
  const r123::Threefry4x32::ctr_type in = {{a, b, c, tag}};
  const r123::Threefry4x32::key_type k = {{low(s.key), high(s.key), low(s.nonce), high(s.nonce)}};
  const auto o = r123::Threefry4x32()(in, k);
  return {o[0] + (std::uint64_t{o[1]} << 32), o[2] + (std::uint64_t{o[3]} << 32)};
}

TEST(random123, children_of_streams) {
  test::words random(4);
  for (int trial = 0; trial < 2000; ++trial) {
    const stream s{random(), random()};
    const std::uint64_t i = random();
    ASSERT_EQ(s[i], their_hash(s, low(i), high(i), 0, 1));
    ASSERT_EQ(s.redraw(low(i)), their_hash(s, low(i), 0, 0, 3));
  }
  // "dropout/blk" is 64 72 6f 70, 6f 75 74 2f, 62 6c 6b; the longer name has one more byte and one more
  // still.
  const stream s = stream::from_seed(42);
  EXPECT_EQ(s["dropout/blk"], their_hash(s, 0x706f7264, 0x2f74756f, 0x006b6c62, 0x10b));
  EXPECT_EQ(s["dropout/blk3"], their_hash(s, 0x706f7264, 0x2f74756f, 0x336b6c62, 0x10c));
  EXPECT_EQ(s["dropout/blk3x"],
            their_hash(their_hash(s, 0x706f7264, 0x2f74756f, 0x336b6c62, 2), 0x78, 0, 0, 0x101));
  EXPECT_EQ(s[""], their_hash(s, 0, 0, 0, 0x100));
}

}  // namespace
}  // namespace rivus
