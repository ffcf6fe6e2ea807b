// numbers: text to number and back, exactly: a whole string, the parameter's own range and type, no locale.
#ifndef RIVUS_TOOLS_NUMBERS_HPP
#define RIVUS_TOOLS_NUMBERS_HPP

#include <fmt/format.h>

#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace rivus::tools {

// The command was called wrongly: a sentence for the user, and exit code 2.
struct usage_error : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// An integer in decimal or, after 0x, in hexadecimal. Leading zeros mean nothing: 010 is ten.
template <std::integral T>
std::optional<T> parse_integer(std::string_view text) {
  const bool negative = std::is_signed_v<T> && text.starts_with('-');
  if (negative) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t magnitude = 0;
  const char* const end = text.data() + text.size();
  if (const auto [stop, error] = std::from_chars(text.data(), end, magnitude, base);
      error != std::errc{} || stop != end) {
    return std::nullopt;
  }
  const auto largest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  if (magnitude > largest + (negative ? 1 : 0)) return std::nullopt;
  return static_cast<T>(negative ? 0 - magnitude : magnitude);
}

// Rounded once, to T itself.
template <std::floating_point T>
std::optional<T> parse_real(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// The value of `parameter`, which must be an integer from `least` to `most`.
template <std::integral T>
T integer_argument(std::string_view parameter, std::string_view text, T least = std::numeric_limits<T>::min(),
                   T most = std::numeric_limits<T>::max()) {
  const std::optional<T> value = parse_integer<T>(text);
  if (!value || *value < least || *value > most) {
    throw usage_error(fmt::format("{}: '{}' is not an integer from {} to {} (decimal or 0x...)", parameter,
                                  text, least, most));
  }
  return *value;
}

// The value of `parameter`. Infinities and NaN pass: whether they belong to its domain is for the caller to
// say.
template <std::floating_point T>
T real_argument(std::string_view parameter, std::string_view text) {
  const std::optional<T> value = parse_real<T>(text);
  if (!value) {
    throw usage_error(fmt::format("{}: '{}' is not a decimal number within the range of {}", parameter, text,
                                  sizeof(T) == 4 ? "f32" : "f64"));
  }
  return *value;
}

}  // namespace rivus::tools

#endif
