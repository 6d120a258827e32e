// Gives a search's statistics to Python: fills a dict, and warns if a GPU failed.
#pragma once

#include <nanobind/nanobind.h>

#include "lode/searcher.hpp"

namespace lode::python {

namespace nb = nanobind;

/// Adds the statistics of the next part of a call to those of the parts before it.
void add_stats(SearchStats& sum, const SearchStats& part);

/// Fills `into` unless it is None. Warns (RuntimeWarning) if device `auto` gave up a GPU.
void report(const SearchStats& stats, nb::handle into);

}  // namespace lode::python
