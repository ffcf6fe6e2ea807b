// expect: rivus: ids must be integers of up to 64 bits, neither bool nor characters
#include <rivus/scatter.hpp>

#ifdef WRONG
using id = float;
#else
using id = unsigned short;
#endif
void count(const id* ids, std::uint64_t* out) { rivus::bincount(ids, 5, out, 9); }
