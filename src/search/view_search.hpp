// ViewSearch: a backend that searches a text through the plan's view, by means of others.
//
// A stretch of ASCII that the view leaves as it is, but for case, is searched where it lies. Of the rest each thread takes
// one block after the other (viewed_block.hpp), views it, lets a search on that thread find what is in it, and brings
// that back to the original. The caller's thread delivers it in order. For few patterns a CaseScout tells which parts of a
// block are worth viewing. If it is quick, ASCII goes through blocks, too.
//
//   text     |---------- ASCII ----------|- block -|- block -|- block -|------ ASCII ------|
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/instruction_sets.hpp"
#include "lode/options.hpp"
#include "lode/records.hpp"
#include "plan/plan_data.hpp"
#include "search/backend.hpp"
#include "search/case_scout.hpp"

namespace lode {

class ViewSearch final : public Backend {
 public:
  /// Searches that find all of the plan's patterns.
  struct Engine {
    std::shared_ptr<const Backend> of_text;    // on all threads, with the caller's options
    std::shared_ptr<const Backend> of_blocks;  // on the thread that calls it, without a condition
    std::uint64_t block_bytes = cpu_block_bytes;
    std::uint64_t stretch_bytes = cpu_stretch_bytes;  // for each thread: what is taken for ASCII, or not, as a whole
    // A device searches one block at a time anyway; concurrent calls would each need their own memory.
    bool takes_turns = false;
  };
  // A block that was viewed, or seen to be ASCII, stays in a core's cache until it is searched.
  static constexpr std::uint64_t cpu_block_bytes = std::uint64_t{1} << 18, cpu_stretch_bytes = std::uint64_t{1} << 21;
  // A GPU takes some time to start.
  static constexpr std::uint64_t gpu_block_bytes = std::uint64_t{1} << 23, gpu_stretch_bytes = std::uint64_t{1} << 25;
  /// Gives the engine for a text of which so many bytes are searched. The report says which device that is.
  using ChooseEngine = std::function<Engine(const Text& text, std::uint64_t bytes, CallReport& report)>;

  /// `plan` and `options` outlive this. `may_scout`: a CaseScout may tell which parts of blocks are viewed.
  ViewSearch(ChooseEngine choose_engine, std::string strategy, const PlanData& plan, const SearcherOptions& options,
             InstructionSet set, bool may_scout, unsigned threads);

  Totals run_counts(const Text& text, const RunOptions& run, Collector::Mode mode, bool stop_at_first,
                    CallReport& report) const override;
  std::uint64_t run_ordered(const Text& text, const RunOptions& run, bool ends_early, const TakeMatches& take,
                            CallReport& report) const override;
  /// As run_ordered(), for a text that is the bytes of records: segments end where records do. Matches that reach from
  /// one record into another may be reported.
  std::uint64_t run_records(const Records& records, const Text& text, const RunOptions& run, const TakeMatches& take,
                            CallReport& report) const;
  std::string strategy() const override;

 private:
  class Run;

  // Made when it is first needed, by a text in memory. Null: all of a block is viewed.
  const CaseScout* scout() const;
  // Whether each pattern begins and ends where characters do wherever it occurs, holds nothing that may stand for what
  // separates sequences or could not be decoded, and is searched for in the one view.
  bool are_whole_characters() const;

  const ChooseEngine choose_engine_;
  const std::string strategy_;
  const PlanData& plan_;
  const SearcherOptions& options_;
  const InstructionSet set_;
  const bool may_scout_;
  const unsigned threads_;
  mutable std::once_flag scout_wanted_;
  mutable std::unique_ptr<const CaseScout> scout_;
  mutable std::once_flag characters_wanted_;
  mutable bool are_whole_characters_ = false;
};

}  // namespace lode
