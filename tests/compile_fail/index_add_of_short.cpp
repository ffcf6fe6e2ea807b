// expect: rivus: the elements must be float, double, std::int32_t, std::uint32_t, std::int64_t or std::uint64_t
#include <rivus/scatter.hpp>

#ifdef WRONG
using element = short;
#else
using element = std::uint32_t;
#endif
void add(element* out, const int* ids, const element* x) { rivus::index_add(out, 9, ids, x, 5); }
