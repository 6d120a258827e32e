// Scanner: one algorithm bound to a plan and an instruction set. The list of scanners of the CPU.
//
// scan() reports to the collector every occurrence that starts in the collector's range. It reads only bytes of the
// piece. The piece reaches max_length - 1 bytes beyond the range, or to the end of the text. Immutable; safe to use
// from several threads with a collector each.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cpu/instruction_sets.hpp"
#include "cpu/scan/collector.hpp"

namespace lode {

class Scanner {
 public:
  virtual ~Scanner() = default;
  virtual void scan(Collector& out) const = 0;
  /// How it looks for which patterns, in words, for statistics and for tests of the choice. Empty where the algorithm's name
  /// says all of it.
  virtual std::string describe() const { return {}; }
};

std::unique_ptr<Scanner> make_naive_scanner(const PlanData& plan, InstructionSet set, unsigned threads);
std::unique_ptr<Scanner> make_vector_scanner(const PlanData& plan, InstructionSet set, unsigned threads);
std::unique_ptr<Scanner> make_balanced_scanner(const PlanData& plan, InstructionSet set, unsigned threads);
std::unique_ptr<Scanner> make_rabin_karp_scanner(const PlanData& plan, InstructionSet set, unsigned threads);
std::unique_ptr<Scanner> make_boyer_moore_scanner(const PlanData& plan, InstructionSet set, unsigned threads);
std::unique_ptr<Scanner> make_filter_scanner(const PlanData& plan, InstructionSet set, unsigned threads);

/// By the name that THE table of algorithms gives. Null where the CPU has no algorithm of that name. Its tables are made on
/// so many threads, where they are large.
std::unique_ptr<Scanner> make_scanner(std::string_view algorithm, const PlanData& plan, InstructionSet set,
                                      unsigned threads);

}  // namespace lode
