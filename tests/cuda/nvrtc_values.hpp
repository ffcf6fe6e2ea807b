// What a thread computes, in a program compiled at run time and on the host.
#ifndef RIVUS_TESTS_CUDA_NVRTC_VALUES_HPP
#define RIVUS_TESTS_CUDA_NVRTC_VALUES_HPP

#include <rivus/compat/curand_kernel.h>

#include <rivus/rivus.hpp>

constexpr int values_each = 48;

// A lambda would have to be marked for the device.
struct value_writer {
  std::uint64_t*& out;
  template <class T>
  RIVUS_HD void operator()(T value) const {
    if constexpr (std::is_floating_point_v<T>) {
      *out++ = rivus::real::to_bits(value);
    } else {
      *out++ = static_cast<std::uint64_t>(value);
    }
  }
};

RIVUS_HD void values_of(std::uint64_t i, std::uint64_t* out) {
  using namespace rivus;
  const stream s = stream::from_seed(42)["nvrtc"][i].lane(i);
  const value_writer put{out};
  put(bits<std::uint64_t>{}(s, i));
  put(uniform<float>{}(s, i));
  put(uniform<double, interval::oo>{}(s, i));
  put(uniform<double>{-0.3, 17.1}(s, i));
  put(normal<float>{}(s, i));
  put(normal<double>{1, 2}.quad(s, i)[3]);
  put(exponential<float>{}(s, i));
  put(exponential<double>{0.3}(s, i));
  // One by one and in fours, of both halves of a block.
  put(exponential<double>{}(s, i));
  put(exponential<double>{}(s, i + 1));
  put(uniform<double, interval::oc>{}(s, i + 1));
  put(normal<double>{}(s, i));
  put(normal<double>{}(s, i + 1));
  put(bits<std::int64_t>{}(s, i) >= 0x4000000000000000);
  put(bits<std::uint64_t>{}(s, i) >= 0xC000000000000000u);
  put(s.bits64(i + 1) < 0x8000000000000000u);
  for (int j = 0; j < 4; ++j) {
    put(exponential<double>{0.3}.quad(s, i)[j]);
    put(bits<std::uint64_t>{}.quad(s, i)[j] < 0xC000000000000000u);
    put(uniform<double>{-0.3, 17.1}.quad(s, i)[j]);
    put(normal<double>{}.quad(s, i)[j]);
  }
  put(bernoulli{0.3}(s, i));
  put(integer<std::int64_t>{-7, 1000000000000}(s, i));
  put(below(s, i, ~std::uint64_t{0}));
  put(*draws(s, normal<float>{}, i));
  cursor words(s, i);
  put(words());
  put(normal<double>{}(words));
  philox4x32_engine narrow(static_cast<std::uint32_t>(i));
  narrow.discard(i);
  put(narrow());
  philox4x64_engine wide(i);
  put(wide());
  std::uint32_t items[] = {0, 1, 2, 3, 4};
  shuffle(items, items + 5, s);
  put(items[0] + 5 * items[1] + 25 * items[2]);
  put(static_cast<float>(f16(1.1f)));
  curandStatePhilox4_32_10_t state;
  curand_init(i, 2 * i, 3 * i, &state);
  put(curand(&state));
  put(curand_uniform(&state));
  put(curand_normal(&state));
  put(curand_normal2_double(&state).y);
  put(curand_log_normal(&state, 0.1f, 1.3f));
  put(curand_poisson(&state, 1.5 + static_cast<double>(i)));
}

#endif
