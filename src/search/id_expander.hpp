// IdExpander: turns occurrences of distinct patterns into matches with ids, batch by batch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "lode/searcher.hpp"
#include "plan/plan_data.hpp"

namespace lode {

class IdExpander {
 public:
  IdExpander(const PlanData& plan, const MatchSink& sink) : plan_(plan), sink_(sink) {}

  bool take(std::span<const Match> found) {
    if (!plan_.has_duplicates()) return deliver(found);
    for (std::size_t begin = 0; begin < found.size();) {
      std::size_t end = begin + 1;
      while (end < found.size() && found[end].offset == found[begin].offset) ++end;
      if (!expand(found.subspan(begin, end - begin))) return false;
      begin = end;
    }
    return flush();
  }
  std::uint64_t matches() const { return matches_; }

 private:
  static constexpr std::size_t batch_matches = 4096;

  bool deliver(std::span<const Match> batch) {
    matches_ += batch.size();
    return batch.empty() || sink_(batch);
  }
  bool flush() {
    const bool wanted = deliver(batch_);
    batch_.clear();
    return wanted;
  }
  // Takes all occurrences at one offset. Their ids come out sorted.
  bool expand(std::span<const Match> group) {
    if (group.size() == 1) {
      const std::span<const std::uint32_t> ids = plan_.ids(group[0].pattern_id);
      for (std::size_t at = 0; at < ids.size(); ++at) {
        batch_.push_back({group[0].offset, ids[at], group[0].length, form_of(group[0].pattern_id, at)});
        if (batch_.size() >= batch_matches && !flush()) return false;
      }
      return true;
    }
    const std::size_t first = batch_.size();
    for (const Match& match : group) {
      const std::span<const std::uint32_t> ids = plan_.ids(match.pattern_id);
      for (std::size_t at = 0; at < ids.size(); ++at)
        batch_.push_back({match.offset, ids[at], match.length, form_of(match.pattern_id, at)});
    }
    std::sort(batch_.begin() + static_cast<std::ptrdiff_t>(first), batch_.end(), [](const Match& a, const Match& b) {
      if (a.pattern_id != b.pattern_id) return a.pattern_id < b.pattern_id;
      return a.form != b.form ? a.form < b.form : a.length < b.length;
    });
    return batch_.size() < batch_matches || flush();
  }
  Form form_of(std::uint32_t distinct, std::size_t at) const {
    return plan_.forms.empty() ? Form::as_given : static_cast<Form>(plan_.forms_of(distinct)[at]);
  }

  const PlanData& plan_;
  const MatchSink& sink_;
  std::vector<Match> batch_;
  std::uint64_t matches_ = 0;
};

}  // namespace lode
