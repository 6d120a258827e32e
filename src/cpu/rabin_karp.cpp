// rabin-karp: rolls a hash over the text, one pass per pattern length, and looks it up among the patterns' hashes.
//
// Idea and source: src/plan/rabin_karp.hpp. Lanes roll side by side (rolling_lanes.hpp). Places that are left over, and
// patterns of more than a KiB, are hashed one after the other. One bit tells of nearly all places that no pattern has
// their hash. The others are looked up; where the hash stands in the table, the place is a candidate and is compared
// whole. Of a long match that overlaps another only what is new is compared, where these two are known to overlap so.
// Worst case: text x lengths + matches x 1 KiB, and a comparison for each way in which matches of one length overlap in
// a block; for every match, if there are more ways than are remembered.
// Loses against `filter` wherever the text can be sampled, and with every further length.
#include "cpu/rabin_karp.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "cpu/scanner.hpp"
#include "plan/rabin_karp.hpp"

namespace lode {
namespace {

constexpr std::size_t most_overlaps = 4096;  // ways to overlap that are remembered

// Scans a range for the patterns of one group. Wants tells whether an occurrence, given its start and distinct index,
// is to be reported.
template <bool folded, unsigned bits, class Wants>
class RollingScan {
  using Hash = RollingHash<bits>;
  // Long patterns have no lanes, which would take their time to start, and are compared with care.
  static constexpr bool are_long = bits == 61;

 public:
  RollingScan(const PlanData& plan, const RabinKarpGroup& group, RollingRunner runner, RollingLanes& lanes,
              Collector& out, const Wants& wants)
      : plan_(plan),
        group_(group),
        runner_(runner),
        lanes_(lanes),
        out_(out),
        wants_(wants),
        text_(out.piece().data),
        slot_mask_(group.owners.size() - 1) {}

  void run(const std::uint64_t begin, const std::uint64_t last) {
    if (group_.length > out_.piece().size) return;
    const std::uint64_t end = std::min<std::uint64_t>(last, out_.piece().size - group_.length + 1);
    if (begin >= end) return;
    roll(roll_lanes(begin, end), end);
    look_up_all();
    out_.add_candidates(candidates_);
  }

 private:
  struct Place {
    std::uint64_t at;
    std::uint64_t hash;
  };

  static std::uint64_t entering(std::uint8_t byte) { return folded ? fold(byte) : byte; }

  // Rolls lanes over most of the places. Returns where those begin that are left.
  std::uint64_t roll_lanes(const std::uint64_t begin, const std::uint64_t end) {
    const std::uint64_t length = group_.length;
    if (are_long || runner_ == nullptr) return begin;
    // The lanes read one byte behind those of the last place.
    const std::uint64_t places = std::min(end, out_.piece().size - length) - begin;
    RollingLanes& lanes = lanes_;
    lanes.text = text_ + begin;
    lanes.share = places / RollingLanes::lanes / RollingLanes::steps_of_bytes * RollingLanes::steps_of_bytes;
    // Shorter shares would spend their time on the first hashes.
    if (lanes.share * 4 < length || lanes.share == 0) return begin;
    for (std::uint64_t first = 0; first < lanes.share; first += RollingLanes::round_steps) {
      const std::size_t listed =
          runner_(group_, lanes, first, std::min(RollingLanes::round_steps, lanes.share - first));
      for (std::size_t item = 0; item < listed; ++item) {
        const std::uint16_t number = lanes.listed[item];
        put_off(begin + lanes.place_of(first, number), lanes.hashes[number]);
      }
    }
    return begin + lanes.share * RollingLanes::lanes;
  }

  void roll(const std::uint64_t begin, const std::uint64_t end) {
    if (begin == end) return;
    const RollingMarks marks(group_);
    const std::uint64_t length = group_.length;
    std::uint64_t hash = rolling_hash<bits>(text_ + begin, length, folded);
    for (std::uint64_t at = begin;;) {
      const std::uint64_t reduced = Hash::reduce(hash);
      if (marks.has(reduced)) [[unlikely]]
        put_off(at, reduced);
      const std::uint64_t leaving = group_.leaving[text_[at]];
      if (++at == end) break;
      hash = Hash::multiply_add(hash, base_, leaving + entering(text_[at + length - 1]));
    }
  }

  // A place is looked up with many others, so that the memory that all of them need is prefetched before the first one
  // waits.
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
    const bool matches = are_long ? long_pattern_matches(at, distinct) : matches_from(at, distinct, 0);
    if (matches && wants_(at, distinct)) out_.emit(at, distinct, group_.length);
  }

  // Whether the pattern's bytes from `first` on stand there.
  bool matches_from(std::uint64_t at, std::uint32_t distinct, std::uint64_t first) const {
    return equal_bytes(text_ + at + first, plan_.bytes(distinct).data() + first, group_.length - first, folded);
  }

  // Whether the whole pattern stands there. What the last match has shown of the text is not compared again. Long
  // patterns have one lane, so that places come in order.
  bool long_pattern_matches(std::uint64_t at, std::uint32_t distinct) {
    const Overlap overlap{last_distinct_, distinct, at - last_match_};
    if (last_distinct_ == no_distinct || overlap.moved >= group_.length) {
      if (!matches_from(at, distinct, 0)) return false;
    } else {
      if (overlaps_.empty()) overlaps_.resize(most_overlaps);
      // The factors of the key are secret, so that nobody can choose patterns whose overlaps drive each other out.
      const std::uint64_t key = overlap.moved * (RollingHash<61>::base() | 1) +
                                distinct * (std::rotl(RollingHash<61>::base(), 21) | 1) +
                                last_distinct_ * (std::rotl(RollingHash<61>::base(), 42) | 1);
      Overlap& known = overlaps_[(key >> 40) % most_overlaps];
      if (!matches_from(at, distinct, known == overlap ? group_.length - overlap.moved : 0)) return false;
      known = overlap;
    }
    last_match_ = at;
    last_distinct_ = distinct;
    return true;
  }

  const PlanData& plan_;
  const RabinKarpGroup& group_;
  const RollingRunner runner_;
  RollingLanes& lanes_;
  Collector& out_;
  const Wants& wants_;
  const std::uint8_t* text_;
  const std::uint64_t slot_mask_;
  const std::uint64_t base_ = Hash::base();
  std::uint64_t candidates_ = 0;
  std::array<Place, 64> places_;  // marked ones that wait to be looked up
  std::size_t put_off_ = 0;       // how many of them wait
  // For long patterns: the last match, and the overlaps that the text has had.
  static constexpr std::uint32_t no_distinct = UINT32_MAX;
  struct Overlap {
    std::uint32_t first = no_distinct;
    std::uint32_t second = no_distinct;
    std::uint64_t moved = 0;  // places from the first one's match to the second one's
    bool operator==(const Overlap&) const = default;
  };
  std::uint64_t last_match_ = 0;
  std::uint32_t last_distinct_ = no_distinct;
  std::vector<Overlap> overlaps_;
};

template <class Wants>
void scan_groups(const PlanData& plan, std::span<const RabinKarpGroup> groups, RollingRunner runner, Collector& out,
                 std::uint64_t begin, std::uint64_t end, const Wants& wants) {
  RollingLanes lanes;
  const auto scan = [&]<bool folded>(const RabinKarpGroup& group) {
    group.length > longest_of_short_hashes
        ? RollingScan<folded, 61, Wants>(plan, group, runner, lanes, out, wants).run(begin, end)
        : RollingScan<folded, 31, Wants>(plan, group, runner, lanes, out, wants).run(begin, end);
  };
  for (const RabinKarpGroup& group : groups)
    group.ignore_case ? scan.template operator()<true>(group) : scan.template operator()<false>(group);
}

class RabinKarpScanner final : public Scanner {
 public:
  RabinKarpScanner(const PlanData& plan, InstructionSet set)
      : plan_(plan), groups_(build_rabin_karp_groups(plan)), runner_(rolling_runner(set)) {}

  void scan(Collector& out) const override {
    scan_groups(plan_, groups_, runner_, out, out.begin(), out.end(),
                [](std::uint64_t, std::uint32_t) { return true; });
  }

 private:
  const PlanData& plan_;
  std::vector<RabinKarpGroup> groups_;
  RollingRunner runner_;
};

// Whether any place of a record has the hash of a pattern. It is rolled in one lane, since records are short as a rule.
template <bool folded, unsigned bits>
bool any_hash_is_known(const RabinKarpGroup& group, std::span<const std::uint8_t> record) {
  const std::uint64_t length = group.length;
  if (length > record.size()) return false;
  const std::uint64_t slot_mask = group.owners.size() - 1;
  const auto entering = [&](std::uint64_t at) { return std::uint64_t{folded ? fold(record[at]) : record[at]}; };
  const RollingMarks marks(group);
  const std::uint64_t base = RollingHash<bits>::base();
  std::uint64_t hash = rolling_hash<bits>(record.data(), length, folded);
  for (std::uint64_t at = 0;; ++at) {
    const std::uint64_t reduced = RollingHash<bits>::reduce(hash);
    if (marks.has(reduced)) [[unlikely]]
      for (std::uint64_t slot = rolling_key(reduced) >> group.slot_shift; group.owners[slot] != 0;
           slot = (slot + 1) & slot_mask)
        if (group.hashes[slot] == reduced) return true;
    if (at + length == record.size()) return false;
    hash = RollingHash<bits>::multiply_add(hash, base, group.leaving[record[at]] + entering(at + length));
  }
}

}  // namespace

bool RecordHashes::may_match(std::span<const std::uint8_t> record) const {
  return std::any_of(groups_.begin(), groups_.end(), [&](const RabinKarpGroup& group) {
    if (group.length > longest_of_short_hashes)
      return group.ignore_case ? any_hash_is_known<true, 61>(group, record)
                               : any_hash_is_known<false, 61>(group, record);
    return group.ignore_case ? any_hash_is_known<true, 31>(group, record) : any_hash_is_known<false, 31>(group, record);
  });
}

void RollingSearch::scan(Collector& out, std::uint64_t begin, std::uint64_t end, const Wants& wants) const {
  scan_groups(plan_, groups_, runner_, out, begin, end, wants);
}

std::unique_ptr<Scanner> make_rabin_karp_scanner(const PlanData& plan, InstructionSet set, unsigned) {
  return std::make_unique<RabinKarpScanner>(plan, set);
}

}  // namespace lode
