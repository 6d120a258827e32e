// Workloads of records × patterns, made from seeds: the text, the patterns and what is planted come from three of them.
//
// Texts hold no NUL, so that strstr can search their records. Records lie one behind the other without gaps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "generators.hpp"
#include "lode/records.hpp"
#include "row.hpp"

namespace lode::bench {

enum class RecordText {
  printable,  // 95 bytes, all equally likely; patterns of the same, so that only planted ones occur
  english,    // prose; patterns are phrases of another text, half of them changed so that they cannot occur
  letters,    // sixteen letters; patterns are these letters, and nearly every record holds each of them
};

struct RecordRecipe {
  std::string name;
  RecordText text = RecordText::printable;
  std::uint64_t text_bytes = 0;     // of all records but the long one
  std::uint64_t shortest = 80;      // records have any length from this
  std::uint64_t longest = 120;      // to this; the last one may be shorter
  std::uint64_t long_record = 0;    // bytes of one more in the middle; 0: none
  std::uint64_t patterns = 1000;    // all of
  std::uint64_t pattern_bytes = 8;  // so many bytes
  double planted = 0;               // share of records that a pattern is written into
};

/// The origin's benchmark in its three densities and other shapes of matrices, for texts of so many bytes.
std::vector<RecordRecipe> record_recipes(std::uint64_t text_bytes);
/// The origin's benchmark with 1 GiB of records and 64 KB of patterns, the letters in so many records, and one record of 1 GiB.
std::vector<RecordRecipe> large_record_recipes();

class RecordWorkload {
 public:
  RecordWorkload(RecordRecipe recipe, const std::filesystem::path& sample);

  static constexpr std::uint64_t text_seed = 1;
  static constexpr std::uint64_t pattern_seed = 2;
  static constexpr std::uint64_t plant_seed = 3;

  const RecordRecipe& recipe() const { return recipe_; }
  const Records& records() const { return records_; }
  const std::vector<std::string>& patterns() const { return patterns_; }
  /// Bytes of the first records.
  std::uint64_t bytes_of(std::uint64_t rows) const { return offsets_[rows]; }
  /// Whether some first records are like all of them.
  bool is_uniform() const { return recipe_.long_record == 0; }

 private:
  void make_offsets();
  void plant();

  RecordRecipe recipe_;
  std::unique_ptr<TextMemory> text_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::string> patterns_;
  Records records_;
};

}  // namespace lode::bench
