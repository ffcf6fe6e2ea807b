// PyTorch's sequences: rand, randint and random_ of its CPU and CUDA generators, and the keys of
// torch.func._random.
//
// Values are PyTorch's own, bit for bit, for programs that are moved or checked against each other; new code is
// better served by rivus::stream. A tensor of several dimensions is contiguous and counts in row-major order.
// Not here: randn and what is made of it (its bits are those of a mathematics library), uniforms between other
// bounds, bernoulli, dropout, randperm, and other floating types.
//
// Checked by tests/compat: the CPU generator and the keys against PyTorch 2.15.0 on a CPU, 2,652 cases,
// 1.3 million values; the CUDA generator against outputs that people have published, to the digits printed: see
// cuda_generator.
// Sources: PyTorch's documentation; ATen's DistributionTemplates.h, DistributionsHelper.h and
// TransformationHelper.h for the order of words; pytorch/pytorch#196613, #143787 and #177229; NVIDIA's cuRAND
// manual.
#ifndef RIVUS_COMPAT_PYTORCH_HPP
#define RIVUS_COMPAT_PYTORCH_HPP

#include <limits>
#include <random>
#include <rivus/index.hpp>
#include <rivus/philox.hpp>
#include <rivus/real.hpp>
#include <rivus/refuse.hpp>
#include <string>

namespace rivus::compat::pytorch {

// PyTorch draws an integer of 2^28 values or more from 64 bits, to keep the bias of its remainder small. Up to
// 2.6 it did so from 2^32 values on (pytorch/pytorch#143787).
inline constexpr std::uint64_t wide_range = std::uint64_t{1} << 28;

namespace detail {

// The low digits of a word, as a fraction.
RIVUS_HD float low_digits(std::uint32_t w) noexcept {
  return real::mul(static_cast<float>(w & 0xFFFFFFu), 0x1p-24f);
}
RIVUS_HD double low_digits(std::uint64_t w) noexcept {
  return real::mul(static_cast<double>(w & 0x1FFFFFFFFFFFFFu), 0x1p-53);
}

// low + word mod (high - low), for any int64 bounds with low < high.
RIVUS_HD constexpr std::int64_t within(std::uint64_t word, std::int64_t low, std::uint64_t size) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + word % size);
}
RIVUS_HD constexpr std::uint64_t size_of(std::int64_t low, std::int64_t high) noexcept {
  return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
}
inline void require_range(const char* who, std::int64_t low, std::int64_t high) {
  if (!(low < high)) {
    rivus::detail::refuse(
        who, "high = " + std::to_string(high) + " must be greater than low = " + std::to_string(low));
  }
}

RIVUS_HD constexpr philox4x32::counter_type block(std::uint64_t seed, std::uint64_t subsequence,
                                                  std::uint64_t index) noexcept {
  return philox4x32::block(
      {{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
        static_cast<std::uint32_t>(subsequence), static_cast<std::uint32_t>(subsequence >> 32)}},
      {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}});
}

}  // namespace detail

// The CPU's torch.Generator: MT19937, one element after the other. Not for kernels.
//
// Only the seed's low 32 bits matter, as in PyTorch.
// Determinism: everywhere. Thread safety: as an int.
class cpu_generator {
 public:
  // manual_seed(seed).
  explicit cpu_generator(index64 seed) : engine_(static_cast<std::uint32_t>(seed)) {}

  // The 32 bits of one word, and the 64 of two, the first on top.
  std::uint32_t random32() { return static_cast<std::uint32_t>(engine_()); }
  std::uint64_t random64() {
    const std::uint64_t first = random32();
    return first << 32 | random32();
  }

  // The next element of torch.rand(n, dtype=T): float in steps of 2^-24, double in steps of 2^-53.
  // Range: [0, 1). Words consumed: one, or two for double.
  template <class T>
  T rand() {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "rand: float or double");
    if constexpr (std::is_same_v<T, float>) {
      return detail::low_digits(random32());
    } else {
      return detail::low_digits(random64());
    }
  }

  // The next element of torch.randint(low, high, (n,)) and of random_(low, high), for every dtype that holds
  // the bounds. Words consumed: one where high - low < wide, else two.
  // Errors: std::invalid_argument unless low < high.
  std::int64_t randint(std::int64_t low, std::int64_t high, std::uint64_t wide = wide_range) {
    detail::require_range("rivus::compat::pytorch::cpu_generator", low, high);
    const std::uint64_t size = detail::size_of(low, high);
    return detail::within(size >= wide ? random64() : random32(), low, size);
  }

  // The next element of torch.empty(n, dtype=T).random_(): [0, largest T] for an integer type, and whole
  // numbers in [0, 2^24] and [0, 2^53] for float and double.
  // Words consumed: two for std::int64_t and double, else one.
  template <class T>
  T random_() {
    if constexpr (std::is_same_v<T, double>) {
      return static_cast<T>(random64() % ((std::uint64_t{1} << 53) + 1));
    } else if constexpr (std::is_same_v<T, float>) {
      return static_cast<T>(random32() % ((1u << 24) + 1));
    } else if constexpr (sizeof(T) == 8) {
      static_assert(std::is_signed_v<T>, "random_: std::int64_t, or a type of at most 32 bits");
      return static_cast<T>(random64() & static_cast<std::uint64_t>(std::numeric_limits<T>::max()));
    } else {
      return static_cast<T>(random32() & static_cast<std::uint32_t>(std::numeric_limits<T>::max()));
    }
  }

 private:
  std::mt19937 engine_;
};

// What PyTorch asks of a GPU: multiProcessorCount and maxThreadsPerMultiProcessor.
struct cuda_device {
  std::uint32_t multiprocessors;
  std::uint32_t threads_per_multiprocessor;
};

// The random words of one tensor of n elements on a GPU, as functions of the index. For host and device.
//
// Thread t of a grid reads subsequence t of the seed, and makes elements t, t + threads, t + 2 threads and so
// on, `per_block` of them of each block of four words.
struct cuda_words {
  std::uint64_t seed;
  std::uint64_t offset;   // in words, of the generator before the call
  std::uint64_t threads;  // in the grid

  // Word k of the four words at which the thread stands for element i.
  RIVUS_HD constexpr std::uint32_t word(std::uint64_t i, std::uint64_t per_block,
                                        std::uint64_t k) const noexcept {
    const std::uint64_t position = offset + 4 * (i / threads / per_block) + k;
    return detail::block(seed, i % threads, position / 4)[static_cast<int>(position % 4)];
  }
  RIVUS_HD constexpr std::uint32_t bits32(index64 i) const noexcept { return word(i, 4, i / threads % 4); }
  // Of the two that element i takes, the first on top.
  RIVUS_HD constexpr std::uint64_t bits64(index64 i) const noexcept {
    const std::uint64_t k = 2 * (i / threads % 2);
    return join(word(i, 2, k + 1), word(i, 2, k));
  }
};

// torch.rand(n, dtype=T, device="cuda") as a function of the index: T is float or double.
//
// Range: [0, 1): float in multiples of 2^-33 (one below 2^-33 is 0, in 2^-25 of all cases instead of 1), double
// likewise of 2^-54.
template <class T>
struct cuda_rand {
  cuda_words words;

  RIVUS_HD T operator()(index64 i) const noexcept {
    T u;
    if constexpr (std::is_same_v<T, float>) {
      u = real::fma(static_cast<float>(words.bits32(i)), 0x1p-32f, 0x1p-33f);
    } else {
      const std::uint64_t w = words.bits64(i), x = w >> 32, y = w & 0xFFFFFFFFu;
      u = real::fma(static_cast<double>(x ^ y << 21), 0x1p-53, 0x1p-54);
    }
    return real::less(u, T(1)) ? u : T(0);
  }
};

// torch.randint(low, high, (n,), device="cuda") as a function of the index.
struct cuda_randint {
  cuda_words words;
  std::int64_t low;
  std::uint64_t size;  // high - low
  bool is_wide;

  RIVUS_HD constexpr std::int64_t operator()(index64 i) const noexcept {
    return detail::within(is_wide ? words.bits64(i) : words.bits32(i), low, size);
  }
};

// The CUDA torch.Generator: each call gives a tensor as a function of the index, which kernels can use, and
// moves the offset as PyTorch does. Not for kernels itself.
//
// The values depend on the device where a tensor has more elements than its grid has threads. Tensors of more
// than 2^31 bytes, which PyTorch makes in parts, are refused.
// Checked against published outputs: float rand of 9 elements, twice, and of 10^8 on a T4 (36 elements known);
// randint of 24 and 6 elements; the words of randn for 3 elements, and for 95 million on an A100 and an H100 (6
// elements each), and 10^5 on an RTX A4000 (36). double and the wide randint follow ATen's source alone.
class cuda_generator {
 public:
  // manual_seed(seed), and set_offset(offset).
  // Errors: std::invalid_argument for a device without multiprocessors or with fewer than 256 threads each.
  cuda_generator(index64 seed, cuda_device device, index64 offset = 0)
      : seed_(seed), offset_(offset), device_(device) {
    if (device.multiprocessors == 0 || device.threads_per_multiprocessor < block_size) {
      refuse("device = {" + std::to_string(device.multiprocessors) + ", " +
             std::to_string(device.threads_per_multiprocessor) +
             "} must have a multiprocessor, and 256 threads on each");
    }
  }

  // get_offset().
  std::uint64_t offset() const noexcept { return offset_; }

  // torch.rand(n, dtype=T). Errors: std::invalid_argument for n * sizeof(T) > 2^31.
  template <class T>
  cuda_rand<T> rand(index64 n) {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "rand: float or double");
    return {take(n, sizeof(T), 16 / sizeof(T))};
  }

  // torch.randint(low, high, (n,)), of int64 elements; for narrower ones give their size, which only the limit
  // of n depends on. Errors: std::invalid_argument unless low < high, and for n * element_size > 2^31.
  cuda_randint randint(std::int64_t low, std::int64_t high, index64 n, index64 element_size = 8,
                       std::uint64_t wide = wide_range) {
    detail::require_range("rivus::compat::pytorch::cuda_generator", low, high);
    if (element_size == 0) refuse("element_size = 0 must be the size of an integer type");
    const std::uint64_t size = detail::size_of(low, high);
    const bool is_wide = size >= wide;
    return {take(n, element_size, is_wide ? 2 : 4), low, size, is_wide};
  }

  // The words of a tensor whose elements take one 32-bit word each, as those of randn do.
  cuda_words words(index64 n) { return take(n, 4, 4); }

 private:
  static constexpr std::uint32_t block_size = 256;

  [[noreturn]] static void refuse(const std::string& what) {
    rivus::detail::refuse("rivus::compat::pytorch::cuda_generator", what);
  }

  cuda_words take(std::uint64_t n, std::uint64_t element_size, std::uint64_t per_block) {
    if (n > (std::uint64_t{1} << 31) / element_size)
      refuse("n = " + std::to_string(n) + " of " + std::to_string(element_size) +
             " bytes each are more than 2^31 bytes");
    if (n == 0) return {seed_, offset_, 1};
    const std::uint64_t needed = (n + block_size - 1) / block_size;
    const std::uint64_t most =
        std::uint64_t{device_.multiprocessors} * (device_.threads_per_multiprocessor / block_size);
    const cuda_words words{seed_, offset_, block_size * (needed < most ? needed : most)};
    offset_ += 4 * ((n - 1) / (words.threads * per_block) + 1);
    return words;
  }

  std::uint64_t seed_, offset_;
  cuda_device device_;
};

// A key of torch.func._random, which PyTorch calls experimental. For host and device.
//
// Element i of a tensor, and child i, are functions of the key and i.
// Determinism: everywhere.
struct random_key {
  std::uint64_t seed;
  std::uint64_t offset = 0;  // in blocks of four words

  // split(key, n)[i] for i < n, and fold_in(key, i).
  RIVUS_HD constexpr random_key fold_in(index64 i) const noexcept {
    const philox4x32::counter_type w = detail::block(seed, 0, offset + i);
    return {join(w[0], w[1]), join(w[2], w[3])};
  }

  // Element i of bits(key, n, dtype=W): W is an unsigned type; those below 32 bits are the low ends of words.
  template <class W>
  RIVUS_HD constexpr W bits(index64 i) const noexcept {
    static_assert(std::is_unsigned_v<W> && !std::is_same_v<W, bool>, "bits: an unsigned integer type");
    if constexpr (sizeof(W) == 8) {
      return join(word(2 * i + 1), word(2 * i));
    } else {
      return static_cast<W>(word(i));
    }
  }

  // Element i of uniform(key, n, dtype=T): T is float, in steps of 2^-24, or double, in steps of 2^-53.
  // Range: [0, 1).
  template <class T>
  RIVUS_HD T uniform(index64 i) const noexcept {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "uniform: float or double");
    return detail::low_digits(bits<typename real::format<T>::word>(i));
  }

  // Element i of randint(key, n, low=low, high=high, dtype=I), with low < high; for types of at most 32 bits
  // high - low < 2^28, as PyTorch demands. Else gives low.
  template <class I>
  RIVUS_HD constexpr I randint(index64 i, I low, I high) const noexcept {
    static_assert(std::is_integral_v<I> && !std::is_same_v<I, bool>, "randint: an integer type but bool");
    using word_type = std::conditional_t<sizeof(I) == 8, std::uint64_t, std::uint32_t>;
    const auto size = static_cast<word_type>(static_cast<word_type>(high) - static_cast<word_type>(low));
    if (!(low < high) || (sizeof(I) < 8 && size >= wide_range)) return low;
    return static_cast<I>(static_cast<word_type>(low) + bits<word_type>(i) % size);
  }

 private:
  RIVUS_HD constexpr std::uint32_t word(std::uint64_t j) const noexcept {
    return detail::block(seed, 0, offset + j / 4)[static_cast<int>(j % 4)];
  }
};

}  // namespace rivus::compat::pytorch

#endif
