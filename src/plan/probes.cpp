#include "plan/probes.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/bytes.hpp"

namespace lode {
namespace {

// The order of bytes from the most common one on, over prose, source code, logs and sequences. What is not listed is
// rarer than all of these.
constexpr std::string_view common_first =
    " etaoinsrhldcumpfgyw.b,v0\n1-2k/\"=:3_45ACGT68;79()SEIxLjODNRM'zqPFBU*>H<WV\t{}YKXJ&$#[]QZ%+!?@\\|^~`\r";

constexpr std::array<std::uint8_t, 256> make_ranks() {
  std::array<std::uint8_t, 256> ranks{};
  for (std::size_t at = 0; at < common_first.size(); ++at)
    ranks[static_cast<std::uint8_t>(common_first[at])] = static_cast<std::uint8_t>(common_first.size() - at);
  ranks[0] = 200;  // zeros fill binary files
  ranks[0xff] = 40;
  return ranks;
}

constexpr std::array<std::uint8_t, 256> ranks = make_ranks();

}  // namespace

std::vector<Probe> choose_probes(std::span<const std::uint8_t> pattern, bool ignore_case, std::size_t max_probes) {
  std::vector<Probe> probes;
  std::array<std::uint32_t, 256> uses{};
  const std::size_t reach = std::min<std::size_t>(pattern.size(), max_probe_offset);
  for (std::uint32_t offset = 0; offset < reach; ++offset) {
    const std::uint8_t byte = ignore_case ? fold(pattern[offset]) : pattern[offset];
    probes.push_back({offset, byte, static_cast<std::uint8_t>(ignore_case && is_letter(byte) ? 0x20 : 0)});
  }
  std::stable_sort(probes.begin(), probes.end(),
                   [](const Probe& a, const Probe& b) { return ranks[a.byte] < ranks[b.byte]; });
  // A byte that already stands earlier in the order tells less the second time.
  std::vector<Probe> repeated;
  std::vector<Probe> chosen;
  for (const Probe& probe : probes) (uses[probe.byte]++ == 0 ? chosen : repeated).push_back(probe);
  chosen.insert(chosen.end(), repeated.begin(), repeated.end());
  if (chosen.size() > max_probes) chosen.resize(max_probes);
  return chosen;
}

std::uint32_t choose_probe_window(std::span<const std::uint8_t> pattern, bool ignore_case, std::uint32_t span) {
  const std::size_t reach = std::min<std::size_t>(pattern.size(), max_probe_offset);
  std::uint32_t best = 0;
  std::uint32_t best_weight = UINT32_MAX;
  for (std::uint32_t start = 0; start + span <= reach; ++start) {
    std::uint32_t weight = 0;
    for (std::uint32_t at = start; at < start + span; ++at) {
      const std::uint8_t byte = ignore_case ? fold(pattern[at]) : pattern[at];
      // Runs of one byte are more frequent than the byte is.
      const bool repeats = at > start && byte == (ignore_case ? fold(pattern[at - 1]) : pattern[at - 1]);
      weight += repeats ? 100 : ranks[byte];
    }
    if (weight >= best_weight) continue;
    best = start;
    best_weight = weight;
  }
  return best;
}

}  // namespace lode
