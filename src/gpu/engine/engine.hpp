// Engine: a plan and an algorithm on one device. Slot: one piece of a text on its way through the device.
//
// An engine is safe to use from several threads; a slot belongs to one at a time. A slot's life: fill text_space() or
// name a resident buffer, start(), and while the device works, start others; then finish(), which delivers the piece's
// occurrences. A list that was too small grows and the piece runs again, up to the engine's limit; beyond it the range
// is halved, so that memory stays bounded and nothing is cut.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/abi.hpp"
#include "gpu/algorithms/algorithm.hpp"
#include "gpu/engine/order.hpp"
#include "gpu/seam.hpp"
#include "lode/options.hpp"
#include "plan/plan_data.hpp"

namespace lode::gpu {

enum class Mode { count, per_distinct, list, first, contains, any, per_record };
inline constexpr int mode_count = 7;

/// The records of a resident text. With them, each occurrence has to lie within one record.
struct RecordArguments {
  abi::lode_records records{};
  Condition condition = Condition::none;  // replaces the engine's
  const Buffer* starts = nullptr;         // the buffers are described at struct lode_records
  const Buffer* blocks = nullptr;
  const Buffer* ids = nullptr;    // null if each distinct pattern is its only id
  const Buffer* cells = nullptr;  // null in modes that fill no cells
};

/// Where a piece lies in the text. Occurrences that start in [begin, end) are wanted. All members are places of the
/// text.
struct PieceRange {
  std::uint64_t low = 0;    // first byte that the piece holds
  std::uint64_t begin = 0;  // low <= begin <= end <= high
  std::uint64_t end = 0;
  std::uint64_t high = 0;  // place behind the last byte that the piece holds; high - low <= max_piece_bytes
};

inline constexpr std::uint64_t max_piece_bytes = (std::uint64_t{1} << 32) - (std::uint64_t{1} << 17);
/// Bytes that a buffer of text has behind the text, so that whole blocks may be read.
inline constexpr std::uint64_t text_padding = 64;

/// The result of a piece, or of a part of one.
struct PieceResult {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t matches = 0;     // occurrences of distinct patterns; in modes with cells, what was set or added there
  std::uint64_t candidates = 0;  // places that were compared
  std::span<const Match> list;   // Mode::list: sorted by (offset, distinct index); pattern_id holds the distinct index
};

/// The condition as kernels take it (kernels/abi.h).
std::uint32_t condition_value(Condition condition);

/// Appends the last of SEARCH_ARGUMENTS (kernels/common.h), those of records.
void append_arguments(std::vector<Argument>& arguments, const RecordArguments& records);

class Slot;

class Engine {
 public:
  /// Throws Error(unsupported) if GPUs have no such algorithm, Error(device) if the device fails.
  Engine(std::shared_ptr<Runtime> runtime, const PlanData& plan, std::string_view algorithm,
         const SearcherOptions& options);
  ~Engine();

  Runtime& runtime() const noexcept { return *runtime_; }
  const std::shared_ptr<Runtime>& shared_runtime() const noexcept { return runtime_; }
  const PlanData& plan() const noexcept { return plan_; }
  const SearcherOptions& options() const noexcept { return options_; }
  /// Matches that a list may hold; more are delivered in several parts.
  std::uint64_t list_limit() const noexcept { return list_limit_; }
  /// Work-items of the smallest group that a pass launches.
  std::uint32_t group_items() const;
  /// The distinct patterns, as all kernels take them.
  const Buffer& patterns() const noexcept { return *patterns_; }
  const Buffer& pattern_words() const noexcept { return *pattern_words_; }

  /// Takes a slot that was given back, or makes one. It is given back after one call.
  std::unique_ptr<Slot> take_slot();
  void give_back(std::unique_ptr<Slot> slot);
  /// Frees the memory of slots that were given back, for a caller that searches with another engine next.
  void drop_idle_slots();

 private:
  friend class Slot;

  struct Step {
    const Pass* pass = nullptr;
    const Kernel* kernel = nullptr;
    Launch launch;                 // complete but for the groups, which depend on the piece
    std::uint32_t max_groups = 1;  // groups for a large piece
  };

  const std::vector<Step>& steps(Mode mode, bool in_records);
  const Kernel& kernel_of(const Pass& pass, Mode mode, bool in_records);
  const OrderKernels& order_kernels();

  std::shared_ptr<Runtime> runtime_;
  const PlanData& plan_;
  SearcherOptions options_;
  std::vector<std::uint32_t> lengths_;  // lengths of the distinct patterns
  std::uint64_t list_limit_;
  std::unique_ptr<Buffer> patterns_;
  std::unique_ptr<Buffer> pattern_words_;
  std::unique_ptr<Algorithm> algorithm_;
  std::atomic<std::uint32_t> max_groups_ = 1;  // the largest Step::max_groups so far

  std::mutex mutex_;  // guards what follows, up to idle_
  std::map<std::string, std::unique_ptr<Kernel>> kernels_;
  std::vector<Step> steps_[2][mode_count];  // by [in records][mode]; empty until first asked for
  std::unique_ptr<OrderKernels> order_kernels_;
  std::vector<std::unique_ptr<Slot>> idle_;
  std::mutex launch_mutex_;  // a kernel may be used by one thread at a time
};

class Slot {
 public:
  explicit Slot(Engine& engine);
  ~Slot();
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  /// Memory for the bytes of the next piece. No command of the slot may be under way.
  std::span<char> text_space(std::uint64_t bytes);
  /// Queues work that is done before the next piece is searched. `waits`: returns when it is done.
  void prepare(const std::function<void(Queue&)>& queue_work, bool waits);
  /// Starts the search of text_space()'s bytes, which are [range.low, range.high) of the text.
  void start(Mode mode, const PieceRange& range);
  /// Starts the search of bytes that are on the device: byte `low` of the text lies at `offset` of the buffer.
  /// The caller keeps `records`, if not null, until the piece is finished.
  void start_resident(Mode mode, const PieceRange& range, const Buffer& text, std::uint64_t offset,
                      const RecordArguments* records);

  bool busy() const noexcept { return busy_; }
  const PieceRange& range() const noexcept { return range_; }
  /// Waits for the piece's search. Returns how many matches it has, even if the list has no room for all.
  std::uint64_t wait_for_listed() { return wait_for_answer().listed; }
  /// Waits for the piece's search, and lets the device put the list in order and copy it, so that finish() waits less.
  void fetch();
  /// Waits, and converts the list, if it had room for all matches, so that finish() need not. Several slots may do so
  /// at the same time.
  void take_list_early();
  bool has_list() const noexcept { return is_taken_; }
  /// Waits, and calls `take` with the piece's results, in order, in one or more parts. Returns false if `take` did.
  bool finish(const std::function<bool(const PieceResult&)>& take);
  /// Waits for whatever is under way and drops it. Returns false if that failed: then the slot must not be used again.
  bool abandon() noexcept;

  /// Mode::per_distinct: the counts of all pieces since the last call are added to `counts`.
  void collect_per_distinct(std::vector<std::uint64_t>& counts);
  /// Whether the counts must be collected before another piece of `bytes` bytes, because 32 bits might not hold them.
  bool must_collect(std::uint64_t bytes) const noexcept { return counted_places_ + bytes > UINT32_MAX; }

 private:
  void enqueue(std::uint64_t begin, std::uint64_t end);
  bool deliver(std::uint64_t begin, std::uint64_t end, const std::function<bool(const PieceResult&)>& take);
  std::uint64_t most_of_short_list() const;
  static std::uint32_t groups_of(const Engine::Step& step, std::uint64_t places);
  const abi::lode_header& wait_for_answer();
  OrderTiles cut_list() const;
  void take_list();
  bool convert_list(std::span<const abi::lode_match> found);
  const Buffer& order_list(std::uint32_t count, const OrderTiles& cut);
  std::uint32_t place_of(std::uint64_t offset) const;
  void reserve_list(std::uint64_t matches);
  void reserve_pinned_list(std::uint64_t matches);

  Engine& engine_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<PinnedBuffer> pinned_text_;
  std::unique_ptr<Buffer> own_text_;
  std::unique_ptr<Buffer> answer_;  // header, then the totals of groups
  std::unique_ptr<Buffer> list_;
  std::unique_ptr<Buffer> ordered_;  // the list after sorting
  std::unique_ptr<Buffer> tiles_;    // numbers by tile, for sorting
  std::unique_ptr<Buffer> per_distinct_;
  std::unique_ptr<PinnedBuffer> pinned_answer_;
  std::unique_ptr<PinnedBuffer> pinned_list_;  // as much of the list as was asked for
  std::unique_ptr<Match[]> matches_;           // the list as it is delivered
  std::uint64_t matches_capacity_ = 0;

  Mode mode_ = Mode::count;
  PieceRange range_;
  const Buffer* text_ = nullptr;
  const RecordArguments* records_ = nullptr;
  std::uint64_t text_offset_ = 0;     // where byte range_.low lies in *text_
  std::uint64_t capacity_ = 0;        // matches that list_ has room for
  std::uint64_t counted_places_ = 0;  // places searched since counts were collected
  // The members from here to is_taken_ describe the part of the piece that was queued last.
  std::uint64_t part_begin_ = 0;
  std::uint64_t part_end_ = 0;
  std::uint32_t groups_ = 0;   // groups that report totals
  abi::lode_header header_{};  // valid if is_answered_
  bool is_answered_ = false;
  bool is_fetched_ = false;  // all of the list is in pinned_list_, or on its way
  bool is_taken_ = false;    // the list is in matches_
  bool busy_ = false;
};

}  // namespace lode::gpu
