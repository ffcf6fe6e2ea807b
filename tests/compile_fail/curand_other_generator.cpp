// expect: of cuRAND's generators there is only Philox here
#include <rivus/compat/curand_kernel.h>

#ifdef WRONG
using state = curandStateXORWOW_t;
#else
using state = curandStatePhilox4_32_10_t;
#endif
void set_up(state* states, int i) { curand_init(42, 7, 0, &states[i]); }
