#include "plan/algorithms.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "lode/error.hpp"
#include "plan/plan_data.hpp"

namespace lode {
namespace {

constexpr std::uint32_t any = UINT32_MAX;

// The limits of windows_tell_little(). `filter` has windows of at most longest_window bytes, and few_letters letters
// make 65 536 of those. A set of many patterns then has so many of them that rolling hashes are faster.
constexpr std::uint32_t longest_window = 16;
constexpr std::uint32_t few_letters = 2;
constexpr std::uint32_t least_patterns = 1 << 14;
constexpr std::size_t most_rabin_karp_lengths = 8;
constexpr std::uint32_t longest_pattern = 256;

constexpr std::array<Algorithm, 6> table{{
    {"naive", "compares every pattern byte by byte at every position", "up to 4096 patterns; one pass per pattern",
     4096, any},
    {"vector", "tests a few rare bytes of a pattern at many positions at once",
     "up to 4096 patterns; one pass per pattern", 4096, any},
    {"balanced", "tests two bytes, then sixteen, then the rest, and queues what is left between these phases",
     "up to 4096 patterns; one pass per pattern", 4096, any},
    {"rabin-karp", "rolls one hash per pattern length over the text and looks it up in a table",
     "sets of up to 4096 different lengths; one pass per length", any, 4096},
    {"boyer-moore", "skips by the bad-character and good-suffix rules, with Galil's rule after a match",
     "up to 4096 patterns; one pass per pattern", 4096, any},
    {"filter", "hashes sampled windows into a bit table and verifies the few that pass",
     "every set; one pass per length class, of which there are few", any, any},
}};

}  // namespace

std::uint32_t count_distinct_lengths(const PatternSet& patterns) {
  std::vector<bool> seen(std::size_t{patterns.max_length()} + 1);
  std::uint32_t distinct = 0;
  for (std::uint32_t id = 0; id < patterns.size(); ++id) {
    const std::size_t length = patterns[id].size();
    if (!seen[length]) ++distinct;
    seen[length] = true;
  }
  return distinct;
}

std::span<const Algorithm> algorithms() { return table; }

const Algorithm* find_algorithm(std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Algorithm& row) { return row.name == name; });
  return found == table.end() ? nullptr : &*found;
}

std::string refusal_of(const Algorithm& algorithm, const PatternSet& patterns) {
  if (patterns.size() > algorithm.max_patterns)
    return std::string(algorithm.name) + " serves at most " + std::to_string(algorithm.max_patterns) +
           " patterns (one pass per pattern), not " + std::to_string(patterns.size()) + ": use filter";
  if (algorithm.max_distinct_lengths != any) {
    const std::uint32_t lengths = count_distinct_lengths(patterns);
    if (lengths > algorithm.max_distinct_lengths)
      return std::string(algorithm.name) + " serves at most " + std::to_string(algorithm.max_distinct_lengths) +
             " different pattern lengths (one pass per length), not " + std::to_string(lengths) + ": use filter";
  }
  return {};
}

const Algorithm& choose_algorithm(const PatternSet& patterns) {
  return *find_algorithm(patterns.size() == 1 ? "vector" : "filter");
}

bool windows_tell_little(const PlanData& plan) {
  if (plan.distinct_count() < least_patterns || plan.patterns.max_length() > longest_pattern) return false;
  std::array<bool, 256> seen{};
  std::uint32_t letters = 0;
  std::array<bool, longest_pattern + 1> seen_lengths{};
  std::uint32_t long_patterns = 0;
  for (std::uint32_t distinct = 0; distinct < plan.distinct_count() && letters <= few_letters; ++distinct) {
    const std::span<const std::uint8_t> pattern = plan.bytes(distinct);
    seen_lengths[pattern.size()] = true;
    if (pattern.size() <= longest_window) continue;  // it costs a length, whatever its letters
    ++long_patterns;
    const bool folds = plan.ignore_case(distinct);
    for (const std::uint8_t byte : pattern) {
      bool& is_seen = seen[folds ? fold(byte) : byte];
      letters += is_seen ? 0 : 1;
      is_seen = true;
    }
  }
  return letters <= few_letters && long_patterns >= least_patterns &&
         static_cast<std::size_t>(std::count(seen_lengths.begin(), seen_lengths.end(), true)) <=
             most_rabin_karp_lengths;
}

const Algorithm& resolve_algorithm(std::string_view name, const PatternSet& patterns) {
  if (name == "auto") return choose_algorithm(patterns);
  const Algorithm* const algorithm = find_algorithm(name);
  if (algorithm == nullptr) {
    std::string names = "auto";
    for (const Algorithm& row : table) names += ", " + std::string(row.name);
    throw Error(ErrorKind::invalid_argument, "there is no algorithm " + std::string(name) + ": use one of " + names);
  }
  if (const std::string reason = refusal_of(*algorithm, patterns); !reason.empty())
    throw Error(ErrorKind::unsupported, reason);
  return *algorithm;
}

}  // namespace lode
