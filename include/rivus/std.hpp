// What device code takes of the standard library; where a program is compiled at run time (NVRTC), of CCCL's.
#ifndef RIVUS_STD_HPP
#define RIVUS_STD_HPP

#if defined(__CUDACC_RTC__)
#include <cuda/std/array>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/iterator>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
namespace std {
using namespace ::cuda::std;
}
#else
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#endif

#endif
