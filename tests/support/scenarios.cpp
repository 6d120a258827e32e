#include "support/scenarios.hpp"

#include <algorithm>

namespace lode::tests {
namespace {

std::string range_of_bytes(int first, int last) {
  std::string bytes;
  for (int code = first; code <= last; ++code) bytes += static_cast<char>(code);
  return bytes;
}

std::string draw_alphabet(Random& random) {
  switch (random.below(12)) {
    case 0: return "a";
    case 1: return "ab";
    case 2: return "ACGT";
    case 3: return "abcdefghijklmnopqrstuvwxyz";
    case 4: return "eeeettaaoinshr ,ETAO\n";
    case 5: return range_of_bytes(0, 255);
    case 6: return range_of_bytes(128, 255);
    case 7: return std::string("aA\0\n", 4);
    case 8: return "@`[{AaZz";
    case 9: return "01\x11Qq\xB1\x91";
    case 10: return "a \xC3\xA9\xE2\x80\x9C";  // letters and quotation marks beyond ASCII
    default: return "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ   \n";
  }
}

std::string change_one_byte(Random& random, std::string bytes, std::string_view alphabet) {
  bytes[random.below(bytes.size())] = alphabet[random.below(alphabet.size())];
  return bytes;
}

std::string change_case(Random& random, std::string bytes) {
  for (char& byte : bytes) {
    if (((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')) && random.chance(50)) {
      byte = static_cast<char>(byte ^ 0x20);
    }
  }
  return bytes;
}

// Most sets keep to a range of lengths, and some have one pattern outside it.
struct LengthRange {
  std::uint64_t low;
  std::uint64_t high;
};

LengthRange draw_lengths(Random& random, std::uint64_t limit) {
  switch (random.below(7)) {
    case 0: {
      const std::uint64_t only = random.scale(1, limit);
      return {only, only};
    }
    case 1: return {1, std::min<std::uint64_t>(4, limit)};
    case 2: return {std::min<std::uint64_t>(4, limit), std::min<std::uint64_t>(20, limit)};
    case 3: return {1, limit};
    case 4: return {std::min<std::uint64_t>(8, limit), std::min<std::uint64_t>(9, limit)};
    case 5: return {std::min<std::uint64_t>(20, limit), std::min<std::uint64_t>(40, limit)};
    default: {
      const std::uint64_t low = random.scale(1, limit);
      return {low, random.between(low, limit)};
    }
  }
}

std::string draw_pattern(Random& random, const PatternSet& earlier, const LengthRange& lengths,
                         std::string_view alphabet, std::uint64_t limit) {
  if (!earlier.empty() && random.chance(40)) {
    const std::string parent(earlier[static_cast<std::uint32_t>(random.below(earlier.size()))]);
    switch (random.below(6)) {
      case 0: return parent;
      case 1: return parent.substr(0, random.between(1, parent.size()));
      case 2: return parent.substr(random.below(parent.size()));
      case 3: return change_one_byte(random, parent, alphabet);
      case 4: return change_case(random, parent);
      default: return (parent + random.bytes(alphabet, 1)).substr(0, limit);
    }
  }
  const std::uint64_t length = random.scale(lengths.low, lengths.high);
  if (random.chance(10)) {  // a periodic pattern
    const std::string period = random.bytes(alphabet, random.between(1, std::min<std::uint64_t>(6, length)));
    std::string repeated;
    while (repeated.size() < length) repeated += period;
    return repeated.substr(0, length);
  }
  return random.bytes(alphabet, length);
}

}  // namespace

std::string draw_text(Random& random, const PatternSet& patterns, std::string_view alphabet, std::uint64_t length) {
  const unsigned planted_percent = static_cast<unsigned>(random.pick(std::vector<int>{0, 1, 10, 50, 95}));
  std::string text;
  text.reserve(length + 512);
  while (text.size() < length) {
    if (!random.chance(planted_percent)) {
      text += random.bytes(alphabet, random.between(1, 30));
      continue;
    }
    const auto id = static_cast<std::uint32_t>(random.below(patterns.size()));
    std::string planted(patterns[id]);
    switch (random.below(8)) {
      case 0: planted = change_one_byte(random, planted, alphabet); break;
      case 1: planted.pop_back(); break;
      case 2: planted = planted.substr(1); break;
      case 3: planted = change_case(random, planted); break;
      default: break;
    }
    text += planted;
  }
  if (random.chance(50)) {  // this pattern stands at the very end
    const auto id = static_cast<std::uint32_t>(random.below(patterns.size()));
    if (patterns[id].size() <= length) {
      text.resize(length - patterns[id].size());
      text += patterns[id];
    }
  }
  text.resize(length);
  return text;
}

void limit_matches(Scenario& scenario, std::uint64_t match_count) {
  constexpr std::uint64_t sample_bytes = 300;
  const std::uint64_t middle = scenario.text.size() / 2;
  const std::string_view sample = std::string_view(scenario.text).substr(middle, sample_bytes);
  if (sample.size() < sample_bytes) return;
  const std::uint64_t sampled = find_by_meaning(sample, scenario.patterns).size();
  const std::uint64_t limit = match_count * sample_bytes / std::max<std::uint64_t>(sampled, 1);
  if (scenario.text.size() > limit) scenario.text.erase(0, scenario.text.size() - std::max(limit, sample_bytes));
}

Scenario draw_scenario(Random& random, const ScenarioLimits& limits) {
  Scenario scenario;
  scenario.alphabet = draw_alphabet(random);
  const LengthRange lengths = draw_lengths(random, limits.pattern_length);
  const auto pattern_count = random.scale(1, limits.pattern_count);
  const unsigned ignoring_percent = static_cast<unsigned>(random.pick(std::vector<int>{0, 0, 50, 100}));
  while (scenario.patterns.size() < pattern_count) {
    const std::string pattern =
        draw_pattern(random, scenario.patterns, lengths, scenario.alphabet, limits.pattern_length);
    scenario.patterns.add(pattern, random.chance(ignoring_percent));
  }
  if (random.chance(15)) scenario.patterns.add(random.bytes(scenario.alphabet, 1), random.chance(50));
  scenario.text = draw_text(random, scenario.patterns, scenario.alphabet, random.scale(1, limits.text_length));
  limit_matches(scenario, limits.match_count);
  return scenario;
}

}  // namespace lode::tests
