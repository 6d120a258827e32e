// The parts of the module lode._lode. Each adds its classes and functions.
//
// Only lode/*.py uses the module. Its names may change from version to version; those of the package may not.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <limits>
#include <string>

#include "lode/device.hpp"

namespace lode::python {

/// The device that was given, or that has the given name. The package opens a name once, so that all users of it share
/// one device.
Device device_of(nanobind::handle given);

inline constexpr std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max();

/// The value of an argument that must be a whole number from 0 to `most`: anything with __index__, else TypeError.
/// Throws Error(invalid_argument), which names the argument, for other numbers.
std::uint64_t whole_number(nanobind::handle given, const char* name, std::uint64_t most);
/// The value of an argument that must be a str; else TypeError, which names the argument.
std::string word_of(nanobind::handle given, const char* name);
/// The value of an argument that must be True or False, of Python or of NumPy; else TypeError, which names the
/// argument.
bool truth_of(nanobind::handle given, const char* name);
/// The value of the argument `threads`.
unsigned threads_of(nanobind::handle given);
/// The index in obj[index]. Raises IndexError for one that is too large for any sequence.
std::int64_t index_of(nanobind::handle given);

void bind_errors(nanobind::module_& module);
void bind_patterns(nanobind::module_& module);  // PatternSet, Plan
void bind_devices(nanobind::module_& module);   // Device, ResidentText, lists of devices and algorithms
void bind_records(nanobind::module_& module);   // Records, BooleanColumn
void bind_searcher(nanobind::module_& module);  // SearcherCore, StreamCore
void bind_utf8(nanobind::module_& module);      // code points
void bind_json(nanobind::module_& module);      // strings of JSON Lines

}  // namespace lode::python
