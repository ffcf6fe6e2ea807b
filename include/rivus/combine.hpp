// combine: the operators of reductions, scans and scatters, once for numbers, lanes and device.
//
// combine(a, b) rounds once; of integers only the bits count, which makes them modulo 2^32 or 2^64. neutral() changes nothing
// that it is combined with; nothing() is the result where there is no element.
#ifndef RIVUS_COMBINE_HPP
#define RIVUS_COMBINE_HPP

#include <rivus/real.hpp>
#include <type_traits>

namespace rivus::combine {

struct sums {
  using op = sums;
  template <class F>
  RIVUS_HD static F combine(F a, F b) {
    if constexpr (std::is_integral_v<F>) {
      using word = std::make_unsigned_t<F>;
      return static_cast<F>(static_cast<word>(a) + static_cast<word>(b));
    } else {
      using real::add;
      return add(a, b);
    }
  }
  template <class T>
  RIVUS_HD static constexpr T neutral() {
    return T(-0.0);
  }
  template <class T>
  RIVUS_HD static constexpr T nothing() {
    return T(0);
  }
};

struct products {
  using op = products;
  template <class F>
  RIVUS_HD static F combine(F a, F b) {
    if constexpr (std::is_integral_v<F>) {
      using word = std::make_unsigned_t<F>;
      return static_cast<F>(static_cast<word>(a) * static_cast<word>(b));
    } else {
      using real::mul;
      return mul(a, b);
    }
  }
  template <class T>
  RIVUS_HD static constexpr T neutral() {
    return T(1);
  }
  template <class T>
  RIVUS_HD static constexpr T nothing() {
    return T(1);
  }
};

// Minima and maxima are those of integers: keys in the order of the values, with -0 below +0 and NaN above all.
enum class extreme { largest, smallest, largest_magnitude };

template <class T>
using key_t = std::make_signed_t<typename real::format<T>::word>;
template <class T>
inline constexpr key_t<T> nan_key = static_cast<key_t<T>>(~real::format<T>::sign);

// Of a number; a NaN's is none.
template <extreme Which, class T>
RIVUS_HD key_t<T> key_of_number(T x) {
  using format = real::format<T>;
  using word = typename format::word;
  const word b = real::to_bits(x), magnitude = static_cast<word>(b & ~format::sign);
  if (Which == extreme::largest_magnitude) return static_cast<key_t<T>>(magnitude);
  const auto negative = static_cast<word>(static_cast<key_t<T>>(b) >> (format::bits - 1));
  const word k = magnitude ^ negative;
  return static_cast<key_t<T>>(Which == extreme::smallest ? static_cast<word>(~k) : k);
}
template <extreme Which, class T>
RIVUS_HD key_t<T> key_of(T x) {
  return real::is_nan(x) ? nan_key<T> : key_of_number<Which>(x);
}
template <extreme Which, class T>
RIVUS_HD T value_of(key_t<T> k) {
  using format = real::format<T>;
  using word = typename format::word;
  if (k == nan_key<T>) return real::quiet_nan<T>();
  if (Which == extreme::smallest) k = static_cast<key_t<T>>(~k);
  const auto negative = static_cast<word>(k >> (format::bits - 1));
  return real::from_bits(static_cast<word>((static_cast<word>(k) ^ negative) | (negative & format::sign)));
}
// Below the key of every value.
template <class T>
RIVUS_HD constexpr key_t<T> least_key() {
  return static_cast<key_t<T>>(real::format<T>::sign);
}

// The least or the greatest of two numbers.
template <extreme Which>
struct extremes {
  template <class T>
  RIVUS_HD static T combine(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return (a < b) == (Which == extreme::largest) ? b : a;
    } else {
      const auto ka = key_of<Which>(a), kb = key_of<Which>(b);
      return value_of<Which, T>(ka < kb ? kb : ka);
    }
  }
};

// The canonical NaN for any; integers are as they are.
template <class T>
RIVUS_HD T canonical(T x) {
  if constexpr (std::is_integral_v<T>) {
    return x;
  } else {
    return real::canonical(x);
  }
}

}  // namespace rivus::combine

#endif
