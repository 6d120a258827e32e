// How InputSearch rewrites a text: onto standard output, or into the place of the file.

#include <filesystem>
#include <optional>
#include <system_error>

#include "cli/output/rewritten_file.hpp"
#include "cli/search/input_search.hpp"
#include "cli/search/replacements.hpp"
#include "lode/error.hpp"

namespace lode::command {

void SearchTools::prepare_rewriting() {
  replacements = read_replacements(settings);
  replacements->check(matches_nothing ? PatternSet() : plan.patterns());
  // A suffix that stands by itself would be a PATH, and the files would be rewritten without it.
  for (const std::string& path : settings.paths) {
    const bool may_be_suffix = path.starts_with('.') && path.find('/') == std::string::npos;
    if (std::error_code none; settings.in_place && may_be_suffix && !std::filesystem::exists(path, none))
      throw Error(ErrorKind::input_output, path + ": No such file or directory; a suffix is given as --in-place=" +
                                               path + "; no file was rewritten");
  }
  if (settings.report.empty()) return;
  for (const std::string& path : settings.paths)
    if (std::error_code none; std::filesystem::equivalent(path, settings.report, none))
      throw Error(ErrorKind::invalid_argument, "--report: " + settings.report + " is one of the inputs");
  report.emplace(settings.report);
}

bool InputSearch::rewrite(io::Input& input) {
  if (!settings_.in_place || !tools_.report) return rewrite_input(input);
  tools_.report->begin_text();
  try {
    return rewrite_input(input);
  } catch (...) {
    tools_.report->take_back();
    throw;
  }
}

bool InputSearch::rewrite_input(io::Input& input) {
  if (tools_.report && input.is_regular() && input.is_same_file(tools_.report->status()))
    throw Error(ErrorKind::input_output, input.name() + ": input file is also the report");
  std::optional<RewrittenFile> file;
  if (settings_.in_place) {
    if (!input.is_regular() || input.is_standard_input())
      throw Error(ErrorKind::invalid_argument, input.name() + ": only a regular file can be rewritten in its place");
    file.emplace(input, settings_);
  }
  RewriteCounts counts;
  std::uint64_t not_before = 0;
  bool any_match = false;
  for_each_range(input, [&](const Range& range) -> std::optional<std::uint64_t> {
    const auto write = [&](std::string_view bytes) {
      if (file)
        file->append(bytes);
      else
        writer_.append(bytes);
      counts.bytes_written += bytes.size();
      return true;
    };
    std::function<void(const Match&)> on_match;
    if (file || tools_.report || settings_.stats)
      on_match = [&](const Match& match) {
        if (file) file->differ();
        if (tools_.report)
          tools_.report->add(*name_, range.view.begin, match, tools_.plan.patterns(), !tools_.plan.forms().empty());
        if (settings_.stats) ++counts.replaced[match.pattern_id];
      };
    if (tools_.matches_nothing) {
      write(range.view.slice(range.from, range.until));
    } else {
      call_searcher(range, not_before, [&](const RunOptions& run) {
        any_match |= tools_.searcher->rewrite(range.text(), *tools_.replacements, write, run, on_match) != 0;
      });
    }
    counts.bytes_read += range.until - range.from;
    range.view.check();
    writer_.end_line();  // for it, what is certain is a line
    return range.until;
  });
  if (!file) statistics_.add(counts);  // it is written, whatever follows
  input.check();                       // before a damaged file is replaced
  if (file) {
    if (!any_match) counts.bytes_written = 0;  // the file is left alone
    file->commit();
    statistics_.add(counts);
  }
  return any_match;
}

}  // namespace lode::command
