// Tables of `filter`: length classes, one window per pattern and alignment, and the verification table.
//
// Idea: the text is looked at only at every `stride`-th place. Wherever a pattern stands in the text, the sampled
// places in it are its offsets of one residue modulo the stride. So for every residue one window of the pattern
// (`window` bytes) is put into a table: whatever the alignment, one of these windows stands at a sampled place. A
// window of the text that is in the table is a candidate. Of the windows with the same residue the rarest is taken.
// Patterns of similar length form a class with its own stride and window.
// Example: pattern `puppy`, stride 2, window 4: `pupp` (offset 0) and `uppy` (offset 1).
// Worst case: all windows of a class equal and frequent in the text; then every place is verified.
//
// The verification table of a class is an array of buckets, found by the top bits of the window's hash. A bucket is a
// range of entries: pattern, offset of the window in it, and a tag of more bits of the hash.
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
class BuildMonitor;

inline constexpr std::uint32_t max_window_length = 16;
inline constexpr std::uint32_t max_window_offset = 63;
/// A text sample has at most so many bytes; more would say little more.
inline constexpr std::size_t max_text_sample_bytes = std::size_t{1} << 18;

struct WindowEntry {
  std::uint32_t distinct = 0;  // index of the distinct pattern
  std::uint16_t offset = 0;    // the window's in the pattern, at most max_window_offset
  std::uint16_t tag = 0;       // window_tag() of the window's hash

  friend bool operator==(const WindowEntry&, const WindowEntry&) = default;
};

struct LengthClass {
  std::uint32_t stride = 1;  // 1, 2, 4, 8 or 16; in a plan at most 4
  std::uint32_t window = 1;  // bytes, 1 … max_window_length, and window + stride - 1 <= min_length
  std::uint32_t fold = 0;    // 1: windows are folded before hashing
  // A class has the patterns of min_length … max_length bytes. The ranges of classes are disjoint and increase.
  std::uint32_t min_length = 0;
  std::uint32_t max_length = 0;
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
  std::vector<WindowEntry> entries;          // sorted by bucket, and in it by (tag, offset, distinct)
};

/// Set in every byte, these bits make letters of both cases equal. They also join a few other bytes, which verification
/// sorts out. This is cheap enough for every window.
inline constexpr std::uint32_t loose_fold_mask = 0x20202020u;

/// A window is hashed as up to four 32-bit words: those at 0, 4 and 8 as far as they lie in it, and the one that ends
/// with it. A window of 7 bytes has words at 0 and 3. A window shorter than a word is a word with the rest cleared.
inline constexpr std::uint32_t window_multipliers[4] = {0x9E3779B1u, 0x85EBCA77u, 0xC2B2AE3Du, 0x27D4EB2Fu};
inline constexpr std::uint32_t window_finisher = 0x2C1B3C6Du;

constexpr std::uint32_t window_words(std::uint32_t window) { return (window + 3) / 4; }
constexpr std::uint32_t window_word_offset(std::uint32_t window, std::uint32_t word) {
  return window >= 4 && word + 1 == window_words(window) ? window - 4 : 4 * word;
}
constexpr std::uint32_t window_word_mask(std::uint32_t window) {
  return window >= 4 ? ~std::uint32_t{0} : (std::uint32_t{1} << (8 * window)) - 1;
}

/// The sum that a window's hash is made of; reads exactly `window` bytes. Its top bits are well mixed.
inline std::uint32_t window_sum(const std::uint8_t* at, std::uint32_t window, bool folded) {
  std::uint32_t sum = 0;
  for (std::uint32_t word = 0; word < window_words(window); ++word) {
    std::uint32_t bytes = 0;
    if (window >= 4)
      bytes = load_u32(at + window_word_offset(window, word));
    else
      bytes = load_partial_u32(at, window);
    if (folded) bytes = (bytes | loose_fold_mask) & window_word_mask(window);
    sum += bytes * window_multipliers[word];
  }
  return sum;
}

/// The hash of a window by its sum. All bits are well mixed, the top ones best.
inline std::uint32_t hash_of_sum(std::uint32_t sum) { return (sum ^ sum >> 15) * window_finisher; }

inline std::uint32_t window_hash(const std::uint8_t* at, std::uint32_t window, bool folded) {
  return hash_of_sum(window_sum(at, window, folded));
}

inline std::uint32_t window_bucket(std::uint32_t hash, std::uint32_t bucket_bits) {
  return static_cast<std::uint32_t>(std::uint64_t{hash} >> (32 - bucket_bits));
}

inline std::uint16_t window_tag(std::uint32_t hash) { return static_cast<std::uint16_t>(hash); }

/// What work costs where the tables are used, in units of one look-up at one place. Length classes are chosen so that
/// the estimated work per byte of text is least.
struct FilterCosts {
  std::uint32_t max_stride = 4;  // 1, 2, 4, 8 or 16
  double long_window = 1.2;      // a look-up with a window of more than 8 bytes
  double candidate = 8.0;        // a place that passed the filter
  double entry = 5.0;            // an entry of that place's bucket, which is compared
  double pass = 0.02;            // a class, for each byte
  // A filter of more bits lies in far memory. A small one of `near_bits` in front of it lets through what it cannot
  // tell, to look-ups that cost far_look each. 0: all filters are near.
  double near_bits = 0;
  double far_look = 0;
  // Windows that the text sample does not hold are told apart by how rare their parts are in it, and many windows are
  // compared to estimate how often they occur. For a small set this takes much longer than all else.
  bool thorough = false;
  // Up to so many patterns are compared one by one, each at this cost per byte.
  double compare_limit = 8;
  double compare_per_pattern = 0.06;
  // Compared one by one, patterns cost the same with every stride. So much of the cost of look-ups is added, so that
  // the stride with the cheapest ones is taken.
  double look_up_share = 1.0 / 1024;
  // A class has more buckets than entries as long as its tables have at most so many bytes a pattern. 0: always.
  std::uint64_t most_bytes_per_pattern = 88;
};

/// The costs on a core of a CPU.
inline constexpr FilterCosts cpu_filter_costs{};

/// Builds the classes and tables for all distinct patterns of `plan`. Of the options it takes the threads and the text
/// sample; `monitor` looks at the stop token.
FilterTables build_filter_tables(const PlanData& plan, const FilterCosts& costs, const PlanOptions& options,
                                 BuildMonitor& monitor);

}  // namespace lode
