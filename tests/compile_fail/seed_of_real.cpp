// expect: neither reals nor bool
#include <rivus/stream.hpp>

#ifdef WRONG
constexpr double seed = 0.1;
#else
constexpr int seed = -1;
#endif
constexpr auto root = rivus::stream::from_seed(seed);
