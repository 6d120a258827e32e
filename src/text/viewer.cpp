#include "text/viewer.hpp"

#include <algorithm>

namespace lode::text {
namespace {

// Unicode's Stream-Safe Text Format allows for 30 marks behind a letter. Where more follow, a new segment begins, so that
// the memory for one is bounded.
constexpr std::size_t most_segment_codes = 32;

bool is_ascii(char byte) { return static_cast<std::uint8_t>(byte) < 0x80; }

}  // namespace

// Appends segments to a viewed text. Runs of blanks become one space, if the view says so, across segments.
class Viewer::Writer {
 public:
  Writer(bool one_space, std::uint64_t base, ViewedText& out) : one_space_(one_space), base_(base), out_(out) {}

  /// A character that is as long as it was.
  void keep(char byte, std::size_t at, bool is_space) {
    extend(at, at + 1);
    out_.bytes.push_back(byte);
    ends_with_space_ = is_space;
  }
  bool ends_with_space() const { return ends_with_space_ && one_space_; }

  void segment(std::size_t begin, std::size_t end, std::string_view bytes, bool is_one_character) {
    if (bytes.empty()) return;
    if (ends_with_space() && bytes.front() == ' ') {
      join(end);
      bytes.remove_prefix(1);
      out_.bytes += bytes;
    } else {
      if (is_one_character && bytes.size() == end - begin)
        extend(begin, end);
      else
        out_.spans.push_back({out_.bytes.size(), base_ + begin, base_ + end, true});
      out_.bytes += bytes;
    }
    if (!bytes.empty()) ends_with_space_ = bytes.back() == ' ';
  }

 private:
  // The next bytes lie in the original as they are viewed.
  void extend(std::size_t begin, std::size_t end) {
    if (!out_.spans.empty() && !out_.spans.back().is_segment && out_.spans.back().original_end == base_ + begin)
      out_.spans.back().original_end = base_ + end;
    else
      out_.spans.push_back({out_.bytes.size(), base_ + begin, base_ + end, false});
  }
  // The last segment, which ends with a space, reaches to here.
  void join(std::size_t end) {
    ViewedSpan& last = out_.spans.back();
    if (last.is_segment) {
      last.original_end = base_ + end;
    } else if (last.viewed + 1 == out_.bytes.size()) {
      last.original_end = base_ + end;
      last.is_segment = true;
    } else {
      const std::uint64_t space = --last.original_end;
      out_.spans.push_back({out_.bytes.size() - 1, space, base_ + end, true});
    }
  }

  const bool one_space_;
  const std::uint64_t base_;
  ViewedText& out_;
  bool ends_with_space_ = false;
};

Viewer::Viewer(const View& view) : view_(view), data_(UnicodeData::get()) {
  compatible_ = view.has(ViewStep::nfkc) || view.has(ViewStep::nfkd);
  composes_ = view.has(ViewStep::nfc) || view.has(ViewStep::nfkc);
  decomposes_ = compatible_ || composes_ || view.has(ViewStep::nfd) || view.has(ViewStep::drop_marks);
  for (char32_t code = 0; code < actions_.size(); ++code) {
    std::u32string codes(1, code);
    transform(codes);
    ascii_[code] = codes.empty() ? '\0' : static_cast<char>(codes.front());
    actions_[code] = codes.empty()                                           ? Action::drop
                     : codes.front() == ' ' && view.has(ViewStep::one_space) ? Action::space
                                                                             : Action::keep;
  }
}

// Where text is decomposed, a segment begins with what starts anew: a starter, and where it is composed again, one that
// never composes with what stands before it.
bool Viewer::begins_segment(char32_t code) const {
  if (!decomposes_) return true;
  const CharacterFacts* first = &data_[code];
  const std::uint16_t number = compatible_ ? first->compatible : first->canonical;
  if (number != 0) first = &data_[data_.mapping(number).front()];
  return first->combining_class == 0 && !(composes_ && first->has(CharacterFacts::composes_backward));
}

bool Viewer::is_cut(const DecodedCharacter& character) const {
  if (!character.is_valid) return true;
  if (view_.has(ViewStep::drop_ignorable) && data_[character.code].has(CharacterFacts::ignorable)) return false;
  if (!begins_segment(character.code)) return false;
  if (!view_.has(ViewStep::one_space)) return true;
  std::u32string codes(1, character.code);
  transform(codes);
  return !codes.empty() && codes.front() != ' ';
}

std::size_t Viewer::next_cut(std::string_view text, std::size_t at) const {
  for (std::size_t back = 1; back <= std::min<std::size_t>(at, 3) && at < text.size(); ++back) {
    if (!begins_character(text[at - back])) continue;
    const DecodedCharacter around = decode_utf8(text.substr(at - back));
    if (around.is_valid && around.length > back) at += around.length - back;
    break;
  }
  while (at < text.size()) {
    const DecodedCharacter character = decode_utf8(text.substr(at));
    if (is_cut(character)) break;
    at += character.length;
  }
  return at;
}

std::size_t Viewer::append(std::string_view text, std::size_t at, std::size_t until, std::uint64_t base,
                           ViewedText& out) const {
  Writer writer(view_.has(ViewStep::one_space), base, out);
  const bool drops_ignorable = view_.has(ViewStep::drop_ignorable);
  std::u32string codes;
  std::string bytes;
  while (at < text.size()) {
    const bool stands_alone = is_ascii(text[at]) && (!decomposes_ || (at + 1 < text.size() && is_ascii(text[at + 1])));
    if (stands_alone && at < until) {
      const auto code = static_cast<std::uint8_t>(text[at]);
      const Action action = actions_[code];
      if (action == Action::keep || (action == Action::space && !writer.ends_with_space())) {
        writer.keep(ascii_[code], at++, action == Action::space);
        continue;
      }
    }
    const DecodedCharacter first = decode_utf8(text.substr(at));
    if (at >= until && is_cut(first)) break;
    const std::size_t begin = at;
    at += first.length;
    if (!first.is_valid) {
      writer.segment(begin, at, text.substr(begin, 1), false);
      continue;
    }
    if (drops_ignorable && data_[first.code].has(CharacterFacts::ignorable)) continue;
    codes.assign(1, first.code);
    std::size_t end = at;
    while (decomposes_ && at < text.size() && codes.size() < most_segment_codes) {
      const DecodedCharacter next = decode_utf8(text.substr(at));
      if (!next.is_valid) break;
      const bool is_dropped = drops_ignorable && data_[next.code].has(CharacterFacts::ignorable);
      if (!is_dropped && begins_segment(next.code)) break;
      at += next.length;
      if (is_dropped) continue;
      codes.push_back(next.code);
      end = at;
    }
    const bool is_one_character = codes.size() == 1;
    transform(codes);
    bytes.clear();
    for (const char32_t code : codes) append_utf8(code, bytes);
    writer.segment(begin, end, bytes, is_one_character && codes.size() == 1);
  }
  return at;
}

void Viewer::transform(std::u32string& codes) const {
  const bool folds = view_.folds();
  if (!decomposes_) {
    if (folds) fold(codes);
    drop(codes);
    return;
  }
  decompose(codes);
  if (folds) {
    // Unicode's canonical and compatibility caseless matching (D145, D146).
    fold(codes);
    decompose(codes);
    if (compatible_) {
      fold(codes);
      decompose(codes);
    }
  }
  if (view_.has(ViewStep::drop_marks))
    std::erase_if(codes, [&](char32_t code) { return data_[code].has(CharacterFacts::mark); });
  if (composes_) compose(codes);
  drop(codes);
}

// Into canonical order, too: marks are sorted by their class.
void Viewer::decompose(std::u32string& codes) const {
  std::u32string decomposed;
  for (const char32_t code : codes) data_.decompose(code, compatible_, decomposed);
  codes.swap(decomposed);
  const auto class_of = [&](char32_t code) { return data_[code].combining_class; };
  for (auto begin = codes.begin(); begin != codes.end();) {
    if (class_of(*begin) == 0) {
      ++begin;
      continue;
    }
    const auto end = std::find_if(begin, codes.end(), [&](char32_t code) { return class_of(code) == 0; });
    std::stable_sort(begin, end, [&](char32_t a, char32_t b) { return class_of(a) < class_of(b); });
    begin = end;
  }
}

void Viewer::fold(std::u32string& codes) const {
  std::u32string folded;
  for (const char32_t code : codes) {
    const CharacterFacts& of = data_[code];
    const std::uint16_t number = view_.has(ViewStep::fold)          ? of.full_fold
                                 : view_.has(ViewStep::fold_simple) ? of.simple_fold
                                 : code < 0x80                      ? of.simple_fold
                                                                    : std::uint16_t{0};
    if (number == 0)
      folded.push_back(code);
    else
      folded.append(data_.mapping(number).begin(), data_.mapping(number).end());
  }
  codes.swap(folded);
}

// Composes each starter with what follows it, unless something between them blocks it: a character whose class is not
// lower than that of the one behind it.
void Viewer::compose(std::u32string& codes) const {
  std::size_t starter = std::u32string::npos, kept = 0;
  std::uint8_t last_class = 0;
  for (const char32_t code : codes) {
    const std::uint8_t combining_class = data_[code].combining_class;
    const bool is_blocked = starter == std::u32string::npos || (kept > starter + 1 && last_class >= combining_class);
    if (!is_blocked) {
      if (const char32_t composed = data_.composed(codes[starter], code); composed != 0) {
        codes[starter] = composed;
        continue;
      }
    }
    if (combining_class == 0) starter = kept;
    last_class = combining_class;
    codes[kept++] = code;
  }
  codes.resize(kept);
}

void Viewer::drop(std::u32string& codes) const {
  if (view_.has(ViewStep::drop_punctuation))
    std::erase_if(codes, [&](char32_t code) { return data_[code].has(CharacterFacts::punctuation); });
  if (view_.has(ViewStep::punctuation_as_space))
    for (char32_t& code : codes)
      if (data_[code].has(CharacterFacts::punctuation)) code = ' ';
  const auto is_space = [&](char32_t code) { return data_[code].has(CharacterFacts::white_space); };
  if (view_.has(ViewStep::drop_space)) std::erase_if(codes, is_space);
  if (!view_.has(ViewStep::one_space)) return;
  for (char32_t& code : codes)
    if (is_space(code)) code = ' ';
  codes.erase(std::unique(codes.begin(), codes.end(), [](char32_t a, char32_t b) { return a == ' ' && b == ' '; }),
              codes.end());
}

}  // namespace lode::text
