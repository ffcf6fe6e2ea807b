#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <rivus/determinism.hpp>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support.hpp"

namespace rivus {
namespace {

using mode = determinism_mode;
using level = determinism;
using test::error_of;
using test::mentions;

constexpr std::array levels{level::not_guaranteed, level::run_to_run, level::gpu_to_gpu, level::everywhere};

class environment_variable_kept {
 public:
  explicit environment_variable_kept(const char* name) : name_(name) {
    if (const char* const value = std::getenv(name)) before_ = value;
  }
  ~environment_variable_kept() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  environment_variable_kept(const environment_variable_kept&) = delete;
  environment_variable_kept& operator=(const environment_variable_kept&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// What the warning handler was given.
std::mutex guard;
std::vector<std::string> warnings;
void keep_warning(const char* text) {
  const std::lock_guard lock(guard);
  warnings.emplace_back(text);
}

class determinism_test : public ::testing::Test {
 protected:
  void SetUp() override {
    use_deterministic_algorithms(mode::off);
    warnings.clear();
    set_warning_handler(keep_warning);
  }
  void TearDown() override {
    set_warning_handler(nullptr);
    use_deterministic_algorithms(mode::off);
  }
};

// The name of an operation that has not yet been warned of, even where a test is repeated.
std::string fresh() {
  static std::atomic<int> number{0};
  return "operation_" + std::to_string(number++);
}

// An operation of the given level, and whether it ran.
bool runs(const std::string& operation, level has = level::not_guaranteed) {
  try {
    detail::alert_not_deterministic(operation.c_str(), "f32", "cuda", "another", has);
    return true;
  } catch (const nondeterministic_operation&) {
    return false;
  }
}

std::string warning_of(const std::string& operation) {
  return "rivus: " + operation +
         " of f32 on cuda is not_guaranteed, but everywhere is asked for; use another instead";
}

TEST_F(determinism_test, names) {
  EXPECT_STREQ(name(level::not_guaranteed), "not_guaranteed");
  EXPECT_STREQ(name(level::run_to_run), "run_to_run");
  EXPECT_STREQ(name(level::gpu_to_gpu), "gpu_to_gpu");
  EXPECT_STREQ(name(level::everywhere), "everywhere");
  EXPECT_STREQ(name(mode::off), "off");
  EXPECT_STREQ(name(mode::warn), "warn");
  EXPECT_STREQ(name(mode::error), "error");
}

TEST_F(determinism_test, off_lets_everything_pass) {
  for (const level asked : levels) {
    use_deterministic_algorithms(mode::off, asked);
    EXPECT_EQ(active_determinism(), (determinism_settings{mode::off, asked}));
    for (const level has : levels) EXPECT_TRUE(runs("off", has));
  }
  EXPECT_TRUE(warnings.empty());
}

TEST_F(determinism_test, error_throws_below_the_level_asked_for) {
  for (const level asked : levels) {
    use_deterministic_algorithms(mode::error, asked);
    EXPECT_EQ(active_determinism(), (determinism_settings{mode::error, asked}));
    for (const level has : levels) EXPECT_EQ(runs("error", has), has >= asked) << name(has) << name(asked);
  }
  EXPECT_TRUE(warnings.empty());
}

TEST_F(determinism_test, everywhere_is_asked_for_by_default) {
  use_deterministic_algorithms(mode::warn);
  EXPECT_EQ(active_determinism(), (determinism_settings{mode::warn, level::everywhere}));
  const deterministic_scope scope(mode::error);
  EXPECT_EQ(active_determinism(), (determinism_settings{mode::error, level::everywhere}));
}

TEST_F(determinism_test, error_says_what_and_what_instead) {
  const deterministic_scope scope(mode::error, level::gpu_to_gpu);
  try {
    detail::alert_not_deterministic("add_fast", "f64", "cuda", "add_slow", level::run_to_run);
    FAIL() << "nothing was thrown";
  } catch (const nondeterministic_operation& e) {
    EXPECT_EQ(e.operation, "add_fast");
    EXPECT_EQ(e.dtype, "f64");
    EXPECT_EQ(e.device, "cuda");
    EXPECT_EQ(e.alternative, "add_slow");
    EXPECT_STREQ(
        e.what(),
        "rivus: add_fast of f64 on cuda is run_to_run, but gpu_to_gpu is asked for; use add_slow instead");
  }
  for (const char* const none : {"", static_cast<const char*>(nullptr)}) {
    try {
      detail::alert_not_deterministic("add_only", "i32", "host", none);
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(
          e.what(),
          "rivus: add_only of i32 on host is not_guaranteed, but gpu_to_gpu is asked for; there is no "
          "alternative");
      EXPECT_EQ(dynamic_cast<const nondeterministic_operation&>(e).alternative, "");
    }
  }
}

TEST_F(determinism_test, a_warning_comes_once_for_each_operation) {
  use_deterministic_algorithms(mode::warn);
  EXPECT_TRUE(runs(fresh(), level::everywhere));
  EXPECT_TRUE(warnings.empty());
  const std::string first = fresh(), second = fresh();
  for (int i = 0; i < 3; ++i) {
    // Told apart by what they say, not by where they lie.
    EXPECT_TRUE(runs(std::string(first)));
    EXPECT_TRUE(runs(second));
  }
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0], warning_of(first));
  EXPECT_EQ(warnings[1], warning_of(second));
  // A warning does not stand in for an error.
  use_deterministic_algorithms(mode::error);
  EXPECT_FALSE(runs(first));
}

TEST_F(determinism_test, only_a_warning_uses_up_the_warning) {
  const std::string operation = fresh();
  use_deterministic_algorithms(mode::error);
  EXPECT_FALSE(runs(operation));
  use_deterministic_algorithms(mode::off);
  EXPECT_TRUE(runs(operation));
  use_deterministic_algorithms(mode::warn);
  EXPECT_TRUE(runs(operation));
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(determinism_test, a_warning_comes_once_from_many_threads) {
  use_deterministic_algorithms(mode::warn);
  std::vector<std::string> operations(50);
  for (std::string& operation : operations) operation = fresh();
  std::atomic<int> waiting{4};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (--waiting; waiting > 0;) std::this_thread::yield();
      for (const std::string& operation : operations) runs(operation);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(warnings.size(), operations.size());
  EXPECT_EQ(std::set<std::string>(warnings.begin(), warnings.end()).size(), operations.size());
}

TEST_F(determinism_test, warnings_go_to_stderr_by_default) {
  EXPECT_EQ(set_warning_handler(nullptr), &keep_warning);
  use_deterministic_algorithms(mode::warn);
  const std::string operation = fresh();
  ::testing::internal::CaptureStderr();
  runs(operation);
  runs(operation);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), warning_of(operation) + "\n");
  EXPECT_NE(set_warning_handler(keep_warning), &keep_warning);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(determinism_test, a_handler_may_call_operations_and_throw) {
  use_deterministic_algorithms(mode::warn);
  set_warning_handler([](const char* text) {
    set_warning_handler(keep_warning);
    runs(fresh());
    throw std::out_of_range(text);
  });
  const std::string operation = fresh();
  EXPECT_EQ(error_of<std::out_of_range>([&] { runs(operation); }), warning_of(operation));
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(determinism_test, scopes_nest) {
  use_deterministic_algorithms(mode::warn, level::run_to_run);
  const determinism_settings outside{mode::warn, level::run_to_run};
  EXPECT_EQ(active_determinism(), outside);
  {
    const deterministic_scope outer(mode::error, level::gpu_to_gpu);
    EXPECT_EQ(active_determinism(), (determinism_settings{mode::error, level::gpu_to_gpu}));
    EXPECT_FALSE(runs("scope", level::run_to_run));
    {
      const deterministic_scope inner(mode::off);
      EXPECT_EQ(active_determinism(), (determinism_settings{mode::off, level::everywhere}));
      EXPECT_TRUE(runs("scope", level::run_to_run));
      // For the threads outside a scope, and for this one when its scopes have ended.
      use_deterministic_algorithms(mode::error, level::run_to_run);
      EXPECT_EQ(active_determinism().mode, mode::off);
    }
    EXPECT_EQ(active_determinism(), (determinism_settings{mode::error, level::gpu_to_gpu}));
    // An exception ends a scope too.
    EXPECT_EQ(error_of<std::invalid_argument>([] {
                const deterministic_scope inner(mode::warn);
                throw std::invalid_argument("left");
              }),
              "left");
    EXPECT_EQ(active_determinism(), (determinism_settings{mode::error, level::gpu_to_gpu}));
  }
  EXPECT_EQ(active_determinism(), (determinism_settings{mode::error, level::run_to_run}));
}

TEST_F(determinism_test, a_scope_is_of_its_thread) {
  const deterministic_scope here(mode::error);
  std::thread([] {
    EXPECT_EQ(active_determinism().mode, mode::off);
    EXPECT_TRUE(runs("another thread"));
    const deterministic_scope there(mode::warn, level::run_to_run);
    EXPECT_EQ(active_determinism(), (determinism_settings{mode::warn, level::run_to_run}));
  }).join();
  EXPECT_EQ(active_determinism().mode, mode::error);
  EXPECT_FALSE(runs("this thread"));
}

TEST_F(determinism_test, threads_see_whole_settings) {
  const determinism_settings a{mode::warn, level::run_to_run}, b{mode::error, level::everywhere};
  use_deterministic_algorithms(a.mode, a.level);
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; i < 20000; ++i) {
      const determinism_settings& s = i % 2 == 0 ? b : a;
      use_deterministic_algorithms(s.mode, s.level);
    }
    done = true;
  });
  int torn = 0;
  while (!done) {
    const determinism_settings seen = active_determinism();
    torn += seen != a && seen != b;
  }
  writer.join();
  EXPECT_EQ(torn, 0);
}

// The variable is read once, so each value needs a process of its own, which begins anew.
class determinism_death_test : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

[[noreturn]] void tell_mode(const char* value) {
  value == nullptr ? unsetenv("RIVUS_DETERMINISTIC") : setenv("RIVUS_DETERMINISTIC", value, 1);
  std::string told;
  try {
    const determinism_settings s = active_determinism();
    told = std::string(name(s.mode)) + " at " + name(s.level);
  } catch (const std::invalid_argument& e) {
    told = e.what();
  }
  std::fprintf(stderr, "[%s]", told.c_str());
  std::exit(7);
}

TEST_F(determinism_death_test, the_environment_sets_the_mode) {
  const ::testing::ExitedWithCode told(7);
  EXPECT_EXIT(tell_mode(nullptr), told, "\\[off at everywhere\\]");
  EXPECT_EXIT(tell_mode(""), told, "\\[off at everywhere\\]");
  EXPECT_EXIT(tell_mode("off"), told, "\\[off at everywhere\\]");
  EXPECT_EXIT(tell_mode("warn"), told, "\\[warn at everywhere\\]");
  EXPECT_EXIT(tell_mode("error"), told, "\\[error at everywhere\\]");
  for (const char* const bad : {"1", "Error", "warn ", "on"}) {
    EXPECT_EXIT(tell_mode(bad), told,
                std::string("\\[rivus: the environment variable RIVUS_DETERMINISTIC = '") + bad +
                    "' must be off, warn or error\\]");
  }
}

TEST_F(determinism_death_test, calls_win_over_the_environment) {
  EXPECT_EXIT(
      {
        setenv("RIVUS_DETERMINISTIC", "bad", 1);
        // Every time until something else is said.
        for (int i = 0; i < 2; ++i) {
          if (!mentions(error_of([] { runs("any"); }), {"RIVUS_DETERMINISTIC", "'bad'"})) std::exit(1);
        }
        {
          const deterministic_scope scope(mode::error);
          if (runs("any")) std::exit(2);
        }
        use_deterministic_algorithms(mode::off);
        std::exit(runs("any") ? 7 : 3);
      },
      ::testing::ExitedWithCode(7), "");
}

TEST_F(determinism_test, cublas_workspace) {
  const environment_variable_kept kept("CUBLAS_WORKSPACE_CONFIG");
  for (const char* const good : {":4096:8", ":16:8"}) {
    setenv("CUBLAS_WORKSPACE_CONFIG", good, 1);
    EXPECT_NO_THROW(require_cublas_workspace_config());
  }
  for (const std::string bad : {"", ":4096:2", ":4096:8:16:8", "4096:8", ":0:0", " :16:8"}) {
    setenv("CUBLAS_WORKSPACE_CONFIG", bad.c_str(), 1);
    EXPECT_TRUE(mentions(error_of<std::runtime_error>(require_cublas_workspace_config),
                         {"rivus::require_cublas_workspace_config", ("CONFIG is '" + bad + "';").c_str(),
                          ":4096:8", ":16:8", "before cuBLAS is first used", "several streams"}));
  }
  unsetenv("CUBLAS_WORKSPACE_CONFIG");
  EXPECT_TRUE(mentions(error_of<std::runtime_error>(require_cublas_workspace_config), {"is unset"}));
  // In any mode.
  for (const mode m : {mode::off, mode::warn, mode::error}) {
    const deterministic_scope scope(m);
    EXPECT_THROW(require_cublas_workspace_config(), std::runtime_error);
  }
}

TEST_F(determinism_test, operations_are_sorted_and_complete) {
  std::set<std::string> names;
  std::string before;
  for (const operation_info& info : operations()) {
    SCOPED_TRACE(info.name);
    EXPECT_LT(before, info.name);
    before = info.name;
    names.insert(info.name);
    EXPECT_TRUE(info.host || info.cuda);
    EXPECT_STRNE(info.rule, "");

    std::istringstream words(info.dtypes);
    std::set<std::string> dtypes;
    for (std::string word; words >> word;) {
      EXPECT_TRUE(std::set<std::string>({"any", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16",
                                         "bf16", "f32", "f64"})
                      .contains(word))
          << word;
      EXPECT_TRUE(dtypes.insert(word).second) << word << " twice";
    }
    EXPECT_FALSE(dtypes.empty());
  }
  EXPECT_EQ(names.size(), operations().size());
  for (const char* const known : {"bits", "uniform", "normal", "exponential", "bernoulli", "integer",
                                  "shuffle", "fill", "sum", "dot", "matmul"}) {
    EXPECT_TRUE(names.contains(known)) << known;
  }
}

TEST_F(determinism_test, what_is_less_than_everywhere_has_an_alternative_that_is_not) {
  const auto least = [](const operation_info& info) {
    return std::min(info.host.value_or(level::everywhere), info.cuda.value_or(level::everywhere));
  };
  for (const operation_info& info : operations()) {
    SCOPED_TRACE(info.name);
    if (least(info) == level::everywhere) {
      EXPECT_STREQ(info.alternative, "");
      continue;
    }
    const auto found = std::find_if(
        operations().begin(), operations().end(),
        [&](const operation_info& other) { return std::string(other.name) == info.alternative; });
    ASSERT_NE(found, operations().end()) << info.alternative;
    EXPECT_EQ(least(*found), level::everywhere);
    EXPECT_TRUE(!info.host || found->host);
    EXPECT_TRUE(!info.cuda || found->cuda);
  }
}

}  // namespace
}  // namespace rivus
