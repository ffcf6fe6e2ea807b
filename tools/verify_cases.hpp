// The cases of verify, which are those of tests/model/model.py, value for value.
#ifndef RIVUS_TOOLS_VERIFY_CASES_HPP
#define RIVUS_TOOLS_VERIFY_CASES_HPP

#include <cstdint>
#include <functional>
#include <rivus/stream.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rivus::tools {

using u64 = std::uint64_t;

// Where the values of a case come from.
enum class source { library, device, elements, quads };

inline stream row_stream(std::string_view name) {
  return stream::from_seed(0x123456789abcdef0)["verify"][name];
}

struct test_case {
  std::string name;
  // By the library's kernels on the host and on a device, or empty where the headers are all there is.
  std::function<std::string()> on_host, device;
  // By pure functions: what they are called, and the digest.
  std::vector<std::pair<std::string, std::function<std::string()>>> headers;
};

// One case for float and one for double, from a generic function of the type's name and a zero of the type.
template <class Make>
void add_reals(std::vector<test_case>& cases, Make make) {
  cases.push_back(make("/f32", 0.0f));
  cases.push_back(make("/f64", 0.0));
}

// Those of reductions, products, scans and scatters (verify_reductions.cpp).
void add_reductions(std::vector<test_case>& cases);

}  // namespace rivus::tools

#endif
