#include "train_loader.hpp"

#include <algorithm>
#include <numeric>
#include <rivus/bernoulli.hpp>
#include <rivus/integer.hpp>
#include <rivus/shuffle.hpp>

namespace rivus::tools::training {

namespace {

struct shift_and_flip {
  int down = 0;
  int right = 0;
  bool flip = false;
};

// Elements 0, 1 and 2 of the sample's stream.
shift_and_flip draw_augmentation(stream s) {
  constexpr integer<int> step{-1, 2};
  return {step(s, 0), step(s, 1), bernoulli{0.5}(s, 2)};
}

// Flips the image, then shifts it; what comes in from outside is black.
void transform(const std::uint8_t* image, shift_and_flip t, float* out) {
  constexpr int side = image_side;
  const std::array<float, 256>& grey = normalised_grey();
  for (int row = 0; row < side; ++row) {
    const int from_row = row - t.down;
    const bool row_inside = from_row >= 0 && from_row < side;
    for (int col = 0; col < side; ++col) {
      const int shifted = col - t.right;
      const int from_col = t.flip ? side - 1 - shifted : shifted;
      const bool inside = row_inside && from_col >= 0 && from_col < side;
      *out++ = grey[inside ? image[from_row * side + from_col] : 0];
    }
  }
}

}  // namespace

std::vector<std::uint32_t> epoch_order(std::size_t n, stream shuffle) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  rivus::shuffle(order.begin(), order.end(), shuffle);
  return order;
}

loader::loader(const epoch& e, std::size_t first_batch, std::size_t workers, const loader_hooks& hooks)
    : epoch_(e), hooks_(hooks), delivered_(first_batch), claimed_(first_batch), released_(first_batch) {
  // Twice as many buffers as workers: each may run one batch ahead.
  ring_.resize(std::max<std::size_t>(1, std::min(2 * workers, e.batch_count())));
  const std::size_t capacity = std::min(e.batch_size, e.order.size());
  for (slot& s : ring_) {
    s.content.images.resize(capacity * image_pixels);
    s.content.labels.resize(capacity);
  }
  workers_.reserve(workers);
  for (std::size_t i = 0; i < workers; ++i) {
    workers_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }
}

const batch& loader::next() {
  const std::size_t number = delivered_++;
  slot& wanted = slot_of(number);
  if (workers_.empty()) {
    prepare(number, wanted.content);
    return wanted.content;
  }
  std::unique_lock lock(mutex_);
  released_ = number;
  changed_.notify_all();
  changed_.wait(lock, [&] { return wanted.ready || error_; });
  if (error_) std::rethrow_exception(error_);
  wanted.ready = false;
  return wanted.content;
}

void loader::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (claimed_ < epoch_.batch_count()) {
    const std::size_t number = claimed_++;
    if (!changed_.wait(lock, stop, [&] { return number < released_ + ring_.size(); })) return;
    slot& mine = slot_of(number);
    lock.unlock();
    std::exception_ptr error;
    try {
      prepare(number, mine.content);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error) error_ = error;
    mine.ready = true;
    changed_.notify_all();
  }
}

void loader::prepare(std::size_t number, batch& out) const {
  if (hooks_.before_preparing) hooks_.before_preparing(number);
  const std::size_t first = number * epoch_.batch_size;
  out.samples = epoch_.order.subspan(first, std::min(epoch_.batch_size, epoch_.order.size() - first));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint32_t sample = out.samples[i];
    const shift_and_flip t = epoch_.augmented ? draw_augmentation(epoch_.augment[sample]) : shift_and_flip{};
    transform(&epoch_.data.images[sample * image_pixels], t, &out.images[i * image_pixels]);
    out.labels[i] = epoch_.data.labels[sample];
  }
  if (hooks_.after_preparing) hooks_.after_preparing(number);
}

}  // namespace rivus::tools::training
