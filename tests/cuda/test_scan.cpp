#include <rivus/cuda/scan.hpp>

#include "../reference.hpp"
#include "device.hpp"

namespace rivus {
namespace {

using test::device_array;

// The host's scan, and the device's.
template <class X>
struct both_scans {
  const char* name;
  void (*host)(matrix<const X>, matrix<X>, const executor&);
  void (*device)(cudaStream_t, matrix<const X>, matrix<X>, void*, index64);
  void (*device_row)(cudaStream_t, const X*, index64, X*, void*, index64);
  bool multiplies;
};
template <class X>
const both_scans<X> all_scans[] = {
    {"cumsum", cumsum_rows<X>, cuda::cumsum_rows<X>, cuda::cumsum<X>, false},
    {"cumprod", cumprod_rows<X>, cuda::cumprod_rows<X>, cuda::cumprod<X>, true},
    {"exclusive_cumsum", exclusive_cumsum_rows<X>, cuda::exclusive_cumsum_rows<X>, cuda::exclusive_cumsum<X>,
     false},
    {"exclusive_cumprod", exclusive_cumprod_rows<X>, cuda::exclusive_cumprod_rows<X>,
     cuda::exclusive_cumprod<X>, true}};

template <class X>
std::vector<X> random_values(std::size_t n, std::uint64_t seed, bool multiplies) {
  test::words random(seed);
  std::vector<X> x(n);
  for (X& v : x)
    v = test::nearest<X>(multiplies ? (1 + random.real<double>() / 16) * (random.below(8) == 0 ? -1 : 1)
                                    : random.wide_real<double>(4));
  return x;
}

// Rows in device memory, as words, with a gap between them.
template <class X>
struct device_rows {
  using word = test::word_of<X>;
  device_rows(std::size_t rows_, std::size_t cols_, std::size_t gap)
      : rows(rows_), cols(cols_), pitch(cols_ + gap), host(rows_ * pitch), memory(host.size(), sizeof(X)) {}

  matrix<X> on_host() { return {reinterpret_cast<X*>(host.data()), rows, cols, stride(), 1}; }
  matrix<X> on_device() { return {reinterpret_cast<X*>(memory.data()), rows, cols, stride(), 1}; }
  std::ptrdiff_t stride() const { return static_cast<std::ptrdiff_t>(pitch); }
  void set(const std::vector<X>& x) {
    std::memcpy(host.data(), static_cast<const void*>(x.data()), host.size() * sizeof(X));
    memory.set(host);
  }

  std::size_t rows, cols, pitch;
  std::vector<word> host;
  device_array<word> memory;
};

template <class X>
class cuda_scan : public test::device_test {
 public:
  static void expect_scan(const both_scans<X>& what, std::size_t rows, std::size_t cols, std::size_t gap,
                          const std::vector<X>& values) {
    SCOPED_TRACE(std::string(what.name) + " of " + std::to_string(rows) + " x " + std::to_string(cols));
    device_rows<X> x(rows, cols, gap), y(rows, cols, gap + 1);
    const std::size_t bytes = cuda::scan_scratch_bytes<X>(cols, rows);
    device_array<unsigned char> scratch(bytes);
    x.set(values);
    y.set(std::vector<X>(y.host.size(), test::nearest<X>(7.0)));
    what.host(x.on_host(), y.on_host(), {});
    if (rows == 1) {
      what.device_row(nullptr, x.on_device().data, cols, y.on_device().data, scratch.data(), bytes);
    } else {
      what.device(nullptr, x.on_device(), y.on_device(), scratch.data(), bytes);
    }
    EXPECT_TRUE(y.memory.holds(y.host));
    EXPECT_TRUE(x.memory.untouched());
    what.host(x.on_host(), x.on_host(), {});
    what.device(nullptr, x.on_device(), x.on_device(), scratch.data(), bytes);
    EXPECT_TRUE(x.memory.holds(x.host)) << "in place";
    const std::vector<unsigned char> used = scratch.values();
    EXPECT_TRUE(scratch.holds(used));
  }
  static void expect_all(std::size_t rows, std::size_t cols, std::size_t gap) {
    for (const auto& what : all_scans<X>)
      expect_scan(what, rows, cols, gap, random_values<X>(rows * (cols + gap), rows + cols, what.multiplies));
  }
};
using elements = ::testing::Types<float, double, f16, bf16>;
TYPED_TEST_SUITE(cuda_scan, elements);

TYPED_TEST(cuda_scan, gives_the_host_s_bits_for_any_count) {
  const auto counts = test::cases<std::size_t>(
      {1, 2, 31, 32, 33, 64, 255, 256, 257, 1000, 2047, 2048, 2049, 2080, 4096, 4097, 6200},
      {33, 2049, 6200});
  for (const std::size_t n : counts) TestFixture::expect_all(1, n, 0);
}

TYPED_TEST(cuda_scan, does_not_depend_on_the_grid) {
  test::for_each_grid([] {
    TestFixture::expect_all(1, 20500, 0);
    TestFixture::expect_all(5, 2100, 3);
  });
}

TYPED_TEST(cuda_scan, of_rows) {
  TestFixture::expect_all(70, 5, 2);
  TestFixture::expect_all(3, 4100, 0);
}

TEST(cuda_scan_levels, are_as_many_as_it_takes) {
  // A block and two chunks, the last of them in part.
  constexpr std::size_t n = 512 * 2048 + 2049;
  for (const std::size_t k : {0, 2})
    cuda_scan<float>::expect_scan(all_scans<float>[k], 1, n, 0, random_values<float>(n, 1, false));
  EXPECT_EQ(cuda::scan_scratch_bytes<float>(2048), 0u);
  // Of three rows two chunks and a block each, every array up to a multiple of 8 bytes.
  EXPECT_EQ(cuda::scan_scratch_bytes<f16>(2049, 3), 2u * 24 + 2 * 16);
  EXPECT_EQ(cuda::scan_scratch_bytes<double>(n), (2u * 514 + 2 * 2) * 8);
}

TYPED_TEST(cuda_scan, treats_special_values_as_the_host_does) {
  using X = TypeParam;
  constexpr double inf = test::infinity<double>;
  const auto specials =
      test::cases<double>({0.0, -0.0, 0x1p-24, -0x1p-149, inf, -inf, -test::any_nan<double>, 1}, {-0.0, inf});
  test::words random(2);
  for (const std::size_t n : test::cases<std::size_t>({1, 40, 2100, 4100}, {2100})) {
    for (const double special : specials) {
      std::vector<X> x(n, test::nearest<X>(-0.0)), few(n, test::nearest<X>(1.5));
      x[n / 2] = few[random.below(n)] = few[random.below(n)] = test::nearest<X>(special);
      few[random.below(n)] = test::nearest<X>(-special);
      for (const auto& what : all_scans<X>) {
        this->expect_scan(what, 1, n, 0, x);
        this->expect_scan(what, 1, n, 0, few);
      }
    }
  }
}

TYPED_TEST(cuda_scan, can_be_captured) {
  using X = TypeParam;
  const std::size_t n = 2500, bytes = cuda::scan_scratch_bytes<X>(n);
  device_rows<X> x(1, n, 0), y(1, n, 0);
  device_array<unsigned char> scratch(bytes);
  const test::device_stream on;
  const test::device_graph graph(
      on, [&] { cuda::cumsum<X>(on, x.on_device().data, n, y.on_device().data, scratch.data(), bytes); });
  for (const std::uint64_t seed : {1u, 2u, 1u}) {
    x.set(random_values<X>(n, seed, false));
    graph.replay(on);
    on.wait();
    cumsum(x.on_host().data, n, y.on_host().data);
    EXPECT_TRUE(y.memory.holds(y.host));
  }
}

TEST(cuda_scan_errors, refuses_what_the_host_does_and_too_little_scratch) {
  const std::size_t n = 5000, bytes = cuda::scan_scratch_bytes<float>(n);
  device_rows<float> x(1, n, 0), y(1, n, 0);
  device_array<unsigned char> scratch(bytes);
  float *const px = x.on_device().data, *const py = y.on_device().data;
  const auto refuses = [&](const float* in, float* out, void* work, std::size_t size, const char* mentioned) {
    test::expect_refusal([&] { cuda::cumsum<float>(nullptr, in, n, out, work, size); },
                         {"rivus::cuda::cumsum", mentioned});
    test::expect_refusal([&] { cuda::exclusive_cumprod<float>(nullptr, in, n, out, work, size); },
                         {"rivus::cuda::exclusive_cumprod", mentioned});
  };
  refuses(nullptr, py, scratch.data(), bytes, "x is null");
  refuses(px, nullptr, scratch.data(), bytes, "y is null");
  refuses(px, px + 1, scratch.data(), bytes, "y overlaps x");
  refuses(px, py, nullptr, bytes, "scratch is null");
  refuses(px, py, scratch.data(), bytes - 1, ("needs " + std::to_string(bytes)).c_str());
  refuses(px, py, scratch.data() + 4, bytes, "aligned to 8");
  test::expect_refusal(
      [&] { cuda::cumsum_rows<float>(nullptr, {px, 2, 50}, {py, 2, 51}, scratch.data(), bytes); },
      {"rivus::cuda::cumsum_rows", "x is 2 x 50", "y is 2 x 51"});
  const std::uint64_t before = test::launches();
  cuda::cumsum<float>(nullptr, nullptr, 0, nullptr, nullptr, 0);
  EXPECT_EQ(test::launches(), before);
  EXPECT_TRUE(y.memory.untouched());
  EXPECT_TRUE(scratch.untouched());
}

TEST(cuda_scan_errors, say_which_call_failed_and_where) {
  const std::size_t n = 5000, bytes = cuda::scan_scratch_bytes<double>(n);
  device_rows<double> x(1, n, 0), y(1, n, 0);
  device_array<unsigned char> scratch(bytes);
  const auto sums = [&](std::size_t count) {
    return [&, count] {
      cuda::cumsum<double>(nullptr, x.on_device().data, count, y.on_device().data, scratch.data(), bytes);
    };
  };
  test::expect_failure(sums(5000), {"rivus::cuda::cumsum", "launch of total_chunks"});
  test::expect_failure(sums(5), {"rivus::cuda::cumsum", "launch of scan_values"});
  EXPECT_TRUE(y.memory.untouched());
}

}  // namespace
}  // namespace rivus
