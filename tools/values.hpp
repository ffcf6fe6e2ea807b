// values: the text of one value of a draw or a sum.
#ifndef RIVUS_TOOLS_VALUES_HPP
#define RIVUS_TOOLS_VALUES_HPP

#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace rivus::tools {

// Enough for either form of any value.
inline constexpr std::size_t longest_value = 32;

// The shortest decimal that reads back as the same value. Returns the end.
template <class T>
char* write_decimal(char* out, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    // The sign of a NaN carries nothing.
    if (std::isnan(value)) value = std::abs(value);
    return std::to_chars(out, out + longest_value, value).ptr;
  } else {
    // A byte is a number here, not a character.
    using number = std::conditional_t<sizeof(T) == 1, unsigned, T>;
    return std::to_chars(out, out + longest_value, static_cast<number>(value)).ptr;
  }
}

// The value's bits: two lower-case digits a byte, the highest first.
template <class T>
char* write_hex(char* out, T value) {
  using word =
      std::conditional_t<sizeof(T) == 8, std::uint64_t,
                         std::conditional_t<sizeof(T) == 4, std::uint32_t,
                                            std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;
  const word bits = std::bit_cast<word>(value);
  for (int shift = 8 * static_cast<int>(sizeof(T)) - 4; shift >= 0; shift -= 4) {
    *out++ = "0123456789abcdef"[bits >> shift & 15];
  }
  return out;
}

}  // namespace rivus::tools

#endif
