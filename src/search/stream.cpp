#include <algorithm>
#include <cstring>
#include <vector>

#include "base/threads.hpp"
#include "lode/error.hpp"
#include "lode/stream.hpp"

namespace lode {
namespace {

constexpr std::uint64_t bytes_per_thread = std::uint64_t{2} << 20;
constexpr std::uint64_t least_buffer_bytes = std::uint64_t{4} << 20;
constexpr std::uint64_t most_buffer_bytes = std::uint64_t{16} << 20;

}  // namespace

struct Stream::State {
  const Searcher& searcher;
  MatchSink sink;
  RunOptions run;
  std::uint64_t overlap;          // bytes that must follow a start before it can be searched; the text's end aside
  std::vector<char> buffer;       // of fixed size
  std::uint64_t filled = 0;       // bytes in the buffer
  std::uint64_t base = 0;         // offset of buffer[0] in the stream
  std::uint64_t searched = 0;     // starts before buffer[searched] are done
  std::uint64_t not_before = 0;   // leftmost kinds, offset in the stream
  bool wanted = true;
  bool finished = false;

  // Searches the starts up to buffer[end], then keeps what later starts and conditions need.
  void search(std::uint64_t end) {
    if (end > searched && wanted) {
      std::vector<Match> moved;
      std::uint64_t local_not_before = not_before > base ? not_before - base : 0;
      RunOptions part = run;
      part.begin = searched;
      part.end = end;
      part.not_before = &local_not_before;
      part.progress = {};
      part.stats = nullptr;
      searcher.find(
          std::string_view(buffer.data(), filled),
          [&](std::span<const Match> batch) {
            moved.assign(batch.begin(), batch.end());
            for (Match& match : moved) match.offset += base;
            return wanted = sink(moved);
          },
          part);
      not_before = std::max(not_before, base + local_not_before);
    }
    searched = end;
    const std::uint64_t keep_from = searched == 0 ? 0 : searched - 1;
    std::memmove(buffer.data(), buffer.data() + keep_from, filled - keep_from);
    base += keep_from;
    filled -= keep_from;
    searched -= keep_from;
  }
};

Stream::Stream(const Searcher& searcher, MatchSink sink, RunOptions run)
    : state_(new State{searcher, std::move(sink), std::move(run), searcher.plan().patterns().max_length(), {}}) {
  const std::uint64_t wanted = thread_count(searcher.options().threads) * bytes_per_thread;
  state_->buffer.resize(std::clamp(wanted, least_buffer_bytes, most_buffer_bytes) + state_->overlap);
}

Stream::~Stream() = default;

bool Stream::push(std::string_view piece) {
  State& state = *state_;
  if (state.finished) throw Error(ErrorKind::invalid_argument, "nothing may be pushed to a finished stream");
  while (!piece.empty() && state.wanted) {
    const std::size_t taken = std::min<std::size_t>(piece.size(), state.buffer.size() - state.filled);
    std::memcpy(state.buffer.data() + state.filled, piece.data(), taken);
    state.filled += taken;
    piece.remove_prefix(taken);
    if (state.filled == state.buffer.size()) state.search(state.filled - state.overlap);
  }
  return state.wanted;
}

void Stream::finish() {
  State& state = *state_;
  if (state.finished) throw Error(ErrorKind::invalid_argument, "the stream is finished already");
  state.finished = true;
  state.search(state.filled);
}

std::uint64_t Stream::size() const noexcept { return state_->base + state_->filled; }

}  // namespace lode
