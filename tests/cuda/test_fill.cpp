#include <rivus/cuda/fill.hpp>

#include "../distributions.hpp"
#include "../events.hpp"
#include "device.hpp"

namespace rivus {
namespace {

using test::device_array;

constexpr std::uint64_t last = ~std::uint64_t{0};
constexpr stream s = stream::from_seed(42)["fill"];

template <class D>
using value_of = typename D::value_type;

template <class D>
std::vector<value_of<D>> elements(stream from, D d, std::uint64_t first, std::size_t n) {
  std::vector<value_of<D>> values(n);
  fill(values.data(), n, from, d, first);
  return values;
}

// Places for fills of up to n values: one aligned to 16 bytes, others not.
template <class T>
class places {
 public:
  explicit places(std::size_t n) : aligned_(n), next_(n, sizeof(T)), odd_(n, 3 * sizeof(T)) {}

  template <class D>
  void expect_fill(stream from, D d, std::uint64_t first, std::size_t n, const T* expected) {
    for (device_array<T>* out : {&aligned_, turn_++ % 2 != 0 ? &next_ : &odd_}) {
      cuda::fill(nullptr, out->data(), n, from, d, first);
      ASSERT_TRUE(out->holds(expected, n)) << "first " << first;
    }
  }

 private:
  device_array<T> aligned_, next_, odd_;
  unsigned turn_ = 0;
};

class cuda_fill : public test::device_test {};

TEST_F(cuda_fill, gives_the_elements_for_any_count_index_and_alignment) {
  const auto counts =
      test::cases<std::size_t>({0,  1,  2,  3,  4,   5,   7,   8,   9,   15,   16,   17,   31,   32,
                                33, 63, 64, 65, 127, 129, 255, 256, 257, 1023, 1024, 1025, 4095, 4097},
                               {0, 1, 5, 257, 2049});
  const auto firsts = test::cases<std::uint64_t>({0, 1, 2, 3, 4, 6, 1021}, {0, 3});
  test::for_each_distribution([&](const char* name, auto d) {
    SCOPED_TRACE(name);
    places<value_of<decltype(d)>> out(counts.back());
    for (const std::uint64_t first : firsts) {
      const auto expected = elements(s, d, first, counts.back());
      for (const std::size_t n : counts) out.expect_fill(s, d, first, n, expected.data());
    }
  });
}

TEST_F(cuda_fill, gives_the_elements_around_2_to_the_32_blocks_and_up_to_the_last) {
  constexpr std::size_t longest = 2500;
  const auto streams =
      test::cases<stream>({s, stream{last, last}, stream{0x8000000080000000, 0xFFFFFFFF00000000},
                           stream{1, std::uint64_t{1} << 63}},
                          {stream{0x8000000080000000, 0xFFFFFFFF00000000}});
  // Around 2^32 blocks of two and of four elements; 8 before lies within what one thread stores of bernoulli.
  const auto powers = test::cases<int>({33, 34, 63}, {33, 34});
  const auto befores = test::cases<std::uint64_t>({1201, 1024, 1032, 8, 7}, {1032});
  test::for_each_distribution([&](const char* name, auto d) {
    SCOPED_TRACE(name);
    places<value_of<decltype(d)>> out(longest);
    for (const stream from : streams) {
      for (const int power : powers) {
        for (const std::uint64_t before : befores) {
          const std::uint64_t first = (std::uint64_t{1} << power) - before;
          const auto expected = elements(from, d, first, longest);
          for (const std::size_t n : {std::size_t{before}, std::size_t{before + 1}, longest}) {
            out.expect_fill(from, d, first, n, expected.data());
          }
        }
      }
      for (const std::size_t n : {1u, 2u, 5u, 64u, 257u, 2500u}) {
        const std::uint64_t first = last - (n - 1);
        out.expect_fill(from, d, first, n, elements(from, d, first, n).data());
      }
    }
  });
}

TEST_F(cuda_fill, does_not_depend_on_the_grid) {
  constexpr std::size_t n = 20011;
  test::for_each_distribution([&](const char* name, auto d) {
    SCOPED_TRACE(name);
    const auto expected = elements(s, d, 4, n);
    places<value_of<decltype(d)>> out(n);
    test::for_each_grid([&] { out.expect_fill(s, d, 4, n, expected.data()); });
  });
}

// Long fills go tile by tile: where there are more tiles than blocks, which a small grid brings about, or a thousand.
TEST_F(cuda_fill, goes_tile_by_tile) {
  constexpr std::size_t n = 3 * 4096 + 777;
  for (const int blocks : {1, 2}) {
    const test::forced_grid forced(blocks);
    test::for_each_distribution([&](const char* name, auto d) {
      SCOPED_TRACE(name);
      const std::uint64_t first = (std::uint64_t{1} << 34) - 8192;
      device_array<value_of<decltype(d)>> out(n);
      cuda::fill(nullptr, out.data(), n, s, d, first);
      EXPECT_TRUE(out.holds(elements(s, d, first, n)));
    });
  }
  if (test::few_cases()) return;
  constexpr std::size_t many = 1025 * std::size_t{4096} + 5;
  const bernoulli d{0.3};
  device_array<std::uint8_t> out(many);
  cuda::fill(nullptr, out.data(), many, s, d, 16);
  EXPECT_TRUE(out.holds(elements(s, d, 16, many)));
}

// Events whose word equals the first digit of p, or nearly: kernels treat them apart.
TEST_F(cuda_fill, decides_events_by_further_digits) {
  constexpr std::size_t n = 4096 + 1024 + 50;  // a tile, units of 16, and a part of one
  places<std::uint8_t> out(n);
  const auto expect_events = [&](stream from, std::uint64_t i, std::uint64_t first) {
    for (const double p : test::probabilities_at(from.word(i))) {
      const auto expected = elements(from, bernoulli{p}, first, n);
      ASSERT_EQ(expected[i - first], test::expected_event(from, i, p));
      out.expect_fill(from, bernoulli{p}, first, n, expected.data());
      const cuda::position at(first);
      device_array<std::uint8_t> positioned(n);
      cuda::fill(nullptr, positioned.data(), n, from, bernoulli{p}, at);
      ASSERT_TRUE(positioned.holds(expected));
    }
  };
  const auto [from, b] = test::equal_words;
  test::for_each_grid([&] {
    for (const std::uint64_t first : test::cases<std::uint64_t>({0, 5}, {0})) {
      for (const std::uint64_t at :
           test::cases<std::uint64_t>({0, 1, 2, 3, 7, 15, 1030, 4095, 4096, 5119, 5120, n - 1}, {3, n - 1}))
        expect_events(s, first + at, first);
    }
    for (const std::uint64_t before : {0u, 4u, 4099u}) expect_events(from, 4 * b, 4 * b - before);
  });
  const std::uint64_t first = last - (n - 1);
  for (const std::uint64_t before : {0u, 49u, 50u, 1200u}) expect_events(s, last - before, first);
}

TEST_F(cuda_fill, reads_its_first_index_from_the_device) {
  for (const std::uint64_t first :
       {std::uint64_t{0}, std::uint64_t{7}, (std::uint64_t{1} << 34) - 1000, last - 1999}) {
    const cuda::position at(first);
    test::for_each_distribution([&](const char* name, auto d) {
      SCOPED_TRACE(name);
      const auto expected = elements(s, d, first, 2000);
      device_array<value_of<decltype(d)>> out(expected.size());
      cuda::fill(nullptr, out.data(), expected.size(), s, d, at);
      EXPECT_TRUE(out.holds(expected));
    });
  }
}

TEST_F(cuda_fill, runs_in_the_order_of_its_stream) {
  const test::device_stream on;
  device_array<double> out(3001);
  for (int i = 0; i < 20; ++i) cuda::fill(on, out.data(), 3001, s[i], normal<double>{});
  on.wait();
  EXPECT_TRUE(out.holds(elements(s[19], normal<double>{}, 0, 3001)));
}

template <class D>
void expect_refusal(D d, std::initializer_list<const char*> mentioned, std::size_t n = 100,
                    std::uint64_t first = 0) {
  device_array<value_of<D>> out(n);
  test::expect_refusal([&] { cuda::fill(nullptr, out.data(), n, s, d, first); }, {"rivus::cuda::fill"});
  test::expect_refusal([&] { cuda::fill(nullptr, out.data(), n, s, d, first); }, mentioned);
  EXPECT_TRUE(out.untouched());
}

TEST(cuda_fill_errors, refuses_what_the_host_refuses) {
  expect_refusal(uniform<float>{2, 1}, {"b = 1", "greater than a"});
  expect_refusal(uniform<double>{0, test::infinity<double>}, {"b = inf", "finite"});
  expect_refusal(normal<float>{0, -1.5f}, {"stddev = -1.5", "not negative"});
  expect_refusal(exponential<double>{-3}, {"rate = -3"});
  expect_refusal(bernoulli{1.25}, {"p = 1.25", "[0, 1]"});
  expect_refusal(integer<std::int32_t>{4, 4}, {"hi = 4", "greater than lo"});
  expect_refusal(integer<std::uint64_t>{last, 5}, {"hi = 5"});
  expect_refusal(normal<float>{0, -1}, {"stddev"}, 0);
  expect_refusal(normal<double>{}, {"first", std::to_string(last - 98).c_str(), "2^64"}, 100, last - 98);
  test::expect_refusal([] { cuda::fill(nullptr, static_cast<float*>(nullptr), 3, s, uniform<float>{}); },
                       {"rivus::cuda::fill", "out", "null", "3"});
  EXPECT_NO_THROW(cuda::fill(nullptr, static_cast<float*>(nullptr), 0, s, uniform<float>{}));
  float untouched;
  test::expect_refusal([&] { cuda::fill(nullptr, &untouched, -1, s, uniform<float>{}); },
                       {"rivus::cuda::fill", "n = 18446744073709551615", "exceeds the memory"});
}

TEST(cuda_fill_errors, leave_an_earlier_error_of_the_caller_alone) {
  device_array<float> x(16);
  const cudaError_t theirs = cudaSetDevice(12345);
  ASSERT_NE(theirs, cudaSuccess);
  EXPECT_NO_THROW(cuda::fill(nullptr, x.data(), 16, s, uniform<float>{}));
  EXPECT_EQ(cudaGetLastError(), theirs);
}

TEST(cuda_fill_errors, say_which_call_failed_and_where) {
  device_array<float> out(100);
  test::expect_failure([&] { cuda::fill(nullptr, out.data(), 100, s, uniform<float>{}); },
                       {"rivus::cuda::fill", "launch of fill_aligned"});
  test::expect_failure([&] { cuda::fill(nullptr, out.data(), 99, s, uniform<float>{}, 1); },
                       {"rivus::cuda::fill", "launch of fill_staged"});
  device_array<std::uint8_t> events(100);
  test::expect_failure([&] { cuda::fill(nullptr, events.data(), 100, s, bernoulli{1}); },
                       {"rivus::cuda::fill", "cudaMemsetAsync"});
  EXPECT_TRUE(out.untouched());
  EXPECT_TRUE(events.untouched());
}

}  // namespace
}  // namespace rivus
