#include "search/view_search.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/memory_plan.hpp"
#include "base/ordered_work.hpp"
#include "base/threads.hpp"
#include "gpu/engine/resident.hpp"
#include "lode/error.hpp"
#include "lode/resident_text.hpp"
#include "search/match_sorter.hpp"
#include "search/viewed_block.hpp"

namespace lode {
namespace {

constexpr std::uint64_t blocks_of_stretch = 32;  // where the caller chose the size of blocks
constexpr std::uint64_t least_block_bytes = std::uint64_t{1} << 12;
// The most memory that a byte may take: an invalid byte is a span of its own, and a growing vector may hold twice its size.
constexpr std::uint64_t viewed_bytes_for_byte = 2 * (sizeof(ViewedSpan) + 2);
// A block of which more is found is searched again when its turn comes, and delivered at once.
constexpr std::size_t most_waiting_matches = std::size_t{1} << 17;
// So many bytes before a range are decoded, so that its first segment is whole.
constexpr std::uint64_t decoding_slack_bytes = std::uint64_t{1} << 12;
constexpr std::uint64_t decoding_step_bytes = 4;  // a multiple of every decoder's unit
constexpr std::uint64_t skipped_bytes = std::uint64_t{1} << 20;
constexpr std::size_t least_waiting_matches = std::size_t{1} << 10;

// A resident text that is to be viewed is copied back to the host.
class ResidentBytes final : public RandomAccessText {
 public:
  explicit ResidentBytes(const ResidentText* text) : text_(text) {}
  std::uint64_t size() const override { return text_->size(); }
  void read(std::uint64_t offset, std::span<char> into) const override { text_->data().read(offset, into); }

 private:
  const ResidentText* text_;
};

std::string head_of(const Text& text) {
  std::string head(std::min<std::uint64_t>(text.size(), text::Decoder::head_bytes), '\0');
  if (const RandomAccessText* const source = text.source())
    source->read(0, head);
  else
    head = text.bytes().substr(0, head.size());
  return head;
}

}  // namespace

// A run is one call of a search.
class ViewSearch::Run {
 public:
  Run(const ViewSearch& search, const Text& text, const Records* records, const RunOptions& run, bool ends_early,
      CallReport& report)
      : run_(run),
        ends_early_(ends_early),
        report_(report),
        resident_(text.resident()),
        lies_on_device_(resident_ != nullptr && !search.plan_.view.decodes() &&
                        resident_->data().is(search.plan_.unchanged)),
        text_(resident_ != nullptr && !lies_on_device_ ? Text(bytes_of_resident_) : text),
        end_(std::min(run.end, text.size())),
        begin_(std::min(run.begin, end_)),
        plan_(search.plan_),
        decoder_(text::Decoder::make(plan_.view, head_of(text_), search.options_.instruction_set)),
        setup_(ViewedTextSetup::of(plan_, search.options_, text_, decoder_.get(), records)),
        case_setup_(ViewedTextSetup::of_kept_case(plan_, search.options_, text_, decoder_.get(), records)),
        engine_(search.choose_engine_(text, end_ - begin_, report)) {
    const MemoryPlan memory(search.options_.memory_limit_bytes);
    const std::uint64_t wanted = std::max(engine_.block_bytes, 4 * setup_.reach);
    // One for each worker, and one for blocks that are searched again.
    const std::uint64_t most_blocks = (std::uint64_t{1} + search.threads_) * (plan_.keeps_case ? 2 : 1);
    const std::uint64_t room = memory.viewed_blocks_bytes() / most_blocks / viewed_bytes_for_byte;
    const std::uint64_t chosen = search.options_.chunk_bytes;
    block_bytes_ = chosen != 0 ? chosen : std::max(least_block_bytes, std::min(room, wanted));
    const std::uint64_t blocks = (end_ - begin_ + block_bytes_ - 1) / block_bytes_;
    threads_ = static_cast<unsigned>(std::clamp<std::uint64_t>(blocks, 1, search.threads_));
    stretch_bytes_ = chosen != 0 ? blocks_of_stretch * chosen : engine_.stretch_bytes * search.threads_;
    if (decoder_ != nullptr) {
      block_bytes_ += (0 - block_bytes_) % decoding_step_bytes;
      stretch_bytes_ += (0 - stretch_bytes_) % decoding_step_bytes;
    }
    const std::uint64_t most_waiting = memory.waiting_matches_bytes() / sizeof(Match) / (std::uint64_t{2} * threads_);
    most_waiting_ = std::clamp<std::uint64_t>(most_waiting, least_waiting_matches, most_waiting_matches);
    for (unsigned worker = 0; worker <= threads_; ++worker) {
      blocks_.emplace_back(setup_);
      if (plan_.keeps_case) case_blocks_.emplace_back(case_setup_);
    }
    if (decoder_ == nullptr && records == nullptr && text_.source() == nullptr && !engine_.takes_turns)
      scout_ = search.scout();
    scouts_.resize(blocks_.size());
  }
  unsigned threads() const { return threads_; }

  /// Gives the matches to `take`, in order. Returns the number of candidates.
  std::uint64_t list(const TakeMatches& take) {
    for_each_stretch(
        [&](const RunOptions& part) {
          CallReport report;
          candidates_ += engine_.of_text->run_ordered(
              text_, part, ends_early_, [&](std::span<const Match> found) { return wanted_ = take(found); }, report);
          add(report);
        },
        [&] { list_blocks(take); });
    return candidates_;
  }

  /// Adds up the matches, in any order and on several threads at once: `take` gets those that are listed. `counts_blocks`:
  /// blocks in which all that the engine finds are matches are not listed, but counted.
  void count(Totals& totals, Collector::Mode mode, bool counts_blocks,
             const std::function<void(unsigned worker, std::span<const Match> found)>& take) {
    // Counters of their own are not worth it for each block where they take about as much room.
    const bool has_few_counters = mode == Collector::Mode::count || plan_.distinct_count() < block_bytes_ / 64;
    if (counts_blocks && has_few_counters && !setup_.condition.is_wanted()) counted_mode_ = mode;
    for_each_stretch(
        [&](const RunOptions& part) {
          CallReport report;
          totals.add(engine_.of_text->run_counts(text_, part, mode, false, report));
          add(report);
        },
        [&] { list_blocks_unordered(take, totals); });
    totals.candidates += candidates_;
  }

  /// Counts the lines that start in the range and in which a match starts.
  void count_lines(Totals& totals) {
    const std::string_view bytes = text_.bytes();
    const char terminator = setup_.line_terminator;
    begin_ = begin_ == 0 ? 0 : line_start(begin_ - 1);
    end_ = end_ == 0 ? 0 : std::max(begin_, line_start(end_ - 1));
    by_lines_ = true;
    std::uint64_t line_end = 0;  // the lines before this place are counted
    const TakeMatches take = [&](std::span<const Match> found) {
      for (const Match& match : found) {
        if (match.offset < line_end) continue;
        ++totals.occurrences;
        const std::size_t end = bytes.find(terminator, match.offset);
        line_end = end == std::string_view::npos ? bytes.size() : end + 1;
      }
      return true;
    };
    for_each_stretch(
        [&](const RunOptions& part) {
          CallReport report;
          totals.add(engine_.of_text->run_counts(text_, part, Collector::Mode::count_lines, false, report));
          add(report);
        },
        [&] { list_blocks(take); });
    totals.candidates += candidates_;
  }

 private:
  struct Item {
    BlockRange range;
    bool has_room = true;  // for what was found
    std::vector<Match> found;
    Totals counted;  // what was not listed
    std::uint64_t candidates = 0;
    CallReport report;
    SearchStats stats;  // what the engine knows of itself
  };

  // After a block that was not worth scouting, the next 1, 2, 4 … 64 blocks of the worker are not scouted.
  struct WorkerScout {
    static constexpr unsigned most_left_out = 64;
    std::vector<CaseScout::Range> ranges;
    unsigned next_left_out = 1, left_out = 0;

    bool find(const CaseScout& scout, std::string_view text, const BlockRange& block) {
      if (left_out != 0) {
        --left_out;
        return false;
      }
      const bool is_worth_it = scout.find(text, block.begin, block.end, ranges);
      left_out = is_worth_it ? 0 : next_left_out;
      next_left_out = is_worth_it ? 1 : std::min(2 * next_left_out, most_left_out);
      return is_worth_it;
    }
  };

  // Goes over the range, stretch by stretch: calls search_as_is(part) for ASCII that lies as it is viewed, and
  // search_blocks() for what is viewed block by block, from next_ to until_.
  template <class SearchAsIs, class SearchBlocks>
  void for_each_stretch(SearchAsIs search_as_is, SearchBlocks search_blocks) {
    if (begin_ == end_) return;
    next_ = begin_;
    bool seeks_cut = false;
    while (next_ < end_ && wanted_) {
      if (run_.stop.stop_requested()) throw Error(ErrorKind::cancelled, "the search was cancelled");
      const std::uint64_t end = end_as_is(next_);
      if (end != next_) {
        RunOptions part = run_;
        part.begin = next_;
        part.end = next_ = end;
        part.progress = {};
        if (run_.progress)
          part.progress = [this, begin = part.begin](std::uint64_t done, std::uint64_t) {
            run_.progress(begin - begin_ + done, end_ - begin_);
          };
        search_as_is(part);
      } else {
        if (decoder_ != nullptr && !seeks_cut) begin_decoding();
        until_ = end_ - next_ > stretch_bytes_ ? next_ + stretch_bytes_ : end_;
        if (by_lines_) until_ = line_start(until_ - 1);
        if (decoder_ == nullptr && !seeks_cut) next_ = blocks_.front().cut_before(next_);
        seeks_cut_ = seeks_cut;
        search_blocks();
      }
      seeks_cut = true;
    }
  }

  // The end of the stretch from a place on that is searched where it lies; that place if there is none. Behind it ASCII
  // goes on as far as a match may reach.
  std::uint64_t end_as_is(std::uint64_t begin) const {
    if (lies_on_device_) return end_;
    if (decoder_ != nullptr || (scout_ != nullptr && scout_->is_quick())) return begin;
    if (setup_.unchanged.kind() == text::UnchangedText::Kind::none || text_.source() != nullptr ||
        setup_.records != nullptr)
      return begin;
    const std::uint64_t beyond = setup_.reach + 1;
    const std::uint64_t wanted = ends_early_ && begin == begin_ ? stretch_bytes_ / 16 : stretch_bytes_;
    const std::uint64_t until = end_ - begin > wanted ? begin + wanted : end_;
    const std::string_view bytes = text_.bytes().substr(begin, until - begin + beyond);
    std::atomic<std::uint64_t> size = bytes.size();  // of what is unchanged at the front
    run_ranges(threads_, bytes.size(), block_bytes_, [&](std::uint64_t first, std::uint64_t last) {
      if (first >= size || setup_.unchanged.is(bytes.substr(first, last - first + text::UnchangedText::shared_bytes)))
        return;
      for (std::uint64_t known = size; first < known && !size.compare_exchange_weak(known, first);) {
      }
    });
    std::uint64_t end = until;
    if (size != bytes.size()) end = begin + (size > beyond ? size - beyond : 0);
    if (by_lines_ && end != begin && end != end_) {
      const std::size_t last = text_.bytes().substr(begin, end - begin).rfind(setup_.line_terminator);
      end = last == std::string_view::npos ? begin : begin + last + 1;
    }
    // A short stretch is not worth a call.
    return end != end_ && end - begin < block_bytes_ / 2 ? begin : end;
  }
  // Where the line behind the one that holds a place starts.
  std::uint64_t line_start(std::uint64_t place) const {
    const std::size_t end = text_.bytes().find(setup_.line_terminator, place);
    return end == std::string_view::npos ? text_.size() : end + 1;
  }

  void list_blocks(const TakeMatches& take) {
    if (threads_ == 1) {
      Item item;
      while (take_next(item)) {
        search(0, item, [&](std::span<const Match> found) { return wanted_ = take(found); });
        if (!finish(item)) return;
      }
      return;
    }
    OrderedWork<Item> work;
    work.take = [this](Item& item) { return take_next(item); };
    work.work = [this](unsigned worker, Item& item) {
      search(worker, item, [&](std::span<const Match> found) {
        item.has_room = found.size() <= most_waiting_ - item.found.size();
        if (item.has_room) item.found.insert(item.found.end(), found.begin(), found.end());
        return item.has_room;
      });
    };
    work.finish = [&](Item& item) {
      if (item.has_room)
        wanted_ = item.found.empty() || take(item.found);
      else
        search(threads_, item, [&](std::span<const Match> found) { return wanted_ = take(found); });
      return finish(item);
    };
    work.run(threads_);
  }

  void list_blocks_unordered(const std::function<void(unsigned worker, std::span<const Match> found)>& take,
                             Totals& totals) {
    OrderedWork<Item> work;
    work.take = [this](Item& item) { return take_next(item); };
    work.work = [&](unsigned worker, Item& item) {
      search(worker, item, [&](std::span<const Match> found) {
        take(worker, found);
        return true;
      });
    };
    work.finish = [&](Item& item) {
      totals.add(item.counted);
      return finish(item);
    };
    if (threads_ > 1) return work.run(threads_);
    Item item;
    while (work.take(item)) {
      work.work(0, item);
      work.finish(item);
    }
  }

  // The first block that is decoded begins some way before the range, so that the first segment is whole.
  void begin_decoding() {
    next_ -= std::min(next_, decoding_slack_bytes);
    next_ -= next_ % decoding_step_bytes;
    for (std::uint64_t at = 0; at < next_; at += skipped_bytes) skip_decoding(at, std::min(next_, at + skipped_bytes));
  }
  // Learns the decoder's state behind a piece of the text, which another thread or nobody decodes.
  void skip_decoding(std::uint64_t begin, std::uint64_t end) {
    if (decoder_->decodes_lines()) return;
    if (const RandomAccessText* const source = text_.source()) {
      skipped_.resize(end - begin);
      source->read(begin, skipped_);
      state_ = decoder_->state_behind({skipped_.data(), skipped_.size()}, state_);
    } else {
      state_ = decoder_->state_behind(text_.bytes().substr(begin, end - begin), state_);
    }
  }

  bool take_next(Item& item) {
    if (next_ >= until_) return false;
    item = {};
    item.range.begin = next_;
    item.range.seeks_cut = std::exchange(seeks_cut_, true);
    item.range.state = state_;
    // A search that may end early begins with little.
    const bool is_small = ends_early_ && next_ <= begin_ && decoder_ == nullptr;
    const std::uint64_t bytes = is_small ? std::max<std::uint64_t>(1, block_bytes_ / 16) : block_bytes_;
    const std::uint64_t first = decoder_ != nullptr ? next_ : std::max(next_, begin_);
    item.range.end = next_ = until_ - first < bytes ? until_ : first + bytes;
    if (decoder_ != nullptr && next_ != end_) skip_decoding(item.range.begin, next_);
    return true;
  }

  template <class Take>
  void search(unsigned worker, Item& item, Take take) {
    if (run_.stop.stop_requested()) throw Error(ErrorKind::cancelled, "the search was cancelled");
    item.candidates = 0;
    const auto accept_all = [](std::uint32_t) { return true; };
    std::vector<CaseScout::Range>& ranges = scouts_[worker].ranges;
    if (scout_ != nullptr && scouts_[worker].find(*scout_, text_.bytes(), item.range)) {
      const BlockRange whole = item.range;
      bool goes_on = true;
      for (std::size_t at = 0; at < ranges.size() && goes_on; ++at) {
        item.range.begin = ranges[at].begin;
        item.range.end = ranges[at].end;
        item.range.seeks_cut = whole.seeks_cut || item.range.begin != whole.begin;
        search(blocks_[worker], item, accept_all, [&](std::span<const Match> found) { return goes_on = take(found); });
      }
      item.range = whole;
      return;
    }
    if (!plan_.keeps_case) return search(blocks_[worker], item, accept_all, take);
    // Patterns whose case counts are looked for in a view of their own.
    std::vector<Match> all;
    const auto gather = [&](std::span<const Match> found) {
      all.insert(all.end(), found.begin(), found.end());
      return true;
    };
    const auto ignores_case = [&](std::uint32_t distinct) { return plan_.is_folded(distinct); };
    search(blocks_[worker], item, ignores_case, gather);
    search(case_blocks_[worker], item, std::not_fn(ignores_case), gather);
    std::sort(all.begin(), all.end(), is_reported_before);
    if (!all.empty()) take(std::span<const Match>(all));
  }
  // Gives the matches of accepted patterns in a block to `take`, in order.
  template <class Accept, class Take>
  void search(ViewedBlock& block, Item& item, Accept accept, Take take) {
    block.view(item.range);
    if (block.core_bytes() == 0) return;
    RunOptions part;
    part.end = block.core_bytes();
    part.stop = run_.stop;
    if (run_.stats != nullptr) part.stats = &item.stats;
    item.report = {};
    if (counted_mode_ && block.keeps_matches(begin_, end_)) {
      std::unique_lock turn(turns_, std::defer_lock);
      if (engine_.takes_turns) turn.lock();
      item.counted.add(engine_.of_blocks->run_counts(block.bytes(), part, *counted_mode_, false, item.report));
      return;
    }
    std::vector<Match> matches;
    const auto use = [&] {
      std::erase_if(matches, [&](Match& match) {
        return !accept(match.pattern_id) || !block.bring_back(match) || match.offset < begin_ || match.offset >= end_;
      });
      return matches.empty() || take(std::span<const Match>(matches));
    };
    if (engine_.takes_turns) {
      {
        const std::scoped_lock turn(turns_);
        item.candidates += engine_.of_blocks->run_ordered(
            block.bytes(), part, ends_early_,
            [&](std::span<const Match> found) {
              matches.insert(matches.end(), found.begin(), found.end());
              return true;
            },
            item.report);
      }
      use();
      return;
    }
    item.candidates += engine_.of_blocks->run_ordered(
        block.bytes(), part, ends_early_,
        [&](std::span<const Match> found) {
          matches.assign(found.begin(), found.end());
          return use();
        },
        item.report);
  }

  bool finish(Item& item) {
    candidates_ += item.candidates;
    add(item.report);
    if (run_.stats != nullptr && item.stats.gpu_group_items != 0)
      run_.stats->gpu_group_items = item.stats.gpu_group_items;
    const std::uint64_t end = std::min(item.range.end, end_);
    if (wanted_ && run_.progress && end > begin_) run_.progress(end - begin_, end_ - begin_);
    return wanted_;
  }
  // Where a GPU failed, the report says which device went on.
  void add(const CallReport& report) {
    if (report.warning.empty() || !report_.warning.empty()) return;
    report_.warning = report.warning;
    report_.device = report.device;
  }

  const RunOptions& run_;
  const bool ends_early_;
  CallReport& report_;
  const ResidentText* const resident_;
  const ResidentBytes bytes_of_resident_{resident_};
  const bool lies_on_device_;  // and is searched there
  const Text text_;
  std::uint64_t end_, begin_;
  const PlanData& plan_;
  const std::unique_ptr<const text::Decoder> decoder_;
  const ViewedTextSetup setup_;
  const ViewedTextSetup case_setup_;  // for patterns whose case counts
  const Engine engine_;
  std::uint64_t block_bytes_ = 0, stretch_bytes_ = 0, most_waiting_ = 0;
  unsigned threads_ = 1;
  bool by_lines_ = false;                        // stretches begin and end with lines
  std::optional<Collector::Mode> counted_mode_;  // of blocks in which all that the engine finds are matches
  // One for each worker, and one for blocks that are searched again.
  std::deque<ViewedBlock> blocks_, case_blocks_;
  const CaseScout* scout_ = nullptr;
  std::vector<WorkerScout> scouts_;  // as many as blocks_
  std::uint64_t next_ = 0, until_ = 0;
  bool seeks_cut_ = false;
  text::Decoder::State state_;  // at next_
  std::vector<char> skipped_;
  bool wanted_ = true;
  std::uint64_t candidates_ = 0;
  std::mutex turns_;
};

ViewSearch::ViewSearch(ChooseEngine choose_engine, std::string strategy, const PlanData& plan,
                       const SearcherOptions& options, InstructionSet set, bool may_scout, unsigned threads)
    : choose_engine_(std::move(choose_engine)),
      strategy_(std::move(strategy)),
      plan_(plan),
      options_(options),
      set_(set),
      may_scout_(may_scout),
      threads_(threads) {}

const CaseScout* ViewSearch::scout() const {
  std::call_once(scout_wanted_, [this] {
    if (may_scout_) scout_ = CaseScout::make(plan_, set_);
  });
  return scout_.get();
}

bool ViewSearch::are_whole_characters() const {
  std::call_once(characters_wanted_, [this] {
    const bool has_lines = plan_.view.layout() != Layout::none;
    const std::string_view barrier = has_lines ? "\n" : "\uFFFD";
    const bool changes_barrier =
        has_lines && (plan_.view.has(ViewStep::one_space) || plan_.view.has(ViewStep::drop_space));
    are_whole_characters_ = !plan_.keeps_case && !changes_barrier;
    for (std::uint32_t distinct = 0; distinct < plan_.distinct_count() && are_whole_characters_; ++distinct) {
      const std::string_view pattern = plan_.patterns[plan_.lowest_id(distinct)];
      are_whole_characters_ = text::is_whole_characters(pattern) &&
                              (!plan_.view.decodes() || pattern.find(barrier) == std::string_view::npos);
    }
  });
  return are_whole_characters_;
}

std::string ViewSearch::strategy() const {
  const CaseScout* const scout = this->scout();
  if (scout == nullptr) return strategy_;
  return (strategy_.empty() ? "" : strategy_ + "; ") + scout->strategy();
}

std::uint64_t ViewSearch::run_ordered(const Text& text, const RunOptions& run, bool ends_early, const TakeMatches& take,
                                      CallReport& report) const {
  return Run(*this, text, nullptr, run, ends_early, report).list(take);
}

std::uint64_t ViewSearch::run_records(const Records& records, const Text& text, const RunOptions& run,
                                      const TakeMatches& take, CallReport& report) const {
  return Run(*this, text, &records, run, false, report).list(take);
}

Totals ViewSearch::run_counts(const Text& text, const RunOptions& run, Collector::Mode mode, bool stop_at_first,
                              CallReport& report) const {
  Totals totals;
  Run call(*this, text, nullptr, run, stop_at_first, report);
  if (stop_at_first) {
    totals.candidates = call.list([&](std::span<const Match>) {
      totals.occurrences = 1;
      return false;
    });
    return totals;
  }
  if (mode == Collector::Mode::count_lines) {
    call.count_lines(totals);
    return totals;
  }
  const bool by_pattern = mode == Collector::Mode::count_per_pattern;
  if (by_pattern) totals.per_distinct.resize(plan_.distinct_count());
  std::vector<std::vector<std::uint64_t>> counts(call.threads());  // by each thread: of each pattern, or of all
  for (auto& of_thread : counts) of_thread.resize(by_pattern ? plan_.distinct_count() : 1);
  call.count(totals, mode, are_whole_characters(), [&](unsigned worker, std::span<const Match> found) {
    for (const Match& match : found) {
      if (by_pattern)
        ++counts[worker][match.pattern_id];
      else
        counts[worker].front() += plan_.multiplicity(match.pattern_id);
    }
  });
  for (const std::vector<std::uint64_t>& of_thread : counts) {
    if (!by_pattern) totals.occurrences += of_thread.front();
    for (std::size_t at = 0; at < totals.per_distinct.size(); ++at) totals.per_distinct[at] += of_thread[at];
  }
  return totals;
}

}  // namespace lode
