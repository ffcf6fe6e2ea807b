// index64: what functions take as a seed, a lane, an index or a count.
#ifndef RIVUS_INDEX_HPP
#define RIVUS_INDEX_HPP

#include <rivus/config.hpp>

namespace rivus {

// An integer, or unscoped enumerator, of any type of up to 64 bits, modulo 2^64: -1 is 2^64 - 1.
//
// Reals and bool do not convert: they would be 0 or 1 in silence. Written out, static_cast<int>(x) does.
// Determinism: everywhere.
class index64 {
 public:
  template <class T>
  static constexpr bool takes =
      (std::is_integral_v<T> || std::is_enum_v<T>) && std::is_convertible_v<T, std::uint64_t> &&
      !std::is_same_v<T, bool> && sizeof(T) <= sizeof(std::uint64_t);

  template <class T, std::enable_if_t<takes<T>, int> = 0>
  RIVUS_HD constexpr index64(T i) noexcept : value_(static_cast<std::uint64_t>(i)) {}
  template <class T, std::enable_if_t<std::is_arithmetic_v<T> && !takes<T>, int> = 0>
  index64(T) = delete;  // rivus: a seed, a lane, an index and a count are integers, neither reals nor bool

  RIVUS_HD constexpr operator std::uint64_t() const noexcept { return value_; }

 private:
  std::uint64_t value_;
};

}  // namespace rivus

#endif
