// The floating-point environment of worker threads.
#ifndef RIVUS_SRC_ENVIRONMENT_HPP
#define RIVUS_SRC_ENVIRONMENT_HPP

#include <cfenv>

namespace rivus {

// Gives a worker thread the default environment, which its creator may have changed, for as long as this
// lives.
class default_environment {
 public:
  default_environment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~default_environment() { std::fesetenv(&saved_); }
  default_environment(const default_environment&) = delete;
  default_environment& operator=(const default_environment&) = delete;

 private:
  std::fenv_t saved_;
};

}  // namespace rivus

#endif
