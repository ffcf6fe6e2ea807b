// JAX's sequences: keys, split, fold_in, bits and uniform of jax.random's threefry2x32.
//
// Every value is JAX's own, bit for bit, for programs that are moved or checked against each other; new code
// is better served by rivus::stream. Element i of an array of n is a function of both, so that kernels can use
// them all; an array of several dimensions counts in row-major order. Not here: normal, randint and what is
// made of them, uniforms between other bounds, float16 and bfloat16, the other kinds of keys (rbg, ...).
//
// jax_threefry_partitionable, which gives other values, is `layout`: JAX has it on from 0.5.0.
//
// Checked by tests/compat against JAX 0.10.2 on a CPU, with and without jax_enable_x64: 882 cases, 18.8 million
// values.
// Sources: JAX's design notes JEP 263 and 9263, and the documentation of jax_threefry_partitionable.
#ifndef RIVUS_COMPAT_JAX_HPP
#define RIVUS_COMPAT_JAX_HPP

#include <rivus/index.hpp>
#include <rivus/philox.hpp>
#include <rivus/real.hpp>
#include <rivus/threefry.hpp>

namespace rivus::compat::jax {

// jax_threefry_partitionable: true or false.
enum class layout { partitionable, original };

// The two words of a key, as jax.random.key_data gives them.
using key_data = vec<std::uint32_t, 2>;

// jax.random.key(seed) and PRNGKey(seed) for a Python integer in [-2^63, 2^63), under
// jax_enable_x64=True. Without it, JAX's default, seeds are taken modulo 2^32: key32.
RIVUS_HD constexpr key_data key(index64 seed) noexcept {
  return {{static_cast<std::uint32_t>(seed >> 32), static_cast<std::uint32_t>(seed)}};
}
RIVUS_HD constexpr key_data key32(index64 seed) noexcept { return {{0, static_cast<std::uint32_t>(seed)}}; }

namespace detail {

RIVUS_HD constexpr key_data hash(key_data k, std::uint32_t x0, std::uint32_t x1) noexcept {
  return threefry2x32::block({{x0, x1}}, k);
}
RIVUS_HD constexpr key_data hash64(key_data k, std::uint64_t i) noexcept {
  return hash(k, static_cast<std::uint32_t>(i >> 32), static_cast<std::uint32_t>(i));
}

// Word j of the m that the original layout makes at once: the counters 0 .. m-1 are cut into two halves, that
// give the two words of each block; an odd m is made even by a counter that is 0.
RIVUS_HD constexpr std::uint32_t original_word(key_data k, std::uint64_t j, std::uint64_t m) noexcept {
  const std::uint64_t half = m / 2 + m % 2;
  const bool second = j >= half;
  const std::uint64_t x0 = second ? j - half : j, x1 = half + x0 < m ? half + x0 : 0;
  return hash(k, static_cast<std::uint32_t>(x0), static_cast<std::uint32_t>(x1))[second ? 1 : 0];
}

}  // namespace detail

// jax.random.split(key, n)[i]. Needs i < n, and in the original layout n <= 2^31.
RIVUS_HD constexpr key_data split(key_data k, index64 i, index64 n = 2,
                                  layout how = layout::partitionable) noexcept {
  if (how == layout::partitionable) return detail::hash64(k, i);
  return {{detail::original_word(k, 2 * i, 2 * n), detail::original_word(k, 2 * i + 1, 2 * n)}};
}

// jax.random.fold_in(key, data), of both layouts.
RIVUS_HD constexpr key_data fold_in(key_data k, index64 data) noexcept {
  return detail::hash(k, 0, static_cast<std::uint32_t>(data));
}

// jax.random.bits(key, (n,), dtype)[i], for W of 8, 16, 32 or 64 bits (64 need jax_enable_x64).
// Needs i < n; in the original layout the n elements have fewer than 2^32 - 1 words of 32 bits.
template <class W>
RIVUS_HD constexpr W bits(key_data k, index64 i, index64 n, layout how = layout::partitionable) noexcept {
  static_assert(std::is_unsigned_v<W> && !std::is_same_v<W, bool>,
                "rivus::compat::jax::bits: an unsigned integer type");
  if (how == layout::partitionable) {
    const key_data w = detail::hash64(k, i);
    if constexpr (sizeof(W) == 8) {
      return join(w[1], w[0]);
    } else {
      return static_cast<W>(w[0] ^ w[1]);
    }
  } else if constexpr (sizeof(W) == 8) {
    return join(detail::original_word(k, n + i, 2 * n), detail::original_word(k, i, 2 * n));
  } else {
    constexpr std::uint64_t in_word = 4 / sizeof(W);
    const std::uint32_t w = detail::original_word(k, i / in_word, n / in_word + (n % in_word != 0));
    return static_cast<W>(w >> (8 * sizeof(W) * (i % in_word)));
  }
}

// jax.random.uniform(key, (n,), dtype)[i]: T is float, in steps of 2^-23, or double (which needs
// jax_enable_x64), in steps of 2^-52. Range: [0, 1).
template <class T>
RIVUS_HD T uniform(key_data k, index64 i, index64 n, layout how = layout::partitionable) noexcept {
  using word = typename real::format<T>::word;
  constexpr int fraction = real::format<T>::fraction_bits;
  const word w = bits<word>(k, i, n, how) >> (8 * sizeof(word) - fraction);
  return real::mul(static_cast<T>(w), fraction == 23 ? T(0x1p-23) : T(0x1p-52));
}

}  // namespace rivus::compat::jax

#endif
