#include "verify.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <ostream>
#include <rivus/rivus.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device.hpp"
#include "digest.hpp"

namespace rivus::tools {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

struct frozen_digest {
  std::string_view name;
  std::string_view digest;
};
constexpr frozen_digest frozen[] = {
#include "frozen_digests.inc"
};

// The cases below are those of tests/model/model.py, value for value.

constexpr std::size_t small_fill = 4099;
constexpr std::size_t large_fill = 70001;  // enough for several threads

// Where the values of a fill come from.
enum class source { library, device, elements, quads };

stream row_stream(std::string_view name) { return stream::from_seed(0x123456789abcdef0)["verify"][name]; }

struct window {
  stream s;
  u64 first;
  std::size_t count;
};

// Where fills could go wrong.
std::vector<window> windows(std::string_view name, std::size_t size) {
  const stream s = row_stream(name);
  return {
      {s, 0, size},
      {s, 12345677, 1021},
      {s, (u64{1} << 33) - 257, 515},  // block 2^32 of 64-bit elements
      {s, (u64{1} << 34) - 258, 519},  // block 2^32 of 32-bit elements
      {s, u64{0} - 1003, 1003},
      {stream::from_seed(~u64{0}).lane((u64{1} << 63) + 5), 7, 611},
  };
}

// Of the further parameter sets of a case.
window extra_window(std::string_view name) { return {row_stream(name), 3, 269}; }

// Words at which a step of some distribution changes its course, or ties in a rounding.
template <class W>
std::vector<W> edge_words() {
  constexpr unsigned width = 8 * sizeof(W);
  constexpr unsigned precision = width == 32 ? 24 : 53;
  std::vector<W> words;
  for (unsigned k = 0; k < width; ++k) {
    const W p = W{1} << k;
    for (W w : {p - 1, p, p + 1, ~p, W{0} - p}) words.push_back(w);
  }
  for (unsigned k = precision; k < width; ++k) {
    const W p = W{1} << k, tie = W{1} << (k - precision);
    words.push_back(p + tie);
    words.push_back(p + 3 * tie);
  }
  for (W eighth = 0; eighth < 8; ++eighth) {
    const W p = eighth << (width - 3);
    for (W w : {p - 1, p, p + 1}) words.push_back(w);
  }
  return words;
}

// The inverse of an odd number modulo 2^32: each step doubles the correct bits, of which x itself has three.
constexpr u32 inverse(u32 x) {
  u32 y = x;
  for (int i = 0; i < 4; ++i) y *= 2 - x * y;
  return y;
}

// The counter of a block under the key (key, 0).
vec<u32, 4> counter_of(vec<u32, 4> x, u32 key) {
  using constants = philox_constants<u32, 4>;
  constexpr u32 inverse_0 = inverse(constants::multiplier[0]), inverse_1 = inverse(constants::multiplier[1]);
  for (u32 r = philox4x32::rounds; r-- > 0;) {
    const u32 y0 = x[3] * inverse_0, y2 = x[1] * inverse_1;
    const u32 y1 = x[0] ^ mul_wide(constants::multiplier[1], y2).hi ^ (key + r * constants::weyl[0]);
    const u32 y3 = x[2] ^ mul_wide(constants::multiplier[0], y0).hi ^ (r * constants::weyl[1]);
    x = {{y0, y1, y2, y3}};
  }
  return x;
}

// One block each whose words are edges: Philox is a bijection, so that any block can be found.
template <class W>
std::vector<window> make_edge_windows() {
  constexpr std::size_t per_block = 16 / sizeof(W);
  const std::vector<W> edges = edge_words<W>();
  std::vector<window> result;
  for (std::size_t j = 0; j < edges.size(); ++j) {
    const auto edge = [&](std::size_t k) { return edges[k % edges.size()]; };
    vec<u32, 4> block;
    if constexpr (sizeof(W) == 4) {
      block = {{edge(j), edge(7 * j + 3), edge(11 * j + 5), edge(13 * j + 1)}};
    } else {
      const u64 a = edge(j), b = edge(7 * j + 3);
      block = {{stream::lo(a), stream::hi(a), stream::lo(b), stream::hi(b)}};
    }
    for (u32 key = 0;; ++key) {
      const vec<u32, 4> c = counter_of(block, key);
      const u64 b = stream::join(c[0], c[1]);
      if (b > ~u64{0} / per_block) continue;  // its elements have no 64-bit index
      result.push_back({{key, stream::join(c[2], c[3])}, b * per_block, per_block});
      break;
    }
  }
  return result;
}

template <class D>
const std::vector<window>& edge_windows(const D&) {
  static const std::vector<window> windows = make_edge_windows<typename D::word>();
  return windows;
}
template <class I>
const std::vector<window>& edge_windows(const integer<I>& d) {
  return d.size() > detail::small_bound ? edge_windows(bits<u64>{}) : edge_windows(bits<u32>{});
}

template <class D>
void draw(typename D::value_type* out, const window& w, const D& d, source from) {
  using T = typename D::value_type;
  switch (from) {
    case source::library:
      fill(out, w.count, w.s, d, w.first);
      break;
    case source::device:
      device::fill(out, w.count, w.s, d, w.first);
      break;
    case source::elements:
      for (std::size_t j = 0; j < w.count; ++j) out[j] = static_cast<T>(d(w.s, w.first + j));
      break;
    case source::quads: {
      vec<T, 4> q = d.quad(w.s, w.first / 4);
      for (std::size_t j = 0; j < w.count; ++j) {
        const u64 i = w.first + j;
        if (i % 4 == 0) q = d.quad(w.s, i / 4);
        out[j] = q[static_cast<int>(i % 4)];
      }
      break;
    }
  }
}

// The first set of parameters over all windows, each further one over the extra window; all over the edges.
template <class D>
std::string fill_digest(std::string_view name, std::size_t size, const std::vector<D>& sets, source from) {
  std::vector<std::pair<window, D>> draws;
  for (std::size_t k = 0; k < sets.size(); ++k) {
    const D& d = sets[k];
    for (const window& w : k ? std::vector{extra_window(name)} : windows(name, size))
      draws.emplace_back(w, d);
    for (const window& w : edge_windows(d)) draws.emplace_back(w, d);
  }
  std::size_t total = 0;
  for (const auto& [w, d] : draws) total += w.count;
  // In one buffer, so that they begin at all alignments.
  std::vector<typename D::value_type> values(total);
  auto* out = values.data();
  for (const auto& [w, d] : draws) {
    draw(out, w, d, from);
    out += w.count;
  }
  digest result;
  result.add(values.data(), values.size());
  return result.hex();
}

struct test_case {
  std::string name;
  // By the library's kernels on the host and on a device, or empty where the headers are all there is.
  std::function<std::string()> on_host, device;
  // By pure functions: what they are called, and the digest.
  std::vector<std::pair<std::string, std::function<std::string()>>> headers;
};

template <class D>
test_case fill_case(const std::string& name, std::size_t size, std::vector<D> sets = {D{}}) {
  const auto from = [=](source where) { return [=] { return fill_digest(name, size, sets, where); }; };
  return {name,
          from(source::library),
          from(source::device),
          {{"elements", from(source::elements)}, {"quads", from(source::quads)}}};
}

test_case header_case(const std::string& name, std::string (*compute)(std::string_view)) {
  return {name, nullptr, nullptr, {{"headers", [=] { return compute(name); }}}};
}

std::string below_digest(std::string_view name) {
  const stream s = row_stream(name);
  digest result;
  // 0 stands for 2^64.
  for (u64 n :
       {u64{1}, u64{2}, u64{3}, u64{1000}, u64{0xfffff}, u64{0x100000}, u64{0x100001}, u64{0xffffffff},
        u64{1} << 32, (u64{1} << 32) + 1, u64{1} << 63, (u64{1} << 63) + 1, u64{3} << 62, ~u64{0}, u64{0}}) {
    for (u64 i = 0; i < 100; ++i) result.add(below(s, i, n));
    for (u64 i = u64{0} - 20; i != 0; ++i) result.add(below(s, i, n));
  }
  return result.hex();
}

std::string shuffle_digest(std::string_view name) {
  digest result;
  for (std::size_t n : {0, 1, 2, 3, 10, 1000, 5000}) {
    std::vector<u32> items(n);
    std::iota(items.begin(), items.end(), 0u);
    shuffle(items.begin(), items.end(), row_stream(name)[n]);
    result.add(items.data(), items.size());
  }
  return result.hex();
}

std::string tree_digest(std::string_view) {
  using namespace std::string_view_literals;
  static constexpr std::string_view names[] = {
      ""sv,
      "0"sv,
      "1"sv,
      "17"sv,
      "017"sv,
      "00"sv,
      "+1"sv,
      "-1"sv,
      "1.0"sv,
      "1e3"sv,
      " 1"sv,
      "18446744073709551615"sv,
      "18446744073709551616"sv,
      "99999999999999999999"sv,
      "100000000000000000000"sv,
      "a"sv,
      "ab"sv,
      "abc"sv,
      "abcd"sv,
      "dropout"sv,
      "init/conv1.weight"sv,
      "elevenbytes"sv,
      "twelve bytes"sv,
      "thirteenbytes"sv,
      "twenty-three bytes long"sv,
      "twenty-four bytes long!!"sv,
      "twenty-five bytes long!!!"sv,
      "gr\xc3\xb6\xc3\x9f"
      "e"sv,
      "\xe9\x87\x8d\xe3\x81\xbf/\xe5\xb1\xa4"sv,
      " a name with spaces "sv,
      "a\0b"sv,
      "a name that is much longer than any twelve bytes, and which has one hundred and some bytes in all: "
      "0123456789"sv};
  digest result;
  const auto add = [&](stream s) {
    result.add(s.key);
    result.add(s.nonce);
    for (u64 i : {2, 3, 4}) result.add(s.word(i));
  };
  for (u64 seed : {u64{0}, u64{1}, u64{42}, u64{1} << 32, u64{1} << 63, ~u64{0}}) {
    const stream root = stream::from_seed(seed);
    add(root);
    for (u64 i : {u64{0}, u64{1}, u64{2}, u64{17}, u64{0xffffffff}, u64{1} << 32, u64{1} << 63, ~u64{0}})
      add(root[i]);
    add(root[-1]);
    for (std::string_view n : names) add(root[n]);
    for (u64 j : {u64{0}, u64{1}, u64{1} << 32, (u64{1} << 63) + 5, ~u64{0}}) add(root["lanes"].lane(j));
    for (u32 t : {1u, 2u, 128u}) add(root.redraw(t));
  }
  stream s = stream::from_seed(7);
  for (int i = 0; i < 1000; ++i) {
    s = s[i]["next"];
    add(s);
  }
  return result.hex();
}

constexpr std::size_t lengths[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 2047, 2048, 2049, 3 * 2048 + 17};
constexpr std::size_t long_length = 2048 * 2048 + 3 * 2048 + 17;  // three levels of chunks
constexpr std::size_t period = 7 * 2048;

// The bits of a real of any type.
template <class X>
auto bits_of(X x) {
  if constexpr (sizeof(X) == 2) {
    return x.bits;
  } else {
    return real::to_bits(x);
  }
}
template <class X>
X from_bits_of(decltype(bits_of(X{})) b) {
  if constexpr (sizeof(X) == 2) {
    return X::from_bits(b);
  } else {
    return real::from_bits(b);
  }
}
template <class X>
constexpr auto infinity_bits = real::format<X>::infinity;
template <>
constexpr std::uint16_t infinity_bits<f16> = 0x7c00;
template <>
constexpr std::uint16_t infinity_bits<bf16> = 0x7f80;
template <class X>
constexpr auto quiet_nan_bits = real::format<X>::quiet_nan;
template <>
constexpr std::uint16_t quiet_nan_bits<f16> = 0x7e00;
template <>
constexpr std::uint16_t quiet_nan_bits<bf16> = 0x7fc0;

// Vectors with zeros, infinities, NaNs and overflow.
template <class T>
std::vector<std::vector<T>> specials() {
  using word = decltype(bits_of(T{}));
  constexpr word sign = static_cast<word>(word{1} << (8 * sizeof(T) - 1)), infinity = infinity_bits<T>,
                 quiet_nan = quiet_nan_bits<T>;
  const auto value = [](auto b) { return from_bits_of<T>(static_cast<word>(b)); };
  const auto chain = [](std::vector<T> a, const std::vector<T>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  const auto many = [](std::size_t n, T x) { return std::vector<T>(n, x); };
  const T one(1.0f), minus_one(-1.0f), zero(0.0f);
  const T minus_zero = value(sign), least = value(1);
  const T inf = value(infinity), minus_inf = value(infinity | sign);
  const T largest = value(infinity - 1), minus_largest = value((infinity - 1) | sign);
  return {
      {minus_zero},
      many(70, minus_zero),
      {zero, minus_zero},
      many(2049, minus_zero),
      {inf, one},
      {one, minus_inf},
      {inf, minus_inf},
      {value(quiet_nan | 5), one},
      {value(sign | quiet_nan | 1)},
      {value(infinity | 1)},
      {largest, largest},
      many(33, minus_largest),
      chain(many(16, largest), many(16, minus_largest)),
      many(100, least),
      {one, minus_one},
      chain(many(2048, one), many(2048, minus_one)),
  };
}

template <class T>
struct inputs {
  explicit inputs(std::string_view name) : x(period), y(period) {
    const stream s = row_stream(name);
    draw(x.data(), {s["x"], 0, period}, uniform<T>{-1, 1}, source::elements);
    draw(y.data(), {s["y"], 0, period}, normal<T>{}, source::elements);
  }
  std::vector<T> x, y;
};

template <class T>
std::vector<T> repeated(const std::vector<T>& x) {
  std::vector<T> r(long_length);
  for (std::size_t i = 0; i < long_length; ++i) r[i] = x[i % period];
  return r;
}

template <class T>
std::string sum_digest(std::string_view name, source from) {
  const inputs<T> in(name);
  const auto sum = [from](const T* x, std::size_t n) {
    return from == source::device ? device::sum(x, n) : rivus::sum(x, n);
  };
  digest result;
  for (std::size_t n : lengths) result.add(sum(in.x.data(), n));
  for (std::size_t n : lengths) result.add(sum(in.x.data() + 1, n));
  result.add(sum(repeated(in.x).data(), long_length));
  for (const auto& v : specials<T>()) result.add(sum(v.data(), v.size()));
  return result.hex();
}

template <class T>
std::string dot_digest(std::string_view name, source from) {
  const inputs<T> in(name);
  const auto dot = [from](const T* x, const T* y, std::size_t n) {
    return from == source::device ? device::dot(x, y, n) : rivus::dot(x, y, n);
  };
  digest result;
  for (std::size_t n : lengths) result.add(dot(in.x.data(), in.y.data(), n));
  for (std::size_t n : lengths) result.add(dot(in.x.data() + 1, in.y.data() + 2, n));
  result.add(dot(repeated(in.x).data(), repeated(in.y).data(), long_length));
  for (const auto& v : specials<T>()) {
    const std::vector<T> ones(v.size(), T(1)), zeros(v.size(), T(0)), minus_ones(v.size(), T(-1));
    result.add(dot(v.data(), ones.data(), v.size()));
    result.add(dot(v.data(), zeros.data(), v.size()));
    result.add(dot(minus_ones.data(), v.data(), v.size()));
  }
  return result.hex();
}

template <class T>
void add_product(digest& result, source from, matrix<const T> a, matrix<const T> b, matrix<T> c,
                 std::size_t block = 128) {
  const matmul_options<T> options{.block = block};
  if (from == source::device) {
    device::matmul(a, b, c, options);
  } else {
    matmul(a, b, c, options);
  }
  for (std::size_t i = 0; i < c.rows; ++i) {
    for (std::size_t j = 0; j < c.cols; ++j) result.add(c(i, j));
  }
}

template <class T>
std::string matmul_digest(std::string_view name, source from) {
  const inputs<T> in(name);
  const T* x = in.x.data();
  const T* y = in.y.data();
  constexpr std::size_t big_m = 203, big_k = 577, big_n = 191;
  std::vector<T> out(big_m * big_n);
  digest result;

  struct shape {
    std::size_t m, k, n;
  };
  for (auto [m, k, n] : {shape{1, 1, 1}, shape{5, 0, 3}, shape{3, 5, 7}, shape{17, 33, 29}, shape{64, 40, 48},
                         shape{9, 300, 19}, shape{1, 257, 33}, shape{33, 64, 1}}) {
    using in_matrix = matrix<const T>;
    using out_matrix = matrix<T>;
    add_product<T>(result, from, in_matrix(x, m, k), in_matrix(y, k, n), out_matrix(out.data(), m, n));
    // All stored column by column.
    add_product<T>(result, from, in_matrix(x, k, m).transposed(), in_matrix(y, n, k).transposed(),
                   out_matrix(out.data(), n, m).transposed());
  }

  std::vector<T> a(big_m * big_k), b(big_k * big_n);
  for (std::size_t i = 0; i < big_m; ++i) {
    for (std::size_t k = 0; k < big_k; ++k) a[i * big_k + k] = x[i % 11 * big_k + k];
  }
  for (std::size_t k = 0; k < big_k; ++k) {
    for (std::size_t j = 0; j < big_n; ++j) b[k * big_n + j] = y[j % 13 * big_k + k];
  }
  add_product<T>(result, from, {a.data(), big_m, big_k}, {b.data(), big_k, big_n},
                 {out.data(), big_m, big_n});

  for (const auto& v : specials<T>()) {
    const std::vector<T> ones(v.size(), T(1)), zeros(v.size(), T(0));
    add_product<T>(result, from, {v.data(), 1, v.size()}, {ones.data(), v.size(), 1}, {out.data(), 1, 1});
    add_product<T>(result, from, {v.data(), 1, v.size()}, {zeros.data(), v.size(), 1}, {out.data(), 1, 1});
  }
  for (std::size_t block : {1, 3, 100, 600})
    add_product<T>(result, from, {x, 1, big_k}, {y, big_k, 1}, {out.data(), 1, 1}, block);
  return result.hex();
}

// So near to 1 that a product of thousands is a number.
template <class T>
std::vector<T> factors(std::string_view name) {
  std::vector<T> f(period);
  draw(f.data(), {row_stream(name)["f"], 0, period}, uniform<T>{T(0.875), T(1.125)}, source::elements);
  return f;
}

// The rest of the library's orders, on the host. Each adds to a digest what the model lists.
template <class T>
void product_values(std::string_view name, digest& to) {
  const std::vector<T> x = factors<T>(name);
  for (std::size_t at : {0, 1}) {
    for (std::size_t n : lengths) to.add(reduce(reduction::product, x.data() + at, n));
  }
  for (const auto& v : specials<T>()) to.add(reduce(reduction::product, v));
}

template <class X>
struct narrow_inputs {
  explicit narrow_inputs(std::string_view name) {
    const inputs<float> in(name);
    for (float v : in.x) x.push_back(X(v));
    for (float v : in.y) y.push_back(X(v));
  }
  std::vector<X> x, y;
};
template <class X>
void add_half(digest& to, X value) {
  const std::uint8_t bytes[] = {static_cast<std::uint8_t>(value.bits), static_cast<std::uint8_t>(value.bits >> 8)};
  to.add(bytes, 2);
}
template <class X>
void add_value(digest& to, X value) {
  if constexpr (sizeof(X) == 2) {
    add_half(to, value);
  } else {
    to.add(value);
  }
}
template <class X>
void narrow_sum_values(std::string_view name, digest& to) {
  const narrow_inputs<X> in(name);
  for (std::size_t at : {0, 1}) {
    for (std::size_t n : lengths) add_half(to, sum(in.x.data() + at, n));
  }
  for (const auto& v : specials<X>()) add_half(to, sum(v));
}
template <class X>
void l2_norm_values(std::string_view name, digest& to) {
  using in_type = std::conditional_t<sizeof(X) == 2, narrow_inputs<X>, inputs<std::conditional_t<sizeof(X) == 2, float, X>>>;
  const in_type in(name);
  for (const auto* v : {&in.x, &in.y}) {
    for (std::size_t n : lengths) add_value(to, reduce(reduction::l2_norm, v->data(), n));
  }
  for (const auto& v : specials<X>()) add_value(to, reduce(reduction::l2_norm, v));
  std::vector<X> large;
  using word = decltype(bits_of(X{}));
  constexpr word infinity = infinity_bits<X>;
  for (std::size_t i = 0; i < 64; ++i)
    large.push_back(from_bits_of<X>(static_cast<word>(infinity - 1 - (bits_of(in.x[i]) & (infinity >> 4)))));
  add_value(to, reduce(reduction::l2_norm, large));
}

template <class T>
void scan_values(std::string_view name, digest& to) {
  const inputs<T> in(name);
  const std::vector<T> f = factors<T>(name);
  std::vector<T> out(long_length);
  for (std::size_t n : {0, 1, 33, 2049, 3 * 2048 + 17}) {
    cumsum(in.x.data(), n, out.data());
    to.add(out.data(), n);
    exclusive_cumsum(in.x.data(), n, out.data());
    to.add(out.data(), n);
    cumprod(f.data(), n, out.data());
    to.add(out.data(), n);
    exclusive_cumprod(f.data(), n, out.data());
    to.add(out.data(), n);
  }
  for (const auto& v : specials<T>()) {
    cumsum(v.data(), v.size(), out.data());
    to.add(out.data(), v.size());
    exclusive_cumprod(v.data(), v.size(), out.data());
    to.add(out.data(), v.size());
  }
  cumsum(repeated(in.x).data(), long_length, out.data());
  for (std::size_t i = 2047; i < long_length; i += 2048) to.add(out[i]);
}

std::vector<std::vector<u64>> contributions(std::string_view name) {
  std::vector<u64> drawn(5000), hot(2049, 3);
  const integer<u64> d{0, 97};
  for (u64 i = 0; i < drawn.size(); ++i) drawn[i] = d(row_stream(name)["ids"], i);
  for (u64 id : {0, 96, 3}) hot.push_back(id);
  return {drawn, hot};
}
template <class T>
void index_add_values(std::string_view name, digest& to) {
  using format = real::format<T>;
  const inputs<T> in(name);
  std::vector<T> out(in.y.begin(), in.y.begin() + 97);
  for (const auto& ids : contributions(name)) index_add(out.data(), out.size(), ids.data(), in.x.data(), ids.size());
  to.add(out.data(), out.size());
  const T minus_zero = real::from_bits(format::sign), inf = real::from_bits(format::infinity);
  T special[] = {minus_zero, inf, 0};
  const T x[] = {minus_zero, 1, real::neg(inf), minus_zero};
  const u64 ids[] = {0, 1, 1, 2};
  index_add(special, 3, ids, x, 4);
  to.add(special, 3);
}
template <class T>
void segment_sum_values(std::string_view name, digest& to) {
  const inputs<T> in(name);
  for (const auto& ids : contributions(name)) {
    std::vector<T> out(97);
    segment_sum(ids.data(), in.x.data(), ids.size(), out.data(), out.size());
    to.add(out.data(), out.size());
  }
}
template <class T>
void histogram_values(std::string_view name, digest& to) {
  const inputs<T> in(name);
  const auto add = [&](const std::vector<T>& x, T lo, T hi, std::size_t bins) {
    std::vector<std::uint64_t> counts(bins);
    histogram(x.data(), x.size(), lo, hi, counts.data(), bins);
    to.add(counts.data(), bins);
  };
  const std::vector<T> x(in.x.begin(), in.x.begin() + 3000);
  for (std::size_t bins : {1, 7, 100, 1000}) {
    add(x, -1, 1, bins);
    add(x, T(-0.5), 0, bins);
  }
  for (std::size_t bins : {100, 997}) {
    std::vector<T> ends(bins + 1);
    std::iota(ends.begin(), ends.end(), T(0));
    add(ends, 0, static_cast<T>(bins), bins);
  }
  if constexpr (sizeof(T) == 8) {
    std::vector<T> large = x;
    for (T& v : large) v = real::mul(v, 0x1p1022);
    add(large, -0x1p1022, 0x1p1022, 100);
  }
}
template <class T>
void exact_sum_values(std::string_view name, digest& to) {
  const inputs<T> in(name);
  for (std::size_t n : lengths) to.add(exact_sum(in.x.data(), n));
  for (const auto& v : specials<T>()) to.add(exact_sum(v));
  std::vector<T> x = in.x;
  for (std::size_t i = 0; i < 100; ++i) x.push_back(real::mul(in.y[i], T(0x1p-60)));
  for (T v : in.x) x.push_back(real::neg(v));
  to.add(exact_sum(x));
}
constexpr std::size_t columns[] = {1, 5, 33, 2049};
template <class T>
void softmax_values(std::string_view name, digest& to) {
  const inputs<T> in(name);
  for (std::size_t n : columns) {
    std::vector<T> out(n);
    softmax<T>({in.y.data(), 1, n}, matrix<T>(out.data(), 1, n));
    to.add(out.data(), n);
  }
}
template <class T>
void layer_norm_values(std::string_view name, digest& to) {
  const inputs<T> in(name);
  for (std::size_t n : columns) {
    std::vector<T> out(n);
    T mean, reciprocal;
    layer_norm<T>({in.y.data(), 1, n}, in.x.data(), in.x.data() + n, T(0x1p-20), matrix<T>(out.data(), 1, n), &mean,
                  &reciprocal);
    to.add(out.data(), n);
    to.add(mean);
    to.add(reciprocal);
  }
}
template <class T>
void partial_values(std::string_view name, digest& to) {
  const inputs<T> in(name);
  const auto add = [&](const partial<T>& p) {
    const auto bytes = p.to_bytes();
    to.add(bytes.data(), bytes.size());
  };
  struct cut {
    std::size_t begin, end;
  };
  for (auto [a, b] : {cut{0, 5000}, cut{5000, 5100}, cut{100, 2048}, cut{2048, 4096}, cut{1000, 14000},
                      cut{6 * 2048, 6 * 2048 + 1}, cut{77, 77}}) {
    const T* const x = in.x.data() + a;
    for (reduction kind : {reduction::sum, reduction::l2_norm, reduction::product})
      add(partial<T>(kind, x, b - a, a));
    add(partial<T>::dot(x, in.y.data() + a, b - a, a));
    if (b > a) add(partial<T>::argmax(x, b - a, a));
  }
}

template <class T>
std::string exp_digest(std::string_view name) {
  using format = real::format<T>;
  using word = typename format::word;
  constexpr bool narrow = sizeof(T) == 4;
  std::vector<T> x;
  for (auto d : {narrow ? uniform<T>{T(-0x1.a8p6), T(0x1.68p6)} : uniform<T>{T(-0x1.78p9), T(0x1.64p9)},
                 uniform<T>{T(-0.5), T(0.5)},
                 narrow ? uniform<T>{T(-0x1p-20), T(0x1p-20)} : uniform<T>{T(-0x1p-40), T(0x1p-40)}}) {
    const std::size_t at = x.size();
    x.resize(at + 2000);
    draw(x.data() + at, {row_stream(name), 0, 2000}, d, source::elements);
  }
  for (word b : {word{0}, word{1}, real::to_bits(T(1)), word{format::infinity - 1}, word{format::infinity},
                 word{format::quiet_nan | 5}, word{format::infinity | 1}}) {
    x.push_back(real::from_bits(b));
    x.push_back(real::from_bits(static_cast<word>(b | format::sign)));
  }
  // The last arguments before overflow and underflow.
  for (T edge : {narrow ? T(0x1.62e42ep6) : T(0x1.62e42fefa39efp9),
                 narrow ? T(-0x1.9fe368p6) : T(-0x1.74910d52d3052p9)}) {
    const word b = real::to_bits(edge);
    for (word n : {word(b - 1), b, word(b + 1)}) x.push_back(real::from_bits(n));
  }
  digest result;
  for (T value : x) result.add(real::exp(value));
  return result.hex();
}

// One case for float and one for double, from a generic function of the type's name and a zero of the type.
template <class Make>
void add_reals(std::vector<test_case>& cases, Make make) {
  cases.push_back(make("/f32", 0.0f));
  cases.push_back(make("/f64", 0.0));
}

std::vector<test_case> make_cases() {
  std::vector<test_case> cases;
  cases.push_back(fill_case<bits<u32>>("bits/u32", large_fill));
  cases.push_back(fill_case<bits<u64>>("bits/u64", large_fill));
  add_reals(cases, [](std::string type, auto zero) {
    return fill_case<uniform<decltype(zero)>>("uniform" + type, large_fill);
  });
  cases.push_back(fill_case<uniform<float>>("uniform-ab/f32", small_fill,
                                            {{-0x1.333334p-2f, 0x1.11999ap4f},
                                             {1.0f, 0x1.000006p0f},
                                             {0x1p24f, 0x1.000004p24f},
                                             {-1.0f, 0.0f},
                                             {-0x1p-3f, -0.0f},
                                             {-0.0f, 1.0f},
                                             {-0x1.fffffep126f, 0x1.fffffep126f},
                                             {-0x1.8p-148f, 0x1.4p-147f},
                                             {0x1.fffffep-1f, 1.0f}}));
  cases.push_back(fill_case<uniform<double>>("uniform-ab/f64", small_fill,
                                             {{-0x1.3333333333333p-2, 0x1.119999999999ap4},
                                              {1.0, 0x1.0000000000003p0},
                                              {0x1p53, 0x1.0000000000002p53},
                                              {-1.0, 0.0},
                                              {-0x1p-3, -0.0},
                                              {-0.0, 1.0},
                                              {-0x1.fffffffffffffp1022, 0x1.fffffffffffffp1022},
                                              {-0x1.8p-1073, 0x1.4p-1072},
                                              {0x1.fffffffffffffp-1, 1.0}}));
  add_reals(cases, [](std::string type, auto zero) {
    return fill_case<uniform<decltype(zero), interval::oc>>("uniform-oc" + type, small_fill);
  });
  add_reals(cases, [](std::string type, auto zero) {
    return fill_case<uniform<decltype(zero), interval::oo>>("uniform-oo" + type, small_fill);
  });
  add_reals(cases, [](std::string type, auto zero) {
    return fill_case<normal<decltype(zero)>>("normal" + type, large_fill);
  });
  cases.push_back(fill_case<normal<float>>("normal-ms/f32", small_fill,
                                           {{-0x1.59999ap1f, 0x1.99999ap-4f},
                                            {0.0f, 0x1p-140f},
                                            {0x1.c363ccp127f, 0x1.2ced32p126f},
                                            {5.0f, 0.0f},
                                            {0.0f, 0.0f},
                                            {-0.0f, 0.0f},
                                            {-0.0f, 1.0f}}));
  cases.push_back(fill_case<normal<double>>("normal-ms/f64", small_fill,
                                            {{-0x1.599999999999ap1, 0x1.999999999999ap-4},
                                             {0.0, 0x1p-1070},
                                             {0x1.c363cbf21f28ap1023, 0x1.2ced32a16a1b1p1022},
                                             {5.0, 0.0},
                                             {0.0, 0.0},
                                             {-0.0, 0.0},
                                             {-0.0, 1.0}}));
  add_reals(cases, [](std::string type, auto zero) {
    return fill_case<exponential<decltype(zero)>>("exponential" + type, large_fill);
  });
  cases.push_back(fill_case<exponential<float>>(
      "exponential-rate/f32", small_fill, {{0x1.333334p-2f}, {0x1.8p127f}, {0x1p-127f}, {0x1.99999ap3f}}));
  cases.push_back(fill_case<exponential<double>>(
      "exponential-rate/f64", small_fill,
      {{0x1.3333333333333p-2}, {0x1.8p1023}, {0x1p-1023}, {0x1.999999999999ap3}}));
  cases.push_back(fill_case<bernoulli>("bernoulli/u8", large_fill,
                                       {{0x1.3333333333333p-2},
                                        {0.0},
                                        {1.0},
                                        {0.5},
                                        {0x1p-33},
                                        {0x1.fffffffffffffp-34},
                                        {0x1.fffffffep-1},
                                        {0x1.ffffffff8p-1},
                                        {0x1.fffffffefp-1},
                                        {0x1.fffffffffffffp-1},
                                        {0x1p-32},
                                        {0x1.999999999999ap-4},
                                        {0x1.12e0be826d695p-30},
                                        {0x1.19799812dea11p-40},
                                        {0x1p-1074},
                                        {0x1.c4003c1p-33},
                                        {0x1.c4003c1000001p-33},
                                        {0x1.c4003c11a7a93p-33},
                                        {0x1.c4003c11a7a94p-33}}));

  constexpr i32 least32 = INT32_MIN, most32 = INT32_MAX;
  constexpr i64 least64 = INT64_MIN, most64 = INT64_MAX;
  constexpr u32 most_u32 = UINT32_MAX;
  constexpr u64 most_u64 = UINT64_MAX;
  // 2^32 mod 1048321 and 2^64 mod (2^63 + 1) are large, so that many words are refused.
  cases.push_back(fill_case<integer<i32>>(
      "randint/i32", large_fill, {{-1000, 1047321}, {0, 1}, {-5, (1 << 20) - 5}, {least32, least32 + 3}}));
  cases.push_back(
      fill_case<integer<i32>>("randint-wide/i32", small_fill,
                              {{least32, most32}, {0, (1 << 20) + 1}, {-3 * (1 << 29), 3 * (1 << 29)}}));
  cases.push_back(fill_case<integer<i64>>(
      "randint/i64", small_fill, {{-7, 1048314}, {most64 - 2, most64}, {least64, least64 + (1 << 20)}}));
  cases.push_back(
      fill_case<integer<i64>>("randint-wide/i64", small_fill,
                              {{least64, i64{1} << 62}, {least64, 1}, {least64, most64}, {0, i64{1} << 40}}));
  cases.push_back(
      fill_case<integer<u32>>("randint/u32", small_fill, {{0, 6}, {5, most_u32}, {most_u32 - 1, most_u32}}));
  cases.push_back(fill_case<integer<u64>>(
      "randint/u64", small_fill,
      {{0, 10}, {0, most_u64}, {(u64{1} << 63) - 1, most_u64}, {most_u64 - 8, most_u64}}));

  cases.push_back(header_case("below/u64", below_digest));
  cases.push_back(header_case("shuffle/u32", shuffle_digest));
  cases.push_back(header_case("stream/tree", tree_digest));
  const auto library_case = [](std::string name, std::string (*compute)(std::string_view, source)) {
    return test_case{name,
                     [=] { return compute(name, source::library); },
                     [=] { return compute(name, source::device); },
                     {}};
  };
  add_reals(cases, [&](std::string type, auto zero) {
    return library_case("sum" + type, sum_digest<decltype(zero)>);
  });
  add_reals(cases, [&](std::string type, auto zero) {
    return library_case("dot" + type, dot_digest<decltype(zero)>);
  });
  add_reals(cases, [&](std::string type, auto zero) {
    return library_case("matmul" + type, matmul_digest<decltype(zero)>);
  });
  add_reals(cases, [](std::string type, auto zero) {
    return header_case("exp" + type, exp_digest<decltype(zero)>);
  });
  // On the host alone: the device's are compared with it in tests/cuda.
  const auto order_case = [](std::string name, void (*values)(std::string_view, digest&)) {
    return test_case{name,
                     [=] {
                       digest result;
                       values(name, result);
                       return result.hex();
                     },
                     {},
                     {}};
  };
#define RIVUS_ORDER(name, values)                                   \
  add_reals(cases, [&](std::string type, auto zero) {               \
    return order_case(name + type, values<decltype(zero)>);         \
  })
  RIVUS_ORDER("product", product_values);
  cases.push_back(order_case("sum/f16", narrow_sum_values<f16>));
  cases.push_back(order_case("sum/bf16", narrow_sum_values<bf16>));
  cases.push_back(order_case("l2-norm/f16", l2_norm_values<f16>));
  cases.push_back(order_case("l2-norm/bf16", l2_norm_values<bf16>));
  RIVUS_ORDER("l2-norm", l2_norm_values);
  RIVUS_ORDER("scan", scan_values);
  RIVUS_ORDER("index-add", index_add_values);
  RIVUS_ORDER("segment-sum", segment_sum_values);
  RIVUS_ORDER("histogram", histogram_values);
  RIVUS_ORDER("exact-sum", exact_sum_values);
  RIVUS_ORDER("softmax", softmax_values);
  RIVUS_ORDER("layer-norm", layer_norm_values);
  RIVUS_ORDER("partial", partial_values);
#undef RIVUS_ORDER
  return cases;
}

// The caller's instruction set and thread count, put back at the end.
class settings {
 public:
  settings() : set_(active_isa()), threads_(omp_get_max_threads()) {}
  settings(const settings&) = delete;
  settings& operator=(const settings&) = delete;
  ~settings() {
    set_isa(set_);
    omp_set_num_threads(threads_);
  }

 private:
  isa set_;
  int threads_;
};

class table {
 public:
  table(std::ostream& out, bool quiet) : out_(out), quiet_(quiet) {
    if (!quiet_) line("case", "backend", "threads", "digest", "result");
  }

  // No threads: they are not counted there. `differing` are digests that should have been the same.
  void row(const std::string& name, const char* backend, int threads, const std::string& digest,
           std::string_view expected, const std::vector<std::pair<std::string, std::string>>& differing) {
    ++rows_;
    const bool failed = digest != expected || !differing.empty();
    failed_ += failed;
    if (!failed && quiet_) return;
    const std::string count = threads == 0 ? "-" : std::to_string(threads);
    line(name.c_str(), backend, count.c_str(), digest.c_str(), failed ? "FAIL" : "PASS");
    if (digest != expected) {
      const std::string frozen_text(expected.empty() ? "(none)" : expected);
      line("", "", "frozen", frozen_text.c_str(), "");
    }
    for (const auto& [what, value] : differing) line("", "", what.c_str(), value.c_str(), "");
  }

  void remark(const std::string& sentence) {
    if (!quiet_) out_ << sentence << '\n';
  }

  int finish() {
    out_ << rows_ << " rows, " << rows_ - failed_ << " passed, " << failed_ << " failed\n";
    out_.flush();
    return failed_ ? 1 : 0;
  }

 private:
  void line(const char* name, const char* backend, const char* threads, const char* digest,
            const char* result) {
    char text[160];
    std::snprintf(text, sizeof text, "%-21s %-8s %8s  %-32s  %s", name, backend, threads, digest, result);
    std::string_view view(text);
    view.remove_suffix(view.size() - 1 - view.find_last_not_of(' '));
    out_ << view << '\n';
    out_.flush();
  }

  std::ostream& out_;
  bool quiet_;
  int rows_ = 0;
  int failed_ = 0;
};

std::string_view frozen_for(std::string_view name) {
  for (const frozen_digest& f : frozen) {
    if (f.name == name) return f.digest;
  }
  return {};
}

// The pure functions against the frozen digest: those that differ.
std::vector<std::pair<std::string, std::string>> differing_headers(const test_case& c,
                                                                   std::string_view expected) {
  std::vector<std::pair<std::string, std::string>> differing;
  for (const auto& [what, compute] : c.headers) {
    std::string value = compute();
    if (value != expected) differing.emplace_back(what, std::move(value));
  }
  return differing;
}

void run_case(table& results, const test_case& c) {
  constexpr int several = 5;
  const std::string_view expected = frozen_for(c.name);
  if (!c.on_host) {
    results.row(c.name, name(isa::scalar), 1, c.headers[0].second(), expected, {});
    return;
  }
  for (isa set : available_isas()) {
    set_isa(set);
    for (int threads : {1, several}) {
      omp_set_num_threads(threads);
      const bool with_headers = set == isa::scalar && threads == 1;
      const auto differing =
          with_headers ? differing_headers(c, expected) : decltype(differing_headers(c, {})){};
      results.row(c.name, name(set), threads, c.on_host(), expected, differing);
    }
  }
  if (c.device && device::missing().empty()) results.row(c.name, "cuda", 0, c.device(), expected, {});
}

}  // namespace

int run_verify(std::ostream& out, const verify_options& options) {
  std::vector<test_case> cases = make_cases();
  std::erase_if(cases, [&](const test_case& c) { return c.name.find(options.filter) == std::string::npos; });
  if (cases.empty()) throw std::invalid_argument("no case contains '" + options.filter + "'");
  const settings restored;
  table results(out, options.quiet);
  for (const test_case& c : cases) run_case(results, c);
  if (const std::string& why = device::missing(); !why.empty()) results.remark("no rows for CUDA: " + why);
  return results.finish();
}

}  // namespace rivus::tools
