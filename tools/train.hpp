// train: a whole training run, from a seed to digests.
#ifndef RIVUS_TOOLS_TRAIN_HPP
#define RIVUS_TOOLS_TRAIN_HPP

#include <CLI/App.hpp>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>

#include "digest.hpp"
#include "train_checkpoint.hpp"
#include "train_data.hpp"
#include "train_loader.hpp"

namespace rivus::tools {

// `rivus train`.
void add_train(CLI::App& app);

namespace training {

// The largest that make sense; beyond them counts of steps could overflow.
inline constexpr std::uint64_t most_epochs = 1000000;
inline constexpr std::uint64_t most_samples = std::uint64_t{1} << 32;

// Errors: usage_error for the first parameter outside its domain.
void check(const hyperparameters& p);

struct settings {
  hyperparameters parameters;
  std::size_t workers = 2;
  std::filesystem::path save;    // empty: nowhere
  std::uint64_t save_every = 0;  // steps; 0: only at the end
  std::filesystem::path resume;  // empty: from the beginning
  std::uint64_t stop_after = 0;  // steps of this run; 0: never
};

struct position {
  std::uint64_t step;  // done, of all
  std::uint64_t steps;
  std::uint64_t epoch;    // running, of all, from 0
  std::uint64_t correct;  // in this epoch, of seen
  std::uint64_t seen;
};

// What a caller may watch and decide; each may be empty.
struct callbacks {
  std::function<void(const position&)> after_step;
  std::function<void(double accuracy)> after_epoch;
  std::function<bool()> should_stop;  // asked between steps
  loader_hooks loading;
};

struct outcome {
  bool finished;  // false: stopped, and saved where a file was named
  std::uint64_t step;
  std::uint64_t steps;
  double accuracy;               // after the last epoch; NaN where this run has ended none
  std::exception_ptr not_saved;  // why the end of a finished run could not be saved
};

// The digests of one run, or of several in turn.
struct digests {
  digest weights;  // the final parameters, float32, little-endian, in the order of the layers
  digest order;    // the samples in the order consumed, uint32, little-endian
  digest masks;    // the dropout masks in the order drawn, a byte an output
};

// Trains. Appends to `all` when the run finishes.
// Values: neither workers nor threads nor the instruction set nor a stop and resumption changes a bit.
// Errors: usage_error for bad settings; std::runtime_error for files, and for weights that are no longer
// finite.
outcome run(const settings& s, const dataset& train, const dataset& test, const callbacks& calls,
            digests& all);

}  // namespace training
}  // namespace rivus::tools

#endif
