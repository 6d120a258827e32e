// Row: the definition of one line of the results, and what is made from it. Definitions lie in rows.json.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "generators.hpp"
#include "writing.hpp"

namespace lode::bench {

/// What the engines of a row do.
enum class Model {
  count,    // count all occurrences in the text
  find,     // make a list of all occurrences in memory: offsets and ids
  stream,   // count in a text that comes in pieces of a MiB, of which they may keep no more than they need
  records,  // find the first occurrence of each pattern in each line
  build,    // plans and searchers are built, saved and loaded; no text is searched
};
std::string_view name_of(Model model);

/// On the CPU, ways in which Lode runs in a row, beside what all rows have: every algorithm with every number of threads, schedule and
/// number of chunks.
struct Ways {
  std::vector<std::string> algorithms;  // empty: the row has no ways of its own
  std::vector<unsigned> threads = {1};  // 0: all; "doubling" in a definition: 1, 2, 4 … and all
  std::vector<std::string> schedules = {"dynamic"};
  std::vector<std::uint64_t> chunks = {0};  // of the whole text; 0: as Lode chooses
};

/// A recipe says what a text is made of.
struct TextRecipe {
  TextKind kind = TextKind::english;
  std::uint64_t bytes = 0;  // before it is written as the next member says
  Writing writing = Writing::plain;
  bool operator==(const TextRecipe&) const = default;
};

struct Row {
  std::string name;
  Model model = Model::count;
  TextKind text_kind = TextKind::english;
  std::string text_name;
  std::uint64_t text_bytes = 0;  // before it is written as the next member says
  Writing writing = Writing::plain;
  std::string view;     // that Lode searches the text through; empty: none
  std::string pattern;  // the one pattern, or empty:
  PatternRequest patterns;
  bool ignore_case = false;
  bool all_threads = false;                // Lode is measured with all threads, too
  std::vector<std::string> more_patterns;  // beside those of `patterns`
  std::vector<std::string> algorithms;     // on GPUs: measured beside `auto`; NAME, NAME/CASCADING or
                                           // NAME/CASCADING/GROUPSxITEMS (work-groups of a unit, work-items of a group)
  bool find = false;                       // on GPUs: matches are listed, too
  bool usual = true;                       // on GPUs: measured where no rows are named
  bool peers = true;                       // on the CPU: measured beside Lode
  Ways ways;                               // on the CPU
  std::optional<std::uint64_t> expected;   // matches in the whole text of that size, where the definition says how many

  TextRecipe text() const { return {text_kind, text_bytes, writing}; }
};

/// Another size than the definition's, of which nothing is expected.
void resize_text(Row& row, std::uint64_t bytes);

/// A definition with "each" stands for several rows: one for each value of "length" (of the patterns), "count" (of
/// them), "text" or "kibibytes" (of the text), or each combination; the values end the rows' names. With `quick`, texts
/// are small, and rows marked `"quick": false` or with larger texts are left out. "expected" and, with `quick`,
/// "quick_expected" say how many matches the row's own text holds: a number, or where the definition stands for several
/// rows a list in their order, null where nothing is expected, or an object by their names. Throws std::runtime_error
/// for a file that is malformed or holds a word that is not known.
std::vector<Row> read_rows(const std::filesystem::path& path, bool quick);

/// Memory of a text: huge pages where the system gives them, the same for all engines and read loops.
class TextMemory {
 public:
  explicit TextMemory(std::uint64_t bytes);
  TextMemory(const TextMemory&) = delete;
  TextMemory& operator=(const TextMemory&) = delete;
  ~TextMemory();
  std::span<char> bytes() const { return {data_, size_}; }

 private:
  char* data_;
  std::size_t size_;
};

/// Makes texts and patterns; keeps the last text, because rows of one text follow one another.
class Workshop {
 public:
  explicit Workshop(std::filesystem::path sample) : sample_(std::move(sample)) {}

  static constexpr std::uint64_t text_seed = 1;
  /// Valid until the next call.
  std::string_view text_of(const Row& row);
  std::vector<std::string> patterns_of(const Row& row);

 private:
  const TextGenerator& generator(TextKind kind);

  std::filesystem::path sample_;
  std::shared_ptr<const WordChain> chain_;
  std::optional<TextGenerator> generator_;
  std::unique_ptr<TextMemory> memory_;
  TextRecipe in_memory_;
};

}  // namespace lode::bench
