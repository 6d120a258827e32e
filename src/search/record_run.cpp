#include "search/record_run.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "base/bytes.hpp"
#include "base/threads.hpp"
#include "lode/error.hpp"
#include "search/cell_search.hpp"
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
      const std::uint64_t offset = match.offset - begin_;
      if (condition_ != Condition::none && !holds(records_.bytes().substr(begin_, end_ - begin_), offset, match.length))
        continue;
      out.push_back({record_, offset, match.pattern_id});
    }
  }

  /// Whether the condition lets an occurrence in a record stand.
  bool holds(std::string_view record, std::uint64_t offset, std::uint64_t length) const {
    return condition_ == Condition::none || condition_holds(reinterpret_cast<const std::uint8_t*>(record.data()),
                                                            offset, offset + length, record.size());
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
  bool condition_holds(const std::uint8_t* bytes, std::uint64_t start, std::uint64_t stop, std::uint64_t end) const {
    const bool at_begin = start == 0;
    const bool at_end = stop == end;
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
        block_bytes_(std::max(block_bytes, std::uint64_t{setup.cpu.plan.patterns.max_length()} * 2)),
        enough_(taker.enough()),
        choice_(setup.cpu.plan.distinct_count(), enough_ == Enough::any) {}

  /// Records [first, last), which lie one behind the other.
  void scan(std::uint64_t first, std::uint64_t last) {
    if (enough_ != Enough::all && choice_.choose()) return search_cells(first, last);
    std::uint64_t at = records_.begin_of(first);
    const std::uint64_t begin = at;
    const std::uint64_t end = records_.end_of(last - 1);
    std::uint64_t occurrences = 0;
    std::uint64_t hits = 0;
    // Whatever reaches further crosses a record's end.
    const Piece piece{reinterpret_cast<const std::uint8_t*>(records_.bytes().data()), end, 0};
    const auto take = [&](const std::vector<Match>& found) {
      check_stop(run_);
      mapper_.map(found, mapped_);
      occurrences += found.size();
      if (!mapped_.empty()) hits += taker_.take(mapped_);
      return true;
    };
    while (at < end) {
      check_stop(run_);
      list_range(setup_.cpu.scanner, collector_, piece, at, std::min(end, at + block_bytes_), list_limit, take);
    }
    choice_.learn(last - first, end - begin, occurrences, hits);
  }
  std::uint64_t candidates() const { return collector_.candidates() + cells_; }

 private:
  void search_cells(std::uint64_t first, std::uint64_t last) {
    const PlanData& plan = setup_.cpu.plan;
    const std::uint32_t patterns = plan.distinct_count();
    mapped_.clear();
    for (std::uint64_t record = first; record < last; ++record) {
      if (records_.is_null(record)) continue;
      const std::string_view bytes = records_[record];
      for (std::uint32_t distinct = 0; distinct < patterns; ++distinct) {
        ++cells_;
        if (!find_first(record, bytes, distinct)) continue;
        if (enough_ == Enough::any) break;
      }
      if (mapped_.size() < cells_at_once) continue;
      check_stop(run_);
      taker_.take(mapped_);
      mapped_.clear();
    }
    if (!mapped_.empty()) taker_.take(mapped_);
  }
  bool find_first(std::uint64_t record, std::string_view bytes, std::uint32_t distinct) {
    const PlanData& plan = setup_.cpu.plan;
    const std::string_view pattern = plan.patterns[plan.lowest_id(distinct)];
    const bool ignore_case = plan.ignore_case(distinct);
    for (std::size_t at = find_in_record(bytes, 0, pattern, ignore_case); at != std::string_view::npos;
         at = find_in_record(bytes, at + 1, pattern, ignore_case)) {
      if (!mapper_.holds(bytes, at, pattern.size())) continue;
      mapped_.push_back({record, at, distinct});
      return true;
    }
    return false;
  }

  static constexpr std::size_t cells_at_once = 4096;

  const RecordSetup& setup_;
  const Records& records_;
  const RecordRunOptions& run_;
  RecordTaker& taker_;
  RecordMapper mapper_;
  Collector collector_;
  const std::uint64_t block_bytes_;
  const Enough enough_;
  CellSearchChoice choice_;
  std::uint64_t cells_ = 0;  // searched
  std::vector<RecordOccurrence> mapped_;
};

// Which records of a unit are searched how.
class RecordChoice {
 public:
  RecordChoice(const Records& records, std::span<const std::uint8_t> wanted, unsigned threads)
      : records_(records),
        wanted_(wanted),
        long_bytes_(threads > 1 ? std::max(least_long_bytes, records.total_bytes() / (8 * std::uint64_t{threads}))
                                : UINT64_MAX) {}

  /// Calls scan(begin, end) for runs of records of [first, last) that are searched, and use_long(record) for each that is
  /// so long that all threads search it together.
  template <class Scan, class UseLong>
  void divide(std::uint64_t first, std::uint64_t last, Scan scan, UseLong use_long) const {
    // Without bytes to look at for each record, all of them are one range.
    if (wanted_.empty() && records_.end_of(last - 1) - records_.begin_of(first) <= long_bytes_)
      return scan(first, last);
    for (std::uint64_t record = first; record < last; ++record) {
      if (!is_wanted(record)) continue;
      if (is_long(record)) {
        use_long(record);
        continue;
      }
      const std::uint64_t begin = record;
      while (record + 1 < last && is_wanted(record + 1) && !is_long(record + 1)) ++record;
      scan(begin, record + 1);
    }
  }

 private:
  bool is_wanted(std::uint64_t record) const {
    return (wanted_.empty() || wanted_[record] != 0) && !records_.is_null(record);
  }
  bool is_long(std::uint64_t record) const { return records_.end_of(record) - records_.begin_of(record) > long_bytes_; }

  const Records& records_;
  const std::span<const std::uint8_t> wanted_;
  const std::uint64_t long_bytes_;
};

// Searches one record by all threads.
std::uint64_t list_long_record(const RecordSetup& setup, const Records& records, std::uint64_t record,
                               const RecordRunOptions& run, const TakeRecords& take) {
  const OrderedSearch search = [&](const Text& text, const RunOptions& part,
                                   const std::function<bool(std::span<const Match>)>& take_matches) {
    return run_ordered(setup.cpu, text, part, take_matches);
  };
  RecordRunOptions quiet;
  quiet.stop = run.stop;
  std::vector<RecordOccurrence> renumbered;
  return list_in_order(setup, records.slice(record, record + 1), search, quiet,
                       [&](std::span<const RecordOccurrence> found, bool) {
                         renumbered.assign(found.begin(), found.end());
                         for (RecordOccurrence& occurrence : renumbered) occurrence.record = record;
                         return take(renumbered, false);
                       });
}

}  // namespace

std::uint64_t take_on_cpu(const RecordSetup& setup, const Records& records, std::span<const std::uint8_t> wanted,
                          const RecordRunOptions& run, const MakeRecordTaker& make_taker) {
  const Units units(records, setup.cpu.threads);
  const auto threads = static_cast<unsigned>(std::clamp<std::uint64_t>(units.count(), 1, setup.cpu.threads));
  const std::uint64_t total_bytes = records.total_bytes();
  const RecordChoice choice(records, wanted, threads);
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> ended{false};
  std::mutex mutex;  // of all that follows
  std::uint64_t candidates = 0;
  std::uint64_t done_bytes = 0;
  std::vector<std::uint64_t> long_records;
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
        choice.divide(
            first, last, [&](std::uint64_t begin, std::uint64_t end) { scanner.scan(begin, end); },
            [&](std::uint64_t record) {
              const std::lock_guard lock(mutex);
              long_records.push_back(record);
            });
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
  for (const std::uint64_t record : long_records) {
    candidates += list_long_record(setup, records, record, run, [&](std::span<const RecordOccurrence> found, bool) {
      taker->take(found);
      return true;
    });
  }
  return candidates;
}

namespace {

class FirstTaker final : public RecordTaker {
 public:
  explicit FirstTaker(const PlanData& plan) : found(plan.distinct_count()) {}
  void begin(std::uint64_t, std::uint64_t) override {}
  std::uint64_t take(std::span<const RecordOccurrence> occurrences) override {
    std::uint64_t hits = 0;
    for (const RecordOccurrence& occurrence : occurrences) hits += found.add(occurrence) ? 1 : 0;
    return hits;
  }
  Enough enough() const override { return Enough::first_of_each_pattern; }

  FirstList found;
};

class OrderedUnits {
 public:
  OrderedUnits(const RecordSetup& setup, const Records& records, std::span<const std::uint8_t> wanted,
               const RecordRunOptions& run, const TakeRecords& take)
      : setup_(setup),
        records_(records),
        run_(run),
        take_(take),
        units_(records, setup.cpu.threads),
        threads_(static_cast<unsigned>(std::clamp<std::uint64_t>(units_.count(), 1, setup.cpu.threads))),
        choice_(records, wanted, threads_),
        slots_(threads_ == 1 ? 1 : std::size_t{threads_} * slots_of_thread),
        limit_(std::max<std::uint64_t>(least_list, memory_limit() / sizeof(RecordOccurrence) / slots_.size())) {
    for (unsigned thread = 0; thread < threads_; ++thread)
      workers_.push_back(std::make_unique<Worker>(setup, records, run));
  }

  std::uint64_t run() {
    for (std::uint64_t unit = 0; unit < units_.count() && !ended_;) {
      const std::uint64_t begin = unit;
      unit = std::min(units_.count(), unit + slots_.size());
      std::atomic<std::uint64_t> next{begin};
      run_shares(threads_, threads_, [&](unsigned share) {
        for (std::uint64_t own = next.fetch_add(1); own < unit; own = next.fetch_add(1)) {
          Slot& slot = slots_[own - begin];
          slot.at = units_.first(own);
          slot.last = units_.first(own + 1);
          fill(*workers_[share], slot);
        }
      });
      for (std::uint64_t own = begin; own < unit && !ended_; ++own) deliver(slots_[own - begin]);
      if (run_.progress && units_.first(unit) != 0)
        run_.progress(records_.end_of(units_.first(unit) - 1) - records_.begin_of(0), records_.total_bytes());
    }
    for (const auto& worker : workers_) candidates_ += worker->scanner.candidates();
    return candidates_;
  }

 private:
  static constexpr std::size_t slots_of_thread = 16;
  static constexpr std::uint64_t default_memory_bytes = std::uint64_t{64} << 20;
  static constexpr std::uint64_t least_list = 1 << 12;
  static constexpr std::uint64_t none = UINT64_MAX;

  struct Worker {
    Worker(const RecordSetup& setup, const Records& records, const RecordRunOptions& run)
        : taker(setup.cpu.plan), scanner(setup, records, run, taker) {}
    FirstTaker taker;
    UnitScanner scanner;
  };
  struct Slot {
    std::vector<RecordOccurrence> found;  // sorted
    std::uint64_t at = 0;                 // the next record to search,
    std::uint64_t last = 0;               // of those before this one
    std::uint64_t long_record = none;     // that stands before `at` and is to be searched first
  };

  std::uint64_t memory_limit() const {
    return setup_.cpu.options.memory_limit_bytes != 0 ? setup_.cpu.options.memory_limit_bytes / 2
                                                      : default_memory_bytes;
  }

  // Searches records until the list is full, or a long record comes.
  void fill(Worker& worker, Slot& slot) {
    FirstList& found = worker.taker.found;
    found.clear();
    slot.long_record = none;
    while (slot.at < slot.last && slot.long_record == none && found.size() < limit_) {
      check_stop(run_);
      const std::uint64_t begin = slot.at;
      slot.at = end_of_run(begin, slot.last);
      choice_.divide(
          begin, slot.at, [&](std::uint64_t first, std::uint64_t last) { worker.scanner.scan(first, last); },
          [&](std::uint64_t record) { slot.long_record = record; });
    }
    found.sort();
    slot.found.assign(found.list().begin(), found.list().end());
  }
  // Few records at a time, so that the list ends soon where it is full; a large one is alone.
  std::uint64_t end_of_run(std::uint64_t first, std::uint64_t last) const {
    const std::uint64_t limit = records_.begin_of(first) + block_bytes;
    if (records_.end_of(last - 1) <= limit) return last;
    std::uint64_t low = first + 1;
    std::uint64_t high = last;
    while (low < high) {
      const std::uint64_t middle = high - (high - low) / 2;
      if (records_.end_of(middle - 1) <= limit)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }

  void deliver(Slot& slot) {
    for (;;) {
      if (!slot.found.empty() && !take_(slot.found, true)) ended_ = true;
      if (slot.long_record != none && !ended_)
        candidates_ += list_long_record(setup_, records_, slot.long_record, run_,
                                        [&](std::span<const RecordOccurrence> found, bool) {
                                          ended_ = !take_(found, false);
                                          return !ended_;
                                        });
      if (ended_ || slot.at >= slot.last) return;
      fill(*workers_[0], slot);
    }
  }

  const RecordSetup& setup_;
  const Records& records_;
  const RecordRunOptions& run_;
  const TakeRecords& take_;
  const Units units_;
  const unsigned threads_;
  const RecordChoice choice_;
  std::vector<Slot> slots_;
  const std::uint64_t limit_;  // occurrences of a list
  std::vector<std::unique_ptr<Worker>> workers_;
  std::uint64_t candidates_ = 0;
  bool ended_ = false;
};

}  // namespace

void FirstList::sort() {
  const auto before = [](const RecordOccurrence& a, const RecordOccurrence& b) {
    if (a.record != b.record) return a.record < b.record;
    return a.distinct != b.distinct ? a.distinct < b.distinct : a.offset < b.offset;
  };
  if (!std::is_sorted(list_.begin(), list_.end(), before)) std::sort(list_.begin(), list_.end(), before);
  const auto is_same = [](const RecordOccurrence& a, const RecordOccurrence& b) {
    return a.record == b.record && a.distinct == b.distinct;
  };
  list_.erase(std::unique(list_.begin(), list_.end(), is_same), list_.end());
  sort_at_ = std::max(least_to_sort, 2 * list_.size());
}

std::uint64_t list_on_cpu(const RecordSetup& setup, const Records& records, std::span<const std::uint8_t> wanted,
                          const RecordRunOptions& run, const TakeRecords& take) {
  return records.empty() ? 0 : OrderedUnits(setup, records, wanted, run, take).run();
}

std::uint64_t list_in_order(const RecordSetup& setup, const Records& records, const OrderedSearch& search,
                            const RecordRunOptions& run, const TakeRecords& take) {
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
    return mapped.empty() || take(mapped, false);
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
  return list_in_order(setup, records, search, run, [&](std::span<const RecordOccurrence> found, bool) {
    taker->take(found);
    return true;
  });
}

}  // namespace lode
