// Writing: how a text is written. The texts of the generators are ASCII or bytes; views are measured on what is made of
// them here.
#pragma once

#include <string>
#include <string_view>

namespace lode::bench {

enum class Writing {
  plain,     // as the generator made it
  cyrillic,  // each letter is a Cyrillic one, of two bytes
  han,       // each two letters of a word are one Han character, of three bytes, without blanks between words
  utf_16le,  // each byte is a character of UTF-16
  fasta,     // lines of 60 letters, with a header before each 100 000
};

/// Throws std::runtime_error for a name that is none.
Writing writing_of(std::string_view name);
std::string_view name_of(Writing writing);

std::string written_text(std::string_view text, Writing writing);
/// A pattern, as the text has it once its view has decoded it.
std::string written_pattern(std::string_view pattern, Writing writing);

}  // namespace lode::bench
