// Searching a text of any length, range by range. Each call of the handler gets a range of places, and a view of the
// text in which all matches that start there are complete. A file of some size is mapped and is one range, which all
// threads search at once without a copy. Everything else goes through a window of a few MiB that slides over it. For a
// GPU the bytes are copied anyway, so they are read from the file, and only what is printed is touched in the mapping.
//
//   file     |------------------------- range ------------------------|
//   stream   |-- range --|-- range --|-- range --|      each with a view that reaches as far as a match may
//            |---- view -----|
//                       |---- view -----|
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>

#include "cli/arguments/settings.hpp"
#include "cli/search/line_tracker.hpp"
#include "io/input.hpp"
#include "io/window.hpp"
#include "lode/searcher.hpp"

namespace lode::command {

/// The matches that start in [from, until) are to be handled. Both are offsets in the text.
struct Range {
  View view;
  std::uint64_t from = 0;
  std::uint64_t until = 0;
  bool at_end = false;             // the view ends where the text ends
  const FileText* file = nullptr;  // unless null, the same bytes as the view's, to be read instead of these
  std::uint64_t least_kept = 0;    // text before this place cannot stay in the window: the memory limit is too low

  Text text() const { return file != nullptr ? Text(*file) : Text(view.bytes); }
  /// The options for a search of view.bytes that reports the matches that start in this range.
  RunOptions run() const {
    RunOptions options;
    options.begin = from - view.begin;
    options.end = until - view.begin;
    return options;
  }
};

struct RangeOptions {
  unsigned threads = 1;
  std::uint64_t memory_limit_bytes = 0;  // 0: none
  std::uint32_t max_length = 1;          // length of the longest pattern; conditions may look further
  bool patterns_span_lines = true;       // whether some pattern contains the line terminator
  const Plan* viewed_plan = nullptr;     // a plan with a view, which may join any number of bytes; else null
  bool reads_files = false;              // whether files are read, rather than their mapping
  char line_terminator = '\n';
};

/// Unpacking a compressed text may take 1 / unpacking_share of the memory limit.
inline constexpr std::uint64_t unpacking_share = 2;

/// Thrown by a handler that needs text which could not stay in the window. It becomes an Error(limit) that names the
/// file.
class LineBeyondLimit : public std::exception {};

/// Handles a range. Returns the offset from which on the text must stay in the window; nothing to end the search. An
/// offset below range.least_kept fails as LineBeyondLimit does. If the handler needs more text before it can go on, it
/// may set range.until back to the place that it reached; the next range starts there. If a text ended early by an
/// error, that error is thrown (see Input::check), unless the handler has ended the search before.
using RangeHandler = std::function<std::optional<std::uint64_t>(Range&)>;

/// Calls the handler for one range of the input after the other. If it throws DamagedText, as View::check() does, or if
/// a mapped file turns out damaged at the end, that becomes an Error(input_output) that names the file and says how it
/// changed.
void for_each_range(io::Input& input, const RangeOptions& options, const RangeHandler& handle);

}  // namespace lode::command
