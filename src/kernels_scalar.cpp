#include "lanes_scalar.hpp"
// The lanes, the form of Philox that suits them, and the kernels over both, in this order.
#include "philox_words.hpp"
//
#include "lane_kernels.hpp"

namespace rivus {

constinit const kernels scalar_kernels = make_kernels(isa::scalar, scalar_expressions);

}  // namespace rivus
