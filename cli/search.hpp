// Search: the command's work once the command line is understood: compiles the patterns, goes through the inputs,
// writes what was asked for, and says with its exit status how it went.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats.hpp"
#include "io/input.hpp"
#include "lode/searcher.hpp"
#include "matrix.hpp"
#include "progress_bar.hpp"
#include "ranges.hpp"
#include "settings.hpp"
#include "statistics.hpp"
#include "verifier.hpp"
#include "writer.hpp"

namespace lode::command {

class Search {
 public:
  /// `stage_seconds`: of what went before; preparing the search is the last one.
  Search(const Settings& settings, const Device& device, Plan plan, StageSeconds stage_seconds, Writer& writer);

  int run();

 private:
  void search_all();
  /// Each returns false to end the whole search.
  bool search_path(const std::string& path);
  bool search_file(const std::string& path, bool name_shown);
  bool search_input(io::Input& input, bool name_shown);

  bool print_lines(io::Input& input, bool name_shown);
  bool print_matches(io::Input& input);
  bool print_offsets(io::Input& input, bool name_shown);
  bool print_matrix(io::Input& input);
  /// Lines of the range, of which the first begins at `begin` in the text.
  bool print_part_of_matrix(const Range& range, std::string_view lines, std::uint64_t begin);
  void verify_matrix(const io::Input& input, const Range& range, std::string_view lines, bool begins_text);
  std::uint64_t count_lines(io::Input& input);
  /// Whether the library's own count of lines says what count_lines must.
  bool counts_lines_of_whole_texts() const;
  std::uint64_t count_matches(io::Input& input);
  void count_per_pattern(io::Input& input);
  bool has_selected_line(io::Input& input);
  void print_counts_per_pattern();

  void for_each_range(io::Input& input, const RangeHandler& handle);
  /// Calls call(run) with the options of a search of the range, and takes in its statistics.
  template <typename Call>
  void call_searcher(const Range& range, std::uint64_t& not_before, Call call);
  /// Calls take with every match of the range, offsets in the text, until it returns false; returns what it returned.
  template <typename Take>
  bool find(const Range& range, std::uint64_t& not_before, Take take);
  void verify(const io::Input& input, const Range& range);
  bool looks_binary(const Range& range) const;
  void tell_binary_matches(const io::Input& input);
  void warn(const std::string& message);
  void report(const std::string& message);

  const Settings& settings_;
  Plan plan_;
  Writer& writer_;
  std::optional<Searcher> searcher_;  // not with matrix_
  std::optional<Verifier> verifier_;
  std::optional<Matrix> matrix_;  // --matrix
  TextFormat text_format_;
  JsonFormat json_format_;
  ProgressBar progress_bar_;
  Statistics statistics_;
  SearchStats call_;  // filled by each call of the searcher
  RangeOptions range_options_;
  struct stat output_status_ {};
  bool output_is_file_ = false;
  bool any_nul_in_patterns_ = false;  // known only with --offsets

  bool muted_ = false;  // a repetition: messages were given the first time
  bool any_match_ = false;
  bool any_error_ = false;
  bool any_output_ = false;                  // a line was written, by whatever file
  const std::string* input_name_ = nullptr;  // of the current input
  std::uint64_t bytes_searched_ = 0;         // of the current input
  std::uint64_t json_lines_ = 0;             // selected in the current input
  std::vector<std::uint64_t> counts_per_pattern_;
  bool input_differs_ = false;  // --verify: the current input; nothing more is compared in it
  bool any_difference_ = false;
  double verification_seconds_ = 0;
};

}  // namespace lode::command
