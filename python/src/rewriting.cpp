#include "rewriting.hpp"

#include <nanobind/stl/string_view.h>

#include <optional>
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
  if (kind == "all") return Replacements::of_all(bytes_of(given[1]));
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

// Rewrites records that lie one behind the other, by all occurrences in their bytes in order: of each record it chooses the
// leftmost ones, and drops what crosses its end. This is right only if the bytes around a record cannot change its
// occurrences, as conditions and views would let them.
class JoinedRows {
 public:
  JoinedRows(const Records& records, MatchKind kind, const Replacements& replacements, const PatternSet& patterns,
             Rows& rows)
      : records_(records), kind_(kind), replacements_(replacements), patterns_(patterns), rows_(rows) {
    if (!records.empty()) at_ = records.begin_of(0);
  }

  /// `match.offset` is a place in the records' bytes.
  void take(const Match& match) {
    while (records_.end_of(record_) <= match.offset) finish_row();
    if (match.offset < at_ || match.offset + match.length > records_.end_of(record_) || records_.is_null(record_))
      return;
    if (best_ && best_->offset == match.offset) {
      if (kind_ == MatchKind::leftmost_longest && match.length > best_->length) best_ = match;
      return;
    }
    settle();
    if (match.offset >= at_) best_ = match;
  }
  void finish() {
    while (record_ < records_.size()) finish_row();
  }
  std::uint64_t replaced() const { return replaced_; }

 private:
  void pass_on(std::uint64_t until) {
    rows_.bytes += records_.bytes().substr(at_, until - at_);
    at_ = until;
  }
  void settle() {
    if (!best_) return;
    pass_on(best_->offset);
    Match in_row = *best_;
    in_row.offset -= records_.begin_of(record_);
    replacements_.append(in_row, records_.bytes().substr(at_, in_row.length), patterns_, rows_.bytes);
    at_ += in_row.length;
    ++replaced_;
    best_.reset();
  }
  void finish_row() {
    settle();
    if (!records_.is_null(record_)) pass_on(records_.end_of(record_));
    rows_.end_row();
    if (++record_ < records_.size()) at_ = records_.begin_of(record_);
  }

  const Records& records_;
  const MatchKind kind_;
  const Replacements& replacements_;
  const PatternSet& patterns_;
  Rows& rows_;
  std::uint64_t record_ = 0;
  std::uint64_t at_ = 0;       // the bytes before it are passed on
  std::optional<Match> best_;  // of those that start at the last place
  std::uint64_t replaced_ = 0;
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

nb::tuple rewrite_records(const SearcherCore& core, const SearcherCore& finder, const RecordColumn& column,
                          const GivenReplacements& given, const Asked& asked) {
  const Replacements replacements = replacements_of(given);
  Rows rows;
  SearchStats sum;
  std::vector<std::uint8_t> validity;
  const std::uint64_t total_bytes = column.stored_bytes();
  const std::uint64_t cost = 2 * column.total_bytes() + column.size() * record_cost_bytes;
  Listener listener(asked);
  listener.run(core.takes_long(cost), [&](std::stop_token stop, const Progress& progress) {
    const Searcher& searcher = core.of_texts();
    replacements.check(core.plan().patterns());
    rows.offsets.reserve(column.size() + 1);
    rows.bytes.reserve(column.total_bytes());
    std::uint64_t before = 0;
    const ByteSink append = [&](std::string_view bytes) {
      rows.bytes += bytes;
      return true;
    };
    const bool joins = core.options().condition == Condition::none && core.plan().view().empty();
    const auto rewrite_joined = [&](const RecordColumn::Chunk& part) {
      if (part.records.empty()) return;
      SearchStats seen;
      RunOptions run;
      run.stop = stop;
      run.stats = &seen;
      run.progress = part_of(progress, before, total_bytes);
      const std::uint64_t begin = part.records.begin_of(0), end = part.records.end_of(part.records.size() - 1);
      JoinedRows joined(part.records, core.options().match_kind, replacements, core.plan().patterns(), rows);
      finder.of_texts().find(
          part.records.bytes().substr(begin, end - begin),
          [&](std::span<const Match> matches) {
            for (Match match : matches) {
              match.offset += begin;
              joined.take(match);
            }
            return true;
          },
          run);
      joined.finish();
      seen.matches = joined.replaced();
      add_stats(sum, seen);
      before += part.stored_bytes();
    };
    const auto rewrite = [&](const RecordColumn::Chunk& part) {
      if (joins && !part.dictionary) return rewrite_joined(part);
      RecordStats of_finder;
      RecordRunOptions run;
      run.stop = stop;
      run.stats = &of_finder;
      run.progress = part_of(progress, before, total_bytes);
      // Most rows have no match as a rule, and are copied.
      const std::vector<std::uint8_t> matches = finder.of_records().contains_any(part.source(), run);
      std::uint64_t replaced = 0;
      for (std::uint64_t row = 0; row < part.size(); ++row) {
        if (!part.is_null(row)) {
          const std::uint64_t record = part.dictionary ? (*part.dictionary)[row] : row;
          const std::string_view bytes = part.records[record];
          if ((matches[record / 8] >> (record % 8) & 1) != 0) {
            RunOptions of_row;
            of_row.stop = stop;
            replaced += searcher.rewrite(bytes, replacements, append, of_row);
          } else {
            rows.bytes += bytes;
          }
        }
        rows.end_row();
      }
      of_finder.search.matches = replaced;
      add_stats(sum, of_finder.search);
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
