// exact: sums and dot products without error but one rounding, and the accumulator that keeps them.
//
// The exact value is an integer times a power of two: digits of 32 bits, the limbs, each in 64 bits so that
// carries can wait. Integers add up to the same whatever the order. Source: docs/spec.md, section 4.
#ifndef RIVUS_EXACT_HPP
#define RIVUS_EXACT_HPP

#include <array>
#include <cstddef>
#include <rivus/executor.hpp>
#include <rivus/half.hpp>
#include <rivus/philox.hpp>
#include <rivus/range.hpp>
#include <rivus/refuse.hpp>
#include <rivus/stream.hpp>
#include <string>
#include <string_view>

namespace rivus {
namespace detail {

// What rounding needs to know of a result type: its precision, and the exponent of its least value.
template <class H>
struct exact_result {
  using word = typename real::format<H>::word;
  static constexpr int digits = real::format<H>::digits;
  static constexpr int least = sizeof(H) == 4 ? -149 : -1074;
  static constexpr word infinity = real::format<H>::infinity;
  static constexpr word quiet_nan = real::format<H>::quiet_nan;
  RIVUS_HD static H from_bits(word w) noexcept { return real::from_bits(w); }
};
template <>
struct exact_result<f16> {
  using word = std::uint16_t;
  static constexpr int digits = 11, least = -24;
  static constexpr word infinity = 0x7c00, quiet_nan = 0x7e00;
  RIVUS_HD static f16 from_bits(word w) noexcept { return f16::from_bits(w); }
};
template <>
struct exact_result<bf16> {
  using word = std::uint16_t;
  static constexpr int digits = 8, least = -133;
  static constexpr word infinity = 0x7f80, quiet_nan = 0x7fc0;
  RIVUS_HD static bf16 from_bits(word w) noexcept { return bf16::from_bits(w); }
};

RIVUS_HD int leading_zeros(std::uint32_t x) noexcept {
#if defined(__CUDA_ARCH__)
  return __clz(static_cast<int>(x));
#else
  return __builtin_clz(x);
#endif
}

// Room for 2^64 values of W, or products of two. Limb i counts multiples of 2^(32 i - bias).
template <class W>
struct exact_limbs {
  static constexpr int bias = sizeof(W) == 4 ? 320 : 2176;
  static constexpr int count = sizeof(W) == 4 ? 20 : 134;
  // Values are below 2^top_of_all. There is room for the least product, and for 2^64 of the largest, where the last limb has 63 bits.
  static constexpr int top_of_all =
      exact_result<W>::least + exact_result<W>::digits - 2 +
      static_cast<int>(exact_result<W>::infinity >> (exact_result<W>::digits - 1));
  static_assert(2 * exact_result<W>::least >= -bias && 2 * top_of_all + 64 <= 32 * (count - 1) - bias + 63);
  // What was added that is no finite number, and whether all was -0.
  enum : std::uint32_t { nan = 1, plus_infinity = 2, minus_infinity = 4, minus_zero = 8, other = 16 };

  std::int64_t limb[static_cast<std::size_t>(count)] = {};
  std::uint32_t seen = 0;
  std::uint32_t waiting = 0;  // additions to each limb, at most, since the carries were settled

  using format = real::format<W>;
  using word = typename format::word;

  // A finite value is magnitude * 2^exponent.
  struct parts {
    std::uint64_t magnitude;
    int exponent;
  };
  RIVUS_HD static parts parts_of(word w) noexcept {
    constexpr word hidden = word{1} << format::fraction_bits;
    const int field = static_cast<int>((w & format::infinity) >> format::fraction_bits);
    return {(w & (hidden - 1)) | (field == 0 ? 0 : hidden),
            (field == 0 ? 1 : field) - 1 + exact_result<W>::least};
  }
  RIVUS_HD static bool is_finite(word w) noexcept { return (w & format::infinity) != format::infinity; }
  RIVUS_HD static std::uint32_t kind_of_infinity(bool negative) noexcept {
    return negative ? minus_infinity | other : plus_infinity | other;
  }

  // Calls enter(i, v) for each limb i that +-magnitude * 2^exponent changes; |v| < 2^32.
  template <class Enter>
  RIVUS_HD static void spread(std::uint64_t magnitude, int exponent, bool negative, const Enter& enter) {
    const int position = exponent + bias, i = position / 32, shift = position % 32;
    const std::uint64_t low = magnitude << shift, high = shift == 0 ? 0 : magnitude >> (64 - shift);
    const auto signed_digit = [negative](std::uint64_t digit) {
      const auto v = static_cast<std::int64_t>(digit);
      return negative ? -v : v;
    };
    enter(i, signed_digit(low & 0xFFFFFFFFu));
    enter(i + 1, signed_digit(low >> 32));
    if (high != 0) enter(i + 2, signed_digit(high));
  }
  // The same of a value, and of a product. They return what was seen.
  template <class Enter>
  RIVUS_HD static std::uint32_t spread_value(W x, const Enter& enter) {
    const word w = real::to_bits(x);
    const bool negative = (w & format::sign) != 0;
    if (!is_finite(w)) return real::is_nan(x) ? nan | other : kind_of_infinity(negative);
    const parts p = parts_of(w);
    if (p.magnitude == 0) return negative ? minus_zero : other;
    spread(p.magnitude, p.exponent, negative, enter);
    return other;
  }
  template <class Enter>
  RIVUS_HD static std::uint32_t spread_product(W x, W y, const Enter& enter) {
    const word a = real::to_bits(x), b = real::to_bits(y);
    const bool negative = ((a ^ b) & format::sign) != 0;
    const parts p = parts_of(a), q = parts_of(b);
    if (!is_finite(a) || !is_finite(b)) {
      const bool invalid = real::is_nan(x) || real::is_nan(y) || p.magnitude == 0 || q.magnitude == 0;
      return invalid ? nan | other : kind_of_infinity(negative);
    }
    if (p.magnitude == 0 || q.magnitude == 0) return negative ? minus_zero : other;
    const wide<std::uint64_t> m = mul_wide(p.magnitude, q.magnitude);
    spread(m.lo, p.exponent + q.exponent, negative, enter);
    if (m.hi != 0) spread(m.hi, p.exponent + q.exponent + 64, negative, enter);
    return other;
  }

  RIVUS_HD void see(std::uint32_t what) noexcept {
    constexpr std::uint32_t both = plus_infinity | minus_infinity;
    seen |= what;
    if ((seen & other) != 0) seen &= ~std::uint32_t{minus_zero};
    // Nothing changes a NaN any more.
    if ((seen & nan) != 0 || (seen & both) == both) seen = nan | other;
  }
  // An addition is below 2^32 in magnitude, as is what a settled limb holds, so that limbs stay below 2^63 with room to spare.
  static constexpr std::uint32_t most_waiting = std::uint32_t{1} << 30;
  static_assert((most_waiting + 2) * 0x1p32 < 0x1p63);
  RIVUS_HD void wait(std::uint32_t additions = 1) noexcept {
    waiting += additions;
    if (waiting >= most_waiting) settle();
  }
  RIVUS_HD void deposit(std::uint64_t magnitude, int exponent, bool negative) {
    spread(magnitude, exponent, negative, [this](int i, std::int64_t v) { limb[i] += v; });
    wait();
  }
  RIVUS_HD void deposit(std::int64_t units, int exponent) {
    const auto magnitude = static_cast<std::uint64_t>(units);
    deposit(units < 0 ? 0 - magnitude : magnitude, exponent, units < 0);
  }
  RIVUS_HD void add(W x) {
    see(spread_value(x, [this](int i, std::int64_t v) { limb[i] += v; }));
    wait();
  }
  RIVUS_HD void add_product(W x, W y) {
    see(spread_product(x, y, [this](int i, std::int64_t v) { limb[i] += v; }));
    wait(2);
  }

  // The one form of a value: all limbs but the last in [0, 2^32). Loops over limbs stay loops in device code, where
  // unrolled they would take all registers.
  RIVUS_HD void settle() noexcept {
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
    for (int i = 0; i + 1 < count; ++i) {
      limb[i + 1] += limb[i] >> 32;
      limb[i] &= 0xFFFFFFFF;
    }
    waiting = 0;
  }
  RIVUS_HD void add(exact_limbs x) {
    x.settle();
    settle();
    for (int i = 0; i < count; ++i) limb[i] += x.limb[i];
    wait();
    see(x.seen);
  }
  // From limbs of a wider type, whose value must be one of this type's.
  template <class V, std::enable_if_t<(sizeof(V) > sizeof(W)), int> = 0>
  RIVUS_HD void add(exact_limbs<V> x) {
    constexpr int offset = (exact_limbs<V>::bias - bias) / 32;
    x.settle();
    settle();
    for (int i = 0; i < count; ++i) limb[i] += x.limb[offset + i];
    // The sign of what is beyond.
    limb[count - 1] += static_cast<std::int64_t>(static_cast<std::uint64_t>(x.limb[offset + count]) << 32);
    wait();
    see(x.seen);
  }

  // Rounded once, to nearest even.
  template <class H>
  RIVUS_HD H rounded() const {
    exact_limbs a = *this;
    return a.template rounded_in_place<H>();
  }
  // The same, which leaves the magnitude in the limbs.
  template <class H>
  RIVUS_HD H rounded_in_place() {
    using to = exact_result<H>;
    using to_word = typename to::word;
    constexpr to_word sign = static_cast<to_word>(to_word{1} << (8 * sizeof(to_word) - 1));
    if ((seen & nan) != 0) return to::from_bits(to::quiet_nan);
    if ((seen & (plus_infinity | minus_infinity)) != 0) {
      return to::from_bits(static_cast<to_word>(to::infinity | ((seen & minus_infinity) != 0 ? sign : 0)));
    }
    exact_limbs& a = *this;
    a.settle();
    const bool negative = a.limb[count - 1] < 0;
    if (negative) {
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
      for (std::int64_t& v : a.limb) v = -v;
      a.settle();
    }
    const auto with_sign = [negative](std::uint64_t magnitude) {
      return to::from_bits(static_cast<to_word>(magnitude | (negative ? sign : 0)));
    };
    int top = count - 1;
    while (top >= 0 && a.limb[top] == 0) --top;
    if (top < 0) return to::from_bits(seen == minus_zero ? sign : to_word{0});
    if (top == count - 1) return with_sign(to::infinity);

    // The 64 bits from the highest on, and whether any is set below them.
    const auto digit = [&a](int i) { return i < 0 ? 0 : static_cast<std::uint64_t>(a.limb[i]); };
    const int width = 32 - leading_zeros(static_cast<std::uint32_t>(digit(top)));
    const std::uint64_t lead =
        digit(top) << (64 - width) | digit(top - 1) << (32 - width) | digit(top - 2) >> width;
    bool more = (digit(top - 2) & ((std::uint64_t{1} << width) - 1)) != 0;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
    for (int i = top - 3; i >= 0; --i) more |= a.limb[i] != 0;

    const int highest = 32 * top - bias + width - 1;
    constexpr int largest =
        to::least + to::digits - 1 + static_cast<int>(to::infinity >> (to::digits - 1)) - 2;
    if (highest > largest) return with_sign(to::infinity);
    const int normal = highest - (to::digits - 1), lowest = normal < to::least ? to::least : normal;
    const int keep = highest - lowest + 1;
    if (keep < 0) return with_sign(0);
    const std::uint64_t kept = keep == 0 ? 0 : lead >> (64 - keep), rest = lead << keep;
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    const bool up = rest > half || (rest == half && (more || (kept & 1) != 0));
    // A carry out of the fraction steps the exponent, up to infinity.
    return with_sign((static_cast<std::uint64_t>(lowest - to::least) << (to::digits - 1)) + kept +
                     (up ? 1 : 0));
  }
};

// Adds x[0] + ..., or the products, to limbs. `who` begins messages.
void exact_add(const char* who, exact_limbs<float>& to, const float* x, std::size_t n, const executor& on);
void exact_add(const char* who, exact_limbs<double>& to, const double* x, std::size_t n, const executor& on);
void exact_add(const char* who, exact_limbs<float>& to, const f16* x, std::size_t n, const executor& on);
void exact_add(const char* who, exact_limbs<float>& to, const bf16* x, std::size_t n, const executor& on);
void exact_add_products(const char* who, exact_limbs<float>& to, const float* x, const float* y,
                        std::size_t n, const executor& on);
void exact_add_products(const char* who, exact_limbs<double>& to, const double* x, const double* y,
                        std::size_t n, const executor& on);
void exact_add_products(const char* who, exact_limbs<float>& to, const f16* x, const f16* y, std::size_t n,
                        const executor& on);
void exact_add_products(const char* who, exact_limbs<float>& to, const bf16* x, const bf16* y, std::size_t n,
                        const executor& on);

}  // namespace detail

// The sum x[0] + ... + x[n-1] without error, rounded once, to nearest even.
//
// Shape: any n (0 gives +0), any alignment. A sum of zero is +0, but -0 where every x is -0. NaN, and +inf
// with -inf, give the canonical NaN; overflow is that of the last rounding alone.
// Errors: std::invalid_argument for a null x with n > 0; std::runtime_error when the thread flushes
// subnormals or does not round to nearest.
// Threads: those of `on` for large n. Determinism: everywhere, and in any order of the elements. Source:
// docs/spec.md, section 4.
float exact_sum(const float* x, index64 n, const executor& on = {});
double exact_sum(const double* x, index64 n, const executor& on = {});
f16 exact_sum(const f16* x, index64 n, const executor& on = {});
bf16 exact_sum(const bf16* x, index64 n, const executor& on = {});

// The sum of the products x[i] * y[i] without error, rounded once. A product of zeros has IEEE 754's sign, one
// of zero and infinity is NaN. Otherwise as exact_sum.
float exact_dot(const float* x, const float* y, index64 n, const executor& on = {});
double exact_dot(const double* x, const double* y, index64 n, const executor& on = {});
f16 exact_dot(const f16* x, const f16* y, index64 n, const executor& on = {});
bf16 exact_dot(const bf16* x, const bf16* y, index64 n, const executor& on = {});

// The same of contiguous ranges. Errors: also std::invalid_argument for ranges of different lengths.
template <class R, class T = detail::element_of<R>>
detail::for_reals<T, T> exact_sum(const R& x, const executor& on = {}) {
  return exact_sum(std::data(x), std::size(x), on);
}
template <class T>
detail::for_reals<T, T> exact_sum(std::initializer_list<T> x, const executor& on = {}) {
  return exact_sum(x.begin(), x.size(), on);
}
template <class R, class S, class T = detail::element_of<R>, class = detail::element_of<S>>
detail::for_reals<T, T> exact_dot(const R& x, const S& y, const executor& on = {}) {
  detail::require_same_size("rivus::exact_dot", "x", std::size(x), "y", std::size(y));
  return exact_dot(std::data(x), std::data(y), std::size(x), on);
}

// The exact value of a sum that grows: of values, of products and of other accumulators, in any order.
//
// T: float, double, f16, bf16. Up to 2^64 values. Equal sets of values make equal accumulators and equal
// bytes, however they were divided and merged. Determinism: everywhere. Source: docs/spec.md, section 4.
template <class T>
class exact_accumulator {
  using wide_type = decltype(real::widen(T{}));
  using limbs = detail::exact_limbs<wide_type>;

 public:
  exact_accumulator() = default;

  void add(T x) { limbs_.add(real::widen(x)); }
  exact_accumulator& operator+=(T x) {
    add(x);
    return *this;
  }
  void add_product(T x, T y) { limbs_.add_product(real::widen(x), real::widen(y)); }
  // x[0], ..., x[n-1], and the products x[i] * y[i]. Errors and threads: as exact_sum.
  void add(const T* x, index64 n, const executor& on = {}) {
    detail::exact_add("rivus::exact_accumulator::add", limbs_, x, n, on);
  }
  void add_products(const T* x, const T* y, index64 n, const executor& on = {}) {
    detail::exact_add_products("rivus::exact_accumulator::add_products", limbs_, x, y, n, on);
  }
  template <class R, class = std::enable_if_t<std::is_same_v<detail::element_of<R>, T>>>
  void add(const R& x, const executor& on = {}) {
    add(std::data(x), std::size(x), on);
  }
  void add(const exact_accumulator& x) { limbs_.add(x.limbs_); }
  exact_accumulator& operator+=(const exact_accumulator& x) {
    add(x);
    return *this;
  }

  // Rounded once, to nearest even. Of nothing: +0.
  T value() const { return limbs_.template rounded<T>(); }

  // Whether both hold the same exact value, and have seen the same NaN and infinities.
  friend bool operator==(const exact_accumulator& a, const exact_accumulator& b) {
    return a.to_bytes() == b.to_bytes();
  }
  friend bool operator!=(const exact_accumulator& a, const exact_accumulator& b) { return !(a == b); }

  // The four bytes "rvx" 1; the precision of T in bits, what was seen, two zero bytes; the limbs in four bytes
  // each and the last in eight; and the first eight bytes of the digest (docs/spec.md, section 6) of all
  // before. Little-endian.
  static constexpr std::size_t byte_count = 8 + 4 * (limbs::count - 1) + 8 + 8;
  using bytes_type = std::array<unsigned char, byte_count>;
  bytes_type to_bytes() const {
    limbs settled = limbs_;
    settled.settle();
    bytes_type bytes{'r',
                     'v',
                     'x',
                     1,
                     static_cast<unsigned char>(detail::exact_result<T>::digits),
                     static_cast<unsigned char>(settled.seen)};
    std::size_t at = 8;
    const auto write = [&](std::uint64_t x, int size) {
      for (int shift = 0; shift < 8 * size; shift += 8) bytes[at++] = static_cast<unsigned char>(x >> shift);
    };
    for (int i = 0; i + 1 < limbs::count; ++i) write(static_cast<std::uint64_t>(settled.limb[i]), 4);
    write(static_cast<std::uint64_t>(settled.limb[limbs::count - 1]), 8);
    write(check_of(bytes.data()), 8);
    return bytes;
  }

  // The accumulator that to_bytes described. Errors: std::invalid_argument, naming what is wrong.
  static exact_accumulator from_bytes(const unsigned char* bytes, std::size_t size) {
    if (size != byte_count) fail("size", size, byte_count);
    const unsigned char head[] = {'r', 'v', 'x', 1,
                                  static_cast<unsigned char>(detail::exact_result<T>::digits)};
    for (std::size_t i = 0; i < sizeof head; ++i) {
      if (bytes[i] != head[i]) {
        fail(i == 3   ? "version byte"
             : i == 4 ? "precision"
                      : "header byte " + std::to_string(i),
             bytes[i], head[i]);
      }
    }
    const auto read = [&](std::size_t at, int count) {
      std::uint64_t x = 0;
      for (int i = 0; i < count; ++i) x |= std::uint64_t{bytes[at + static_cast<std::size_t>(i)]} << (8 * i);
      return x;
    };
    if (read(byte_count - 8, 8) != check_of(bytes)) {
      detail::refuse("rivus::exact_accumulator", "the bytes are damaged: their digest differs");
    }
    exact_accumulator a;
    a.limbs_.seen = bytes[5];
    std::size_t at = 8;
    for (int i = 0; i + 1 < limbs::count; ++i, at += 4) {
      a.limbs_.limb[i] = static_cast<std::int64_t>(read(at, 4));
    }
    a.limbs_.limb[limbs::count - 1] = static_cast<std::int64_t>(read(at, 8));
    return a;
  }
  static exact_accumulator from_bytes(const bytes_type& bytes) {
    return from_bytes(bytes.data(), bytes.size());
  }

 private:
  static std::uint64_t check_of(const unsigned char* bytes) {
    const auto* const text = reinterpret_cast<const char*>(bytes);
    return stream::from_seed(0)[std::string_view(text, byte_count - 8)].key;
  }
  [[noreturn]] static void fail(const std::string& what, std::size_t value, std::size_t rule) {
    detail::refuse("rivus::exact_accumulator",
                   what + " = " + std::to_string(value) + " must be " + std::to_string(rule));
  }

  limbs limbs_;
};

}  // namespace rivus

#endif
