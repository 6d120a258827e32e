// The takers, which make results of the occurrences in records: one for each kind of result.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "lode/records.hpp"
#include "plan/plan_data.hpp"
#include "records/record_run.hpp"

namespace lode {

// The ids that a distinct pattern stands for. With forms, other distinct patterns may stand for the same ids.
class Ids {
 public:
  explicit Ids(const PlanData& plan) : plan_(plan), has_duplicates_(plan.has_duplicates()) {}
  template <class Use>
  void for_each(std::uint32_t distinct, Use use) const {
    if (!has_duplicates_) return use(distinct);
    for (const std::uint32_t id : plan_.ids(distinct)) use(id);
  }

 private:
  const PlanData& plan_;
  const bool has_duplicates_;
};

/// Sorts the hits of one record, from `begin` on, by id, and keeps the first of each: the forms of a pattern are distinct
/// patterns with one id.
inline void keep_first_of_each_id(std::vector<RecordHit>& hits, std::ptrdiff_t begin) {
  std::sort(hits.begin() + begin, hits.end(), [](const RecordHit& a, const RecordHit& b) {
    return a.pattern_id != b.pattern_id ? a.pattern_id < b.pattern_id : a.offset < b.offset;
  });
  const auto same_id = [](const RecordHit& a, const RecordHit& b) { return a.pattern_id == b.pattern_id; };
  hits.erase(std::unique(hits.begin() + begin, hits.end(), same_id), hits.end());
}

/// The number of cells, bits or occurrences that all takers of a call have found.
using Total = std::atomic<std::uint64_t>;

template <class Cell>
class DenseTaker final : public RecordTaker {
 public:
  DenseTaker(const PlanData& plan, Cell* cells, Total& hits)
      : ids_(plan), columns_(plan.id_count()), cells_(cells), hits_(hits) {}
  ~DenseTaker() override { finish(); }
  /// Adds the hits since the last call to the total.
  void finish() { hits_ += std::exchange(found_, 0); }

  void begin(std::uint64_t first, std::uint64_t last) override {
    std::memset(cells_ + first * columns_, 0xff, (last - first) * columns_ * sizeof(Cell));  // -1
  }
  Enough enough() const override { return Enough::first_of_each_pattern; }
  std::uint64_t take(std::span<const RecordOccurrence> found) override {
    const std::uint64_t before = found_;
    for (const RecordOccurrence& occurrence : found)
      ids_.for_each(occurrence.distinct, [&](std::uint32_t id) {
        Cell& cell = cells_[occurrence.record * columns_ + id];
        found_ += cell < 0 ? 1 : 0;
        if (cell < 0 || static_cast<std::uint64_t>(cell) > occurrence.offset)
          cell = static_cast<Cell>(occurrence.offset);
      });
    return found_ - before;
  }

 private:
  const Ids ids_;
  const std::uint64_t columns_;
  Cell* const cells_;
  Total& hits_;
  std::uint64_t found_ = 0;
};

class ContainsTaker final : public RecordTaker {
 public:
  ContainsTaker(const PlanData& plan, std::uint8_t* bits, std::uint64_t row_bytes, Total& hits)
      : ids_(plan), row_bytes_(row_bytes), bits_(bits), hits_(hits) {}
  ~ContainsTaker() override { hits_ += found_; }

  void begin(std::uint64_t first, std::uint64_t last) override {
    std::memset(bits_ + first * row_bytes_, 0, (last - first) * row_bytes_);
  }
  Enough enough() const override { return Enough::first_of_each_pattern; }
  std::uint64_t take(std::span<const RecordOccurrence> found) override {
    const std::uint64_t before = found_;
    for (const RecordOccurrence& occurrence : found)
      ids_.for_each(occurrence.distinct, [&](std::uint32_t id) {
        std::uint8_t& byte = bits_[occurrence.record * row_bytes_ + id / 8];
        const auto bit = static_cast<std::uint8_t>(1u << id % 8);
        found_ += (byte & bit) == 0 ? 1 : 0;
        byte |= bit;
      });
    return found_ - before;
  }

 private:
  const Ids ids_;
  const std::uint64_t row_bytes_;
  std::uint8_t* const bits_;
  Total& hits_;
  std::uint64_t found_ = 0;
};

// Sets one byte a record: 1 if any pattern occurs, else 0.
class AnyTaker final : public RecordTaker {
 public:
  explicit AnyTaker(std::uint8_t* any) : any_(any) {}
  void begin(std::uint64_t first, std::uint64_t last) override { std::memset(any_ + first, 0, last - first); }
  Enough enough() const override { return Enough::any; }
  std::uint64_t take(std::span<const RecordOccurrence> found) override {
    std::uint64_t hits = 0;
    for (const RecordOccurrence& occurrence : found) hits += std::exchange(any_[occurrence.record], 1) == 0 ? 1 : 0;
    return hits;
  }

 private:
  std::uint8_t* const any_;
};

class RecordCountTaker final : public RecordTaker {
 public:
  RecordCountTaker(const PlanData& plan, std::uint64_t* counts) : plan_(plan), counts_(counts) {}
  void begin(std::uint64_t, std::uint64_t) override {}
  std::uint64_t take(std::span<const RecordOccurrence> found) override {
    for (const RecordOccurrence& occurrence : found)
      counts_[occurrence.record] += plan_.multiplicity(occurrence.distinct);
    return found.size();
  }

 private:
  const PlanData& plan_;
  std::uint64_t* const counts_;
};

class PatternCountTaker final : public RecordTaker {
 public:
  PatternCountTaker(const PlanData& plan, std::vector<std::uint64_t>& sums, std::mutex& mutex)
      : counts_(plan.distinct_count()), sums_(sums), mutex_(mutex) {}
  ~PatternCountTaker() override {
    const std::lock_guard lock(mutex_);
    for (std::size_t distinct = 0; distinct < counts_.size(); ++distinct) sums_[distinct] += counts_[distinct];
  }
  void begin(std::uint64_t, std::uint64_t) override {}
  std::uint64_t take(std::span<const RecordOccurrence> found) override {
    for (const RecordOccurrence& occurrence : found) ++counts_[occurrence.distinct];
    return found.size();
  }

 private:
  std::vector<std::uint64_t> counts_;
  std::vector<std::uint64_t>& sums_;
  std::mutex& mutex_;
};

// Turns occurrences, which come in order of records, into hits, and sends these to the sink in batches.
class HitSender {
 public:
  HitSender(const PlanData& plan, const RecordHitSink& sink)
      : ids_(plan), expands_(plan.has_duplicates()), sink_(sink), open_(plan.distinct_count()) {}

  /// Takes occurrences as TakeRecords does.
  bool take(std::span<const RecordOccurrence> found, bool complete) {
    if (complete && !expands_) {
      if (!close()) return false;
      const std::size_t before = batch_.size();
      batch_.resize(before + found.size());
      for (std::size_t at = 0; at < found.size(); ++at)
        batch_[before + at] = {found[at].record, found[at].offset, found[at].distinct};
      return batch_.size() < batch_hits || send();
    }
    for (const RecordOccurrence& occurrence : found) {
      if (!open_.empty() && record_ != occurrence.record && !close()) return false;
      record_ = occurrence.record;
      open_.add(occurrence);
    }
    return true;
  }
  bool finish() { return close() && (batch_.empty() || send()); }
  std::uint64_t hits() const { return hits_; }

 private:
  static constexpr std::size_t batch_hits = 4096;

  bool close() {
    if (open_.empty()) return true;
    open_.sort();
    const auto begin = static_cast<std::ptrdiff_t>(batch_.size());
    for (const RecordOccurrence& occurrence : open_.list())
      ids_.for_each(occurrence.distinct, [&](std::uint32_t id) {
        batch_.push_back({occurrence.record, occurrence.offset, id});
      });
    if (expands_) keep_first_of_each_id(batch_, begin);
    open_.clear();
    return batch_.size() < batch_hits || send();
  }
  bool send() {
    hits_ += batch_.size();
    const bool wanted = sink_(batch_);
    batch_.clear();
    return wanted;
  }

  const Ids ids_;
  const bool expands_;
  const RecordHitSink& sink_;
  FirstList open_;  // first occurrences of record_, which may have more
  std::uint64_t record_ = 0;
  std::vector<RecordHit> batch_;
  std::uint64_t hits_ = 0;
};

}  // namespace lode
