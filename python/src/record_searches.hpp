// Binds the methods of SearcherCore that search records.
#pragma once

#include <nanobind/nanobind.h>

#include "searcher.hpp"

namespace lode::python {

void def_record_searches(nanobind::class_<SearcherCore>& core);

}  // namespace lode::python
