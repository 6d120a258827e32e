#include "search/record_run.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "base/bytes.hpp"
#include "base/threads.hpp"
#include "lode/error.hpp"
#include "search/list_range.hpp"

namespace lode {
namespace {

constexpr std::uint64_t unit_cost = std::uint64_t{1} << 18;  // bytes to search, or something that costs as much
constexpr std::uint64_t record_cost = 32;
constexpr std::uint64_t most_units_ahead = 64;  // of each thread: smaller texts are cut into smaller units
constexpr std::uint64_t least_unit_cost = 1 << 14;
constexpr std::uint64_t block_bytes = std::uint64_t{1} << 15;
constexpr std::uint64_t list_limit = std::uint64_t{1} << 15;  // occurrences of a block
constexpr std::uint64_t least_long_bytes = std::uint64_t{4} << 20;

void check_stop(const RecordRunOptions& run) {
  if (run.stop.stop_requested()) throw Error(ErrorKind::cancelled, "the search was cancelled");
}

// Tells which record an occurrence lies in. Fast where each is near the one before. One thread's.
class RecordMapper {
 public:
  RecordMapper(const RecordSetup& setup, const Records& records)
      : records_(records),
        condition_(setup.condition),
        line_terminator_(static_cast<std::uint8_t>(setup.cpu.options.line_terminator)) {}

  /// Replaces `out` by what of `found`, whose offsets are places of the records' bytes, lies within a record and meets the
  /// condition.
  void map(std::span<const Match> found, std::vector<RecordOccurrence>& out) {
    out.clear();
    for (const Match& match : found) {
      if (match.offset < begin_ || match.offset >= next_begin_) move_to(match.offset);
      const std::uint64_t stop = match.offset + match.length;
      if (stop > end_ || is_null_) continue;
      if (condition_ != Condition::none && !condition_holds(match.offset, stop)) continue;
      out.push_back({record_, match.offset - begin_, match.pattern_id});
    }
  }

 private:
  // To the last record that begins at or before the place: of those before it in the same place all are empty.
  void move_to(std::uint64_t place) {
    constexpr int near = 8;
    std::uint64_t low = 0;
    std::uint64_t high = records_.size();  // the first record that begins behind the place: in (low, high]
    if (place >= next_begin_) {
      low = record_ + 1;
      for (int step = 0; step < near; ++step) {
        if (low + 1 == high || records_.begin_of(low + 1) > place) return settle(low);
        ++low;
      }
    } else {
      high = record_;
    }
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (records_.begin_of(middle) > place ? high : low) = middle;
    }
    settle(low);
  }
  void settle(std::uint64_t record) {
    record_ = record;
    begin_ = records_.begin_of(record);
    end_ = records_.end_of(record);
    next_begin_ = record + 1 < records_.size() ? records_.begin_of(record + 1) : UINT64_MAX;
    is_null_ = records_.is_null(record);
  }
  bool condition_holds(std::uint64_t start, std::uint64_t stop) const {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(records_.bytes().data());
    const bool at_begin = start == begin_;
    const bool at_end = stop == end_;
    if (condition_ == Condition::whole_line)
      return (at_begin || bytes[start - 1] == line_terminator_) && (at_end || bytes[stop] == line_terminator_);
    return (at_begin || !is_word_byte(bytes[start - 1])) && (at_end || !is_word_byte(bytes[stop]));
  }

  const Records& records_;
  const Condition condition_;
  const std::uint8_t line_terminator_;
  std::uint64_t record_ = UINT64_MAX;  // where next_begin_ is 0: none yet
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t next_begin_ = 0;
  bool is_null_ = false;
};

// The records cut into units of about equal cost.
class Units {
 public:
  Units(const Records& records, unsigned threads) : records_(records) {
    total_ = cost_before(records.size());
    cost_ = std::clamp(total_ / (std::uint64_t{threads} * most_units_ahead), least_unit_cost, unit_cost);
    count_ = records.empty() ? 0 : (total_ + cost_ - 1) / cost_;
    first_place_ = records.empty() ? 0 : records.begin_of(0);
  }
  std::uint64_t count() const { return count_; }
  /// First record of a unit; that of unit count() is the number of records.
  std::uint64_t first(std::uint64_t unit) const {
    if (unit == count_) return records_.size();
    std::uint64_t low = 0;  // the first record of which what lies before costs `wanted` or more
    std::uint64_t high = records_.size();
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (cost_before(middle) < unit * cost_)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

 private:
  std::uint64_t cost_before(std::uint64_t record) const {
    if (record == 0) return 0;
    return records_.end_of(record - 1) - records_.begin_of(0) + record * record_cost;
  }

  const Records& records_;
  std::uint64_t total_ = 0;
  std::uint64_t cost_ = 1;
  std::uint64_t count_ = 0;
  std::uint64_t first_place_ = 0;
};

// One thread's means to search units.
class UnitScanner {
 public:
  UnitScanner(const RecordSetup& setup, const Records& records, const RecordRunOptions& run, RecordTaker& taker)
      : setup_(setup),
        records_(records),
        run_(run),
        taker_(taker),
        mapper_(setup, records),
        collector_(Collector::Mode::list, setup.cpu.plan, setup.cpu.options, setup.cpu.set),
        block_bytes_(std::max(block_bytes, std::uint64_t{setup.cpu.plan.patterns.max_length()} * 2)) {}

  /// Records [first, last), which lie one behind the other.
  void scan(std::uint64_t first, std::uint64_t last) {
    std::uint64_t at = records_.begin_of(first);
    const std::uint64_t end = records_.end_of(last - 1);
    // Whatever reaches further crosses a record's end.
    const Piece piece{reinterpret_cast<const std::uint8_t*>(records_.bytes().data()), end, 0};
    const auto take = [&](const std::vector<Match>& found) {
      check_stop(run_);
      mapper_.map(found, mapped_);
      if (!mapped_.empty()) taker_.take(mapped_);
      return true;
    };
    while (at < end) {
      check_stop(run_);
      list_range(setup_.cpu.scanner, collector_, piece, at, std::min(end, at + block_bytes_), list_limit, take);
    }
  }
  std::uint64_t candidates() const { return collector_.candidates(); }

 private:
  const RecordSetup& setup_;
  const Records& records_;
  const RecordRunOptions& run_;
  RecordTaker& taker_;
  RecordMapper mapper_;
  Collector collector_;
  const std::uint64_t block_bytes_;
  std::vector<RecordOccurrence> mapped_;
};

}  // namespace

std::uint64_t take_on_cpu(const RecordSetup& setup, const Records& records, std::span<const std::uint8_t> wanted,
                          const RecordRunOptions& run, const MakeRecordTaker& make_taker) {
  const Units units(records, setup.cpu.threads);
  const auto threads = static_cast<unsigned>(std::clamp<std::uint64_t>(units.count(), 1, setup.cpu.threads));
  const std::uint64_t total_bytes = records.total_bytes();
  const std::uint64_t long_bytes = std::max(least_long_bytes, total_bytes / (8 * std::uint64_t{threads}));
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> ended{false};
  std::mutex mutex;  // of all that follows
  std::uint64_t candidates = 0;
  std::uint64_t done_bytes = 0;
  std::vector<std::uint64_t> long_records;
  const auto is_wanted = [&](std::uint64_t record) {
    return (wanted.empty() || wanted[record] != 0) && !records.is_null(record);
  };
  const auto is_long = [&](std::uint64_t record) {
    return threads > 1 && records.end_of(record) - records.begin_of(record) > long_bytes;
  };
  const auto scan_unit = [&](UnitScanner& scanner, std::uint64_t first, std::uint64_t last) {
    // Without bytes to look at for each record, all of them are one range.
    if (wanted.empty() && records.end_of(last - 1) - records.begin_of(first) <= long_bytes)
      return scanner.scan(first, last);
    for (std::uint64_t record = first; record < last; ++record) {
      if (!is_wanted(record)) continue;
      if (is_long(record)) {
        const std::lock_guard lock(mutex);
        long_records.push_back(record);
        continue;
      }
      const std::uint64_t begin = record;
      while (record + 1 < last && is_wanted(record + 1) && !is_long(record + 1)) ++record;
      scanner.scan(begin, record + 1);
    }
  };
  run_shares(threads, threads, [&](unsigned) {
    const std::unique_ptr<RecordTaker> taker = make_taker();
    UnitScanner scanner(setup, records, run, *taker);
    for (;;) {
      const std::uint64_t unit = ended ? units.count() : next.fetch_add(1);
      if (unit >= units.count()) break;
      const std::uint64_t first = units.first(unit);
      const std::uint64_t last = units.first(unit + 1);
      if (first == last) continue;
      try {
        check_stop(run);
        taker->begin(first, last);
        scan_unit(scanner, first, last);
      } catch (...) {
        ended = true;
        throw;
      }
      if (!run.progress) continue;
      const std::lock_guard lock(mutex);
      done_bytes += records.end_of(last - 1) - records.begin_of(first);
      run.progress(std::min(done_bytes, total_bytes), total_bytes);
    }
    const std::lock_guard lock(mutex);
    candidates += scanner.candidates();
  });
  if (long_records.empty()) return candidates;
  const std::unique_ptr<RecordTaker> taker = make_taker();
  const OrderedSearch search = [&](const Text& text, const RunOptions& part,
                                   const std::function<bool(std::span<const Match>)>& take) {
    return run_ordered(setup.cpu, text, part, take);
  };
  for (const std::uint64_t record : long_records) {
    const Records alone = records.slice(record, record + 1);
    RecordRunOptions quiet;
    quiet.stop = run.stop;
    std::vector<RecordOccurrence> renumbered;
    candidates += list_in_order(setup, alone, search, quiet, [&](std::span<const RecordOccurrence> found) {
      renumbered.assign(found.begin(), found.end());
      for (RecordOccurrence& occurrence : renumbered) occurrence.record = record;
      taker->take(renumbered);
      return true;
    });
  }
  return candidates;
}

std::uint64_t list_in_order(const RecordSetup& setup, const Records& records, const OrderedSearch& search,
                            const RecordRunOptions& run,
                            const std::function<bool(std::span<const RecordOccurrence>)>& take) {
  if (records.empty()) return 0;
  RunOptions part;
  part.begin = records.begin_of(0);
  part.end = records.end_of(records.size() - 1);
  part.stop = run.stop;
  part.progress = run.progress;
  if (part.begin == part.end) return 0;
  RecordMapper mapper(setup, records);
  std::vector<RecordOccurrence> mapped;
  return search(records.bytes().substr(0, part.end), part, [&](std::span<const Match> found) {
    mapper.map(found, mapped);
    return mapped.empty() || take(mapped);
  });
}

std::uint64_t take_in_order(const RecordSetup& setup, const Records& records, const OrderedSearch& search,
                            const RecordRunOptions& run, const MakeRecordTaker& make_taker) {
  const Units units(records, setup.cpu.threads);
  run_ranges(setup.cpu.threads, units.count(), 1, [&](std::uint64_t unit, std::uint64_t) {
    if (units.first(unit) == units.first(unit + 1)) return;
    make_taker()->begin(units.first(unit), units.first(unit + 1));
  });
  const std::unique_ptr<RecordTaker> taker = make_taker();
  return list_in_order(setup, records, search, run, [&](std::span<const RecordOccurrence> found) {
    taker->take(found);
    return true;
  });
}

}  // namespace lode
