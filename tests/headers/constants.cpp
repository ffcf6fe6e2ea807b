// What is a constant expression with every compiler.
#include <rivus/rivus.hpp>

namespace {

struct sequence {
  template <class I>
  constexpr void generate(I begin, I end) const {
    for (std::uint_least32_t word = 1; begin != end; ++begin) *begin = word++;
  }
};
constexpr auto first_word() {
  sequence words;
  rivus::philox4x32_engine engine(words);
  return engine();
}

constexpr auto multipliers = rivus::philox4x32_engine::multipliers;
static_assert(multipliers[0] == 0xCD9E8D57 &&
              rivus::philox4x64_engine::round_consts[1] == 0xBB67AE8584CAA73B);
static_assert(first_word() == rivus::philox4x32::block({{0, 0, 0, 0}}, {{1, 2}})[0]);
static_assert(rivus::philox4x32_engine::max() == 0xFFFFFFFF && rivus::philox4x32_engine::min == 0);

constexpr auto s = rivus::stream::from_seed(42) / "init" / 3;
static_assert(s == rivus::stream::from_seed(42)["init"][3]);
static_assert(rivus::uniform<float>{}(s, 1) < 1 && rivus::uniform<double, rivus::interval::oo>{}(s, 1) > 0);
static_assert(rivus::bits<std::int8_t>{}(s, 1) == static_cast<std::int8_t>(s.word(1) >> 24));
static_assert(rivus::integer<int>{0, 10}(s, 1) < 10 && rivus::bernoulli{1}(s, 1));
static_assert(rivus::cursor(7)() == rivus::stream::from_seed(7).word(0));

}  // namespace
