// Texts that trouble views, and views to trouble them.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "lode/view.hpp"
#include "support/environment.hpp"

namespace lode::tests {

/// Letters and marks that compose, Hangul, Greek final sigma, sharp s, Turkish i, ligatures, blanks of all kinds,
/// punctuation, what is ignorable, and bytes that are not UTF-8.
inline std::string troublesome_text(Random& random, std::uint64_t pieces) {
  static constexpr std::array<std::string_view, 60> all = {"a",
                                                           "b",
                                                           "s",
                                                           "S",
                                                           "e",
                                                           "E",
                                                           "k",
                                                           "i",
                                                           "I",
                                                           " ",
                                                           " ",
                                                           "\n",
                                                           "\t",
                                                           ".",
                                                           ",",
                                                           "-",
                                                           "\xC2\xA0",
                                                           "\xE3\x80\x80",
                                                           "\xC3\xA9",
                                                           "\xC3\x89",
                                                           "\xCC\x81",
                                                           "\xCC\xA3",
                                                           "\xCD\x85",
                                                           "\xCC\x88",
                                                           "\xCD\x8F",  // é É and marks
                                                           "\xC3\x9F",
                                                           "\xE1\xBA\x9E",
                                                           "\xC5\xBF",
                                                           "\xE2\x84\xAA",
                                                           "\xC4\xB0",
                                                           "\xC4\xB1",  // ß ẞ ſ K İ ı
                                                           "\xCE\xA3",
                                                           "\xCF\x83",
                                                           "\xCF\x82",
                                                           "\xCE\x90",
                                                           "\xE1\xBE\xB3",  // Σ σ ς ΐ ᾳ
                                                           "\xEF\xAC\x81",
                                                           "\xEF\xAC\x80",
                                                           "\xC2\xA8",
                                                           "\xE2\x80\xA6",
                                                           "\xC2\xBD",  // ﬁ ﬀ ¨ … ½
                                                           "\xE1\x84\x80",
                                                           "\xE1\x85\xA1",
                                                           "\xE1\x86\xA8",
                                                           "\xEA\xB0\x80",
                                                           "\xEA\xB0\x81",
                                                           "\xEF\xBE\x9E",
                                                           "\xE3\x82\xAB",
                                                           "\xC2\xAD",
                                                           "\xE2\x80\x8B",
                                                           "\xEF\xBB\xBF",
                                                           "\xEF\xB8\x8F",  // what is ignorable
                                                           "\xD0\x9F",
                                                           "\xD0\xBF",
                                                           "\xE4\xB8\xAD",
                                                           "\xF0\x90\x90\x80",  // П п 中 𐐀
                                                           "\xFF",
                                                           "\x80",
                                                           "\xC3",
                                                           "\xED\xA0\x80"};
  std::string text;
  while (pieces-- > 0) text += all[random.below(all.size())];
  return text;
}

/// Stretches of ASCII between what is troublesome.
inline std::string mostly_ascii_text(Random& random, std::uint64_t stretches) {
  std::string text;
  while (stretches-- > 0) {
    text += random.bytes("abkKsSS i\n", random.between(0, 60));
    if (random.chance(50)) text += troublesome_text(random, random.between(1, 3));
  }
  return text;
}

inline View random_view(Random& random) {
  std::string steps;
  const auto add = [&](unsigned percent, std::initializer_list<const char*> one_of) {
    if (!random.chance(percent)) return;
    steps += (steps.empty() ? "" : ",") + std::string(*(one_of.begin() + random.below(one_of.size())));
  };
  add(30, {"drop-ignorable"});
  add(60, {"nfc", "nfd", "nfkc", "nfkd"});
  add(60, {"fold-ascii", "fold-simple", "fold"});
  add(20, {"drop-marks"});
  add(40, {"drop-punctuation", "punctuation-as-space"});
  add(50, {"one-space", "drop-space"});
  return View(steps);
}

}  // namespace lode::tests
