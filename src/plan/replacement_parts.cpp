#include "plan/replacement_parts.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "lode/error.hpp"

namespace lode {

ReplacementPart take_part(std::string_view replacement, std::string_view& rest) {
  using Field = ReplacementPart::Field;
  const std::size_t brace = std::min(rest.find_first_of("{}"), rest.size());
  ReplacementPart part{rest.substr(0, brace), Field::none};
  rest.remove_prefix(brace);
  if (rest.empty()) return part;
  if (rest.starts_with("{{") || rest.starts_with("}}")) {
    part.bytes = {part.bytes.data(), part.bytes.size() + 1};  // with the first of the two
    rest.remove_prefix(2);
    return part;
  }
  constexpr std::pair<std::string_view, Field> fields[] = {
      {"{id}", Field::id}, {"{label}", Field::label}, {"{match}", Field::match}, {"{form}", Field::form}};
  const auto* const field =
      std::find_if(std::begin(fields), std::end(fields), [&](const auto& one) { return rest.starts_with(one.first); });
  if (field == std::end(fields))
    throw Error(ErrorKind::invalid_argument, "the replacement '" + std::string(replacement) +
                                                 "' may have {id}, {label}, {match} and {form} in braces, and {{ and "
                                                 "}} for braces");
  part.field = field->second;
  rest.remove_prefix(field->first.size());
  return part;
}

void check_replacement(std::string_view replacement) {
  for (std::string_view rest = replacement; !rest.empty();) take_part(replacement, rest);
}

}  // namespace lode
