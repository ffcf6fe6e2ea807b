#include "lanes_neon.hpp"
// The lanes, the form of Philox that suits them, and the kernels over both, in this order.
#include "philox_words.hpp"
//
#include "lane_kernels.hpp"

namespace rivus {

constinit const kernels neon_kernels = make_kernels(isa::neon, neon_expressions);

}  // namespace rivus
