// In the place of NVIDIA's header of this name, where this folder comes first in the include path.
#ifndef RIVUS_COMPAT_DROP_IN_CURAND_H
#define RIVUS_COMPAT_DROP_IN_CURAND_H

#include <rivus/compat/curand.h>

#endif
