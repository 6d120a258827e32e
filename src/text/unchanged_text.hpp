// UnchangedText: tells which texts may be searched where they lie, though there is a view.
//
// A view that only folds case leaves a text as it is for patterns that ignore the case of ASCII letters, as long as
// nothing beyond ASCII folds into one of these. Two characters do: U+017F, the long s, and U+212A, the Kelvin sign.
#pragma once

#include <string_view>

#include "base/bytes.hpp"

namespace lode::text {

class UnchangedText {
 public:
  enum class Kind {
    none,   // each text may be viewed as another
    ascii,  // those that are ASCII
    plain,  // those without the two characters
    all     // the view changes no more than the case of ASCII letters
  };
  UnchangedText() = default;
  explicit UnchangedText(Kind kind) : kind_(kind) {}

  Kind kind() const { return kind_; }
  /// Pieces of a text may be looked at apart, if each repeats so many bytes of the next one.
  static constexpr std::size_t shared_bytes = 2;

  /// Whether this is such a text. A character that the text's end cuts counts as none.
  bool is(std::string_view text) const {
    return kind_ == Kind::all || (kind_ != Kind::none && is_ascii(text)) ||
           (kind_ == Kind::plain && !has(text, "\xC5\xBF") && !has(text, "\xE2\x84\xAA"));
  }

 private:
  // Looks for the first byte alone, which is rare in most languages, because the C library is fast at that.
  static bool has(std::string_view text, std::string_view character) {
    for (std::size_t at = 0; (at = text.find(character.front(), at)) != std::string_view::npos; ++at)
      if (text.substr(at, character.size()) == character) return true;
    return false;
  }

  Kind kind_ = Kind::none;
};

}  // namespace lode::text
