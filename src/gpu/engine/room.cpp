#include "gpu/engine/room.hpp"

#include "text/word_characters.hpp"

namespace lode::gpu {
namespace {

constexpr std::uint64_t tables_of_memory = 2;  // tables get a half; the other is for text and lists
// Beside an algorithm's tables a pattern takes its lode_pattern, and a count in each of three slots.
constexpr std::uint64_t bytes_of_pattern = 8 + 3 * 4;
constexpr std::uint64_t most_padding = 3;  // bytes before the next pattern, which begins at a word

}  // namespace

bool has_room(const Limits& limits, const TableBytes& tables, const PatternAmount& amount) {
  const std::uint64_t table_bytes = tables.once + tables.per_pattern * amount.patterns + tables.per_byte * amount.bytes;
  // The table of word characters lies before the patterns.
  const std::uint64_t pattern_bytes =
      text::WordCharacters::get().words().size_bytes() + amount.bytes + most_padding * amount.patterns;
  const std::uint64_t all_bytes = table_bytes + pattern_bytes + bytes_of_pattern * amount.patterns;
  return table_bytes <= limits.max_buffer_bytes && pattern_bytes <= limits.max_buffer_bytes &&
         all_bytes <= limits.memory_bytes / tables_of_memory;
}

}  // namespace lode::gpu
