// What a search tells about itself, as Python gets it: a dict to fill, and a warning where a GPU failed.
#pragma once

#include <nanobind/nanobind.h>

#include "lode/searcher.hpp"

namespace lode::python {

namespace nb = nanobind;

/// Adds what the next part of a call did to what the parts before it did.
void add_stats(SearchStats& sum, const SearchStats& part);

/// Fills `into` unless it is None. Warns (RuntimeWarning) where device `auto` gave a GPU up.
void report(const SearchStats& stats, nb::handle into);

}  // namespace lode::python
