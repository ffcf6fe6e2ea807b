// cuRAND's host interface on the device: its values are those of the CPU.
#include <rivus/compat/curand.h>

#include <rivus/cuda/error.hpp>

#include "device.hpp"

namespace rivus {
namespace {

using test::device_array;

curandGenerator_t created(curandStatus_t (*create)(curandGenerator_t*, curandRngType_t) noexcept) {
  curandGenerator_t g = nullptr;
  EXPECT_EQ(create(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10), CURAND_STATUS_SUCCESS);
  return g;
}

// The same calls of a generator of the device and one of the host.
class both {
 public:
  both() : device_(created(&curandCreateGenerator)), host_(created(&curandCreateGeneratorHost)) {}
  ~both() {
    EXPECT_EQ(curandDestroyGenerator(device_), CURAND_STATUS_SUCCESS);
    EXPECT_EQ(curandDestroyGenerator(host_), CURAND_STATUS_SUCCESS);
  }
  both(const both&) = delete;
  both& operator=(const both&) = delete;

  curandGenerator_t device() const { return device_; }

  template <class F>
  void call(F f) {
    EXPECT_EQ(f(device_), CURAND_STATUS_SUCCESS);
    EXPECT_EQ(f(host_), CURAND_STATUS_SUCCESS);
  }
  // n values of f(generator, out, n), to memory that many elements after a place aligned to 256 bytes.
  template <class T, class F>
  void expect_equal(F f, std::size_t n, std::size_t offset = 0) {
    std::vector<T> expected(n);
    EXPECT_EQ(f(host_, expected.data(), n), CURAND_STATUS_SUCCESS);
    device_array<T> out(n, offset * sizeof(T));
    EXPECT_EQ(f(device_, out.data(), n), CURAND_STATUS_SUCCESS);
    EXPECT_TRUE(out.holds(expected));
  }
  // The same of kind number `kind`.
  void expect_equal(unsigned kind, std::size_t n, std::size_t offset = 0) {
    SCOPED_TRACE("kind " + std::to_string(kind) + ", n " + std::to_string(n));
    switch (kind) {
      case 0:
        return expect_equal<unsigned>(&curandGenerate, n, offset);
      case 1:
        return expect_equal<float>(&curandGenerateUniform, n, offset);
      case 2:
        return expect_equal<double>(&curandGenerateUniformDouble, n, offset);
      case 3:
        return expect_equal<float>(
            [](auto g, float* out, std::size_t m) { return curandGenerateNormal(g, out, m, 0.25f, -3.0f); },
            n, offset);
      case 4:
        return expect_equal<double>(
            [](auto g, double* out, std::size_t m) { return curandGenerateNormalDouble(g, out, m, 0.25, 3); },
            n, offset);
      case 5:
        return expect_equal<float>(
            [](auto g, float* out, std::size_t m) {
              return curandGenerateLogNormal(g, out, m, -60.0f, 8.0f);
            },
            n, offset);
      case 6:
        return expect_equal<double>(
            [](auto g, double* out, std::size_t m) { return curandGenerateLogNormalDouble(g, out, m, 1, 2); },
            n, offset);
      case 7:
        return expect_equal<unsigned>(
            [](auto g, unsigned* out, std::size_t m) { return curandGeneratePoisson(g, out, m, 12.5); }, n,
            offset);
      default:
        return expect_equal<unsigned>(
            [](auto g, unsigned* out, std::size_t m) { return curandGeneratePoisson(g, out, m, 4321.0); }, n,
            offset);
    }
  }
  static constexpr unsigned kinds = 9;

 private:
  curandGenerator_t device_, host_;
};

constexpr std::size_t turn = 4 * 65536;  // outputs of a round of all subsequences

class cuda_curand_host : public test::device_test {};

TEST_F(cuda_curand_host, gives_the_values_of_the_cpu_for_any_count_offset_and_alignment) {
  const auto counts = test::cases<std::size_t>({1, 2, 3, 4, 5, 7, 1023, 1024, 1025, 4099}, {1, 6, 1025});
  for (unsigned kind = 0; kind < both::kinds; ++kind) {
    both g;
    g.call([](auto x) { return curandSetPseudoRandomGeneratorSeed(x, 0xFEDCBA9876543210u); });
    for (const std::size_t n : counts) {
      for (const std::size_t alignment : {0, 1, 2, 3}) g.expect_equal(kind, n, alignment);
    }
    for (const unsigned long long offset : {1ull, 4ull * 65535, 4ull * turn - 6, ~0ull}) {
      g.call([&](auto x) { return curandSetGeneratorOffset(x, offset); });
      g.expect_equal(kind, 40);
      g.expect_equal(kind, 2051, 1);
    }
  }
}

TEST_F(cuda_curand_host, gives_the_values_of_the_cpu_beyond_a_round_and_with_any_grid) {
  for (unsigned kind = 0; kind < both::kinds; ++kind) {
    if (test::few_cases() && kind % 4 != 2) continue;
    both g;
    g.expect_equal(kind, turn / 2 - 1);
    // A block makes one group of each thread and round.
    for (const int blocks : {1000, 1, 3}) {
      const test::forced_grid forced(blocks);
      g.expect_equal(kind, turn + 4097);
    }
  }
}

TEST_F(cuda_curand_host, follows_calls_of_both_kinds_by_turns) {
  test::words random(3);
  both g;
  // So many changes that the counts of the subsequences have more runs than one launch takes.
  const unsigned changes = test::few_cases() ? 300 : 700;
  for (unsigned i = 0; i < changes; ++i) {
    const std::size_t n = 1 + random.below(7);
    i % 2 == 0 ? g.expect_equal(0, n) : g.expect_equal(2, n);
    if (HasFailure()) return;
  }
  for (const unsigned kind : {0u, 2u, 3u, 4u}) g.expect_equal(kind, turn + 77, kind % 3);
  g.call([](auto x) { return curandSetPseudoRandomGeneratorSeed(x, 5); });
  g.expect_equal(6, 301);
  g.call([](auto x) { return curandSetGeneratorOrdering(x, CURAND_ORDERING_PSEUDO_LEGACY); });
  g.expect_equal(1, 301);
  g.call([](auto x) { return curandGenerateSeeds(x); });
  g.expect_equal(0, 301);
}

TEST_F(cuda_curand_host, runs_on_the_stream_that_is_set) {
  const test::device_stream on, next;
  both g;
  std::vector<unsigned> expected(3001);
  device_array<unsigned> out(3001);
  const auto poisson = [&](double mean, cudaStream_t stream) {
    EXPECT_EQ(curandSetStream(g.device(), stream), CURAND_STATUS_SUCCESS);
    EXPECT_EQ(curandGeneratePoisson(g.device(), out.data(), 3001, mean), CURAND_STATUS_SUCCESS);
  };
  poisson(5, on);
  poisson(6, on);
  on.wait();
  poisson(6, next);
  next.wait();
  poisson(1999, on);
  on.wait();
  curandGenerator_t host = created(&curandCreateGeneratorHost);
  EXPECT_EQ(curandSetStream(host, on), CURAND_STATUS_SUCCESS);
  for (const double mean : {5.0, 6.0, 6.0, 1999.0}) curandGeneratePoisson(host, expected.data(), 3001, mean);
  EXPECT_EQ(curandDestroyGenerator(host), CURAND_STATUS_SUCCESS);
  EXPECT_TRUE(out.holds(expected));
}

TEST_F(cuda_curand_host, can_be_captured) {
  both g;
  g.expect_equal(1, 5);
  const test::device_stream on;
  std::vector<float> expected(777);
  device_array<float> out(777);
  curandGenerator_t host = created(&curandCreateGeneratorHost);
  EXPECT_EQ(curandSetGeneratorOffset(host, 5), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandGenerateUniform(host, expected.data(), 777), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandDestroyGenerator(host), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandSetStream(g.device(), on), CURAND_STATUS_SUCCESS);
  const test::device_graph graph(
      on, [&] { EXPECT_EQ(curandGenerateUniform(g.device(), out.data(), 777), CURAND_STATUS_SUCCESS); });
  for (int i = 0; i < 2; ++i) {
    graph.replay(on);
    on.wait();
    EXPECT_TRUE(out.holds(expected));
  }
}

TEST_F(cuda_curand_host, says_when_a_launch_fails) {
  both g;
  device_array<unsigned> out(100);
  const test::device_stream other(cudaStreamDefault);
  // The legacy stream may not be used while another captures in global mode.
  test::succeed(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  const curandStatus_t status = curandGenerate(g.device(), out.data(), 100);
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(other, &graph);
  if (graph != nullptr) cudaGraphDestroy(graph);
  cudaGetLastError();
  EXPECT_EQ(status, CURAND_STATUS_LAUNCH_FAILURE);
  EXPECT_TRUE(out.untouched());
  // What failed moved nothing.
  g.expect_equal(0, 100);
}

TEST_F(cuda_curand_host, refuses_what_the_cpu_refuses) {
  curandGenerator_t g = nullptr;
  EXPECT_EQ(curandCreateGenerator(nullptr, CURAND_RNG_PSEUDO_DEFAULT), CURAND_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_XORWOW), CURAND_STATUS_TYPE_ERROR);
  EXPECT_EQ(g, nullptr);
  both pair;
  device_array<double> out(8);
  EXPECT_EQ(curandGenerateUniformDouble(pair.device(), nullptr, 8), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(curandGeneratePoisson(pair.device(), reinterpret_cast<unsigned*>(out.data()), 8, 0),
            CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(out.untouched());
  pair.expect_equal(0, 3);
}

TEST_F(cuda_curand_host, makes_poisson_distributions_in_device_memory) {
  for (const double mean : {3.5, 1999.0, 5000.0}) {
    curandDiscreteDistribution_t device = nullptr, host = nullptr;
    ASSERT_EQ(curandCreatePoissonDistribution(mean, &device), CURAND_STATUS_SUCCESS);
    ASSERT_EQ(compat::create_poisson_distribution_host(mean, &host), CURAND_STATUS_SUCCESS);
    curandDiscreteDistribution_st copy;
    test::succeed(cudaMemcpy(&copy, device, sizeof copy, cudaMemcpyDeviceToHost), "cudaMemcpy");
    EXPECT_EQ(copy.length, host->length);
    EXPECT_EQ(copy.shift, host->shift);
    EXPECT_EQ(copy.mean, host->mean);
    EXPECT_EQ(copy.stddev, host->stddev);
    std::vector<double> thresholds(copy.length);
    std::vector<std::uint32_t> alternatives(copy.length);
    if (copy.length > 0) {
      test::succeed(cudaMemcpy(thresholds.data(), copy.V, 8 * thresholds.size(), cudaMemcpyDeviceToHost),
                    "cudaMemcpy");
      test::succeed(cudaMemcpy(alternatives.data(), copy.K, 4 * alternatives.size(), cudaMemcpyDeviceToHost),
                    "cudaMemcpy");
    }
    EXPECT_TRUE(std::equal(thresholds.begin(), thresholds.end(), host->V));
    EXPECT_TRUE(std::equal(alternatives.begin(), alternatives.end(), host->K));
    EXPECT_EQ(curandDestroyDistribution(device), CURAND_STATUS_SUCCESS);
    EXPECT_EQ(curandDestroyDistribution(device), CURAND_STATUS_NOT_INITIALIZED);
    EXPECT_EQ(curandDestroyDistribution(host), CURAND_STATUS_SUCCESS);
  }
  curandDiscreteDistribution_t none = nullptr;
  EXPECT_EQ(curandCreatePoissonDistribution(400001, &none), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(none, nullptr);
  both().expect_equal(0, 3);
}

}  // namespace
}  // namespace rivus
