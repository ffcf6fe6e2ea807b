#include <algorithm>
#include <iterator>
#include <rivus/compat/curand_generator.hpp>
#include <rivus/runtime.hpp>
#include <utility>

#include "compat_curand_kernels.hpp"
#include "parallel.hpp"

namespace rivus::compat {

curandStatus_t generator::set_seed(std::uint64_t seed) {
  if (seed != seed_) position_.restart();
  seed_ = seed;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t generator::set_offset(std::uint64_t offset) {
  position_.set_offset(offset);
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t generator::set_ordering(curandOrdering_t ordering) {
  if (ordering != CURAND_ORDERING_PSEUDO_BEST && ordering != CURAND_ORDERING_PSEUDO_DEFAULT &&
      ordering != CURAND_ORDERING_PSEUDO_LEGACY) {
    return CURAND_STATUS_OUT_OF_RANGE;
  }
  if (ordering != ordering_) position_.restart();
  ordering_ = ordering;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t generator::restart() {
  position_.restart();
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t generator::generate(const any_draw& draw, void* out, std::size_t n) {
  if (n == 0) return CURAND_STATUS_SUCCESS;
  if (out == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  position_.settle();
  const int blocks = std::visit([](const auto& d) { return d.blocks; }, draw);
  const curandStatus_t status = fill(position_.route(seed_, n), position_.lane(), draw, out, n);
  if (status == CURAND_STATUS_SUCCESS) position_.advance(n, blocks);
  return status;
}

curandStatus_t generator::generate_poisson(double mean, std::uint32_t* out, std::size_t n) {
  if (n == 0) return CURAND_STATUS_SUCCESS;
  if (out == nullptr || !is_poisson_mean(mean)) return CURAND_STATUS_OUT_OF_RANGE;
  if (!(mean < poisson_normal_from)) {
    const curand_discrete_distribution d = rounded_poisson(mean);
    return generate(rounded_normal_draw(d.mean, d.stddev), out, n);
  }
  if (mean != histogram_.mean) {
    poisson_histogram next(mean);
    readable_ = next.distribution();
    histogram_.mean = 0;
    const curandStatus_t status = make_readable(next, readable_);
    if (status != CURAND_STATUS_SUCCESS) return status;
    histogram_ = std::move(next);
  }
  return generate(histogram_draw(readable_), out, n);
}

namespace {

struct generator_of_host final : curandGenerator_st {
  curandStatus_t fill(const curand_route& route, unsigned lane, const any_draw& draw, void* out,
                      std::size_t n) override;
};

const curand_kernels& active_curand_kernels() {
  switch (active_isa()) {
#if defined(RIVUS_HAVE_AVX512)
    case isa::avx512:
      return curand_avx512_kernels;
#endif
#if defined(RIVUS_HAVE_AVX2)
    case isa::avx2:
      return curand_avx2_kernels;
#endif
#if defined(RIVUS_HAVE_NEON)
    case isa::neon:
      return curand_neon_kernels;
#endif
    default:
      return curand_scalar_kernels;
  }
}

// Below this many groups a second thread costs more than it brings.
constexpr std::size_t groups_per_thread = 8192;

// Calls use(span, i) for the spans that groups [begin, end) of the route consist of, i the first group of each.
template <class Use>
void for_each_span(const curand_route& route, int blocks, std::size_t begin, std::size_t end,
                   const Use& use) {
  while (begin < end) {
    const auto x = static_cast<std::uint32_t>(begin % subsequences);
    const auto next =
        std::upper_bound(route.runs.begin(), route.runs.end(), x,
                         [](std::uint32_t at, const curand_run& run) { return at < run.begin; });
    const std::uint32_t first = (route.current + x) % subsequences;
    std::size_t groups = (next == route.runs.end() ? subsequences : next->begin) - x;
    groups = std::min<std::size_t>({groups, subsequences - first, end - begin});
    use(curand_span{route.key, std::prev(next)->block + begin / subsequences * static_cast<unsigned>(blocks),
                    first, groups},
        begin);
    begin += groups;
  }
}

curandStatus_t generator_of_host::fill(const curand_route& route, unsigned lane, const any_draw& draw,
                                       void* out, std::size_t n) {
  // Whatever the caller's rounding is.
  const default_environment environment;
  std::visit(
      [&](const auto& d) {
        using draw_type = std::remove_cvref_t<decltype(d)>;
        using value = typename draw_type::value_type;
        const auto kernel = active_curand_kernels().curand_kernel<draw_type>::run;
        value* const to = static_cast<value*>(out);
        // Values [from, from + m) of group i.
        const auto part = [&](std::size_t i, std::size_t from, std::size_t m, value* at) {
          value group[4];
          for_each_span(route, draw_type::blocks, i, i + 1,
                        [&](const curand_span& span, std::size_t) { kernel(span, d, group); });
          std::copy_n(group + from, m, at);
        };
        const std::size_t head = lane == 0 ? 0 : std::min<std::size_t>(4 - lane, n);
        const std::size_t whole = (n - head) / 4, first = lane != 0, tail = (n - head) % 4;
        if (head > 0) part(0, lane, head, to);
        parallel_ranges(whole, groups_per_thread, executor(), [&](std::size_t begin, std::size_t end) {
          for_each_span(
              route, draw_type::blocks, first + begin, first + end,
              [&](const curand_span& span, std::size_t i) { kernel(span, d, to + head + 4 * (i - first)); });
        });
        if (tail > 0) part(first + whole, 0, tail, to + head + 4 * whole);
      },
      draw);
  return CURAND_STATUS_SUCCESS;
}

// f(*generator) where there is one.
template <class F>
curandStatus_t with(curandGenerator_t generator, F f) noexcept {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  return without_exceptions([&] { return f(*generator); });
}

curandStatus_t generate(curandGenerator_t generator, const any_draw& draw, void* out,
                        std::size_t n) noexcept {
  return with(generator, [&](curandGenerator_st& g) { return g.generate(draw, out, n); });
}

}  // namespace

curandStatus_t detail::create_generator_host(curandGenerator_t* generator, curandRngType_t type) noexcept {
  return without_exceptions([&] {
    const curandStatus_t status = check_type(generator, type);
    if (status == CURAND_STATUS_SUCCESS) *generator = new generator_of_host;
    return status;
  });
}

curandStatus_t curandDestroyGenerator(curandGenerator_t generator) noexcept {
  return with(generator, [](curandGenerator_st& g) {
    delete &g;
    return CURAND_STATUS_SUCCESS;
  });
}

curandStatus_t curandGetVersion(int* version) noexcept {
  if (version == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetProperty(int property, int* value) noexcept {
  constexpr int parts[] = {CURAND_VER_MAJOR, CURAND_VER_MINOR, CURAND_VER_PATCH};
  if (value == nullptr || property < 0 || property > 2) return CURAND_STATUS_OUT_OF_RANGE;
  *value = parts[property];
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) noexcept {
  return with(generator, [&](curandGenerator_st& g) { return g.set_stream(stream); });
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed) noexcept {
  return with(generator, [&](curandGenerator_st& g) { return g.set_seed(seed); });
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) noexcept {
  return with(generator, [&](curandGenerator_st& g) { return g.set_offset(offset); });
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t ordering) noexcept {
  return with(generator, [&](curandGenerator_st& g) { return g.set_ordering(ordering); });
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned) noexcept {
  return with(generator, [](curandGenerator_st&) { return CURAND_STATUS_TYPE_ERROR; });
}

curandStatus_t curandGenerateSeeds(curandGenerator_t generator) noexcept {
  return with(generator, [](curandGenerator_st& g) { return g.restart(); });
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned* out, std::size_t n) noexcept {
  return generate(generator, word_draw{}, out, n);
}

curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long*,
                                      std::size_t n) noexcept {
  return with(generator,
              [&](curandGenerator_st&) { return n == 0 ? CURAND_STATUS_SUCCESS : CURAND_STATUS_TYPE_ERROR; });
}

curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* out, std::size_t n) noexcept {
  return generate(generator, uniform_draw{}, out, n);
}

curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* out, std::size_t n) noexcept {
  return generate(generator, uniform_double_draw{}, out, n);
}

curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* out, std::size_t n, float mean,
                                    float stddev) noexcept {
  return generate(generator, normal_draw<float>(mean, stddev), out, n);
}

curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* out, std::size_t n,
                                          double mean, double stddev) noexcept {
  return generate(generator, normal_draw<double>(mean, stddev), out, n);
}

curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* out, std::size_t n, float mean,
                                       float stddev) noexcept {
  return generate(generator, log_normal_draw<float>(mean, stddev), out, n);
}

curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* out, std::size_t n,
                                             double mean, double stddev) noexcept {
  return generate(generator, log_normal_draw<double>(mean, stddev), out, n);
}

curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned* out, std::size_t n,
                                     double lambda) noexcept {
  return with(generator, [&](curandGenerator_st& g) { return g.generate_poisson(lambda, out, n); });
}

}  // namespace rivus::compat
