#include "record_contest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/threads.hpp"
#include "lode/error.hpp"
#include "read_loops.hpp"

namespace lode::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t most_dense_cells = std::uint64_t{1} << 28;
constexpr double seconds_of_slice = 0.25;
constexpr std::uint64_t long_row_bytes = 1 << 16;
constexpr std::uint64_t grain_cells = 4096;

// Records with a NUL behind each, and the cells of all of them.
class CellLoops {
 public:
  CellLoops(const RecordWorkload& workload, std::uint64_t rows) : workload_(workload), rows_(rows) {
    text_.reserve(workload.bytes_of(rows) + rows);
    starts_.reserve(rows + 1);
    for (std::uint64_t row = 0; row < rows; ++row) {
      starts_.push_back(text_.size());
      text_ += workload.records()[row];
      text_ += '\0';
      if (workload.records()[row].size() > long_row_bytes) long_rows_.push_back(row);
    }
    starts_.push_back(text_.size());
    cells_.resize(rows * workload.patterns().size());
  }
  std::uint64_t rows() const { return rows_; }
  std::span<const std::int32_t> cells() const { return cells_; }

  // find(begin, length, pattern) returns the first occurrence or null.
  template <class Find>
  void run(unsigned threads, Find find) {
    const std::uint64_t columns = workload_.patterns().size();
    // Long records one cell at a time, so that threads share them.
    run_ranges(threads, long_rows_.size() * columns, 1,
               [&](std::uint64_t at, std::uint64_t) { fill(long_rows_[at / columns], at % columns, find); });
    const std::uint64_t grain = std::max<std::uint64_t>(1, grain_cells / columns);
    run_ranges(threads, rows_, grain, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t row = begin; row < end; ++row) {
        if (starts_[row + 1] - starts_[row] - 1 > long_row_bytes) continue;
        for (std::uint64_t id = 0; id < columns; ++id) fill(row, id, find);
      }
    });
  }

 private:
  template <class Find>
  void fill(std::uint64_t row, std::uint64_t id, Find find) {
    const char* const begin = text_.data() + starts_[row];
    const char* const found = find(begin, starts_[row + 1] - starts_[row] - 1, workload_.patterns()[id]);
    cells_[row * workload_.patterns().size() + id] = found == nullptr ? -1 : static_cast<std::int32_t>(found - begin);
  }

  const RecordWorkload& workload_;
  const std::uint64_t rows_;
  std::string text_;
  std::vector<std::uint64_t> starts_;
  std::vector<std::uint64_t> long_rows_;
  std::vector<std::int32_t> cells_;
};

const char* find_with_strstr(const char* begin, std::uint64_t, const std::string& pattern) {
  return std::strstr(begin, pattern.c_str());
}

const char* find_with_memmem(const char* begin, std::uint64_t length, const std::string& pattern) {
  return static_cast<const char*>(::memmem(begin, length, pattern.data(), pattern.size()));
}

template <class Run>
double seconds_of(Run run) {
  const auto begin = Clock::now();
  run();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// How many of the first records strstr gets through in a while.
std::uint64_t choose_rows(const RecordWorkload& workload, unsigned threads) {
  const std::uint64_t all = workload.records().size();
  if (!workload.is_uniform()) return all;
  for (std::uint64_t rows = 1;; rows *= 4) {
    if (rows >= all) return all;
    CellLoops loops(workload, rows);
    const double seconds = seconds_of([&] { loops.run(threads, find_with_strstr); });
    if (seconds < seconds_of_slice / 10) continue;
    return std::clamp(static_cast<std::uint64_t>(static_cast<double>(rows) * seconds_of_slice / seconds),
                      std::uint64_t{1}, all);
  }
}

Contestant& add(Contestants& contestants, const RecordWorkload& workload, std::string name, std::string place,
                std::string output, std::uint64_t rows) {
  auto made = std::make_unique<Contestant>();
  made->name = std::move(name);
  made->place = std::move(place);
  made->output = std::move(output);
  made->rows = rows;
  made->bytes = workload.bytes_of(rows);
  contestants.push_back(std::move(made));
  return *contestants.back();
}

template <class Find>
void add_cell_loop(Contestants& contestants, const RecordWorkload& workload, const Reference& reference,
                   const std::string& name, unsigned threads, const std::string& place,
                   const std::shared_ptr<CellLoops>& loops, Find find) {
  Contestant& one = add(contestants, workload, name, place, "dense", loops->rows());
  one.cells = loops->cells().size();
  one.run = [loops, threads, find] { loops->run(threads, find); };
  one.check = [loops, &one, &reference] {
    one.run();
    return reference.compare_cells(0, loops->cells());
  };
}

void add_algorithm(Contestants& contestants, const RecordWorkload& workload, const Plan& plan,
                   const Reference& reference, const std::string& algorithm, unsigned threads, const std::string& place,
                   const std::shared_ptr<std::vector<std::int32_t>>& cells) {
  SearcherOptions options;
  options.algorithm = algorithm;
  options.threads = threads;
  const auto searcher = std::make_shared<const RecordSearcher>(plan, options);
  const Records& records = workload.records();
  Contestant& sparse = add(contestants, workload, algorithm, place, "sparse", records.size());
  sparse.run = [searcher, &records] { searcher->first(records); };
  sparse.check = [searcher, &records, &reference, &sparse] {
    RecordStats stats;
    RecordRunOptions run;
    run.stats = &stats;
    const RecordHits hits = searcher->first(records, run);
    sparse.detail = describe_stages(stats);
    return reference.compare(hits);
  };
  Contestant& any = add(contestants, workload, algorithm, place, "any", records.size());
  any.run = [searcher, &records] { searcher->contains_any(records); };
  any.check = [searcher, &records, &reference] { return reference.compare_bits(searcher->contains_any(records)); };
  const std::uint64_t rows = cells->size() / workload.patterns().size();
  Contestant& dense = add(contestants, workload, algorithm, place, "dense", rows);
  dense.cells = cells->size();
  dense.run = [searcher, slice = records.slice(0, rows), cells] { searcher->first_dense(slice, *cells); };
  dense.check = [&dense, cells, &reference] {
    dense.run();
    return reference.compare_cells(0, *cells);
  };
}

void add_ceilings(Contestants& contestants, const RecordWorkload& workload, unsigned threads, const std::string& place,
                  const std::shared_ptr<std::vector<std::int32_t>>& space) {
  const std::string_view text = workload.records().bytes();
  for (const NamedReadLoop& loop : read_loops()) {
    Contestant& one = add(contestants, workload, loop.name, place, "read", workload.records().size());
    one.run = [text, &loop, threads] {
      volatile std::uint64_t sum =
          threads == 1 ? loop.run(text.data(), text.size()) : read_with_all_threads(loop.run, text);
      (void)sum;
    };
  }
  Contestant& write = add(contestants, workload, "memset", place, "write", 0);
  write.cells = space->size();
  write.run = [space, threads] {
    constexpr std::uint64_t grain = std::uint64_t{1} << 18;
    run_ranges(threads, space->size(), grain, [&](std::uint64_t begin, std::uint64_t end) {
      std::memset(space->data() + begin, 0xff, (end - begin) * sizeof(std::int32_t));
    });
  };
}

}  // namespace

Reference::Reference(const RecordWorkload& workload, const Plan& plan) : columns_(workload.patterns().size()) {
  SearcherOptions options;
  options.algorithm = "filter";
  hits_ = RecordSearcher(plan, options).first(workload.records());
  for (std::size_t row = 0; row + 1 < hits_.row_starts.size(); ++row)
    matching_records_ += hits_.row_starts[row] != hits_.row_starts[row + 1] ? 1 : 0;
}

std::uint64_t Reference::patterns_present() const {
  std::vector<bool> present(columns_);
  for (const std::uint32_t id : hits_.pattern_ids) present[id] = true;
  return static_cast<std::uint64_t>(std::count(present.begin(), present.end(), true));
}

std::string Reference::compare(const RecordHits& hits) const {
  if (hits.row_starts != hits_.row_starts)
    return fmt::format("{} hits, not {}, or in other records", hits.offsets.size(), hits_.offsets.size());
  if (hits.pattern_ids != hits_.pattern_ids) return "other patterns";
  return hits.offsets == hits_.offsets ? "" : "other offsets";
}

std::string Reference::compare_bits(std::span<const std::uint8_t> any) const {
  const std::uint64_t rows = hits_.row_starts.size() - 1;
  if (any.size() != (rows + 7) / 8) return fmt::format("{} bytes of bits for {} records", any.size(), rows);
  for (std::uint64_t row = 0; row < rows; ++row)
    if (((any[row / 8] >> row % 8) & 1) != (hits_within(row, row + 1) != 0 ? 1 : 0))
      return fmt::format("the bit of record {}", row);
  return "";
}

std::string Reference::compare_cells(std::uint64_t first, std::span<const std::int32_t> cells) const {
  std::vector<std::int32_t> expected(columns_, -1);
  const auto set_row = [&](std::uint64_t row, bool filled) {
    for (std::uint64_t hit = hits_.row_starts[row]; hit < hits_.row_starts[row + 1]; ++hit)
      expected[hits_.pattern_ids[hit]] = filled ? static_cast<std::int32_t>(hits_.offsets[hit]) : -1;
  };
  for (std::uint64_t at = 0; at < cells.size() / columns_; ++at) {
    set_row(first + at, true);
    if (std::memcmp(expected.data(), cells.data() + at * columns_, columns_ * sizeof(std::int32_t)) != 0)
      return fmt::format("the row of record {}", first + at);
    set_row(first + at, false);
  }
  return "";
}

std::string describe_stages(const RecordStats& stats) {
  if (stats.flagged_records == 0 && stats.flag_seconds == 0) return "";
  return fmt::format("{} flagged, {} falsely, in {:.4f} s; searched in {:.4f} s; {} candidates", stats.flagged_records,
                     stats.false_positives, stats.flag_seconds, stats.verify_seconds, stats.search.candidates);
}

void add_cpu_contestants(Contestants& contestants, const RecordWorkload& workload, const Plan& plan,
                         const Reference& reference) {
  const std::uint64_t columns = workload.patterns().size();
  const std::uint64_t all = workload.records().size();
  const std::uint64_t rows =
      workload.is_uniform() ? std::clamp<std::uint64_t>(most_dense_cells / columns, 1, all) : all;
  const auto cells = std::make_shared<std::vector<std::int32_t>>(rows * columns);  // of all, one after the other
  for (const bool is_alone : {true, false}) {
    const unsigned threads = is_alone ? 1 : thread_count(0);
    const std::string place = is_alone ? "1 thread" : "all threads";
    add_ceilings(contestants, workload, threads, place, cells);
    const auto loops = std::make_shared<CellLoops>(workload, choose_rows(workload, threads));
    add_cell_loop(contestants, workload, reference, "strstr", threads, place, loops, find_with_strstr);
    if (is_alone) add_cell_loop(contestants, workload, reference, "memmem", threads, place, loops, find_with_memmem);
    for (const char* const algorithm : {"filter", "rabin-karp"}) {
      // A combination that cannot run is told with its reason.
      if (const std::string reason = refusal(algorithm, plan); !reason.empty())
        add(contestants, workload, algorithm, place, "sparse", 0).not_run = reason;
      else
        add_algorithm(contestants, workload, plan, reference, algorithm, threads, place, cells);
    }
  }
}

}  // namespace lode::bench
