// expect: the iterator must give references
#include <rivus/shuffle.hpp>
#include <vector>

void order(rivus::stream s) {
#ifdef WRONG
  std::vector<bool> items(10);
#else
  std::vector<int> items(10);
#endif
  rivus::shuffle(items.begin(), items.end(), s);
}
