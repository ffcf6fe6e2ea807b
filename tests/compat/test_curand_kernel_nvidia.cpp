// NVIDIA's <curand_kernel.h>, compiled for the CPU, as the oracle of test_curand_kernel.
#include <cmath>
#define QUALIFIERS static inline
#include <cuda_runtime_api.h>
#include <curand_kernel.h>
#include <vector_functions.h>

#include "test_curand_kernel_calls.hpp"

namespace rivus::test {
namespace {

class nvidia : public oracle {
 public:
  explicit nvidia(const table& t) {
    histogram_.V = const_cast<double*>(t.V);
    histogram_.K = const_cast<std::uint32_t*>(t.K);
    shifted_.histogram = &histogram_;
    shifted_.shift = t.shift;
    shifted_.length = t.length;
    distribution_.M2 = &shifted_;
    distribution_.mean = t.mean;
    distribution_.stddev = t.stddev;
    distribution_.method = t.length != 0 ? CURAND_M2 : CURAND_DEFINITION;
  }
  nvidia(const nvidia&) = delete;
  nvidia& operator=(const nvidia&) = delete;
  drawn operator()(const call& c) override { return perform(c, &state_, &distribution_); }

 private:
  curandHistogramM2_st histogram_{};
  curandDistributionM2Shift_st shifted_{};
  curandDiscreteDistribution_st distribution_{};
  curandStatePhilox4_32_10_t state_{};
};

}  // namespace

std::unique_ptr<oracle> make_oracle(const table& t) { return std::make_unique<nvidia>(t); }
drawn oracle_normals_of(std::uint32_t x, std::uint32_t y) {
  taker t{};
  t.two(_curand_box_muller(x, y));
  return t.d;
}
drawn oracle_normals_of(const std::uint32_t (&w)[4]) {
  taker t{};
  t.two(_curand_box_muller_double(w[0], w[1], w[2], w[3]));
  return t.d;
}
drawn oracle_uniforms_of(std::uint32_t x, std::uint32_t y) {
  taker t{};
  t.one(static_cast<double>(_curand_uniform(x)));
  t.one(_curand_uniform_double(x));
  t.one(_curand_uniform_double_hq(x, y));
  return t.d;
}
fixed_values oracle_fixed_values() { return values_of_header(); }
unsigned long oracle_state_size() { return sizeof(curandStatePhilox4_32_10_t); }

}  // namespace rivus::test
