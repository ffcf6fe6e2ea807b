// executor: what the bulk calls run on.
#ifndef RIVUS_EXECUTOR_HPP
#define RIVUS_EXECUTOR_HPP

#include <cstddef>
#include <rivus/index.hpp>
#include <type_traits>

namespace rivus {

// Where a bulk call runs the parts of its work: OpenMP's threads by default, or a thread pool of the
// caller's. Never changes a bit of the result.
//
// A part is a range of the output and lies in memory as that of the same number before: with a pool that
// gives equal part numbers to equal threads, pages stay near the thread that first touched them, as they do
// with OpenMP. Small work stays in the calling thread.
class executor {
 public:
  // One part of the work; part(i) never throws, and what went wrong in it is thrown by the bulk call.
  class part {
   public:
    void operator()(std::size_t i) const { call_(state_, i); }

   private:
    friend class executor;
    void (*call_)(const void* state, std::size_t i);
    const void* state_;
  };

  // OpenMP's threads, as many as omp_get_max_threads() says; in a parallel region the calling thread.
  constexpr executor() noexcept = default;

  // A pool for at most `threads` parts: pool(n, p) calls p(i) once for every i < n, from any threads and in
  // any order, and returns when all have returned. The executor keeps a reference to the pool, which must outlive
  // it; a lambda written in the call does. What the pool throws passes through. With one part, and 0 counts as one
  // (hardware_concurrency() may say so), the calling thread does it and the pool stays idle.
  //
  //   auto pool = [&](std::size_t n, rivus::executor::part p) { tbb::parallel_for(std::size_t{0}, n, p); };
  //   rivus::fill(out, size, s, rivus::normal<float>{}, 0, rivus::executor(8, pool));
  template <class Pool>
  executor(index64 threads,
#if defined(__clang__)
           [[clang::lifetimebound]]
#endif
           Pool&& pool) noexcept
      : threads_(threads == 0 ? std::size_t{1} : std::size_t{threads}),
        pool_(&pool),
        run_([](const void* p, std::size_t n, part work) {
          (*static_cast<std::remove_reference_t<Pool>*>(const_cast<void*>(p)))(n, work);
        }) {
  }

  // The calling thread alone.
  static constexpr executor this_thread() noexcept {
    executor e;
    e.threads_ = 1;
    return e;
  }

  bool is_openmp() const noexcept { return threads_ == 0; }
  // The largest number of parts; 0 for OpenMP, which is asked at each call.
  std::size_t threads() const noexcept { return threads_; }

  // work(i) for every i < n, on the pool. Not for OpenMP's executor.
  template <class Work>
  void run(std::size_t n, const Work& work) const {
    part p;
    p.call_ = [](const void* state, std::size_t i) { (*static_cast<const Work*>(state))(i); };
    p.state_ = &work;
    run_(pool_, n, p);
  }

 private:
  std::size_t threads_ = 0;
  const void* pool_ = nullptr;
  void (*run_)(const void* pool, std::size_t n, part p) = nullptr;
};

}  // namespace rivus

#endif
