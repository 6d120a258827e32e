// Searches of records: what all of them share, and the methods of SearcherCore that make them.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <stop_token>
#include <utility>

#include "listener.hpp"
#include "records.hpp"
#include "searcher.hpp"
#include "stats.hpp"

namespace lode::python {

/// Makes one search of all chunks: calls `search(searcher, part, number of its first row, run)` without the GIL, for
/// each chunk or part of one. If the part is a dictionary, its records are the values, and `search` must spread their
/// results over the rows. `finds` says that RecordSearcher::find() is to be called, which all match kinds may.
template <class Search>
void search_records(const SearcherCore& core, const RecordColumn& column, const Asked& asked,
                    std::uint64_t result_bytes, const Search& search, bool finds = false) {
  SearchStats sum;
  const std::uint64_t cost = column.total_bytes() + column.size() * record_cost_bytes + result_bytes;
  const std::uint64_t total_bytes = column.stored_bytes();
  Listener listener(asked);
  listener.run(core.takes_long(cost), [&](std::stop_token stop, const Progress& progress) {
    const RecordSearcher& searcher = finds ? core.finder_in_records() : core.of_records();
    std::uint64_t first = 0;
    std::uint64_t before = 0;
    for (const RecordColumn::Chunk& chunk : column.chunks()) {
      chunk.for_each_part(view_block_bytes(core.device(), total_bytes), [&](const RecordColumn::Chunk& part) {
        RecordStats seen;
        RecordRunOptions run;
        run.stop = stop;
        run.stats = &seen;
        run.progress = part_of(progress, before, total_bytes);
        search(searcher, part, first, run);
        add_stats(sum, seen.search);
        first += part.size();
        before += part.stored_bytes();
      });
    }
  });
  listener.report(sum);
}

void def_record_searches(nanobind::class_<SearcherCore>& core);

}  // namespace lode::python
