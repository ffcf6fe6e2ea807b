#include "train.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <rivus/real.hpp>
#include <stdexcept>

#include "numbers.hpp"
#include "train_model.hpp"

namespace rivus::tools::training {

namespace {

std::string digest_of(const dataset& data) {
  digest d;
  d.add(data.images.data(), data.images.size());
  d.add(data.labels.data(), data.labels.size());
  return d.hex();
}

class trainer {
 public:
  trainer(const settings& s, const dataset& train, const dataset& test, const callbacks& calls, digests& all)
      : settings_(s),
        train_(train),
        test_(test),
        calls_(calls),
        digests_(all),
        root_(stream::from_seed(s.parameters.seed)),
        batch_size_(std::min<std::uint64_t>(s.parameters.batch, train.size())),
        batches_((train.size() + batch_size_ - 1) / batch_size_),
        steps_(s.parameters.epochs * batches_),
        model_(root_),
        dropout_(s.parameters.dropout) {
    if (!s.save.empty() || !s.resume.empty()) data_ = digest_of(train);
    if (!s.resume.empty()) resume();
  }

  outcome run() {
    while (step_ < steps_) {
      if (!run_epoch(step_ / batches_)) {
        save();
        return {false, step_, steps_, accuracy_, nullptr};
      }
    }
    digests_.weights.add(model_.weights().data(), parameter_count);
    outcome result{true, step_, steps_, accuracy_, nullptr};
    try {
      save();
    } catch (...) {
      result.not_saved = std::current_exception();
    }
    return result;
  }

 private:
  // Returns false when it was stopped before the end of the run.
  bool run_epoch(std::uint64_t number) {
    const std::vector<std::uint32_t> order = epoch_order(train_.size(), root_["shuffle"][number]);
    const epoch e{train_, order, batch_size_, settings_.parameters.augment, root_["augment"][number]};
    loader batches(e, step_ % batches_, settings_.workers, calls_.loading);
    position at{step_, steps_, number, 0, 0};
    while (step_ < (number + 1) * batches_) {
      if (must_stop()) return false;
      const batch& b = batches.next();
      at.correct += run_step(b);
      at.seen += b.size();
      at.step = step_;
      if (calls_.after_step) calls_.after_step(at);
      if (settings_.save_every != 0 && step_ % settings_.save_every == 0 && step_ < steps_) save();
    }
    end_epoch();
    return true;
  }

  std::size_t run_step(const batch& b) {
    dropout_.draw(root_, step_, b.size());
    const std::size_t correct =
        model_.step(b.images.data(), std::span(b.labels).first(b.size()), dropout_, learning_rate());
    digests_.order.add(b.samples.data(), b.size());
    for (std::size_t l = 0; l < hidden_layers; ++l)
      digests_.masks.add(dropout_.mask(l).data(), dropout_.mask(l).size());
    ++step_;
    return correct;
  }

  // Falls linearly and reaches 0 after the last step.
  float learning_rate() const {
    const auto left = static_cast<double>(steps_ - step_);
    return static_cast<float>(
        real::div(real::mul(settings_.parameters.lr, left), static_cast<double>(steps_)));
  }

  bool must_stop() const {
    if (settings_.stop_after != 0 && step_ - first_step_ >= settings_.stop_after) return true;
    return calls_.should_stop && calls_.should_stop();
  }

  void end_epoch() {
    const auto weights = model_.weights();
    if (!std::all_of(weights.begin(), weights.end(), [](float w) { return real::is_finite(w); })) {
      throw std::runtime_error(fmt::format(
          "training diverged: after step {} there are weights that are not finite; --lr {} is too large",
          step_, settings_.parameters.lr));
    }
    accuracy_ =
        real::div(static_cast<double>(model_.count_correct(test_)), static_cast<double>(test_.size()));
    if (calls_.after_epoch) calls_.after_epoch(accuracy_);
  }

  void save() const {
    if (settings_.save.empty()) return;
    checkpoint c;
    c.parameters = settings_.parameters;
    c.samples = train_.size();
    c.data = data_;
    c.epoch = step_ / batches_;
    c.batch = step_ % batches_;
    c.order = digests_.order;
    c.masks = digests_.masks;
    c.weights.assign(model_.weights().begin(), model_.weights().end());
    c.velocity.assign(model_.velocity().begin(), model_.velocity().end());
    save_checkpoint(settings_.save, c);
  }

  void resume() {
    const checkpoint c = load_checkpoint(settings_.resume);
    expect_same_run(settings_.resume, c, settings_.parameters, train_.size(), data_);
    step_ = first_step_ = c.epoch * batches_ + c.batch;
    digests_.order = c.order;
    digests_.masks = c.masks;
    std::copy(c.weights.begin(), c.weights.end(), model_.weights().begin());
    std::copy(c.velocity.begin(), c.velocity.end(), model_.velocity().begin());
  }

  const settings& settings_;
  const dataset& train_;
  const dataset& test_;
  const callbacks& calls_;
  digests& digests_;
  const stream root_;
  const std::uint64_t batch_size_;
  const std::uint64_t batches_;  // in an epoch
  const std::uint64_t steps_;    // in the run
  perceptron model_;
  dropout dropout_;
  std::string data_;
  std::uint64_t step_ = 0;
  std::uint64_t first_step_ = 0;
  double accuracy_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace

void check(const hyperparameters& p) {
  const auto expect = [](bool holds, const char* option, auto value, const char* domain) {
    if (!holds) throw usage_error(fmt::format("{}: {} {}", option, value, domain));
  };
  expect(p.epochs <= most_epochs, "--epochs", p.epochs, "is too large");
  expect(p.batch >= 1 && p.batch <= most_samples, "--batch", p.batch, "must lie in [1, 2^32]");
  expect(p.lr > 0 && real::is_finite(static_cast<float>(p.lr)), "--lr", p.lr, "must be positive and finite");
  expect(p.dropout >= 0 && p.dropout < 1, "--dropout", p.dropout, "must lie in [0, 1)");
}

outcome run(const settings& s, const dataset& train, const dataset& test, const callbacks& calls,
            digests& all) {
  check(s.parameters);
  if (train.size() == 0 || test.size() == 0)
    throw std::invalid_argument("training needs data, and so does its test");
  return trainer(s, train, test, calls, all).run();
}

}  // namespace rivus::tools::training
