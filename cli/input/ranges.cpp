#include "cli/input/ranges.hpp"

#include <algorithm>

#include "cli/input/mapping.hpp"
#include "text/condition.hpp"

namespace lode::command {
namespace {

constexpr std::uint64_t piece_per_thread_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t largest_piece_bytes = std::uint64_t{16} << 20;
constexpr std::uint64_t smallest_piece_bytes = std::uint64_t{1} << 16;
constexpr std::uint64_t bytes_before = condition_bytes_before;  // a range; a view looks at no more
// A line stays in the window while it may yet be written. This limits it if the user sets no limit, since unpacked text
// may have lines of any length.
constexpr std::uint64_t usual_limit_bytes = std::uint64_t{1} << 30;

std::size_t choose_piece_bytes(const RangeOptions& options, const io::Input& input) {
  std::uint64_t piece = std::min(options.threads * piece_per_thread_bytes, largest_piece_bytes);
  // A regular file that is not mapped is small as a rule. Small pieces stay in the cache of the thread that reads and
  // searches them, and the next file uses their memory again.
  if (input.is_regular() && !input.is_derived()) piece = smallest_piece_bytes;
  if (options.memory_limit_bytes > 0) piece = std::min(piece, options.memory_limit_bytes / 4);
  // The look-ahead behind each range is searched twice, so it must be a small part of a piece.
  return static_cast<std::size_t>(std::max({piece, smallest_piece_bytes, std::uint64_t{4} * options.max_length}));
}

// The place before which all matches that start there are known, whatever follows.
std::uint64_t certain_end(const RangeOptions& options, const View& view) {
  if (options.viewed_plan != nullptr) return view.begin + certain_until(*options.viewed_plan, view.bytes);
  const std::uint64_t reach = std::uint64_t{options.max_length} - 1 + most_condition_bytes_behind;
  return view.end() - std::min(view.end(), reach);
}

[[noreturn]] void fail_damaged(const io::Input& input) {
  input.check();
  throw Error(ErrorKind::input_output, input.name() + ": " + DamagedText().what());
}

[[noreturn]] void fail_beyond_limit(const io::Input& input, const Range& range, const RangeOptions& options) {
  if (options.viewed_plan != nullptr)
    throw Error(ErrorKind::limit, input.name() + ": more than " + std::to_string(range.view.end() - range.least_kept) +
                                      " bytes, which the view joins, do not fit into the memory limit; raise "
                                      "--memory-limit, or search a file");
  throw Error(ErrorKind::limit, input.name() + ": a line of more than " +
                                    std::to_string(range.view.end() - range.least_kept) +
                                    " bytes does not fit into the memory limit; raise --memory-limit");
}

}  // namespace

void for_each_range(io::Input& input, const RangeOptions& options, const RangeHandler& handle) {
  if (input.file() != nullptr) {
    const Mapping mapping(input.descriptor(), input.file()->size(), options.threads);
    if (const std::string_view mapped = mapping.bytes(); !mapped.empty()) {
      Range whole{{mapped, 0, &mapping}, 0, mapped.size(), true, options.reads_files ? input.file() : nullptr};
      try {
        handle(whole);
        mapping.check();
      } catch (const DamagedText&) {
        fail_damaged(input);
      }
      return;
    }
  }
  io::WindowOptions window_options;
  window_options.piece_bytes = choose_piece_bytes(options, input);
  window_options.threads = options.threads;
  std::uint64_t limit_bytes = options.memory_limit_bytes > 0 ? options.memory_limit_bytes : usual_limit_bytes;
  if (input.is_derived()) limit_bytes -= limit_bytes / unpacking_share;
  window_options.limit_bytes = std::max<std::uint64_t>(limit_bytes, 3 * window_options.piece_bytes);
  io::Window window(input, window_options);
  std::uint64_t keep_from = 0;
  Range range;
  for (;;) {
    window.advance(keep_from);
    range.view = {window.bytes(), window.begin(), nullptr};
    range.least_kept = window.least_kept();
    range.at_end = window.at_end();
    const std::uint64_t end = window.end();
    if (range.at_end) {
      range.until = end;
    } else {
      range.until = std::max(range.from, certain_end(options, range.view));
      if (input.file() == nullptr && !options.patterns_span_lines) {
        // No match reaches across the end of a line, so complete lines need not wait for the text that follows.
        range.until = std::max(range.until, range.view.start_of_last_line(std::max(range.until, window.begin()), end,
                                                                          options.line_terminator));
      }
    }
    std::optional<std::uint64_t> wanted;
    try {
      wanted = handle(range);
    } catch (const LineBeyondLimit&) {
      fail_beyond_limit(input, range, options);
    }
    if (!wanted) return;
    if (range.at_end) return input.set_used_to_end();
    if (*wanted < range.least_kept) fail_beyond_limit(input, range, options);
    const std::uint64_t before = range.until - std::min(range.until, bytes_before);
    keep_from = std::max(window.begin(), std::min(*wanted, before));
    range.from = range.until;
  }
}

}  // namespace lode::command
