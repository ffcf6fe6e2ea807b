// Bernoulli draws where a word equals the first digit of p, for the tests: what the specification says, and where.
#ifndef RIVUS_TESTS_EVENTS_HPP
#define RIVUS_TESTS_EVENTS_HPP

#include <cmath>
#include <cstdint>
#include <rivus/stream.hpp>
#include <vector>

namespace rivus::test {

// Element i by the letter of the specification. Every step is exact.
inline bool expected_event(stream from, std::uint64_t i, double p) {
  if (p == 1) return true;
  for (std::uint32_t t = 0; p > 0; ++t) {
    const double scaled = std::ldexp(p, 32), digit = std::floor(scaled);
    const std::uint32_t word = t == 0 ? from.word(i) : from.redraw(t).word(i);
    if (word != digit) return word < digit;
    p = scaled - digit;
  }
  return false;
}

// Probabilities whose first digit is this word or one beside it; with further digits, but for the first three.
inline std::vector<double> probabilities_at(std::uint32_t word) {
  std::vector<double> all;
  for (const double part : {0.0, 0.5, 0x1p-20, 1 - 0x1p-20}) {
    for (const double first : {word - 1.0, word + 0.0, word + 1.0}) {
      const double p = std::ldexp(first + part, -32);
      if (p >= 0 && p <= 1) all.push_back(p);
    }
  }
  return all;
}

// A stream and the number of one of its blocks (tests/model's place_of_block finds them).
struct block_place {
  stream s;
  std::uint64_t block;
};
// Its words are all 9e3779b9.
inline constexpr block_place equal_words{{0, 0x73671cd1a4a37a80}, 0x260584fd6fa8a34e};
// Its first word is 0, and the same word of the redraw streams 1 and 2 is 99123a70 and 202b6800: 53 bits in all.
inline constexpr block_place three_digits{{1, 0x225d31fdd8ee09dc}, 0x1d592fc0275fb18d};
inline constexpr double three_digits_p = 0x1.322474e04056dp-33;

}  // namespace rivus::test

#endif
