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

// The rewritten rows, one behind the other.
struct Rows {
  std::vector<std::int64_t> offsets = {0};
  std::string bytes;

  void end_row() { offsets.push_back(static_cast<std::int64_t>(bytes.size())); }
};

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
  Rows rows;
  SearchStats sum;
  std::vector<std::uint8_t> validity;
  const std::uint64_t total_bytes = column.stored_bytes();
  const std::uint64_t cost = 2 * column.total_bytes() + column.size() * record_cost_bytes;
  Listener listener(asked);
  listener.run(core.takes_long(cost), [&](std::stop_token stop, const Progress& progress) {
    const PatternSet& patterns = core.plan().patterns();
    replacements.check(patterns);
    const RecordSearcher& searcher = core.finder_in_records();
    rows.offsets.reserve(column.size() + 1);
    rows.bytes.reserve(column.total_bytes());
    std::uint64_t before = 0;
    const auto rewrite = [&](const RecordColumn::Chunk& part) {
      RecordStats seen;
      RecordRunOptions run;
      run.stop = stop;
      run.stats = &seen;
      run.progress = part_of(progress, before, total_bytes);
      const RecordMatches found = searcher.find(part.source(), core.options().match_kind, run);
      std::uint64_t replaced = 0;
      for (std::uint64_t row = 0; row < part.size(); ++row) {
        if (!part.is_null(row)) {
          const std::uint64_t record = part.dictionary ? (*part.dictionary)[row] : row;
          const std::string_view bytes = part.records[record];
          std::uint64_t at = 0;
          for (std::uint64_t next = found.row_starts[record]; next < found.row_starts[record + 1]; ++next) {
            const Match& match = found.matches[next];
            rows.bytes += bytes.substr(at, match.offset - at);
            replacements.append(match, bytes.substr(match.offset, match.length), patterns, rows.bytes);
            at = match.offset + match.length;
            ++replaced;
          }
          rows.bytes += bytes.substr(at);
        }
        rows.end_row();
      }
      seen.search.matches = replaced;
      add_stats(sum, seen.search);
      before += part.stored_bytes();
    };
    for (const RecordColumn::Chunk& chunk : column.chunks())
      chunk.for_each_host_part(view_block_bytes(core.device(), total_bytes), rewrite);
    validity = joined_validity(column);
  });
  listener.report(sum);
  return nb::make_tuple(numpy_array(std::move(rows.offsets)), nb::bytes(rows.bytes.data(), rows.bytes.size()),
                        numpy_array(std::move(validity)));
}

}  // namespace lode::python
