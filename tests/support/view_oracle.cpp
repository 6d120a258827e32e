#include "support/view_oracle.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "support/decode_oracle.hpp"

namespace lode::tests {
namespace {

using Codes = std::u32string;

std::string encoded(const Codes& codes) {
  std::string bytes;
  for (const char32_t code : codes) {
    utf8proc_uint8_t buffer[4];
    const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code), buffer);
    bytes.append(reinterpret_cast<const char*>(buffer), static_cast<std::size_t>(length));
  }
  return bytes;
}

Codes mapped(const Codes& codes, int options) {
  const std::string bytes = encoded(codes);
  utf8proc_uint8_t* result = nullptr;
  const auto length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(bytes.data()), static_cast<utf8proc_ssize_t>(bytes.size()),
                   &result, static_cast<utf8proc_option_t>(options));
  if (length < 0) throw std::runtime_error(utf8proc_errmsg(length));
  Codes out;
  for (utf8proc_ssize_t at = 0; at < length;) {
    utf8proc_int32_t code = 0;
    at += utf8proc_iterate(result + at, length - at, &code);
    out.push_back(static_cast<char32_t>(code));
  }
  std::free(result);
  return out;
}

// The lines of a file of the Unicode Character Database that are not comments.
std::vector<std::string> read_lines(const std::string& name) {
  std::ifstream file("/usr/share/unicode/" + name);
  if (!file) throw std::runtime_error("no " + name + ": install the package unicode-data");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  return lines;
}

char32_t number_of(const std::string& hexadecimal) {
  return static_cast<char32_t>(std::stoul(hexadecimal, nullptr, 16));
}

// The statuses C and S of CaseFolding.txt.
const std::map<char32_t, char32_t>& simple_folds() {
  static const std::map<char32_t, char32_t> folds = [] {
    std::map<char32_t, char32_t> result;
    for (const std::string& line : read_lines("CaseFolding.txt")) {
      std::istringstream fields(line);
      std::string code, status, to;
      std::getline(fields, code, ';');
      fields >> status >> to;
      if (status == "C;" || status == "S;") result[number_of(code)] = number_of(to);
    }
    return result;
  }();
  return folds;
}

std::set<char32_t> codes_with(const std::string& property) {
  std::set<char32_t> result;
  for (const std::string& line : read_lines("DerivedCoreProperties.txt")) {
    if (line.find("; " + property + " ") == std::string::npos) continue;
    const std::size_t dots = line.find("..");
    const char32_t first = number_of(line), last = dots < 8 ? number_of(line.substr(dots + 2)) : first;
    for (char32_t code = first; code <= last; ++code) result.insert(code);
  }
  return result;
}

// utf8proc knows the ignorable code points that are assigned only.
const std::set<char32_t>& ignorables() {
  static const std::set<char32_t> codes = codes_with("Default_Ignorable_Code_Point");
  return codes;
}

// Starters that may compose with what stands before them: the last of a decomposition that composes again.
const std::set<char32_t>& composing_starters() {
  static const std::set<char32_t> starters = [] {
    std::set<char32_t> result;
    for (char32_t code = 1; code <= 0x10FFFF; ++code) {
      const bool is_hangul = code >= 0xAC00 && code <= 0xD7A3;
      const auto* const property = utf8proc_get_property(static_cast<utf8proc_int32_t>(code));
      if (!is_hangul && property->decomp_seqindex == UINT16_MAX) continue;
      const Codes decomposed = mapped({code}, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
      if (decomposed.size() < 2 || mapped(decomposed, UTF8PROC_STABLE | UTF8PROC_COMPOSE) != Codes{code}) continue;
      if (utf8proc_get_property(static_cast<utf8proc_int32_t>(decomposed.back()))->combining_class == 0)
        result.insert(decomposed.back());
    }
    return result;
  }();
  return starters;
}

bool is_white_space(char32_t code) {
  return (code >= 9 && code <= 13) || code == 0x20 || code == 0x85 || code == 0xA0 || code == 0x1680 ||
         (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F ||
         code == 0x3000;
}

bool has_category(char32_t code, utf8proc_category_t first, utf8proc_category_t last) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(code));
  return category >= first && category <= last;
}

struct Steps {
  explicit Steps(const View& view) : view(view) {}

  bool compatible() const { return view.has(ViewStep::nfkc) || view.has(ViewStep::nfkd); }
  bool composes() const { return view.has(ViewStep::nfc) || view.has(ViewStep::nfkc); }
  bool decomposes() const {
    return compatible() || composes() || view.has(ViewStep::nfd) || view.has(ViewStep::drop_marks);
  }
  bool drops(char32_t code) const { return view.has(ViewStep::drop_ignorable) && ignorables().contains(code); }
  Codes decomposed(const Codes& codes) const {
    return mapped(codes, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | (compatible() ? UTF8PROC_COMPAT : 0));
  }
  Codes folded(const Codes& codes) const {
    if (view.has(ViewStep::fold)) return mapped(codes, UTF8PROC_CASEFOLD);
    Codes out = codes;
    for (char32_t& code : out) {
      if (view.has(ViewStep::fold_ascii) && code >= 'A' && code <= 'Z') code |= 0x20;
      if (const auto found = simple_folds().find(code);
          view.has(ViewStep::fold_simple) && found != simple_folds().end())
        code = found->second;
    }
    return out;
  }
  bool begins_segment(char32_t code) const {
    if (!decomposes()) return true;
    const char32_t first = decomposed({code}).front();
    return utf8proc_get_property(static_cast<utf8proc_int32_t>(first))->combining_class == 0 &&
           !(composes() && composing_starters().contains(first));
  }
  std::string viewed(Codes codes) const {
    if (decomposes()) {
      codes = decomposed(folded(decomposed(codes)));
      if (compatible()) codes = decomposed(folded(codes));
      if (view.has(ViewStep::drop_marks))
        std::erase_if(codes,
                      [](char32_t code) { return has_category(code, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME); });
      if (composes() && !codes.empty()) codes = mapped(codes, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    } else {
      codes = folded(codes);
    }
    const auto is_punctuation = [](char32_t code) {
      return has_category(code, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO);
    };
    if (view.has(ViewStep::drop_punctuation)) std::erase_if(codes, is_punctuation);
    if (view.has(ViewStep::punctuation_as_space)) std::replace_if(codes.begin(), codes.end(), is_punctuation, U' ');
    if (view.has(ViewStep::drop_space)) std::erase_if(codes, is_white_space);
    if (view.has(ViewStep::one_space)) {
      std::replace_if(codes.begin(), codes.end(), is_white_space, U' ');
      while (codes.find(U"  ") != Codes::npos) codes.erase(codes.find(U"  "), 1);
    }
    return encoded(codes);
  }

  const View& view;
};

}  // namespace

bool is_word_character(char32_t code) {
  if (code < 0x80) return code == '_' || (code < 0x80 && std::isalnum(static_cast<int>(code)) != 0);
  static const std::set<char32_t> alphabetic = codes_with("Alphabetic");
  constexpr char32_t joiners[] = {0x200C, 0x200D};
  return alphabetic.contains(code) || has_category(code, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME) ||
         has_category(code, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_ND) ||
         has_category(code, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PC) ||
         std::find(std::begin(joiners), std::end(joiners), code) != std::end(joiners);
}

bool is_in_word(std::string_view text, std::uint64_t place) {
  for (std::uint64_t begin = place - std::min<std::uint64_t>(place, 3); begin <= place; ++begin) {
    utf8proc_int32_t code = 0;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + begin,
                                         static_cast<utf8proc_ssize_t>(text.size() - begin), &code);
    if (length > static_cast<utf8proc_ssize_t>(place - begin)) return is_word_character(static_cast<char32_t>(code));
  }
  return false;
}

char32_t simple_fold_by_meaning(char32_t code) {
  const auto found = simple_folds().find(code);
  return found == simple_folds().end() ? code : found->second;
}

std::vector<ViewedSegment> view_by_meaning(std::string_view text, const View& view) {
  const Steps steps(view);
  std::vector<ViewedSegment> segments;
  const auto add = [&](std::uint64_t begin, std::uint64_t end, std::string bytes) {
    if (bytes.empty()) return;
    if (view.has(ViewStep::one_space) && !segments.empty() && segments.back().bytes.ends_with(' ') && bytes[0] == ' ') {
      segments.back().end = end;
      segments.back().bytes += bytes.substr(1);
    } else {
      segments.push_back({begin, end, std::move(bytes)});
    }
  };
  Codes open;  // the characters of a segment that may go on
  std::uint64_t open_begin = 0, open_end = 0;
  const auto close = [&] {
    if (!open.empty()) add(open_begin, open_end, steps.viewed(open));
    open.clear();
  };
  for (std::uint64_t at = 0; at < text.size();) {
    utf8proc_int32_t code = 0;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
                                         static_cast<utf8proc_ssize_t>(text.size() - at), &code);
    if (length <= 0) {
      close();
      add(at, at + 1, std::string(text.substr(at, 1)));
      ++at;
      continue;
    }
    const auto character = static_cast<char32_t>(code);
    const std::uint64_t end = at + static_cast<std::uint64_t>(length);
    if (!steps.drops(character)) {
      constexpr std::size_t most_codes = 32;  // as the stream-safe text format has it: a letter and its marks
      if (steps.begins_segment(character) || open.size() == most_codes) close();
      if (open.empty()) open_begin = at;
      open.push_back(character);
      open_end = end;
    }
    at = end;
  }
  close();
  return segments;
}

std::vector<ViewedSegment> segments_of(const ViewedText& viewed, std::string_view text) {
  std::vector<ViewedSegment> segments;
  for (std::size_t index = 0; index < viewed.spans.size(); ++index) {
    const ViewedSpan& span = viewed.spans[index];
    const std::string bytes(viewed.viewed(index));
    if (span.is_segment) {
      segments.push_back({span.original, span.original_end, bytes});
      continue;
    }
    if (bytes.size() > span.original_end - span.original || span.original_end > text.size())
      throw std::logic_error("a run of characters is longer than it was");
    for (std::size_t begin = 0; begin < bytes.size();) {
      std::size_t next = begin + 1;
      while (next < bytes.size() && (static_cast<unsigned char>(bytes[next]) & 0xC0) == 0x80) ++next;
      const std::uint64_t ends = next == bytes.size() ? span.original_end : span.original + next;
      segments.push_back({span.original + begin, ends, bytes.substr(begin, next - begin)});
      begin = next;
    }
  }
  return segments;
}

namespace {

// The matches of one pattern, as it is viewed.
void find_one(std::string_view text, const std::vector<ViewedSegment>& segments, std::string_view pattern,
              bool ignore_case, std::uint32_t id, const Rules& rules, std::vector<Match>& matches) {
  const auto is_equal = [&](char a, char b) { return ignore_case ? fold(a) == fold(b) : a == b; };
  for (std::size_t first = 0; first < segments.size(); ++first) {
    if (!is_equal(segments[first].bytes.front(), pattern.front())) continue;
    std::string seen;
    std::size_t last = first;
    while (last < segments.size() && seen.size() < pattern.size()) seen += segments[last++].bytes;
    if (!std::ranges::equal(seen, pattern, is_equal)) continue;
    const std::uint64_t length = segments[last - 1].end - segments[first].begin;
    if (meets_condition(text, segments[first].begin, length, rules))
      matches.push_back({segments[first].begin, id, static_cast<std::uint32_t>(length)});
  }
}

// Without a view each byte is a segment.
std::vector<ViewedSegment> segments_in(std::string_view text, const View& view) {
  if (!view.empty()) return view_by_meaning(text, view);
  std::vector<ViewedSegment> segments;
  for (std::size_t at = 0; at < text.size(); ++at) segments.push_back({at, at + 1, std::string(1, text[at])});
  return segments;
}

std::vector<Match> in_order(std::vector<Match> matches, const Rules& rules);

// find(plain text, view, rules) gives the matches in what was decoded.
template <class Find>
std::vector<Match> find_decoded(std::string_view text, const View& view, const Rules& rules, Find find) {
  const DecodedText decoded = decode_by_meaning(text, view);
  const bool has_layout = view.layout() != Layout::none;
  Rules inner = rules;
  inner.match_kind = MatchKind::overlapping;
  if (has_layout) inner.condition = Condition::none;
  std::vector<Match> matches;
  for (const Match& match : find(decoded.bytes, view.without_decoding(), inner)) {
    const auto begin = static_cast<std::ptrdiff_t>(match.offset), end = begin + match.length;
    const auto is_within_character = [&](std::size_t at) {
      return at != 0 && at != decoded.bytes.size() && decoded.begins[at] == decoded.begins[at - 1];
    };
    if (is_within_character(match.offset) || is_within_character(match.offset + match.length)) continue;
    if (std::find(decoded.barriers.begin() + begin, decoded.barriers.begin() + end, true) !=
        decoded.barriers.begin() + end)
      continue;
    const std::uint64_t original = decoded.begins[match.offset];
    const std::uint64_t length = decoded.ends[match.offset + match.length - 1] - original;
    if (has_layout && !meets_condition(text, original, length, rules)) continue;
    matches.push_back({original, match.pattern_id, static_cast<std::uint32_t>(length)});
  }
  return in_order(std::move(matches), rules);
}

std::vector<Match> in_order(std::vector<Match> matches, const Rules& rules) {
  std::sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.pattern_id < b.pattern_id;
  });
  return rules.match_kind == MatchKind::overlapping ? matches : apply_match_kind(matches, rules.match_kind);
}

}  // namespace

std::vector<Match> find_viewed(std::string_view text, const PatternSet& viewed, const View& view, const Rules& rules) {
  if (view.decodes())
    return find_decoded(text, view, rules, [&](std::string_view plain, const View& others, const Rules& inner) {
      return find_viewed(plain, viewed, others, inner);
    });
  const bool may_keep_case = view.folds() && viewed.any_ignore_case();
  const std::vector<ViewedSegment> segments = segments_in(text, view);
  const std::vector<ViewedSegment> in_case = segments_in(text, view.without_fold());
  std::vector<Match> matches;
  for (std::uint32_t id = 0; id < viewed.size(); ++id) {
    const bool keeps_case = may_keep_case && !viewed.ignore_case(id);
    find_one(text, keeps_case ? in_case : segments, viewed[id], viewed.ignore_case(id), id, rules, matches);
  }
  return in_order(std::move(matches), rules);
}

std::vector<Match> find_in_view(std::string_view text, const PatternSet& patterns, const View& view,
                                const Rules& rules) {
  if (view.decodes())
    return find_decoded(text, view, rules, [&](std::string_view plain, const View& others, const Rules& inner) {
      return find_in_view(plain, patterns, others, inner);
    });
  std::map<std::string, std::vector<ViewedSegment>> texts;  // by the view's name
  std::vector<Match> matches;
  for (std::uint32_t id = 0; id < patterns.size(); ++id) {
    View of_pattern = view;
    if (view.folds() && patterns.keeps_case(id)) of_pattern = view.without_fold();
    if (!view.folds() && patterns.ignore_case(id)) of_pattern = view.with(ViewStep::fold_simple);
    std::string bytes;
    for (const ViewedSegment& segment : segments_in(patterns[id], of_pattern)) bytes += segment.bytes;
    std::vector<ViewedSegment>& segments = texts[of_pattern.name()];
    if (segments.empty()) segments = segments_in(text, of_pattern);
    find_one(text, segments, bytes, false, id, rules, matches);
  }
  return in_order(std::move(matches), rules);
}

}  // namespace lode::tests
