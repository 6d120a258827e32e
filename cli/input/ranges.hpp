// Searching a text of any length: each call of the handler gets a range of places whose matches are all complete in a
// view of the text. A file of some size is mapped and is one range, which all threads search at once without a copy;
// everything else goes through a window of a few MiB that slides over it. A GPU, for which the bytes are copied anyway,
// gets them by reading the file, so that only what is printed is touched in the mapping.
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

/// Matches that start in [from, until) are to be handled; offsets in the text.
struct Range {
  View view;
  std::uint64_t from = 0;
  std::uint64_t until = 0;
  bool at_end = false;             // the view ends where the text ends
  const FileText* file = nullptr;  // the same bytes as the view's; read instead of them, where not null
  std::uint64_t least_kept = 0;    // what lies before cannot stay in the window: the memory limit is too low

  Text text() const { return file != nullptr ? Text(*file) : Text(view.bytes); }
  /// For a search of view.bytes that reports what starts in this range.
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
  std::uint32_t max_length = 1;          // of the patterns; what conditions look at is beside it
  bool patterns_span_lines = true;
  bool reads_files = false;  // rather than their mapping
  char line_terminator = '\n';
};

/// One byte in so many of the memory limit may be taken to unpack a compressed text.
inline constexpr std::uint64_t unpacking_share = 2;

/// Thrown by a handler that needs text which could not stay. It becomes an Error(limit) that names the file.
class LineBeyondLimit : public std::exception {};

/// Returns the offset from which the text must stay in the window, below range.least_kept to fail as LineBeyondLimit
/// does; nothing to end the search. May set range.until back to where it got, where it needs more text before it can go
/// on; the next range starts there. What ended a text before its end counts, see Input::check, unless the handler ended
/// the search itself.
using RangeHandler = std::function<std::optional<std::uint64_t>(Range&)>;

/// The handler may throw DamagedText, which View::check does. It becomes an Error(input_output) that names the file and
/// says how it changed, and so does damage to a mapped file that shows at the end.
void for_each_range(io::Input& input, const RangeOptions& options, const RangeHandler& handle);

}  // namespace lode::command
