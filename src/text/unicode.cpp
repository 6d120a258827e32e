#include "text/unicode.hpp"

#include "text/unicode_tables.hpp"

namespace lode::text {
namespace {

// Hangul syllables are computed from their letters: 19 leading consonants, 21 vowels, 27 trailing consonants or none.
constexpr char32_t syllable_base = 0xAC00, leading_base = 0x1100, vowel_base = 0x1161, trailing_base = 0x11A7;
constexpr char32_t leading_count = 19, vowel_count = 21, trailing_count = 28;
constexpr char32_t syllable_count = leading_count * vowel_count * trailing_count;

std::uint64_t pair_key(char32_t first, char32_t second) { return std::uint64_t{first} << 32 | second; }

}  // namespace

const UnicodeData& UnicodeData::get() {
  static const UnicodeData data;
  return data;
}

UnicodeData::UnicodeData() : blocks_(1), block_of_(last_code_point / block_size + 1), starts_(2) {
  const auto mark_all = [&](const tables::Range* ranges, std::size_t count, CharacterFacts::Flag flag) {
    for (const tables::Range& range : std::span(ranges, count))
      for (char32_t code = range.first; code <= range.last; ++code) facts(code).flags |= flag;
  };
  mark_all(tables::white_space, tables::white_space_count, CharacterFacts::white_space);
  mark_all(tables::default_ignorable, tables::default_ignorable_count, CharacterFacts::ignorable);
  mark_all(tables::punctuation, tables::punctuation_count, CharacterFacts::punctuation);
  mark_all(tables::marks, tables::marks_count, CharacterFacts::mark);
  for (const tables::Range& range : std::span(tables::combining_classes, tables::combining_classes_count))
    for (char32_t code = range.first; code <= range.last; ++code) facts(code).combining_class = range.value;

  for (const tables::FoldRange& range : std::span(tables::simple_folds, tables::simple_folds_count)) {
    for (char32_t code = range.first; code <= range.last; code += range.stride) {
      const auto folded = static_cast<char32_t>(static_cast<std::int32_t>(code) + range.difference);
      facts(code).simple_fold = facts(code).full_fold = add_mapping({&folded, 1});
    }
  }
  const auto for_each_mapping = [&](const char32_t* list, std::size_t count, auto&& take) {
    for (std::size_t at = 0; at < count; at += 2 + list[at + 1])
      take(facts(list[at]), add_mapping({list + at + 2, list[at + 1]}));
  };
  for_each_mapping(tables::full_folds, tables::full_folds_count,
                   [](CharacterFacts& of, std::uint16_t number) { of.full_fold = number; });
  for_each_mapping(tables::canonical_decompositions, tables::canonical_decompositions_count,
                   [](CharacterFacts& of, std::uint16_t number) { of.canonical = of.compatible = number; });
  for_each_mapping(tables::compatible_decompositions, tables::compatible_decompositions_count,
                   [](CharacterFacts& of, std::uint16_t number) { of.compatible = number; });

  for (const tables::Composition& pair : std::span(tables::compositions, tables::compositions_count)) {
    compositions_[pair_key(pair.first, pair.second)] = pair.composed;
    facts(pair.second).flags |= CharacterFacts::composes_backward;
  }
  for (char32_t code = vowel_base; code < vowel_base + vowel_count; ++code)
    facts(code).flags |= CharacterFacts::composes_backward;
  for (char32_t code = trailing_base + 1; code < trailing_base + trailing_count; ++code)
    facts(code).flags |= CharacterFacts::composes_backward;
}

CharacterFacts& UnicodeData::facts(char32_t code) {
  std::uint16_t& block = block_of_[code / block_size];
  if (block == 0) {
    block = static_cast<std::uint16_t>(blocks_.size());
    blocks_.emplace_back();
  }
  return blocks_[block][code % block_size];
}

std::uint16_t UnicodeData::add_mapping(std::span<const char32_t> codes) {
  mapped_.insert(mapped_.end(), codes.begin(), codes.end());
  starts_.push_back(static_cast<std::uint32_t>(mapped_.size()));
  return static_cast<std::uint16_t>(starts_.size() - 2);
}

char32_t UnicodeData::composed(char32_t first, char32_t second) const {
  if (first - leading_base < leading_count && second - vowel_base < vowel_count)
    return syllable_base + ((first - leading_base) * vowel_count + (second - vowel_base)) * trailing_count;
  if (first - syllable_base < syllable_count && (first - syllable_base) % trailing_count == 0 &&
      second > trailing_base && second < trailing_base + trailing_count)
    return first + (second - trailing_base);
  const auto found = compositions_.find(pair_key(first, second));
  return found == compositions_.end() ? 0 : found->second;
}

std::vector<char32_t> case_variants(char32_t code) {
  // The table has, for each code point into which others fold, all of these.
  using Origins = std::unordered_map<char32_t, std::vector<char32_t>>;
  static const Origins origins = [] {
    Origins all;
    for (const tables::FoldRange& range : std::span(tables::simple_folds, tables::simple_folds_count))
      for (char32_t from = range.first; from <= range.last; from += range.stride)
        all[static_cast<char32_t>(static_cast<std::int32_t>(from) + range.difference)].push_back(from);
    return all;
  }();
  const UnicodeData& data = UnicodeData::get();
  const std::uint16_t mapping = data[code].simple_fold;
  const char32_t folded = mapping == 0 ? code : data.mapping(mapping).front();
  std::vector<char32_t> variants{code};
  if (folded != code) variants.push_back(folded);
  if (const auto found = origins.find(folded); found != origins.end())
    for (const char32_t one : found->second)
      if (one != code) variants.push_back(one);
  return variants;
}

void UnicodeData::decompose(char32_t code, bool compatible, std::u32string& out) const {
  if (const char32_t index = code - syllable_base; index < syllable_count) {
    out.push_back(leading_base + index / (vowel_count * trailing_count));
    out.push_back(vowel_base + index / trailing_count % vowel_count);
    if (index % trailing_count != 0) out.push_back(trailing_base + index % trailing_count);
    return;
  }
  const CharacterFacts& of = (*this)[code];
  const std::uint16_t number = compatible ? of.compatible : of.canonical;
  if (number == 0) {
    out.push_back(code);
    return;
  }
  const std::span<const char32_t> mapped = mapping(number);
  out.append(mapped.begin(), mapped.end());
}

}  // namespace lode::text
