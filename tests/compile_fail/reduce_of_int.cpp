// expect: rivus: the elements must be float, double, rivus::f16 or rivus::bf16
#include <rivus/reductions.hpp>
#include <vector>

#ifdef WRONG
using element = int;
#else
using element = float;
#endif
element least(const std::vector<element>& x) { return rivus::reduce(rivus::reduction::minimum, x); }
