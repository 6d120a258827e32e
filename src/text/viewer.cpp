#include "text/viewer.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "base/bytes.hpp"

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
  /// `expected`: how many bytes may come.
  Writer(bool one_space, std::uint64_t base, std::size_t expected, ViewedText& out)
      : one_space_(one_space), base_(base), out_(out), size_(out.bytes.size()) {
    make_room(expected);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { out_.bytes.resize(size_); }

  /// Room for characters that are as long as they were: run() says which came there.
  char* room(std::size_t bytes) {
    if (size_ + bytes > out_.bytes.size()) make_room(bytes);
    return out_.bytes.data() + size_;
  }
  /// Characters of the original that are as long as they were. `ends_with_space`: the last of them may be joined.
  void run(std::size_t begin, std::size_t end, bool ends_with_space = false) {
    if (begin == end) return;
    extend(begin, end);
    size_ += end - begin;
    ends_with_space_ = ends_with_space;
  }
  void space(std::size_t begin, std::size_t end) {
    if (ends_with_space_) {
      join(end);
      return;
    }
    if (end - begin == 1)
      extend(begin, end);
    else
      out_.spans.push_back({size_, base_ + begin, base_ + end, true});
    *room(1) = ' ';
    ++size_;
    ends_with_space_ = true;
  }
  bool ends_with_space() const { return ends_with_space_; }
  /// The last segment, which ends with a space, reaches to here.
  void join(std::size_t end) { out_.spans.back().original_end = base_ + end; }
  void segment(std::size_t begin, std::size_t end, std::string_view bytes) {
    if (bytes.empty()) return;
    const bool will_end_with_space = one_space_ && bytes.back() == ' ';
    if (ends_with_space_ && bytes.front() == ' ') {
      bytes.remove_prefix(1);
      if (!bytes.empty()) part_space();
      join(end);
    } else {
      out_.spans.push_back({size_, base_ + begin, base_ + end, true});
    }
    std::memmove(room(bytes.size()), bytes.data(), bytes.size());
    size_ += bytes.size();
    ends_with_space_ = will_end_with_space;
  }

 private:
  void make_room(std::size_t bytes) { out_.bytes.resize(size_ + std::max(bytes, size_ / 2)); }
  // The next bytes lie in the original as they are viewed.
  void extend(std::size_t begin, std::size_t end) {
    if (!out_.spans.empty()) {
      ViewedSpan& last = out_.spans.back();
      const bool is_alike = !last.is_segment && last.original_end - last.original == size_ - last.viewed;
      if (is_alike && last.original_end == base_ + begin) {
        last.original_end = base_ + end;
        return;
      }
    }
    out_.spans.push_back({size_, base_ + begin, base_ + end, false});
  }

  // Makes the space at the end a segment of its own, to which more than blanks is joined.
  void part_space() {
    ViewedSpan& last = out_.spans.back();
    const std::uint64_t before = size_ - 1 - last.viewed;
    if (last.is_segment || before == 0) {
      last.is_segment = true;
      return;
    }
    const std::uint64_t end = std::exchange(last.original_end, last.original + before);
    out_.spans.push_back({size_ - 1, last.original + before, end, true});
  }

  const bool one_space_;
  const std::uint64_t base_;
  ViewedText& out_;
  std::size_t size_;  // bytes that were appended; out_.bytes has room for more
  bool ends_with_space_ = false;
};

Viewer::Viewer(const View& view) : view_(view), data_(UnicodeData::get()) {
  compatible_ = view.has(ViewStep::nfkc) || view.has(ViewStep::nfkd);
  composes_ = view.has(ViewStep::nfc) || view.has(ViewStep::nfkc);
  decomposes_ = compatible_ || composes_ || view.has(ViewStep::nfd) || view.has(ViewStep::drop_marks);
  for (char32_t code = 0; code < ascii_.size(); ++code) {
    const Prospect seen = foresee(code);
    ascii_[code] = seen.fate == Fate::one ? static_cast<char>(seen.code) : seen.fate == Fate::space ? ' ' : '\0';
    ascii_ends_[code] = seen.fate != Fate::one;
    const auto byte = static_cast<std::uint8_t>(code);
    const char usual = static_cast<char>(view.folds() ? lode::fold(byte) : byte);
    ascii_is_kept_ = ascii_is_kept_ && !ascii_ends_[code] && ascii_[code] == usual;
  }
}

Viewer::~Viewer() {
  for (const auto& block : blocks_) delete block.load();
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
  transform(codes);
  if (codes.empty()) {
    seen.fate = Fate::none;
  } else if (codes.size() > 1) {
    seen.fate = Fate::several;
  } else {
    seen.fate = codes.front() == ' ' && view_.has(ViewStep::one_space) ? Fate::space : Fate::one;
    seen.code = codes.front();
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

// Appends ASCII characters, as far as no mark may follow them. Returns the place that it reached.
std::size_t Viewer::append_ascii(std::string_view text, std::size_t at, std::size_t until, Writer& writer) const {
  std::size_t end = at;
  while (end + 8 <= until) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + end, sizeof word);
    if ((word & 0x8080808080808080u) != 0) break;
    end += 8;
  }
  while (end < until && is_ascii(text[end])) ++end;
  if (decomposes_ && end > at && end < text.size() && !is_ascii(text[end])) {
    const DecodedCharacter next = decode_utf8(text.substr(end));
    if (next.is_valid && !prospect(next.code).begins_segment) --end;
  }
  char* to = writer.room(end - at);
  if (ascii_is_kept_) {
    const std::size_t begin = at;
    for (; at + 8 <= end; at += 8, to += 8) {
      std::uint64_t word = load_u64(reinterpret_cast<const std::uint8_t*>(text.data() + at));
      if (view_.folds()) word = fold_u64(word);
      std::memcpy(to, &word, sizeof word);
    }
    for (; at < end; ++at) *to++ = ascii_[static_cast<std::uint8_t>(text[at])];
    writer.run(begin, end);
    return at;
  }
  // A blank is written like a letter, unless it joins the one before it.
  bool ends_with_space = writer.ends_with_space();
  std::size_t begin = at;
  for (; at < end; ++at) {
    const auto code = static_cast<std::uint8_t>(text[at]);
    const bool is_special = ascii_ends_[code];
    const char becomes = ascii_[code];
    *to = becomes;
    if (is_special && (ends_with_space || becomes != ' ')) {
      writer.run(begin, at, ends_with_space);
      if (becomes == ' ') writer.join(at + 1);
      begin = at + 1;
      to = writer.room(end - begin);
      continue;
    }
    ++to;
    ends_with_space = is_special;
  }
  writer.run(begin, at, ends_with_space);
  return at;
}

// Appends characters behind ASCII that become one as long as they are. Returns the place that it reached.
std::size_t Viewer::append_alike(std::string_view text, std::size_t at, std::size_t until, Writer& writer) const {
  const std::size_t begin = at;
  char* to = writer.room(until - at + 4);
  DecodedCharacter character = decode_utf8(text.substr(at));
  const Prospect* seen = character.is_valid ? &prospect(character.code) : nullptr;
  while (seen != nullptr && seen->fate == Fate::one && encode_utf8(seen->code, to) == character.length) {
    const std::size_t next_at = at + character.length;
    const Prospect* of_next = nullptr;  // where a character behind ASCII follows
    DecodedCharacter next;
    if (next_at < text.size() && !is_ascii(text[next_at])) {
      next = decode_utf8(text.substr(next_at));
      if (next.is_valid) of_next = &prospect(next.code);
      if (decomposes_ && of_next != nullptr && !of_next->begins_segment) break;
    }
    to += character.length;
    at = next_at;
    if (at >= until) break;
    character = next;
    seen = of_next;
  }
  writer.run(begin, at);
  return at;
}

std::size_t Viewer::append(std::string_view text, std::size_t at, std::size_t until, std::uint64_t base,
                           ViewedText& out) const {
  until = std::min(until, text.size());
  Writer writer(view_.has(ViewStep::one_space), base, until - std::min(until, at), out);
  std::u32string codes;
  std::string bytes;
  while (at < text.size()) {
    if (at < until) {
      const std::size_t reached =
          is_ascii(text[at]) ? append_ascii(text, at, until, writer) : append_alike(text, at, until, writer);
      if (reached != at) {
        at = reached;
        continue;
      }
    }
    const DecodedCharacter first = decode_utf8(text.substr(at));
    if (at >= until && is_cut(first)) break;
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
    while (decomposes_ && at < text.size() && codes.size() < most_segment_codes) {
      const DecodedCharacter next = decode_utf8(text.substr(at));
      if (!next.is_valid) break;
      const Prospect& of_next = prospect(next.code);
      if (of_next.begins_segment) break;
      at += next.length;
      if (of_next.fate == Fate::ignorable) continue;
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
      char* const to = writer.room(4);
      const std::size_t length = encode_utf8(seen.code, to);
      if (length == end - begin)
        writer.run(begin, end);
      else
        writer.segment(begin, end, {to, length});
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
