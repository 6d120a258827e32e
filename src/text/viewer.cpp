#include "text/viewer.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

namespace lode::text {
namespace {

// Unicode's Stream-Safe Text Format allows for 30 marks behind a letter. Where more follow, a new segment begins, so that
// the memory for one is bounded.
constexpr std::size_t most_segment_codes = 32;

bool is_ascii(char byte) { return static_cast<std::uint8_t>(byte) < 0x80; }

}  // namespace

Viewer::Viewer(const View& view, std::string_view instruction_set)
    : view_(view),
      data_(UnicodeData::get()),
      append_alike_run_(alike_run_appender(choose_instruction_set(instruction_set))) {
  compatible_ = view.has(ViewStep::nfkc) || view.has(ViewStep::nfkd);
  composes_ = view.has(ViewStep::nfc) || view.has(ViewStep::nfkc);
  decomposes_ = compatible_ || composes_ || view.has(ViewStep::nfd) || view.has(ViewStep::drop_marks);
  rules_.folds = view.folds();
  rules_.joins_spaces = view.has(ViewStep::one_space);
  rules_.decomposes = decomposes_;
  for (std::uint8_t code = 0; code < 0x80; ++code) {
    const Prospect seen = foresee(code);
    if (seen.fate == Fate::none)
      rules_.dropped.insert(code);
    else if (seen.fate == Fate::space || (seen.bytes[0] == ' ' && code != ' '))
      rules_.spaces.insert(code);
  }
  // Most characters of three bytes are Chinese, which no step changes, and Hangul, which only decomposes.
  for (char32_t lead = 0; lead < 0x10; ++lead) {
    const bool is_hangul = lead >= 0xA && lead <= 0xD;
    bool is_kept = lead != 0xD && !(is_hangul && decomposes_ && !composes_);  // no character is a surrogate
    for (char32_t code = lead << 12; is_kept && code < (lead + 1) << 12; code += UnicodeData::block_size)
      is_kept = data_.is_plain_block(code);
    rules_.kept_leads[lead] = is_kept ? 0xE : 0;
  }
}

Viewer::~Viewer() {
  for (const auto& block : blocks_) delete block.load();
  for (const auto& page : pages_) delete page.load();
  delete rows_.load();
}

const Viewer::Block& Viewer::make_block(std::size_t index) const {
  auto made = std::make_unique<Block>();
  for (std::size_t at = 0; at < block_size; ++at) (*made)[at] = foresee(static_cast<char32_t>(index * block_size + at));
  const Block* expected = nullptr;
  if (blocks_[index].compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) return *made.release();
  return *expected;
}

Viewer::Prospect Viewer::foresee(char32_t code) const {
  Prospect seen;
  if (view_.has(ViewStep::drop_ignorable) && data_[code].has(CharacterFacts::ignorable)) {
    seen.fate = Fate::ignorable;
    seen.begins_segment = false;
    return seen;
  }
  seen.begins_segment = begins_segment(code);
  std::u32string codes(1, code);
  if (!data_.is_plain_block(code) || code >= 0xAC00) transform(codes);
  if (codes.empty()) {
    seen.fate = Fate::none;
  } else if (codes.size() > 1) {
    seen.fate = Fate::several;
  } else {
    seen.fate = codes.front() == ' ' && view_.has(ViewStep::one_space) ? Fate::space : Fate::one;
    seen.length = static_cast<std::uint8_t>(encode_utf8(codes.front(), seen.bytes.data()));
    seen.is_kept = codes.front() == code;
  }
  return seen;
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
  const Prospect& seen = prospect(character.code);
  if (!seen.begins_segment) return false;
  if (!view_.has(ViewStep::one_space)) return true;
  if (seen.fate != Fate::several) return seen.fate == Fate::one;
  std::u32string codes(1, character.code);
  transform(codes);
  return codes.front() != ' ';
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

std::size_t Viewer::last_cut(std::string_view text, std::size_t at) const {
  for (; at > 0; --at)
    if (at < text.size() && begins_character(text[at]) && is_cut(decode_utf8(text.substr(at)))) break;
  return at;
}

bool Viewer::continues_segment(std::string_view text) const {
  if (!decomposes_ || is_ascii(text.front()) || rules_.keeps_lead(static_cast<std::uint8_t>(text.front())))
    return false;
  const DecodedCharacter first = decode_utf8(text);
  return first.is_valid && !prospect(first.code).begins_segment;
}

const AlikePage& Viewer::make_page(std::size_t index) const {
  auto made = std::make_unique<AlikePage>();
  made->lead = static_cast<std::uint8_t>(0xC0 | index << 1);
  for (std::size_t at = 0; at < made->changes.size(); ++at) {
    const Prospect& seen = prospect(static_cast<char32_t>(index * made->changes.size() + at));
    if (index == 0 || !seen.has_room_in(2) || seen.length != 2) continue;
    const auto first = static_cast<std::uint8_t>(seen.bytes[0]), second = static_cast<std::uint8_t>(seen.bytes[1]);
    if ((first & 0xFE) != made->lead) continue;
    made->changes[at] = static_cast<std::uint8_t>(AlikePage::known | (AlikePage::index(first, second) ^ at));
  }
  const AlikePage* expected = nullptr;
  if (pages_[index].compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) return *made.release();
  return *expected;
}

const AlikeRows& Viewer::make_rows() const {
  auto made = std::make_unique<AlikeRows>();
  for (AlikeRow& row : made->all) {
    for (std::uint8_t third = 0; third < row.becomes.size(); ++third) {
      const Prospect& seen = prospect((row.first & 0xFU) << 12 | (row.second & 0x3FU) << 6 | third);
      if (!seen.has_room_in(3)) continue;
      row.becomes[third] = seen.is_kept       ? AlikeRow::kept
                           : seen.length == 1 ? static_cast<std::uint8_t>(seen.bytes[0])
                                              : 0;
    }
  }
  const AlikeRows* expected = nullptr;
  if (rows_.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) return *made.release();
  return *expected;
}

std::size_t Viewer::append(std::string_view text, std::size_t at, std::size_t until, std::uint64_t base,
                           ViewedText& out) const {
  until = std::min(until, text.size());
  ViewWriter writer(view_.has(ViewStep::one_space), base, until - std::min(until, at), out);
  AlikeTables tables = no_alike_tables;
  std::u32string codes;
  std::string bytes;
  while (at < text.size()) {
    const DecodedCharacter first = decode_utf8(text.substr(at));
    if (at >= until) {
      if (is_cut(first)) break;
    } else if (first.code < 0x80 || !first.is_valid || prospect(first.code).has_room_in(first.length)) {
      const std::size_t reached = append_alike_run_(*this, rules_, tables, text, at, until, writer);
      if (reached != at) {
        at = reached;
        continue;
      }
    }
    const std::size_t begin = at;
    at += first.length;
    if (!first.is_valid) {
      writer.segment(begin, at, text.substr(begin, 1));
      continue;
    }
    const Prospect& seen = prospect(first.code);
    if (seen.fate == Fate::ignorable) continue;
    codes.clear();  // those of a segment that is several characters
    std::size_t end = at;
    while (at < text.size() && codes.size() < most_segment_codes && continues_segment(text.substr(at))) {
      const DecodedCharacter next = decode_utf8(text.substr(at));
      at += next.length;
      if (prospect(next.code).fate == Fate::ignorable) continue;
      if (codes.empty()) codes.push_back(first.code);
      codes.push_back(next.code);
      end = at;
    }
    if (codes.empty() && seen.fate != Fate::several) {
      if (seen.fate == Fate::none) continue;
      if (seen.fate == Fate::space) {
        writer.space(begin, end);
        continue;
      }
      if (seen.length == end - begin) {
        std::memcpy(writer.room(seen.length), seen.bytes.data(), seen.length);
        writer.run(begin, end);
      } else {
        writer.segment(begin, end, {seen.bytes.data(), seen.length});
      }
      continue;
    }
    if (codes.empty()) codes.push_back(first.code);
    transform(codes);
    bytes.clear();
    for (const char32_t code : codes) append_utf8(code, bytes);
    writer.segment(begin, end, bytes);
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
    // A sort asks for memory, and mostly there is one mark.
    if (end - begin > 1)
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
