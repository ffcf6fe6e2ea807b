#include "lanes_neon.hpp"
// Its kernels come after the lanes.
#include "lane_kernels.hpp"

namespace rivus {

constinit const kernels neon_kernels = make_kernels(isa::neon);

}  // namespace rivus
