// lode: finds every exact occurrence of one or of a million byte patterns.

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/clock.hpp"
#include "cli/arguments/generate.hpp"
#include "cli/arguments/settings.hpp"
#include "cli/interrupt.hpp"
#include "cli/output/messages.hpp"
#include "cli/output/writer.hpp"
#include "cli/search/search.hpp"
#include "io/input.hpp"
#include "lode/error.hpp"
#include "lode/plan.hpp"
#include "lode/version.hpp"

namespace lode::command {
namespace {

using base::Clock;
using base::seconds_since;

constexpr int error_status = 2;
constexpr std::uint32_t fewest_patterns_to_tune = 2;
// A sample is at most 1/32 of the text, because learning from a byte costs about as much as searching it.
constexpr std::uint64_t sample_share = 32;
constexpr std::uint64_t least_sample_piece_bytes = std::uint64_t{1} << 12;
constexpr std::uint64_t most_sample_piece_bytes = std::uint64_t{1} << 16;
constexpr std::uint64_t sample_pieces = 4;

/// Reads all patterns. There are none if all pattern files are empty; the caller decides whether that will do.
PatternSet read_patterns(const Settings& settings) {
  PatternSet patterns;
  PatternFileOptions options;
  options.format = settings.pattern_format;
  options.strip_carriage_return = settings.crlf;
  options.strip_option = "--crlf";
  options.ignore_case = settings.ignore_case;
  options.forms = settings.forms;
  options.warning = [](const std::string& message) { write_message(message); };
  for (const PatternSource& source : settings.patterns) {
    if (source.is_file) {
      append_pattern_file(patterns, source.value, options);
    } else {
      const std::uint32_t id = patterns.add(source.value, settings.ignore_case);
      if (!settings.forms.empty()) patterns.set_forms(id, settings.forms);
    }
  }
  return patterns;
}

[[noreturn]] void refuse_empty_lists(const Settings& settings) {
  std::string files;
  for (const PatternSource& source : settings.patterns) {
    files += (files.empty() ? "" : ", ") + (source.value == "-" ? "(standard input)" : source.value);
  }
  throw Error(ErrorKind::invalid_pattern, files + ": no pattern in " + (settings.patterns.size() > 1 ? "them" : "it") +
                                              ", so that there is nothing to save or to make a matrix of");
}

/// Returns a few pieces of the first file, from all over it. The sample is empty if the file cannot be read; the search
/// will report that.
std::string sample_text(const Settings& settings) {
  std::string sample;
  if (settings.paths.empty() || settings.paths.front() == "-" || settings.decompress) return sample;
  // A pipe must not be opened even for a moment, because its writer would then go on.
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(settings.paths.front(), ignored)) return sample;
  try {
    const FileText file(settings.paths.front());
    const std::uint64_t piece_bytes = std::min(most_sample_piece_bytes, file.size() / sample_share / sample_pieces);
    if (piece_bytes < least_sample_piece_bytes) return sample;
    sample.resize(sample_pieces * piece_bytes);
    for (std::uint64_t piece = 0; piece < sample_pieces; ++piece) {
      const std::span<char> into(sample.data() + piece * piece_bytes, piece_bytes);
      file.read(file.size() / sample_pieces * piece, into);
    }
  } catch (const Error&) {
    sample.clear();
  }
  return sample;
}

int search(const Settings& settings, Writer& writer) {
  if (settings.line_buffered) writer.set_line_buffered();
  const Device device = open_device(settings.device);  // before anything that takes time
  StageSeconds seconds;
  const auto timed = [](std::optional<double>& stage, const auto& work) {
    const auto begin = Clock::now();
    auto result = work();
    stage = seconds_since(begin);
    return result;
  };
  bool matches_nothing = false;
  const auto build = [&] {
    PatternSet patterns = timed(seconds.pattern_read, [&] { return read_patterns(settings); });
    if (patterns.empty()) {
      if (!settings.save_plan.empty() || settings.output == Output::matrix) refuse_empty_lists(settings);
      // A plan needs a pattern. This one only stands in: nothing is ever reported for it.
      matches_nothing = true;
      patterns.add("x");
    }
    return timed(seconds.plan_build, [&] {
      std::string sample;
      if (patterns.size() >= fewest_patterns_to_tune) sample = sample_text(settings);
      PlanOptions options;
      options.threads = settings.threads;
      options.text_sample = sample;
      options.view = settings.view;
      return Plan::build(std::move(patterns), options);
    });
  };
  Plan plan = settings.plan.empty()
                  ? build()
                  : timed(seconds.plan_load, [&] { return Plan::load(settings.plan, settings.threads); });
  if (!settings.save_plan.empty()) {
    const InterruptsHeld held;  // an interrupt must not leave a temporary file behind
    timed(seconds.plan_save, [&] { return plan.save(settings.save_plan), 0; });
    if (settings.paths.empty() && settings.files_from.empty() && !settings.working_directory) {
      Statistics statistics;
      statistics.set_plan(plan, seconds);
      if (settings.stats) write_error(statistics.plan_report());
      return 0;
    }
  }
  return Search(settings, device, std::move(plan), seconds, matches_nothing, writer).run();
}

void list_devices(Writer& writer) {
  for (const DeviceInfo& device : lode::list_devices()) {
    writer.append(device.name);
    writer.append('\t');
    writer.append(device.available ? device.description : "not available: " + device.reason);
    writer.append('\n');
  }
  writer.append("instruction sets of the CPU:");
  for (const std::string& name : cpu_instruction_sets()) writer.append(" " + name);
  writer.append('\n');
  writer.end_line();
}

void list_algorithms(Writer& writer) {
  writer.append("auto\tthe best of those below for the patterns at hand\n");
  for (const AlgorithmInfo& algorithm : lode::list_algorithms()) {
    writer.append(algorithm.name + "\t" + algorithm.summary + "; serves " + algorithm.serves + "\n");
  }
  writer.end_line();
}

void show_view(const Settings& settings, Writer& writer) {
  std::vector<std::string> paths = settings.paths;
  if (paths.empty()) paths.emplace_back("-");
  for (const std::string& path : paths) {
    io::Input input = path == "-" ? io::Input::standard_input() : io::Input::open(path);
    const std::string text = input.read_all();
    input.check();
    const ViewedText viewed = view_text(text, settings.view);
    for (std::size_t at = 0; at < viewed.spans.size(); ++at) {
      const ViewedSpan& span = viewed.spans[at];
      if (paths.size() > 1) writer.append(input.name() + '\t');
      writer.append_number(span.original);
      writer.append('\t');
      writer.append_number(span.original_end - span.original);
      writer.append('\t');
      append_escaped(writer, viewed.viewed(at));
      writer.append('\n');
      writer.end_line();
    }
  }
}

int run(const Settings& settings, Writer& writer) {
  const auto print = [&](const std::string& text) {
    writer.append(text);
    writer.end_line();
    return 0;
  };
  switch (settings.chore) {
    case Chore::search: return search(settings, writer);
    case Chore::short_help: return print(short_help());
    case Chore::long_help: return print(long_help());
    case Chore::version:
      return print(std::string("lode ") + version() + "\nUnicode " + std::string(unicode_version()) + "\n");
    case Chore::generate:
      return print(settings.generate == "man" ? manual_page()
                                              : shell_completions(settings.generate.substr(sizeof "complete-" - 1)));
    case Chore::list_devices: list_devices(writer); return 0;
    case Chore::list_algorithms: list_algorithms(writer); return 0;
    case Chore::show_view: show_view(settings, writer); return 0;
  }
  return error_status;
}

int guarded_run(int argument_count, char** arguments) {
  std::signal(SIGPIPE, SIG_DFL);  // if a parent has it ignored, a broken pipe would not end the command silently
  handle_interrupts();
  Writer writer(STDOUT_FILENO, "standard output");
  int status = error_status;
  try {
    status = run(parse_command_line(argument_count, arguments), writer);
  } catch (const std::bad_alloc&) {
    write_message("out of memory");
  } catch (const std::exception& error) {
    write_message(error.what());
  }
  try {
    writer.flush();
  } catch (const OutputError& error) {
    write_message(error.what());
    status = error_status;
  }
  return status;
}

}  // namespace
}  // namespace lode::command

int main(int argument_count, char** arguments) { return lode::command::guarded_run(argument_count, arguments); }
