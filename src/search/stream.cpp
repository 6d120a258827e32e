#include <algorithm>
#include <memory>
#include <vector>

#include "base/memory_plan.hpp"
#include "base/threads.hpp"
#include "lode/error.hpp"
#include "lode/stream.hpp"
#include "plan/plan_data.hpp"
#include "text/condition.hpp"

namespace lode {
namespace {

constexpr std::uint64_t bytes_per_thread = std::uint64_t{2} << 20;
constexpr std::uint64_t least_buffer_bytes = std::uint64_t{4} << 20;
constexpr std::uint64_t most_buffer_bytes = std::uint64_t{16} << 20;
// The buffer starts with so many bytes, because a program may have thousands of streams of a few bytes each.
constexpr std::uint64_t first_buffer_bytes = std::uint64_t{64} << 10;
// A piece with so many bytes for each thread of the CPU is searched where it lies: copying takes as long as searching.
constexpr std::uint64_t in_place_bytes_per_thread = std::uint64_t{256} << 10;
constexpr std::uint64_t bytes_before = condition_bytes_before;  // a start; a view looks at no more
// Besides the overlap a search keeps these bytes, so with no free byte beside them it would not move on.
constexpr std::uint64_t least_free_bytes = bytes_before + 1;

std::uint64_t overlap_of(const Searcher& searcher) {
  const PlanData& plan = searcher.plan().data();
  const std::uint64_t behind = plan.condition_check(searcher.options().condition).bytes_behind();
  return plan.patterns.max_length() - 1 + std::max<std::uint64_t>(behind, 1);
}

}  // namespace

struct Stream::State {
  const Searcher& searcher;
  MatchSink sink;
  RunOptions run;                    // run.stats has the sums of the whole stream
  std::uint64_t overlap;             // bytes that must follow a start that is searched, except at the text's end
  std::uint64_t in_place_bytes = 0;  // a piece of at least so many bytes is searched where it lies
  std::uint64_t capacity = 0;        // the most bytes that the buffer may hold
  std::uint64_t reserved = 0;        // bytes that the buffer holds without growing
  std::unique_ptr<char[]> buffer = nullptr;
  std::uint64_t filled = 0;      // bytes in the buffer
  std::uint64_t base = 0;        // offset of buffer[0] in the stream
  std::uint64_t searched = 0;    // starts before buffer[searched] are done
  std::uint64_t not_before = 0;  // leftmost kinds: the offset in the stream from which on the next match may start
  bool wanted = true;
  bool finished = false;
  bool in_use = false;

  // Marks the stream as in use during a call. The sink may not call the stream again, because the buffer would move.
  class Use {
   public:
    explicit Use(State& state) : state_(state) {
      if (state.in_use) throw Error(ErrorKind::invalid_argument, "the stream is in use: its sink may not use it");
      state.in_use = true;
    }
    ~Use() { state_.in_use = false; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    State& state_;
  };

  // Makes room for so many bytes. The buffer doubles, so that growing copies each byte about once in all.
  void reserve(std::uint64_t bytes) {
    if (bytes <= reserved) return;
    const std::uint64_t grown = std::min(capacity, std::max({bytes, 2 * reserved, first_buffer_bytes}));
    auto larger = std::make_unique_for_overwrite<char[]>(grown);
    std::copy_n(buffer.get(), filled, larger.get());
    buffer = std::move(larger);
    reserved = grown;
  }

  // Searches the starts in [begin, end) of the text; text[0] has the offset `text_base` in the stream.
  void search(std::string_view text, std::uint64_t text_base, std::uint64_t begin, std::uint64_t end) {
    if (end <= begin || !wanted) return;
    std::vector<Match> moved;
    std::uint64_t local_not_before = not_before > text_base ? not_before - text_base : 0;
    RunOptions part = run;
    part.begin = begin;
    part.end = end;
    part.not_before = &local_not_before;
    part.progress = {};
    SearchStats stats;
    part.stats = run.stats != nullptr ? &stats : nullptr;
    searcher.find(
        text,
        [&](std::span<const Match> batch) {
          moved.assign(batch.begin(), batch.end());
          for (Match& match : moved) match.offset += text_base;
          return wanted = sink(moved);
        },
        part);
    not_before = std::max(not_before, text_base + local_not_before);
    if (run.stats != nullptr) add(stats);
    if (run.progress) run.progress(text_base + end, text_base + text.size());
  }

  // The place in the buffer before which all matches that start there are known.
  std::uint64_t certain_end() const {
    if (!has_view()) return filled - std::min(filled, overlap);
    return certain_until(searcher.plan(), std::string_view(buffer.get(), filled));
  }
  bool has_view() const { return !searcher.plan().view().empty(); }

  // Searches the starts before buffer[end], then keeps the bytes that later starts and conditions need.
  void search_buffer(std::uint64_t end) {
    search(std::string_view(buffer.get(), filled), base, searched, end);
    searched = end;
    const std::uint64_t keep_from = searched - std::min(searched, bytes_before);
    std::copy(buffer.get() + keep_from, buffer.get() + filled, buffer.get());
    base += keep_from;
    filled -= keep_from;
    searched -= keep_from;
  }

  bool takes_in_place(std::string_view piece) const {
    return !has_view() && piece.size() >= in_place_bytes && piece.size() > overlap + bytes_before &&
           capacity - filled >= overlap + bytes_before;
  }
  // Searches the starts in the buffer, then those starts in the piece that have `overlap` bytes behind them, and keeps
  // the rest.
  //
  //   buffer |-- filled --|                      first search: the starts in the buffer and the piece's first four,
  //                       |-- overlap + 4 --|    for which the head of the piece is copied behind them
  //   piece               |------------------- piece -------------------|
  //                           |- second search: starts --|-- overlap ---|  kept, with four bytes before it
  void search_in_place(std::string_view piece) {
    const std::uint64_t piece_base = base + filled;
    // Memory is reserved before any match is reported, so that a lack of memory cannot strike half-way.
    reserve(filled + overlap + bytes_before);
    std::uint64_t begin = 0;
    if (filled != 0) {
      // The first starts of the piece are searched here as well. The condition needs some bytes before each start, and
      // for the next one those lie in the piece.
      begin = bytes_before;
      std::copy_n(piece.data(), overlap + begin, buffer.get() + filled);
      search(std::string_view(buffer.get(), filled + overlap + begin), base, searched, filled + begin);
    }
    const std::uint64_t end = piece.size() - overlap;
    search(piece, piece_base, begin, end);
    const std::uint64_t kept = end - std::min(end, bytes_before);
    filled = piece.size() - kept;
    std::copy_n(piece.data() + kept, filled, buffer.get());
    base = piece_base + kept;
    searched = end - kept;
  }

  void add(SearchStats& last) {
    const SearchStats& before = *run.stats;
    last.bytes += before.bytes;
    last.candidates += before.candidates;
    last.matches += before.matches;
    last.seconds += before.seconds;
    *run.stats = std::move(last);
  }
};

Stream::Stream(const Searcher& searcher, MatchSink sink, RunOptions run)
    : state_(new State{searcher, std::move(sink), std::move(run), overlap_of(searcher)}) {
  if (state_->run.stats != nullptr) *state_->run.stats = {};
  const SearcherOptions& options = searcher.options();
  std::uint64_t bytes =
      std::clamp(thread_count(options.threads) * bytes_per_thread, least_buffer_bytes, most_buffer_bytes);
  bytes = std::min(bytes, std::max(MemoryPlan(options.memory_limit_bytes).stream_window_bytes(), least_free_bytes));
  state_->in_place_bytes = bytes;
  if (searcher.device().is_cpu() || searcher.device().is_auto())
    state_->in_place_bytes = std::min(bytes, thread_count(options.threads) * in_place_bytes_per_thread);
  state_->capacity = bytes + state_->overlap;
}

Stream::~Stream() = default;

bool Stream::push(std::string_view piece) {
  State& state = *state_;
  const State::Use use(state);
  if (state.finished) throw Error(ErrorKind::invalid_argument, "nothing may be pushed to a finished stream");
  while (!piece.empty() && state.wanted) {
    if (state.takes_in_place(piece)) {
      state.search_in_place(piece);
      break;
    }
    const std::size_t taken = std::min<std::size_t>(piece.size(), state.capacity - state.filled);
    state.reserve(state.filled + taken);
    std::copy_n(piece.data(), taken, state.buffer.get() + state.filled);
    state.filled += taken;
    piece.remove_prefix(taken);
    if (state.filled < state.capacity) continue;
    const std::uint64_t end = state.certain_end();
    if (end > state.searched)
      state.search_buffer(end);
    else
      state.capacity *= 2;  // a view may join any number of bytes
  }
  return state.wanted;
}

void Stream::flush() {
  State& state = *state_;
  const State::Use use(state);
  if (!state.finished) state.search_buffer(std::max(state.searched, state.certain_end()));
}

void Stream::finish() {
  State& state = *state_;
  const State::Use use(state);
  if (state.finished) throw Error(ErrorKind::invalid_argument, "the stream is finished already");
  state.finished = true;
  state.search_buffer(state.filled);
}

std::uint64_t Stream::searched() const noexcept { return state_->base + state_->searched; }

std::uint64_t Stream::size() const noexcept { return state_->base + state_->filled; }

}  // namespace lode
