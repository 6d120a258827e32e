#include "cli/search/matrix_verifier.hpp"

#include <algorithm>
#include <utility>

namespace lode::command {
namespace {

constexpr std::size_t most_hits = std::size_t{1} << 20;

/// The hits from index `from` on are those of one record, sorted by offset. Keeps the first of each pattern, and sorts
/// these by pattern.
void keep_first_of_each_pattern(std::vector<RecordHit>& hits, std::size_t from) {
  const auto begin = hits.begin() + static_cast<std::ptrdiff_t>(from);
  std::stable_sort(begin, hits.end(),
                   [](const RecordHit& a, const RecordHit& b) { return a.pattern_id < b.pattern_id; });
  hits.erase(std::unique(begin, hits.end(),
                         [](const RecordHit& a, const RecordHit& b) { return a.pattern_id == b.pattern_id; }),
             hits.end());
}

}  // namespace

bool MatrixVerifier::list_checked(const Records& records, std::vector<RecordHit>& hits) const {
  bool complete = true;
  checked_->first(records, [&](std::span<const RecordHit> batch) {
    complete = records.size() == 1 || hits.size() + batch.size() <= most_hits;
    if (complete) hits.insert(hits.end(), batch.begin(), batch.end());
    return complete;
  });
  return complete;
}

bool MatrixVerifier::list_expected(const Records& records, std::vector<RecordHit>& hits) const {
  std::uint64_t record = 0;
  std::size_t record_begin = 0;  // index of the record's first hit
  std::size_t shorten_at = most_hits;
  bool complete = true;
  const auto take = [&](std::span<const Match> batch) {
    for (const Match& match : batch) {
      while (match.offset >= records.end_of(record) && record + 1 < records.size() &&
             match.offset >= records.begin_of(record + 1)) {
        keep_first_of_each_pattern(hits, record_begin);
        record_begin = hits.size();
        ++record;
      }
      if (match.offset + match.length > records.end_of(record)) continue;
      hits.push_back({record, match.offset - records.begin_of(record), match.pattern_id});
      if (hits.size() < shorten_at) continue;
      keep_first_of_each_pattern(hits, record_begin);
      shorten_at = std::max(most_hits, 2 * hits.size());
      complete = records.size() == 1 || hits.size() <= most_hits / 2;
      if (!complete) return false;
    }
    return true;
  };
  RunOptions run;
  run.begin = records.begin_of(0);
  run.end = records.end_of(records.size() - 1);
  reference_.find(records.bytes(), take, run);
  keep_first_of_each_pattern(hits, record_begin);
  return complete;
}

std::string MatrixVerifier::describe_difference(std::uint64_t first_record, const RecordHit* of_checked,
                                                const RecordHit* of_reference) const {
  const std::string& checked = checked_->algorithm();
  const std::string& reference = reference_.algorithm();
  const auto shown = [&](const RecordHit& hit) {
    return "record " + std::to_string(first_record + hit.record) + ", pattern " + std::to_string(hit.pattern_id) +
           ", offset " + std::to_string(hit.offset);
  };
  const std::string message = "verification failed: ";
  if (of_checked == nullptr) {
    return message + checked + " misses the hit at " + shown(*of_reference) + " that " + reference + " finds";
  }
  if (of_reference == nullptr) {
    return message + checked + " reports a hit at " + shown(*of_checked) + " that " + reference + " does not find";
  }
  return message + "the first difference is at " + shown(*of_checked) + " (" + checked + ") against " +
         shown(*of_reference) + " (" + reference + ")";
}

std::optional<std::string> MatrixVerifier::compare(std::string_view lines, char terminator,
                                                   std::uint64_t first_record) const {
  const Records all = Records::of_lines(lines, terminator);
  std::uint64_t step = all.size();
  for (std::uint64_t begin = 0; begin < all.size();) {
    const std::uint64_t end = std::min(all.size(), begin + step);
    std::vector<RecordHit> found, expected;
    if (!list_checked(all.slice(begin, end), found) || !list_expected(all.slice(begin, end), expected)) {
      step = (end - begin + 1) / 2;
      continue;
    }
    const auto [in_found, in_expected] = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
    const RecordHit* of_checked = in_found == found.end() ? nullptr : &*in_found;
    const RecordHit* of_reference = in_expected == expected.end() ? nullptr : &*in_expected;
    if (of_checked != nullptr || of_reference != nullptr) {
      return describe_difference(first_record + begin, of_checked, of_reference);
    }
    begin = end;
  }
  return std::nullopt;
}

}  // namespace lode::command
