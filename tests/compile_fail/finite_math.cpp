// expect: -ffinite-math-only lets the compiler change values
// wrong flags: -ffinite-math-only
#include <rivus/config.hpp>
