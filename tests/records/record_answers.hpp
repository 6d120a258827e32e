// What a RecordSearcher should give of records, and a check of all that it gives.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lode/records.hpp"
#include "support/engines.hpp"
#include "support/oracle.hpp"

namespace lode::tests {

// Records as a caller has them: some bytes, where each record lies, and which are null.
struct Table {
  std::string bytes;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint8_t> bits;  // empty if no record is null
  std::uint64_t first_bit = 0;

  void add(std::string_view record) {
    bytes += record;
    offsets.push_back(bytes.size());
  }
  Validity validity() const { return {bits.empty() ? nullptr : bits.data(), first_bit}; }
  Records records() const { return Records::with_offsets(bytes, offsets, validity()); }
};

using Hits = std::vector<RecordHit>;

struct Answer {
  std::vector<std::vector<Match>> matches;  // of each record
  Hits hits;
  std::vector<std::uint64_t> per_record;
  std::vector<std::uint64_t> per_pattern;
};

template <class Find>
Answer answer_by(const Find& find, const Records& records, const PatternSet& patterns) {
  Answer answer;
  answer.matches.resize(records.size());
  answer.per_record.resize(records.size());
  answer.per_pattern.resize(patterns.size());
  for (std::uint64_t record = 0; record < records.size(); ++record) {
    if (records.is_null(record)) continue;
    std::map<std::uint32_t, std::uint64_t> first;
    answer.matches[record] = find(records[record]);
    for (const Match& match : answer.matches[record]) {
      first.emplace(match.pattern_id, match.offset);
      ++answer.per_record[record];
      ++answer.per_pattern[match.pattern_id];
    }
    for (const auto& [id, offset] : first) answer.hits.push_back({record, offset, id});
  }
  return answer;
}

Answer answer_by_oracle(const Records& records, const PatternSet& patterns, const Rules& rules);

template <class Cell>
Hits hits_of_cells(const std::vector<Cell>& cells, std::uint64_t patterns) {
  Hits hits;
  for (std::uint64_t at = 0; at < cells.size(); ++at) {
    if (cells[at] < 0) {
      EXPECT_EQ(cells[at], -1);
      continue;
    }
    hits.push_back({at / patterns, static_cast<std::uint64_t>(cells[at]), static_cast<std::uint32_t>(at % patterns)});
  }
  return hits;
}

/// Checks all ways of asking against the answer. The searcher's options are those of the answer.
void check_source(const RecordSearcher& searcher, const RecordSource& records, const Answer& expected);
/// Checks these records and, if the searcher has a GPU, a resident copy of them.
void check(const RecordSearcher& searcher, const Records& records, const Answer& expected);

}  // namespace lode::tests
