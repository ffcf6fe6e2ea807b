// The kernels of rivus_cuda_bench without peers: the ceilings, and draws element by element.
#include <algorithm>

#include "cases.hpp"

namespace rivus::device_bench {

namespace {

constexpr unsigned block = 256;

unsigned blocks_for(int multiprocessors, std::size_t threads) {
  const std::size_t most = static_cast<std::size_t>(multiprocessors) * 32;
  return static_cast<unsigned>(std::max<std::size_t>(1, std::min((threads + block - 1) / block, most)));
}

__global__ void write_kernel(uint4* out, std::size_t n, unsigned value) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    out[i] = {value, value, value, value};
  }
}

// Four loads under way at once. The result is never stored, which the compiler does not know.
__global__ void read_kernel(const uint4* in, std::size_t n, unsigned* never) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  unsigned seen = 0;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + 3 * stride < n; i += 4 * stride) {
    const uint4 a = in[i], b = in[i + stride], c = in[i + 2 * stride], d = in[i + 3 * stride];
    seen |= a.x & a.y & a.z & a.w & b.x & b.y & b.z & b.w;
    seen |= c.x & c.y & c.z & c.w & d.x & d.y & d.z & d.w;
  }
  for (; i < n; i += stride) {
    const uint4 a = in[i];
    seen |= a.x & a.y & a.z & a.w;
  }
  if (seen == 0xFFFFFFFFu) *never = seen;
}

constexpr int fma_chains = 8, fma_steps = 512;
__global__ void fma_kernel(float factor, float* never) {
  float x[fma_chains];
  for (int k = 0; k < fma_chains; ++k) x[k] = static_cast<float>(k + threadIdx.x);
  for (int step = 0; step < fma_steps; ++step) {
#pragma unroll
    for (int k = 0; k < fma_chains; ++k) x[k] = __fmaf_rn(x[k], factor, 1.0f);
  }
  float sum = 0;
  for (int k = 0; k < fma_chains; ++k) sum += x[k];
  if (sum == -1) *never = sum;
}

template <class D>
__global__ void loop_kernel(typename D::value_type* out, std::size_t quads, stream s, D d) {
  using T = typename D::value_type;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t q = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; q < quads; q += stride) {
    const vec<T, 4> v = d.quad(s, q);
    if constexpr (sizeof(T) == 1) {
      reinterpret_cast<uchar4*>(out)[q] = {v[0], v[1], v[2], v[3]};
    } else if constexpr (sizeof(T) == 4) {
      uint4 word;
      __builtin_memcpy(&word, &v, 16);
      reinterpret_cast<uint4*>(out)[q] = word;
    } else {
      uint4 words[2];
      __builtin_memcpy(words, &v, 32);
      reinterpret_cast<uint4*>(out)[2 * q] = words[0];
      reinterpret_cast<uint4*>(out)[2 * q + 1] = words[1];
    }
  }
}

void launched(const char* kernel) { succeed(cudaGetLastError(), kernel); }

}  // namespace

way memset_way(const context& c, std::size_t bytes) {
  return {"cudaMemsetAsync", role::ceiling, [&c, bytes](cudaStream_t on, std::uint64_t k) {
            succeed(cudaMemsetAsync(c.out->place(bytes, k), 0x55, bytes, on), "cudaMemsetAsync");
          }};
}

way write_way(const context& c, std::size_t bytes) {
  return {"write kernel", role::ceiling, [&c, bytes](cudaStream_t on, std::uint64_t k) {
            const std::size_t n = bytes / sizeof(uint4);
            write_kernel<<<blocks_for(c.multiprocessors, n), block, 0, on>>>(c.out->place<uint4>(bytes, k), n,
                                                                             static_cast<unsigned>(k));
            launched("write_kernel");
          }};
}

way read_way(const context& c, std::size_t bytes) {
  return {"read kernel", role::ceiling, [&c, bytes](cudaStream_t on, std::uint64_t k) {
            const std::size_t n = bytes / sizeof(uint4);
            read_kernel<<<blocks_for(c.multiprocessors, (n + 3) / 4), block, 0, on>>>(
                c.in->place<uint4>(bytes, k), n, c.out->place<unsigned>(bytes, k));
            launched("read_kernel");
          }};
}

way copy_way(const context& c, std::size_t bytes) {
  way w{"cudaMemcpyAsync on the device", role::ceiling, [&c, bytes](cudaStream_t on, std::uint64_t k) {
          succeed(cudaMemcpyAsync(c.out->place(bytes, k), c.in->place(bytes, k), bytes,
                                  cudaMemcpyDeviceToDevice, on),
                  "cudaMemcpyAsync");
        }};
  w.amount = 2 * static_cast<double>(bytes);
  return w;
}

way fma_way(const context& c) {
  const unsigned blocks = static_cast<unsigned>(c.multiprocessors) * 8;
  way w{"fma kernel", role::ceiling, [&c, blocks](cudaStream_t on, std::uint64_t k) {
          fma_kernel<<<blocks, block, 0, on>>>(0.5f, c.out->place<float>(256, k));
          launched("fma_kernel");
        }};
  w.amount = 2.0 * fma_chains * fma_steps * block * blocks;
  return w;
}

template <class D>
void rivus_loop(cudaStream_t on, int multiprocessors, typename D::value_type* out, std::size_t n, stream s,
                D d) {
  loop_kernel<D><<<blocks_for(multiprocessors, n / 4), block, 0, on>>>(out, n / 4, s, d);
  launched("loop_kernel");
}

template void rivus_loop(cudaStream_t, int, std::uint32_t*, std::size_t, stream, bits<std::uint32_t>);
template void rivus_loop(cudaStream_t, int, float*, std::size_t, stream, uniform<float>);
template void rivus_loop(cudaStream_t, int, double*, std::size_t, stream, uniform<double>);
template void rivus_loop(cudaStream_t, int, float*, std::size_t, stream, normal<float>);
template void rivus_loop(cudaStream_t, int, double*, std::size_t, stream, normal<double>);
template void rivus_loop(cudaStream_t, int, float*, std::size_t, stream, exponential<float>);
template void rivus_loop(cudaStream_t, int, std::int32_t*, std::size_t, stream, integer<std::int32_t>);
template void rivus_loop(cudaStream_t, int, std::uint8_t*, std::size_t, stream, bernoulli);

}  // namespace rivus::device_bench
