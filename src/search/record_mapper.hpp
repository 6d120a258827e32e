// RecordMapper: tells which record an occurrence in the records' bytes lies in.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "lode/records.hpp"
#include "search/record_run.hpp"

namespace lode {

// Fast where each is near the one before. One thread's.
class RecordMapper {
 public:
  RecordMapper(const RecordSetup& setup, const Records& records)
      : records_(records),
        condition_(setup.condition),
        line_terminator_(static_cast<std::uint8_t>(setup.cpu.options.line_terminator)) {}

  /// Replaces `out` by what of `found`, whose offsets are places of the records' bytes, lies within a record and meets the
  /// condition.
  void map(std::span<const Match> found, std::vector<RecordOccurrence>& out) {
    out.clear();
    for (const Match& match : found) {
      if (match.offset < begin_ || match.offset >= next_begin_) move_to(match.offset);
      const std::uint64_t stop = match.offset + match.length;
      if (stop > end_ || is_null_) continue;
      const std::uint64_t offset = match.offset - begin_;
      if (condition_ != Condition::none && !holds(records_.bytes().substr(begin_, end_ - begin_), offset, match.length))
        continue;
      out.push_back({record_, offset, match.pattern_id});
    }
  }

  /// Where the record behind the one that holds the place begins; UINT64_MAX for the last.
  std::uint64_t begin_behind(std::uint64_t place) {
    if (place < begin_ || place >= next_begin_) move_to(place);
    return next_begin_;
  }

  /// Whether the condition lets an occurrence in a record stand.
  bool holds(std::string_view record, std::uint64_t offset, std::uint64_t length) const {
    return condition_ == Condition::none || condition_holds(reinterpret_cast<const std::uint8_t*>(record.data()),
                                                            offset, offset + length, record.size());
  }

 private:
  // To the last record that begins at or before the place: of those before it in the same place all are empty.
  void move_to(std::uint64_t place) {
    std::uint64_t low = 0;
    std::uint64_t high = records_.size();  // the first record that begins behind the place: in (low, high]
    if (place >= next_begin_) {
      // By doubled steps from where it was: records far away are not in the caches.
      low = record_ + 1;
      for (std::uint64_t step = 1; step < high - low; step *= 2) {
        if (records_.begin_of(low + step) > place)
          high = low + step;
        else
          low += step;
      }
    } else {
      high = record_;
    }
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (records_.begin_of(middle) > place ? high : low) = middle;
    }
    settle(low);
  }
  void settle(std::uint64_t record) {
    record_ = record;
    begin_ = records_.begin_of(record);
    end_ = records_.end_of(record);
    next_begin_ = record + 1 < records_.size() ? records_.begin_of(record + 1) : UINT64_MAX;
    is_null_ = records_.is_null(record);
  }
  bool condition_holds(const std::uint8_t* bytes, std::uint64_t start, std::uint64_t stop, std::uint64_t end) const {
    const bool at_begin = start == 0;
    const bool at_end = stop == end;
    if (condition_ == Condition::whole_line)
      return (at_begin || bytes[start - 1] == line_terminator_) && (at_end || bytes[stop] == line_terminator_);
    return (at_begin || !is_word_byte(bytes[start - 1])) && (at_end || !is_word_byte(bytes[stop]));
  }

  const Records& records_;
  const Condition condition_;
  const std::uint8_t line_terminator_;
  std::uint64_t record_ = UINT64_MAX;  // where next_begin_ is 0: none yet
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t next_begin_ = 0;
  bool is_null_ = false;
};

}  // namespace lode
