// philox_engine against the sentences of [rand.eng.philox], written out here once more.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iomanip>
#include <locale>
#include <random>
#include <rivus/cursor.hpp>
#include <rivus/philox_engine.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support.hpp"

namespace rivus {
namespace {

__extension__ using u128 = unsigned __int128;

// The state and the algorithm in the standard's names, with arithmetic on 128 bits.
struct model {
  std::size_t w, n, r;
  std::vector<std::uint64_t> M, C;
  std::vector<std::uint64_t> K = std::vector<std::uint64_t>(n / 2), X = std::vector<std::uint64_t>(n),
                             Y = std::vector<std::uint64_t>(n);
  std::size_t i = n - 1;

  u128 modulus() const { return u128{1} << w; }

  std::vector<std::uint64_t> philox() const {
    static constexpr std::size_t f2[] = {0, 1}, f4[] = {2, 1, 0, 3};
    std::vector<std::uint64_t> x = X, v(n);
    for (std::size_t q = 0; q < r; ++q) {
      for (std::size_t j = 0; j < n; ++j) v[j] = x[n == 2 ? f2[j] : f4[j]];
      for (std::size_t k = 0; k < n / 2; ++k) {
        const u128 product = u128{v[2 * k]} * M[k];
        const u128 key = (K[k] + u128{q} * C[k]) % modulus();
        x[2 * k] = static_cast<std::uint64_t>(((product >> w) ^ key ^ v[2 * k + 1]) % modulus());
        x[2 * k + 1] = static_cast<std::uint64_t>(product % modulus());
      }
    }
    return x;
  }

  std::uint64_t operator()() {
    if (++i == n) {
      Y = philox();
      for (std::size_t j = 0; j < n; ++j) {
        X[j] = static_cast<std::uint64_t>((u128{X[j]} + 1) % modulus());
        if (X[j] != 0) break;
      }
      i = 0;
    }
    return Y[i];
  }
};

template <class E>
struct parameters_of;
template <class U, std::size_t w, std::size_t n, std::size_t r, U... consts>
struct parameters_of<philox_engine<U, w, n, r, consts...>> {
  static model start() {
    model m{w, n, r, {}, {}};
    const std::uint64_t all[] = {consts...};
    for (std::size_t k = 0; k < n / 2; ++k) {
      m.M.push_back(all[2 * k]);
      m.C.push_back(all[2 * k + 1]);
    }
    return m;
  }
};

template <class T>
struct named {
  using type = T;
  const char* name;
};

template <class F>
void for_each_engine(F f) {
  f(named<philox4x32_engine>{"philox4x32"});
  f(named<philox4x64_engine>{"philox4x64"});
  f(named<philox_engine<std::uint32_t, 32, 2, 10, 0xD256D193, 0x9E3779B9>>{"2x32"});
  f(named<philox_engine<unsigned long long, 64, 2, 6, 0xD2B74407B1CE6E93, 0x9E3779B97F4A7C15>>{
      "2x64, 6 rounds"});
  f(named<philox_engine<std::uint32_t, 32, 4, 1, 3, 5, 7, 11>>{"4x32, 1 round, small constants"});
  f(named<philox_engine<std::uint16_t, 16, 4, 7, 0xD251, 0x9E37, 0xCD9E, 0xBB67>>{"4x16, 7 rounds"});
  f(named<philox_engine<std::uint16_t, 5, 2, 12, 0x15, 0x1B>>{"2x5 in 16 bits, 12 rounds"});
  f(named<philox_engine<std::uint32_t, 31, 4, 10, 0x52511F53, 0x1E3779B9, 0x4D9E8D57, 0x3B67AE85>>{"4x31"});
  f(named<philox_engine<std::uint64_t, 33, 2, 10, 0x1D256D193, 0x19E3779B9>>{"2x33"});
  f(named<philox_engine<std::uint64_t, 48, 4, 10, 0xCA5A82639511, 0x9E3779B97F4A, 0xD2E7470EE14C,
                        0xBB67AE8584CA>>{"4x48"});
  f(named<philox_engine<std::uint64_t, 63, 4, 3, 0x4A5A826395121157, 0x1E3779B97F4A7C15, 0x52E7470EE14C6C93,
                        0x3B67AE8584CAA73B>>{"4x63, 3 rounds"});
}

// A seed sequence that gives the words it has, and remembers how many were wanted.
struct given_words {
  std::vector<std::uint32_t> words;
  std::ptrdiff_t wanted = -1;
  template <class It>
  void generate(It begin, It end) {
    wanted = end - begin;
    for (std::size_t i = 0; begin != end; ++begin, ++i) *begin = words.at(i);
  }
};

// The text of an engine at a state, and so a way into every state.
std::string text_of(const std::vector<std::uint64_t>& keys, const std::vector<std::uint64_t>& counter,
                    std::uint64_t i) {
  std::string text;
  for (const auto x : keys) text += std::to_string(x) + " ";
  for (const auto x : counter) text += std::to_string(x) + " ";
  return text + std::to_string(i);
}
std::string text_of(const model& m) { return text_of(m.K, m.X, m.i); }
template <class E>
std::string text_of(const E& e) {
  std::ostringstream out;
  out << e;
  return out.str();
}
template <class E>
E engine_at(const std::string& text) {
  E e;
  std::istringstream in(text);
  in >> e;
  EXPECT_FALSE(in.fail()) << text;
  return e;
}

template <class E>
model random_state(test::words& random) {
  model m = parameters_of<E>::start();
  // Near a carry of one to n words, and anywhere.
  const auto any = [&] { return static_cast<std::uint64_t>(random() % m.modulus()); };
  const std::uint64_t full = random.below(m.n + 1);
  for (auto& k : m.K) k = any();
  for (std::size_t j = 0; j < m.n; ++j) {
    m.X[j] = j < full ? static_cast<std::uint64_t>(m.modulus() - 1 - (j == 0 ? random.below(8) : 0)) : any();
  }
  m.i = m.n - 1;
  return m;
}

// The 10000th value of a default-constructed engine, from [rand.predef].
TEST(philox_engine, the_values_that_the_standard_demands) {
  philox4x32_engine narrow;
  philox4x64_engine wide;
  for (int i = 1; i < 10000; ++i) narrow(), wide();
  EXPECT_EQ(narrow(), 1955073260u);
  EXPECT_EQ(wide(), 3409172418970261260u);
}

constexpr std::uint64_t value_10000(philox4x64_engine e) {
  e.discard(9999);
  return e();
}
static_assert(value_10000(philox4x64_engine{}) == 3409172418970261260u);

TEST(philox_engine, characteristics) {
  static_assert(std::is_same_v<philox4x32_engine::result_type, std::uint_fast32_t>);
  static_assert(std::is_same_v<philox4x64_engine::result_type, std::uint_fast64_t>);
  static_assert(philox4x32_engine::word_size == 32 && philox4x64_engine::word_size == 64);
  static_assert(philox4x32_engine::word_count == 4 && philox4x32_engine::round_count == 10);
  static_assert(philox4x32_engine::multipliers[0] == 0xCD9E8D57 &&
                philox4x32_engine::multipliers[1] == 0xD2511F53);
  static_assert(philox4x32_engine::round_consts[0] == 0x9E3779B9 &&
                philox4x32_engine::round_consts[1] == 0xBB67AE85);
  static_assert(philox4x32_engine::default_seed == 20111115u);
  static_assert(philox4x32_engine::min() == 0 && philox4x32_engine::max() == 0xFFFFFFFF);
  static_assert(philox4x64_engine::max() == ~std::uint64_t{0});
  using narrow = philox_engine<std::uint16_t, 5, 2, 12, 0x15, 0x1B>;
  static_assert(narrow::max() == 31 && narrow::word_size == 5 && narrow::round_count == 12);
  static_assert(std::uniform_random_bit_generator<philox4x32_engine>);
  static_assert(std::uniform_random_bit_generator<narrow>);
  static_assert(std::is_trivially_copyable_v<philox4x64_engine> && sizeof(philox4x64_engine) == 88);
  static_assert(!std::is_convertible_v<std::uint_fast32_t, philox4x32_engine>, "construction is explicit");
  static_assert(!std::is_convertible_v<std::seed_seq&, philox4x32_engine>, "construction is explicit");
  static_assert(std::is_constructible_v<philox4x32_engine, std::seed_seq&>);
  static_assert(!std::is_constructible_v<philox4x32_engine, std::string&>, "no seed sequence");
}

TEST(philox_engine, follows_the_algorithm_from_any_state) {
  test::words random(1);
  for_each_engine([&](auto which) {
    using E = typename decltype(which)::type;
    SCOPED_TRACE(which.name);
    for (int trial = 0; trial < 200; ++trial) {
      model m = random_state<E>(random);
      E e = engine_at<E>(text_of(m));
      for (std::size_t j = 0; j < 5 * m.n + 3; ++j) {
        ASSERT_EQ(e(), m()) << "value " << j << " of trial " << trial;
        ASSERT_EQ(text_of(e), text_of(m));
      }
    }
  });
}

// NumPy 1.24.2's Philox(key=, counter=).random_raw(9), which steps the counter before a block.
TEST(philox_engine, agrees_with_numpy) {
  const std::uint64_t last = ~std::uint64_t{0};
  const struct {
    std::vector<std::uint64_t> key, counter;
    std::array<std::uint64_t, 9> values;
  } cases[] = {
      {{0x0123456789abcdef, 0xfedcba9876543210},
       {2, 2, 3, 4},
       {0x88e941281d6fe907, 0x5823687dd5272472, 0x246fd1b93a04f59d, 0x5f18e9daf3d87de6, 0xa0177786c22eeb8a,
        0x03d98f3fd166e544, 0xaaaf3beb62510fa6, 0x235db640e2fc64ce, 0xd4f8c4713890b108}},
      {{20111115, 0},
       {1, 0, 0, 0},
       {0xbfe2af070a274738, 0xe7c315e9118f9c2f, 0xceda354445508e68, 0x4963f155984f64b3, 0x0d737aab89e8edc7,
        0x4f23623b4012d454, 0x53ef32c79db85555, 0x7fb6620bd01411d4, 0xed6f4b365a51bcff}},
      {{5, 7},
       {0, 0, 0, 10},
       {0x41cd485e70c78335, 0x229bf1d0feb98048, 0xc93889249c2b860e, 0x7dcf7f077fd1d4c0, 0x8e03ae6797a94dd5,
        0x77774c80661c521c, 0x699cc10483fecc80, 0xf85b7598d165bcda, 0x27653135d7759d70}},
      {{last, last},
       {last, last, last, last},
       {0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0, 0x44b7493d1acfc229,
        0x6636af8e997921dd, 0x3f73e132b5b3780e, 0x605644dde03b01b1, 0x6d46cc0e71f0be7e}},
  };
  for (const auto& c : cases) {
    auto e = engine_at<philox4x64_engine>(text_of(c.key, c.counter, 3));
    for (const std::uint64_t value : c.values) ASSERT_EQ(e(), value) << text_of(c.key, c.counter, 3);
  }
}

TEST(philox_engine, seeds_below_2_to_the_32_are_streams) {
  for (const std::uint32_t seed : {0u, 1u, 20111115u, 0xFFFFFFFFu}) {
    philox4x32_engine e(seed);
    cursor c(stream::from_seed(seed));
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(e(), c()) << "seed " << seed << ", word " << i;
  }
}

TEST(philox_engine, a_value_seeds_the_first_key_modulo_2_to_the_w) {
  for_each_engine([](auto which) {
    using E = typename decltype(which)::type;
    using value_type = typename E::result_type;
    SCOPED_TRACE(which.name);
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{77}, 0x123456789ABCDEF1u, ~std::uint64_t{0}}) {
      const auto seed = static_cast<value_type>(value);
      model m = parameters_of<E>::start();
      m.K[0] = static_cast<std::uint64_t>(seed % m.modulus());
      E constructed(seed), seeded;
      seeded(), seeded();
      seeded.seed(seed);
      EXPECT_EQ(text_of(constructed), text_of(m));
      EXPECT_EQ(constructed, seeded);
      for (std::size_t j = 0; j < 2 * m.n; ++j) ASSERT_EQ(seeded(), m());
    }
    E plain, fresh(E::default_seed), again(static_cast<value_type>(3));
    again();
    again.seed();
    EXPECT_EQ(plain, fresh);
    EXPECT_EQ(plain, again);
  });
}

TEST(philox_engine, a_seed_sequence_gives_the_words_of_the_keys) {
  const std::vector<std::uint32_t> words = {0xA0000001, 0xB0000002, 0xC0000003, 0xD0000004};
  for_each_engine([&](auto which) {
    using E = typename decltype(which)::type;
    SCOPED_TRACE(which.name);
    model m = parameters_of<E>::start();
    const std::size_t p = m.w > 32 ? 2 : 1;
    for (std::size_t k = 0; k < m.n / 2; ++k) {
      u128 sum = words[k * p];
      if (p == 2) sum += u128{words[k * p + 1]} << 32;
      m.K[k] = static_cast<std::uint64_t>(sum % m.modulus());
    }
    given_words q{words};
    E constructed(q), seeded;
    EXPECT_EQ(q.wanted, static_cast<std::ptrdiff_t>(m.n / 2 * p));
    seeded();
    seeded.seed(q);
    EXPECT_EQ(text_of(constructed), text_of(m));
    EXPECT_EQ(constructed, seeded);
    for (std::size_t j = 0; j < 2 * m.n; ++j) ASSERT_EQ(constructed(), m());

    std::seed_seq standard{1, 2, 3};
    std::vector<std::uint32_t> generated(m.n / 2 * p);
    standard.generate(generated.begin(), generated.end());
    given_words same{generated};
    EXPECT_EQ(E(standard), E(same));
  });
}

TEST(philox_engine, an_lvalue_copies_and_does_not_seed) {
  philox4x32_engine a(1);
  a();
  philox4x32_engine b(a);
  EXPECT_EQ(a, b);
  int value = 7;
  philox4x32_engine c(value);
  EXPECT_EQ(c, philox4x32_engine(7));
  c.seed(value);
  EXPECT_EQ(c, philox4x32_engine(7));
}

TEST(philox_engine, set_counter_has_the_most_significant_word_first) {
  test::words random(2);
  for_each_engine([&](auto which) {
    using E = typename decltype(which)::type;
    using value_type = typename E::result_type;
    SCOPED_TRACE(which.name);
    for (int trial = 0; trial < 50; ++trial) {
      model m = random_state<E>(random);
      E e = engine_at<E>(text_of(m)), by_list = e;
      // Given with bits above w, where the type has some.
      std::array<value_type, E::word_count> c;
      value_type list[E::word_count];
      for (std::size_t j = 0; j < m.n; ++j) {
        list[j] = c[j] = static_cast<value_type>(random());
        m.X[m.n - 1 - j] = static_cast<std::uint64_t>(c[j] % m.modulus());
      }
      for (std::uint64_t j = random.below(m.n); j > 0; --j) e();
      e.set_counter(c);
      by_list.set_counter(list);
      ASSERT_EQ(text_of(e), text_of(m));
      ASSERT_EQ(e, by_list);
      for (std::size_t j = 0; j < 3 * m.n; ++j) ASSERT_EQ(e(), m());
    }
  });
  philox4x32_engine e(5), stepped(5);
  e.set_counter({0, 0, 0, 2});
  stepped.discard(8);
  EXPECT_EQ(e(), stepped());
}

TEST(philox_engine, discard_equals_calls) {
  test::words random(3);
  for_each_engine([&](auto which) {
    using E = typename decltype(which)::type;
    SCOPED_TRACE(which.name);
    for (int trial = 0; trial < 20; ++trial) {
      const E start = engine_at<E>(text_of(random_state<E>(random)));
      for (unsigned before = 0; before < 5; ++before) {
        E called = start;
        for (unsigned i = 0; i < before; ++i) called();
        E placed = called;
        for (unsigned skipped = 0; skipped < 40; ++skipped) {
          E discarded = placed;
          discarded.discard(skipped);
          ASSERT_EQ(called, discarded) << skipped << " after " << before;
          E a = called, b = discarded;
          for (int i = 0; i < 6; ++i) ASSERT_EQ(a(), b()) << skipped << " after " << before;
          called();
        }
      }
    }
  });
}

// Long steps by the arithmetic of the counter.
TEST(philox_engine, discard_of_many) {
  test::words random(4);
  for_each_engine([&](auto which) {
    using E = typename decltype(which)::type;
    SCOPED_TRACE(which.name);
    for (int trial = 0; trial < 300; ++trial) {
      model m = random_state<E>(random);
      E e = engine_at<E>(text_of(m));
      const std::uint64_t before = random.below(m.n);
      for (std::uint64_t j = 0; j < before; ++j) e();
      const std::uint64_t z =
          trial < 4 ? ~std::uint64_t{0} - static_cast<std::uint64_t>(trial) : random() >> random.below(64);
      e.discard(z);
      const u128 place = u128{before} + z;
      u128 carry = place / m.n;
      for (auto& x : m.X) {
        const u128 sum = x + carry % m.modulus();
        carry = carry / m.modulus() + sum / m.modulus();
        x = static_cast<std::uint64_t>(sum % m.modulus());
      }
      for (u128 j = 0; j < place % m.n; ++j) m();
      for (std::size_t j = 0; j < 2 * m.n; ++j) ASSERT_EQ(e(), m()) << z << " after " << before;
    }
  });
}

TEST(philox_engine, equal_when_the_same_values_follow) {
  philox4x32_engine a(1), b(1);
  EXPECT_TRUE(a == b);
  EXPECT_FALSE(a != b);
  a();
  EXPECT_NE(a, b);
  b();
  EXPECT_EQ(a, b);
  EXPECT_NE(a, philox4x32_engine(2));
  // Whatever was read before.
  philox4x32_engine c(2);
  for (int i = 0; i < 4; ++i) c();
  c.seed(1);
  EXPECT_EQ(c, philox4x32_engine(1));
  EXPECT_NE(engine_at<philox4x32_engine>("1 0 5 0 0 0 3"), engine_at<philox4x32_engine>("1 0 5 0 0 0 2"));
  EXPECT_NE(engine_at<philox4x32_engine>("1 0 5 0 0 0 3"), engine_at<philox4x32_engine>("1 1 5 0 0 0 3"));
  EXPECT_NE(engine_at<philox4x32_engine>("1 0 5 0 0 0 3"), engine_at<philox4x32_engine>("1 0 5 0 0 1 3"));
}

TEST(philox_engine, text_is_keys_counter_index) {
  EXPECT_EQ(text_of(philox4x32_engine()), "20111115 0 0 0 0 0 3");
  philox4x64_engine e(~std::uint64_t{0});
  e.set_counter({4, 3, 2, ~std::uint64_t{0}});
  EXPECT_EQ(text_of(e), "18446744073709551615 0 18446744073709551615 2 3 4 3");
  e();
  EXPECT_EQ(text_of(e), "18446744073709551615 0 0 3 3 4 0");
}

TEST(philox_engine, text_comes_back_at_every_index) {
  test::words random(5);
  for_each_engine([&](auto which) {
    using E = typename decltype(which)::type;
    SCOPED_TRACE(which.name);
    for (int trial = 0; trial < 100; ++trial) {
      E e = engine_at<E>(text_of(random_state<E>(random)));
      for (std::uint64_t j = random.below(2 * E::word_count); j > 0; --j) e();
      E back = engine_at<E>(text_of(e));
      ASSERT_EQ(e, back);
      for (std::size_t j = 0; j < 2 * E::word_count; ++j) ASSERT_EQ(e(), back());
    }
  });
}

// With separators between thousands, as many locales have them.
struct grouped : std::numpunct<char> {
  char do_thousands_sep() const override { return ','; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(philox_engine, text_does_not_depend_on_the_format_of_the_stream) {
  philox4x32_engine e(1234567), back;
  e.discard(10);
  const std::string plain = "1234567 0 3 0 0 0 1";
  std::stringstream s;
  s.imbue(std::locale(std::locale::classic(), new grouped));
  s << std::hex << std::showbase << std::showpos << std::internal << std::setfill('*');
  const auto flags = s.flags();
  s << e;
  EXPECT_EQ(s.str(), plain);
  EXPECT_EQ(s.flags(), flags);
  EXPECT_EQ(s.fill(), '*');
  s >> std::oct >> std::noskipws;
  const auto reading = s.flags();
  s >> back;
  EXPECT_TRUE(s.eof() && !s.fail());
  EXPECT_EQ(s.flags(), reading);
  EXPECT_EQ(back, e);
  EXPECT_EQ(back(), e());

  std::ostringstream wide;
  wide << std::setfill('*') << std::setw(25) << std::right << engine_at<philox4x32_engine>(plain) << '|';
  EXPECT_EQ(wide.str(), plain + std::string(25 - plain.size(), ' ') + '|');

  std::wstringstream letters;
  letters << e;
  philox4x32_engine from_letters;
  letters >> from_letters;
  EXPECT_EQ(from_letters, e);
}

TEST(philox_engine, reading_takes_spaces_and_leaves_what_follows) {
  std::istringstream in("  1\t0\n5 0 0 0   3,next 7 0 1 0 0 0 0 rest");
  philox4x32_engine e;
  in >> e;
  EXPECT_EQ(text_of(e), "1 0 5 0 0 0 3");
  std::string rest;
  in >> rest;
  EXPECT_EQ(rest, ",next");
  in >> e >> rest;
  EXPECT_EQ(text_of(e), "7 0 1 0 0 0 0");
  EXPECT_EQ(rest, "rest");
}

TEST(philox_engine, bad_text_sets_failbit_and_leaves_the_engine) {
  philox4x32_engine kept(9);
  kept.discard(6);
  for (const char* text :
       {"", " ", "x", "1 0 5 0 0 0", "1 0 5 0 0 0 4", "1 0 5 0 0 0 18446744073709551617", "1 0 5 0 0 0 -1",
        "-1 0 5 0 0 0 3", "+1 0 5 0 0 0 3", "4294967296 0 5 0 0 0 3", "1 0 4294967296 0 0 0 3",
        "1 4294967296 5 0 0 0 3", "1 0 5 0 0 99999999999999999999999 3", "1 0 5 0 x 0 3", "1 0 5 0 0 0 x",
        "0x1 0 5 0 0 0 3", "1,0 5 0 0 0 3", "1 0 5 0 0 0 99"}) {
    philox4x32_engine e = kept;
    std::istringstream in(text);
    in >> e;
    EXPECT_TRUE(in.fail()) << '"' << text << '"';
    EXPECT_EQ(e, kept) << '"' << text << '"';
    philox4x32_engine expected = kept;
    EXPECT_EQ(e(), expected()) << '"' << text << '"';

    std::istringstream throwing(text);
    throwing.exceptions(std::ios::failbit);
    EXPECT_THROW(throwing >> e, std::ios::failure) << '"' << text << '"';
  }
  std::istringstream in64("18446744073709551616 0 0 0 0 0 3"), in5("32 0 0 1"), good5("31 31 31 1");
  philox4x64_engine wide;
  in64 >> wide;
  EXPECT_TRUE(in64.fail());
  philox_engine<std::uint16_t, 5, 2, 12, 0x15, 0x1B> narrow;
  in5 >> narrow;
  EXPECT_TRUE(in5.fail());
  good5 >> narrow;
  EXPECT_FALSE(good5.fail());
}

TEST(philox_engine, drives_the_standard_library) {
  philox4x32_engine e;
  std::uniform_int_distribution<int> die(1, 6);
  std::vector<int> counts(7);
  for (int i = 0; i < 6000; ++i) ++counts[static_cast<std::size_t>(die(e))];
  for (std::size_t face = 1; face <= 6; ++face) EXPECT_NEAR(counts[face], 1000, 6 * 29) << "face " << face;
  std::normal_distribution<double> gauss;
  double sum = 0;
  for (int i = 0; i < 10000; ++i) sum += gauss(e);
  EXPECT_NEAR(sum, 0, 6 * 100);

  std::vector<int> order(100), sorted;
  for (int i = 0; i < 100; ++i) order[static_cast<std::size_t>(i)] = i;
  sorted = order;
  std::shuffle(order.begin(), order.end(), philox4x64_engine(1));
  EXPECT_NE(order, sorted);
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, sorted);

  // The adaptors ask for all that an engine has.
  std::discard_block_engine<philox4x32_engine, 10, 7> seven_of_ten;
  philox4x32_engine all;
  for (int i = 0; i < 30; ++i) {
    const auto value = all();
    if (i % 10 < 7) {
      ASSERT_EQ(seven_of_ten(), value);
    }
  }
  std::independent_bits_engine<philox4x32_engine, 64, std::uint64_t> joined;
  std::shuffle_order_engine<philox4x32_engine, 16> shuffled;
  joined.discard(3), shuffled.discard(3);
  EXPECT_NE(joined(), shuffled());
}

}  // namespace
}  // namespace rivus
