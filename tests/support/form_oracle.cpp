#include "support/form_oracle.hpp"

#include <iconv.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <stdexcept>

#include "support/view_oracle.hpp"

namespace lode::tests {
namespace {

std::string converted(std::string_view bytes, const char* from, const char* to) {
  const iconv_t way = iconv_open(to, from);
  if (way == reinterpret_cast<iconv_t>(-1)) throw std::runtime_error("iconv knows no such encoding");
  std::string in(bytes), out(bytes.size() * 4 + 8, '\0');
  char *read = in.data(), *write = out.data();
  std::size_t to_read = in.size(), room = out.size();
  const std::size_t status = iconv(way, &read, &to_read, &write, &room);
  iconv_close(way);
  if (status == static_cast<std::size_t>(-1)) throw std::runtime_error("iconv cannot convert a test's pattern");
  out.resize(out.size() - room);
  return out;
}

std::u32string codes_of(std::string_view utf8) {
  const std::string bytes = converted(utf8, "UTF-8", "UTF-32LE");
  std::u32string codes;
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    char32_t code = 0;
    for (std::size_t byte = 0; byte < 4; ++byte)
      code |= static_cast<char32_t>(static_cast<unsigned char>(bytes[at + byte])) << 8 * byte;
    codes.push_back(code);
  }
  return codes;
}

std::string utf8_of(char32_t code) {
  std::string bytes;
  for (std::size_t byte = 0; byte < 4; ++byte) bytes += static_cast<char>(code >> 8 * byte & 0xFF);
  return converted(bytes, "UTF-32LE", "UTF-8");
}

// All that fold into the same code point.
std::vector<char32_t> cases_of(char32_t code, bool ignores_case) {
  static const std::map<char32_t, std::vector<char32_t>> all = [] {
    std::map<char32_t, std::vector<char32_t>> result;
    for (char32_t one = 1; one <= 0x10FFFF; ++one) {
      const char32_t folded = simple_fold_by_meaning(one);
      if (folded == one) continue;
      if (result[folded].empty()) result[folded] = {folded};
      result[folded].push_back(one);
    }
    return result;
  }();
  const auto found = all.find(simple_fold_by_meaning(code));
  return !ignores_case || found == all.end() ? std::vector<char32_t>{code} : found->second;
}

// Everything that may be put together of one choice for each place.
std::vector<std::string> combine(const std::vector<std::vector<std::string>>& places) {
  std::vector<std::string> all{""};
  for (const std::vector<std::string>& choices : places) {
    std::vector<std::string> longer;
    for (const std::string& begun : all)
      for (const std::string& choice : choices) longer.push_back(begun + choice);
    all = longer;
  }
  return all;
}

const std::map<char, std::string>& bases_of_letters() {
  static const std::map<char, std::string> bases = {
      {'A', "A"},  {'C', "C"},  {'G', "G"},   {'T', "T"},   {'R', "AG"},  {'Y', "CT"},  {'S', "CG"},  {'W', "AT"},
      {'K', "GT"}, {'M', "AC"}, {'B', "CGT"}, {'D', "AGT"}, {'H', "ACT"}, {'V', "ACG"}, {'N', "ACGT"}};
  return bases;
}

char upper(char letter) { return letter >= 'a' ? static_cast<char>(letter - 'a' + 'A') : letter; }
char in_case_of(char letter, char model) { return model >= 'a' ? static_cast<char>(letter - 'A' + 'a') : letter; }

bool is_rna(std::string_view pattern) {
  bool has_u = false, has_t = false;
  for (const char letter : pattern) {
    has_u = has_u || upper(letter) == 'U';
    has_t = has_t || upper(letter) == 'T';
  }
  return has_u && !has_t;
}

std::vector<std::string> without_degenerate(std::string_view pattern, bool rna) {
  std::vector<std::vector<std::string>> places;
  for (const char letter : pattern) {
    std::vector<std::string> choices;
    const auto known = bases_of_letters().find(upper(letter));
    if (known == bases_of_letters().end() || known->second.size() == 1) {
      choices.emplace_back(1, letter);
    } else {
      for (const char base : known->second)
        choices.emplace_back(1, in_case_of(base == 'T' && rna ? 'U' : base, letter));
    }
    places.push_back(choices);
  }
  return combine(places);
}

// The complement of a letter stands for the complements of its bases.
char complement(char letter, bool rna) {
  const char plain = upper(letter) == 'U' ? 'T' : upper(letter);
  std::set<char> bases;
  for (const char base : bases_of_letters().at(plain))
    bases.insert(base == 'A' ? 'T' : base == 'T' ? 'A' : base == 'C' ? 'G' : 'C');
  for (const auto& [other, of_other] : bases_of_letters())
    if (std::set<char>(of_other.begin(), of_other.end()) == bases)
      return in_case_of(other == 'T' && rna ? 'U' : other, letter);
  throw std::logic_error("a letter has no complement");
}

std::string base64(std::string_view bytes, std::string_view alphabet) {
  std::string bits, out;
  for (const char byte : bytes)
    for (int bit = 7; bit >= 0; --bit) bits += (static_cast<unsigned char>(byte) >> bit & 1) != 0 ? '1' : '0';
  for (std::size_t at = 0; at + 6 <= bits.size(); at += 6) out += alphabet[std::stoul(bits.substr(at, 6), nullptr, 2)];
  return out;
}

// What stays the same whatever stands around the pattern.
std::vector<std::string> spell_base64(std::string_view pattern) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::vector<std::string> spellings;
  for (std::size_t before = 0; before < 3; ++before)
    for (const char* const last : {"+/", "-_"}) {
      const auto encode = [&](char around) {
        std::string bytes = std::string(before, around) + std::string(pattern) + std::string(3, around);
        bytes.resize(bytes.size() / 3 * 3);
        return base64(bytes, letters + last);
      };
      const std::string zeros = encode('\0'), ones = encode('\xFF');
      std::string same;
      for (std::size_t at = 0; at < zeros.size(); ++at)
        if (zeros[at] == ones[at]) same += zeros[at];
      if (same.size() >= 4) spellings.push_back(same);
    }
  return spellings;
}

std::string json_character(char32_t code, bool upper_case) {
  for (const auto& [character, letter] : std::map<char32_t, char>{
           {'"', '"'}, {'\\', '\\'}, {'\b', 'b'}, {'\f', 'f'}, {'\n', 'n'}, {'\r', 'r'}, {'\t', 't'}})
    if (code == character) return std::string("\\") + letter;
  if (code >= 0x20 && code < 0x80) return std::string(1, static_cast<char>(code));
  const std::string units = converted(utf8_of(code), "UTF-8", "UTF-16BE");
  std::string out;
  for (std::size_t at = 0; at < units.size(); at += 2) {
    char buffer[8];
    std::snprintf(buffer, sizeof buffer, upper_case ? "\\u%02X%02X" : "\\u%02x%02x",
                  static_cast<unsigned char>(units[at]), static_cast<unsigned char>(units[at + 1]));
    out += buffer;
  }
  return out;
}

std::vector<std::string> spell_json(std::string_view pattern, bool ignores_case, bool upper_case) {
  std::vector<std::vector<std::string>> places;
  for (const char32_t code : codes_of(pattern)) {
    std::set<std::string> choices;
    bool has_ascii = false;
    std::vector<char32_t> cases = cases_of(code, ignores_case);
    std::sort(cases.begin(), cases.end());
    for (const char32_t one : cases) {
      if (one < 0x80 && has_ascii) continue;
      has_ascii = has_ascii || one < 0x80;
      choices.insert(json_character(one, upper_case));
    }
    places.emplace_back(choices.begin(), choices.end());
  }
  return combine(places);
}

// Whether the condition accepts a match in UTF-16, by the units around it.
bool meets_condition_in_utf_16(std::string_view text, const Match& match, const Rules& rules) {
  std::u32string before, behind;
  const auto unit = [&](std::uint64_t place) {
    const auto first = static_cast<unsigned char>(text[place]), second = static_cast<unsigned char>(text[place + 1]);
    return static_cast<char32_t>(match.form == Form::utf_16le ? first + 256 * second : 256 * first + second);
  };
  for (std::uint64_t at = match.offset % 2; at + 2 <= match.offset; at += 2) before += unit(at);
  for (std::uint64_t at = match.offset + match.length; at + 2 <= text.size(); at += 2) behind += unit(at);
  const auto end = static_cast<char32_t>(static_cast<unsigned char>(rules.line_terminator));
  if (rules.condition == Condition::whole_line || rules.condition == Condition::whole_line_crlf) {
    const bool begins = before.empty() || before.back() == end || before == U"\uFEFF";
    const bool is_crlf =
        rules.condition == Condition::whole_line_crlf && behind.substr(0, 2) == U"\r" + std::u32string{end};
    return begins && (behind.empty() || behind.front() == end || is_crlf);
  }
  const auto is_pair = [](char32_t high, char32_t low) {
    return high >= 0xD800 && high < 0xDC00 && low >= 0xDC00 && low < 0xE000;
  };
  const auto joined = [](char32_t high, char32_t low) { return 0x10000 + (high - 0xD800) * 1024 + (low - 0xDC00); };
  if (!before.empty()) {
    const std::size_t last = before.size() - 1;
    const bool has_pair = last > 0 && is_pair(before[last - 1], before[last]);
    if (is_word_character(has_pair ? joined(before[last - 1], before[last]) : before[last])) return false;
  }
  if (behind.empty()) return true;
  const bool has_pair = behind.size() > 1 && is_pair(behind[0], behind[1]);
  return !is_word_character(has_pair ? joined(behind[0], behind[1]) : behind[0]);
}

}  // namespace

std::vector<OracleSpelling> spell_by_meaning(std::string_view pattern, Forms forms, bool ignores_case) {
  std::vector<OracleSpelling> spellings{{Form::as_given, std::string(pattern)}};
  const auto add = [&](Form form, const std::vector<std::string>& all, bool is_exact) {
    for (const std::string& one : all) spellings.push_back({form, one, is_exact});
  };
  for (const auto& [form, encoding] : {std::pair(Form::utf_16le, "UTF-16LE"), std::pair(Form::utf_16be, "UTF-16BE")}) {
    if (!forms.has(form)) continue;
    std::vector<std::vector<std::string>> places;
    for (const char32_t code : codes_of(pattern)) {
      std::vector<std::string> choices;
      for (const char32_t one : cases_of(code, ignores_case))
        choices.push_back(converted(utf8_of(one), "UTF-8", encoding));
      places.push_back(choices);
    }
    add(form, combine(places), true);
  }
  if (forms.has(Form::iupac)) add(Form::iupac, without_degenerate(pattern, is_rna(pattern)), false);
  if (forms.has(Form::reverse_complement)) {
    std::string reverse;
    for (const char letter : pattern) reverse.insert(reverse.begin(), complement(letter, is_rna(pattern)));
    add(Form::reverse_complement, {reverse}, false);
    if (forms.has(Form::iupac)) add(Form::reverse_complement, without_degenerate(reverse, is_rna(pattern)), false);
  }
  if (forms.has(Form::base64)) add(Form::base64, spell_base64(pattern), true);
  if (forms.has(Form::json))
    for (const bool upper_case : {false, true}) add(Form::json, spell_json(pattern, ignores_case, upper_case), false);
  return spellings;
}

std::vector<Match> find_forms(std::string_view text, const PatternSet& patterns, const View& view, const Rules& rules) {
  PatternSet spelled;
  std::vector<std::pair<std::uint32_t, Form>> owners;
  for (std::uint32_t id = 0; id < patterns.size(); ++id) {
    const bool ignores_case = view.folds() ? !patterns.keeps_case(id) : patterns.ignore_case(id);
    std::set<std::pair<bool, std::string>> known;
    for (const OracleSpelling& one : spell_by_meaning(patterns[id], patterns.forms(id), ignores_case)) {
      const bool folds = ignores_case && !one.is_exact;
      const View seen = folds ? (view.folds() ? view : view.with(ViewStep::fold_simple)) : view.without_fold();
      std::string viewed = one.bytes;
      if (!seen.empty()) {
        viewed.clear();
        for (const ViewedSegment& segment : view_by_meaning(one.bytes, seen)) viewed += segment.bytes;
      }
      if (!known.insert({folds, viewed}).second) continue;
      const std::uint32_t number = spelled.add(one.bytes, folds);
      if (!folds) spelled.keep_case(number);
      owners.emplace_back(id, one.form);
    }
  }
  std::vector<Match> found;
  for (Match match : find_in_view(text, spelled, view, {})) {
    match.form = owners[match.pattern_id].second;
    match.pattern_id = owners[match.pattern_id].first;
    const bool is_utf_16 = match.form == Form::utf_16le || match.form == Form::utf_16be;
    if (rules.condition != Condition::none && !(is_utf_16 ? meets_condition_in_utf_16(text, match, rules)
                                                          : meets_condition(text, match.offset, match.length, rules)))
      continue;
    found.push_back(match);
  }
  std::sort(found.begin(), found.end(), is_before);
  return apply_match_kind(found, rules.match_kind);
}

}  // namespace lode::tests
