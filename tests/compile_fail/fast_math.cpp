// expect: -ffast-math and its parts let the compiler change values
// wrong flags: -ffast-math
#include <rivus/config.hpp>
