// expect: rivus::integer: an integer type of up to 64 bits
#include <rivus/integer.hpp>

#ifdef WRONG
__extension__ using number = __int128;
#else
using number = long long;
#endif
number draw(rivus::stream s) { return rivus::integer<number>{0, 6}(s, 0); }
