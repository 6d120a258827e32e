// NearFilter: tables that stay in registers, asked for the window at each place before any memory is.
//
// Idea: four or five bytes of a window give two hashes of twelve bits, each a bit of a table of 512 bytes; a place may
// hold a window of the class where both bits are set. The hashes are sums of products in a field of 256 elements (GFNI),
// which spread windows as evenly as a random function does; byte permutes of whole registers (AVX-512 VBMI) look up 64
// places at once. Places that pass are looked up one by one in a map of 8 KiB. Which bytes are taken is decided by a sample
// of the text. Example: of 400 windows a table has 380 of 4096 bits, so one other place in 116 passes. Worst case: a text
// made of windows, unlike the sample: everything passes, and what is looked up here is paid beside the look-ups of the Bloom
// filter. Loses where windows are sampled at every fourth place only, or where there are thousands.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "cpu/instruction_sets.hpp"
#include "plan/plan_data.hpp"

namespace lode {

class NearFilter {
 public:
  static constexpr std::uint32_t least_bytes = 4;  // looked at of each window, which must have so many
  static constexpr std::uint32_t most_bytes = 5;
  static constexpr std::uint32_t table_bytes = 512;

  /// Looks at most_bytes of the windows of a class from `offset` on, or at all there are, least_bytes or more.
  NearFilter(const PlanData& plan, const LengthClass& length_class, std::uint32_t offset);

  bool folded() const { return folded_; }
  std::uint32_t offset() const { return offset_; }
  std::uint32_t bytes() const { return bytes_; }
  const std::uint8_t* table(std::uint32_t test) const { return tables_[test]; }
  /// The share of random bytes that pass.
  double density() const;

  /// The same by the map, which tells more. Reads eight bytes.
  bool passes_map(const std::uint8_t* window) const {
    const std::uint32_t bit = map_index(load_u64(window));
    return (map_[bit / 8] >> bit % 8 & 1) != 0;
  }

 private:
  static constexpr std::uint32_t tests = 2;
  static constexpr std::uint32_t map_bits = 1u << 16;

  std::uint32_t map_index(std::uint64_t first_bytes) const {
    const std::uint64_t bytes = first_bytes | (folded_ ? 0x2020202020202020u : 0);
    return static_cast<std::uint32_t>((bytes << map_shift_) * 0x9e3779b97f4a7c15u >> 48);
  }

  alignas(64) std::uint8_t tables_[tests][table_bytes] = {};
  std::uint32_t offset_;
  std::uint32_t bytes_;
  bool folded_;
  std::vector<std::uint8_t> map_;
  std::uint32_t map_shift_;
};

/// Lists those of `count` times 64 places from `at` on that pass, of each 64 those of `sampled` only, as distances from
/// `at`; `places` has room for all and 64 more. Returns how many. Reads the windows' bytes and no others.
using NearRunner = std::size_t (*)(const NearFilter& filter, const std::uint8_t* at, std::uint64_t count,
                                   std::uint64_t sampled, std::uint16_t* places);

/// The same of `count` times 64 places from `text` + starts[0], `text` + starts[1] … on. Those of the second are listed as 64 to
/// 127, and so on.
using NearWordRunner = std::size_t (*)(const NearFilter& filter, const std::uint8_t* text, const std::uint32_t* starts,
                                       std::uint64_t count, std::uint64_t sampled, std::uint16_t* places);

/// Null for instruction sets without such permutes and products.
struct NearRunners {
  NearRunner list = nullptr;
  NearWordRunner list_words = nullptr;
};
NearRunners near_runners(InstructionSet set);

/// The share of the places in a text like `sample` that pass; where that is too short, in random bytes.
double expected_passes(NearRunner runner, const NearFilter& filter, std::string_view sample);

}  // namespace lode
