#include "records/record_run.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>

#include "base/memory_plan.hpp"
#include "base/threads.hpp"
#include "lode/error.hpp"
#include "records/cell_search.hpp"
#include "records/leaving_choice.hpp"
#include "records/record_mapper.hpp"
#include "records/record_units.hpp"
#include "search/list_range.hpp"
#include "search/viewed_block.hpp"

namespace lode {
namespace {

constexpr std::uint64_t record_block_bytes = std::uint64_t{1} << 16;
constexpr std::uint64_t sample_bytes = std::uint64_t{1} << 12;  // records of a sample, for CellSearchChoice
constexpr std::uint64_t trial_bytes = std::uint64_t{1} << 16;   // records of each step of a trial, for LeavingChoice
constexpr std::uint64_t list_limit = std::uint64_t{1} << 15;    // most occurrences listed at a time

using Clock = LeavingChoice::Clock;

void check_stop(const RecordRunOptions& run) {
  if (run.stop.stop_requested()) throw Error(ErrorKind::cancelled, "the search was cancelled");
}

// A scanner has all that one thread needs to search units.
class UnitScanner {
 public:
  UnitScanner(const RecordSetup& setup, const Records& records, const RecordRunOptions& run, RecordTaker& taker)
      : setup_(setup),
        records_(records),
        run_(run),
        taker_(taker),
        mapper_(setup, records),
        block_mapper_(records),
        collector_(Collector::Mode::list, setup.cpu.plan, setup.cpu.options, setup.cpu.set),
        block_bytes_(std::max(record_block_bytes, std::uint64_t{setup.cpu.plan.patterns.max_length()} * 2)),
        enough_(taker.enough()),
        choice_(setup.cpu.plan.distinct_count(), enough_ == Enough::any),
        leaving_(enough_ == Enough::any && setup.condition == Condition::none) {}

  /// Searches records [first, last), in the way that is fastest for what the taker needs.
  void scan(std::uint64_t first, std::uint64_t last) {
    if (setup_.cpu.plan.view.decodes()) return find_decoded(first, last);
    if (!is_unchanged(first, last)) return find_in_view(first, last);
    if (enough_ == Enough::all) return find_all(first, last);
    leaving_.begin_unit();
    while (first < last) {
      if (leaving_.chosen()) return find_one_each(first, last);
      std::uint64_t end = last;
      if (leaving_.wants_others()) {
        end = end_of_piece(first, last, trial_bytes);
        try_others(first, end);
      } else {
        if (!leaving_.wants_all() && choice_.choose()) return search_cells(first, last);
        if (leaving_.wants_all())
          end = end_of_piece(first, last, trial_bytes);
        else if (choice_.wants_sample())
          end = end_of_piece(first, last, sample_bytes);
        find_all(first, end);
      }
      first = end;
    }
  }
  std::uint64_t candidates() const { return collector_.candidates() + cells_; }

 private:
  std::uint64_t end_of_piece(std::uint64_t first, std::uint64_t last, std::uint64_t bytes) const {
    return records_.end_within(first, records_.begin_of(first) + bytes, last);
  }
  void try_others(std::uint64_t first, std::uint64_t last) {
    const auto begin = Clock::now();
    if (choice_.wants_sample() && !leaving_.knows_cells()) {
      search_cells(first, last);
      leaving_.learn_cells(bytes_of(first, last), Clock::now() - begin);
    } else {
      find_one_each(first, last);
      leaving_.learn_left(bytes_of(first, last), Clock::now() - begin);
    }
  }
  std::uint64_t bytes_of(std::uint64_t first, std::uint64_t last) const {
    return records_.end_of(last - 1) - records_.begin_of(first);
  }

  struct Found {
    std::uint64_t occurrences = 0;
    std::uint64_t hits = 0;
  };

  void find_all(std::uint64_t first, std::uint64_t last) {
    const auto begin = Clock::now();
    collector_.want_one_per_record(nullptr, first, last);
    const Found found = find(first, last);
    const std::uint64_t bytes = bytes_of(first, last);
    choice_.learn(last - first, bytes, found.occurrences, found.hits);
    leaving_.learn_all(last - first, bytes, found.occurrences, found.hits, Clock::now() - begin);
  }
  // Searches records and leaves each at a match, or soon behind it.
  void find_one_each(std::uint64_t first, std::uint64_t last) {
    collector_.want_one_per_record(&records_, first, last);
    find(first, last);
  }
  Found find(std::uint64_t first, std::uint64_t last) {
    std::uint64_t at = records_.begin_of(first);
    const std::uint64_t end = records_.end_of(last - 1);
    Found all;
    // The piece ends with the last record: an occurrence that reached further would cross that record's end.
    const Piece piece{reinterpret_cast<const std::uint8_t*>(records_.bytes().data()), end, 0};
    const auto take = [&](std::span<const Match> found) {
      check_stop(run_);
      all.occurrences += found.size();
      if (setup_.condition != Condition::none || !block_mapper_.is_worth_it(found.size())) {
        mapper_.map(found, mapped_);
        if (!mapped_.empty()) all.hits += taker_.take(mapped_);
      } else {
        const std::span<const RecordOccurrence> mapped = block_mapper_.map(found);
        if (!mapped.empty()) all.hits += taker_.take(mapped);
      }
      return true;
    };
    while (at < end) {
      check_stop(run_);
      const std::uint64_t block_end = std::min(end, at + block_bytes_);
      block_mapper_.start(at, block_end, first, last);
      list_range(setup_.cpu.scanner, collector_, piece, at, block_end, list_limit, take);
    }
    return all;
  }
  bool is_unchanged(std::uint64_t first, std::uint64_t last) const {
    const PlanData& plan = setup_.cpu.plan;
    const std::uint64_t begin = records_.begin_of(first);
    return plan.view.empty() || plan.unchanged.is(records_.bytes().substr(begin, records_.end_of(last - 1) - begin));
  }
  void find_in_view(std::uint64_t first, std::uint64_t last) {
    const PlanData& plan = setup_.cpu.plan;
    if (!viewed_) viewed_.emplace(setup_, records_);
    collector_.want_one_per_record(nullptr, first, last);
    if (!plan.keeps_case) return find_in_view(viewed_->block, first, last, [](std::uint32_t) { return true; });
    const auto ignores_case = [&](std::uint32_t distinct) { return plan.is_folded(distinct); };
    find_in_view(viewed_->block, first, last, ignores_case);
    find_in_view(viewed_->case_block, first, last, std::not_fn(ignores_case));
  }
  template <class Accept>
  void find_in_view(ViewedBlock& block, std::uint64_t first, std::uint64_t last, Accept accept) {
    block.view({records_.begin_of(first), records_.end_of(last - 1), true, {}});
    find_in_view(block, accept, [&](std::span<const Match> originals) { mapper_.map(originals, mapped_); });
  }
  // Searches a block for accepted patterns. `map` makes mapped_ of matches in the original.
  template <class Accept, class Map>
  void find_in_view(ViewedBlock& block, Accept accept, Map map) {
    const std::string_view bytes = block.bytes();
    const Piece piece{reinterpret_cast<const std::uint8_t*>(bytes.data()), block.core_bytes(), 0};
    std::vector<Match> originals;
    const auto take = [&](std::span<const Match> found) {
      check_stop(run_);
      originals.assign(found.begin(), found.end());
      std::sort(originals.begin(), originals.end(), [](const Match& a, const Match& b) { return a.offset < b.offset; });
      std::erase_if(originals, [&](Match& match) { return !accept(match.pattern_id) || !block.bring_back(match); });
      map(originals);
      if (!mapped_.empty()) taker_.take(mapped_);
      return true;
    };
    for (std::uint64_t at = 0; at < piece.size;) {
      check_stop(run_);
      list_range(setup_.cpu.scanner, collector_, piece, at, std::min(piece.size, at + block_bytes_), list_limit, take);
    }
  }
  // Decodes each record, which is a text of its own.
  void find_decoded(std::uint64_t first, std::uint64_t last) {
    const PlanData& plan = setup_.cpu.plan;
    SearcherOptions options = setup_.cpu.options;
    options.condition = setup_.condition;
    collector_.want_one_per_record(nullptr, first, last);
    for (std::uint64_t record = first; record < last; ++record) {
      if (records_.is_null(record) || records_[record].empty()) continue;
      const Text text(records_[record]);
      const auto decoder =
          text::Decoder::make(plan.view, text.bytes().substr(0, text::Decoder::head_bytes), options.instruction_set);
      const auto find = [&](const ViewedTextSetup& setup, auto accept) {
        ViewedBlock block(setup);
        block.view({0, text.size(), false, {}});
        find_in_view(block, accept, [&](std::span<const Match> originals) {
          mapped_.clear();
          for (const Match& match : originals)
            mapped_.push_back({record, match.offset, match.pattern_id, match.length});
        });
      };
      const auto ignores_case = [&](std::uint32_t distinct) { return !plan.keeps_case || plan.is_folded(distinct); };
      find(ViewedTextSetup::of(plan, options, text, decoder.get(), nullptr), ignores_case);
      if (plan.keeps_case)
        find(ViewedTextSetup::of_kept_case(plan, options, text, decoder.get(), nullptr), std::not_fn(ignores_case));
    }
  }
  void search_cells(std::uint64_t first, std::uint64_t last) {
    if (!patterns_) patterns_.emplace(setup_.cpu.plan);
    const std::uint32_t patterns = patterns_->size();
    mapped_.clear();
    for (std::uint64_t record = first; record < last; ++record) {
      if (records_.is_null(record)) continue;
      check_stop(run_);
      const std::string_view bytes = records_[record];
      for (std::uint32_t distinct = 0; distinct < patterns; ++distinct) {
        ++cells_;
        const std::size_t at = find_first(bytes, distinct);
        if (at == std::string_view::npos) continue;
        mapped_.push_back({record, at, distinct});
        if (enough_ == Enough::any) break;
      }
      if (mapped_.size() < cells_at_once) continue;
      taker_.take_firsts(mapped_);
      mapped_.clear();
    }
    if (!mapped_.empty()) taker_.take_firsts(mapped_);
  }
  std::size_t find_first(std::string_view bytes, std::uint32_t distinct) const {
    std::size_t at = patterns_->find(bytes, 0, distinct);
    while (at != std::string_view::npos && !mapper_.holds(distinct, bytes, at, patterns_->length(distinct)))
      at = patterns_->find(bytes, at + 1, distinct);
    return at;
  }

  static constexpr std::size_t cells_at_once = 512;  // so many occurrences stay in the nearest cache

  const RecordSetup& setup_;
  const Records& records_;
  const RecordRunOptions& run_;
  RecordTaker& taker_;
  RecordMapper mapper_;
  BlockMapper block_mapper_;
  Collector collector_;
  const std::uint64_t block_bytes_;
  const Enough enough_;
  CellSearchChoice choice_;
  LeavingChoice leaving_;
  std::optional<CellPatterns> patterns_;  // made when cells are searched for the first time
  std::uint64_t cells_ = 0;               // cells that were searched; they count as candidates
  struct Viewed {
    Viewed(const RecordSetup& setup, const Records& records)
        : text(records.bytes()),
          block_setup(ViewedTextSetup::of(setup.cpu.plan, setup.cpu.options, text, nullptr, &records)),
          case_setup(ViewedTextSetup::of_kept_case(setup.cpu.plan, setup.cpu.options, text, nullptr, &records)) {}
    const Text text;
    const ViewedTextSetup block_setup, case_setup;
    ViewedBlock block{block_setup}, case_block{case_setup};
  };
  std::optional<Viewed> viewed_;  // made when a unit is viewed for the first time
  std::vector<RecordOccurrence> mapped_;
};

RunOptions run_of(const Records& records, const RecordRunOptions& run) {
  RunOptions whole;
  whole.begin = records.begin_of(0);
  whole.end = records.end_of(records.size() - 1);
  whole.stop = run.stop;
  whole.progress = run.progress;
  return whole;
}

// One thread decodes a record, so no record counts as long.
unsigned threads_for_long(const RecordSetup& setup, unsigned threads) {
  return setup.cpu.plan.view.decodes() ? 1 : threads;
}

// Searches one record with all threads.
std::uint64_t list_long_record(const RecordSetup& setup, const Records& records, std::uint64_t record,
                               const RecordRunOptions& run, const TakeRecords& take) {
  const Records alone = records.slice(record, record + 1);
  const OrderedSearch search = [&](const Text& text, const RunOptions& part, const TakeMatches& take_matches) {
    CallReport report;
    if (setup.view != nullptr) return setup.view->run_records(alone, text, part, take_matches, report);
    return run_ordered(setup.cpu, text, part, take_matches);
  };
  RecordRunOptions quiet;
  quiet.stop = run.stop;
  std::vector<RecordOccurrence> renumbered;
  return list_in_order(setup, alone, search, quiet, [&](std::span<const RecordOccurrence> found, bool) {
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
  const RecordChoice choice(records, wanted, threads_for_long(setup, threads));
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> ended{false};
  std::mutex mutex;  // guards the following three, and calls of progress
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
  void take_firsts(std::span<const RecordOccurrence> firsts) override { found.append(firsts); }
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
        choice_(records, wanted, threads_for_long(setup, threads_)),
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
  static constexpr std::uint64_t least_list = 1 << 12;
  static constexpr std::uint64_t none = UINT64_MAX;

  struct Worker {
    Worker(const RecordSetup& setup, const Records& records, const RecordRunOptions& run)
        : taker(setup.cpu.plan), scanner(setup, records, run, taker) {}
    FirstTaker taker;
    UnitScanner scanner;
  };
  struct Slot {
    std::vector<RecordOccurrence> found;  // sorted by (record, distinct)
    std::uint64_t at = 0;                 // the next record to search; the slot's unit ends before `last`
    std::uint64_t last = 0;
    std::uint64_t long_record = none;  // a long record before `at`, to be searched before the slot goes on
  };

  std::uint64_t memory_limit() const {
    return MemoryPlan(setup_.cpu.options.memory_limit_bytes).waiting_records_bytes();
  }

  // Searches records of the slot's unit until its list is full, or a long record comes.
  void fill(Worker& worker, Slot& slot) {
    FirstList& found = worker.taker.found;
    found.clear();
    slot.long_record = none;
    while (slot.at < slot.last && slot.long_record == none && found.size() < limit_) {
      check_stop(run_);
      const std::uint64_t begin = slot.at;
      // Few records are searched at a time, so that a full list is noticed soon. A large record is searched alone.
      slot.at = records_.end_within(begin, records_.begin_of(begin) + record_block_bytes, slot.last);
      choice_.divide(
          begin, slot.at, [&](std::uint64_t first, std::uint64_t last) { worker.scanner.scan(first, last); },
          [&](std::uint64_t record) { slot.long_record = record; });
    }
    found.sort();
    found.swap(slot.found);
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
  const std::uint64_t limit_;  // a list with so many occurrences is full
  std::vector<std::unique_ptr<Worker>> workers_;
  std::uint64_t candidates_ = 0;
  bool ended_ = false;
};

}  // namespace

void FirstList::sort() {
  const auto begin = list_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  if (begin == list_.end()) return;
  const auto before = [](const RecordOccurrence& a, const RecordOccurrence& b) {
    if (a.record != b.record) return a.record < b.record;
    return a.distinct != b.distinct ? a.distinct < b.distinct : a.offset < b.offset;
  };
  if (!std::is_sorted(begin, list_.end(), before)) std::sort(begin, list_.end(), before);
  const auto is_same = [](const RecordOccurrence& a, const RecordOccurrence& b) {
    return a.record == b.record && a.distinct == b.distinct;
  };
  list_.erase(std::unique(begin, list_.end(), is_same), list_.end());
  sort_at_ = std::max(least_to_sort, 2 * list_.size());
}

std::uint64_t list_on_cpu(const RecordSetup& setup, const Records& records, std::span<const std::uint8_t> wanted,
                          const RecordRunOptions& run, const TakeRecords& take) {
  return records.empty() ? 0 : OrderedUnits(setup, records, wanted, run, take).run();
}

std::uint64_t list_in_order(const RecordSetup& setup, const Records& records, const OrderedSearch& search,
                            const RecordRunOptions& run, const TakeRecords& take) {
  if (records.total_bytes() == 0) return 0;
  const RunOptions part = run_of(records, run);
  RecordMapper mapper(setup, records);
  std::vector<RecordOccurrence> mapped;
  return search(records.bytes().substr(0, part.end), part, [&](std::span<const Match> found) {
    mapper.map(found, mapped);
    return mapped.empty() || take(mapped, false);
  });
}

namespace {

// Gives lists of occurrences, which come in order, to takers. A long list is divided among several takers at once.
class ListDivider {
 public:
  ListDivider(const RecordSetup& setup, const Records& records, const MakeRecordTaker& make_taker)
      : setup_(setup), records_(records), make_taker_(make_taker) {
    workers_.push_back(std::make_unique<Worker>(*this));
  }

  std::uint64_t run(const OrderedSearch& search, const RecordRunOptions& run) {
    if (records_.total_bytes() == 0) return 0;
    const RunOptions whole = run_of(records_, run);
    return search(records_.bytes().substr(0, whole.end), whole, [&](std::span<const Match> found) {
      take(found);
      return true;
    });
  }

 private:
  static constexpr std::uint64_t least_part = std::uint64_t{1} << 14;  // least occurrences for each taker

  struct Worker {
    explicit Worker(const ListDivider& divider)
        : taker(divider.make_taker_()), mapper(divider.setup_, divider.records_) {}
    void take(std::span<const Match> found) {
      mapper.map(found, mapped);
      if (!mapped.empty()) taker->take(mapped);
    }
    std::unique_ptr<RecordTaker> taker;
    RecordMapper mapper;
    std::vector<RecordOccurrence> mapped;
  };

  void take(std::span<const Match> found) {
    const std::uint64_t parts = std::min<std::uint64_t>(setup_.cpu.threads, found.size() / least_part);
    if (parts <= 1) return workers_[0]->take(found);
    while (workers_.size() < parts) workers_.push_back(std::make_unique<Worker>(*this));
    // Parts are cut between records, so that all occurrences of one record go to one taker.
    std::vector<std::size_t> cuts(parts + 1, found.size());
    cuts[0] = 0;
    for (std::uint64_t part = 1; part < parts; ++part) {
      const std::uint64_t next_begin = mapper_.begin_behind(found[found.size() * part / parts].offset);
      const auto cut = std::lower_bound(found.begin() + static_cast<std::ptrdiff_t>(cuts[part - 1]), found.end(),
                                        next_begin, [](const Match& a, std::uint64_t b) { return a.offset < b; });
      cuts[part] = static_cast<std::size_t>(cut - found.begin());
    }
    run_shares(setup_.cpu.threads, static_cast<unsigned>(parts),
               [&](unsigned part) { workers_[part]->take(found.subspan(cuts[part], cuts[part + 1] - cuts[part])); });
  }

  const RecordSetup& setup_;
  const Records& records_;
  const MakeRecordTaker& make_taker_;
  RecordMapper mapper_{setup_, records_};
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

std::uint64_t take_in_order(const RecordSetup& setup, const Records& records, const OrderedSearch& search,
                            const RecordRunOptions& run, const MakeRecordTaker& make_taker) {
  const Units units(records, setup.cpu.threads);
  run_ranges(setup.cpu.threads, units.count(), 1, [&](std::uint64_t unit, std::uint64_t) {
    if (units.first(unit) == units.first(unit + 1)) return;
    make_taker()->begin(units.first(unit), units.first(unit + 1));
  });
  return ListDivider(setup, records, make_taker).run(search, run);
}

}  // namespace lode
