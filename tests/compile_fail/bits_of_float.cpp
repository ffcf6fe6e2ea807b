// expect: rivus::bits: std::uint32_t or std::uint64_t
#include <rivus/bits.hpp>

#ifdef WRONG
using word = float;
#else
using word = std::uint32_t;
#endif
word draw(rivus::stream s) { return rivus::bits<word>{}(s, 0); }
