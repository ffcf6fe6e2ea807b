#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <rivus/path.hpp>
#include <rivus/stream.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <vector>

#include "support.hpp"

namespace rivus {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

constexpr stream root = stream::from_seed(42);

std::size_t repeats(std::vector<stream> all) {
  std::sort(all.begin(), all.end());
  return static_cast<std::size_t>(all.end() - std::unique(all.begin(), all.end()));
}

// One step of the child hash, and the hash of a name, put together here from the specification.
stream step(stream s, std::array<std::uint32_t, 3> piece, std::uint32_t tag) {
  const auto half = [](std::uint64_t x, int n) { return static_cast<std::uint32_t>(x >> (32 * n)); };
  const auto o = threefry4x32::block({{piece[0], piece[1], piece[2], tag}},
                                     {{half(s.key, 0), half(s.key, 1), half(s.nonce, 0), half(s.nonce, 1)}});
  return {o[0] + (std::uint64_t{o[1]} << 32), o[2] + (std::uint64_t{o[3]} << 32)};
}
stream named(stream s, std::string name) {
  while (true) {
    const bool last = name.size() <= 12;
    const std::string piece = name.substr(0, 12);
    std::array<std::uint32_t, 3> w{};
    for (std::size_t i = 0; i < piece.size(); ++i) {
      w[i / 4] += std::uint32_t{static_cast<unsigned char>(piece[i])} << (8 * (i % 4));
    }
    s = step(s, w, last ? 0x100 + static_cast<std::uint32_t>(piece.size()) : 2);
    if (last) return s;
    name.erase(0, 12);
  }
}
stream numbered(stream s, std::uint64_t i) {
  return step(s, {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32), 0}, 1);
}

static_assert(sizeof(stream) == 16);
static_assert(std::is_trivially_copyable_v<stream>);
static_assert(std::is_standard_layout_v<stream>);

// Names hash when the program is compiled.
constexpr stream at_compile_time = root["init"]["conv1.weight"][3];
static_assert(at_compile_time == stream{0x5efc987949502153, 0xda53ab4509842eb8});
static_assert(root["dropout"] == stream{0x0db9fc7a19914a57, 0x9e65f419a69d0446});
static_assert(root["dropout"].lane(5).word(0) == stream{0x0db9fc7a19914a57, 0x9e65f419a69d044b}.block(0)[0]);

TEST(stream, roots_are_the_seed_itself) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
    EXPECT_EQ(stream::from_seed(seed).key, seed);
    EXPECT_EQ(stream::from_seed(seed).nonce, 0u);
  }
}

// Computed with Random123's Threefry.
TEST(stream, children_have_frozen_values) {
  EXPECT_EQ(root[""], (stream{0x11864ac0fa2abbc6, 0x70c0b5f178b56f97}));
  EXPECT_EQ(root[7], (stream{0x23453e6fb1c4769b, 0x7ba8d3cbde686657}));
  EXPECT_EQ(root[-1], (stream{0x94eac0ad959ceee6, 0xff6dbd2b753b4481}));
  EXPECT_EQ(root["abcdefghijkl"], (stream{0x1cff5d7930544ce7, 0x5dd539cf5144e45a}));
  EXPECT_EQ(root["abcdefghijklmnopqrstuvwxy"], (stream{0x4d5af67eac8a8179, 0x4cf8784bed9849a8}));
  EXPECT_EQ(root[u8"gr\u00f6\u00dfe"], (stream{0xa9b6ecfc237af31a, 0x3a6bcf3386efb966}));
  EXPECT_EQ(root.redraw(1), (stream{0xd17bd91f6241cd2d, 0x8af4cf137f261b1f}));
}

TEST(stream, children_follow_the_specification) {
  test::words random(1);
  for (int trial = 0; trial < 500; ++trial) {
    const stream s{random(), random()};
    const std::uint64_t i = random() >> random.below(64);
    ASSERT_EQ(s[i], numbered(s, i));
    std::string name(random.below(40), '\0');
    for (char& c : name) c = static_cast<char>(random());
    name += '/';  // so that it is no decimal
    ASSERT_EQ(s[name], named(s, name)) << "length " << name.size();
  }
}

TEST(stream, names_of_every_length_about_the_pieces) {
  const std::string letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  for (std::size_t n = 0; n <= letters.size(); ++n) {
    const std::string name = letters.substr(0, n);
    EXPECT_EQ(root[name], named(root, name)) << "length " << n;
    // A zero byte at the end is not the padding.
    EXPECT_NE(root[name], root[name + '\0']) << "length " << n;
    EXPECT_EQ(root[name + '\0'], named(root, name + '\0')) << "length " << n;
  }
}

TEST(stream, one_name_in_every_type) {
  const stream expected = named(root, "dropout");
  char mutable_array[] = "dropout";
  const char exact_array[7] = {'d', 'r', 'o', 'p', 'o', 'u', 't'};
  const char padded_array[32] = "dropout";
  const char followed_array[] = "dropout\0and more";
  const unsigned char bytes[] = {'d', 'r', 'o', 'p', 'o', 'u', 't'};
  const char* pointer = followed_array;
  char* mutable_pointer = mutable_array;
  EXPECT_EQ(root["dropout"], expected);
  EXPECT_EQ(root[u8"dropout"], expected);
  EXPECT_EQ(root[mutable_array], expected);
  EXPECT_EQ(root[exact_array], expected);
  EXPECT_EQ(root[padded_array], expected);
  EXPECT_EQ(root[followed_array], expected);
  EXPECT_EQ(root[bytes], expected);
  EXPECT_EQ(root[pointer], expected);
  EXPECT_EQ(root[mutable_pointer], expected);
  EXPECT_EQ(root["dropout"s], expected);
  EXPECT_EQ(root["dropout"sv], expected);
  EXPECT_EQ(root[u8"dropout"sv], expected);
  EXPECT_EQ((root[std::vector<unsigned char>(bytes, bytes + 7)]), expected);
}

TEST(stream, string_views_carry_any_bytes) {
  EXPECT_EQ(root["dropout\0x"sv], named(root, "dropout\0x"s));
  EXPECT_NE(root["dropout\0x"sv], root["dropout"]);
  EXPECT_EQ(root["\xff\x80\x00"sv], named(root, "\xff\x80\x00"s));
  EXPECT_EQ(root["\xff"], root["\xff"s]);
  EXPECT_EQ(root[std::string_view{}], root[""]);
  EXPECT_NE(root[""], root["\0"sv]);
}

TEST(stream, names_are_bytes_and_never_normalised) {
  EXPECT_NE(root["caf\xc3\xa9"], root["cafe\xcc\x81"]);
  EXPECT_NE(root["Dropout"], root["dropout"]);
  EXPECT_NE(root["dropout "], root["dropout"]);
  EXPECT_NE(root["a/b"], root["a"]["b"]);
}

TEST(stream, canonical_decimals_are_numbers) {
  EXPECT_EQ(root["0"], root[0]);
  EXPECT_EQ(root["17"], root[17]);
  EXPECT_EQ(root["17"sv], root[17u]);
  EXPECT_EQ(root["4294967296"], root[4294967296]);
  EXPECT_EQ(root["18446744073709551615"], root[18446744073709551615u]);
  EXPECT_EQ(root["18446744073709551609"], root[18446744073709551609u]);
}

TEST(stream, other_spellings_are_names) {
  for (const std::string name :
       {"017", "00", "+1", "-1", " 1", "1 ", "1.0", "0x1", "1e3", "", "1_000", "\xd9\xa1",
        "18446744073709551616", "18446744073709551620", "99999999999999999999", "184467440737095516150"}) {
    EXPECT_EQ(root[name], named(root, name)) << name;
  }
  EXPECT_NE(root["017"], root[17]);
  EXPECT_NE(root["+1"], root[1]);
  EXPECT_NE(root["-1"], root[-1]);
  EXPECT_NE(root[""], root[0]);
  EXPECT_NE(root["18446744073709551616"], root[0]);
  EXPECT_EQ(root["17\0"sv], named(root, "17\0"s));
  EXPECT_NE(root["17\0"sv], root[17]);
}

template <class I>
class stream_by_integer : public ::testing::Test {};
using integers = ::testing::Types<char, signed char, unsigned char, char16_t, char32_t, short, unsigned short,
                                  int, unsigned, long, unsigned long, long long, unsigned long long>;
TYPED_TEST_SUITE(stream_by_integer, integers);

TYPED_TEST(stream_by_integer, is_the_child_of_that_number) {
  EXPECT_EQ(root[TypeParam(0)], numbered(root, 0));
  EXPECT_EQ(root[TypeParam(1)], numbered(root, 1));
  const auto largest = std::numeric_limits<TypeParam>::max();
  EXPECT_EQ(root[largest], numbered(root, static_cast<std::uint64_t>(largest)));
  if constexpr (std::is_signed_v<TypeParam>) {
    EXPECT_EQ(root[TypeParam(-1)], numbered(root, ~std::uint64_t{0}));
    EXPECT_EQ(root[TypeParam(-3)], numbered(root, ~std::uint64_t{0} - 2));
  }
}

TEST(stream, the_literal_zero_is_a_number) {
  static_assert(root[0] == root[std::uint64_t{0}]);
  EXPECT_EQ(root[0], numbered(root, 0));
}

TEST(stream, uses_of_the_hash_never_meet) {
  EXPECT_NE(root[1], root.redraw(1));
  EXPECT_NE(root[1], root["\1"]);
  EXPECT_NE(root["abcdefghijkl"], root["abcdefghijkl"][""]);
  // A long name is not a path through its pieces.
  EXPECT_NE(root["abcdefghijklm"], root["abcdefghijkl"]["m"]);
}

TEST(stream, lanes_add_and_wrap) {
  const stream s = root["kernel"];
  EXPECT_EQ(s.lane(0), s);
  EXPECT_EQ(s.lane(3).key, s.key);
  EXPECT_EQ(s.lane(3).nonce, s.nonce + 3);
  EXPECT_EQ(s.lane(3).lane(4), s.lane(7));
  EXPECT_EQ(s.lane(~std::uint64_t{0}).lane(1), s);
  EXPECT_EQ((stream{1, ~std::uint64_t{0}}.lane(2)), (stream{1, 1}));
  EXPECT_NE(s.lane(1), s.lane(std::uint64_t{1} << 32 | 1));
}

TEST(stream, words_and_bits_are_parts_of_blocks) {
  test::words random(2);
  for (int trial = 0; trial < 500; ++trial) {
    const stream s{random(), random()};
    const std::uint64_t b = random() >> 3;
    const auto block = s.block(b);
    for (int j = 0; j < 4; ++j) {
      const std::uint64_t i = 4 * b + static_cast<std::uint64_t>(j);
      ASSERT_EQ(s.word(i), block[j]);
      ASSERT_EQ(s.bits32(i), block[j]);
    }
    for (int j = 0; j < 2; ++j) {
      ASSERT_EQ(s.bits64(2 * b + static_cast<std::uint64_t>(j)),
                block[2 * j] + (std::uint64_t{block[2 * j + 1]} << 32));
    }
  }
  // The last words of all: block reaches 2^66 words, and elements of 64 bits reach half of them.
  const stream s = root["end"];
  EXPECT_EQ(s.bits64(~std::uint64_t{0}),
            stream::join(s.block(~std::uint64_t{0} >> 1)[2], s.block(~std::uint64_t{0} >> 1)[3]));
  EXPECT_NE(s.block(~std::uint64_t{0}), s.block(~std::uint64_t{0} >> 1));
}

// A counter cut to 32 bits somewhere would repeat, and a missing carry would too.
TEST(stream, nothing_repeats_after_2_to_the_32) {
  const stream s = root["long"];
  std::vector<std::uint64_t> heads;
  for (int bit = 31; bit < 64; ++bit) {
    const std::uint64_t i = std::uint64_t{1} << bit;
    EXPECT_NE(s.block(i), s.block(0)) << "block 2^" << bit;
    EXPECT_NE(s.bits64(i), s.bits64(0)) << "element 2^" << bit;
    EXPECT_NE(s.lane(i).block(0), s.block(0)) << "lane 2^" << bit;
    EXPECT_NE(s[i], s[0]) << "child 2^" << bit;
    heads.push_back(stream::join(s.block(i)[0], s.block(i)[1]));
    heads.push_back(stream::join(s.block(i - 1)[0], s.block(i - 1)[1]));
  }
  std::sort(heads.begin(), heads.end());
  EXPECT_EQ(std::unique(heads.begin(), heads.end()), heads.end());
  EXPECT_EQ(s.word((std::uint64_t{1} << 34) - 1), s.block(0xFFFFFFFF)[3]);
  EXPECT_EQ(s.word(std::uint64_t{1} << 34), s.block(0x100000000)[0]);
}

TEST(stream, a_million_children_and_lanes_are_all_different) {
  std::vector<stream> all;
  all.reserve(1'000'000);
  for (std::uint64_t i = 0; i < 600'000; ++i) all.push_back(root[i]);
  for (std::uint64_t i = 0; i < 200'000; ++i) all.push_back(root["layer" + std::to_string(i) + ".weight"]);
  for (std::uint64_t i = 0; i < 100'000; ++i) all.push_back(root["kernel"].lane(i));
  for (std::uint64_t i = 0; i < 50'000; ++i) all.push_back(root["kernel"][i].lane(i));
  for (std::uint64_t i = 0; i < 50'000; ++i) all.push_back(stream::from_seed(i)["dropout"]);
  EXPECT_EQ(repeats(all), 0u);

  // Nor do they share a run of words.
  std::vector<std::uint64_t> heads(all.size());
  std::transform(all.begin(), all.end(), heads.begin(), [](stream s) { return s.bits64(0); });
  std::sort(heads.begin(), heads.end());
  EXPECT_EQ(std::unique(heads.begin(), heads.end()), heads.end());
}

TEST(stream, children_differ_from_their_parents) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const stream s = stream::from_seed(seed);
    for (const stream child : {s[0], s[1], s[seed], s[""], s["a"], s.redraw(1)}) {
      ASSERT_NE(child, s) << "seed " << seed;
      ASSERT_NE(child.key, s.key) << "seed " << seed;
      ASSERT_NE(child.block(0), s.block(0)) << "seed " << seed;
    }
  }
}

// Children are named, not handed out, so concurrent callers cannot get the same one twice.
TEST(stream, children_made_by_several_threads_are_unique) {
  std::vector<stream> all(2000);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&all, t] {
      for (std::size_t i = t; i < all.size(); i += 4) all[i] = root["worker"][i];
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(repeats(all), 0u);
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], root["worker"][i]);
}

TEST(stream, workers_and_epochs_share_nothing) {
  std::vector<stream> all;
  for (int epoch = 0; epoch < 50; ++epoch) {
    for (int worker = 0; worker < 50; ++worker) all.push_back(root["augment"][epoch][worker]);
  }
  EXPECT_EQ(repeats(all), 0u);
  EXPECT_NE(root["augment"][1][2], root["augment"][2][1]);
}

int changed_bits(stream a, stream b) {
  return std::popcount(a.key ^ b.key) + std::popcount(a.nonce ^ b.nonce);
}

// Each bit that goes into a child flips half of the 128 that come out: 64 000 of 128 000, deviation 179.
TEST(stream, every_bit_of_parent_and_name_flips_half_of_the_child) {
  constexpr int trials = 1000;
  constexpr double mean = trials * 64, tolerance = 5 * 179;
  test::words random(3);
  std::vector<stream> parents(trials);
  std::vector<std::uint64_t> numbers(trials);
  for (stream& s : parents) s = {random(), random()};
  for (std::uint64_t& i : numbers) i = random() >> random.below(64);

  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t mask = std::uint64_t{1} << bit;
    int by_number = 0, by_key = 0, by_nonce = 0;
    for (std::size_t t = 0; t < trials; ++t) {
      const stream s = parents[t], child = s[numbers[t]];
      by_number += changed_bits(child, s[numbers[t] ^ mask]);
      by_key += changed_bits(child, stream{s.key ^ mask, s.nonce}[numbers[t]]);
      by_nonce += changed_bits(child, stream{s.key, s.nonce ^ mask}[numbers[t]]);
    }
    EXPECT_NEAR(by_number, mean, tolerance) << "bit " << bit;
    EXPECT_NEAR(by_key, mean, tolerance) << "bit " << bit;
    EXPECT_NEAR(by_nonce, mean, tolerance) << "bit " << bit;
  }
  for (std::size_t bit = 0; bit < 8 * 20; ++bit) {
    int by_name = 0;
    for (const stream s : parents) {
      std::string name = "encoder.block3.query";
      const stream child = s[name];
      name[bit / 8] = static_cast<char>(name[bit / 8] ^ (1 << bit % 8));
      by_name += changed_bits(child, s[name]);
    }
    EXPECT_NEAR(by_name, mean, tolerance) << "bit " << bit;
  }
}

enum class component : std::int8_t { init = 3, last = -1 };

TEST(stream, enumerators_are_their_numbers) {
  EXPECT_EQ(root[component::init], root[3]);
  EXPECT_EQ(root[component::last], root[-1]);
}

TEST(stream, paths_have_a_child_for_each_name) {
  static_assert(root / "init" / "w" / 3 == root["init"]["w"][3]);
  static_assert(root / path("init/w/3") == root["init"]["w"][3]);
  static_assert(root["init/w"] != root / path("init/w"));
  const std::string text = "a/17/ b";
  EXPECT_EQ(root / path(text), root["a"][17][" b"]);
  EXPECT_EQ(root / path("one"), root["one"]);
  for (const char* const wrong : {"", "/", "/a", "a/", "a//b"}) {
    EXPECT_TRUE(test::mentions(test::error_of([&] { (void)path(wrong); }),
                               {"rivus::path", ("'" + std::string(wrong) + "'").c_str(), "empty name"}));
  }
}

TEST(stream, are_keys_of_containers) {
  const stream low{1, 9}, middle{2, 3}, high{2, 4};
  EXPECT_TRUE(low < middle && middle < high && high > low && low <= low && high >= middle && !(high < high));
  EXPECT_TRUE((low <=> middle) < 0 && (high <=> middle) > 0 && (low <=> low) == 0);
  std::unordered_set<stream> seen;
  std::unordered_set<std::size_t> hashes;
  for (int i = 0; i < 1000; ++i) {
    for (const stream s : {stream::from_seed(i), root[i], root.lane(i + 1)}) {
      seen.insert(s);
      hashes.insert(std::hash<stream>{}(s));
    }
  }
  EXPECT_EQ(seen.size(), 3000u);
  EXPECT_EQ(hashes.size(), 3000u);
}

}  // namespace
}  // namespace rivus
