// Every way to ask a searcher the same question. All must give the same answer.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "lode/lode.hpp"
#include "support/environment.hpp"

namespace lode::tests {

enum class EntryPoint {
  find_list,
  find_sink,
  count,
  count_per_pattern,
  contains,
  first,
  stream_of_bytes,
  stream_of_sevens,
  stream_of_blocks,
  stream_at_once,
  stream_of_random_pieces,
  random_access,
  ranges,
};
inline constexpr int entry_point_count = 13;

/// Asks through one entry point. `expected` is the whole answer for the searcher's kind and condition. `random` draws
/// where pieces and ranges end.
testing::AssertionResult check_entry_point(EntryPoint entry_point, const Searcher& searcher, std::string_view text,
                                           const std::vector<Match>& expected, Random& random);

/// Bytes in memory as a random-access text. Fails the test if a read goes beyond their end.
class CheckedText final : public RandomAccessText {
 public:
  explicit CheckedText(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  void read(std::uint64_t offset, std::span<char> into) const override;

 private:
  std::string_view bytes_;
};

/// Collects all matches that a sink receives, and checks that they come in order.
class Collector {
 public:
  MatchSink sink();
  const std::vector<Match>& matches() const { return matches_; }

 private:
  std::vector<Match> matches_;
};

/// Success, or a failure that describes the first difference between two answers.
testing::AssertionResult compare_matches(const std::vector<Match>& found, const std::vector<Match>& expected);

}  // namespace lode::tests
