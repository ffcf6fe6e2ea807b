// The table of host kernels that each instruction set fills in.
#ifndef RIVUS_SRC_KERNELS_HPP
#define RIVUS_SRC_KERNELS_HPP

#include <rivus/combine.hpp>
#include <rivus/exact.hpp>
#include <rivus/fill.hpp>
#include <rivus/matmul.hpp>
#include <rivus/runtime.hpp>
#include <rivus/scan.hpp>
#include <rivus/tree.hpp>

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

template <class X, class T = wide_t<X>>
struct product_kernel {
  // matmul/v1 in one thread, with matmul_workspace(c.rows, a.cols, options.block) elements to work in, 64-byte aligned.
  void (*matmul)(matrix<const X> a, matrix<const X> b, matrix<T> c, const matmul_options<T>& options,
                 T* workspace);
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

template <class X>
struct scan_kernel {
  using write = wide_t<X> (*)(const X* x, std::size_t n, const tree::scan_place<wide_t<X>>& at, X* y);
  // The total of the chunk x[0..n), if it is whole; and with it the results, to y, which may be x: [0] into the caches, [1] past
  // them.
  wide_t<X> (*total)(const X* x, std::size_t n);
  write inclusive[2], exclusive[2];
};
template <class X>
struct scan_kernels {
  scan_kernel<X> sums, products;
};
struct host_scans : scan_kernels<float>, scan_kernels<double>, scan_kernels<f16>, scan_kernels<bf16> {};

// At most so many steps of depth are packed at once, of b's columns and of a's rows; and so many rows of c wait together
// for the next (matmul_kernels.hpp).
inline constexpr std::size_t matmul_steps = 512;
inline constexpr std::size_t matmul_width = 512;
inline constexpr std::size_t matmul_strip = 1024;
inline constexpr std::size_t matmul_max_rows = 16, matmul_max_columns = 64;

// How depth is cut into visits, each of whole blocks where they are short: a node of the tree is a visit's blocks, or one
// block of several visits.
struct matmul_visits {
  std::size_t depth, node;
  // Of the tree above the nodes.
  int levels;

  matmul_visits(std::size_t depth_, std::size_t block) : depth(depth_), node(block), levels(0) {
    while (node <= matmul_steps / 2) node *= 2;
    for (std::size_t rest = depth == 0 ? 0 : (depth - 1) / node; rest > 0; rest /= 2) ++levels;
  }
  std::size_t steps_from(std::size_t k) const {
    const std::size_t in_node = node - k % node, left = in_node < depth - k ? in_node : depth - k;
    return left < matmul_steps ? left : matmul_steps;
  }
  bool needs_panels() const { return levels > 0 || depth > matmul_steps; }
};
inline std::size_t matmul_workspace(std::size_t rows, std::size_t depth, std::size_t block) {
  const matmul_visits visits(depth, block);
  const std::size_t strip = rows < matmul_strip ? rows : matmul_strip;
  const std::size_t panel = (strip + matmul_max_rows) * (matmul_width + matmul_max_columns);
  return matmul_steps * (matmul_width + matmul_max_rows) +
         (visits.needs_panels() ? static_cast<std::size_t>(visits.levels + 1) * panel : 0);
}

struct expression_table;

struct kernels {
  isa set;
  // What reductions and row operations are made of (expression_table.hpp).
  const expression_table* expressions;
  host_fills fills;
  exact_kernels<float> exact_f32;
  exact_kernels<double> exact_f64;
  host_scans scans;
  host_products products;

  template <class D>
  constexpr auto fill() const {
    return static_cast<const fill_kernel<D>&>(fills).fill;
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
    return std::is_same_v<Op, combine::sums> ? both.sums : both.products;
  }
};

extern const kernels scalar_kernels, avx2_kernels, avx512_kernels, neon_kernels;

// The table in use.
const kernels& active_kernels();

}  // namespace rivus

#endif
