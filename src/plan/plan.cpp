#include "lode/plan.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

#include "base/hash.hpp"
#include "base/threads.hpp"
#include "lode/error.hpp"
#include "plan/build_monitor.hpp"
#include "plan/plan_data.hpp"
#include "plan/plan_file.hpp"
#include "text/viewer.hpp"

namespace lode {
namespace {

bool same_pattern(const PatternSet& patterns, std::uint32_t a, std::uint32_t b) {
  if (patterns.ignore_case(a) != patterns.ignore_case(b) || patterns[a].size() != patterns[b].size()) return false;
  return equal_bytes(reinterpret_cast<const std::uint8_t*>(patterns[a].data()),
                     reinterpret_cast<const std::uint8_t*>(patterns[b].data()), patterns[a].size(),
                     patterns.ignore_case(a));
}

// Puts equal patterns together. Leaves the tables empty where all are distinct.
void group_equal_patterns(PlanData& plan, const PlanOptions& options, BuildMonitor& monitor) {
  const PatternSet& patterns = plan.patterns;
  const std::uint32_t count = patterns.size();
  std::vector<std::uint64_t> hashes(count);
  run_ranges(thread_count(options.threads), count, 4096, [&](std::uint64_t begin, std::uint64_t end) {
    monitor.advance(end - begin);
    for (std::uint64_t id = begin; id < end; ++id) {
      const std::string_view pattern = patterns[static_cast<std::uint32_t>(id)];
      hashes[id] = content_hash({reinterpret_cast<const std::uint8_t*>(pattern.data()), pattern.size()},
                                patterns.ignore_case(static_cast<std::uint32_t>(id)), process_seed());
    }
  });

  // A hash table of ids with open addressing; owner[slot] is the lowest id with its bytes.
  const std::uint64_t slots = std::bit_ceil(std::max<std::uint64_t>(std::uint64_t{count} * 2, 2));
  constexpr std::uint32_t none = UINT32_MAX;
  std::vector<std::uint32_t> owner(slots, none);
  std::vector<std::uint32_t> group_of(count);  // id -> distinct index
  std::vector<std::uint32_t> representative;
  for (std::uint32_t id = 0; id < count; ++id) {
    if (id % 65536 == 0) monitor.advance(0);
    std::uint64_t slot = hashes[id] & (slots - 1);
    while (owner[slot] != none && !(hashes[owner[slot]] == hashes[id] && same_pattern(patterns, owner[slot], id)))
      slot = (slot + 1) & (slots - 1);
    if (owner[slot] == none) {
      owner[slot] = id;
      group_of[id] = static_cast<std::uint32_t>(representative.size());
      representative.push_back(id);
    } else {
      group_of[id] = group_of[owner[slot]];
    }
  }
  if (representative.size() == count) return;

  plan.group_starts.assign(representative.size() + 1, 0);
  for (const std::uint32_t group : group_of) ++plan.group_starts[group + 1];
  std::partial_sum(plan.group_starts.begin(), plan.group_starts.end(), plan.group_starts.begin());
  std::vector<std::uint32_t> next(plan.group_starts.begin(), plan.group_starts.end() - 1);
  plan.group_ids.resize(count);
  for (std::uint32_t id = 0; id < count; ++id) plan.group_ids[next[group_of[id]]++] = id;
  plan.representative = std::move(representative);
}

PatternSet viewed_patterns(const PatternSet& patterns, const View& view, const text::Viewer& viewer) {
  PatternSet result;
  result.reserve(patterns.size(), patterns.total_bytes());
  ViewedText viewed;
  for (std::uint32_t id = 0; id < patterns.size(); ++id) {
    viewed.bytes.clear();
    viewed.spans.clear();
    viewer.append(patterns[id], 0, patterns[id].size(), 0, viewed);
    if (viewed.bytes.empty())
      throw Error(ErrorKind::invalid_pattern, "nothing is left of pattern " + std::to_string(id) + ", '" +
                                                  std::string(patterns[id]) + "', in the view " + view.name());
    const std::string_view label = patterns.label(id);
    // Where ASCII may be searched as it lies, patterns ignore its case; elsewhere the view has folded it.
    result.add(viewed.bytes, view.folds() ? view.keeps_ascii() : patterns.ignore_case(id),
               label.empty() && viewed.bytes != patterns[id] ? patterns[id] : label);
  }
  return result;
}

}  // namespace

std::uint64_t PlanData::memory_bytes() const {
  std::uint64_t bytes = patterns.total_bytes() + patterns.size() * sizeof(std::uint64_t);
  if (patterns.any_ignore_case()) bytes += patterns.size();
  if (patterns.has_labels()) bytes += patterns.size() * sizeof(std::uint64_t);
  bytes += (representative.size() + group_starts.size() + group_ids.size()) * sizeof(std::uint32_t);
  bytes += filter.classes.size() * sizeof(LengthClass) + filter.bucket_starts.size() * sizeof(std::uint32_t) +
           filter.entries.size() * sizeof(WindowEntry);
  return bytes + text_sample.size();
}

Plan Plan::build(PatternSet patterns, const PlanOptions& options) {
  if (patterns.empty()) throw Error(ErrorKind::invalid_pattern, "there is no pattern: give at least one");
  auto data = std::make_shared<PlanData>();
  data->set_view(options.view);
  data->patterns = options.view.empty() ? std::move(patterns) : viewed_patterns(patterns, options.view, *data->viewer);
  // Two steps go over the patterns: putting equal ones together, and choosing windows for the distinct ones.
  BuildMonitor monitor(options, std::uint64_t{data->patterns.size()} * 2);
  group_equal_patterns(*data, options, monitor);
  data->text_sample = options.text_sample.substr(0, max_text_sample_bytes);
  data->filter = build_filter_tables(*data, cpu_filter_costs, options, monitor);
  monitor.advance(data->patterns.size() - data->distinct_count());
  return Plan(std::move(data));
}

void Plan::save(const std::filesystem::path& path) const { PlanFile::write(*data_, path); }

Plan Plan::load(const std::filesystem::path& path, unsigned threads) { return PlanFile::read(path, threads); }

std::string Plan::serialize() const { return PlanFile::to_bytes(*data_); }

Plan Plan::deserialize(std::string_view blob) { return PlanFile::from_bytes(blob, "the plan"); }

const PatternSet& Plan::patterns() const noexcept { return data_->patterns; }

const View& Plan::view() const noexcept { return data_->view; }

bool may_span(const Plan& plan, char byte) {
  const View& view = plan.view();
  return view.has(ViewStep::one_space) || view.has(ViewStep::drop_space) || plan.patterns().any_contains(byte);
}

std::uint64_t certain_until(const Plan& plan, std::string_view text) {
  constexpr std::uint64_t most_behind_bytes = 2;  // that a condition looks at
  const std::uint64_t reach = plan.patterns().max_length();
  if (plan.view().empty()) return text.size() - std::min<std::uint64_t>(text.size(), reach - 1 + most_behind_bytes);
  const text::Viewer& viewer = *plan.data().viewer;
  // What stands before the last cut is viewed as it is whatever follows. A character that the end may cut is no cut.
  const std::uint64_t last = viewer.last_cut(text, text.size() - std::min<std::size_t>(text.size(), 4));
  ViewedText viewed;
  for (std::uint64_t back = 2 * reach; last != 0; back *= 4) {
    const std::uint64_t place = viewer.last_cut(text, last - std::min(last, back));
    if (place == 0) break;
    viewed.bytes.clear();
    viewed.spans.clear();
    viewer.append(text.substr(0, last), place, last, 0, viewed);
    if (viewed.bytes.size() >= reach) return place;
  }
  return 0;
}

std::uint64_t Plan::memory_bytes() const noexcept { return data_->memory_bytes(); }

std::uint32_t Plan::distinct_count() const noexcept { return data_->distinct_count(); }

}  // namespace lode
