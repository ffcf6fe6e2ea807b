// vec: N values of one type, usable in constant expressions and in kernels (std::array is not).
#ifndef RIVUS_VEC_HPP
#define RIVUS_VEC_HPP

#include <rivus/config.hpp>

namespace rivus {

template <class T, int N>
struct vec {
  using value_type = T;

  T v[N];

  RIVUS_HD constexpr T& operator[](int i) { return v[i]; }
  RIVUS_HD constexpr const T& operator[](int i) const { return v[i]; }
  RIVUS_HD static constexpr int size() { return N; }
  RIVUS_HD constexpr T* begin() { return v; }
  RIVUS_HD constexpr T* end() { return v + N; }
  RIVUS_HD constexpr const T* begin() const { return v; }
  RIVUS_HD constexpr const T* end() const { return v + N; }

  RIVUS_HD friend constexpr bool operator==(const vec& a, const vec& b) {
    for (int i = 0; i < N; ++i) {
      if (!(a.v[i] == b.v[i])) return false;
    }
    return true;
  }
  RIVUS_HD friend constexpr bool operator!=(const vec& a, const vec& b) { return !(a == b); }
};

}  // namespace rivus

#endif
