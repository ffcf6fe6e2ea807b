// The table of host kernels that each instruction set fills in.
#ifndef RIVUS_SRC_KERNELS_HPP
#define RIVUS_SRC_KERNELS_HPP

#include <rivus/exact.hpp>
#include <rivus/fill.hpp>
#include <rivus/matmul.hpp>
#include <rivus/runtime.hpp>
#include <rivus/scan.hpp>

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
};

template <class X, class T = wide_t<X>>
struct product_kernel {
  // matmul/v1 in one thread, with matmul_workspace elements to work in, 64-byte aligned.
  void (*matmul)(matrix<const X> a, matrix<const X> b, matrix<T> c, const epilogue<T>& then, T* workspace);
};
struct host_products : product_kernel<float>,
                       product_kernel<double>,
                       product_kernel<f16>,
                       product_kernel<bf16> {};

template <class T>
struct exact_kernels {
  // Adds x[0..n), or the products with y[0..n), to limbs.
  void (*sum)(const T* x, std::size_t n, detail::exact_limbs<T>& to);
  void (*dot)(const T* x, const T* y, std::size_t n, detail::exact_limbs<double>& to);
};

// Where a chunk of scan/v1 stands: what its values are added to, and the result before its first.
template <class T>
struct scan_place {
  T offset, before;
};
template <class X>
struct scan_kernel {
  // The total of the chunk x[0..n), if it is whole; and with it the results, to y, which may be x.
  wide_t<X> (*total)(const X* x, std::size_t n);
  wide_t<X> (*inclusive)(const X* x, std::size_t n, const scan_place<wide_t<X>>& at, X* y);
  wide_t<X> (*exclusive)(const X* x, std::size_t n, const scan_place<wide_t<X>>& at, X* y);
};
template <class X>
struct scan_kernels {
  scan_kernel<X> sums, products;
};
struct host_scans : scan_kernels<float>, scan_kernels<double>, scan_kernels<f16>, scan_kernels<bf16> {};

// A block of b, and of a rows by the same depth (matmul_kernels.hpp).
inline constexpr std::size_t matmul_depth = 256;
inline constexpr std::size_t matmul_width = 512;
inline constexpr std::size_t matmul_max_rows = 16;
inline constexpr std::size_t matmul_workspace = matmul_depth * (matmul_width + matmul_max_rows);

struct expression_table;

struct kernels {
  isa set;
  // What reductions and row operations are made of (expression_table.hpp).
  const expression_table* expressions;
  host_fills fills;
  linear_kernels<float> f32;
  linear_kernels<double> f64;
  exact_kernels<float> exact_f32;
  exact_kernels<double> exact_f64;
  host_scans scans;
  host_products products;

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
  template <class T>
  constexpr const exact_kernels<T>& exact() const {
    if constexpr (sizeof(T) == 4) {
      return exact_f32;
    } else {
      return exact_f64;
    }
  }
  template <class X>
  constexpr auto matmul() const {
    return static_cast<const product_kernel<X>&>(products).matmul;
  }
  template <class Op, class X>
  constexpr const scan_kernel<X>& scan() const {
    const scan_kernels<X>& both = scans;
    return std::is_same_v<Op, detail::sums> ? both.sums : both.products;
  }
};

extern const kernels scalar_kernels, avx2_kernels, avx512_kernels, neon_kernels;

// The table in use.
const kernels& active_kernels();

}  // namespace rivus

#endif
