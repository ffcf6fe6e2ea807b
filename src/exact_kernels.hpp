// Exact sums over lanes, block by block.
//
// A window is a few levels of units, a power of two each. Adding 1.5 * 2^fraction_bits units to a value leaves its
// multiple of the unit in the low bits, which add up as integers; what rounding left over goes to the next level,
// of finer units, and what is left after the last must be zero. Where a block does not fit into a window, its
// values add up in bins, one for each exponent.
#ifndef RIVUS_SRC_EXACT_KERNELS_HPP
#define RIVUS_SRC_EXACT_KERNELS_HPP

#include <cstring>
#include <limits>
#include <rivus/exact.hpp>

#include "unroll.hpp"

namespace rivus {
namespace {

using detail::exact_limbs;

template <class T>
using exact_reals = std::conditional_t<sizeof(T) == 4, lanes_f32, lanes_f64>;

template <class T>
struct exact_window {
  using format = real::format<T>;
  using word = typename format::word;
  // The bits that a level holds beside the sign, and by how many its unit is above that of the next.
  static constexpr int room = format::fraction_bits - 1;
  static constexpr int bias = sizeof(T) == 4 ? 127 : 1023;
  static constexpr int most_levels = 4;
  static constexpr int no_top = std::numeric_limits<int>::max();

  int unit = no_top;  // 2^unit is the unit of the first level

  // For values below 2^top, and a few times as large. Whether that moves the window.
  bool place(int top) {
    constexpr int least = detail::exact_result<T>::least + (most_levels - 1) * room;
    constexpr int largest = bias - format::fraction_bits;
    constexpr int spare = sizeof(T) == 4 ? 2 : 3;
    const int before = unit, wanted = top + spare - room;
    unit = wanted < least ? least : wanted > largest ? largest : wanted;
    return unit != before;
  }
  int unit_of(int level) const { return unit - level * room; }
  T magic(int level) const {
    const auto field = static_cast<word>(bias + unit_of(level) + format::fraction_bits);
    return real::from_bits(
        static_cast<word>(field << format::fraction_bits | word{1} << (format::fraction_bits - 1)));
  }
};

// Such that every |x| whose bits are at most these is below 2^top; no_top for infinities and NaN.
template <class T>
int exact_top(typename real::format<T>::word bits) {
  using format = real::format<T>;
  const int field = static_cast<int>(bits >> format::fraction_bits);
  if (bits >= format::infinity) return exact_window<T>::no_top;
  return (field == 0 ? 1 : field) - exact_window<T>::bias + 1;
}

// The sums of a block at each level of a window.
template <class T, int Levels>
struct exact_levels {
  using reals = exact_reals<T>;
  using format = real::format<T>;
  using word = typename format::word;
  using words = std::conditional_t<sizeof(T) == 4, lanes_u32, lanes_u64>;
  static constexpr int width = sizeof(reals) / sizeof(T);

  reals magic[Levels], one, least;
  words sum[Levels][exact_chains], over, lost;

  explicit exact_levels(const exact_window<T>& window)
      : one(opaque_one<reals>()), least(std::numeric_limits<T>::max()), over(word{0}), lost(word{0}) {
    for (int k = 0; k < Levels; ++k) {
      magic[k] = reals(window.magic(k));
      for (words& s : sum[k]) s = words(word{0});
    }
  }

  // Through the levels from First up to Last. Values that enter after the first level must fit there.
  template <int First, int Last>
  RIVUS_HD void enter(reals v, int chain) {
    using real::sub;
    using real::to_bits;
    RIVUS_UNROLL(4)
    for (int k = First; k < Last; ++k) {
      const reals t = add_on_fma(v, one, magic[k]);
      sum[k][chain] = sum[k][chain] + to_bits(t);
      if (k == 0) over = or_difference(over, to_bits(t), to_bits(magic[0]));
      v = sub_on_fma(v, one, sub(t, magic[k]));
    }
    lost = lost | to_bits(v);
  }

  // Whether every value fitted, so that nothing is lost.
  bool fitted() const {
    word all_over[width], all_lost[width], o = 0, l = 0;
    store(all_over, over);
    store(all_lost, lost);
    for (int i = 0; i < width; ++i) {
      o |= all_over[i];
      l |= all_lost[i];
    }
    return o >> format::fraction_bits == 0 && static_cast<word>(l << 1) == 0;
  }
  T least_value() const {
    T all[width], smallest = std::numeric_limits<T>::max();
    store(all, least);
    for (const T x : all) smallest = x < smallest ? x : smallest;
    return smallest;
  }
  // Units of level k, of which each chain has got `entered` values in each lane.
  std::int64_t units(int k, std::size_t entered) const {
    const word origin = static_cast<word>(static_cast<word>(entered) * real::to_bits(element(magic[k])));
    std::int64_t total = 0;
    for (const words& s : sum[k]) {
      word all[width];
      store(all, s);
      for (const word w : all) total += static_cast<std::make_signed_t<word>>(static_cast<word>(w - origin));
    }
    return total;
  }

 private:
  static T element(reals x) {
    T all[width];
    store(all, x);
    return all[0];
  }
};

// Sums for each sign and exponent. The bits of a value's fraction add up; above them the values are counted.
template <class T>
class exponent_bins {
  using format = real::format<T>;
  using word = typename format::word;
  static constexpr bool wide = sizeof(T) == 8;
  static constexpr int fields = 1 << (format::bits - format::fraction_bits - 1);
  // Of a fraction, what lies above the count-free low word of a pair.
  static constexpr int high_bits = wide ? 20 : format::fraction_bits;
  static constexpr int most_bits = 20;
  // 2^most_bits such fractions stay below the count, and the count, which may be 2^most_bits itself, below 2^64.
  static constexpr int counted = high_bits + most_bits;
  static_assert(counted + most_bits < 64 && 32 + most_bits < 64);
  static constexpr std::uint64_t one = std::uint64_t{1} << counted;
  struct pair {
    std::uint64_t low, high;
  };
  using bin = std::conditional_t<wide, pair, std::uint64_t>;

 public:
  // So many at most between two flushes.
  static constexpr std::size_t most = std::size_t{1} << most_bits;

  std::size_t entered() const { return entered_; }
  void expect(std::size_t n) {
    if (entered_ == 0) std::memset(static_cast<void*>(bins_), 0, sizeof bins_);
    entered_ += n;
  }
  RIVUS_HD void add(T x) {
    const word w = real::to_bits(x);
    bin& b = bins_[w >> format::fraction_bits];
    if constexpr (wide) {
      b.low += w & 0xFFFFFFFFu;
      b.high += (w >> 32 & ((word{1} << high_bits) - 1)) | one;
    } else {
      b += (w & ((word{1} << high_bits) - 1)) | one;
    }
  }
  template <class W>
  void flush(exact_limbs<W>& to) {
    if (entered_ == 0) return;
    entered_ = 0;
    for (int i = 0; i < 2 * fields; ++i) {
      pair sum;
      if constexpr (wide) {
        sum = bins_[i];
      } else {
        sum = {0, bins_[i]};
      }
      const std::uint64_t count = sum.high >> counted, high = sum.high & (one - 1);
      if (count == 0) continue;
      const int field = i % fields;
      const bool negative = i >= fields;
      if (field == fields - 1) {
        const bool is_nan = (sum.low | high) != 0;
        to.see(is_nan ? exact_limbs<W>::nan | exact_limbs<W>::other
                      : exact_limbs<W>::kind_of_infinity(negative));
        continue;
      }
      const int exponent = (field == 0 ? 1 : field) - 1 + detail::exact_result<T>::least;
      if (sum.low != 0) to.deposit(sum.low, exponent, negative);
      to.deposit(high + (field == 0 ? 0 : count << high_bits), exponent + (wide ? 32 : 0), negative);
    }
  }

 private:
  std::size_t entered_ = 0;
  bin bins_[2 * fields];
};

template <class T>
RIVUS_HD typename real::format<T>::word exact_word(const T* p) {
  typename real::format<T>::word w;
  std::memcpy(&w, static_cast<const void*>(p), sizeof w);
  return w;
}
// A hint: several places, each a few KiB, are more than the processor foresees.
template <class T>
RIVUS_HD void prefetch_element(const T* p, std::size_t i) {
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(p) + i * sizeof(T)));
}

// The terms of a sum: x[0], x[1], ... A term is one value of `type`, or two.
template <class T>
struct exact_values {
  using type = T;
  using reals = exact_reals<T>;
  static constexpr int few_levels = 2, many_levels = 3;
  static constexpr std::size_t values_each = 1;

  const T* x;

  exact_values from(std::size_t i) const { return {x + i}; }
  RIVUS_HD bool is_minus_zero(std::size_t i) const { return word_at(i) == real::format<T>::sign; }
  template <int Levels>
  RIVUS_HD void enter(exact_levels<T, Levels>& levels, std::size_t i, int chain) const {
    levels.template enter<0, Levels>(load<reals>(x + i), chain);
  }
  // Of the next block, which may be beyond the end.
  RIVUS_HD void prefetch(std::size_t i) const { prefetch_element(x, i); }
  // How often a value enters level k.
  static constexpr std::size_t entries(int, int) { return 1; }
  template <int Levels>
  bool is_exact(const exact_levels<T, Levels>&, std::size_t) const {
    return true;
  }
  int top(std::size_t n) const {
    using word = typename real::format<T>::word;
    word largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const word w = word_at(i) & static_cast<word>(~real::format<T>::sign);
      largest = w > largest ? w : largest;
    }
    return exact_top<T>(largest);
  }
  template <class W>
  RIVUS_HD void add_to_bins(exponent_bins<T>& bins, exact_limbs<W>&, std::size_t i) const {
    bins.add(real::from_bits(word_at(i)));
  }
  template <class W>
  void add_to_limbs(exact_limbs<W>& to, std::size_t i) const {
    to.add(real::from_bits(word_at(i)));
  }
  // The n terms and zeros after them, in `room`.
  struct padding {
    T x[exact_places * exact_levels<T, 1>::width];
  };
  exact_values padded(std::size_t n, padding& room) const {
    std::memset(room.x, 0, sizeof room.x);
    std::memcpy(room.x, static_cast<const void*>(x), n * sizeof(T));
    return {room.x};
  }

 private:
  RIVUS_HD typename real::format<T>::word word_at(std::size_t i) const { return exact_word(x + i); }
};

// x[0] * y[0], x[1] * y[1], ... Of floats a product is one double. Of doubles it is p + e, p the product rounded
// and e the fma that gives its error, which is exact where p is neither too large nor too small.
template <class T>
struct exact_products {
  using type = double;
  using reals = lanes_f64;
  using word = typename real::format<T>::word;
  static constexpr bool split = sizeof(T) == 8;
  static constexpr int few_levels = split ? 3 : 2, many_levels = split ? 4 : 3;
  static constexpr std::size_t values_each = split ? 2 : 1;
  // Below it the error of a product may have no bits to be exact in.
  static constexpr double least_exact = 0x1p-960;

  const T *x, *y;

  exact_products from(std::size_t i) const { return {x + i, y + i}; }
  RIVUS_HD bool is_minus_zero(std::size_t i) const {
    using limbs = exact_limbs<T>;
    const word a = real::to_bits(at(x, i)), b = real::to_bits(at(y, i));
    constexpr word sign = real::format<T>::sign;
    return ((a ^ b) & sign) != 0 && ((a & ~sign) == 0 || (b & ~sign) == 0) && limbs::is_finite(a) &&
           limbs::is_finite(b);
  }
  template <int Levels>
  RIVUS_HD void enter(exact_levels<double, Levels>& levels, std::size_t i, int chain) const {
    using real::absolute;
    using real::fma;
    using real::lesser;
    using real::mul;
    using real::neg;
    if constexpr (split) {
      const reals a = load<reals>(x + i), b = load<reals>(y + i), p = mul(a, b);
      levels.least = lesser(absolute(p), levels.least);
      levels.template enter<0, Levels - 1>(p, chain);
      levels.template enter<1, Levels>(fma(a, b, neg(p)), chain);
    } else {
      levels.template enter<0, Levels>(mul(load_widened(x + i), load_widened(y + i)), chain);
    }
  }
  RIVUS_HD void prefetch(std::size_t i) const {
    prefetch_element(x, i);
    prefetch_element(y, i);
  }
  static constexpr std::size_t entries(int k, int levels) { return split && k > 0 && k < levels - 1 ? 2 : 1; }
  template <int Levels>
  bool is_exact(const exact_levels<double, Levels>& levels, std::size_t n) const {
    if (!split || levels.least_value() >= least_exact) return true;
    // Zeros are; what else is as small is not.
    bool exact = true;
    for (std::size_t i = 0; i < n; ++i) exact &= is_exact_product(at(x, i), at(y, i));
    return exact;
  }
  int top(std::size_t n) const {
    std::uint64_t largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t w = real::to_bits(product(i)) & ~real::format<double>::sign;
      largest = w > largest ? w : largest;
    }
    return exact_top<double>(largest);
  }
  RIVUS_HD void add_to_bins(exponent_bins<double>& bins, exact_limbs<double>& to, std::size_t i) const {
    const double p = product(i);
    if constexpr (split) {
      const double a = at(x, i), b = at(y, i);
      if (!real::is_finite(p) || !is_exact_product(a, b)) return to.add_product(a, b);
      bins.add(real::fma(a, b, real::neg(p)));
    }
    bins.add(p);
  }
  void add_to_limbs(exact_limbs<double>& to, std::size_t i) const {
    if constexpr (split) {
      to.add_product(at(x, i), at(y, i));
    } else {
      to.add(product(i));
    }
  }
  struct padding {
    T x[exact_places * exact_levels<double, 1>::width], y[exact_places * exact_levels<double, 1>::width];
  };
  exact_products padded(std::size_t n, padding& room) const {
    std::memset(&room, 0, sizeof room);
    std::memcpy(room.x, static_cast<const void*>(x), n * sizeof(T));
    std::memcpy(room.y, static_cast<const void*>(y), n * sizeof(T));
    return {room.x, room.y};
  }

 private:
  RIVUS_HD static T at(const T* p, std::size_t i) { return real::from_bits(exact_word(p + i)); }
  RIVUS_HD double product(std::size_t i) const {
    return real::mul(static_cast<double>(at(x, i)), static_cast<double>(at(y, i)));
  }
  RIVUS_HD static bool is_exact_product(double a, double b) {
    return !(real::absolute(real::mul(a, b)) < least_exact) || a == 0 || b == 0;
  }
};

// Adds blocks of terms to limbs.
template <class Terms, class W>
class exact_blocks {
  using T = typename Terms::type;
  using levels = exact_levels<T, 1>;
  static constexpr std::size_t step = std::size_t{exact_places} * levels::width;
  // A value enters a level with -2^held to 2^held - 1 of its units: so many of them stay within the sign and the other bits of a
  // lane.
  static constexpr int held = exact_window<T>::room;
  static constexpr std::size_t most_entered = std::size_t{1} << (real::format<T>::bits - 1 - held);
  static constexpr std::size_t fit = most_entered * step * exact_chains / exact_places;

 public:
  static constexpr std::size_t block = fit > 4096 ? 4096 : fit;
  // The units of all lanes and chains together go into 64 bits. A level that a value enters twice (entries) gets 2^(held - 1) at
  // most at the first entry, what rounding leaves, and less at the second: the error of a product.
  static_assert(block <= std::size_t{1} << (63 - held));

  explicit exact_blocks(exact_limbs<W>& to) : to_(to) {}

  void add(Terms terms, std::size_t n) {
    if (window_.unit == window_.no_top) {
      // A guess from the first terms; a wrong one is noticed.
      const int top = terms.top(n < step ? n : step);
      window_.place(top == window_.no_top ? 0 : top);
    }
    const int from = hold_ > 0 ? form_ : 0;
    if (hold_ > 0) --hold_;
    if (from == 0 && fits<Terms::few_levels>(terms, n)) return settled(0);
    if (from == 1 && fits<Terms::many_levels>(terms, n)) return settled(1);
    if (from <= 1) {
      const int top = terms.top(n);
      if (top != window_.no_top) {
        const bool moved = window_.place(top);
        if (moved && fits<Terms::few_levels>(terms, n)) return settled(0);
        if ((moved || from == 0) && fits<Terms::many_levels>(terms, n)) return settled(1);
      }
    }
    add_to_bins(terms, n);
    settled(2);
  }
  void finish() { bins_.flush(to_); }

 private:
  // Adds the terms if they fit into the window.
  template <int Levels>
  RIVUS_INLINE bool fits(Terms terms, std::size_t n) {
    exact_levels<T, Levels> sums(window_);
    const std::size_t steps = n / step, each = steps * levels::width, rest = n - steps * step;
    // Read in several places at once, which brings more from memory.
    RIVUS_UNROLL(1)
    for (std::size_t i = 0; i < each; i += levels::width) {
      RIVUS_UNROLL(8)
      for (int p = 0; p < exact_places; ++p) {
        const std::size_t at = static_cast<std::size_t>(p) * each + i;
        terms.prefetch(at + block);
        terms.enter(sums, at, p % exact_chains);
      }
    }
    if (rest > 0) {
      typename Terms::padding room;
      const Terms last = terms.from(n - rest).padded(rest, room);
      RIVUS_UNROLL(8)
      for (int p = 0; p < exact_places; ++p) {
        last.enter(sums, static_cast<std::size_t>(p) * levels::width, p % exact_chains);
      }
    }
    if (!sums.fitted() || !terms.is_exact(sums, n)) return false;
    const std::size_t entered = (steps + (rest > 0)) * (exact_places / exact_chains);
    for (int k = 0; k < Levels; ++k) {
      const std::int64_t units = sums.units(k, entered * Terms::entries(k, Levels));
      if (units != 0) to_.deposit(units, window_.unit_of(k));
    }
    return true;
  }
  void add_to_bins(Terms terms, std::size_t n) {
    if (n < block / 4 && bins_.entered() == 0) {
      for (std::size_t i = 0; i < n; ++i) terms.add_to_limbs(to_, i);
      return;
    }
    if (bins_.entered() + n * Terms::values_each > bins_.most) bins_.flush(to_);
    bins_.expect(n * Terms::values_each);
    for (std::size_t i = 0; i < n; ++i) terms.add_to_bins(bins_, to_, i);
  }
  // What took a block is tried first for the next ones, twice as many each time, and then the window again.
  void settled(int form) {
    if (form == 0) {
      form_ = hold_ = patience_ = 0;
    } else if (hold_ == 0 || form > form_) {
      form_ = form;
      hold_ = patience_ = patience_ < 15 ? 2 * patience_ + 1 : 15;
    }
  }

  exact_limbs<W>& to_;
  exact_window<T> window_;
  int form_ = 0, hold_ = 0, patience_ = 0;
  exponent_bins<T> bins_;
};

template <class Terms, class W>
void exact_add_terms(Terms terms, std::size_t n, exact_limbs<W>& to) {
  // Only where all are -0 is it of interest that some are.
  std::size_t skipped = 0;
  while (skipped < n && terms.is_minus_zero(skipped)) ++skipped;
  if (skipped > 0) to.see(exact_limbs<W>::minus_zero);
  if (skipped == n) return;
  to.see(exact_limbs<W>::other);
  terms = terms.from(skipped);
  n -= skipped;

  constexpr std::size_t few = 32;
  if (n < few) {
    for (std::size_t i = 0; i < n; ++i) terms.add_to_limbs(to, i);
    return;
  }
  using blocks = exact_blocks<Terms, W>;
  blocks adder(to);
  for (; n > 0; terms = terms.from(n < blocks::block ? n : blocks::block),
                n -= n < blocks::block ? n : blocks::block) {
    adder.add(terms, n < blocks::block ? n : blocks::block);
  }
  adder.finish();
}

template <class T>
void exact_sum_range(const T* x, std::size_t n, exact_limbs<T>& to) {
  exact_add_terms(exact_values<T>{x}, n, to);
}
template <class T>
void exact_dot_range(const T* x, const T* y, std::size_t n, exact_limbs<double>& to) {
  exact_add_terms(exact_products<T>{x, y}, n, to);
}

}  // namespace
}  // namespace rivus

#endif
