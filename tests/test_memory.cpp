// With an operator new that fails when told to.
#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <rivus/rivus.hpp>
#include <thread>
#include <vector>

#include "support.hpp"

namespace {
std::atomic<bool> exhausted{false};
}

void* operator new(std::size_t n, std::align_val_t alignment) {
  void* p = exhausted ? nullptr : std::aligned_alloc(static_cast<std::size_t>(alignment), (n + 63) / 64 * 64);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace rivus {
namespace {

TEST(memory, a_worker_without_memory_is_an_error_of_the_call) {
  const test::threads_kept kept;
  constexpr std::size_t m = 300;
  const std::vector<float> a(m * m, 1.0f);
  std::vector<float> c(m * m);
  const matrix<const float> view(a.data(), m, m);
  // Threads that have not multiplied before.
  auto pool = [](std::size_t n, executor::part part) {
    for (std::size_t i = 0; i < n; ++i) std::thread([&] { part(i); }).join();
  };
  for (const bool openmp : {true, false}) {
    omp_set_num_threads(openmp ? 3 : 1);
    const executor on = openmp ? executor() : executor(3, pool);
    exhausted = true;
    EXPECT_THROW(matmul(view, view, {c.data(), m, m}, on), std::bad_alloc);
    exhausted = false;
    matmul(view, view, {c.data(), m, m}, on);
    EXPECT_EQ(c, std::vector<float>(m * m, float(m)));
  }
}

}  // namespace
}  // namespace rivus
