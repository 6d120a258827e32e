#include "plan/length_classes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "plan/pair_counts.hpp"
#include "plan/plan_data.hpp"

namespace lode {
namespace {

constexpr std::uint32_t most_lengths = max_window_length + 16 - 1;

// A pattern's rarest window is taken. With n windows to choose from, the text holds it n^rarity times less often than
// any window of the pattern. The number is fitted to English words and phrases.
constexpr double rarity = 1.5;
// With FilterCosts::thorough the rarest of many windows is taken to be at least this share as frequent as any of them.
// This matters where windows at every place cost little.
constexpr double least_rarity = 0.13;

constexpr std::size_t most_samples = 8192;

// Pairs of bytes are counted in sets of at least least_counted_patterns patterns: in about most_counted_patterns of
// these, and in the first most_counted_bytes of each. Where they are as rare as rare_pair, bytes are taken to be
// independent. Longer windows are then rarer still, but all windows of two bytes equally rare.
constexpr std::uint32_t least_counted_patterns = 32;
constexpr std::uint32_t most_counted_patterns = 4096;
constexpr std::size_t most_counted_bytes = 64;
constexpr double rare_pair = 1.0 / 256;

// of[n] is the chance that a window of n bytes of the text equals one given window of a pattern.
struct Chances {
  std::array<double, max_window_length + 1> of{};
  bool rare_pairs = false;  // whether of[2] was counted and is low
};

// The number of bytes of the text's sample that are searched for the longest windows, where patterns share them.
constexpr std::size_t most_looked_up_bytes = std::size_t{1} << 14;

struct Choice {
  double cost = std::numeric_limits<double>::infinity();
  std::uint32_t stride = 1;
  std::uint32_t window = 1;
};

std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15u;
  std::uint64_t mixed = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  return mixed ^ (mixed >> 31);
}

template <class Value>
double count_equal_pairs(const std::vector<Value>& sorted) {
  double pairs = 0;
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin;
    while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
    pairs += static_cast<double>(end - begin) * static_cast<double>(end - begin - 1) / 2;
    begin = end;
  }
  return pairs;
}

// Estimates Chances::of[2]. Windows of two bytes can be counted: in the patterns, and in the text's sample, if there is
// one. The higher of the two counts, since a sample may be unlike the text.
double estimate_pair_chance(const PlanData& plan) {
  const bool folded = plan.patterns.any_ignore_case();
  PairCounts of_patterns(folded);
  const std::uint32_t step = 1 + (plan.distinct_count() - 1) / most_counted_patterns;
  for (std::uint32_t distinct = 0; distinct < plan.distinct_count(); distinct += step) {
    const auto pattern = plan.bytes(distinct);
    of_patterns.add(pattern.first(std::min(pattern.size(), most_counted_bytes)));
  }
  if (of_patterns.is_empty()) return 1;
  const PairCounts of_text = PairCounts::of_sample(plan.text_sample, folded);
  double own = 0;
  double others = 0;
  for (std::uint32_t pair = 0; pair < PairCounts::pairs; ++pair) {
    const double count = of_patterns[pair];
    own += count * (count - 1);
    others += of_text.is_empty() ? 0 : count * of_text[pair];
  }
  const auto pairs = static_cast<double>(of_patterns.total());
  const double of_own = std::max(own, 1.0) / (pairs * pairs);
  return of_text.is_empty() ? of_own : std::max(of_own, others / (pairs * static_cast<double>(of_text.total())));
}

// Estimates Chances::of for the longest windows, given by their sorted hashes, from the text's sample; 1 where that is
// too short. What patterns share need not be frequent in the text: a common prefix. This is asked only where all
// patterns have such windows. The chances of others are estimated from the patterns, and would seem too high beside it.
double estimate_long_window_chance(const PlanData& plan, const std::vector<std::uint32_t>& hashes) {
  const std::string_view sample = std::string_view(plan.text_sample).substr(0, most_looked_up_bytes);
  if (sample.size() < most_looked_up_bytes || hashes.empty()) return 1;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(sample.data());
  const std::size_t places = sample.size() - max_window_length + 1;
  double equal = 0;
  for (std::size_t at = 0; at < places; ++at) {
    const std::uint32_t hash = window_hash(bytes + at, max_window_length, plan.patterns.any_ignore_case());
    const auto [first, last] = std::equal_range(hashes.begin(), hashes.end(), hash);
    equal += static_cast<double>(last - first);
  }
  return std::max(equal, 1.0) / (static_cast<double>(places) * static_cast<double>(hashes.size()));
}

Chances estimate_window_chances(const PlanData& plan, std::uint32_t min_length, bool thorough) {
  // With so many samples each chance shows that would cost a set of this size something.
  const auto samples = thorough ? most_samples
                                : static_cast<std::size_t>(std::clamp(std::sqrt(200.0 * plan.distinct_count()), 16.0,
                                                                      static_cast<double>(most_samples)));
  Chances chances;
  chances.of[0] = 1;
  const double pair_chance =
      !thorough && plan.distinct_count() >= least_counted_patterns ? estimate_pair_chance(plan) : 1;
  chances.rare_pairs = pair_chance <= rare_pair;
  std::uint64_t state = 1;
  std::vector<std::uint32_t> hashes;
  std::vector<std::uint64_t> drawn;  // where each window was drawn
  for (std::uint32_t window = 1; window <= max_window_length; ++window) {
    hashes.clear();
    drawn.clear();
    for (std::size_t sample = 0; sample < samples; ++sample) {
      const auto distinct = static_cast<std::uint32_t>(next_random(state) % plan.distinct_count());
      const auto pattern = plan.bytes(distinct);
      if (pattern.size() < window) continue;
      const std::uint64_t offset = next_random(state) % (pattern.size() - window + 1);
      hashes.push_back(window_hash(pattern.data() + offset, window, plan.patterns.any_ignore_case()));
      drawn.push_back(std::uint64_t{distinct} << 32 | offset);
    }
    std::sort(hashes.begin(), hashes.end());
    // A small set draws the same window of the same pattern again and again; that says nothing about the text.
    std::sort(drawn.begin(), drawn.end());
    const double equal_pairs = count_equal_pairs(hashes) - count_equal_pairs(drawn);
    const double pairs = static_cast<double>(hashes.size()) * (static_cast<double>(hashes.size()) - 1) / 2;
    const double measured = pairs > 0 ? std::max(0.0, equal_pairs / pairs) : 0;
    double floor = std::pow(0.5, 3.0 * window);
    if (thorough) {
      // If no two windows are equal, they may be as rare as so many different ones can tell.
      const auto different = static_cast<double>(std::unique(drawn.begin(), drawn.end()) - drawn.begin());
      if (different > 1) floor = std::min(floor, 2 / (different * (different - 1)));
    }
    if (chances.rare_pairs && window >= 2) floor = std::min(floor, std::pow(pair_chance, window / 2.0));
    chances.of[window] =
        std::min(chances.of[window - 1], chances.rare_pairs && window == 2 ? pair_chance : std::max(measured, floor));
    if (!thorough && window == max_window_length && min_length >= window && measured > floor)
      chances.of[window] = std::min(chances.of[window], std::max(floor, estimate_long_window_chance(plan, hashes)));
  }
  return chances;
}

Choice choose_for(std::uint32_t min_length, std::uint64_t count, std::uint64_t total_length, const Chances& chances,
                  const FilterCosts& costs) {
  Choice best;
  for (std::uint32_t stride = 1; stride <= std::min(costs.max_stride, min_length); stride *= 2) {
    const std::uint32_t window = std::min(max_window_length, min_length - stride + 1);
    const auto patterns = static_cast<double>(count);
    const double look = 1.0 / stride;
    const double choices = (static_cast<double>(total_length) / patterns - window + 1) / stride;
    const double rare =
        chances.rare_pairs && window == 2 ? 1 : std::max(std::pow(choices, -rarity), costs.thorough ? least_rarity : 0);
    const double entries = patterns * chances.of[window] * rare;  // the entries that one byte of text meets
    const double passing = std::min(1.0 / stride, entries);
    // The share of places that the best filter of near_bits lets through by mistake.
    const double far = costs.near_bits > 0 ? std::pow(0.6185, costs.near_bits / (patterns * stride)) : 0;
    double cost = look * (far * costs.far_look + (window > 8 ? costs.long_window : 1.0)) + passing * costs.candidate +
                  entries * costs.entry;
    if (patterns <= costs.compare_limit)
      cost = std::min(cost, patterns * costs.compare_per_pattern + costs.look_up_share * cost);
    if (cost < best.cost) best = {cost, stride, window};
  }
  best.cost += costs.pass;
  return best;
}

}  // namespace

std::vector<LengthClass> choose_length_classes(const PlanData& plan, const FilterCosts& costs) {
  // All lengths from here on count as one: the longest window fits at the widest stride.
  const std::uint32_t top_length = max_window_length + costs.max_stride - 1;
  std::array<std::uint64_t, most_lengths + 1> counts{};
  std::array<std::uint64_t, most_lengths + 1> total_lengths{};
  std::array<std::uint32_t, most_lengths + 1> longest{};
  for (std::uint32_t distinct = 0; distinct < plan.distinct_count(); ++distinct) {
    const auto length = static_cast<std::uint32_t>(plan.bytes(distinct).size());
    const std::uint32_t slot = std::min(length, top_length);
    ++counts[slot];
    total_lengths[slot] += std::min(length, max_window_offset + max_window_length);
    longest[slot] = std::max(longest[slot], length);
  }
  const auto shortest = static_cast<std::uint32_t>(
      std::find_if(counts.begin(), counts.end(), [](std::uint64_t count) { return count != 0; }) - counts.begin());
  const auto chances = estimate_window_chances(plan, shortest, costs.thorough);

  // best_cost[n]: least cost of the lengths below n; the last class of that division starts at best_begin[n].
  std::array<double, most_lengths + 2> best_cost{};
  std::array<std::uint32_t, most_lengths + 2> best_begin{};
  for (std::uint32_t end = 2; end <= top_length + 1; ++end) {
    best_cost[end] = std::numeric_limits<double>::infinity();
    std::uint64_t count = 0;
    std::uint64_t total_length = 0;
    std::uint32_t min_length = 0;
    for (std::uint32_t begin = end - 1; begin >= 1; --begin) {
      count += counts[begin];
      total_length += total_lengths[begin];
      if (counts[begin] != 0) min_length = begin;
      const double own = count == 0 ? 0 : choose_for(min_length, count, total_length, chances, costs).cost;
      if (best_cost[begin] + own < best_cost[end]) {
        best_cost[end] = best_cost[begin] + own;
        best_begin[end] = begin;
      }
    }
  }

  std::vector<LengthClass> classes;
  for (std::uint32_t end = top_length + 1; end > 1; end = best_begin[end]) {
    LengthClass length_class;
    std::uint64_t total_length = 0;
    for (std::uint32_t length = best_begin[end]; length < end; ++length) {
      if (counts[length] == 0) continue;
      if (length_class.min_length == 0) length_class.min_length = length;
      length_class.max_length = std::max(length_class.max_length, longest[length]);
      length_class.pattern_count += static_cast<std::uint32_t>(counts[length]);
      total_length += total_lengths[length];
    }
    if (length_class.pattern_count == 0) continue;
    const Choice choice = choose_for(length_class.min_length, length_class.pattern_count, total_length, chances, costs);
    length_class.stride = choice.stride;
    length_class.window = choice.window;
    classes.push_back(length_class);
  }
  std::reverse(classes.begin(), classes.end());
  return classes;
}

}  // namespace lode
