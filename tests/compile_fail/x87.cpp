// expect: float must be evaluated as float (FLT_EVAL_METHOD 0)
// wrong flags: -mfpmath=387
#include <rivus/config.hpp>
