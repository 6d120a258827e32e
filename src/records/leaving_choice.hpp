// LeavingChoice: decides whether to leave each record at its first match, for results to which any match is enough.
//
// Leaving pays if most records have several matches and are not short, because then much of a record is never looked
// at. How much it saves depends on the algorithm, the patterns and the processor. So where it may pay, it is tried, and
// the faster way is taken for some units. Neither way changes results. Each thread has its own object.
//
// One trial: wants_all() (some records are searched for all occurrences, and timed), then wants_others() (others are
// searched cell by cell, if that may be faster, and timed), then wants_others() (others are left at a match, and
// timed).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace lode {

class LeavingChoice {
 public:
  using Clock = std::chrono::steady_clock;

  explicit LeavingChoice(bool is_allowed) : is_allowed_(is_allowed) {}

  void begin_unit() {
    if (units_left_ > 0 && --units_left_ == 0) chosen_ = false;
  }
  /// Whether to leave the records of this unit at a match.
  bool chosen() const { return chosen_; }
  /// Whether a trial is due and begins with records that are searched for all occurrences.
  bool wants_all() const { return is_due() && !knows_all_; }
  /// Whether a trial goes on with records that are searched in one of the other ways.
  bool wants_others() const { return is_due() && knows_all_; }
  bool knows_cells() const { return knows_cells_; }

  /// Learns from records that were searched for all occurrences. `hits`: how many of them have a match.
  void learn_all(std::uint64_t records, std::uint64_t bytes, std::uint64_t occurrences, std::uint64_t hits,
                 Clock::duration time) {
    may_pay_ = is_allowed_ && bytes >= least_record_bytes * records && 2 * hits >= records &&
               occurrences >= least_occurrences * hits;
    of_others_ = per_byte(time, bytes);
    knows_all_ = bytes >= least_timed_bytes;
    knows_cells_ = false;
  }
  /// Learns how long records took that were searched cell by cell.
  void learn_cells(std::uint64_t bytes, Clock::duration time) {
    of_others_ = std::min(of_others_, per_byte(time, bytes));
    knows_cells_ = true;
  }
  /// Learns how long records took that were left at a match, and chooses.
  void learn_left(std::uint64_t bytes, Clock::duration time) {
    chosen_ = per_byte(time, bytes) < clearly_less * of_others_;
    units_left_ = units_to_trust;
    knows_all_ = false;
  }

 private:
  static constexpr std::uint64_t least_record_bytes = 64;  // average length of a record
  static constexpr std::uint64_t least_occurrences = 2;    // average number in a record with a match
  static constexpr std::uint64_t least_timed_bytes = std::uint64_t{1} << 13;
  static constexpr int units_to_trust = 15;
  static constexpr double clearly_less = 0.95;

  bool is_due() const { return may_pay_ && units_left_ == 0; }
  static double per_byte(Clock::duration time, std::uint64_t bytes) {
    return std::chrono::duration<double>(time).count() / static_cast<double>(bytes + 1);
  }

  const bool is_allowed_;
  bool may_pay_ = false;  // what the last records have shown
  bool chosen_ = false;
  int units_left_ = 0;  // units before the next trial
  bool knows_all_ = false;
  bool knows_cells_ = false;
  double of_others_ = 0;  // seconds a byte of the fastest way that does not leave records
};

}  // namespace lode
