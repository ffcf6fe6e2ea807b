#include <rivus/cuda/scatter.hpp>
#include <rivus/determinism.hpp>
#include <rivus/scatter.hpp>

#include "device.hpp"

namespace rivus {
namespace {

using cuda::index_error;
using test::as_word;
using test::device_array;

template <class T>
std::vector<T> random_values(std::size_t n, std::uint64_t seed) {
  test::words random(seed);
  std::vector<T> values(n);
  for (T& v : values) {
    if constexpr (std::is_floating_point_v<T>) {
      v = random.wide_real<T>(12);
    } else {
      v = static_cast<T>(random());
    }
  }
  return values;
}

// A share of `favoured` percent names one id.
template <class I>
std::vector<I> random_ids(std::size_t n, std::size_t size, std::uint64_t seed, unsigned favoured = 0) {
  test::words random(seed);
  std::vector<I> ids(n);
  for (I& id : ids) id = static_cast<I>(random.below(100) < favoured ? size / 2 : random.below(size));
  return ids;
}

// What a call needs on the device beside its arrays; the scratch is of just the size that is asked for.
struct workplace {
  workplace(std::size_t n, std::size_t size)
      : bytes(cuda::scatter_scratch_bytes(n, size)),
        scratch(bytes),
        error_word(std::vector<unsigned long long>{0}) {}

  void expect_no_error() {
    EXPECT_TRUE(error_word.untouched());
    cuda::require_no_index_error(nullptr, error());
    const std::vector<unsigned char> used = scratch.values();
    EXPECT_TRUE(scratch.holds(used));
  }

  index_error* error() { return reinterpret_cast<index_error*>(error_word.data()); }

  std::size_t bytes;
  device_array<unsigned char> scratch;
  device_array<unsigned long long> error_word;
};

template <class T>
class cuda_scatter : public test::device_test {};
using types = ::testing::Types<std::pair<float, std::int32_t>, std::pair<double, std::int64_t>,
                               std::pair<std::int32_t, std::int64_t>, std::pair<std::uint64_t, std::int32_t>,
                               std::pair<std::uint32_t, std::int32_t>, std::pair<std::int64_t, std::int64_t>>;
TYPED_TEST_SUITE(cuda_scatter, types);

// All calls of one dimension give the bits of the host's.
template <class T, class I>
void expect_all(const std::vector<I>& ids, const std::vector<T>& x, std::size_t size) {
  const std::size_t n = ids.size();
  const std::vector<T> before = random_values<T>(size, 99);
  workplace at(n, size);
  const device_array<I> ids_(ids, sizeof(I));
  const device_array<T> x_(x, sizeof(T));
  device_array<T> out(before, 3 * sizeof(T));
  const auto expect = [&](const char* what, auto host, auto device) {
    std::vector<T> expected = before;
    host(expected.data());
    device(out.data());
    EXPECT_TRUE(out.holds(expected)) << what << ", " << n << " to " << size;
    at.expect_no_error();
  };
  const auto expect_into = [&](const char* what, auto host, auto device) {
    expect(
        what, [&](T* to) { host(to, size, ids.data(), x.data(), n, executor{}); },
        [&](T* to) {
          device(nullptr, to, size, ids_.data(), x_.data(), n, at.scratch.data(), at.bytes, at.error());
        });
  };
  expect_into("index_add", index_add<T>, cuda::index_add<T>);
  expect_into("scatter_min", scatter_min<T>, cuda::scatter_min<T>);
  expect_into("scatter_max", scatter_max<T>, cuda::scatter_max<T>);
  expect_into("scatter_prod", scatter_prod<T>, cuda::scatter_prod<T>);
  expect_into("put", put<T>, cuda::put<T>);
  expect(
      "segment_sum", [&](T* to) { segment_sum(ids.data(), x.data(), n, to, size); },
      [&](T* to) {
        cuda::segment_sum(nullptr, ids_.data(), x_.data(), n, to, size, at.scratch.data(), at.bytes,
                          at.error());
      });
  expect(
      "bincount of weights", [&](T* to) { bincount(ids.data(), x.data(), n, to, size); },
      [&](T* to) {
        cuda::bincount(nullptr, ids_.data(), x_.data(), n, to, size, at.scratch.data(), at.bytes, at.error());
      });
  std::vector<std::uint64_t> counts(size);
  device_array<std::uint64_t> counts_(size);
  bincount(ids.data(), n, counts.data(), size);
  cuda::bincount(nullptr, ids_.data(), n, counts_.data(), size, at.error());
  EXPECT_TRUE(counts_.holds(counts)) << "bincount, " << n << " to " << size;
  at.expect_no_error();
}

TYPED_TEST(cuda_scatter, gives_the_host_s_bits_for_any_grid) {
  using T = typename TypeParam::first_type;
  using I = typename TypeParam::second_type;
  const auto counts = test::cases<std::size_t>({0, 1, 2, 31, 33, 300, 2049, 9000}, {33, 300});
  for (const std::size_t n : counts) {
    for (const std::size_t size : test::cases<std::size_t>({1, 7, 1000}, {7})) {
      if (n == 9000 && size < 1000) continue;
      const auto ids = random_ids<I>(n, size, n + size, 30);
      const auto x = random_values<T>(n, n);
      if (n == 300) {
        test::for_each_grid([&] { expect_all(ids, x, size); });
      } else {
        expect_all(ids, x, size);
      }
    }
  }
}

// Of one contribution and of thousands, in the order of their destinations and against it.
TYPED_TEST(cuda_scatter, runs_of_every_kind) {
  using T = typename TypeParam::first_type;
  using I = typename TypeParam::second_type;
  std::vector<I> ids;
  I next = 0;
  for (const std::size_t length : {1u, 2u, 3u, 7u, 8u, 9u, 31u, 32u, 33u, 64u, 2049u}) {
    ids.insert(ids.end(), length, next);
    next = static_cast<I>(next + 2);
  }
  const auto size = static_cast<std::size_t>(next);
  const auto x = random_values<T>(ids.size(), 5);
  expect_all(ids, x, size);
  std::reverse(ids.begin(), ids.end());
  expect_all(ids, x, size);
}

// More than 8, 16 and 24 bits of index.
TYPED_TEST(cuda_scatter, sorts_by_all_digits) {
  using T = typename TypeParam::first_type;
  using I = typename TypeParam::second_type;
  const std::size_t n = 3000;
  const auto x = random_values<T>(n, 8);
  for (const std::size_t size :
       test::cases<std::size_t>({255, 256, 257, 65'535, 65'536, 17'000'000}, {65'536})) {
    auto ids = random_ids<I>(n, size, 9);
    ids[5] = static_cast<I>(size - 1), ids[7] = 0, ids[9] = static_cast<I>(size - 1);
    std::vector<T> expected(size, T(0));
    put(expected.data(), size, ids.data(), x.data(), n);
    workplace at(n, size);
    const device_array<I> ids_(ids);
    const device_array<T> x_(x);
    device_array<T> out(std::vector<T>(size, T(0)));
    cuda::put(nullptr, out.data(), size, ids_.data(), x_.data(), n, at.scratch.data(), at.bytes, at.error());
    EXPECT_TRUE(out.holds(expected)) << size;
    at.expect_no_error();
  }
}

template <class I>
class cuda_scatter_ids : public test::device_test {};
using id_types = ::testing::Types<signed char, unsigned char, short, unsigned short, int, unsigned, long,
                                  unsigned long, long long, unsigned long long>;
TYPED_TEST_SUITE(cuda_scatter_ids, id_types);

// The largest ids that the type and the destinations allow, and where there is a sign a negative one: in 8 and 16 bits it
// would be in range without its sign.
TYPED_TEST(cuda_scatter_ids, are_of_any_integer_type) {
  using I = TypeParam;
  const std::size_t n = 100, cols = 2, size = sizeof(I) == 1 ? 300 : 70'000;
  const auto most =
      std::min<std::uint64_t>(static_cast<std::uint64_t>(std::numeric_limits<I>::max()), size - 1);
  auto ids = random_ids<I>(n, 5, 31);
  for (const std::size_t i : {3u, 70u, 71u}) ids[i] = static_cast<I>(most);
  const auto x = random_values<float>(n * cols, 32), table = random_values<float>(size * cols, 33);
  const std::vector<I> offsets = {0, 40, 40};
  expect_all(ids, std::vector<float>(x.begin(), x.begin() + n), size);
  workplace at(n, size);
  device_array<I> ids_(ids);
  const device_array<I> offsets_(offsets);
  const device_array<float> x_(x), table_(table);
  device_array<float> out(table), bags(3 * cols);
  std::vector<float> expected = table, of_bags(3 * cols);
  cuda::index_add_rows(nullptr, out.data(), size, cols, ids_.data(), x_.data(), n, at.scratch.data(),
                       at.bytes, at.error());
  index_add_rows(expected.data(), size, cols, ids.data(), x.data(), n);
  EXPECT_TRUE(out.holds(expected));
  cuda::embedding_bag(nullptr, table_.data(), size, cols, ids_.data(), n, offsets_.data(), 3, bag_mode::mean,
                      bags.data(), at.error());
  embedding_bag(table.data(), size, cols, ids.data(), n, offsets.data(), 3, bag_mode::mean, of_bags.data());
  EXPECT_TRUE(bags.holds(of_bags));
  expected = table;
  cuda::embedding_bag_backward(nullptr, x_.data(), ids_.data(), n, offsets_.data(), 3, bag_mode::mean,
                               out.data(), size, cols, at.scratch.data(), at.bytes, at.error());
  embedding_bag_backward(x.data(), ids.data(), n, offsets.data(), 3, bag_mode::mean, expected.data(), size,
                         cols);
  EXPECT_TRUE(out.holds(expected));
  at.expect_no_error();
  if (!std::is_signed_v<I>) return;
  ids[50] = static_cast<I>(-1);
  ids_.set(ids);
  const auto expect_report = [&] {
    EXPECT_TRUE(test::mentions(test::error_of([&] { cuda::require_no_index_error(nullptr, at.error()); }),
                               {"position 50 "}));
    at.error_word.set({0});
  };
  device_array<std::uint64_t> counts(size);
  cuda::bincount(nullptr, ids_.data(), n, counts.data(), size, at.error());
  expect_report();
  cuda::put(nullptr, out.data(), size, ids_.data(), x_.data(), n, at.scratch.data(), at.bytes, at.error());
  expect_report();
  cuda::index_add_atomic(nullptr, out.data(), size, ids_.data(), x_.data(), n, at.error());
  expect_report();
}

// Arrays one behind the other, so that the last may be said to be longer than it is and overlaps none.
class arrays_in_a_row {
 public:
  template <class X>
  std::size_t put(const std::vector<X>& x) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + (x.size() * sizeof(X) + 7) / 8 * 8);
    std::memcpy(&bytes_[at], x.data(), x.size() * sizeof(X));
    return at;
  }
  template <class X>
  void replace(std::size_t at, const std::vector<X>& x) {
    std::memcpy(&bytes_[at], x.data(), x.size() * sizeof(X));
  }
  const std::vector<unsigned char>& bytes() const { return bytes_; }

 private:
  std::vector<unsigned char> bytes_;
};
// That all from `first` on is as expected, and nothing around.
void expect_in_a_row(const arrays_in_a_row& expected, std::size_t first,
                     device_array<unsigned char>& memory) {
  const std::vector<unsigned char> after = memory.values();
  const auto begin = static_cast<std::ptrdiff_t>(first);
  EXPECT_TRUE(std::equal(expected.bytes().begin() + begin, expected.bytes().end(), after.begin() + begin));
  EXPECT_TRUE(memory.holds(after));
}

// As if there were more than 2^32 destinations: the first few of them are touched.
constexpr std::size_t many = std::size_t{1} << 33, first_few = 300;

TYPED_TEST(cuda_scatter, sorts_wide_keys) {
  using T = typename TypeParam::first_type;
  using I = typename TypeParam::second_type;
  const std::size_t n = 9000;
  const auto ids = random_ids<I>(n, first_few, 26);
  const auto x = random_values<T>(n, 27);
  std::vector<T> expected(first_few, T(1));
  const std::size_t bytes = cuda::scatter_scratch_bytes(n, many);
  EXPECT_GT(bytes, cuda::scatter_scratch_bytes(n, first_few));
  arrays_in_a_row arrays;
  const std::size_t error_at = arrays.put(std::vector<std::uint64_t>(1)),
                    scratch_at = arrays.put(std::vector<unsigned char>(bytes)), ids_at = arrays.put(ids),
                    x_at = arrays.put(x), out_at = arrays.put(expected);
  device_array<unsigned char> memory(arrays.bytes());
  unsigned char* const at = memory.data();
  auto* const error = reinterpret_cast<index_error*>(at + error_at);
  cuda::index_add(nullptr, reinterpret_cast<T*>(at + out_at), many, reinterpret_cast<const I*>(at + ids_at),
                  reinterpret_cast<const T*>(at + x_at), n, at + scratch_at, bytes, error);
  cuda::require_no_index_error(nullptr, error);
  index_add(expected.data(), first_few, ids.data(), x.data(), n);
  arrays.replace(out_at, expected);
  expect_in_a_row(arrays, ids_at, memory);
}

TYPED_TEST(cuda_scatter, rows_by_column) {
  using T = typename TypeParam::first_type;
  using I = typename TypeParam::second_type;
  const std::size_t rows = 6;
  for (const std::size_t cols : test::cases<std::size_t>({1, 31, 32, 33, 70}, {33})) {
    for (const std::size_t n : test::cases<std::size_t>({0, 1, 40, 100, 2600}, {100, 2600})) {
      if (n == 2600 && cols > 33) continue;
      const auto ids = random_ids<I>(n, rows - 1, n + cols, 80);
      const auto x = random_values<T>(n * cols, 10), before = random_values<T>(rows * cols, 11);
      workplace at(n, rows);
      const device_array<I> ids_(ids);
      const device_array<T> x_(x, sizeof(T));
      device_array<T> out(before, sizeof(T));
      const auto run = [&] {
        std::vector<T> expected = before;
        index_add_rows(expected.data(), rows, cols, ids.data(), x.data(), n);
        cuda::index_add_rows(nullptr, out.data(), rows, cols, ids_.data(), x_.data(), n, at.scratch.data(),
                             at.bytes, at.error());
        EXPECT_TRUE(out.holds(expected)) << "index_add_rows, " << n << " x " << cols;
        segment_sum_rows(ids.data(), x.data(), n, cols, expected.data(), rows);
        cuda::segment_sum_rows(nullptr, ids_.data(), x_.data(), n, cols, out.data(), rows, at.scratch.data(),
                               at.bytes, at.error());
        EXPECT_TRUE(out.holds(expected)) << "segment_sum_rows, " << n << " x " << cols;
        at.expect_no_error();
      };
      if (n == 100) {
        test::for_each_grid(run);
      } else {
        run();
      }
    }
  }
}

template <class T>
class cuda_scatter_reals : public test::device_test {};
using reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(cuda_scatter_reals, reals);

TYPED_TEST(cuda_scatter_reals, long_runs_of_rows) {
  using T = TypeParam;
  const std::size_t n = 5000, cols = 2, rows = 3;
  const auto ids = random_ids<std::int32_t>(n, rows, 12, 99);
  const auto x = random_values<T>(n * cols, 13);
  std::vector<T> expected(rows * cols);
  segment_sum_rows(ids.data(), x.data(), n, cols, expected.data(), rows);
  workplace at(n, rows);
  const device_array<std::int32_t> ids_(ids);
  const device_array<T> x_(x);
  device_array<T> out(rows * cols);
  cuda::segment_sum_rows(nullptr, ids_.data(), x_.data(), n, cols, out.data(), rows, at.scratch.data(),
                         at.bytes, at.error());
  EXPECT_TRUE(out.holds(expected));
  at.expect_no_error();
}

TYPED_TEST(cuda_scatter_reals, special_values) {
  using T = TypeParam;
  constexpr T inf = test::infinity<T>, tiny = std::numeric_limits<T>::denorm_min();
  const T odd_nan = test::as_real<T>(static_cast<test::word_of<T>>(~test::word_of<T>{0} - 5));
  const T specials[] = {T(-0.0), T(0), tiny, -3 * tiny, inf, -inf, odd_nan, std::numeric_limits<T>::max(), 1};
  test::words random(14);
  for (const std::size_t n : {1u, 5u, 40u, 2300u}) {
    for (int trial = 0; trial < (n > 1000 || test::few_cases() ? 1 : 4); ++trial) {
      std::vector<T> x(n, specials[random.below(9)]);
      for (int k = 0; k < 3; ++k) x[random.below(n)] = specials[random.below(9)];
      expect_all(random_ids<std::int32_t>(n, 3, random()), x, 3);
    }
  }
}

TYPED_TEST(cuda_scatter_reals, bags_of_rows) {
  using T = TypeParam;
  const std::size_t rows = 50, n = 2700;
  const std::vector<std::int64_t> offsets = {0, 0, 3, 3, 40, 400, 401, 2700, 2700};
  const std::size_t bags = offsets.size();
  for (const std::size_t cols : {3u, 33u}) {
    const auto ids = random_ids<std::int64_t>(n, rows, cols);
    const auto table = random_values<T>(rows * cols, 15), gradient = random_values<T>(bags * cols, 16),
               before = random_values<T>(rows * cols, 17);
    workplace at(n, rows);
    const device_array<std::int64_t> ids_(ids), offsets_(offsets);
    const device_array<T> table_(table), gradient_(gradient);
    device_array<T> out(bags * cols), back(before);
    for (const bag_mode mode : {bag_mode::sum, bag_mode::mean}) {
      std::vector<T> expected(bags * cols), expected_back = before;
      embedding_bag(table.data(), rows, cols, ids.data(), n, offsets.data(), bags, mode, expected.data());
      embedding_bag_backward(gradient.data(), ids.data(), n, offsets.data(), bags, mode, expected_back.data(),
                             rows, cols);
      test::for_each_grid([&] {
        cuda::embedding_bag(nullptr, table_.data(), rows, cols, ids_.data(), n, offsets_.data(), bags, mode,
                            out.data(), at.error());
        EXPECT_TRUE(out.holds(expected));
        cuda::embedding_bag_backward(nullptr, gradient_.data(), ids_.data(), n, offsets_.data(), bags, mode,
                                     back.data(), rows, cols, at.scratch.data(), at.bytes, at.error());
        EXPECT_TRUE(back.holds(expected_back));
        at.expect_no_error();
      });
    }
  }
}

TYPED_TEST(cuda_scatter_reals, bags_of_rows_among_very_many) {
  using T = TypeParam;
  const std::size_t n = 2700, cols = 1;
  const std::vector<std::int64_t> offsets = {0, 0, 3, 40, 401, 2700};
  const std::size_t bags = offsets.size();
  const auto ids = random_ids<std::int64_t>(n, first_few, 28);
  const auto gradient = random_values<T>(bags * cols, 29);
  std::vector<T> expected(first_few, T(1));
  const std::size_t bytes = cuda::scatter_scratch_bytes(n, many);
  arrays_in_a_row arrays;
  const std::size_t error_at = arrays.put(std::vector<std::uint64_t>(1)),
                    scratch_at = arrays.put(std::vector<unsigned char>(bytes)), ids_at = arrays.put(ids),
                    offsets_at = arrays.put(offsets), gradient_at = arrays.put(gradient),
                    out_at = arrays.put(expected);
  device_array<unsigned char> memory(arrays.bytes());
  unsigned char* const at = memory.data();
  auto* const error = reinterpret_cast<index_error*>(at + error_at);
  cuda::embedding_bag_backward(nullptr, reinterpret_cast<const T*>(at + gradient_at),
                               reinterpret_cast<const std::int64_t*>(at + ids_at), n,
                               reinterpret_cast<const std::int64_t*>(at + offsets_at), bags, bag_mode::mean,
                               reinterpret_cast<T*>(at + out_at), many, cols, at + scratch_at, bytes, error);
  cuda::require_no_index_error(nullptr, error);
  embedding_bag_backward(gradient.data(), ids.data(), n, offsets.data(), bags, bag_mode::mean,
                         expected.data(), first_few, cols);
  arrays.replace(out_at, expected);
  expect_in_a_row(arrays, ids_at, memory);
}

TYPED_TEST(cuda_scatter_reals, histograms) {
  using T = TypeParam;
  const std::size_t n = 5000;
  auto x = random_values<T>(n, 18);
  const T lo = T(-1.7), hi = T(2.3);
  x[0] = lo, x[1] = hi, x[2] = test::any_nan<T>, x[3] = test::infinity<T>, x[4] = std::nextafter(hi, T(9));
  x[5] = std::nextafter(lo, T(-9)), x[6] = T(-0.0), x[7] = std::nextafter(hi, T(0));
  const device_array<T> x_(x);
  for (const std::size_t bins : {1u, 10u, 2048u, 2049u, 70'000u}) {
    std::vector<std::uint64_t> expected(bins);
    histogram(x.data(), n, lo, hi, expected.data(), bins);
    device_array<std::uint64_t> out(bins);
    test::for_each_grid([&] {
      cuda::histogram(nullptr, x_.data(), n, lo, hi, out.data(), bins);
      EXPECT_TRUE(out.holds(expected)) << bins;
    });
  }
}

// Small integers, of which every order makes the same sum.
TYPED_TEST(cuda_scatter_reals, atomics_add_everything) {
  using T = TypeParam;
  const std::size_t n = 900, size = 5, cols = 3;
  const auto ids = random_ids<std::int32_t>(n, size, 19);
  std::vector<T> x(n), expected(size, T(1)), expected_rows(size * cols, T(1));
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(i % 100);
  index_add(expected.data(), size, ids.data(), x.data(), n);
  index_add_rows(expected_rows.data(), size, cols, ids.data(), x.data(), n / cols);
  const device_array<std::int32_t> ids_(ids);
  const device_array<T> x_(x);
  device_array<T> out(std::vector<T>(size, T(1))), rows(std::vector<T>(size * cols, T(1)));
  workplace at(n, size);
  cuda::index_add_atomic(nullptr, out.data(), size, ids_.data(), x_.data(), n, at.error());
  EXPECT_TRUE(out.holds(expected));
  cuda::index_add_rows_atomic(nullptr, rows.data(), size, cols, ids_.data(), x_.data(), n / cols, at.error());
  EXPECT_TRUE(rows.holds(expected_rows));
  const deterministic_scope strict(determinism_mode::error);
  EXPECT_THROW(cuda::index_add_atomic(nullptr, out.data(), size, ids_.data(), x_.data(), n),
               nondeterministic_operation);
  EXPECT_THROW(
      cuda::index_add_rows_atomic(nullptr, rows.data(), size, cols, ids_.data(), x_.data(), n / cols),
      nondeterministic_operation);
  EXPECT_TRUE(out.untouched());
}

class cuda_scatter_index : public test::device_test {};

TEST_F(cuda_scatter_index, out_of_range_contributes_nothing_and_is_reported) {
  const std::size_t n = 3000, size = 10;
  auto ids = random_ids<std::int64_t>(n, size, 20);
  const auto x = random_values<float>(n, 21);
  std::vector<std::int64_t> good;
  std::vector<float> of_good;
  ids[777] = -1, ids[2000] = 10, ids[2999] = std::int64_t{1} << 32;
  for (std::size_t i = 0; i < n; ++i) {
    if (ids[i] >= 0 && ids[i] < 10) good.push_back(ids[i]), of_good.push_back(x[i]);
  }
  std::vector<float> expected(size, 1.0f);
  index_add(expected.data(), size, good.data(), of_good.data(), good.size());
  workplace at(n, size);
  const device_array<std::int64_t> ids_(ids);
  const device_array<float> x_(x);
  device_array<float> out(std::vector<float>(size, 1.0f));
  const auto expect_report = [&](const char* position) {
    EXPECT_TRUE(test::mentions(test::error_of([&] { cuda::require_no_index_error(nullptr, at.error()); }),
                               {"require_no_index_error", position}));
    at.error_word.set({0});
  };
  cuda::index_add(nullptr, out.data(), size, ids_.data(), x_.data(), n, at.scratch.data(), at.bytes,
                  at.error());
  EXPECT_TRUE(out.holds(expected));
  expect_report("position 777 ");
  cuda::index_add(nullptr, out.data(), size, ids_.data(), x_.data(), n, at.scratch.data(), at.bytes);
  EXPECT_TRUE(out.holds(expected));
  cuda::index_add_atomic(nullptr, out.data(), size, ids_.data(), x_.data(), n, at.error());
  expect_report("position 777 ");
  out.set(std::vector<float>(size, 1.0f));
  std::vector<std::uint64_t> counts(size);
  bincount(good.data(), good.size(), counts.data(), size);
  device_array<std::uint64_t> counts_(size);
  cuda::bincount(nullptr, ids_.data(), n, counts_.data(), size, at.error());
  EXPECT_TRUE(counts_.holds(counts));
  expect_report("position 777 ");
  // Of the bags: 30 columns of a table of 10 rows.
  const device_array<float> table(random_values<float>(size * 2, 22));
  const device_array<std::int64_t> offsets(std::vector<std::int64_t>{0, 700, 600}),
      few(std::vector<std::int64_t>(100, 3));
  device_array<float> bags(6);
  cuda::embedding_bag(nullptr, table.data(), size, 2, ids_.data(), n, offsets.data(), 3, bag_mode::mean,
                      bags.data(), at.error());
  expect_report("position 777 ");
  cuda::embedding_bag(nullptr, table.data(), size, 2, few.data(), 100, offsets.data(), 3, bag_mode::mean,
                      bags.data(), at.error());
  expect_report("position 101 ");
}

TEST_F(cuda_scatter_index, can_be_captured) {
  const std::size_t n = 5000, size = 100;
  const auto first = random_values<double>(n, 23), second = random_values<double>(n, 24);
  const auto ids = random_ids<std::int32_t>(n, size, 25);
  workplace at(n, size);
  const device_array<std::int32_t> ids_(ids);
  device_array<double> x(first), out(size);
  const test::device_stream on;
  const test::device_graph graph(on, [&] {
    cuda::segment_sum(on, ids_.data(), x.data(), n, out.data(), size, at.scratch.data(), at.bytes,
                      at.error());
  });
  for (const auto& values : {first, second, first}) {
    x.set(values);
    graph.replay(on);
    on.wait();
    std::vector<double> expected(size);
    segment_sum(ids.data(), values.data(), n, expected.data(), size);
    EXPECT_TRUE(out.holds(expected));
  }
}

TEST(cuda_scatter_errors, refuses_null_pointers_and_too_little_scratch) {
  const std::size_t n = 100, size = 10;
  workplace at(n, size);
  const device_array<std::int32_t> ids(std::vector<std::int32_t>(n, 1));
  const device_array<float> x(std::vector<float>(n, 1.0f));
  device_array<float> out(size);
  const auto refuses = [&](float* to, const std::int32_t* named, const float* from, void* scratch,
                           std::size_t bytes, const char* mentioned) {
    test::expect_refusal([&] { cuda::index_add(nullptr, to, size, named, from, n, scratch, bytes); },
                         {"rivus::cuda::index_add", mentioned});
    test::expect_refusal([&] { cuda::index_add_rows(nullptr, to, size, 1, named, from, n, scratch, bytes); },
                         {"rivus::cuda::index_add_rows", mentioned});
    test::expect_refusal([&] { cuda::put(nullptr, to, size, named, from, n, scratch, bytes); },
                         {"rivus::cuda::put", mentioned});
  };
  unsigned char* const scratch = at.scratch.data();
  refuses(nullptr, ids.data(), x.data(), scratch, at.bytes, "out is null");
  refuses(out.data(), nullptr, x.data(), scratch, at.bytes, "ids is null");
  refuses(out.data(), ids.data(), nullptr, scratch, at.bytes, "x is null");
  refuses(out.data(), ids.data(), x.data(), nullptr, at.bytes, "scratch is null");
  refuses(out.data(), ids.data(), x.data(), scratch, at.bytes - 1, std::to_string(at.bytes).c_str());
  refuses(out.data(), ids.data(), x.data(), scratch + 4, at.bytes, "aligned to 8");
  std::uint64_t* const counts = nullptr;
  test::expect_refusal([&] { cuda::histogram(nullptr, x.data(), n, 1.0f, 1.0f, counts, 4); },
                       {"rivus::cuda::histogram", "lo = 1"});
  test::expect_refusal([&] { cuda::histogram(nullptr, x.data(), n, 0.0f, 1.0f, counts, 4); },
                       {"rivus::cuda::histogram", "out is null"});
  test::expect_refusal([&] { cuda::require_no_index_error(nullptr, nullptr); }, {"error is null"});
  EXPECT_TRUE(out.untouched());
  EXPECT_EQ(cuda::scatter_scratch_bytes(0, 5), 0u);
}

TEST(cuda_scatter_errors, say_which_call_failed_and_where) {
  workplace at(100, 10);
  const device_array<std::int32_t> ids(std::vector<std::int32_t>(100, 1));
  const device_array<float> x(std::vector<float>(100, 1.0f));
  device_array<float> out(10);
  test::expect_failure(
      [&] {
        cuda::index_add(nullptr, out.data(), 10, ids.data(), x.data(), 100, at.scratch.data(), at.bytes);
      },
      {"rivus::cuda::index_add", "launch of make_keys"});
  EXPECT_TRUE(out.untouched());
}

}  // namespace
}  // namespace rivus
