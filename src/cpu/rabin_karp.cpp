// rabin-karp: rolls a hash over the text, one pass per pattern length, and looks it up among the patterns' hashes.
//
// Idea and source: src/plan/rabin_karp.hpp. The range is cut into a few lanes that roll side by side, because one
// rolling hash waits for its own last multiplication. A place whose hash stands in the table is a candidate and is
// compared whole.
// Worst case: as many equal hashes as an opponent can construct modulo 2^64; then text x patterns. Loses against
// `filter` wherever the text can be sampled, and with every further length.
#include "cpu/rabin_karp.hpp"

#include <algorithm>
#include <array>

#include "cpu/scanner.hpp"
#include "plan/rabin_karp.hpp"

namespace lode {
namespace {

constexpr std::size_t lanes = 4;
constexpr std::uint64_t max_lane_length = 1024;  // longer patterns would spend the time on starting lanes

// Wants: whether an occurrence, given its start and distinct index, is to be reported.
template <bool folded, class Wants>
class GroupScan {
 public:
  GroupScan(const PlanData& plan, const RabinKarpGroup& group, Collector& out, const Wants& wants)
      : plan_(plan),
        group_(group),
        out_(out),
        wants_(wants),
        text_(out.piece().data),
        slot_mask_(group.owners.size() - 1) {}

  void run(const std::uint64_t begin) {
    if (group_.length > out_.piece().size) return;
    const std::uint64_t end = std::min<std::uint64_t>(out_.end(), out_.piece().size - group_.length + 1);
    if (begin >= end) return;
    if (group_.length > max_lane_length || end - begin < lanes * group_.length)
      roll<1>(begin, end);
    else
      roll<lanes>(begin, end);
    out_.add_candidates(candidates_);
  }

 private:
  std::uint64_t value(std::uint64_t at) const { return (folded ? fold(text_[at]) : text_[at]) + std::uint64_t{1}; }

  template <std::size_t count>
  void roll(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t share = (end - begin) / count;
    std::array<std::uint64_t, count> hashes;
    for (std::size_t lane = 0; lane < count; ++lane)
      hashes[lane] = rolling_hash(text_ + begin + lane * share, group_.length, folded);
    const std::uint64_t length = group_.length;
    const std::uint64_t leaving = group_.leaving;
    for (std::uint64_t step = 0; step + 1 < share; ++step) {
      for (std::size_t lane = 0; lane < count; ++lane) {
        const std::uint64_t at = begin + lane * share + step;
        look_up(at, hashes[lane]);
        hashes[lane] = hashes[lane] * rolling_base + value(at + length) - leaving * value(at);
      }
    }
    for (std::size_t lane = 0; lane < count; ++lane) look_up(begin + (lane + 1) * share - 1, hashes[lane]);
    for (std::uint64_t at = begin + count * share; at < end; ++at)
      look_up(at, rolling_hash(text_ + at, length, folded));
  }

  void look_up(std::uint64_t at, std::uint64_t hash) {
    std::uint64_t slot = rolling_slot(group_, hash);
    while (group_.owners[slot] != 0) [[unlikely]] {
        if (group_.hashes[slot] == hash) verify(at, group_.owners[slot] - 1);
        slot = (slot + 1) & slot_mask_;
      }
  }

  void verify(std::uint64_t at, std::uint32_t distinct) {
    ++candidates_;
    if (equal_bytes(text_ + at, plan_.bytes(distinct).data(), group_.length, folded) && wants_(at, distinct))
      out_.emit(at, distinct, group_.length);
  }

  const PlanData& plan_;
  const RabinKarpGroup& group_;
  Collector& out_;
  const Wants& wants_;
  const std::uint8_t* text_;
  const std::uint64_t slot_mask_;
  std::uint64_t candidates_ = 0;
};

template <class Wants>
void scan_groups(const PlanData& plan, std::span<const RabinKarpGroup> groups, Collector& out, std::uint64_t begin,
                 const Wants& wants) {
  for (const RabinKarpGroup& group : groups) {
    group.ignore_case ? GroupScan<true, Wants>(plan, group, out, wants).run(begin)
                      : GroupScan<false, Wants>(plan, group, out, wants).run(begin);
  }
}

class RabinKarpScanner final : public Scanner {
 public:
  explicit RabinKarpScanner(const PlanData& plan) : plan_(plan), groups_(build_rabin_karp_groups(plan)) {}

  void scan(Collector& out) const override {
    scan_groups(plan_, groups_, out, out.begin(), [](std::uint64_t, std::uint32_t) { return true; });
  }

 private:
  const PlanData& plan_;
  std::vector<RabinKarpGroup> groups_;
};

// One hash over a whole record, which is short as a rule.
template <bool folded>
bool any_hash_is_known(const RabinKarpGroup& group, std::span<const std::uint8_t> record) {
  const std::uint64_t length = group.length;
  if (length > record.size()) return false;
  const std::uint64_t slot_mask = group.owners.size() - 1;
  const auto value = [&](std::uint64_t at) { return (folded ? fold(record[at]) : record[at]) + std::uint64_t{1}; };
  std::uint64_t hash = rolling_hash(record.data(), length, folded);
  for (std::uint64_t at = 0;; ++at) {
    for (std::uint64_t slot = rolling_slot(group, hash); group.owners[slot] != 0; slot = (slot + 1) & slot_mask)
      if (group.hashes[slot] == hash) return true;
    if (at + length == record.size()) return false;
    hash = hash * rolling_base + value(at + length) - group.leaving * value(at);
  }
}

}  // namespace

bool RecordHashes::may_match(std::span<const std::uint8_t> record) const {
  return std::any_of(groups_.begin(), groups_.end(), [&](const RabinKarpGroup& group) {
    return group.ignore_case ? any_hash_is_known<true>(group, record) : any_hash_is_known<false>(group, record);
  });
}

void RollingSearch::scan(Collector& out, std::uint64_t begin, const Wants& wants) const {
  scan_groups(plan_, groups_, out, begin, wants);
}

std::unique_ptr<Scanner> make_rabin_karp_scanner(const PlanData& plan, InstructionSet) {
  return std::make_unique<RabinKarpScanner>(plan);
}

}  // namespace lode
