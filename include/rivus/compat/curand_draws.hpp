// What cuRAND's host interface makes of a group: four values, of one block or of two. One text for CPU and GPU.
#ifndef RIVUS_COMPAT_CURAND_DRAWS_HPP
#define RIVUS_COMPAT_CURAND_DRAWS_HPP

#include <rivus/compat/curand_values.hpp>
#include <rivus/philox.hpp>

namespace rivus::compat {

using curand_block = vec<std::uint32_t, 4>;

// Draws of one block.
template <class T>
struct one_block {
  using value_type = T;
  static constexpr int blocks = 1;
};
// Draws of two.
template <class T>
struct two_blocks {
  using value_type = T;
  static constexpr int blocks = 2;
};

struct word_draw : one_block<std::uint32_t> {
  RIVUS_HD curand_block operator()(const curand_block (&w)[1]) const noexcept { return w[0]; }
};

struct uniform_draw : one_block<float> {
  RIVUS_HD vec<float, 4> operator()(const curand_block (&w)[1]) const noexcept {
    return {{curand_uniform_of(w[0][0]), curand_uniform_of(w[0][1]), curand_uniform_of(w[0][2]),
             curand_uniform_of(w[0][3])}};
  }
};

struct uniform_double_draw : two_blocks<double> {
  RIVUS_HD vec<double, 4> operator()(const curand_block (&w)[2]) const noexcept {
    return {{curand_uniform_double_of(w[0][0], w[0][1]), curand_uniform_double_of(w[0][2], w[0][3]),
             curand_uniform_double_of(w[1][0], w[1][1]), curand_uniform_double_of(w[1][2], w[1][3])}};
  }
};

RIVUS_HD vec<float, 4> four_normals(const curand_block (&w)[1]) noexcept {
  const vec<float, 2> a = curand_normals_of(w[0][0], w[0][1]), b = curand_normals_of(w[0][2], w[0][3]);
  return {{a[0], a[1], b[0], b[1]}};
}
RIVUS_HD vec<double, 4> four_normals(const curand_block (&w)[2]) noexcept {
  const vec<double, 2> a = curand_normals_of(w[0]), b = curand_normals_of(w[1]);
  return {{a[0], a[1], b[0], b[1]}};
}

template <class T>
struct normal_draw : std::conditional_t<sizeof(T) == 4, one_block<T>, two_blocks<T>> {
  T mean, stddev;

  RIVUS_HD normal_draw(T m, T s) noexcept : mean(m), stddev(s) {}
  RIVUS_HD vec<T, 4> operator()(const curand_block (&w)[normal_draw::blocks]) const noexcept {
    const vec<T, 4> z = four_normals(w);
    return {{scaled(z[0]), scaled(z[1]), scaled(z[2]), scaled(z[3])}};
  }

 private:
  RIVUS_HD T scaled(T z) const noexcept { return real::add(mean, detail::rounded_product(stddev, z)); }
};

template <class T>
struct log_normal_draw : std::conditional_t<sizeof(T) == 4, one_block<T>, two_blocks<T>> {
  T mean, stddev;

  RIVUS_HD log_normal_draw(T m, T s) noexcept : mean(m), stddev(s) {}
  RIVUS_HD vec<T, 4> operator()(const curand_block (&w)[log_normal_draw::blocks]) const noexcept {
    const vec<T, 4> z = four_normals(w);
    return {{curand_log_normal_of(z[0], mean, stddev), curand_log_normal_of(z[1], mean, stddev),
             curand_log_normal_of(z[2], mean, stddev), curand_log_normal_of(z[3], mean, stddev)}};
  }
};

// By a histogram, or by rounded normals where it has none.
struct histogram_draw : one_block<std::uint32_t> {
  curand_discrete_distribution distribution;

  RIVUS_HD explicit histogram_draw(const curand_discrete_distribution& d) noexcept : distribution(d) {}
  RIVUS_HD curand_block operator()(const curand_block (&w)[1]) const noexcept {
    const curand_discrete_distribution& d = distribution;
    return {{curand_discrete_of(w[0][0], d), curand_discrete_of(w[0][1], d), curand_discrete_of(w[0][2], d),
             curand_discrete_of(w[0][3], d)}};
  }
};

struct rounded_normal_draw : one_block<std::uint32_t> {
  double mean, stddev;

  RIVUS_HD rounded_normal_draw(double m, double s) noexcept : mean(m), stddev(s) {}
  RIVUS_HD curand_block operator()(const curand_block (&w)[1]) const noexcept {
    const vec<float, 4> z = four_normals(w);
    return {{rounded(z[0]), rounded(z[1]), rounded(z[2]), rounded(z[3])}};
  }

 private:
  RIVUS_HD std::uint32_t rounded(float z) const noexcept {
    return curand_rounded_normal_of(static_cast<double>(z), mean, stddev);
  }
};

// For what has one of each.
template <template <class> class Of>
struct for_each_draw : Of<word_draw>,
                       Of<uniform_draw>,
                       Of<uniform_double_draw>,
                       Of<normal_draw<float>>,
                       Of<normal_draw<double>>,
                       Of<log_normal_draw<float>>,
                       Of<log_normal_draw<double>>,
                       Of<histogram_draw>,
                       Of<rounded_normal_draw> {};

}  // namespace rivus::compat

#endif
