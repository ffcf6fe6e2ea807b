// <rivus/compat/curand_kernel.h> on the CPU, compared with NVIDIA's header where CUDA's are found, and with values
// that it gave.
#include <rivus/compat/curand_kernel.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../support.hpp"
#include "test_curand_kernel_calls.hpp"

namespace rivus::test {
namespace {

static_assert(sizeof(curandStatePhilox4_32_10_t) == 64 && alignof(curandStatePhilox4_32_10_t) == 16);
// Programs have functions for both, which must be two.
[[maybe_unused]] int overloaded(curandState*) { return 1; }
[[maybe_unused]] int overloaded(curandStatePhilox4_32_10_t*) { return 2; }
static_assert(sizeof(curandState) == sizeof(curandStatePhilox4_32_10_t));
static_assert(std::is_trivially_copyable_v<curandState> &&
              std::is_trivially_default_constructible_v<curandState>);

curandState begin(unsigned long long seed, unsigned long long subsequence, unsigned long long offset) {
  curandState s;
  curand_init(seed, subsequence, offset, &s);
  return s;
}

// What NVIDIA's header of CUDA 13.0 gave, compiled for the CPU without contraction.
struct recorded {
  std::uint64_t seed, subsequence, offset;
  std::uint32_t words[5];
  float uniform;
  double uniform_double, uniform2_double[2];
  float normal;
  double normal_double;
  float log_normal;
  double log_normal_double;
  std::uint32_t poisson[3];
  std::uint32_t last;
};
constexpr recorded records[] = {
    {0x0ull,
     0x0ull,
     0x0ull,
     {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8, 0xf8e4cca4},
     0x1.72c804p-2f,
     0x1.634ae9d8p-1,
     {0x1.3ea8d8bdfecfp-6, 0x1.20a88919cca9ap-3},
     -1.56994998f,
     -0.40107444433841688,
     1.04468775f,
     0.31287224157540983,
     {4, 103, 9910},
     0xf0d30bd2},
    {0x2aull,
     0x0ull,
     0x0ull,
     {0x9ceaf053, 0x77f5493b, 0x12bf50ad, 0x5742b3d7, 0xfcdb2127},
     0x1.4ee9b4p-2f,
     0x1.071eb4dep-1,
     {0x1.a6d8030ee06fcp-1, 0x1.349ad1ba75dccp-1},
     -0.710668921f,
     0.91637408657463204,
     3.65990925f,
     3.4176992686380685,
     {1, 106, 10077},
     0x2e6b75b7},
    {0x112210f47de98115ull,
     0xfedcba9876543210ull,
     0xffffffffffffffffull,
     {0x79930a14, 0x6e3a2ea6, 0x1a3bf5db, 0x779af94d, 0x2348b045},
     0x1.bc3138p-1f,
     0x1.cbff7b1p-3,
     {0x1.35ee08f43a746p-1, 0x1.03c2fde2d8ap-1},
     1.60001886f,
     0.58248614082261352,
     2.42197728f,
     3.327647416948984,
     {3, 107, 9973},
     0xaafc317e},
    {0xffffffffffffffffull,
     0xffffffffffffffffull,
     0x2ull,
     {0x70094bed, 0x36c3cf91, 0x933684c8, 0x53e5a0af, 0xd2fd021a},
     0x1.699278p-1f,
     0x1.e4325cb2p-1,
     {0x1.c2d328b9ced0cp-1, 0x1.2877ca09efe39p-2},
     0.368479908f,
     1.0774254959526062,
     0.0409748405f,
     0.096534942622517161,
     {1, 106, 10066},
     0x30be3e5e},
};

TEST(curand_kernel, recorded_values) {
  for (const recorded& r : records) {
    SCOPED_TRACE(r.seed);
    curandState s = begin(r.seed, r.subsequence, r.offset);
    const uint4 w = curand4(&s);
    EXPECT_EQ(w.x, r.words[0]);
    EXPECT_EQ(w.y, r.words[1]);
    EXPECT_EQ(w.z, r.words[2]);
    EXPECT_EQ(w.w, r.words[3]);
    EXPECT_EQ(curand(&s), r.words[4]);
    EXPECT_EQ(curand_uniform(&s), r.uniform);
    EXPECT_EQ(curand_uniform_double(&s), r.uniform_double);
    const double2 u = curand_uniform2_double(&s);
    EXPECT_EQ(u.x, r.uniform2_double[0]);
    EXPECT_EQ(u.y, r.uniform2_double[1]);
    EXPECT_NEAR(curand_normal(&s), r.normal, 4e-6);
    EXPECT_NEAR(curand_normal_double(&s), r.normal_double, 1e-12);
    EXPECT_NEAR(curand_log_normal(&s, 0.5f, 1.5f) / r.log_normal, 1, 1e-5);
    EXPECT_NEAR(curand_log_normal_double(&s, 0.5, 1.5) / r.log_normal_double, 1, 1e-12);
    EXPECT_EQ(curand_poisson(&s, 3.5), r.poisson[0]);
    EXPECT_EQ(curand_poisson(&s, 100), r.poisson[1]);
    EXPECT_EQ(curand_poisson(&s, 1e4), r.poisson[2]);
    EXPECT_EQ(curand(&s), r.last);
  }
}

TEST(curand_kernel, a_block_is_computed_for_its_first_word_alone) {
  // The same words, whether a state comes to them word by word, in fours, by skipping or by its offset.
  const curandState start = begin(7, 5, 0);
  curandState single = start;
  std::vector<unsigned> words;
  for (int i = 0; i < 64; ++i) words.push_back(curand(&single));
  for (unsigned offset = 0; offset < 40; ++offset) {
    curandState skipped = start, split = start, direct = begin(7, 5, offset);
    skipahead(offset, &skipped);
    skipahead(offset / 3, &split);
    skipahead(offset - offset / 3, &split);
    const uint4 w = curand4(&direct);
    EXPECT_EQ(w.x, words[offset]);
    EXPECT_EQ(w.w, words[offset + 3]);
    EXPECT_EQ(curand(&direct), words[offset + 4]);
    EXPECT_EQ(curand(&skipped), words[offset]);
    EXPECT_EQ(curand(&split), words[offset]);
  }
}

// So many words before the end of a subsequence, which offsets alone, below 2^64, do not reach.
curandState before_end(std::uint64_t seed, std::uint64_t subsequence, std::uint64_t words_before) {
  curandState s = begin(seed, subsequence, ~words_before + 1);
  for (int half = 0; half < 6; ++half) skipahead(1ull << 63, &s);
  return s;
}

TEST(curand_kernel, a_subsequence_runs_on_into_the_next) {
  for (const std::uint64_t subsequence : {std::uint64_t{0}, std::uint64_t{0xffffffff}, ~std::uint64_t{0}}) {
    for (std::uint64_t words_before = 1; words_before < 10; ++words_before) {
      const curandState start = before_end(3, subsequence, words_before);
      curandState one_by_one = start, at_once = start, next = begin(3, subsequence + 1, 0);
      for (std::uint64_t i = 0; i < words_before; ++i) curand(&one_by_one);
      skipahead(words_before, &at_once);
      for (int i = 0; i < 9; ++i) {
        const unsigned word = curand(&next);
        EXPECT_EQ(curand(&one_by_one), word);
        EXPECT_EQ(curand(&at_once), word);
      }
      // By whole subsequences, there and back, in the middle of blocks.
      curandState later = start, back = one_by_one, ninth = begin(3, subsequence, 9);
      skipahead_sequence(5, &later);
      curandState expected = before_end(3, subsequence + 5, words_before);
      skipahead_sequence(~std::uint64_t{0}, &back);
      for (int i = 0; i < 9; ++i) {
        EXPECT_EQ(curand(&later), curand(&expected));
        EXPECT_EQ(curand(&back), curand(&ninth));
      }
    }
  }
}

TEST(curand_kernel, ends_of_the_uniforms) {
  EXPECT_EQ(compat::curand_uniform_of(0), 0x1p-33f);
  EXPECT_EQ(compat::curand_uniform_of(0xffffff7f), 1 - 0x1p-24f);
  EXPECT_EQ(compat::curand_uniform_of(0xffffff80), 1.0f);
  EXPECT_EQ(compat::curand_uniform_double_of(0), 0x1p-32);
  EXPECT_EQ(compat::curand_uniform_double_of(0xffffffff), 1.0);
  EXPECT_EQ(compat::curand_uniform_double_of(0, 0), 0x1p-54);
  EXPECT_EQ(compat::curand_uniform_double_of(0x1fffff ^ 0xffffffff, 0xffffffff), 1 - 0x1p-21);
  EXPECT_EQ(compat::curand_uniform_double_of(0x001fffff, 0xffffffff), 1.0);
  const auto z = compat::curand_normals_of(0xffffffff, 12345);
  EXPECT_EQ(z[0], 0.0f);
  EXPECT_EQ(z[1], 0.0f);
}

TEST(curand_kernel, cached_normals_stay_after_a_skip_unless_dropped) {
  curandState s = begin(1, 0, 0), fresh = begin(1, 0, 1002);
  curand_normal(&s);
  curand_normal_double(&s);
  skipahead(1002 - 6, &s);
  curandState kept = s;
  compat::drop_cached_normals(&s);
  EXPECT_EQ(curand_normal(&s), curand_normal(&fresh));
  EXPECT_EQ(curand_normal_double(&s), curand_normal_double(&fresh));
  curandState first = begin(1, 0, 0);
  EXPECT_EQ(curand_normal(&kept), curand_normal2(&first).y);
  EXPECT_EQ(curand_normal_double(&kept), curand_normal2_double(&first).y);
}

TEST(curand_kernel, poisson_outside_its_domain) {
  curandState s = begin(1, 2, 3);
  EXPECT_EQ(curand_poisson(&s, 0.0), 0u);
  EXPECT_EQ(curand_poisson(&s, -3.0), 0u);
  EXPECT_EQ(curand_poisson(&s, -infinity<double>), 0u);
  EXPECT_EQ(curand_poisson(&s, any_nan<double>), 0u);
  EXPECT_EQ(curand_poisson4(&s, any_nan<double>).w, 0u);
  EXPECT_EQ(curand_poisson(&s, 1e12), 0xffffffffu);
}

TEST(curand_kernel, discrete_reads_its_table_only) {
  // What is behind its two elements would give 12.
  const double V[3] = {0.4, 1.0, 2.0};
  const std::uint32_t K[3] = {1, 0, 2};
  const compat::curand_discrete_distribution d{V, K, 10, 2, 0, 0};
  EXPECT_EQ(compat::curand_discrete_of(0, d), 10u);
  EXPECT_EQ(compat::curand_discrete_of(0x7fffffff - 2, d), 11u);
  EXPECT_EQ(compat::curand_discrete_of(0x80000000, d), 11u);
  EXPECT_EQ(compat::curand_discrete_of(0xffffffff, d), 10u);
}

#if defined(RIVUS_HAVE_CURAND_HEADERS)

bool few_cases() { return std::getenv("RIVUS_TEST_FEW") != nullptr; }

// A table that is no distribution of note.
class some_table {
 public:
  some_table() {
    words random(5);
    for (std::uint32_t j = 0; j <= length; ++j) {
      V_.push_back((j + 0.5 + 0.5 * random.real<double>()) / length);
      K_.push_back(static_cast<std::uint32_t>(random.below(length)));
    }
  }
  table of(bool histogram) const {
    return {V_.data(), K_.data(), 1000, histogram ? length : 0, 5000.5, 70.25};
  }

 private:
  static constexpr std::uint32_t length = 37;
  // One more than the length: NVIDIA's functions read it for u = 1.
  std::vector<double> V_;
  std::vector<std::uint32_t> K_;
};

bool is_word(call::kind what) { return what <= call::discrete4 && what >= call::word; }
bool is_poisson(call::kind what) { return what >= call::poisson; }
bool is_log(call::kind what) {
  return (what >= call::log_normal && what <= call::log_normal4) ||
         (what >= call::log_normal_double && what <= call::log_normal4_double);
}

// By how much a value misses its limit at most: normals 4e-6 max(1, |z|) (float) and 1e-12 (double), log-normals
// what that makes of exp(mean + stddev z), with four units in the last place of the exponent and of the value.
double share_of_limit(const call& c, double got, double want) {
  const bool wide = c.what >= call::normal_double;
  const double unit = wide ? 0x1p-52 : 0x1p-23, normal_limit = wide ? 1e-12 : 4e-6;
  const double error = std::abs(got - want);
  if (!is_log(c.what)) return error / (normal_limit * std::max(1.0, std::abs(want)));
  const double exponent = std::log(want), z = (exponent - c.a) / c.b;
  const double change =
      normal_limit * std::max(1.0, std::abs(z)) * std::abs(c.b) + 4 * unit * (1 + std::abs(exponent));
  return error / (want * change);
}

// rivus's functions and NVIDIA's side by side.
class curand_kernel_beside_nvidias : public ::testing::Test {
 protected:
  explicit curand_kernel_beside_nvidias(bool histogram = true) { use(histogram); }
  void use(bool histogram) {
    const table t = table_.of(histogram);
    distribution_ = {{t.V, t.K, t.shift, t.length, t.mean, t.stddev}};
    oracle_ = make_oracle(t);
  }

  // Whether the values agree: to the bit, within the limits, or for Poisson with a count of those that do not.
  ::testing::AssertionResult agree(const call& c) {
    const drawn got = perform(c, &state_, static_cast<curandDiscreteDistribution_t>(&distribution_)),
                want = (*oracle_)(c);
    if (got.count != want.count)
      return ::testing::AssertionFailure() << "kind " << c.what << ": another count";
    bool differs = false;
    for (int i = 0; i < want.count; ++i) {
      const double a = got.value[i], b = want.value[i];
      if (is_word(c.what) ? a == b : is_poisson(c.what)) {
        differs = differs || a != b;
      } else if (!is_word(c.what) && share_of_limit(c, a, b) <= 1) {
        worst_[is_log(c.what)][c.what >= call::normal_double] =
            std::max(worst_[is_log(c.what)][c.what >= call::normal_double], share_of_limit(c, a, b));
      } else {
        return ::testing::AssertionFailure()
               << "kind " << c.what << ", value " << i << " is " << a << " instead of " << b;
      }
    }
    values_ += want.count;
    poissons_ += is_poisson(c.what) ? want.count : 0;
    if (differs) {
      ++other_poissons_;
      start();
    }
    return ::testing::AssertionSuccess();
  }

  // Places of all kinds: small ones, and such that are near a carry.
  std::uint64_t place() {
    const std::uint64_t any = random_();
    switch (random_.below(4)) {
      case 0:
        return any;
      case 1:
        return any >> random_.below(64);
      case 2:
        return ~(any >> random_.below(64));
      default:
        return (std::uint64_t{1} << random_.below(64)) - random_.below(9);
    }
  }
  void start() {
    call c;
    c.what = call::init;
    c.n = place();
    c.subsequence = place();
    c.offset = place();
    ASSERT_TRUE(agree(c));
  }
  call some_call(int first, int last) {
    call c;
    c.what = static_cast<call::kind>(
        first + static_cast<int>(random_.below(static_cast<std::uint64_t>(last - first))));
    c.n = place();
    if (is_poisson(c.what)) {
      c.a = std::exp(std::log(2e4) * std::abs(random_.real<double>()) * 1.2 - 2);
    } else {
      c.a = random_.real<double>();
      c.b = 2 * random_.real<double>();
    }
    if (is_log(c.what) && c.what < call::normal_double) {
      // As the functions take them.
      c.a = static_cast<float>(c.a);
      c.b = static_cast<float>(c.b);
    }
    return c;
  }

  some_table table_;
  curandDiscreteDistribution_st distribution_{};
  std::unique_ptr<oracle> oracle_;
  curandState state_;
  words random_{11};
  double worst_[2][2] = {};
  long values_ = 0, poissons_ = 0, other_poissons_ = 0;
};

TEST_F(curand_kernel_beside_nvidias, state_is_no_larger) {
  EXPECT_LE(sizeof(curandState), oracle_state_size());
}

TEST_F(curand_kernel_beside_nvidias, each_function_after_each_other) {
  for (const bool histogram : {true, false}) {
    use(histogram);
    for (int from = call::skip; from < call::kinds; ++from) {
      for (int to = call::skip; to < call::kinds; ++to) {
        start();
        for (const int what :
             {from, to, from, to, static_cast<int>(call::word), from, static_cast<int>(call::word4)}) {
          ASSERT_TRUE(agree(some_call(what, what + 1))) << "after " << from << " and " << to;
        }
      }
    }
  }
}

TEST_F(curand_kernel_beside_nvidias, calls_in_any_order) {
  const int runs = few_cases() ? 100 : 4000;
  for (int run = 0; run < runs; ++run) {
    use(run % 2 == 0);
    start();
    for (int i = 0; i < 100; ++i) {
      // Now and then from the start; Poisson values seldom, as they may end what is compared.
      const call c = some_call(call::skip, random_.below(16) == 0 ? call::kinds : call::poisson);
      ASSERT_TRUE(agree(c)) << "call " << i << " of run " << run;
    }
  }
  std::printf(
      "%ld values; of the limits: normals %.2f, %.2f, log-normals %.2f, %.2f; %ld of %ld Poisson values "
      "differ\n",
      values_, worst_[0][0], worst_[0][1], worst_[1][0], worst_[1][1], other_poissons_, poissons_);
  EXPECT_LE(other_poissons_, 1 + poissons_ / 10000);
  // With an angle that is rounded once, or reduced by one part of 2/pi, the first is greater.
  EXPECT_LE(worst_[0][0], 0.15);
  EXPECT_LE(worst_[0][1], 0.05);
}

TEST_F(curand_kernel_beside_nvidias, poisson) {
  const double lambdas[] = {1e-3,  0.5,  1,    7.25,   30,   63.99999, 64,  64.5, 100,
                            333.3, 1000, 2500, 3999.5, 4000, 4000.001, 1e5, 3e9};
  const int n = few_cases() ? 200 : 20000;
  for (const double lambda : lambdas) {
    start();
    poissons_ = other_poissons_ = 0;
    for (int i = 0; i < n; ++i) {
      call c;
      c.what = i % 5 == 0 ? call::poisson4 : call::poisson;
      c.a = lambda;
      ASSERT_TRUE(agree(c));
    }
    if (other_poissons_ > 0)
      std::printf("lambda %g: %ld of %ld values differ\n", lambda, other_poissons_, poissons_);
    EXPECT_LE(other_poissons_, 2 + poissons_ / 10000) << "lambda " << lambda;
  }
}

TEST_F(curand_kernel_beside_nvidias, the_block_and_the_constants) {
  const fixed_values theirs = oracle_fixed_values(), ours = values_of_header();
  for (std::size_t i = 0; i < std::size(ours.block); ++i) EXPECT_EQ(ours.block[i], theirs.block[i]);
  for (std::size_t i = 0; i < std::size(ours.constants); ++i)
    EXPECT_EQ(ours.constants[i], theirs.constants[i]) << i;
}

TEST_F(curand_kernel_beside_nvidias, values_of_edge_words) {
  const std::vector<std::uint32_t> all = edge_and_random_words<std::uint32_t>(few_cases() ? 20 : 300, 3);
  call f, d;
  f.what = call::normal2;
  d.what = call::normal2_double;
  for (const std::uint32_t x : all) {
    for (const std::uint32_t y : all) {
      const drawn u = oracle_uniforms_of(x, y), z = oracle_normals_of(x, y);
      ASSERT_EQ(compat::curand_uniform_of(x), static_cast<float>(u.value[0])) << x;
      ASSERT_EQ(compat::curand_uniform_double_of(x), u.value[1]) << x;
      ASSERT_EQ(compat::curand_uniform_double_of(x, y), u.value[2]) << x << " " << y;
      const std::uint32_t w[4] = {x, y, y, x ^ (y << 3)};
      const drawn zd = oracle_normals_of(w);
      const vec<float, 2> got = compat::curand_normals_of(x, y);
      const vec<double, 2> got_d = compat::curand_normals_of({{w[0], w[1], w[2], w[3]}});
      for (int i = 0; i < 2; ++i) {
        ASSERT_LE(share_of_limit(f, got[i], z.value[i]), 1) << x << " " << y;
        ASSERT_LE(share_of_limit(d, got_d[i], zd.value[i]), 1) << x << " " << y;
      }
    }
  }
}

#endif

}  // namespace
}  // namespace rivus::test
