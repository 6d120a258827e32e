#include "cli/search/search.hpp"

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <iterator>
#include <new>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "base/ordered_work.hpp"
#include "base/threads.hpp"
#include "cli/input/input_options.hpp"
#include "cli/output/messages.hpp"

namespace lode::command {
namespace {

using base::Clock;
using base::seconds_since;

// Starting helpers takes a few milliseconds, so a search of a few files does without them.
constexpr std::size_t targets_searched_alone = 64;
constexpr std::size_t batch_targets = 16;
// A larger file is left to be searched by all threads, and so is a file whose output does not fit into the batch's.
constexpr std::uint64_t largest_helper_file_bytes = std::uint64_t{1} << 20;
constexpr std::size_t largest_batch_output_bytes = std::size_t{1} << 20;

/// Thrown if a helper meets anything that needs a message; its target is then searched when its turn comes.
class LeftForItsTurn : public std::exception {};

/// Reads the paths of a list, each of which ends with `terminator`.
std::vector<std::string> read_paths(const std::string& list, char terminator) {
  io::Input input = list == "-" ? io::Input::standard_input() : io::Input::open(list);
  const std::string content = input.read_all();
  std::vector<std::string> paths;
  std::string_view rest = content;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(terminator), rest.size());
    if (end > 0) paths.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return paths;
}

}  // namespace

/// The files to be searched, in order.
class Search::Targets {
 public:
  explicit Targets(const Settings& settings) : settings_(settings), paths_(settings.paths) {
    if (!settings.files_from.empty()) {
      std::vector<std::string> listed = read_paths(settings.files_from, settings.null_files_from ? '\0' : '\n');
      paths_.insert(paths_.end(), std::make_move_iterator(listed.begin()), std::make_move_iterator(listed.end()));
    } else if (settings.working_directory) {
      walk_.emplace("", settings.filter, settings.walk);
    } else if (paths_.empty()) {
      paths_.emplace_back("-");
    }
    const bool are_several = settings.paths.size() > 1 || !settings.files_from.empty();
    name_shown_ = settings.filenames > 0 || (settings.filenames == 0 && are_several);
  }

  std::optional<Target> next() {
    for (;;) {
      if (walk_) {
        if (auto found = walk_->next()) {
          if (found->path == "-") found->path = "./-";  // a file of that name, not standard input
          return Target{std::move(found->path), std::move(found->failure), settings_.filenames >= 0};
        }
        walk_.reset();
      }
      if (at_ == paths_.size()) return std::nullopt;
      std::string& path = paths_[at_++];
      struct stat status {};
      if (path == "-") return Target{std::move(path), "", name_shown_};
      if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
        if (settings_.filter.admits_directory(path)) walk_.emplace(path, settings_.filter, settings_.walk);
      } else if (settings_.filter.admits_file(path)) {
        return Target{std::move(path), "", name_shown_};
      }
    }
  }

 private:
  const Settings& settings_;
  std::vector<std::string> paths_;
  std::size_t at_ = 0;
  bool name_shown_ = false;
  std::optional<io::DirectoryWalk> walk_;  // the walk through the directory paths_[at_ - 1], if it has not ended
};

/// Some targets that follow one another, and what a helper found in them.
struct Search::Batch {
  struct Found {
    bool is_left = false;  // the target is still to be searched, when its turn comes
    InputResult result;
    std::string name;
    std::size_t output_end = 0;  // where the target's output ends in `output`
    JsonFormat::Totals totals;
    Statistics statistics;
  };
  std::vector<Target> targets;
  std::vector<Found> found;  // one for each target
  std::string output;
};

/// A helper has all that one thread needs to search targets.
class Search::Helper {
 public:
  // A helper writes a separator before the first group of each file, as if output had come before. finish() removes
  // that of the very first group.
  explicit Helper(SearchTools& tools) : writer_(largest_batch_output_bytes), search_(tools, writer_, true) {}

  void search(Batch& batch, const Search& owner) {
    for (const Target& target : batch.targets) {
      Batch::Found& found = batch.found.emplace_back();
      const std::size_t begin = writer_.bytes().size();
      found.is_left = !try_search(target, owner, found);
      if (found.is_left) writer_.truncate(begin);
      found.output_end = writer_.bytes().size();
    }
    batch.output = writer_.bytes();
    writer_.truncate(0);
  }

 private:
  bool try_search(const Target& target, const Search& owner, Batch::Found& found) {
    search_.statistics() = {};
    static_cast<void>(search_.json_format().take_totals());
    try {
      if (!target.failure.empty() || target.path == "-") return false;
      io::Input input = io::Input::open(target.path, input_options(owner.settings_));
      if (!input.is_regular() || input.size_on_disk() > largest_helper_file_bytes || owner.is_output(input))
        return false;
      found.result = search_.search(input, target.name_shown, [](const std::string&) { throw LeftForItsTurn(); });
      input.check();
      found.name = input.name();
      found.totals = search_.json_format().take_totals();
      if (owner.settings_.stats) found.statistics = search_.statistics();
      return true;
    } catch (const std::exception&) {
      return false;  // whatever it is, it will show again when the target's turn comes
    }
  }

  Writer writer_;
  InputSearch search_;
};

Search::Search(const Settings& settings, const Device& device, Plan plan, StageSeconds stage_seconds,
               bool matches_nothing, Writer& writer)
    : settings_(settings),
      writer_(writer),
      tools_(settings, device, std::move(plan), matches_nothing, writer),
      input_search_(tools_, writer, false) {
  input_search_.set_progress_bar(&progress_bar_);
  stage_seconds.prepare = tools_.prepare_seconds;
  input_search_.statistics().set_plan(tools_.plan, stage_seconds);
  output_is_file_ = ::fstat(STDOUT_FILENO, &output_status_) == 0 && S_ISREG(output_status_.st_mode);
}

int Search::run() {
  if (settings_.max_count == 0 && settings_.output != Output::files_without) return 1;
  Statistics& statistics = input_search_.statistics();
  for (std::uint64_t repetition = 0; repetition < settings_.iterations; ++repetition) {
    const auto begin = Clock::now();
    search_all();
    const double seconds = seconds_since(begin) - (repetition == 0 ? input_search_.verification_seconds() : 0);
    statistics.end_repetition(seconds);
    if (repetition == 0) {
      if (settings_.output == Output::count_per_pattern && !settings_.by_file) input_search_.print_counts_per_pattern();
      if (settings_.output == Output::json) {
        input_search_.json_format().summary(seconds, settings_.stats ? &statistics : nullptr);
      }
      writer_.flush();
    }
    muted_ = true;
    input_search_.set_repeats();
    writer_.discard();
  }
  if (tools_.report) tools_.report->finish();
  progress_bar_.clear();
  const bool any_difference = input_search_.any_difference();
  if (settings_.stats) {
    if (tools_.verifier) statistics.set_reference(tools_.verifier->reference_algorithm(), !any_difference);
    if (tools_.matrix && tools_.matrix->verifier) {
      statistics.set_reference(tools_.matrix->verifier->reference_algorithm(), !any_difference);
    }
    const unsigned threads = tools_.range_options.threads;
    write_error(tools_.matrix ? statistics.report(tools_.matrix->searcher, threads)
                              : statistics.report(*tools_.searcher, threads));
  }
  // With -q a match is the whole answer, whatever failed before it.
  const bool is_answered = settings_.output == Output::nothing && any_match_ && !any_difference;
  return (any_error_ || any_difference) && !is_answered ? 2 : any_match_ ? 0 : 1;
}

void Search::search_all() {
  if (tools_.matrix) tools_.matrix->printer.restart();
  Targets targets(settings_);
  for (std::size_t searched = 0; searched < targets_searched_alone || !deals_out(); ++searched) {
    const std::optional<Target> target = targets.next();
    if (!target || !search_target(*target)) return;
  }
  deal_out(targets);
}

bool Search::deals_out() const {
  return tools_.range_options.threads > 1 && !tools_.range_options.reads_files && !tools_.matrix && !settings_.verify &&
         !settings_.in_place && !tools_.report &&
         // For counts per pattern over all files, helpers would have to share counts, or each have as many of its own.
         (settings_.output != Output::count_per_pattern || settings_.by_file);
}

void Search::deal_out(Targets& targets) {
  std::deque<Helper> helpers;
  for (unsigned thread = 0; thread < tools_.range_options.threads; ++thread) helpers.emplace_back(tools_);
  OrderedWork<Batch> dealing;
  dealing.take = [&](Batch& batch) {
    while (batch.targets.size() < batch_targets) {
      std::optional<Target> target = targets.next();
      if (!target) break;
      batch.targets.push_back(std::move(*target));
    }
    return !batch.targets.empty();
  };
  dealing.work = [&](unsigned helper, Batch& batch) { helpers[helper].search(batch, *this); };
  dealing.finish = [&](Batch& batch) { return finish(batch); };
  dealing.run(tools_.range_options.threads);
}

bool Search::finish(Batch& batch) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < batch.targets.size(); ++i) {
    const Batch::Found& found = batch.found[i];
    if (found.is_left) {
      if (!search_target(batch.targets[i])) return false;
      continue;
    }
    progress_bar_.show(found.name, 0, 0);
    std::string_view output = std::string_view(batch.output).substr(begin, found.output_end - begin);
    begin = found.output_end;
    if (!output.empty()) {
      const bool has_separators = settings_.output == Output::lines || settings_.output == Output::only_matching;
      if (has_separators && settings_.context_given && !input_search_.any_output()) {
        output.remove_prefix(input_search_.text_format().separator_bytes().size());
      }
      writer_.append(output);
      writer_.end_line();
      input_search_.set_any_output();
    }
    input_search_.json_format().add_totals(found.totals);
    if (settings_.stats) input_search_.statistics().add(found.statistics);
    take_result(found.name, found.result);
    if (found.result.ends_search) return false;
  }
  return true;
}

bool Search::search_target(const Target& target) {
  const std::string& path = target.path;
  if (!target.failure.empty()) {
    report(path + ": " + target.failure, ErrorKind::input_output);
    return true;
  }
  std::string name = path;
  const auto fail = [&](const std::string& message, ErrorKind kind) {
    const bool writes_lines = settings_.output == Output::lines || settings_.output == Output::only_matching;
    writer_.drop_line(writes_lines ? settings_.line_terminator : '\n');
    report(message, kind);
  };
  try {
    const io::InputOptions options = input_options(settings_);
    io::Input input = path == "-" ? io::Input::standard_input(options) : io::Input::open(path, options);
    name = input.name();
    if (settings_.iterations > 1 && input.file() == nullptr && (path == "-" || !input.is_regular())) {
      throw Error(ErrorKind::invalid_argument, input.name() + ": can be read only once; --iterations needs files");
    }
    return search_input(input, target.name_shown);
  } catch (const OutputError&) {
    throw;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::device) {
      input_search_.statistics().set_failed();
      fail(name + ": " + settings_.device + ": " + error.what(), error.kind());
    } else {
      fail(error.what(), error.kind());
    }
  } catch (const std::bad_alloc&) {
    fail(name + ": out of memory", ErrorKind::limit);
  }
  return true;
}

bool Search::is_output(const io::Input& input) const {
  const bool writes_text = settings_.output != Output::files_with && settings_.output != Output::files_without &&
                           settings_.output != Output::nothing && settings_.output != Output::count_per_pattern &&
                           !settings_.in_place;
  return output_is_file_ && writes_text && input.is_regular() && input.is_same_file(output_status_);
}

bool Search::search_input(io::Input& input, bool name_shown) {
  if (is_output(input)) {
    throw Error(ErrorKind::input_output, input.name() + ": input file is also the output");
  }
  const InputResult result =
      input_search_.search(input, name_shown, [this](const std::string& message) { tell(message); });
  take_result(input.name(), result);
  if (input.is_standard_input()) leave_standard_input(input, result);
  input.check();
  return !result.ends_search;
}

void Search::leave_standard_input(io::Input& input, const InputResult& result) const {
  if (!result.limit_reached_at) {
    input.leave_at_end();
  } else if (settings_.output == Output::offsets) {
    input.leave_at(*result.limit_reached_at);
  } else {
    input.leave_behind(*result.limit_reached_at, settings_.line_terminator);
  }
}

void Search::take_result(const std::string& name, const InputResult& result) {
  any_match_ |= result.any_match;
  if (result.binary_matches) {
    input_search_.set_any_output();
    tell(name + ": binary file matches");
  }
}

void Search::tell(const std::string& message) {
  if (muted_) return;
  writer_.flush();
  progress_bar_.clear();
  write_message(message);
}

void Search::report(const std::string& message, ErrorKind kind) {
  any_error_ = true;
  if (!settings_.no_messages || kind != ErrorKind::input_output) tell(message);
}

}  // namespace lode::command
