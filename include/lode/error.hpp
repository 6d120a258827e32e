// Error: the one exception type of the library.
//
// Every function of the public API that can fail throws lode::Error. `kind()` is for programs. `what()` is for people:
// it says what was wrong and, if something can be done about it, what to do. Two other exceptions may reach the caller:
// std::bad_alloc when the system has no memory left, and whatever the caller's own callback throws.
#pragma once

#include <stdexcept>
#include <string>

#include "lode/export.hpp"

namespace lode {

enum class ErrorKind {
  invalid_argument,  // an option or a combination of options that makes no sense
  invalid_pattern,   // an empty pattern, an empty set, a malformed pattern file
  unsupported,       // the algorithm or device asked for does not serve these patterns; the message says why
  limit,             // more patterns, longer patterns or more memory than the limits allow
  damaged_plan,      // a saved plan that is foreign, truncated, altered or of another version
  input_output,      // a file cannot be read or written, or changed while it was read
  device,            // a device is absent, lost or out of memory
  cancelled,         // the caller's stop token was set
};

/// The kind's name, as it is written in the enumeration.
LODE_API const char* name_of(ErrorKind kind) noexcept;

class LODE_API Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace lode
