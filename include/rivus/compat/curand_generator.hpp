// What the generators of cuRAND's host interface share, on the CPU and with CUDA.
#ifndef RIVUS_COMPAT_CURAND_GENERATOR_HPP
#define RIVUS_COMPAT_CURAND_GENERATOR_HPP

#include <rivus/compat/curand.h>

#include <exception>
#include <memory>
#include <new>
#include <rivus/compat/curand_draws.hpp>
#include <rivus/compat/curand_position.hpp>
#include <variant>

namespace rivus::compat {

// f() where nothing may be thrown.
template <class F>
curandStatus_t without_exceptions(F f) noexcept {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return CURAND_STATUS_ALLOCATION_FAILED;
  } catch (...) {
    return CURAND_STATUS_INTERNAL_ERROR;
  }
}

// The square histogram of a Poisson distribution with a mean below 2000.
struct poisson_histogram {
  double mean = 0;
  std::vector<double> thresholds;
  std::vector<std::uint32_t> alternatives;
  std::uint32_t shift = 0;

  poisson_histogram() = default;
  explicit poisson_histogram(double mean);

  curand_discrete_distribution distribution() const {
    return {
        thresholds.data(), alternatives.data(), shift, static_cast<std::uint32_t>(thresholds.size()), 0, 0};
  }
};

// From here on Poisson draws are rounded normals, and beyond the second there are none.
inline constexpr double poisson_normal_from = 2000, poisson_largest_mean = 400000;

// A Poisson draw with any mean that has one, and without a histogram where it needs none.
bool is_poisson_mean(double mean);
curand_discrete_distribution rounded_poisson(double mean);

// Distributions by their place, with what frees them.
void keep_distribution(curandDiscreteDistribution_t place, std::shared_ptr<void> owner);

using any_draw =
    std::variant<word_draw, uniform_draw, uniform_double_draw, normal_draw<float>, normal_draw<double>,
                 log_normal_draw<float>, log_normal_draw<double>, histogram_draw, rounded_normal_draw>;

struct generator {
  virtual ~generator() = default;
  virtual curandStatus_t set_stream(cudaStream_t) { return CURAND_STATUS_SUCCESS; }

  curandStatus_t set_seed(std::uint64_t seed);
  curandStatus_t set_offset(std::uint64_t offset);
  curandStatus_t set_ordering(curandOrdering_t ordering);
  curandStatus_t restart();
  // n > 0 values to `out`.
  curandStatus_t generate(const any_draw& draw, void* out, std::size_t n);
  curandStatus_t generate_poisson(double mean, std::uint32_t* out, std::size_t n);

 protected:
  // The next Poisson draw makes its histogram readable again.
  void forget_histogram() { histogram_.mean = 0; }

 private:
  // Values of the route from output `lane` of its first group on.
  virtual curandStatus_t fill(const curand_route& route, unsigned lane, const any_draw& draw, void* out,
                              std::size_t n) = 0;
  // The histogram where the generator's draws can read it, until the next one.
  virtual curandStatus_t make_readable(const poisson_histogram&, curand_discrete_distribution&) {
    return CURAND_STATUS_SUCCESS;
  }

  std::uint64_t seed_ = 0;
  curandOrdering_t ordering_ = CURAND_ORDERING_PSEUDO_DEFAULT;
  curand_position position_;
  poisson_histogram histogram_;
  curand_discrete_distribution readable_{};
};

// CURAND_STATUS_TYPE_ERROR for what is not Philox.
}  // namespace rivus::compat

// The name that programs know.
struct curandGenerator_st : rivus::compat::generator {};

namespace rivus::compat {

inline curandStatus_t check_type(const curandGenerator_t* generator, curandRngType_t type) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  return type == CURAND_RNG_PSEUDO_DEFAULT || type == CURAND_RNG_PSEUDO_PHILOX4_32_10
             ? CURAND_STATUS_SUCCESS
             : CURAND_STATUS_TYPE_ERROR;
}

}  // namespace rivus::compat

#endif
