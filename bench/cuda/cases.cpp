// The cases: ceilings, fills, reductions and the like, products.
#include "cases.hpp"

#include <algorithm>
#include <cstring>
#include <rivus/cuda/exact.hpp>
#include <rivus/cuda/fill.hpp>
#include <rivus/cuda/matmul.hpp>
#include <rivus/cuda/normalise.hpp>
#include <rivus/cuda/reduce.hpp>
#include <rivus/cuda/scan.hpp>
#include <rivus/cuda/scatter.hpp>
#include <vector>

namespace rivus::device_bench {

namespace {

// What the CPU can still compute in passing.
constexpr std::size_t most_checked = std::size_t{1} << 26;

const stream root = stream::from_seed(42)["rivus_cuda_bench"];

template <class T>
std::vector<T> from_device(const T* values, std::size_t n) {
  std::vector<T> copy(n);
  succeed(cudaMemcpy(copy.data(), values, n * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return copy;
}

template <class T>
void require_equal(const std::string& name, const std::vector<T>& device, const std::vector<T>& host,
                   std::size_t first = 0) {
  for (std::size_t i = 0; i < host.size(); ++i) {
    if (std::memcmp(&device[i], &host[i], sizeof(T)) != 0) {
      throw std::runtime_error(name + ": element " + std::to_string(first + i) +
                               " is not what the CPU computes");
    }
  }
}

// Elements at both ends of what a way of ours writes in its first run.
template <class D>
std::function<void()> fill_check(const context& c, const way& w, std::size_t bytes, D d) {
  return [&c, name = w.name, run = w.run, bytes, d] {
    using T = typename D::value_type;
    const std::size_t n = bytes / sizeof(T), part = std::min<std::size_t>(n, 4096);
    T* const out = c.out->place<T>(bytes, 0);
    succeed(cudaMemset(out, 0xA5, bytes), "cudaMemset");
    run(c.stream, 0);
    succeed(cudaStreamSynchronize(c.stream), name.c_str());
    for (const std::size_t first : {std::size_t{0}, n - part}) {
      std::vector<T> expected(part);
      fill(expected.data(), part, root.lane(0), d, first);
      require_equal(name, from_device(out + first, part), expected, first);
    }
  };
}

template <class D>
group fill_group(const context& c, std::size_t bytes, D d, peer_values values) {
  using T = typename D::value_type;
  const std::size_t n = bytes / sizeof(T);
  group g{static_cast<double>(bytes)};
  way bulk{"rivus::cuda::fill", role::ours, [&c, bytes, n, d](cudaStream_t on, std::uint64_t k) {
             cuda::fill(on, c.out->place<T>(bytes, k), n, root.lane(k), d);
           }};
  way loop{"rivus in a kernel", role::ours, [&c, bytes, n, d](cudaStream_t on, std::uint64_t k) {
             rivus_loop(on, c.multiprocessors, c.out->place<T>(bytes, k), n, root.lane(k), d);
           }};
  for (way* const w : {&bulk, &loop}) {
    w->check = fill_check(c, *w, bytes, d);
    g.ways.push_back(*w);
  }
  g.ways.push_back(memset_way(c, bytes));
  g.ways.push_back(write_way(c, bytes));
  for (way& w : curand_host_ways(c, values, bytes)) g.ways.push_back(std::move(w));
  for (way& w : curand_loops(c, values, bytes)) g.ways.push_back(std::move(w));
  return g;
}

template <class D>
void add_fill(std::vector<subject>& to, const char* name, D d, peer_values values) {
  to.push_back({std::string("fill ") + name, [d, values](const context& c, std::size_t bytes) {
                  return fill_group(c, bytes, d, values);
                }});
}

void append(group& g, std::vector<way> ways) {
  for (way& w : ways) g.ways.push_back(std::move(w));
}

// A way of ours with scratch of its own.
template <class Run>
way with_scratch(const char* name, std::size_t bytes, const Run& run) {
  const auto scratch = device_memory<>(bytes);
  return {name, role::ours,
          [run, scratch, bytes](cudaStream_t on, std::uint64_t k) { run(on, k, scratch.get(), bytes); }};
}

// That the T at `result` has the bits of expected() after the first run, for sizes that a CPU does in passing.
template <class T, class Expected>
void check_result(const context& c, way& w, std::size_t bytes, const std::shared_ptr<T>& result,
                  const Expected& expected) {
  if (bytes > most_checked) return;
  w.check = [&c, name = w.name, run = w.run, result, expected] {
    run(c.stream, 0);
    succeed(cudaStreamSynchronize(c.stream), name.c_str());
    require_equal(name, from_device(result.get(), 1), std::vector<T>{expected()});
  };
}

template <class T>
group sum_group(const context& c, std::size_t bytes) {
  const std::size_t n = bytes / sizeof(T);
  const auto result = device_memory<T>(sizeof(T));
  const auto input = [&c, bytes, n] { return from_device(c.in->place<T>(bytes, 0), n); };
  group g{static_cast<double>(bytes)};
  way ours =
      with_scratch("rivus::cuda::sum", cuda::scratch_bytes<T>(n),
                   [&c, bytes, n, result](cudaStream_t on, std::uint64_t k, void* scratch, std::size_t size) {
                     cuda::sum(on, c.in->place<T>(bytes, k), n, result.get(), scratch, size);
                   });
  check_result(c, ours, bytes, result, [input, n] { return sum(input().data(), n); });
  way exact =
      with_scratch("rivus::cuda::exact_sum", cuda::exact_scratch_bytes<T>(n),
                   [&c, bytes, n, result](cudaStream_t on, std::uint64_t k, void* scratch, std::size_t size) {
                     cuda::exact_sum(on, c.in->place<T>(bytes, k), n, result.get(), scratch, size);
                   });
  check_result(c, exact, bytes, result, [input, n] { return exact_sum(input().data(), n); });
  g.ways = {ours, exact, read_way(c, bytes)};
  append(g, library_sums<T>(c, bytes));
  return g;
}

group dot_group(const context& c, std::size_t bytes) {
  const std::size_t n = bytes / 2 / sizeof(float);
  const auto result = device_memory<float>(sizeof(float));
  group g{static_cast<double>(bytes)};
  way ours =
      with_scratch("rivus::cuda::dot", cuda::scratch_bytes<float>(n),
                   [&c, bytes, n, result](cudaStream_t on, std::uint64_t k, void* scratch, std::size_t size) {
                     const float* const x = c.in->place<float>(bytes, k);
                     cuda::dot(on, x, x + n, n, result.get(), scratch, size);
                   });
  check_result(c, ours, bytes, result, [&c, bytes, n] {
    const auto x = from_device(c.in->place<float>(bytes, 0), 2 * n);
    return dot(x.data(), x.data() + n, n);
  });
  g.ways = {ours, read_way(c, bytes)};
  append(g, blas_dot(c, bytes));
  return g;
}

// Checks all that a run writes to the first place of the output.
template <class Expected>
void check_output(const context& c, way& w, std::size_t bytes, const Expected& expected) {
  if (bytes > most_checked) return;
  w.check = [&c, name = w.name, run = w.run, bytes, expected] {
    run(c.stream, 0);
    succeed(cudaStreamSynchronize(c.stream), name.c_str());
    const std::size_t n = bytes / sizeof(float);
    std::vector<float> y(n);
    expected(from_device(c.in->place<float>(bytes, 0), n), y);
    require_equal(name, from_device(c.out->place<float>(bytes, 0), n), y);
  };
}

group scan_group(const context& c, std::size_t bytes) {
  const std::size_t n = bytes / sizeof(float);
  group g{2 * static_cast<double>(bytes)};
  way ours = with_scratch("rivus::cuda::cumsum", cuda::scan_scratch_bytes<float>(n),
                          [&c, bytes, n](cudaStream_t on, std::uint64_t k, void* scratch, std::size_t size) {
                            cuda::cumsum(on, c.in->place<float>(bytes, k), n, c.out->place<float>(bytes, k),
                                         scratch, size);
                          });
  check_output(c, ours, bytes, [](const std::vector<float>& x, std::vector<float>& y) {
    cumsum(x.data(), x.size(), y.data());
  });
  g.ways = {ours, copy_way(c, bytes)};
  append(g, library_scans(c, bytes));
  return g;
}

std::optional<group> softmax_group(const context& c, std::size_t bytes) {
  constexpr std::size_t cols = 1024;
  const std::size_t rows = bytes / sizeof(float) / cols;
  if (rows == 0) return std::nullopt;
  group g{2 * static_cast<double>(bytes)};
  way ours{"rivus::cuda::softmax", role::ours, [&c, bytes, rows](cudaStream_t on, std::uint64_t k) {
             cuda::softmax<float>(on, {c.in->place<float>(bytes, k), rows, cols},
                                  {c.out->place<float>(bytes, k), rows, cols});
           }};
  check_output(c, ours, bytes, [rows](const std::vector<float>& x, std::vector<float>& y) {
    softmax<float>({x.data(), rows, cols}, {y.data(), rows, cols});
  });
  g.ways = {ours, copy_way(c, bytes)};
  return g;
}

// Half of the bytes are values, half are indices; 16 values a destination on average.
std::optional<group> index_add_group(const context& c, std::size_t bytes) {
  const std::size_t n = bytes / 8, size = std::max<std::size_t>(n / 16, 1),
                    period = std::min<std::size_t>(n, 1 << 20);
  std::size_t room = 0, total = 0;
  succeed(cudaMemGetInfo(&room, &total), "cudaMemGetInfo");
  const std::size_t scratch_bytes = cuda::scatter_scratch_bytes(n, size), ids_bytes = c.rotation(bytes / 2);
  if (scratch_bytes + ids_bytes + bytes > room / 2) return std::nullopt;
  const auto ids = std::make_shared<arena>(ids_bytes);
  cuda::fill(c.stream, ids->place<std::int32_t>(bytes / 2, 0), period, root["ids"],
             integer<std::int32_t>{0, static_cast<std::int32_t>(size)});
  succeed(cudaStreamSynchronize(c.stream), "fill of indices");
  ids->repeat(period * sizeof(std::int32_t));
  const auto out = device_memory<float>(size * sizeof(float));
  succeed(cudaMemset(out.get(), 0, size * sizeof(float)), "cudaMemset");
  group g{static_cast<double>(bytes)};
  way ours = with_scratch(
      "rivus::cuda::index_add", scratch_bytes,
      [&c, ids, out, bytes, n, size](cudaStream_t on, std::uint64_t k, void* scratch, std::size_t room_) {
        cuda::index_add(on, out.get(), size, ids->place<std::int32_t>(bytes / 2, k),
                        c.in->place<float>(bytes / 2, k), n, scratch, room_);
      });
  if (bytes <= most_checked) {
    ours.check = [&c, run = ours.run, ids, out, bytes, n, size] {
      succeed(cudaMemset(out.get(), 0, size * sizeof(float)), "cudaMemset");
      run(c.stream, 0);
      succeed(cudaStreamSynchronize(c.stream), "index_add");
      std::vector<float> expected(size);
      const auto at = from_device(ids->place<std::int32_t>(bytes / 2, 0), n);
      const auto x = from_device(c.in->place<float>(bytes / 2, 0), n);
      index_add(expected.data(), size, at.data(), x.data(), n);
      require_equal("rivus::cuda::index_add", from_device(out.get(), size), expected);
    };
  }
  way atomic{"rivus::cuda::index_add_atomic", role::other,
             [&c, ids, out, bytes, n, size](cudaStream_t on, std::uint64_t k) {
               cuda::index_add_atomic(on, out.get(), size, ids->place<std::int32_t>(bytes / 2, k),
                                      c.in->place<float>(bytes / 2, k), n);
             }};
  g.ways = {ours, atomic, read_way(c, bytes)};
  return g;
}

std::optional<group> matmul_group(const context& c, std::size_t n) {
  const std::size_t bytes = n * n * sizeof(float);
  if (bytes > c.options.most) return std::nullopt;
  const float* const a = c.in->place<float>(bytes, 0);
  const float* const b = c.in->place<float>(bytes, 1);
  float* const product = c.out->place<float>(bytes, 0);
  group g{2 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n), "GFLOP/s"};
  way ours{"rivus::cuda::matmul", role::ours, [n, a, b, product](cudaStream_t on, std::uint64_t) {
             cuda::matmul(on, matrix<const float>{a, n, n}, matrix<const float>{b, n, n},
                          matrix<float>{product, n, n});
           }};
  ours.check = [&c, run = ours.run, n, a, b, product] {
    run(c.stream, 0);
    succeed(cudaStreamSynchronize(c.stream), "matmul");
    const auto x = from_device(a, n * n), y = from_device(b, n * n);
    std::vector<float> expected(n * n);
    matmul(matrix<const float>{x.data(), n, n}, matrix<const float>{y.data(), n, n},
           matrix<float>{expected.data(), n, n});
    require_equal("rivus::cuda::matmul", from_device(product, n * n), expected);
  };
  g.ways = {ours, fma_way(c)};
  append(g, blas_matmul(c, n, a, b, product));
  return g;
}

}  // namespace

void add_ceilings(std::vector<subject>& to) {
  to.push_back({"ceilings", [](const context& c, std::size_t bytes) {
                  group g{static_cast<double>(bytes)};
                  g.ways = {memset_way(c, bytes), write_way(c, bytes), read_way(c, bytes),
                            copy_way(c, bytes)};
                  return g;
                }});
}

void add_fills(std::vector<subject>& to) {
  add_fill(to, "bits u32", bits<std::uint32_t>{}, peer_values::bits);
  add_fill(to, "uniform f32", uniform<float>{}, peer_values::uniform_float);
  add_fill(to, "normal f32", normal<float>{}, peer_values::normal_float);
  add_fill(to, "uniform f64", uniform<double>{}, peer_values::uniform_double);
  add_fill(to, "normal f64", normal<double>{}, peer_values::normal_double);
  add_fill(to, "exponential f32", exponential<float>{}, peer_values::exponential_float);
  add_fill(to, "integer i32 below 1000", integer<std::int32_t>{0, 1000}, peer_values::below_1000);
  add_fill(to, "bernoulli u8 0.25", bernoulli{0.25}, peer_values::quarter);
}

void add_reductions(std::vector<subject>& to) {
  to.push_back({"sum f32", sum_group<float>});
  to.push_back({"sum f64", sum_group<double>});
  to.push_back({"dot f32", dot_group});
  to.push_back({"cumsum f32", scan_group});
  to.push_back({"softmax f32, rows of 1024", softmax_group});
  to.push_back({"index_add f32, 16 to a destination", index_add_group});
}

void add_matmul(std::vector<subject>& to) {
  subject s{"matmul f32", matmul_group, {64, 512, 1024, 2048}, "n"};
  to.push_back(s);
}

std::vector<std::string> missing_peers() {
  std::vector<std::string> sentences;
  for (const std::string& one : {curand_missing(), kernel_peers_missing(), blas_missing()}) {
    if (!one.empty()) sentences.push_back(one);
  }
  return sentences;
}

}  // namespace rivus::device_bench
