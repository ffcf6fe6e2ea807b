#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <rivus/bernoulli.hpp>
#include <rivus/cursor.hpp>
#include <rivus/exponential.hpp>
#include <rivus/integer.hpp>
#include <rivus/normal.hpp>
#include <rivus/uniform.hpp>
#include <string>
#include <vector>

#include "support.hpp"

namespace rivus {
namespace {

constexpr std::uint64_t last = ~std::uint64_t{0};

static_assert(std::uniform_random_bit_generator<cursor>);
static_assert(std::is_trivially_copyable_v<cursor>);
static_assert(cursor::min() == 0 && cursor::max() == 0xFFFFFFFFu);
static_assert([] {
  cursor c{stream::from_seed(42)};
  const auto first = c();
  return first == stream::from_seed(42).word(0) && c.position() == 1;
}());

TEST(cursor, reads_the_words_in_order) {
  const stream s = stream::from_seed(7)["sequence"];
  cursor c{s};
  for (std::uint64_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(c.position(), i);
    ASSERT_EQ(c(), s.word(i));
  }
  EXPECT_EQ(c.source(), s);
}

TEST(cursor, starts_and_seeks_anywhere) {
  const stream s = stream::from_seed(7)["sequence"];
  for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3},
                                 (std::uint64_t{1} << 34) - 2, std::uint64_t{1} << 63, last - 2}) {
    cursor started(s, at), sought(s);
    sought();
    sought.seek(at);
    for (std::uint64_t i = 0; i < 9; ++i) {
      ASSERT_EQ(started(), s.word(at + i)) << at << " + " << i;
      ASSERT_EQ(sought(), s.word(at + i)) << at << " + " << i;
    }
    sought.seek(at);
    EXPECT_EQ(sought(), s.word(at));
  }
}

TEST(cursor, discard_equals_calls) {
  const stream s = stream::from_seed(7)["discard"];
  for (unsigned skipped = 0; skipped < 20; ++skipped) {
    for (unsigned before = 0; before < 5; ++before) {
      cursor called(s), discarded(s);
      for (unsigned i = 0; i < before; ++i) called(), discarded();
      for (unsigned i = 0; i < skipped; ++i) called();
      discarded.discard(skipped);
      ASSERT_EQ(called, discarded);
      for (int i = 0; i < 5; ++i) ASSERT_EQ(called(), discarded()) << skipped << " after " << before;
    }
  }
  cursor c(s, 5);
  c.discard(std::uint64_t{1} << 40);
  EXPECT_EQ(c.position(), (std::uint64_t{1} << 40) + 5);
  EXPECT_EQ(c(), s.word((std::uint64_t{1} << 40) + 5));
}

TEST(cursor, the_position_wraps_at_2_to_the_64) {
  const stream s = stream::from_seed(7)["wrap"];
  cursor c(s, last - 1);
  EXPECT_EQ(c(), s.word(last - 1));
  EXPECT_EQ(c(), s.word(last));
  EXPECT_EQ(c.position(), 0u);
  EXPECT_EQ(c(), s.word(0));
  EXPECT_EQ(c(), s.word(1));
  cursor d(s, 10);
  d.discard(last);
  EXPECT_EQ(d.position(), 9u);
  EXPECT_EQ(d(), s.word(9));
}

TEST(cursor, copies_continue_independently) {
  const stream s = stream::from_seed(7)["copy"];
  cursor a{s};
  a(), a();
  cursor b = a;
  EXPECT_EQ(a(), s.word(2));
  EXPECT_EQ(a(), s.word(3));
  EXPECT_EQ(b(), s.word(2));
  EXPECT_EQ(b.position(), 3u);
}

TEST(cursor, equal_when_the_same_words_follow) {
  const stream s = stream::from_seed(7)["equal"];
  cursor read(s);
  read(), read();
  const cursor placed(s, 2);
  EXPECT_EQ(read, placed);
  EXPECT_NE(read, cursor(s, 3));
  EXPECT_NE(placed, cursor(s.lane(1), 2));
  EXPECT_NE(placed, cursor(stream::from_seed(8)["equal"], 2));
}

TEST(cursor, lanes_are_separate_sequences) {
  const stream s = stream::from_seed(7)["lanes"];
  cursor lane0{s.lane(0)}, lane1{s.lane(1)};
  cursor whole{s};
  std::vector<std::uint32_t> first, second;
  for (int i = 0; i < 1000; ++i) {
    first.push_back(lane0());
    second.push_back(lane1());
    ASSERT_EQ(first.back(), whole());
  }
  EXPECT_NE(first, second);
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  std::vector<std::uint32_t> common;
  std::set_intersection(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(common));
  EXPECT_LE(common.size(), 2u);
}

TEST(cursor, drives_the_standard_library) {
  cursor c{stream::from_seed(7)["std"]};
  std::uniform_int_distribution<int> die(1, 6);
  std::vector<int> counts(7);
  for (int i = 0; i < 6000; ++i) ++counts[static_cast<std::size_t>(die(c))];
  for (std::size_t face = 1; face <= 6; ++face) EXPECT_NEAR(counts[face], 1000, 6 * 29) << "face " << face;

  std::vector<int> order(100), sorted(100);
  std::iota(sorted.begin(), sorted.end(), 0);
  order = sorted;
  std::shuffle(order.begin(), order.end(), c);
  EXPECT_NE(order, sorted);
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, sorted);

  std::normal_distribution<double> gauss;
  double sum = 0;
  for (int i = 0; i < 10000; ++i) sum += gauss(c);
  EXPECT_NEAR(sum, 0, 6 * 100);
}

TEST(cursor, text_is_frozen) {
  const cursor c({0x0123456789abcdef, 0xfedcba9876543210}, 0xa0);
  EXPECT_EQ(c.to_text(), "rivus-cursor-1 0123456789abcdef fedcba9876543210 00000000000000a0");
}

TEST(cursor, bytes_are_frozen) {
  const cursor c({0x0123456789abcdef, 0xfedcba9876543210}, 0xa0);
  const cursor::bytes_type expected = {'r',  'v',  'c',  1,    0,    0,    0,    0,    0xef, 0xcd, 0xab,
                                       0x89, 0x67, 0x45, 0x23, 0x01, 0x10, 0x32, 0x54, 0x76, 0x98, 0xba,
                                       0xdc, 0xfe, 0xa0, 0,    0,    0,    0,    0,    0,    0};
  EXPECT_EQ(c.to_bytes(), expected);
}

TEST(cursor, text_and_bytes_come_back) {
  test::words random(1);
  for (int trial = 0; trial < 500; ++trial) {
    cursor c({random(), random() >> random.below(64)}, random() >> random.below(64));
    for (std::uint64_t i = random.below(6); i > 0; --i) c();
    cursor from_text = cursor::from_text(c.to_text());
    cursor from_bytes = cursor::from_bytes(c.to_bytes());
    ASSERT_EQ(from_text, c);
    ASSERT_EQ(from_bytes, c);
    for (int i = 0; i < 6; ++i) {
      const std::uint32_t w = c();
      ASSERT_EQ(from_text(), w);
      ASSERT_EQ(from_bytes(), w);
    }
  }
}

TEST(cursor, bad_text_is_refused_with_what_is_wrong) {
  const std::string key = "0123456789abcdef", tag = "rivus-cursor-1";
  const struct {
    std::string text;
    std::initializer_list<const char*> mentioned;
  } cases[] = {
      {"", {"version tag", "rivus-cursor-1"}},
      {"0123456789abcdef", {"version tag", "0123456789abcdef"}},
      {"rivus-cursor-2 " + key + " " + key + " " + key, {"version tag", "rivus-cursor-2"}},
      {"rivus-cursor-", {"version tag", "rivus-cursor-"}},
      {"Rivus-cursor-1 " + key + " " + key + " " + key, {"version tag", "Rivus-cursor-1"}},
      {" " + tag + " " + key + " " + key + " " + key, {"version tag"}},
      {tag, {"key"}},
      {tag + "0 " + key + " " + key + " " + key, {"key"}},
      {tag + "\t" + key + " " + key + " " + key, {"key"}},
      {tag + " 0123456789abcde", {"key", "0123456789abcde", "16"}},
      {tag + " 0123456789ABCDEF " + key + " " + key, {"key", "0123456789ABCDEF"}},
      {tag + " 0x23456789abcdef " + key + " " + key, {"key", "0x23456789abcdef"}},
      {tag + " " + key, {"nonce"}},
      {tag + " " + key + " 01234567", {"nonce", "01234567"}},
      {tag + " " + key + "  " + key + " " + key, {"nonce"}},
      {tag + " " + key + " -123456789abcdef " + key, {"nonce", "-123456789abcdef"}},
      {tag + " " + key + " " + key, {"position"}},
      {tag + " " + key + " " + key + " ", {"position"}},
      {tag + " " + key + " " + key + " 0123456789abcdeg", {"position", "0123456789abcdeg"}},
      {tag + " " + key + " " + key + " " + key + "\n", {"after the position"}},
      {tag + " " + key + " " + key + " " + key + "0", {"after the position", "0"}},
  };
  for (const auto& c : cases) {
    const std::string message = test::error_of([&] { (void)cursor::from_text(c.text); });
    EXPECT_TRUE(test::mentions(message, c.mentioned)) << "for \"" << c.text << '"';
    EXPECT_TRUE(test::mentions(message, {"rivus::cursor"})) << "for \"" << c.text << '"';
  }
}

TEST(cursor, bad_bytes_are_refused_with_what_is_wrong) {
  const cursor::bytes_type good = cursor(stream::from_seed(1)).to_bytes();
  for (std::size_t i = 0; i < 8; ++i) {
    cursor::bytes_type bytes = good;
    bytes[i] = 77;
    const std::string message = test::error_of([&] { (void)cursor::from_bytes(bytes); });
    EXPECT_TRUE(test::mentions(message, {i == 3 ? "version" : "header", "77"})) << "byte " << i;
  }
}

TEST(cursor, of_a_seed) {
  static_assert(cursor() == cursor(0) && cursor(-1) == cursor(stream::from_seed(-1)));
  cursor c;
  c();
  c.seed(7);
  EXPECT_EQ(c, cursor(stream::from_seed(7)));
  c.seed(stream::from_seed(3)["x"]);
  EXPECT_EQ(c, cursor(stream::from_seed(3)["x"]));
  c();
  c.seed();
  EXPECT_EQ(c, cursor());
}

// A distribution alone: the elements that fill writes. After anything else: none of whose words has been read.
template <class D>
void expect_elements(const char* name, D d) {
  SCOPED_TRACE(name);
  const stream s = stream::from_seed(42)["elements"];
  const auto words = static_cast<std::uint64_t>(d.words()), step = words * D::words_per_step;
  cursor c(s);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(test::as_word(d(c)), test::as_word(d(s, i))) << i;
  for (const std::uint64_t position :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{7}, (std::uint64_t{1} << 40) + 3}) {
    c.seek(position);
    const std::uint64_t first = (position + step - 1) / step * step / words;
    for (int i = 0; i < 5; ++i) EXPECT_EQ(test::as_word(d(c)), test::as_word(d(s, first + i)));
    const std::uint64_t read = c.position();
    EXPECT_EQ(read, (first * words + (5 * words + step - 1) / step * step));
    EXPECT_EQ(c(), s.word(read));
    EXPECT_EQ(test::as_word(d(c)), test::as_word(d(s, (read + 1 + step - 1) / step * step / words)));
  }
}
TEST(cursor, distributions_draw_their_next_element) {
  expect_elements("bits u8", bits<std::uint8_t>{});
  expect_elements("bits u32", bits<std::uint32_t>{});
  expect_elements("bits i64", bits<std::int64_t>{});
  expect_elements("uniform f32", uniform<float>{});
  expect_elements("uniform f64", uniform<double, interval::oc>{});
  expect_elements("normal f32", normal<float>{1, 2});
  expect_elements("normal f64", normal<double>{});
  expect_elements("exponential f32", exponential<float>{});
  expect_elements("exponential f64", exponential<double>{2});
  expect_elements("bernoulli", bernoulli{0.25});
  expect_elements("integer small", integer<int>{-5, 6});
  expect_elements("integer large", integer<int>{0, 2'000'000});
}

TEST(cursor, half_a_pair_is_part_of_its_state) {
  const stream s = stream::from_seed(42);
  cursor c(s);
  const normal<float> d;
  d(c);
  EXPECT_NE(c, cursor(s, 2));
  cursor from_text = cursor::from_text(c.to_text()), from_bytes = cursor::from_bytes(c.to_bytes());
  EXPECT_EQ(c.to_text(), "rivus-cursor-1 000000000000002a 0000000000000000 0000000000000002 half32");
  ASSERT_EQ(from_text, c);
  ASSERT_EQ(from_bytes, c);
  EXPECT_EQ(d(from_text), d(s, 1));
  EXPECT_EQ(d(from_bytes), d(s, 1));
  EXPECT_EQ(from_bytes, cursor(s, 2));
  // Any other reading gives it up, of pairs of another width too.
  d(c);
  d(c);
  d(c);
  normal<double> wide;
  EXPECT_EQ(c.position(), 4u);
  EXPECT_EQ(wide(c), wide(s, 2));
  EXPECT_EQ(cursor::from_text(c.to_text()), c);
  EXPECT_EQ(cursor::from_bytes(c.to_bytes()), c);
  EXPECT_EQ(d(c), d(s, 8));
  c.seek(2);
  uniform<float>{}(c);
  EXPECT_EQ(d(c), d(s, 4));
}

}  // namespace
}  // namespace rivus
