// expect: rivus: the elements must be float or double
#include <rivus/scatter.hpp>

#ifdef WRONG
using element = rivus::f16;
#else
using element = double;
#endif
void bag(const element* table, const long* ids, const long* offsets, element* out) {
  rivus::embedding_bag(table, 9, 3, ids, 5, offsets, 2, rivus::bag_mode::sum, out);
}
