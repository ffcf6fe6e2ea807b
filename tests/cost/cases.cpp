// Runs each kernel between dumps of callgrind named "<case> <n>": n values, then 2 n; cost.py takes the
// difference. For small calls n is the number of calls.
#include <omp.h>
#include <valgrind/callgrind.h>

#include <cstdio>
#include <deque>
#include <rivus/rivus.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// Not known to the compiler, which would compute ahead.
volatile std::uint64_t seed = 42;
const rivus::stream source = rivus::stream::from_seed(seed)["cost"];
constexpr std::size_t values = 8192;

// Callgrind reads the name of a dump after the request has returned.
std::deque<std::string> labels;

template <class Run>
void count(const std::string& name, std::size_t n, const Run& run) {
  run(2 * n);  // so that what only a first call does, such as starting OpenMP, is not counted
  for (const std::size_t m : {n, 2 * n}) {
    const char* const label = labels.emplace_back(name + " " + std::to_string(m)).c_str();
    CALLGRIND_ZERO_STATS;
    run(m);
    CALLGRIND_DUMP_STATS_AT(label);
  }
}

template <class D>
void count_fill(const char* name, D d) {
  std::vector<typename D::value_type> out(2 * values);
  count(name, values, [&](std::size_t n) { rivus::fill<D>(out.data(), n, source, d); });
}

template <class D>
void count_calls(const std::string& name, std::size_t each) {
  std::vector<typename D::value_type> out(each);
  count(name + " x " + std::to_string(each), 64, [&](std::size_t calls) {
    for (std::size_t i = 0; i < calls; ++i) rivus::fill<D>(out.data(), each, source, D{}, i * each);
  });
}

template <class T>
void count_reductions(const std::string& dtype) {
  std::vector<T> x(16 * values, T(1)), y(16 * values, T(2));
  count("sum/" + dtype, 8 * values, [&](std::size_t n) { (void)rivus::sum(x.data(), n); });
  count("dot/" + dtype, 8 * values, [&](std::size_t n) { (void)rivus::dot(x.data(), y.data(), n); });
  std::vector<std::uint32_t> ids(16 * values), rows(16 * values / 64);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::uint32_t>(i * 7919 % values);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = ids[i] % (values / 64);
  count("l2_norm/" + dtype, 8 * values,
        [&](std::size_t n) { (void)rivus::reduce(rivus::reduction::l2_norm, x.data(), n); });
  count("cumsum/" + dtype, 8 * values, [&](std::size_t n) { rivus::cumsum(x.data(), n, y.data()); });
  count("softmax/" + dtype, 8 * values, [&](std::size_t n) {
    rivus::softmax<T>({x.data(), n / 256, 256}, rivus::matrix<T>(y.data(), n / 256, 256));
  });
  count("index_add/" + dtype, 8 * values,
        [&](std::size_t n) { rivus::index_add(y.data(), values, ids.data(), x.data(), n); });
  count("index_add_rows/" + dtype, 8 * values, [&](std::size_t n) {
    rivus::index_add_rows(y.data(), values / 64, 64, rows.data(), x.data(), n / 64);
  });
  std::vector<std::uint64_t> bins(100);
  count("histogram/" + dtype, 8 * values,
        [&](std::size_t n) { rivus::histogram(x.data(), n, T(0), T(2), bins.data(), bins.size()); });
  // Whole tiles; twice the steps in twice the rows.
  constexpr std::size_t cols = 96, depth = 64;
  count("matmul/" + dtype, 96 * cols * depth, [&](std::size_t n) {
    const std::size_t height = n / (cols * depth);
    rivus::matmul({x.data(), height, depth}, {x.data(), depth, cols}, {y.data(), height, cols});
  });
}

}  // namespace

int main() try {
  if (!RUNNING_ON_VALGRIND) {
    std::fputs("cost_cases: to be run by cost.py, under valgrind\n", stderr);
    return 2;
  }
  omp_set_num_threads(1);
  (void)rivus::active_isa();
  count_fill("bits/u32", rivus::bits<std::uint32_t>{});
  count_fill("bits/u64", rivus::bits<std::uint64_t>{});
  count_fill("uniform/f32", rivus::uniform<float>{});
  count_fill("uniform/f32 scaled", rivus::uniform<float>{-1, 3});
  count_fill("uniform/f64", rivus::uniform<double>{});
  count_fill("uniform/f64 scaled", rivus::uniform<double>{-1, 3});
  count_fill("normal/f32", rivus::normal<float>{});
  count_fill("normal/f32 scaled", rivus::normal<float>{1, 2});
  count_fill("normal/f64", rivus::normal<double>{});
  count_fill("normal/f64 scaled", rivus::normal<double>{1, 2});
  count_fill("exponential/f32", rivus::exponential<float>{});
  count_fill("exponential/f32 scaled", rivus::exponential<float>{2});
  count_fill("exponential/f64", rivus::exponential<double>{});
  count_fill("exponential/f64 scaled", rivus::exponential<double>{2});
  count_fill("randint/i32", rivus::integer<std::int32_t>{0, 1000});
  count_fill("randint/i32 from -5", rivus::integer<std::int32_t>{-5, 995});
  count_fill("randint/i64", rivus::integer<std::int64_t>{0, 1000});
  count_fill("randint/i64 large", rivus::integer<std::int64_t>{0, std::int64_t{1} << 40});
  count_fill("bernoulli/u8", rivus::bernoulli{0.3});
  for (const std::size_t each : {1u, 4u, 16u, 64u}) {
    count_calls<rivus::bits<std::uint32_t>>("bits/u32", each);
    count_calls<rivus::normal<float>>("normal/f32", each);
  }
  count_reductions<float>("f32");
  count_reductions<double>("f64");
  return 0;
} catch (const std::invalid_argument& e) {
  std::fprintf(stderr, "cost_cases: %s\n", e.what());
  return 2;
}
