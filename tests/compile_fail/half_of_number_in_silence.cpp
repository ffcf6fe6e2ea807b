// expect: f16
#include <rivus/half.hpp>

#ifdef WRONG
rivus::f16 h = 1.5f;
#else
rivus::f16 h(1.5f);
#endif
