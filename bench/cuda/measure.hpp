// How times are taken: the ways to do one thing, in turn, between CUDA events.
#ifndef RIVUS_BENCH_CUDA_MEASURE_HPP
#define RIVUS_BENCH_CUDA_MEASURE_HPP

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "device.hpp"

namespace rivus::device_bench {

enum class role { ours, ceiling, curand_generate, curand_seed, curand_create, curand_loop, other };
const char* name_of(role r);

// A way to do what a group is about.
struct way {
  std::string name;
  role kind = role::other;
  // Puts launch number k on the stream; successive ones work on successive places in memory.
  std::function<void(cudaStream_t, std::uint64_t k)> run;
  // Runs once and compares with the CPU. Errors: std::runtime_error for other bits.
  std::function<void()> check = {};
  bool capturable = true;
  // Seconds of setting up in every run: not for every size.
  bool slow = false;
  // Of a run; 0 for the group's.
  double amount = 0;
};

// What is compared within one table row: bytes moved, or operations done, by each run.
struct group {
  double amount = 0;
  const char* unit = "GB/s";
  std::vector<way> ways = {};
};

struct settings {
  std::size_t least = std::size_t{1} << 10, most = std::size_t{1} << 32;
  int step = 2;  // of sizes, in powers of 2
  double seconds = 120;
  double batch_seconds = 1e-3;
  int rounds = 25;
  std::uint64_t graph_launches = 32;
  std::string filter;
};

// Memory for runs to take turns in, so that none finds its own lines in a cache.
class arena {
 public:
  explicit arena(std::size_t bytes) : size_(bytes), memory_(device_memory<unsigned char>(bytes)) {}

  std::size_t size() const { return size_; }
  template <class T = void>
  T* place(std::size_t bytes, std::uint64_t k) const {
    const std::size_t stride = (bytes + 255) / 256 * 256;
    return reinterpret_cast<T*>(memory_.get() + k % (size_ / stride) * stride);
  }
  // Copies the first `period` bytes over all the others.
  void repeat(std::size_t period) const;

 private:
  std::size_t size_;
  std::shared_ptr<unsigned char> memory_;
};

struct context {
  settings options;
  cudaStream_t stream = nullptr;
  std::size_t cache = 0;  // bytes of L2
  int multiprocessors = 1;
  // Input: floats in [0, 1), whose pairs read as doubles of the same sign and no odd magnitude.
  std::optional<arena> in, out;

  std::size_t rotation(std::size_t bytes) const;
};

struct timing {
  std::string left_out;  // the reason
  std::uint64_t batch = 0;
  std::vector<double> seconds;  // of one run, ascending
  double quantile(double q) const;
};

// One timing a way. Rounds go on until `budget` seconds are over, three at least. In graphs the launches are
// replayed from one captured graph.
// Errors: std::runtime_error where a way of ours fails or gives other bits than the CPU, and for errors of the
// device that no later call survives.
std::vector<timing> measure(const context& c, const group& g, bool graphs, bool with_slow, double budget);

}  // namespace rivus::device_bench

#endif
