#include <gtest/gtest.h>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cfenv>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <rivus/fill.hpp>
#include <span>
#include <thread>
#include <vector>

#include "distributions.hpp"
#include "events.hpp"
#include "float_modes.hpp"
#include "support.hpp"

namespace rivus {
namespace {

constexpr std::uint64_t last = ~std::uint64_t{0};
constexpr stream s = stream::from_seed(42)["fill"];

template <class D>
using value_of = typename D::value_type;

template <class D>
std::vector<value_of<D>> elements(stream from, D d, std::uint64_t first, std::size_t n) {
  std::vector<value_of<D>> values(n);
  for (std::size_t j = 0; j < n; ++j) values[j] = d(from, first + j);
  return values;
}

// Room for n values at any byte, with guards on both sides.
template <class T>
class guarded {
 public:
  guarded(std::size_t n, std::size_t offset)
      : n_(n), offset_(guard + offset), bytes_(offset_ + n * sizeof(T) + guard, mark), expected_(bytes_) {}

  T* data() { return reinterpret_cast<T*>(bytes_.data() + offset_); }

  // That the n values are these and nothing else was written.
  ::testing::AssertionResult holds(const T* values) {
    if (n_ > 0) std::memcpy(expected_.data() + offset_, values, n_ * sizeof(T));
    if (bytes_ == expected_) return ::testing::AssertionSuccess();
    const auto at = static_cast<std::size_t>(
        std::mismatch(bytes_.begin(), bytes_.end(), expected_.begin()).first - bytes_.begin());
    auto failure = ::testing::AssertionFailure() << "n " << n_ << ", offset " << offset_ - guard << ": ";
    if (at < offset_) return failure << "byte " << at << " of the guard before it was written";
    if (at >= offset_ + n_ * sizeof(T)) return failure << "written beyond the end";
    const std::size_t j = (at - offset_) / sizeof(T);
    T got;
    std::memcpy(&got, bytes_.data() + offset_ + j * sizeof(T), sizeof(T));
    return failure << "element " << j << " is " << +got << " instead of " << +values[j];
  }
  ::testing::AssertionResult untouched() {
    return std::all_of(bytes_.begin(), bytes_.end(), [](unsigned char b) { return b == mark; })
               ? ::testing::AssertionSuccess()
               : ::testing::AssertionFailure() << "something was written";
  }

 private:
  static constexpr std::size_t guard = 128;
  static constexpr unsigned char mark = 0xA5;
  std::size_t n_, offset_;
  std::vector<unsigned char> bytes_, expected_;
};

template <class D>
void expect_fill(stream from, D d, std::uint64_t first, std::size_t n, std::size_t offset,
                 const value_of<D>* expected) {
  guarded<value_of<D>> out(n, offset);
  fill(out.data(), n, from, d, first);
  ASSERT_TRUE(out.holds(expected)) << "first " << first;
}

// Any count, first index and alignment gives the elements themselves.
template <class D>
void expect_ragged_fills(D d) {
  constexpr std::size_t longest = 10007;
  for (const std::uint64_t first : {0u, 1u, 2u, 3u, 6u, 1021u}) {
    const auto expected = elements(s, d, first, longest);
    for (std::size_t n = 0; n <= 70; ++n)
      expect_fill(s, d, first, n, n % (sizeof(value_of<D>) + 1), expected.data());
    std::size_t offset = 0;
    for (const std::size_t n :
         {127u, 128u, 255u, 256u, 257u, 1023u, 1024u, 1025u, 2047u, 2049u, 4095u, 4097u, 10007u}) {
      expect_fill(s, d, first, n, offset++ % (sizeof(value_of<D>) + 1), expected.data());
    }
  }
}

// Counters carry into their upper words, and no element is beyond reach.
template <class D>
void expect_far_fills(D d) {
  constexpr std::size_t longest = 2500;
  for (const stream from : {s, stream{last, last}, stream{0x8000000080000000, 0xFFFFFFFF00000000},
                            stream{1, std::uint64_t{1} << 63}}) {
    // Around 2^32 elements, and around 2^32 blocks of one, two and four elements.
    for (const int power : {32, 33, 34, 63}) {
      for (const std::uint64_t before : {1201u, 1024u, 7u}) {
        const std::uint64_t first = (std::uint64_t{1} << power) - before;
        const auto expected = elements(from, d, first, longest);
        for (const std::size_t n :
             {std::size_t{before}, std::size_t{before + 1}, std::size_t{before + 66}, longest}) {
          expect_fill(from, d, first, n, sizeof(value_of<D>), expected.data());
        }
      }
    }
    // Up to the very last.
    for (const std::size_t n : {1u, 2u, 5u, 64u, 257u, 2500u}) {
      const std::uint64_t first = last - (n - 1);
      expect_fill(from, d, first, n, 0, elements(from, d, first, n).data());
    }
  }
}

TEST(fill, gives_the_elements_for_any_count_index_and_alignment) {
  test::for_each_isa([] {
    test::for_each_distribution([](const char* name, auto d) {
      SCOPED_TRACE(name);
      expect_ragged_fills(d);
    });
  });
}

TEST(fill, gives_the_elements_around_2_to_the_32_blocks_and_up_to_the_last) {
  test::for_each_isa([] {
    test::for_each_distribution([](const char* name, auto d) {
      SCOPED_TRACE(name);
      expect_far_fills(d);
    });
  });
}

TEST(fill, does_not_depend_on_the_pieces) {
  test::words random(1);
  test::for_each_isa([&] {
    test::for_each_distribution([&](const char* name, auto d) {
      SCOPED_TRACE(name);
      constexpr std::size_t n = 30000;
      const std::uint64_t first = 12345678901;
      std::vector<value_of<decltype(d)>> whole(n), pieces(n);
      fill(std::span(whole), s, d, first);
      for (std::size_t at = 0; at < n;) {
        const std::size_t longest = std::size_t{1} << random.below(13);
        const std::size_t m = std::min<std::size_t>(n - at, random.below(longest) + 1);
        fill(std::span(pieces).subspan(at, m), s, d, first + at);
        at += m;
      }
      EXPECT_EQ(std::memcmp(whole.data(), pieces.data(), n * sizeof whole[0]), 0);
    });
  });
}

TEST(fill, does_not_depend_on_the_threads) {
  constexpr std::size_t n = 150'001;
  test::for_each_distribution([&](const char* name, auto d) {
    SCOPED_TRACE(name);
    const auto expected = elements(s, d, 77, n);
    test::for_each_isa([&] {
      test::for_each_thread_count([&] { expect_fill(s, d, 77, n, sizeof expected[0], expected.data()); });
    });
  });
}

// Events whose word equals the first digit of p, or nearly: kernels treat them apart.
void expect_events(stream from, std::uint64_t i, std::uint64_t first, std::size_t n) {
  for (const double p : test::probabilities_at(from.word(i))) {
    std::vector<std::uint8_t> expected(n);
    for (std::size_t j = 0; j < n; ++j) expected[j] = test::expected_event(from, first + j, p);
    expect_fill(from, bernoulli{p}, first, n, 1, expected.data());
  }
}

TEST(fill, decides_events_by_further_digits_in_every_lane) {
  test::for_each_isa([] {
    // Far enough for whole batches of groups, ragged at both ends.
    for (const std::uint64_t first : {4096u, 4099u}) {
      for (std::uint64_t i = first; i < first + 300; ++i) {
        for (const std::size_t n : {1u, 2u, 4u})
          if (i % 4 + n <= 4) expect_events(s, i, i, n);
        expect_events(s, i, first, 301);
      }
    }
    // Four in one block, among others, and the last that there are.
    const auto [from, b] = test::equal_words;
    ASSERT_EQ(from.word(4 * b), from.word(4 * b + 3));
    for (const std::uint64_t before : {0u, 1u, 6u, 33u, 301u})
      expect_events(from, 4 * b, 4 * b - before, 400);
    for (std::uint64_t i = last - 40; i != 0; ++i) expect_events(s, i, last - 40, 41);
  });
}

TEST(fill, decides_events_by_further_digits_in_long_fills) {
  constexpr std::size_t n = 3 * 16384 + 777;  // more than are looked through at once
  constexpr std::uint64_t first = (std::uint64_t{1} << 34) - 20001;
  test::for_each_isa([&] {
    for (const std::size_t at :
         {std::size_t{0}, std::size_t{16383}, std::size_t{16384}, std::size_t{20001}, n - 1}) {
      const double p = std::ldexp(s.word(first + at) + (1 - 0x1p-20), -32);
      const auto expected = elements(s, bernoulli{p}, first, n);
      ASSERT_EQ(expected[at], test::expected_event(s, first + at, p));
      test::for_each_thread_count([&] { expect_fill(s, bernoulli{p}, first, n, 3, expected.data()); });
    }
  });
}

TEST(fill, several_threads_fill_memory_of_their_own) {
  const test::threads_kept kept;
  omp_set_num_threads(2);
  constexpr std::size_t n = 100'001;
  const normal<float> d;
  std::vector<std::vector<float>> results(4, std::vector<float>(n));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([&, t] { fill(std::span(results[t]), s["thread"][t], d); });
  }
  for (std::thread& t : threads) t.join();
  for (std::size_t t = 0; t < results.size(); ++t) EXPECT_EQ(results[t], elements(s["thread"][t], d, 0, n));
}

TEST(fill, works_inside_a_parallel_region) {
  const test::threads_kept kept;
  omp_set_num_threads(3);
  constexpr std::size_t n = 100'001;
  std::array<std::vector<std::uint32_t>, 3> results;
#pragma omp parallel for
  for (int t = 0; t < 3; ++t) {
    auto& mine = results[static_cast<std::size_t>(t)];
    mine.resize(n);
    fill(std::span(mine), s[t], bits<std::uint32_t>{});
  }
  for (int t = 0; t < 3; ++t) {
    EXPECT_EQ(results[static_cast<std::size_t>(t)], elements(s[t], bits<std::uint32_t>{}, 0, n));
  }
}

TEST(fill, the_first_index_defaults_to_zero) {
  std::vector<double> spanned(100), pointed(100);
  fill(std::span(spanned), s, normal<double>{});
  fill(pointed.data(), pointed.size(), s, normal<double>{});
  EXPECT_EQ(spanned, elements(s, normal<double>{}, 0, 100));
  EXPECT_EQ(pointed, spanned);
  std::array<std::uint8_t, 10> coins;
  fill(std::span<std::uint8_t>(coins), s, bernoulli{});
  EXPECT_TRUE(std::equal(coins.begin(), coins.end(), elements(s, bernoulli{0.5}, 0, 10).begin()));
}

template <class D>
void expect_refusal(D d, std::initializer_list<const char*> mentioned, std::size_t n = 100,
                    std::uint64_t first = 0) {
  guarded<value_of<D>> out(n, 0);
  const std::string message = test::error_of([&] { fill(out.data(), n, s, d, first); });
  EXPECT_TRUE(test::mentions(message, {"rivus::fill"}));
  EXPECT_TRUE(test::mentions(message, mentioned));
  EXPECT_TRUE(out.untouched());
}

TEST(fill, refuses_parameters_by_name_and_value) {
  const double inf = test::infinity<double>, nan = test::any_nan<double>;
  expect_refusal(uniform<float>{2, 1}, {"b = 1", "greater than a"});
  expect_refusal(uniform<float>{0.25f, 0.25f}, {"b = 0.25"});
  expect_refusal(uniform<double>{nan, 1}, {"a = nan", "finite"});
  expect_refusal(uniform<double>{0, inf}, {"b = inf", "finite"});
  expect_refusal(uniform<double>{-1e308, 1e308}, {"b = 1e+308", "finite"});
  expect_refusal(normal<float>{0, -1.5f}, {"stddev = -1.5", "not negative"});
  expect_refusal(normal<double>{0, nan}, {"stddev = nan"});
  expect_refusal(normal<double>{-inf, 1}, {"mean = -inf", "finite"});
  expect_refusal(exponential<float>{0}, {"rate = 0", "greater than 0"});
  expect_refusal(exponential<double>{-3}, {"rate = -3"});
  expect_refusal(exponential<double>{1e-310}, {"rate = 1e-310", "1/rate"});
  expect_refusal(bernoulli{1.25}, {"p = 1.25", "[0, 1]"});
  expect_refusal(bernoulli{-0.5}, {"p = -0.5"});
  expect_refusal(bernoulli{nan}, {"p = nan"});
  expect_refusal(integer<std::int32_t>{4, 4}, {"hi = 4", "greater than lo"});
  expect_refusal(integer<std::int64_t>{0, -9}, {"hi = -9"});
  expect_refusal(integer<std::uint64_t>{last, 5}, {"hi = 5"});
  // A mistake in a parameter is one for an empty range too.
  expect_refusal(normal<float>{0, -1}, {"stddev"}, 0);
}

TEST(fill, refuses_to_go_beyond_the_last_element) {
  for (const std::uint64_t first : {last - 98, last}) {
    expect_refusal(bits<std::uint32_t>{}, {"first", std::to_string(first).c_str(), "100", "2^64"}, 100,
                   first);
    expect_refusal(normal<double>{}, {"first", std::to_string(first).c_str()}, 100, first);
  }
  std::vector<float> out(100);
  EXPECT_NO_THROW(fill(std::span(out), s, uniform<float>{}, last - 99));
  EXPECT_NO_THROW(fill(out.data(), 0, s, uniform<float>{}, last));
}

TEST(fill, refuses_a_count_that_was_negative) {
  double out[8] = {};
  for (const int n : {-1, -100, std::numeric_limits<int>::min()}) {
    const std::string message = test::error_of([&] { fill(out, n, s, uniform<double>{}); });
    EXPECT_TRUE(test::mentions(message, {"rivus::fill", "n = 1844", "exceeds the memory"})) << message;
  }
  for (const double x : out) EXPECT_EQ(x, 0);
}

TEST(fill, refuses_a_null_pointer) {
  const std::string message =
      test::error_of([] { fill(static_cast<float*>(nullptr), 3, s, uniform<float>{}); });
  EXPECT_TRUE(test::mentions(message, {"rivus::fill", "out", "null", "3"}));
  EXPECT_NO_THROW(fill(static_cast<float*>(nullptr), 0, s, uniform<float>{}));
  EXPECT_NO_THROW(fill(std::span<float>{}, s, uniform<float>{}));
}

TEST(fill, refuses_floating_point_modes_that_change_values) {
  test::for_each_float_mode([](const char* complaint) {
    guarded<float> out(100, 0);
    const auto before = test::float_mode::current();
    const std::string message =
        test::error_of<std::runtime_error>([&] { fill(out.data(), 100, s, uniform<float>{0, 1e-40f}); });
    EXPECT_EQ(test::float_mode::current(), before);
    EXPECT_TRUE(test::mentions(message, {"rivus::fill", complaint}));
    EXPECT_TRUE(out.untouched());
  });
}

// They take another way than many.
TEST(fill, refuses_a_few_elements_alike) {
  for (const std::size_t n : {1u, 2u, 4u}) {
    expect_refusal(normal<float>{0, -1.5f}, {"stddev = -1.5"}, n);
    expect_refusal(integer<std::int32_t>{4, 4}, {"hi = 4"}, n);
    expect_refusal(bernoulli{1.25}, {"p = 1.25"}, n);
    test::for_each_float_mode([&](const char* complaint) {
      guarded<float> out(n, 0);
      const std::string message =
          test::error_of<std::runtime_error>([&] { fill(out.data(), n, s, uniform<float>{0, 1e-40f}); });
      EXPECT_TRUE(test::mentions(message, {"rivus::fill", complaint}));
      EXPECT_TRUE(out.untouched());
    });
  }
}

// The modes of OpenMP's own threads are nobody's wish.
TEST(fill, workers_compute_in_the_default_modes_and_keep_theirs) {
  const test::threads_kept kept;
  omp_set_num_threads(4);
  constexpr std::size_t n = 400'000;
  const uniform<float> d{0, 1e-40f};
  const auto expected = elements(s, d, 0, n);
  std::vector<float> out(n);
  std::array<bool, 4> left_alone{};
  test::for_each_float_mode([&](const char*) {
    const auto strange = test::float_mode::current();
    std::array<test::float_mode, 4> saved;
#pragma omp parallel num_threads(4)
    {
      saved[static_cast<std::size_t>(omp_get_thread_num())] = test::float_mode::current();
      if (omp_get_thread_num() != 0) test::float_mode::apply(strange);
    }
    const auto master = test::float_mode::current();
    test::float_mode::apply(test::float_mode::standard());
    std::fill(out.begin(), out.end(), -1.0f);
    fill(std::span(out), s, d);
    test::float_mode::apply(master);
#pragma omp parallel num_threads(4)
    {
      const auto me = static_cast<std::size_t>(omp_get_thread_num());
      left_alone[me] = test::float_mode::current() == strange;
      if (me != 0) test::float_mode::apply(saved[me]);
    }
    for (const bool alone : left_alone) EXPECT_TRUE(alone);
    EXPECT_EQ(std::memcmp(out.data(), expected.data(), n * sizeof(float)), 0);
  });
#pragma omp parallel num_threads(4)
  test::float_mode::apply(test::float_mode::standard());
}

TEST(instruction_sets, have_names) {
  for (const isa set : {isa::scalar, isa::avx2, isa::avx512, isa::neon})
    EXPECT_EQ(isa_from_name(name(set)), set);
  EXPECT_STREQ(name(isa::scalar), "scalar");
  EXPECT_STREQ(name(isa::avx2), "avx2");
  EXPECT_STREQ(name(isa::avx512), "avx512");
  EXPECT_STREQ(name(isa::neon), "neon");
  for (const char* bad : {"sse9", "", "AVX2", "avx2 ", "0"}) {
    EXPECT_TRUE(test::mentions(test::error_of([&] { (void)isa_from_name(bad); }), {bad, "avx512"}));
  }
}

TEST(instruction_sets, that_are_available) {
  const std::vector<isa> sets = available_isas();
  ASSERT_FALSE(sets.empty());
  EXPECT_EQ(sets.front(), isa::scalar);
  EXPECT_TRUE(std::is_sorted(sets.begin(), sets.end()));
  const test::isa_kept kept;
  for (const isa set : {isa::scalar, isa::avx2, isa::avx512, isa::neon, static_cast<isa>(99)}) {
    const isa before = active_isa();
    if (std::count(sets.begin(), sets.end(), set) != 0) {
      set_isa(set);
      EXPECT_EQ(active_isa(), set);
    } else {
      const std::string message = test::error_of([&] { set_isa(set); });
      if (set == static_cast<isa>(99)) {
        EXPECT_TRUE(test::mentions(message, {"99", "is not an instruction set"}));
      } else {
        EXPECT_TRUE(test::mentions(message, {name(set), "not available"}));
      }
      EXPECT_EQ(active_isa(), before);
    }
  }
}

// RIVUS_ISA is read once, so each case needs a process of its own.
class isa_environment : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  [[noreturn]] static void report(const char* setting) {
    setting != nullptr ? setenv("RIVUS_ISA", setting, 1) : unsetenv("RIVUS_ISA");
    try {
      std::cerr << "active " << name(active_isa()) << ';';
      float x = 0;
      fill(&x, 1, s, uniform<float>{});
    } catch (const std::invalid_argument& e) {
      std::cerr << "refused: " << e.what();
    }
    std::_Exit(0);
  }
};

TEST_F(isa_environment, names_the_one_in_use) {
  for (const isa set : available_isas()) {
    EXPECT_EXIT(report(name(set)), ::testing::ExitedWithCode(0), "active " + std::string(name(set)) + ";$");
  }
}

TEST_F(isa_environment, absent_or_empty_takes_the_best) {
  const std::string best = "active " + std::string(name(available_isas().back())) + ";$";
  EXPECT_EXIT(report(nullptr), ::testing::ExitedWithCode(0), best);
  EXPECT_EXIT(report(""), ::testing::ExitedWithCode(0), best);
}

TEST_F(isa_environment, unknown_or_lacking_is_an_error) {
  EXPECT_EXIT(report("sse9"), ::testing::ExitedWithCode(0), "refused: .*sse9.*RIVUS_ISA");
  EXPECT_EXIT(report("AVX2"), ::testing::ExitedWithCode(0), "refused: .*AVX2.*RIVUS_ISA");
  const std::vector<isa> sets = available_isas();
  for (const isa set : {isa::avx2, isa::avx512, isa::neon}) {
    if (std::count(sets.begin(), sets.end(), set) != 0) continue;
    EXPECT_EXIT(report(name(set)), ::testing::ExitedWithCode(0),
                "refused: .*" + std::string(name(set)) + ".*RIVUS_ISA");
  }
}

TEST(fill, works_in_the_child_of_a_fork) {
  // GNU's OpenMP would wait there for threads that only the parent has.
  constexpr std::size_t n = 1 << 18;
  std::vector<float> here(n);
  omp_set_num_threads(2);
  fill(std::span(here), stream::from_seed(3), uniform<float>{});
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    std::vector<float> there(n);
    fill(std::span(there), stream::from_seed(3), uniform<float>{});
    _exit(there == here ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// Integers of all types are those of the fixed widths, narrow ones too.
template <class I>
class fill_integers : public ::testing::Test {};
using integers = ::testing::Types<signed char, unsigned char, char, short, unsigned short, int, unsigned,
                                  long, unsigned long, long long, unsigned long long, char16_t, wchar_t>;
TYPED_TEST_SUITE(fill_integers, integers);
TYPED_TEST(fill_integers, are_elements_of_any_range) {
  using I = TypeParam;
  using limits = std::numeric_limits<I>;
  for (const std::size_t n : {std::size_t{1}, std::size_t{3}, std::size_t{1023}, std::size_t{70001}}) {
    for (const integer<I> d : {integer<I>{3, 100}, integer<I>{limits::min(), limits::max()}}) {
      std::vector<I> x(n + 1, I(7));
      fill(x.data(), n, s, d, 5);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(x[i], d(s, 5 + i));
      ASSERT_EQ(x[n], I(7));
      EXPECT_TRUE(d.lo <= x[0] && x[0] < d.hi);
    }
    std::vector<I> x(n);
    fill(std::span<I>(x), s, bits<I>{}, 5);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t word =
          sizeof(I) == 8 ? s.bits64(5 + i) : s.word(5 + i) >> (32 - std::min<std::size_t>(32, 8 * sizeof(I)));
      ASSERT_EQ(x[i], static_cast<I>(word));
    }
  }
  const auto message = test::error_of([&] { fill(static_cast<I*>(nullptr), 9, s, integer<I>{1, 2}); });
  EXPECT_TRUE(test::mentions(message, {"rivus::fill", "out is null", "n = 9"}));
}

TEST(fill, of_events_into_bool) {
  bool x[1001], few[2];
  fill(x, s, bernoulli{0.3});
  fill(few, 2, s, bernoulli{0.3}, 7);
  for (int i = 0; i < 1001; ++i) ASSERT_EQ(x[i], bernoulli{0.3}(s, i));
  EXPECT_TRUE(few[0] == x[7] && few[1] == x[8]);
}

TEST(fill, of_constant_expressions) {
  constexpr float u = uniform<float>{}(s, 1);
  constexpr double v = uniform<double, interval::oo>{}(s, 1);
  constexpr std::int8_t b = bits<std::int8_t>{}(s, 1);
  float x[4];
  fill(x, 4, s, uniform<float>{});
  EXPECT_EQ(x[1], u);
  EXPECT_EQ(v, (uniform<double, interval::oo>{}(s, 1)));
  EXPECT_EQ(b, static_cast<std::int8_t>(s.word(1) >> 24));
}

}  // namespace
}  // namespace rivus
