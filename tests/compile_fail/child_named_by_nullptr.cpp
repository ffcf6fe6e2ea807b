// expect: a child stream is named by an integer or by a string
#include <rivus/stream.hpp>

rivus::stream child(rivus::stream s) {
#ifdef WRONG
  return s[nullptr];
#else
  return s[0];
#endif
}
