// train_checkpoint: all that a training run needs to go on, in one file.
#ifndef RIVUS_TOOLS_TRAIN_CHECKPOINT_HPP
#define RIVUS_TOOLS_TRAIN_CHECKPOINT_HPP

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "digest.hpp"

namespace rivus::tools::training {

// What decides the values of a run; nothing else does. Two runs that agree in all of it give the same
// digests.
struct hyperparameters {
  std::uint64_t seed = 0;
  std::uint64_t epochs = 3;
  std::uint64_t batch = 128;
  double lr = 0.05;
  double dropout = 0.1;
  bool augment = true;
};

struct checkpoint {
  hyperparameters parameters;
  std::uint64_t samples = 0;  // in the training data
  std::string data;           // their digest
  std::uint64_t epoch = 0;    // the place of the next batch
  std::uint64_t batch = 0;
  digest order;  // of what has been consumed and drawn so far
  digest masks;
  std::vector<float> weights;
  std::vector<float> velocity;
};

// Replaces the file in one step: at any time it is whole, the old one or the new one.
// Errors: std::runtime_error that names the file.
void save_checkpoint(const std::filesystem::path& file, const checkpoint& state);

// Errors: std::runtime_error that names the file and says what is wrong with it.
checkpoint load_checkpoint(const std::filesystem::path& file);

// Errors: usage_error for the first parameter in which the run that was saved and this one differ, and for
// other training data.
void expect_same_run(const std::filesystem::path& file, const checkpoint& saved, const hyperparameters& given,
                     std::uint64_t samples, const std::string& data);

}  // namespace rivus::tools::training

#endif
