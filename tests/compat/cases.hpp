// Cases that another library has drawn: lines of an operation, its arguments, "|", a digest of the words, and
// the first of them; numpy_cases.py, jax_cases.py and pytorch_cases.py print them.
#ifndef RIVUS_TESTS_COMPAT_CASES_HPP
#define RIVUS_TESTS_COMPAT_CASES_HPP

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "../support.hpp"

namespace rivus::test {

class drawn_case {
 public:
  explicit drawn_case(const std::string& line) : text_(line) {
    std::istringstream in(line);
    in >> operation_;
    for (std::string word; in >> word && word != "|";) arguments_.push_back(word);
    in >> digest_;
    for (std::uint64_t word; in >> word;) first_.push_back(word);
  }

  const std::string& text() const { return text_; }
  const std::string& operation() const { return operation_; }

  // The next argument.
  std::string word() { return arguments_.at(next_++); }
  std::uint64_t u64() { return std::stoull(word()); }
  std::int64_t i64() { return std::stoll(word()); }

  // The words under test must have the digest of the case.
  ::testing::AssertionResult agrees(const std::vector<std::uint64_t>& words) const {
    std::uint64_t digest = 0;
    for (std::uint64_t i = 0; i < words.size(); ++i)
      digest += (words[i] ^ i * 0x9E3779B97F4A7C15u) * (2 * i + 1);
    if (digest == digest_) return ::testing::AssertionSuccess();
    auto result = ::testing::AssertionFailure() << text_ << "\n  is here " << digest;
    for (std::size_t i = 0; i < words.size() && i < 3; ++i) result << ' ' << words[i];
    return result;
  }

 private:
  std::string text_, operation_;
  std::vector<std::string> arguments_;
  std::size_t next_ = 0;
  std::uint64_t digest_ = 0;
  std::vector<std::uint64_t> first_;
};

// Compares each line of in with what answer(case) gives, and says what it compared. No line at all fails, and so
// does an operation in `operations` without one.
template <class Answer>
void compare_cases(std::istream& in, const char* source, std::initializer_list<const char*> operations,
                   Answer answer) {
  std::map<std::string, int> seen;
  std::size_t words = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    drawn_case c(line);
    if (c.operation() == "version") {
      std::cout << "compared with " << source << ' ' << c.word() << '\n';
      continue;
    }
    const std::vector<std::uint64_t> here = answer(c);
    ASSERT_TRUE(c.agrees(here));
    ++seen[c.operation()];
    words += here.size();
  }
  int cases = 0;
  for (const char* operation : operations) {
    EXPECT_GT(seen[operation], 0) << "no case of " << operation;
    cases += seen[operation];
  }
  std::cout << cases << " cases, " << words << " values\n";
}

// The cases of the file that the environment variable names, where it is set: a whole run of the library's
// script, made by hand.
template <class Answer>
void compare_file(const char* variable, const char* library, std::initializer_list<const char*> operations,
                  Answer answer) {
  const char* path = std::getenv(variable);
  if (path == nullptr) {
    std::cout << variable << " is not set: compared with frozen cases of " << library << " alone\n";
    return;
  }
  std::ifstream in(path);
  ASSERT_TRUE(in) << path;
  compare_cases(in, library, operations, answer);
}

}  // namespace rivus::test

#endif
