// expect: rivus::bits: an integer type of up to 64 bits
#include <rivus/bits.hpp>

#ifdef WRONG
using word = float;
#else
using word = std::uint32_t;
#endif
word draw(rivus::stream s) { return rivus::bits<word>{}(s, 0); }
