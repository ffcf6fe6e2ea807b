#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <rivus/cuda/normalise.hpp>
#include <rivus/cuda/reductions.hpp>
#include <rivus/cuda/scatter.hpp>

#include "../reference.hpp"
#include "device.hpp"

namespace rivus {
namespace {

using test::device_array;

constexpr reduction all_kinds[] = {reduction::sum,     reduction::mean,    reduction::l1_norm,
                                   reduction::l2_norm, reduction::product, reduction::max_norm,
                                   reduction::minimum, reduction::maximum, reduction::logsumexp};

template <class X>
class cuda_reductions : public test::device_test {};
using element_types = ::testing::Types<float, double, f16, bf16>;
TYPED_TEST_SUITE(cuda_reductions, element_types);

TYPED_TEST(cuda_reductions, of_everything_give_the_host_s_bits) {
  using X = TypeParam;
  for (const std::size_t n : test::cases<std::size_t>({0, 1, 31, 33, 255, 2048, 2049, 9000}, {1, 2049})) {
    auto x = test::random_elements<X>(n, n + 1);
    for (const bool with_nan : {false, true}) {
      if (with_nan && n > 3) x[n / 2] = test::nearest<X>(NAN);
      device_array<X> in(x), out(1);
      device_array<std::size_t> at(1);
      const std::size_t bytes = cuda::reduce_scratch_bytes<X>(n);
      device_array<unsigned char> scratch(bytes);
      test::for_each_grid([&] {
        for (const reduction kind : all_kinds) {
          if (n == 0 && (kind == reduction::minimum || kind == reduction::maximum)) continue;
          cuda::reduce<X>(nullptr, kind, in.data(), n, out.data(), scratch.data(), bytes);
          const X expected = reduce(kind, x.data(), n);
          EXPECT_TRUE(out.holds(&expected, 1)) << name(kind) << " of " << n;
        }
        cuda::variance<X>(nullptr, in.data(), n, 1, out.data(), scratch.data(), bytes);
        const X expected = variance(x.data(), n, 1);
        EXPECT_TRUE(out.holds(&expected, 1)) << "variance of " << n;
        if (n > 0) {
          cuda::argmin<X>(nullptr, in.data(), n, at.data(), scratch.data(), bytes);
          const std::size_t least = argmin(x.data(), n), most = argmax(x.data(), n);
          EXPECT_TRUE(at.holds(&least, 1)) << "argmin of " << n;
          cuda::argmax<X>(nullptr, in.data(), n, at.data(), scratch.data(), bytes);
          EXPECT_TRUE(at.holds(&most, 1)) << "argmax of " << n;
        }
      });
      EXPECT_TRUE(scratch.holds(scratch.values()));
    }
  }
}

TYPED_TEST(cuda_reductions, of_rows_and_columns_give_the_host_s_bits) {
  using X = TypeParam;
  struct shape {
    std::size_t rows, cols, stride;
  };
  for (const auto& [rows, cols, stride] : test::cases<shape>(
           {{1, 1, 1}, {5, 33, 40}, {70, 3, 3}, {2, 4200, 4200}, {2100, 2, 3}}, {{5, 33, 40}})) {
    const auto data = test::random_elements<X>(rows * stride, 5);
    const device_array<X> in(data);
    const auto s = static_cast<std::ptrdiff_t>(stride);
    const matrix<const X> x(data.data(), rows, cols, s, 1), dx(in.data(), rows, cols, s, 1);
    device_array<X> by_row(rows), by_column(cols);
    device_array<std::size_t> at(rows);
    const std::size_t bytes = cuda::column_scratch_bytes<X>(rows, cols);
    device_array<unsigned char> scratch(bytes);
    std::vector<X> row(rows), column(cols);
    std::vector<std::size_t> where(rows);
    test::for_each_grid([&] {
      for (const reduction kind : all_kinds) {
        cuda::reduce_rows<X>(nullptr, kind, dx, by_row.data());
        reduce_rows(kind, x, row.data());
        EXPECT_TRUE(by_row.holds(row)) << name(kind);
        cuda::reduce_columns<X>(nullptr, kind, dx, by_column.data(), scratch.data(), bytes);
        reduce_columns(kind, x, column.data());
        EXPECT_TRUE(by_column.holds(column)) << name(kind);
      }
      cuda::variance_rows<X>(nullptr, dx, by_row.data(), 1);
      variance_rows(x, row.data(), 1);
      EXPECT_TRUE(by_row.holds(row));
      cuda::variance_columns<X>(nullptr, dx, by_column.data(), 1, scratch.data(), bytes);
      variance_columns(x, column.data(), 1);
      EXPECT_TRUE(by_column.holds(column));
      cuda::argmin_rows<X>(nullptr, dx, at.data());
      argmin_rows(x, where.data());
      EXPECT_TRUE(at.holds(where));
      cuda::argmax_rows<X>(nullptr, dx, at.data());
      argmax_rows(x, where.data());
      EXPECT_TRUE(at.holds(where));
    });
    EXPECT_TRUE(scratch.holds(scratch.values()));
  }
}

TYPED_TEST(cuda_reductions, normalise_as_the_host_does) {
  using X = TypeParam;
  using T = wide_t<X>;
  for (const auto& [rows, cols] :
       test::cases<std::pair<std::size_t, std::size_t>>({{1, 1}, {3, 32}, {20, 77}, {2, 2100}}, {{3, 77}})) {
    const std::size_t n = rows * cols;
    const auto a = test::random_elements<X>(n, 1), b = test::random_elements<X>(n, 2),
               w = test::random_elements<X>(cols, 3), v = test::random_elements<X>(cols, 4);
    const device_array<X> da(a), db(b), dw(w), dv(v);
    device_array<X> out(n), out_w(cols), out_b(cols);
    device_array<T> mean(rows), reciprocal(rows);
    const std::size_t bytes = cuda::column_scratch_bytes<X>(rows, cols);
    const device_array<unsigned char> scratch(bytes);
    const matrix<const X> ha(a.data(), rows, cols), hb(b.data(), rows, cols), ma(da.data(), rows, cols),
        mb(db.data(), rows, cols);
    std::vector<X> expected(n), expected_w(cols), expected_b(cols);
    std::vector<T> means(rows), reciprocals(rows);
    const matrix<X> he(expected.data(), rows, cols), mo(out.data(), rows, cols);
    test::for_each_grid([&] {
      softmax(ha, he);
      cuda::softmax(nullptr, ma, mo);
      EXPECT_TRUE(out.holds(expected)) << "softmax";
      softmax_backward(ha, hb, he);
      cuda::softmax_backward(nullptr, ma, mb, mo);
      EXPECT_TRUE(out.holds(expected)) << "softmax_backward";
      log_softmax(ha, he);
      cuda::log_softmax(nullptr, ma, mo);
      EXPECT_TRUE(out.holds(expected)) << "log_softmax";
      log_softmax_backward(ha, hb, he);
      cuda::log_softmax_backward(nullptr, ma, mb, mo);
      EXPECT_TRUE(out.holds(expected)) << "log_softmax_backward";

      layer_norm<X>(ha, w.data(), v.data(), T(1e-5), he, means.data(), reciprocals.data());
      cuda::layer_norm<X>(nullptr, ma, dw.data(), dv.data(), T(1e-5), mo, mean.data(), reciprocal.data());
      EXPECT_TRUE(out.holds(expected)) << "layer_norm";
      layer_norm_backward<X>(hb, ha, w.data(), means.data(), reciprocals.data(), he, expected_w.data(),
                             expected_b.data());
      cuda::layer_norm_backward<X>(nullptr, mb, ma, dw.data(), mean.data(), reciprocal.data(), mo,
                                   out_w.data(), out_b.data(), scratch.data(), bytes);
      EXPECT_TRUE(out.holds(expected)) << "layer_norm_backward";
      EXPECT_TRUE(out_w.holds(expected_w)) << "dweight";
      EXPECT_TRUE(out_b.holds(expected_b)) << "dbias";
      EXPECT_TRUE(mean.holds(means));
      EXPECT_TRUE(reciprocal.holds(reciprocals));

      rms_norm<X>(ha, w.data(), T(1e-5), he, reciprocals.data());
      cuda::rms_norm<X>(nullptr, ma, dw.data(), T(1e-5), mo, reciprocal.data());
      EXPECT_TRUE(out.holds(expected)) << "rms_norm";
      rms_norm_backward<X>(hb, ha, w.data(), reciprocals.data(), he, expected_w.data());
      cuda::rms_norm_backward<X>(nullptr, mb, ma, dw.data(), reciprocal.data(), mo, out_w.data(),
                                 scratch.data(), bytes);
      EXPECT_TRUE(out.holds(expected)) << "rms_norm_backward";
      EXPECT_TRUE(out_w.holds(expected_w)) << "dweight";
      EXPECT_TRUE(reciprocal.holds(reciprocals));
    });
  }
}

TYPED_TEST(cuda_reductions, of_segments_give_the_host_s_bits) {
  using X = TypeParam;
  const std::size_t n = 4700;
  const auto x = test::random_elements<X>(n, 9);
  const std::vector<std::int32_t> some{0, 1, 1, 34, 4200, 4200}, filled{0, 1, 34, 4200};
  const device_array<X> in(x);
  const device_array<std::int32_t> all_some(some), all_filled(filled);
  device_array<X> out(some.size());
  device_array<unsigned long long> error(std::vector<unsigned long long>{0});
  auto* const met = reinterpret_cast<cuda::index_error*>(error.data());
  std::vector<X> expected(some.size());
  test::for_each_grid([&] {
    for (const reduction kind : all_kinds) {
      const bool refuses_nothing = kind == reduction::minimum || kind == reduction::maximum;
      const auto& offsets = refuses_nothing ? filled : some;
      segment_reduce(kind, x.data(), n, offsets.data(), offsets.size(), expected.data());
      cuda::segment_reduce<X>(nullptr, kind, in.data(), n, (refuses_nothing ? all_filled : all_some).data(),
                              offsets.size(), out.data(), met);
      EXPECT_TRUE(out.holds(expected.data(), offsets.size())) << name(kind);
    }
  });
  EXPECT_TRUE(error.untouched());
  // What the host refuses.
  const auto position_of_error = [&] {
    const std::string text = test::error_of([&] { cuda::require_no_index_error(nullptr, met); });
    error.set({0});
    return text;
  };
  cuda::segment_reduce<X>(nullptr, reduction::maximum, in.data(), n, all_some.data(), some.size(), out.data(),
                          met);
  EXPECT_TRUE(std::isnan(static_cast<double>(real::widen(out.values()[1]))));
  EXPECT_TRUE(test::mentions(position_of_error(), {"position 1 "}));
  const device_array<std::int32_t> bad(std::vector<std::int32_t>{0, 10, 9, 9, 4701});
  cuda::segment_reduce<X>(nullptr, reduction::sum, in.data(), n, bad.data(), 5, out.data(), met);
  EXPECT_TRUE(test::mentions(position_of_error(), {"position 2 "}));
  cuda::segment_reduce<X>(nullptr, reduction::sum, in.data(), n, bad.data() + 3, 2, out.data(), met);
  EXPECT_TRUE(test::mentions(position_of_error(), {"position 0 "}));
}

// More than 32 nodes of 32 chunks: of a row, which a warp adds up, and of a column.
TEST(cuda_reductions_levels, are_as_many_as_it_takes) {
  constexpr std::size_t n = 1030 * 2048 + 1;
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i * 2654435761u % 1000003) * 0x1p-7f - 3900;
  const device_array<float> in(x);
  device_array<float> out(1);
  const float expected = reduce(reduction::sum, x.data(), n);
  cuda::reduce_rows<float>(nullptr, reduction::sum, {in.data(), 1, n}, out.data());
  EXPECT_TRUE(out.holds(&expected, 1));
  const std::size_t bytes = cuda::column_scratch_bytes<float>(n, 1);
  device_array<unsigned char> scratch(bytes);
  cuda::reduce_columns<float>(nullptr, reduction::sum, {in.data(), n, 1}, out.data(), scratch.data(), bytes);
  EXPECT_TRUE(out.holds(&expected, 1));
  EXPECT_TRUE(scratch.holds(scratch.values()));
}

TEST(cuda_reductions_errors, name_the_parameter) {
  const device_array<float> x(std::vector<float>(5000, 1.0f));
  device_array<float> out(5000);
  const device_array<unsigned char> scratch(64);
  const matrix<const float> m(x.data(), 50, 100);
  using test::expect_refusal;
  expect_refusal(
      [&] { cuda::reduce<float>(nullptr, reduction::maximum, x.data(), 0, out.data(), nullptr, 0); },
      {"rivus::cuda::reduce", "maximum", "nothing"});
  expect_refusal([&] { cuda::reduce<float>(nullptr, reduction::sum, x.data(), 5000, nullptr, nullptr, 0); },
                 {"result is null"});
  expect_refusal(
      [&] { cuda::reduce<float>(nullptr, reduction::sum, x.data(), 5000, out.data(), scratch.data(), 8); },
      {"bytes = 8", "n = 5000"});
  expect_refusal([&] { cuda::reduce_rows<float>(nullptr, reduction::sum, m.transposed(), out.data()); },
                 {"col_stride = 100"});
  expect_refusal([&] { cuda::softmax<float>(nullptr, m, matrix<float>(out.data(), 100, 50)); },
                 {"50 x 100", "100 x 50"});
  expect_refusal(
      [&] { cuda::reduce_rows<float>(nullptr, reduction::sum, m, const_cast<float*>(x.data()) + 4999); },
      {"out overlaps x"});
  expect_refusal(
      [&] { cuda::softmax<float>(nullptr, m, matrix<float>(const_cast<float*>(x.data()) + 8, 50, 100)); },
      {"y overlaps x"});
  EXPECT_TRUE(out.untouched());
}

// CUDA's own conversions on the host say the same.
TEST(half_of_cuda, converts_bit_by_bit) {
  for (unsigned b = 0; b < 0x10000; ++b) {
    const auto bits = static_cast<std::uint16_t>(b);
    const __half h = f16::from_bits(bits);
    const __nv_bfloat16 w = bf16::from_bits(bits);
    ASSERT_EQ(f16(h).bits, bits);
    ASSERT_EQ(bf16(w).bits, bits);
    ASSERT_EQ(test::as_word(real::widen(f16::from_bits(bits))),
              test::as_word(test::canonical(__half2float(h))))
        << b;
    ASSERT_EQ(test::as_word(real::widen(bf16::from_bits(bits))),
              test::as_word(test::canonical(__bfloat162float(w))))
        << b;
  }
  test::words random(1);
  for (int i = 0; i < 100000; ++i) {
    const auto x = test::as_real<float>(static_cast<std::uint32_t>(random()));
    if (std::isnan(x)) continue;
    ASSERT_EQ(real::narrow<f16>(x).bits, f16(__float2half_rn(x)).bits) << x;
    ASSERT_EQ(real::narrow<bf16>(x).bits, bf16(__float2bfloat16_rn(x)).bits) << x;
  }
}

}  // namespace
}  // namespace rivus
