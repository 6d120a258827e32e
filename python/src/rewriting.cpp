#include "rewriting.hpp"

#include <nanobind/stl/string_view.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "boolean_column.hpp"
#include "lode/error.hpp"
#include "lode/rewrite.hpp"
#include "stats.hpp"
#include "text.hpp"

namespace lode::python {
namespace {

std::string bytes_of(nb::handle given) { return std::string(HeldBytes(given, "a replacement").view()); }

Replacements replacements_of(const GivenReplacements& given) {
  const auto kind = nb::cast<std::string_view>(given[0]);
  if (kind == "own")
    return given[1].is_none() ? Replacements::of_patterns() : Replacements::of_patterns(bytes_of(given[1]));
  if (kind == "mask") return Replacements::mask(bytes_of(given[1]));
  std::vector<std::string> by_id;
  for (const nb::handle one : given[1]) by_id.push_back(bytes_of(one));
  return Replacements::by_id(by_id);
}

std::uint64_t matches_of_rows(const RecordMatches& of_values, const RecordColumn::Chunk& part) {
  std::uint64_t matches = 0;
  for (std::uint64_t row = 0; row < part.size(); ++row) {
    if (part.is_null(row)) continue;
    const std::uint32_t value = (*part.dictionary)[row];
    matches += of_values.row_starts[value + std::uint64_t{1}] - of_values.row_starts[value];
  }
  return matches;
}

RewrittenRecords spread(const RewrittenRecords& of_values, const RecordColumn::Chunk& part) {
  RewrittenRecords rows;
  rows.offsets = {0};
  for (std::uint64_t row = 0; row < part.size(); ++row) {
    if (!part.is_null(row)) {
      const std::uint32_t value = (*part.dictionary)[row];
      const auto at = [&](std::uint64_t place) { return of_values.bytes.begin() + static_cast<std::ptrdiff_t>(place); };
      rows.bytes.insert(rows.bytes.end(), at(of_values.offsets[value]),
                        at(of_values.offsets[value + std::uint64_t{1}]));
    }
    rows.offsets.push_back(rows.bytes.size());
  }
  return rows;
}

}  // namespace

nb::bytes rewrite_text(const SearcherCore& core, nb::handle text, const GivenReplacements& given, const Asked& asked) {
  const Replacements replacements = replacements_of(given);
  const HeldText held(text);
  std::string out;
  SearchStats seen;
  Listener listener(asked);
  listener.run(core.takes_long(held.text().size()), [&](std::stop_token stop, const Progress& progress) {
    RunOptions run;
    run.stop = std::move(stop);
    run.progress = progress;
    run.stats = &seen;
    core.of_texts().rewrite(
        held.text(), replacements,
        [&](std::string_view bytes) {
          out += bytes;
          return true;
        },
        run);
  });
  listener.report(seen);
  return nb::bytes(out.data(), out.size());
}

nb::tuple rewrite_records(const SearcherCore& core, const RecordColumn& column, const GivenReplacements& given,
                          const Asked& asked) {
  const Replacements replacements = replacements_of(given);
  RewrittenRecords rows;
  rows.offsets = {0};
  SearchStats sum;
  std::vector<std::uint8_t> validity;
  const std::uint64_t total_bytes = column.stored_bytes();
  const std::uint64_t cost = 2 * column.total_bytes() + column.size() * record_cost_bytes;
  Listener listener(asked);
  listener.run(core.takes_long(cost), [&](std::stop_token stop, const Progress& progress) {
    replacements.check(core.plan().patterns());
    const RecordSearcher& searcher = core.finder_in_records();
    std::uint64_t before = 0;
    const auto rewrite = [&](const RecordColumn::Chunk& part) {
      RecordStats seen;
      RecordRunOptions run;
      run.stop = stop;
      run.stats = &seen;
      run.progress = part_of(progress, before, total_bytes);
      const RecordMatches found = searcher.find(part.source(), core.options().match_kind, run);
      RewrittenRecords rewritten =
          rewrite_records(part.records, found, replacements, core.plan(), searcher.options().threads);
      if (part.dictionary) seen.search.matches = matches_of_rows(found, part);
      rows.append(part.dictionary ? spread(rewritten, part) : std::move(rewritten), column.total_bytes());
      add_stats(sum, seen.search);
      before += part.stored_bytes();
    };
    for (const RecordColumn::Chunk& chunk : column.chunks())
      chunk.for_each_host_part(view_block_bytes(core.device(), total_bytes), rewrite);
    validity = joined_validity(column);
  });
  listener.report(sum);
  return nb::make_tuple(numpy_array<std::uint64_t, std::int64_t>(std::move(rows.offsets)),
                        numpy_array<char, std::uint8_t>(std::move(rows.bytes)), numpy_array(std::move(validity)));
}

}  // namespace lode::python
