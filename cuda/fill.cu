#include <rivus/arguments.hpp>
#include <rivus/cuda/fill.hpp>

#include "launch.hpp"

namespace rivus::cuda {
namespace {

// A stream within 2^32 blocks: the round keys, and what rounds 1 and 2 have that does not depend on counter
// word 0.
struct prepared_stream {
  std::uint32_t key[20];
  std::uint32_t first_merge;  // into x2 of round 1
  std::uint32_t second_x1;    // into x0 of round 2, with its key
  std::uint32_t second_x2;    // into x2 of round 2, with its key
  std::uint32_t third_x3;     // x3 of round 2

  prepared_stream(stream s, std::uint32_t high) {
    using constants = philox_constants<std::uint32_t, 4>;
    std::uint32_t k0 = stream::lo(s.key), k1 = stream::hi(s.key);
    for (int r = 0; r < 10; ++r) {
      key[2 * r] = k0 + static_cast<std::uint32_t>(r) * constants::weyl[0];
      key[2 * r + 1] = k1 + static_cast<std::uint32_t>(r) * constants::weyl[1];
    }
    const auto q = mul_wide(stream::lo(s.nonce), constants::multiplier[1]);
    const auto p = mul_wide(q.hi ^ high ^ key[0], constants::multiplier[0]);
    first_merge = stream::hi(s.nonce) ^ key[1];
    second_x1 = q.lo ^ key[2];
    second_x2 = p.hi ^ key[3];
    third_x3 = p.lo;
  }

  // The block whose number has the low half c0.
  __device__ __forceinline__ vec<std::uint32_t, 4> block(std::uint32_t c0) const {
    using constants = philox_constants<std::uint32_t, 4>;
    const auto p1 = mul_wide(c0, constants::multiplier[0]);
    const auto q2 = mul_wide(p1.hi ^ first_merge, constants::multiplier[1]);
    vec<std::uint32_t, 4> x{{q2.hi ^ second_x1, q2.lo, p1.lo ^ second_x2, third_x3}};
#pragma unroll
    for (int r = 2; r < 10; ++r) {
      const auto p = mul_wide(x[0], constants::multiplier[0]);
      const auto q = mul_wide(x[2], constants::multiplier[1]);
      x = {{q.hi ^ x[1] ^ key[2 * r], q.lo, p.hi ^ x[3] ^ key[2 * r + 1], p.lo}};
    }
    return x;
  }
};

// A draw turns a block's words into `count` values. b is the number of the block.

// Words, and reals: Standard values, or scaled ones.
template <class D, bool Standard>
struct value_draw {
  using value = typename D::value_type;
  using word = typename D::word;
  static constexpr int count = 16 / sizeof(word);

  D d;

  __device__ __forceinline__ vec<value, count> operator()(std::uint64_t,
                                                          const vec<std::uint32_t, 4>& w) const {
    vec<value, count> v;
#pragma unroll
    for (int i = 0; i < count; i += D::words_per_step) {
      if constexpr (std::is_same_v<D, bits<value>>) {
        v[i] = word_of(w, i);
      } else if constexpr (D::words_per_step == 1) {
        const value z = D::standard(word_of(w, i));
        v[i] = Standard ? z : d.scaled(z);
      } else {
        const vec<value, 2> z = D::standard(word_of(w, i), word_of(w, i + 1));
        v[i] = Standard ? z[0] : d.scaled(z[0]);
        v[i + 1] = Standard ? z[1] : d.scaled(z[1]);
      }
    }
    return v;
  }

 private:
  __device__ __forceinline__ static word word_of(const vec<std::uint32_t, 4>& w, int i) {
    if constexpr (sizeof(word) == 4) {
      return w[i];
    } else {
      return stream::join(w[2 * i], w[2 * i + 1]);
    }
  }
};

// Events of a probability that is neither 0 nor 1.
struct event_draw {
  using value = std::uint8_t;
  static constexpr int count = 4;

  std::uint32_t threshold;

  __device__ __forceinline__ vec<value, 4> operator()(std::uint64_t, const vec<std::uint32_t, 4>& w) const {
    return {{w[0] < threshold, w[1] < threshold, w[2] < threshold, w[3] < threshold}};
  }
};

// Integers of one Word each.
template <class I, class Word>
struct integer_draw {
  using value = I;
  static constexpr int count = 16 / sizeof(Word);

  stream s;
  std::uint64_t lo;
  Word bound;
  Word refused;  // 2^bits mod bound

  integer_draw(stream s_, integer<I> d)
      : s(s_),
        lo(static_cast<std::uint64_t>(d.lo)),
        bound(static_cast<Word>(d.size())),
        refused(static_cast<Word>(Word{0} - bound) % bound) {}

  __device__ __forceinline__ vec<I, count> operator()(std::uint64_t b, const vec<std::uint32_t, 4>& w) const {
    vec<I, count> v;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      Word word;
      if constexpr (sizeof(Word) == 4) {
        word = w[i];
      } else {
        word = stream::join(w[2 * i], w[2 * i + 1]);
      }
      const wide<Word> m = mul_wide(word, bound);
      const Word x =
          m.lo < refused ? rivus::detail::below(s, b * count + static_cast<unsigned>(i), bound) : m.hi;
      v[i] = static_cast<I>(lo + x);
    }
    return v;
  }
};

// What one thread stores at once: 16 bytes or more, of one block or of several.
template <class Draw>
struct store_unit {
  static constexpr int bytes_per_block = Draw::count * sizeof(typename Draw::value);
  static constexpr int blocks = bytes_per_block < 16 ? 16 / bytes_per_block : 1;
  static constexpr int elements = blocks * Draw::count;
};

// n elements from a block's first on, to a multiple of 16 bytes; the low half of the block number does not
// wrap.
template <class Draw>
__global__ void __launch_bounds__(block_threads)
    fill_aligned(const prepared_stream s, const __grid_constant__ Draw draw, const std::uint64_t first_block,
                 typename Draw::value* __restrict__ out, const std::uint64_t n) {
  using value = typename Draw::value;
  using unit = store_unit<Draw>;
  const std::uint64_t units = (n + unit::elements - 1) / unit::elements;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * block_threads;
  for (std::uint64_t u = std::uint64_t{blockIdx.x} * block_threads + threadIdx.x; u < units; u += stride) {
    alignas(16) value v[unit::elements];
#pragma unroll
    for (int j = 0; j < unit::blocks; ++j) {
      const std::uint64_t b = first_block + u * unit::blocks + static_cast<unsigned>(j);
      const vec<value, Draw::count> x = draw(b, s.block(stream::lo(b)));
#pragma unroll
      for (int i = 0; i < Draw::count; ++i) v[j * Draw::count + i] = x[i];
    }
    const std::uint64_t at = u * unit::elements;
    if (at + unit::elements <= n) {
      constexpr int vectors = sizeof v / 16;
      uint4* const to = reinterpret_cast<uint4*>(out + at);
#pragma unroll
      for (int k = 0; k < vectors; ++k) {
        uint4 bytes;
        __builtin_memcpy(&bytes, reinterpret_cast<const char*>(v) + 16 * k, 16);
        to[k] = bytes;
      }
    } else {
#pragma unroll
      for (int i = 0; i < unit::elements; ++i) {
        if (at + static_cast<unsigned>(i) < n) out[at + static_cast<unsigned>(i)] = v[i];
      }
    }
  }
}

// Any first element and any place: by way of shared memory, so that neighbours still store side by side.
template <class Draw>
__global__ void __launch_bounds__(block_threads)
    fill_staged(const stream s, const Draw draw, std::uint64_t first,
                const std::uint64_t* __restrict__ device_first, typename Draw::value* __restrict__ out,
                const std::uint64_t n) {
  using value = typename Draw::value;
  constexpr unsigned tile = 4 * block_threads;
  constexpr unsigned count = Draw::count;
  __shared__ value staged[tile + count];
  if (device_first != nullptr) first = *device_first;
  for (std::uint64_t at = std::uint64_t{blockIdx.x} * tile; at < n; at += std::uint64_t{gridDim.x} * tile) {
    const auto m = static_cast<unsigned>(n - at < tile ? n - at : tile);
    const std::uint64_t b0 = (first + at) / count;
    const auto offset = static_cast<unsigned>((first + at) % count);
    const unsigned blocks = (offset + m + count - 1) / count;
    for (unsigned j = threadIdx.x; j < blocks; j += block_threads) {
      // Behind the last element, 2^64 - 1, comes the first.
      const std::uint64_t b = (b0 + j) & (~std::uint64_t{0} / count);
      const vec<value, Draw::count> x = draw(b, s.block(b));
#pragma unroll
      for (unsigned i = 0; i < count; ++i) staged[j * count + i] = x[static_cast<int>(i)];
    }
    __syncthreads();
    for (unsigned j = threadIdx.x; j < m; j += block_threads) out[at + j] = staged[offset + j];
    __syncthreads();
  }
}

template <class Draw>
void launch_staged(cudaStream_t on, typename Draw::value* out, std::uint64_t n, stream s, const Draw& draw,
                   std::uint64_t first, const std::uint64_t* device_first) {
  const unsigned grid = grid_blocks((n + 4 * block_threads - 1) / (4 * block_threads), 1u << 20);
  launch("launch of fill_staged", "rivus::cuda::fill", on, grid, block_threads, &fill_staged<Draw>, s, draw,
         first, device_first, out, n);
}

template <class Draw>
void launch_fill(cudaStream_t on, typename Draw::value* out, std::uint64_t n, stream s, const Draw& draw,
                 std::uint64_t first, const std::uint64_t* device_first) {
  using unit = store_unit<Draw>;
  const bool aligned = reinterpret_cast<std::uintptr_t>(out) % 16 == 0 && first % Draw::count == 0;
  if (device_first != nullptr || !aligned) return launch_staged(on, out, n, s, draw, first, device_first);
  std::uint64_t b = first / Draw::count;
  while (n > 0) {
    // Up to where the low half of the block number wraps, in whole units; a unit astride of that by itself.
    const std::uint64_t units = ((std::uint64_t{1} << 32) - stream::lo(b)) / unit::blocks;
    const std::uint64_t most = (units == 0 ? 1 : units) * unit::elements;
    const std::uint64_t m = n < most ? n : most;
    if (units == 0) {
      launch_staged(on, out, m, s, draw, b * Draw::count, nullptr);
    } else {
      constexpr std::uint64_t per_block = std::uint64_t{4} * unit::elements * block_threads;
      const unsigned grid = grid_blocks((m + per_block - 1) / per_block, 1u << 30);
      launch("launch of fill_aligned", "rivus::cuda::fill", on, grid, block_threads, &fill_aligned<Draw>,
             prepared_stream(s, stream::hi(b)), draw, b, out, m);
    }
    out += m;
    n -= m;
    b += m / Draw::count;
  }
}

}  // namespace

template <class D>
void detail::fill(cudaStream_t on, typename D::value_type* out, std::size_t n, stream s, D d,
                  std::uint64_t first, const std::uint64_t* device_first) {
  rivus::detail::require_valid("rivus::cuda::fill", out, n, d, first);
  if (n == 0) return;
  using value = typename D::value_type;
  if constexpr (std::is_same_v<D, bernoulli>) {
    const std::uint64_t threshold = d.threshold();
    if (threshold == 0 || threshold >> 32 != 0) {
      require(cudaMemsetAsync(out, threshold != 0, n, on), "cudaMemsetAsync", "rivus::cuda::fill");
    } else {
      launch_fill(on, out, n, s, event_draw{static_cast<std::uint32_t>(threshold)}, first, device_first);
    }
  } else if constexpr (std::is_same_v<D, integer<value>>) {
    if (d.size() <= rivus::detail::small_bound) {
      launch_fill(on, out, n, s, integer_draw<value, std::uint32_t>(s, d), first, device_first);
    } else {
      launch_fill(on, out, n, s, integer_draw<value, std::uint64_t>(s, d), first, device_first);
    }
  } else if constexpr (std::is_same_v<D, bits<value>>) {
    launch_fill(on, out, n, s, value_draw<D, true>{d}, first, device_first);
  } else if (d.is_standard()) {
    launch_fill(on, out, n, s, value_draw<D, true>{d}, first, device_first);
  } else {
    launch_fill(on, out, n, s, value_draw<D, false>{d}, first, device_first);
  }
}

namespace {

template <class D>
struct instance {
  void (*fill)(cudaStream_t, typename D::value_type*, std::size_t, stream, D, std::uint64_t,
               const std::uint64_t*);
};
template <class... D>
struct instances : instance<D>... {};
template <class... D>
constexpr instances<D...> all_instances(rivus::detail::list<D...>) {
  return {instance<D>{&detail::fill<D>}...};
}
// An instance of fill for each distribution of the list.
[[gnu::used, maybe_unused]] const auto every_instance = all_instances(rivus::detail::filled{});

}  // namespace

}  // namespace rivus::cuda
