// Fills over lanes. Values that a word becomes in few steps are made as its group of words comes; for the
// others the registers would not suffice: their words are made a tile at a time, which stays in the
// first-level cache, and then turned into values.
#ifndef RIVUS_SRC_FILL_KERNELS_HPP
#define RIVUS_SRC_FILL_KERNELS_HPP

#include "kernels.hpp"
#include "lanes_of.hpp"
#include "twin.hpp"
#include "word_kernels.hpp"

namespace rivus {
namespace {

constexpr std::size_t tile_words = 1024;

template <class T, class V, int N>
RIVUS_HD void store_all(T* out, const vec<V, N>& x) {
  for (int j = 0; j < N; ++j) store(out + static_cast<std::size_t>(j) * sizeof(V) / sizeof(T), x[j]);
}
// A group as lanes of Words.
template <class Word>
RIVUS_HD auto words_of(const group_words& w) {
  if constexpr (sizeof(Word) == 4) {
    return w;
  } else {
    return pairs(w);
  }
}

// Calls use(words, first, offset, n) for consecutive tiles that cover elements first .. first+n-1, each of
// one Word: tile element offset + j is element first + j. Words past the last element are there up to a whole
// group.
template <class Word, class Use>
RIVUS_INLINE void for_each_tile(stream s, std::uint64_t first, std::size_t n, Use use) {
  constexpr std::size_t per_block = 16 / sizeof(Word), per_group = per_block * group_blocks;
  constexpr std::size_t tile = tile_words * 4 / sizeof(Word);
  alignas(64) std::uint32_t words[tile_words];
  word_reader reader(s, first / per_block);
  std::size_t offset = first % per_block;
  while (n > 0) {
    const std::size_t m = n < tile - offset ? n : tile - offset;
    reader.read((offset + m + per_group - 1) / per_group, [&](std::size_t i, const group_words& w)
                                                              __attribute__((always_inline)) {
                                                                store_all(words + i * group_size, w);
                                                              });
    use(words, first, offset, m);
    first += m;
    n -= m;
    offset = 0;
  }
}

// A few bytes, for which std::memcpy costs more than they do.
RIVUS_INLINE void copy_few(void* to, const void* from, std::size_t bytes) {
  char* t = static_cast<char*>(to);
  const char* f = static_cast<const char*>(from);
  const auto copy = [&](auto size) {
    std::memcpy(t, f, size);
    t += size;
    f += size;
  };
  for (; bytes >= 16; bytes -= 16) copy(std::integral_constant<std::size_t, 16>{});
  if (bytes & 8) copy(std::integral_constant<std::size_t, 8>{});
  if (bytes & 4) copy(std::integral_constant<std::size_t, 4>{});
  for (bytes &= 3; bytes > 0; --bytes) copy(std::integral_constant<std::size_t, 1>{});
}

// A whole group of elements at a time: emit(out, words) makes them, and after(out, i, n) is called when n
// groups from element i on have been made. The ragged ends go through memory of their own.
template <class Word, class T, class Emit, class After>
RIVUS_INLINE void fill_groups(T* out, std::size_t n, stream s, std::uint64_t first, const Emit& emit,
                              const After& after) {
  constexpr std::size_t per_block = 16 / sizeof(Word), per_group = per_block * group_blocks;
  const std::size_t offset = first % per_block;
  first -= offset;
  word_reader reader(s, first / per_block);
  const auto part = [&](std::size_t from, std::size_t m) {
    alignas(64) T group[per_group];
    reader.read(1, [&](std::size_t, const group_words& w) { emit(group, w); });
    after(group, first, std::size_t{1});
    copy_few(out, group + from, m * sizeof(T));
    out += m;
    n -= m;
    first += per_group;
  };
  if (offset != 0) part(offset, n < per_group - offset ? n : per_group - offset);
  const std::size_t whole = n / per_group;
  reader.read(
      whole,
      [&](std::size_t i, const group_words& w)
          __attribute__((always_inline)) { emit(out + i * per_group, w); },
      [&](std::size_t i, std::size_t m)
          __attribute__((always_inline)) { after(out + i * per_group, first + i * per_group, m); });
  out += whole * per_group;
  first += whole * per_group;
  if (n % per_group != 0) part(0, n % per_group);
}
template <class Word, class T, class Emit>
RIVUS_INLINE void fill_groups(T* out, std::size_t n, stream s, std::uint64_t first, const Emit& emit) {
  fill_groups<Word>(out, n, s, first, emit, [](T*, std::uint64_t, std::size_t) {});
}

// A step, standard or scaled, of Words (pairs of Words for pairs).
template <bool Scaled, class Words, class D>
RIVUS_INLINE void transform_step(const D& d, const char* from, char* to) {
  using reals = real::real_t<Words>;
  if constexpr (D::words_per_step == 1) {
    const reals x = D::standard(in_memory<Words>::load(from));
    in_memory<reals>::store(to, Scaled ? d.scaled(x) : x);
  } else {
    const vec<Words, 2> w = in_memory<Words>::load_pairs(from);
    const vec<reals, 2> x = D::standard(w[0], w[1]);
    in_memory<reals>::store_pairs(to, Scaled ? d.scaled(x[0]) : x[0], Scaled ? d.scaled(x[1]) : x[1]);
  }
}

// `steps` steps of lanes of words; in and out may be the same.
template <bool Scaled, class D>
RIVUS_HD void transform(const D& d, const void* in, void* out, std::size_t steps) {
  using words = typename lanes_of<typename D::word>::words;
  constexpr std::size_t size = D::words_per_step * sizeof(words);
  constexpr std::size_t many = D::words_per_step == 1 ? vectors_together : pairs_together;
  const char* from = static_cast<const char*>(in);
  char* to = static_cast<char*>(out);
  for (; steps >= many; steps -= many, from += many * size, to += many * size)
    transform_step<Scaled, twins<words, many>>(d, from, to);
  for (; steps > 0; --steps, from += size, to += size) transform_step<Scaled, words>(d, from, to);
}

// Reals: values are as wide as their words.
template <bool Scaled, class D>
void fill_reals(typename D::value_type* out, std::size_t n, stream s, D d, std::uint64_t first) {
  using word = typename D::word;
  constexpr std::size_t step = D::words_per_step * sizeof(typename lanes_of<word>::words) / sizeof(word);
  for_each_tile<word>(s, first, n,
                      [&](std::uint32_t* words, std::uint64_t, std::size_t offset, std::size_t m) {
                        const std::size_t whole = offset == 0 ? m / step : 0;
                        transform<Scaled>(d, words, out, whole);
                        if (whole * step < m) {
                          // The ragged part in place, from where only its values are copied.
                          word* const rest = reinterpret_cast<word*>(words) + whole * step;
                          transform<Scaled>(d, rest, rest, (offset + m - whole * step + step - 1) / step);
                          std::memcpy(static_cast<void*>(out + whole * step), rest + offset,
                                      (m - whole * step) * sizeof(word));
                        }
                        out += m;
                      });
}

template <class T>
void fill_words(T* out, std::size_t n, stream s, std::uint64_t first) {
  fill_groups<T>(
      out, n, s, first,
      [](T * to, const group_words& w) __attribute__((always_inline)) { store_all(to, words_of<T>(w)); });
}

template <bool Scaled, class T, interval I>
void fill_uniform(T* out, std::size_t n, stream s, uniform<T, I> d, std::uint64_t first) {
  using word = typename uniform<T, I>::word;
  fill_groups<word>(
      out, n, s, first, [&](T * to, const group_words& w) __attribute__((always_inline)) {
        const auto words = words_of<word>(w);
        for (int j = 0; j < words.size(); ++j) {
          const auto u = d.standard(words[j]);
          store(to + static_cast<std::size_t>(j) * sizeof u / sizeof(T), Scaled ? d.scaled(u) : u);
        }
      });
}

// Which words are less than a digit; false where one may equal it. A function of its own, whose loops have all
// registers.
template <class Digits>
[[gnu::noinline]] bool fill_less(std::uint8_t* out, std::size_t n, stream s, Digits digits,
                                 std::uint64_t first) {
  if constexpr (Digits::in_memory) {
    for_each_tile<std::uint32_t>(
        s, first, n, [&](const std::uint32_t* words, std::uint64_t, std::size_t offset, std::size_t m) {
          digits.store_less(out, words + offset, m);
          out += m;
        });
  } else {
    fill_groups<std::uint32_t>(out, n, s, first,
                               [&](std::uint8_t* to, const group_words& w)
                                   __attribute__((always_inline)) { digits.store_less(to, w); });
  }
  return !digits.undecided();
}

// Elements between two looks for a word that equals the digit of p: so few that to draw all of them anew, once in 2^17
// times, costs nothing on average, and so many that nor does a new beginning.
constexpr std::size_t events_together = std::size_t{1} << 14;

void fill_events(std::uint8_t* out, std::size_t n, stream s, bernoulli d, std::uint64_t first) {
  if (d.is_certain()) {
    std::memset(out, d.p >= 1, n);
    return;
  }
  while (n > 0) {
    const std::size_t m = n < events_together ? n : events_together;
    if (__builtin_expect(!fill_less(out, m, s, digit_lanes(d.digit(0)), first), 0)) {
      for (std::size_t j = 0; j < m; ++j) out[j] = d(s, first + j);
    }
    out += m;
    n -= m;
    first += m;
  }
}

// The refused ones among the elements of groups are drawn again, one by one. Of those past the range the
// value is not used.
template <class I>
[[gnu::noinline, gnu::cold]] void redraw(I* out, stream s, integer<I> d, std::uint32_t refused,
                                         std::uint64_t i, std::size_t groups) {
  word_reader(s, i / 4).read(groups, [&](std::size_t g, const group_words& w) {
    std::uint32_t words[group_size];
    store_all(words, w);
    for (std::size_t j = 0; j < group_size; ++j) {
      if (words[j] * static_cast<std::uint32_t>(d.size()) >= refused) continue;
      const I value = d(s, i + g * group_size + j);
      std::memcpy(static_cast<void*>(out + g * group_size + j), &value, sizeof value);
    }
  });
}

// Bounds of 32 bits.
template <bool FromZero, class I>
void fill_small_integers(I* out, std::size_t n, stream s, integer<I> d, std::uint64_t first) {
  const auto size = static_cast<std::uint32_t>(d.size()), refused = (0 - size) % size;
  const lanes_u32 bound(size), lo(static_cast<std::uint32_t>(d.lo)), none(~std::uint32_t{0});
  lanes_u32 least = none;
  fill_groups<std::uint32_t>(
      out, n, s, first,
      [&](I * to, const group_words& w) __attribute__((always_inline)) {
        group_words value;
        for (int j = 0; j < group_vectors; ++j) {
          value[j] = mul_high(w[j], bound, least);
          if constexpr (!FromZero && sizeof(I) == 4) value[j] = value[j] + lo;
        }
        if constexpr (sizeof(I) == 4) {
          store_all(to, value);
        } else {
          std::uint32_t narrow[group_size];
          I wide[group_size];
          store_all(narrow, value);
          for (std::size_t j = 0; j < group_size; ++j)
            wide[j] = static_cast<I>(static_cast<std::uint64_t>(d.lo) + narrow[j]);
          std::memcpy(static_cast<void*>(to), wide, sizeof wide);
        }
      },
      // Refusals are rare: looked for once in a while.
      [&](I * to, std::uint64_t i, std::size_t groups) __attribute__((always_inline)) {
        if (__builtin_expect(any_least_below(least, lanes_u32(refused)), 0)) {
          redraw(to, s, d, refused, i, groups);
          least = none;
        }
      });
}

// Products of 64-bit words and a bound by schoolbook multiplication: the high half, and which low halves are
// refused, a bit each.
struct scaled_word {
  lanes_u64 value;
  unsigned refused;
};
RIVUS_HD scaled_word scale_word(lanes_u64 w, lanes_u64 bound, lanes_u64 refused) {
  const lanes_u64 low(std::uint64_t{0xFFFFFFFFu});
  const lanes_u64 w1 = w >> 32, n1 = bound >> 32;
  const lanes_u64 p00 = mul_low_halves(w, bound), p01 = mul_low_halves(w, n1);
  const lanes_u64 p10 = mul_low_halves(w1, bound), p11 = mul_low_halves(w1, n1);
  const lanes_u64 a = p10 + (p00 >> 32), b = p01 + (a & low);
  return {p11 + (a >> 32) + (b >> 32), less_bits((p00 & low) | (b << 32), refused)};
}

template <class I>
void fill_large_integers(I* out, std::size_t n, stream s, integer<I> d, std::uint64_t first) {
  const std::uint64_t bound = d.size();
  const lanes_u64 bounds(bound), refused((0 - bound) % bound);
  for_each_tile<std::uint64_t>(
      s, first, n, [&](std::uint32_t* words, std::uint64_t i, std::size_t offset, std::size_t m) {
        std::uint64_t* const tile = reinterpret_cast<std::uint64_t*>(words);
        constexpr std::size_t step = sizeof(lanes_u64) / sizeof(std::uint64_t);
        for (std::size_t j = 0; j < offset + m; j += step) {
          const scaled_word x = scale_word(load<lanes_u64>(tile + j), bounds, refused);
          store(tile + j, x.value);
          // Refused elements are drawn again one by one. Of those before or past the range the value is not
          // used.
          for (std::size_t k = j, bits = x.refused; bits != 0; ++k, bits >>= 1) {
            if (bits & 1) tile[k] = detail::below(s, i - offset + k, bound);
          }
        }
        for (std::size_t j = 0; j < m; ++j) {
          const I value = static_cast<I>(static_cast<std::uint64_t>(d.lo) + tile[offset + j]);
          std::memcpy(static_cast<void*>(out + j), &value, sizeof value);
        }
        out += m;
      });
}

template <class D>
inline constexpr bool is_uniform_v = false;
template <class T, interval I>
inline constexpr bool is_uniform_v<uniform<T, I>> = true;

template <class D>
void fill_range(typename D::value_type* out, std::size_t n, stream s, D d, std::uint64_t first) {
  if constexpr (std::is_same_v<D, bits<typename D::value_type>>) {
    fill_words(out, n, s, first);
  } else if constexpr (std::is_same_v<D, bernoulli>) {
    fill_events(out, n, s, d, first);
  } else if constexpr (std::is_same_v<D, integer<typename D::value_type>>) {
    if (d.size() > detail::small_bound) {
      fill_large_integers(out, n, s, d, first);
    } else if (d.lo == 0) {
      fill_small_integers<true>(out, n, s, d, first);
    } else {
      fill_small_integers<false>(out, n, s, d, first);
    }
  } else if constexpr (is_uniform_v<D>) {
    d.is_standard() ? fill_uniform<false>(out, n, s, d, first) : fill_uniform<true>(out, n, s, d, first);
  } else {
    d.is_standard() ? fill_reals<false>(out, n, s, d, first) : fill_reals<true>(out, n, s, d, first);
  }
}

}  // namespace
}  // namespace rivus

#endif
