// expect: rivus: the elements must be float, double, rivus::f16 or rivus::bf16
#include <rivus/scan.hpp>

#ifdef WRONG
using element = int;
#else
using element = double;
#endif
void scan(const element* x, std::size_t n, element* y) { rivus::cumsum(x, n, y); }
