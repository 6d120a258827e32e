// InputSearch: searches inputs, one after the other, and writes for each what was asked for. Several InputSearch
// objects, each with its own writer, may share one searcher and work at once.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments/settings.hpp"
#include "cli/input/ranges.hpp"
#include "cli/output/formats.hpp"
#include "cli/output/progress_bar.hpp"
#include "cli/output/report.hpp"
#include "cli/output/statistics.hpp"
#include "cli/output/writer.hpp"
#include "cli/search/matrix.hpp"
#include "cli/search/verifier.hpp"
#include "io/input.hpp"
#include "lode/rewrite.hpp"
#include "lode/searcher.hpp"

namespace lode::command {

/// The tools with which all inputs are searched. All but `matrix` and `verifier` may be used by several threads at
/// once.
struct SearchTools {
  /// `matches_nothing`: there are no patterns, and the plan only stands in.
  SearchTools(const Settings& settings, const Device& device, Plan plan, bool matches_nothing, Writer& writer);

  const Settings& settings;
  Plan plan;
  const bool matches_nothing;
  RangeOptions range_options;
  bool any_nul_in_patterns = false;          // set only with --offsets
  std::optional<Searcher> searcher;          // unless there is a matrix
  std::optional<Matrix> matrix;              // --matrix
  std::optional<Verifier> verifier;          // --verify without --matrix
  std::optional<Replacements> replacements;  // --replace, --mask and their kin
  std::optional<Report> report;              // --report
  double prepare_seconds = 0;                // how long it took to make the searcher or the matrix

 private:
  void prepare_rewriting();
};

/// How the search of one input went.
struct InputResult {
  bool any_match = false;
  bool ends_search = false;     // -q: there was a match, so no other input needs to be searched
  bool binary_matches = false;  // lines were left out because the input is binary
  /// If --max-count ended the search of the input: a place in the last line that it admits, or with --offsets the place
  /// behind the last match.
  std::optional<std::uint64_t> limit_reached_at;
};

class InputSearch {
 public:
  /// `any_output`: whether lines have been written before, so that the first group needs a separator.
  InputSearch(SearchTools& tools, Writer& writer, bool any_output);

  /// Throws Error if the input cannot be read to its end, or if searching or writing fails; the writer may then hold a
  /// part of a line. `tell` takes messages about what did not end the search.
  InputResult search(io::Input& input, bool name_shown, const std::function<void(const std::string&)>& tell);

  /// Shows progress from now on.
  void set_progress_bar(ProgressBar* bar) noexcept { progress_bar_ = bar; }
  /// From now on searches are repetitions, in which --verify compares nothing.
  void set_repeats() noexcept { repeats_ = true; }

  /// Whether a line was written, or a binary input matched.
  bool any_output() const noexcept { return any_output_; }
  void set_any_output() noexcept { any_output_ = true; }
  Statistics& statistics() noexcept { return statistics_; }
  JsonFormat& json_format() noexcept { return json_format_; }
  TextFormat& text_format() noexcept { return text_format_; }
  /// The counts over all inputs, for Output::count_per_pattern without --by-file.
  const std::vector<std::uint64_t>& counts_per_pattern() const noexcept { return counts_per_pattern_; }
  void print_counts_per_pattern();
  /// Whether --verify found a difference.
  bool any_difference() const noexcept { return any_difference_; }
  double verification_seconds() const noexcept { return verification_seconds_; }

 private:
  bool print_lines(io::Input& input, bool name_shown);
  bool print_matches(io::Input& input);
  bool print_offsets(io::Input& input, bool name_shown);
  /// Rewrites an input. The report forgets the matches of a file that is not rewritten after all.
  bool rewrite(io::Input& input);
  bool rewrite_input(io::Input& input);
  bool print_matrix(io::Input& input);
  /// `lines` are lines of the range. The first begins at offset `begin` of the text.
  bool print_part_of_matrix(const Range& range, std::string_view lines, std::uint64_t begin);
  void verify_matrix(const Range& range, std::string_view lines, bool begins_text);
  std::uint64_t count_lines(io::Input& input);
  /// Whether Searcher::count_lines() gives the count that is wanted.
  bool counts_lines_of_whole_texts() const;
  std::uint64_t count_matches(io::Input& input);
  bool count_per_pattern(io::Input& input);
  /// Sets counts_per_pattern_ and occurring_ for this input alone.
  void list_patterns(io::Input& input);
  bool print_patterns_of_file(io::Input& input);
  void print_count(std::uint32_t id);
  bool has_selected_line(io::Input& input);

  void for_each_range(io::Input& input, const RangeHandler& handle);
  /// Calls call(run) with the options for a search of the range, then adds its statistics.
  void call_searcher(const Range& range, std::uint64_t& not_before, const std::function<void(const RunOptions&)>& call);
  /// Calls take(match) for every match in the range, with its offset in the text, until it returns false. Returns what
  /// it returned last.
  template <typename Take>
  bool find(const Range& range, std::uint64_t& not_before, Take take);
  void verify(const Range& range);
  void tell_difference(const std::string& difference);
  bool looks_binary(const Range& range) const;

  SearchTools& tools_;
  const Settings& settings_;
  Writer& writer_;
  TextFormat text_format_;
  JsonFormat json_format_;
  Statistics statistics_;
  SearchStats call_;  // filled by each call of the searcher
  ProgressBar* progress_bar_ = nullptr;
  bool repeats_ = false;
  bool any_output_;

  // The current input.
  const std::string* name_ = nullptr;
  const std::function<void(const std::string&)>* tell_ = nullptr;
  InputResult result_;
  std::uint64_t bytes_searched_ = 0;
  std::uint64_t json_lines_ = 0;  // lines selected, for --json
  bool differs_ = false;          // --verify found a difference, so the rest of this input is not compared

  std::vector<std::uint64_t> counts_per_pattern_;
  std::vector<std::uint32_t> occurring_;  // patterns of the current input, in ascending order
  bool any_difference_ = false;
  double verification_seconds_ = 0;
};

}  // namespace lode::command
