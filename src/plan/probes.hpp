// Probes of `vector`: which bytes of a pattern are compared first.
//
// A probe is a byte of the pattern and its offset. Probes are ordered from the byte that is rarest in ordinary texts to
// the most common one, so that two of them turn almost every place away. Example: `that jazz` probes `z` at 7 and `j`
// at 5 before any `t`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lode {

struct Probe {
  std::uint32_t offset = 0;   // in the pattern, below max_probe_offset
  std::uint8_t byte = 0;      // folded where case is ignored
  std::uint8_t case_bit = 0;  // 0x20 where the text byte is to be folded by OR before comparing, else 0
};

inline constexpr std::uint32_t max_probe_offset = 256;

/// At most `max_probes` probes of the pattern, rarest first, at different offsets. A short pattern gets one for each
/// byte.
std::vector<Probe> choose_probes(std::span<const std::uint8_t> pattern, bool ignore_case, std::size_t max_probes);

/// The offset of the `span` neighbouring bytes that are rarest together, among the first max_probe_offset bytes.
/// Precondition: 1 <= span <= pattern.size().
std::uint32_t choose_probe_window(std::span<const std::uint8_t> pattern, bool ignore_case, std::uint32_t span);

}  // namespace lode
