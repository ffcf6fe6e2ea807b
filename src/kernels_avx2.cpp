#include "lanes_avx2.hpp"
// Its kernels come after the lanes.
#include "lane_kernels.hpp"

namespace rivus {

constinit const kernels avx2_kernels = make_kernels(isa::avx2);

}  // namespace rivus
