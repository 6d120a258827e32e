// The inner loops of decoders, by vectors: whole lines of a sequence, and ASCII in units of two bytes.
//
//   text     ACGT\nACG\r\nAC      lines     ACGTACG  with a span for each line; AC is not whole
//   text     ACG\nGGT\nCCA\n      lines     ACGGGTCCA  with one span for all, because they are equally long
//   units    a. b. c. é.          narrowed  abc
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/instruction_sets.hpp"
#include "lode/view.hpp"

namespace lode::text {

/// What copiers may write behind what they copy.
inline constexpr std::size_t plain_copy_slack = 64;

struct LinesToCopy {
  std::string_view text;
  std::size_t at = 0;        // where a line begins
  std::size_t until = 0;     // <= text.size()
  std::uint64_t base = 0;    // where the text lies in the original
  std::uint64_t viewed = 0;  // where the first line goes in the decoded text
  char* to = nullptr;        // room for until - at bytes and the slack
  ViewedSpan* spans = nullptr;
  std::size_t most_spans = 0;
};
struct CopiedLines {
  std::size_t at = 0;  // the first byte that was not taken
  std::uint64_t viewed = 0;
  std::size_t spans = 0;
};

struct PlainCopiers {
  /// Copies lines without their ends, up to one that is a header, is long, or does not end well before `until`. Empty lines
  /// are in no span.
  CopiedLines (*lines)(const LinesToCopy& wanted);
  /// Copies units of two bytes up to one that is not ASCII, and returns how many. `to` has room for all and the slack.
  std::size_t (*little)(const char* from, std::size_t units, char* to);
  std::size_t (*big)(const char* from, std::size_t units, char* to);
};
PlainCopiers plain_copiers(InstructionSet set);

}  // namespace lode::text
