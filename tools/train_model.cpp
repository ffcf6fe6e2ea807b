#include "train_model.hpp"

#include <algorithm>
#include <rivus/bernoulli.hpp>
#include <rivus/fill.hpp>
#include <rivus/normal.hpp>
#include <rivus/real.hpp>
#include <rivus/reduce.hpp>
#include <rivus/runtime.hpp>

namespace rivus::tools::training {

namespace {

constexpr float momentum = 0.9f;

void drop_out(float* x, std::span<const std::uint8_t> mask, float scale) {
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const float kept = real::mul(x[i], scale);
    x[i] = mask[i] != 0 ? 0 : kept;
  }
}

// A hidden output is positive exactly where neither ReLU nor dropout has stopped it.
void backward_through_relu_and_dropout(float* delta, const float* output, std::size_t n, float scale) {
  for (std::size_t i = 0; i < n; ++i) {
    const float passed = real::mul(delta[i], scale);
    delta[i] = output[i] > 0 ? passed : 0;
  }
}

// The lowest of equals.
std::size_t argmax(const float* x) {
  return static_cast<std::size_t>(std::max_element(x, x + class_count) - x);
}

// (softmax(logits) - one-hot label) / rows.
void cross_entropy_gradient(const float* logits, std::uint8_t label, std::size_t rows, float* delta) {
  const float largest = *std::max_element(logits, logits + class_count);
  for (std::size_t k = 0; k < class_count; ++k) delta[k] = real::exp(real::sub(logits[k], largest));
  const float total = sum(delta, class_count);
  for (std::size_t k = 0; k < class_count; ++k) {
    const float error = real::sub(real::div(delta[k], total), k == label ? 1.0f : 0.0f);
    delta[k] = real::div(error, static_cast<float>(rows));
  }
}

RIVUS_HD void update_range(float* __restrict w, float* __restrict v, const float* __restrict g, std::size_t n,
                           float rate) {
  const float minus_rate = real::neg(rate);
  for (std::size_t i = 0; i < n; ++i) {
    v[i] = real::fma(momentum, v[i], g[i]);
    w[i] = real::fma(minus_rate, v[i], w[i]);
  }
}

using update_function = void (*)(float*, float*, const float*, std::size_t, float);

void update_baseline(float* w, float* v, const float* g, std::size_t n, float rate) {
  update_range(w, v, g, n, rate);
}

// An fma without the instruction is a call of the C library: exact as well, but some twenty times slower.
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void update_avx2(float* w, float* v, const float* g, std::size_t n,
                                                     float rate) {
  update_range(w, v, g, n, rate);
}
update_function chosen_update() { return active_isa() == isa::scalar ? update_baseline : update_avx2; }
#else
update_function chosen_update() { return update_baseline; }
#endif

}  // namespace

void dropout::draw(stream root, std::uint64_t step, std::size_t rows) {
  if (!is_on()) return;
  for (std::size_t l = 0; l < hidden_layers; ++l) {
    masks_[l].resize(rows * layers[l].outputs);
    fill(std::span(masks_[l]), root["dropout"][layers[l].name][step], bernoulli{p_});
  }
}

matrix<float> perceptron::weights_of(std::vector<float>& parameters, std::size_t l) {
  return {biases_of(parameters, l) - layers[l].inputs * layers[l].outputs, layers[l].inputs,
          layers[l].outputs};
}

float* perceptron::biases_of(std::vector<float>& parameters, std::size_t l) {
  float* p = parameters.data();
  for (std::size_t i = 0; i < l; ++i) p += (layers[i].inputs + 1) * layers[i].outputs;
  return p + layers[l].inputs * layers[l].outputs;
}

perceptron::perceptron(stream root)
    : weights_(parameter_count), velocity_(parameter_count), gradient_(parameter_count) {
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const matrix<float> w = weights_of(weights_, l);
    const float deviation = real::sqrt(real::div(2.0f, static_cast<float>(w.rows)));
    fill(w.data, w.rows * w.cols, root["init"][layers[l].name], normal<float>{0, deviation});
  }
}

void perceptron::reserve(std::size_t rows) {
  if (rows <= ones_.size()) return;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    outputs_[l].resize(rows * layers[l].outputs);
    deltas_[l].resize(rows * layers[l].outputs);
  }
  ones_.resize(rows, 1.0f);
}

void perceptron::forward(const float* images, std::size_t rows, const dropout* drop) {
  reserve(rows);
  const float* input = images;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const std::size_t n = layers[l].outputs;
    float* out = outputs_[l].data();
    matmul(matrix<const float>(input, rows, layers[l].inputs), weights_of(weights_, l),
           matrix<float>(out, rows, n), matmul_options<float>{biases_of(weights_, l), l < hidden_layers});
    if (l < hidden_layers && drop != nullptr && drop->is_on()) drop_out(out, drop->mask(l), drop->scale());
    input = out;
  }
}

void perceptron::backward(const float* images, std::span<const std::uint8_t> labels, const dropout& drop) {
  const std::size_t rows = labels.size();
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t at = r * class_count;
    cross_entropy_gradient(&outputs_.back()[at], labels[r], rows, &deltas_.back()[at]);
  }
  for (std::size_t l = layers.size(); l-- > 0;) {
    const matrix<const float> input(l == 0 ? images : outputs_[l - 1].data(), rows, layers[l].inputs);
    const matrix<const float> delta(deltas_[l].data(), rows, layers[l].outputs);
    matmul(input.transposed(), delta, weights_of(gradient_, l));
    matmul(matrix<const float>(ones_.data(), 1, rows), delta,
           matrix<float>(biases_of(gradient_, l), 1, layers[l].outputs));
    if (l == 0) break;
    matrix<float> before(deltas_[l - 1].data(), rows, layers[l].inputs);
    matmul(delta, weights_of(weights_, l).transposed(), before);
    backward_through_relu_and_dropout(before.data, input.data, rows * layers[l].inputs, drop.scale());
  }
}

void perceptron::update(float rate) {
  constexpr std::size_t piece = 1 << 13;
  constexpr auto pieces = static_cast<std::ptrdiff_t>((parameter_count + piece - 1) / piece);
  const update_function update_piece = chosen_update();
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t i = 0; i < pieces; ++i) {
    const std::size_t first = static_cast<std::size_t>(i) * piece;
    update_piece(&weights_[first], &velocity_[first], &gradient_[first],
                 std::min(piece, parameter_count - first), rate);
  }
}

std::size_t perceptron::step(const float* images, std::span<const std::uint8_t> labels, const dropout& drop,
                             float rate) {
  forward(images, labels.size(), &drop);
  const std::size_t correct = count_correct(labels);
  backward(images, labels, drop);
  update(rate);
  return correct;
}

std::size_t perceptron::count_correct(std::span<const std::uint8_t> labels) const {
  std::size_t correct = 0;
  for (std::size_t r = 0; r < labels.size(); ++r) {
    correct += argmax(&outputs_.back()[r * class_count]) == labels[r];
  }
  return correct;
}

std::size_t perceptron::count_correct(const dataset& data) {
  constexpr std::size_t most_rows = 512;
  const std::array<float, 256>& grey = normalised_grey();
  std::vector<float> images(std::min(most_rows, data.size()) * image_pixels);
  std::size_t correct = 0;
  for (std::size_t first = 0; first < data.size(); first += most_rows) {
    const std::size_t rows = std::min(most_rows, data.size() - first);
    const std::uint8_t* from = &data.images[first * image_pixels];
    std::transform(from, from + rows * image_pixels, images.begin(), [&](std::uint8_t x) { return grey[x]; });
    forward(images.data(), rows, nullptr);
    correct += count_correct(std::span(data.labels).subspan(first, rows));
  }
  return correct;
}

}  // namespace rivus::tools::training
