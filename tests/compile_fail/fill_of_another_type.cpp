// expect: no matching function for call to
#include <rivus/fill.hpp>

#ifdef WRONG
using element = double;
#else
using element = float;
#endif
void draw(std::span<element> out, rivus::stream s) { rivus::fill(out, s, rivus::normal<float>{}); }
