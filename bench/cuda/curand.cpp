// cuRAND's host API: Philox and XORWOW in every ordering, ready, seeded each time, and created each time.
#include <curand.h>

#include <array>

#include "cases.hpp"

namespace rivus::device_bench {

namespace {

void require(curandStatus_t status, const char* call) {
  if (status != CURAND_STATUS_SUCCESS) {
    throw std::runtime_error(std::string(call) + ": status " + std::to_string(static_cast<int>(status)));
  }
}

struct kind {
  const char* name;
  curandRngType_t type;
  curandOrdering_t ordering;
};

constexpr std::array kinds = {
    kind{"Philox default", CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_ORDERING_PSEUDO_DEFAULT},
    kind{"Philox best", CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_ORDERING_PSEUDO_BEST},
    kind{"Philox legacy", CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_ORDERING_PSEUDO_LEGACY},
    kind{"Philox dynamic", CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_ORDERING_PSEUDO_DYNAMIC},
    kind{"Philox seeded", CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_ORDERING_PSEUDO_SEEDED},
    kind{"XORWOW default", CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT},
    kind{"XORWOW best", CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_BEST},
    kind{"XORWOW legacy", CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_LEGACY},
    kind{"XORWOW dynamic", CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DYNAMIC},
    kind{"XORWOW seeded", CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_SEEDED},
};

class generator {
 public:
  generator(const kind& k, cudaStream_t on) {
    require(curandCreateGenerator(&generator_, k.type), "curandCreateGenerator");
    try {
      require(curandSetGeneratorOrdering(generator_, k.ordering), "curandSetGeneratorOrdering");
      require(curandSetStream(generator_, on), "curandSetStream");
    } catch (...) {
      curandDestroyGenerator(generator_);
      throw;
    }
  }
  ~generator() { curandDestroyGenerator(generator_); }
  generator(const generator&) = delete;
  generator& operator=(const generator&) = delete;

  void seed(std::uint64_t s) const {
    require(curandSetPseudoRandomGeneratorSeed(generator_, s), "curandSetPseudoRandomGeneratorSeed");
    require(curandGenerateSeeds(generator_), "curandGenerateSeeds");
  }
  void generate(peer_values values, void* out, std::size_t bytes) const {
    const std::size_t floats = bytes / sizeof(float), doubles = bytes / sizeof(double);
    switch (values) {
      case peer_values::bits:
        return require(curandGenerate(generator_, static_cast<unsigned*>(out), floats), "curandGenerate");
      case peer_values::uniform_float:
        return require(curandGenerateUniform(generator_, static_cast<float*>(out), floats),
                       "curandGenerateUniform");
      case peer_values::uniform_double:
        return require(curandGenerateUniformDouble(generator_, static_cast<double*>(out), doubles),
                       "curandGenerateUniformDouble");
      case peer_values::normal_float:
        return require(curandGenerateNormal(generator_, static_cast<float*>(out), floats, 0, 1),
                       "curandGenerateNormal");
      case peer_values::normal_double:
        return require(curandGenerateNormalDouble(generator_, static_cast<double*>(out), doubles, 0, 1),
                       "curandGenerateNormalDouble");
      default:
        throw std::logic_error("the host API has no such values");
    }
  }

 private:
  curandGenerator_t generator_ = nullptr;
};

// Ready ones, made once a program; they live until its end, and the driver takes them then.
const generator& ready(std::size_t k, cudaStream_t on) {
  static auto& all = *new std::array<std::unique_ptr<generator>, kinds.size()>;
  if (all[k] == nullptr) {
    auto made = std::make_unique<generator>(kinds[k], on);
    made->seed(1234);
    all[k] = std::move(made);
  }
  return *all[k];
}

}  // namespace

std::vector<way> curand_host_ways(const context& c, peer_values values, std::size_t bytes) {
  std::vector<way> ways;
  if (values > peer_values::normal_double) return ways;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    way generate{kinds[k].name, role::curand_generate,
                 [&c, k, values, bytes](cudaStream_t on, std::uint64_t launch) {
                   ready(k, on).generate(values, c.out->place(bytes, launch), bytes);
                 }};
    generate.check = [&c, k] { ready(k, c.stream); };
    ways.push_back(generate);
  }
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    way seeded{kinds[k].name, role::curand_seed,
               [&c, k, values, bytes](cudaStream_t on, std::uint64_t launch) {
                 ready(k, on).seed(launch + 1);
                 ready(k, on).generate(values, c.out->place(bytes, launch), bytes);
               }};
    seeded.check = [&c, k] { ready(k, c.stream); };
    seeded.capturable = false;
    seeded.slow = true;
    ways.push_back(seeded);
    way created{kinds[k].name, role::curand_create,
                [&c, k, values, bytes](cudaStream_t on, std::uint64_t launch) {
                  const generator g(kinds[k], on);
                  g.seed(launch + 1);
                  g.generate(values, c.out->place(bytes, launch), bytes);
                }};
    created.capturable = false;
    created.slow = true;
    ways.push_back(created);
  }
  return ways;
}

std::string curand_missing() { return ""; }

}  // namespace rivus::device_bench
