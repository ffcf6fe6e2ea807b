// cuRAND's host interface on the device: each thread makes groups of one subsequence.
#include <algorithm>
#include <rivus/compat/curand_generator.hpp>

#include "launch.hpp"

namespace rivus::compat {
namespace {

using cuda::block_threads;

// A tile is as many subsequences as a block has threads; it cannot have more runs than that.
constexpr unsigned most_runs = block_threads, tiles_of_a_round = subsequences / block_threads;

// The groups x in [256 tile, 256 end_tile) of each round, with their runs: see curand_route.
struct route_part {
  std::uint32_t key[2];
  std::uint32_t current;
  std::uint32_t tile, end_tile;
  std::uint32_t runs;
  std::uint64_t block[most_runs];
  std::uint16_t begin[most_runs];

  __device__ __forceinline__ std::uint64_t first_block(std::uint32_t x) const {
    std::uint32_t low = 0, high = runs;
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      if (begin[middle] <= x) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return block[low];
  }
};

template <class T>
__device__ __forceinline__ void store_group(T* to, const vec<T, 4>& v) {
  uint4 bytes[sizeof(T) / 4];
  __builtin_memcpy(bytes, &v, sizeof v);
#pragma unroll
  for (unsigned i = 0; i < sizeof(T) / 4; ++i) reinterpret_cast<uint4*>(to)[i] = bytes[i];
}

// Value t of group i is out[4 i + t - lane], of n. Where groups do not lie at multiples of 16 bytes they are staged,
// so that neighbours still store side by side.
template <class Draw, bool Staged>
__global__ void __launch_bounds__(block_threads)
    fill_groups(const __grid_constant__ route_part route, const __grid_constant__ Draw draw,
                typename Draw::value_type* __restrict__ const out, const unsigned lane,
                const std::uint64_t n) {
  using value = typename Draw::value_type;
  constexpr unsigned tile_values = 4 * block_threads;
  __shared__ value staged[Staged ? tile_values : 1];
  // Values before the first of a group are counted from 0 for the sake of unsigned arithmetic.
  const std::uint64_t end = n + lane;
  for (std::uint32_t tile = route.tile + blockIdx.x; tile < route.end_tile; tile += gridDim.x) {
    const std::uint32_t x = tile * block_threads + threadIdx.x;
    const std::uint64_t first_block = route.first_block(x);
    for (std::uint64_t y = blockIdx.y;; y += gridDim.y) {
      const std::uint64_t tile_begin = 4 * (y * subsequences + tile * block_threads);
      if (tile_begin >= end) break;
      const std::uint64_t at = tile_begin + 4 * threadIdx.x;
      if (at < end) {
        curand_block w[Draw::blocks];
#pragma unroll
        for (int b = 0; b < Draw::blocks; ++b) {
          const std::uint64_t block = first_block + y * Draw::blocks + static_cast<unsigned>(b);
          w[b] =
              philox4x32::block({{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                                  (route.current + x) % subsequences, 0}},
                                {{route.key[0], route.key[1]}});
        }
        const vec<value, 4> v = draw(w);
        if constexpr (Staged) {
#pragma unroll
          for (unsigned t = 0; t < 4; ++t) staged[4 * threadIdx.x + t] = v[static_cast<int>(t)];
        } else if (at >= lane && at + 4 <= end) {
          store_group(out + (at - lane), v);
        } else {
#pragma unroll
          for (unsigned t = 0; t < 4; ++t) {
            if (at + t >= lane && at + t < end) out[at + t - lane] = v[static_cast<int>(t)];
          }
        }
      }
      if constexpr (Staged) {
        __syncthreads();
#pragma unroll
        for (unsigned t = threadIdx.x; t < tile_values; t += block_threads) {
          if (tile_begin + t >= lane && tile_begin + t < end) out[tile_begin + t - lane] = staged[t];
        }
        __syncthreads();
      }
    }
  }
}

// The part of the route that begins at a tile: as many tiles as their runs have room for.
route_part part_from(const curand_route& route, std::uint32_t tile) {
  route_part part;
  part.key[0] = static_cast<std::uint32_t>(route.key);
  part.key[1] = static_cast<std::uint32_t>(route.key >> 32);
  part.current = route.current;
  part.tile = tile;
  auto run = std::upper_bound(route.runs.begin(), route.runs.end(), tile * block_threads,
                              [](std::uint32_t x, const curand_run& r) { return x < r.begin; }) -
             1;
  std::uint32_t runs = 0;
  for (; run != route.runs.end() && runs < most_runs; ++run, ++runs) {
    part.begin[runs] = static_cast<std::uint16_t>(run->begin);
    part.block[runs] = run->block;
  }
  part.runs = runs;
  part.end_tile = run == route.runs.end() ? tiles_of_a_round : run->begin / block_threads;
  return part;
}

template <class Draw>
cudaError_t launch_groups(cudaStream_t on, const curand_route& route, const Draw& draw,
                          typename Draw::value_type* out, unsigned lane, std::size_t n) {
  const bool staged = (reinterpret_cast<std::uintptr_t>(out) - lane * sizeof(*out)) % 16 != 0;
  const auto kernel = staged ? &fill_groups<Draw, true> : &fill_groups<Draw, false>;
  const std::uint64_t groups = (std::uint64_t{n} + lane + 3) / 4;
  const auto tiles = static_cast<std::uint32_t>(
      std::min<std::uint64_t>((groups + block_threads - 1) / block_threads, tiles_of_a_round));
  const std::uint64_t rounds = (groups + subsequences - 1) / subsequences;
  std::uint64_t count = n;
  for (std::uint32_t tile = 0; tile < tiles;) {
    route_part part = part_from(route, tile);
    tile = part.end_tile = std::min(part.end_tile, tiles);
    const dim3 grid(cuda::grid_blocks(part.end_tile - part.tile, tiles_of_a_round),
                    cuda::grid_blocks(std::min<std::uint64_t>(rounds, 32), 32));
    Draw copy = draw;
    void* arguments[] = {&part, &copy, &out, &lane, &count};
    const cudaError_t error =
        cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, dim3(block_threads), arguments, 0, on);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

// A histogram in device memory.
class device_histogram {
 public:
  device_histogram() = default;
  ~device_histogram() { cudaFree(memory_); }
  device_histogram(const device_histogram&) = delete;
  device_histogram& operator=(const device_histogram&) = delete;

  // Waits for what still reads the former one. `extra` bytes, whose place is returned, follow.
  curandStatus_t assign(const poisson_histogram& h, cudaStream_t on, curand_discrete_distribution& d,
                        std::size_t extra = 0, void** extra_place = nullptr) {
    cudaFree(memory_);
    memory_ = nullptr;
    const std::size_t n = h.thresholds.size(), thresholds = n * sizeof(double),
                      alternatives = (n + n % 2) * 4;
    if (cudaMalloc(&memory_, thresholds + alternatives + extra) != cudaSuccess) {
      memory_ = nullptr;
      cudaGetLastError();
      return CURAND_STATUS_ALLOCATION_FAILED;
    }
    auto* const bytes = static_cast<unsigned char*>(memory_);
    d = h.distribution();
    d.V = reinterpret_cast<const double*>(bytes);
    d.K = reinterpret_cast<const std::uint32_t*>(bytes + thresholds);
    if (extra_place != nullptr) *extra_place = bytes + thresholds + alternatives;
    if (n == 0) return CURAND_STATUS_SUCCESS;
    // From pageable memory: copied before the calls return, and in the order of the stream.
    if (cudaMemcpyAsync(bytes, h.thresholds.data(), thresholds, cudaMemcpyHostToDevice, on) != cudaSuccess ||
        cudaMemcpyAsync(bytes + thresholds, h.alternatives.data(), n * 4, cudaMemcpyHostToDevice, on) !=
            cudaSuccess) {
      cudaGetLastError();
      return CURAND_STATUS_LAUNCH_FAILURE;
    }
    return CURAND_STATUS_SUCCESS;
  }

 private:
  void* memory_ = nullptr;
};

struct generator_of_device final : curandGenerator_st {
  curandStatus_t set_stream(cudaStream_t stream) override {
    if (stream == on_) return CURAND_STATUS_SUCCESS;
    // The histogram was copied in the order of the former stream.
    forget_histogram();
    on_ = stream;
    return CURAND_STATUS_SUCCESS;
  }
  curandStatus_t fill(const curand_route& route, unsigned lane, const any_draw& draw, void* out,
                      std::size_t n) override {
    const cudaError_t error = std::visit(
        [&](const auto& d) {
          using value = typename std::remove_cvref_t<decltype(d)>::value_type;
          return launch_groups(on_, route, d, static_cast<value*>(out), lane, n);
        },
        draw);
    return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
  }
  curandStatus_t make_readable(const poisson_histogram& h, curand_discrete_distribution& d) override {
    return histogram_.assign(h, on_, d);
  }

  cudaStream_t on_ = nullptr;
  device_histogram histogram_;
};

bool has_device() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) return true;
  cudaGetLastError();
  return false;
}

}  // namespace

curandStatus_t detail::create_generator(curandGenerator_t* generator, curandRngType_t type) noexcept {
  return without_exceptions([&] {
    const curandStatus_t status = check_type(generator, type);
    if (status != CURAND_STATUS_SUCCESS) return status;
    if (!has_device()) return CURAND_STATUS_INITIALIZATION_FAILED;
    *generator = new generator_of_device;
    return CURAND_STATUS_SUCCESS;
  });
}

curandStatus_t curandCreatePoissonDistribution(double lambda,
                                               curandDiscreteDistribution_t* distribution) noexcept {
  return without_exceptions([&] {
    if (distribution == nullptr || !is_poisson_mean(lambda)) return CURAND_STATUS_OUT_OF_RANGE;
    if (!has_device()) return CURAND_STATUS_INITIALIZATION_FAILED;
    const auto memory = std::make_shared<device_histogram>();
    curandDiscreteDistribution_st made{};
    void* place = nullptr;
    const bool tabulated = lambda < poisson_normal_from;
    const curandStatus_t status = memory->assign(tabulated ? poisson_histogram(lambda) : poisson_histogram(),
                                                 cudaStreamLegacy, made, sizeof made, &place);
    if (status != CURAND_STATUS_SUCCESS) return status;
    if (!tabulated) static_cast<curand_discrete_distribution&>(made) = rounded_poisson(lambda);
    if (cudaMemcpy(place, &made, sizeof made, cudaMemcpyHostToDevice) != cudaSuccess) {
      cudaGetLastError();
      return CURAND_STATUS_LAUNCH_FAILURE;
    }
    const auto d = static_cast<curandDiscreteDistribution_t>(place);
    keep_distribution(d, memory);
    *distribution = d;
    return CURAND_STATUS_SUCCESS;
  });
}

}  // namespace rivus::compat
