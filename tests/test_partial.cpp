#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <rivus/partial.hpp>
#include <rivus/reduce.hpp>
#include <thread>
#if defined(RIVUS_HAVE_RAPIDCHECK)
#include <rapidcheck.h>
#endif

#include "float_modes.hpp"
#include "reference.hpp"
#include "support.hpp"

namespace rivus {
namespace {

using test::as_word;
using test::error_of;
using test::mentions;

// A reduction in one call, and of a part, given what the first step of all finished with.
template <class X>
struct operation {
  using T = wide_t<X>;
  const char* name;
  X (*whole)(const std::vector<X>& x, const std::vector<X>& y);
  partial<X> (*part)(const X* x, const X* y, std::size_t n, std::size_t first, T given);
  X (*finish)(const partial<X>& p, std::size_t n);
  // The first step, where there is one.
  T (*given)(const std::vector<X>& x) = [](const std::vector<X>&) { return T(0); };
};
template <class X, reduction Kind>
operation<X> of_kind() {
  return {name(Kind), [](const std::vector<X>& x, const std::vector<X>&) { return reduce(Kind, x); },
          [](const X* x, const X*, std::size_t n, std::size_t first, wide_t<X>) {
            return partial<X>(Kind, x, n, first);
          },
          [](const partial<X>& p, std::size_t n) { return p.finish(n); }};
}
template <class X>
X index(std::size_t i) {
  return test::nearest<X>(static_cast<double>(i % 256));
}
template <class X>
std::vector<operation<X>> operations() {
  using T = wide_t<X>;
  using values = std::vector<X>;
  const auto finish = [](const partial<X>& p, std::size_t n) { return p.finish(n); };
  const auto find = [](const partial<X>& p, std::size_t n) { return index<X>(p.finish_index(n)); };
  return {
      of_kind<X, reduction::sum>(),
      of_kind<X, reduction::mean>(),
      of_kind<X, reduction::l1_norm>(),
      of_kind<X, reduction::l2_norm>(),
      of_kind<X, reduction::product>(),
      of_kind<X, reduction::max_norm>(),
      of_kind<X, reduction::minimum>(),
      of_kind<X, reduction::maximum>(),
      {"dot", [](const values& x, const values& y) { return dot(x, y); },
       [](const X* x, const X* y, std::size_t n, std::size_t first, T) {
         return partial<X>::dot(x, y, n, first);
       },
       finish},
      {"argmin", [](const values& x, const values&) { return index<X>(argmin(x)); },
       [](const X* x, const X*, std::size_t n, std::size_t first, T) {
         return partial<X>::argmin(x, n, first);
       },
       find},
      {"argmax", [](const values& x, const values&) { return index<X>(argmax(x)); },
       [](const X* x, const X*, std::size_t n, std::size_t first, T) {
         return partial<X>::argmax(x, n, first);
       },
       find},
      {"variance", [](const values& x, const values&) { return variance(x, 1); },
       [](const X* x, const X*, std::size_t n, std::size_t first, T mean) {
         return partial<X>::variance(mean, x, n, first);
       },
       [](const partial<X>& p, std::size_t n) { return p.finish(n, 1); },
       [](const values& x) { return partial<X>(reduction::mean, x).finish_wide(x.size()); }},
      {"logsumexp", [](const values& x, const values&) { return reduce(reduction::logsumexp, x); },
       [](const X* x, const X*, std::size_t n, std::size_t first, T largest) {
         return partial<X>::logsumexp(largest, x, n, first);
       },
       finish, [](const values& x) { return partial<X>(reduction::maximum, x).finish_wide(x.size()); }},
  };
}

// Merges neighbours, of which choose(k) picks one of k pairs each time; now and then by way of bytes.
template <class P, class Choose>
P merged(std::vector<P> parts, const Choose& choose) {
  while (parts.size() > 1) {
    const std::size_t at = choose(parts.size() - 1);
    if (choose(3) == 0) parts[at] = P::from_bytes(parts[at].to_bytes());
    if (choose(2) == 0) {
      parts[at].merge(parts[at + 1]);
    } else {
      P right = parts[at + 1];
      parts[at] = right.merge(parts[at]);
    }
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  return parts[0];
}

// Cuts of [0, n), some of them empty.
template <class Choose>
std::vector<std::size_t> cuts(std::size_t n, std::size_t pieces, const Choose& choose) {
  std::vector<std::size_t> at = {0, n};
  while (at.size() < pieces + 1) at.push_back(choose(n + 1));
  std::sort(at.begin(), at.end());
  return at;
}

template <class X, class Choose>
void expect_any_division(const std::vector<X>& x, const std::vector<X>& y, std::size_t pieces,
                         const Choose& choose) {
  const std::size_t n = x.size();
  for (const auto& what : operations<X>()) {
    const auto given = what.given(x);
    std::vector<partial<X>> parts;
    const auto at = cuts(n, pieces, choose);
    for (std::size_t p = 0; p + 1 < at.size(); ++p)
      parts.push_back(what.part(x.data() + at[p], y.data() + at[p], at[p + 1] - at[p], at[p], given));
    const auto all = merged(parts, choose);
    ASSERT_EQ(test::as_word(what.finish(all, n)), test::as_word(what.whole(x, y)))
        << what.name << " of " << n;
    // The bytes too do not tell how it came about.
    ASSERT_EQ(all.to_bytes(), what.part(x.data(), y.data(), n, 0, given).to_bytes()) << what.name;
  }
}

template <class X>
class partials : public ::testing::Test {};
using elements = ::testing::Types<float, double, f16, bf16>;
TYPED_TEST_SUITE(partials, elements);

TYPED_TEST(partials, of_any_division_and_order_are_the_single_call) {
  using X = TypeParam;
  test::words random(3);
  const auto choose = [&](std::size_t k) { return static_cast<std::size_t>(random.below(k)); };
  for (const std::size_t n : {1u, 31u, 2047u, 2048u, 2049u, 4096u, 10'007u, 70'001u}) {
    const auto x = test::random_elements<X>(n, n), y = test::random_elements<X>(n, n + 1);
    for (const std::size_t pieces : {1u, 2u, 3u, 17u}) expect_any_division(x, y, pieces, choose);
  }
}

// A piece of a single element each, and cuts at whole chunks.
TYPED_TEST(partials, of_very_many_parts) {
  using X = TypeParam;
  const std::size_t n = 5000;
  const auto x = test::random_elements<X>(n, 5);
  partial<X> one_by_one;
  for (std::size_t i = 0; i < n; ++i) one_by_one.merge(partial<X>(reduction::sum, x.data() + i, 1, i));
  EXPECT_EQ(test::as_word(one_by_one.finish(n)), test::as_word(sum(x)));
  partial<X> from_the_right;
  for (std::size_t i = 0; i < n; i += 1000) {
    const std::size_t at = n - 1000 - i;
    from_the_right.merge(partial<X>(reduction::sum, x.data() + at, 1000, at));
  }
  EXPECT_EQ(from_the_right.to_bytes(), one_by_one.to_bytes());
}

TYPED_TEST(partials, do_not_depend_on_alignment) {
  using X = TypeParam;
  const std::size_t n = 5000;
  const auto x = test::random_elements<X>(n, 6);
  std::vector<unsigned char> bytes(n * sizeof(X) + 1);
  std::memcpy(bytes.data() + 1, static_cast<const void*>(x.data()), n * sizeof(X));
  const X* const at = reinterpret_cast<const X*>(bytes.data() + 1);
  for (const auto& what : operations<X>()) {
    const auto given = what.given(x);
    EXPECT_EQ(what.part(at, at, n, 1000, given).to_bytes(),
              what.part(x.data(), x.data(), n, 1000, given).to_bytes())
        << what.name;
  }
}

TEST(partials_of_ranges, need_no_type) {
  const std::vector<double> x = {1, 2, 3, 4};
  rivus::partial front(reduction::sum, std::vector<double>{1, 2});
  rivus::partial back(reduction::sum, x.data() + 2, 2, 2);
  EXPECT_EQ(front.merge(back).finish(4), sum(x));
  EXPECT_EQ((rivus::partial(reduction::maximum, x).finish(x.size())), 4.0);
}

// Two threads, each of which sums half of the array.
TEST(partials_in_threads, make_one_sum) {
  const std::size_t n = 1'000'003, half = 499'999;
  const auto x = test::random_elements<float>(n, 7);
  partial<float> parts[2];
  std::thread other([&] { parts[1] = partial<float>(reduction::sum, x.data() + half, n - half, half); });
  parts[0] = partial<float>(reduction::sum, x.data(), half);
  other.join();
  EXPECT_EQ(as_word(parts[1].merge(parts[0]).finish(n)), as_word(sum(x)));
  // At most 2 log2 of the chunks, and the elements of two.
  EXPECT_LE(parts[1].to_bytes().size(), 40 + 8 * 2 * 9 + 4 * 2 * 2047);
}

// More chunks than are summed up at a time.
TEST(partials_of_much, are_taken_piece_by_piece) {
  const std::size_t n = ((std::size_t{1} << 14) + 3) * 2048 + 77;
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i * 2654435761u % 1000003) * 0x1p-7f - 3900;
  const partial<float> all(reduction::sum, x.data(), n, 0, executor::this_thread());
  EXPECT_EQ(as_word(all.finish(n)), as_word(sum(x)));
  EXPECT_EQ(as_word(partial<float>(reduction::sum, x.data(), 999)
                        .merge({reduction::sum, x.data() + 999, n - 999, 999})
                        .finish(n)),
            as_word(sum(x)));
}

TEST(partials_of_nothing, are_those_of_the_single_call) {
  const partial<double> sum(reduction::sum, nullptr, 0), product(reduction::product, nullptr, 0);
  EXPECT_EQ(as_word(sum.finish(0)), as_word(0.0));
  EXPECT_EQ(product.finish(0), 1.0);
  EXPECT_TRUE(std::isnan(partial<double>(reduction::mean, nullptr, 0).finish(0)));
  EXPECT_EQ(partial<double>(reduction::max_norm, nullptr, 0).finish(0), 0.0);
  EXPECT_TRUE(std::isnan(partial<double>::variance(0, nullptr, 0).finish(0)));
  EXPECT_EQ(partial<double>::logsumexp(0, nullptr, 0).finish(0), -test::infinity<double>);
  EXPECT_TRUE(mentions(error_of([] { partial<double>(reduction::minimum, nullptr, 0).finish(0); }),
                       {"rivus::partial::finish", "minimum of nothing"}));
  EXPECT_TRUE(mentions(error_of([] { partial<double>::argmin(nullptr, 0).finish_index(0); }), {"n = 0"}));
}

TEST(partials_refuse, what_does_not_fit) {
  const std::vector<float> x(100, 1.0f);
  const auto refuses = [](auto call, std::initializer_list<const char*> parts) {
    EXPECT_TRUE(mentions(error_of(call), parts));
  };
  const partial<float> a(reduction::sum, x.data(), 10), b(reduction::sum, x.data(), 10, 20);
  refuses([&] { partial<float>(a).merge(b); },
          {"rivus::partial::merge", "the ranges [0, 10) and [20, 30) do not meet"});
  refuses([&] { partial<float>(a).merge(a); }, {"[0, 10) and [0, 10)"});
  refuses([&] { partial<float>(a).merge(partial<float>(reduction::mean, x.data(), 10, 10)); }, {"differ"});
  refuses(
      [&] { partial<float>::variance(1, x.data(), 1).merge(partial<float>::variance(2, x.data(), 1, 1)); },
      {"given = 1 and 2 differ"});
  refuses([&] { a.finish(11); }, {"rivus::partial::finish", "n = 11", "[0, 10)"});
  refuses([&] { b.finish(10); }, {"n = 10", "[20, 30)"});
  refuses([&] { a.finish_index(10); }, {"argmin or argmax"});
  refuses([&] { partial<float>::argmax(x.data(), 5).finish(5); }, {"finish_index"});
  refuses([&] { partial<float>(reduction::logsumexp, x.data(), 5); }, {"rivus::partial", "largest"});
  refuses([&] { partial<float>(reduction(99), x.data(), 5); }, {"kind = 99"});
  refuses([&] { partial<float>(reduction::sum, nullptr, 5); }, {"rivus::partial", "x is null but n = 5"});
  refuses([&] { partial<float>::dot(x.data(), nullptr, 5); }, {"rivus::partial::dot", "y is null"});
  refuses([&] { partial<float>(reduction::sum, x.data(), 5, -3); },
          {"first = 18446744073709551613 and n = 5"});
  test::for_each_float_mode([&](const char* complaint) {
    EXPECT_TRUE(mentions(error_of<std::runtime_error>([&] { partial<float>(reduction::sum, x.data(), 5); }),
                         {"rivus::partial", complaint}));
  });

  const auto bytes = a.to_bytes();
  const auto with = [&](std::size_t at, unsigned char value) {
    auto changed = bytes;
    changed[at] = value;
    return changed;
  };
  using p = partial<float>;
  refuses([&] { p::from_bytes(with(0, 'x')); }, {"rivus::partial::from_bytes", "header byte 0 = 120"});
  refuses([&] { p::from_bytes(with(3, 2)); }, {"version byte = 2 must be 1"});
  for (std::size_t i = 4; i < bytes.size(); ++i)
    refuses([&] { p::from_bytes(with(i, static_cast<unsigned char>(bytes[i] ^ 1))); }, {"damaged"});
  refuses([&] { p::from_bytes(bytes.data(), bytes.size() - 1); }, {"damaged"});
  refuses([&] { p::from_bytes(nullptr, 50); }, {"bytes is null"});
  refuses([&] { p::from_bytes(bytes.data(), 3); }, {"size = 3"});
  refuses([&] { partial<double>::from_bytes(bytes); }, {"precision = 24 must be 53"});
}

TEST(leaves_of_arrays, sum_up_by_the_tree_in_any_division) {
  test::words random(11);
  const auto choose = [&](std::size_t k) { return static_cast<std::size_t>(random.below(k)); };
  const std::size_t size = 37;
  for (const std::size_t count : {1u, 2u, 3u, 5u, 8u, 100u}) {
    const auto x = test::random_elements<float>(count * size, count);
    std::vector<float> expected(size), got(size);
    for (std::size_t j = 0; j < size; ++j) {
      std::vector<float> column;
      for (std::size_t i = 0; i < count; ++i) column.push_back(x[i * size + j]);
      expected[j] = test::tree_of(column.data(), count, std::plus<float>());
    }
    for (const std::size_t pieces : {1u, 2u, 7u}) {
      std::vector<leaves<float>> parts;
      const auto at = cuts(count, pieces, choose);
      for (std::size_t p = 0; p + 1 < at.size(); ++p) {
        parts.emplace_back(size, at[p]);
        for (std::size_t i = at[p]; i < at[p + 1]; ++i) parts.back().push(x.data() + i * size);
      }
      merged(parts, choose).finish(count, got.data());
      EXPECT_EQ(got, expected) << count << " leaves in " << pieces;
    }
  }
  leaves<double> l(2);
  l.push(std::vector<double>{1, 2});
  EXPECT_TRUE(
      mentions(error_of([&] { l.push(std::vector<double>{1}); }), {"rivus::leaves::push", "1 elements"}));
  EXPECT_TRUE(mentions(error_of([&] { l.merge(leaves<double>(3)); }), {"rivus::leaves::merge"}));
  EXPECT_TRUE(mentions(error_of([] { leaves<float>(0); }), {"size = 0"}));
  double out[2];
  EXPECT_TRUE(mentions(error_of([&] { l.finish(2, out); }), {"count = 2", "[0, 1)"}));
  auto damaged = l.to_bytes();
  damaged[9] ^= 1;
  EXPECT_TRUE(mentions(error_of([&] { leaves<double>::from_bytes(damaged); }), {"damaged"}));
}

#if defined(RIVUS_HAVE_RAPIDCHECK)
TYPED_TEST(partials, have_the_bits_of_the_single_call) {
  using X = TypeParam;
  EXPECT_TRUE(rc::check([] {
    const auto n = *rc::gen::inRange<std::size_t>(1, 30'000);
    const auto pieces = *rc::gen::inRange<std::size_t>(1, 9);
    test::words random(*rc::gen::arbitrary<std::uint64_t>());
    const auto choose = [&](std::size_t k) { return static_cast<std::size_t>(random.below(k)); };
    const auto x = test::random_elements<X>(n, random(), 20), y = test::random_elements<X>(n, random());
    expect_any_division(x, y, pieces, choose);
    RC_ASSERT(!::testing::Test::HasFailure());
  }));
}
#endif

}  // namespace
}  // namespace rivus
