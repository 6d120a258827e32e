#include "gpu/records/cell_search.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "gpu/kernel_cache.hpp"
#include "text/condition.hpp"

namespace lode::gpu {
namespace {

// With more patterns no estimate is made, because searching cell by cell hardly ever costs less then.
constexpr std::uint32_t most_distincts = 64;
// The estimate reads at most about so much, summed over all patterns.
constexpr std::uint64_t most_estimate_bytes = std::uint64_t{1} << 20;

// Costs in picoseconds, measured on a large GPU. Wrong costs make a search slower and change no result.
constexpr double scanned_byte = 0.5;
constexpr double scanned_occurrence = 22;
constexpr double filled_cell = 4;
// Neighbouring items run in step, so all of them take as long as the one that has to read furthest.
constexpr double searched_cell = 5;
constexpr double searched_byte = 0.55;
constexpr std::uint64_t cells_in_step = 32;
// A long record keeps its work-item busy while the others have nothing left to do; this is the assumed cost of each
// byte. A record of at most `hidden_bytes` is done while others still run.
constexpr double lone_byte = 2000;
constexpr std::uint64_t hidden_bytes = 4096;
// The host's time to find the record of a listed occurrence, and to make a byte resident beyond the time to stream it.
constexpr double listed_occurrence = 14'000;
constexpr double staged_byte = 150;
// A part that becomes resident is at least as long as its longest record, so records must not be longer than this.
constexpr std::uint64_t most_staged_record_bytes = std::uint64_t{64} << 20;

// Counts the occurrences of a pattern in a sampled record, and how far its cell would have to be searched.
class Finder {
 public:
  Finder(const PlanData& plan, Condition condition, char line_terminator)
      : plan_(plan), condition_(plan.condition_check(condition, line_terminator)) {}

  struct Found {
    double occurrences = 0;
    double bytes = 0;  // read up to the first occurrence for which the condition holds
  };

  /// `beginning` is what is known of a record of `record_bytes` bytes.
  Found find(std::string_view beginning, std::uint64_t record_bytes, std::uint32_t distinct) const {
    const auto* const text = reinterpret_cast<const std::uint8_t*>(beginning.data());
    const std::span<const std::uint8_t> pattern = plan_.bytes(distinct);
    const bool folds = plan_.ignore_case(distinct);
    const auto folded = [folds](std::uint8_t byte) { return folds ? fold(byte) : byte; };
    Found found;
    found.bytes = static_cast<double>(record_bytes);
    bool is_first = true;
    for (std::size_t at = 0; at + pattern.size() <= beginning.size(); ++at) {
      if (folded(text[at]) != folded(pattern[0])) continue;
      if (!equal_bytes(text + at, pattern.data(), pattern.size(), folds)) continue;
      ++found.occurrences;
      if (!is_first || !holds(distinct, text, at, at + pattern.size(), record_bytes, beginning.size())) continue;
      is_first = false;
      found.bytes = static_cast<double>(at + 1);
    }
    return found;
  }

 private:
  bool holds(std::uint32_t distinct, const std::uint8_t* text, std::size_t start, std::size_t stop,
             std::uint64_t record_bytes, std::size_t known) const {
    // What lies behind the known bytes counts as a part of a word or line.
    return (stop == record_bytes || stop < known) && condition_.holds(distinct, text, start, stop, known);
  }

  const PlanData& plan_;
  const ConditionCheck condition_;
};

}  // namespace

CellKernel::CellKernel(Runtime& runtime)
    : launch_{1, helper_group_items(runtime), helper_group_items(runtime) * finish_bytes_per_item},
      max_groups_(std::uint64_t{runtime.limits().compute_units} * helper_groups_per_unit),
      kernel_(make_helper_kernel(runtime, "cells", "lode_cells", LODE_MODE_FIRST)) {}

std::uint32_t CellKernel::launch(Queue& queue, const Engine& engine, const RecordPart& part,
                                 const RecordArguments& arguments, std::uint64_t first, std::uint64_t last,
                                 const Buffer& answer) const {
  const std::uint32_t distincts = engine.plan().distinct_count();
  abi::lode_piece piece{};
  piece.condition = condition_value(arguments.condition);
  piece.line_terminator = static_cast<std::uint8_t>(engine.options().line_terminator);
  piece.has_utf_16 = engine.plan().units.empty() ? 0 : 1;
  const Buffer* const none = nullptr;
  const auto& stripes = part.text->stripes();  // there is none if all records are empty
  std::vector<Argument> all{Argument(stripes.empty() ? none : stripes[0].text.get()),
                            Argument(piece),
                            Argument(&engine.patterns()),
                            Argument(&engine.pattern_words()),
                            Argument(&answer),
                            Argument(none),
                            Argument(none)};
  append_arguments(all, arguments);
  all.insert(all.end(), {Argument(first), Argument(last - first), Argument(distincts)});
  Launch launch = launch_;
  launch.groups = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(((last - first) * distincts - 1) / launch.group_items + 1, 1, max_groups_));
  queue.launch(*kernel_, launch, all);
  return launch.groups;
}

namespace {

// An estimate for all records. Costs are picoseconds on the device.
struct Estimate {
  double occurrences = 0;
  double scan_cost = 0;
  double cell_cost = 0;
};

Estimate estimate_of(const PlanData& plan, const RecordSample& sample, Condition condition, char line_terminator) {
  const std::uint32_t distincts = plan.distinct_count();
  const Finder finder(plan, condition, line_terminator);
  const std::uint64_t step = 1 + sample.bytes.size() * distincts / most_estimate_bytes;
  double sampled_bytes = 0, occurrences = 0;
  double furthest = 0;  // bytes read for the furthest of the cells that run in step
  double furthest_sum = 0;
  std::uint64_t looked_at = 0, steps = 0;
  for (std::uint64_t at = 0; at < sample.records.size(); at += step) {
    const RecordSample::Beginning& one = sample.records[at];
    sampled_bytes += one.bytes;
    for (std::uint32_t distinct = 0; distinct < distincts; ++distinct) {
      const Finder::Found found =
          finder.find(std::string_view(sample.bytes).substr(one.first, one.bytes), one.record_bytes, distinct);
      occurrences += found.occurrences;
      furthest = std::max(furthest, found.bytes);
      if (++looked_at % cells_in_step != 0) continue;
      furthest_sum += std::exchange(furthest, 0);
      ++steps;
    }
  }
  // Cells too few for a whole step count as one.
  const double furthest_mean = steps == 0 ? furthest : furthest_sum / static_cast<double>(steps);
  const auto bytes = static_cast<double>(sample.total_bytes);
  const auto rows = static_cast<double>(sample.count);
  Estimate estimate;
  estimate.occurrences = occurrences * bytes / std::max(1.0, sampled_bytes);
  const std::uint64_t lone_bytes = std::max(sample.longest, hidden_bytes) - hidden_bytes;
  estimate.scan_cost = bytes * scanned_byte + estimate.occurrences * scanned_occurrence +
                       rows * static_cast<double>(plan.id_count()) * filled_cell;
  estimate.cell_cost =
      rows * distincts * (searched_cell + furthest_mean * searched_byte) + static_cast<double>(lone_bytes) * lone_byte;
  return estimate;
}

}  // namespace

bool has_few_patterns(const PlanData& plan) { return plan.distinct_count() <= most_distincts; }

bool is_worth_cell_search(const PlanData& plan, const RecordSample& sample, Condition condition, char line_terminator) {
  if (!has_few_patterns(plan) || sample.records.empty() || sample.longest > most_cell_record_bytes) return false;
  if (!plan.forms.empty()) return false;  // such cells are not searched (RecordSearch::searches_cells)
  const Estimate estimate = estimate_of(plan, sample, condition, line_terminator);
  return estimate.cell_cost < estimate.scan_cost;
}

bool is_worth_staging(const PlanData& plan, const RecordSample& sample, Mode mode, Condition condition,
                      char line_terminator) {
  if (mode == Mode::first) return is_worth_cell_search(plan, sample, condition, line_terminator);
  if (!has_few_patterns(plan) || sample.records.empty() || sample.longest > most_staged_record_bytes) return false;
  const double occurrences = estimate_of(plan, sample, condition, line_terminator).occurrences;
  return occurrences * listed_occurrence > static_cast<double>(sample.total_bytes) * staged_byte;
}

}  // namespace lode::gpu
