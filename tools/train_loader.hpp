// train_loader: the batches of one epoch, prepared by worker threads and delivered in order.
#ifndef RIVUS_TOOLS_TRAIN_LOADER_HPP
#define RIVUS_TOOLS_TRAIN_LOADER_HPP

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <rivus/stream.hpp>
#include <span>
#include <thread>
#include <vector>

#include "train_data.hpp"

namespace rivus::tools::training {

struct batch {
  std::span<const std::uint32_t> samples;  // their places in the data
  std::vector<float> images;               // size() x image_pixels, normalised
  std::vector<std::uint8_t> labels;

  std::size_t size() const { return samples.size(); }
};

// The samples 0 .. n-1 in the random order of an epoch.
std::vector<std::uint32_t> epoch_order(std::size_t n, stream shuffle);

// What an epoch consists of. Everything random about sample i comes from augment[i], whoever prepares it.
struct epoch {
  const dataset& data;
  std::span<const std::uint32_t> order;
  std::size_t batch_size;
  bool augmented;
  stream augment;

  std::size_t batch_count() const { return (order.size() + batch_size - 1) / batch_size; }
};

// Called by whoever prepares a batch, with its number in the epoch. For tests.
struct loader_hooks {
  std::function<void(std::size_t)> before_preparing;
  std::function<void(std::size_t)> after_preparing;
};

// Workers take the batches in order, prepare them side by side in a ring of buffers, and may finish in any
// order; next() delivers them in order. Without workers next() does the work.
class loader {
 public:
  loader(const epoch& e, std::size_t first_batch, std::size_t workers, const loader_hooks& hooks);

  // The next batch, valid until the next call. Errors: what a worker has thrown.
  const batch& next();

 private:
  struct slot {
    batch content;
    bool ready = false;
  };

  slot& slot_of(std::size_t number) { return ring_[number % ring_.size()]; }
  void work(const std::stop_token& stop);
  void prepare(std::size_t number, batch& out) const;

  const epoch epoch_;
  const loader_hooks& hooks_;
  std::vector<slot> ring_;
  std::size_t delivered_;  // numbers below are out of the ring, or in the caller's hands

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::size_t claimed_;   // numbers below have a worker
  std::size_t released_;  // numbers below are done with
  std::exception_ptr error_;
  std::vector<std::jthread> workers_;  // last: they stop before what they use goes
};

}  // namespace rivus::tools::training

#endif
