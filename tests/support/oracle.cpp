#include "support/oracle.hpp"

#include <algorithm>
#include <bitset>
#include <map>
#include <string>
#include <unordered_map>

#include "support/view_oracle.hpp"

namespace lode::tests {
namespace {

bool starts_with(std::string_view text, std::uint64_t offset, std::string_view pattern, bool ignore_case) {
  if (pattern.size() > text.size() - offset) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char in_text = text[offset + i];
    const char in_pattern = pattern[i];
    if (ignore_case ? fold(in_text) != fold(in_pattern) : in_text != in_pattern) return false;
  }
  return true;
}

std::string fold_all(std::string_view bytes) {
  std::string folded(bytes);
  for (char& byte : folded) byte = fold(byte);
  return folded;
}

// The patterns of one length and one case rule, and the first two bytes of each.
struct LengthIndex {
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> ids;
  std::bitset<65536> beginnings;
};

std::size_t beginning_of(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes[0]);
  const auto second = bytes.size() > 1 ? static_cast<unsigned char>(bytes[1]) : 0U;
  return first * std::size_t{256} + second;
}

void add_occurrences(std::string_view text, std::size_t length, const LengthIndex& index, std::vector<Match>& found) {
  for (std::size_t offset = 0; offset + length <= text.size(); ++offset) {
    const std::string_view piece = text.substr(offset, length);
    if (!index.beginnings[beginning_of(piece)]) continue;
    const auto entry = index.ids.find(piece);
    if (entry == index.ids.end()) continue;
    for (const std::uint32_t id : entry->second) {
      found.push_back({offset, id, static_cast<std::uint32_t>(length)});
    }
  }
}

// Whether case beyond ASCII may matter. The oracle of views serves it, much more slowly.
bool folds_beyond_ascii(std::string_view text, const PatternSet& patterns) {
  if (!patterns.any_ignore_case()) return false;
  const auto is_beyond = [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; };
  if (std::none_of(text.begin(), text.end(), is_beyond)) return false;
  for (const std::string_view like_ascii : {"\xC5\xBF", "\xE2\x84\xAA"})  // they fold to s and k
    if (text.find(like_ascii) != std::string_view::npos) return true;
  for (std::uint32_t id = 0; id < patterns.size(); ++id)
    if (patterns.ignore_case(id) && std::any_of(patterns[id].begin(), patterns[id].end(), is_beyond)) return true;
  return false;
}

std::vector<Match> list_folded(std::string_view text, const PatternSet& patterns, Rules rules) {
  rules.match_kind = MatchKind::overlapping;
  return find_in_view(text, patterns, View(), rules);
}

}  // namespace

bool is_before(const Match& a, const Match& b) {
  if (a.offset != b.offset) return a.offset < b.offset;
  if (a.pattern_id != b.pattern_id) return a.pattern_id < b.pattern_id;
  return a.form != b.form ? a.form < b.form : a.length < b.length;
}

char fold(char byte) { return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte; }

bool meets_condition(std::string_view text, std::uint64_t offset, std::uint64_t length, const Rules& rules) {
  const std::uint64_t end = offset + length;
  switch (rules.condition) {
    case Condition::none: return true;
    case Condition::whole_word:
      return (offset == 0 || !is_in_word(text, offset - 1)) && (end == text.size() || !is_in_word(text, end));
    case Condition::whole_line:
      return (offset == 0 || text[offset - 1] == rules.line_terminator) &&
             (end == text.size() || text[end] == rules.line_terminator);
    case Condition::whole_line_crlf:
      return (offset == 0 || text[offset - 1] == rules.line_terminator) &&
             (end == text.size() || text[end] == rules.line_terminator ||
              text.substr(end, 2) == std::string("\r") + rules.line_terminator);
  }
  return false;
}

std::vector<Match> list_occurrences(std::string_view text, const PatternSet& patterns, const Rules& rules) {
  if (folds_beyond_ascii(text, patterns)) return list_folded(text, patterns, rules);
  std::vector<Match> found;
  for (std::uint64_t offset = 0; offset < text.size(); ++offset) {
    for (std::uint32_t id = 0; id < patterns.size(); ++id) {
      const std::string_view pattern = patterns[id];
      if (starts_with(text, offset, pattern, patterns.ignore_case(id)) &&
          meets_condition(text, offset, pattern.size(), rules)) {
        found.push_back({offset, id, static_cast<std::uint32_t>(pattern.size())});
      }
    }
  }
  return found;
}

std::vector<Match> apply_match_kind(const std::vector<Match>& occurrences, MatchKind kind, std::uint64_t not_before) {
  if (kind == MatchKind::overlapping) return occurrences;
  std::vector<Match> kept;
  std::uint64_t next_start = not_before;
  for (std::size_t i = 0; i < occurrences.size();) {
    Match best = occurrences[i];
    std::size_t behind = i + 1;
    for (; behind < occurrences.size() && occurrences[behind].offset == best.offset; ++behind) {
      if (kind == MatchKind::leftmost_longest && occurrences[behind].length > best.length) best = occurrences[behind];
    }
    if (best.offset >= next_start) {
      kept.push_back(best);
      next_start = best.offset + best.length;
    }
    i = behind;
  }
  return kept;
}

std::vector<Match> cut_range(const std::vector<Match>& occurrences, std::uint64_t begin, std::uint64_t end) {
  std::vector<Match> inside;
  std::copy_if(occurrences.begin(), occurrences.end(), std::back_inserter(inside),
               [&](const Match& match) { return match.offset >= begin && match.offset < end; });
  return inside;
}

std::vector<Match> find_by_meaning(std::string_view text, const PatternSet& patterns, const Rules& rules) {
  return apply_match_kind(list_occurrences(text, patterns, rules), rules.match_kind);
}

std::vector<Match> find_by_index(std::string_view text, const PatternSet& patterns, const Rules& rules) {
  if (folds_beyond_ascii(text, patterns)) return apply_match_kind(list_folded(text, patterns, rules), rules.match_kind);
  std::vector<std::string> folded_patterns(patterns.size());
  std::map<std::size_t, LengthIndex> exact;
  std::map<std::size_t, LengthIndex> folded;
  for (std::uint32_t id = 0; id < patterns.size(); ++id) {
    const bool ignore_case = patterns.ignore_case(id);
    if (ignore_case) folded_patterns[id] = fold_all(patterns[id]);
    const std::string_view key = ignore_case ? std::string_view(folded_patterns[id]) : patterns[id];
    LengthIndex& index = (ignore_case ? folded : exact)[key.size()];
    index.ids[key].push_back(id);
    index.beginnings.set(beginning_of(key));
  }
  std::vector<Match> found;
  for (const auto& [length, index] : exact) add_occurrences(text, length, index, found);
  if (!folded.empty()) {
    const std::string folded_text = fold_all(text);
    for (const auto& [length, index] : folded) add_occurrences(folded_text, length, index, found);
  }
  std::erase_if(found, [&](const Match& match) { return !meets_condition(text, match.offset, match.length, rules); });
  std::sort(found.begin(), found.end(), is_before);
  return apply_match_kind(found, rules.match_kind);
}

}  // namespace lode::tests
