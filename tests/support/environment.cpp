#include "support/environment.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

namespace lode::tests {
namespace {

constexpr int timeout_status = 124;
std::string running_test;  // the name of the test, with the message that is written if it hangs

extern "C" void end_hanging_test(int) {
  static_cast<void>(!::write(STDERR_FILENO, running_test.data(), running_test.size()));
  ::_exit(timeout_status);
}

class HangGuard final : public testing::EmptyTestEventListener {
 public:
  explicit HangGuard(unsigned seconds) : seconds_(seconds) { std::signal(SIGALRM, end_hanging_test); }
  void OnTestStart(const testing::TestInfo& test) override {
    running_test = std::string(test.test_suite_name()) + "." + test.name() + " has not ended after " +
                   std::to_string(seconds_) + " s\n";
    ::alarm(seconds_);
  }
  void OnTestEnd(const testing::TestInfo&) override { ::alarm(0); }

 private:
  const unsigned seconds_;
};

[[maybe_unused]] const bool guards_against_hangs = [] {
  const char* const seconds = std::getenv("LODE_TEST_TIMEOUT");
  if (seconds == nullptr || std::atoi(seconds) <= 0) return false;
  testing::UnitTest::GetInstance()->listeners().Append(new HangGuard(static_cast<unsigned>(std::atoi(seconds))));
  return true;
}();

}  // namespace

std::uint64_t test_seed() {
  static const std::uint64_t seed = [] {
    const char* value = std::getenv("LODE_TEST_SEED");
    if (value == nullptr || *value == '\0') return std::uint64_t{20240229};
    if (std::strcmp(value, "random") == 0) return std::uint64_t{std::random_device{}()};
    return std::uint64_t{std::strtoull(value, nullptr, 10)};
  }();
  return seed;
}

int test_effort() {
  const char* value = std::getenv("LODE_TEST_EFFORT");
  return value == nullptr || *value == '\0' ? 1 : std::atoi(value);
}

std::uint64_t test_rounds(std::uint64_t small, std::uint64_t normal, std::uint64_t large) {
  const char* value = std::getenv("LODE_TEST_ROUNDS");
  if (value != nullptr && *value != '\0') return std::strtoull(value, nullptr, 10);
  const int effort = test_effort();
  return effort <= 0 ? small : effort == 1 ? normal : large;
}

std::uint64_t Random::next() {
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
  return mixed ^ (mixed >> 31);
}

std::uint64_t Random::scale(std::uint64_t low, std::uint64_t high) {
  unsigned doublings = 0;
  while ((low << doublings) < high) ++doublings;
  const std::uint64_t top = low << below(doublings + 1);
  return between(low, top < high ? top : high);
}

std::string Random::bytes(std::string_view alphabet, std::uint64_t length) {
  std::string drawn(length, '\0');
  for (char& byte : drawn) byte = alphabet[below(alphabet.size())];
  return drawn;
}

Random make_random(const std::string& test_name) {
  std::uint64_t mixed = test_seed();
  for (const char byte : test_name) mixed = mixed * 1099511628211U + static_cast<unsigned char>(byte);
  std::printf("%s: LODE_TEST_SEED=%llu\n", test_name.c_str(), static_cast<unsigned long long>(test_seed()));
  return Random(mixed);
}

std::string escape(std::string_view bytes, std::size_t limit) {
  std::string shown;
  for (const char byte : bytes.substr(0, limit)) {
    const auto code = static_cast<unsigned char>(byte);
    if (code >= 0x20 && code < 0x7F && byte != '\\') {
      shown += byte;
    } else {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\x%02X", code);
      shown += buffer;
    }
  }
  if (bytes.size() > limit) shown += "… (" + std::to_string(bytes.size()) + " bytes)";
  return shown;
}

std::string make_test_name(std::string_view text) {
  std::string name;
  for (const char byte : text) name += std::isalnum(static_cast<unsigned char>(byte)) ? byte : '_';
  return name;
}

}  // namespace lode::tests
