// cuRAND's host interface on the CPU: against libcurand's host generator where there is one, and by its own rules.
#include <rivus/compat/curand.h>

#include <algorithm>
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <rivus/philox.hpp>

#include "../support.hpp"
#include "test_curand_host_calls.hpp"

namespace rivus {
namespace {

using test::curand_kind;

constexpr int philox = 161;
constexpr std::uint64_t turn = 4 * 65536;  // outputs of a round of all subsequences
constexpr std::uint64_t last = ~std::uint64_t{0};

struct destroyer {
  const test::curand_calls* calls;
  void operator()(void* g) const { calls->destroy(g); }
};
class generator {
 public:
  explicit generator(const test::curand_calls& calls = test::rivus_calls) : generator_(nullptr, {&calls}) {
    void* made = nullptr;
    EXPECT_EQ(calls.create(&made, philox), 0);
    generator_.reset(made);
  }
  const test::curand_calls& calls() const { return *generator_.get_deleter().calls; }
  void* get() const { return generator_.get(); }

  void seed(std::uint64_t s) { EXPECT_EQ(calls().set_seed(get(), s), 0); }
  void offset(std::uint64_t o) { EXPECT_EQ(calls().set_offset(get(), o), 0); }
  template <class T>
  std::vector<T> generate(curand_kind kind, std::size_t n, double a = 0, double b = 1) {
    std::vector<T> out(n);
    EXPECT_EQ(calls().generate(get(), kind, out.data(), n, a, b), 0);
    return out;
  }

 private:
  std::unique_ptr<void, destroyer> generator_;
};

// Output number p of a new generator.
std::uint32_t word(std::uint64_t seed, std::uint64_t p) {
  const std::uint64_t group = p / 4, block = group / 65536;
  const philox4x32::counter_type counter{{static_cast<std::uint32_t>(block),
                                          static_cast<std::uint32_t>(block >> 32),
                                          static_cast<std::uint32_t>(group % 65536), 0}};
  return philox4x32::block(counter, {{static_cast<std::uint32_t>(seed),
                                      static_cast<std::uint32_t>(seed >> 32)}})[static_cast<int>(p % 4)];
}
std::vector<std::uint32_t> words_from(std::uint64_t seed, std::uint64_t first, std::size_t n) {
  std::vector<std::uint32_t> words(n);
  for (std::size_t i = 0; i < n; ++i) words[i] = word(seed, first + i);
  return words;
}

TEST(curand_host, gives_the_words_of_its_slots) {
  generator g;
  EXPECT_EQ(g.generate<unsigned>(curand_kind::words, 5), words_from(0, 0, 5));
  const std::uint64_t seed = 0x9E3779B97F4A7C15;
  g.seed(seed);
  for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{3}, turn - 6, 5 * turn + 1, last - 40}) {
    g.offset(offset);
    std::uint64_t at = offset;
    for (const std::size_t n : {1u, 2u, 3u, 4u, 5u, 14u}) {
      EXPECT_EQ(g.generate<unsigned>(curand_kind::words, n), words_from(seed, at, n)) << offset << ", " << n;
      at += n;
    }
  }
}

TEST(curand_host, goes_on_beyond_the_last_offset) {
  generator g;
  g.offset(last);
  const std::vector<unsigned> w = g.generate<unsigned>(curand_kind::words, 6);
  EXPECT_EQ(w[0], word(0, last));
  // Slot 2^64: block 2^46 of subsequence 0.
  const vec<std::uint32_t, 4> next = philox4x32::block({{0, 1u << 14, 0, 0}}, {{0, 0}});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(w[static_cast<std::size_t>(i) + 1], next[i]);
}

TEST(curand_host, makes_uniforms_and_normals_of_the_same_words) {
  generator g;
  const auto w = g.generate<unsigned>(curand_kind::words, 1001);
  g.offset(0);
  const auto u = g.generate<float>(curand_kind::uniform, 1001);
  g.offset(0);
  const auto z = g.generate<float>(curand_kind::normal, 1001);
  for (std::size_t i = 0; i < w.size(); ++i) {
    EXPECT_EQ(u[i], compat::curand_uniform_of(w[i]));
    if (i % 2 == 1) {
      EXPECT_EQ(z[i], compat::curand_normals_of(w[i - 1], w[i])[1]);
    }
  }
}

// The published mean and variance are the interface's promise; the rest is compared below.
TEST(curand_host, scales_normals) {
  generator g;
  const auto z = g.generate<double>(curand_kind::normal_double, 1000);
  g.offset(0);
  const auto scaled = g.generate<double>(curand_kind::normal_double, 1000, 5.0, -3.0);
  g.offset(0);
  const auto powers = g.generate<double>(curand_kind::log_normal_double, 1000, 5.0, -3.0);
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double product = -3.0 * z[i];
    EXPECT_EQ(scaled[i], 5.0 + product);
    EXPECT_NEAR(powers[i], std::exp(scaled[i]), 1e-14 * powers[i]);
  }
}

TEST(curand_host, gives_the_same_bits_with_every_instruction_set_and_number_of_threads) {
  const auto all = [](auto type, curand_kind kind, double a, double b) {
    using T = decltype(type);
    generator g;
    g.offset(turn - 50003);
    const std::vector<T> first = g.generate<T>(kind, 7, a, b), second = g.generate<T>(kind, 200009, a, b);
    std::vector<test::word_of<T>> bits;
    for (const T x : first) bits.push_back(test::as_word(x));
    for (const T x : second) bits.push_back(test::as_word(x));
    return bits;
  };
  const auto check = [&](auto type, curand_kind kind, double a = 0, double b = 1) {
    const auto expected = all(type, kind, a, b);
    test::for_each_isa([&] { EXPECT_TRUE(all(type, kind, a, b) == expected); });
    test::for_each_thread_count([&] { EXPECT_TRUE(all(type, kind, a, b) == expected); });
  };
  check(0u, curand_kind::words);
  check(0.0f, curand_kind::uniform);
  check(0.0, curand_kind::uniform_double);
  check(0.0f, curand_kind::normal, 0.25, 3.0);
  check(0.0, curand_kind::normal_double, 0.25, 3.0);
  check(0.0f, curand_kind::log_normal, 0.25, 3.0);
  check(0.0, curand_kind::log_normal_double, 0.25, 3.0);
  check(0u, curand_kind::poisson, 12.5);
  check(0u, curand_kind::poisson, 4000.0);
}

TEST(curand_host, does_not_depend_on_the_floating_point_environment) {
  generator g;
  const auto expected = g.generate<float>(curand_kind::log_normal, 4001, -80.0, 3.0);
  g.offset(0);
  std::fesetround(FE_DOWNWARD);
  const auto got = g.generate<float>(curand_kind::log_normal, 4001, -80.0, 3.0);
  EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
  std::fesetround(FE_TONEAREST);
  EXPECT_TRUE(got == expected);

  // Nor do the tables of Poisson draws, which are kept.
  for (const double mean : {5.0, 1500.0, 3000.0}) {
    std::vector<std::vector<unsigned>> draws;
    std::vector<std::vector<double>> tables;
    for (const int rounding : {FE_TONEAREST, FE_DOWNWARD, FE_TOWARDZERO}) {
      std::fesetround(rounding);
      generator fresh;
      draws.push_back(fresh.generate<unsigned>(curand_kind::poisson, 4001, mean));
      curandDiscreteDistribution_t d = nullptr;
      ASSERT_EQ(compat::create_poisson_distribution_host(mean, &d), CURAND_STATUS_SUCCESS);
      tables.push_back({d->mean, d->stddev, static_cast<double>(d->length)});
      tables.back().insert(tables.back().end(), d->V, d->V + d->length);
      ASSERT_EQ(curandDestroyDistribution(d), CURAND_STATUS_SUCCESS);
      std::fesetround(FE_TONEAREST);
    }
    for (std::size_t i = 1; i < draws.size(); ++i) {
      EXPECT_TRUE(draws[i] == draws[0]) << mean;
      EXPECT_TRUE(tables[i] == tables[0]) << mean;
    }
  }
}

// A distribution that a destructor at the end of the program gives back.
struct holder {
  curandDiscreteDistribution_t distribution = nullptr;
  ~holder() {
    if (distribution != nullptr && curandDestroyDistribution(distribution) != CURAND_STATUS_SUCCESS)
      std::abort();
  }
} held;

TEST(curand_host, keeps_distributions_until_the_last_destructor) {
  EXPECT_EQ(compat::create_poisson_distribution_host(5, &held.distribution), CURAND_STATUS_SUCCESS);
}

TEST(curand_host, takes_short_calls_of_both_kinds_by_turns) {
  // Twice round all subsequences, with neighbours that differ by one block and then by two.
  generator g, alone;
  std::vector<float> floats;
  std::vector<double> doubles;
  for (int i = 0; i < 65536; ++i) {
    const auto f = g.generate<float>(curand_kind::uniform, 4);
    const auto d = g.generate<double>(curand_kind::uniform_double, 4);
    floats.insert(floats.end(), f.begin(), f.end());
    doubles.insert(doubles.end(), d.begin(), d.end());
  }
  // Floats of even subsequences and doubles of odd ones: blocks 0 and 1, and 0 to 3.
  for (const std::uint32_t i : {0u, 1u, 77u, 32767u, 32768u, 40000u, 65535u}) {
    const std::uint32_t j = 2 * i % 65536, round = 2 * i / 65536;
    const auto even = philox4x32::block({{round, 0, j, 0}}, {{0, 0}});
    const auto odd = philox4x32::block({{2 * round, 0, j + 1, 0}}, {{0, 0}});
    EXPECT_EQ(floats[4 * i + 3], compat::curand_uniform_of(even[3])) << i;
    EXPECT_EQ(doubles[4 * i + 1], compat::curand_uniform_double_of(odd[2], odd[3])) << i;
  }
}

TEST(curand_host, says_what_is_wrong) {
  const test::curand_calls& calls = test::rivus_calls;
  void* none = nullptr;
  EXPECT_EQ(calls.create(nullptr, philox), CURAND_STATUS_NOT_INITIALIZED);
  for (const int type : {0, 99, 101, 121, 141, 142, 200, 201, 202, 203, 204}) {
    EXPECT_EQ(calls.create(&none, type), CURAND_STATUS_TYPE_ERROR) << type;
    EXPECT_EQ(none, nullptr);
  }
  EXPECT_EQ(calls.create(&none, CURAND_RNG_PSEUDO_DEFAULT), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(calls.destroy(none), CURAND_STATUS_SUCCESS);

  generator g;
  double out[4] = {-1, -1, -1, -1};
  EXPECT_EQ(calls.generate(g.get(), curand_kind::uniform_double, nullptr, 4, 0, 1),
            CURAND_STATUS_OUT_OF_RANGE);
  for (const double mean : {0.0, -1.0, 400000.5, test::infinity<double>}) {
    EXPECT_EQ(calls.generate(g.get(), curand_kind::poisson, out, 4, mean, 0), CURAND_STATUS_OUT_OF_RANGE);
  }
  EXPECT_EQ(calls.generate(g.get(), curand_kind::long_long, out, 4, 0, 1), CURAND_STATUS_TYPE_ERROR);
  EXPECT_EQ(out[0], -1.0);
  // What failed moved nothing.
  EXPECT_EQ(g.generate<unsigned>(curand_kind::words, 3), words_from(0, 0, 3));
  EXPECT_EQ(calls.version(nullptr), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(calls.property(0, nullptr), CURAND_STATUS_OUT_OF_RANGE);
}

TEST(curand_host, distributions_draw_as_the_generator_does) {
  generator g;
  for (const double mean : {0.5, 77.25, 1999.5}) {
    g.offset(0);
    const auto w = g.generate<unsigned>(curand_kind::words, 5000);
    g.offset(0);
    const auto k = g.generate<unsigned>(curand_kind::poisson, 5000, mean);
    curandDiscreteDistribution_t d = nullptr;
    ASSERT_EQ(compat::create_poisson_distribution_host(mean, &d), CURAND_STATUS_SUCCESS);
    for (std::size_t i = 0; i < w.size(); ++i) EXPECT_EQ(compat::curand_discrete_of(w[i], *d), k[i]);
    EXPECT_EQ(curandDestroyDistribution(d), CURAND_STATUS_SUCCESS);
    EXPECT_EQ(curandDestroyDistribution(d), CURAND_STATUS_NOT_INITIALIZED);
  }
  EXPECT_EQ(curandDestroyDistribution(nullptr), CURAND_STATUS_NOT_INITIALIZED);
  curandDiscreteDistribution_t d = nullptr;
  EXPECT_EQ(compat::create_poisson_distribution_host(-1, &d), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(compat::create_poisson_distribution_host(1, nullptr), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(d, nullptr);
  ASSERT_EQ(compat::create_poisson_distribution_host(5000, &d), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(d->length, 0u);
  EXPECT_EQ(d->mean, 5000.0);
  EXPECT_EQ(d->stddev, std::sqrt(5000.0));
  EXPECT_EQ(curandDestroyDistribution(d), CURAND_STATUS_SUCCESS);
}

TEST(curand_host, distributions_have_the_probabilities_of_poisson) {
  for (const double mean : {0.5, 3.0, 17.25, 120.5, 1999.5}) {
    curandDiscreteDistribution_t d = nullptr;
    ASSERT_EQ(compat::create_poisson_distribution_host(mean, &d), CURAND_STATUS_SUCCESS);
    // A value has its own cell up to the threshold, and what lies above in the cells that name it.
    const double cell = 1.0 / d->length;
    std::vector<double> p(d->length);
    for (std::uint32_t j = 0; j < d->length; ++j) {
      p[j] += d->V[j] - j * cell;
      p[d->K[j]] += (j + 1) * cell - d->V[j];
    }
    for (std::uint32_t j = 0; j < d->length; ++j) {
      const double k = d->shift + j, expected = std::exp(k * std::log(mean) - mean - std::lgamma(k + 1));
      EXPECT_NEAR(p[j], expected, 3e-12 + 1e-11 * expected) << mean << ", " << k;
    }
    EXPECT_EQ(curandDestroyDistribution(d), CURAND_STATUS_SUCCESS);
  }
}

// Values of libcurand 10.4.0, for where it is not.
TEST(curand_host, gives_recorded_values) {
  generator g;
  g.seed(1234);
  g.offset(turn - 2);
  EXPECT_EQ(g.generate<double>(curand_kind::uniform_double, 7),
            (std::vector<double>{0x1.f503a7b5cd3eap-3, 0x1.e294416a44749p-2, 0x1.cbe178b76f1acp-4,
                                 0x1.47eda813b849cp-4, 0x1.f80df78c9c8d8p-1, 0x1.123a7ae370b28p-1,
                                 0x1.94f5e92e53cbfp-2}));
  EXPECT_EQ(g.generate<unsigned>(curand_kind::words, 4),
            (std::vector<unsigned>{0x653d7a73, 0x1d8331c1, 0x86ff06af, 0x53567ba9}));
  EXPECT_EQ(g.generate<unsigned>(curand_kind::poisson, 10, 30.5),
            (std::vector<unsigned>{23, 30, 35, 48, 19, 23, 28, 28, 24, 25}));
}

#if defined(RIVUS_TEST_NVIDIA)

bool few_cases() { return std::getenv("RIVUS_TEST_FEW") != nullptr; }

// The same calls of both, and the results compared.
class pair_of_generators {
 public:
  generator ours{test::rivus_calls}, theirs{test::nvidia_calls};

  template <class F>
  void call(F f) {
    const int expected = f(theirs.calls(), theirs.get());
    EXPECT_EQ(f(ours.calls(), ours.get()), expected);
  }

  void generate(curand_kind kind, std::size_t n, double a, double b) {
    switch (kind) {
      case curand_kind::words:
      case curand_kind::poisson:
        return kind == curand_kind::poisson && a >= 2000 ? compare_rounded(n, a)
                                                         : compare<unsigned>(kind, n, a, b, equal);
      case curand_kind::uniform:
        return compare<float>(kind, n, a, b, equal);
      case curand_kind::uniform_double:
        return compare<double>(kind, n, a, b, equal);
      case curand_kind::normal:
        return compare<float>(kind, n, a, b,
                              [b](float x, float y) { return near(x, y, 4e-6 * std::abs(b)); });
      case curand_kind::normal_double:
        return compare<double>(kind, n, a, b,
                               [b](double x, double y) { return near(x, y, 1e-12 * std::abs(b)); });
      case curand_kind::log_normal:
        return compare<float>(kind, n, a, b, [b](float x, float y) {
          return near(std::log(x), std::log(y), 4e-6 * std::abs(b));
        });
      case curand_kind::log_normal_double:
        return compare<double>(kind, n, a, b, [b](double x, double y) {
          return near(std::log(x), std::log(y), 1e-12 * std::abs(b));
        });
      case curand_kind::long_long:
        break;
    }
  }

  std::size_t rounded = 0, rounded_otherwise = 0;

 private:
  static constexpr auto equal = [](auto x, auto y) { return test::as_word(x) == test::as_word(y); };
  template <class T>
  static bool near(T x, T y, double tolerance) {
    return std::abs(static_cast<double>(x) - static_cast<double>(y)) <=
           tolerance * std::max(1.0, std::abs(static_cast<double>(y)));
  }

  template <class T, class Same>
  void compare(curand_kind kind, std::size_t n, double a, double b, Same same) {
    const std::vector<T> expected = theirs.generate<T>(kind, n, a, b), got = ours.generate<T>(kind, n, a, b);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_TRUE(same(got[i], expected[i]))
          << "kind " << static_cast<int>(kind) << ", output " << i << " of " << n << " is " << got[i]
          << " instead of " << expected[i] << " (" << a << ", " << b << ")";
    }
  }
  void compare_rounded(std::size_t n, double mean) {
    const auto expected = theirs.generate<unsigned>(curand_kind::poisson, n, mean),
               got = ours.generate<unsigned>(curand_kind::poisson, n, mean);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_LE(std::max(got[i], expected[i]) - std::min(got[i], expected[i]), 1u) << mean << ", " << i;
      rounded_otherwise += got[i] != expected[i];
    }
    rounded += n;
  }
};

constexpr curand_kind kinds[] = {curand_kind::words,
                                 curand_kind::uniform,
                                 curand_kind::uniform_double,
                                 curand_kind::normal,
                                 curand_kind::normal_double,
                                 curand_kind::log_normal,
                                 curand_kind::log_normal_double,
                                 curand_kind::poisson};

TEST(curand_host_and_libcurand, agree_in_any_pattern_of_calls) {
  test::words random(20240131);
  const int scripts = few_cases() ? 8 : 50;
  for (int script = 0; script < scripts; ++script) {
    SCOPED_TRACE("script " + std::to_string(script));
    pair_of_generators both;
    const int steps = script % 10 == 0 ? 100 : 12;
    for (int step = 0; step < steps; ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      const std::uint64_t r = random();
      switch (random.below(10)) {
        case 0: {
          const std::uint64_t seed = r % 4 < 2 ? r % 4 + 1 : r;
          both.call([&](const auto& calls, void* g) { return calls.set_seed(g, seed); });
          break;
        }
        case 1: {
          const std::uint64_t choices[] = {0, 1 + r % 7, turn - r % 9, r % (9 * turn), r, last - r % 20};
          const std::uint64_t offset = choices[random.below(6)];
          both.call([&](const auto& calls, void* g) { return calls.set_offset(g, offset); });
          break;
        }
        case 2: {
          const int orderings[] = {100, 101, 103, 102, 104, 201, 99};
          both.call([&](const auto& calls, void* g) { return calls.set_ordering(g, orderings[r % 7]); });
          break;
        }
        case 3:
          both.call([](const auto& calls, void* g) { return calls.generate_seeds(g); });
          break;
        default: {
          const std::uint64_t counts[] = {r % 9, r % 9, r % 100, r % 3000, r % 3000, turn - r % 8};
          const double means[] = {0.01, 3.0, 64.5, 1999.99, 2000.0, 123456.7};
          const curand_kind kind = kinds[random.below(std::size(kinds))];
          const double a = kind == curand_kind::poisson ? means[r % 6] : 0.5;
          both.generate(kind, counts[random.below(script % 5 == 0 ? 6 : 5)], a, r % 2 ? 1.0 : -2.0);
        }
      }
      if (HasFailure()) return;
    }
  }
}

TEST(curand_host_and_libcurand, agree_after_many_changes_of_kind) {
  test::words random(11);
  pair_of_generators both;
  for (int i = 0; i < 600; ++i) {
    both.generate(i % 2 == 0 ? curand_kind::words : curand_kind::uniform_double, 1 + random.below(7), 0, 1);
    if (HasFailure()) return;
  }
  for (const curand_kind kind : {curand_kind::words, curand_kind::uniform_double, curand_kind::uniform}) {
    both.generate(kind, turn + 77, 0, 1);
  }
}

TEST(curand_host_and_libcurand, agree_where_the_last_subsequence_has_used_as_much_as_the_first) {
  pair_of_generators both;
  both.generate(curand_kind::words, turn / 2, 0, 1);
  both.generate(curand_kind::uniform_double, turn / 2, 0, 1);
  both.generate(curand_kind::words, turn / 4, 0, 1);
  both.generate(curand_kind::uniform_double, turn + 5, 0, 1);
}

TEST(curand_host_and_libcurand, agree_where_offset_and_groups_come_to_two_to_the_64) {
  for (const std::uint64_t before : {4u, 7u, 5000u}) {
    pair_of_generators both;
    for (const std::uint64_t n : {4 * before, 4 * before + 3, 4 * before + 9}) {
      both.call([&](const auto& calls, void* g) { return calls.set_offset(g, 0 - before); });
      both.generate(curand_kind::words, n, 0, 1);
      both.call([](const auto& calls, void* g) { return calls.generate_seeds(g); });
      both.generate(curand_kind::uniform_double, 23, 0, 1);
    }
  }
}

TEST(curand_host_and_libcurand, agree_in_long_calls) {
  pair_of_generators both;
  both.call([](const auto& calls, void* g) { return calls.set_seed(g, 0xFEDCBA9876543210u); });
  for (const curand_kind kind : kinds)
    both.generate(kind, few_cases() ? 300001 : 1200003, kind == curand_kind::poisson ? 17.0 : 0.0, 1.0);
}

TEST(curand_host_and_libcurand, agree_in_poisson_draws) {
  test::words random(7);
  std::vector<double> means{5e-324, 1e-300, 1e-9, 0.5, 1,    2,    4,    10,
                            63.999, 64,     100,  512, 1000, 1024, 1999, 1999.9999999};
  for (int i = 0; i < (few_cases() ? 10 : 150); ++i) {
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    means.push_back(i % 2 ? 2000 * u : std::exp(14 * u - 7));
  }
  pair_of_generators both;
  for (const double mean : means) {
    both.generate(curand_kind::poisson, 20000, mean, 0);
    if (HasFailure()) return;
  }
  const double nan = test::any_nan<double>;
  both.generate(curand_kind::poisson, 9, nan, 0);
  both.generate(curand_kind::words, 9, 0, 0);
}

TEST(curand_host_and_libcurand, agree_in_rounded_normals_but_for_their_rounding) {
  pair_of_generators both;
  for (const double mean : {2000.0, 2001.5, 10000.0, 99999.9, 400000.0}) {
    both.generate(curand_kind::poisson, 100000, mean, 0);
  }
  std::printf("%zu of %zu differ by one\n", both.rounded_otherwise, both.rounded);
  EXPECT_LE(both.rounded_otherwise, both.rounded / 1000);
}

TEST(curand_host_and_libcurand, agree_in_what_they_refuse) {
  pair_of_generators both;
  alignas(8) unsigned char out[64] = {};
  both.call([](const auto& calls, void*) { return calls.create(nullptr, philox); });
  for (const int type : {99, 160, 162}) {
    both.call([&](const auto& calls, void*) {
      void* none = nullptr;
      return calls.create(&none, type);
    });
  }
  both.call([](const auto& calls, void*) { return calls.destroy(nullptr); });
  both.call([](const auto& calls, void*) { return calls.set_seed(nullptr, 1); });
  both.call([](const auto& calls, void*) { return calls.set_offset(nullptr, 1); });
  both.call([](const auto& calls, void*) { return calls.set_ordering(nullptr, 100); });
  both.call([](const auto& calls, void*) { return calls.set_dimensions(nullptr, 1); });
  both.call([](const auto& calls, void*) { return calls.set_stream(nullptr); });
  both.call([](const auto& calls, void*) { return calls.generate_seeds(nullptr); });
  both.call([](const auto& calls, void* g) { return calls.set_stream(g); });
  for (int ordering = 95; ordering < 110; ++ordering) {
    both.call([&](const auto& calls, void* g) { return calls.set_ordering(g, ordering); });
  }
  for (const unsigned dimensions : {0u, 1u, 20001u}) {
    both.call([&](const auto& calls, void* g) { return calls.set_dimensions(g, dimensions); });
  }
  for (const curand_kind kind : kinds) {
    both.call([&](const auto& calls, void*) { return calls.generate(nullptr, kind, out, 4, 1, 1); });
    both.call([&](const auto& calls, void*) { return calls.generate(nullptr, kind, out, 0, 1, 1); });
    both.call([&](const auto& calls, void* g) { return calls.generate(g, kind, nullptr, 0, 1, 1); });
    both.call([&](const auto& calls, void* g) { return calls.generate(g, kind, out, 3, 1, 1); });
    both.call([&](const auto& calls, void* g) { return calls.generate(g, kind, out, 0, -1, -1); });
    both.call([&](const auto& calls, void* g) { return calls.generate(g, kind, out, 1, 500000, 0); });
  }
  for (const std::size_t n : {0u, 4u}) {
    both.call(
        [&](const auto& calls, void* g) { return calls.generate(g, curand_kind::long_long, out, n, 0, 0); });
  }
  for (int property = 0; property < 3; ++property) {
    int ours = -1, theirs = -1;
    EXPECT_EQ(test::rivus_calls.property(property, &ours), test::nvidia_calls.property(property, &theirs));
    EXPECT_EQ(ours, theirs);
  }
  both.call([&](const auto& calls, void*) {
    int value;
    return calls.property(3, &value);
  });
  both.generate(curand_kind::words, 9, 0, 0);
}

#else

TEST(curand_host_and_libcurand, agree) {
  std::puts("libcurand was not found where this was built: only recorded values are compared");
}

#endif

}  // namespace
}  // namespace rivus
