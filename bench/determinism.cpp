// What one fixed order costs: rivus's operations beside the loops that people write, built with -O3 -march=native.
// determinism/<operation>/<dtype>/<by>/<bytes>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <rivus/rivus.hpp>
#include <vector>

#include "cases.hpp"

namespace {

constexpr std::size_t columns = 1024, row_columns = 64, bag_length = 8;

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
// In [0, Destinations).
template <std::int32_t Destinations>
const std::int32_t* targets() {
  static const auto values = [] {
    const std::size_t n = large_size / sizeof(std::int32_t);
    auto v = std::make_unique_for_overwrite<std::int32_t[]>(n);
    rivus::fill(v.get(), n, rivus::stream::from_seed(3), rivus::integer<std::int32_t>{0, Destinations});
    return v;
  }();
  return values.get();
}
const std::int32_t* bag_offsets() {
  static const auto values = [] {
    std::vector<std::int32_t> v(large_size / sizeof(float) / row_columns / bag_length);
    for (std::size_t b = 0; b < v.size(); ++b) v[b] = static_cast<std::int32_t>(b * bag_length);
    return v;
  }();
  return values.data();
}

// run(n) works on n values of T.
template <class T, class Run>
void register_case(const std::string& name, const Run& run) {
  for (const std::size_t bytes : {middle_size, large_size}) {
    benchmark::RegisterBenchmark(("determinism/" + name + "/" + std::to_string(bytes)).c_str(),
                                 [=](benchmark::State& state) {
                                   rivus::set_isa(rivus::available_isas().back());
                                   // Sums go on from what is there, and NaNs of another case take longer.
                                   std::memset(bench_output(), 0, large_size);
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

// To so many destinations, and to rows of 64 columns.
template <std::int32_t Destinations, std::int32_t Rows>
void register_scatters() {
  // Appended, as g++ 12 warns of an overlap in sums of strings (GCC bug 105651).
  const auto named = [](std::string name, std::int32_t size) {
    return name.append("-").append(std::to_string(size)).append("/f32/");
  };
  const std::string values = named("index_add", Destinations), rows = named("index_add_rows", Rows),
                    bags = named("embedding_bag_backward", Rows);
  register_case<float>(values + "rivus", [](std::size_t n) {
    rivus::index_add(output<float>(), Destinations, targets<Destinations>(), normals<float>(), n);
  });
  register_case<float>(values + "loop", [](std::size_t n) {
    float* const out = output<float>();
    const std::int32_t* const ids = targets<Destinations>();
    for (std::size_t i = 0; i < n; ++i) out[ids[i]] += normals<float>()[i];
  });
  register_case<float>(rows + "rivus", [](std::size_t n) {
    rivus::index_add_rows(output<float>(), Rows, row_columns, targets<Rows>(), normals<float>(),
                          n / row_columns);
  });
  register_case<float>(rows + "loop", [](std::size_t n) {
    for (std::size_t i = 0; i < n / row_columns; ++i) {
      float* const row = output<float>() + static_cast<std::size_t>(targets<Rows>()[i]) * row_columns;
      for (std::size_t j = 0; j < row_columns; ++j) row[j] += normals<float>()[i * row_columns + j];
    }
  });
  register_case<float>(bags + "rivus", [](std::size_t n) {
    const std::size_t ids = n / row_columns;
    rivus::embedding_bag_backward(normals<float>(), targets<Rows>(), ids, bag_offsets(),
                                  (ids + bag_length - 1) / bag_length, rivus::bag_mode::sum, output<float>(),
                                  Rows, row_columns);
  });
  register_case<float>(bags + "loop", [](std::size_t n) {
    for (std::size_t i = 0; i < n / row_columns; ++i) {
      float* const row = output<float>() + static_cast<std::size_t>(targets<Rows>()[i]) * row_columns;
      for (std::size_t j = 0; j < row_columns; ++j)
        row[j] += normals<float>()[i / bag_length * row_columns + j];
    }
  });
}

}  // namespace

void scatter_large() {
  rivus::index_add(output<float>(), 10'000'000, targets<10'000'000>(), normals<float>(),
                   large_size / sizeof(float));
}

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
  register_scatters<10'000, 10'000>();
  register_scatters<10'000'000, 1'000'000>();
}
