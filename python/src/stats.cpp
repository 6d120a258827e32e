#include "stats.hpp"

#include <nanobind/stl/string.h>

#include <utility>

namespace lode::python {

void add_stats(SearchStats& sum, const SearchStats& part) {
  SearchStats added = part;
  added.bytes += sum.bytes;
  added.candidates += sum.candidates;
  added.matches += sum.matches;
  added.seconds += sum.seconds;
  if (added.warning.empty()) added.warning = std::move(sum.warning);
  sum = std::move(added);
}

void report(const SearchStats& stats, nb::handle into) {
  if (!into.is_none()) {
    nb::dict filled = nb::borrow<nb::dict>(into);
    filled["algorithm"] = stats.algorithm;
    filled["device"] = stats.device;
    filled["instruction_set"] = stats.instruction_set;
    filled["strategy"] = stats.strategy;
    filled["threads"] = stats.threads;
    filled["bytes"] = stats.bytes;
    filled["candidates"] = stats.candidates;
    filled["matches"] = stats.matches;
    filled["seconds"] = stats.seconds;
    filled["choice"] = stats.choice;
  }
  if (!stats.warning.empty() && PyErr_WarnEx(PyExc_RuntimeWarning, stats.warning.c_str(), 2) != 0)
    nb::raise_python_error();
}

}  // namespace lode::python
