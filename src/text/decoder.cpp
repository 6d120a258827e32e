#include "text/decoder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "lode/error.hpp"
#include "text/plain_copy.hpp"
#include "text/unicode.hpp"
#include "text/unicode_tables.hpp"
#include "text/view_writer.hpp"

namespace lode::text {
namespace {

constexpr char32_t replacement = 0xFFFD;

// In the order of their numbers, from 1. Those of one byte a character follow.
constexpr std::array<std::string_view, 7> unicode_encodings = {"auto",   "utf-16",   "utf-16le", "utf-16be",
                                                               "utf-32", "utf-32le", "utf-32be"};

// Appends characters, and spans of those that take equally many bytes of the original.
class PlainWriter {
 public:
  PlainWriter(std::uint64_t base, PlainText& out) : base_(base), out_(out) {}

  /// Room for characters of ASCII: ascii() says that they came there.
  char* room(std::size_t count) {
    const std::size_t size = out_.bytes.size();
    out_.bytes.resize(size + count);
    return out_.bytes.data() + size;
  }
  /// So many bytes of the room are not needed.
  void give_back(std::size_t count) { out_.bytes.resize(out_.bytes.size() - count); }
  void ascii(std::size_t begin, std::size_t count, std::uint8_t character_bytes) {
    const bool is_long = count >= long_ascii;
    extend(begin, begin + count * character_bytes, out_.bytes.size() - count, character_bytes, is_long && !is_ascii_);
    if (is_long) is_ascii_ = true;
  }
  void character(char32_t code, std::size_t begin, std::size_t end) {
    const std::size_t place = out_.bytes.size();
    append_utf8(code, out_.bytes);
    extend(begin, end, place, static_cast<std::uint8_t>(end - begin), is_ascii_);
    is_ascii_ = false;
  }
  /// A character that no match may hold.
  void barrier(char32_t code, std::size_t begin, std::size_t end) {
    out_.barriers.push_back(out_.bytes.size());
    out_.spans.push_back({out_.bytes.size(), base_ + begin, base_ + end, true});
    append_utf8(code, out_.bytes);
  }

 private:
  // Places in a span of ASCII alone are found without counting characters, so a long run of it is a span of its own.
  static constexpr std::size_t long_ascii = 32;

  void extend(std::size_t begin, std::size_t end, std::uint64_t place, std::uint8_t character_bytes, bool is_new) {
    if (!out_.spans.empty() && !is_new) {
      ViewedSpan& last = out_.spans.back();
      if (!last.is_segment && last.character_bytes == character_bytes && last.original_end == base_ + begin) {
        last.original_end = base_ + end;
        return;
      }
    }
    out_.spans.push_back({place, base_ + begin, base_ + end, false, character_bytes});
  }

  const std::uint64_t base_;
  PlainText& out_;
  bool is_ascii_ = false;  // the last span, which is long
};

template <class Unit, bool swaps>
Unit load_unit(const char* at) {
  Unit unit = 0;
  std::memcpy(&unit, at, sizeof unit);
  if constexpr (swaps) {
    if constexpr (sizeof(Unit) == 2) return static_cast<Unit>(unit << 8 | unit >> 8);
    if constexpr (sizeof(Unit) == 4) return __builtin_bswap32(unit);
  }
  return unit;
}

bool is_lead_surrogate(char32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_trail_surrogate(char32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

template <class Unit, bool swaps>
void append_unit(char32_t code, std::string& out) {
  auto unit = static_cast<Unit>(code);
  char bytes[sizeof unit];
  std::memcpy(bytes, &unit, sizeof unit);
  if constexpr (swaps) std::reverse(std::begin(bytes), std::end(bytes));
  out.append(bytes, sizeof unit);
}

// Takes the first character of a text that is not empty, for an encoding that has it or not.
char32_t take_character(std::string_view& utf8) {
  const DecodedCharacter character = decode_utf8(utf8);
  if (!character.is_valid)
    throw Error(ErrorKind::invalid_argument, "'" + std::string(utf8) + "' is not UTF-8, so it cannot be encoded");
  utf8.remove_prefix(character.length);
  return character.code;
}

// UTF-16 and UTF-32.
template <class Unit, bool swaps>
class UnicodeDecoder final : public Decoder {
 public:
  UnicodeDecoder(bool has_mark, const PlainCopiers& copiers)
      : has_mark_(has_mark),
        narrow_(swaps == (std::endian::native == std::endian::little) ? copiers.big : copiers.little) {}
  std::size_t unit_bytes() const override { return sizeof(Unit); }
  std::size_t whole_bytes(std::string_view text) const override {
    const std::size_t bytes = text.size() - text.size() % sizeof(Unit);
    const bool may_go_on = sizeof(Unit) == 2 && bytes != 0 &&
                           is_lead_surrogate(load_unit<Unit, swaps>(text.data() + bytes - sizeof(Unit)));
    return bytes - (may_go_on ? sizeof(Unit) : 0);
  }

  std::size_t append(std::string_view text, std::size_t at, std::size_t until, std::uint64_t base, State&,
                     PlainText& out) const override {
    PlainWriter writer(base, out);
    if (has_mark_ && base + at == 0 && until != 0) at = std::min(text.size(), sizeof(Unit));
    while (at < until) {
      const std::size_t ascii = copy_ascii(text, at, until, writer);
      at += ascii * sizeof(Unit);
      if (at >= until) break;
      const std::size_t begin = at;
      char32_t code = replacement;
      if (text.size() - at < sizeof(Unit)) {
        at = text.size();
      } else {
        code = load_unit<Unit, swaps>(text.data() + at);
        at += sizeof(Unit);
        if (sizeof(Unit) == 2 && is_lead_surrogate(code) && text.size() - at >= sizeof(Unit)) {
          const char32_t trail = load_unit<Unit, swaps>(text.data() + at);
          if (is_trail_surrogate(trail)) {
            code = 0x10000 + ((code & 0x3FF) << 10 | (trail & 0x3FF));
            at += sizeof(Unit);
          }
        }
      }
      if (code > last_code_point || is_lead_surrogate(code) || is_trail_surrogate(code) || code == replacement)
        writer.barrier(replacement, begin, at);
      else
        writer.character(code, begin, at);
    }
    return at;
  }

  void encode(std::string_view utf8, std::string& out) const override {
    while (!utf8.empty()) {
      const char32_t code = take_character(utf8);
      if (sizeof(Unit) == 2 && code >= 0x10000) {
        append_unit<Unit, swaps>(0xD800 + ((code - 0x10000) >> 10), out);
        append_unit<Unit, swaps>(0xDC00 + (code & 0x3FF), out);
      } else {
        append_unit<Unit, swaps>(code, out);
      }
    }
  }

 private:
  // Copies characters of ASCII. Returns how many.
  std::size_t copy_ascii(std::string_view text, std::size_t at, std::size_t until, PlainWriter& writer) const {
    const std::size_t units = (std::min(until, text.size()) - std::min(at, text.size())) / sizeof(Unit);
    const char* from = text.data() + at;
    std::size_t count = 0;
    if constexpr (sizeof(Unit) == 2) {
      // A long run of ASCII is likely to go on, and room for what does not come costs time.
      std::size_t step = 64;
      while (units - count >= plain_copy_slack) {
        step = std::min(step, units - count);
        char* const to = writer.room(step + plain_copy_slack);
        const std::size_t copied = narrow_(from + count * sizeof(Unit), step, to);
        writer.give_back(step + plain_copy_slack - copied);
        count += copied;
        if (copied < step) break;
        step = std::min<std::size_t>(2 * step, 4096);
      }
    }
    for (; count < units; ++count) {
      const Unit unit = load_unit<Unit, swaps>(from + count * sizeof(Unit));
      if (unit >= 0x80) break;
      *writer.room(1) = static_cast<char>(unit);
    }
    if (count != 0) writer.ascii(at, count, sizeof(Unit));
    return count;
  }

  const bool has_mark_;
  std::size_t (*const narrow_)(const char* from, std::size_t units, char* to);
};

// UTF-8 behind a byte order mark, which belongs to no text.
class MarkedUtf8Decoder final : public Decoder {
 public:
  std::size_t append(std::string_view text, std::size_t at, std::size_t until, std::uint64_t base, State&,
                     PlainText& out) const override {
    constexpr std::size_t mark_bytes = 3;
    if (base == 0 && at < mark_bytes) at = std::min(until, mark_bytes);
    until = std::min(until, text.size());
    if (at >= until) return at;
    if (out.spans.empty() || out.spans.back().original_end != base + at)
      out.spans.push_back({out.bytes.size(), base + at, base + at, false});
    out.bytes.append(text.substr(at, until - at));
    out.spans.back().original_end = base + until;
    return until;
  }
};

class SingleByteDecoder final : public Decoder {
 public:
  explicit SingleByteDecoder(const tables::SingleByteEncoding& encoding) : encoding_(encoding) {}

  std::size_t append(std::string_view text, std::size_t at, std::size_t until, std::uint64_t base, State&,
                     PlainText& out) const override {
    PlainWriter writer(base, out);
    until = std::min(until, text.size());
    while (at < until) {
      std::size_t end = at;
      while (end + 64 <= until && is_ascii(text.substr(end, 64))) end += 64;
      while (end < until && is_ascii(text.substr(end, 1))) ++end;
      if (end != at) {
        std::memcpy(writer.room(end - at), text.data() + at, end - at);
        writer.ascii(at, end - at, 1);
        at = end;
        continue;
      }
      const char32_t code = encoding_.upper[static_cast<std::uint8_t>(text[at]) - 0x80];
      if (code == replacement)
        writer.barrier(code, at, at + 1);
      else
        writer.character(code, at, at + 1);
      ++at;
    }
    return at;
  }

  void encode(std::string_view utf8, std::string& out) const override {
    while (!utf8.empty()) {
      const std::string_view rest = utf8;
      const char32_t code = take_character(utf8);
      if (code < 0x80) {
        out += static_cast<char>(code);
        continue;
      }
      const auto found = std::find(std::begin(encoding_.upper), std::end(encoding_.upper), code);
      if (found == std::end(encoding_.upper) || code == replacement)
        throw Error(ErrorKind::invalid_argument, "'" + std::string(rest.substr(0, rest.size() - utf8.size())) +
                                                     "' is not in " + encoding_.name + ", the encoding of the text");
      out += static_cast<char>(0x80 + (found - std::begin(encoding_.upper)));
    }
  }

 private:
  const tables::SingleByteEncoding& encoding_;
};

// FASTA: records of a header line, which begins with > or ;, and lines of a sequence. FASTQ: records of four lines, of
// which the second is the sequence.
class SequenceDecoder final : public Decoder {
 public:
  SequenceDecoder(Layout layout, const PlainCopiers& copiers) : layout_(layout), copy_lines_(copiers.lines) {}
  bool decodes_lines() const override { return false; }

  State state_behind(std::string_view bytes, State state) const override {
    if (bytes.empty()) return state;
    if (layout_ == Layout::fastq) {
      const auto ends = static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n'));
      return {bytes.back() == '\n', static_cast<std::uint8_t>((state.line + ends) % lines_of_fastq)};
    }
    const std::size_t last = bytes.rfind('\n');
    const bool is_new = last != std::string_view::npos || state.begins_line;
    const std::size_t begin = last == std::string_view::npos ? 0 : last + 1;
    if (begin == bytes.size()) return {true, 0};
    return {false, is_new ? static_cast<std::uint8_t>(is_header(bytes[begin])) : state.line};
  }

  std::size_t append(std::string_view text, std::size_t at, std::size_t until, std::uint64_t base, State& state,
                     PlainText& out) const override {
    until = std::min(until, text.size());
    if (at >= until) return at;
    ViewWriter writer(false, base, until - at + plain_copy_slack, out);
    while (at < until) {
      if (state.begins_line && layout_ == Layout::fasta) {
        constexpr std::size_t spans_at_once = 128;
        const CopiedLines copied =
            copy_lines_({text, at, until, base, writer.size(), writer.room(until - at + plain_copy_slack),
                         writer.span_room(spans_at_once), spans_at_once});
        writer.open(copied.spans, copied.viewed);
        if (std::exchange(at, copied.at) != copied.at) continue;
      }
      // A line may be as long as a chromosome, so its end is looked for no further than it matters.
      const std::string_view near = text.substr(0, until + 1);
      const std::size_t found = near.find('\n', at);
      const bool has_end = found != std::string_view::npos;
      const std::size_t line_end = has_end ? found : near.size();  // without its terminator
      const std::size_t next = has_end ? found + 1 : near.size();
      if (state.begins_line && layout_ == Layout::fasta) state.line = is_header(text[at]) ? 1 : 0;
      const bool begins_record = state.begins_line && state.line == (layout_ == Layout::fasta ? 1 : 0);
      if (begins_record) {
        out.barriers.push_back(writer.size());
        writer.segment(at, next, "\n");
      }
      const std::size_t end = std::min(until, next);
      if (state.line == (layout_ == Layout::fasta ? 0 : 1)) {
        std::size_t last = std::min(until, line_end);
        const bool has_return = has_end && line_end != at && text[line_end - 1] == '\r';
        if (has_return) last = std::min(last, line_end - 1);
        if (last > at) {
          std::memcpy(writer.room(last - at), text.data() + at, last - at);
          writer.run(at, last);
        }
      }
      at = end;
      state.begins_line = has_end && at == next;
      if (state.begins_line && layout_ == Layout::fastq)
        state.line = static_cast<std::uint8_t>((state.line + 1) % lines_of_fastq);
    }
    return at;
  }

 private:
  static constexpr std::uint8_t lines_of_fastq = 4;
  static bool is_header(char first) { return first == '>' || first == ';'; }

  const Layout layout_;
  CopiedLines (*const copy_lines_)(const LinesToCopy& wanted);
};

template <bool is_big_endian>
std::unique_ptr<const Decoder> unicode_decoder(std::size_t unit_bytes, bool has_mark, const PlainCopiers& copiers) {
  constexpr bool swaps = is_big_endian == (std::endian::native == std::endian::little);
  if (unit_bytes == 2) return std::make_unique<UnicodeDecoder<std::uint16_t, swaps>>(has_mark, copiers);
  return std::make_unique<UnicodeDecoder<std::uint32_t, swaps>>(has_mark, copiers);
}

}  // namespace

std::uint32_t encoding_number(std::string_view name) {
  const auto found = std::find(unicode_encodings.begin(), unicode_encodings.end(), name);
  if (found != unicode_encodings.end()) return static_cast<std::uint32_t>(found - unicode_encodings.begin()) + 1;
  for (std::size_t at = 0; at < tables::single_byte_encodings_count; ++at)
    if (name == tables::single_byte_encodings[at].name)
      return static_cast<std::uint32_t>(unicode_encodings.size() + at) + 1;
  return 0;
}

std::string_view encoding_name(std::uint32_t number) {
  if (number == 0 || number > unicode_encodings.size() + tables::single_byte_encodings_count) return {};
  return number <= unicode_encodings.size() ? unicode_encodings[number - 1]
                                            : tables::single_byte_encodings[number - unicode_encodings.size() - 1].name;
}

std::unique_ptr<const Decoder> Decoder::make(const View& view, std::string_view head,
                                             std::string_view instruction_set) {
  if (!view.decodes()) return nullptr;
  const PlainCopiers copiers = plain_copiers(choose_instruction_set(instruction_set));
  if (view.layout() != Layout::none) return std::make_unique<SequenceDecoder>(view.layout(), copiers);
  const std::string name = view.encoding();
  const bool detects = name == "auto";
  const bool is_32 = name.starts_with("utf-32"), is_16 = name.starts_with("utf-16");
  const auto begins = [&](std::string_view mark) { return head.starts_with(mark); };
  // The mark of UTF-32 in little-endian begins like that of UTF-16.
  if ((detects || is_32) && begins(std::string_view("\xFF\xFE\0\0", 4)) && !name.ends_with("be"))
    return unicode_decoder<false>(4, true, copiers);
  if ((detects || is_32) && begins(std::string_view("\0\0\xFE\xFF", 4)) && !name.ends_with("le"))
    return unicode_decoder<true>(4, true, copiers);
  if ((detects || is_16) && begins("\xFF\xFE") && !name.ends_with("be"))
    return unicode_decoder<false>(2, true, copiers);
  if ((detects || is_16) && begins("\xFE\xFF") && !name.ends_with("le")) return unicode_decoder<true>(2, true, copiers);
  if (detects) return begins("\xEF\xBB\xBF") ? std::make_unique<MarkedUtf8Decoder>() : nullptr;
  // Without a mark, utf-16 and utf-32 are little-endian, as nearly all such files are.
  if (is_32 || is_16) {
    const std::size_t unit_bytes = is_32 ? 4 : 2;
    return name.ends_with("be") ? unicode_decoder<true>(unit_bytes, false, copiers)
                                : unicode_decoder<false>(unit_bytes, false, copiers);
  }
  const std::uint32_t number = encoding_number(name);
  return std::make_unique<SingleByteDecoder>(tables::single_byte_encodings[number - unicode_encodings.size() - 1]);
}

}  // namespace lode::text
