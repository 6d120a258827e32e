// BoundedSearch: what goes on where verifying candidates would take too long: in a text full of what nearly matches.
//
// A look compares patterns where its candidates are, and stops at the first place for which its budget does not
// suffice. From there on an Automaton searches, which is built when it is first needed. Patterns of few lengths and
// many bytes, and sets that are too large for an automaton, are searched by rolling hashes, in a pass for each length.
// Example: pattern `abc` with the window `bc` at offset 1; the look has stopped at place 7. The occurrence at 6 has its
// window at 7 and is reported here. The one at 5 has it at 6, and the look has reported it.
// Safe to use from several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/instruction_sets.hpp"
#include "cpu/rabin_karp.hpp"
#include "cpu/scan/collector.hpp"
#include "cpu/verify/automaton.hpp"
#include "cpu/verify/comparison_budget.hpp"
#include "plan/plan_data.hpp"

namespace lode {

class BoundedSearch {
 public:
  /// A place in a pattern at which a look may find it. With a stride, a pattern has one for each residue, and is found
  /// at the one that lies at a multiple of the stride in the text.
  struct Window {
    std::uint32_t distinct = 0;
    std::uint32_t offset = 0;
  };

  enum class Way { automaton, hashes };
  /// The way for patterns of so many bytes in all, and of so many different lengths.
  static Way choose(std::uint64_t bytes, std::size_t lengths);

  explicit BoundedSearch(const PlanData& plan, InstructionSet set = InstructionSet::baseline, std::uint32_t stride = 1,
                         std::optional<Way> way = std::nullopt)
      : plan_(&plan), set_(set), stride_(stride), way_(way), tables_(std::make_unique<Tables>()) {
    // Adding one byte of a pattern to an automaton takes as long as comparing so many bytes.
    constexpr std::uint64_t compared_per_byte = 32;
    const std::uint64_t bytes = plan.patterns.total_bytes();
    tables_->credit = static_cast<std::int64_t>(compared_per_byte * std::min(bytes, Automaton::most_pattern_bytes));
    // The longer a bounded search takes, the more may be compared before it: an automaton of many states waits for
    // memory, and hashes, which serve larger sets, take a pass for each length.
    const std::uint64_t lengths = plan.patterns.max_length() - plan.patterns.min_length() + 1;
    if (bytes > many_bytes) bytes_per_place_ = 64;
    if (bytes > Automaton::most_pattern_bytes) bytes_per_place_ = 16 * std::clamp<std::uint64_t>(lengths, 4, 64);
  }

  /// The bytes that a scan of a range may compare before scan() is cheaper.
  ComparisonBudget budget(std::uint64_t range_bytes) const {
    return ComparisonBudget(bytes_per_place_ * range_bytes, tables_->credit);
  }

  /// Reports the occurrences that start in the collector's range before `end` and whose windows stand at `place` or
  /// behind it. The first call asks `windows` for all windows of all patterns.
  void scan(Collector& out, std::uint64_t place, std::uint64_t end,
            const std::function<std::vector<Window>()>& windows) const;

 private:
  static constexpr std::uint64_t many_bytes = std::uint64_t{1} << 16;

  struct Tables {
    std::atomic<std::int64_t> credit;
    std::once_flag once;
    std::vector<std::uint32_t> distincts;  // sorted
    std::vector<std::uint8_t> offsets;     // at i * stride + r: of the window of distincts[i] with residue r
    std::uint32_t max_offset = 0;
    std::vector<Automaton> automata;  // one for each case rule
    std::optional<RollingSearch> rolling;
  };

  void fill(const std::vector<Window>& windows) const;

  const PlanData* plan_;
  InstructionSet set_;
  std::uint32_t stride_;
  std::optional<Way> way_;
  std::uint64_t bytes_per_place_ = 16;  // bytes that may be compared for each place of a range
  std::unique_ptr<Tables> tables_;
};

}  // namespace lode
