// PyTorch's sequences, compared with frozen cases of PyTorch on a CPU, with more of them where a file is given,
// and with outputs of its CUDA generator that people have published.
#include <array>
#include <numbers>
#include <rivus/compat/pytorch.hpp>

#include "cases.hpp"

namespace pytorch = rivus::compat::pytorch;
using rivus::test::as_word;
using rivus::test::drawn_case;

namespace {

using words = std::vector<std::uint64_t>;

template <class T, class F>
void append(words& all, std::uint64_t n, F next) {
  for (std::uint64_t i = 0; i < n; ++i) all.push_back(as_word(static_cast<T>(next(i))));
}

// f(T()) for the type of that name.
template <class F>
void with_type(const std::string& name, F f) {
  if (name == "int8") f(std::int8_t());
  if (name == "uint8") f(std::uint8_t());
  if (name == "int16") f(std::int16_t());
  if (name == "uint16") f(std::uint16_t());
  if (name == "int32") f(std::int32_t());
  if (name == "uint32") f(std::uint32_t());
  if (name == "int64") f(std::int64_t());
  if (name == "float32" || name == "float") f(float());
  if (name == "float64" || name == "double") f(double());
}

words answer_of_generator(drawn_case& c) {
  const std::string name = c.word();
  pytorch::cpu_generator g(c.u64());
  words all;
  with_type(name, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      if (c.operation() == "rand") append<T>(all, c.u64(), [&](std::uint64_t) { return g.rand<T>(); });
    } else if (c.operation() == "randint") {
      const std::int64_t low = c.i64(), high = c.i64();
      append<T>(all, c.u64(), [&](std::uint64_t) { return g.randint(low, high); });
    }
    if constexpr (!std::is_same_v<T, std::uint16_t> && !std::is_same_v<T, std::uint32_t>) {
      if (c.operation() == "random_") append<T>(all, c.u64(), [&](std::uint64_t) { return g.random_<T>(); });
    }
  });
  append<float>(all, 3, [&](std::uint64_t) { return g.rand<float>(); });
  return all;
}

words answer_of_key(drawn_case& c) {
  const std::string& operation = c.operation();
  const bool has_type = operation == "key_bits" || operation == "key_uniform" || operation == "key_randint";
  const std::string type = has_type ? c.word() : "";
  pytorch::random_key key{c.u64()};
  key.offset = c.u64();
  words all;
  if (operation == "key_split" || operation == "key_fold_in") {
    const std::uint64_t n = c.u64();
    const bool is_split = operation == "key_split";
    for (std::uint64_t i = is_split ? 0 : n; i < n + !is_split; ++i) {
      const pytorch::random_key child = key.fold_in(i);
      all.insert(all.end(), {child.seed, child.offset});
    }
  } else if (operation == "key_bits") {
    const std::uint64_t n = c.u64();
    if (type == "8") append<std::uint8_t>(all, n, [&](auto i) { return key.bits<std::uint8_t>(i); });
    if (type == "16") append<std::uint16_t>(all, n, [&](auto i) { return key.bits<std::uint16_t>(i); });
    if (type == "32") append<std::uint32_t>(all, n, [&](auto i) { return key.bits<std::uint32_t>(i); });
    if (type == "64") append<std::uint64_t>(all, n, [&](auto i) { return key.bits<std::uint64_t>(i); });
  } else {
    with_type(type, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_floating_point_v<T>) {
        append<T>(all, c.u64(), [&](std::uint64_t i) { return key.uniform<T>(i); });
      } else {
        const T low = static_cast<T>(c.i64()), high = static_cast<T>(c.i64());
        append<T>(all, c.u64(), [&](std::uint64_t i) { return key.randint<T>(i, low, high); });
      }
    });
  }
  return all;
}

words answer(drawn_case& c) {
  return c.operation().rfind("key_", 0) == 0 ? answer_of_key(c) : answer_of_generator(c);
}

constexpr auto operations = {"rand",        "random_",  "randint",     "key_split",
                             "key_fold_in", "key_bits", "key_uniform", "key_randint"};

// Of PyTorch 2.15.0 on a CPU: a selection of pytorch_cases.py's lines.
constexpr const char* frozen = R"(
rand float 42 1000 | 11867342990339462001 1063378022 1063927219 1053034168
rand float 531213480 1000 | 11867343459825999411 1036036384 1034886432 1056027344
rand double 1 1000 | 15505052452770611207 4588959525204659888 4597258449027354912 4597607856566636068
rand double 42 1000 | 7233844761109688718 4588541765717580592 4589197575968303216 4593569735723885112
random_ int8 15778517434275995754 17 | 9488309397557141033 83 64 20
random_ uint8 7 16 | 10167414040263123543 175 196 25
random_ int16 1 16 | 10167414039548042027 29733 235 12172
random_ int32 1 1000 | 11867264542539267067 1791095845 2135392491 946286476
random_ int64 1904719031 15 | 1006689715815614318 4940377395534728343 2304728529186023039 5820234694233416858
random_ float32 42 2 | 4840042159776373935 1264704519 1265253608 1053034168
random_ float64 42 2 | 4839342084133732529 4827232545968204608 4827888356218923928 1053288660
randint uint8 0 0 255 16 | 10167414039779298583 194 54 233
randint int16 4230792434 -32768 32767 1000 | 11867325558640620840 28594 45983 51768
randint int32 0 1414475396 1414475406 3 | 4690058703882307602 1414475400 1414475405 1414475399
randint int64 42 -6836489704575257963 -6836489700280290668 3 | 12255535337841778917 11610254369869089967 11610254369710459648 11610254371331963719
randint int64 3054816853554480762 2744873135077668160 2744873135346103616 1000 | 15609777493768359952 2744873135180152810 2744873135334939614 2744873135342984482
randint int64 5899630936469740919 1830983988258920102 1830983988527355557 16 | 15596713246596509900 1830983988266115423 1830983988526262083 1830983988332356396
randint int64 42 4330019151314077300 4330019155609044596 1000 | 16757071476295498897 4330019154735203367 4330019152101923714 4330019154662824635
randint int64 42 -8931899172688136375 291472864166639432 16 | 9103475624296705929 16423890538450367740 17829056457560493144 13794377711405976465
key_split 1 14972195141495534878 101 | 3722250832583313361 16872563619297550810 4488000876959005733 6012180209516042484
key_split 42 10043548852999948118 101 | 15924330957402270020 15131739682236478366 16388133384146746184 13500831536203425258
key_split 42 18446744073709551615 101 | 9363985425140157326 1685533963231214966 14993516311478150012 8643895580192075859
key_fold_in 13450382012022577920 1 6470539817417550990 | 12370150159658296173 13349751007647058488 7295992824768214130
key_fold_in 15144101343008822907 10459849739643235414 1 | 4980673952992418926 11072474065717241739 1174312544485273012
key_fold_in 1660916002365063695 18446744073709551615 11008866276524422513 | 10273051304167210567 5160028219398461256 6658231699606560320
key_bits 8 1 4294967295 5 | 4840042183113176472 63 83 199
key_bits 8 159985247 0 5 | 4840042183113174318 149 208 48
key_bits 16 0 11135401718479130854 5 | 4840042183112624448 33209 7031 34138
key_bits 16 3939122365 1 5 | 4840042183112542451 36791 24440 13890
key_bits 32 0 0 101 | 12393079131532568239 1713891541 3781805453 3159862348
key_bits 32 42 0 5 | 4840042130524909283 2632642643 2012563771 314527917
key_bits 64 1 0 101 | 15899212228333727792 16422383123155259068 10804736667099179559 12396180084288244926
key_bits 64 1 4294967295 101 | 17253349379119753731 34070840543653971 17836515976770746957 9457551366854317628
key_uniform float 2848435634 0 5 | 4840042160204858990 1051816468 1063109087 1063940003
key_uniform float 42 0 101 | 12393081685414953871 1063972947 1064651067 1061114029
key_uniform double 7 4294967295 101 | 161140979506267164 4598289105880231516 4603386975003274988 4594750741498550224
key_uniform double 9399632822682666882 1 101 | 1301726403542393487 4603630068508329531 4605988131823476826 4598843677954233954
key_randint int8 0 18446744073709551615 -30 -27 5 | 4840042183113178158 226 228 228
key_randint uint8 1 4294967295 86 87 101 | 12393080513251070092 86 86 86
key_randint int16 1 18446744073709551615 -24574 -24573 5 | 4840042183112887744 40962 40962 40962
key_randint uint16 7 0 8997 12201 101 | 12393080513256121921 9078 9937 12015
key_randint int32 42 10043548852999948118 1844652822 1844653017 101 | 12393074757360558573 1844653009 1844652846 1844652917
key_randint uint32 4243514692 18446744073709551615 2176779150 2353225002 5 | 4840042174855048386 2311743308 2352237687 2338862289
key_randint int64 42 18446744073709551615 -1053231324267776621 -1053231324267094530 101 | 13870755855381685014 17393512749441949209 17393512749442115577 17393512749442286476
)";

TEST(PyTorch, FrozenCases) {
  std::istringstream in(frozen);
  rivus::test::compare_cases(in, "frozen PyTorch", operations, answer);
}

TEST(PyTorch, GivenCases) {
  rivus::test::compare_file("RIVUS_TEST_PYTORCH_CASES", "PyTorch", operations, answer);
}

TEST(PyTorch, PublishedValuesOfTheCpu) {
  pytorch::cpu_generator g(42);
  for (const double x : {0.8823, 0.9150, 0.3829, 0.9593, 0.3904, 0.6009})
    EXPECT_NEAR(g.rand<float>(), x, 5.1e-5);
  pytorch::cpu_generator other(7);
  for (const double x : {0.5349, 0.1988, 0.6592}) EXPECT_NEAR(other.rand<float>(), x, 5.1e-5);
}

// What the devices of the published outputs are: NVIDIA's data sheets, and the CUDA programming guide.
constexpr pytorch::cuda_device t4{40, 1024}, a4000{48, 1536}, a100{108, 2048}, h100{132, 2048};

// manual_seed(0), then rand(9) twice: what any GPU prints, as it stands in many programs. Tests of
// open-mmlab/mmdetection3d hold the first tensor and the beginning of the second.
TEST(PyTorch, PublishedValuesOfCuda) {
  for (const pytorch::cuda_device device : {t4, a100}) {
    pytorch::cuda_generator g(0, device);
    const auto first = g.rand<float>(9);
    EXPECT_EQ(g.offset(), 4u);
    const auto second = g.rand<float>(9);
    const double x[] = {0.3990, 0.5167, 0.0249, 0.9401, 0.9459, 0.7967, 0.4150, 0.8203, 0.2290};
    const double y[] = {0.9722, 0.7910, 0.4690, 0.3300, 0.3345, 0.3783, 0.7640, 0.6405, 0.1103};
    for (std::uint64_t i = 0; i < 9; ++i) {
      EXPECT_NEAR(first(i), x[i], 5.1e-5);
      EXPECT_NEAR(second(i), y[i], 5.1e-5);
    }
  }
}

// manual_seed(0), rand(10000, 10000): the corners that a public repository prints. Of all grids up to 2000
// blocks only one, of a T4, gives them.
TEST(PyTorch, PublishedCornersOfCuda) {
  constexpr double corners[6][6] = {
      {.3990, .5167, .0249, .9971, .8137, .0429}, {.1117, .5124, .6413, .2033, .4244, .7405},
      {.7685, .7422, .4577, .5380, .1010, .4636}, {.5471, .9743, .9763, .6386, .4802, .0591},
      {.4013, .6963, .8307, .6674, .3551, .0153}, {.2846, .1924, .9891, .1611, .7280, .1510}};
  constexpr std::uint64_t at[6] = {0, 1, 2, 9997, 9998, 9999};
  const auto matches = [&](const pytorch::cuda_rand<float>& x) {
    int same = 0;
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) same += std::abs(x(10000 * at[i] + at[j]) - corners[i][j]) < 5.1e-5;
    }
    return same;
  };
  pytorch::cuda_generator g(0, t4);
  EXPECT_EQ(matches(g.rand<float>(100000000)), 36);
  EXPECT_EQ(g.offset(), 4u * 611);
  std::vector<std::uint32_t> fitting;
  for (std::uint32_t blocks = 1; blocks <= 2000; ++blocks) {
    pytorch::cuda_generator other(0, {blocks, 256});
    if (matches(other.rand<float>(100000000)) == 36) fitting.push_back(blocks);
  }
  EXPECT_EQ(fitting, std::vector<std::uint32_t>{160});
}

// A normal number as PyTorch makes it of the words, but with this machine's functions.
double normal(const pytorch::cuda_words& w, std::uint64_t i) {
  const std::uint64_t k = i / w.threads % 4;
  const double u = (w.word(i, 4, k & ~std::uint64_t{1}) + 0.5) * 0x1p-32;
  const double v = (w.word(i, 4, k | 1) + 0.5) * 0x1p-31 * std::numbers::pi;
  return std::sqrt(-2 * std::log(u)) * (k % 2 == 0 ? std::sin(v) : std::cos(v));
}

// The words of randn, by their normal numbers, on devices that are known.
TEST(PyTorch, PublishedNormalsOfCuda) {
  struct output {
    std::uint64_t seed;
    pytorch::cuda_device device;
    std::uint64_t n;
    double mean, stddev;
    std::vector<std::pair<std::uint64_t, double>> values;
  };
  constexpr std::uint64_t n = 49 * 12 * 112 * 144;
  const output outputs[] = {
      // pytorch/pytorch#79496.
      {10, t4, 3, 0, 1, {{0, -0.1029}, {1, 1.6810}, {2, -0.2708}}},
      // pytorch/pytorch#143086.
      {1,
       h100,
       n,
       0,
       1,
       {{0, -0.2963}, {1, 2.6764}, {2, -0.1408}, {n - 3, -0.6970}, {n - 2, -0.7780}, {n - 1, 0.3267}}},
      {1,
       a100,
       n,
       0,
       1,
       {{0, -0.2963}, {1, 2.6764}, {2, -0.1408}, {n - 3, 0.1549}, {n - 2, -0.6797}, {n - 1, -0.1656}}},
      // pytorch/pytorch#97097.
      {14,
       a4000,
       100000,
       5,
       std::sqrt(5.0),
       {{0, 2.8731},     {1, 5.2727},     {2, 2.9889},     {97, 1.6853},    {98, 9.6331},
        {99, 6.6319},    {100, 3.9968},   {101, 3.8097},   {102, 5.7328},   {197, 4.4029},
        {198, 3.9804},   {199, 7.4698},   {200, 6.5552},   {201, 4.0857},   {202, 4.2315},
        {297, 2.7704},   {298, 3.5479},   {299, 3.3063},   {99700, 8.6297}, {99701, 2.3137},
        {99702, 6.2596}, {99797, 7.9358}, {99798, 4.4697}, {99799, 2.7475}, {99800, 7.0551},
        {99801, 7.8583}, {99802, 3.9990}, {99897, 4.1139}, {99898, 8.9315}, {99899, 4.2042},
        {99900, 2.7337}, {99901, 2.2106}, {99902, 7.7815}, {99997, 8.2207}, {99998, 6.5395},
        {99999, 4.2604}}}};
  for (const output& o : outputs) {
    SCOPED_TRACE("seed " + std::to_string(o.seed) + ", n " + std::to_string(o.n));
    pytorch::cuda_generator g(o.seed, o.device);
    const pytorch::cuda_words w = g.words(o.n);
    for (const auto& [i, x] : o.values) EXPECT_NEAR(o.mean + o.stddev * normal(w, i), x, 1e-4) << i;
  }
}

// Of NVIDIA's TensorRT-LLM, a test of its redrafter: manual_seed(0), x = randint(100, (2, 3, 4)) and
// b = randint(3, (2, 3)) on a GPU; what is known is x[i, b[i, j]].
TEST(PyTorch, PublishedIntegersOfCuda) {
  constexpr std::int64_t expected[2][3][4] = {{{53, 4, 3, 33}, {53, 4, 3, 33}, {41, 97, 91, 72}},
                                              {{98, 84, 78, 8}, {12, 57, 51, 75}, {98, 84, 78, 8}}};
  pytorch::cuda_generator g(0, t4);
  const auto x = g.randint(0, 100, 24, 4);
  const auto b = g.randint(0, 3, 6, 4);
  for (std::uint64_t i = 0; i < 2; ++i) {
    for (std::uint64_t j = 0; j < 3; ++j) {
      const std::uint64_t row = 3 * i + static_cast<std::uint64_t>(b(3 * i + j));
      for (std::uint64_t k = 0; k < 4; ++k) EXPECT_EQ(x(4 * row + k), expected[i][j][k]);
    }
  }
}

// Against the rule itself, written out as loops over the threads of a grid.
template <class T, class Values, class MakeWords>
void compare_with_loops(const Values& x, std::uint64_t n, std::uint64_t threads, std::uint64_t per_block,
                        std::uint64_t seed, std::uint64_t offset, MakeWords make) {
  std::vector<T> expected(n);
  for (std::uint64_t t = 0; t < threads; ++t) {
    std::uint64_t block = offset / 4;
    for (std::uint64_t first = t; first < n; first += threads * per_block, ++block) {
      const auto w = rivus::philox4x32::block(
          {{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
            static_cast<std::uint32_t>(t), 0}},
          {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}});
      for (std::uint64_t k = 0; k < per_block && first + k * threads < n; ++k)
        expected[first + k * threads] = make(w, static_cast<int>(k));
    }
  }
  for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(as_word(x(i)), as_word(expected[i])) << i;
}
TEST(PyTorch, CudaAgainstLoops) {
  using block = rivus::philox4x32::counter_type;
  constexpr std::uint64_t seed = 0x123456789abcdefu;
  const auto wide = [](const block& w, int k) { return std::uint64_t{w[2 * k]} << 32 | w[2 * k + 1]; };
  for (const std::uint64_t n : {1u, 255u, 257u, 1023u, 5000u}) {
    pytorch::cuda_generator g(seed, {3, 300}, 40);
    const std::uint64_t threads = n <= 256 ? 256 : n <= 512 ? 512 : 768;
    std::uint64_t offset = 40;
    compare_with_loops<float>(g.rand<float>(n), n, threads, 4, seed, offset, [](const block& w, int k) {
      const float u = static_cast<float>((static_cast<double>(static_cast<float>(w[k])) + 0.5) * 0x1p-32);
      return u == 1.0f ? 0.0f : u;
    });
    offset += 4 * ((n + 4 * threads - 1) / (4 * threads));
    ASSERT_EQ(g.offset(), offset);
    compare_with_loops<double>(g.rand<double>(n), n, threads, 2, seed, offset, [](const block& w, int k) {
      const std::uint64_t z = w[2 * k] ^ std::uint64_t{w[2 * k + 1]} << 21;
      const double u = static_cast<double>(static_cast<long double>(z) * 0x1p-53L + 0x1p-54L);
      return u == 1.0 ? 0.0 : u;
    });
    offset += 4 * ((n + 2 * threads - 1) / (2 * threads));
    ASSERT_EQ(g.offset(), offset);
    compare_with_loops<std::int64_t>(
        g.randint(-7, 1000, n), n, threads, 4, seed, offset,
        [](const block& w, int k) { return static_cast<std::int64_t>(w[k] % 1007u) - 7; });
    offset += 4 * ((n + 4 * threads - 1) / (4 * threads));
    compare_with_loops<std::int64_t>(
        g.randint(-7, (1 << 28) - 7, n), n, threads, 2, seed, offset,
        [&](const block& w, int k) { return static_cast<std::int64_t>(wide(w, k) % (1u << 28)) - 7; });
    offset += 4 * ((n + 2 * threads - 1) / (2 * threads));
    ASSERT_EQ(g.offset(), offset);
  }
}

// A word that is rounded to 1, the 50,893,512th thread's first with seed 0.
TEST(PyTorch, OneOfCudaIsZero) {
  constexpr std::uint64_t i = 50893511;
  const pytorch::cuda_rand<float> x{{0, 0, std::uint64_t{1} << 40}};
  EXPECT_EQ(x.words.bits32(i), 0xFFFFFFF3u);
  EXPECT_EQ(as_word(x(i)), as_word(0.0f));
}

TEST(PyTorch, BadInputIsRefused) {
  using rivus::test::error_of;
  using rivus::test::mentions;
  pytorch::cpu_generator c(0);
  EXPECT_TRUE(mentions(error_of([&] { c.randint(5, 5); }), {"high = 5", "low = 5"}));
  pytorch::cuda_generator g(0, t4);
  EXPECT_TRUE(mentions(error_of([&] { g.randint(5, 4, 10); }), {"high = 4", "low = 5"}));
  EXPECT_TRUE(mentions(error_of([&] { g.randint(4, 5, 10, 0); }), {"element_size = 0"}));
  EXPECT_TRUE(mentions(error_of([&] { g.rand<float>((1u << 29) + 1); }), {"n = 536870913", "2^31"}));
  EXPECT_TRUE(mentions(error_of([&] { g.rand<double>((1u << 28) + 1); }), {"n = 268435457"}));
  EXPECT_EQ(g.offset(), 0u);
  g.rand<float>(1u << 29);
  EXPECT_TRUE(mentions(error_of([] { pytorch::cuda_generator(0, {0, 2048}); }), {"device = {0, 2048}"}));
  EXPECT_TRUE(mentions(error_of([] { pytorch::cuda_generator(0, {4, 255}); }), {"device = {4, 255}"}));
  const std::uint64_t before = g.offset();
  g.rand<float>(0);
  EXPECT_EQ(g.offset(), before);
}

}  // namespace
