// Tables of `filter`: length classes, one window per pattern and alignment, and the verification table.
//
// Idea: look at the text only at every `stride`-th place. A pattern that occurs there, at whatever alignment, covers
// one sampled place for each residue of its offsets modulo the stride; so for every residue one window of the pattern
// (`window` bytes) is put into a table, and a window of the text that is in the table is a candidate. Of the windows
// with the same residue the rarest is taken. Patterns of similar length form a class with its own stride and window.
// Example: pattern `puppy`, stride 2, window 4: `pupp` (offset 0) and `uppy` (offset 1).
// Worst case: all windows of a class equal and frequent in the text; then every place is verified.
//
// The verification table of a class is an array of buckets, found by the top bits of the window's hash; a bucket is a
// range of entries (pattern, offset of the window in it, tag of more hash bits).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace lode {

struct PlanData;
struct PlanOptions;

inline constexpr std::uint32_t max_window_length = 16;
inline constexpr std::uint32_t max_window_offset = 63;

struct WindowEntry {
  std::uint32_t distinct = 0;  // index of the distinct pattern
  std::uint16_t offset = 0;    // of the window in the pattern, <= max_window_offset
  std::uint16_t tag = 0;       // window_tag() of the window's hash

  friend bool operator==(const WindowEntry&, const WindowEntry&) = default;
};

struct LengthClass {
  std::uint32_t stride = 1;         // 1, 2 or 4
  std::uint32_t window = 1;         // bytes, 1 … max_window_length, and window + stride - 1 <= min_length
  std::uint32_t fold = 0;           // 1: windows are folded before hashing
  std::uint32_t min_length = 0;     // of the class's patterns; classes have disjoint, increasing ranges
  std::uint32_t max_length = 0;     //
  std::uint32_t pattern_count = 0;  // distinct patterns
  std::uint32_t max_offset = 0;     // highest offset of a window in a pattern
  std::uint32_t bucket_bits = 0;    // 2^bucket_bits buckets
  std::uint64_t first_bucket = 0;   // place of bucket 0 in bucket_starts
  std::uint64_t first_entry = 0;    // place of the first entry in entries
  std::uint64_t entry_count = 0;    // pattern_count * stride
};

struct FilterTables {
  std::vector<LengthClass> classes;
  std::vector<std::uint32_t> bucket_starts;  // per class 2^bucket_bits + 1 numbers, relative to first_entry
  std::vector<WindowEntry> entries;          // of a bucket: sorted by (tag, offset, distinct)
};

/// Maps each byte to one that equals that of its other case; also joins a few non-letters, which verification sorts
/// out. Cheap enough for every window.
inline std::uint64_t loose_fold(std::uint64_t bytes) { return bytes | 0x2020202020202020u; }

/// The `window` bytes at `at` as the number that is hashed. `low` holds the first min(window, 8) bytes, `high` the last
/// 8 of a window longer than that.
inline std::uint64_t join_window(std::uint64_t low, std::uint64_t high) { return low ^ (high << 3 | high >> 61); }

inline constexpr std::uint64_t window_multiplier = 0x9E3779B97F4A7C15u;

inline std::uint64_t window_hash_of_number(std::uint64_t number) { return number * window_multiplier; }

/// Hash of a window; reads exactly `window` bytes.
inline std::uint64_t window_hash(const std::uint8_t* at, std::uint32_t window, bool folded) {
  std::uint64_t low = load_partial_u64(at, window < 8 ? window : 8);
  std::uint64_t high = window > 8 ? load_u64(at + window - 8) : 0;
  if (folded) {
    low = loose_fold(low) & (window < 8 ? (std::uint64_t{1} << (8 * window)) - 1 : ~std::uint64_t{0});
    if (window > 8) high = loose_fold(high);
  }
  return window_hash_of_number(join_window(low, high));
}

inline std::uint64_t window_bucket(std::uint64_t hash, std::uint32_t bucket_bits) {
  return bucket_bits == 0 ? 0 : hash >> (64 - bucket_bits);
}

inline std::uint16_t window_tag(std::uint64_t hash) {
  return static_cast<std::uint16_t>(((hash ^ (hash >> 29)) * 0xD6E8FEB86659FD93u) >> 48);
}

/// Builds the classes and tables for all distinct patterns of `plan`.
void build_filter_tables(PlanData& plan, const PlanOptions& options);

}  // namespace lode
