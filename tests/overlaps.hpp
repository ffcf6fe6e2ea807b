// That a call refuses outputs that share memory with another of its arrays.
#ifndef RIVUS_TESTS_OVERLAPS_HPP
#define RIVUS_TESTS_OVERLAPS_HPP

#include <functional>

#include "support.hpp"

namespace rivus::test {

// The arrays of a call, and the call: call(at) with array i at at[i], first the outputs. Of zeros it succeeds. It uses
// at least 3 floats of each input, and fewer than overlap_distance - 2 of any.
struct overlapping_call {
  const char* who;
  std::size_t outputs;
  std::vector<const char*> arrays;
  std::function<void(float* const* at)> call;
};
inline constexpr std::size_t overlap_distance = 4096;

// Every output upon every other one, and two elements on in every input, which some may be as a whole. refuse(f, who,
// message) expects that; reset() makes all zeros again.
template <class Refuse, class Reset>
void expect_refused_overlaps(const overlapping_call& c, float* memory, Refuse refuse, Reset reset) {
  SCOPED_TRACE(c.who);
  std::vector<float*> at;
  for (std::size_t i = 0; i < c.arrays.size(); ++i) at.push_back(memory + i * overlap_distance);
  EXPECT_NO_THROW(c.call(at.data()));
  reset();
  for (std::size_t out = 0; out < c.outputs; ++out) {
    for (std::size_t other = 0; other < at.size(); ++other) {
      if (other == out) continue;
      std::vector<float*> moved = at;
      moved[out] = at[other] + (other < c.outputs ? 0 : 2);
      const std::size_t first = other < c.outputs && other < out ? other : out,
                        second = first == out ? other : out;
      const std::string message = std::string(c.arrays[first]) + " overlaps " + c.arrays[second];
      refuse([&] { c.call(moved.data()); }, c.who, message.c_str());
    }
  }
}

}  // namespace rivus::test

#endif
