// The scanner of `filter`: which classes of a plan are scanned by look-ups of windows (filter.cpp).
//
// Small classes are sieved together (sieve.hpp), a class of few patterns, or of short ones that occur often, is scanned
// pattern by pattern as `vector` does, all others are looked up: whichever costs least by a sample of the text, where there
// is one. Where marks of letters that few patterns share cost less than all of that, they count (letter_group.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cpu/filter_class.hpp"
#include "cpu/letter_group.hpp"
#include "cpu/scanner.hpp"
#include "cpu/sieve.hpp"
#include "cpu/vector.hpp"

namespace lode {
namespace {

// Scanning a class pattern by pattern costs less than sampling up to this many patterns, for stride 1.
constexpr std::uint32_t few_patterns = 16;
// A sieve that lets more through, of each place, costs more than sampling.
constexpr double most_sieve_passes = 0.1;
// Cycles for each byte, of a Xeon and a Zen 5: sieving, what passes, `vector` for each pattern. What `vector` costs for a
// pattern whose probes let little through, and for each candidate, is a Zen 3's and another Xeon's
// (bench/results/zen3-2-cores-2026-11-25/few-patterns-trials.md); what three probes, counting and letters cost is of a sweep
// on an H100's host (bench/results/xeon-16-cores-2026-11-25/later/sweep.json) and of that Zen 3.
constexpr double sieve_cost = 0.3;
constexpr double narrow_sieve_cost = 0.36;  // a Zen 3's, without AVX-512
constexpr double sieve_pass_cost = 40;
constexpr double sieve_pass_cost_of_few = 45;  // up to sampled_patterns
constexpr double vector_cost = 0.16;
constexpr double rare_vector_cost = 0.062;
constexpr double passed_cost = 60;  // of what two probes let through
constexpr double candidate_cost = 100;
// Where two probes let more than this through, of each place, a third one joins; where three do, letters are shifted until
// none of 512 places is left. What two decide is counted, whatever they let through.
constexpr double rare_probes = 1.0 / 1024;
constexpr double three_probes_cost = 0.11;
constexpr double most_of_three_probes = 1.0 / 1024;
constexpr double counting_cost = 0.058;
constexpr double counting_cost_of_many = 0.085;  // of two bytes, in smaller blocks
constexpr double narrow_counting_cost_of_many = 0.066;
constexpr double most_shifts = 11;
// Where letters are found to be wanted anew in each of the small blocks that more patterns have.
constexpr double letters_of_many_factor = 1.5;
// Beside what counting costs in a pass with others.
constexpr double pass_cost = 0.015;
// Cycles: a window that the text holds, of a Zen 5. A look-up in a class's filter, and what each word of a window takes of
// it, two at least; 2 and with four words 2.8, where a Zen 4 takes 2 and 3.2, Xeons and a Zen 5 down to 1.6 and 2.4.
constexpr double window_cost = 20;
constexpr double look_up_cost = 1.2;
constexpr double word_cost = 0.4;
constexpr std::uint32_t least_words = 2;
constexpr std::uint32_t most_dense_patterns = LetterGroup::most_patterns;
constexpr std::uint32_t most_counted_patterns = 256;  // decided by two probes
constexpr std::uint32_t most_dense_length = 32;       // which probes decide
// Bytes of the text's sample that are looked at to tell what is rare, and of how many patterns at most.
constexpr std::size_t rare_sample_bytes = std::size_t{1} << 14;
constexpr std::ptrdiff_t sampled_patterns = 8;
constexpr std::size_t dense_sample_bytes = std::size_t{1} << 13;

// So few short patterns are left out of a sieve, and scanned by themselves, where it lets clearly less through without them.
constexpr std::ptrdiff_t most_left_out = 4;

struct LettersCosts {
  double few;  // and for each shift
  double shift;
  double many;
};
constexpr LettersCosts letters_costs = {0.12, 0.01, 0.13};
constexpr LettersCosts narrow_letters_costs = {0.084, 0.0315, 0.252};  // without AVX-512

const char* name_of(Sieve::Tests tests) { return tests == Sieve::Tests::pairs ? "pairs of bytes" : "halves of bytes"; }

bool is_wide(InstructionSet set) { return set == InstructionSet::avx512vbmi; }

// Infinite where a sieve lets too much through.
double sieve_cycles(const Sieve& sieve, std::ptrdiff_t patterns, InstructionSet set) {
  if (sieve.expected_passes() > most_sieve_passes) return std::numeric_limits<double>::infinity();
  return (is_wide(set) ? sieve_cost : narrow_sieve_cost) +
         (patterns <= sampled_patterns ? sieve_pass_cost_of_few : sieve_pass_cost) * sieve.expected_passes();
}

// Cycles of `vector` for each byte of a text like the sample.
double vector_cycles(const PlanData& plan, std::uint32_t distinct, InstructionSet set) {
  const VectorPattern pattern(plan, distinct);
  const std::string_view text = std::string_view(plan.text_sample).substr(0, rare_sample_bytes);
  const Probe& first = pattern.probes[0];
  const Probe& second = pattern.probes[1];
  const auto is_at = [&](const Probe& probe, std::size_t at) {
    return (static_cast<std::uint8_t>(text[at + probe.offset]) | probe.case_bit) == probe.byte;
  };
  if (text.size() < rare_sample_bytes) return vector_cost;
  std::size_t candidates = 0;
  std::size_t third_candidates = 0;
  const std::size_t places = text.size() - pattern.probe_reach;
  for (std::size_t at = 0; at < places; ++at) {
    if (!is_at(first, at) || !is_at(second, at)) continue;
    ++candidates;
    third_candidates += is_at(pattern.probes[2], at) ? 1 : 0;
  }
  const double share = static_cast<double>(candidates) / static_cast<double>(places);
  const double two_probes = rare_vector_cost + passed_cost * share;
  const bool are_many = plan.distinct_count() > VectorPattern::most_together;
  if (pattern.is_decided_by_two()) {
    const double of_many = is_wide(set) ? counting_cost_of_many : narrow_counting_cost_of_many;
    return std::min(two_probes, are_many && pattern.bytes.size() > 1 ? of_many : counting_cost);
  }
  if (share < rare_probes) return two_probes;
  const double share_of_three = static_cast<double>(third_candidates) / static_cast<double>(places);
  if (share_of_three < most_of_three_probes) return three_probes_cost + candidate_cost * share_of_three;
  const LettersCosts& costs = is_wide(set) ? letters_costs : narrow_letters_costs;
  const double factor = are_many ? letters_of_many_factor : 1;
  if (pattern.letter_count > VectorPattern::usual_letters) return factor * costs.many;
  const double shifts = 2 * std::log(512.0) / std::max(-std::log(share), 0.1);
  return factor * (costs.few + costs.shift * std::min({shifts, most_shifts, static_cast<double>(pattern.probe_count)}));
}

// The share of a text's places, as the sample has it, that hold windows of the class; none without a sample.
std::optional<double> share_of_windows(const PlanData& plan, const LengthClass& made) {
  const std::string_view text = std::string_view(plan.text_sample).substr(0, dense_sample_bytes);
  if (text.size() < dense_sample_bytes) return std::nullopt;
  std::vector<std::uint32_t> windows;
  for (std::uint64_t at = 0; at < made.entry_count; ++at) {
    const WindowEntry& entry = plan.filter.entries[made.first_entry + at];
    windows.push_back(window_hash(plan.bytes(entry.distinct).data() + entry.offset, made.window, made.fold != 0));
  }
  std::sort(windows.begin(), windows.end());
  std::size_t found = 0;
  const std::size_t places = text.size() - made.window + 1;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  for (std::size_t at = 0; at < places; at += made.stride)
    found += std::binary_search(windows.begin(), windows.end(), window_hash(bytes + at, made.window, made.fold != 0));
  return static_cast<double>(found) / static_cast<double>(places);
}

std::vector<std::uint32_t> members_of(const PlanData& plan, const LengthClass& made) {
  std::vector<std::uint32_t> members;
  for (std::uint64_t entry = 0; entry < made.entry_count; ++entry)
    members.push_back(plan.filter.entries[made.first_entry + entry].distinct);
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return members;
}

bool are_few(const LengthClass& made) { return made.pattern_count * made.stride <= few_patterns; }

// How a class is scanned that is not sieved: its patterns one by one, or looked up by windows.
struct Way {
  bool one_by_one = false;
  double cycles = 0;  // for each byte
};

// Without a sample of the text few patterns are scanned one by one. With one, that costs less; what may be many of a text's
// bytes are short patterns, of which probes decide.
Way cheapest_way(const PlanData& plan, const LengthClass& made, InstructionSet set) {
  Way way{are_few(made), vector_cost * made.pattern_count};
  if (made.pattern_count > (made.max_length > 2 ? most_dense_patterns : most_counted_patterns)) return way;
  const std::vector<std::uint32_t> members = members_of(plan, made);
  if (!members.empty()) {
    const std::size_t step = 1 + (members.size() - 1) / static_cast<std::size_t>(sampled_patterns);
    double cycles = 0;
    std::size_t sampled = 0;
    for (; sampled * step < members.size(); ++sampled) cycles += vector_cycles(plan, members[sampled * step], set);
    way.cycles = cycles / static_cast<double>(sampled) * made.pattern_count;
  }
  const std::optional<double> share = share_of_windows(plan, made);
  if (!share) return way;
  const double look_up = look_up_cost + word_cost * std::max(least_words, window_words(made.window));
  const double looked_up = look_up / made.stride + window_cost * *share;
  way.one_by_one = way.cycles < looked_up && (way.one_by_one || made.max_length <= most_dense_length);
  way.cycles = way.one_by_one ? way.cycles : looked_up;
  return way;
}

class FilterScanner final : public Scanner {
 public:
  FilterScanner(const PlanData& plan, InstructionSet set, unsigned threads)
      : run_class_(class_runner(set)),
        run_patterns_(vector_runner(set)),
        run_sieve_(sieve_runner(set)),
        run_letters_(letter_group_runner(set)) {
    const std::vector<bool> is_sieved = choose_sieve(plan, set);
    double cycles = sieved_cycles_;
    for (std::size_t at = 0; at < is_sieved.size(); ++at) {
      const LengthClass& made = plan.filter.classes[at];
      if (is_sieved[at]) continue;
      const Way way = cheapest_way(plan, made, set);
      cycles += way.cycles;
      if (!way.one_by_one)
        classes_.emplace_back(plan, made, set, threads);
      else if (are_few(made))
        add_patterns(plan, made, patterns_);
      else
        add_patterns(plan, made, dense_.emplace_back(FilterClass(plan, made, set, threads)).patterns);
    }
    choose_letters(plan, set, cycles);
  }

  std::string describe() const override {
    std::string told;
    const auto add = [&told](const std::string& part) { told += (told.empty() ? "" : "; ") + part; };
    if (sieve_) add(fmt::format("{} by a sieve of {}", sieved_patterns_, name_of(sieve_->tests())));
    if (!patterns_.empty()) add(fmt::format("{} by probes", patterns_.size()));
    for (const FilterClass& filter : classes_) add(filter.describe());
    for (const Dense& dense : dense_) add(dense.filter.describe() + ", counted by probes");
    if (letters_) add(fmt::format("all counted by {} letters they share", letters_->letters().size()));
    return told;
  }

  void scan(Collector& out) const override {
    if (letters_ && out.takes_counts()) {
      run_letters_(*letters_, out);
      return;
    }
    run_patterns_(patterns_, out);
    if (sieve_) run_sieve_(*sieve_, out);
    for (const FilterClass& filter : classes_) run_class_(filter, out);
    for (const Dense& dense : dense_) {
      if (out.takes_counts()) {
        run_patterns_(dense.patterns, out);
      } else {
        run_class_(dense.filter, out);
      }
    }
  }

 private:
  // A class whose occurrences are counted pattern by pattern, and listed in order.
  struct Dense {
    explicit Dense(FilterClass made) : filter(std::move(made)) {}
    FilterClass filter;
    std::vector<VectorPattern> patterns;
  };

  // Which classes are sieved: the smallest ones, as many as there is room for, if that costs less than otherwise. Without
  // their patterns of one byte, which a sieve does not take, and without the next longer ones, if that costs less still:
  // those are scanned by themselves.
  std::vector<bool> choose_sieve(const PlanData& plan, InstructionSet set) {
    const std::vector<LengthClass>& classes = plan.filter.classes;
    std::vector<bool> best(classes.size());
    if (set == InstructionSet::baseline) return best;  // which has no look-ups
    std::vector<std::size_t> order(classes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return classes[a].pattern_count < classes[b].pattern_count; });
    std::vector<bool> chosen = best;
    std::vector<std::uint32_t> members;
    double least_cycles = 0;
    const auto length_of = [&](std::uint32_t distinct) { return plan.bytes(distinct).size(); };
    const auto is_one_byte = [&](std::uint32_t distinct) { return length_of(distinct) == 1; };
    for (const std::size_t at : order) {
      if (members.size() + classes[at].pattern_count > Sieve::most_patterns + most_left_out) break;
      const std::vector<std::uint32_t> more = members_of(plan, classes[at]);
      if (std::count_if(more.begin(), more.end(), is_one_byte) > most_left_out) continue;
      members.insert(members.end(), more.begin(), more.end());
      chosen[at] = true;
      least_cycles += cheapest_way(plan, classes[at], set).cycles;
    }
    if (members.size() > Sieve::most_patterns + most_left_out)
      return best;  // damaged plans may have more than they say
    std::stable_sort(members.begin(), members.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return length_of(a) < length_of(b); });
    std::vector<std::uint32_t> left_out;
    double cycles_of_left_out = 0;
    for (auto first = members.cbegin(); members.cend() - first >= 2;) {  // one is `vector`'s
      if (!is_one_byte(*first) && members.cend() - first <= Sieve::most_patterns) {
        auto sieve = std::make_unique<const Sieve>(plan, std::vector<std::uint32_t>(first, members.cend()), set);
        const double cycles = sieve_cycles(*sieve, members.cend() - first, set) + cycles_of_left_out;
        if (cycles <= least_cycles) {
          least_cycles = cycles;
          best = chosen;
          left_out.assign(members.cbegin(), first);
          sieve_ = std::move(sieve);
          sieved_patterns_ = members.cend() - first;
          sieved_cycles_ = cycles;
        }
      }
      const std::size_t length = length_of(*first);
      if (length >= Sieve::most_core_bytes) break;
      for (; first != members.cend() && length_of(*first) == length; ++first)
        cycles_of_left_out += vector_cycles(plan, *first, set) + pass_cost;
      if (first - members.cbegin() > most_left_out) break;
    }
    for (const std::uint32_t distinct : left_out) patterns_.emplace_back(plan, distinct);
    return best;
  }

  // Whether occurrences are counted by letters that the patterns have in common, where that takes less than `cycles`.
  void choose_letters(const PlanData& plan, InstructionSet set, double cycles) {
    if (set == InstructionSet::baseline || plan.distinct_count() < 2 ||
        plan.distinct_count() > LetterGroup::most_patterns || plan.text_sample.size() < rare_sample_bytes)
      return;
    std::vector<std::uint32_t> distincts(plan.distinct_count());
    std::iota(distincts.begin(), distincts.end(), std::uint32_t{0});
    letters_ = LetterGroup::make(plan, distincts, std::string_view(plan.text_sample).substr(0, rare_sample_bytes));
    if (letters_ && letters_->cycles(set) >= cycles) letters_.reset();
  }

  static void add_patterns(const PlanData& plan, const LengthClass& made, std::vector<VectorPattern>& patterns) {
    for (const std::uint32_t distinct : lode::members_of(plan, made)) patterns.emplace_back(plan, distinct);
  }

  ClassRunner run_class_;
  VectorRunner run_patterns_;
  SieveRunner run_sieve_;
  LetterGroupRunner run_letters_;
  std::vector<VectorPattern> patterns_;
  std::unique_ptr<const Sieve> sieve_;  // or none
  std::ptrdiff_t sieved_patterns_ = 0;
  double sieved_cycles_ = 0;  // for each byte, of what is sieved, and of what was left out
  std::vector<FilterClass> classes_;
  std::vector<Dense> dense_;
  std::optional<LetterGroup> letters_;  // that counts take, instead of all the others
};

}  // namespace

std::unique_ptr<Scanner> make_filter_scanner(const PlanData& plan, InstructionSet set, unsigned threads) {
  return std::make_unique<FilterScanner>(plan, set, threads);
}

}  // namespace lode
