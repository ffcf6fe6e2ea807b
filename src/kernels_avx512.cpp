#include "lanes_avx512.hpp"
// Its kernels come after the lanes.
#include "lane_kernels.hpp"

namespace rivus {

constinit const kernels avx512_kernels = make_kernels(isa::avx512);

}  // namespace rivus
