// train_model: the perceptron that `rivus train` trains.
#ifndef RIVUS_TOOLS_TRAIN_MODEL_HPP
#define RIVUS_TOOLS_TRAIN_MODEL_HPP

#include <array>
#include <rivus/matmul.hpp>
#include <rivus/stream.hpp>
#include <span>
#include <vector>

#include "train_data.hpp"

namespace rivus::tools::training {

struct layer {
  const char* name;
  std::size_t inputs;
  std::size_t outputs;
};

inline constexpr std::array<layer, 3> layers{
    {{"fc1", image_pixels, 256}, {"fc2", 256, 128}, {"fc3", 128, class_count}}};
inline constexpr std::size_t hidden_layers = layers.size() - 1;

// Weights and biases of all layers, in order: inputs x outputs row-major, then the biases.
inline constexpr std::size_t parameter_count = [] {
  std::size_t n = 0;
  for (const layer& l : layers) n += (l.inputs + 1) * l.outputs;
  return n;
}();

// Which outputs of the hidden layers a step drops: element row * outputs + unit of a layer's stream is true
// with probability p. The others are multiplied by 1 / (1 - p).
class dropout {
 public:
  explicit dropout(double p) : p_(p) {}

  // From root["dropout"][layer][step]; nothing when p is 0.
  void draw(stream root, std::uint64_t step, std::size_t rows);

  bool is_on() const { return p_ > 0; }
  float scale() const { return static_cast<float>(1 / (1 - p_)); }
  // Of hidden layer l, one byte an output: 1 where it is dropped.
  std::span<const std::uint8_t> mask(std::size_t l) const { return masks_[l]; }

 private:
  double p_;
  std::array<std::vector<std::uint8_t>, hidden_layers> masks_;
};

// Fully connected layers with ReLU between them, trained on the softmax cross-entropy.
//
// Every sum has a fixed order: products and bias gradients are matmul/v1 (over the rows of a batch,
// ascending), the sum of a softmax is sum/v1, and the rest is element by element with explicit fma.
class perceptron {
 public:
  // Weights Kaiming-normal, standard deviation sqrt(2 / inputs), from root["init"][layer]; biases zero.
  explicit perceptron(stream root);

  std::span<float> weights() { return weights_; }
  std::span<const float> weights() const { return weights_; }
  std::span<float> velocity() { return velocity_; }
  std::span<const float> velocity() const { return velocity_; }

  // One step of stochastic gradient descent with momentum: v = fma(momentum, v, gradient), w = fma(-rate, v,
  // w). Returns how many of the images were classified correctly before it.
  std::size_t step(const float* images, std::span<const std::uint8_t> labels, const dropout& drop,
                   float rate);

  // How many images of the set are classified correctly.
  std::size_t count_correct(const dataset& data);

 private:
  // A layer's part of a vector of parameters.
  static matrix<float> weights_of(std::vector<float>& parameters, std::size_t l);
  static float* biases_of(std::vector<float>& parameters, std::size_t l);

  void reserve(std::size_t rows);
  void forward(const float* images, std::size_t rows, const dropout* drop);
  void backward(const float* images, std::span<const std::uint8_t> labels, const dropout& drop);
  void update(float rate);
  std::size_t count_correct(std::span<const std::uint8_t> labels) const;

  std::vector<float> weights_, velocity_, gradient_;
  std::array<std::vector<float>, layers.size()> outputs_;  // of each layer, for the rows of a batch
  std::array<std::vector<float>, layers.size()>
      deltas_;  // the loss's gradient in what enters its ReLU or softmax
  std::vector<float> ones_;
};

}  // namespace rivus::tools::training

#endif
