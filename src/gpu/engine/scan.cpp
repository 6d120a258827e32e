#include "gpu/engine/scan.hpp"

#include <algorithm>
#include <deque>

#include "base/threads.hpp"
#include "lode/error.hpp"
#include "text/condition.hpp"

namespace lode::gpu {
namespace {

constexpr std::size_t slots_per_device = 3;
// When matches of a resident text are listed, four pieces are under way: the first one's list is used, the second one's
// is copied, the third one's is sorted, and the fourth piece is searched.
constexpr std::size_t listing_slots_per_device = 4;
constexpr std::size_t fetched_ahead = 2;
constexpr std::uint64_t usual_piece_bytes = std::uint64_t{32} << 20;
// Pieces of a resident text are no longer than this when matches are listed, so that the host uses the list of one
// while the device is busy with the next.
constexpr std::uint64_t listed_piece_bytes = std::uint64_t{1} << 30;
// Where matches are dense, such pieces shrink until each has about this many: a longer list would leave the host's
// caches before it is used.
constexpr std::uint64_t most_wanted_matches = std::uint64_t{1} << 21;
constexpr std::uint64_t least_piece_bytes = std::uint64_t{64} << 10;
constexpr std::uint64_t first_early_bytes = std::uint64_t{1} << 20;
// The bytes of a piece that is copied from the host begin at a multiple of this: threads copy whole pages fastest.
constexpr std::uint64_t page_bytes = 4096;

class Scan {
 public:
  Scan(std::span<Engine* const> engines, const ScanText& text, const ScanRequest& request,
       const std::function<bool(const PieceResult&)>& take)
      : engines_(engines), text_(text), request_(request), take_(take), next_(request.begin) {
    const PlanData& plan = engines[0]->plan();
    // The last occurrence may start at the range's last byte. Behind that byte lie the rest of the pattern and what the
    // condition looks at.
    const std::uint64_t behind = plan.condition_check(engines[0]->options().condition).bytes_behind();
    reach_ = plan.patterns.max_length() + std::max<std::uint64_t>(behind, 1) - 1;
    piece_bytes_ = choose_piece_bytes();
  }

  ~Scan() {
    // Even if an exception ends the scan, memory that the devices still use must not go away.
    for (Turn& turn : turns_)
      if (turn.slot) turn.slot->abandon();
  }

  void run() {
    bool wanted = true;
    while (wanted && (next_ < request_.end || !turns_.empty())) {
      if (request_.stop.stop_requested()) throw Error(ErrorKind::cancelled, "the search was cancelled");
      if (next_ < request_.end && turns_.size() < slots())
        start_next();
      else
        wanted = finish_oldest();
    }
    while (!turns_.empty()) retire_oldest();
    for (std::size_t device = 0; device < idle_.size(); ++device) {
      for (auto& slot : idle_[device]) {
        if (request_.mode == Mode::per_distinct) slot->collect_per_distinct(*request_.per_distinct);
        engines_[device]->give_back(std::move(slot));
      }
    }
  }

 private:
  struct Turn {
    std::size_t device = 0;
    std::unique_ptr<Slot> slot;
  };

  std::size_t slots() const {
    const bool lists_resident = request_.mode == Mode::list && text_.resident != nullptr;
    return engines_.size() * (lists_resident ? listing_slots_per_device : slots_per_device);
  }

  std::uint64_t choose_piece_bytes() const {
    const std::uint64_t most_resident = max_piece_bytes - 2 * reach_ - page_bytes - 64;
    if (text_.resident != nullptr) {
      if (request_.piece_bytes != 0) return std::min(request_.piece_bytes, most_resident);
      return request_.mode == Mode::list ? std::min(most_resident, listed_piece_bytes) : most_resident;
    }
    std::uint64_t most = request_.piece_bytes != 0 ? most_resident : usual_piece_bytes;
    if (request_.memory_bytes != 0) most = std::min(most, request_.memory_bytes / slots_per_device);
    // A buffer of text holds up to so many bytes beside those of the piece's range.
    const std::uint64_t others = page_bytes + reach_ + text_padding;
    most = std::max({most > others ? most - others : 0, std::min(most, least_piece_bytes), reach_});
    return request_.piece_bytes != 0 ? std::min(request_.piece_bytes, most) : most;
  }

  std::unique_ptr<Slot> take_slot(std::size_t device) {
    idle_.resize(engines_.size());
    if (idle_[device].empty()) return engines_[device]->take_slot();
    std::unique_ptr<Slot> slot = std::move(idle_[device].back());
    idle_[device].pop_back();
    return slot;
  }

  void retire_oldest() {
    Turn& turn = turns_.front();
    // A slot whose queue has failed is dropped, because nobody knows what the queue still does.
    if (turn.slot->abandon()) idle_[turn.device].push_back(std::move(turn.slot));
    turns_.pop_front();
  }

  void start_next() {
    std::uint64_t bytes = piece_bytes_;
    if (request_.ends_early) {
      bytes = std::min(bytes, early_bytes_);
      if (early_bytes_ < piece_bytes_) early_bytes_ *= 4;
    }
    PieceRange range;
    range.begin = next_;
    range.end = std::min(request_.end, next_ + bytes);
    const Stripe* stripe = nullptr;
    if (text_.resident != nullptr) {
      const auto& stripes = text_.resident->stripes();
      while (stripes[stripe_].end <= next_) ++stripe_;
      stripe = &stripes[stripe_];
      const std::uint64_t end = std::min(request_.end, stripe->end);
      // Cut evenly, the stripe leaves no small rest, which would take a launch of its own.
      const std::uint64_t pieces = (end - next_ + bytes - 1) / bytes;
      if (request_.piece_bytes == 0) bytes = std::min(bytes, cut_evenly(end - next_, pieces));
      range.end = std::min(end, next_ + bytes);
    }
    range.low = range.begin - std::min(range.begin, condition_bytes_before);
    if (stripe == nullptr) range.low -= range.low % page_bytes;
    range.high = std::min(text_.size, range.end + reach_);

    Turn turn;
    turn.device = stripe != nullptr ? stripe->device : started_ % engines_.size();
    turn.slot = take_slot(turn.device);
    if (request_.mode == Mode::per_distinct && turn.slot->must_collect(range.end - range.begin))
      turn.slot->collect_per_distinct(*request_.per_distinct);
    // Other slots have queues of their own, so if there are other pieces, this one waits for the work.
    if (request_.prepare && started_ == 0) turn.slot->prepare(request_.prepare, range.end != request_.end);
    if (stripe != nullptr) {
      turn.slot->start_resident(request_.mode, range, *stripe->text, stripe->offset + range.low - stripe->low,
                                text_.records);
    } else {
      read_in_parallel(text_.read, range.low, turn.slot->text_space(range.high - range.low), request_.threads);
      turn.slot->start(request_.mode, range);
    }
    next_ = range.end;
    ++started_;
    turns_.push_back(std::move(turn));
  }

  bool finish_oldest() {
    Slot& slot = *turns_.front().slot;
    const std::uint64_t bytes = slot.range().end - slot.range().begin;
    const bool is_cut_by_lists = request_.mode == Mode::list && text_.resident != nullptr && request_.piece_bytes == 0;
    if (is_cut_by_lists && bytes >= 2 * least_piece_bytes) {
      if (const std::uint64_t matches = slot.wait_for_listed(); matches > 2 * wanted_matches()) {
        cut_again(slot.range(), matches);
        return true;
      }
    }
    if (request_.mode == Mode::list && !is_dense_ && engines_.size() > 1) take_round();
    if (request_.mode == Mode::list) {
      slot.fetch();
      // The next lists are copied while the host is busy with this one. Short lists need not be: they keep nobody
      // waiting.
      for (std::size_t next = 1; is_dense_ && next < turns_.size() && next <= fetched_ahead * engines_.size(); ++next)
        turns_[next].slot->fetch();
    }
    std::uint64_t matches = 0;
    const bool wanted = slot.finish([&](const PieceResult& result) {
      matches += result.matches;
      return take_(result);
    });
    retire_oldest();
    if (is_cut_by_lists) choose_listed_bytes(bytes, matches);
    return wanted;
  }

  // Devices finish their pieces at about the same time. So their lists are taken at the same time, by a thread each.
  void take_round() {
    if (turns_.front().slot->has_list()) return;
    const std::size_t round = std::min(engines_.size(), turns_.size());
    const auto threads = static_cast<unsigned>(std::min<std::uint64_t>(thread_count(request_.threads), round));
    run_ranges(threads, round, 1, [&](std::uint64_t begin, std::uint64_t end) {
      for (; begin < end; ++begin) turns_[begin].slot->take_list_early();
    });
  }

  // Starts again at the oldest piece, which has `matches` matches, with smaller pieces.
  void cut_again(const PieceRange& oldest, std::uint64_t matches) {
    const std::uint64_t bytes = oldest.end - oldest.begin;
    next_ = oldest.begin;
    stripe_ = 0;
    while (!turns_.empty()) retire_oldest();
    choose_listed_bytes(bytes, matches);
    piece_bytes_ = std::min(piece_bytes_, bytes / 2);
  }

  // How many matches a piece should have. At most half of what a list may hold, because the next piece may have more
  // matches than this one.
  std::uint64_t wanted_matches() const { return std::min(most_wanted_matches, engines_[0]->list_limit() / 2); }

  // Chooses the length of the next pieces, after one of `bytes` bytes that had `matches` matches.
  void choose_listed_bytes(std::uint64_t bytes, std::uint64_t matches) {
    const std::uint64_t wanted = wanted_matches();
    is_dense_ = matches >= wanted / 4;
    const double of_matches = static_cast<double>(bytes) * static_cast<double>(wanted) /
                              static_cast<double>(std::max<std::uint64_t>(matches, 1));
    const auto most = static_cast<double>(std::min(2 * piece_bytes_, choose_piece_bytes()));
    piece_bytes_ = std::max(least_piece_bytes, static_cast<std::uint64_t>(std::min(of_matches, most)));
  }

  std::span<Engine* const> engines_;
  const ScanText& text_;
  const ScanRequest& request_;
  const std::function<bool(const PieceResult&)>& take_;
  std::uint64_t reach_ = 0;        // bytes that a piece needs behind its range
  std::uint64_t piece_bytes_ = 0;  // length of a piece's range
  bool is_dense_ = false;          // lists are so long that they keep the host busy
  std::uint64_t early_bytes_ = first_early_bytes;
  std::uint64_t next_;                                    // the next piece begins here
  std::size_t stripe_ = 0;                                // the stripe that holds `next_`, or an earlier one
  std::uint64_t started_ = 0;                             // pieces started so far
  std::deque<Turn> turns_;                                // pieces under way, in order
  std::vector<std::vector<std::unique_ptr<Slot>>> idle_;  // by device
};

}  // namespace

void scan(std::span<Engine* const> engines, const ScanText& text, const ScanRequest& request,
          const std::function<bool(const PieceResult&)>& take) {
  if (request.begin >= request.end) return;
  Scan(engines, text, request, take).run();
}

}  // namespace lode::gpu
