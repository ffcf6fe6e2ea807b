// expect: of cuRAND's generators there is only Philox here
#include <rivus/compat/curand.h>

#ifdef WRONG
void set_up() {
  curandDirectionVectors32_t* vectors;
  curandGetDirectionVectors32(&vectors, CURAND_DIRECTION_VECTORS_32_JOEKUO6);
}
#else
curandGenerator_t generator;
#endif
