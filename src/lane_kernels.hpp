// The host kernels, written once over lanes. Each kernels_*.cpp includes its lanes and then this file; all of
// it has internal linkage, as the same names mean other code in other objects.
#ifndef RIVUS_SRC_LANE_KERNELS_HPP
#define RIVUS_SRC_LANE_KERNELS_HPP

#include "fill_kernels.hpp"
#include "kernels.hpp"
#include "matmul_kernels.hpp"
#include "sum_kernels.hpp"

namespace rivus {
namespace {

template <class... D>
constexpr host_fills make_fills(detail::list<D...>) {
  return {fill_kernel<D>{&fill_range<D>}...};
}

template <class T>
constexpr linear_kernels<T> make_linear() {
  return {&sum_chunks<T>, &dot_chunks<T>, &matmul_block<T>};
}

constexpr kernels make_kernels(isa set) {
  return {set, make_fills(detail::filled{}), make_linear<float>(), make_linear<double>()};
}

}  // namespace
}  // namespace rivus

#endif
