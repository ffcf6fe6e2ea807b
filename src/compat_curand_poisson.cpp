// Poisson distributions as cuRAND tabulates them.
#include <map>
#include <mutex>
#include <rivus/compat/curand_generator.hpp>
#include <utility>

#include "environment.hpp"

namespace rivus::compat {
namespace {

// ln k!, by Stirling's series; a sum of logarithms where that would not be accurate.
double log_factorial(unsigned k) {
  using namespace real;
  double below = 0;
  double x = static_cast<double>(k);
  for (; x < 16; x = add(x, 1.0)) below = add(below, log(add(x, 1.0)));
  const double inverse = div(1.0, x);
  const double series = polynomial(mul(inverse, inverse), 1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680);
  constexpr double half_log_two_pi = 0x1.d67f1c864beb5p-1;
  const double stirling = add(fma(add(x, 0.5), log(x), sub(half_log_two_pi, x)), mul(series, inverse));
  return sub(stirling, below);
}

double probability(double mean, double log_mean, unsigned k) {
  return real::exp(real::sub(real::fma(static_cast<double>(k), log_mean, real::neg(mean)), log_factorial(k)));
}

}  // namespace

// Source: Marsaglia, Tsang and Wang 2004, "Fast generation of discrete random variables", section 2. cuRAND has
// the donors from the last value down, and looks for receivers from where it found the last, round and round.
poisson_histogram::poisson_histogram(double mean_) : mean(mean_) {
  // Whatever the caller's modes are.
  const default_environment environment;
  const double log_mean = real::log(mean);
  // All values whose probability is not zero in a double.
  const auto mode = static_cast<unsigned>(mean);
  unsigned begin = mode, end = mode + 1;
  while (begin > 0 && probability(mean, log_mean, begin - 1) > 0) --begin;
  while (probability(mean, log_mean, end) > 0) ++end;
  shift = begin;
  const std::size_t n = end - begin;
  std::vector<double> p(n);
  for (std::size_t i = 0; i < n; ++i) p[i] = probability(mean, log_mean, begin + static_cast<unsigned>(i));

  const double a = real::div(1.0, static_cast<double>(n));
  thresholds.resize(n);
  alternatives.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) thresholds[i] = real::mul(static_cast<double>(i + 1), a);
  std::vector<char> filled(n, 0);
  std::size_t receiver = 0;
  for (std::size_t donor = n; donor-- > 0;) {
    while (p[donor] > a) {
      // A receiver that is left, if there is one.
      std::size_t looked = 0;
      while (looked < n && (filled[receiver] || !(p[receiver] < a))) {
        receiver = receiver + 1 < n ? receiver + 1 : 0;
        ++looked;
      }
      if (looked == n) return;
      filled[receiver] = 1;
      alternatives[receiver] = static_cast<std::uint32_t>(donor);
      thresholds[receiver] = real::fma(static_cast<double>(receiver), a, p[receiver]);
      p[donor] = real::sub(p[donor], real::sub(a, p[receiver]));
    }
  }
}

// NaN is none, but cuRAND draws zeros for it.
bool is_poisson_mean(double mean) { return !(mean <= 0 || mean > poisson_largest_mean); }

curand_discrete_distribution rounded_poisson(double mean) {
  const default_environment environment;
  return {nullptr, nullptr, 0, 0, mean, real::sqrt(mean)};
}

namespace {

struct distributions {
  std::mutex mutex;
  std::map<curandDiscreteDistribution_t, std::shared_ptr<void>> owners;
};

// Never destroyed: a program's own destructors may still use it.
distributions& kept() {
  static auto& all = *new distributions;
  return all;
}

struct host_distribution {
  poisson_histogram histogram;
  curandDiscreteDistribution_st place{};
};

}  // namespace

void keep_distribution(curandDiscreteDistribution_t place, std::shared_ptr<void> owner) {
  const std::lock_guard lock(kept().mutex);
  kept().owners.emplace(place, std::move(owner));
}

curandStatus_t create_poisson_distribution_host(double lambda,
                                                curandDiscreteDistribution_t* distribution) noexcept {
  return without_exceptions([&] {
    if (distribution == nullptr || !is_poisson_mean(lambda)) return CURAND_STATUS_OUT_OF_RANGE;
    const auto made = std::make_shared<host_distribution>();
    if (lambda < poisson_normal_from) {
      made->histogram = poisson_histogram(lambda);
      static_cast<curand_discrete_distribution&>(made->place) = made->histogram.distribution();
    } else {
      static_cast<curand_discrete_distribution&>(made->place) = rounded_poisson(lambda);
    }
    keep_distribution(&made->place, made);
    *distribution = &made->place;
    return CURAND_STATUS_SUCCESS;
  });
}

curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t distribution) noexcept {
  return without_exceptions([&] {
    const std::lock_guard lock(kept().mutex);
    return kept().owners.erase(distribution) == 1 ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
  });
}

}  // namespace rivus::compat
