#include "lanes_avx512.hpp"
// The lanes, the form of Philox that suits them, and the kernels over both, in this order.
#include "philox_pairs.hpp"
//
#include "lane_kernels.hpp"

namespace rivus {

constinit const kernels avx512_kernels = make_kernels(isa::avx512, avx512_expressions);

}  // namespace rivus
