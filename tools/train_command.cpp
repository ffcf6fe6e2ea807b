#include <fmt/format.h>
#include <signal.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <rivus/real.hpp>

#include "numbers.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "train.hpp"

namespace rivus::tools {

namespace training {

namespace {

constexpr const char* default_folder = "/usr/share/datasets/fashion-mnist";
constexpr int interrupted_exit_code = 130;

struct train_options {
  settings run;
  std::filesystem::path data = default_folder;
  std::uint64_t limit = 0;  // 0: all
  std::uint64_t seeds = 1;
};

// While it lives the first SIGINT or SIGTERM is a request; a second one ends the program as ever.
class stop_request {
 public:
  stop_request() {
    requested_ = false;
    struct sigaction action{};
    action.sa_handler = [](int) { requested_ = true; };
    action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
    for (std::size_t i = 0; i < signals.size(); ++i) {
      sigaction(signals[i], nullptr, &before_[i]);
      // Whoever started the program with a signal ignored wants it ignored.
      if (before_[i].sa_handler != SIG_IGN) sigaction(signals[i], &action, nullptr);
    }
  }
  ~stop_request() {
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
  }
  stop_request(const stop_request&) = delete;
  stop_request& operator=(const stop_request&) = delete;

  static bool made() { return requested_; }

 private:
  static constexpr std::array<int, 3> signals{SIGINT, SIGTERM, SIGHUP};
  static inline std::atomic<bool> requested_ = false;
  static_assert(std::atomic<bool>::is_always_lock_free);
  std::array<struct sigaction, signals.size()> before_{};
};

// The bar of one run, counted from its first step here: samples a second, and how many of this epoch were
// classified correctly.
class run_progress {
 public:
  run_progress(std::string label, std::uint64_t epochs) : label_(std::move(label)), epochs_(epochs) {}

  void update(const position& at) {
    if (!bar_) {
      first_ = at.step - 1;
      bar_.emplace(label_, at.steps - first_);
      start_ = clock::now();
    } else {
      samples_ += at.seen - (at.epoch == last_.epoch ? last_.seen : 0);
    }
    last_ = at;
    const double elapsed = std::chrono::duration<double>(clock::now() - start_).count();
    bar_->update(at.step - first_,
                 fmt::format("epoch {}/{}, step {}/{}, {:.0f}/s, acc {:.3f}", at.epoch + 1, epochs_, at.step,
                             at.steps, static_cast<double>(samples_) / std::max(elapsed, 1e-9),
                             static_cast<double>(at.correct) / static_cast<double>(at.seen)));
  }
  void clear() {
    if (bar_) bar_->clear();
  }

 private:
  using clock = std::chrono::steady_clock;

  std::string label_;
  std::uint64_t epochs_;
  std::optional<progress> bar_;
  std::uint64_t first_ = 0;
  position last_{};
  std::uint64_t samples_ = 0;  // since the first step
  clock::time_point start_;
};

[[noreturn]] void end_interrupted(const train_options& options, const outcome& result) {
  const std::string file = options.run.save.string();
  fmt::print(stderr, "rivus: stopped after step {} of {}; {}\n", result.step, result.steps,
             file.empty() ? "nothing was saved, as there was no --save FILE"
                          : fmt::format("saved, to be continued with --resume {}", file));
  throw CLI::RuntimeError(interrupted_exit_code);
}

outcome run_one(const train_options& options, std::uint64_t seed, const dataset& train, const dataset& test,
                digests& all) {
  settings s = options.run;
  s.parameters.seed = seed;
  run_progress bar(options.seeds == 1 ? "train" : fmt::format("seed {}", seed), s.parameters.epochs);
  callbacks calls;
  calls.after_step = [&](const position& at) { bar.update(at); };
  // Nobody reads any more: stop and save first, for nothing shall be lost.
  std::exception_ptr unread;
  calls.after_epoch = [&](double accuracy) {
    bar.clear();
    try {
      write_stdout(fmt::format("accuracy {:.4f}\n", accuracy));
    } catch (...) {
      unread = std::current_exception();
    }
  };
  calls.should_stop = [&] { return stop_request::made() || unread; };
  const outcome result = run(s, train, test, calls, all);
  bar.clear();
  if (unread) std::rethrow_exception(unread);
  if (!result.finished) end_interrupted(options, result);
  return result;
}

// Mean, sample standard deviation and range.
std::string summary(const std::vector<double>& accuracies) {
  const auto n = static_cast<double>(accuracies.size());
  double total = 0;
  for (const double a : accuracies) total += a;
  const double mean = total / n;
  double squares = 0;
  for (const double a : accuracies) squares = real::fma(a - mean, a - mean, squares);
  const auto [least, most] = std::minmax_element(accuracies.begin(), accuracies.end());
  return fmt::format("mean {:.4f}\nspread {:.4f}\nrange {:.4f} {:.4f}\n", mean, real::sqrt(squares / (n - 1)),
                     *least, *most);
}

void expect_consistent(const train_options& options) {
  const settings& s = options.run;
  check(s.parameters);
  if (s.save_every != 0 && s.save.empty()) throw usage_error("--save-every: needs --save FILE");
  if (options.seeds > 1) {
    if (!s.save.empty()) throw usage_error("--save: one file cannot hold the runs of several --seeds");
    if (!s.resume.empty()) throw usage_error("--resume: cannot be combined with several --seeds");
    if (s.parameters.epochs == 0) throw usage_error("--seeds: needs at least one epoch to compare");
  }
  // An unwritable place is found now and not after the training.
  if (!s.save.empty()) replacement_file probe(s.save);
}

dataset read_training_data(const train_options& options) {
  dataset train = read_dataset(options.data, "train");
  if (options.limit > train.size()) {
    throw usage_error(fmt::format("--limit: {} is more than the {} training samples in {}", options.limit,
                                  train.size(), options.data.string()));
  }
  if (options.limit != 0) {
    train.labels.resize(options.limit);
    train.images.resize(options.limit * image_pixels);
  }
  return train;
}

void train(const train_options& options) {
  expect_consistent(options);
  const stop_request stop;
  if (!std::filesystem::is_directory(options.data)) {
    throw std::runtime_error(
        fmt::format("{}: no such folder; the Debian package dataset-fashion-mnist installs the data into {}, "
                    "and --data DIR names "
                    "another place",
                    options.data.string(), default_folder));
  }
  const dataset train_set = read_training_data(options);
  const dataset test_set = read_dataset(options.data, "t10k");

  digests all;
  std::vector<double> accuracies;
  std::exception_ptr not_saved;
  for (std::uint64_t k = 0; k < options.seeds; ++k) {
    const std::uint64_t seed = options.run.parameters.seed + k;
    const outcome result = run_one(options, seed, train_set, test_set, all);
    accuracies.push_back(result.accuracy);
    not_saved = result.not_saved;
    if (options.seeds > 1) write_stdout(fmt::format("seed {} accuracy {:.4f}\n", seed, accuracies.back()));
  }
  if (options.seeds > 1) write_stdout(summary(accuracies));
  write_stdout(fmt::format("digest weights {}\ndigest order {}\ndigest masks {}\n", all.weights.hex(),
                           all.order.hex(), all.masks.hex()));
  if (not_saved) std::rethrow_exception(not_saved);
}

template <class T>
void add_integer(CLI::App& command, const std::string& name, T& value, T least, T most, const char* type_name,
                 const std::string& help) {
  command
      .add_option_function<std::string>(
          name,
          [=, &value](const std::string& text) { value = integer_argument<T>(name, text, least, most); },
          help)
      ->type_name(type_name);
}

void add_real(CLI::App& command, const std::string& name, double& value, const char* type_name,
              const std::string& help) {
  command
      .add_option_function<std::string>(
          name, [=, &value](const std::string& text) { value = real_argument<double>(name, text); }, help)
      ->type_name(type_name);
}

void add_path(CLI::App& command, const std::string& name, std::filesystem::path& value, const char* type_name,
              const std::string& help) {
  command
      .add_option_function<std::string>(
          name,
          [=, &value](const std::string& text) {
            if (text.empty()) throw usage_error(name + ": a name is missing");
            value = text;
          },
          help)
      ->type_name(type_name);
}

void describe(CLI::App& command) {
  command.footer(
      "Trains a perceptron (784-256-128-10, ReLU, dropout, softmax cross-entropy, SGD with momentum 0.9) and "
      "prints\n"
      "'accuracy A', on the test images, after each epoch and, last, three digests: of the final weights, of "
      "the order\n"
      "in which the samples were used and of the dropout masks. They depend on --seed, --epochs, --batch, "
      "--lr,\n"
      "--dropout, --no-augment and the data, and on nothing else: not on --threads, --workers, --isa, or on "
      "where a\n"
      "run was stopped and resumed.\n"
      "\n"
      "Everything random has a stream of its own below the seed's root: init/<layer>, shuffle/<epoch>,\n"
      "dropout/<layer>/<step>, augment/<epoch>/<sample>; layers are fc1, fc2 and fc3, numbers count from 0.\n"
      "\n"
      "With --seeds K the seeds S, S+1, ... run in turn. Each ends with a line 'seed S accuracy A'; after "
      "the last come\n"
      "the mean, the spread (standard deviation) and the range of these, and the digests are of all runs in "
      "turn.\n"
      "\n"
      "Ctrl-C finishes the step, saves if there is a --save FILE, and exits with 130; a second one ends at "
      "once.\n"
      "\n"
      "Examples:\n"
      "  rivus train --seed 7 --save run.ckpt\n"
      "  rivus train --seed 7 --resume run.ckpt\n"
      "  rivus train --epochs 1 --seeds 5");
  const auto options = std::make_shared<train_options>();
  settings& s = options->run;
  add_seed(command, s.parameters.seed);
  add_integer<std::uint64_t>(
      command, "--epochs", s.parameters.epochs, 0, most_epochs, "N",
      "Passes over the training data; 0 shows the initial weights' digest (default: 3)");
  add_integer<std::uint64_t>(command, "--batch", s.parameters.batch, 1, most_samples, "N",
                             "Samples a step; the last batch of an epoch may be smaller (default: 128)");
  add_real(command, "--lr", s.parameters.lr, "X",
           "Learning rate, falling linearly to 0 over the run (default: 0.05)");
  add_real(command, "--dropout", s.parameters.dropout, "P",
           "Probability that a hidden unit is dropped, in [0, 1); 0 switches dropout off (default: 0.1)");
  command.add_flag_callback(
      "--no-augment", [options] { options->run.parameters.augment = false; },
      "Take the images as they are, without random shifts and flips");
  add_threads(command);
  add_integer<std::size_t>(
      command, "--workers", s.workers, 0, 256, "N",
      "Threads that prepare batches, 0 to 256; they change the speed and no value (default: 2)");
  add_isa(command);
  add_path(command, "--data", options->data, "DIR",
           std::string("Folder of the four idx files, gzipped or not (default: ") + default_folder + ")");
  add_integer<std::uint64_t>(command, "--limit", options->limit, 1, most_samples, "N",
                             "Train on the first N training samples only (default: all)");
  add_integer<std::uint64_t>(command, "--seeds", options->seeds, 1, 1000000, "K",
                             "Run K seeds, from --seed on, and compare their accuracies (default: 1)");
  add_path(command, "--save", s.save, "FILE", "Save the state here when the run ends or is stopped");
  add_integer<std::uint64_t>(command, "--save-every", s.save_every, 1, UINT64_MAX, "N",
                             "Save also after every N steps of the run");
  add_path(command, "--resume", s.resume, "FILE", "Go on from a saved state, under the same parameters");
  add_integer<std::uint64_t>(command, "--stop-after", s.stop_after, 1, UINT64_MAX, "N",
                             "Stop after N steps, as if interrupted");
  command.callback([options] { train(*options); });
}

}  // namespace

}  // namespace training

void add_train(CLI::App& app) {
  training::describe(
      *app.add_subcommand("train", "Train a classifier on Fashion-MNIST, to the same bits everywhere"));
}

}  // namespace rivus::tools
