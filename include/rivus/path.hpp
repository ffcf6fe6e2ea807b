// path: the names of a stream's descendants as one text, such as a user of a program gives.
#ifndef RIVUS_PATH_HPP
#define RIVUS_PATH_HPP

#include <rivus/refuse.hpp>
#include <rivus/stream.hpp>
#include <string>
#include <string_view>

namespace rivus {

// Names joined by '/': root / path("init/conv1/3") is root["init"]["conv1"][3].
//
// As elsewhere a plain decimal is a number. It refers to the text.
// Errors: std::invalid_argument for a text with an empty name, as "", "/init" and "a//b" have.
// Determinism: everywhere.
class path {
 public:
  explicit constexpr path(std::string_view text) : text_(text) {
    if (text.empty() || text.front() == '/' || text.back() == '/' || text.find("//") != text.npos)
      detail::refuse("rivus::path", "'" + std::string(text) + "' has an empty name");
  }

  friend constexpr stream operator/(stream s, path p) noexcept {
    for (std::string_view rest = p.text_;;) {
      const std::size_t slash = rest.find('/');
      s = s[rest.substr(0, slash)];
      if (slash == rest.npos) return s;
      rest.remove_prefix(slash + 1);
    }
  }

 private:
  std::string_view text_;
};

}  // namespace rivus

#endif
