#include "search.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

#include "base/threads.hpp"
#include "interrupt.hpp"
#include "io/walk.hpp"
#include "line_printer.hpp"
#include "match_printer.hpp"
#include "messages.hpp"
#include "text_encoding.hpp"

namespace lode::command {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

bool gathers_matches(const Settings& settings) {
  return settings.output == Output::json ||
         (settings.output == Output::lines && (settings.color || settings.pattern_ids));
}

SearcherOptions searcher_options(const Settings& settings, const PatternSet& patterns) {
  SearcherOptions options;
  options.algorithm = settings.algorithm;
  options.condition = settings.condition;
  options.line_terminator = settings.line_terminator;
  options.threads = settings.threads;
  options.memory_limit_bytes = settings.memory_limit_bytes;
  const bool only_lines =
      !gathers_matches(settings) && (settings.output == Output::lines || settings.output == Output::line_count ||
                                     settings.output == Output::files_with ||
                                     settings.output == Output::files_without || settings.output == Output::nothing);
  const bool leftmost_by_default = settings.output == Output::only_matching ||
                                   (settings.output == Output::lines && settings.color && !settings.pattern_ids);
  options.match_kind = settings.match_kind_given ? settings.match_kind
                       : leftmost_by_default     ? MatchKind::leftmost_longest
                                                 : MatchKind::overlapping;
  // Which lines match does not depend on the kind, unless a match may touch several.
  if (only_lines && !patterns.any_contains(settings.line_terminator)) {
    options.match_kind = MatchKind::overlapping;
    options.one_per_line = true;
  }
  return options;
}

/// Counts lines for -c.
class LineCounter final : public LineSink {
 public:
  LineCounter(const Settings& settings) : settings_(settings) {}

  void set_window(const View& view) noexcept { view_ = view; }
  std::uint64_t count() const noexcept { return std::min(count_, settings_.max_count); }

  bool gap(std::uint64_t begin, std::uint64_t end) override {
    if (!settings_.invert) return true;
    // What lies before the window belongs to the line that goes on in it.
    begin = std::max(begin, view_.begin);
    const bool ends_open = view_.slice(end - 1, end)[0] != settings_.line_terminator;
    count_ += view_.count(begin, end, settings_.line_terminator) + (ends_open ? 1 : 0);
    return count_ < settings_.max_count;
  }
  bool touched(std::uint64_t, std::uint64_t, std::span<const Match>, Part) override {
    if (settings_.invert) return true;
    return ++count_ < settings_.max_count;
  }
  void reduce(std::vector<Match>&) override {}

 private:
  const Settings& settings_;
  View view_;
  std::uint64_t count_ = 0;
};

}  // namespace

Search::Search(const Settings& settings, const Device& device, Plan plan, StageSeconds stage_seconds, Writer& writer)
    : settings_(settings),
      plan_(std::move(plan)),
      writer_(writer),
      text_format_(settings, plan_.patterns(), writer),
      json_format_(plan_.patterns(), writer) {
  const auto begin = Clock::now();
  range_options_.threads = thread_count(settings.threads);
  range_options_.memory_limit_bytes = settings.memory_limit_bytes;
  range_options_.max_length = plan_.patterns().max_length();
  range_options_.patterns_span_lines = plan_.patterns().any_contains(settings.line_terminator);
  range_options_.reads_files = device.name() != "cpu" && device.name() != "auto";
  range_options_.line_terminator = settings.line_terminator;
  const SearcherOptions options = searcher_options(settings, plan_.patterns());
  if (settings.output == Output::matrix) {
    matrix_.emplace(settings, plan_, options, device, writer);
  } else {
    searcher_.emplace(plan_, options, device);
  }
  stage_seconds.prepare = seconds_since(begin);
  statistics_.set_plan(plan_, stage_seconds);
  if (settings.verify && searcher_) verifier_.emplace(plan_, options, device);
  output_is_file_ = ::fstat(STDOUT_FILENO, &output_status_) == 0 && S_ISREG(output_status_.st_mode);
  if (settings.output == Output::offsets) any_nul_in_patterns_ = plan_.patterns().any_contains('\0');
  if (settings.output == Output::count_per_pattern) counts_per_pattern_.resize(plan_.patterns().size());
}

int Search::run() {
  if (settings_.max_count == 0 && settings_.output != Output::files_without) return 1;
  for (std::uint64_t repetition = 0; repetition < settings_.iterations; ++repetition) {
    const auto begin = Clock::now();
    search_all();
    const double seconds = seconds_since(begin) - (repetition == 0 ? verification_seconds_ : 0);
    statistics_.end_repetition(seconds);
    if (repetition == 0) {
      if (settings_.output == Output::count_per_pattern) print_counts_per_pattern();
      if (settings_.output == Output::json) json_format_.summary(seconds, settings_.stats ? &statistics_ : nullptr);
      writer_.flush();
    }
    muted_ = true;
    writer_.discard();
  }
  progress_bar_.clear();
  if (settings_.stats) {
    if (verifier_) statistics_.set_reference(verifier_->reference_algorithm(), !any_difference_);
    if (matrix_ && matrix_->verifier) {
      statistics_.set_reference(matrix_->verifier->reference_algorithm(), !any_difference_);
    }
    write_error(matrix_ ? statistics_.report(matrix_->searcher, range_options_.threads)
                        : statistics_.report(*searcher_, range_options_.threads));
  }
  // A match is all that -q asks for, whatever failed before it.
  const bool is_answered = settings_.output == Output::nothing && any_match_ && !any_difference_;
  return any_error_ && !is_answered ? 2 : any_match_ ? 0 : 1;
}

void Search::search_all() {
  if (matrix_) matrix_->printer.restart();
  if (settings_.paths.empty()) {
    search_file("-", settings_.filenames > 0);
    return;
  }
  for (const std::string& path : settings_.paths) {
    if (!search_path(path)) return;
  }
}

bool Search::search_path(const std::string& path) {
  const bool name_shown = settings_.filenames > 0 || (settings_.filenames == 0 && settings_.paths.size() > 1);
  struct stat status {};
  if (path != "-" && ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    io::WalkCallbacks callbacks;
    callbacks.found = [&](const std::string& file) { return search_file(file, settings_.filenames >= 0); };
    callbacks.failed = [&](const std::string& failed, const std::string& reason) { report(failed + ": " + reason); };
    return io::walk_directory(path, settings_.filter, callbacks);
  }
  return (path != "-" && !settings_.filter.admits_file(path)) || search_file(path, name_shown);
}

bool Search::search_file(const std::string& path, bool name_shown) {
  const auto compression = settings_.decompress ? io::Compression::detected : io::Compression::ignored;
  std::string name = path;
  const auto fail = [&](const std::string& message) {
    const bool writes_lines = settings_.output == Output::lines || settings_.output == Output::only_matching;
    writer_.drop_line(writes_lines ? settings_.line_terminator : '\n');
    report(message);
  };
  try {
    io::Input input = path == "-" ? io::Input::standard_input(compression) : io::Input::open(path, compression);
    name = input.name();
    if (settings_.iterations > 1 && input.file() == nullptr && (path == "-" || !input.is_regular())) {
      throw Error(ErrorKind::invalid_argument, input.name() + ": can be read only once; --iterations needs files");
    }
    const bool go_on = search_input(input, name_shown);
    input.check_unchanged();
    return go_on;
  } catch (const OutputError&) {
    throw;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::device) {
      statistics_.set_failed();
      fail(name + ": " + settings_.device + ": " + error.what());
    } else {
      fail(error.what());
    }
  } catch (const std::bad_alloc&) {
    fail(name + ": out of memory");
  }
  return true;
}

bool Search::search_input(io::Input& input, bool name_shown) {
  const bool writes_text = settings_.output != Output::files_with && settings_.output != Output::files_without &&
                           settings_.output != Output::nothing && settings_.output != Output::count_per_pattern;
  if (output_is_file_ && writes_text && input.is_regular() && input.is_same_file(output_status_)) {
    throw Error(ErrorKind::input_output, input.name() + ": input file is also the output");
  }
  if (verifier_) verifier_->begin_text();
  bytes_searched_ = 0;
  text_format_.begin_file(input.name(), name_shown);
  switch (settings_.output) {
    case Output::lines: any_match_ |= print_lines(input, name_shown); break;
    case Output::json: {
      const auto begin = Clock::now();
      json_format_.begin_file(input.name(), name_shown);
      any_match_ |= print_lines(input, name_shown);
      json_format_.end_file(bytes_searched_, json_lines_, seconds_since(begin));
      break;
    }
    case Output::only_matching: any_match_ |= settings_.invert ? has_selected_line(input) : print_matches(input); break;
    case Output::offsets: any_match_ |= print_offsets(input, name_shown); break;
    case Output::line_count:
    case Output::match_count: {
      const std::uint64_t count = settings_.output == Output::line_count ? count_lines(input) : count_matches(input);
      any_match_ |= count > 0;
      text_format_.file_count(count);
      break;
    }
    case Output::count_per_pattern: count_per_pattern(input); break;
    case Output::files_with:
    case Output::files_without: {
      const bool selected = settings_.max_count > 0 && has_selected_line(input);
      any_match_ |= selected;
      if (selected == (settings_.output == Output::files_with)) text_format_.file_name();
      break;
    }
    case Output::matrix: any_match_ |= print_matrix(input); break;
    case Output::nothing: {
      const bool selected = has_selected_line(input);
      any_match_ |= selected;
      return !selected;
    }
  }
  return true;
}

void Search::for_each_range(io::Input& input, const RangeHandler& handle) {
  input_name_ = &input.name();
  command::for_each_range(input, range_options_, [&](Range& range) {
    if (verifier_ && !muted_) verify(input, range);
    progress_bar_.show(input.name(), range.from, 0);
    auto keep_from = handle(range);
    bytes_searched_ += range.until - range.from;
    if (input.file() == nullptr) writer_.flush();  // so that nothing waits with us for a slow stream
    return keep_from;
  });
}

void Search::verify(const io::Input& input, const Range& range) {
  const auto begin = Clock::now();
  if (range.from == 0) input_differs_ = false;
  if (!input_differs_) {
    if (const auto difference = verifier_->compare(range)) {
      range.view.check();  // else each may have read something else
      report(input.name() + ": " + *difference);
      input_differs_ = any_difference_ = true;
    }
  }
  verification_seconds_ += seconds_since(begin);
}

template <typename Call>
void Search::call_searcher(const Range& range, std::uint64_t& not_before, Call call) {
  RunOptions run = range.run();
  std::uint64_t relative = std::max(not_before, range.view.begin) - range.view.begin;
  run.not_before = &relative;
  run.stats = &call_;
  if (progress_bar_.enabled()) {
    run.progress = [&](std::uint64_t done, std::uint64_t) {
      progress_bar_.show(*input_name_, range.from + done, range.at_end ? range.until : 0);
    };
  }
  call(run);
  not_before = range.view.begin + relative;
  statistics_.add(call_);
  if (!call_.warning.empty()) warn(call_.warning);
}

template <typename Take>
bool Search::find(const Range& range, std::uint64_t& not_before, Take take) {
  bool go_on = true;
  const auto take_batch = [&](std::span<const Match> batch) {
    for (Match match : batch) {
      match.offset += range.view.begin;
      if (!take(match)) return go_on = false;
    }
    return true;
  };
  call_searcher(range, not_before, [&](const RunOptions& run) { searcher_->find(range.text(), take_batch, run); });
  return go_on;
}

bool Search::looks_binary(const Range& range) const {
  if (range.view.begin != 0 || range.from != 0) return false;
  const std::string_view head = range.view.bytes.substr(0, binary_head_bytes);
  if (std::memchr(head.data(), 0, head.size()) == nullptr) return false;
  range.view.check();  // a text that shrank has zero bytes, too
  return true;
}

bool Search::print_lines(io::Input& input, bool name_shown) {
  LineFormat& format = settings_.output == Output::json ? static_cast<LineFormat&>(json_format_) : text_format_;
  LinePrinter printer(settings_, format, writer_, name_shown, any_output_);
  LineTrackerOptions options;
  options.terminator = settings_.line_terminator;
  options.gather = gathers_matches(settings_);
  options.spans = range_options_.patterns_span_lines;
  options.parts = format.takes_parts();
  LineTracker tracker(printer, options);
  std::uint64_t not_before = 0;
  bool any_match_only = false;  // nothing is written of a binary file, so that its lines need not be known
  for_each_range(input, [&](Range& range) -> std::optional<std::uint64_t> {
    if (looks_binary(range)) {
      printer.set_looks_binary();
      any_match_only = printer.hides_binary() && !settings_.invert;
    }
    printer.set_window(range.view);
    tracker.set_window(range.view, range.at_end);
    std::uint64_t next = range.until;
    if (any_match_only) {
      const bool found = !find(range, not_before, [](const Match&) { return false; });
      if (found) printer.tell_any_match();
      return found ? std::nullopt : std::optional(range.until);
    }
    const auto take = [&](const Match& match) {
      next = match.offset;
      return tracker.match(match);
    };
    if (!find(range, not_before, take)) {
      if (!tracker.paused()) return std::nullopt;
      range.until = next;
      not_before = tracker.touched_until();
    } else if (!tracker.finish_range(range.until)) {
      return std::nullopt;
    }
    return printer.keep_from(tracker, range);
  });
  if (printer.binary_matches()) tell_binary_matches(input);
  json_lines_ = printer.selected_lines();
  return printer.selected_lines() > 0;
}

bool Search::print_matches(io::Input& input) {
  MatchPrinter printer(settings_, text_format_, writer_, any_output_);
  std::uint64_t not_before = 0;
  for_each_range(input, [&](const Range& range) -> std::optional<std::uint64_t> {
    if (looks_binary(range)) printer.set_looks_binary();
    printer.set_window(range.view);
    if (!find(range, not_before, [&](const Match& match) { return printer.match(match); })) return std::nullopt;
    if (!printer.finish_range(range.until)) return std::nullopt;
    return range.until;
  });
  if (printer.binary_matches()) tell_binary_matches(input);
  return printer.any_match();
}

bool Search::print_offsets(io::Input& input, bool name_shown) {
  std::uint64_t written = 0;
  std::uint64_t not_before = 0;
  for_each_range(input, [&](const Range& range) -> std::optional<std::uint64_t> {
    const auto write = [&](const Match& match) {
      if (name_shown) {
        writer_.append(input.name());
        writer_.append('\t');
      }
      writer_.append_number(match.offset);
      writer_.append('\t');
      writer_.append_number(match.pattern_id);
      writer_.append('\n');
      // Only what ends in a NUL can match where a file that shrank ends.
      const std::uint64_t end = match.offset + match.length;
      range.view.check(any_nul_in_patterns_ ? match.offset : end, end);
      writer_.end_line();
      return ++written < settings_.max_count;
    };
    if (!find(range, not_before, write)) return std::nullopt;
    return range.until;
  });
  return written > 0;
}

bool Search::print_matrix(io::Input& input) {
  RecordParts parts(settings_.line_terminator, matrix_->part_bytes);
  bool any_hit = false;
  for_each_range(input, [&](const Range& range) -> std::optional<std::uint64_t> {
    parts.set_window(range.view, range.at_end);
    for (;;) {
      const std::uint64_t begin = parts.open_line_begin();
      const std::string_view lines = parts.next();
      if (lines.empty()) return begin;
      matrix_->printer.begin_part();
      if (!muted_) verify_matrix(input, range, lines, begin == 0);
      any_hit |= print_part_of_matrix(range, lines, begin);
    }
  });
  return any_hit;
}

bool Search::print_part_of_matrix(const Range& range, std::string_view lines, std::uint64_t begin) {
  RecordStats stats;
  RecordRunOptions run;
  run.stats = &stats;
  if (progress_bar_.enabled()) {
    run.progress = [&](std::uint64_t done, std::uint64_t) {
      progress_bar_.show(*input_name_, begin + done, range.at_end ? range.until : 0);
    };
  }
  const auto take = [&](std::span<const RecordHit> hits) {
    range.view.check();
    matrix_->printer.take(hits);
    return true;
  };
  const Records records = Records::of_lines(lines, settings_.line_terminator, settings_.threads);
  matrix_->searcher.first(records, take, run);
  range.view.check();
  matrix_->printer.end_part(records.size());
  stats.search.bytes = lines.size();  // terminators are read, too
  statistics_.add(stats);
  if (!stats.search.warning.empty()) warn(stats.search.warning);
  return stats.search.matches > 0;
}

void Search::verify_matrix(const io::Input& input, const Range& range, std::string_view lines, bool begins_text) {
  if (!matrix_->verifier) return;
  if (begins_text) input_differs_ = false;
  if (input_differs_) return;
  const auto begin = Clock::now();
  if (const auto difference =
          matrix_->verifier->compare(lines, settings_.line_terminator, matrix_->printer.first_record())) {
    range.view.check();  // else each may have read something else
    report(input.name() + ": " + *difference);
    input_differs_ = any_difference_ = true;
  }
  verification_seconds_ += seconds_since(begin);
}

std::uint64_t Search::count_lines(io::Input& input) {
  LineCounter counter(settings_);
  LineTrackerOptions options;
  options.terminator = settings_.line_terminator;
  options.spans = range_options_.patterns_span_lines;
  options.gaps = settings_.invert;
  LineTracker tracker(counter, options);
  std::uint64_t not_before = 0;
  std::uint64_t counted = 0;
  for_each_range(input, [&](const Range& range) -> std::optional<std::uint64_t> {
    if (range.from == 0 && range.at_end && counts_lines_of_whole_texts()) {
      call_searcher(range, not_before,
                    [&](const RunOptions& run) { counted = searcher_->count_lines(range.view.bytes, run); });
      return std::nullopt;
    }
    counter.set_window(range.view);
    tracker.set_window(range.view, range.at_end);
    if (!find(range, not_before, [&](const Match& match) { return tracker.match(match); })) return std::nullopt;
    if (!tracker.finish_range(range.until)) return std::nullopt;
    return range.until;
  });
  return counted + counter.count();
}

bool Search::counts_lines_of_whole_texts() const {
  return !settings_.invert && settings_.max_count == UINT64_MAX && !range_options_.patterns_span_lines;
}

std::uint64_t Search::count_matches(io::Input& input) {
  std::uint64_t count = 0, not_before = 0;
  for_each_range(input, [&](const Range& range) -> std::optional<std::uint64_t> {
    call_searcher(range, not_before, [&](const RunOptions& run) { count += searcher_->count(range.text(), run); });
    return range.until;
  });
  return count;
}

void Search::count_per_pattern(io::Input& input) {
  std::uint64_t not_before = 0;
  for_each_range(input, [&](const Range& range) -> std::optional<std::uint64_t> {
    call_searcher(range, not_before, [&](const RunOptions& run) {
      if (range.view.mapping == nullptr) {
        searcher_->add_counts(range.text(), counts_per_pattern_, run);
        return;
      }
      const std::vector<std::uint64_t> counts = searcher_->count_per_pattern(range.text(), run);
      range.view.check();  // before anything is taken over
      for (std::size_t id = 0; id < counts.size(); ++id) counts_per_pattern_[id] += counts[id];
    });
    any_match_ |= call_.matches > 0;
    return range.until;
  });
}

bool Search::has_selected_line(io::Input& input) {
  if (settings_.invert) return count_lines(input) > 0;
  bool found = false;
  std::uint64_t not_before = 0;
  for_each_range(input, [&](const Range& range) -> std::optional<std::uint64_t> {
    call_searcher(range, not_before, [&](const RunOptions& run) { found = searcher_->contains(range.text(), run); });
    if (found) return std::nullopt;
    return range.until;
  });
  return found;
}

void Search::print_counts_per_pattern() {
  const PatternSet& patterns = plan_.patterns();
  for (std::uint32_t id = 0; id < patterns.size(); ++id) {
    writer_.append_number(counts_per_pattern_[id]);
    writer_.append('\t');
    writer_.append_number(id);
    writer_.append('\t');
    append_escaped(writer_, patterns[id]);
    if (patterns.has_labels()) {
      writer_.append('\t');
      append_escaped(writer_, patterns.label(id));
    }
    writer_.append('\n');
    writer_.end_line();
  }
}

void Search::tell_binary_matches(const io::Input& input) {
  if (muted_) return;
  writer_.flush();
  progress_bar_.clear();
  write_message(input.name() + ": binary file matches");
}

void Search::warn(const std::string& message) {
  if (muted_) return;
  writer_.flush();
  progress_bar_.clear();
  // A compiler's log follows the first line.
  write_message("warning: " + message.substr(0, message.find('\n')));
}

void Search::report(const std::string& message) {
  any_error_ = true;
  if (muted_) return;
  writer_.flush();
  progress_bar_.clear();
  write_message(message);
}

}  // namespace lode::command
