// philox_engine: C++26's std::philox_engine, for C++17 and for kernels.
#ifndef RIVUS_PHILOX_ENGINE_HPP
#define RIVUS_PHILOX_ENGINE_HPP

#include <rivus/philox.hpp>
#if !defined(__CUDACC_RTC__)
#include <array>
#include <iosfwd>
#include <limits>
#include <string>
#endif

namespace rivus {

namespace detail {

// A word of W bits, as philox::block takes them, in the type of an engine with these constants.
template <class U, std::size_t W, U... Constants>
struct philox_word {
  using base = std::conditional_t<(W <= 32), std::uint32_t, std::uint64_t>;
  static constexpr int spare = std::numeric_limits<base>::digits - static_cast<int>(W);
  static constexpr base mask = static_cast<base>(~base{0} >> spare);

  base value;

  RIVUS_HD static constexpr philox_word of(std::uint64_t x) noexcept { return {static_cast<base>(x & mask)}; }
  RIVUS_HD constexpr philox_word& operator+=(base x) noexcept {
    value = (value + x) & mask;
    return *this;
  }
  RIVUS_HD friend constexpr philox_word operator^(philox_word a, philox_word b) noexcept {
    return {a.value ^ b.value};
  }
  RIVUS_HD friend constexpr bool operator==(philox_word a, philox_word b) noexcept {
    return a.value == b.value;
  }
  RIVUS_HD friend constexpr wide<philox_word> mul_wide(philox_word a, base b) noexcept {
    const wide<base> p = rivus::mul_wide(a.value, b);
    if constexpr (spare == 0) {
      return {{p.lo}, {p.hi}};
    } else {
      return {{p.lo & mask}, {p.hi << spare | p.lo >> W}};
    }
  }
};

// Those at Offset, Offset + 2, ...
template <std::size_t Offset, class U, U... Values>
RIVUS_HOST constexpr std::array<U, sizeof...(Values) / 2> every_second() {
  constexpr U given[] = {Values...};
  std::array<U, sizeof...(Values) / 2> chosen{};
  for (std::size_t k = 0; k < chosen.size(); ++k) chosen[k] = given[2 * k + Offset];
  return chosen;
}

template <class Q, class = void>
inline constexpr bool is_seed_sequence_v = false;
template <class Q>
inline constexpr bool
    is_seed_sequence_v<Q, std::void_t<decltype(std::declval<Q&>().generate(
                              std::declval<std::uint_least32_t*>(), std::declval<std::uint_least32_t*>()))>> =
        true;

#if !defined(__CUDACC_RTC__)
// Puts a stream's flags and fill character back.
template <class Stream>
class format_kept {
 public:
  explicit format_kept(Stream& s) : stream_(s), flags_(s.flags()), fill_(s.fill()) {}
  ~format_kept() {
    stream_.flags(flags_);
    stream_.fill(fill_);
  }
  format_kept(const format_kept&) = delete;
  format_kept& operator=(const format_kept&) = delete;

 private:
  Stream& stream_;
  decltype(std::declval<Stream&>().flags()) flags_;
  decltype(std::declval<Stream&>().fill()) fill_;
};

// Reads digits only: neither a sign nor the locale's separators. Sets failbit where there are none, and above
// `most`.
template <class Char, class Traits>
std::uint64_t take_decimal(std::basic_istream<Char, Traits>& is, std::uint64_t most) {
  std::uint64_t value = 0;
  bool good = false;
  // Found by its argument, so that <istream> is for those who read.
  for (ws(is); is.good(); is.get(), good = true) {
    const auto next = is.peek();
    if (Traits::eq_int_type(next, Traits::eof())) break;
    const char c = is.narrow(Traits::to_char_type(next), '\0');
    if (c < '0' || c > '9') break;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (digit > most || value > (most - digit) / 10) {
      good = false;
      break;
    }
    value = 10 * value + digit;
  }
  if (!good) is.setstate(std::basic_istream<Char, Traits>::failbit);
  return value;
}
#endif

}  // namespace detail

// The engine's constants [M0, C0] and [M0, C0, M1, C1]: the standard's M0 multiplies word 2.
template <class U, std::size_t W, U M0, U C0>
struct philox_constants<detail::philox_word<U, W, M0, C0>, 2> {
  using word = detail::philox_word<U, W, M0, C0>;
  static constexpr typename word::base multiplier[1] = {word::of(M0).value};
  static constexpr typename word::base weyl[1] = {word::of(C0).value};
};
template <class U, std::size_t W, U M0, U C0, U M1, U C1>
struct philox_constants<detail::philox_word<U, W, M0, C0, M1, C1>, 4> {
  using word = detail::philox_word<U, W, M0, C0, M1, C1>;
  static constexpr typename word::base multiplier[2] = {word::of(M1).value, word::of(M0).value};
  static constexpr typename word::base weyl[2] = {word::of(C0).value, word::of(C1).value};
};

// std::philox_engine of C++26, with the same parameters, values and text: n counter words and n/2 keys of w
// bits, r rounds, constants M0, C0, M1, C1 (M0, C0 for n = 2).
//
// Range: operator() gives every w-bit value. The period is n * 2^(n w); the counter wraps.
// Seeds: a value sets K0 to it modulo 2^w and K1 to 0; a seed sequence gives ceil(w / 32) words, the low one
// first, to each key.
// Cost: one block for each n values read in order; discard and set_counter take constant time.
// Beyond the standard: constexpr, kernels, multipliers modulo 2^w where they are larger, text that neither
// depends on the locale nor takes a sign.
// Determinism: everywhere (the words; what <random> makes of them differs between standard libraries).
// Thread safety: as an int; give each thread an engine of its own.
// Source: [rand.eng.philox] in the working draft of C++26 (P2075R6, LWG 4134); Salmon et al. 2011.
template <class UIntType, std::size_t w, std::size_t n, std::size_t r, UIntType... consts>
class philox_engine {
  static_assert(std::is_unsigned_v<UIntType> && !std::is_same_v<UIntType, bool>,
                "rivus::philox_engine: an unsigned integer type");
  static_assert(n == 2 || n == 4, "rivus::philox_engine: n must be 2 or 4");
  static_assert(sizeof...(consts) == n, "rivus::philox_engine: as many constants as words");
  static_assert(0 < r && r <= 1000000, "rivus::philox_engine: at least one round");
  static_assert(0 < w && w <= std::numeric_limits<UIntType>::digits && w <= 64,
                "rivus::philox_engine: w must fit the type");

  using word = detail::philox_word<UIntType, w, consts...>;
  template <class Q>
  using if_seed_sequence =
      std::enable_if_t<!std::is_convertible_v<Q, UIntType> && !std::is_base_of_v<philox_engine, Q> &&
                       detail::is_seed_sequence_v<Q>>;

 public:
  using result_type = UIntType;

  static constexpr std::size_t word_size = w;
  static constexpr std::size_t word_count = n;
  static constexpr std::size_t round_count = r;
  static constexpr std::array<result_type, n / 2> multipliers =
      detail::every_second<0, UIntType, consts...>();
  static constexpr std::array<result_type, n / 2> round_consts =
      detail::every_second<1, UIntType, consts...>();
  // Called, as in <random>, or taken as constants, as Thrust has them.
  static constexpr constant<result_type, 0> min{};
  static constexpr constant<result_type, static_cast<result_type>(word::mask)> max{};
  static constexpr result_type default_seed = static_cast<result_type>(20111115u);

  RIVUS_HD constexpr philox_engine() noexcept : philox_engine(default_seed) {}
  RIVUS_HD constexpr explicit philox_engine(result_type value) noexcept { seed(value); }
#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // of the seed sequence
#endif
  template <class Sseq, class = if_seed_sequence<Sseq>>
  RIVUS_HD constexpr explicit philox_engine(Sseq& q) {
    seed(q);
  }

  RIVUS_HD constexpr void seed(result_type value = default_seed) noexcept {
    k_ = {};
    k_[0] = word::of(value);
    set_counter({});
  }
#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // of the seed sequence
#endif
  template <class Sseq, class = if_seed_sequence<Sseq>>
  RIVUS_HD constexpr void seed(Sseq& q) {
    constexpr std::size_t p = (w + 31) / 32;
    std::uint_least32_t a[n / 2 * p] = {};
    q.generate(a + 0, a + n / 2 * p);
    for (std::size_t k = 0; k < n / 2; ++k) {
      std::uint64_t sum = 0;
      for (std::size_t j = 0; j < p; ++j) sum |= std::uint64_t{a[k * p + j] & 0xFFFFFFFFu} << (32 * j);
      k_[static_cast<int>(k)] = word::of(sum);
    }
    set_counter({});
  }

  // The next values are those of the counter c[0] c[1] .. c[n-1], most significant word first, each modulo
  // 2^w. The array of the second one is for kernels, where std::array is not usable.
  RIVUS_HOST constexpr void set_counter(const std::array<result_type, n>& c) noexcept {
    set_counter_words(c);
  }
  RIVUS_HD constexpr void set_counter(const result_type (&c)[n]) noexcept { set_counter_words(c); }

  RIVUS_HD constexpr result_type operator()() noexcept {
    if (++i_ == n) {
      y_ = philox<word, words, static_cast<int>(r)>::block(x_, k_);
      advance(1);
      i_ = 0;
    }
    return static_cast<result_type>(y_[static_cast<int>(i_)].value);
  }

  RIVUS_HD constexpr void discard(unsigned long long z) noexcept {
    const std::uint64_t place = i_ + z % n;
    const std::uint64_t blocks = z / n + place / n;
    i_ = static_cast<std::uint32_t>(place % n);
    if (blocks == 0) return;
    advance(blocks - 1);
    y_ = philox<word, words, static_cast<int>(r)>::block(x_, k_);
    advance(1);
  }

  // Engines are equal when they will give the same values: what is buffered follows from keys and counter.
  RIVUS_HD friend constexpr bool operator==(const philox_engine& a, const philox_engine& b) noexcept {
    return a.k_ == b.k_ && a.x_ == b.x_ && a.i_ == b.i_;
  }
  RIVUS_HD friend constexpr bool operator!=(const philox_engine& a, const philox_engine& b) noexcept {
    return !(a == b);
  }

#if !defined(__CUDACC_RTC__)
  // Keys, counter words from the lowest, and the index in the block of the value given last (n - 1 before the
  // first of a block): decimal numbers with one space between.
  template <class Char, class Traits>
  friend std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& os,
                                                      const philox_engine& x) {
    std::string text;
    for (const word k : x.k_) text += std::to_string(k.value) + ' ';
    for (const word c : x.x_) text += std::to_string(c.value) + ' ';
    text += std::to_string(x.i_);
    using out = std::basic_ostream<Char, Traits>;
    const detail::format_kept<out> kept(os);
    os.flags(out::dec | out::left);
    os.fill(os.widen(' '));
    std::basic_string<Char, Traits> wide_text;
    for (const char c : text) wide_text += os.widen(c);
    return os << wide_text;
  }

  // Reads what operator<< wrote. Errors: failbit, and the engine is left as it was.
  template <class Char, class Traits>
  friend std::basic_istream<Char, Traits>& operator>>(std::basic_istream<Char, Traits>& is,
                                                      philox_engine& x) {
    philox_engine read;
    for (word& k : read.k_) k = word::of(detail::take_decimal(is, word::mask));
    for (word& c : read.x_) c = word::of(detail::take_decimal(is, word::mask));
    read.i_ = static_cast<std::uint32_t>(detail::take_decimal(is, n - 1));
    if (is.fail()) return is;
    // The buffer is the block before the counter's.
    vec<word, words> before = read.x_;
    for (word& c : before) {
      const bool borrows = c.value == 0;
      c += word::mask;
      if (!borrows) break;
    }
    read.y_ = philox<word, words, static_cast<int>(r)>::block(before, read.k_);
    x = read;
    return is;
  }
#endif

 private:
  static constexpr int words = static_cast<int>(n);

  template <class Words>
  RIVUS_HD constexpr void set_counter_words(const Words& c) noexcept {
    for (std::size_t j = 0; j < n; ++j) x_[static_cast<int>(j)] = word::of(c[n - 1 - j]);
    i_ = n - 1;
  }

  // The counter, plus z.
  RIVUS_HD constexpr void advance(std::uint64_t z) noexcept {
    for (word& c : x_) {
      const word low = word::of(z);
      c += low.value;
      z = (w < 64 ? z >> (w % 64) : 0) + (c.value < low.value);
    }
  }

  vec<word, n / 2> k_{};
  vec<word, words> x_{};
  vec<word, words> y_{};
  std::uint32_t i_ = n - 1;
};

// std::philox4x32 and std::philox4x64; philox4x32 without _engine is the function of a block, in philox.hpp.
//
// For seeds below 2^32 philox4x32_engine(seed) gives the words of cursor(stream::from_seed(seed)).
using philox4x32_engine =
    philox_engine<std::uint_fast32_t, 32, 4, 10, 0xCD9E8D57, 0x9E3779B9, 0xD2511F53, 0xBB67AE85>;
using philox4x64_engine = philox_engine<std::uint_fast64_t, 64, 4, 10, 0xCA5A826395121157, 0x9E3779B97F4A7C15,
                                        0xD2E7470EE14C6C93, 0xBB67AE8584CAA73B>;

static_assert(sizeof(philox4x32_engine) == 44 && std::is_trivially_copyable_v<philox4x32_engine>);

}  // namespace rivus

#endif
