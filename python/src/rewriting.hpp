// Rewrites texts and columns: puts replacements in the place of matches.
#pragma once

#include <nanobind/nanobind.h>

#include "listener.hpp"
#include "records.hpp"
#include "searcher.hpp"

namespace lode::python {

/// Python gives replacements as a kind and a value: ("own", bytes or None for patterns that have none of their own), ("ids",
/// a list of bytes) or ("mask", bytes).
using GivenReplacements = nb::typed<nb::tuple, nb::object, nb::object>;

/// The rewritten text. Precondition: the searcher has a leftmost match kind.
nb::bytes rewrite_text(const SearcherCore& core, nb::handle text, const GivenReplacements& given, const Asked& asked);
/// Gives (offsets, bytes, validity bits or an empty array) of the rewritten column; row r is bytes[offsets[r] :
/// offsets[r + 1]]. Precondition as above.
nb::tuple rewrite_records(const SearcherCore& core, const RecordColumn& column, const GivenReplacements& given,
                          const Asked& asked);

}  // namespace lode::python
