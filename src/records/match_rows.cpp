#include "records/match_rows.hpp"

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>

#include "base/threads.hpp"
#include "search/id_expander.hpp"
#include "search/match_kinds.hpp"
#include "search/match_sorter.hpp"

namespace lode {
namespace {

// Occurrences that one thread finishes at a time: at least so many, or a part of all for each thread.
constexpr std::uint64_t least_part = std::uint64_t{1} << 14;
constexpr std::uint64_t parts_of_thread = 4;

}  // namespace

class MatchRows::Taker final : public RecordTaker {
 public:
  explicit Taker(MatchRows& rows) : rows_(rows) {}
  ~Taker() override {
    const std::lock_guard lock(rows_.mutex_);
    rows_.lists_.push_back(std::move(list_));
  }
  void begin(std::uint64_t, std::uint64_t) override {}
  std::uint64_t take(std::span<const RecordOccurrence> found) override {
    list_.insert(list_.end(), found.begin(), found.end());
    return found.size();
  }

 private:
  MatchRows& rows_;
  std::vector<RecordOccurrence> list_;
};

std::unique_ptr<RecordTaker> MatchRows::make_taker() { return std::make_unique<Taker>(*this); }

RecordMatches MatchRows::build(std::uint64_t records, MatchKind kind, unsigned threads) {
  RecordMatches rows;
  rows.row_starts.assign(records + 1, 0);
  place(rows, threads);
  finish(rows, kind, threads);
  return rows;
}

// Puts each occurrence into its row, with the distinct pattern for the id. The lists of two takers may share a record.
void MatchRows::place(RecordMatches& rows, unsigned threads) {
  const auto for_each = [&](auto use) {
    run_shares(threads, static_cast<unsigned>(lists_.size()), [&](unsigned list) {
      for (const RecordOccurrence& occurrence : lists_[list]) use(occurrence);
    });
  };
  std::vector<std::uint64_t>& starts = rows.row_starts;
  for_each([&](const RecordOccurrence& occurrence) {
    std::atomic_ref(starts[occurrence.record]).fetch_add(1, std::memory_order_relaxed);
  });
  std::uint64_t sum = 0;
  for (std::uint64_t& start : starts) sum += std::exchange(start, sum);
  rows.matches.resize(sum);
  std::vector<std::uint64_t> next(starts);
  for_each([&](const RecordOccurrence& occurrence) {
    const std::uint64_t at = std::atomic_ref(next[occurrence.record]).fetch_add(1, std::memory_order_relaxed);
    const std::uint32_t length = occurrence.length != 0
                                     ? occurrence.length
                                     : static_cast<std::uint32_t>(plan_.bytes(occurrence.distinct).size());
    rows.matches[at] = {occurrence.offset, occurrence.distinct, length};
  });
  lists_.clear();
}

// Sorts each row, gives it ids, and leaves out what the kind does not report.
void MatchRows::finish(RecordMatches& rows, MatchKind kind, unsigned threads) const {
  const std::vector<std::uint64_t> starts = rows.row_starts;
  const std::uint64_t records = starts.size() - 1;
  // A part ends where a row does. Parts have about as many occurrences each.
  const std::uint64_t occurrences = rows.matches.size();
  const std::uint64_t parts =
      std::clamp<std::uint64_t>(occurrences / least_part, 1, std::uint64_t{threads} * parts_of_thread);
  const auto first_of = [&](std::uint64_t part) {
    if (part == parts) return records;
    const std::uint64_t wanted = occurrences * part / parts;
    return static_cast<std::uint64_t>(std::lower_bound(starts.begin(), starts.end() - 1, wanted) - starts.begin());
  };
  const bool changes = kind != MatchKind::overlapping || plan_.has_duplicates();
  std::vector<std::vector<Match>> kept(parts);
  run_shares(threads, static_cast<unsigned>(parts), [&](unsigned part) {
    std::vector<Match> expanded, reported;
    const MatchSink add = [&](std::span<const Match> batch) {
      expanded.insert(expanded.end(), batch.begin(), batch.end());
      return true;
    };
    IdExpander expander(plan_, add);
    MatchSorter sorter;
    const std::uint64_t first = first_of(part), last = first_of(part + 1);
    for (std::uint64_t record = first; record < last; ++record) {
      const std::span<Match> row = std::span(rows.matches).subspan(starts[record], starts[record + 1] - starts[record]);
      sorter.sort(row);
      if (!changes) continue;
      rows.row_starts[record] = kept[part].size();
      if (row.empty()) continue;
      expanded.clear();
      expander.take(row);
      if (kind != MatchKind::overlapping) {
        reported.clear();
        KindFilter kinds(kind, 0);
        for (const Match& match : expanded) kinds.take(match, reported);
        kinds.settle(reported);
        expanded.swap(reported);
      }
      kept[part].insert(kept[part].end(), expanded.begin(), expanded.end());
    }
  });
  if (!changes) return;
  std::vector<std::uint64_t> before(parts + 1, 0);
  for (std::uint64_t part = 0; part < parts; ++part) before[part + 1] = before[part] + kept[part].size();
  rows.matches.resize(before[parts]);
  rows.row_starts[records] = before[parts];
  run_shares(threads, static_cast<unsigned>(parts), [&](unsigned part) {
    std::copy(kept[part].begin(), kept[part].end(), rows.matches.begin() + static_cast<std::ptrdiff_t>(before[part]));
    for (std::uint64_t record = first_of(part); record < first_of(part + 1); ++record)
      rows.row_starts[record] += before[part];
  });
}

}  // namespace lode
