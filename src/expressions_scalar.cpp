#include "lanes_scalar.hpp"
// The lanes, and then the kernels over them.
#include "expression_kernels.hpp"

namespace rivus {

constinit const expression_table scalar_expressions = make_expressions();

}  // namespace rivus
