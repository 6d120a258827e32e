#include "cpu/filter_class.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>

#include "base/hash.hpp"

namespace lode {

static_assert(max_window_offset < 256);  // heads have a byte for it

namespace {

// Bits of Bloom filter for each window, so that about one other place in a hundred passes.
constexpr std::uint64_t bits_per_window = 16;
// A filter of so few windows stays in the first cache with four times as many bits, and hardly any other place passes.
constexpr std::uint64_t few_windows = 2048;
constexpr std::uint64_t bits_per_few_windows = 64;
constexpr std::uint32_t least_words_log2 = 8;
constexpr std::uint32_t most_words_log2 = 24;
constexpr std::uint64_t most_near_windows = 4096;
constexpr std::uint64_t most_pairs = 16384;
constexpr std::size_t most_counted_bytes = 64;  // of a pattern
// What a crowd's group costs beside its bytes.
constexpr std::uint64_t group_bytes = 16;

// One pattern behind the other.
std::string_view all_bytes(const PatternSet& patterns) { return {patterns[0].data(), patterns.total_bytes()}; }

}  // namespace

FilterClass::FilterClass(const PlanData& data, const LengthClass& length_class, InstructionSet set)
    : plan(data),
      made(length_class),
      bucket_starts(data.filter.bucket_starts.data() + made.first_bucket),
      heads(made.entry_count + 1),
      set_(set) {
  fill_bits_and_heads();
  const std::uint64_t buckets = std::uint64_t{1} << made.bucket_bits;
  for (std::uint64_t bucket = 0; bucket < buckets; ++bucket)
    if (bucket_starts[bucket + 1] - bucket_starts[bucket] >= crowd_entries)
      add_crowd(bucket_starts[bucket], bucket_starts[bucket + 1]);
  choose_first_look(set);
}

void FilterClass::choose_first_look(InstructionSet set) {
  double least_cycles = look_up_cycles(set) / made.stride;
  if (made.window >= NearFilter::least_bytes && made.entry_count <= most_near_windows)
    choose_near(lode::near_runners(set), least_cycles);
  if (made.stride == PairFilter::stride && made.entry_count <= most_pairs)
    choose_pairs(lode::pair_runner(set), least_cycles);
}

void FilterClass::choose_near(const NearRunners& runners, double& least_cycles) {
  if (runners.list == nullptr) return;
  // Without a sample of the text its language is taken to be that of the patterns.
  const std::string_view sample = plan.text_sample.empty() ? all_bytes(plan.patterns) : plan.text_sample;
  const NearCosts costs = near_costs();
  for (std::uint32_t offset = 0; offset + NearFilter::least_bytes <= made.window; ++offset) {
    auto filter = std::make_unique<NearFilter>(plan, made, offset);
    const double cycles = costs.byte + expected_passes(runners.list, *filter, sample) / made.stride * costs.pass;
    if (cycles >= least_cycles) continue;
    least_cycles = cycles;
    near_runners = runners;
    near = std::move(filter);
  }
}

void FilterClass::choose_pairs(PairRunner runner, double& least_cycles) {
  PairCounts counts = PairCounts::of_sample(plan.text_sample, made.fold != 0);
  const bool own = counts.is_empty();
  if (own) {
    std::vector<std::uint32_t> members;
    for (std::uint64_t at = 0; at < made.entry_count; ++at) members.push_back(entries()[at].distinct);
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    for (const std::uint32_t member : members)
      counts.add(plan.bytes(member).first(std::min(plan.bytes(member).size(), most_counted_bytes)));
  }
  for (std::uint32_t offset = 0; offset + 2 <= made.window; ++offset) {
    auto filter = std::make_unique<PairFilter>(plan, made, offset);
    const double cycles = filter->expected_cycles(counts, own);
    if (cycles >= least_cycles) continue;
    least_cycles = cycles;
    near.reset();
    pair_runner = runner;
    pairs = std::move(filter);
  }
}

void FilterClass::fill_bits_and_heads() {
  const std::uint64_t per_window = made.entry_count <= few_windows ? bits_per_few_windows : bits_per_window;
  const std::uint64_t words = made.entry_count * per_window / 32;
  word_count_log2 = std::clamp(static_cast<std::uint32_t>(std::bit_width(words)), least_words_log2, most_words_log2);
  bits.resize(std::size_t{1} << word_count_log2);
  std::vector<bool> is_length(made.max_length - made.min_length + 1);
  for (std::uint64_t at = 0; at < made.entry_count; ++at) {
    const WindowEntry& entry = entries()[at];
    const auto pattern = plan.bytes(entry.distinct);
    is_length[pattern.size() - made.min_length] = true;
    const std::uint32_t sum = window_sum(pattern.data() + entry.offset, made.window, made.fold != 0);
    bits[word_of(sum)] |= wanted_bits(sum);
    heads[at] = PatternHead(pattern, plan.ignore_case(entry.distinct), entry.distinct);
    heads[at].offset = static_cast<std::uint8_t>(entry.offset);
  }
  lengths_ = static_cast<std::uint32_t>(std::count(is_length.begin(), is_length.end(), true));
}

void FilterClass::add_crowd(std::uint32_t first_entry, std::uint32_t end_entry) {
  const auto key = [&](const WindowEntry& entry) {
    return std::tuple(entry.tag, entry.offset, plan.bytes(entry.distinct).size(), plan.ignore_case(entry.distinct));
  };
  std::vector<WindowEntry> sorted(entries() + first_entry, entries() + end_entry);
  std::sort(sorted.begin(), sorted.end(), [&](const WindowEntry& a, const WindowEntry& b) { return key(a) < key(b); });
  Crowd crowd{first_entry, groups_.size(), 0};
  for (std::size_t begin = 0; begin < sorted.size();) {
    CrowdGroup group;
    std::size_t length = 0;
    std::tie(group.tag, group.offset, length, group.ignore_case) = key(sorted[begin]);
    group.length = static_cast<std::uint32_t>(length);
    group.first_member = members_.size();
    std::size_t end = begin;
    for (; end < sorted.size() && key(sorted[end]) == key(sorted[begin]); ++end)
      members_.push_back(
          {content_hash(plan.bytes(sorted[end].distinct), group.ignore_case, process_seed()), sorted[end].distinct});
    group.member_count = end - begin;
    std::sort(members_.begin() + static_cast<std::ptrdiff_t>(group.first_member), members_.end(),
              [](const CrowdMember& a, const CrowdMember& b) { return a.hash < b.hash; });
    groups_.push_back(group);
    begin = end;
  }
  crowd.group_count = groups_.size() - crowd.first_group;
  crowds_.push_back(crowd);
}

bool FilterClass::search_crowd(std::uint32_t first_entry, std::uint16_t tag, const std::uint8_t* text,
                               std::uint64_t text_size, std::uint64_t place, ComparisonBudget& budget,
                               std::vector<Found>& found) const {
  for (const CrowdGroup& group : groups_of(first_entry)) {
    budget.spend(group_bytes);
    if (budget.is_spent()) return false;
    if (group.tag != tag || place < group.offset) continue;
    const std::uint64_t start = place - group.offset;
    if (group.length > text_size - start) continue;
    budget.spend(group.length);
    for (const CrowdMember& member : members_equal_to(group, text + start))
      if (equal_bytes(text + start, plan.bytes(member.distinct).data(), group.length, group.ignore_case))
        found.push_back({start, member.distinct, group.length});
  }
  return true;
}

std::uint64_t FilterClass::budget_bytes(std::uint64_t range_bytes) const {
  return RollingSearch::budget_bytes(range_bytes, lengths_);
}

const FilterClass::Fallback& FilterClass::fallback() const {
  std::call_once(fallback_->once, [this] {
    std::vector<std::uint32_t>& distincts = fallback_->distincts;
    for (std::uint64_t at = 0; at < made.entry_count; ++at) distincts.push_back(entries()[at].distinct);
    std::sort(distincts.begin(), distincts.end());
    distincts.erase(std::unique(distincts.begin(), distincts.end()), distincts.end());
    fallback_->offsets.resize(distincts.size() * made.stride);
    for (std::uint64_t at = 0; at < made.entry_count; ++at) {
      const WindowEntry& entry = entries()[at];
      const auto index = std::lower_bound(distincts.begin(), distincts.end(), entry.distinct) - distincts.begin();
      fallback_->offsets[static_cast<std::size_t>(index) * made.stride + entry.offset % made.stride] =
          static_cast<std::uint8_t>(entry.offset);
    }
    fallback_->search.emplace(plan, distincts, set_);
  });
  return *fallback_;
}

void FilterClass::scan_by_hashes(Collector& out, std::uint64_t place) const {
  const Fallback& made_once = fallback();
  // A window stands at a multiple of the stride.
  const auto wants = [&](std::uint64_t start, std::uint32_t distinct) {
    const auto& distincts = made_once.distincts;
    const auto index = std::lower_bound(distincts.begin(), distincts.end(), distinct) - distincts.begin();
    const std::uint64_t residue = (made.stride - start % made.stride) % made.stride;
    return start + made_once.offsets[static_cast<std::size_t>(index) * made.stride + residue] >= place;
  };
  const std::uint64_t first = place - std::min<std::uint64_t>(place, made.max_offset);
  made_once.search->scan(out, std::max(first, out.begin()), wants);
}

std::span<const FilterClass::CrowdGroup> FilterClass::groups_of(std::uint32_t first_entry) const {
  const auto crowd = std::lower_bound(crowds_.begin(), crowds_.end(), first_entry,
                                      [](const Crowd& a, std::uint32_t entry) { return a.first_entry < entry; });
  return std::span(groups_).subspan(crowd->first_group, crowd->group_count);
}

std::span<const FilterClass::CrowdMember> FilterClass::members_equal_to(const CrowdGroup& group,
                                                                        const std::uint8_t* text) const {
  const std::span<const CrowdMember> members = std::span(members_).subspan(group.first_member, group.member_count);
  const std::uint64_t hash = content_hash({text, group.length}, group.ignore_case, process_seed());
  const auto begin = std::lower_bound(members.begin(), members.end(), hash,
                                      [](const CrowdMember& a, std::uint64_t wanted) { return a.hash < wanted; });
  auto end = begin;
  while (end != members.end() && end->hash == hash) ++end;
  return members.subspan(static_cast<std::size_t>(begin - members.begin()), static_cast<std::size_t>(end - begin));
}

}  // namespace lode
