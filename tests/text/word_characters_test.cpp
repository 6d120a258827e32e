// Word characters against the Unicode Character Database, code point by code point.
#include "text/word_characters.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/environment.hpp"
#include "support/view_oracle.hpp"
#include "text/unicode.hpp"

namespace lode::text {
namespace {

TEST(WordCharacters, AreThoseOfTheStandard) {
  const WordCharacters& characters = WordCharacters::get();
  for (char32_t code = 0; code <= last_code_point; ++code)
    ASSERT_EQ(characters.has(code), lode::tests::is_word_character(code)) << std::hex << static_cast<unsigned>(code);
  EXPECT_LE(characters.words().size(), WordCharacters::number_words + 256 * WordCharacters::block_words);
}

TEST(WordCharacters, OwnEachOfTheirBytes) {
  for (char32_t code = 0; code <= last_code_point; ++code) {
    if (code == 0xD800) code = 0xE000;  // surrogates are no characters
    char bytes[most_character_bytes];
    const std::string text = "." + std::string(bytes, encode_utf8(code, bytes)) + ".";
    for (std::size_t place = 1; place + 1 < text.size(); ++place)
      ASSERT_EQ(is_in_word(reinterpret_cast<const std::uint8_t*>(text.data()), place, text.size()),
                WordCharacters::get().has(code))
          << std::hex << static_cast<unsigned>(code);
  }
}

TEST(WordCharacters, AreWhatTheOracleFindsInAnyBytes) {
  lode::tests::Random random = lode::tests::make_random("WordCharacters");
  for (int round = 0; round < 2000; ++round) {
    const std::string text = random.bytes("a_ \x80\xBF\xA9\xC0\xC3\xD0\xE0\xE2\xED\xF0\xF4\xF5\x90\x9F", 12);
    for (std::size_t place = 0; place < text.size(); ++place)
      ASSERT_EQ(is_in_word(reinterpret_cast<const std::uint8_t*>(text.data()), place, text.size()),
                lode::tests::is_in_word(text, place))
          << lode::tests::escape(text) << " at " << place;
  }
}

}  // namespace
}  // namespace lode::text
