// rivus train, on a small data set made here.
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <numeric>
#include <rivus/bernoulli.hpp>
#include <rivus/integer.hpp>
#include <rivus/normal.hpp>
#include <rivus/shuffle.hpp>
#include <set>
#include <thread>

#include "numbers.hpp"
#include "support.hpp"
#include "train.hpp"
#include "train_model.hpp"

namespace rivus::tools::training {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::mentions;
using bytes = std::vector<std::uint8_t>;

// One thread where a test does not say otherwise: this many small products are slow on a busy machine.
class one_thread : public ::testing::Environment {
  void SetUp() override { omp_set_num_threads(1); }
};
[[maybe_unused]] const auto* const environment = ::testing::AddGlobalTestEnvironment(new one_thread);

// Each class has a bright square of its own, under noise.
dataset make_dataset(std::size_t n, std::uint64_t seed) {
  test::words random(seed);
  dataset data;
  for (std::size_t i = 0; i < n; ++i) {
    const auto label = static_cast<std::uint8_t>(random.below(class_count));
    data.labels.push_back(label);
    const std::size_t top = 2 + 12 * (label % 2u), left = 2 + 5 * (label / 2u);
    for (std::size_t row = 0; row < image_side; ++row) {
      for (std::size_t col = 0; col < image_side; ++col) {
        const bool inside = row - top < 10 && col - left < 5;
        data.images.push_back(static_cast<std::uint8_t>(random.below(60) + (inside ? 180 : 0)));
      }
    }
  }
  return data;
}

const dataset& train_set() {
  static const dataset data = make_dataset(250, 1);
  return data;
}
const dataset& test_set() {
  static const dataset data = make_dataset(60, 2);
  return data;
}

// 7 steps an epoch, the last of 10 samples.
settings small_run() {
  settings s;
  s.parameters = {.seed = 5, .epochs = 2, .batch = 40, .lr = 0.02, .dropout = 0.1, .augment = true};
  return s;
}
constexpr std::uint64_t steps_an_epoch = 7;

struct report {
  outcome result;
  std::vector<double> accuracies;
  std::string weights, order, masks;

  bool operator==(const report& other) const {
    return accuracies == other.accuracies && weights == other.weights && order == other.order &&
           masks == other.masks;
  }
  friend void PrintTo(const report& r, std::ostream* out) {
    *out << ::testing::PrintToString(r.accuracies) << ' ' << r.weights << ' ' << r.order << ' ' << r.masks;
  }
};

report run_small(const settings& s, callbacks calls = {}) {
  report r;
  digests all;
  calls.after_epoch = [&](double accuracy) { r.accuracies.push_back(accuracy); };
  r.result = run(s, train_set(), test_set(), calls, all);
  r.weights = all.weights.hex();
  r.order = all.order.hex();
  r.masks = all.masks.hex();
  return r;
}

const report& reference() {
  static const report r = run_small(small_run());
  return r;
}

// A folder that goes with the test.
class train_files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "rivus-train-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  static void put(const fs::path& file, const bytes& content) {
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
  }
  static bytes get(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void put_gzip(const fs::path& file, const bytes& content) {
    const gzFile out = gzopen(file.c_str(), "wb1");
    ASSERT_NE(out, nullptr);
    gzwrite(out, content.data(), static_cast<unsigned>(content.size()));
    ASSERT_EQ(gzclose(out), Z_OK);
  }
  static bytes idx(std::uint32_t magic, const std::vector<std::uint32_t>& shape, const bytes& items) {
    bytes b;
    const auto big_endian = [&](std::uint32_t x) {
      for (const int shift : {24, 16, 8, 0}) b.push_back(static_cast<std::uint8_t>(x >> shift));
    };
    big_endian(magic);
    for (const std::uint32_t extent : shape) big_endian(extent);
    b.insert(b.end(), items.begin(), items.end());
    return b;
  }
  static bytes images_idx(const dataset& data) {
    return idx(0x803, {static_cast<std::uint32_t>(data.size()), 28, 28}, data.images);
  }
  static bytes labels_idx(const dataset& data) {
    return idx(0x801, {static_cast<std::uint32_t>(data.size())}, data.labels);
  }
  fs::path images(const std::string& set) const { return folder_ / (set + "-images-idx3-ubyte.gz"); }
  fs::path labels(const std::string& set) const { return folder_ / (set + "-labels-idx1-ubyte.gz"); }
  void put_dataset(const std::string& set, const dataset& data) const {
    put_gzip(images(set), images_idx(data));
    put_gzip(labels(set), labels_idx(data));
  }

  fs::path folder_;
};

TEST(train, learns) {
  ASSERT_EQ(reference().accuracies.size(), 2u);
  EXPECT_GT(reference().accuracies.back(), 0.5);
  EXPECT_TRUE(reference().result.finished);
  EXPECT_EQ(reference().result.step, 2 * steps_an_epoch);
}

TEST(train, does_not_depend_on_threads) {
  test::for_each_thread_count([] { EXPECT_EQ(run_small(small_run()), reference()); });
}

TEST(train, does_not_depend_on_the_instruction_set) {
  test::for_each_isa([] { EXPECT_EQ(run_small(small_run()), reference()); });
}

TEST(train, does_not_depend_on_workers) {
  for (const std::size_t workers : {0u, 1u, 3u}) {
    SCOPED_TRACE(workers);
    settings s = small_run();
    s.workers = workers;
    EXPECT_EQ(run_small(s), reference());
  }
}

// The library reads RIVUS_ISA once, so each value needs a process of its own: this style of death test starts
// one.
TEST(train_death_test, runs_the_kernels_that_RIVUS_ISA_names) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const char* const inherited = std::getenv("RIVUS_ISA");
  const std::string before = inherited == nullptr ? "" : inherited;
  for (const isa set : available_isas()) {
    setenv("RIVUS_ISA", name(set), 1);
    EXPECT_EXIT(
        {
          settings s = small_run();
          s.stop_after = 2;
          run_small(s);
          std::fprintf(stderr, "ran on %s", name(active_isa()));
          std::_Exit(active_isa() == set ? 0 : 1);
        },
        ::testing::ExitedWithCode(0), std::string("ran on ") + name(set));
  }
  inherited == nullptr ? unsetenv("RIVUS_ISA") : setenv("RIVUS_ISA", before.c_str(), 1);
}

TEST(train, takes_each_kind_of_randomness_from_a_stream_of_its_own) {
  settings s = small_run();
  s.parameters.dropout = 0;
  const report no_dropout = run_small(s);
  EXPECT_EQ(no_dropout.order, reference().order);
  EXPECT_EQ(no_dropout.masks, digest().hex());
  EXPECT_NE(no_dropout.weights, reference().weights);

  s = small_run();
  s.parameters.augment = false;
  const report no_augmentation = run_small(s);
  EXPECT_EQ(no_augmentation.order, reference().order);
  EXPECT_EQ(no_augmentation.masks, reference().masks);
  EXPECT_NE(no_augmentation.weights, reference().weights);

  s = small_run();
  s.parameters.seed = 6;
  const report other_seed = run_small(s);
  EXPECT_NE(other_seed.order, reference().order);
  EXPECT_NE(other_seed.masks, reference().masks);
  EXPECT_NE(other_seed.weights, reference().weights);
}

TEST(train, initial_weights_do_not_depend_on_dropout) {
  settings s = small_run();
  s.parameters.epochs = 0;
  const report with = run_small(s);
  s.parameters.dropout = 0;
  EXPECT_EQ(run_small(s), with);
  EXPECT_TRUE(with.accuracies.empty());
  digest initial;
  initial.add(perceptron(stream::from_seed(5)).weights().data(), parameter_count);
  EXPECT_EQ(with.weights, initial.hex());
}

TEST(train, initial_weights_are_those_of_their_streams) {
  const perceptron model(stream::from_seed(9));
  const float* w = model.weights().data();
  for (const layer& l : layers) {
    const normal<float> kaiming{0, std::sqrt(2.0f / static_cast<float>(l.inputs))};
    const stream s = stream::from_seed(9)["init"][l.name];
    for (const std::size_t i : {std::size_t{0}, l.outputs + 1, l.inputs * l.outputs - 1})
      EXPECT_EQ(w[i], kaiming(s, i));
    w += l.inputs * l.outputs;
    EXPECT_TRUE(std::all_of(w, w + l.outputs, [](float b) { return b == 0; }));
    w += l.outputs;
  }
}

TEST(train, order_and_masks_are_those_of_their_streams) {
  const stream root = stream::from_seed(5);
  digest order, masks;
  std::uint64_t step = 0;
  for (const int number : {0, 1}) {
    std::vector<std::uint32_t> samples(250);
    std::iota(samples.begin(), samples.end(), 0u);
    rivus::shuffle(samples.begin(), samples.end(), root["shuffle"][number]);
    order.add(samples.data(), samples.size());
    for (std::size_t first = 0; first < 250; first += 40, ++step) {
      const std::size_t rows = std::min<std::size_t>(40, 250 - first);
      for (const layer& l : {layers[0], layers[1]}) {
        for (std::size_t i = 0; i < rows * l.outputs; ++i) {
          masks.add(std::uint8_t{bernoulli{0.1}(root["dropout"][l.name][step], i)});
        }
      }
    }
  }
  EXPECT_EQ(reference().order, order.hex());
  EXPECT_EQ(reference().masks, masks.hex());
}

// One step against a plain implementation in double.
TEST(train, gradients_are_those_of_the_loss) {
  constexpr std::size_t rows = 3;
  const float rate = 0.5f;
  test::words random(3);
  std::vector<float> images(rows * image_pixels);
  for (float& x : images) x = random.real<float>();
  const bytes classes{3, 0, 9};
  dropout drop(0.25);
  drop.draw(stream::from_seed(1), 0, rows);
  perceptron model(stream::from_seed(1));
  const std::vector<float> before(model.weights().begin(), model.weights().end());
  model.step(images.data(), classes, drop, rate);

  using reals = std::vector<double>;
  std::vector<double> gradient(parameter_count);
  for (std::size_t r = 0; r < rows; ++r) {
    std::array<reals, layers.size() + 1> x;
    x[0].assign(&images[r * image_pixels], &images[r * image_pixels] + image_pixels);
    const float* w = before.data();
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const auto [unused, inputs, outputs] = layers[l];
      x[l + 1].assign(w + inputs * outputs, w + (inputs + 1) * outputs);
      for (std::size_t i = 0; i < inputs; ++i) {
        for (std::size_t j = 0; j < outputs; ++j) x[l + 1][j] += x[l][i] * w[i * outputs + j];
      }
      for (std::size_t j = 0; l < hidden_layers && j < outputs; ++j) {
        const bool dropped = drop.mask(l)[r * outputs + j] != 0;
        x[l + 1][j] = dropped || x[l + 1][j] < 0 ? 0 : x[l + 1][j] / 0.75;
      }
      w += (inputs + 1) * outputs;
    }
    reals delta = x.back();
    double total = 0;
    for (double& d : delta) total += d = std::exp(d);
    for (std::size_t k = 0; k < class_count; ++k) delta[k] = (delta[k] / total - (k == classes[r])) / rows;
    std::size_t end = parameter_count;
    for (std::size_t l = layers.size(); l-- > 0;) {
      const auto [unused, inputs, outputs] = layers[l];
      const std::size_t first = end - (inputs + 1) * outputs;
      reals below(inputs);
      for (std::size_t i = 0; i < inputs; ++i) {
        for (std::size_t j = 0; j < outputs; ++j) {
          gradient[first + i * outputs + j] += x[l][i] * delta[j];
          below[i] += before[first + i * outputs + j] * delta[j];
        }
        if (l > 0) below[i] = x[l][i] > 0 ? below[i] / 0.75 : 0;
      }
      for (std::size_t j = 0; j < outputs; ++j) gradient[first + inputs * outputs + j] += delta[j];
      delta = below;
      end = first;
    }
  }
  double largest = 0;
  for (std::size_t i = 0; i < parameter_count; ++i) {
    largest = std::max(largest, std::abs(gradient[i]));
    ASSERT_NEAR(model.velocity()[i], gradient[i], 1e-5) << i;
    ASSERT_EQ(model.weights()[i], std::fma(-rate, model.velocity()[i], before[i])) << i;
  }
  EXPECT_GT(largest, 0.1);

  // The second step carries the first on.
  const std::vector<float> first(model.velocity().begin(), model.velocity().end());
  const std::vector<float> middle(model.weights().begin(), model.weights().end());
  model.step(images.data(), classes, drop, 0.25f);
  perceptron fresh(stream::from_seed(1));
  std::copy(middle.begin(), middle.end(), fresh.weights().begin());
  fresh.step(images.data(), classes, drop, 0.25f);
  for (std::size_t i = 0; i < parameter_count; ++i) {
    ASSERT_EQ(model.velocity()[i], std::fma(0.9f, first[i], fresh.velocity()[i])) << i;
  }
}

TEST(train, divergence_is_an_error) {
  settings s = small_run();
  s.parameters.lr = 1e30;
  EXPECT_TRUE(mentions(error_of<std::runtime_error>([&] { run_small(s); }), {"diverged", "--lr 1e+30"}));
}

TEST(train_loader, delivers_the_samples_augmented_as_their_streams_say) {
  const stream root = stream::from_seed(8);
  const std::vector<std::uint32_t> order = epoch_order(train_set().size(), root["shuffle"][0]);
  const epoch e{train_set(), order, 40, true, root["augment"][0]};
  const loader_hooks none;
  loader batches(e, 5, 2, none);
  std::set<std::array<int, 3>> kinds;
  for (const std::size_t size : {40u, 10u}) {
    const batch& b = batches.next();
    ASSERT_EQ(b.size(), size);
    for (std::size_t r = 0; r < size; ++r) {
      const std::uint32_t sample = order[(size == 40 ? 200 : 240) + r];
      ASSERT_EQ(b.samples[r], sample);
      ASSERT_EQ(b.labels[r], train_set().labels[sample]);
      const stream s = root["augment"][0][sample];
      const int down = static_cast<int>(below(s, 0, 3)) - 1, right = static_cast<int>(below(s, 1, 3)) - 1;
      const bool flip = bernoulli{0.5}(s, 2);
      kinds.insert({down, right, flip});
      for (int row = 0; row < 28; ++row) {
        for (int col = 0; col < 28; ++col) {
          const int y = row - down, x = flip ? 27 - (col - right) : col - right;
          const bool inside = y >= 0 && y < 28 && x >= 0 && x < 28;
          const int grey =
              inside ? train_set().images[sample * 784 + static_cast<std::size_t>(28 * y + x)] : 0;
          ASSERT_FLOAT_EQ(b.images[r * 784 + static_cast<std::size_t>(28 * row + col)],
                          (static_cast<float>(grey) / 255 - 0.286f) / 0.353f);
        }
      }
    }
  }
  EXPECT_EQ(kinds.size(), 18u) << "not every shift and flip came up";
}

// The first batch of an epoch is held back until the second is ready.
TEST(train_loader, batches_that_become_ready_out_of_order_change_nothing) {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::size_t> ready;
  callbacks calls;
  calls.loading.before_preparing = [&](std::size_t number) {
    if (number != 0) return;
    std::unique_lock lock(mutex);
    const std::size_t before = ready.size();
    changed.wait_for(lock, std::chrono::seconds(20), [&] { return ready.size() > before; });
  };
  calls.loading.after_preparing = [&](std::size_t number) {
    const std::lock_guard lock(mutex);
    ready.push_back(number);
    changed.notify_all();
  };
  settings s = small_run();
  s.workers = 3;
  EXPECT_EQ(run_small(s, calls), reference());
  ASSERT_EQ(ready.size(), 2 * steps_an_epoch);
  for (std::size_t first = 0; first < ready.size(); first += steps_an_epoch) {
    EXPECT_NE(ready[first], 0u);
    EXPECT_FALSE(std::is_sorted(ready.begin() + static_cast<std::ptrdiff_t>(first),
                                ready.begin() + static_cast<std::ptrdiff_t>(first + steps_an_epoch)));
  }
}

TEST(train_loader, passes_on_what_a_worker_throws) {
  callbacks calls;
  calls.loading.before_preparing = [](std::size_t number) {
    if (number == 3) throw std::runtime_error("worker in trouble");
  };
  for (const std::size_t workers : {0u, 1u, 3u}) {
    settings s = small_run();
    s.workers = workers;
    EXPECT_EQ(error_of<std::runtime_error>([&] { run_small(s, calls); }), "worker in trouble");
  }
}

using train_checkpoint = train_files;

TEST_F(train_checkpoint, a_resumed_run_ends_with_the_same_bits) {
  const fs::path file = folder_ / "state";
  for (const std::uint64_t stop : {std::uint64_t{3}, steps_an_epoch, steps_an_epoch + 4}) {
    SCOPED_TRACE(stop);
    settings s = small_run();
    s.workers = 3;
    s.save = file;
    s.stop_after = stop;
    const report begun = run_small(s);
    EXPECT_FALSE(begun.result.finished);
    EXPECT_EQ(begun.result.step, stop);

    settings rest = small_run();
    rest.workers = 0;
    rest.resume = file;
    report resumed = run_small(rest);
    resumed.accuracies.insert(resumed.accuracies.begin(), begun.accuracies.begin(), begun.accuracies.end());
    EXPECT_EQ(resumed, reference());
  }
}

TEST_F(train_checkpoint, goes_on_elsewhere) {
  const fs::path file = folder_ / "state";
  const test::isa_kept kept;
  const test::threads_kept kept_threads;
  set_isa(available_isas().back());
  omp_set_num_threads(2);
  settings s = small_run();
  s.save = file;
  s.stop_after = 2 * steps_an_epoch - 3;
  run_small(s);
  set_isa(isa::scalar);
  omp_set_num_threads(1);
  s.resume = file;
  s.stop_after = 0;
  EXPECT_EQ(run_small(s).weights, reference().weights);
  // What is there now is the end of the run.
  s.save.clear();
  const report ended = run_small(s);
  EXPECT_TRUE(ended.accuracies.empty());
  EXPECT_EQ(ended.weights, reference().weights);
  EXPECT_EQ(ended.order, reference().order);
  EXPECT_EQ(ended.masks, reference().masks);
}

TEST_F(train_checkpoint, is_saved_every_so_many_steps) {
  settings s = small_run();
  s.save = folder_ / "state";
  s.save_every = 4;
  callbacks calls;
  std::vector<std::uint64_t> saved;
  calls.after_step = [&](const position& at) {
    // The file that the step before has left.
    if (!fs::exists(s.save)) return;
    const checkpoint c = load_checkpoint(s.save);
    const std::uint64_t step = c.epoch * steps_an_epoch + c.batch;
    if (saved.empty() || saved.back() != step) saved.push_back(step);
    if (at.step == 10) fs::copy_file(s.save, folder_ / "at 8");
  };
  EXPECT_EQ(run_small(s, calls), reference());
  EXPECT_EQ(saved, (std::vector<std::uint64_t>{4, 8, 12}));
  settings rest = small_run();
  rest.resume = folder_ / "at 8";
  EXPECT_EQ(run_small(rest).weights, reference().weights);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2) << "temporary files are left";
}

TEST_F(train_checkpoint, that_is_damaged_is_refused) {
  const fs::path file = folder_ / "state";
  settings s = small_run();
  s.save = file;
  s.stop_after = 1;
  run_small(s);
  const bytes whole = get(file);
  s.save.clear();
  s.resume = file;
  const auto error_with = [&](const bytes& content) {
    put(file, content);
    return error_of<std::runtime_error>([&] { run_small(s); });
  };
  const auto changed = [&](std::size_t place) {
    bytes b = whole;
    b[place] ^= 1;
    return b;
  };
  EXPECT_TRUE(mentions(error_with({}), {file.c_str(), "not a checkpoint"}));
  EXPECT_TRUE(mentions(error_with(changed(0)), {file.c_str(), "not a checkpoint"}));
  // One of before, whose weights went on to other bits.
  bytes older = whole;
  older[16] = 1;
  EXPECT_TRUE(
      mentions(error_with(older),
               {file.c_str(), "has version 1 of the checkpoint format; this program reads version 2"}));
  EXPECT_TRUE(mentions(error_with(changed(20)), {file.c_str(), "value contract"}));
  for (const std::size_t place : {std::size_t{24}, std::size_t{100}, whole.size() / 2, whole.size() - 1}) {
    EXPECT_TRUE(mentions(error_with(changed(place)), {file.c_str(), "corrupt"})) << place;
  }
  for (const std::size_t size : {std::size_t{16}, std::size_t{30}, whole.size() / 2, whole.size() - 1}) {
    EXPECT_TRUE(mentions(error_with({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}),
                         {file.c_str(), "truncated"}))
        << size;
  }
  bytes longer = whole;
  longer.push_back(0);
  EXPECT_TRUE(mentions(error_with(longer), {file.c_str(), "too long"}));
  s.resume = folder_;
  EXPECT_TRUE(
      mentions(error_of<std::runtime_error>([&] { run_small(s); }), {folder_.c_str(), "Is a directory"}));
  s.resume = folder_ / "nowhere";
  EXPECT_TRUE(mentions(error_of<std::runtime_error>([&] { run_small(s); }), {"nowhere", "No such file"}));
}

TEST_F(train_checkpoint, of_another_run_is_refused) {
  settings s = small_run();
  s.save = folder_ / "state";
  s.stop_after = 1;
  run_small(s);
  const auto error_with = [&](auto change, const dataset& data = train_set()) {
    settings other = small_run();
    other.resume = s.save;
    change(other.parameters);
    digests all;
    return error_of<usage_error>([&] { run(other, data, test_set(), {}, all); });
  };
  EXPECT_TRUE(mentions(error_with([](auto& p) { p.seed = 6; }), {"--seed 5", "--seed 6"}));
  EXPECT_TRUE(mentions(error_with([](auto& p) { p.epochs = 3; }), {"--epochs 2", "--epochs 3"}));
  EXPECT_TRUE(mentions(error_with([](auto& p) { p.batch = 41; }), {"--batch 40", "--batch 41"}));
  EXPECT_TRUE(mentions(error_with([](auto& p) { p.lr = 0.03; }), {"--lr 0.02", "--lr 0.03"}));
  EXPECT_TRUE(mentions(error_with([](auto& p) { p.dropout = 0; }), {"--dropout 0.1", "--dropout 0"}));
  EXPECT_TRUE(
      mentions(error_with([](auto& p) { p.augment = false; }), {"augmentation on", "augmentation off"}));
  const auto same = [](auto&) {};
  EXPECT_TRUE(mentions(error_with(same, make_dataset(100, 1)), {"samples 250", "samples 100"}));
  EXPECT_TRUE(mentions(error_with(same, make_dataset(250, 3)), {"other training data"}));
}

using train_data = train_files;

TEST_F(train_data, is_read_whole) {
  put_dataset("train", train_set());
  const dataset read = read_dataset(folder_, "train");
  EXPECT_EQ(read.images, train_set().images);
  EXPECT_EQ(read.labels, train_set().labels);
}

TEST_F(train_data, that_is_damaged_is_refused) {
  const dataset data = make_dataset(20, 4);
  const auto error = [&] { return error_of<std::runtime_error>([&] { read_dataset(folder_, "train"); }); };
  EXPECT_TRUE(mentions(error(), {folder_.c_str(), "train-images-idx3-ubyte.gz", "nor train-images-idx3-ubyte",
                                 "dataset-fashion-mnist"}));
  put_dataset("train", data);
  ASSERT_EQ(error(), "[nothing was thrown]");

  const auto error_with_images = [&](const bytes& content) {
    put_gzip(images("train"), content);
    const std::string text = error();
    put_gzip(images("train"), images_idx(data));
    return text;
  };
  const char* const file = "train-images-idx3-ubyte.gz";
  EXPECT_TRUE(mentions(error_with_images(labels_idx(data)), {file, "magic number 00000801"}));
  EXPECT_TRUE(mentions(error_with_images({0, 0, 8}), {file, "ends within its header"}));
  EXPECT_TRUE(
      mentions(error_with_images(idx(0x803, {20, 28, 27}, data.images)), {file, "27 pixels, not 28"}));
  EXPECT_TRUE(mentions(error_with_images(idx(0x803, {0, 28, 28}, {})), {file, "holds no items"}));
  EXPECT_TRUE(
      mentions(error_with_images(idx(0x803, {21, 28, 28}, data.images)), {file, "too short", "21 items"}));
  EXPECT_TRUE(
      mentions(error_with_images(idx(0x803, {0xffffffff, 28, 28}, data.images)), {file, "too short"}));
  EXPECT_TRUE(mentions(error_with_images(idx(0x803, {19, 28, 28}, data.images)), {file, "longer"}));

  const bytes compressed = get(images("train"));
  put(images("train"), {compressed.begin(), compressed.end() - 5});
  EXPECT_TRUE(mentions(error(), {file, "truncated"}));
  put(images("train"),
      {compressed.begin(), compressed.begin() + static_cast<std::ptrdiff_t>(compressed.size() / 2)});
  EXPECT_TRUE(mentions(error(), {file, "truncated"}));
  bytes damaged = compressed;
  damaged[damaged.size() - 8] ^= 1;  // the checksum
  put(images("train"), damaged);
  EXPECT_TRUE(mentions(error(), {file, "corrupt"}));
  bytes followed = compressed;
  followed.insert(followed.end(), {0, 0, 0});
  put(images("train"), followed);
  EXPECT_TRUE(mentions(error(), {file, "3 bytes after its gzip data"}));
  put(images("train"), {0x1f, 0x8b});
  EXPECT_TRUE(mentions(error(), {file, "truncated"}));
  put(images("train"), {});
  EXPECT_NE(error(), "[nothing was thrown]");
  put_gzip(images("train"), images_idx(data));

  const auto error_with_labels = [&](const bytes& content) {
    put_gzip(labels("train"), content);
    return error();
  };
  const char* const label_file = "train-labels-idx1-ubyte.gz";
  bytes other = data.labels;
  other.pop_back();
  EXPECT_TRUE(
      mentions(error_with_labels(idx(0x801, {19}, other)), {label_file, "19 labels for the 20 images"}));
  other.push_back(10);
  EXPECT_TRUE(mentions(error_with_labels(idx(0x801, {20}, other)), {label_file, "label 19 is 10"}));
}

TEST_F(train_data, is_read_whether_compressed_or_not) {
  const dataset data = make_dataset(20, 4);
  put_dataset("train", data);
  const auto expect_same = [&] {
    const dataset got = read_dataset(folder_, "train");
    EXPECT_EQ(got.images, data.images);
    EXPECT_EQ(got.labels, data.labels);
  };
  expect_same();
  // Two members, as gzip files may have.
  const bytes content = images_idx(data), head(content.begin(), content.begin() + 100),
              tail(content.begin() + 100, content.end());
  put_gzip(images("train"), head);
  bytes members = get(images("train"));
  put_gzip(images("train"), tail);
  const bytes second = get(images("train"));
  members.insert(members.end(), second.begin(), second.end());
  put(images("train"), members);
  expect_same();
  fs::remove(images("train"));
  put(folder_ / "train-images-idx3-ubyte", content);
  expect_same();
}

class train_command : public train_files {
 protected:
  void SetUp() override {
    train_files::SetUp();
    put_dataset("train", train_set());
    put_dataset("t10k", test_set());
  }

  // What the command prints; fails unless it ends with this exit code.
  std::string output_of(const std::string& arguments, int code = 0) const {
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(code_of(arguments), code);
    return ::testing::internal::GetCapturedStdout();
  }
  int code_of(const std::string& arguments) const {
    try {
      call(arguments);
    } catch (const CLI::RuntimeError& ending) {
      return ending.get_exit_code();
    }
    return 0;
  }
  std::string usage_error_of(const std::string& arguments) const {
    return error_of<usage_error>([&] { call(arguments); });
  }
  void call(const std::string& arguments) const {
    CLI::App app;
    add_train(app);
    app.parse("train --data " + folder_.string() + " --batch 40 --lr 0.02 --seed 5 " + arguments);
  }
  static std::string digest_lines(const report& r) {
    return "digest weights " + r.weights + "\ndigest order " + r.order + "\ndigest masks " + r.masks + "\n";
  }
  static std::string accuracy_line(double accuracy) {
    char line[32];
    std::snprintf(line, sizeof line, "accuracy %.4f\n", accuracy);
    return line;
  }
};

TEST_F(train_command, prints_accuracies_and_digests_and_nothing_else) {
  EXPECT_EQ(output_of("--epochs 2"), accuracy_line(reference().accuracies[0]) +
                                         accuracy_line(reference().accuracies[1]) +
                                         digest_lines(reference()));
  settings s = small_run();
  s.parameters.epochs = 0;
  EXPECT_EQ(output_of("--epochs 0 --workers 0"), digest_lines(run_small(s)));
}

TEST_F(train_command, stops_saves_and_resumes) {
  const std::string file = (folder_ / "state").string();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(output_of("--epochs 2 --stop-after 9 --save " + file, 130),
            accuracy_line(reference().accuracies[0]));
  EXPECT_TRUE(mentions(::testing::internal::GetCapturedStderr(), {"step 9 of 14", "--resume", file.c_str()}));
  EXPECT_EQ(output_of("--epochs 2 --resume " + file),
            accuracy_line(reference().accuracies[1]) + digest_lines(reference()));
  EXPECT_TRUE(mentions(usage_error_of("--epochs 2 --dropout 0.2 --resume " + file),
                       {"--dropout 0.1", "--dropout 0.2"}));
}

TEST_F(train_command, limits_the_training_data) {
  EXPECT_NE(output_of("--epochs 1 --limit 249"), output_of("--epochs 1"));
  EXPECT_EQ(output_of("--epochs 1 --limit 250"), output_of("--epochs 1"));
  EXPECT_TRUE(mentions(usage_error_of("--limit 251"), {"--limit", "251", "250"}));
}

TEST_F(train_command, compares_seeds) {
  const std::string text = output_of("--epochs 1 --seeds 3");
  std::vector<double> accuracies;
  digests all;
  std::string expected;
  for (std::uint64_t seed = 5; seed < 8; ++seed) {
    settings s = small_run();
    s.parameters.epochs = 1;
    s.parameters.seed = seed;
    accuracies.push_back(run(s, train_set(), test_set(), {}, all).accuracy);
    const std::string line = accuracy_line(accuracies.back());
    expected += line + "seed " + std::to_string(seed) + " " + line;
  }
  const double mean = (accuracies[0] + accuracies[1] + accuracies[2]) / 3;
  double squares = 0;
  for (const double a : accuracies) squares += (a - mean) * (a - mean);
  const auto [least, most] = std::minmax_element(accuracies.begin(), accuracies.end());
  char summary[100];
  std::snprintf(summary, sizeof summary, "mean %.4f\nspread %.4f\nrange %.4f %.4f\n", mean,
                std::sqrt(squares / 2), *least, *most);
  expected += summary;
  expected += "digest weights " + all.weights.hex() + "\ndigest order " + all.order.hex() +
              "\ndigest masks " + all.masks.hex() + "\n";
  EXPECT_EQ(text, expected);
}

TEST_F(train_command, refuses_bad_options) {
  for (const char* bad : {"--seed -1",      "--seed 18446744073709551616",
                          "--seed x",       "--epochs -1",
                          "--epochs 1.5",   "--batch 0",
                          "--batch -4",     "--lr 0",
                          "--lr -1",        "--lr nan",
                          "--lr inf",       "--lr 1e400",
                          "--lr 0.1x",      "--dropout 1",
                          "--dropout -0.1", "--dropout nan",
                          "--threads 0",    "--threads -1",
                          "--workers -1",   "--workers 99999999999",
                          "--isa sse9",     "--limit 0",
                          "--seeds 0",      "--save-every 0",
                          "--stop-after 0"}) {
    const std::string option(bad, std::strcspn(bad, " "));
    EXPECT_TRUE(mentions(usage_error_of(bad), {option.c_str()})) << bad;
  }
  EXPECT_TRUE(mentions(usage_error_of("--save-every 3"), {"--save-every", "--save FILE"}));
  EXPECT_TRUE(mentions(usage_error_of("--seeds 2 --save x"), {"--save", "--seeds"}));
  EXPECT_TRUE(mentions(usage_error_of("--seeds 2 --resume x"), {"--resume", "--seeds"}));
  EXPECT_TRUE(mentions(usage_error_of("--seeds 2 --epochs 0"), {"--seeds", "epoch"}));
  const auto runtime_error_of = [&](const std::string& arguments) {
    return error_of<std::runtime_error>([&] { call(arguments); });
  };
  EXPECT_TRUE(mentions(runtime_error_of("--save " + (folder_ / "none" / "state").string()), {"none/state"}));
  EXPECT_TRUE(mentions(runtime_error_of("--save " + folder_.string()), {folder_.c_str()}));
  CLI::App app;
  add_train(app);
  EXPECT_TRUE(mentions(error_of<std::runtime_error>([&] { app.parse("train --data /nonexistent"); }),
                       {"/nonexistent", "dataset-fashion-mnist"}));
}

// Raises SIGINT, `times` times, when the training has saved for the first time.
std::thread interrupter(const fs::path& saved, int times) {
  return std::thread([saved, times] {
    while (!fs::exists(saved)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (int i = 0; i < times; ++i) std::raise(SIGINT);
  });
}

TEST_F(train_command, saves_when_interrupted) {
  const fs::path file = folder_ / "state";
  std::thread user = interrupter(file, 1);
  ::testing::internal::CaptureStderr();
  output_of("--epochs 100000 --limit 80 --save-every 1 --save " + file.string(), 130);
  user.join();
  EXPECT_TRUE(
      mentions(::testing::internal::GetCapturedStderr(), {"stopped after step", "--resume", file.c_str()}));
  const checkpoint c = load_checkpoint(file);
  EXPECT_GT(2 * c.epoch + c.batch, 0u);
}

using train_command_death_test = train_command;

TEST_F(train_command_death_test, a_second_interrupt_ends_it_at_once) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const fs::path file = folder_ / "state";
  EXPECT_EXIT(
      {
        interrupter(file, 2).detach();
        code_of("--epochs 100000 --limit 80 --save-every 1 --save " + file.string());
        std::_Exit(0);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace rivus::tools::training
