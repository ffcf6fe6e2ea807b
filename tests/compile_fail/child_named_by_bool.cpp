// expect: rivus: a child stream is named by an integer or by a string
#include <rivus/stream.hpp>

#ifdef WRONG
constexpr bool name = true;
#else
constexpr int name = 1;
#endif
constexpr auto child = rivus::stream::from_seed(42)[name];
