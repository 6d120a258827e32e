#include "records/parallel_hits.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/memory.hpp"
#include "base/threads.hpp"

namespace lode {
namespace {

constexpr std::size_t share_occurrences = 8192;
// A distinct pattern may stand for so many ids, because so many hits of each occurrence have room within the limit.
constexpr std::uint32_t most_multiplicity = 4;
constexpr std::uint64_t share_cells = 1 << 16;
constexpr std::size_t most_sorted_in_place = 16;
// With so many distinct patterns at most, each share has a place for each of them; with more, occurrences are sorted.
constexpr std::uint32_t most_places = 1 << 14;
constexpr std::uint64_t row_grain = std::uint64_t{1} << 17;

bool is_before(const RecordOccurrence& a, const RecordOccurrence& b) { return a.record < b.record; }

// For a record with few occurrences: keeps the first occurrence of each pattern, sorted by pattern.
using FewOccurrences = std::array<RecordOccurrence, most_sorted_in_place>;
std::span<const RecordOccurrence> sort_few(std::span<const RecordOccurrence> found, FewOccurrences& sorted) {
  std::size_t count = 0;
  for (const RecordOccurrence& occurrence : found) {
    std::size_t at = count;
    while (at > 0 && sorted[at - 1].distinct > occurrence.distinct) --at;
    if (at > 0 && sorted[at - 1].distinct == occurrence.distinct) {
      sorted[at - 1].offset = std::min(sorted[at - 1].offset, occurrence.offset);
      continue;
    }
    for (std::size_t moved = count++; moved > at; --moved) sorted[moved] = sorted[moved - 1];
    sorted[at] = occurrence;
  }
  return {sorted.data(), count};
}

bool give(std::vector<RecordHit>& hits, const TakeHits& take, std::uint64_t& given) {
  given += hits.size();
  return hits.empty() || take(hits);
}

}  // namespace

bool ParallelHits::suits(const PlanData& plan) {
  for (std::uint32_t distinct = 0; plan.has_duplicates() && distinct < plan.distinct_count(); ++distinct)
    if (plan.multiplicity(distinct) > most_multiplicity) return false;
  return true;
}

ParallelHits::Share::Share(const PlanData& plan)
    : firsts(plan.distinct_count() <= most_places ? plan.distinct_count() : UINT32_MAX) {}

ParallelHits::ParallelHits(const PlanData& plan, unsigned threads, const TakeHits& take)
    : plan_(plan), ids_(plan), threads_(threads), take_(take), open_(plan.distinct_count()) {}

void ParallelHits::append(std::span<const RecordOccurrence> firsts, std::vector<RecordHit>& hits) const {
  const auto begin = static_cast<std::ptrdiff_t>(hits.size());
  for (const RecordOccurrence& first : firsts)
    ids_.for_each(first.distinct, [&](std::uint32_t id) { hits.push_back({first.record, first.offset, id}); });
  if (plan_.has_duplicates()) keep_first_of_each_id(hits, begin);
}

void ParallelHits::convert(std::span<const RecordOccurrence> records, Share& share) const {
  share.hits.reserve(records.size());
  FewOccurrences few;
  for (std::size_t begin = 0, end = 0; begin < records.size(); begin = end) {
    for (end = begin + 1; end < records.size() && records[end].record == records[begin].record;) ++end;
    if (end - begin == 1) {
      append(records.subspan(begin, 1), share.hits);
      continue;
    }
    if (end - begin <= most_sorted_in_place) {
      append(sort_few(records.subspan(begin, end - begin), few), share.hits);
      continue;
    }
    share.firsts.clear();
    for (std::size_t at = begin; at < end; ++at) share.firsts.add(records[at]);
    share.firsts.sort();
    append(share.firsts.list(), share.hits);
  }
}

bool ParallelHits::take(std::span<const RecordOccurrence> found) {
  if (found.empty()) return true;
  const auto end_of = [&](std::size_t at) {
    return static_cast<std::size_t>(std::upper_bound(found.begin(), found.end(), found[at], is_before) - found.begin());
  };
  // The last record may have more occurrences in the next call, so it stays open.
  const auto complete =
      static_cast<std::size_t>(std::lower_bound(found.begin(), found.end(), found.back(), is_before) - found.begin());
  if (shares_.empty()) shares_.emplace_back(plan_);
  std::size_t begin = 0;
  if (!open_.empty()) {
    if (open_.list().front().record == found.front().record) {
      begin = end_of(0);
      for (const RecordOccurrence& occurrence : found.first(begin)) open_.add(occurrence);
      if (begin == found.size()) return true;
    }
    open_.sort();
    append(open_.list(), shares_[0].hits);
    open_.clear();
  }
  // Each share ends with a record. The hits of the record that was open stand in the first share already.
  const std::size_t shares = (complete - begin + share_occurrences - 1) / share_occurrences;
  while (shares_.size() < shares) shares_.emplace_back(plan_);
  const auto cut = [&](std::size_t share) {
    if (share == 0) return begin;
    if (share >= shares) return complete;
    return end_of(begin + share * share_occurrences - 1);
  };
  run_ranges(threads_, shares, 1, [&](std::uint64_t share, std::uint64_t) {
    const std::size_t first = cut(share);
    const std::size_t last = std::min(complete, cut(share + 1));
    if (first < last) convert(found.subspan(first, last - first), shares_[share]);
  });
  for (const RecordOccurrence& occurrence : found.subspan(complete)) open_.add(occurrence);
  return send(std::max<std::size_t>(1, shares));
}

bool ParallelHits::finish() {
  if (open_.empty()) return true;
  open_.sort();
  append(open_.list(), shares_[0].hits);
  open_.clear();
  return send(1);
}

// Gives the hits away. Their memory is kept for the next call, unless the taker moved it away.
bool ParallelHits::send(std::size_t shares) {
  bool wanted = true;
  for (std::size_t share = 0; share < shares; ++share) {
    std::vector<RecordHit>& hits = shares_[share].hits;
    wanted = wanted && give(hits, take_, hits_);
    hits.clear();
  }
  return wanted;
}

bool CellHits::take(std::uint64_t first, std::uint64_t last, std::span<const std::uint32_t> cells, std::uint32_t none) {
  const std::uint64_t grain = std::max<std::uint64_t>(1, share_cells / columns_);
  shares_.resize((last - first + grain - 1) / grain);
  run_ranges(threads_, last - first, grain, [&](std::uint64_t begin, std::uint64_t end) {
    const auto own = cells.subspan(begin * columns_, (end - begin) * columns_);
    std::vector<RecordHit>& hits = shares_[begin / grain];
    hits.clear();
    hits.reserve(own.size() - static_cast<std::size_t>(std::count(own.begin(), own.end(), none)));
    for (std::uint64_t row = begin; row < end; ++row)
      for (std::uint32_t id = 0; id < columns_; ++id)
        if (const std::uint32_t offset = cells[row * columns_ + id]; offset != none)
          hits.push_back({first + row, offset, id});
  });
  return std::all_of(shares_.begin(), shares_.end(),
                     [&](std::vector<RecordHit>& hits) { return give(hits, take_, hits_); });
}

void HitRows::add(std::vector<RecordHit> hits) {
  if (hits.empty()) return;
  if (hits.capacity() > 2 * hits.size()) hits.shrink_to_fit();
  batch_starts_.push_back(batch_starts_.back() + hits.size());
  batches_.push_back(std::move(hits));
}

RecordHits HitRows::build(std::uint64_t records, unsigned threads) const {
  RecordHits hits;
  resize_empty(hits.pattern_ids, batch_starts_.back(), threads);
  resize_empty(hits.offsets, batch_starts_.back(), threads);
  run_ranges(threads, batches_.size(), 1, [&](std::uint64_t batch, std::uint64_t) {
    std::uint64_t at = batch_starts_[batch];
    for (const RecordHit& hit : batches_[batch]) {
      hits.pattern_ids[at] = hit.pattern_id;
      hits.offsets[at++] = hit.offset;
    }
  });
  resize_empty(hits.row_starts, records + 1, threads);
  run_ranges(threads, records + 1, row_grain,
             [&](std::uint64_t begin, std::uint64_t end) { fill_row_starts(hits.row_starts, begin, end); });
  return hits;
}

// Fills the starts of rows [begin, end). The start of a row is the number of hits before it.
void HitRows::fill_row_starts(std::span<std::uint64_t> row_starts, std::uint64_t begin, std::uint64_t end) const {
  const auto batch_at = std::partition_point(
      batches_.begin(), batches_.end(), [&](const std::vector<RecordHit>& hits) { return hits.back().record < begin; });
  auto batch = static_cast<std::size_t>(batch_at - batches_.begin());
  std::size_t at = 0;
  if (batch < batches_.size())
    at = static_cast<std::size_t>(std::partition_point(batches_[batch].begin(), batches_[batch].end(),
                                                       [&](const RecordHit& hit) { return hit.record < begin; }) -
                                  batches_[batch].begin());
  std::uint64_t row = begin;
  for (; batch < batches_.size() && row < end; ++batch, at = 0) {
    const std::vector<RecordHit>& hits = batches_[batch];
    for (; at < hits.size() && row < end; ++at)
      // A hit is the start of its record's row, if that has none yet, and of the empty rows before it.
      for (; row <= hits[at].record && row < end; ++row) row_starts[row] = batch_starts_[batch] + at;
  }
  for (; row < end; ++row) row_starts[row] = batch_starts_.back();
}

}  // namespace lode
