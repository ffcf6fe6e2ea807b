#include <rivus/cuda/fill.hpp>
#include <rivus/cuda/position.hpp>
#include <rivus/cuda/reduce.hpp>
#include <rivus/reduce.hpp>

#include "device.hpp"

namespace rivus {
namespace {

using test::device_array;

constexpr stream s = stream::from_seed(42)["position"];
constexpr std::uint64_t last = ~std::uint64_t{0};

std::uint64_t value_of(const cuda::position& p) {
  std::uint64_t value = 0;
  test::succeed(cudaMemcpy(&value, p.device_pointer(), sizeof value, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return value;
}

class cuda_position : public test::device_test {};

TEST_F(cuda_position, is_set_and_advances_modulo_2_to_the_64) {
  cuda::position p(5);
  EXPECT_EQ(value_of(p), 5u);
  p.advance(nullptr, std::uint64_t{1} << 40);
  EXPECT_EQ(value_of(p), (std::uint64_t{1} << 40) + 5);
  p.set(nullptr, last);
  EXPECT_EQ(value_of(p), last);
  p.advance(nullptr, 3);
  EXPECT_EQ(value_of(p), 2u);
  EXPECT_EQ(value_of(cuda::position()), 0u);
}

TEST_F(cuda_position, a_fill_beyond_the_last_element_goes_on_at_the_first) {
  const cuda::position p(last - 2);
  std::vector<float> expected(10);
  fill(expected.data(), 3, s, normal<float>{}, last - 2);
  fill(expected.data() + 3, 7, s, normal<float>{}, 0);
  device_array<float> out(10);
  cuda::fill(nullptr, out.data(), 10, s, normal<float>{}, p);
  EXPECT_TRUE(out.holds(expected));
}

TEST_F(cuda_position, a_captured_graph_draws_fresh_values_at_each_replay) {
  constexpr std::size_t n = 3001;
  cuda::position p(100);
  device_array<float> out(n);
  device_array<double> doubles(n);
  device_array<float> total(1);
  device_array<unsigned char> scratch(cuda::scratch_bytes<float>(n));
  const test::device_stream on;
  const test::device_graph graph(on, [&] {
    cuda::fill(on, out.data(), n, s, normal<float>{}, p);
    cuda::fill(on, doubles.data(), n, s["doubles"], uniform<double>{-1, 1}, p);
    cuda::sum<float>(on, out.data(), n, total.data(), scratch.data(), scratch.size_bytes());
    p.advance(on, n);
  });
  const auto expect_replay = [&](std::uint64_t first) {
    SCOPED_TRACE(first);
    graph.replay(on);
    on.wait();
    std::vector<float> x(n);
    fill(x.data(), n, s, normal<float>{}, first);
    std::vector<double> y(n);
    fill(y.data(), n, s["doubles"], uniform<double>{-1, 1}, first);
    const float expected = sum(x.data(), n);
    EXPECT_TRUE(out.holds(x));
    EXPECT_TRUE(doubles.holds(y));
    EXPECT_TRUE(total.holds(&expected, 1));
  };
  for (const std::uint64_t replay : {0u, 1u, 2u}) expect_replay(100 + replay * n);
  p.set(on, std::uint64_t{1} << 33);
  expect_replay(std::uint64_t{1} << 33);
  expect_replay((std::uint64_t{1} << 33) + n);
}

TEST(cuda_position_errors, say_which_call_failed_and_where) {
  cuda::position p(7);
  test::expect_failure([&] { p.advance(nullptr, 1); },
                       {"rivus::cuda::position::advance", "launch of advance_position"});
  test::expect_failure([&] { p.set(nullptr, 1); }, {"rivus::cuda::position::set", "launch of set_position"});
  EXPECT_EQ(value_of(p), 7u);
  test::expect_failure([] { const cuda::position none; }, {"rivus::cuda::position", "cudaMalloc"},
                       cudaErrorStreamCaptureUnsupported);
}

}  // namespace
}  // namespace rivus
