#include "records/record_flags.hpp"

#include <algorithm>
#include <cstring>
#include <deque>

#include "base/memory_plan.hpp"
#include "base/threads.hpp"
#include "device/registry.hpp"
#include "lode/error.hpp"

namespace lode {
namespace {

constexpr std::uint64_t usual_part_bytes = std::uint64_t{32} << 20;
constexpr std::uint64_t least_part_bytes = std::uint64_t{4} << 10;
constexpr std::uint64_t bytes_of_record = 32;  // a part has at most one record for so many bytes
constexpr unsigned parts_of_gpu = 2;           // while one part is verified, another is flagged
constexpr std::uint64_t grain_records = 64;
constexpr std::uint64_t copy_grain_bytes = std::uint64_t{1} << 20;
// A longer record is not worth a GPU, because one work-item would roll over it alone.
constexpr std::uint64_t most_seen_bytes = std::uint64_t{256} << 20;

void check_stop(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Error(ErrorKind::cancelled, "the search was cancelled");
}

}  // namespace

RecordFlagger::RecordFlagger(const Device& device, const PlanData& plan, const SearcherOptions& options,
                             unsigned threads)
    : threads_(threads), is_limited_(options.memory_limit_bytes != 0), part_bytes_(usual_part_bytes), hashes_(plan) {
  const std::uint64_t devices = device.gpus() == nullptr ? 1 : device.gpus()->runtimes.size();
  const MemoryPlan memory(options.memory_limit_bytes);
  part_bytes_ = std::clamp(memory.flagged_part_bytes(parts_of_gpu * devices), least_part_bytes, usual_part_bytes);
  if (device.gpus() == nullptr) return;
  for (const auto& runtime : device.gpus()->runtimes)
    gpus_.push_back(std::make_unique<gpu::RecordFlags>(runtime, plan, options));
}

RecordFlagger::~RecordFlagger() = default;

std::uint64_t RecordFlagger::end_of_part(const Records& records, std::uint64_t first) const {
  return records.end_within(first, records.begin_of(first) + part_bytes_,
                            std::min(records.size(), first + part_bytes_ / bytes_of_record));
}

void RecordFlagger::run_on_cpu(const Records& records, const std::stop_token& stop, const Use& use) const {
  std::vector<std::uint8_t> flags;
  for (std::uint64_t first = 0; first < records.size();) {
    const std::uint64_t last = end_of_part(records, first);
    flags.assign(last - first, 0);
    run_ranges(threads_, last - first, grain_records, [&](std::uint64_t begin, std::uint64_t end) {
      check_stop(stop);
      for (std::uint64_t at = begin; at < end; ++at) {
        if (records.is_null(first + at)) continue;
        const std::string_view record = records[first + at];
        flags[at] = hashes_.may_match({reinterpret_cast<const std::uint8_t*>(record.data()), record.size()}) ? 1 : 0;
      }
    });
    if (!use(first, flags)) return;
    first = last;
  }
}

void RecordFlagger::run_on_gpus(const Records& records, const std::stop_token& stop, const Use& use) const {
  struct Turn {
    std::unique_ptr<gpu::RecordFlags::Run> run;  // null: a record too long for a GPU, which is flagged unseen
    std::size_t gpu = 0;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
  };
  std::deque<Turn> turns;
  std::vector<std::vector<std::unique_ptr<gpu::RecordFlags::Run>>> idle(gpus_.size());
  std::vector<std::uint8_t> flags;
  std::uint64_t started = 0;
  const auto start = [&](std::uint64_t first, std::uint64_t last) {
    Turn turn;
    turn.first = first;
    turn.last = last;
    const std::uint64_t begin = records.begin_of(first);
    const std::uint64_t bytes = records.end_of(last - 1) - begin;
    if (bytes <= (is_limited_ ? part_bytes_ : most_seen_bytes)) {
      turn.gpu = started++ % gpus_.size();
      if (idle[turn.gpu].empty()) {
        turn.run = std::make_unique<gpu::RecordFlags::Run>(*gpus_[turn.gpu]);
      } else {
        turn.run = std::move(idle[turn.gpu].back());
        idle[turn.gpu].pop_back();
      }
      const std::span<char> text = turn.run->text_space(bytes);
      run_ranges(threads_, bytes, copy_grain_bytes, [&](std::uint64_t low, std::uint64_t high) {
        std::memcpy(text.data() + low, records.bytes().data() + begin + low, high - low);
      });
      const auto spans = turn.run->span_space(static_cast<std::uint32_t>(last - first));
      for (std::uint64_t at = 0; at < spans.size(); ++at) {
        spans[at] = {};
        if (records.is_null(first + at)) continue;
        spans[at].begin = static_cast<std::uint32_t>(records.begin_of(first + at) - begin);
        spans[at].end = static_cast<std::uint32_t>(records.end_of(first + at) - begin);
      }
      turn.run->start();
    }
    turns.push_back(std::move(turn));
  };
  std::uint64_t next = 0;
  while (next < records.size() || !turns.empty()) {
    check_stop(stop);
    // While the caller searches what one part flagged, the devices flag the next.
    while (next < records.size() && turns.size() < parts_of_gpu * gpus_.size()) {
      const std::uint64_t last = end_of_part(records, next);
      start(next, last);
      next = last;
    }
    Turn turn = std::move(turns.front());
    turns.pop_front();
    if (turn.run) {
      const std::span<const std::uint8_t> found = turn.run->finish();
      flags.assign(found.begin(), found.end());
      idle[turn.gpu].push_back(std::move(turn.run));
    } else {
      flags.assign(turn.last - turn.first, records.is_null(turn.first) ? 0 : 1);
    }
    if (!use(turn.first, flags)) return;
  }
}

}  // namespace lode
