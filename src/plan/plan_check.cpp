#include "plan/plan_check.hpp"

#include <algorithm>
#include <atomic>
#include <tuple>
#include <vector>

#include "base/memory.hpp"
#include "base/threads.hpp"

namespace lode {
namespace {

constexpr std::uint64_t grain_buckets = 1 << 14;
constexpr std::uint64_t grain_patterns = 1 << 13;

// Whether a build may have made the class, apart from where it lies in the sections.
bool class_is_possible(const LengthClass& length_class, bool any_ignore_case) {
  if (length_class.stride != 1 && length_class.stride != 2 && length_class.stride != 4) return false;
  if (length_class.window < 1 || length_class.window > max_window_length) return false;
  if (length_class.fold != (any_ignore_case ? 1 : 0)) return false;
  if (length_class.min_length < length_class.window + length_class.stride - 1) return false;
  if (length_class.max_offset > max_window_offset) return false;
  if (length_class.entry_count != std::uint64_t{length_class.pattern_count} * length_class.stride) return false;
  return length_class.bucket_bits >= 1 && length_class.bucket_bits <= 31 &&
         std::uint64_t{1} << length_class.bucket_bits <= PlanCheck::most_buckets_per_entry * length_class.entry_count;
}

// A claim: what an entry says of a window, as one number. The class is counted from 1, so that 0 is the claim of no
// entry.
//
//   from bit 53 on: class    47 to 52: offset    31 to 46: tag    0 to 30: bucket
std::uint64_t claim(std::size_t class_index, std::uint32_t offset, std::uint16_t tag, std::uint64_t bucket) {
  return (std::uint64_t{class_index} + 1) << 53 | std::uint64_t{offset} << 47 | std::uint64_t{tag} << 31 | bucket;
}
std::uint32_t offset_of(std::uint64_t claim) { return static_cast<std::uint32_t>(claim >> 47) & max_window_offset; }
static_assert(max_window_offset < 1 << 6);

std::uint64_t start_count(const LengthClass& length_class) {
  return (std::uint64_t{1} << length_class.bucket_bits) + 1;
}

}  // namespace

bool PlanCheck::spellings_are_sound() const {
  if (plan_.forms.empty()) return true;
  for (std::uint32_t at = 0; at < plan_.spelled_ids.size(); ++at) {
    const std::uint32_t id = plan_.spelled_ids[at];
    const std::uint32_t form = plan_.spelled_forms[at];
    if (form == static_cast<std::uint32_t>(Form::as_given)) {
      if (id != (at == 0 ? 0 : plan_.spelled_ids[at - 1] + 1)) return false;
      continue;
    }
    if (form > static_cast<std::uint32_t>(Form::json) || !plan_.forms.has(static_cast<Form>(form))) return false;
    if (at == 0 || id != plan_.spelled_ids[at - 1] || form < plan_.spelled_forms[at - 1]) return false;
    if (plan_.patterns.has_label(at) || plan_.patterns.has_replacement(at)) return false;
  }
  return true;
}

bool PlanCheck::groups_are_sound() const {
  const std::size_t groups = plan_.representative.size();
  if (groups == 0) return true;
  const auto count = static_cast<std::uint32_t>(ends_.size());
  if (plan_.group_starts.front() != 0 || plan_.group_starts.back() != count) return false;
  std::vector<bool> seen(count);
  for (std::size_t group = 0; group < groups; ++group) {
    const std::uint32_t begin = plan_.group_starts[group];
    const std::uint32_t end = plan_.group_starts[group + 1];
    const std::uint32_t lowest_id = plan_.representative[group];
    if (begin >= end || end > count || plan_.group_ids[begin] != lowest_id) return false;
    if (group > 0 && lowest_id <= plan_.representative[group - 1]) return false;
    for (std::uint32_t at = begin; at < end; ++at) {
      const std::uint32_t id = plan_.group_ids[at];
      if (id >= count || seen[id] || (at > begin && id <= plan_.group_ids[at - 1])) return false;
      if (length_of(id) != length_of(lowest_id)) return false;
      if (!plan_.forms.empty() && at > begin && plan_.spelled_ids[id] == plan_.spelled_ids[plan_.group_ids[at - 1]])
        return false;
      seen[id] = true;
    }
  }
  return true;
}

bool PlanCheck::classes_are_sound(std::uint64_t bucket_start_count, std::uint64_t entry_count) const {
  const std::vector<LengthClass>& classes = plan_.filter.classes;
  std::uint64_t buckets = 0;
  std::uint64_t entries = 0;
  std::uint64_t last_length = 0;
  for (const LengthClass& length_class : classes) {
    if (!class_is_possible(length_class, plan_.patterns.any_ignore_case())) return false;
    if (length_class.min_length <= last_length || length_class.max_length < length_class.min_length) return false;
    if (length_class.first_bucket != buckets || length_class.first_entry != entries) return false;
    last_length = length_class.max_length;
    buckets += start_count(length_class);
    entries += length_class.entry_count;
  }
  if (buckets != bucket_start_count || entries != entry_count) return false;

  struct Members {
    std::uint64_t count = 0, shortest = UINT64_MAX, longest = 0;
  };
  std::vector<Members> members(classes.size());
  for (std::uint32_t distinct = 0; distinct < plan_.distinct_count(); ++distinct) {
    const std::uint64_t length = length_of(plan_.lowest_id(distinct));
    std::size_t at = 0;
    while (at < classes.size() && classes[at].max_length < length) ++at;
    if (at == classes.size()) return false;
    Members& of = members[at];
    ++of.count;
    of.shortest = std::min(of.shortest, length);
    of.longest = std::max(of.longest, length);
  }
  for (std::size_t at = 0; at < classes.size(); ++at) {
    const LengthClass& length_class = classes[at];
    const Members& of = members[at];
    // The shortest pattern may be longer than min_length: a build does not tell the lengths of long patterns apart.
    if (of.count != length_class.pattern_count || of.shortest < length_class.min_length ||
        of.longest != length_class.max_length)
      return false;
  }
  return true;
}

bool PlanCheck::buckets_are_sound() const {
  for (const LengthClass& length_class : plan_.filter.classes) {
    const auto starts = std::span(plan_.filter.bucket_starts)
                            .subspan(length_class.first_bucket, static_cast<std::size_t>(start_count(length_class)));
    if (starts.front() != 0 || starts.back() != length_class.entry_count ||
        !std::is_sorted(starts.begin(), starts.end()))
      return false;
  }
  return true;
}

bool PlanCheck::entries_are_sound() {
  for (const LengthClass& length_class : plan_.filter.classes)
    widest_stride_ = std::max(widest_stride_, length_class.stride);
  resize_empty(claims_, std::size_t{plan_.distinct_count()} * widest_stride_, threads_);
  std::atomic<bool> all_are = true;
  for (std::size_t at = 0; at < plan_.filter.classes.size(); ++at) {
    const std::uint64_t buckets = std::uint64_t{1} << plan_.filter.classes[at].bucket_bits;
    run_ranges(threads_, buckets, grain_buckets, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t bucket = begin; bucket < end; ++bucket) {
        if (bucket_is_sound(at, bucket)) continue;
        all_are = false;
        return;
      }
    });
  }
  return all_are;
}

bool PlanCheck::bucket_is_sound(std::size_t class_index, std::uint64_t bucket) {
  const LengthClass& length_class = plan_.filter.classes[class_index];
  const std::uint32_t* const starts = plan_.filter.bucket_starts.data() + length_class.first_bucket;
  const WindowEntry* const entries = plan_.filter.entries.data() + length_class.first_entry;
  const auto key = [](const WindowEntry& entry) { return std::tuple(entry.tag, entry.offset, entry.distinct); };
  for (std::uint32_t at = starts[bucket]; at < starts[bucket + 1]; ++at) {
    const WindowEntry& entry = entries[at];
    if (entry.distinct >= plan_.distinct_count() || entry.offset > length_class.max_offset) return false;
    if (at > starts[bucket] && key(entry) <= key(entries[at - 1])) return false;
    // If two entries claim the same place, either may stay: another claim is then missing, which windows_are_sound()
    // finds.
    std::atomic_ref(claims_[std::size_t{entry.distinct} * widest_stride_ + entry.offset % length_class.stride])
        .store(claim(class_index, entry.offset, entry.tag, bucket), std::memory_order_relaxed);
  }
  return true;
}

bool PlanCheck::windows_are_sound() const {
  std::atomic<bool> all_are = true;
  run_ranges(threads_, plan_.distinct_count(), grain_patterns, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t distinct = begin; distinct < end; ++distinct) {
      if (windows_are_sound(static_cast<std::uint32_t>(distinct))) continue;
      all_are = false;
      return;
    }
  });
  return all_are;
}

// There are as many entries as residues of patterns. So if each residue has its claim, no entry is left that was not
// asked for.
bool PlanCheck::windows_are_sound(std::uint32_t distinct) const {
  const auto pattern = plan_.bytes(distinct);
  std::size_t at = 0;
  while (plan_.filter.classes[at].max_length < pattern.size()) ++at;
  const LengthClass& length_class = plan_.filter.classes[at];
  for (std::uint32_t residue = 0; residue < length_class.stride; ++residue) {
    const std::uint64_t claimed = claims_[std::size_t{distinct} * widest_stride_ + residue];
    const std::uint32_t offset = offset_of(claimed);
    if (offset + length_class.window > pattern.size()) return false;
    const std::uint32_t hash = window_hash(pattern.data() + offset, length_class.window, length_class.fold != 0);
    if (claimed != claim(at, offset, window_tag(hash), window_bucket(hash, length_class.bucket_bits))) return false;
  }
  return true;
}

bool PlanCheck::equal_patterns_are_sound() const {
  for (std::uint32_t distinct = 0; distinct < plan_.representative.size(); ++distinct) {
    const auto first = plan_.bytes(distinct);
    const bool folds = plan_.ignore_case(distinct);
    for (const std::uint32_t id : plan_.group(distinct)) {
      const auto* const bytes = reinterpret_cast<const std::uint8_t*>(plan_.patterns[id].data());
      if (plan_.folds_bytes(id) != plan_.folds_bytes(plan_.lowest_id(distinct))) return false;
      if (plan_.patterns.ignore_case(id) != folds || !equal_bytes(bytes, first.data(), first.size(), folds))
        return false;
    }
  }
  return true;
}

}  // namespace lode
