// balanced: three phases whose survivors wait in queues, so that each phase is a loop without surprises.
//
// Idea: (1) the rarest two neighbouring bytes of the pattern are tested at every place of a block, and what passes is
// queued without a branch; (2) the first 16 bytes of the queued places are compared, and what is equal is queued again;
// (3) the rest of those is compared and reported. The queues hold a whole block, so none is lost. One pass per pattern.
// Example: pattern `hers`, bytes `he`, text `ushers`: place 2 is queued, equals `hers`, is queued again and reported.
// Worst case: text x pattern bytes. Loses to `vector`, which tests many places at once; it is here so that the name
// means the same on every device. Source: the load-balanced kernel of AMD's StringSearch sample.
#include <algorithm>
#include <array>

#include "cpu/scanner.hpp"
#include "plan/probes.hpp"

namespace lode {
namespace {

constexpr std::uint64_t block_places = 2048;
constexpr std::size_t head_bytes = 16;

class BalancedScanner final : public Scanner {
 public:
  explicit BalancedScanner(const PlanData& plan) : plan_(plan) {}

  void scan(Collector& out) const override {
    for (std::uint32_t distinct = 0; distinct < plan_.distinct_count(); ++distinct) {
      const auto pattern = plan_.bytes(distinct);
      if (pattern.size() > out.piece().size) continue;
      if (plan_.ignore_case(distinct))
        scan_pattern<true>(pattern, distinct, out);
      else
        scan_pattern<false>(pattern, distinct, out);
    }
  }

 private:
  template <bool folded>
  static std::uint8_t byte_of(std::uint8_t byte) {
    return folded ? fold(byte) : byte;
  }

  template <bool folded>
  static void scan_pattern(std::span<const std::uint8_t> pattern, std::uint32_t distinct, Collector& out) {
    const std::uint8_t* text = out.piece().data;
    const std::uint64_t end = std::min<std::uint64_t>(out.end(), out.piece().size - pattern.size() + 1);
    const std::uint32_t span = pattern.size() == 1 ? 1 : 2;
    const std::uint32_t offset = choose_probe_window(pattern, folded, span);
    const std::uint8_t first = byte_of<folded>(pattern[offset]);
    const std::uint8_t second = byte_of<folded>(pattern[offset + span - 1]);
    const std::size_t head = std::min(pattern.size(), head_bytes);

    std::array<std::uint64_t, block_places> first_queue;
    std::array<std::uint64_t, block_places> second_queue;
    std::uint64_t candidates = 0;
    for (std::uint64_t block = out.begin(); block < end; block += block_places) {
      const std::uint64_t block_end = std::min(end, block + block_places);
      std::size_t queued = 0;
      for (std::uint64_t start = block; start < block_end; ++start) {
        first_queue[queued] = start;
        // Both differences are compared at once: a branch between the two would be mispredicted often.
        const int differences = (byte_of<folded>(text[start + offset]) ^ first) |
                                (byte_of<folded>(text[start + offset + span - 1]) ^ second);
        queued += differences == 0 ? 1 : 0;
      }
      candidates += queued;
      std::size_t survivors = 0;
      for (std::size_t at = 0; at < queued; ++at) {
        second_queue[survivors] = first_queue[at];
        survivors += equal_bytes(text + first_queue[at], pattern.data(), head, folded) ? 1 : 0;
      }
      for (std::size_t at = 0; at < survivors; ++at) {
        const std::uint64_t start = second_queue[at];
        if (equal_bytes(text + start + head, pattern.data() + head, pattern.size() - head, folded))
          out.emit(start, distinct, static_cast<std::uint32_t>(pattern.size()));
      }
    }
    out.add_candidates(candidates);
  }

  const PlanData& plan_;
};

}  // namespace

std::unique_ptr<Scanner> make_balanced_scanner(const PlanData& plan, InstructionSet, unsigned) {
  return std::make_unique<BalancedScanner>(plan);
}

}  // namespace lode
