// Scanner: one algorithm bound to a plan and an instruction set. This file lists all scanners of the CPU.
//
// scan() reports to the collector every occurrence that starts in the collector's range. It reads only bytes of the
// piece. The piece reaches max_length - 1 bytes beyond the range, or to the end of the text. Immutable; safe to use
// from several threads with a collector each.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/instruction_sets.hpp"
#include "cpu/scan/collector.hpp"

namespace lode {

class Scanner {
 public:
  virtual ~Scanner() = default;
  virtual void scan(Collector& out) const = 0;
  /// How the scanner looks for which patterns, in words, for statistics and for tests of the choice. Empty where the
  /// algorithm's name says all of it.
  virtual std::string describe() const { return {}; }
};

std::unique_ptr<Scanner> make_naive_scanner(const PlanData& plan, InstructionSet set, unsigned threads);
std::unique_ptr<Scanner> make_vector_scanner(const PlanData& plan, InstructionSet set, unsigned threads);
std::unique_ptr<Scanner> make_balanced_scanner(const PlanData& plan, InstructionSet set, unsigned threads);
std::unique_ptr<Scanner> make_rabin_karp_scanner(const PlanData& plan, InstructionSet set, unsigned threads);
std::unique_ptr<Scanner> make_boyer_moore_scanner(const PlanData& plan, InstructionSet set, unsigned threads);
std::unique_ptr<Scanner> make_filter_scanner(const PlanData& plan, InstructionSet set, unsigned threads);

/// The scanner of the algorithm that has this name in the table of algorithms; null where the CPU has none. Large
/// tables are made on so many threads.
std::unique_ptr<Scanner> make_scanner(std::string_view algorithm, const PlanData& plan, InstructionSet set,
                                      unsigned threads);

}  // namespace lode
