// What the tests share: data of their own, comparison by bits, and the settings they must put back.
#ifndef RIVUS_TESTS_SUPPORT_HPP
#define RIVUS_TESTS_SUPPORT_HPP

#include <gtest/gtest.h>
#include <omp.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <rivus/runtime.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace rivus::test {

template <class T>
using word_of =
    std::conditional_t<sizeof(T) == 1, std::uint8_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                          std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

// So that NaN equals itself, and +0 is not -0.
template <class T>
word_of<T> as_word(T x) {
  return std::bit_cast<word_of<T>>(x);
}
template <class T>
T as_real(word_of<T> w) {
  return std::bit_cast<T>(w);
}

template <class T>
constexpr word_of<T> canonical_nan = sizeof(T) == 4 ? word_of<T>(0x7fc00000u)
                                                    : word_of<T>(0x7ff8000000000000u);
template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
constexpr T any_nan = std::numeric_limits<T>::quiet_NaN();

// Words that do not come from the code under test; the standard fixes mt19937_64's.
class words {
 public:
  explicit words(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t operator()() { return engine_(); }
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  // In (-1, 1), with all digits of T in use.
  template <class T>
  T real() {
    return static_cast<T>(static_cast<std::int64_t>(engine_() >> 10) - (std::int64_t{1} << 53)) *
           static_cast<T>(0x1p-53);
  }
  // Magnitudes from 2^-e to 2^e.
  template <class T>
  T wide_real(int e) {
    return std::ldexp(real<T>(), static_cast<int>(below(static_cast<std::uint64_t>(2 * e + 1))) - e);
  }

 private:
  std::mt19937_64 engine_;
};

// Words at every place where the formulas for reals change their course.
template <class W>
std::vector<W> edge_words() {
  constexpr int bits = 8 * sizeof(W);
  std::vector<W> edges;
  for (int bit = 0; bit < bits; ++bit) {
    const W power = W{1} << bit;
    for (const W w : {W(power - 1), power, W(power + 1), W(0 - power), W(~power)}) edges.push_back(w);
  }
  for (const W eighth : {W{1}, W{3}, W{5}, W{6}, W{7}}) {
    const W at = static_cast<W>(eighth << (bits - 3));
    for (int d = -2; d <= 2; ++d) edges.push_back(static_cast<W>(at + static_cast<W>(d)));
  }
  return edges;
}
template <class W>
std::vector<W> edge_and_random_words(int n, std::uint64_t seed) {
  std::vector<W> all = edge_words<W>();
  words random(seed);
  for (int i = 0; i < n; ++i) all.push_back(static_cast<W>(random()));
  return all;
}

// The u that the specification makes of a word: f itself, or 1 + f where f is negative, and that without
// rounding where exact.
template <class T>
struct word_fraction {
  T f;
  bool negative;
  bool exact;
};
template <class T>
word_fraction<T> fraction_of(word_of<T> w) {
  using signed_word = std::make_signed_t<word_of<T>>;
  constexpr int bits = 8 * sizeof(T);
  const auto i = static_cast<signed_word>(w);
  const T f = std::fma(static_cast<T>(i), std::ldexp(T(1), -bits), std::ldexp(T(1), -bits - 1));
  return {f, i < 0, (w >> (bits - 2)) == 3};
}

// The message of the Error that f throws; a sentence that no test expects when it throws none.
template <class Error = std::invalid_argument, class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("[an exception of another type: ") + e.what() + "]";
  }
  return "[nothing was thrown]";
}

inline ::testing::AssertionResult mentions(const std::string& text,
                                           std::initializer_list<const char*> parts) {
  for (const char* part : parts) {
    if (text.find(part) == std::string::npos) {
      return ::testing::AssertionFailure() << "\"" << text << "\" does not mention \"" << part << "\"";
    }
  }
  return ::testing::AssertionSuccess();
}

class isa_kept {
 public:
  isa_kept() : before_(active_isa()) {}
  ~isa_kept() { set_isa(before_); }
  isa_kept(const isa_kept&) = delete;
  isa_kept& operator=(const isa_kept&) = delete;

 private:
  isa before_;
};

// f() with each instruction set of this machine in turn.
template <class F>
void for_each_isa(F f) {
  const isa_kept kept;
  for (const isa set : available_isas()) {
    SCOPED_TRACE(name(set));
    set_isa(set);
    ASSERT_EQ(active_isa(), set);
    f();
    if (::testing::Test::HasFatalFailure()) return;
  }
}

class threads_kept {
 public:
  threads_kept() : before_(omp_get_max_threads()) {}
  ~threads_kept() { omp_set_num_threads(before_); }
  threads_kept(const threads_kept&) = delete;
  threads_kept& operator=(const threads_kept&) = delete;

 private:
  int before_;
};

template <class F>
void for_each_thread_count(F f) {
  const threads_kept kept;
  for (const int threads : {1, 2, 5}) {
    SCOPED_TRACE("threads: " + std::to_string(threads));
    omp_set_num_threads(threads);
    f();
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace rivus::test

#endif
