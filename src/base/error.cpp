#include "lode/error.hpp"

namespace lode {

const char* name_of(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::invalid_argument: return "invalid_argument";
    case ErrorKind::invalid_pattern: return "invalid_pattern";
    case ErrorKind::unsupported: return "unsupported";
    case ErrorKind::limit: return "limit";
    case ErrorKind::damaged_plan: return "damaged_plan";
    case ErrorKind::input_output: return "input_output";
    case ErrorKind::device: return "device";
    case ErrorKind::cancelled: return "cancelled";
  }
  return "unknown";
}

}  // namespace lode
