// expect: -fsingle-precision-constant changes values
// wrong flags: -fsingle-precision-constant
#include <rivus/config.hpp>
