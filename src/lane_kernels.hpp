// The host kernels, written once over lanes. Each kernels_*.cpp includes its lanes and then this file; all of
// it has internal linkage, as the same names mean other code in other objects.
#ifndef RIVUS_SRC_LANE_KERNELS_HPP
#define RIVUS_SRC_LANE_KERNELS_HPP

#include "exact_kernels.hpp"
#include "expression_table.hpp"
#include "fill_kernels.hpp"
#include "kernels.hpp"
#include "matmul_kernels.hpp"
#include "scan_kernels.hpp"
#include "sum_kernels.hpp"

namespace rivus {
namespace {

template <class... D>
constexpr host_fills make_fills(detail::list<D...>) {
  return {fill_kernel<D>{&fill_range<D>}...};
}

template <class T>
constexpr exact_kernels<T> make_exact() {
  return {&exact_sum_range<T>, &exact_dot_range<T>};
}

template <class Op, class X>
constexpr scan_kernel<X> make_scan() {
  return {&scan_total<Op, X>,
          {&scan_values<Op, false, X>, &stream_values<Op, false, X>},
          {&scan_values<Op, true, X>, &stream_values<Op, true, X>}};
}
template <class X>
constexpr scan_kernels<X> make_scans() {
  return {make_scan<combine::sums, X>(), make_scan<combine::products, X>()};
}

constexpr kernels make_kernels(isa set, const expression_table& expressions) {
  return {set,
          &expressions,
          make_fills(detail::filled{}),
          make_exact<float>(),
          make_exact<double>(),
          {make_scans<float>(), make_scans<double>(), make_scans<f16>(), make_scans<bf16>()},
          {{&matmul_block<float>}, {&matmul_block<double>}, {&matmul_block<f16>}, {&matmul_block<bf16>}}};
}

}  // namespace
}  // namespace rivus

#endif
