// ComparisonBudget: compares patterns with the text, and counts the bytes. Once it is spent a bounded search is
// cheaper, whose time does not depend on how much the text and the patterns agree. It serves one scan of one range.
// All scans share a credit, as much as the bounded search costs to set up. The scan that uses it up is the first for
// which the bounded search pays. So a million short texts neither set it up for nothing nor go without it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"

namespace lode {

class ComparisonBudget {
 public:
  explicit ComparisonBudget(std::uint64_t bytes) : left_bytes_(static_cast<std::int64_t>(bytes)) {}

  /// Takes the whole credit as a loan. The destructor deducts what was used from the credit, which must live until then; a
  /// budget that was used must not be copied.
  ComparisonBudget(std::uint64_t bytes, std::atomic<std::int64_t>& credit)
      : credit_(&credit), lent_(std::max<std::int64_t>(0, credit.load(std::memory_order_relaxed))) {
    left_bytes_ = static_cast<std::int64_t>(bytes) + lent_;
  }
  ~ComparisonBudget() {
    if (credit_ != nullptr && left_bytes_ < lent_) credit_->fetch_sub(lent_ - left_bytes_, std::memory_order_relaxed);
  }

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
  std::int64_t left_bytes_ = 0;
  std::atomic<std::int64_t>* credit_ = nullptr;
  std::int64_t lent_ = 0;
};

}  // namespace lode
