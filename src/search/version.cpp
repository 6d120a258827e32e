#include "lode/version.hpp"

#define LODE_TEXT_OF(value) #value
#define LODE_TEXT(value) LODE_TEXT_OF(value)

namespace lode {

const char* version() noexcept {
  return LODE_TEXT(LODE_VERSION_MAJOR) "." LODE_TEXT(LODE_VERSION_MINOR) "." LODE_TEXT(LODE_VERSION_PATCH);
}

}  // namespace lode
