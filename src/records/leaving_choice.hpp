// LeavingChoice: whether to leave a record at its first match pays, where any match of it is enough.
//
// It does where most records have several matches and are not short: then little is looked at behind the first. How much it
// saves is up to the algorithm, the patterns and the processor, so where it may pay it is tried, and the faster way is
// taken for some time. Neither way changes results. Not shared between threads.
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
  /// Whether to leave the records of this unit.
  bool chosen() const { return chosen_; }
  /// Whether it is to be tried, and some records are to be searched for all occurrences first,
  bool wants_all() const { return is_due() && !knows_all_; }
  /// or others are to be searched cell by cell, where that may be faster, and then, or at once, left at a match.
  bool wants_others() const { return is_due() && knows_all_; }
  bool knows_cells() const { return knows_cells_; }

  /// What records that were searched for all occurrences have given. `hits`: those with a match.
  void learn_all(std::uint64_t records, std::uint64_t bytes, std::uint64_t occurrences, std::uint64_t hits,
                 Clock::duration time) {
    may_pay_ = is_allowed_ && bytes >= least_record_bytes * records && 2 * hits >= records &&
               occurrences >= least_occurrences * hits;
    of_others_ = per_byte(time, bytes);
    knows_all_ = bytes >= least_timed_bytes;
    knows_cells_ = false;
  }
  /// What others took that were searched cell by cell.
  void learn_cells(std::uint64_t bytes, Clock::duration time) {
    of_others_ = std::min(of_others_, per_byte(time, bytes));
    knows_cells_ = true;
  }
  /// What others took that were left at a match.
  void learn_left(std::uint64_t bytes, Clock::duration time) {
    chosen_ = per_byte(time, bytes) < clearly_less * of_others_;
    units_left_ = units_to_trust;
    knows_all_ = false;
  }

 private:
  static constexpr std::uint64_t least_record_bytes = 64;  // on average
  static constexpr std::uint64_t least_occurrences = 2;    // of a record with a match
  static constexpr std::uint64_t least_timed_bytes = std::uint64_t{1} << 13;
  static constexpr int units_to_trust = 15;
  static constexpr double clearly_less = 0.95;

  bool is_due() const { return may_pay_ && units_left_ == 0; }
  static double per_byte(Clock::duration time, std::uint64_t bytes) {
    return std::chrono::duration<double>(time).count() / static_cast<double>(bytes + 1);
  }

  const bool is_allowed_;
  bool may_pay_ = false;  // of what was seen last
  bool chosen_ = false;
  int units_left_ = 0;  // before the next trial
  bool knows_all_ = false;
  bool knows_cells_ = false;
  double of_others_ = 0;  // seconds for a byte, the least of what is known
};

}  // namespace lode
