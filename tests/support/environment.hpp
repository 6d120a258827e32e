// What the environment says about a test run.
//
// LODE_TEST_SEED: a number, or "random"; every test that draws prints the seed it used, so that a failure can
// be run again. LODE_TEST_ROUNDS: how many rounds a random test plays, instead of its own number.
// LODE_TEST_EFFORT: 0 small (sanitizers), 1 normal, 2 large.
// LODE_TEST_TIMEOUT: seconds after which a test that has not ended ends the program, which says which it was; for runs
// of the program itself on devices that may hang. ctest has timeouts of its own.
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

/// Draws that are the same for the same seed on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// 0 … limit - 1; limit must not be 0.
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }
  /// low … high, both included.
  std::uint64_t between(std::uint64_t low, std::uint64_t high) { return low + below(high - low + 1); }
  /// low … high with small numbers as likely as large ones; low must not be 0.
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

/// A test's own draws: the seed of the run mixed with the test's name, printed.
Random make_random(const std::string& test_name);

/// Bytes as a reader can take them: printable ones as they are, others as \xHH, cut after `limit` bytes.
std::string escape(std::string_view bytes, std::size_t limit = 300);

/// Names a thing for gtest: letters and digits only.
std::string make_test_name(std::string_view text);

/// Sets a variable of the environment for a scope; nothing: unsets it.
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

/// Is what this program tests built with a sanitizer, under which time and memory say little?
constexpr bool is_sanitized() {
#ifdef LODE_SANITIZED
  return true;
#else
  return false;
#endif
}

/// Is it the one that looks for data races?
constexpr bool is_thread_sanitized() {
#ifdef LODE_THREAD_SANITIZED
  return true;
#else
  return false;
#endif
}

}  // namespace lode::tests
