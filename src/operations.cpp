// The registry of public operations: one line each, sorted by name.
#include <rivus/determinism.hpp>
#include <string_view>

namespace rivus {
namespace {

constexpr auto every = determinism::everywhere;
constexpr auto never = determinism::not_guaranteed;
constexpr std::nullopt_t none = std::nullopt;

constexpr const char* reals = "f32 f64";
constexpr const char* all_reals = "f16 bf16 f32 f64";
constexpr const char* numbers = "i32 i64 u32 u64 f32 f64";
constexpr const char* integers = "i8 i16 i32 i64 u8 u16 u32 u64";

// clang-format off
constexpr operation_info table[] = {
    // name                    types              host   CUDA   rule, alternative
    {"argmax",                 all_reals,         every, every, "first NaN, else lowest index", ""},
    {"argmax_rows",            all_reals,         every, every, "as argmax", ""},
    {"argmin",                 all_reals,         every, every, "first NaN, else lowest index", ""},
    {"argmin_rows",            all_reals,         every, every, "as argmin", ""},
    {"below",                  "u64",             every, every, "words of i and of its redraws", ""},
    {"bernoulli",              "u8",              every, every, "words of i and of its redraws", ""},
    {"bincount",               numbers,           every, every, "counts; weights: in source order", ""},
    {"bits",                   integers,          every, every, "word i, or words 2i, 2i+1 (CUDA: 32, 64 bits)", ""},
    {"cumprod",                all_reals,         every, every, "scan/v1", ""},
    {"cumprod_rows",           all_reals,         every, every, "scan/v1 of each row", ""},
    {"cumsum",                 all_reals,         every, every, "scan/v1", ""},
    {"cumsum_rows",            all_reals,         every, every, "scan/v1 of each row", ""},
    {"dot",                    all_reals,         every, every, "dot/v1", ""},
    {"embedding_bag",          reals,             every, every, "in the bag's order", ""},
    {"embedding_bag_backward", reals,             every, every, "in source order", ""},
    {"exact_dot",              all_reals,         every, every, "exact, rounded once (CUDA: f32 f64)", ""},
    {"exact_sum",              all_reals,         every, every, "exact, rounded once (CUDA: f32 f64)", ""},
    {"exclusive_cumprod",      all_reals,         every, every, "scan/v1", ""},
    {"exclusive_cumprod_rows", all_reals,         every, every, "scan/v1 of each row", ""},
    {"exclusive_cumsum",       all_reals,         every, every, "scan/v1", ""},
    {"exclusive_cumsum_rows",  all_reals,         every, every, "scan/v1 of each row", ""},
    {"exponential",            reals,             every, every, "word i; f64: words 2i, 2i+1", ""},
    {"fill",                   "any",             every, every, "as the distribution", ""},
    {"histogram",              reals,             every, every, "integer counts", ""},
    {"index_add",              numbers,           every, every, "in source order", ""},
    {"index_add_atomic",       reals,             none,  never, "order of atomics", "index_add"},
    {"index_add_rows",         numbers,           every, every, "in source order", ""},
    {"index_add_rows_atomic",  reals,             none,  never, "order of atomics", "index_add_rows"},
    {"integer",                integers,          every, every, "words of i and its redraws (CUDA: 32, 64 bits)", ""},
    {"l1_norm",                all_reals,         every, every, "sum/v1", ""},
    {"l2_norm",                all_reals,         every, every, "dot/v1", ""},
    {"layer_norm",             all_reals,         every, every, "sum/v1 and dot/v1 of the row", ""},
    {"layer_norm_backward",    all_reals,         every, every, "sum/v1 and dot/v1 of rows and columns", ""},
    {"log_softmax",            all_reals,         every, every, "sum/v1 of the row", ""},
    {"log_softmax_backward",   all_reals,         every, every, "sum/v1 of the row", ""},
    {"logsumexp",              all_reals,         every, every, "sum/v1", ""},
    {"matmul",                 all_reals,         every, every, "matmul/v1, then bias and ReLU", ""},
    {"max_norm",               all_reals,         every, every, "NaN if there is one", ""},
    {"maximum",                all_reals,         every, every, "NaN if there is one; -0 < +0", ""},
    {"mean",                   all_reals,         every, every, "sum/v1", ""},
    {"minimum",                all_reals,         every, every, "NaN if there is one; -0 < +0", ""},
    {"normal",                 reals,             every, every, "words of the pair i/2", ""},
    {"product",                all_reals,         every, every, "shape of sum/v1", ""},
    {"put",                    numbers,           every, every, "last source index", ""},
    {"reduce",                 all_reals,         every, every, "that of the reduction", ""},
    {"reduce_columns",         all_reals,         every, every, "that of the reduction, of each column", ""},
    {"reduce_rows",            all_reals,         every, every, "that of the reduction, of each row", ""},
    {"rms_norm",               all_reals,         every, every, "dot/v1 of the row", ""},
    {"rms_norm_backward",      all_reals,         every, every, "dot/v1 of the row, sum/v1 of columns", ""},
    {"scatter_max",            numbers,           every, every, "NaN if there is one; -0 < +0", ""},
    {"scatter_min",            numbers,           every, every, "NaN if there is one; -0 < +0", ""},
    {"scatter_prod",           numbers,           every, every, "in source order", ""},
    {"segment_reduce",         all_reals,         every, every, "that of the reduction, of each segment", ""},
    {"segment_sum",            numbers,           every, every, "in source order", ""},
    {"segment_sum_rows",       numbers,           every, every, "in source order", ""},
    {"shuffle",                "any",             every, every, "shuffle/v1", ""},
    {"softmax",                all_reals,         every, every, "sum/v1 of the row", ""},
    {"softmax_backward",       all_reals,         every, every, "dot/v1 of the row", ""},
    {"sum",                    all_reals,         every, every, "sum/v1", ""},
    {"uniform",                reals,             every, every, "word i; f64: words 2i, 2i+1", ""},
    {"variance",               all_reals,         every, every, "sum/v1, then dot/v1", ""},
    {"variance_columns",       all_reals,         every, every, "as variance", ""},
    {"variance_rows",          all_reals,         every, every, "as variance", ""},
};
// clang-format on

constexpr bool sorted_by_name() {
  for (std::size_t i = 1; i < std::size(table); ++i) {
    if (std::string_view(table[i - 1].name) >= table[i].name) return false;
  }
  return true;
}
static_assert(sorted_by_name(), "keep the operations sorted, each of them once");

}  // namespace

std::span<const operation_info> operations() { return table; }

}  // namespace rivus
