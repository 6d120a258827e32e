// The parts of the module lode._lode: each adds its classes and functions.
//
// The module is what lode/*.py stands on. Its names may change from version to version; those of the package may not.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <limits>
#include <string>

#include "lode/device.hpp"

namespace lode::python {

/// A name is a device that the package opens once: the searcher of the same name then has the same one.
Device device_of(nanobind::handle given);

inline constexpr std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max();

/// An argument that is a whole number of at least 0: anything with __index__, else TypeError. Throws
/// Error(invalid_argument), which names the argument, for other numbers.
std::uint64_t whole_number(nanobind::handle given, const char* name, std::uint64_t most);
/// An argument that is a str; else TypeError, which names the argument.
std::string word_of(nanobind::handle given, const char* name);
/// An argument that is True or False, of Python or of NumPy; else TypeError, which names the argument.
bool truth_of(nanobind::handle given, const char* name);
/// The argument `threads`.
unsigned threads_of(nanobind::handle given);
/// The index in obj[index]: one that no sequence can have raises IndexError.
std::int64_t index_of(nanobind::handle given);

void bind_errors(nanobind::module_& module);
void bind_patterns(nanobind::module_& module);  // PatternSet, Plan
void bind_devices(nanobind::module_& module);   // Device, ResidentText, what there is
void bind_records(nanobind::module_& module);   // Records, BooleanColumn
void bind_searcher(nanobind::module_& module);  // SearcherCore, StreamCore
void bind_utf8(nanobind::module_& module);      // code points

}  // namespace lode::python
