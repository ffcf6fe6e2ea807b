#include <rivus/arguments.hpp>
#include <rivus/cuda/fill.hpp>

#include "launch.hpp"

namespace rivus::cuda {
namespace {

// The blocks of a stream from `first` on, as far as the low half of their number does not wrap: the round
// keys, what rounds 1 and 2 have that does not depend on counter word 0, and the products of that word that
// round 1 begins with. These are additive, so that those of a thread's blocks, which lie at constant distances, cost
// one multiply-add each.
struct prepared_stream {
  static constexpr int ahead = 4;

  std::uint64_t first;
  std::uint64_t first_product[ahead];
  std::uint32_t key[20];
  std::uint32_t first_merge;  // into x2 of round 1
  std::uint32_t second_x1;    // into x0 of round 2, with its key
  std::uint32_t second_x2;    // into x2 of round 2, with its key
  std::uint32_t third_x3;     // x3 of round 2

  // distance[k]: from `first` to the k-th block of a thread.
  prepared_stream(stream s, std::uint64_t first_, const vec<std::uint32_t, ahead>& distance) : first(first_) {
    using constants = philox_constants<std::uint32_t, 4>;
    for (int k = 0; k < ahead; ++k) {
      first_product[k] = product(stream::lo(first)) + product(distance[k]);
    }
    std::uint32_t k0 = stream::lo(s.key), k1 = stream::hi(s.key);
    for (int r = 0; r < 10; ++r) {
      key[2 * r] = k0 + static_cast<std::uint32_t>(r) * constants::weyl[0];
      key[2 * r + 1] = k1 + static_cast<std::uint32_t>(r) * constants::weyl[1];
    }
    const auto q = mul_wide(stream::lo(s.nonce), constants::multiplier[1]);
    const auto p = mul_wide(q.hi ^ stream::hi(first) ^ key[0], constants::multiplier[0]);
    first_merge = stream::hi(s.nonce) ^ key[1];
    second_x1 = q.lo ^ key[2];
    second_x2 = p.hi ^ key[3];
    third_x3 = p.lo;
  }

  // Block first + b + distance[k].
  __device__ __forceinline__ vec<std::uint32_t, 4> block(std::uint32_t b, int k) const {
    using constants = philox_constants<std::uint32_t, 4>;
    const std::uint64_t p1 = product(b) + first_product[k];
    const auto q2 = mul_wide(stream::hi(p1) ^ first_merge, constants::multiplier[1]);
    vec<std::uint32_t, 4> x{{q2.hi ^ second_x1, q2.lo, stream::lo(p1) ^ second_x2, third_x3}};
#pragma unroll
    for (int r = 2; r < 10; ++r) {
      const auto p = mul_wide(x[0], constants::multiplier[0]);
      const auto q = mul_wide(x[2], constants::multiplier[1]);
      x = {{q.hi ^ x[1] ^ key[2 * r], q.lo, p.hi ^ x[3] ^ key[2 * r + 1], p.lo}};
    }
    return x;
  }

 private:
  RIVUS_HD static constexpr std::uint64_t product(std::uint32_t c0) {
    return std::uint64_t{c0} * philox_constants<std::uint32_t, 4>::multiplier[0];
  }
};

// A draw turns a block's words into `count` values. One that may refuse a word sets its bit in `refused`, and gives that
// element by redrawn(): kept apart, as it is rare and long. It may set the bits of others too.

// Words, and reals: Standard values, or scaled ones.
template <class D, bool Standard>
struct value_draw {
  using value = typename D::value_type;
  using word = typename D::word;
  static constexpr int count = 16 / sizeof(word);
  static constexpr bool may_refuse = false;

  D d;

  __device__ __forceinline__ vec<value, count> operator()(const vec<std::uint32_t, 4>& w, unsigned&) const {
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
  static constexpr bool may_refuse = true;

  stream s;
  bernoulli d;
  std::uint32_t half;

  event_draw(stream s_, bernoulli d_) : s(s_), d(d_), half(d.digit(0) >> 1) {}

  __device__ __forceinline__ vec<value, 4> operator()(const vec<std::uint32_t, 4>& w,
                                                      unsigned& undecided) const {
    // Differences of halves, an instruction each, do not overflow: negative for events, zero where that is not sure. The
    // product is zero there, and elsewhere once in 2^22 blocks; to draw all four again costs less than to say which.
    const vec<std::uint32_t, 4> x{
        {(w[0] >> 1) - half, (w[1] >> 1) - half, (w[2] >> 1) - half, (w[3] >> 1) - half}};
    if (x[0] * x[1] * (x[2] * x[3]) == 0) undecided = 15;
    // The signs, a byte each.
    const std::uint32_t events =
        permuted(permuted(x[0], x[1], 0xFB), permuted(x[2], x[3], 0xFB), 0x5410) & 0x01010101;
    vec<value, 4> v;
    __builtin_memcpy(&v, &events, sizeof v);
    return v;
  }
  __device__ __forceinline__ value redrawn(std::uint64_t i) const { return d(s, i); }

 private:
  // Bytes of (a, b): of four bits of `which` each, three say which byte, and the fourth asks for its sign instead.
  __device__ __forceinline__ static std::uint32_t permuted(std::uint32_t a, std::uint32_t b,
                                                           std::uint32_t which) {
    std::uint32_t r;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(which));
    return r;
  }
};

// Integers of one Word each.
template <class I, class Word>
struct integer_draw {
  using value = I;
  static constexpr int count = 16 / sizeof(Word);
  static constexpr bool may_refuse = true;

  stream s;
  std::uint64_t lo;
  Word bound;
  Word refused;  // 2^bits mod bound

  integer_draw(stream s_, integer<I> d)
      : s(s_),
        lo(static_cast<std::uint64_t>(d.lo)),
        bound(static_cast<Word>(d.size())),
        refused(static_cast<Word>(Word{0} - bound) % bound) {}

  __device__ __forceinline__ vec<I, count> operator()(const vec<std::uint32_t, 4>& w,
                                                      unsigned& refusals) const {
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
      if (m.lo < refused) refusals |= 1u << i;
      v[i] = static_cast<I>(lo + m.hi);
    }
    return v;
  }
  __device__ __forceinline__ I redrawn(std::uint64_t i) const {
    return static_cast<I>(lo + rivus::detail::below(s, i, bound));
  }
};

// What one thread stores at once, 16 bytes or more, of one block or of several; and how often before it goes on.
template <class Draw>
struct store_unit {
  using value = typename Draw::value;
  static constexpr unsigned bytes_per_block = Draw::count * sizeof(value);
  static constexpr unsigned blocks = bytes_per_block < 16 ? 16 / bytes_per_block : 1;
  static constexpr unsigned elements = blocks * Draw::count;
  static constexpr unsigned repeats = prepared_stream::ahead / blocks;
  static constexpr unsigned stride = blocks * block_threads;  // in blocks, from a thread's unit to its next
  static constexpr unsigned tile = repeats * stride;

  // From a thread's first block to its k-th.
  RIVUS_HD static constexpr unsigned distance(unsigned k) { return k / blocks * stride + k % blocks; }
  static constexpr vec<std::uint32_t, 4> distances() {
    return {{distance(0), distance(1), distance(2), distance(3)}};
  }

  // Element e of a thread's, counted from the first.
  RIVUS_HD static constexpr std::uint64_t element(std::uint64_t b, unsigned e) {
    return (b + distance(e / Draw::count)) * Draw::count + e % Draw::count;
  }

  alignas(16) value v[elements];

  // Unit r of the thread whose first block is s.first + b.
  __device__ __forceinline__ store_unit(const prepared_stream& s, const Draw& draw, std::uint32_t b,
                                        unsigned r, unsigned& refusals) {
#pragma unroll
    for (unsigned j = 0; j < blocks; ++j) {
      const unsigned k = r * blocks + j;
      unsigned refused = 0;
      const vec<value, Draw::count> x = draw(s.block(b, static_cast<int>(k)), refused);
      refusals |= refused << (k * Draw::count);
#pragma unroll
      for (unsigned i = 0; i < Draw::count; ++i) v[j * Draw::count + i] = x[static_cast<int>(i)];
    }
  }
  __device__ __forceinline__ void store(value* to) const {
#pragma unroll
    for (unsigned at = 0; at < sizeof v; at += 16) {
      uint4 bytes;
      __builtin_memcpy(&bytes, reinterpret_cast<const char*>(v) + at, 16);
      reinterpret_cast<uint4*>(to)[at / 16] = bytes;
    }
  }
};

// n elements from the first block on, to a multiple of 16 bytes: whole tiles, then the rest unit by unit.
template <class Draw>
__global__ void __launch_bounds__(block_threads, resident_blocks)
    fill_aligned(const __grid_constant__ prepared_stream s, const __grid_constant__ Draw draw,
                 typename Draw::value* __restrict__ out, const std::uint64_t n, const unsigned tiles) {
  using unit = store_unit<Draw>;
  const auto redraw = [&](std::uint64_t b, unsigned refusals) {
    if constexpr (Draw::may_refuse) {
      for (; refusals != 0; refusals &= refusals - 1) {
        const std::uint64_t i =
            unit::element(b, static_cast<unsigned>(__ffs(static_cast<int>(refusals))) - 1);
        if (i < n) out[i] = draw.redrawn(s.first * Draw::count + i);
      }
    }
  };
  const unsigned end = tiles * unit::tile;
  for (unsigned b = blockIdx.x * unit::tile + threadIdx.x * unit::blocks; b < end;
       b += gridDim.x * unit::tile) {
    auto* const to = out + std::uint64_t{b} * Draw::count;
    unsigned refusals = 0;
#pragma unroll
    for (unsigned r = 0; r < unit::repeats; ++r) {
      unit(s, draw, b, r, refusals).store(to + r * unit::stride * Draw::count);
    }
    redraw(b, refusals);
  }
  for (std::uint64_t b = end + std::uint64_t{blockIdx.x} * unit::stride + threadIdx.x * unit::blocks;
       b * Draw::count < n; b += std::uint64_t{gridDim.x} * unit::stride) {
    unsigned refusals = 0;
    const unit u(s, draw, static_cast<std::uint32_t>(b), 0, refusals);
    const std::uint64_t at = b * Draw::count;
    if (at + unit::elements <= n) {
      u.store(out + at);
    } else {
#pragma unroll
      for (unsigned i = 0; i < unit::elements; ++i) {
        if (at + i < n) out[at + i] = u.v[i];
      }
    }
    redraw(b, refusals);
  }
}

// Any first element and any place: by way of shared memory, so that neighbours still store side by side.
template <class Draw>
__global__ void __launch_bounds__(block_threads, resident_blocks)
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
    // Behind the last element, 2^64 - 1, comes the first.
    const auto number = [b0](unsigned j) { return (b0 + j) & (~std::uint64_t{0} / count); };
    unsigned refusals = 0;
    for (unsigned j = threadIdx.x, seen = 0; j < blocks; j += block_threads, seen += count) {
      unsigned refused = 0;
      const vec<value, Draw::count> x = draw(s.block(number(j)), refused);
      refusals |= refused << seen;
#pragma unroll
      for (unsigned i = 0; i < count; ++i) staged[j * count + i] = x[static_cast<int>(i)];
    }
    if constexpr (Draw::may_refuse) {
      for (; refusals != 0; refusals &= refusals - 1) {
        const auto e = static_cast<unsigned>(__ffs(static_cast<int>(refusals))) - 1;
        const unsigned j = threadIdx.x + e / count * block_threads;
        staged[j * count + e % count] = draw.redrawn(number(j) * count + e % count);
      }
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

// Many times what a large device holds at once, so that the last blocks to end keep few others waiting.
constexpr std::uint64_t most_blocks = std::uint64_t{1} << 14;

template <class Draw>
void launch_fill(cudaStream_t on, typename Draw::value* out, std::uint64_t n, stream s, const Draw& draw,
                 std::uint64_t first, const std::uint64_t* device_first) {
  using unit = store_unit<Draw>;
  const bool aligned = reinterpret_cast<std::uintptr_t>(out) % 16 == 0 && first % Draw::count == 0;
  if (device_first != nullptr || !aligned) return launch_staged(on, out, n, s, draw, first, device_first);
  std::uint64_t b = first / Draw::count;
  while (n > 0) {
    // Up to where the low half of the block number wraps, in whole units; a unit astride of that by itself. At most
    // 2^31 blocks, so that the kernel's sums fit into 32 bits.
    constexpr std::uint64_t most_units = (std::uint64_t{1} << 31) / unit::blocks;
    const std::uint64_t before_wrap = ((std::uint64_t{1} << 32) - stream::lo(b)) / unit::blocks;
    const std::uint64_t units = before_wrap < most_units ? before_wrap : most_units;
    const std::uint64_t most = (units == 0 ? 1 : units) * unit::elements;
    const std::uint64_t m = n < most ? n : most;
    if (units == 0) {
      launch_staged(on, out, m, s, draw, b * Draw::count, nullptr);
    } else {
      // Fewer tiles than occupy a large device are better spread out unit by unit.
      constexpr std::uint64_t per_tile = std::uint64_t{unit::tile} * Draw::count;
      const std::uint64_t tiles = m / per_tile < grid_blocks(1024, most_blocks) ? 0 : m / per_tile;
      const std::uint64_t per_block = tiles == 0 ? std::uint64_t{unit::stride} * Draw::count : per_tile;
      launch("launch of fill_aligned", "rivus::cuda::fill", on,
             grid_blocks((m + per_block - 1) / per_block, most_blocks), block_threads, &fill_aligned<Draw>,
             prepared_stream(s, b, unit::distances()), draw, out, m, static_cast<unsigned>(tiles));
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
    if (d.is_certain()) {
      require(cudaMemsetAsync(out, d.p >= 1, n, on), "cudaMemsetAsync", "rivus::cuda::fill");
    } else {
      launch_fill(on, out, n, s, event_draw(s, d), first, device_first);
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
