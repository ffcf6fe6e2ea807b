// JSON: text of values, for programs that must build without a library for it.
#ifndef RIVUS_BENCH_CUDA_JSON_HPP
#define RIVUS_BENCH_CUDA_JSON_HPP

#include <cmath>
#include <concepts>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace rivus::device_bench::json {

inline std::string text(std::string_view value) {
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + '"';
}
inline std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.6g", value);
  return digits;
}
inline std::string number(std::integral auto value) { return std::to_string(value); }
inline std::string boolean(bool value) { return value ? "true" : "false"; }

class object {
 public:
  // `value` is JSON already.
  object& add(std::string_view key, const std::string& value) {
    members_ += (members_.empty() ? "" : ", ") + text(key) + ": " + value;
    return *this;
  }
  std::string str() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

// One element a line.
inline std::string array(const std::vector<std::string>& elements) {
  std::string out = "[";
  for (std::size_t i = 0; i < elements.size(); ++i) out += (i > 0 ? ",\n  " : "\n  ") + elements[i];
  return out + (elements.empty() ? "]" : "\n ]");
}

}  // namespace rivus::device_bench::json

#endif
