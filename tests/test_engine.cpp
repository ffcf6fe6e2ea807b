#include <gtest/gtest.h>

#include <array>
#include <rivus/philox.hpp>
#include <rivus/stream.hpp>
#include <rivus/threefry.hpp>

#include "support.hpp"

namespace rivus {
namespace {

template <class E>
struct answer {
  typename E::counter_type counter;
  typename E::key_type key;
  typename E::counter_type output;
};

// The three vectors that Random123 publishes for each engine: zeros, ones, and the binary digits of pi.
template <class E>
constexpr std::array<answer<E>, 3> published;

template <>
constexpr std::array<answer<philox2x32>, 3> published<philox2x32> = {{
    {{{0, 0}}, {{0}}, {{0xff1dae59, 0x6cd10df2}}},
    {{{0xffffffff, 0xffffffff}}, {{0xffffffff}}, {{0x2c3f628b, 0xab4fd7ad}}},
    {{{0x243f6a88, 0x85a308d3}}, {{0x13198a2e}}, {{0xdd7ce038, 0xf62a4c12}}},
}};
template <>
constexpr std::array<answer<philox4x32>, 3> published<philox4x32> = {{
    {{{0, 0, 0, 0}}, {{0, 0}}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
    {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
     {{0xffffffff, 0xffffffff}},
     {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
    {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
     {{0xa4093822, 0x299f31d0}},
     {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
}};
template <>
constexpr std::array<answer<philox2x64>, 3> published<philox2x64> = {{
    {{{0, 0}}, {{0}}, {{0xca00a0459843d731, 0x66c24222c9a845b5}}},
    {{{0xffffffffffffffff, 0xffffffffffffffff}},
     {{0xffffffffffffffff}},
     {{0x65b021d60cd8310f, 0x4d02f3222f86df20}}},
    {{{0x243f6a8885a308d3, 0x13198a2e03707344}},
     {{0xa4093822299f31d0}},
     {{0x0a5e742c2997341c, 0xb0f883d38000de5d}}},
}};
template <>
constexpr std::array<answer<philox4x64>, 3> published<philox4x64> = {{
    {{{0, 0, 0, 0}},
     {{0, 0}},
     {{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}}},
    {{{0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff}},
     {{0xffffffffffffffff, 0xffffffffffffffff}},
     {{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}}},
    {{{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89}},
     {{0x452821e638d01377, 0xbe5466cf34e90c6c}},
     {{0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}}},
}};
template <>
constexpr std::array<answer<threefry2x32>, 3> published<threefry2x32> = {{
    {{{0, 0}}, {{0, 0}}, {{0x6b200159, 0x99ba4efe}}},
    {{{0xffffffff, 0xffffffff}}, {{0xffffffff, 0xffffffff}}, {{0x1cb996fc, 0xbb002be7}}},
    {{{0x243f6a88, 0x85a308d3}}, {{0x13198a2e, 0x03707344}}, {{0xc4923a9c, 0x483df7a0}}},
}};
template <>
constexpr std::array<answer<threefry4x32>, 3> published<threefry4x32> = {{
    {{{0, 0, 0, 0}}, {{0, 0, 0, 0}}, {{0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8}}},
    {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
     {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
     {{0x2a881696, 0x57012287, 0xf6c7446e, 0xa16a6732}}},
    {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
     {{0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89}},
     {{0x59cd1dbb, 0xb8879579, 0x86b5d00c, 0xac8b6d84}}},
}};
template <>
constexpr std::array<answer<threefry2x64>, 3> published<threefry2x64> = {{
    {{{0, 0}}, {{0, 0}}, {{0xc2b6e3a8c2c69865, 0x6f81ed42f350084d}}},
    {{{0xffffffffffffffff, 0xffffffffffffffff}},
     {{0xffffffffffffffff, 0xffffffffffffffff}},
     {{0xe02cb7c4d95d277a, 0xd06633d0893b8b68}}},
    {{{0x243f6a8885a308d3, 0x13198a2e03707344}},
     {{0xa4093822299f31d0, 0x082efa98ec4e6c89}},
     {{0x263c7d30bb0f0af1, 0x56be8361d3311526}}},
}};
template <>
constexpr std::array<answer<threefry4x64>, 3> published<threefry4x64> = {{
    {{{0, 0, 0, 0}},
     {{0, 0, 0, 0}},
     {{0x09218ebde6c85537, 0x55941f5266d86105, 0x4bd25e16282434dc, 0xee29ec846bd2e40b}}},
    {{{0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff}},
     {{0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff}},
     {{0x29c24097942bba1b, 0x0371bbfb0f6f4e11, 0x3c231ffa33f83a1c, 0xcd29113fde32d168}}},
    {{{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89}},
     {{0x452821e638d01377, 0xbe5466cf34e90c6c, 0xbe5466cf34e90c6c, 0xc0ac29b7c97c50dd}},
     {{0xa7e8fde591651bd9, 0xbaafd0c30138319b, 0x84a5c1a729e685b9, 0x901d406ccebc1ba4}}},
}};

template <class E>
constexpr bool meets_published() {
  for (const answer<E>& a : published<E>) {
    if (E::block(a.counter, a.key) != a.output) return false;
  }
  return true;
}
static_assert(meets_published<philox2x32>());
static_assert(meets_published<philox4x32>());
static_assert(meets_published<philox2x64>());
static_assert(meets_published<philox4x64>());
static_assert(meets_published<threefry2x32>());
static_assert(meets_published<threefry4x32>());
static_assert(meets_published<threefry2x64>());
static_assert(meets_published<threefry4x64>());

static_assert(philox4x32::rounds == 10 && philox2x64::rounds == 10);
static_assert(threefry4x32::rounds == 20 && threefry2x64::rounds == 20);

// What a constant expression computes need not be what the compiled code does.
template <class V>
V unknown_to_the_compiler(const V& v) {
  V copy{};
  for (int i = 0; i < V::size(); ++i) {
    const volatile typename V::value_type word = v[i];
    copy[i] = word;
  }
  return copy;
}

template <class E>
class engine : public ::testing::Test {};
using engines = ::testing::Types<philox2x32, philox4x32, philox2x64, philox4x64, threefry2x32, threefry4x32,
                                 threefry2x64, threefry4x64>;
TYPED_TEST_SUITE(engine, engines);

TYPED_TEST(engine, meets_the_published_answers_at_run_time) {
  for (const answer<TypeParam>& a : published<TypeParam>) {
    const auto output = TypeParam::block(unknown_to_the_compiler(a.counter), unknown_to_the_compiler(a.key));
    for (int i = 0; i < output.size(); ++i) EXPECT_EQ(output[i], a.output[i]) << "word " << i;
  }
}

// The inverse of an odd number modulo 2^bits, by Newton's iteration.
template <class W>
W inverse(W odd) {
  W x = odd;
  for (int i = 0; i < 6; ++i) x *= W{2} - odd * x;
  return x;
}

template <class W, int N, int R>
vec<W, N> undo(philox<W, N, R>, vec<W, N> x, vec<W, N / 2> key) {
  using constants = philox_constants<W, N>;
  for (int r = R - 1; r >= 0; --r) {
    W k[2] = {static_cast<W>(key[0] + static_cast<W>(r) * constants::weyl[0]), 0};
    if constexpr (N == 2) {
      const W c0 = x[1] * inverse(constants::multiplier[0]);
      const W hi = mul_wide(c0, constants::multiplier[0]).hi;
      x = {{c0, static_cast<W>(x[0] ^ hi ^ k[0])}};
    } else {
      k[1] = static_cast<W>(key[1] + static_cast<W>(r) * constants::weyl[1]);
      const W c0 = x[3] * inverse(constants::multiplier[0]);
      const W c2 = x[1] * inverse(constants::multiplier[1]);
      const W c1 = x[0] ^ mul_wide(c2, constants::multiplier[1]).hi ^ k[0];
      const W c3 = x[2] ^ mul_wide(c0, constants::multiplier[0]).hi ^ k[1];
      x = {{c0, c1, c2, c3}};
    }
  }
  return x;
}

template <class W, int N, int R>
vec<W, N> undo(threefry<W, N, R>, vec<W, N> x, vec<W, N> key) {
  using constants = threefry_constants<W, N>;
  W schedule[N + 1] = {};
  schedule[N] = constants::parity;
  for (int i = 0; i < N; ++i) {
    schedule[i] = key[i];
    schedule[N] ^= key[i];
  }
  const auto subtract_key = [&](int d) {
    for (int i = 0; i < N; ++i) x[i] -= schedule[(d + i) % (N + 1)];
    x[N - 1] -= static_cast<W>(d);
  };
  for (int r = R - 1; r >= 0; --r) {
    if ((r + 1) % 4 == 0) subtract_key((r + 1) / 4);
    for (int j = 0; j < N / 2; ++j) {
      const int a = 2 * j;
      const int b = N == 2 ? 1 : r % 2 == 0 ? a + 1 : (a + 3) % 4;
      x[b] = std::rotr(static_cast<W>(x[b] ^ x[a]), constants::rotation[r % 8][j]);
      x[a] -= x[b];
    }
  }
  subtract_key(0);
  return x;
}

TYPED_TEST(engine, is_a_bijection_of_the_counters) {
  using word = typename TypeParam::word_type;
  test::words random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    typename TypeParam::counter_type c{};
    typename TypeParam::key_type k{};
    for (word& w : c) w = static_cast<word>(random());
    for (word& w : k) w = static_cast<word>(random());
    ASSERT_EQ(undo(TypeParam{}, TypeParam::block(c, k), k), c) << "trial " << trial;
  }
}

TYPED_TEST(engine, every_bit_of_counter_and_key_matters) {
  using word = typename TypeParam::word_type;
  constexpr int word_bits = 8 * sizeof(word);
  const auto flips = [](auto a, auto b) {
    int n = 0;
    for (int i = 0; i < a.size(); ++i) n += std::popcount(static_cast<word>(a[i] ^ b[i]));
    return n;
  };
  typename TypeParam::counter_type c{};
  typename TypeParam::key_type k{};
  test::words random(2);
  for (word& w : c) w = static_cast<word>(random());
  for (word& w : k) w = static_cast<word>(random());
  const auto base = TypeParam::block(c, k);
  const int bits = word_bits * base.size();
  // Half of the bits, within six standard deviations.
  const double tolerance = 6 * std::sqrt(bits) / 2;
  for (int i = 0; i < c.size() * word_bits; ++i) {
    auto other = c;
    other[i / word_bits] ^= word{1} << (i % word_bits);
    EXPECT_NEAR(flips(base, TypeParam::block(other, k)), bits / 2, tolerance) << "counter bit " << i;
  }
  for (int i = 0; i < k.size() * word_bits; ++i) {
    auto other = k;
    other[i / word_bits] ^= word{1} << (i % word_bits);
    EXPECT_NEAR(flips(base, TypeParam::block(c, other)), bits / 2, tolerance) << "key bit " << i;
  }
}

// C++26, [rand.predef]: the 10000th values of std::philox4x32 and std::philox4x64, default-seeded.
constexpr std::uint32_t cpp26_seed = 20111115;
static_assert(stream::from_seed(cpp26_seed).word(9999) == 1955073260u);
static_assert(philox4x64::block({{2499, 0, 0, 0}}, {{cpp26_seed, 0}})[3] == 3409172418970261260u);

TEST(engine_sequences, meets_the_10000th_values_of_cpp26) {
  EXPECT_EQ(stream::from_seed(cpp26_seed).word(9999), 1955073260u);
  EXPECT_EQ(philox4x64::block({{2499, 0, 0, 0}}, {{cpp26_seed, 0}})[3], 3409172418970261260u);
}

// Word i of a stream is what curand() returns for the i-th time after curand_init(key, nonce, 0, &state).
TEST(engine_sequences, words_follow_curand_init) {
  const std::uint64_t seeds[] = {0, 1, 42, 0x0123456789abcdef, ~std::uint64_t{0}};
  const std::uint64_t subsequences[] = {0, 1, 0xffffffff, 0x100000000, 0xfedcba9876543210, ~std::uint64_t{0}};
  const std::uint64_t positions[] = {0, 1, 2, 3, 4, 1000003, 0x3ffffffff, 0x400000000, ~std::uint64_t{0}};
  for (const std::uint64_t key : seeds) {
    for (const std::uint64_t nonce : subsequences) {
      for (const std::uint64_t i : positions) {
        const std::uint64_t b = i / 4;
        const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x % 0x100000000); };
        const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x / 0x100000000); };
        const auto expected =
            philox4x32::block({{low(b), high(b), low(nonce), high(nonce)}}, {{low(key), high(key)}});
        EXPECT_EQ((stream{key, nonce}.word(i)), expected[static_cast<int>(i % 4)]);
      }
    }
  }
  // The first words after curand_init(0, 0, 0, &state).
  const stream zero = stream::from_seed(0);
  EXPECT_EQ(zero.word(0), 0x6627e8d5u);
  EXPECT_EQ(zero.word(1), 0xe169c58du);
  EXPECT_EQ(zero.word(2), 0xbc57ac4cu);
  EXPECT_EQ(zero.word(3), 0x9b00dbd8u);
}

TEST(engine_sequences, fewer_rounds_are_a_prefix_of_more) {
  // One round of Philox-2x32, by hand: hi(0xD256D193 * 2) = 1, lo = 0xA4ADA326.
  const auto one = philox<std::uint32_t, 2, 1>::block({{2, 5}}, {{7}});
  EXPECT_EQ(one[0], 1u ^ 7u ^ 5u);
  EXPECT_EQ(one[1], 0xA4ADA326u);
  // The second round starts from the first one's output under the key raised by the Weyl constant.
  const auto two = philox<std::uint32_t, 2, 1>::block(one, {{7u + 0x9E3779B9u}});
  EXPECT_EQ((philox<std::uint32_t, 2, 2>::block({{2, 5}}, {{7}})), two);
}

}  // namespace
}  // namespace rivus
