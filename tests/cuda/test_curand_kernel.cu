// Kernels written for NVIDIA's <curand_kernel.h>, which is found in include/rivus/compat/drop_in: the device draws
// what the host draws.
struct curandStatePhilox4_32_10;
struct curandStateXORWOW;

#include <curand.h>
#include <curand_kernel.h>
#include <curand_normal.h>
#include <curand_uniform.h>

#include <cmath>

#include "../compat/test_curand_kernel_calls.hpp"
#include "device.hpp"

#if !defined(RIVUS_COMPAT_CURAND_KERNEL_H)
#error "the folder drop_in was not the first in which the header was looked for"
#endif

// As programs have them.
__global__ void setup_kernel(curandState* state, unsigned long long seed, int n) {
  const int id = threadIdx.x + blockIdx.x * blockDim.x;
  if (id < n) curand_init(seed, id, 0, &state[id]);
}
__global__ void generate_kernel(curandState* state, int n, int each, float* uniforms, float2* normals) {
  const int id = threadIdx.x + blockIdx.x * blockDim.x;
  if (id >= n) return;
  curandState local = state[id];
  for (int i = 0; i < each; ++i) {
    uniforms[i * n + id] = curand_uniform(&local);
    normals[i * n + id] = curand_normal2(&local);
  }
  state[id] = local;
}

namespace rivus::test {
namespace {

__global__ void play(curandStatePhilox4_32_10_t* states, const call* calls, int count, drawn* out,
                     curandDiscreteDistribution_t distribution) {
  curandStatePhilox4_32_10_t s = states[threadIdx.x];
  for (int i = 0; i < count; ++i) out[threadIdx.x * count + i] = perform(calls[i], &s, distribution);
  states[threadIdx.x] = s;
}

void launched() { succeed(cudaGetLastError(), "kernel launch"); }

::testing::AssertionResult same(const void* got, const void* want, std::size_t bytes) {
  if (std::memcmp(got, want, bytes) == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "other bits";
}

class cuda_curand_kernel : public device_test {};

TEST_F(cuda_curand_kernel, kernels_of_programs) {
  constexpr int n = 100, each = 7;
  device_array<curandState> states(n);
  device_array<float> uniforms(n * each);
  device_array<float2> normals(n * each);
  setup_kernel<<<2, 64>>>(states.data(), 1234, n);
  launched();
  std::vector<curandState> expected(n);
  for (int launch = 0; launch < 2; ++launch) {
    generate_kernel<<<2, 64>>>(states.data(), n, each, uniforms.data(), normals.data());
    launched();
    const std::vector<float> u = uniforms.values();
    const std::vector<float2> z = normals.values();
    for (int id = 0; id < n; ++id) {
      curandState& s = expected[static_cast<std::size_t>(id)];
      if (launch == 0) curand_init(1234, static_cast<unsigned>(id), 0, &s);
      for (int i = 0; i < each; ++i) {
        const auto at = static_cast<std::size_t>(i * n + id);
        ASSERT_EQ(as_word(u[at]), as_word(curand_uniform(&s))) << "thread " << id << ", value " << i;
        const float2 want = curand_normal2(&s);
        ASSERT_EQ(as_word(z[at].x), as_word(want.x)) << "thread " << id << ", value " << i;
        ASSERT_EQ(as_word(z[at].y), as_word(want.y)) << "thread " << id << ", value " << i;
      }
    }
    EXPECT_TRUE(same(states.values().data(), expected.data(), n * sizeof(curandState))) << "of the states";
  }
}

TEST_F(cuda_curand_kernel, each_function_in_any_order) {
  // Each thread has a state of its own, and a table or a normal to draw discrete values from.
  constexpr unsigned threads = 64, length = 37;
  const int count = few_cases() ? 60 : 500;
  words random(17);
  std::vector<curandState> states(threads);
  for (curandState& s : states) curand_init(random(), random(), random() >> random.below(64), &s);
  std::vector<double> V;
  std::vector<std::uint32_t> K;
  for (unsigned j = 0; j < length; ++j) {
    V.push_back((j + 0.5 + 0.5 * random.real<double>()) / length);
    K.push_back(static_cast<std::uint32_t>(random.below(length)));
  }
  device_array<double> device_V(V);
  device_array<std::uint32_t> device_K(K);
  for (const unsigned of : {length, 0u}) {
    std::vector<call> calls(static_cast<std::size_t>(count));
    for (call& c : calls) {
      c.what = static_cast<call::kind>(call::skip + random.below(call::kinds - call::skip));
      c.n = random() >> random.below(64);
      const bool poisson = c.what >= call::poisson;
      c.a = poisson ? std::exp(10 * std::abs(random.real<double>()) - 1) : random.real<double>();
      c.b = 2 * random.real<double>();
    }
    curandDiscreteDistribution_st host{{V.data(), K.data(), 1000, of, 5000.5, 70.25}};
    curandDiscreteDistribution_st on_device = host;
    on_device.V = device_V.data();
    on_device.K = device_K.data();
    device_array<curandDiscreteDistribution_st> distribution({on_device});
    device_array<call> device_calls(calls);
    device_array<curandState> device_states(states);
    device_array<drawn> out(threads * calls.size());
    play<<<1, threads>>>(device_states.data(), device_calls.data(), count, out.data(), distribution.data());
    launched();
    const std::vector<drawn> got = out.values();
    for (unsigned t = 0; t < threads; ++t) {
      for (std::size_t i = 0; i < calls.size(); ++i) {
        const drawn want = perform(calls[i], &states[t], &host);
        ASSERT_TRUE(same(&got[t * calls.size() + i], &want, sizeof want))
            << "thread " << t << ", call " << i << " of kind " << calls[i].what;
      }
    }
    EXPECT_TRUE(same(device_states.values().data(), states.data(), threads * sizeof(curandState)));
  }
}

// What the words of edges become.
__global__ void convert(const std::uint32_t* words, int n, vec<float, 2>* normals, vec<double, 2>* wide,
                        float* uniforms) {
  const int i = static_cast<int>(threadIdx.x + blockIdx.x * blockDim.x);
  if (i >= n * n) return;
  const std::uint32_t x = words[i / n], y = words[i % n];
  normals[i] = compat::curand_normals_of(x, y);
  wide[i] = compat::curand_normals_of({{x, y, y, x}});
  uniforms[i] = compat::curand_uniform_of(x);
}

TEST_F(cuda_curand_kernel, words_of_edges) {
  const std::vector<std::uint32_t> words = edge_and_random_words<std::uint32_t>(few_cases() ? 1 : 40, 3);
  const std::size_t n = words.size();
  device_array<std::uint32_t> in(words);
  device_array<vec<float, 2>> normals(n * n);
  device_array<vec<double, 2>> wide(n * n);
  device_array<float> uniforms(n * n);
  convert<<<static_cast<unsigned>((n * n + 127) / 128), 128>>>(in.data(), static_cast<int>(n), normals.data(),
                                                               wide.data(), uniforms.data());
  launched();
  const auto z = normals.values();
  const auto d = wide.values();
  const auto u = uniforms.values();
  for (std::size_t i = 0; i < n * n; ++i) {
    const std::uint32_t x = words[i / n], y = words[i % n];
    const vec<float, 2> want = compat::curand_normals_of(x, y);
    const vec<double, 2> want_d = compat::curand_normals_of({{x, y, y, x}});
    ASSERT_TRUE(same(&z[i], &want, sizeof want)) << x << " " << y;
    ASSERT_TRUE(same(&d[i], &want_d, sizeof want_d)) << x << " " << y;
    ASSERT_EQ(as_word(u[i]), as_word(compat::curand_uniform_of(x))) << x;
  }
}

}  // namespace
}  // namespace rivus::test
