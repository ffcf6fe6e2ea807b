#include "compat_curand_kernels.hpp"

namespace rivus::compat {

constinit const curand_kernels curand_scalar_kernels = make_curand_kernels();

}  // namespace rivus::compat
