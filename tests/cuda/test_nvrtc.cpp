// The headers compiled at run time by NVRTC, with no include path but rivus's and CCCL's.
#include <gtest/gtest.h>
#include <nvrtc.h>
#include <ptxrun.h>

#include <string>
#include <vector>

#include "nvrtc_values.hpp"

namespace {

constexpr char source[] = R"(
#include <nvrtc_values.hpp>
extern "C" __global__ void values(std::uint64_t* out) {
  const std::uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  values_of(i, out + values_each * i);
}
)";

std::string ptx_of(std::vector<const char*> options) {
  for (const char* const path : {"-I" RIVUS_TEST_INCLUDE, "-I" RIVUS_TEST_CCCL, "-I" RIVUS_TEST_SOURCES})
    options.push_back(path);
  nvrtcProgram program;
  EXPECT_EQ(nvrtcCreateProgram(&program, source, "values.cu", 0, nullptr, nullptr), NVRTC_SUCCESS);
  const nvrtcResult result = nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data());
  std::size_t size = 0;
  nvrtcGetProgramLogSize(program, &size);
  std::string log(size, '\0'), ptx;
  nvrtcGetProgramLog(program, log.data());
  // It ends with a NUL. Warnings would annoy whoever compiles it.
  EXPECT_TRUE(result == NVRTC_SUCCESS && size <= 1) << log;
  if (result == NVRTC_SUCCESS) {
    nvrtcGetPTXSize(program, &size);
    ptx.resize(size);
    nvrtcGetPTX(program, ptx.data());
    ptx.pop_back();
  }
  nvrtcDestroyProgram(&program);
  return ptx;
}

class nvrtc : public ::testing::TestWithParam<std::vector<const char*>> {};
TEST_P(nvrtc, has_the_host_s_values) {
  const std::string ptx = ptx_of(GetParam());
  ASSERT_FALSE(ptx.empty());
  constexpr std::uint32_t blocks = 3, threads = 40;
  constexpr std::size_t n = std::size_t{values_each} * blocks * threads;
  ptxrun_machine* const machine = ptxrun_create();
  const auto succeed = [&](int result) { ASSERT_EQ(result, 0) << ptxrun_error(machine); };
  std::uint64_t out = 0;
  std::vector<std::uint64_t> got(n), expected(n);
  succeed(ptxrun_load(machine, ptx.data(), ptx.size()));
  succeed(ptxrun_alloc(machine, n * 8, &out));
  const std::uint32_t grid[] = {blocks, 1, 1}, block[] = {threads, 1, 1};
  const void* const arguments[] = {&out};
  ptxrun_options options{};
  // The one approximate instruction there is only begins a root that is exact anyhow.
  options.approx = 1;
  succeed(ptxrun_launch(machine, "values", grid, block, 0, arguments, &options));
  succeed(ptxrun_read(machine, got.data(), out, n * 8));
  ptxrun_destroy(machine);
  for (std::size_t i = 0; i < blocks * threads; ++i) values_of(i, &expected[values_each * i]);
  for (std::size_t j = 0; j < n; ++j)
    ASSERT_EQ(got[j], expected[j]) << "value " << j % values_each << " of thread " << j / values_each;
}
INSTANTIATE_TEST_SUITE_P(options, nvrtc,
                         ::testing::Values(std::vector<const char*>{"-std=c++17", "-arch=compute_90"},
                                           std::vector<const char*>{"-std=c++20", "-arch=compute_75",
                                                                    "--use_fast_math"},
                                           std::vector<const char*>{"-std=c++20", "-arch=compute_120",
                                                                    "--device-int128", "-default-device"}));

}  // namespace
