#include <cstdint>
#include <numeric>
#include <rivus/rivus.hpp>

#include "device.hpp"
#include "digest.hpp"
#include "verify_cases.hpp"

namespace rivus::tools {
namespace {

constexpr std::size_t lengths[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 2047, 2048, 2049, 3 * 2048 + 17};
constexpr std::size_t long_length = 2048 * 2048 + 3 * 2048 + 17;  // three levels of chunks
constexpr std::size_t period = 7 * 2048;

// The bits of a real of any type, and what they are of.
template <class X>
using bits_in = detail::exact_result<X>;
template <class X>
auto bits_of(X x) {
  if constexpr (sizeof(X) == 2) {
    return x.bits;
  } else {
    return real::to_bits(x);
  }
}

// Each operation on the host, or on a device.
namespace either {

#define RIVUS_EITHER(name)                                                  \
  template <class... A>                                                     \
  auto name(source from, A... a) {                                          \
    return from == source::device ? device::name(a...) : rivus::name(a...); \
  }
RIVUS_EITHER(sum)
RIVUS_EITHER(dot)
RIVUS_EITHER(matmul)
RIVUS_EITHER(reduce)
RIVUS_EITHER(exact_sum)
RIVUS_EITHER(cumsum)
RIVUS_EITHER(cumprod)
RIVUS_EITHER(exclusive_cumsum)
RIVUS_EITHER(exclusive_cumprod)
RIVUS_EITHER(softmax)
RIVUS_EITHER(layer_norm)
RIVUS_EITHER(index_add)
RIVUS_EITHER(segment_sum)
RIVUS_EITHER(histogram)
#undef RIVUS_EITHER

}  // namespace either

// Vectors with zeros, infinities, NaNs and overflow.
template <class T>
std::vector<std::vector<T>> specials() {
  using in = bits_in<T>;
  using word = typename in::word;
  constexpr word sign = static_cast<word>(word{1} << (8 * sizeof(T) - 1)), infinity = in::infinity,
                 quiet_nan = in::quiet_nan;
  const auto value = [](auto b) { return in::from_bits(static_cast<word>(b)); };
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
    const uniform<T> u{-1, 1};
    const normal<T> gauss;
    for (u64 i = 0; i < period; ++i) {
      x[i] = u(s["x"], i);
      y[i] = gauss(s["y"], i);
    }
  }
  std::vector<T> x, y;
};

template <class T>
std::vector<T> repeated(const std::vector<T>& x) {
  std::vector<T> r(long_length);
  for (std::size_t i = 0; i < long_length; ++i) r[i] = x[i % period];
  return r;
}

// Each adds to a digest what the model lists.
template <class T>
void sum_values(std::string_view name, source from, digest& to) {
  const inputs<T> in(name);
  for (std::size_t at : {0u, 1u}) {
    for (std::size_t n : lengths) to.add(either::sum(from, in.x.data() + at, n));
  }
  const std::vector<T> x = repeated(in.x);
  to.add(either::sum(from, x.data(), x.size()));
  for (const auto& v : specials<T>()) to.add(either::sum(from, v.data(), v.size()));
}

template <class T>
void dot_values(std::string_view name, source from, digest& to) {
  const inputs<T> in(name);
  for (std::size_t n : lengths) to.add(either::dot(from, in.x.data(), in.y.data(), n));
  for (std::size_t n : lengths) to.add(either::dot(from, in.x.data() + 1, in.y.data() + 2, n));
  const std::vector<T> x = repeated(in.x), y = repeated(in.y);
  to.add(either::dot(from, x.data(), y.data(), long_length));
  for (const auto& v : specials<T>()) {
    const std::vector<T> ones(v.size(), T(1)), zeros(v.size(), T(0)), minus_ones(v.size(), T(-1));
    to.add(either::dot(from, v.data(), ones.data(), v.size()));
    to.add(either::dot(from, v.data(), zeros.data(), v.size()));
    to.add(either::dot(from, minus_ones.data(), v.data(), v.size()));
  }
}

template <class T>
void add_product(digest& result, source from, matrix<const T> a, matrix<const T> b, matrix<T> c,
                 std::size_t block = 128) {
  either::matmul(from, a, b, c, matmul_options<T>{.block = block});
  for (std::size_t i = 0; i < c.rows; ++i) {
    for (std::size_t j = 0; j < c.cols; ++j) result.add(c(i, j));
  }
}

template <class T>
void matmul_values(std::string_view name, source from, digest& to) {
  const inputs<T> in(name);
  const T* x = in.x.data();
  const T* y = in.y.data();
  constexpr std::size_t big_m = 203, big_k = 577, big_n = 191;
  std::vector<T> out(big_m * big_n);

  struct shape {
    std::size_t m, k, n;
  };
  for (auto [m, k, n] : {shape{1, 1, 1}, shape{5, 0, 3}, shape{3, 5, 7}, shape{17, 33, 29}, shape{64, 40, 48},
                         shape{9, 300, 19}, shape{1, 257, 33}, shape{33, 64, 1}}) {
    using in_matrix = matrix<const T>;
    using out_matrix = matrix<T>;
    add_product<T>(to, from, in_matrix(x, m, k), in_matrix(y, k, n), out_matrix(out.data(), m, n));
    // All stored column by column.
    add_product<T>(to, from, in_matrix(x, k, m).transposed(), in_matrix(y, n, k).transposed(),
                   out_matrix(out.data(), n, m).transposed());
  }

  std::vector<T> a(big_m * big_k), b(big_k * big_n);
  for (std::size_t i = 0; i < big_m; ++i) {
    for (std::size_t k = 0; k < big_k; ++k) a[i * big_k + k] = x[i % 11 * big_k + k];
  }
  for (std::size_t k = 0; k < big_k; ++k) {
    for (std::size_t j = 0; j < big_n; ++j) b[k * big_n + j] = y[j % 13 * big_k + k];
  }
  add_product<T>(to, from, {a.data(), big_m, big_k}, {b.data(), big_k, big_n}, {out.data(), big_m, big_n});

  for (const auto& v : specials<T>()) {
    const std::vector<T> ones(v.size(), T(1)), zeros(v.size(), T(0));
    add_product<T>(to, from, {v.data(), 1, v.size()}, {ones.data(), v.size(), 1}, {out.data(), 1, 1});
    add_product<T>(to, from, {v.data(), 1, v.size()}, {zeros.data(), v.size(), 1}, {out.data(), 1, 1});
  }
  for (std::size_t block : {1u, 3u, 100u, 600u})
    add_product<T>(to, from, {x, 1, big_k}, {y, big_k, 1}, {out.data(), 1, 1}, block);
}

// So near to 1 that a product of thousands is a number.
template <class T>
std::vector<T> factors(std::string_view name) {
  std::vector<T> f(period);
  const uniform<T> u{T(0.875), T(1.125)};
  for (u64 i = 0; i < period; ++i) f[i] = u(row_stream(name)["f"], i);
  return f;
}

template <class T>
void product_values(std::string_view name, source from, digest& to) {
  const std::vector<T> x = factors<T>(name);
  for (std::size_t at : {0u, 1u}) {
    for (std::size_t n : lengths) to.add(either::reduce(from, reduction::product, x.data() + at, n));
  }
  for (const auto& v : specials<T>()) to.add(either::reduce(from, reduction::product, v.data(), v.size()));
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
  const std::uint8_t bytes[] = {static_cast<std::uint8_t>(value.bits),
                                static_cast<std::uint8_t>(value.bits >> 8)};
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
void narrow_sum_values(std::string_view name, source from, digest& to) {
  const narrow_inputs<X> in(name);
  const auto add = [&](const X* x, std::size_t n) {
    add_half(to, from == source::device ? device::reduce(reduction::sum, x, n) : sum(x, n));
  };
  for (std::size_t at : {0u, 1u}) {
    for (std::size_t n : lengths) add(in.x.data() + at, n);
  }
  for (const auto& v : specials<X>()) add(v.data(), v.size());
}
template <class X>
void l2_norm_values(std::string_view name, source from, digest& to) {
  using in_type = std::conditional_t<sizeof(X) == 2, narrow_inputs<X>,
                                     inputs<std::conditional_t<sizeof(X) == 2, float, X>>>;
  const in_type in(name);
  for (const auto* v : {&in.x, &in.y}) {
    for (std::size_t n : lengths) add_value(to, either::reduce(from, reduction::l2_norm, v->data(), n));
  }
  for (const auto& v : specials<X>())
    add_value(to, either::reduce(from, reduction::l2_norm, v.data(), v.size()));
  std::vector<X> large;
  using word = typename bits_in<X>::word;
  constexpr word infinity = bits_in<X>::infinity;
  for (std::size_t i = 0; i < 64; ++i)
    large.push_back(
        bits_in<X>::from_bits(static_cast<word>(infinity - 1 - (bits_of(in.x[i]) & (infinity >> 4)))));
  add_value(to, either::reduce(from, reduction::l2_norm, large.data(), large.size()));
}

template <class T>
void scan_values(std::string_view name, source from, digest& to) {
  const inputs<T> in(name);
  const std::vector<T> f = factors<T>(name);
  std::vector<T> out(long_length);
  for (std::size_t n : {0u, 1u, 33u, 2049u, 3 * 2048u + 17}) {
    either::cumsum(from, in.x.data(), n, out.data());
    to.add(out.data(), n);
    either::exclusive_cumsum(from, in.x.data(), n, out.data());
    to.add(out.data(), n);
    either::cumprod(from, f.data(), n, out.data());
    to.add(out.data(), n);
    either::exclusive_cumprod(from, f.data(), n, out.data());
    to.add(out.data(), n);
  }
  for (const auto& v : specials<T>()) {
    either::cumsum(from, v.data(), v.size(), out.data());
    to.add(out.data(), v.size());
    either::exclusive_cumprod(from, v.data(), v.size(), out.data());
    to.add(out.data(), v.size());
  }
  const std::vector<T> x = repeated(in.x);
  either::cumsum(from, x.data(), x.size(), out.data());
  for (std::size_t i = 2047; i < long_length; i += 2048) to.add(out[i]);
}

std::vector<std::vector<u64>> contributions(std::string_view name) {
  std::vector<u64> drawn(5000), hot(2049, 3);
  const integer<u64> d{0, 97};
  for (u64 i = 0; i < drawn.size(); ++i) drawn[i] = d(row_stream(name)["ids"], i);
  for (u64 id : {0u, 96u, 3u}) hot.push_back(id);
  return {drawn, hot};
}
template <class T>
void index_add_values(std::string_view name, source from, digest& to) {
  using format = real::format<T>;
  const inputs<T> in(name);
  std::vector<T> out(in.y.begin(), in.y.begin() + 97);
  for (const auto& ids : contributions(name))
    either::index_add(from, out.data(), out.size(), ids.data(), in.x.data(), ids.size());
  to.add(out.data(), out.size());
  const T minus_zero = real::from_bits(format::sign), inf = real::from_bits(format::infinity);
  T special[] = {minus_zero, inf, 0};
  const T x[] = {minus_zero, 1, real::neg(inf), minus_zero};
  const u64 ids[] = {0, 1, 1, 2};
  either::index_add(from, special, std::size_t{3}, ids, x, std::size_t{4});
  to.add(special, 3);
}
template <class T>
void segment_sum_values(std::string_view name, source from, digest& to) {
  const inputs<T> in(name);
  for (const auto& ids : contributions(name)) {
    std::vector<T> out(97);
    either::segment_sum(from, ids.data(), in.x.data(), ids.size(), out.data(), out.size());
    to.add(out.data(), out.size());
  }
}
template <class T>
void histogram_values(std::string_view name, source from, digest& to) {
  const inputs<T> in(name);
  const auto add = [&](const std::vector<T>& x, T lo, T hi, std::size_t bins) {
    std::vector<std::uint64_t> counts(bins);
    either::histogram(from, x.data(), x.size(), lo, hi, counts.data(), bins);
    to.add(counts.data(), bins);
  };
  const std::vector<T> x(in.x.begin(), in.x.begin() + 3000);
  for (std::size_t bins : {1u, 7u, 100u, 1000u}) {
    add(x, -1, 1, bins);
    add(x, T(-0.5), 0, bins);
  }
  for (std::size_t bins : {100u, 997u}) {
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
void exact_sum_values(std::string_view name, source from, digest& to) {
  const inputs<T> in(name);
  for (std::size_t n : lengths) to.add(either::exact_sum(from, in.x.data(), n));
  for (const auto& v : specials<T>()) to.add(either::exact_sum(from, v.data(), v.size()));
  std::vector<T> x = in.x;
  for (std::size_t i = 0; i < 100; ++i) x.push_back(real::mul(in.y[i], T(0x1p-60)));
  for (T v : in.x) x.push_back(real::neg(v));
  to.add(either::exact_sum(from, x.data(), x.size()));
}
constexpr std::size_t columns[] = {1, 5, 33, 2049};
template <class T>
void softmax_values(std::string_view name, source from, digest& to) {
  const inputs<T> in(name);
  for (std::size_t n : columns) {
    std::vector<T> out(n);
    either::softmax(from, matrix<const T>(in.y.data(), 1, n), matrix<T>(out.data(), 1, n));
    to.add(out.data(), n);
  }
}
template <class T>
void layer_norm_values(std::string_view name, source from, digest& to) {
  const inputs<T> in(name);
  for (std::size_t n : columns) {
    std::vector<T> out(n);
    T mean, reciprocal;
    either::layer_norm(from, matrix<const T>(in.y.data(), 1, n), in.x.data(), in.x.data() + n, T(0x1p-20),
                       matrix<T>(out.data(), 1, n), &mean, &reciprocal);
    to.add(out.data(), n);
    to.add(mean);
    to.add(reciprocal);
  }
}
template <class T>
void partial_values(std::string_view name, source, digest& to) {
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

}  // namespace

void add_reductions(std::vector<test_case>& cases) {
  const auto add = [&](std::string name, void (*values)(std::string_view, source, digest&),
                       bool on_device = true) {
    const auto digest_of = [=](source from) {
      digest result;
      values(name, from, result);
      return result.hex();
    };
    test_case c{name, [=] { return digest_of(source::library); }, {}, {}};
    if (on_device) c.device = [=] { return digest_of(source::device); };
    cases.push_back(c);
  };
#define RIVUS_REALS(name, values)  \
  add(name "/f32", values<float>); \
  add(name "/f64", values<double>)
  RIVUS_REALS("sum", sum_values);
  RIVUS_REALS("dot", dot_values);
  RIVUS_REALS("matmul", matmul_values);
  RIVUS_REALS("product", product_values);
  add("sum/f16", narrow_sum_values<f16>);
  add("sum/bf16", narrow_sum_values<bf16>);
  add("l2-norm/f16", l2_norm_values<f16>);
  add("l2-norm/bf16", l2_norm_values<bf16>);
  RIVUS_REALS("l2-norm", l2_norm_values);
  RIVUS_REALS("scan", scan_values);
  RIVUS_REALS("index-add", index_add_values);
  RIVUS_REALS("segment-sum", segment_sum_values);
  RIVUS_REALS("histogram", histogram_values);
  RIVUS_REALS("exact-sum", exact_sum_values);
  RIVUS_REALS("softmax", softmax_values);
  RIVUS_REALS("layer-norm", layer_norm_values);
#undef RIVUS_REALS
  // A partial is of the host.
  add("partial/f32", partial_values<float>, false);
  add("partial/f64", partial_values<double>, false);
}

}  // namespace rivus::tools
