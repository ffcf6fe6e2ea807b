// With an operator new that fails when told to.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <rivus/rivus.hpp>
#include <thread>
#include <vector>

#include "support.hpp"

namespace {
std::atomic<bool> exhausted{false};
// How often the other one succeeds, where that is not negative.
std::atomic<int> left{-1};
}  // namespace

// Not inlined, as g++ would see free where it expects its own.
[[gnu::noinline]] void* operator new(std::size_t n) {
  if (left == 0) throw std::bad_alloc();
  if (left > 0) --left;
  void* p = std::malloc(n == 0 ? 1 : n);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

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

// call() without memory for anything, then with memory for one thing, and so on until it succeeds: before that it
// throws, `least` times or more, and writes nothing.
template <class Call>
void expect_nothing_written(const char* what, int least, std::initializer_list<std::vector<float>*> outputs,
                            Call call) {
  SCOPED_TRACE(what);
  for (std::vector<float>* out : outputs) std::fill(out->begin(), out->end(), 7.0f);
  for (int allowed = 0;; ++allowed) {
    bool failed = false;
    left = allowed;
    try {
      call();
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    left = -1;
    if (!failed) {
      EXPECT_GE(allowed, least);
      return;
    }
    for (const std::vector<float>* out : outputs)
      EXPECT_TRUE(std::all_of(out->begin(), out->end(), [](float x) { return x == 7; })) << allowed;
  }
}

TEST(memory, is_asked_for_before_anything_is_written) {
  // Three parts, in this thread.
  auto pool = [](std::size_t n, executor::part part) {
    for (std::size_t i = 0; i < n; ++i) part(i);
  };
  const executor on(3, pool);
  {
    // Two chunks of rows.
    constexpr std::size_t rows = 2100, cols = 3;
    std::vector<float> x(rows * cols, 2), ones(rows, 1), dx(rows * cols), dweight(cols), dbias(cols);
    const matrix<const float> view(x.data(), rows, cols);
    const matrix<float> to(dx.data(), rows, cols);
    expect_nothing_written("layer_norm_backward", 4, {&dx, &dweight, &dbias}, [&] {
      layer_norm_backward<float>(view, view, nullptr, ones.data(), ones.data(), to, dweight.data(),
                                 dbias.data(), on);
    });
    expect_nothing_written("rms_norm_backward", 2, {&dx, &dweight}, [&] {
      rms_norm_backward<float>(view, view, nullptr, ones.data(), to, dweight.data(), on);
    });
    expect_nothing_written("reduce_columns", 2, {&dweight},
                           [&] { reduce_columns(reduction::logsumexp, view, dweight.data(), on); });
    expect_nothing_written("variance_columns", 3, {&dweight},
                           [&] { variance_columns(view, dweight.data(), 1, on); });
  }
  {
    // More chunks in a row than there is room for without asking, in rows that follow one another.
    constexpr std::size_t rows = 2, cols = (std::size_t{1} << 20) + 1;
    std::vector<float> x(rows * cols, 2), y(rows * cols), mean(rows);
    const matrix<const float> view(x.data(), rows, cols);
    const matrix<float> to(y.data(), rows, cols);
    expect_nothing_written("softmax", 1, {&y}, [&] { softmax(view, to, on); });
    expect_nothing_written("layer_norm", 1, {&y, &mean}, [&] {
      layer_norm<float>(view, nullptr, nullptr, 1, to, mean.data(), nullptr, on);
    });
    expect_nothing_written("reduce_rows", 1, {&mean},
                           [&] { reduce_rows(reduction::sum, view, mean.data(), on); });
    expect_nothing_written("cumsum_rows", 2, {&y}, [&] { cumsum_rows(view, to, on); });
  }
  {
    constexpr std::size_t n = 30'000, size = 5;
    std::vector<std::int32_t> ids(n);
    for (std::size_t i = 0; i < n; ++i) ids[i] = static_cast<std::int32_t>(i * 7 % size);
    const std::vector<float> x(n * 2, 1);
    const std::vector<std::int32_t> offsets = {0, 100};
    std::vector<float> out(size), rows(size * 2);
    expect_nothing_written("index_add", 2, {&out},
                           [&] { index_add(out.data(), size, ids.data(), x.data(), n, on); });
    expect_nothing_written("segment_sum", 2, {&out},
                           [&] { segment_sum(ids.data(), x.data(), n, out.data(), size, on); });
    expect_nothing_written("index_add_rows", 2, {&rows},
                           [&] { index_add_rows(rows.data(), size, 2, ids.data(), x.data(), n, on); });
    expect_nothing_written("embedding_bag_backward", 3, {&rows}, [&] {
      embedding_bag_backward(x.data(), ids.data(), n, offsets.data(), 2, bag_mode::mean, rows.data(), size, 2,
                             on);
    });
    std::vector<float> counts(size * 2);
    auto* const to = reinterpret_cast<std::uint64_t*>(counts.data());
    expect_nothing_written("bincount", 1, {&counts}, [&] { bincount(ids.data(), n, to, size, on); });
    expect_nothing_written("histogram", 1, {&counts},
                           [&] { histogram(x.data(), n, 0.0f, 2.0f, to, size, on); });
  }
}

}  // namespace
}  // namespace rivus
