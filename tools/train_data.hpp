// train_data: labelled images from gzip-compressed idx files, the format of MNIST and Fashion-MNIST.
#ifndef RIVUS_TOOLS_TRAIN_DATA_HPP
#define RIVUS_TOOLS_TRAIN_DATA_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rivus::tools::training {

inline constexpr std::size_t image_side = 28;
inline constexpr std::size_t image_pixels = image_side * image_side;
inline constexpr std::size_t class_count = 10;

struct dataset {
  std::vector<std::uint8_t> images;  // size() x image_pixels
  std::vector<std::uint8_t> labels;  // below class_count

  std::size_t size() const { return labels.size(); }
};

// The set called "train" or "t10k": NAME-images-idx3-ubyte.gz and NAME-labels-idx1-ubyte.gz in `folder`.
// Errors: std::runtime_error that names the file, for anything but two whole files that fit together.
dataset read_dataset(const std::filesystem::path& folder, const std::string& name);

// What a network sees of each grey value: (x / 255 - 0.286) / 0.353, the data's mean and deviation removed.
const std::array<float, 256>& normalised_grey();

}  // namespace rivus::tools::training

#endif
