// Plans of patterns with forms: what is spelled, what is refused, and what a saved plan keeps.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lode/lode.hpp"
#include "plan/plan_data.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/form_oracle.hpp"
#include "support/view_oracle.hpp"
#include "text/unicode.hpp"

namespace lode::tests {
namespace {

PatternSet one_pattern(std::string_view pattern, const char* forms, bool ignore_case = false) {
  PatternSet patterns;
  patterns.set_forms(patterns.add(pattern, ignore_case), Forms(forms));
  return patterns;
}

std::string refusal_of(const PatternSet& patterns, ErrorKind kind) {
  try {
    Plan::build(patterns);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(Forms, AreNamed) {
  EXPECT_TRUE(Forms().empty());
  EXPECT_TRUE(Forms("").empty());
  EXPECT_EQ(Forms("json,utf-16le,json").names(), "utf-16le,json");
  EXPECT_TRUE(Forms("json").has(Form::json));
  EXPECT_FALSE(Forms("json").has(Form::as_given));
  EXPECT_EQ(Forms().with(Form::as_given), Forms());
  EXPECT_EQ(Forms("json").with(Forms("iupac")), Forms("iupac,json"));
  EXPECT_EQ(form_name(Form::as_given), "as-given");
  for (const char* const name : {"utf-16le", "utf-16be", "iupac", "reverse-complement", "base64", "json"}) {
    EXPECT_EQ(Forms(name).names(), name);
    for (unsigned number = 1; number <= 6; ++number) {
      const auto form = static_cast<Form>(number);
      EXPECT_EQ(Forms(name).has(form), form_name(form) == name);
    }
  }
  for (const char* const names : {"utf-8", "json, iupac", "json,,iupac", "as-given", "JSON"})
    EXPECT_TRUE(throws_error(ErrorKind::invalid_argument, [&] { Forms{names}; })) << names;
}

TEST(Forms, SpellCharactersInAllTheirCases) {
  for (char32_t code = 0; code <= text::last_code_point; ++code) {
    const std::vector<char32_t> variants = text::case_variants(code);
    ASSERT_EQ(variants.front(), code);
    for (const char32_t one : variants)
      ASSERT_EQ(simple_fold_by_meaning(one), simple_fold_by_meaning(code)) << static_cast<std::uint32_t>(one);
    if (simple_fold_by_meaning(code) == code) continue;
    const std::vector<char32_t> of_folded = text::case_variants(simple_fold_by_meaning(code));
    ASSERT_EQ(of_folded.size(), variants.size());
    ASSERT_NE(std::find(of_folded.begin(), of_folded.end(), code), of_folded.end());
  }
}

TEST(Forms, AreLeftAsTheyAreWhereThereAreNone) {
  const Plan plan = Plan::build(PatternSet{"kitty", "puppy"});
  EXPECT_TRUE(plan.forms().empty());
  EXPECT_TRUE(plan.data().given.empty());
  EXPECT_FALSE(plan.data().has_duplicates());
}

TEST(Forms, TellOfThoseThatSpellOtherwise) {
  PatternSet patterns{"GAATTTC", "ACGT", "kitty"};
  patterns.set_forms(0, Forms("reverse-complement,base64"));
  patterns.set_forms(1, Forms("reverse-complement"));
  const Plan built = Plan::build(patterns);
  for (const Plan& plan : {built, Plan::deserialize(built.serialize())}) {
    EXPECT_EQ(plan.forms(), Forms("reverse-complement,base64"));
    ASSERT_EQ(plan.patterns().size(), 3U);
    EXPECT_EQ(plan.patterns()[2], "kitty");
    EXPECT_EQ(plan.patterns().forms(0), Forms("reverse-complement,base64"));
    EXPECT_TRUE(plan.patterns().forms(1).empty());
    EXPECT_EQ(plan.distinct_count(), 3U + 1 + 3);
    EXPECT_GT(plan.memory_bytes(), Plan::build(PatternSet{"GAATTTC", "ACGT", "kitty"}).memory_bytes());
  }
}

TEST(Forms, KeepLabelsAndTheOrderOfPatterns) {
  PatternSet patterns;
  patterns.set_forms(patterns.add("kitty", true, "cat"), Forms("utf-16le,json,base64"));
  patterns.set_forms(patterns.add("kitty", false), Forms("utf-16le"));
  PlanOptions options;
  options.view = View("one-space");
  const Plan plan = Plan::deserialize(Plan::build(patterns, options).serialize());
  EXPECT_EQ(plan.patterns().label(0), "cat");
  EXPECT_EQ(plan.patterns().label(1), "");
  EXPECT_TRUE(plan.patterns().ignore_case(0));
  const PlanData& data = plan.data();
  for (std::uint32_t at = 1; at < data.patterns.size(); ++at) {
    const auto key = [&](std::uint32_t spelling) {
      return std::pair(data.spelled_ids[spelling], data.spelled_forms[spelling]);
    };
    EXPECT_LE(key(at - 1), key(at));
    EXPECT_EQ(data.patterns.has_label(at), false);
  }
}

// All that is spelled, as a set, is what the oracle spells; in UTF-16 only where both spell all cases.
TEST(Forms, SpellWhatTheOracleSpells) {
  Random random = make_random("Forms.SpellWhatTheOracleSpells");
  const std::vector<std::string> letters = {"a",  "K",  "\xC3\xA9", "\xD0\x94",    "\xF0\x9F\x98\x80",
                                            "\"", "\n", "\x7F",     "\xE2\x80\xA8"};
  for (std::uint64_t round = 0; round < test_rounds(100, 500, 5000); ++round) {
    const bool is_dna = random.chance(40);
    std::string pattern;
    for (std::uint64_t length = random.between(1, 6); length > 0; --length)
      pattern += is_dna ? random.bytes("ACGTUacgturykmRYSWKMBDHVN", 1) : random.pick(letters);
    Forms forms = is_dna ? Forms("iupac").with(random.chance(50) ? Forms("reverse-complement") : Forms())
                         : Forms("json,utf-16be");
    forms = forms.with(Forms("base64,utf-16le"));
    PatternSet patterns;
    patterns.set_forms(patterns.add(pattern), forms);
    const Plan plan = Plan::build(patterns);
    std::vector<std::pair<Form, std::string>> expected, spelled;
    for (const OracleSpelling& one : spell_by_meaning(pattern, forms, false)) {
      const auto equal = [&](const auto& other) { return other.second == one.bytes; };
      if (std::none_of(expected.begin(), expected.end(), equal)) expected.emplace_back(one.form, one.bytes);
    }
    for (std::uint32_t at = 0; at < plan.data().patterns.size(); ++at)
      spelled.emplace_back(static_cast<Form>(plan.data().spelled_forms[at]), plan.data().patterns[at]);
    std::sort(expected.begin(), expected.end());
    std::sort(spelled.begin(), spelled.end());
    ASSERT_EQ(spelled, expected) << escape(pattern) << " as " << forms.names();
  }
}

TEST(Forms, RefusePatternsThatHaveNone) {
  const auto invalid = ErrorKind::invalid_pattern;
  for (const char* const form : {"utf-16le", "utf-16be", "json"}) {
    const std::string message = refusal_of(one_pattern("a\xFF", form), invalid);
    EXPECT_NE(message.find("pattern 0"), std::string::npos) << message;
    EXPECT_NE(message.find(form), std::string::npos) << message;
  }
  for (const char* const pattern : {"kitty", "AC GT", "ACGT\n", "A[GT", "ACGT1", "ACGT\xC3\xA9"})
    for (const char* const form : {"iupac", "reverse-complement"})
      EXPECT_NE(refusal_of(one_pattern(pattern, form), invalid).find(form), std::string::npos);
  PatternSet patterns{"ACGT", "kitty"};
  patterns.set_forms(0, Forms("iupac"));
  patterns.set_forms(1, Forms("iupac"));
  EXPECT_NE(refusal_of(patterns, invalid).find("pattern 1, 'kitty'"), std::string::npos);
}

TEST(Forms, HaveNoMoreSpellingsThanTheLimit) {
  const auto limit = ErrorKind::limit;
  Plan::build(one_pattern("NNNNNN", "iupac"));
  EXPECT_NE(refusal_of(one_pattern("NNNNNNR", "iupac"), limit).find("8192"), std::string::npos);
  EXPECT_NE(refusal_of(one_pattern("ANNNNNNN", "reverse-complement,iupac"), limit).find("16384"), std::string::npos);
  Plan::build(one_pattern("ANNNNNNN", "reverse-complement"));
  EXPECT_NE(refusal_of(one_pattern(std::string(100, 'N'), "iupac"), limit).find("more than 2^64"), std::string::npos);
  std::string cyrillic;
  for (int letter = 0; letter < 12; ++letter) cyrillic += "\xD0\xB8";
  Plan::build(one_pattern(cyrillic, "utf-16le", true));
  cyrillic += "\xD0\xB8";
  EXPECT_NE(refusal_of(one_pattern(cyrillic, "utf-16le", true), limit).find("8192"), std::string::npos);
  EXPECT_NE(refusal_of(one_pattern(cyrillic, "utf-16le", true), limit).find("--encoding"), std::string::npos);
  Plan::build(one_pattern(cyrillic, "utf-16le"));
  Plan::build(one_pattern(std::string(300, 'a') + "kk", "utf-16le,json", true));
  refusal_of(one_pattern(std::string(max_pattern_length, 'a'), "utf-16le"), limit);
  refusal_of(one_pattern(std::string(max_pattern_length - 6, 'a') + "NNNNNN", "iupac"), limit);
}

TEST(Forms, TogetherHaveNoMoreSpellingsThanASetMayHold) {
  if (is_sanitized()) GTEST_SKIP() << "16 million spellings take more memory than a sanitizer leaves";
  const auto limit = ErrorKind::limit;
  PatternSet many;
  for (std::uint32_t id = 0; id < 4097; ++id)
    many.set_forms(many.add("NNNNNN" + std::string(1, "ACGT"[id % 4])), Forms("iupac"));
  refusal_of(many, limit);
}

TEST(Forms, ServeViewsThatTheirSpellingsGoThrough) {
  PatternSet patterns = one_pattern("A  b", "json,base64");
  PlanOptions options;
  options.view = View("fold,one-space");
  const Searcher searcher(Plan::build(patterns, options));
  EXPECT_EQ(searcher.find("a B QSAgY qsagy"), (std::vector<Match>{{0, 0, 3}, {4, 0, 5, Form::base64}}));
  options.view = View("drop-punctuation");
  EXPECT_TRUE(throws_error(ErrorKind::invalid_pattern, [&] { Plan::build(one_pattern("...", "json"), options); }));
}

}  // namespace
}  // namespace lode::tests
