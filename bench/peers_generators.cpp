// Sequential generators: the standard library's, xoshiro256++, PCG, dSFMT. Their state lives on between
// calls.
#include <cstring>
#include <random>

#include "cases.hpp"

#if defined(RIVUS_BENCH_PCG)
#include <pcg_random.hpp>
#endif
#if defined(RIVUS_BENCH_DSFMT)
#define DSFMT_MEXP 19937
#if defined(__SSE2__)
#define HAVE_SSE2
#endif
#include <dSFMT.h>
#endif

namespace {

// next(engine) gives one value.
template <class T, class Engine, class Next>
void loop(T* out, std::size_t n, Engine& engine, Next& next) {
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<T>(next(engine));
}

template <class T, class Engine, class Next>
void register_loop(const std::string& name, const Engine& first, const Next& next) {
  register_fills<T>(name, [engine = first, draw = next](T* out, std::size_t n) mutable {
    if constexpr (sizeof(Engine) <= 64) {
      // Registers hold it, as they would in a user's function.
      Engine local = engine;
      loop(out, n, local, draw);
      engine = local;
    } else {
      loop(out, n, engine, draw);
    }
  });
}

template <class T, class Engine, class Distribution>
void register_standard(const std::string& name, const Engine& engine, const Distribution& distribution) {
  register_loop<T>(name, engine, [d = distribution](Engine& e) mutable { return d(e); });
}

// What the standard library makes of an engine's words, uniform reals apart.
template <class Engine>
void register_standard_distributions(const std::string& name, const Engine& engine) {
  register_standard<float>(name + "/normal/f32", engine, std::normal_distribution<float>());
  register_standard<double>(name + "/normal/f64", engine, std::normal_distribution<double>());
  register_standard<float>(name + "/exponential/f32", engine, std::exponential_distribution<float>());
  register_standard<double>(name + "/exponential/f64", engine, std::exponential_distribution<double>());
  register_standard<std::int32_t>(name + "/randint/i32", engine,
                                  std::uniform_int_distribution<std::int32_t>(0, 999));
  register_standard<std::uint8_t>(name + "/bernoulli/u8", engine, std::bernoulli_distribution(0.3));
}
template <class Engine>
void register_standard_uniforms(const std::string& name, const Engine& engine) {
  register_standard<float>(name + "/uniform/f32", engine, std::uniform_real_distribution<float>());
  register_standard<double>(name + "/uniform/f64", engine, std::uniform_real_distribution<double>());
}

// Blackman and Vigna 2019, https://prng.di.unimi.it. Word is std::uint64_t, or a vector of them: generators
// side by side.
template <class Word>
struct xoshiro256pp {
  Word s[4];

  explicit xoshiro256pp(std::uint64_t seed) {
    // Their own advice for seeding: splitmix64.
    std::uint64_t words[4 * sizeof(Word) / sizeof(std::uint64_t)];
    for (std::uint64_t& word : words) {
      std::uint64_t z = seed += 0x9e3779b97f4a7c15;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
      z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
      word = z ^ (z >> 31);
    }
    std::memcpy(s, words, sizeof s);
  }

  static Word rotl(const Word& x, int k) { return (x << k) | (x >> (64 - k)); }
  // The name, and the members below, are those of a standard engine.
  Word operator()() {
    const Word result = rotl(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
  }
  using result_type = Word;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~std::uint64_t{0}; }
};

void register_xoshiro() {
  using engine = xoshiro256pp<std::uint64_t>;
  const std::string name = peer("xoshiro256++");
  const engine first(42);
  register_loop<std::uint64_t>(name + "/bits/u64", first, [](engine& e) { return e(); });
  register_standard_distributions(name, first);
  // As its authors advise; a word gives two values of 32 bits.
  register_loop<double>(name + "/uniform/f64", first,
                        [](engine& e) { return static_cast<double>(e() >> 11) * 0x1p-53; });
  const auto register_halves = [&](const std::string& tail, auto zero, auto make) {
    using T = decltype(zero);
    register_fills<T>(name + tail, [engine = first, make](T* out, std::size_t n) mutable {
      auto e = engine;
      for (std::size_t i = 0; i + 2 <= n; i += 2) {
        const std::uint64_t word = e();
        out[i] = make(static_cast<std::uint32_t>(word));
        out[i + 1] = make(static_cast<std::uint32_t>(word >> 32));
      }
      engine = e;
    });
  };
  register_halves("/bits/u32", std::uint32_t{}, [](std::uint32_t w) { return w; });
  register_halves("/uniform/f32", 0.0f, [](std::uint32_t w) {
    return static_cast<float>(static_cast<std::int32_t>(w >> 8)) * 0x1p-24f;
  });
}

// Two vectors of generators, whose steps overlap. Reals are in [1, 2), less 1: no conversion is needed.
typedef std::uint64_t row64 __attribute__((vector_size(vector_bytes)));
typedef std::uint32_t row32 __attribute__((vector_size(vector_bytes)));
typedef float row_float __attribute__((vector_size(vector_bytes)));
typedef double row_double __attribute__((vector_size(vector_bytes)));

template <class T, class Make>
void register_xoshiro_simd(const std::string& name, const Make& make) {
  using engine = xoshiro256pp<row64>;
  register_fills<T>(peer("xoshiro256++simd/" + name),
                    [a = engine(1), b = engine(2), make](T* out, std::size_t n) mutable {
                      engine x = a, y = b;
                      constexpr std::size_t width = vector_bytes / sizeof(T);
                      for (std::size_t i = 0; i + 2 * width <= n; i += 2 * width) {
                        const auto v = make(x()), w = make(y());
                        std::memcpy(out + i, &v, sizeof v);
                        std::memcpy(out + i + width, &w, sizeof w);
                      }
                      a = x;
                      b = y;
                    });
}

void register_xoshiros_simd() {
  const auto words = [](const row64& w) { return w; };
  register_xoshiro_simd<std::uint32_t>("bits/u32", words);
  register_xoshiro_simd<std::uint64_t>("bits/u64", words);
  register_xoshiro_simd<float>("uniform/f32", [](const row64& w) {
    return (row_float)(((row32)w >> 9) | std::uint32_t{0x3f800000}) - 1.0f;
  });
  register_xoshiro_simd<double>("uniform/f64", [](const row64& w) {
    return (row_double)((w >> 12) | std::uint64_t{0x3ff0000000000000}) - 1.0;
  });
}

}  // namespace

void register_generators() {
  const auto word = [](auto& engine) { return engine(); };
  register_loop<std::uint32_t>(peer("mt19937/bits/u32"), std::mt19937(42), word);
  register_standard_uniforms(peer("mt19937"), std::mt19937(42));
  register_standard_distributions(peer("mt19937"), std::mt19937(42));
  register_loop<std::uint64_t>(peer("mt19937-64/bits/u64"), std::mt19937_64(42), word);
  register_standard<double>(peer("mt19937-64/uniform/f64"), std::mt19937_64(42),
                            std::uniform_real_distribution<double>());
  register_standard<double>(peer("mt19937-64/normal/f64"), std::mt19937_64(42),
                            std::normal_distribution<double>());

  register_xoshiro();
  register_xoshiros_simd();

#if defined(RIVUS_BENCH_PCG)
  register_loop<std::uint32_t>(peer("pcg32/bits/u32"), pcg32(42), word);
  register_loop<std::uint64_t>(peer("pcg64/bits/u64"), pcg64(42), word);
  register_standard<float>(peer("pcg32/uniform/f32"), pcg32(42), std::uniform_real_distribution<float>());
  register_standard<double>(peer("pcg64/uniform/f64"), pcg64(42), std::uniform_real_distribution<double>());
  register_standard<float>(peer("pcg32/normal/f32"), pcg32(42), std::normal_distribution<float>());
  register_standard<double>(peer("pcg64/normal/f64"), pcg64(42), std::normal_distribution<double>());
  register_standard<float>(peer("pcg32/exponential/f32"), pcg32(42), std::exponential_distribution<float>());
  // Its own bounded integers, by rejection.
  register_loop<std::int32_t>(peer("pcg32/randint/i32"), pcg32(42),
                              [](pcg32& engine) { return engine(1000); });
  register_standard<std::uint8_t>(peer("pcg32/bernoulli/u8"), pcg32(42), std::bernoulli_distribution(0.3));
#endif

#if defined(RIVUS_BENCH_DSFMT)
  static dsfmt_t dsfmt;
  dsfmt_init_gen_rand(&dsfmt, 42);
  register_fills<std::uint32_t>("peer/dsfmt/bits/u32", [](std::uint32_t* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = dsfmt_genrand_uint32(&dsfmt);
  });
  register_fills<double>("peer/dsfmt/uniform/f64", [](double* out, std::size_t n) {
    dsfmt_fill_array_close_open(&dsfmt, out, static_cast<std::ptrdiff_t>(n));
  });
#endif
}
