// expect: rivus::uniform: float or double
#include <rivus/uniform.hpp>

#ifdef WRONG
using real = int;
#else
using real = float;
#endif
real draw(rivus::stream s) { return rivus::uniform<real>{0, 6}(s, 0); }
