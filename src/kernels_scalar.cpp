#include "lanes_scalar.hpp"
// Its kernels come after the lanes.
#include "lane_kernels.hpp"

namespace rivus {

constinit const kernels scalar_kernels = make_kernels(isa::scalar);

}  // namespace rivus
