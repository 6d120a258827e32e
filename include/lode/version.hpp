// The version of these headers. The build takes its version from here; there is no second place.
//
// Versions are major.minor.patch. A change of the C ABI, of the C++ API or of the meaning of a match raises the major
// number, or the minor one as long as the major one is 0. lode::version() returns the version of the library that is
// linked, which may be newer than the headers.
#pragma once

#include "lode/export.hpp"

#define LODE_VERSION_MAJOR 0
#define LODE_VERSION_MINOR 2
#define LODE_VERSION_PATCH 0

namespace lode {

/// The version of the library in use: "0.2.0".
LODE_API const char* version() noexcept;

}  // namespace lode
