// rabin-karp: rolls a hash over the text, one pass per pattern length, and looks it up among the patterns' hashes.
//
// Idea and source: src/plan/rabin_karp.hpp. The range is cut into a few lanes that roll side by side, because one
// rolling hash waits for its own last multiplication. One bit tells of nearly all places that no pattern has their hash;
// the others are looked up, and where the hash stands in the table the place is a candidate and is compared whole.
// Worst case: as many equal hashes as an opponent can construct modulo 2^64; then text x patterns. Loses against
// `filter` wherever the text can be sampled, and with every further length.
#include "cpu/rabin_karp.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "cpu/scanner.hpp"
#include "plan/rabin_karp.hpp"

namespace lode {
namespace {

constexpr std::size_t lanes = 4;
constexpr std::uint64_t most_slots_of_look_up = 64;
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
  struct Place {
    std::uint64_t at;
    std::uint64_t hash;
  };

  static std::uint64_t value(std::uint8_t byte) { return (folded ? fold(byte) : byte) + std::uint64_t{1}; }

  template <std::size_t count>
  void roll(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t share = (end - begin) / count;
    std::array<std::uint64_t, count> hashes;
    for (std::size_t lane = 0; lane < count; ++lane)
      hashes[lane] = rolling_hash(text_ + begin + lane * share, group_.length, folded);
    // Copies stay in registers.
    const RollingMarks marks(group_);
    const std::uint64_t length = group_.length;
    const std::uint64_t leaving = group_.leaving;
    const std::uint8_t* const text = text_ + begin;
    for (std::uint64_t step = 0; step + 1 < share; ++step) {
      for (std::size_t lane = 0; lane < count; ++lane) {
        const std::uint8_t* const at = text + lane * share + step;
        const std::uint64_t key = rolling_key(hashes[lane]);
        if (marks.has(key)) [[unlikely]]
          put_off(static_cast<std::uint64_t>(at - text_), hashes[lane]);
        hashes[lane] = key + value(at[length]) - leaving * value(*at);
      }
    }
    for (std::size_t lane = 0; lane < count; ++lane) put_off(begin + (lane + 1) * share - 1, hashes[lane]);
    for (std::uint64_t at = begin + count * share; at < end; ++at)
      put_off(at, rolling_hash(text_ + at, length, folded));
    look_up_all();
  }

  // A place is looked up with many others, so that what each needs of memory is asked for before the first one waits.
  void put_off(std::uint64_t at, std::uint64_t hash) {
    places_[put_off_] = {at, hash};
    if (++put_off_ == places_.size()) look_up_all();
  }

  void look_up_all() {
    const std::span<Place> places(places_.data(), std::exchange(put_off_, 0));
    for (const Place& place : places) {
      const std::uint64_t slot = slot_of(place.hash);
      __builtin_prefetch(&group_.owners[slot]);
      __builtin_prefetch(&group_.hashes[slot]);
    }
    for (const Place& place : places)
      if (const std::uint32_t owner = group_.owners[slot_of(place.hash)]; owner != 0)
        __builtin_prefetch(plan_.bytes(owner - 1).data());
    for (const Place& place : places)
      for (std::uint64_t slot = slot_of(place.hash); group_.owners[slot] != 0; slot = (slot + 1) & slot_mask_)
        if (group_.hashes[slot] == place.hash) verify(place.at, group_.owners[slot] - 1);
  }

  std::uint64_t slot_of(std::uint64_t hash) const { return rolling_key(hash) >> group_.slot_shift; }

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
  std::array<Place, 64> places_;  // that are marked
  std::size_t put_off_ = 0;       // so many of them
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
  RabinKarpScanner(const PlanData& plan, std::vector<RabinKarpGroup> groups)
      : plan_(plan), groups_(std::move(groups)) {}

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
  const RollingMarks marks(group);
  std::uint64_t hash = rolling_hash(record.data(), length, folded);
  for (std::uint64_t at = 0;; ++at) {
    const std::uint64_t key = rolling_key(hash);
    if (marks.has(key)) [[unlikely]]
      for (std::uint64_t slot = key >> group.slot_shift; group.owners[slot] != 0; slot = (slot + 1) & slot_mask)
        if (group.hashes[slot] == hash) return true;
    if (at + length == record.size()) return false;
    hash = key + value(at + length) - group.leaving * value(at);
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
  return std::make_unique<RabinKarpScanner>(plan, build_rabin_karp_groups(plan));
}

std::unique_ptr<Scanner> make_bounded_rabin_karp_scanner(const PlanData& plan) {
  std::vector<RabinKarpGroup> groups = build_rabin_karp_groups(plan, most_slots_of_look_up);
  return groups.empty() ? nullptr : std::make_unique<RabinKarpScanner>(plan, std::move(groups));
}

}  // namespace lode
