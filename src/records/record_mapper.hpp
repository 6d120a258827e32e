// RecordMapper: tells which record an occurrence in the records' bytes lies in.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/condition.hpp"
#include "lode/records.hpp"
#include "records/record_run.hpp"

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
    return condition_holds(condition_, line_terminator_, reinterpret_cast<const std::uint8_t*>(record.data()), offset,
                           offset + length, record.size());
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
  const Records& records_;
  const Condition condition_;
  const std::uint8_t line_terminator_;
  std::uint64_t record_ = UINT64_MAX;  // where next_begin_ is 0: none yet
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t next_begin_ = 0;
  bool is_null_ = false;
};

// The same for a block with many occurrences, in any order: without a branch for each, which would be mispredicted about
// as often as a record begins. A table tells for every few bytes which record they begin in. One thread's.
class BlockMapper {
 public:
  explicit BlockMapper(const Records& records) : records_(records) {}

  /// The block is [begin, end) of the records' bytes, where records [first, last) lie.
  void start(std::uint64_t begin, std::uint64_t end, std::uint64_t first, std::uint64_t last) {
    begin_ = begin;
    end_ = end;
    first_ = first;
    last_ = last;
    is_made_ = false;
  }
  /// Whether so many occurrences of the block are worth the table. Makes it where they are.
  bool is_worth_it(std::size_t occurrences) {
    if (occurrences < (end_ - begin_) / least_bytes_between) return false;
    if (!is_made_) make();
    return is_short_;
  }
  /// Those that lie within a record, until the next call. Precondition: they start in the block, and are worth the table.
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
      // One step is asked for without a branch: few records are so short that there are more.
      record += begins_by(record + 1, match.offset) ? 1 : 0;
      while (begins_by(record + 1, match.offset)) [[unlikely]]++ record;
      to[count] = {record, match.offset - records_.begin_of(record), match.pattern_id};
      const bool lies_within = match.offset + match.length <= records_.end_of(record) && !records_.is_null(record);
      count += lies_within ? 1 : 0;
    }
    return {to, count};
  }

 private:
  static constexpr std::uint64_t least_bytes_between = 256;
  static constexpr std::uint64_t least_record_bytes = 8;  // on average
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
    const std::uint64_t up_to = step - 1 - begin_;  // with a begin: what its place is rounded up from; may wrap round
    const unsigned step_log2 = step_log2_;
    for (std::uint64_t record = record_ + 1; record < behind; ++record)
      ++counts[(records_.begin_of(record) + up_to) >> step_log2];
    std::uint32_t sum = 0;
    for (std::uint32_t& count : table_) count = sum += count;
  }
  // The last of records [first, last) that begins at or before the place: of those before it in the same place all are
  // empty. Precondition: the first does.
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
  bool is_made_ = false;   // what follows
  bool is_short_ = false;  // the table: few of the records are empty
  std::uint64_t record_ = 0;
  unsigned step_log2_ = 0;
  std::vector<std::uint32_t> table_;  // for each step how many records behind record_ begin at or before it
  std::vector<RecordOccurrence> mapped_;
};

}  // namespace lode
