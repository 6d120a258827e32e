// Finds all matches in each of many records.
#pragma once

#include <nanobind/nanobind.h>

#include "listener.hpp"
#include "records.hpp"
#include "searcher.hpp"

namespace lode::python {

/// Gives (row_starts, bytes of lode::Match): the matches of record r are [row_starts[r], row_starts[r + 1]), with
/// offsets from the record's first byte. Needs the GIL, and releases it during the search. Match kinds apply to each
/// record alone.
nb::tuple find_in_records(const SearcherCore& core, const RecordColumn& column, const Asked& asked);

}  // namespace lode::python
