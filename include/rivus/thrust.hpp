// What Thrust needs to take draws() anywhere, and engines of rivus in its distributions.
#ifndef RIVUS_THRUST_HPP
#define RIVUS_THRUST_HPP

#if !__has_include(<thrust/iterator/iterator_traits.h>)
#error "rivus/thrust.hpp needs Thrust: use nvcc, or add the CUDA toolkit's include/cccl to the search path"
#else

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/iterator_traits.h>

#include <rivus/cursor.hpp>
#include <rivus/draws.hpp>

// A draw is computed where it is read, so draws go with every system, as counting_iterator does: algorithms
// without a policy run where their other iterators are.
THRUST_NAMESPACE_BEGIN
template <class D>
struct iterator_system<rivus::draw_iterator<D>> : iterator_system<counting_iterator<std::uint64_t>> {};
THRUST_NAMESPACE_END

namespace rivus {

// A cursor (or a philox_engine) that Thrust's distributions take: it reads the same words, and its min and max
// are constants, as Thrust has them, not functions.
//
// `rivus::thrust_engine words(s.lane(i))` reads the stream of thread i; thrust_engine<philox4x32_engine> is
// made as philox4x32_engine is.
// Determinism: the words everywhere; what Thrust's distributions make of them differs between compilers, as
// its normal_distribution has another algorithm under nvcc than without.
// Thread safety: as an int; give each thread an engine of its own.
template <class Engine = cursor>
struct thrust_engine : Engine {
  using Engine::Engine;
  using typename Engine::result_type;

  static constexpr result_type min = Engine::min();
  static constexpr result_type max = Engine::max();
};
thrust_engine(stream) -> thrust_engine<cursor>;
thrust_engine(stream, std::uint64_t) -> thrust_engine<cursor>;

}  // namespace rivus

#endif

#endif
