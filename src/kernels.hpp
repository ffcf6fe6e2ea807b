// The table of host kernels that each instruction set fills in.
#ifndef RIVUS_SRC_KERNELS_HPP
#define RIVUS_SRC_KERNELS_HPP

#include <rivus/fill.hpp>
#include <rivus/matmul.hpp>
#include <rivus/runtime.hpp>

namespace rivus {

template <class D>
struct fill_kernel {
  void (*fill)(typename D::value_type* out, std::size_t n, stream s, D d, std::uint64_t first);
};
template <class List>
struct fill_kernels;
template <class... D>
struct fill_kernels<detail::list<D...>> : fill_kernel<D>... {};
using host_fills = fill_kernels<detail::filled>;

template <class T>
struct linear_kernels {
  // The result of each chunk of sum/v1, or dot/v1, over x[0..n); partial has room for order::chunks(n).
  void (*sum)(const T* x, std::size_t n, T* partial);
  void (*dot)(const T* x, const T* y, std::size_t n, T* partial);
  // matmul/v1 in one thread, with matmul_workspace elements to work in, 64-byte aligned.
  void (*matmul)(matrix<const T> a, matrix<const T> b, matrix<T> c, T* workspace);
};

// A block of b, and of a rows by the same depth (matmul_kernels.hpp).
inline constexpr std::size_t matmul_depth = 256;
inline constexpr std::size_t matmul_width = 512;
inline constexpr std::size_t matmul_max_rows = 16;
inline constexpr std::size_t matmul_workspace = matmul_depth * (matmul_width + matmul_max_rows);

struct kernels {
  isa set;
  host_fills fills;
  linear_kernels<float> f32;
  linear_kernels<double> f64;

  template <class D>
  constexpr auto fill() const {
    return static_cast<const fill_kernel<D>&>(fills).fill;
  }
  template <class T>
  constexpr const linear_kernels<T>& linear() const {
    if constexpr (sizeof(T) == 4) {
      return f32;
    } else {
      return f64;
    }
  }
};

extern const kernels scalar_kernels, avx2_kernels, avx512_kernels, neon_kernels;

// The table in use.
const kernels& active_kernels();

}  // namespace rivus

#endif
