// NumPy's sequences: SeedSequence, the bit generators Philox and PCG64, and Generator's random and integers.
//
// Every value is NumPy's own, bit for bit, for programs that are moved or checked against each other; new
// code is better served by rivus::stream. Not here: normal, exponential and what is made of them, bounds
// given as arrays, choice, other bit generators, RandomState.
//
// Checked by tests/compat against NumPy 1.24.2 and 2.4.6: 3,500 cases, 432,800 values, the same in both.
// Sources: NumPy's manual, "Random sampling"; O'Neill, "Developing a seed_seq alternative", 2015, and "PCG",
// HMC-CS-2014-0905; Lemire, "Fast random integer generation in an interval", 2019.
#ifndef RIVUS_COMPAT_NUMPY_HPP
#define RIVUS_COMPAT_NUMPY_HPP

#include <cstddef>
#include <initializer_list>
#include <rivus/index.hpp>
#include <rivus/philox.hpp>
#include <rivus/real.hpp>
#include <rivus/refuse.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace rivus::compat::numpy {

// SeedSequence, with pools of four words. Not for kernels.
//
// Determinism: everywhere. Thread safety: as an int; spawn changes the sequence.
class seed_sequence {
 public:
  // SeedSequence(entropy).
  seed_sequence() : seed_sequence(0) {}
  template <class I, std::enable_if_t<index64::takes<I>, int> = 0>
  explicit seed_sequence(I entropy) : seed_sequence(words_of(index64(entropy))) {}

  // SeedSequence([w0, w1, ...], spawn_key=(k0, k1, ...)), each word below 2^32. An integer of any size is the
  // list of its words, least significant first, without leading zeros; 0 is the list of one zero.
  explicit seed_sequence(std::vector<std::uint32_t> entropy, std::vector<std::uint64_t> spawn_key = {})
      : entropy_(std::move(entropy)), spawn_key_(std::move(spawn_key)) {
    fill_pool();
  }
  explicit seed_sequence(std::initializer_list<std::uint32_t> entropy)
      : seed_sequence(std::vector<std::uint32_t>(entropy)) {}

  // SeedSequence(entropy) for an integer in decimal, or in hexadecimal after 0x: the form in which NumPy
  // prints the entropy that it took from the system.
  // Errors: std::invalid_argument when text is anything else.
  static seed_sequence from_text(std::string_view text, std::vector<std::uint64_t> spawn_key = {}) {
    const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const std::string_view digits = hex ? text.substr(2) : text;
    std::vector<std::uint32_t> words{0};
    for (const char c : digits) {
      const int d = c >= '0' && c <= '9'          ? c - '0'
                    : hex && c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : hex && c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                  : -1;
      if (d < 0) refuse_text(text);
      std::uint64_t carry = static_cast<std::uint64_t>(d);
      for (std::uint32_t& w : words) {
        carry += std::uint64_t{w} * (hex ? 16 : 10);
        w = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
      if (carry != 0) words.push_back(static_cast<std::uint32_t>(carry));
    }
    if (digits.empty()) refuse_text(text);
    return seed_sequence(std::move(words), std::move(spawn_key));
  }

  // generate_state(n, uint32) and generate_state(n, uint64).
  template <class W>
  std::vector<W> generate_state(std::size_t n) const {
    static_assert(std::is_same_v<W, std::uint32_t> || std::is_same_v<W, std::uint64_t>,
                  "rivus::compat::numpy::seed_sequence: std::uint32_t or std::uint64_t");
    std::vector<W> state(n);
    std::uint32_t constant = 0x8b51f9ddu;
    int at = 0;
    const auto next = [&] {
      std::uint32_t x = pool_[at] ^ constant;
      at = (at + 1) % pool_size;
      constant *= 0x58f38dedu;
      x *= constant;
      return x ^ x >> 16;
    };
    for (W& word : state) {
      word = next();
      if constexpr (sizeof(W) == 8) word |= W{next()} << 32;
    }
    return state;
  }

  // spawn(n): the next n children.
  std::vector<seed_sequence> spawn(std::uint32_t n) {
    std::vector<seed_sequence> children;
    children.reserve(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      std::vector<std::uint64_t> key = spawn_key_;
      key.push_back(n_children_spawned_++);
      children.emplace_back(entropy_, std::move(key));
    }
    return children;
  }

  const std::vector<std::uint32_t>& entropy() const noexcept { return entropy_; }
  const std::vector<std::uint64_t>& spawn_key() const noexcept { return spawn_key_; }
  std::uint32_t n_children_spawned() const noexcept { return n_children_spawned_; }

 private:
  static constexpr int pool_size = 4;

  static std::vector<std::uint32_t> words_of(std::uint64_t x) {
    std::vector<std::uint32_t> words{static_cast<std::uint32_t>(x)};
    if (x >> 32 != 0) words.push_back(static_cast<std::uint32_t>(x >> 32));
    return words;
  }

  [[noreturn]] static void refuse_text(std::string_view text) {
    rivus::detail::refuse(
        "rivus::compat::numpy::seed_sequence",
        "text '" + std::string(text) + "' must be a decimal integer, or a hexadecimal one after 0x");
  }

  void fill_pool() {
    std::vector<std::uint32_t> words = entropy_;
    // So that a key can not be taken for more words of a short entropy.
    if (!spawn_key_.empty() && words.size() < pool_size) words.resize(pool_size);
    for (const std::uint64_t k : spawn_key_) {
      for (const std::uint32_t w : words_of(k)) words.push_back(w);
    }
    std::uint32_t constant = 0x43b0d7e5u;
    const auto hash = [&](std::uint32_t x) {
      x ^= constant;
      constant *= 0x931e8875u;
      x *= constant;
      return x ^ x >> 16;
    };
    const auto mix = [](std::uint32_t x, std::uint32_t y) {
      const std::uint32_t r = 0xca01f9ddu * x - 0x4973f715u * y;
      return r ^ r >> 16;
    };
    for (std::size_t i = 0; i < pool_size; ++i) pool_[i] = hash(i < words.size() ? words[i] : 0);
    for (int from = 0; from < pool_size; ++from) {
      for (int to = 0; to < pool_size; ++to) {
        if (to != from) pool_[to] = mix(pool_[to], hash(pool_[from]));
      }
    }
    for (std::size_t i = pool_size; i < words.size(); ++i) {
      for (std::uint32_t& p : pool_) p = mix(p, hash(words[i]));
    }
  }

  std::vector<std::uint32_t> entropy_;
  std::vector<std::uint64_t> spawn_key_;
  std::uint32_t n_children_spawned_ = 0;
  std::uint32_t pool_[pool_size] = {};
};

// The bit generator Philox: philox4x64-10, one 256-bit counter. For host and device.
//
// Also a uniform_random_bit_generator of 64-bit words. All members are in NumPy's state under the same names.
// Determinism: everywhere. Thread safety: as an int.
struct philox {
  using result_type = std::uint64_t;
  using counter_type = vec<std::uint64_t, 4>;
  using key_type = vec<std::uint64_t, 2>;

  counter_type counter{};  // of the block in the buffer; the next one is at counter + 1
  key_type key{};
  counter_type buffer{};
  int buffer_pos = 4;
  int has_uint32 = 0;
  std::uint32_t uinteger = 0;  // the upper half of a word, where has_uint32

  // Philox(seed_sequence) and Philox(seed).
  explicit philox(const seed_sequence& seed) {
    const std::vector<std::uint64_t> words = seed.generate_state<std::uint64_t>(2);
    key = {{words[0], words[1]}};
  }
  explicit philox(index64 seed) : philox(seed_sequence(std::uint64_t{seed})) {}

  // Philox(key=key, counter=counter), words least significant first.
  RIVUS_HD constexpr philox(key_type k, counter_type c) noexcept : counter(c), key(k) {}

  RIVUS_HD static constexpr result_type min() noexcept { return 0; }
  RIVUS_HD static constexpr result_type max() noexcept { return ~std::uint64_t{0}; }
  RIVUS_HD constexpr result_type operator()() noexcept { return next64(); }

  // random_raw().
  RIVUS_HD constexpr std::uint64_t next64() noexcept {
    if (buffer_pos >= 4) {
      add({{1, 0, 0, 0}});
      buffer = philox4x64::block(counter, key);
      buffer_pos = 0;
    }
    return buffer[buffer_pos++];
  }

  // The lower half of a word, then its upper half; words of next64 in between leave that half waiting.
  RIVUS_HD constexpr std::uint32_t next32() noexcept {
    if (has_uint32 != 0) {
      has_uint32 = 0;
      return uinteger;
    }
    const std::uint64_t word = next64();
    has_uint32 = 1;
    uinteger = static_cast<std::uint32_t>(word >> 32);
    return static_cast<std::uint32_t>(word);
  }

  // advance(delta), modulo 2^256. As NumPy has it, delta counts blocks of four words, not words, and what is
  // left in the buffer is dropped.
  RIVUS_HD constexpr void advance(counter_type delta) noexcept {
    add(delta);
    buffer = {};
    buffer_pos = 4;
    has_uint32 = 0;
    uinteger = 0;
  }
  RIVUS_HD constexpr void advance(index64 delta) noexcept { advance({{delta, 0, 0, 0}}); }

  // jumped(jumps): 2^128 blocks further for each.
  RIVUS_HD constexpr philox jumped(index64 jumps = 1) const noexcept {
    philox further = *this;
    further.advance({{0, 0, jumps, 0}});
    return further;
  }

 private:
  RIVUS_HD constexpr void add(counter_type delta) noexcept {
    std::uint64_t carry = 0;
    for (int i = 0; i < 4; ++i) {
      const std::uint64_t sum = counter[i] + delta[i], with_carry = sum + carry;
      carry = (sum < delta[i]) | (with_carry < sum);
      counter[i] = with_carry;
    }
  }
};

// The bit generator PCG64 (XSL-RR), which default_rng uses. For host and device.
//
// Also a uniform_random_bit_generator of 64-bit words. state and inc are NumPy's, lower half first.
// Determinism: everywhere. Thread safety: as an int.
struct pcg64 {
  using result_type = std::uint64_t;
  using wide_type = wide<std::uint64_t>;

  wide_type state{};
  wide_type inc{};
  int has_uint32 = 0;
  std::uint32_t uinteger = 0;

  // PCG64(seed_sequence) and PCG64(seed).
  explicit pcg64(const seed_sequence& seed) {
    const std::vector<std::uint64_t> words = seed.generate_state<std::uint64_t>(4);
    inc = {words[3] << 1 | 1, words[2] << 1 | words[3] >> 63};
    state = inc;
    state = plus(state, {words[1], words[0]});
    step();
  }
  explicit pcg64(index64 seed) : pcg64(seed_sequence(std::uint64_t{seed})) {}

  // Of the state that NumPy gives as state["state"].
  RIVUS_HD constexpr pcg64(wide_type s, wide_type i) noexcept : state(s), inc(i) {}

  RIVUS_HD static constexpr result_type min() noexcept { return 0; }
  RIVUS_HD static constexpr result_type max() noexcept { return ~std::uint64_t{0}; }
  RIVUS_HD constexpr result_type operator()() noexcept { return next64(); }

  // random_raw().
  RIVUS_HD constexpr std::uint64_t next64() noexcept {
    step();
    const std::uint64_t x = state.hi ^ state.lo;
    const int turn = static_cast<int>(state.hi >> 58);
    return x >> turn | x << (-turn & 63);
  }

  // The lower half of a word, then its upper half; words of next64 in between leave that half waiting.
  RIVUS_HD constexpr std::uint32_t next32() noexcept {
    if (has_uint32 != 0) {
      has_uint32 = 0;
      return uinteger;
    }
    const std::uint64_t word = next64();
    has_uint32 = 1;
    uinteger = static_cast<std::uint32_t>(word >> 32);
    return static_cast<std::uint32_t>(word);
  }

  // advance(delta), modulo 2^128; delta counts words. As in NumPy, a waiting half is dropped.
  RIVUS_HD constexpr void advance(wide_type delta) noexcept {
    // The composition of 2^k steps is squared for each bit of delta.
    wide_type a = multiplier(), c = inc, all_a{1, 0}, all_c{0, 0};
    for (int bit = 0; bit < 128; ++bit) {
      if (((bit < 64 ? delta.lo >> bit : delta.hi >> (bit - 64)) & 1) != 0) {
        all_a = times(all_a, a);
        all_c = plus(times(all_c, a), c);
      }
      c = times(plus(a, {1, 0}), c);
      a = times(a, a);
    }
    state = plus(times(all_a, state), all_c);
    has_uint32 = 0;
    uinteger = 0;
  }
  RIVUS_HD constexpr void advance(index64 delta) noexcept { advance({delta, 0}); }

  // jumped(jumps): 0x9e3779b97f4a7c15f39cc0605cedc835 words further for each.
  RIVUS_HD constexpr pcg64 jumped(index64 jumps = 1) const noexcept {
    pcg64 further = *this;
    further.advance(times({0xf39cc0605cedc835u, 0x9e3779b97f4a7c15u}, {jumps, 0}));
    return further;
  }

 private:
  RIVUS_HD static constexpr wide_type multiplier() noexcept {
    return {0x4385DF649FCCF645u, 0x2360ED051FC65DA4u};
  }
  RIVUS_HD static constexpr wide_type plus(wide_type a, wide_type b) noexcept {
    const std::uint64_t lo = a.lo + b.lo;
    return {lo, a.hi + b.hi + (lo < b.lo)};
  }
  RIVUS_HD static constexpr wide_type times(wide_type a, wide_type b) noexcept {
    const wide_type p = mul_wide(a.lo, b.lo);
    return {p.lo, p.hi + a.lo * b.hi + a.hi * b.lo};
  }
  RIVUS_HD constexpr void step() noexcept { state = plus(times(state, multiplier()), inc); }
};

// Generator.random(): [0, 1) in steps of 2^-53. One 64-bit word. G is a bit generator.
template <class G>
RIVUS_HD double random(G& g) noexcept {
  return real::mul(static_cast<double>(g.next64() >> 11), 0x1p-53);
}

// Generator.random(dtype=float32): [0, 1) in steps of 2^-24. One 32-bit word.
template <class G>
RIVUS_HD float random_float32(G& g) noexcept {
  return real::mul(static_cast<float>(g.next32() >> 8), 0x1p-24f);
}

namespace detail {

// Words of type W out of 32-bit ones: small ones are cut from the lower end, and what is left at the end of a
// call is dropped.
template <class G, class W>
struct cut_words {
  G& g;
  std::uint32_t left = 0;
  int count = 0;
  RIVUS_HD constexpr W operator()() noexcept {
    if constexpr (sizeof(W) == 8) {
      return g.next64();
    } else if constexpr (sizeof(W) == 4) {
      return g.next32();
    } else {
      if (count == 0) {
        left = g.next32();
        count = 4 / static_cast<int>(sizeof(W));
      } else {
        left >>= 8 * sizeof(W);
      }
      --count;
      return static_cast<W>(left);
    }
  }
};

template <class W>
RIVUS_HD constexpr wide<W> product(W a, W b) noexcept {
  if constexpr (sizeof(W) >= 4) {
    return mul_wide(a, b);
  } else {
    const std::uint32_t p = std::uint32_t{a} * b;
    return {static_cast<W>(p), static_cast<W>(p >> 8 * sizeof(W))};
  }
}

// On [0, last], by Lemire's method over words of type W.
template <class W, class Words>
RIVUS_HD constexpr W up_to(W last, Words& words) noexcept {
  const W n = static_cast<W>(last + 1);
  if (n == 0) return words();
  wide<W> m = product(words(), n);
  if (m.lo < n) {
    const W refused = static_cast<W>(static_cast<W>(W{0} - n) % n);
    while (m.lo < refused) m = product(words(), n);
  }
  return m.hi;
}

template <class W, class T, class G>
RIVUS_HD constexpr void fill(G& g, T low, W last, T* out, std::size_t n) noexcept {
  cut_words<G, W> words{g};
  for (std::size_t i = 0; i < n; ++i)
    out[i] = static_cast<T>(static_cast<W>(static_cast<W>(low) + up_to(last, words)));
}

}  // namespace detail

// Generator.integers(low, high, size=n, dtype=T, endpoint=true): n integers in [low, high]. T is any integer
// type of 8 to 64 bits but bool, and need not be NumPy's default, int64.
//
// Words consumed: 64-bit ones where high - low >= 2^32, else 32-bit ones; 8- and 16-bit types share one among
// four or two elements of a call. More where the method refuses one; none where low == high.
// Errors: for high < low, fills with low.
template <class T, class G>
RIVUS_HD constexpr void integers_closed(G& g, T low, T high, T* out, std::size_t n) noexcept {
  static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>,
                "rivus::compat::numpy::integers: an integer type but bool");
  using word = std::make_unsigned_t<T>;
  const auto last = static_cast<word>(static_cast<word>(high) - static_cast<word>(low));
  if (!(low < high)) {
    for (std::size_t i = 0; i < n; ++i) out[i] = low;
  } else if constexpr (sizeof(T) == 8) {
    if (last > 0xFFFFFFFFu) return detail::fill<std::uint64_t>(g, low, std::uint64_t{last}, out, n);
    detail::cut_words<G, std::uint32_t> words{g};
    for (std::size_t i = 0; i < n; ++i)
      out[i] =
          static_cast<T>(static_cast<word>(low) + detail::up_to(static_cast<std::uint32_t>(last), words));
  } else {
    detail::fill<word>(g, low, last, out, n);
  }
}

// Generator.integers(low, high, size=n, dtype=T): n integers in [low, high), as integers_closed has them.
// Errors: for high <= low, fills with low.
template <class T, class G>
RIVUS_HD constexpr void integers(G& g, T low, T high, T* out, std::size_t n) noexcept {
  integers_closed(g, low, low < high ? static_cast<T>(high - 1) : low, out, n);
}

// Generator.shuffle of a one-dimensional array of n elements, and Generator.permutation(n) where element i
// was i. Words consumed: for elements n - 1 down to 1 one of 32 bits, or of 64 beyond 2^32 elements, and more
// where those are refused whose low bits are no index.
template <class T, class G>
RIVUS_HD constexpr void shuffle(G& g, T* x, std::size_t n) noexcept {
  for (std::uint64_t i = n; i-- > 1;) {
    std::uint64_t mask = i;
    for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
    std::uint64_t j = 0;
    do {
      j = (i > 0xFFFFFFFFu ? g.next64() : g.next32()) & mask;
    } while (j > i);
    const T t = x[i];
    x[i] = x[j];
    x[j] = t;
  }
}

// Generator over a bit generator: what the functions above do, with checks, and with spawn. Not for kernels.
//
// generator<philox> is Generator(Philox(seed)); generator<pcg64> is default_rng(seed).
// Determinism: everywhere. Thread safety: as an int.
template <class G = pcg64>
class generator {
 public:
  explicit generator(index64 seed) : generator(seed_sequence(std::uint64_t{seed})) {}
  explicit generator(seed_sequence seed) : seed_(std::move(seed)), bits_(seed_) {}

  G& bit_generator() noexcept { return bits_; }

  double random() noexcept { return numpy::random(bits_); }
  float random_float32() noexcept { return numpy::random_float32(bits_); }

  // integers(low, high, dtype=T, endpoint=endpoint).
  // Errors: std::invalid_argument where the range is empty.
  template <class T = std::int64_t>
  T integers(T low, T high, bool endpoint = false) {
    T value;
    integers(low, high, &value, 1, endpoint);
    return value;
  }
  template <class T>
  void integers(T low, T high, T* out, std::size_t n, bool endpoint = false) {
    if (high < low || (high == low && !endpoint)) {
      rivus::detail::refuse(
          "rivus::compat::numpy::generator",
          "high = " + std::to_string(high) + " leaves no integers with low = " + std::to_string(low));
    }
    if (n > 0 && out == nullptr)
      rivus::detail::refuse("rivus::compat::numpy::generator", "out is null but n = " + std::to_string(n));
    if (endpoint) return integers_closed(bits_, low, high, out, n);
    numpy::integers(bits_, low, high, out, n);
  }

  // shuffle of a one-dimensional array.
  template <class T>
  void shuffle(T* x, std::size_t n) {
    numpy::shuffle(bits_, x, n);
  }

  // spawn(n), as NumPy has it from 1.25 on.
  std::vector<generator> spawn(std::uint32_t n) {
    std::vector<generator> children;
    children.reserve(n);
    for (seed_sequence& seed : seed_.spawn(n)) children.emplace_back(std::move(seed));
    return children;
  }

 private:
  seed_sequence seed_;
  G bits_;
};

}  // namespace rivus::compat::numpy

#endif
