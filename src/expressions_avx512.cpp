#include "lanes_avx512.hpp"
// The lanes, and then the kernels over them.
#include "expression_kernels.hpp"

namespace rivus {

constinit const expression_table avx512_expressions = make_expressions();

}  // namespace rivus
