// NumPy's sequences, compared with NumPy where this machine has it, and with frozen cases.
#include <cstdio>
#include <rivus/compat/numpy.hpp>

#include "cases.hpp"

namespace numpy = rivus::compat::numpy;
using rivus::test::as_word;
using rivus::test::drawn_case;

namespace {

using words = std::vector<std::uint64_t>;

template <class W>
words widened(const std::vector<W>& v) {
  return words(v.begin(), v.end());
}

numpy::seed_sequence read_seed(drawn_case& c) {
  const std::string entropy = c.word();
  std::vector<std::uint64_t> key(c.u64());
  for (std::uint64_t& k : key) k = c.u64();
  return numpy::seed_sequence::from_text(entropy, key);
}

template <class T, class G>
words draw_integers(drawn_case& c, G g) {
  const T low = static_cast<T>(std::is_signed_v<T> ? static_cast<std::uint64_t>(c.i64()) : c.u64());
  const T last = static_cast<T>(std::is_signed_v<T> ? static_cast<std::uint64_t>(c.i64()) : c.u64());
  std::vector<T> x(c.u64());
  // Both forms of the upper end, where there are two.
  if (last < std::numeric_limits<T>::max() && x.size() % 2 == 0) {
    g.integers(low, static_cast<T>(last + 1), x.data(), x.size());
  } else {
    g.integers(low, last, x.data(), x.size(), true);
  }
  words all;
  for (const T value : x) all.push_back(as_word(value));
  all.push_back(g.template integers<std::uint32_t>(0, 0xFFFFFFFFu, true));
  return all;
}

template <class G>
words draw(drawn_case& c, const std::string& operation) {
  numpy::generator<G> g(c.u64());
  words all;
  if (operation == "mixed") {
    for (int i = 0; i < 12; ++i) {
      all.push_back(as_word(g.random_float32()));
      all.push_back(as_word(g.random()));
      all.push_back(as_word(g.template integers<std::int64_t>(0, 1000)));
      all.push_back(as_word(g.template integers<std::int64_t>(0, 1000000000000)));
      all.push_back(as_word(g.template integers<std::int8_t>(-5, 100)));
    }
    return all;
  }
  if (operation == "integers") {
    const std::string type = c.word();
    if (type == "int8") return draw_integers<std::int8_t>(c, g);
    if (type == "uint8") return draw_integers<std::uint8_t>(c, g);
    if (type == "int16") return draw_integers<std::int16_t>(c, g);
    if (type == "uint16") return draw_integers<std::uint16_t>(c, g);
    if (type == "int32") return draw_integers<std::int32_t>(c, g);
    if (type == "uint32") return draw_integers<std::uint32_t>(c, g);
    if (type == "int64") return draw_integers<std::int64_t>(c, g);
    if (type == "uint64") return draw_integers<std::uint64_t>(c, g);
    return {};
  }
  const std::uint64_t n = c.u64();
  if (operation == "permutation" || operation == "shuffle") {
    std::vector<std::int64_t> x(n);
    for (std::uint64_t i = 0; i < n; ++i) x[i] = static_cast<std::int64_t>(i);
    g.shuffle(x.data(), n);
    if (operation == "shuffle") {
      // The script shuffles 0, 3, 6, ... after drawing a permutation.
      for (std::uint64_t i = 0; i < n; ++i) x[i] = static_cast<std::int64_t>(3 * i);
      g.shuffle(x.data(), n);
    }
    for (const std::int64_t i : x) all.push_back(static_cast<std::uint64_t>(i));
    return all;
  }
  for (std::uint64_t i = 0; i < n; ++i)
    all.push_back(operation == "random" ? as_word(g.random()) : as_word(g.random_float32()));
  return all;
}

template <class G, class Delta>
words draw_raw(G g, Delta delta, std::uint64_t jumps, std::uint64_t n) {
  words all;
  const auto take = [&](G& from) {
    for (std::uint64_t i = 0; i < n; ++i) all.push_back(from.next64());
  };
  take(g);
  // What waits must go.
  if (n % 2 == 0) (void)G(g).next32();
  g.advance(delta);
  take(g);
  G further = g.jumped(jumps);
  take(further);
  return all;
}

words answer(drawn_case& c) {
  const std::string& operation = c.operation();
  if (operation == "seed_state32" || operation == "seed_state64") {
    const std::uint64_t n = c.u64();
    const numpy::seed_sequence seed = read_seed(c);
    return operation == "seed_state32" ? widened(seed.generate_state<std::uint32_t>(n))
                                       : widened(seed.generate_state<std::uint64_t>(n));
  }
  if (operation == "seed_spawn") {
    const auto first = static_cast<std::uint32_t>(c.u64()), then = static_cast<std::uint32_t>(c.u64());
    numpy::seed_sequence seed = read_seed(c);
    seed.spawn(first);
    std::vector<numpy::seed_sequence> children = seed.spawn(then);
    EXPECT_EQ(seed.n_children_spawned(), first + then);
    EXPECT_EQ(children.back().spawn_key().back(), first + then - 1);
    return widened(children.back().spawn(2)[1].generate_state<std::uint32_t>(4));
  }
  if (operation == "seed_words") {
    std::vector<std::uint32_t> entropy(c.u64());
    for (std::uint32_t& w : entropy) w = static_cast<std::uint32_t>(c.u64());
    return widened(numpy::seed_sequence(entropy).generate_state<std::uint64_t>(4));
  }
  if (operation == "philox") {
    numpy::philox::key_type key{};
    numpy::philox::counter_type counter{}, delta{};
    for (std::uint64_t& w : key) w = c.u64();
    for (std::uint64_t& w : counter) w = c.u64();
    for (std::uint64_t& w : delta) w = c.u64();
    const std::uint64_t jumps = c.u64();
    return draw_raw(numpy::philox(key, counter), delta, jumps, c.u64());
  }
  if (operation == "pcg64") {
    const numpy::pcg64 g(c.u64());
    const std::uint64_t lo = c.u64(), hi = c.u64(), jumps = c.u64();
    return draw_raw(g, numpy::pcg64::wide_type{lo, hi}, jumps, c.u64());
  }
  return c.word() == "philox" ? draw<numpy::philox>(c, operation) : draw<numpy::pcg64>(c, operation);
}

constexpr auto operations = {"seed_state32", "seed_state64", "seed_spawn", "seed_words",
                             "philox",       "pcg64",        "random",     "random_float32",
                             "mixed",        "permutation",  "shuffle",    "integers"};

// Of NumPy 2.4.6: a selection of numpy_cases.py's lines.
constexpr const char* frozen = R"(
seed_state32 2 0x8238d5e217d26a3619904eb9 0 | 15755400380404538127 1871407213 1925945891
seed_state32 4 69337337265583519859385303133 1 451147073154 | 242678312768231055 623706318 877258858 1348753429
seed_state32 6 89 1 1 | 4690058731303015784 3136949712 2193746147 3073727999
seed_state64 2 0x29f2349dea708a76fe200d19901108cf 0 | 790992582857210782 8288150703658430002 4856830333984052017
seed_state64 6 0 3 0 0 191 | 6990975202251871787 1423501704421847927 9329162109760613410 9776479772660897875
seed_state64 7 0x1ef759a51 0 | 7546614723277869381 646097889029825058 85989062612416862 6989110818760950660
seed_spawn 1 2 0x8ba8ae76 0 | 242678298394011256 2344875711 3135153667 498086822
seed_spawn 2 1 0x1b33f8b2 0 | 242678302344420510 173053180 146143698 813376267
seed_spawn 2 1 778253661 0 | 242678297123644589 2153239256 1137508917 2076453717
seed_words 3 1279122048 2530694370 3425390868 | 3733733508466605888 3073435964844253523 14503234961558423800 18404040171093623262
seed_words 3 1423943537 2352377214 3532047551 | 4284333135333603890 3327155280436062673 15375765284678852239 9196476836816263471
seed_words 3 3601230109 2346034643 855725366 | 6256647509263229808 9572187626332943384 12019617019440483190 10319745720357388764
seed_state64 7 37872619599852967037602877091730047677486091542544283753328435087180138841276 2 51 496067055682 | 5300316683266283354 952774882126149727 12561434464990616409 17915834356497151844
philox 14396650356000778244 14087627224743649118 1 0 0 0 8736646668753862496 0 0 0 1 5 | 2235584732462685402 7194096654981595135 5067417052725175891 5582808015459157214
philox 18155825140619667794 4558915852964669767 18446744073709551613 18446744073709551615 18446744073709551615 0 4 0 0 0 3 13 | 8113072664018920207 18254595258133894437 13499654358734285404 14515305741008104037
philox 9977515684969581539 1662292488857931477 3 0 0 0 17930631451989430652 0 0 0 4 2 | 2315977712833733036 2098669127749079611 4136843520273716857 13305845161681550275
pcg64 0 10258731398831243190 0 3 5 | 11871305279266963757 11749869230777074271 4976686463289251617 755828109848996024
pcg64 1874804038 14399247438972215641 0 1 5 | 3858487861409586726 7652409069282778123 12543597990548803858 17541720207251268579
random philox 5452423094240796181 3 | 3969646633619945678 4593134841385064424 4598582624260328702 4605266311334967179
random_float32 philox 1552235639 1000 | 3072449274891891049 1059637383 1043385404 1004282624
mixed philox 10250247413759836911 | 5271668787560242100 1063080718 4604041395687041940 675
permutation philox 1 10 | 1676865874137454444 6 2 1
shuffle philox 1913056487 1000 | 3072431149621304480 1575 924 2508
integers philox 42 int8 112 114 1001 | 3312861386430441454 113 114 114
integers philox 42 uint8 120 248 1001 | 3312862562690467570 189 229 238
integers philox 5291325320424852503 int16 -32768 32767 1001 | 3312862202726816115 30454 37774 838
integers philox 0 uint16 0 65535 1001 | 3312868123453532738 12201 8888 58802
integers philox 613269008 int32 -2147483648 2147483647 1001 | 3312867890110045215 1398636536 3260244543 324065808
integers philox 8000413332395421823 uint32 4045330960 4045330962 1001 | 3312803897356088953 4045330960 4045330961 4045330961
integers philox 0 int64 2485316520917884827 2485316520917884829 1001 | 864271887910281655 2485316520917884827 2485316520917884827 2485316520917884829
integers philox 42 uint64 0 18446744073709551615 1001 | 9806347260781489005 1587852024645073290 2611271723512893552 4982337093617253890
random pcg64 1 1000 | 16101577662769513332 4602785298901836892 4606736235442481749 4594361917715543564
random_float32 pcg64 1 3 | 635340054314289738 1056064968 1057162941 1061245608
mixed pcg64 1 | 17879629680305898186 1056064968 4606736235442481749 511
permutation pcg64 89260114 1000 | 3072431149628538608 975 810 173
shuffle pcg64 467046352 3 | 635340061525167374 3 6 0
integers pcg64 6017024909647175647 int8 -128 127 1001 | 3312866230293747787 42 73 137
integers pcg64 0 uint8 91 219 1001 | 3312864347016815611 138 156 188
integers pcg64 1965622611 int16 -32768 32766 1001 | 3312861244726832748 51918 13131 29301
integers pcg64 4611218591735015055 uint16 58220 58221 1001 | 3312862122560528781 58221 58221 58220
integers pcg64 260818618 int32 1814952548 1814952550 1001 | 3312807977138540766 1814952549 1814952550 1814952548
integers pcg64 0 uint32 2062785548 2062785548 1001 | 3312803766412950558 2062785548 2062785548 2062785548
integers pcg64 1 int64 -1211719932558487526 8011652104296288282 1001 | 8890650328281628327 7554760346179773517 117917808243596416 7538026850944911363
integers pcg64 2550857653 uint64 0 18446744073709551614 1001 | 4652064379585686473 14339519351610687412 13820984012763498726 6706892612665066928
integers pcg64 1 int64 -7879487628074329984 -7879487628074329984 1 | 7875912750101504830 10567256445635221632 2032329983
integers philox 42 int64 8348408078227125708 8348408078227125709 3 | 14319946074320902779 8348408078227125709 8348408078227125708 8348408078227125708
integers philox 42 int64 -1508316023560786736 -1508316019265819441 1 | 14247084363564310425 16938428054122522202 369700608
integers philox 717309499 uint64 0 18446744073709551615 1001 | 796552539776933775 12296979172913040026 12631470154953143398 9744842755486054765
)";

TEST(NumPy, FrozenCases) {
  std::istringstream in(frozen);
  rivus::test::compare_cases(in, "frozen NumPy", operations, answer);
}

TEST(NumPy, LiveCases) {
  // The interpreter in use may be without NumPy where the system's has it.
  const bool few = std::getenv("RIVUS_TEST_FEW") != nullptr;
  const std::string script = RIVUS_TEST_COMPAT_DIR "/numpy_cases.py";
  for (const char* python : {"/usr/bin/python3", "python3"}) {
    const std::string command =
        std::string(python) + " '" + script + "' " + (few ? "--few " : "") + "2>/dev/null";
    std::FILE* pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string text;
    char buffer[1 << 16];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
    if (pclose(pipe) != 0) continue;
    std::istringstream in(text);
    rivus::test::compare_cases(in, "NumPy", operations, answer);
    return;
  }
  std::cout << "no python3 here imports NumPy: compared with frozen cases alone\n";
}

TEST(NumPy, PublishedValues) {
  // NumPy's manual, "Random Generator": default_rng(12345) and default_rng(42).
  numpy::generator<> a(12345);
  EXPECT_EQ(a.random(), 0.22733602246716966);
  std::int64_t digits[3];
  numpy::generator<>(12345).integers<std::int64_t>(0, 10, digits, 3);
  EXPECT_EQ(digits[0], 6);
  EXPECT_EQ(digits[1], 2);
  EXPECT_EQ(digits[2], 7);
  numpy::generator<> b(42);
  for (const double x : {0.77395605, 0.43887844, 0.85859792, 0.69736803, 0.09417735, 0.97562235, 0.7611397,
                         0.78606431, 0.12811363})
    EXPECT_NEAR(b.random(), x, 5.1e-9);
  // NumPy's own test set for Philox, of SeedSequence(0xdeadbeaf).
  numpy::philox g(0xdeadbeafu);
  for (const std::uint64_t w : {0xedc95200e2bd66a5u, 0x581d4e43b7682352u, 0x4be7278f5e373eabu})
    EXPECT_EQ(g(), w);
}

TEST(NumPy, SpawnedGeneratorsAreThoseOfTheSeeds) {
  numpy::generator<numpy::philox> g(7);
  numpy::seed_sequence seed(7);
  g.spawn(2);
  seed.spawn(2);
  numpy::philox child(seed.spawn(3)[1]);
  EXPECT_EQ(g.spawn(3)[1].bit_generator()(), child());
}

TEST(NumPy, UpperHalvesWait) {
  numpy::philox g(1), whole(1);
  const std::uint64_t first = whole(), second = whole();
  EXPECT_EQ(g.next32(), static_cast<std::uint32_t>(first));
  EXPECT_EQ(g.next64(), second);
  EXPECT_EQ(g.next32(), static_cast<std::uint32_t>(first >> 32));
  g.next32();
  g.advance(1);
  EXPECT_EQ(g.has_uint32, 0);
}

TEST(NumPy, BadInputIsRefused) {
  numpy::generator<> g(0);
  using rivus::test::error_of;
  using rivus::test::mentions;
  EXPECT_TRUE(mentions(error_of([&] { g.integers(3, 3); }), {"high = 3", "low = 3"}));
  EXPECT_TRUE(mentions(error_of([&] { g.integers(4, 3, true); }), {"high = 3", "low = 4"}));
  EXPECT_EQ(g.integers(3, 3, true), 3);
  int* nowhere = nullptr;
  EXPECT_TRUE(mentions(error_of([&] { g.integers(0, 3, nowhere, 2); }), {"out is null", "n = 2"}));
  for (const char* text : {"", "0x", "-1", "12a", " 1", "0x1g"})
    EXPECT_TRUE(mentions(error_of([&] { numpy::seed_sequence::from_text(text); }), {"text '", text}));
}

}  // namespace
