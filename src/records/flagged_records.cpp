#include "records/flagged_records.hpp"

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace lode {
namespace {

using base::Clock;
using base::seconds_since;

constexpr std::uint8_t flagged_and_matched = 2;

// Changes record numbers from those in the part to those in the whole, and notes in `flags` which records hold a match.
std::span<const RecordOccurrence> renumber(std::span<const RecordOccurrence> found, std::uint64_t first,
                                           std::span<std::uint8_t> flags, std::vector<RecordOccurrence>& renumbered) {
  renumbered.assign(found.begin(), found.end());
  for (RecordOccurrence& occurrence : renumbered) {
    flags[occurrence.record] = flagged_and_matched;
    occurrence.record += first;
  }
  return renumbered;
}

class PartTaker final : public RecordTaker {
 public:
  PartTaker(std::unique_ptr<RecordTaker> taker, std::uint64_t first, std::span<std::uint8_t> flags)
      : taker_(std::move(taker)), first_(first), flags_(flags) {}
  void begin(std::uint64_t first, std::uint64_t last) override { taker_->begin(first_ + first, first_ + last); }
  std::uint64_t take(std::span<const RecordOccurrence> found) override {
    return taker_->take(renumber(found, first_, flags_, renumbered_));
  }
  Enough enough() const override { return taker_->enough(); }

 private:
  std::unique_ptr<RecordTaker> taker_;
  const std::uint64_t first_;
  const std::span<std::uint8_t> flags_;
  std::vector<RecordOccurrence> renumbered_;
};

// Searches the flagged records of a part. Returns false to end the search.
using Verify = std::function<bool(const Records& part, std::uint64_t first, std::span<std::uint8_t> flags)>;

void run_flagged(const RecordFlagger& flagger, const Records& records, const RecordRunOptions& run,
                 const Verify& verify, FlagTotals& totals) {
  const std::uint64_t total_bytes = records.total_bytes();
  auto begin = Clock::now();
  flagger.run(records, run.stop, [&](std::uint64_t first, std::span<std::uint8_t> flags) {
    totals.flag_seconds += seconds_since(begin);
    begin = Clock::now();
    const bool wanted = verify(records.slice(first, first + flags.size()), first, flags);
    for (const std::uint8_t flag : flags) {
      totals.flagged += flag != 0 ? 1 : 0;
      totals.false_positives += flag == 1 ? 1 : 0;
    }
    if (run.progress) run.progress(records.end_of(first + flags.size() - 1) - records.begin_of(0), total_bytes);
    totals.verify_seconds += seconds_since(begin);
    begin = Clock::now();
    return wanted;
  });
}

// The options for one part. run_flagged() reports progress itself, part by part.
RecordRunOptions without_progress(const RecordRunOptions& run) {
  RecordRunOptions quiet;
  quiet.stop = run.stop;
  return quiet;
}

}  // namespace

std::uint64_t take_flagged(const RecordFlagger& flagger, const RecordSetup& setup, const Records& records,
                           const RecordRunOptions& run, const MakeRecordTaker& make_taker, FlagTotals& totals) {
  const RecordRunOptions quiet = without_progress(run);
  std::uint64_t candidates = 0;
  const auto verify = [&](const Records& part, std::uint64_t first, std::span<std::uint8_t> flags) {
    candidates +=
        take_on_cpu(setup, part, flags, quiet, [&] { return std::make_unique<PartTaker>(make_taker(), first, flags); });
    return true;
  };
  run_flagged(flagger, records, run, verify, totals);
  return candidates;
}

std::uint64_t list_flagged(const RecordFlagger& flagger, const RecordSetup& setup, const Records& records,
                           const RecordRunOptions& run, const TakeRecords& take, FlagTotals& totals) {
  const RecordRunOptions quiet = without_progress(run);
  std::vector<RecordOccurrence> renumbered;
  std::uint64_t candidates = 0;
  bool wanted = true;
  const auto verify = [&](const Records& part, std::uint64_t first, std::span<std::uint8_t> flags) {
    candidates += list_on_cpu(setup, part, flags, quiet, [&](std::span<const RecordOccurrence> found, bool complete) {
      return wanted = take(renumber(found, first, flags, renumbered), complete);
    });
    return wanted;
  };
  run_flagged(flagger, records, run, verify, totals);
  return candidates;
}

}  // namespace lode
