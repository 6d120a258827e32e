#include "contest.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "measure.hpp"
#include "read_loops.hpp"

namespace lode::bench {
namespace {

constexpr std::uint64_t smallest_piece_bytes = 4096;
constexpr std::uint64_t piece_growth = 8;

template <typename Work>
double seconds_of(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::uint64_t iterations_for(double pass_seconds, const ContestOptions& options) {
  return static_cast<std::uint64_t>(
      std::clamp(std::round(options.seconds_per_repetition / std::max(pass_seconds, 1e-9)), 1.0, 1e6));
}

int repetitions_for(double pass_seconds, const ContestOptions& options) {
  const double passes = options.patience_seconds / std::max(pass_seconds, 1e-9);
  return static_cast<int>(std::clamp(passes, 1.0, static_cast<double>(options.repetitions)));
}

/// Lode's own counts, which the others must equal.
class Reference {
 public:
  Reference(Engine& engine, std::string_view text) : engine_(engine), text_(text) {}
  std::uint64_t count(std::uint64_t bytes) {
    const auto known = counts_.find(bytes);
    if (known != counts_.end()) return known->second;
    return counts_[bytes] = engine_.count(text_.substr(0, bytes));
  }

 private:
  Engine& engine_;
  std::string_view text_;
  std::map<std::uint64_t, std::uint64_t> counts_;
};

/// Verifies the engine on growing pieces and leaves the largest in `result`. Returns the seconds of a pass
/// over it.
double verify(Engine& engine, EngineResult& result, Reference& reference, std::string_view text,
              const ContestOptions& options) {
  for (std::uint64_t bytes = std::min<std::uint64_t>(smallest_piece_bytes, text.size());;) {
    const double whole_seconds = seconds_of([&] { result.matches = engine.count(text.substr(0, bytes)); });
    const double seconds = engine.own_seconds().value_or(whole_seconds);
    if (const std::uint64_t expected = reference.count(bytes); result.matches != expected) {
      throw Mismatch(fmt::format("{} counts {} matches in the first {} bytes, lode counts {}", result.name,
                                 result.matches, bytes, expected));
    }
    result.bytes = bytes;
    const double left = options.seconds_per_pass / std::max(seconds, 1e-9);
    if (bytes == text.size() || left < 2) return seconds;
    const double next = static_cast<double>(bytes) * std::min<double>(left, piece_growth);
    bytes = next >= static_cast<double>(text.size()) ? text.size() : static_cast<std::uint64_t>(next);
  }
}

void add_loop(ContestResult& result, std::vector<Job>& jobs, EngineResult engine, ReadLoop loop, std::string_view text,
              const ContestOptions& options) {
  const auto run = [loop, threads = engine.threads, text] {
    benchmark::DoNotOptimize(threads == 0 ? read_with_all_threads(loop, text) : loop(text.data(), text.size()));
  };
  engine.bytes = text.size();
  jobs.push_back({fmt::format("{} {}", engine.name, engine.threads), run, iterations_for(seconds_of(run), options)});
  result.engines.push_back(std::move(engine));
}

void add_loops(ContestResult& result, std::vector<Job>& jobs, std::string_view text, bool all_threads,
               const ContestOptions& options) {
  for (const unsigned threads : {1u, 0u}) {
    if (threads == 0 && !all_threads) return;
    for (const NamedReadLoop& loop : read_loops()) {
      add_loop(result, jobs, {.name = loop.name, .is_read_loop = true, .threads = threads}, loop.run, text, options);
    }
    if (all_threads)
      add_loop(result, jobs, {.name = "arithmetic", .is_arithmetic = true, .threads = threads}, compute, text, options);
  }
}

}  // namespace

double EngineResult::gigabytes_per_second() const { return static_cast<double>(bytes) / median(seconds) / 1e9; }

std::uint64_t EngineResult::bytes_moved() const {
  if (is_arithmetic) return 0;
  return bytes + (lists ? sizeof(Match) * matches : 0);
}

const EngineResult& ContestResult::read_ceiling(unsigned threads) const {
  const EngineResult* best = nullptr;
  for (const EngineResult& engine : engines) {
    if (!engine.is_read_loop || (engine.threads == 1) != (threads == 1)) continue;
    if (!best || engine.gigabytes_per_second() > best->gigabytes_per_second()) best = &engine;
  }
  return *best;
}

double ContestResult::arithmetic_speedup() const {
  const EngineResult* one = nullptr;
  for (const EngineResult& engine : engines) {
    if (!engine.is_arithmetic) continue;
    if (one) return times_faster(engine, *one);
    one = &engine;
  }
  return 0;
}

const EngineResult* ContestResult::alone(const EngineResult& engine) const {
  for (const EngineResult& other : engines)
    if (other.algorithm == engine.algorithm && other.threads == 1 && other.not_run.empty()) return &other;
  return nullptr;
}

const EngineResult* ContestResult::best_peer() const {
  const EngineResult* best = nullptr;
  for (const EngineResult& engine : engines) {
    if (!engine.is_peer || !engine.not_run.empty()) continue;
    if (!best || engine.gigabytes_per_second() > best->gigabytes_per_second()) best = &engine;
  }
  return best;
}

double times_faster(const EngineResult& engine, const EngineResult& other) {
  return median_ratio(other.seconds, engine.seconds) * static_cast<double>(engine.bytes) /
         static_cast<double>(other.bytes);
}

ContestResult hold_contest(const Task& task, std::string_view text, const Row& row, const ContestOptions& options) {
  ContestResult result;
  const std::unique_ptr<Engine> lode = make_engine({.name = "lode", .threads = 0}, task);
  Reference reference(*lode, text);
  if (row.expected) {
    const std::uint64_t counted = reference.count(text.size());
    if (counted != *row.expected)
      throw Mismatch(
          fmt::format("lode counts {} matches in the text, the definition of the row says {}", counted, *row.expected));
  }
  std::vector<Job> jobs;
  const std::vector<EngineKind> kinds = engine_kinds(row);
  const bool all_threads =
      std::any_of(kinds.begin(), kinds.end(), [](const EngineKind& kind) { return kind.threads != 1; });
  add_loops(result, jobs, text, all_threads, options);

  std::vector<std::unique_ptr<Engine>> engines;
  for (const EngineKind& kind : kinds) {
    EngineResult made;
    made.name = kind.name;
    if (!kind.is_peer && !kind.finds) made.algorithm = kind.algorithm;
    made.is_peer = kind.is_peer;
    made.threads = kind.threads;
    made.lists = kind.finds || row.model == Model::find;
    made.not_run = kind.not_run;
    if (!made.not_run.empty()) {
      result.engines.push_back(std::move(made));
      continue;
    }
    if (options.engines && kind.name != "lode" && !std::regex_match(kind.name, *options.engines)) continue;
    // `naive` takes part unless it is left out by name: it is the one whose counts cannot be wrong for a clever reason.
    const bool named = kind.algorithm != "auto" && row.ways.algorithms.empty();
    if (named && kind.algorithm != "naive" && !options.named_algorithms && !options.engines) continue;
    try {
      std::unique_ptr<Engine> engine;
      made.build_seconds = seconds_of([&] { engine = make_engine(kind, task); });
      made.build_seconds = engine->own_seconds().value_or(made.build_seconds);
      if (kind.is_peer && made.build_seconds > task.most_seconds)
        throw NotServed(fmt::format("too slow: its making took {:.1f} s", made.build_seconds));
      const double pass_seconds = verify(*engine, made, reference, text, options);
      if (kind.is_peer && pass_seconds > task.most_seconds)
        throw NotServed(fmt::format("too slow: {:.1f} s for {} bytes", pass_seconds, made.bytes));
      made.detail = engine->detail();
      made.memory_bytes = engine->memory_bytes();
      const std::string_view piece = text.substr(0, made.bytes);
      jobs.push_back({fmt::format("{} {}", kind.name, kind.threads),
                      [counter = engine.get(), piece] { benchmark::DoNotOptimize(counter->count(piece)); },
                      iterations_for(pass_seconds, options), repetitions_for(pass_seconds, options),
                      engine->own_seconds() ? [timed = engine.get()] { return *timed->own_seconds(); }
                                            : std::function<double()>()});
      engines.push_back(std::move(engine));
    } catch (const NotServed& reason) {
      made.not_run = reason.what();
    }
    result.engines.push_back(std::move(made));
  }
  const auto measured_lode =
      std::find_if(result.engines.begin(), result.engines.end(), [](const auto& one) { return one.name == "lode"; });
  result.counted_bytes = measured_lode->bytes;
  result.matches = measured_lode->matches;
  PlanOptions plan_options;
  plan_options.view = View(task.view);
  const std::vector<std::uint64_t> per_pattern =
      Searcher(Plan::build(pattern_set_of(task), plan_options)).count_per_pattern(text.substr(0, result.counted_bytes));
  std::uint64_t sum = 0;
  for (const std::uint64_t count : per_pattern) {
    sum += count;
    result.patterns_present += count != 0;
  }
  // In a record only the first occurrence of each pattern is a hit.
  if (row.model != Model::records && sum != result.matches) {
    throw Mismatch(fmt::format("lode counts {} matches in all, but {} pattern by pattern", result.matches, sum));
  }

  const std::vector<std::vector<double>> seconds = measure(jobs, options.repetitions);
  std::size_t next = 0;
  for (EngineResult& engine : result.engines) {
    if (engine.not_run.empty()) engine.seconds = seconds[next++];
  }
  return result;
}

}  // namespace lode::bench
