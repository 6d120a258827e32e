#include "record_matches.hpp"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "record_searches.hpp"

namespace lode::python {
namespace {

RecordMatches spread(const RecordMatches& of_values, const DictionaryRows& dictionary) {
  RecordMatches rows;
  rows.row_starts = {0};
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

void append(RecordMatches&& part, RecordMatches& all) {
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
  RecordMatches all;
  all.row_starts = {0};
  const auto find = [&](const RecordSearcher& searcher, const RecordColumn::Chunk& part, std::uint64_t,
                        const RecordRunOptions& run) {
    RecordMatches rows = searcher.find(part.source(), core.options().match_kind, run);
    if (part.dictionary) rows = spread(rows, *part.dictionary);
    run.stats->search.matches = rows.matches.size();
    append(std::move(rows), all);
  };
  search_records(core, column, asked, 0, find, true);
  return nb::make_tuple(numpy_array(std::move(all.row_starts)), bytes_of_matches(std::move(all.matches)));
}

}  // namespace lode::python
