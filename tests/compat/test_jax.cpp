// JAX's sequences, compared with frozen cases of JAX, and with more of them where a file is given.
#include <rivus/compat/jax.hpp>

#include "cases.hpp"

namespace jax = rivus::compat::jax;
using rivus::test::as_word;
using rivus::test::drawn_case;

namespace {

using words = std::vector<std::uint64_t>;

void append(words& all, jax::key_data k) { all.insert(all.end(), k.begin(), k.end()); }

template <class F>
words elements(std::uint64_t n, F element) {
  words all(n);
  for (std::uint64_t i = 0; i < n; ++i) all[i] = as_word(element(i));
  return all;
}

words answer(drawn_case& c) {
  const std::string& operation = c.operation();
  words all;
  if (operation == "key" || operation == "key32") {
    const std::int64_t seed = c.i64();
    append(all, operation == "key" ? jax::key(seed) : jax::key32(seed));
    return all;
  }
  const bool has_width = operation == "bits" || operation == "uniform";
  const std::uint64_t width = has_width ? c.u64() : 0;
  const jax::layout how = c.word() == "partitionable" ? jax::layout::partitionable : jax::layout::original;
  jax::key_data key{};
  for (std::uint32_t& w : key) w = static_cast<std::uint32_t>(c.u64());
  const std::uint64_t n = c.u64();
  if (operation == "fold_in") {
    append(all, jax::fold_in(key, static_cast<std::uint32_t>(n)));
  } else if (operation == "split") {
    for (std::uint64_t i = 0; i < n; ++i) append(all, jax::split(key, i, n, how));
  } else if (operation == "uniform") {
    all = width == 32 ? elements(n, [&](std::uint64_t i) { return jax::uniform<float>(key, i, n, how); })
                      : elements(n, [&](std::uint64_t i) { return jax::uniform<double>(key, i, n, how); });
  } else if (operation == "bits") {
    all = width == 8 ? elements(n, [&](std::uint64_t i) { return jax::bits<std::uint8_t>(key, i, n, how); })
          : width == 16
              ? elements(n, [&](std::uint64_t i) { return jax::bits<std::uint16_t>(key, i, n, how); })
          : width == 32
              ? elements(n, [&](std::uint64_t i) { return jax::bits<std::uint32_t>(key, i, n, how); })
              : elements(n, [&](std::uint64_t i) { return jax::bits<std::uint64_t>(key, i, n, how); });
  }
  return all;
}

constexpr auto operations = {"key", "key32", "fold_in", "split", "bits", "uniform"};

// Of JAX 0.10.2 on a CPU: a selection of jax_cases.py's lines.
constexpr const char* frozen = R"(
key -9223372036854775808 | 15755400386407527487 2147483648 0
key 2320423491210544514 | 15755400384702691748 540265695 34833794
key32 -8067256319033846283 | 15755400387956604320 0 3086374389
key32 -9212372660965852181 | 15755400387307427834 0 3298573291
fold_in original 65992477 3765071994 0 | 15755400392311188591 2411393722 2417869298
fold_in partitionable 4294967295 4294967295 0 | 15755400381417459522 1094285764 1314454335
split partitionable 0 2004440385 1 | 15755400390961796732 3185728146 3127874907
split partitionable 3228991026 3090062438 2 | 242678289178157546 2219540400 490568161 1226524155
split partitionable 0 1104343501 3 | 4690058732603736941 1988310531 1602458578 1199450882
split partitionable 1149946142 1955448950 101 | 17072713293999150653 13435404 838515260 644165370
bits 8 partitionable 4294967295 4294967295 3 | 635340061525168745 251 216 177
bits 8 partitionable 0 0 7 | 8502099108915339388 167 146 40
bits 8 partitionable 1571193711 2113808463 101 | 12393080513251072745 244 81 133
bits 16 partitionable 0 2252465100 3 | 635340061525080441 32407 39159 42022
bits 16 partitionable 0 0 7 | 8502099108914364284 20391 13970 3624
bits 16 partitionable 4294967295 4294967295 101 | 12393080513275982077 33531 63448 41905
bits 32 partitionable 4294967295 4294967295 1 | 258048763 258048763
bits 32 partitionable 4294967295 4294967295 42 | 9270527005036972128 258048763 3694393304 1907139505
bits 32 partitionable 4294967295 4294967295 99991 | 183895726712046214 258048763 3694393304 1907139505
bits 64 partitionable 0 42 1 | 7871734211187709741 7871734211187709741
bits 64 partitionable 4294967295 4294967295 42 | 1168452427634647783 4699921570172828479 5821890251550389646 1717186982460264391
bits 64 partitionable 0 42 99991 | 1803884746166670607 7871734211187709741 276886910877598708 10591095138341673235
uniform 32 partitionable 0 42 1 | 1056585764 1056585764
uniform 32 partitionable 4294967295 4294967295 42 | 9270527375030164403 1031149600 1063007222 1055086916
uniform 32 partitionable 0 42 99991 | 151018868280133719 1056585764 1059981104 1058915320
uniform 64 partitionable 0 0 1 | 4601209873087491728 4601209873087491728
uniform 64 partitionable 4294967295 4294967295 42 | 16093708678333098167 4598261387076277820 4599357059616685596 4591372182313400320
uniform 64 partitionable 4294967295 4294967295 99991 | 13795647201435508083 4598261387076277820 4599357059616685596 4591372182313400320
split original 449856898 2983747009 1 | 15755400383665038249 2355612706 1004577080
split original 0 42 2 | 242678310945055547 2465931498 3679230171 255383827
split original 4294967295 4294967295 3 | 4690058711557902728 1594713364 586013425 2799642733
split original 0 3757052880 101 | 17072703615481749187 579221307 2822679756 901746440
bits 8 original 0 1203223926 3 | 635340061525168226 247 146 116
bits 8 original 0 42 7 | 8502099108915344696 45 179 215
bits 8 original 0 0 101 | 12393080513251076621 180 114 123
bits 16 original 0 1203223926 3 | 635340061525045391 35113 50680 41081
bits 16 original 0 42 7 | 8502099108914414979 8426 37627 39131
bits 16 original 0 0 101 | 12393080513272149760 40107 56829 56181
bits 32 original 4294967295 4294967295 1 | 1094285764 1094285764
bits 32 original 0 0 42 | 9270527112324835301 2389267240 1759314335 1577406209
bits 32 original 1302085268 1646271212 99991 | 149311860685395990 2330851509 3019963610 1672655174
bits 64 original 4294967295 4294967295 1 | 5821890251550389646 5821890251550389646
bits 64 original 0 0 42 | 18414848831728215178 12088453958878935021 6120484014736960762 16905203054512795744
bits 64 original 1302085268 1646271212 99991 | 15420186165691053602 330610950469773975 10375014238669765083 15699958063806078393
uniform 32 original 738934953 1665063369 1 | 1062733048 1062733048
uniform 32 original 0 42 42 | 9270527379288133861 1039412320 1052409532 1061151010
uniform 32 original 1046410363 3908157317 99991 | 150998296037863663 1063334088 1064247390 1058945010
uniform 64 original 0 0 1 | 4596960885320641928 4596960885320641928
uniform 64 original 0 42 42 | 44086893750163649 4600104633930474924 4596903203554322696 4605148470042787784
uniform 64 original 1302085268 1646271212 99991 | 1462694656385212003 4580823017509514112 4603241144466501886 4605841214693619226
)";

TEST(JAX, FrozenCases) {
  std::istringstream in(frozen);
  rivus::test::compare_cases(in, "frozen JAX", operations, answer);
}

TEST(JAX, GivenCases) { rivus::test::compare_file("RIVUS_TEST_JAX_CASES", "JAX", operations, answer); }

TEST(JAX, PublishedValues) {
  // split(PRNGKey(0)) in JAX's manual, as long as the original layout was the default.
  const jax::key_data key = jax::key32(0);
  EXPECT_EQ(jax::split(key, 0, 2, jax::layout::original), (jax::key_data{{4146024105u, 967050713u}}));
  EXPECT_EQ(jax::split(key, 1, 2, jax::layout::original), (jax::key_data{{2718843009u, 1272950319u}}));
}

// With the partitionable layout child i does not depend on the number of children, and is fold_in of i.
TEST(JAX, SplitIsFoldIn) {
  constexpr jax::key_data key = jax::key(123456789012345);
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(jax::split(key, i, 100), jax::fold_in(key, i));
    EXPECT_EQ(jax::split(key, i, 101), jax::fold_in(key, i));
  }
  static_assert(jax::split(key, 1) == jax::fold_in(key, 1));
}

TEST(JAX, IndicesBeyond32Bits) {
  constexpr jax::key_data key = jax::key32(1);
  constexpr std::uint64_t i = (std::uint64_t{5} << 32) + 7;
  const auto block = rivus::threefry2x32::block({{5, 7}}, key);
  EXPECT_EQ(jax::split(key, i, i + 1), block);
  EXPECT_EQ(jax::bits<std::uint32_t>(key, i, i + 1), block[0] ^ block[1]);
}

}  // namespace
