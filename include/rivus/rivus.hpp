// Everything that is host and device code, and, but where a program is compiled at run time (NVRTC), the host's bulk calls.
#ifndef RIVUS_RIVUS_HPP
#define RIVUS_RIVUS_HPP

#include <rivus/bernoulli.hpp>
#include <rivus/bits.hpp>
#include <rivus/cursor.hpp>
#include <rivus/draws.hpp>
#include <rivus/exponential.hpp>
#include <rivus/half.hpp>
#include <rivus/integer.hpp>
#include <rivus/normal.hpp>
#include <rivus/philox.hpp>
#include <rivus/philox_engine.hpp>
#include <rivus/real.hpp>
#include <rivus/shuffle.hpp>
#include <rivus/stream.hpp>
#include <rivus/threefry.hpp>
#include <rivus/tree.hpp>
#include <rivus/uniform.hpp>
#if !defined(__CUDACC_RTC__)
#include <rivus/determinism.hpp>
#include <rivus/exact.hpp>
#include <rivus/executor.hpp>
#include <rivus/fill.hpp>
#include <rivus/matmul.hpp>
#include <rivus/normalise.hpp>
#include <rivus/partial.hpp>
#include <rivus/path.hpp>
#include <rivus/reduce.hpp>
#include <rivus/reductions.hpp>
#include <rivus/runtime.hpp>
#include <rivus/scan.hpp>
#include <rivus/scatter.hpp>
#include <rivus/self_test.hpp>
#endif

#endif
