#include "search/sharded_search.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "base/memory_plan.hpp"
#include "gpu/algorithms/algorithm.hpp"
#include "lode/error.hpp"
#include "search/gpu_search.hpp"

namespace lode {
namespace {

constexpr std::size_t shard_batch_matches = 4096;

std::uint64_t waiting_matches(const SearcherOptions& options, std::size_t shards) {
  const std::uint64_t bytes = MemoryPlan(options.memory_limit_bytes).waiting_of_shards_bytes();
  return std::max<std::uint64_t>(1, bytes / sizeof(Match) / shards);
}

SearcherOptions options_of_shard(SearcherOptions options) {
  options.memory_limit_bytes = MemoryPlan(options.memory_limit_bytes).of_shard().limit_bytes();
  return options;
}

PlanData plan_of_shard(const PlanData& plan, std::uint32_t first, std::uint32_t last) {
  PlanData part;
  std::uint64_t bytes = 0;
  for (std::uint32_t distinct = first; distinct < last; ++distinct) bytes += plan.bytes(distinct).size();
  part.patterns.reserve(last - first, bytes);
  for (std::uint32_t distinct = first; distinct < last; ++distinct)
    part.patterns.add(plan.patterns[plan.lowest_id(distinct)], plan.ignore_case(distinct));
  part.text_sample = plan.text_sample;
  return part;
}

// Reports progress over all shards. It never goes back.
class ShardProgress {
 public:
  ShardProgress(const RunOptions& run, std::uint64_t size, std::size_t shards, CallsOut& calls_out)
      : progress_(run.progress),
        calls_out_(calls_out),
        end_(std::min(run.end, size)),
        begin_(std::min(run.begin, end_)),
        shards_(shards) {}

  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }

  /// The run's options for the part [begin, end) of the text and one shard. `others` shards have searched it before.
  RunOptions part(const RunOptions& run, std::uint64_t begin, std::uint64_t end, std::size_t others) {
    RunOptions options;
    options.begin = begin;
    options.end = end;
    options.stop = run.stop;
    if (progress_)
      options.progress = [this, begin, end, others](std::uint64_t done, std::uint64_t) {
        advance(begin - begin_ + (others * (end - begin) + done) / shards_);
      };
    return options;
  }

 private:
  void advance(std::uint64_t done) {
    if (done <= highest_) return;
    highest_ = done;
    calls_out_.run([&] { progress_(done, end_ - begin_); });
  }

  const Progress& progress_;
  CallsOut& calls_out_;
  const std::uint64_t end_;
  const std::uint64_t begin_;
  const std::size_t shards_;
  std::uint64_t highest_ = 0;
};

// The caller's text. Reading it runs the caller's code, of which CallsOut is told.
class ShardText final : public RandomAccessText {
 public:
  ShardText(const Text& text, CallsOut& calls_out) : text_(text), size_(text.size()), calls_out_(calls_out) {}
  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t offset, std::span<char> into) const override {
    calls_out_.run([&] { text_.source()->read(offset, into); });
  }
  Text text() const { return text_.source() == nullptr ? text_ : Text(*this); }

 private:
  const Text& text_;
  const std::uint64_t size_;
  CallsOut& calls_out_;
};

}  // namespace

std::vector<std::uint32_t> divide_into_shards(const GpuDevices& devices, const PlanData& plan,
                                              std::string_view algorithm) {
  const gpu::TableBytes tables = gpu::least_table_bytes(algorithm);
  const auto fits = [&](const gpu::PatternAmount& amount) {
    return std::all_of(devices.runtimes.begin(), devices.runtimes.end(),
                       [&](const auto& runtime) { return gpu::has_room(runtime->limits(), tables, amount); });
  };
  std::vector<std::uint32_t> shards = {0};
  if (fits({plan.distinct_count(), plan.patterns.total_bytes()})) return shards;
  gpu::PatternAmount amount;
  for (std::uint32_t distinct = 0; distinct < plan.distinct_count(); ++distinct) {
    const std::uint64_t bytes = plan.bytes(distinct).size();
    amount = {amount.patterns + 1, amount.bytes + bytes};
    if (amount.patterns == 1 || fits(amount)) continue;
    shards.push_back(distinct);
    amount = {1, bytes};
  }
  return shards;
}

struct ShardedSearch::Loaded {
  Loaded(const ShardedSearch& of, std::size_t at)
      : shard(at),
        first(of.shards_[at]),
        plan(plan_of_shard(of.plan_, first,
                           at + 1 < of.shards_.size() ? of.shards_[at + 1] : of.plan_.distinct_count())),
        search(of.devices_, plan, of.algorithm_, of.options_, of.threads_) {}

  const std::size_t shard;
  const std::uint32_t first;  // distinct index
  const PlanData plan;
  const GpuSearch search;
};

// A part of the text, and the occurrences that the shards found in it.
struct ShardedSearch::Segment {
  /// Shortens the segment to end at `from`; the rest is left to the next segment.
  void cut(std::uint64_t from) {
    end = from;
    for (std::deque<Match>& list : found)
      list.erase(std::lower_bound(list.begin(), list.end(), from,
                                  [](const Match& match, std::uint64_t offset) { return match.offset < offset; }),
                 list.end());
  }

  /// Merges the shards' lists and gives them to `take`, in order. All occurrences at one offset come in one call.
  /// Returns false if `take` did.
  bool deliver(const TakeMatches& take) const {
    std::vector<std::deque<Match>::const_iterator> next;
    for (const std::deque<Match>& list : found) next.push_back(list.begin());
    std::vector<Match> batch;
    for (;;) {
      std::uint64_t offset = UINT64_MAX;
      for (std::size_t shard = 0; shard < found.size(); ++shard)
        if (next[shard] != found[shard].end()) offset = std::min(offset, next[shard]->offset);
      if (batch.size() >= shard_batch_matches || (offset == UINT64_MAX && !batch.empty())) {
        if (!take(batch)) return false;
        batch.clear();
      }
      if (offset == UINT64_MAX) return true;
      for (std::size_t shard = 0; shard < found.size(); ++shard)
        for (; next[shard] != found[shard].end() && next[shard]->offset == offset; ++next[shard])
          batch.push_back(*next[shard]);
    }
  }

  ShardProgress& progress;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::vector<std::deque<Match>> found;  // one list for each shard, sorted
  std::uint64_t candidates = 0;
};

ShardedSearch::ShardedSearch(const GpuDevices& devices, const PlanData& plan, std::string_view algorithm,
                             const SearcherOptions& options, unsigned threads, std::vector<std::uint32_t> shards)
    : devices_(devices),
      plan_(plan),
      algorithm_(algorithm),
      options_(options_of_shard(options)),
      threads_(threads),
      shards_(std::move(shards)),
      most_matches_(waiting_matches(options, shards_.size())) {
  load(0);
}

ShardedSearch::~ShardedSearch() = default;

const ShardedSearch::Loaded& ShardedSearch::load(std::size_t shard) const {
  if (loaded_ && loaded_->shard == shard) return *loaded_;
  loaded_.reset();
  loaded_ = std::make_unique<Loaded>(*this, shard);
  return *loaded_;
}

std::size_t ShardedSearch::loaded_shard() const {
  const std::lock_guard lock(mutex_);
  return loaded_ ? loaded_->shard : 0;
}

Totals ShardedSearch::run_counts(const Text& text, const RunOptions& run, Collector::Mode mode, bool stop_at_first,
                                 CallReport& report) const {
  const bool per_distinct = mode == Collector::Mode::count_per_pattern;
  calls_out_.check();
  const ShardText shard_text(text, calls_out_);
  ShardProgress progress(run, shard_text.size(), shards_.size(), calls_out_);
  Totals totals;
  if (per_distinct) totals.per_distinct.resize(plan_.distinct_count());
  const std::size_t begin = loaded_shard();
  for (std::size_t turn = 0; turn < shards_.size(); ++turn) {
    if (run.stop.stop_requested()) throw Error(ErrorKind::cancelled, "the search was cancelled");
    const std::lock_guard lock(mutex_);
    const Loaded& loaded = load((begin + turn) % shards_.size());
    const Totals part = loaded.search.run_counts(
        shard_text.text(), progress.part(run, progress.begin(), progress.end(), turn), mode, stop_at_first, report);
    totals.candidates += part.candidates;
    totals.occurrences += part.occurrences;
    if (per_distinct)
      std::copy(part.per_distinct.begin(), part.per_distinct.end(), totals.per_distinct.begin() + loaded.first);
    if (stop_at_first && totals.occurrences != 0) break;
  }
  return totals;
}

void ShardedSearch::search_segment(const Text& text, const RunOptions& run, bool ends_early, Segment& segment) const {
  const std::size_t begin = loaded_shard();
  for (std::size_t turn = 0; turn < shards_.size(); ++turn) {
    if (run.stop.stop_requested()) throw Error(ErrorKind::cancelled, "the search was cancelled");
    const std::lock_guard lock(mutex_);
    const std::size_t shard = (begin + turn) % shards_.size();
    const Loaded& loaded = load(shard);
    std::deque<Match>& list = segment.found[shard];
    std::uint64_t end = segment.end;
    const auto keep = [&](std::span<const Match> found) {
      // If only the first match is wanted, the segment ends behind it. If there are too many to keep, it ends before
      // the first that has no room, but has at least one place.
      if (ends_early)
        end = found.front().offset + 1;
      else if (found.size() > most_matches_ - list.size())
        end = std::max(found[most_matches_ - list.size()].offset, segment.begin + 1);
      for (const Match& match : found) {
        if (match.offset >= end) return false;
        list.push_back({match.offset, loaded.first + match.pattern_id, match.length});
      }
      return end == segment.end;
    };
    CallReport report;  // the shard's own report, which is not used
    segment.candidates += loaded.search.run_ordered(text, segment.progress.part(run, segment.begin, segment.end, turn),
                                                    ends_early, keep, report);
    if (end < segment.end) segment.cut(end);
  }
}

std::uint64_t ShardedSearch::run_ordered(const Text& text, const RunOptions& run, bool ends_early,
                                         const TakeMatches& take, CallReport& report) const {
  calls_out_.check();
  const ShardText shard_text(text, calls_out_);
  ShardProgress progress(run, shard_text.size(), shards_.size(), calls_out_);
  std::uint64_t candidates = 0;
  std::uint64_t begin = progress.begin();
  std::uint64_t room = progress.end() - begin;  // the most bytes that the next segment may have
  while (begin < progress.end()) {
    Segment segment{progress, begin, begin + std::min(room, progress.end() - begin),
                    std::vector<std::deque<Match>>(shards_.size()), 0};
    search_segment(shard_text.text(), run, ends_early, segment);
    candidates += segment.candidates;
    if (!segment.deliver(take)) break;
    // The next segment is at most twice as long as this one turned out. So if a later shard has too many matches and
    // cuts it, the earlier ones have searched little in vain.
    room = 2 * (segment.end - begin);
    begin = segment.end;
    report.delivered_until = begin;
  }
  return candidates;
}

}  // namespace lode
