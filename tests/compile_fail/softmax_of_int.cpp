// expect: rivus: the elements must be float, double, rivus::f16 or rivus::bf16
#include <rivus/normalise.hpp>

#ifdef WRONG
using element = int;
#else
using element = rivus::bf16;
#endif
void soften(rivus::matrix<const element> x, rivus::matrix<element> y) { rivus::softmax(x, y); }
