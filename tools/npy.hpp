// npy: NumPy's file format for one array (numpy.lib.format), as far as the command needs it.
#ifndef RIVUS_TOOLS_NPY_HPP
#define RIVUS_TOOLS_NPY_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <rivus/half.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace rivus::tools {

// An array of one dimension, or of none: one value.
using npy_array = std::variant<std::vector<float>, std::vector<double>, std::vector<f16>>;

// Reads versions 1.0, 2.0 and 3.0, f16, f32 and f64 in either byte order, as NumPy does; "-" is the standard input.
//
// Errors: std::runtime_error, naming the file and the reason, for whatever is not such a file from its first
// byte to its last.
npy_array read_npy(const std::filesystem::path& path);

// What precedes the data of a one-dimensional array of T in a file of version 1.0.
std::string npy_header(std::string_view descr, std::uint64_t count);
template <class T>
std::string npy_header(std::uint64_t count) {
  const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
  const char descr[] = {sizeof(T) == 1 ? '|' : '<', kind, static_cast<char>('0' + sizeof(T))};
  return npy_header(std::string_view(descr, sizeof descr), count);
}

// Turns values into little-endian bytes in place, or back; nothing to do on most machines.
template <class T>
void swap_bytes(std::span<T> values) {
  if constexpr (sizeof(T) > 1) {
    for (T& value : values) {
      char* const bytes = reinterpret_cast<char*>(&value);
      for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(bytes[i], bytes[sizeof(T) - 1 - i]);
    }
  }
}
template <class T>
void to_little_endian(std::span<T> values) {
  if constexpr (std::endian::native == std::endian::big) swap_bytes(values);
}

}  // namespace rivus::tools

#endif
