// Reads the settings of a test run from the environment.
//
// LODE_TEST_SEED is a number or "random". Every test that draws prints its seed, so that a failure can be run again.
// LODE_TEST_ROUNDS is the number of rounds of a random test, in place of its own. LODE_TEST_EFFORT is 0 (small, for
// sanitizers), 1 (normal) or 2 (large). LODE_TEST_TIMEOUT is a number of seconds. If a test takes longer, the program
// names it and ends. This is for running the program itself on devices that may hang; ctest has timeouts of its own.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace lode::tests {

std::uint64_t test_seed();
int test_effort();
/// LODE_TEST_ROUNDS, or the number for the effort.
std::uint64_t test_rounds(std::uint64_t small, std::uint64_t normal, std::uint64_t large);

/// Draws numbers that are the same for the same seed on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// A number from 0 to limit - 1; limit must not be 0.
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }
  /// A number from low to high, both included.
  std::uint64_t between(std::uint64_t low, std::uint64_t high) { return low + below(high - low + 1); }
  /// A number from low to high, in which small numbers are as likely as large ones; low must not be 0.
  std::uint64_t scale(std::uint64_t low, std::uint64_t high);
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename Value>
  const Value& pick(const std::vector<Value>& values) {
    return values[below(values.size())];
  }
  std::string bytes(std::string_view alphabet, std::uint64_t length);

 private:
  std::uint64_t state_;
};

/// The random numbers of a test. Their seed is that of the run mixed with the test's name, and it is printed.
Random make_random(const std::string& test_name);

/// The bytes in readable form: printable ones as they are, others as \xHH, cut after `limit` bytes.
std::string escape(std::string_view bytes, std::size_t limit = 300);

/// Makes a name for gtest, which allows only letters and digits.
std::string make_test_name(std::string_view text);

/// Sets a variable of the environment for a scope, or unsets it if there is no value.
class Variable {
 public:
  Variable(const char* name, std::optional<std::string> value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::optional<std::string>& value) const {
    if (value) {
      ::setenv(name_, value->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  const char* name_;
  std::optional<std::string> before_;
};

/// Whether this program's code under test is built with a sanitizer. Then time and memory say little.
constexpr bool is_sanitized() {
#ifdef LODE_SANITIZED
  return true;
#else
  return false;
#endif
}

/// Whether that is the thread sanitizer, which looks for data races.
constexpr bool is_thread_sanitized() {
#ifdef LODE_THREAD_SANITIZED
  return true;
#else
  return false;
#endif
}

}  // namespace lode::tests
