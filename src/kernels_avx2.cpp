#include "lanes_avx2.hpp"
// The lanes, the form of Philox that suits them, and the kernels over both, in this order.
#include "philox_words.hpp"
//
#include "lane_kernels.hpp"

namespace rivus {

constinit const kernels avx2_kernels = make_kernels(isa::avx2, avx2_expressions);

}  // namespace rivus
