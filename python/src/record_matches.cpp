#include "record_matches.hpp"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "stats.hpp"

namespace lode::python {
namespace {

/// These are rows as in RecordHits, but with every occurrence.
struct RowMatches {
  std::vector<std::uint64_t> row_starts = {0};
  std::vector<Match> matches;
};

// Records lie one behind the other, so they are searched as one text, and matches that cross the end of a record are
// dropped. Example: in the records "us" and "hers" the text "ushers" has "she" at 1, which neither record holds. This
// is right only if the bytes around a record cannot change its matches, as conditions and leftmost kinds would let
// them.
void find_in_joined(const Searcher& searcher, const Records& records, RunOptions run, RowMatches& rows) {
  const std::uint64_t origin = records.begin_of(0);
  std::uint64_t record = 0;
  const auto close_rows_before = [&](std::uint64_t place) {
    for (; record < records.size() && records.end_of(record) <= place; ++record)
      rows.row_starts.push_back(rows.matches.size());
  };
  searcher.find(
      records.bytes().substr(origin, records.end_of(records.size() - 1) - origin),
      [&](std::span<const Match> batch) {
        for (Match match : batch) {
          const std::uint64_t place = origin + match.offset;
          close_rows_before(place);
          const std::uint64_t begin = records.begin_of(record);
          if (place < begin || place + match.length > records.end_of(record) || records.is_null(record)) continue;
          match.offset = place - begin;
          rows.matches.push_back(match);
        }
        return true;
      },
      run);
  for (; record < records.size(); ++record) rows.row_starts.push_back(rows.matches.size());
}

// Each record is a text of its own.
void find_in_each(const Searcher& searcher, const Records& records, RunOptions run, RowMatches& rows) {
  SearchStats all;
  SearchStats* const seen = std::exchange(run.stats, nullptr);
  SearchStats part;
  run.stats = &part;
  const Progress progress = std::exchange(run.progress, {});
  for (std::uint64_t record = 0; record < records.size(); ++record) {
    if (!records.is_null(record)) {
      const std::vector<Match> found = searcher.find(records[record], run);
      rows.matches.insert(rows.matches.end(), found.begin(), found.end());
      add_stats(all, part);
      if (progress) progress(records.end_of(record) - records.begin_of(0), records.total_bytes());
    }
    rows.row_starts.push_back(rows.matches.size());
  }
  *seen = std::move(all);
}

RowMatches spread(const RowMatches& of_values, const DictionaryRows& dictionary) {
  RowMatches rows;
  for (std::uint64_t row = 0; row < dictionary.size(); ++row) {
    if (!is_null(dictionary.validity(), row)) {
      const auto at = [&](std::uint64_t value) {
        return of_values.matches.begin() + static_cast<std::ptrdiff_t>(of_values.row_starts[value]);
      };
      const std::uint32_t value = dictionary[row];
      rows.matches.insert(rows.matches.end(), at(value), at(value + std::uint64_t{1}));
    }
    rows.row_starts.push_back(rows.matches.size());
  }
  return rows;
}

void append(RowMatches&& part, RowMatches& all) {
  if (all.row_starts.size() == 1) {
    all = std::move(part);
    return;
  }
  const std::uint64_t before = all.matches.size();
  for (std::size_t row = 1; row < part.row_starts.size(); ++row)
    all.row_starts.push_back(before + part.row_starts[row]);
  all.matches.insert(all.matches.end(), part.matches.begin(), part.matches.end());
}

}  // namespace

nb::tuple find_in_records(const SearcherCore& core, const RecordColumn& column, const Asked& asked) {
  RowMatches all;
  SearchStats sum;
  const bool joined =
      core.options().match_kind == MatchKind::overlapping && core.options().condition == Condition::none;
  const std::uint64_t cost = column.total_bytes() + column.size() * record_cost_bytes;
  const std::uint64_t total_bytes = column.stored_bytes();
  Listener listener(asked);
  listener.run(core.takes_long(cost), [&](std::stop_token stop, const Progress& progress) {
    const Searcher& searcher = core.of_texts();
    std::uint64_t before = 0;
    const auto search = [&](const RecordColumn::Chunk& part) {
      SearchStats seen;
      RunOptions run;
      run.stop = stop;
      run.stats = &seen;
      run.progress = part_of(progress, before, total_bytes);
      RowMatches rows;
      if (!part.records.empty()) (joined ? find_in_joined : find_in_each)(searcher, part.records, run, rows);
      if (part.dictionary) rows = spread(rows, *part.dictionary);
      seen.matches = rows.matches.size();
      add_stats(sum, seen);
      append(std::move(rows), all);
      before += part.stored_bytes();
    };
    for (const RecordColumn::Chunk& chunk : column.chunks())
      chunk.for_each_host_part(view_block_bytes(core.device(), total_bytes), search);
  });
  listener.report(sum);
  return nb::make_tuple(numpy_array(std::move(all.row_starts)), bytes_of_matches(std::move(all.matches)));
}

}  // namespace lode::python
