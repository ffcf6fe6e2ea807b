// Fills over lanes. Words are made a tile at a time, which stays in the first-level cache, and then turned
// into values: faster than both in one loop, where the registers would not suffice.
#ifndef RIVUS_SRC_FILL_KERNELS_HPP
#define RIVUS_SRC_FILL_KERNELS_HPP

#include "kernels.hpp"
#include "word_kernels.hpp"

namespace rivus {
namespace {

constexpr std::size_t tile_words = 1024;

template <class Word>
struct lanes_of;
template <>
struct lanes_of<std::uint32_t> {
  using words = lanes_u32;
  using reals = lanes_f32;
};
template <>
struct lanes_of<std::uint64_t> {
  using words = lanes_u64;
  using reals = lanes_f64;
};

// Calls use(words, first, offset, n) for consecutive tiles that cover elements first .. first+n-1, each of
// one Word: tile element offset + j is element first + j. Words past the last element are there up to a whole
// group.
template <class Word, class Use>
RIVUS_HD void for_each_tile(stream s, std::uint64_t first, std::size_t n, Use use) {
  constexpr std::size_t per_block = 16 / sizeof(Word);
  constexpr std::size_t tile = tile_words * 4 / sizeof(Word);
  alignas(64) std::uint32_t words[tile_words];
  word_reader reader(s, first / per_block);
  std::size_t offset = first % per_block;
  while (n > 0) {
    const std::size_t m = n < tile - offset ? n : tile - offset;
    const std::size_t blocks = (offset + m + per_block - 1) / per_block;
    reader.read(words, (blocks + group_blocks - 1) / group_blocks * group_blocks);
    use(words, first, offset, m);
    first += m;
    n -= m;
    offset = 0;
  }
}

// Standard values, or scaled ones, of `steps` lanes of words (pairs of lanes for pairs); in and out may be
// the same.
template <bool Scaled, class D>
RIVUS_HD void transform(const D& d, const void* in, void* out, std::size_t steps) {
  using words = typename lanes_of<typename D::word>::words;
  using reals = typename lanes_of<typename D::word>::reals;
  const char* from = static_cast<const char*>(in);
  char* to = static_cast<char*>(out);
  RIVUS_UNROLL(2)
  for (std::size_t i = 0; i < steps; ++i) {
    if constexpr (D::words_per_step == 1) {
      const reals x = D::standard(load<words>(from));
      store(to, Scaled ? d.scaled(x) : x);
      from += sizeof(words);
      to += sizeof(words);
    } else {
      const vec<words, 2> w = unzip(load<words>(from), load<words>(from + sizeof(words)));
      const vec<reals, 2> x = D::standard(w[0], w[1]);
      const vec<reals, 2> z = Scaled ? zip(d.scaled(x[0]), d.scaled(x[1])) : zip(x[0], x[1]);
      store(to, z[0]);
      store(to + sizeof(words), z[1]);
      from += 2 * sizeof(words);
      to += 2 * sizeof(words);
    }
  }
}

// Reals: values are as wide as their words.
template <bool Scaled, class D>
void fill_reals(typename D::value_type* out, std::size_t n, stream s, const D& d, std::uint64_t first) {
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

// Words: whole blocks go straight to their place.
template <class T>
void fill_words(T* out, std::size_t n, stream s, std::uint64_t first) {
  constexpr std::size_t per_block = 16 / sizeof(T);
  std::uint32_t block[4];
  std::uint64_t b = first / per_block;
  const std::size_t offset = first % per_block;
  if (offset != 0) {
    const std::size_t m = n < per_block - offset ? n : per_block - offset;
    word_reader(s, b++).read(block, 1);
    std::memcpy(static_cast<void*>(out), reinterpret_cast<const char*>(block) + offset * sizeof(T),
                m * sizeof(T));
    out += m;
    n -= m;
  }
  if (n == 0) return;
  word_reader reader(s, b);
  const std::size_t whole = n / per_block * per_block;
  reader.read(reinterpret_cast<std::uint32_t*>(out), whole / per_block);
  if (whole < n) {
    reader.read(block, 1);
    std::memcpy(static_cast<void*>(out + whole), block, (n - whole) * sizeof(T));
  }
}

void fill_events(std::uint8_t* out, std::size_t n, stream s, bernoulli d, std::uint64_t first) {
  const std::uint64_t threshold = d.threshold();
  if (threshold == 0 || threshold >> 32 != 0) {
    std::memset(out, threshold != 0, n);
    return;
  }
  const lanes_u32 bound(static_cast<std::uint32_t>(threshold));
  for_each_tile<std::uint32_t>(s, first, n,
                               [&](std::uint32_t* words, std::uint64_t, std::size_t offset, std::size_t m) {
                                 constexpr std::size_t step = sizeof(lanes_u32) / sizeof(std::uint32_t);
                                 for (std::size_t j = 0; j < offset + m; j += step) {
                                   store(words + j, one_where_less(load<lanes_u32>(words + j), bound));
                                 }
                                 for (std::size_t j = 0; j < m; ++j)
                                   out[j] = static_cast<std::uint8_t>(words[offset + j]);
                                 out += m;
                               });
}

// The high and the low halves of word * bound, of 32-bit words two to a lane; and which words are refused, a
// bit each.
struct scaled_words {
  lanes_u64 value;
  unsigned refused_even, refused_odd;
};
RIVUS_HD scaled_words scale_words(lanes_u64 w, lanes_u64 bound, lanes_u64 refused) {
  const lanes_u64 low(std::uint64_t{0xFFFFFFFFu}), high(std::uint64_t{0xFFFFFFFF00000000u});
  const lanes_u64 even = mul_low_halves(w, bound), odd = mul_low_halves(w >> 32, bound);
  return {(even >> 32) | (odd & high), less_bits(even & low, refused), less_bits(odd & low, refused)};
}
// The same of 64-bit words, by schoolbook multiplication.
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

template <class Word, class I>
void fill_integers(I* out, std::size_t n, stream s, integer<I> d, std::uint64_t first) {
  const Word bound = static_cast<Word>(d.size());
  const lanes_u64 bounds(bound), refused(static_cast<Word>(Word{0} - bound) % bound);
  for_each_tile<Word>(
      s, first, n, [&](std::uint32_t* words, std::uint64_t i, std::size_t offset, std::size_t m) {
        Word* const tile = reinterpret_cast<Word*>(words);
        constexpr std::size_t step = sizeof(lanes_u64) / sizeof(Word);
        for (std::size_t j = 0; j < offset + m; j += step) {
          // Refused elements are rare: drawn again one by one. Of those before or past the range the value is
          // not used.
          const auto draw_again = [&](unsigned bits, std::size_t first_bit, std::size_t distance) {
            for (std::size_t k = j + first_bit; bits != 0; bits >>= 1, k += distance) {
              if (bits & 1) tile[k] = detail::below(s, i - offset + k, bound);
            }
          };
          const lanes_u64 w = load<lanes_u64>(tile + j);
          if constexpr (sizeof(Word) == 4) {
            const scaled_words x = scale_words(w, bounds, refused);
            store(tile + j, x.value);
            if (x.refused_even | x.refused_odd) {
              draw_again(x.refused_even, 0, 2);
              draw_again(x.refused_odd, 1, 2);
            }
          } else {
            const scaled_word x = scale_word(w, bounds, refused);
            store(tile + j, x.value);
            draw_again(x.refused, 0, 1);
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
void fill_range(typename D::value_type* out, std::size_t n, stream s, D d, std::uint64_t first) {
  if constexpr (std::is_same_v<D, bits<typename D::value_type>>) {
    fill_words(out, n, s, first);
  } else if constexpr (std::is_same_v<D, bernoulli>) {
    fill_events(out, n, s, d, first);
  } else if constexpr (std::is_same_v<D, integer<typename D::value_type>>) {
    if (d.size() <= detail::small_bound) {
      fill_integers<std::uint32_t>(out, n, s, d, first);
    } else {
      fill_integers<std::uint64_t>(out, n, s, d, first);
    }
  } else if (d.is_standard()) {
    fill_reals<false>(out, n, s, d, first);
  } else {
    fill_reals<true>(out, n, s, d, first);
  }
}

}  // namespace
}  // namespace rivus

#endif
