// vec: N values of one type, usable in constant expressions and in kernels (std::array is not). constant: one.
#ifndef RIVUS_VEC_HPP
#define RIVUS_VEC_HPP

#include <rivus/config.hpp>

namespace rivus {

template <class T, int N>
struct vec {
  using value_type = T;

  T v[static_cast<std::size_t>(N)];

  RIVUS_HD constexpr T& operator[](int i) noexcept { return v[i]; }
  RIVUS_HD constexpr const T& operator[](int i) const noexcept { return v[i]; }
  RIVUS_HD static constexpr int size() noexcept { return N; }
  RIVUS_HD constexpr T* begin() noexcept { return v; }
  RIVUS_HD constexpr T* end() noexcept { return v + N; }
  RIVUS_HD constexpr const T* begin() const noexcept { return v; }
  RIVUS_HD constexpr const T* end() const noexcept { return v + N; }

  RIVUS_HD friend constexpr bool operator==(const vec& a, const vec& b) noexcept {
    for (int i = 0; i < N; ++i) {
      if (!(a.v[i] == b.v[i])) return false;
    }
    return true;
  }
  RIVUS_HD friend constexpr bool operator!=(const vec& a, const vec& b) noexcept { return !(a == b); }
};

// A value that is a constant and, called, gives it.
template <class T, T Value>
struct constant {
  RIVUS_HD constexpr operator T() const noexcept { return Value; }
  RIVUS_HD constexpr T operator()() const noexcept { return Value; }
};

}  // namespace rivus

#endif
