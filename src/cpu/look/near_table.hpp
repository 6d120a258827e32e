// NearTable: two tables in registers that turn most places away before memory is looked up.
//
// Idea: four or five bytes of a window give two hashes of twelve bits, each of which names a bit of a table of 512
// bytes. A place may hold a window of the class where both bits are set. The hashes are sums of products in a field of
// 256 elements (GFNI), which spread windows as evenly as a random function does. Byte permutes of whole registers
// (AVX-512 VBMI) look up 64 places at once. Places that pass are looked up one by one in a map of 8 KiB. A sample of
// the text decides which bytes of a window are taken.
// Example: 400 windows set 380 of a table's 4096 bits, so one other place in 116 passes both tables.
// Worst case: a text made of windows, unlike the sample. Everything passes and is verified, and the look-ups come on
// top.
// Loses where windows are sampled at every fourth place only, or where there are thousands.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/instruction_sets.hpp"
#include "plan/plan_data.hpp"

namespace lode {

class NearTable {
 public:
  static constexpr std::uint32_t least_bytes = 4;  // bytes that a window must have behind the offset
  static constexpr std::uint32_t most_bytes = 5;   // bytes of a window that are looked at
  static constexpr std::uint32_t table_bytes = 512;

  /// Takes the bytes of a class's windows from `offset` on: most_bytes, or all that there are.
  /// Precondition: offset + least_bytes <= length_class.window.
  NearTable(const PlanData& plan, const LengthClass& length_class, std::uint32_t offset);

  bool folded() const { return folded_; }
  std::uint32_t offset() const { return offset_; }
  std::uint32_t bytes() const { return bytes_; }
  const std::uint8_t* table(std::uint32_t test) const { return tables_[test]; }
  /// The share of places that pass in random bytes.
  double density() const;

  /// Whether a window passes the map, which tells more than the tables. Reads eight bytes.
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
  std::uint32_t map_shift_;  // shifts out the bytes behind a short window
};

/// Lists the places that pass among `count` times 64 from `at` on, as distances from `at`, and returns how many there
/// are. `sampled` has a bit for each of 64 places: whether it is asked. `places` has room for all and 64 more. Reads
/// the windows' bytes and no others.
using NearRunner = std::size_t (*)(const NearTable& near, const std::uint8_t* at, std::uint64_t count,
                                   std::uint64_t sampled, std::uint16_t* places);

/// Lists the places that pass in `count` words of 64 places that may lie anywhere: at `text` + starts[0], `text` +
/// starts[1] and so on. The places of word 0 are listed as 0 to 63, those of word 1 as 64 to 127, and so on.
using NearWordRunner = std::size_t (*)(const NearTable& near, const std::uint8_t* text, const std::uint32_t* starts,
                                       std::uint64_t count, std::uint64_t sampled, std::uint16_t* places);

/// The functions of an instruction set; null where it lacks the byte permutes or the products.
struct NearRunners {
  NearRunner list = nullptr;
  NearWordRunner list_words = nullptr;
};
NearRunners near_runners(InstructionSet set);

/// The share of places that pass in a text like `sample`, or in random bytes where the sample is too short.
double expected_passes(NearRunner runner, const NearTable& near, std::string_view sample);

}  // namespace lode
