// The headers inside kernels, compared with the host. No arithmetic of its own on reals: the lint reads this file's
// PTX as that of the headers.
#include <rivus/rivus.hpp>

#include "../distributions.hpp"
#include "device.hpp"

namespace rivus {
namespace {

using test::device_array;

constexpr stream s = stream::from_seed(42)["kernel"];
constexpr unsigned block = 128;

unsigned blocks_for(std::size_t n) { return static_cast<unsigned>((n + block - 1) / block); }

void launched() { test::succeed(cudaGetLastError(), "kernel launch"); }

__device__ std::uint64_t thread_index() { return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; }

// Elements 4 first .. 4 first + 4 n - 1, one by one and in fours.
template <class D>
__global__ void draw(typename D::value_type* ones, typename D::value_type* fours, std::uint64_t n,
                     stream from, std::uint64_t first, D d) {
  const std::uint64_t i = thread_index();
  if (i >= n) return;
  const auto q = d.quad(from, first + i);
  for (int j = 0; j < 4; ++j) {
    const std::uint64_t at = 4 * i + static_cast<std::uint64_t>(j);
    ones[at] = d(from, 4 * first + at);
    fours[at] = q[j];
  }
}

class cuda_kernel : public test::device_test {
 protected:
  template <class D>
  static void expect_draws(stream from, std::uint64_t first, D d) {
    using value = typename D::value_type;
    const std::size_t n = test::few_cases() ? 40 : 1000;
    device_array<value> ones(4 * n), fours(4 * n);
    draw<<<blocks_for(n), block>>>(ones.data(), fours.data(), n, from, first, d);
    launched();
    std::vector<value> expected(4 * n);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = d(from, 4 * first + i);
    EXPECT_TRUE(ones.holds(expected));
    EXPECT_TRUE(fours.holds(expected));
  }
};

TEST_F(cuda_kernel, draws_of_each_distribution_one_by_one_and_in_fours) {
  const auto expect = [](const char* name, auto d) {
    SCOPED_TRACE(name);
    expect_draws(s, 0, d);
    expect_draws(s.lane(std::uint64_t{1} << 63), (std::uint64_t{1} << 32) - 20, d);
    expect_draws(stream{~std::uint64_t{0}, ~std::uint64_t{0}}, (std::uint64_t{1} << 62) - 2000, d);
  };
  test::for_each_distribution(expect);
  expect("integer i8", integer<std::int8_t>{-100, 100});
  expect("integer u16", integer<std::uint16_t>{7, 60000});
}

// All ways to words, as numbers to compare.
constexpr int addressed = 28;
__host__ __device__ void address(stream from, std::uint64_t i, std::uint64_t* out) {
  const auto put = [&out](std::uint64_t x) { *out++ = x; };
  const char name[] = "a name of more than twelve bytes";
  for (const stream t : {from["dropout"], from[name], from[i], from["17"], from[-1]["deep"][i % 3].lane(i),
                         from.lane(i).lane(~std::uint64_t{0}), from.redraw(3)}) {
    put(t.key);
    put(t.nonce);
  }
  put(from[17] == from["17"]);
  put(from.word(i));
  put(from.bits32(~i));
  put(from.bits64(i));
  const auto words = from.block(~i);
  for (int j = 0; j < 4; ++j) put(words[j]);
  cursor c(from, i);
  put(c());
  put(c());
  c.discard(5);
  put(c());
  c.seek(~std::uint64_t{0});
  put(c());
  put(c());
  put(c.position());
}
__global__ void address_all(stream from, std::uint64_t* out, std::uint64_t n) {
  const std::uint64_t i = thread_index();
  if (i < n) address(from, i, out + addressed * i);
}

TEST_F(cuda_kernel, children_lanes_words_and_cursors) {
  constexpr std::size_t n = 300;
  device_array<std::uint64_t> out(addressed * n);
  address_all<<<blocks_for(n), block>>>(s, out.data(), n);
  launched();
  std::vector<std::uint64_t> expected(addressed * n);
  for (std::size_t i = 0; i < n; ++i) address(s, i, &expected[addressed * i]);
  EXPECT_TRUE(out.holds(expected));
}

__global__ void shuffle_all(std::uint32_t* items, int each, stream from, std::uint64_t n) {
  const std::uint64_t i = thread_index();
  if (i < n)
    shuffle(items + i * static_cast<unsigned>(each), items + (i + 1) * static_cast<unsigned>(each), from[i]);
}

TEST_F(cuda_kernel, shuffles) {
  constexpr std::size_t n = 70;
  for (const int each : {0, 1, 2, 33}) {
    const auto length = static_cast<std::size_t>(each);
    std::vector<std::uint32_t> items(n * length);
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<std::uint32_t>(i);
    device_array<std::uint32_t> out(items);
    shuffle_all<<<blocks_for(n), block>>>(out.data(), each, s, n);
    launched();
    for (std::size_t i = 0; i < n; ++i) {
      std::uint32_t* const begin = items.data() + i * length;
      shuffle(begin, begin + length, s[i]);
    }
    EXPECT_TRUE(out.holds(items));
  }
}

template <class T>
__global__ void exponentiate(const T* x, T* y, std::uint64_t n) {
  const std::uint64_t i = thread_index();
  if (i < n) y[i] = real::exp(x[i]);
}

template <class T>
void expect_exponentials() {
  std::vector<T> x;
  for (const auto w : test::edge_and_random_words<test::word_of<T>>(3000, 4))
    x.push_back(test::as_real<T>(w));
  test::words random(9);
  for (int i = 0; i < 3000; ++i) x.push_back(random.wide_real<T>(10));
  device_array<T> in(x), out(x.size());
  exponentiate<<<blocks_for(x.size()), block>>>(in.data(), out.data(), x.size());
  launched();
  std::vector<T> expected;
  for (const T value : x) expected.push_back(real::exp(value));
  EXPECT_TRUE(out.holds(expected));
}

TEST_F(cuda_kernel, exponential_function) {
  expect_exponentials<float>();
  expect_exponentials<double>();
}

}  // namespace
}  // namespace rivus
