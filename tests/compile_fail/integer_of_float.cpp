// expect: rivus::integer: an integer type
#include <rivus/integer.hpp>

#ifdef WRONG
using whole = float;
#else
using whole = short;
#endif
whole draw(rivus::stream s) { return rivus::integer<whole>{0, 6}(s, 0); }
