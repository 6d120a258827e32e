// LeftmostRun: the matches of a leftmost kind, from searches that list all occurrences.
//
// Where occurrences are many beside the bytes they start in (patterns that begin one another: a, aa, aaa … in a run of a),
// nearly all of them start inside of a match that is taken. Then ranges become short, and each begins behind the last
// match taken, so that what starts inside of it is never listed. A range is as long as pays: half as long where many were
// listed for each match taken, else longer again.
//
//   patterns a, aa, aaa, text aaaaaaa: [0, 1) lists three, aaa is taken; [3, 4) lists three, …: 9 of 18 occurrences
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "lode/searcher.hpp"
#include "plan/plan_data.hpp"
#include "search/auto_search.hpp"
#include "search/match_kinds.hpp"

namespace lode {

class LeftmostRun {
 public:
  using Take = std::function<bool(std::span<const Match>)>;
  /// Lists the occurrences of distinct patterns that start in part.begin … part.end, in order, each call all of some
  /// places; returns how many candidates there were.
  using List = std::function<std::uint64_t(const RunOptions& part, CallReport& report, const Take& take)>;

  LeftmostRun(const PlanData& plan, MatchKind kind, const RunOptions& run, std::uint64_t text_bytes)
      : plan_(plan),
        run_(run),
        end_(std::min(run.end, text_bytes)),
        begin_(std::min(run.begin, end_)),
        at_(begin_),
        kinds_(kind, run.not_before == nullptr ? 0 : *run.not_before) {}

  /// Returns how many candidates there were.
  std::uint64_t run(const List& list, const MatchSink& sink, CallReport& report) {
    std::uint64_t candidates = list_part(end_, list, sink, report);
    while (wanted_ && at_ < end_) {
      CallReport of_part;
      const bool is_dense = width_ < longest_range_bytes;
      candidates += list_part(is_dense ? std::min(end_, at_ + width_) : end_, list, sink, of_part);
      if (report.warning.empty()) report.warning = of_part.warning;
    }
    return candidates;
  }

  std::uint64_t not_before() const { return kinds_.not_before(); }
  std::uint64_t matches() const { return matches_; }

 private:
  static constexpr std::uint64_t longest_range_bytes = std::uint64_t{1} << 16;
  static constexpr std::uint64_t first_range_bytes = 64;
  // A range of its own costs as much as some hundred occurrences.
  static constexpr std::uint64_t listed_for_range = 256;
  static constexpr std::uint64_t most_listed_per_byte = 2;
  static constexpr std::uint64_t most_listed_in_vain = 4096;

  // Lists what starts from at_ on, and moves at_ to where it got.
  std::uint64_t list_part(std::uint64_t end, const List& list, const MatchSink& sink, CallReport& report) {
    const std::uint64_t begin = at_;
    RunOptions part = run_;
    part.begin = begin;
    part.end = end;
    if (run_.progress) {
      part.progress = [&](std::uint64_t done, std::uint64_t) { run_.progress(begin - begin_ + done, end_ - begin_); };
    }
    std::uint64_t listed = 0, taken = 0;
    bool is_complete = true;
    const std::uint64_t candidates = list(part, report, [&](std::span<const Match> found) {
      kept_.clear();
      for (const Match& match : found) kinds_.take(match, kept_);
      kinds_.settle(kept_);
      for (Match& match : kept_) match.pattern_id = plan_.lowest_id(match.pattern_id);
      listed += found.size();
      taken += kept_.size();
      if (!found.empty()) at_ = found.back().offset + 1;
      wanted_ = kept_.empty() || sink(kept_);
      is_complete = listed <= most_listed_in_vain + most_listed_per_byte * (at_ - begin);
      return wanted_ && is_complete;
    });
    matches_ += taken;
    if (is_complete) at_ = end;
    at_ = std::max(at_, kinds_.not_before());
    choose_width(listed, taken, is_complete);
    return candidates;
  }

  void choose_width(std::uint64_t listed, std::uint64_t taken, bool is_complete) {
    if (!is_complete) {
      width_ = std::clamp<std::uint64_t>(width_ / 4, 1, first_range_bytes);
    } else if (listed > listed_for_range + 2 * taken) {
      width_ = std::max<std::uint64_t>(1, width_ / 2);
    } else if (listed < listed_for_range / 2 + taken) {
      width_ *= 2;
    }
  }

  const PlanData& plan_;
  const RunOptions& run_;
  const std::uint64_t end_, begin_;
  std::uint64_t at_;  // all that starts before is decided
  std::uint64_t width_ = longest_range_bytes;
  KindFilter kinds_;
  std::vector<Match> kept_;
  std::uint64_t matches_ = 0;
  bool wanted_ = true;
};

}  // namespace lode
