// The lanes that go with a word type; included after lanes_*.hpp.
#ifndef RIVUS_SRC_LANES_OF_HPP
#define RIVUS_SRC_LANES_OF_HPP

#include <cstdint>

namespace rivus {
namespace {

template <class Word>
struct lanes_of;
template <>
struct lanes_of<std::uint32_t> {
  using words = lanes_u32;
  using reals = lanes_f32;
};
template <>
struct lanes_of<std::uint64_t> {
  using words = lanes_u64;
  using reals = lanes_f64;
};

}  // namespace
}  // namespace rivus

#endif
