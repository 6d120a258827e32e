// RecordOccurrence: where a distinct pattern occurs within a record.
#pragma once

#include <cstdint>

namespace lode {

struct RecordOccurrence {
  std::uint64_t record = 0;
  std::uint64_t offset = 0;  // from the record's first byte
  std::uint32_t distinct = 0;
  std::uint32_t length = 0;  // 0: that of the pattern
};

}  // namespace lode
