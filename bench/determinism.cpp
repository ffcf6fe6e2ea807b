// What one fixed order costs: rivus's operations beside the loops that people write, built with -O3 -march=native.
// determinism/<operation>/<dtype>/<by>/<bytes>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <rivus/rivus.hpp>

#include "cases.hpp"

namespace {

constexpr std::size_t columns = 1024, destinations = 1 << 16;

// Normals, and normals spread over 200 binades; made when first asked for.
template <class T>
const T* normals() {
  static const auto values = [] {
    auto v = std::make_unique_for_overwrite<T[]>(large_size / sizeof(T));
    rivus::fill(v.get(), large_size / sizeof(T), rivus::stream::from_seed(1), rivus::normal<T>{});
    return v;
  }();
  return values.get();
}
template <class T>
const T* wide_values() {
  static const auto values = [] {
    const std::size_t n = large_size / sizeof(T);
    auto v = std::make_unique_for_overwrite<T[]>(n);
    const rivus::integer<std::int32_t> exponent{-100, 100};
    for (std::size_t i = 0; i < n; ++i)
      v[i] = std::ldexp(normals<T>()[i], exponent(rivus::stream::from_seed(2), i));
    return v;
  }();
  return values.get();
}
const std::int32_t* targets() {
  static const auto values = [] {
    const std::size_t n = large_size / sizeof(std::int32_t);
    auto v = std::make_unique_for_overwrite<std::int32_t[]>(n);
    rivus::fill(v.get(), n, rivus::stream::from_seed(3), rivus::integer<std::int32_t>{0, destinations});
    return v;
  }();
  return values.get();
}

// run(n) works on n values of T.
template <class T, class Run>
void register_case(const std::string& name, const Run& run) {
  for (const std::size_t bytes : {middle_size, large_size}) {
    benchmark::RegisterBenchmark(("determinism/" + name + "/" + std::to_string(bytes)).c_str(),
                                 [=](benchmark::State& state) {
                                   rivus::set_isa(rivus::available_isas().back());
                                   run(std::size_t{1});
                                   measure(state, bytes, [&] { run(bytes / sizeof(T)); });
                                 });
  }
}
template <class T>
T* output() {
  return static_cast<T*>(bench_output());
}
template <class T>
void keep(T value) {
  benchmark::DoNotOptimize(value);
}

template <class T>
void register_sums(const std::string& dtype) {
  register_case<T>("sum/" + dtype + "/rivus", [](std::size_t n) { keep(rivus::sum(normals<T>(), n)); });
  register_case<T>("sum/" + dtype + "/rivus-exact",
                   [](std::size_t n) { keep(rivus::exact_sum(normals<T>(), n)); });
  register_case<T>("sum/" + dtype + "/rivus-exact-wide",
                   [](std::size_t n) { keep(rivus::exact_sum(wide_values<T>(), n)); });
  register_case<T>("sum/" + dtype + "/std-reduce",
                   [](std::size_t n) { keep(std::reduce(normals<T>(), normals<T>() + n)); });
  register_case<T>("sum/" + dtype + "/reordered-loop", [](std::size_t n) {
    const T* const x = normals<T>();
    T total = 0;
#pragma omp simd reduction(+ : total)
    for (std::size_t i = 0; i < n; ++i) total += x[i];
    keep(total);
  });
}

void register_rows() {
  using rivus::matrix;
  const auto in = [](std::size_t n) { return matrix<const float>(normals<float>(), n / columns, columns); };
  const auto out = [](std::size_t n) { return matrix<float>(output<float>(), n / columns, columns); };
  register_case<float>("softmax/f32/rivus", [=](std::size_t n) { rivus::softmax(in(n), out(n)); });
  register_case<float>("softmax/f32/loop", [](std::size_t n) {
    for (std::size_t i = 0; i + columns <= n; i += columns) {
      const float* const x = normals<float>() + i;
      float* const y = output<float>() + i;
      const float most = *std::max_element(x, x + columns);
      float total = 0;
      for (std::size_t j = 0; j < columns; ++j) total += y[j] = std::exp(x[j] - most);
      for (std::size_t j = 0; j < columns; ++j) y[j] /= total;
    }
  });
  register_case<float>("layer_norm/f32/rivus", [=](std::size_t n) {
    rivus::layer_norm<float>(in(n), nullptr, nullptr, 1e-5f, out(n), nullptr, nullptr);
  });
  register_case<float>("layer_norm/f32/reordered-loop", [](std::size_t n) {
    for (std::size_t i = 0; i + columns <= n; i += columns) {
      const float* const x = normals<float>() + i;
      float* const y = output<float>() + i;
      float mean = 0, variance = 0;
#pragma omp simd reduction(+ : mean)
      for (std::size_t j = 0; j < columns; ++j) mean += x[j];
      mean /= columns;
#pragma omp simd reduction(+ : variance)
      for (std::size_t j = 0; j < columns; ++j) variance += (x[j] - mean) * (x[j] - mean);
      const float r = 1 / std::sqrt(variance / columns + 1e-5f);
      for (std::size_t j = 0; j < columns; ++j) y[j] = (x[j] - mean) * r;
    }
  });
  register_case<float>("column_sum/f32/rivus", [=](std::size_t n) {
    rivus::reduce_columns(rivus::reduction::sum, in(n), output<float>());
  });
  register_case<float>("column_sum/f32/loop", [](std::size_t n) {
    float* const y = output<float>();
    std::fill(y, y + columns, 0.0f);
    for (std::size_t i = 0; i + columns <= n; i += columns) {
      for (std::size_t j = 0; j < columns; ++j) y[j] += normals<float>()[i + j];
    }
  });
}

}  // namespace

void register_determinism() {
  register_sums<float>("f32");
  register_sums<double>("f64");
  register_case<float>("maximum/f32/rivus", [](std::size_t n) {
    keep(rivus::reduce(rivus::reduction::maximum, normals<float>(), n));
  });
  register_case<float>("maximum/f32/loop", [](std::size_t n) {
    const float* const x = normals<float>();
    float most = x[0];
#pragma omp simd reduction(max : most)
    for (std::size_t i = 0; i < n; ++i) most = std::max(most, x[i]);
    keep(most);
  });
  register_rows();
  register_case<float>("cumsum/f32/rivus",
                       [](std::size_t n) { rivus::cumsum(normals<float>(), n, output<float>()); });
  register_case<float>("cumsum/f32/std-inclusive-scan", [](std::size_t n) {
    std::inclusive_scan(normals<float>(), normals<float>() + n, output<float>());
  });
  register_case<float>("index_add/f32/rivus", [](std::size_t n) {
    rivus::index_add(output<float>(), destinations, targets(), normals<float>(), n);
  });
  register_case<float>("index_add/f32/loop", [](std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) output<float>()[targets()[i]] += normals<float>()[i];
  });
}
