#include "plan/spellings.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/bytes.hpp"
#include "lode/error.hpp"
#include "text/unicode.hpp"

namespace lode {
namespace {

// Which letters are one, whatever their case.
enum class CaseRule { keep, ascii, simple };

// How a spelling is compared: as its pattern, exactly, or without the case of bytes that are ASCII letters, whatever
// the view makes of case.
enum class Comparison { as_pattern, exact, fold_bytes };

struct Spelling {
  std::string bytes;
  Comparison comparison = Comparison::as_pattern;
};

struct SpelledPattern {
  std::string_view bytes;
  CaseRule rule = CaseRule::keep;
  Forms forms;  // all that it has
};

[[noreturn]] void refuse_pattern(const std::string& why) { throw Error(ErrorKind::invalid_pattern, why); }

// Variants: a pattern, some of whose places may be written in several ways.
//
//   "a" {k U+212A} "y"   makes   aky aU+212Ay
class Variants {
 public:
  void add(std::string_view bytes) {
    fixed_bytes_ += bytes.size();
    parts_.back().fixed += bytes;
  }
  void add(std::vector<std::string> choices) {
    if (choices.size() == 1) return add(choices.front());
    if (__builtin_mul_overflow(count_, choices.size(), &count_)) count_ = std::numeric_limits<std::uint64_t>::max();
    if (count_ > max_spellings) return;  // they are only counted
    std::size_t longest = 0;
    for (const std::string& choice : choices) longest = std::max(longest, choice.size());
    fixed_bytes_ += longest;
    parts_.back().choices = std::move(choices);
    parts_.emplace_back();
  }

  /// Appends all that the pattern may look like.
  void append_to(std::vector<Spelling>& spellings, Comparison comparison = Comparison::as_pattern,
                 std::string_view advice = {}) const {
    if (count_ > max_spellings)
      throw Error(
          ErrorKind::limit,
          "it needs " +
              (count_ == std::numeric_limits<std::uint64_t>::max() ? "more than 2^64" : std::to_string(count_)) +
              " spellings: the limit is " + std::to_string(max_spellings) + std::string(advice));
    // The pattern as given takes room beside them.
    if (count_ > 1 && fixed_bytes_ >= max_pattern_bytes / count_)
      throw Error(ErrorKind::limit,
                  "it and its spellings have more than " + std::to_string(max_pattern_bytes) + " bytes");
    for (std::uint64_t number = 0; number < count_; ++number) {
      std::string bytes;
      bytes.reserve(fixed_bytes_);
      std::uint64_t rest = number;
      for (const Part& part : parts_) {
        bytes += part.fixed;
        if (part.choices.empty()) continue;
        bytes += part.choices[rest % part.choices.size()];
        rest /= part.choices.size();
      }
      spellings.push_back({std::move(bytes), comparison});
    }
  }

 private:
  struct Part {
    std::string fixed;
    std::vector<std::string> choices;  // behind it; none in the last part
  };
  std::vector<Part> parts_{1};
  std::uint64_t count_ = 1;
  std::size_t fixed_bytes_ = 0;  // of the longest spelling
};

std::vector<char32_t> characters_of(std::string_view pattern) {
  std::vector<char32_t> codes;
  for (std::size_t at = 0; at < pattern.size();) {
    const text::DecodedCharacter character = text::decode_utf8(pattern.substr(at));
    if (!character.is_valid)
      refuse_pattern("it is not UTF-8 (byte " + std::to_string(at) + "), as this form needs it to be");
    codes.push_back(character.code);
    at += character.length;
  }
  return codes;
}

bool is_ascii_letter(char32_t code) { return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z'); }

// A character in all its cases, itself first.
std::vector<char32_t> cases_of(char32_t code, CaseRule rule) {
  if (rule == CaseRule::simple) return text::case_variants(code);
  if (rule == CaseRule::ascii && is_ascii_letter(code)) return {code, code ^ 0x20};
  return {code};
}

// The cases of a character, of which those that differ in the case of an ASCII letter alone count as one.
std::vector<char32_t> cases_beyond_ascii(char32_t code, CaseRule rule) {
  std::vector<char32_t> cases = cases_of(code, rule);
  bool has_ascii = false;
  std::erase_if(cases, [&](char32_t one) { return one < 0x80 && std::exchange(has_ascii, true); });
  return cases;
}

template <class Use>
void for_each_unit(char32_t code, Use use) {
  if (code < 0x10000) return use(static_cast<char16_t>(code));
  use(static_cast<char16_t>(0xD800 + ((code - 0x10000) >> 10)));
  use(static_cast<char16_t>(0xDC00 + ((code - 0x10000) & 0x3FF)));
}

std::string utf_16(char32_t code, bool is_big) {
  std::string bytes;
  for_each_unit(code, [&](char16_t unit) {
    const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xFF);
    bytes += is_big ? high : low;
    bytes += is_big ? low : high;
  });
  return bytes;
}

// Whether ignoring the case of ASCII bytes would take a character for another one that is not its other case: a byte of
// a unit beyond ASCII is a letter. The U+0430 of Cyrillic has the byte 0x30, and U+0441 has an `A`.
bool has_letter_bytes(char32_t code) {
  bool found = false;
  for_each_unit(code, [&](char16_t unit) {
    found = found || (unit >= 0x80 && (is_ascii_letter(unit & 0xFF) || is_ascii_letter(unit >> 8)));
  });
  return found;
}

// Where bytes may ignore the case of ASCII, only characters with other cases are spelled in several ways.
//
//   kö     k|U+212A ö|Ö        4 spellings, which ignore the case of bytes
//   со     с|С о|О             4 spellings, which keep it: с is 41 04, and 41 is an A
std::vector<Spelling> spell_utf_16(const SpelledPattern& pattern, bool is_big) {
  const std::vector<char32_t> codes = characters_of(pattern.bytes);
  auto comparison = pattern.rule == CaseRule::keep ? Comparison::exact : Comparison::fold_bytes;
  if (pattern.rule != CaseRule::keep) {
    for (const char32_t code : codes)
      for (const char32_t one : cases_of(code, pattern.rule))
        if (has_letter_bytes(one)) comparison = Comparison::exact;
  }
  Variants variants;
  for (const char32_t code : codes) {
    std::vector<std::string> choices;
    const bool spells_all = comparison == Comparison::exact;
    for (const char32_t one : spells_all ? cases_of(code, pattern.rule) : cases_beyond_ascii(code, pattern.rule))
      choices.push_back(utf_16(one, is_big));
    variants.add(std::move(choices));
  }
  std::vector<Spelling> spellings;
  variants.append_to(spellings, comparison,
                     std::string(": search UTF-16 texts by the view (--encoding) ") +
                         (is_big ? "utf-16be" : "utf-16le") + " instead, or mind the case");
  return spellings;
}

std::vector<Spelling> spell_utf_16le(const SpelledPattern& pattern) { return spell_utf_16(pattern, false); }
std::vector<Spelling> spell_utf_16be(const SpelledPattern& pattern) { return spell_utf_16(pattern, true); }

struct Nucleotide {
  char letter;
  char complement;
  std::string_view bases;  // that it stands for; empty: itself
};
constexpr std::array<Nucleotide, 16> nucleotides = {{
    {'A', 'T', {}},
    {'C', 'G', {}},
    {'G', 'C', {}},
    {'T', 'A', {}},
    {'U', 'A', {}},
    {'R', 'Y', "AG"},
    {'Y', 'R', "CT"},
    {'S', 'S', "CG"},
    {'W', 'W', "AT"},
    {'K', 'M', "GT"},
    {'M', 'K', "AC"},
    {'B', 'V', "CGT"},
    {'D', 'H', "AGT"},
    {'H', 'D', "ACT"},
    {'V', 'B', "ACG"},
    {'N', 'N', "ACGT"},
}};

const Nucleotide& nucleotide(std::string_view pattern, std::size_t at) {
  const char letter =
      is_ascii_letter(static_cast<std::uint8_t>(pattern[at])) ? static_cast<char>(pattern[at] & ~0x20) : '\0';
  const auto row = std::ranges::find(nucleotides, letter, &Nucleotide::letter);
  if (row == nucleotides.end())
    refuse_pattern("its byte " + std::to_string(at) +
                   " is not a letter of DNA or RNA (ACGTU, RYSWKM, BDHVN), as this form needs it to be");
  return *row;
}

// A base in the case and the alphabet of the pattern.
char base_like(char base, bool is_lower, bool is_rna) {
  if (base == 'T' && is_rna) base = 'U';
  return static_cast<char>(is_lower ? base | 0x20 : base);
}

bool is_rna(std::string_view pattern) {
  return pattern.find_first_of("Uu") != std::string_view::npos && pattern.find_first_of("Tt") == std::string_view::npos;
}

void append_without_degenerate_letters(std::string_view pattern, bool rna, std::vector<Spelling>& spellings) {
  Variants variants;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const std::string_view bases = nucleotide(pattern, at).bases;
    if (bases.empty()) {
      variants.add(pattern.substr(at, 1));
      continue;
    }
    std::vector<std::string> choices;
    for (const char base : bases) choices.emplace_back(1, base_like(base, (pattern[at] & 0x20) != 0, rna));
    variants.add(std::move(choices));
  }
  variants.append_to(spellings);
}

std::vector<Spelling> spell_iupac(const SpelledPattern& pattern) {
  std::vector<Spelling> spellings;
  append_without_degenerate_letters(pattern.bytes, is_rna(pattern.bytes), spellings);
  return spellings;
}

std::vector<Spelling> spell_reverse_complement(const SpelledPattern& pattern) {
  const bool rna = is_rna(pattern.bytes);
  std::string reverse;
  reverse.reserve(pattern.bytes.size());
  for (std::size_t at = pattern.bytes.size(); at-- > 0;)
    reverse += base_like(nucleotide(pattern.bytes, at).complement, (pattern.bytes[at] & 0x20) != 0, rna);
  std::vector<Spelling> spellings{{reverse, Comparison::as_pattern}};
  if (pattern.forms.has(Form::iupac)) append_without_degenerate_letters(reverse, rna, spellings);
  return spellings;
}

// Three bytes are four characters of six bits. A character that has bits of a neighbour of the pattern is left out. Here
// one byte stands before `abcd`, and its spelling is the four characters in the middle:
//
//   bytes        |   ?    |   a    |   b    |   c    |   d    |   ?    |
//   characters   |   ?  |   ?  |   F  |   i  |   Y  |   2  |   ?  |   ?  |
std::vector<Spelling> spell_base64(const SpelledPattern& pattern) {
  constexpr std::uint64_t fewest_characters = 4;
  constexpr std::array<std::string_view, 2> alphabets = {
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"};
  std::vector<Spelling> spellings;
  for (std::uint64_t before = 0; before < 3; ++before) {
    // The characters [first, last) lie within the pattern; bits are counted from the first byte of the group.
    const std::uint64_t first = (before * 8 + 5) / 6, last = (before + pattern.bytes.size()) * 8 / 6;
    if (last < first + fewest_characters) continue;
    for (const std::string_view alphabet : alphabets) {
      Spelling spelling{{}, Comparison::exact};
      spelling.bytes.reserve(last - first);
      for (std::uint64_t character = first; character < last; ++character) {
        const std::uint64_t bit = character * 6 - before * 8;
        const auto byte_at = [&](std::uint64_t at) {
          return at < pattern.bytes.size() ? static_cast<std::uint8_t>(pattern.bytes[at]) : 0U;
        };
        const unsigned two_bytes = byte_at(bit / 8) << 8 | byte_at(bit / 8 + 1);
        spelling.bytes += alphabet[two_bytes >> (10 - bit % 8) & 0x3F];
      }
      spellings.push_back(std::move(spelling));
    }
  }
  return spellings;
}

std::string json_escape(char32_t code, std::string_view digits) {
  std::string bytes;
  for_each_unit(code, [&](char16_t unit) {
    bytes += "\\u";
    for (const int shift : {12, 8, 4, 0}) bytes += digits[unit >> shift & 0xF];
  });
  return bytes;
}

std::string json_character(char32_t code, std::string_view digits) {
  constexpr std::string_view escaped = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
  if (code >= 0x80) return json_escape(code, digits);
  const auto byte = static_cast<char>(code);
  if (const std::size_t at = escaped.find(byte); at != std::string_view::npos) return {'\\', letters[at]};
  return code < 0x20 ? json_escape(code, digits) : std::string(1, byte);
}

std::vector<Spelling> spell_json(const SpelledPattern& pattern) {
  const std::vector<char32_t> codes = characters_of(pattern.bytes);
  std::vector<Spelling> spellings;
  for (const std::string_view digits : {"0123456789abcdef", "0123456789ABCDEF"}) {
    Variants variants;
    for (const char32_t code : codes) {
      std::vector<std::string> choices;
      for (const char32_t one : cases_beyond_ascii(code, pattern.rule)) choices.push_back(json_character(one, digits));
      variants.add(std::move(choices));
    }
    variants.append_to(spellings);
    if (pattern.rule != CaseRule::keep) break;  // the case of digits does not count either
  }
  return spellings;
}

// THE table of forms.
struct FormRow {
  Form form;
  std::string_view name;
  std::vector<Spelling> (*spell)(const SpelledPattern& pattern);
};
constexpr std::array<FormRow, 6> form_rows = {{
    {Form::utf_16le, "utf-16le", spell_utf_16le},
    {Form::utf_16be, "utf-16be", spell_utf_16be},
    {Form::iupac, "iupac", spell_iupac},
    {Form::reverse_complement, "reverse-complement", spell_reverse_complement},
    {Form::base64, "base64", spell_base64},
    {Form::json, "json", spell_json},
}};

// How a message calls a pattern: by its id, and by its bytes if they are short and can be read.
std::string describe_pattern(std::string_view pattern, std::uint32_t id) {
  constexpr std::size_t most_shown_bytes = 80;
  std::string name = "pattern " + std::to_string(id);
  const bool is_readable = pattern.size() <= most_shown_bytes &&
                           std::ranges::all_of(pattern, [](char byte) { return byte >= ' ' && byte <= '~'; });
  return is_readable ? name + ", '" + std::string(pattern) + "'," : name;
}

CaseRule case_rule(const PatternSet& patterns, std::uint32_t id, const View& view) {
  if (!view.folds()) return patterns.ignore_case(id) ? CaseRule::simple : CaseRule::keep;
  if (patterns.keeps_case(id)) return CaseRule::keep;
  return view.has(ViewStep::fold_ascii) && !patterns.ignore_case(id) ? CaseRule::ascii : CaseRule::simple;
}

void add_spelling(SpelledPatterns& to, const PatternSet& patterns, std::uint32_t id, Form form, std::string_view bytes,
                  Comparison comparison = Comparison::as_pattern) {
  const bool is_given = form == Form::as_given, is_like_pattern = comparison == Comparison::as_pattern;
  const bool ignores_case = is_like_pattern ? patterns.ignore_case(id) : comparison == Comparison::fold_bytes;
  const std::uint32_t number = to.patterns.add(bytes, ignores_case, is_given ? patterns.label(id) : std::string_view());
  if (!is_like_pattern || patterns.keeps_case(id)) to.patterns.keep_case(number);
  if (const auto replacement = patterns.replacement(id); replacement && is_given)
    to.patterns.set_replacement(number, *replacement);
  to.ids.push_back(id);
  to.forms.push_back(static_cast<std::uint8_t>(form));
}

}  // namespace

std::string_view form_name(Form form) noexcept {
  for (const FormRow& row : form_rows)
    if (row.form == form) return row.name;
  return "as-given";
}

Forms::Forms(std::string_view names) {
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(','), names.size());
    const std::string_view name = names.substr(0, end);
    names.remove_prefix(std::min(end + 1, names.size()));
    const auto row = std::ranges::find(form_rows, name, &FormRow::name);
    if (row == form_rows.end()) {
      std::string known;
      for (const FormRow& one : form_rows) known += (known.empty() ? "" : ", ") + std::string(one.name);
      throw Error(ErrorKind::invalid_argument, "there is no form '" + std::string(name) + "'; there are: " + known);
    }
    *this = with(row->form);
  }
}

Forms Forms::with(Form form) const noexcept {
  Forms forms = *this;
  if (form != Form::as_given) forms.bits_ |= static_cast<std::uint8_t>(1U << static_cast<std::uint32_t>(form));
  return forms;
}

Forms Forms::with(Forms others) const noexcept {
  others.bits_ |= bits_;
  return others;
}

std::string Forms::names() const {
  std::string names;
  for (const FormRow& row : form_rows)
    if (has(row.form)) names += (names.empty() ? "" : ",") + std::string(row.name);
  return names;
}

bool Forms::is_sound() const noexcept {
  Forms known;
  for (const FormRow& row : form_rows) known = known.with(row.form);
  return with(known) == known;
}

Forms all_forms(const PatternSet& patterns) {
  Forms forms;
  if (!patterns.any_forms()) return forms;
  for (std::uint32_t id = 0; id < patterns.size(); ++id) forms = forms.with(patterns.forms(id));
  return forms;
}

SpelledPatterns spell_patterns(const PatternSet& patterns, const View& view) {
  SpelledPatterns spelled;
  spelled.patterns.reserve(patterns.size(), patterns.total_bytes());
  for (std::uint32_t id = 0; id < patterns.size(); ++id) {
    add_spelling(spelled, patterns, id, Form::as_given, patterns[id]);
    for (const FormRow& row : form_rows) {
      if (!patterns.forms(id).has(row.form)) continue;
      try {
        std::vector<Spelling> spellings = row.spell({patterns[id], case_rule(patterns, id, view), patterns.forms(id)});
        std::ranges::sort(spellings, [](const Spelling& a, const Spelling& b) {
          return a.bytes.size() != b.bytes.size() ? a.bytes.size() < b.bytes.size() : a.bytes < b.bytes;
        });
        for (const Spelling& spelling : spellings)
          add_spelling(spelled, patterns, id, row.form, spelling.bytes, spelling.comparison);
      } catch (const Error& error) {
        throw Error(error.kind(),
                    describe_pattern(patterns[id], id) + " has no form " + std::string(row.name) + ": " + error.what());
      }
    }
  }
  return spelled;
}

SpelledPatterns without_equal_spellings(const SpelledPatterns& spelled) {
  const PatternSet& patterns = spelled.patterns;
  SpelledPatterns result;
  result.patterns.reserve(patterns.size(), patterns.total_bytes());
  std::unordered_set<std::string> known;
  std::string key;
  for (std::uint32_t number = 0; number < patterns.size(); ++number) {
    const std::uint32_t id = spelled.ids[number];
    const bool is_alone = number + 1 == patterns.size() || spelled.ids[number + 1] != id;
    const bool is_given = static_cast<Form>(spelled.forms[number]) == Form::as_given;
    if (is_given) known.clear();
    if (!is_given || !is_alone) {
      const bool ignores_case = patterns.ignore_case(number);
      key.assign(1, ignores_case ? 'i' : 'k');
      for (const char byte : patterns[number])
        key += ignores_case ? static_cast<char>(fold(static_cast<std::uint8_t>(byte))) : byte;
      if (!known.insert(key).second) continue;
    }
    add_spelling(result, patterns, number, static_cast<Form>(spelled.forms[number]), patterns[number]);
    result.ids.back() = id;
  }
  return result;
}

}  // namespace lode
