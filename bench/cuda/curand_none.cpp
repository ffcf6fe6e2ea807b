// cuRAND's host API, where its library was not found.
#include "cases.hpp"

namespace rivus::device_bench {

std::vector<way> curand_host_ways(const context&, peer_values, std::size_t) { return {}; }
std::string curand_missing() {
  return "the library libcurand was not found, so cuRAND's host API is left out";
}

}  // namespace rivus::device_bench
