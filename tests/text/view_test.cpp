// Views: what each step makes of a text, against the Unicode Character Database, utf8proc, and the plain meaning of the
// steps.

#include "lode/view.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/instruction_sets.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/view_oracle.hpp"
#include "support/view_texts.hpp"
#include "text/unicode.hpp"
#include "text/viewer.hpp"

namespace lode::tests {
namespace {

std::string utf8(char32_t code) {
  std::string bytes;
  text::append_utf8(code, bytes);
  return bytes;
}

// One viewer for many texts, because it takes longer to make than to view a short one.
ViewedText viewed_by(const text::Viewer& viewer, std::string_view text) {
  ViewedText seen;
  viewer.append(text, 0, text.size(), 0, seen);
  return seen;
}

std::string viewed(std::string_view text, std::string_view steps) { return view_text(text, View(steps)).bytes; }

TEST(View, NamesItsStepsInTheOrderInWhichTheyRun) {
  EXPECT_EQ(View("one-space,fold,nfc").name(), "nfc,fold,one-space");
  EXPECT_EQ(View("words").name(), "drop-ignorable,nfkc,fold,punctuation-as-space,one-space");
  EXPECT_EQ(View("words"), View(View("words").name()));
  EXPECT_TRUE(View("").empty());
  EXPECT_TRUE(View().empty());
}

TEST(View, RefusesWhatItDoesNotKnowAndWhatExcludesEachOther) {
  for (const char* const steps : {"folding", "nfc,nfd", "fold,fold-ascii", "one-space,drop-space", "words,nfd", " fold",
                                  "drop-punctuation,punctuation-as-space"}) {
    EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { View view(steps); })) << steps;
  }
}

TEST(View, ShowsSixWords) {
  EXPECT_EQ(viewed("Straße", "fold"), "strasse");
  EXPECT_EQ(viewed("Straße", "fold-simple"), "straße");
  EXPECT_EQ(viewed("ПАРОЛЬ", "fold"), "пароль");
  EXPECT_EQ(viewed("ПАРОЛЬ", "fold-ascii"), "ПАРОЛЬ");
  EXPECT_EQ(viewed("cafe\xCC\x81", "nfc"), "caf\xC3\xA9");
  EXPECT_EQ(viewed("caf\xC3\xA9", "drop-marks"), "cafe");
  EXPECT_EQ(viewed("\xEF\xAC\x81ve", "nfkc"), "five");
  EXPECT_EQ(viewed("soft\xC2\xADly", "drop-ignorable"), "softly");
  EXPECT_EQ(viewed("\xE2\x80\x9Cquoted\xE2\x80\x9D,\tword", "words"), " quoted word");
  EXPECT_EQ(viewed("a, b", "drop-punctuation"), "a b");
  EXPECT_EQ(viewed(" a\n\tb ", "drop-space"), "ab");
  EXPECT_EQ(viewed("bad \xFF\xC3(", "fold,one-space"), "bad \xFF\xC3(");
}

TEST(View, ProfilesTheWholeOfNormalizationTest) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(
      ::popen(
          "cat /usr/share/unicode/NormalizationTest.txt 2>/dev/null || bzcat /usr/share/unicode/NormalizationTest.txt.bz2",
          "r"),
      ::pclose);
  ASSERT_NE(file, nullptr);
  const View forms[] = {View("nfc"), View("nfd"), View("nfkc"), View("nfkd")};
  const text::Viewer viewers[] = {text::Viewer(forms[0]), text::Viewer(forms[1]), text::Viewer(forms[2]),
                                  text::Viewer(forms[3])};
  std::uint64_t lines = 0;
  for (char line[4096]; std::fgets(line, sizeof line, file.get()) != nullptr;) {
    if (line[0] == '#' || line[0] == '@') continue;
    ++lines;
    std::string columns[5];
    std::istringstream fields{std::string(line)};
    for (std::string& column : columns) {
      std::string codes;
      std::getline(fields, codes, ';');
      std::istringstream numbers(codes);
      for (std::string number; numbers >> number;)
        column += utf8(static_cast<char32_t>(std::stoul(number, nullptr, 16)));
    }
    for (int from = 0; from < 5; ++from)
      for (int form = 0; form < 4; ++form)
        ASSERT_EQ(viewed_by(viewers[form], columns[from]).bytes, columns[from < 3 || form > 1 ? form + 1 : 3 + form])
            << line << forms[form].name() << " of column " << from + 1;
  }
  EXPECT_GT(lines, 18'000U) << "install the package unicode-data";
}

TEST(View, IsOfEveryCodePointWhatItsStepsMean) {
  const char32_t step = test_effort() == 0 ? 13 : 1;
  for (const View& view : {View("fold"), View("fold-simple"), View("nfkc,fold,drop-ignorable"), View("drop-marks"),
                           View("punctuation-as-space,one-space"), View("drop-punctuation,drop-space")}) {
    const text::Viewer viewer(view);
    for (char32_t code = 0; code <= text::last_code_point; code += code < 0x3400 ? 1 : step) {
      if (code >= 0xD800 && code <= 0xDFFF) continue;
      const std::string text = utf8(code) + "a" + utf8(code);
      const ViewedText seen = viewed_by(viewer, text);
      ASSERT_EQ(segments_of(seen, text), view_by_meaning(text, view))
          << "code point " << static_cast<std::uint32_t>(code) << " in " << view.name();
    }
  }
}

TEST(View, IsOfTroublesomeTextsWhatItsStepsMean) {
  Random random = make_random("View TroublesomeTexts");
  for (std::uint64_t round = 0; round < test_rounds(3'000, 30'000, 1'000'000); ++round) {
    const View view = random_view(random);
    const std::string text = troublesome_text(random, random.below(24));
    const ViewedText seen = view_text(text, view);
    ASSERT_EQ(segments_of(seen, text), view_by_meaning(text, view)) << view.name() << ": " << escape(text);
  }
}

// Runs of characters that stay as long as they were are rewritten 64 bytes at a time. What is not such a character, or
// becomes shorter, or joins others, stands at each place of a block, and is cut by its end.
TEST(View, IsTheSameAtEachPlaceOfABlockWithEachInstructionSet) {
  static constexpr const char* fillers[] = {"a", "\xD0\x96", "\xE4\xB8\xAD", "\xEF\xBC\xA1", " ", "\xFF"};  // Ж 中 Ａ
  static constexpr const char* specials[] = {" ,",
                                             ".",
                                             "Z",
                                             "\xC3\x89",
                                             "\xC3\x9F",
                                             "\xCC\x81",
                                             "\xC2\xA0",
                                             "\xEF\xBC\x8C",
                                             "\xE3\x80\x82",
                                             "\xE3\x80\x80",
                                             "\xE1\xBA\x9E",
                                             "\xE2\x80\x8B",
                                             "\xED\xA0\x80",
                                             "\xF0\x90\x90\x80",
                                             "\xD0",
                                             "\xE4\xB8",
                                             "\xE4",
                                             "\x80",
                                             "\xC2\xAD",
                                             "\xEF\xAC\x81"};
  const std::size_t step = test_effort() == 0 ? 9 : test_effort() == 1 ? 3 : 1;
  for (const View& view : {View("words"), View("fold"), View("nfkc"), View("drop-punctuation,one-space,fold-ascii"),
                           View("drop-marks,punctuation-as-space"), View("drop-space")}) {
    for (const InstructionSet set : instruction_sets()) {
      const text::Viewer viewer(view, name_of(set));
      for (std::size_t before = 0; before < 70; before += step) {
        for (const char* const special : specials) {
          for (const char* const filler : fillers) {
            std::string text;
            for (std::size_t at = 0; text.size() < before; ++at) text += at % 5 == 4 ? "a" : filler;
            text += special;
            for (std::size_t at = 0; at < 40; ++at) text += filler;
            const ViewedText seen = viewed_by(viewer, text);
            ASSERT_EQ(segments_of(seen, text), view_by_meaning(text, view))
                << view.name() << " on " << name_of(set) << ": " << escape(text);
          }
        }
      }
    }
  }
}

// Of a script whose characters the tables know, blocks end within characters. What ends such a run, or belongs to its last
// character, stands anywhere in the blocks.
TEST(View, IsOfLongRunsWhatItsStepsMean) {
  const std::vector<const char*> fillers = {
      "\xD0\x96", "\xD1\x8F", "\xE4\xB8\xAD", "\xEF\xBC\x8C", "\xE3\x80\x80", " ",
      "Z",        ",",        "\xCE\xA3",     "\xE2\x80\x99"};  // Ж я 中 ， 　 Σ ’
  const std::vector<const char*> specials = {"\xCC\x81", "\xC3\x9F", "\xE2\x80\x9C", "\xF0\x90\x90\x80",
                                             "\xD0",     "\xE4\xB8", "\x80",         "\xE2\x80\x8B",
                                             "\xC2\xAD", "  ,",      "\xEF\xAC\x81", ""};
  Random random = make_random("View LongRuns");
  for (std::uint64_t round = 0; round < test_rounds(400, 4'000, 200'000); ++round) {
    const View view = random.below(2) == 0 ? random_view(random) : View(random.below(2) == 0 ? "words" : "fold-simple");
    std::string text;
    for (std::size_t part = random.below(4); part < 4; ++part) {
      const char* const often = random.pick(fillers);
      const std::size_t rareness = random.between(1, 40);
      for (const std::size_t end = text.size() + random.between(100, 500); text.size() < end;)
        text += random.below(rareness) == 0 ? random.pick(fillers) : often;
      text += random.pick(specials);
    }
    const text::Viewer viewer(view, name_of(random.pick(instruction_sets())));
    const ViewedText seen = viewed_by(viewer, text);
    ASSERT_EQ(segments_of(seen, text), view_by_meaning(text, view)) << view.name() << ": " << escape(text);
  }
}

TEST(View, IsTheSamePartByPart) {
  Random random = make_random("View PartByPart");
  for (std::uint64_t round = 0; round < test_rounds(3'000, 30'000, 1'000'000); ++round) {
    const View view = random_view(random);
    const std::string text = troublesome_text(random, random.below(40));
    const text::Viewer viewer(view);
    ViewedText parts;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t until = random.between(at + 1, text.size());
      const std::size_t cut = viewer.next_cut(text, until);
      at = viewer.append(text, at, until, 0, parts);
      ASSERT_EQ(at, cut) << view.name() << " until " << until << ": " << escape(text);
    }
    ASSERT_EQ(segments_of(parts, text), view_by_meaning(text, view)) << view.name() << ": " << escape(text);
  }
}

}  // namespace
}  // namespace lode::tests
