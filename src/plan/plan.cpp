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
#include "plan/spellings.hpp"
#include "text/condition.hpp"
#include "text/viewer.hpp"

namespace lode {
namespace {

bool same_pattern(const PlanData& plan, std::uint32_t a, std::uint32_t b) {
  const PatternSet& patterns = plan.patterns;
  if (plan.folds_bytes(a) != plan.folds_bytes(b)) return false;
  if (patterns.ignore_case(a) != patterns.ignore_case(b) || patterns[a].size() != patterns[b].size()) return false;
  return equal_bytes(reinterpret_cast<const std::uint8_t*>(patterns[a].data()),
                     reinterpret_cast<const std::uint8_t*>(patterns[b].data()), patterns[a].size(),
                     patterns.ignore_case(a));
}

// Puts equal patterns together. Leaves the tables empty where all are distinct, unless there are forms.
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
    while (owner[slot] != none && !(hashes[owner[slot]] == hashes[id] && same_pattern(plan, owner[slot], id)))
      slot = (slot + 1) & (slots - 1);
    if (owner[slot] == none) {
      owner[slot] = id;
      group_of[id] = static_cast<std::uint32_t>(representative.size());
      representative.push_back(id);
    } else {
      group_of[id] = group_of[owner[slot]];
    }
  }
  if (representative.size() == count && plan.forms.empty()) return;

  plan.group_starts.assign(representative.size() + 1, 0);
  for (const std::uint32_t group : group_of) ++plan.group_starts[group + 1];
  std::partial_sum(plan.group_starts.begin(), plan.group_starts.end(), plan.group_starts.begin());
  std::vector<std::uint32_t> next(plan.group_starts.begin(), plan.group_starts.end() - 1);
  plan.group_ids.resize(count);
  for (std::uint32_t id = 0; id < count; ++id) plan.group_ids[next[group_of[id]]++] = id;
  plan.representative = std::move(representative);
}

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const text::DecodedCharacter character = text::decode_utf8(bytes);
    if (!character.is_valid) return false;
    bytes.remove_prefix(character.length);
  }
  return true;
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && equal_folded(reinterpret_cast<const std::uint8_t*>(a.data()),
                                              reinterpret_cast<const std::uint8_t*>(b.data()), a.size());
}

// Whether a pattern that ignores case may match what differs from it in more than the case of ASCII letters: two
// characters beyond ASCII fold into k and s.
bool folds_beyond_ascii(std::string_view pattern) {
  return std::ranges::any_of(pattern, [](char byte) {
    const auto folded = fold(static_cast<std::uint8_t>(byte));
    return folded >= 0x80 || folded == 'k' || folded == 's';
  });
}

// Whether a spelling ignores the case of its bytes, whatever the view does (spellings.hpp).
bool folds_bytes(const PatternSet& patterns, std::uint32_t id, std::span<const std::uint8_t> forms) {
  return !forms.empty() && is_utf_16(static_cast<Form>(forms[id])) && patterns.ignore_case(id) &&
         patterns.keeps_case(id);
}

// Patterns that ignore case are seen through a view that folds, and if all keep their case the view does not. `forms`
// has the form of each, or nothing.
View view_of(const PatternSet& patterns, const View& view, std::span<const std::uint8_t> forms) {
  if (view.folds()) {
    for (std::uint32_t id = 0; id < patterns.size(); ++id)
      if (!patterns.keeps_case(id)) return view;
    return view.without_fold();
  }
  if (!patterns.any_ignore_case()) return view;
  for (std::uint32_t id = 0; id < patterns.size(); ++id)
    if (patterns.ignore_case(id) && !folds_bytes(patterns, id, forms) &&
        (!view.empty() || folds_beyond_ascii(patterns[id])))
      return view.with(ViewStep::fold_simple);
  return view;
}

// Views patterns. `given` is the view that the caller asked for; `view` may fold besides. `spelled` tells
// what spellings belong to; nothing if there are no forms.
PatternSet viewed_patterns(const PatternSet& patterns, const View& given, const View& view,
                           const SpelledPatterns& spelled) {
  const std::vector<std::uint32_t>& ids = spelled.ids;
  const auto is_kept = [&](std::uint32_t id) {
    if (folds_bytes(patterns, id, spelled.forms)) return true;
    return given.folds() ? patterns.keeps_case(id) : !patterns.ignore_case(id);
  };
  bool any_kept = false;
  for (std::uint32_t id = 0; id < patterns.size() && !any_kept; ++id) any_kept = view.folds() && is_kept(id);
  // Where texts may be searched as they lie, the search folds ASCII; elsewhere the view has done it.
  const bool ignores_case = view.folds() && (view.keeps_ascii() || any_kept);
  const text::Viewer viewer(view.without_decoding()), case_viewer(view.without_decoding().without_fold());
  PatternSet result;
  result.reserve(patterns.size(), patterns.total_bytes());
  ViewedText viewed;
  for (std::uint32_t id = 0; id < patterns.size(); ++id) {
    const std::string_view pattern = patterns[id];
    const bool keeps_case = any_kept && is_kept(id);
    viewed.bytes.clear();
    viewed.spans.clear();
    (keeps_case ? case_viewer : viewer).append(pattern, 0, pattern.size(), 0, viewed);
    // A pattern stays as it was given if the view changed no more than the case of ASCII letters.
    if (ignores_case && !keeps_case && equal_but_for_case(viewed.bytes, pattern)) viewed.bytes = pattern;
    if (viewed.bytes.empty())
      throw Error(ErrorKind::invalid_pattern, "nothing is left of pattern " +
                                                  std::to_string(ids.empty() ? id : ids[id]) + ", '" +
                                                  std::string(pattern) + "', in the view " + view.name());
    const std::string_view label = patterns.label(id);
    const bool ignores = folds_bytes(patterns, id, spelled.forms) || (ignores_case && !keeps_case);
    result.add(viewed.bytes, ignores, label.empty() && viewed.bytes != pattern ? pattern : label);
    if (const auto replacement = patterns.replacement(id)) result.set_replacement(id, *replacement);
  }
  return result;
}

text::UnchangedText unchanged_text(const PlanData& plan, const View& view) {
  const PatternSet& patterns = plan.patterns;
  using Kind = text::UnchangedText::Kind;
  if (view.empty()) return text::UnchangedText(Kind::all);
  if (!view.keeps_ascii()) return text::UnchangedText(Kind::none);
  const View fold_alone = View().with(ViewStep::fold_simple);
  bool are_plain = view == fold_alone || view == View().with(ViewStep::fold_ascii);
  for (std::uint32_t id = 0; id < patterns.size() && are_plain; ++id)
    are_plain = !patterns.ignore_case(id) || plan.folds_bytes(id) ||
                (view == fold_alone ? is_ascii(patterns[id]) : is_utf8(patterns[id]));
  return text::UnchangedText(!are_plain ? Kind::ascii : view == fold_alone ? Kind::plain : Kind::all);
}

}  // namespace

void PlanData::set_owners() {
  if (forms.empty()) return;
  for (std::uint32_t spelling = 0; spelling < patterns.size(); ++spelling) {
    const auto form = static_cast<Form>(spelled_forms[spelling]);
    if (form == Form::as_given) {
      const std::uint32_t id = given.add(patterns[spelling], patterns.ignore_case(spelling), patterns.label(spelling));
      if (const auto replacement = patterns.replacement(spelling)) given.set_replacement(id, *replacement);
    } else {
      given.set_forms(spelled_ids[spelling], given.forms(spelled_ids[spelling]).with(form));
    }
  }
  owner_ids.reserve(group_ids.size());
  owner_forms.reserve(group_ids.size());
  for (const std::uint32_t spelling : group_ids) {
    owner_ids.push_back(spelled_ids[spelling]);
    owner_forms.push_back(spelled_forms[spelling]);
  }
  if (!forms.has(Form::utf_16le) && !forms.has(Form::utf_16be)) return;
  units.reserve(distinct_count());
  for (std::uint32_t distinct = 0; distinct < distinct_count(); ++distinct)
    units.push_back(code_unit(static_cast<Form>(forms_of(distinct).front())));
}

void PlanData::check_condition(Condition condition) const {
  if (condition == Condition::none) return;
  for (std::uint32_t distinct = 0; distinct < units.size(); ++distinct) {
    for (std::uint32_t place = 0; place < multiplicity(distinct); ++place) {
      const auto first = static_cast<Form>(forms_of(distinct).front()),
                 other = static_cast<Form>(forms_of(distinct)[place]);
      if (code_unit(other) == units[distinct]) continue;
      const auto name = [&](Form form, std::uint32_t id) {
        return "pattern " + std::to_string(id) + " (" + std::string(form_name(form)) + ")";
      };
      throw Error(ErrorKind::unsupported, name(first, ids(distinct).front()) + " and " +
                                              name(other, ids(distinct)[place]) +
                                              " are the same bytes, so whole words and lines cannot be told in both: "
                                              "search for them by themselves");
    }
  }
}

void PlanData::set_viewers() {
  unchanged = unchanged_text(*this, view.without_decoding());
  const View of_patterns = view.without_decoding();
  if (of_patterns.empty()) return;
  viewer = std::make_shared<const text::Viewer>(of_patterns);
  if (!view.folds() || !patterns.any_ignore_case()) return;
  for (std::uint32_t id = 0; id < patterns.size() && !keeps_case; ++id)
    keeps_case = !patterns.ignore_case(id) || folds_bytes(id);
  const View rest = of_patterns.without_fold();
  if (keeps_case && !rest.empty()) case_viewer = std::make_shared<const text::Viewer>(rest);
}

std::uint64_t PlanData::memory_bytes() const {
  std::uint64_t bytes = patterns.total_bytes() + patterns.size() * sizeof(std::uint64_t);
  if (patterns.any_ignore_case()) bytes += patterns.size();
  if (patterns.has_labels()) bytes += patterns.size() * sizeof(std::uint64_t);
  bytes += (representative.size() + group_starts.size() + group_ids.size()) * sizeof(std::uint32_t);
  if (!forms.empty()) {
    bytes += (spelled_ids.size() + owner_ids.size()) * (sizeof(std::uint32_t) + sizeof(std::uint8_t));
    bytes += given.total_bytes() + given.size() * (sizeof(std::uint64_t) + sizeof(Forms));
  }
  bytes += units.size() + filter.classes.size() * sizeof(LengthClass) +
           filter.bucket_starts.size() * sizeof(std::uint32_t) + filter.entries.size() * sizeof(WindowEntry);
  return bytes + text_sample.size();
}

Plan Plan::build(PatternSet patterns, const PlanOptions& options) {
  if (patterns.empty()) throw Error(ErrorKind::invalid_pattern, "there is no pattern: give at least one");
  auto data = std::make_shared<PlanData>();
  data->forms = all_forms(patterns);
  SpelledPatterns spelled;
  if (!data->forms.empty()) {
    spelled = spell_patterns(patterns, options.view);
    patterns = std::move(spelled.patterns);
  }
  data->view = view_of(patterns, options.view, spelled.forms);
  data->patterns =
      data->view.empty() ? std::move(patterns) : viewed_patterns(patterns, options.view, data->view, spelled);
  if (!data->forms.empty()) {
    spelled.patterns = std::move(data->patterns);
    spelled = without_equal_spellings(spelled);
    data->patterns = std::move(spelled.patterns);
    data->spelled_ids = std::move(spelled.ids);
    data->spelled_forms = std::move(spelled.forms);
  }
  data->set_viewers();
  // Two steps go over the patterns: putting equal ones together, and choosing windows for the distinct ones.
  BuildMonitor monitor(options, std::uint64_t{data->patterns.size()} * 2);
  group_equal_patterns(*data, options, monitor);
  data->set_owners();
  data->text_sample = options.text_sample.substr(0, max_text_sample_bytes);
  data->filter = build_filter_tables(*data, cpu_filter_costs, options, monitor);
  monitor.advance(data->patterns.size() - data->distinct_count());
  return Plan(std::move(data));
}

void Plan::save(const std::filesystem::path& path) const { PlanFile::write(*data_, path); }

Plan Plan::load(const std::filesystem::path& path, unsigned threads) { return PlanFile::read(path, threads); }

std::string Plan::serialize() const { return PlanFile::to_bytes(*data_); }

Plan Plan::deserialize(std::string_view blob) { return PlanFile::from_bytes(blob, "the plan"); }

const PatternSet& Plan::patterns() const noexcept { return data_->users_patterns(); }

Forms Plan::forms() const noexcept { return data_->forms; }

const View& Plan::view() const noexcept { return data_->view; }

bool may_span(const Plan& plan, char byte) {
  const View& view = plan.view();
  return view.decodes() || view.has(ViewStep::one_space) || view.has(ViewStep::drop_space) ||
         plan.data().patterns.any_contains(byte);
}

std::uint64_t certain_until(const Plan& plan, std::string_view text) {
  const std::uint64_t reach = plan.data().patterns.max_length();
  if (plan.view().decodes()) return 0;  // the text's begin must be known
  if (plan.view().empty())
    return text.size() - std::min<std::uint64_t>(text.size(), reach - 1 + most_condition_bytes_behind);
  const text::Viewer& viewer = *plan.data().viewer;
  // Nothing that follows can change what stands before the last cut. The end may cut a character, so none is taken there.
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
