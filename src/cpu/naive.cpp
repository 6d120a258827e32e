// naive: compares each pattern byte by byte at each place and stops at the first difference.
//
// Idea: the meaning of "match" as it is written down; the reference that the others are measured against.
// Example: `ab` in `aab`: place 0 fails at the second byte, place 1 matches.
// Worst case: text x pattern bytes (`aaa…b` in `aaaa…`). Loses against everything else; serves small inputs.
#include <algorithm>

#include "cpu/scanner.hpp"

namespace lode {
namespace {

class NaiveScanner final : public Scanner {
 public:
  explicit NaiveScanner(const PlanData& plan) : plan_(plan) {}

  void scan(Collector& out) const override {
    const Piece& piece = out.piece();
    for (std::uint32_t distinct = 0; distinct < plan_.distinct_count(); ++distinct) {
      const auto pattern = plan_.bytes(distinct);
      if (pattern.size() > piece.size) continue;
      const std::uint64_t end = std::min<std::uint64_t>(out.end(), piece.size - pattern.size() + 1);
      if (plan_.ignore_case(distinct))
        scan_pattern<true>(pattern, distinct, end, out);
      else
        scan_pattern<false>(pattern, distinct, end, out);
    }
  }

 private:
  template <bool folded>
  static void scan_pattern(std::span<const std::uint8_t> pattern, std::uint32_t distinct, std::uint64_t end,
                           Collector& out) {
    const std::uint8_t* text = out.piece().data;
    for (std::uint64_t start = out.begin(); start < end; ++start) {
      std::size_t at = 0;
      while (at < pattern.size() &&
             (folded ? fold(text[start + at]) == fold(pattern[at]) : text[start + at] == pattern[at]))
        ++at;
      if (at == pattern.size()) out.emit(start, distinct, static_cast<std::uint32_t>(pattern.size()));
    }
  }

  const PlanData& plan_;
};

}  // namespace

std::unique_ptr<Scanner> make_naive_scanner(const PlanData& plan, InstructionSet, unsigned) {
  return std::make_unique<NaiveScanner>(plan);
}

}  // namespace lode
