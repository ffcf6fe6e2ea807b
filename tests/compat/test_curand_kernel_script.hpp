// The calls that the tests of <curand_kernel.h> make, and what NVIDIA's header makes of them.
#ifndef RIVUS_TESTS_COMPAT_TEST_CURAND_KERNEL_SCRIPT_HPP
#define RIVUS_TESTS_COMPAT_TEST_CURAND_KERNEL_SCRIPT_HPP

#include <cstdint>
#include <memory>

namespace rivus::test {

struct call {
  enum kind : int {
    init,
    skip,
    skip_sequence,
    // From here on, values that are equal to the bit ...
    word,
    word4,
    uniform,
    uniform4,
    uniform_double,
    uniform2_double,
    uniform4_double,
    discrete,
    discrete4,
    // ... and such that are near.
    normal,
    normal2,
    normal4,
    log_normal,
    log_normal2,
    log_normal4,
    normal_double,
    normal2_double,
    normal4_double,
    log_normal_double,
    log_normal2_double,
    log_normal4_double,
    // As many words as it takes.
    poisson,
    poisson4,
    kinds
  };
  kind what = word;
  std::uint64_t n = 0;  // the seed of init
  std::uint64_t subsequence = 0, offset = 0;
  double a = 0, b = 0;  // mean and stddev, or lambda
};

struct drawn {
  double value[4];
  std::int64_t count;
};

// A histogram of the test's own, or with length 0 a normal.
struct table {
  const double* V;
  const std::uint32_t* K;
  std::uint32_t shift, length;
  double mean, stddev;
};

// NVIDIA's functions with a state of their own.
class oracle {
 public:
  virtual ~oracle() = default;
  virtual drawn operator()(const call& c) = 0;
};
std::unique_ptr<oracle> make_oracle(const table& t);
drawn oracle_normals_of(std::uint32_t x, std::uint32_t y);
// A block of Philox and the constants of the headers.
struct fixed_values {
  std::uint32_t block[4];
  double constants[12];
};
fixed_values oracle_fixed_values();
drawn oracle_normals_of(const std::uint32_t (&w)[4]);
drawn oracle_uniforms_of(std::uint32_t x, std::uint32_t y);  // float, double, double of both
unsigned long oracle_state_size();

}  // namespace rivus::test

#endif
