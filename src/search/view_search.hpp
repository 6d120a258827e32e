// ViewSearch: a backend that searches a text through the plan's view, by means of another backend.
//
// It takes the text block by block. A block is put through the view, the other backend searches what is viewed, and what
// it finds is brought back to the original:
//
//   original   _ F u ß b a l l          view fold, pattern "ss"
//   viewed     _ f u ss b a l l         found at 3; 3 is where a segment begins, and 5 is where it ends
//   match      offset 3, the 2 bytes of ß
//
// A block begins and ends at cuts of the view, and as much is viewed behind it as a match may reach. So blocks cannot
// change what is found.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "lode/options.hpp"
#include "plan/plan_data.hpp"
#include "search/backend.hpp"
#include "text/viewer.hpp"

namespace lode {

class ViewSearch final : public Backend {
 public:
  /// `viewed` searches viewed texts for the plan's patterns, all of them and without a condition. `plan` and `options`
  /// outlive this.
  ViewSearch(std::shared_ptr<const Backend> viewed, const PlanData& plan, const SearcherOptions& options,
             unsigned threads);

  Totals run_counts(const Text& text, const RunOptions& run, Collector::Mode mode, bool stop_at_first,
                    CallReport& report) const override;
  std::uint64_t run_ordered(const Text& text, const RunOptions& run, bool ends_early, const TakeMatches& take,
                            CallReport& report) const override;
  std::string strategy() const override { return viewed_->strategy(); }

 private:
  class Window;
  class Run;

  const std::shared_ptr<const Backend> viewed_;
  const PlanData& plan_;
  const SearcherOptions& options_;
  const text::Viewer viewer_;
  const unsigned threads_;
};

}  // namespace lode
