#include <gtest/gtest.h>

#include <cstdint>
#include <rivus/compat/jax.hpp>
#include <rivus/compat/numpy.hpp>
#include <rivus/compat/pytorch.hpp>
#include <rivus/rivus.hpp>

namespace rivus {
namespace {

constexpr stream root = stream::from_seed(7);
constexpr auto no_pool = [](std::size_t, executor::part) {};

// Every place that takes a seed, a lane, an index or a count: a name, and the call.
#define RIVUS_TEST_PLACES(X)                                                         \
  X(from_seed, stream::from_seed(i))                                                 \
  X(lane, root.lane(i))                                                              \
  X(block, root.block(i))                                                            \
  X(word, root.word(i))                                                              \
  X(bits32, root.bits32(i))                                                          \
  X(bits64, root.bits64(i))                                                          \
  X(redraw, root.redraw(i))                                                          \
  X(draw_bits, bits<std::uint64_t>{}(root, i))                                       \
  X(draw_uniform, uniform<float>{}(root, i))                                         \
  X(draw_open, (uniform<double, interval::oo>{})(root, i))                           \
  X(draw_normal, normal<double>{}(root, i))                                          \
  X(draw_exponential, exponential<float>{}(root, i))                                 \
  X(draw_bernoulli, bernoulli{}(root, i))                                            \
  X(draw_integer, (integer<std::int64_t>{0, 1'000'000'000})(root, i))                \
  X(draw_below, below(root, i, 1'000'000'000))                                       \
  X(quad_of_bits, bits<std::uint32_t>{}.quad(root, i))                               \
  X(quad_of_uniforms, uniform<double>{}.quad(root, i))                               \
  X(quad_of_open, (uniform<float, interval::oo>{}.quad(root, i)))                    \
  X(quad_of_normals, normal<float>{}.quad(root, i))                                  \
  X(quad_of_exponentials, exponential<double>{}.quad(root, i))                       \
  X(quad_of_events, bernoulli{}.quad(root, i))                                       \
  X(quad_of_integers, (integer<std::int32_t>{0, 9}.quad(root, i)))                   \
  X(drawn_at, (drawn<normal<float>>{root, {}}(i)))                                   \
  X(draws_from, *draws(root, normal<float>{}, i))                                    \
  X(cursor_at, cursor(root, i)())                                                    \
  X(numpy_seed, compat::numpy::pcg64(i)())                                           \
  X(numpy_philox_seed, compat::numpy::philox(i)())                                   \
  X(numpy_generator_seed, compat::numpy::generator(i).random())                      \
  X(numpy_entropy, compat::numpy::seed_sequence(i).generate_state<std::uint32_t>(1)) \
  X(jax_seed, compat::jax::key(i)[0])                                                \
  X(jax_fold, compat::jax::fold_in(compat::jax::key(1), i)[0])                       \
  X(pytorch_seed, compat::pytorch::cpu_generator(i).random32())                      \
  X(pytorch_fold, compat::pytorch::random_key{1}.fold_in(i).seed)

constexpr const float* values = nullptr;
constexpr float* place = nullptr;
constexpr const int* ids = nullptr;
// Of nothing, where they take a count.
#define RIVUS_TEST_COUNTS(X)                                                                     \
  X(fill_count, rivus::fill(place, i, root, normal<float>{}))                                    \
  X(fill_first, rivus::fill(place, 0, root, normal<float>{}, i))                                 \
  X(sum_count, sum(values, i))                                                                   \
  X(dot_count, dot(values, values, i))                                                           \
  X(exact_sum_count, exact_sum(values, i))                                                       \
  X(exact_dot_count, exact_dot(values, values, i))                                               \
  X(accumulator_count, exact_accumulator<float>().add(values, i))                                \
  X(reduce_count, reduce(reduction::mean, values, i))                                            \
  X(variance_count, variance(values, i))                                                         \
  X(variance_less, variance(values, 0, i))                                                       \
  X(argmax_count, argmax(values, i))                                                             \
  X(cumsum_count, cumsum(values, i, place))                                                      \
  X(exclusive_cumprod_count, exclusive_cumprod(values, i, place))                                \
  X(matrix_rows, sum(matrix<const float>(values, i, 0).data, 0))                                 \
  X(matrix_cols, sum(matrix<const float>(values, 0, i).data, 0))                                 \
  X(index_add_size, index_add(place, i, ids, values, 0))                                         \
  X(index_add_count, index_add(place, 0, ids, values, i))                                        \
  X(index_add_rows_cols, index_add_rows(place, 0, i, ids, values, 0))                            \
  X(segment_count, segment_reduce(reduction::sum, values, i, ids, 0, place))                     \
  X(segments, segment_reduce(reduction::sum, values, 0, ids, i, place))                          \
  X(bincount_bins, bincount(ids, 0, static_cast<std::uint64_t*>(nullptr), i))                    \
  X(histogram_count, histogram(values, i, 0.0f, 1.0f, static_cast<std::uint64_t*>(nullptr), 0u)) \
  X(embedding_rows, embedding_bag(values, i, 0, ids, 0, ids, 0, bag_mode::sum, place))           \
  X(executor_threads, executor(i, no_pool))

// Whether a call takes an argument of type T.
#define RIVUS_TEST_TAKES(name, call) \
  template <class T>                 \
  concept name##_takes = requires(T i) { call; };
RIVUS_TEST_PLACES(RIVUS_TEST_TAKES)
RIVUS_TEST_COUNTS(RIVUS_TEST_TAKES)
template <class T>
concept seek_takes = requires(T i, cursor c) { c.seek(i); };
template <class T>
concept discard_takes = requires(T i, cursor c) { c.discard(i); };
template <class T>
concept span_takes = requires(T i, std::span<float> x) { rivus::fill(x, root, normal<float>{}, i); };

enum unscoped : std::uint8_t { nine = 9 };

#define RIVUS_TEST_REFUSES(name, call)                                                           \
  static_assert(name##_takes<int> && name##_takes<std::int8_t> && name##_takes<std::uint64_t> && \
                name##_takes<long long> && name##_takes<char>);                                  \
  static_assert(!name##_takes<double> && !name##_takes<float> && !name##_takes<bool>);           \
  static_assert(!name##_takes<f16> && !name##_takes<long double>);
RIVUS_TEST_PLACES(RIVUS_TEST_REFUSES)
RIVUS_TEST_COUNTS(RIVUS_TEST_REFUSES)
RIVUS_TEST_REFUSES(seek, )
RIVUS_TEST_REFUSES(discard, )
RIVUS_TEST_REFUSES(span, )
struct real_by_another_name {
  operator double() const { return 0.5; }
};
static_assert(lane_takes<unscoped> && !lane_takes<real_by_another_name> && !lane_takes<std::true_type>);
#if defined(__SIZEOF_INT128__)
__extension__ using int128 = __int128;
static_assert(!from_seed_takes<int128> && !lane_takes<int128>);
#endif

template <class T>
T bits_of(T x) {
  return x;
}
template <class T>
std::vector<T> bits_of(vec<T, 4> x) {
  return {x[0], x[1], x[2], x[3]};
}

template <class I>
class index_types : public ::testing::Test {};
using integers = ::testing::Types<std::int8_t, short, int, long, long long>;
TYPED_TEST_SUITE(index_types, integers);

TYPED_TEST(index_types, are_taken_modulo_2_to_the_64) {
  const TypeParam negative = -3;
  const std::uint64_t same = 0 - std::uint64_t{3};
#define RIVUS_TEST_EQUALS(name, call)                             \
  {                                                               \
    const auto at = [](auto i) { return call; };                  \
    EXPECT_EQ(bits_of(at(negative)), bits_of(at(same))) << #name; \
  }
  RIVUS_TEST_PLACES(RIVUS_TEST_EQUALS)
  float x[3], y[3];
  rivus::fill(x, 3, root, normal<float>{}, negative);
  rivus::fill(y, 3, root, normal<float>{}, same);
  EXPECT_TRUE(std::equal(x, x + 3, y));
  EXPECT_EQ(root[negative], root[same]);
  cursor a(root), b(root);
  a.seek(negative);
  b.discard(negative);
  EXPECT_EQ(a.position(), same);
  EXPECT_EQ(b.position(), same);
}

TEST(index, a_negative_count_is_refused) {
  const float x[2] = {1, 2};
  EXPECT_THROW(sum(x, -1), std::invalid_argument);
  EXPECT_THROW(variance(x, -1), std::invalid_argument);
  EXPECT_THROW(exact_sum(x, -1), std::invalid_argument);
}

TEST(index, of_a_seed_is_its_value) {
  static_assert(stream::from_seed(-1) == stream::from_seed(0xFFFFFFFFFFFFFFFFu));
  static_assert(root.lane(-1).lane(1) == root);
  static_assert(root.lane(nine) == root.lane(9) && root[nine] == root[9]);
  EXPECT_EQ(root['a'], root[97]);
}

}  // namespace
}  // namespace rivus
