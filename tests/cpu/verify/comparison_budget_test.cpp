// A budget pays for each byte that it compares, and borrows from a credit that all scans share.
#include "cpu/verify/comparison_budget.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "support/environment.hpp"

namespace lode::tests {
namespace {

bool compare_with(ComparisonBudget& budget, std::string_view text, std::string_view pattern, bool ignore_case = false) {
  return budget.equal(reinterpret_cast<const std::uint8_t*>(text.data()),
                      reinterpret_cast<const std::uint8_t*>(pattern.data()), pattern.size(), ignore_case);
}

// How many bytes can be compared until the budget is spent, which is one more than it has.
std::uint64_t bytes_to_spend(ComparisonBudget& budget) {
  std::uint64_t bytes = 0;
  for (; !budget.is_spent(); ++bytes) budget.spend(1);
  return bytes;
}

TEST(ComparisonBudget, IsSpentByTheByteBehindItsLast) {
  ComparisonBudget budget(100);
  EXPECT_FALSE(budget.is_spent());
  budget.spend(100);
  EXPECT_FALSE(budget.is_spent());
  budget.spend(1);
  EXPECT_TRUE(budget.is_spent());
  ComparisonBudget nothing(0);
  EXPECT_FALSE(nothing.is_spent());
  EXPECT_EQ(bytes_to_spend(nothing), 1u);
}

TEST(ComparisonBudget, PaysForTheRestWhereTheFirst64BytesAreEqual) {
  const std::string pattern(200, 'a');
  for (const std::size_t differs : {0, 1, 63, 64, 65, 199, 200}) {
    std::string text(201, 'a');
    text[differs] = 'b';
    ComparisonBudget budget(1000);
    EXPECT_EQ(compare_with(budget, text, pattern), differs == 200) << differs;
    EXPECT_EQ(bytes_to_spend(budget), 1001u - (differs < 64 ? 64 : 200)) << differs;
  }
  for (const std::size_t length : {1, 40, 63, 64}) {
    for (const char last : {'a', 'b'}) {
      ComparisonBudget budget(1000);
      EXPECT_EQ(compare_with(budget, std::string(length - 1, 'a') + last, pattern.substr(0, length)), last == 'a');
      EXPECT_EQ(bytes_to_spend(budget), 1001 - length);
    }
  }
}

// Even if nothing is left, the comparison is right and is paid.
TEST(ComparisonBudget, ComparesByTheCaseRule) {
  Random random = make_random("ComparisonBudget");
  ComparisonBudget budget(0);
  int equal = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::string pattern = random.bytes("abz@[`{\xc1\xe1", random.between(1, 150));
    std::string text = pattern;
    for (char& byte : text)
      if (byte >= 'a' && byte <= 'z' && random.chance(50)) byte = static_cast<char>(byte - 0x20);
    if (random.chance(50)) text[random.below(text.size())] = random.bytes("abz@[`{\xc1\xe1", 1)[0];
    for (const bool ignore_case : {false, true}) {
      bool expected = true;
      for (std::size_t at = 0; at < text.size(); ++at) {
        const bool is_upper = text[at] >= 'A' && text[at] <= 'Z';
        expected = expected && pattern[at] == (ignore_case && is_upper ? static_cast<char>(text[at] + 0x20) : text[at]);
      }
      ASSERT_EQ(compare_with(budget, text, pattern, ignore_case), expected) << escape(text) << " " << escape(pattern);
      equal += expected ? 1 : 0;
    }
  }
  EXPECT_GT(equal, 1000);
  EXPECT_TRUE(budget.is_spent());
}

TEST(ComparisonBudget, TakesOfTheCreditWhatItsOwnBytesDoNotPay) {
  std::atomic<std::int64_t> credit = 100;
  { ComparisonBudget unused(10, credit); }
  EXPECT_EQ(credit, 100);
  {
    ComparisonBudget of_its_own(10, credit);
    of_its_own.spend(10);
    EXPECT_FALSE(of_its_own.is_spent());
  }
  EXPECT_EQ(credit, 100) << "a budget gives back all that it was lent";
  {
    ComparisonBudget lent(10, credit);
    lent.spend(10 + 40);
    EXPECT_EQ(credit, 100) << "a budget reports what it took when it ends";
  }
  EXPECT_EQ(credit, 60);
  {
    ComparisonBudget lent(10, credit);
    EXPECT_EQ(bytes_to_spend(lent), 10u + 60 + 1);
  }
  EXPECT_EQ(credit, -1);
  ComparisonBudget without(10, credit);
  EXPECT_EQ(bytes_to_spend(without), 11u) << "no budget is less than its own bytes";
}

// Budgets that run side by side may borrow the same bytes. These are then subtracted twice, and the next budget may
// borrow less.
TEST(ComparisonBudget, SharesTheCreditWithOthersThatRun) {
  std::atomic<std::int64_t> credit = 100;
  {
    ComparisonBudget one(10, credit);
    ComparisonBudget other(20, credit);
    one.spend(10 + 30);
    other.spend(20 + 25);
  }
  EXPECT_EQ(credit, 45);
  {
    ComparisonBudget one(0, credit);
    ComparisonBudget other(0, credit);
    EXPECT_EQ(bytes_to_spend(one), 46u);
    EXPECT_EQ(bytes_to_spend(other), 46u);
  }
  EXPECT_LE(credit, 0);
  ComparisonBudget next(5, credit);
  EXPECT_EQ(bytes_to_spend(next), 6u);
}

}  // namespace
}  // namespace lode::tests
