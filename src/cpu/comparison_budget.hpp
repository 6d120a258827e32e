// ComparisonBudget: compares patterns with the text, and counts the bytes, so that a scan can tell when another way, whose
// time does not hang on how much the text and the patterns agree, is the cheaper one. Of one scan of one range.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"

namespace lode {

class ComparisonBudget {
 public:
  explicit ComparisonBudget(std::uint64_t bytes) : left_bytes_(static_cast<std::int64_t>(bytes)) {}

  bool is_spent() const { return left_bytes_ < 0; }
  void spend(std::uint64_t bytes) { left_bytes_ -= static_cast<std::int64_t>(bytes); }

  [[gnu::always_inline]] bool equal(const std::uint8_t* text, const std::uint8_t* pattern, std::size_t length,
                                    bool ignore_case) {
    // Most differences lie in the first bytes; the rest is compared, and paid for, where there is none.
    const std::size_t first = std::min<std::size_t>(length, 64);
    spend(first);
    if (!equal_bytes(text, pattern, first, ignore_case)) return false;
    spend(length - first);
    return equal_bytes(text + first, pattern + first, length - first, ignore_case);
  }

 private:
  std::int64_t left_bytes_;
};

}  // namespace lode
