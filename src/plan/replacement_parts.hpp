// ReplacementPart: a replacement, as people write it, is bytes and fields in braces (rewrite.hpp).
//
//   "<{id}: {{{match}}}>"   "<" id, ": " none, "{" match, "}" none, ">" none
#pragma once

#include <string_view>

namespace lode {

struct ReplacementPart {
  enum class Field { none, id, label, match, form };
  std::string_view bytes;  // which stand before the field
  Field field = Field::none;
};

/// Takes the next part off `rest`, the end of `replacement`, which is not empty. Throws Error(invalid_argument) for braces
/// that hold no field.
ReplacementPart take_part(std::string_view replacement, std::string_view& rest);

/// Throws what take_part() would.
void check_replacement(std::string_view replacement);

}  // namespace lode
