// Each instruction set counts as many bytes of a value as a plain loop does.

#include "io/count_bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "support/environment.hpp"

namespace lode::tests {
namespace {

void expect_counted(std::string_view text, char byte) {
  const auto expected = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), byte));
  ASSERT_EQ(io::count_bytes(text, byte), expected) << text.size() << " bytes";
  for (const InstructionSet set : instruction_sets())
    ASSERT_EQ(io::count_bytes(text, byte, set), expected) << name_of(set) << ", " << text.size() << " bytes";
}

TEST(CountBytes, EveryInstructionSetCountsAsAPlainLoop) {
  Random random = make_random("EveryInstructionSetCountsAsAPlainLoop");
  const std::string text = random.bytes(std::string_view("ab\n\xFF\0", 5), 2000);
  for (std::size_t length = 0; length <= 300; ++length) {
    const std::size_t begin = random.below(text.size() - length);
    for (const char byte : {'\n', '\xFF', '\0', 'x'})
      expect_counted(std::string_view(text).substr(begin, length), byte);
  }
}

// Counters of one byte hold at most 255.
TEST(CountBytes, CountersDoNotOverflow) {
  for (const std::size_t vector_bytes : {16, 32, 64}) {
    for (const std::size_t vectors : {254, 255, 256, 511, 1000}) {
      for (const std::size_t more : {0, 1, 15}) {
        expect_counted(std::string(vector_bytes * vectors + more, '\n'), '\n');
        expect_counted(std::string(vector_bytes * vectors + more, 'a'), '\n');
      }
    }
  }
}

}  // namespace
}  // namespace lode::tests
