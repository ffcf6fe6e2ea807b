// What others do in kernels: loops over cuRAND's generators, sums and scans of CUB and Thrust.
#include <algorithm>

#include "cases.hpp"

#if __has_include(<curand_kernel.h>)
#include <curand_kernel.h>
#define RIVUS_BENCH_CURAND_KERNEL 1
#endif
#if __has_include(<cub/device/device_reduce.cuh>)
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#define RIVUS_BENCH_CUB 1
#endif

namespace rivus::device_bench {

#ifdef RIVUS_BENCH_CURAND_KERNEL

namespace {

constexpr unsigned block = 256;

using philox = curandStatePhilox4_32_10_t;
using xorwow = curandStateXORWOW_t;

// Four values, by the widest call that each generator has.
template <class State>
__device__ uint4 words(State& s) {
  if constexpr (std::is_same_v<State, philox>) return curand4(&s);
  return {curand(&s), curand(&s), curand(&s), curand(&s)};
}
template <class State>
__device__ float4 uniforms(State& s) {
  if constexpr (std::is_same_v<State, philox>) return curand_uniform4(&s);
  return {curand_uniform(&s), curand_uniform(&s), curand_uniform(&s), curand_uniform(&s)};
}

struct draw_bits {
  using four = uint4;
  template <class State>
  __device__ static four draw(State& s) {
    return words(s);
  }
};
struct draw_uniform_float {
  using four = float4;
  template <class State>
  __device__ static four draw(State& s) {
    return uniforms(s);
  }
};
struct four_doubles {
  double2 low, high;
};
struct draw_uniform_double {
  using four = four_doubles;
  template <class State>
  __device__ static four draw(State& s) {
    if constexpr (std::is_same_v<State, philox>) {
      return {curand_uniform2_double(&s), curand_uniform2_double(&s)};
    } else {
      return {{curand_uniform_double(&s), curand_uniform_double(&s)},
              {curand_uniform_double(&s), curand_uniform_double(&s)}};
    }
  }
};
struct draw_normal_float {
  using four = float4;
  template <class State>
  __device__ static four draw(State& s) {
    if constexpr (std::is_same_v<State, philox>) {
      return curand_normal4(&s);
    } else {
      const float2 a = curand_normal2(&s), b = curand_normal2(&s);
      return {a.x, a.y, b.x, b.y};
    }
  }
};
struct draw_normal_double {
  using four = four_doubles;
  template <class State>
  __device__ static four draw(State& s) {
    return {curand_normal2_double(&s), curand_normal2_double(&s)};
  }
};
struct draw_exponential_float {
  using four = float4;
  template <class State>
  __device__ static four draw(State& s) {
    const float4 u = uniforms(s);
    return {-logf(u.x), -logf(u.y), -logf(u.z), -logf(u.w)};
  }
};
// A word times the bound: not quite uniform, unlike rivus::integer.
struct draw_below_1000 {
  using four = uint4;
  template <class State>
  __device__ static four draw(State& s) {
    const uint4 w = words(s);
    return {__umulhi(w.x, 1000), __umulhi(w.y, 1000), __umulhi(w.z, 1000), __umulhi(w.w, 1000)};
  }
};
struct draw_quarter {
  using four = uchar4;
  template <class State>
  __device__ static four draw(State& s) {
    const float4 u = uniforms(s);
    return {u.x <= 0.25f, u.y <= 0.25f, u.z <= 0.25f, u.w <= 0.25f};
  }
};

template <class Draw, class State>
__device__ void loop(typename Draw::four* out, std::size_t n, State& s) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
    out[i] = Draw::draw(s);
}

// A state made by each thread and forgotten.
template <class Draw>
__global__ void fresh_kernel(typename Draw::four* out, std::size_t n, unsigned long long seed) {
  philox s;
  curand_init(seed, blockIdx.x * blockDim.x + threadIdx.x, 0, &s);
  loop<Draw>(out, n, s);
}
// A state of each thread in memory, carried on from launch to launch.
template <class Draw, class State>
__global__ void stored_kernel(typename Draw::four* out, std::size_t n, State* states) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  State s = states[thread];
  loop<Draw>(out, n, s);
  states[thread] = s;
}
template <class State>
__global__ void init_kernel(State* states, unsigned long long seed) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(seed, thread, 0, &states[thread]);
}

unsigned most_blocks(const context& c) { return static_cast<unsigned>(c.multiprocessors) * 8; }

// States of as many threads as any launch has; made once a program.
template <class State>
State* states(const context& c, unsigned blocks) {
  static std::shared_ptr<State> memory;
  static unsigned made = 0;
  if (made < blocks) {
    memory = device_memory<State>(sizeof(State) * blocks * block);
    init_kernel<<<blocks, block, 0, c.stream>>>(memory.get(), 1234);
    succeed(cudaGetLastError(), "init_kernel");
    succeed(cudaStreamSynchronize(c.stream), "init_kernel");
    made = blocks;
  }
  return memory.get();
}

template <class Draw>
std::vector<way> loops(const context& c, std::size_t bytes) {
  using four = typename Draw::four;
  const std::size_t n = bytes / sizeof(four);
  const auto blocks =
      static_cast<unsigned>(std::clamp<std::size_t>((n + block - 1) / block, 1, most_blocks(c)));
  // Made before the first launch, as a capture allows no allocation; so an error is one of the way.
  const auto stored = [&c, bytes, n, blocks](const char* name, auto* state) {
    using State = std::remove_pointer_t<decltype(state)>;
    way w{name, role::curand_loop, [&c, bytes, n, blocks](cudaStream_t on, std::uint64_t k) {
            stored_kernel<Draw, State>
                <<<blocks, block, 0, on>>>(c.out->place<four>(bytes, k), n, states<State>(c, blocks));
            succeed(cudaGetLastError(), "stored_kernel");
          }};
    w.check = [&c, blocks] { states<State>(c, blocks); };
    return w;
  };
  return {{"Philox, initialised by each thread", role::curand_loop,
           [&c, bytes, n, blocks](cudaStream_t on, std::uint64_t k) {
             fresh_kernel<Draw><<<blocks, block, 0, on>>>(c.out->place<four>(bytes, k), n, k);
             succeed(cudaGetLastError(), "fresh_kernel");
           }},
          stored("Philox, states in memory", static_cast<philox*>(nullptr)),
          stored("XORWOW, states in memory", static_cast<xorwow*>(nullptr))};
}

}  // namespace

std::vector<way> curand_loops(const context& c, peer_values values, std::size_t bytes) {
  switch (values) {
    case peer_values::bits:
      return loops<draw_bits>(c, bytes);
    case peer_values::uniform_float:
      return loops<draw_uniform_float>(c, bytes);
    case peer_values::uniform_double:
      return loops<draw_uniform_double>(c, bytes);
    case peer_values::normal_float:
      return loops<draw_normal_float>(c, bytes);
    case peer_values::normal_double:
      return loops<draw_normal_double>(c, bytes);
    case peer_values::exponential_float:
      return loops<draw_exponential_float>(c, bytes);
    case peer_values::below_1000:
      return loops<draw_below_1000>(c, bytes);
    case peer_values::quarter:
      return loops<draw_quarter>(c, bytes);
  }
  return {};
}

#else

std::vector<way> curand_loops(const context&, peer_values, std::size_t) { return {}; }

#endif

#ifdef RIVUS_BENCH_CUB

namespace {

// call(scratch or null, its size, stream, launch).
template <class Call>
way cub_way(const char* name, const Call& call) {
  std::size_t bytes = 0;
  call(nullptr, bytes, nullptr, 0);
  const auto scratch = device_memory<>(bytes);
  return {name, role::other, [call, scratch, bytes](cudaStream_t on, std::uint64_t k) {
            std::size_t size = bytes;
            call(scratch.get(), size, on, k);
          }};
}

}  // namespace

template <class T>
std::vector<way> library_sums(const context& c, std::size_t bytes) {
  const auto n = static_cast<std::int64_t>(bytes / sizeof(T));
  const auto result = device_memory<T>(sizeof(T));
  way thrust{"thrust::reduce", role::other, [&c, bytes, n](cudaStream_t on, std::uint64_t k) {
               const T* const x = c.in->place<T>(bytes, k);
               const T seen = thrust::reduce(thrust::cuda::par.on(on), x, x + n);
               if (seen != seen) throw std::runtime_error("thrust::reduce: the sum is no number");
             }};
  thrust.capturable = false;  // it waits for its result
  return {cub_way("cub::DeviceReduce::Sum",
                  [&c, bytes, n, result](void* scratch, std::size_t& size, cudaStream_t on, std::uint64_t k) {
                    succeed(
                        cub::DeviceReduce::Sum(scratch, size, c.in->place<T>(bytes, k), result.get(), n, on),
                        "cub::DeviceReduce::Sum");
                  }),
          thrust};
}

std::vector<way> library_scans(const context& c, std::size_t bytes) {
  const auto n = static_cast<std::int64_t>(bytes / sizeof(float));
  return {cub_way("cub::DeviceScan::InclusiveSum",
                  [&c, bytes, n](void* scratch, std::size_t& size, cudaStream_t on, std::uint64_t k) {
                    succeed(cub::DeviceScan::InclusiveSum(scratch, size, c.in->place<float>(bytes, k),
                                                          c.out->place<float>(bytes, k), n, on),
                            "cub::DeviceScan::InclusiveSum");
                  })};
}

#else

template <class T>
std::vector<way> library_sums(const context&, std::size_t) {
  return {};
}
std::vector<way> library_scans(const context&, std::size_t) { return {}; }

#endif

template std::vector<way> library_sums<float>(const context&, std::size_t);
template std::vector<way> library_sums<double>(const context&, std::size_t);

std::string kernel_peers_missing() {
  std::string missing;
#ifndef RIVUS_BENCH_CURAND_KERNEL
  missing += "the toolkit has no curand_kernel.h, so cuRAND's generators in kernels are left out";
#endif
#ifndef RIVUS_BENCH_CUB
  missing += missing.empty() ? "" : "; ";
  missing += "the toolkit has no cub, so sums of CUB and Thrust are left out";
#endif
  return missing;
}

}  // namespace rivus::device_bench
