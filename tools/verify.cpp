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
#include "verify_cases.hpp"

namespace rivus::tools {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
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
  add_reals(cases, [](std::string type, auto zero) {
    return header_case("exp" + type, exp_digest<decltype(zero)>);
  });
  add_reductions(cases);
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
