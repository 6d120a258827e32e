// RecordMapper and BlockMapper: tell which record an occurrence in the records' bytes lies in.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lode/records.hpp"
#include "records/record_run.hpp"
#include "text/condition.hpp"

namespace lode {

// Maps occurrences one by one. It is fast if each occurrence is near the one before. Each thread has its own.
class RecordMapper {
 public:
  RecordMapper(const RecordSetup& setup, const Records& records)
      : records_(records),
        condition_(setup.cpu.plan.condition_check(setup.condition, setup.cpu.options.line_terminator)) {}

  /// Replaces `out` by those occurrences of `found` that lie within a record that is not null and meet the condition.
  /// The offsets in `found` are places in the records' bytes.
  void map(std::span<const Match> found, std::vector<RecordOccurrence>& out) {
    out.clear();
    for (const Match& match : found) {
      if (match.offset < begin_ || match.offset >= next_begin_) move_to(match.offset);
      const std::uint64_t stop = match.offset + match.length;
      if (stop > end_ || is_null_) continue;
      const std::uint64_t offset = match.offset - begin_;
      if (condition_.is_wanted() &&
          !holds(match.pattern_id, records_.bytes().substr(begin_, end_ - begin_), offset, match.length))
        continue;
      out.push_back({record_, offset, match.pattern_id, match.length});
    }
  }

  /// The place where the next record begins, behind the one that holds `place`; UINT64_MAX if that is the last.
  std::uint64_t begin_behind(std::uint64_t place) {
    if (place < begin_ || place >= next_begin_) move_to(place);
    return next_begin_;
  }

  /// Whether an occurrence of a distinct pattern in a record meets the condition.
  bool holds(std::uint32_t distinct, std::string_view record, std::uint64_t offset, std::uint64_t length) const {
    return condition_.holds(distinct, reinterpret_cast<const std::uint8_t*>(record.data()), offset, offset + length,
                            record.size());
  }

 private:
  // Moves to the last record that begins at or before the place. Others that begin where it does are empty.
  void move_to(std::uint64_t place) {
    std::uint64_t low = 0;
    std::uint64_t high = records_.size();  // the first record that begins behind the place is in (low, high]
    if (place >= next_begin_) {
      // The search goes in doubled steps from the last record, because records far away are not in the caches.
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
  const Records& records_;
  const ConditionCheck condition_;
  std::uint64_t record_ = UINT64_MAX;  // UINT64_MAX, with next_begin_ == 0: none yet; then record_ + 1 is 0
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t next_begin_ = 0;
  bool is_null_ = false;
};

// Maps the occurrences of a block with many of them, in any order. It takes no branch for each occurrence, since that
// would be mispredicted about as often as a record begins. Instead a table tells for every few bytes which record they
// begin in. Each thread has its own.
//
//   place    0       8       16      24         steps of 8 bytes (in fact 16 to 64)
//   records  A     B   C              D
//   table    0       1       2       2          how many records behind A begin at or before the step's first byte
//
// An occurrence at place 11 lies in step 1. The table gives A + 1 = B; since C begins by then, too, the record is C.
class BlockMapper {
 public:
  explicit BlockMapper(const Records& records) : records_(records) {}

  /// Starts a block: places [begin, end) of the records' bytes. Records [first, last) include all that it touches.
  void start(std::uint64_t begin, std::uint64_t end, std::uint64_t first, std::uint64_t last) {
    begin_ = begin;
    end_ = end;
    first_ = first;
    last_ = last;
    is_made_ = false;
  }
  /// Whether so many occurrences of the block are worth a table. If they are, makes it.
  bool is_worth_it(std::size_t occurrences) {
    if (occurrences < (end_ - begin_) / least_bytes_between) return false;
    if (!is_made_) make();
    return is_short_;
  }
  /// Returns those that lie within a record that is not null. The result is valid until the next call. Precondition:
  /// all start in the block, and is_worth_it() was true.
  std::span<const RecordOccurrence> map(std::span<const Match> found) {
    if (mapped_.size() < found.size()) mapped_.resize(found.size());
    RecordOccurrence* const to = mapped_.data();
    const std::uint32_t* const table = table_.data();
    const std::uint64_t begin = begin_;
    const std::uint64_t first = record_;
    const unsigned step_log2 = step_log2_;
    std::size_t count = 0;
    for (const Match& match : found) {
      std::uint64_t record = first + table[(match.offset - begin) >> step_log2];
      // One more record is tried without a branch. Few records are so short that another one begins by then.
      record += begins_by(record + 1, match.offset) ? 1 : 0;
      while (begins_by(record + 1, match.offset)) [[unlikely]]++ record;
      to[count] = {record, match.offset - records_.begin_of(record), match.pattern_id, match.length};
      const bool lies_within = match.offset + match.length <= records_.end_of(record) && !records_.is_null(record);
      count += lies_within ? 1 : 0;
    }
    return {to, count};
  }

 private:
  static constexpr std::uint64_t least_bytes_between = 256;
  static constexpr std::uint64_t least_record_bytes = 8;  // average length of a record
  static constexpr unsigned least_step_log2 = 4;
  static constexpr unsigned most_step_log2 = 6;

  bool begins_by(std::uint64_t record, std::uint64_t place) const {
    return record < last_ && records_.begin_of(record) <= place;
  }
  void make() {
    is_made_ = true;
    record_ = last_by(begin_, first_, last_);
    const std::uint64_t behind = last_by(end_ - 1, record_, last_) + 1;
    const std::uint64_t record_bytes = (end_ - begin_) / (behind - record_);
    is_short_ = record_bytes >= least_record_bytes;
    if (!is_short_) return;
    step_log2_ = std::clamp(static_cast<unsigned>(std::bit_width(record_bytes)) - 1, least_step_log2, most_step_log2);
    const std::uint64_t step = std::uint64_t{1} << step_log2_;
    table_.assign((end_ - begin_ + step - 1) / step + 1, 0);
    std::uint32_t* const counts = table_.data();
    // A record counts from the first step on that begins at or behind its begin: (begin - begin_ + step - 1) / step.
    // The constant part of that may wrap round, which the addition undoes.
    const std::uint64_t up_to = step - 1 - begin_;
    const unsigned step_log2 = step_log2_;
    for (std::uint64_t record = record_ + 1; record < behind; ++record)
      ++counts[(records_.begin_of(record) + up_to) >> step_log2];
    std::uint32_t sum = 0;
    for (std::uint32_t& count : table_) count = sum += count;
  }
  // The last of records [first, last) that begins at or before the place. Others that begin where it does are empty.
  // Precondition: record `first` begins at or before the place.
  std::uint64_t last_by(std::uint64_t place, std::uint64_t first, std::uint64_t last) const {
    while (last - first > 1) {
      const std::uint64_t middle = first + (last - first) / 2;
      (records_.begin_of(middle) > place ? last : first) = middle;
    }
    return first;
  }

  const Records& records_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  bool is_made_ = false;   // whether the following members hold for this block
  bool is_short_ = false;  // whether records are long enough for a table to be worth it
  std::uint64_t record_ = 0;
  unsigned step_log2_ = 0;
  std::vector<std::uint32_t> table_;  // for each step: how many records behind record_ begin at or before its begin
  std::vector<RecordOccurrence> mapped_;
};

}  // namespace lode
