#include "cpu/strategy/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>

#include "cpu/strategy/costs.hpp"
#include "cpu/vector.hpp"

namespace lode {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// The number of bytes of the text's sample that estimates look at.
constexpr std::size_t probes_sample_bytes = std::size_t{1} << 14;
constexpr std::size_t windows_sample_bytes = std::size_t{1} << 13;
// The most patterns of a class that are estimated; the others are taken to cost as much.
constexpr std::size_t estimated_patterns = 8;

// A class has few patterns if their number times the stride is at most this. If probes cost less, they also list.
constexpr std::uint32_t few_patterns = 16;
// With a sample, a larger class may be counted by probes, too, if its patterns are so short that probes decide them.
constexpr std::uint32_t most_probed_patterns = LetterGroup::most_patterns;
constexpr std::uint32_t most_counted_patterns = 256;  // the patterns have at most two bytes
constexpr std::uint32_t most_probed_length = 32;

// A sieve through which more bins pass at each place is not considered: places that pass are then no longer
// independent, as the estimate takes them to be.
constexpr double most_sieve_passes = 0.1;
// So few patterns have a bin each, and a place that passes costs somewhat more.
constexpr std::size_t few_sieve_patterns = Sieve::bins;
// At most so many of the shortest patterns are left out of a sieve, and scanned by themselves, if the sieve lets
// clearly less through without them.
constexpr std::size_t most_left_out = 4;

// `vector` is estimated to take a third probe where two let through a larger share of places than this, and letters where
// three do.
constexpr double most_of_two_probes = 1.0 / 1024;
constexpr double most_of_three_probes = 1.0 / 1024;
// The shifts of letters are estimated to end when none of so many places is left, and after most_shifts at the latest.
constexpr double shifted_places = 512;
constexpr double most_shifts = 11;
// Larger sets have smaller blocks, and each block marks letters anew.
constexpr double letters_of_many_factor = 1.5;

// Classes with more windows would set most bits of a near table, or of a table of pairs.
constexpr std::uint64_t most_near_windows = 4096;
constexpr std::uint64_t most_pair_windows = 16384;
constexpr std::size_t most_counted_bytes = 64;  // the pairs of a pattern's first bytes are counted

const std::uint8_t* bytes_of(std::string_view text) { return reinterpret_cast<const std::uint8_t*>(text.data()); }

// Estimates the cycles that `vector` takes for one pattern.
class ProbesEstimate {
 public:
  ProbesEstimate(const PlanData& plan, InstructionSet set)
      : plan_(plan),
        costs_(costs_of(set)),
        text_(std::string_view(plan.text_sample).substr(0, probes_sample_bytes)),
        are_many_(plan.distinct_count() > VectorPattern::most_together) {}

  double cycles(std::uint32_t distinct) const {
    if (text_.size() < probes_sample_bytes) return costs_.probes;
    const VectorPattern pattern(plan_, distinct);
    const Shares shares = count_passes(pattern);
    const double two_probes = costs_.rare_probes + costs_.probes_pass * shares.two;
    if (pattern.is_decided_by_two())
      return std::min(two_probes, are_many_ && pattern.bytes.size() > 1 ? costs_.counted_among_many : costs_.counted);
    if (shares.two < most_of_two_probes) return two_probes;
    if (shares.three < most_of_three_probes) return costs_.three_probes + costs_.three_probes_pass * shares.three;
    const double factor = are_many_ ? letters_of_many_factor : 1;
    if (pattern.letter_count > VectorPattern::usual_letters) return factor * costs_.many_letters;
    const double shifts = 2 * std::log(shifted_places) / std::max(-std::log(shares.two), 0.1);
    return factor * (costs_.letters +
                     costs_.letter_shift * std::min({shifts, most_shifts, static_cast<double>(pattern.probe_count)}));
  }

 private:
  // The shares of the sample's places at which the first two probes, and the first three, are right.
  struct Shares {
    double two;
    double three;
  };
  Shares count_passes(const VectorPattern& pattern) const {
    const auto is_right = [&](const Probe& probe, std::size_t at) {
      return (static_cast<std::uint8_t>(text_[at + probe.offset]) | probe.case_bit) == probe.byte;
    };
    const std::size_t places = text_.size() - pattern.probe_reach;
    std::size_t two = 0;
    std::size_t three = 0;
    for (std::size_t at = 0; at < places; ++at) {
      if (!is_right(pattern.probes[0], at) || !is_right(pattern.probes[1], at)) continue;
      ++two;
      three += is_right(pattern.probes[2], at) ? 1 : 0;
    }
    return {static_cast<double>(two) / static_cast<double>(places),
            static_cast<double>(three) / static_cast<double>(places)};
  }

  const PlanData& plan_;
  const Costs& costs_;
  const std::string_view text_;
  const bool are_many_;
};

// The share of the sample's places at which a window is looked up and is one of the class; absent without a sample.
std::optional<double> share_of_windows(const PlanData& plan, const LengthClass& length_class) {
  const std::string_view text = std::string_view(plan.text_sample).substr(0, windows_sample_bytes);
  if (text.size() < windows_sample_bytes) return std::nullopt;
  const auto hash = [&](const std::uint8_t* window) {
    return window_hash(window, length_class.window, length_class.fold != 0);
  };
  std::vector<std::uint32_t> windows;
  for (std::uint64_t at = 0; at < length_class.entry_count; ++at) {
    const WindowEntry& entry = plan.filter.entries[length_class.first_entry + at];
    windows.push_back(hash(plan.bytes(entry.distinct).data() + entry.offset));
  }
  std::sort(windows.begin(), windows.end());
  std::size_t found = 0;
  const std::size_t places = text.size() - length_class.window + 1;
  for (std::size_t at = 0; at < places; at += length_class.stride)
    found += std::binary_search(windows.begin(), windows.end(), hash(bytes_of(text) + at)) ? 1 : 0;
  return static_cast<double>(found) / static_cast<double>(places);
}

bool are_few(const LengthClass& length_class) {
  return length_class.pattern_count * length_class.stride <= few_patterns;
}

// How a class that is not sieved is scanned: its patterns one by one, or all by windows.
struct ClassChoice {
  bool one_by_one = false;
  double cycles = 0;
  Estimate estimate;
};

ClassChoice choose_for_class(const PlanData& plan, const LengthClass& length_class, InstructionSet set) {
  const Costs& costs = costs_of(set);
  ClassChoice choice{are_few(length_class), costs.probes * length_class.pattern_count, {}};
  if (length_class.pattern_count > (length_class.max_length > 2 ? most_probed_patterns : most_counted_patterns))
    return choice;
  const std::vector<std::uint32_t> members = members_of(plan, length_class);
  if (!members.empty()) {
    const ProbesEstimate probes(plan, set);
    const std::size_t step = 1 + (members.size() - 1) / estimated_patterns;
    double cycles = 0;
    std::size_t estimated = 0;
    for (; estimated * step < members.size(); ++estimated) cycles += probes.cycles(members[estimated * step]);
    choice.cycles = cycles / static_cast<double>(estimated) * length_class.pattern_count;
  }
  const std::optional<double> share = share_of_windows(plan, length_class);
  if (!share) return choice;
  const double look_up = costs.window + costs.window_word * std::max(2u, window_words(length_class.window));
  const double by_windows = look_up / length_class.stride + costs.window_found * *share;
  const double by_probes = choice.cycles;
  choice.one_by_one = by_probes < by_windows && (choice.one_by_one || length_class.max_length <= most_probed_length);
  choice.cycles = choice.one_by_one ? by_probes : by_windows;
  choice.estimate = {choice.cycles, choice.one_by_one ? by_windows : by_probes};
  return choice;
}

// Chooses what is asked instead of the Bloom filter: a near table, pairs, or neither.
class FirstLookChoice {
 public:
  FirstLookChoice(const PlanData& plan, const LengthClass& length_class, InstructionSet set)
      : plan_(plan),
        class_(length_class),
        set_(set),
        costs_(costs_of(set)),
        least_cycles_(costs_.bloom / length_class.stride) {}

  FirstLook choose() && {
    if (class_.window >= NearTable::least_bytes && class_.entry_count <= most_near_windows) choose_near();
    if (class_.stride == PairTable::stride && class_.entry_count <= most_pair_windows) choose_pairs();
    return std::move(best_);
  }

 private:
  void choose_near() {
    const NearRunners runners = near_runners(set_);
    if (runners.list == nullptr) return;
    // Without a sample the text is taken to be like the patterns.
    const std::string_view sample = plan_.text_sample.empty()
                                        ? std::string_view(plan_.patterns[0].data(), plan_.patterns.total_bytes())
                                        : std::string_view(plan_.text_sample);
    for (std::uint32_t offset = 0; offset + NearTable::least_bytes <= class_.window; ++offset) {
      auto near = std::make_unique<NearTable>(plan_, class_, offset);
      const double cycles =
          costs_.near + expected_passes(runners.list, *near, sample) / class_.stride * costs_.near_pass;
      if (cycles >= least_cycles_) continue;
      least_cycles_ = cycles;
      best_.near = std::move(near);
    }
  }

  void choose_pairs() {
    PairCounts counts = PairCounts::of_sample(plan_.text_sample, class_.fold != 0);
    const bool of_patterns = counts.is_empty();
    if (of_patterns) {
      for (const std::uint32_t distinct : members_of(plan_, class_))
        counts.add(plan_.bytes(distinct).first(std::min(plan_.bytes(distinct).size(), most_counted_bytes)));
    }
    for (std::uint32_t offset = 0; offset + 2 <= class_.window; ++offset) {
      auto pairs = std::make_unique<PairTable>(plan_, class_, offset);
      const double cycles =
          (costs_.pair + pairs->expected_passes(counts, of_patterns) * costs_.pair_pass) / class_.stride;
      if (cycles >= least_cycles_) continue;
      least_cycles_ = cycles;
      best_.near.reset();
      best_.pairs = std::move(pairs);
    }
  }

  const PlanData& plan_;
  const LengthClass& class_;
  const InstructionSet set_;
  const Costs& costs_;
  double least_cycles_;
  FirstLook best_;
};

// Chooses the classes that are sieved: the smallest ones, as many as there is room for, if a sieve of them costs less
// than they would otherwise. A sieve takes no patterns of one byte. Those, and the next longer ones if that costs less
// still, are left out and scanned by themselves.
class SieveChoice {
 public:
  SieveChoice(const PlanData& plan, InstructionSet set)
      : plan_(plan), set_(set), costs_(costs_of(set)), is_sieved_(plan.filter.classes.size()) {}

  /// Fills in the sieve, and the patterns that are left out of it. Returns which classes that serves.
  std::vector<bool> choose(Strategy& strategy) && {
    if (set_ == InstructionSet::baseline) return is_sieved_;  // the portable code would look up one byte at a time
    gather_smallest();
    // A damaged plan may have more members than its classes count.
    if (members_.size() > Sieve::most_patterns + most_left_out) return is_sieved_;
    double otherwise = otherwise_;
    double cycles_of_left_out = 0;
    const ProbesEstimate probes(plan_, set_);
    for (auto first = members_.cbegin(); members_.cend() - first >= 2;) {  // a single pattern is left to `vector`
      const auto count = static_cast<std::size_t>(members_.cend() - first);
      if (length_of(*first) > 1 && count <= Sieve::most_patterns) {
        auto sieve = std::make_unique<const Sieve>(plan_, std::vector<std::uint32_t>(first, members_.cend()), set_);
        const double cycles = cycles_of(*sieve, count) + cycles_of_left_out;
        if (cycles <= otherwise) {
          otherwise = cycles;
          is_sieved_ = are_gathered_;
          strategy.probed.assign(members_.cbegin(), first);
          strategy.sieve = std::move(sieve);
          strategy.sieved_patterns = count;
          strategy.sieve_estimate = {cycles, otherwise_};
        }
      }
      const std::size_t length = length_of(*first);
      if (length >= Sieve::most_core_bytes) break;
      for (; first != members_.cend() && length_of(*first) == length; ++first)
        cycles_of_left_out += probes.cycles(*first) + costs_.probes_of_others;
      if (static_cast<std::size_t>(first - members_.cbegin()) > most_left_out) break;
    }
    return is_sieved_;
  }

 private:
  std::size_t length_of(std::uint32_t distinct) const { return plan_.bytes(distinct).size(); }

  // Gathers the smallest classes. Sets members_, sorted by length, and otherwise_, what they cost without a sieve.
  void gather_smallest() {
    const std::vector<LengthClass>& classes = plan_.filter.classes;
    are_gathered_.resize(classes.size());
    std::vector<std::size_t> order(classes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return classes[a].pattern_count < classes[b].pattern_count; });
    for (const std::size_t at : order) {
      if (members_.size() + classes[at].pattern_count > Sieve::most_patterns + most_left_out) break;
      const std::vector<std::uint32_t> more = members_of(plan_, classes[at]);
      const auto single_bytes =
          std::count_if(more.begin(), more.end(), [&](std::uint32_t distinct) { return length_of(distinct) == 1; });
      if (static_cast<std::size_t>(single_bytes) > most_left_out) continue;
      members_.insert(members_.end(), more.begin(), more.end());
      are_gathered_[at] = true;
      otherwise_ += choose_for_class(plan_, classes[at], set_).cycles;
    }
    std::stable_sort(members_.begin(), members_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return length_of(a) < length_of(b); });
  }

  double cycles_of(const Sieve& sieve, std::size_t patterns) const {
    if (sieve.expected_passes() > most_sieve_passes) return infinite;
    const double pass = patterns <= few_sieve_patterns ? costs_.sieve_pass_of_few : costs_.sieve_pass;
    return costs_.sieve + pass * sieve.expected_passes();
  }

  const PlanData& plan_;
  const InstructionSet set_;
  const Costs& costs_;
  std::vector<bool> is_sieved_;
  std::vector<bool> are_gathered_;
  std::vector<std::uint32_t> members_;
  double otherwise_ = 0;
};

double cycles_of(const LetterGroup& letters, const Costs& costs) {
  double cycles = costs.shared_letters + costs.shared_letter * static_cast<double>(letters.letters().size());
  for (const LetterGroup::Member& member : letters.members())
    cycles += costs.sharing_pattern +
              costs.shared_test * static_cast<double>(std::max(member.likely_tests, costs.shared_tests));
  return cycles;
}

// Lets occurrences be counted by the letters that the patterns share, if that costs less than `otherwise`.
void choose_letters(const PlanData& plan, InstructionSet set, double otherwise, Strategy& strategy) {
  if (set == InstructionSet::baseline || plan.distinct_count() < 2 ||
      plan.distinct_count() > LetterGroup::most_patterns || plan.text_sample.size() < probes_sample_bytes)
    return;
  std::vector<std::uint32_t> distincts(plan.distinct_count());
  std::iota(distincts.begin(), distincts.end(), std::uint32_t{0});
  std::optional<LetterGroup> letters =
      LetterGroup::make(plan, distincts, std::string_view(plan.text_sample).substr(0, probes_sample_bytes));
  if (!letters) return;
  const double cycles = cycles_of(*letters, costs_of(set));
  if (cycles >= otherwise) return;
  strategy.letters = std::move(letters);
  strategy.letters_estimate = {cycles, otherwise};
}

const char* name_of(Sieve::Tests tests) { return tests == Sieve::Tests::pairs ? "pairs of bytes" : "halves of bytes"; }

void add_up(Estimate& sum, const Estimate& estimate) {
  if (!estimate.cycles) return;
  sum.cycles = sum.cycles.value_or(0) + *estimate.cycles;
  sum.otherwise = sum.otherwise.value_or(0) + estimate.otherwise.value_or(infinite);
}

std::string in_words(const Estimate& estimate) {
  if (!estimate.cycles) return {};
  if (estimate.otherwise.value_or(infinite) == infinite)
    return fmt::format(" ({:.2f} cycles a byte)", *estimate.cycles);
  return fmt::format(" ({:.2f} cycles a byte, else {:.2f})", *estimate.cycles, *estimate.otherwise);
}

}  // namespace

std::vector<std::uint32_t> members_of(const PlanData& plan, const LengthClass& length_class) {
  std::vector<std::uint32_t> members;
  for (std::uint64_t entry = 0; entry < length_class.entry_count; ++entry)
    members.push_back(plan.filter.entries[length_class.first_entry + entry].distinct);
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return members;
}

Strategy choose_strategy(const PlanData& plan, InstructionSet set) {
  Strategy strategy;
  const std::vector<bool> is_sieved = SieveChoice(plan, set).choose(strategy);
  double cycles = strategy.sieve_estimate.cycles.value_or(0);
  for (std::size_t at = 0; at < is_sieved.size(); ++at) {
    if (is_sieved[at]) continue;
    const LengthClass& length_class = plan.filter.classes[at];
    const ClassChoice choice = choose_for_class(plan, length_class, set);
    cycles += choice.cycles;
    if (choice.one_by_one && are_few(length_class)) {
      const std::vector<std::uint32_t> members = members_of(plan, length_class);
      strategy.probed.insert(strategy.probed.end(), members.begin(), members.end());
      add_up(strategy.probed_estimate, choice.estimate);
    } else {
      strategy.windows.push_back(
          {at, choice.one_by_one, FirstLookChoice(plan, length_class, set).choose(), choice.estimate});
    }
  }
  choose_letters(plan, set, cycles, strategy);
  return strategy;
}

std::string describe(const Strategy& strategy, const PlanData& plan) {
  std::string told;
  const auto add = [&told](const std::string& part) { told += (told.empty() ? "" : "; ") + part; };
  if (strategy.sieve)
    add(fmt::format("{} by a sieve of {}{}", strategy.sieved_patterns, name_of(strategy.sieve->tests()),
                    in_words(strategy.sieve_estimate)));
  if (!strategy.probed.empty())
    add(fmt::format("{} by probes{}", strategy.probed.size(), in_words(strategy.probed_estimate)));
  for (const Strategy::Windows& windows : strategy.windows) {
    const LengthClass& length_class = plan.filter.classes[windows.length_class];
    add(fmt::format("{} by windows of {} bytes {}{}{}{}", length_class.pattern_count, length_class.window,
                    length_class.stride == 1 ? "at each place" : fmt::format("every {} places", length_class.stride),
                    windows.first_look.near    ? ", behind a near table"
                    : windows.first_look.pairs ? ", behind pairs"
                                               : "",
                    windows.is_counted_by_probes ? ", counted by probes" : "", in_words(windows.estimate)));
  }
  if (strategy.letters)
    add(fmt::format("all counted by {} letters they share{}", strategy.letters->letters().size(),
                    in_words(strategy.letters_estimate)));
  return told;
}

}  // namespace lode
