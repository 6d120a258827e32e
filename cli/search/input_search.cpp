#include "cli/search/input_search.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "base/threads.hpp"
#include "cli/input/text_encoding.hpp"
#include "cli/output/line_printer.hpp"
#include "cli/output/match_printer.hpp"
#include "cli/search/sequence_places.hpp"
#include "plan/plan_data.hpp"

namespace lode::command {
namespace {

using base::Clock;
using base::seconds_since;

constexpr std::size_t least_bytes_with_stats = std::size_t{1} << 20;

void warn(const std::function<void(const std::string&)>& tell, const std::string& message) {
  // Only the first line is shown: a compiler's log may follow.
  tell("warning: " + message.substr(0, message.find('\n')));
}

bool gathers_matches(const Settings& settings) {
  return settings.output == Output::json ||
         (settings.output == Output::lines && (settings.color || settings.pattern_ids));
}

SearcherOptions searcher_options(const Settings& settings, const Plan& plan) {
  SearcherOptions options;
  options.algorithm = settings.algorithm;
  options.condition = settings.condition;
  options.line_terminator = settings.line_terminator;
  options.threads = settings.threads;
  options.memory_limit_bytes = settings.memory_limit_bytes;
  const bool only_lines =
      !gathers_matches(settings) && (settings.output == Output::lines || settings.output == Output::line_count ||
                                     (settings.output == Output::files_with && !settings.pattern_ids) ||
                                     settings.output == Output::files_without || settings.output == Output::nothing);
  const bool leftmost_by_default = settings.output == Output::only_matching || settings.output == Output::rewritten ||
                                   (settings.output == Output::lines && settings.color && !settings.pattern_ids);
  options.match_kind = settings.match_kind_given ? settings.match_kind
                       : leftmost_by_default     ? MatchKind::leftmost_longest
                                                 : MatchKind::overlapping;
  // Which lines match does not depend on the match kind, unless a match may touch several lines.
  if (only_lines && !may_span(plan, settings.line_terminator)) {
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
  bool limit_reached() const noexcept { return count_ >= settings_.max_count; }
  /// The last place of the line that reached the limit.
  std::uint64_t last_place() const noexcept { return last_end_ - 1; }

  bool gap(std::uint64_t begin, std::uint64_t end) override {
    if (!settings_.invert) return true;
    // Text before the window belongs to a line that goes on in the window.
    begin = std::max(begin, view_.begin);
    const bool ends_open = view_.slice(end - 1, end)[0] != settings_.line_terminator;
    const std::uint64_t lines = view_.count(begin, end, settings_.line_terminator) + (ends_open ? 1 : 0);
    last_end_ = end;
    if (lines >= settings_.max_count - count_) {
      for (std::uint64_t left = settings_.max_count - count_; left > 0; --left) {
        const std::uint64_t found = view_.end_of_line(begin, end, settings_.line_terminator);
        begin = last_end_ = found != 0 ? found : end;
      }
    }
    count_ += lines;
    return count_ < settings_.max_count;
  }
  bool touched(std::uint64_t, std::uint64_t end, std::span<const Match>, Part) override {
    if (settings_.invert) return true;
    last_end_ = end;
    return ++count_ < settings_.max_count;
  }
  void reduce(std::vector<Match>&) override {}

 private:
  const Settings& settings_;
  View view_;
  std::uint64_t count_ = 0;
  std::uint64_t last_end_ = 0;  // end of the last line counted
};

}  // namespace

SearchTools::SearchTools(const Settings& settings, const Device& device, Plan plan, bool matches_nothing,
                         Writer& writer)
    : settings(settings), plan(std::move(plan)), matches_nothing(matches_nothing) {
  const PatternSet& patterns = this->plan.data().patterns;  // with all spellings of forms
  const bool needs_lines = settings.output == Output::lines || settings.output == Output::json ||
                           settings.output == Output::only_matching || settings.output == Output::line_count ||
                           settings.output == Output::matrix || settings.invert;
  if (needs_lines && !this->plan.view().encoding().empty())
    throw Error(ErrorKind::unsupported, "a plan that decodes (" + this->plan.view().encoding() +
                                            ") has no lines: it serves --offsets, --count-matches and "
                                            "--count-per-pattern; for lines give --encoding and the patterns");
  range_options.threads = thread_count(settings.threads);
  range_options.memory_limit_bytes = settings.memory_limit_bytes;
  range_options.max_length = patterns.max_length();
  range_options.patterns_span_lines = may_span(this->plan, settings.line_terminator);
  range_options.viewed_plan = this->plan.view().empty() ? nullptr : &this->plan;
  // A search through a view first looks whether the text stays as it is. A mapping serves that better than reading.
  range_options.reads_files = device.name() != "cpu" && device.name() != "auto" && this->plan.view().empty();
  range_options.line_terminator = settings.line_terminator;
  const SearcherOptions options = searcher_options(settings, this->plan);
  const auto begin = Clock::now();
  if (settings.output == Output::matrix) {
    matrix.emplace(settings, this->plan, options, device, writer);
  } else {
    searcher.emplace(this->plan, options, device);
  }
  prepare_seconds = seconds_since(begin);
  if (settings.output == Output::rewritten) prepare_rewriting();
  if (settings.verify && searcher) verifier.emplace(this->plan, options, device);
  if (settings.output == Output::offsets) any_nul_in_patterns = patterns.any_contains('\0');
}

InputSearch::InputSearch(SearchTools& tools, Writer& writer, bool any_output)
    : tools_(tools),
      settings_(tools.settings),
      writer_(writer),
      text_format_(tools.settings, tools.plan, writer),
      json_format_(tools.plan, writer),
      any_output_(any_output) {
  if (settings_.output == Output::count_per_pattern) counts_per_pattern_.resize(tools.plan.patterns().size());
}

InputResult InputSearch::search(io::Input& input, bool name_shown,
                                const std::function<void(const std::string&)>& tell) {
  if (tools_.verifier) tools_.verifier->begin_text();
  bytes_searched_ = 0;
  name_ = &input.name();
  tell_ = &tell;
  result_ = {};
  text_format_.begin_file(input.name(), name_shown);
  switch (settings_.output) {
    case Output::lines: result_.any_match = print_lines(input, name_shown); break;
    case Output::json: {
      const auto begin = Clock::now();
      json_format_.begin_file(input.name(), name_shown);
      result_.any_match = print_lines(input, name_shown);
      json_format_.end_file(bytes_searched_, json_lines_, seconds_since(begin));
      break;
    }
    case Output::only_matching:
      result_.any_match = settings_.invert ? has_selected_line(input) : print_matches(input);
      break;
    case Output::offsets: result_.any_match = print_offsets(input, name_shown); break;
    case Output::line_count:
    case Output::match_count: {
      const std::uint64_t count = settings_.output == Output::line_count ? count_lines(input) : count_matches(input);
      result_.any_match = count > 0;
      text_format_.file_count(count);
      break;
    }
    case Output::count_per_pattern:
      result_.any_match = settings_.by_file ? print_patterns_of_file(input) : count_per_pattern(input);
      break;
    case Output::files_with:
    case Output::files_without: {
      if (settings_.pattern_ids) {
        result_.any_match = settings_.max_count > 0 && print_patterns_of_file(input);
        break;
      }
      result_.any_match = settings_.max_count > 0 && has_selected_line(input);
      if (result_.any_match == (settings_.output == Output::files_with)) text_format_.file_name({});
      break;
    }
    case Output::matrix: result_.any_match = print_matrix(input); break;
    case Output::rewritten: result_.any_match = rewrite(input); break;
    case Output::nothing: result_.any_match = result_.ends_search = has_selected_line(input); break;
  }
  return result_;
}

void InputSearch::for_each_range(io::Input& input, const RangeHandler& handle) {
  command::for_each_range(input, tools_.range_options, [&](Range& range) {
    if (tools_.verifier && !repeats_) verify(range);
    if (progress_bar_ != nullptr) progress_bar_->show(input.name(), range.from, 0);
    auto keep_from = handle(range);
    bytes_searched_ += range.until - range.from;
    if (!input.is_regular()) writer_.flush();  // results must not wait for more of a slow stream
    return keep_from;
  });
}

void InputSearch::verify(const Range& range) {
  const auto begin = Clock::now();
  if (range.from == 0) differs_ = false;
  if (!differs_) {
    if (const auto difference = tools_.verifier->compare(range)) {
      range.view.check();  // if the text changed meanwhile, the two may differ for that reason
      tell_difference(*difference);
    }
  }
  verification_seconds_ += seconds_since(begin);
}

void InputSearch::tell_difference(const std::string& difference) {
  (*tell_)(*name_ + ": " + difference);
  differs_ = any_difference_ = true;
}

void InputSearch::call_searcher(const Range& range, std::uint64_t& not_before,
                                const std::function<void(const RunOptions&)>& call) {
  RunOptions run = range.run();
  if (tools_.matches_nothing) run.end = run.begin;
  std::uint64_t relative = std::max(not_before, range.view.begin) - range.view.begin;
  // Only leftmost kinds need it. Without it contains() need not look for the very first match of the other kind.
  if (tools_.searcher->options().match_kind != MatchKind::overlapping) run.not_before = &relative;
  // Filling statistics takes longer than searching a short text. Short texts need none: no GPU searches them, so there
  // can be no warning either.
  const bool wants_stats = settings_.stats || settings_.output == Output::count_per_pattern ||
                           range.view.bytes.size() >= least_bytes_with_stats;
  if (wants_stats) run.stats = &call_;
  if (progress_bar_ != nullptr && progress_bar_->enabled()) {
    run.progress = [&](std::uint64_t done, std::uint64_t) {
      progress_bar_->show(*name_, range.from + done, range.at_end ? range.until : 0);
    };
  }
  call(run);
  not_before = range.view.begin + relative;
  if (!wants_stats) return;
  statistics_.add(call_);
  if (!call_.warning.empty()) warn(*tell_, call_.warning);
}

template <typename Take>
bool InputSearch::find(const Range& range, std::uint64_t& not_before, Take take) {
  bool go_on = true;
  const auto take_batch = [&](std::span<const Match> batch) {
    for (Match match : batch) {
      match.offset += range.view.begin;
      if (!take(match)) return go_on = false;
    }
    return true;
  };
  call_searcher(range, not_before,
                [&](const RunOptions& run) { tools_.searcher->find(range.text(), take_batch, run); });
  return go_on;
}

bool InputSearch::looks_binary(const Range& range) const {
  if (range.view.begin != 0 || range.from != 0) return false;
  const std::string_view head = range.view.bytes.substr(0, binary_head_bytes);
  if (std::memchr(head.data(), 0, head.size()) == nullptr) return false;
  range.view.check();  // a text that shrank has zero bytes, too
  return true;
}

bool InputSearch::print_lines(io::Input& input, bool name_shown) {
  LineFormat& format = settings_.output == Output::json ? static_cast<LineFormat&>(json_format_) : text_format_;
  LinePrinter printer(settings_, format, writer_, name_shown, any_output_);
  LineTrackerOptions options;
  options.terminator = settings_.line_terminator;
  options.gather = gathers_matches(settings_);
  options.spans = tools_.range_options.patterns_span_lines;
  options.parts = format.takes_parts();
  LineTracker tracker(printer, options);
  std::uint64_t not_before = 0;
  bool any_match_only = false;  // set for a binary file: nothing of it is written, so its lines do not matter
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
  result_.binary_matches = printer.binary_matches();
  if (printer.limit_reached()) result_.limit_reached_at = printer.selected_until() - 1;
  json_lines_ = printer.selected_lines();
  return printer.selected_lines() > 0;
}

bool InputSearch::print_matches(io::Input& input) {
  MatchPrinter printer(settings_, text_format_, writer_, any_output_);
  std::uint64_t not_before = 0;
  for_each_range(input, [&](const Range& range) -> std::optional<std::uint64_t> {
    if (looks_binary(range)) printer.set_looks_binary();
    printer.set_window(range.view);
    if (!find(range, not_before, [&](const Match& match) { return printer.match(match); })) return std::nullopt;
    if (!printer.finish_range(range.until)) return std::nullopt;
    return range.until;
  });
  result_.binary_matches = printer.binary_matches();
  if (printer.limit_reached()) result_.limit_reached_at = printer.last_place();
  return printer.any_match();
}

bool InputSearch::print_offsets(io::Input& input, bool name_shown) {
  std::uint64_t written = 0, last_end = 0;
  std::uint64_t not_before = 0;
  const Layout layout = tools_.plan.view().layout();
  const Forms forms = tools_.plan.forms();
  SequencePlaces places(layout);
  for_each_range(input, [&](const Range& range) -> std::optional<std::uint64_t> {
    const auto write = [&](const Match& match) {
      if (name_shown) text_format_.name('\t');
      writer_.append_number(match.offset);
      writer_.append('\t');
      writer_.append_number(match.pattern_id);
      if (!tools_.plan.view().empty() || !forms.empty()) {
        writer_.append('\t');
        writer_.append_number(match.length);
      }
      if (layout != Layout::none) {  // such a text is one range
        const SequencePlaces::Place place = places.find(range.view.bytes, match.offset);
        writer_.append('\t');
        writer_.append(place.name);
        writer_.append('\t');
        writer_.append_number(place.position);
      }
      if (!forms.empty()) {
        writer_.append('\t');
        writer_.append(form_name(match.form));
      }
      if (forms.has(Form::reverse_complement)) writer_.append(match.form == Form::reverse_complement ? "\t-" : "\t+");
      writer_.append('\n');
      // Behind the end of a file that shrank there are zero bytes, so only a pattern with a NUL can match there in
      // vain.
      const std::uint64_t end = match.offset + match.length;
      range.view.check(tools_.any_nul_in_patterns ? match.offset : end, end);
      writer_.end_line();
      last_end = end;
      return ++written < settings_.max_count;
    };
    if (!find(range, not_before, write)) return std::nullopt;
    return range.until;
  });
  if (written == settings_.max_count) result_.limit_reached_at = last_end;
  return written > 0;
}

bool InputSearch::print_matrix(io::Input& input) {
  RecordParts parts(settings_.line_terminator, tools_.matrix->part_bytes);
  bool any_hit = false;
  for_each_range(input, [&](const Range& range) -> std::optional<std::uint64_t> {
    parts.set_window(range.view, range.at_end);
    for (;;) {
      const std::uint64_t begin = parts.open_line_begin();
      const std::string_view lines = parts.next();
      if (lines.empty()) return begin;
      tools_.matrix->printer.begin_part();
      if (!repeats_) verify_matrix(range, lines, begin == 0);
      any_hit |= print_part_of_matrix(range, lines, begin);
    }
  });
  return any_hit;
}

bool InputSearch::print_part_of_matrix(const Range& range, std::string_view lines, std::uint64_t begin) {
  RecordStats stats;
  RecordRunOptions run;
  run.stats = &stats;
  if (progress_bar_ != nullptr && progress_bar_->enabled()) {
    run.progress = [&](std::uint64_t done, std::uint64_t) {
      progress_bar_->show(*name_, begin + done, range.at_end ? range.until : 0);
    };
  }
  const auto take = [&](std::span<const RecordHit> hits) {
    range.view.check();
    tools_.matrix->printer.take(hits);
    return true;
  };
  const Records records = Records::of_lines(lines, settings_.line_terminator, settings_.threads);
  tools_.matrix->searcher.first(records, take, run);
  range.view.check();
  tools_.matrix->printer.end_part(records.size());
  stats.search.bytes = lines.size();  // including terminators
  statistics_.add(stats);
  if (!stats.search.warning.empty()) warn(*tell_, stats.search.warning);
  return stats.search.matches > 0;
}

void InputSearch::verify_matrix(const Range& range, std::string_view lines, bool begins_text) {
  if (!tools_.matrix->verifier) return;
  if (begins_text) differs_ = false;
  if (differs_) return;
  const auto begin = Clock::now();
  if (const auto difference =
          tools_.matrix->verifier->compare(lines, settings_.line_terminator, tools_.matrix->printer.first_record())) {
    range.view.check();  // if the text changed meanwhile, the two may differ for that reason
    tell_difference(*difference);
  }
  verification_seconds_ += seconds_since(begin);
}

std::uint64_t InputSearch::count_lines(io::Input& input) {
  LineCounter counter(settings_);
  LineTrackerOptions options;
  options.terminator = settings_.line_terminator;
  options.spans = tools_.range_options.patterns_span_lines;
  options.gaps = settings_.invert;
  LineTracker tracker(counter, options);
  std::uint64_t not_before = 0;
  std::uint64_t counted = 0;
  for_each_range(input, [&](const Range& range) -> std::optional<std::uint64_t> {
    if (range.from == 0 && range.at_end && counts_lines_of_whole_texts()) {
      call_searcher(range, not_before,
                    [&](const RunOptions& run) { counted = tools_.searcher->count_lines(range.view.bytes, run); });
      return range.until;
    }
    counter.set_window(range.view);
    tracker.set_window(range.view, range.at_end);
    if (!find(range, not_before, [&](const Match& match) { return tracker.match(match); })) return std::nullopt;
    if (!tracker.finish_range(range.until)) return std::nullopt;
    return range.until;
  });
  if (counter.limit_reached()) result_.limit_reached_at = counter.last_place();
  return counted + counter.count();
}

bool InputSearch::counts_lines_of_whole_texts() const {
  return !settings_.invert && settings_.max_count == UINT64_MAX && !tools_.range_options.patterns_span_lines;
}

std::uint64_t InputSearch::count_matches(io::Input& input) {
  std::uint64_t count = 0, not_before = 0;
  for_each_range(input, [&](const Range& range) -> std::optional<std::uint64_t> {
    call_searcher(range, not_before,
                  [&](const RunOptions& run) { count += tools_.searcher->count(range.text(), run); });
    return range.until;
  });
  return count;
}

bool InputSearch::count_per_pattern(io::Input& input) {
  bool any = false;
  std::uint64_t not_before = 0;
  for_each_range(input, [&](const Range& range) -> std::optional<std::uint64_t> {
    call_searcher(range, not_before, [&](const RunOptions& run) {
      if (range.view.mapping == nullptr) {
        tools_.searcher->add_counts(range.text(), counts_per_pattern_, run);
        return;
      }
      const std::vector<std::uint64_t> counts = tools_.searcher->count_per_pattern(range.text(), run);
      range.view.check();  // before any count is added
      for (std::size_t id = 0; id < counts.size(); ++id) counts_per_pattern_[id] += counts[id];
    });
    any |= call_.matches > 0;
    return range.until;
  });
  return any;
}

void InputSearch::list_patterns(io::Input& input) {
  counts_per_pattern_.resize(tools_.plan.patterns().size());
  for (const std::uint32_t id : occurring_) counts_per_pattern_[id] = 0;
  occurring_.clear();
  std::uint64_t not_before = 0;
  for_each_range(input, [&](const Range& range) -> std::optional<std::uint64_t> {
    find(range, not_before, [&](const Match& match) {
      if (counts_per_pattern_[match.pattern_id]++ == 0) occurring_.push_back(match.pattern_id);
      return true;
    });
    return range.until;
  });
  std::sort(occurring_.begin(), occurring_.end());
}

bool InputSearch::print_patterns_of_file(io::Input& input) {
  list_patterns(input);
  if (settings_.output == Output::files_with) {
    if (!occurring_.empty()) text_format_.file_name(occurring_);
  } else if (settings_.nonzero) {
    for (const std::uint32_t id : occurring_) print_count(id);
  } else if (!tools_.matches_nothing) {
    for (std::uint32_t id = 0; id < tools_.plan.patterns().size(); ++id) print_count(id);
  }
  return !occurring_.empty();
}

bool InputSearch::has_selected_line(io::Input& input) {
  if (settings_.invert) return count_lines(input) > 0;
  bool found = false;
  std::uint64_t not_before = 0;
  for_each_range(input, [&](const Range& range) -> std::optional<std::uint64_t> {
    call_searcher(range, not_before,
                  [&](const RunOptions& run) { found = tools_.searcher->contains(range.text(), run); });
    if (found) return std::nullopt;
    return range.until;
  });
  return found;
}

void InputSearch::print_counts_per_pattern() {
  if (tools_.matches_nothing) return;
  for (std::uint32_t id = 0; id < tools_.plan.patterns().size(); ++id) {
    if (!settings_.nonzero || counts_per_pattern_[id] > 0) print_count(id);
  }
}

void InputSearch::print_count(std::uint32_t id) {
  const PatternSet& patterns = tools_.plan.patterns();
  if (settings_.by_file) text_format_.name('\t');
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

}  // namespace lode::command
