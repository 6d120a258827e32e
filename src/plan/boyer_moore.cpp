#include "plan/boyer_moore.hpp"

#include <algorithm>

#include "base/bytes.hpp"

namespace lode {
namespace {

std::vector<std::uint32_t> suffix_lengths(std::span<const std::uint8_t> pattern) {
  const auto length = static_cast<std::int64_t>(pattern.size());
  std::vector<std::uint32_t> suffix(pattern.size());
  suffix[pattern.size() - 1] = static_cast<std::uint32_t>(length);
  std::int64_t low = length - 1;   // lowest position known to match a suffix
  std::int64_t from = length - 1;  // the begin of the comparison that reached `low`
  for (std::int64_t at = length - 2; at >= 0; --at) {
    const std::int64_t mirrored = at + length - 1 - from;
    if (at > low && suffix[static_cast<std::size_t>(mirrored)] < at - low) {
      suffix[static_cast<std::size_t>(at)] = suffix[static_cast<std::size_t>(mirrored)];
      continue;
    }
    low = std::min(low, at);
    from = at;
    while (low >= 0 &&
           pattern[static_cast<std::size_t>(low)] == pattern[static_cast<std::size_t>(low + length - 1 - from)])
      --low;
    suffix[static_cast<std::size_t>(at)] = static_cast<std::uint32_t>(from - low);
  }
  return suffix;
}

}  // namespace

BoyerMooreTables::BoyerMooreTables(std::span<const std::uint8_t> bytes, bool fold_case)
    : pattern(bytes.begin(), bytes.end()), ignore_case(fold_case) {
  if (ignore_case)
    for (std::uint8_t& byte : pattern) byte = fold(byte);
  const auto length = static_cast<std::uint32_t>(pattern.size());

  bad_character.fill(length);
  for (std::uint32_t at = 0; at + 1 < length; ++at) bad_character[pattern[at]] = length - 1 - at;

  suffix_length = suffix_lengths(pattern);
  good_suffix.assign(length, length);
  // If a prefix is also a suffix, the pattern may move until that prefix lies on the matched bytes.
  std::uint32_t filled = 0;
  for (std::uint32_t at = length; at-- > 0;) {
    if (suffix_length[at] != at + 1) continue;
    for (; filled < length - 1 - at; ++filled)
      if (good_suffix[filled] == length) good_suffix[filled] = length - 1 - at;
  }
  // If the suffix occurs again, the pattern moves to its last other occurrence.
  for (std::uint32_t at = 0; at + 1 < length; ++at) good_suffix[length - 1 - suffix_length[at]] = length - 1 - at;

  period = length;
  for (std::uint32_t at = 0; at + 1 < length; ++at)
    if (suffix_length[at] == at + 1) period = length - 1 - at;
}

}  // namespace lode
