// The SIMD part of alike_run.hpp. A block of 64 bytes is rewritten in place, byte by byte:
//
//   text      П    А    ,    _    中        D0 9F  D0 90  2C 20  E4 B8 AD
//   leads     1 .  1 .  . .  1 . .         where a character begins that has more bytes, by its first byte
//   follow    . 1  . 1  . .  . 1 1         what must follow leads: exactly these are bytes that go on
//   spaces    . .  . .  1 1  . . .
//   removed   . .  . .  . 1  . . .         spaces behind spaces, and what is dropped
//
// All are bits of a number, the lowest one the first byte. Where the bits say that bytes are no character that a table
// has, they are looked at one by one: what stays as long, or becomes shorter, is rewritten; what becomes longer, or
// nothing, or belongs to a segment with others, ends the run. Where bytes are removed, all that stands behind them in the
// block is moved, by whole vectors.
//
// Loses where nearly each segment has several characters: a run is then a block that is begun, and hardly used.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "text/alike_run.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/mask_bits-inl.hpp"

#ifndef LODE_TEXT_ALIKE_RUN_ONCE
#define LODE_TEXT_ALIKE_RUN_ONCE

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/bytes.hpp"
#include "text/alike_run.hpp"
#include "text/viewer.hpp"

namespace lode::text {

inline constexpr std::size_t alike_block_bytes = 64;

// Which bytes of a block are what, as bits: of ASCII characters,
struct AsciiBits {
  std::uint64_t others = 0;   // not ASCII
  std::uint64_t spaces = 0;   // where spaces are joined
  std::uint64_t dropped = 0;  // nothing is written for them
};
// and of all.
struct BlockBits : AsciiBits {
  std::uint64_t follow = 0;       // 0x80 to 0xBF
  std::uint64_t leads = 0;        // of characters of two or three bytes that are rewritten
  std::uint64_t singles = 0;      // others that begin a character, or are none: they are looked at one by one
  std::uint64_t must_follow = 0;  // behind all that is rewritten
  std::uint64_t segments = 0;     // where a character begins that is a span of its own
  std::uint64_t listed = 0;       // those of them that are in the list of what becomes shorter
  bool is_cut = false;            // a character that is rewritten goes on behind the block

  // Takes the leads of what is rewritten without looking at characters one by one. `shorter_ones`, of three bytes, become
  // one byte. Leads behind which bytes are missing are left to those who look.
  void complete(std::uint64_t leads_of_two, std::uint64_t leads_of_three, std::uint64_t shorter_ones,
                std::uint64_t shorter_spaces) {
    constexpr std::uint64_t last = std::uint64_t{1} << 63, last_two = std::uint64_t{3} << 62;
    leads_of_two &= follow >> 1 | last;
    leads_of_three &= (follow >> 1 | last) & (follow >> 2 | last_two);
    leads = leads_of_two | leads_of_three;
    must_follow = leads << 1 | leads_of_three << 2;
    is_cut = (leads >> 63 | leads_of_three >> 62) != 0;
    singles = others & ~(follow | leads);
    segments = shorter_ones & leads_of_three;
    dropped |= segments << 1 | segments << 2;
    spaces |= shorter_spaces & segments;
  }
};
// For each character of a block that becomes shorter: what it becomes. Such a character has at least two bytes.
using Shorter = std::array<const Viewer::Prospect*, alike_block_bytes / 2>;

constexpr std::uint64_t low_bits(std::size_t count) {
  return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// Where the character begins that ends at `end`, or is cut there.
constexpr std::size_t begin_of_last(std::uint64_t must_follow, std::size_t end) {
  return 63 - static_cast<std::size_t>(std::countl_zero(~must_follow & low_bits(end)));
}

// Rewrites single characters among the first `count` bytes of a block. Returns the place of the first one that it cannot
// rewrite whole, or `count`; `is_end` tells that it cannot be rewritten in the next block either. Where characters of
// another page are many, that one becomes the page.
std::size_t rewrite_singles(const Viewer& viewer, std::string_view text, std::size_t count, std::uint8_t* to,
                            BlockBits& bits, Shorter& shorter, AlikeTables& tables, bool& is_end);

}  // namespace lode::text

#endif

HWY_BEFORE_NAMESPACE();
namespace lode::text {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
// Without vectors, byte by byte.
class AlikeBlocks {
 public:
  explicit AlikeBlocks(const AlikeRules& rules) : rules_(rules) {}

  AsciiBits rewrite_ascii(const std::uint8_t* from, std::uint8_t* to) const {
    AsciiBits bits;
    for (std::size_t at = 0; at < alike_block_bytes; ++at) {
      const std::uint8_t byte = from[at];
      const std::uint64_t bit = std::uint64_t{1} << at;
      to[at] = rules_.folds ? fold(byte) : byte;
      if (byte >= 0x80) {
        bits.others |= bit;
      } else if (rules_.spaces.has(byte)) {
        to[at] = ' ';
        if (rules_.joins_spaces) bits.spaces |= bit;
      } else if (rules_.dropped.has(byte)) {
        bits.dropped |= bit;
      }
    }
    return bits;
  }

  void rewrite_others(const std::uint8_t* from, std::uint8_t* to, const AlikeTables& tables, BlockBits& bits) const {
    const AlikePage& page = *tables.page;
    const AlikeRows& rows = *tables.rows;
    std::uint64_t leads_of_two = 0, leads_of_three = 0, shorter = 0, spaces = 0;
    for (std::size_t at = 0; at < alike_block_bytes; ++at) {
      const std::uint8_t byte = from[at];
      const std::uint64_t bit = std::uint64_t{1} << at;
      if (byte >= 0x80 && byte < 0xC0) bits.follow |= bit;
      const std::uint8_t behind = from[at + 1];
      std::uint8_t of_row = 0;
      for (const AlikeRow& row : rows.all)
        if (row.first == byte && row.second == behind) of_row = row.becomes[from[at + 2] & 0x3F];
      const bool is_of_page = (byte & 0xFE) == page.lead && !begins_character(static_cast<char>(behind));
      const std::uint8_t of_page = is_of_page ? page.firsts[AlikePage::index(byte, behind)] : 0;
      if (rules_.keeps_lead(byte) || of_row != 0) {
        leads_of_three |= bit;
        if (of_row == 0 || of_row == AlikeRow::kept) continue;
        to[at] = of_row;
        shorter |= bit;
        if (of_row == ' ') spaces |= bit;
      } else if (of_page != 0) {
        leads_of_two |= bit;
        to[at] = of_page;
        if (at + 1 < alike_block_bytes) to[at + 1] = page.seconds[AlikePage::index(byte, behind)];
      }
    }
    bits.complete(leads_of_two, leads_of_three, shorter, rules_.joins_spaces ? spaces : 0);
  }

 private:
  const AlikeRules& rules_;
};
void copy_block(const std::uint8_t* from, std::uint8_t* to) { std::memcpy(to, from, alike_block_bytes); }
#else
namespace hn = hwy::HWY_NAMESPACE;
using lode::HWY_NAMESPACE::mask_bits;
using Bytes = hn::CappedTag<std::uint8_t, alike_block_bytes>;
using SignedBytes = hn::RebindToSigned<Bytes>;
using ByteVector = hn::Vec<Bytes>;
constexpr std::size_t vector_bytes = hn::MaxLanes(Bytes());

HWY_INLINE void copy_block(const std::uint8_t* from, std::uint8_t* to) {
  const Bytes d;
  for (std::size_t at = 0; at < alike_block_bytes; at += vector_bytes) hn::StoreU(hn::LoadU(d, from + at), d, to + at);
}

class AlikeBlocks {
 public:
  explicit AlikeBlocks(const AlikeRules& rules) : rules_(rules) {}

  // Rewrites ASCII characters, and copies other bytes.
  HWY_INLINE AsciiBits rewrite_ascii(const std::uint8_t* from, std::uint8_t* to) const {
    const Bytes d;
    const SignedBytes of_signed;
    const bool has_spaces = !rules_.spaces.empty(), has_dropped = !rules_.dropped.empty();
    const auto spaces = hn::LoadDup128(d, rules_.spaces.bits());
    const auto dropped = hn::LoadDup128(d, rules_.dropped.bits());
    const auto case_bit = hn::Set(d, rules_.folds ? 0x20 : 0);
    alignas(16) static constexpr std::uint8_t bit_of_high[16] = {1, 2, 4, 8, 16, 32, 64, 128};
    const auto bits_of_high = hn::LoadDup128(d, bit_of_high);
    std::uint64_t others = 0, space_bits = 0, dropped_bits = 0;
    for (std::size_t at = 0; at < alike_block_bytes; at += vector_bytes) {
      const auto bytes = hn::LoadU(d, from + at);
      const auto as_signed = hn::BitCast(of_signed, bytes);
      others |= mask_bits(of_signed, hn::Lt(as_signed, hn::Zero(of_signed))) << at;
      const auto is_capital =
          hn::And(hn::Gt(as_signed, hn::Set(of_signed, 'A' - 1)), hn::Lt(as_signed, hn::Set(of_signed, 'Z' + 1)));
      auto viewed = hn::Or(bytes, hn::And(case_bit, hn::BitCast(d, hn::VecFromMask(of_signed, is_capital))));
      if (has_spaces || has_dropped) {
        const auto low = hn::And(bytes, hn::Set(d, 0xF));
        const auto bit = hn::TableLookupBytes(bits_of_high, hn::ShiftRight<4>(bytes));  // no bit if not ASCII
        if (has_spaces) {
          const auto is_space = hn::Ne(hn::And(hn::TableLookupBytes(spaces, low), bit), hn::Zero(d));
          viewed = hn::IfThenElse(is_space, hn::Set(d, ' '), viewed);
          space_bits |= mask_bits(d, is_space) << at;
        }
        if (has_dropped) {
          const auto is_dropped = hn::Ne(hn::And(hn::TableLookupBytes(dropped, low), bit), hn::Zero(d));
          dropped_bits |= mask_bits(d, is_dropped) << at;
        }
      }
      hn::StoreU(viewed, d, to + at);
    }
    return {others, rules_.joins_spaces ? space_bits : 0, dropped_bits};
  }

  // Rewrites other characters. It reads a byte before the block, and two behind it.
  HWY_INLINE void rewrite_others(const std::uint8_t* from, std::uint8_t* to, const AlikeTables& tables,
                                 BlockBits& bits) const {
    const AlikePage& page = *tables.page;
    const AlikeRows& rows = *tables.rows;
    const Bytes d;
    const SignedBytes of_signed;
    const auto kept_leads = hn::LoadDup128(d, rules_.kept_leads.data());
    const auto page_lead = hn::Set(d, page.lead);
    const auto without_last_bit = hn::Set(d, 0xFE);
    std::uint64_t follow = 0, leads_of_two = 0, leads_of_three = 0, shorter = 0, spaces = 0;
    for (std::size_t at = 0; at < alike_block_bytes; at += vector_bytes) {
      const auto bytes = hn::LoadU(d, from + at);
      const auto before = hn::LoadU(d, from + at - 1);
      const auto behind = hn::LoadU(d, from + at + 1);
      const auto follows =
          hn::RebindMask(d, hn::Lt(hn::BitCast(of_signed, bytes), hn::Set(of_signed, static_cast<std::int8_t>(0xC0))));
      const auto is_lead_of_two = hn::Eq(hn::And(bytes, without_last_bit), page_lead);
      follow |= mask_bits(d, follows) << at;
      if (!hn::AllFalse(d, hn::Gt(bytes, hn::Set(d, 0xDF)))) {
        const auto kept = hn::TableLookupBytes(kept_leads, hn::And(bytes, hn::Set(d, 0xF)));
        leads_of_three |= mask_bits(d, hn::Eq(kept, hn::ShiftRight<4>(bytes))) << at;
        const auto in_first_row = is_in_row(rows.all[0], bytes, behind);
        const auto in_row = hn::Or(in_first_row, is_in_row(rows.all[1], bytes, behind));
        if (!hn::AllFalse(d, in_row)) {
          const auto third = hn::LoadU(d, from + at + 2);
          const auto viewed = hn::IfThenElse(in_first_row, look_up(rows.all[0].becomes.data(), third),
                                             look_up(rows.all[1].becomes.data(), third));
          const auto is_single = hn::Eq(viewed, hn::Zero(d));
          const auto is_shorter = hn::AndNot(hn::Or(is_single, hn::Eq(viewed, hn::Set(d, AlikeRow::kept))), in_row);
          leads_of_three |= mask_bits(d, hn::AndNot(is_single, in_row)) << at;
          shorter |= mask_bits(d, is_shorter) << at;
          spaces |= mask_bits(d, hn::Eq(viewed, hn::Set(d, ' '))) << at;
          hn::StoreU(hn::IfThenElse(is_shorter, viewed, hn::LoadU(d, to + at)), d, to + at);
        }
      }
      // If the byte is of a character of two bytes of the page, these are both.
      const auto first = hn::IfThenElse(follows, before, bytes);
      const auto second = hn::IfThenElse(follows, bytes, behind);
      const auto is_of_page = hn::Eq(hn::And(first, without_last_bit), page_lead);
      if (hn::AllFalse(d, is_of_page)) continue;
      const auto is_odd = hn::TestBit(first, hn::Set(d, 1));
      const auto look_up_in_page = [&](const AlikePage::Table& table) {
        return hn::IfThenElse(is_odd, look_up(table.data() + 64, second), look_up(table.data(), second));
      };
      const auto first_viewed = look_up_in_page(page.firsts);
      const auto viewed = hn::IfThenElse(follows, look_up_in_page(page.seconds), first_viewed);
      hn::StoreU(hn::IfThenElse(is_of_page, viewed, hn::LoadU(d, to + at)), d, to + at);
      leads_of_two |= mask_bits(d, hn::AndNot(hn::Eq(first_viewed, hn::Zero(d)), is_lead_of_two)) << at;
    }
    bits.follow = follow;
    bits.complete(leads_of_two, leads_of_three & bits.others, shorter, rules_.joins_spaces ? spaces : 0);
  }

 private:
  static HWY_INLINE hn::Mask<Bytes> is_in_row(const AlikeRow& row, ByteVector first, ByteVector second) {
    const Bytes d;
    return hn::And(hn::Eq(first, hn::Set(d, row.first)), hn::Eq(second, hn::Set(d, row.second)));
  }

  // Looks up the last six bits of bytes.
  static HWY_INLINE ByteVector look_up(const std::uint8_t* table, ByteVector bytes) {
    const Bytes d;
    const auto low = hn::And(bytes, hn::Set(d, 0xF));
    const auto has_bit_5 = hn::TestBit(bytes, hn::Set(d, 0x20));
    const auto has_bit_4 = hn::TestBit(bytes, hn::Set(d, 0x10));
    const auto part = [&](std::size_t index) {
      return hn::TableLookupBytes(hn::LoadDup128(d, table + index * 16), low);
    };
    return hn::IfThenElse(has_bit_5, hn::IfThenElse(has_bit_4, part(3), part(2)),
                          hn::IfThenElse(has_bit_4, part(1), part(0)));
  }

  const AlikeRules& rules_;
};
#endif

// How far a run has come.
struct Place {
  std::size_t at;
  std::size_t begin;  // of what is written, but not yet counted
  bool has_span;      // that begins there, and is empty
  bool ends_with_space;
  bool goes_on;
};

// Opens a span behind each run of joined spaces, which reach to it. The last one is left open.
//
//   block     _ a , _ b _ _ _ c         joined: the space behind the comma, and two more
//   spans    |_ a ,|  b _|    c
//
// What stands behind a run is moved to where that begins. Three are done at a time, whether wanted or not: how many a
// block has cannot be predicted, and is seldom more.
HWY_INLINE void open_runs(std::uint64_t joined, std::size_t length, std::uint8_t* to, Place& place,
                          ViewWriter& writer) {
  std::array<std::uint8_t, 2 * alike_block_bytes> rewritten;
  copy_block(to, rewritten.data());
  const auto first = static_cast<std::size_t>(std::countr_zero(joined));
  const std::uint64_t base = writer.base() + place.at, viewed = writer.size() + (place.at - place.begin);
  if (!place.has_span) {
    writer.run(place.begin, place.at + first);
    place.begin = place.at + first;
  }
  const std::uint64_t starts = joined << 1 & ~joined & low_bits(length);
  const auto count = static_cast<std::size_t>(std::popcount(starts));
  ViewedSpan* const spans = writer.span_room(count + 3);
  std::uint64_t rest = starts;
  for (std::size_t span = 0; span < count; span += 3) {
    for (std::size_t next = span; next < span + 3; ++next, rest &= rest - 1) {
      const auto start = static_cast<std::size_t>(std::countr_zero(rest));
      const auto before = static_cast<std::size_t>(std::popcount(joined & ((rest ^ (rest - 1)) >> 1)));
      copy_block(rewritten.data() + start, to + start - before);
      (spans + next)[-1].original_end = base + start;
      spans[next].viewed = viewed + start - before;
      spans[next].original = base + start;
    }
  }
  if (count != 0) {
    const auto start = static_cast<std::size_t>(63 - std::countl_zero(starts));
    spans[count - 1].original_end = base + start;
    writer.open(count, viewed + start - static_cast<std::size_t>(std::popcount(joined & low_bits(start))));
    place.begin = place.at + start;
    place.has_span = true;
  }
  const auto joined_at_end = static_cast<std::size_t>(std::countl_one(joined << (64 - length)));
  if (joined_at_end != 0) {
    writer.run(place.begin, place.at + length - joined_at_end);
    writer.join(place.at + length);
    place.begin = place.at + length;
    place.has_span = false;
  }
}

// Makes spans of a block's parts, one by one, writes what became shorter, and moves what stands behind it. Returns where
// what is not yet in a span begins.
HWY_INLINE std::size_t take_apart(const BlockBits& parts, std::uint64_t joined, const Shorter& shorter,
                                  std::size_t begin, std::size_t at, std::uint8_t* block, ViewWriter& writer) {
  std::array<std::uint8_t, 2 * alike_block_bytes> rewritten;
  copy_block(block, rewritten.data());
  const Viewer::Prospect* const* next_shorter = shorter.data();
  const std::uint64_t removed = joined | parts.dropped;
  std::uint64_t rest = removed | parts.segments;
  writer.run(begin, at + static_cast<std::size_t>(std::countr_zero(rest)));
  ViewedSpan* const spans = writer.span_room(2 * static_cast<std::size_t>(std::popcount(rest)));
  ViewedSpan* span = spans;
  std::uint64_t viewed = writer.size();
  char* const to = writer.room(0) - viewed;
  const std::uint64_t base = writer.base() + at;
  auto end = static_cast<std::size_t>(std::countr_zero(rest));  // of the last part
  while (rest != 0) {
    const auto first = static_cast<std::size_t>(std::countr_zero(rest));
    if (end != first) {
      *span++ = {viewed, base + end, base + first, false};
      viewed += first - end;
    }
    if ((parts.segments >> first & 1) != 0) {
      end = first + 1 + static_cast<std::size_t>(std::countr_one(parts.must_follow >> first >> 1));
      const Viewer::Prospect* const seen = (parts.listed >> first & 1) != 0 ? *next_shorter++ : nullptr;
      if ((joined >> first & 1) != 0) {
        span[-1].original_end = base + end;
      } else {
        *span++ = {viewed, base + first, base + end, true};
        const std::size_t bytes = seen == nullptr ? 1 : seen->length;
        to[viewed] = static_cast<char>(rewritten[first]);
        if (seen != nullptr) std::memcpy(to + viewed, seen->bytes.data(), 4);
        viewed += bytes;
      }
    } else {
      end = first + static_cast<std::size_t>(std::countr_one((removed & ~parts.segments) >> first));
      const std::uint64_t here = joined & rest & low_bits(end);
      if (here != 0) span[-1].original_end = base + 64 - static_cast<std::uint64_t>(std::countl_zero(here));
    }
    copy_block(rewritten.data() + end, reinterpret_cast<std::uint8_t*>(to) + viewed);
    rest &= ~low_bits(end);
  }
  writer.open(static_cast<std::size_t>(span - spans), viewed);
  return at + end;
}

// A run: characters from one place on that are rewritten where they stand. It is written by two loops, because most
// texts have long parts of ASCII alone.
class AlikeRun {
 public:
  AlikeRun(const Viewer& viewer, const AlikeRules& rules, AlikeTables& tables, std::string_view text, std::size_t at,
           std::size_t until, ViewWriter& writer)
      : viewer_(viewer),
        rules_(rules),
        tables_(tables),
        text_(text),
        until_(until),
        writer_(writer),
        place_{at, at, false, writer.ends_with_space(), at < until} {}

  std::size_t append() {
    while (place_.goes_on) {
      append_mixed();
      if (place_.goes_on) append_ascii();
    }
    writer_.run(place_.begin, place_.at);
    writer_.end_with_space(place_.ends_with_space);
    return place_.at;
  }

 private:
  // 64 bytes, or those before the end; the text has more around them.
  struct Block {
    std::size_t count;
    const std::uint8_t* from;
    std::uint8_t* to;
    std::array<std::uint8_t, alike_block_bytes + 3> padded;
  };

  HWY_INLINE void take(const Place& place, Block& block) const {
    block.count = std::min(alike_block_bytes, until_ - place.at);
    block.from = reinterpret_cast<const std::uint8_t*>(text_.data()) + place.at;
    if (place.at == 0 || text_.size() - place.at < alike_block_bytes + 2) {
      block.padded = {};
      std::memcpy(block.padded.data() + 1, block.from, block.count);
      block.from = block.padded.data() + 1;
    }
    const std::size_t written = place.at - place.begin;
    block.to = reinterpret_cast<std::uint8_t*>(writer_.room(written + 2 * alike_block_bytes)) + written;
  }

  // Appends blocks that are ASCII, and of which nothing is dropped.
  HWY_NOINLINE void append_ascii() {
    const AlikeBlocks blocks(rules_);
    Place place = place_;
    for (Block block; place.goes_on;) {
      take(place, block);
      const AsciiBits bits = blocks.rewrite_ascii(block.from, block.to);
      std::size_t length = block.count;
      if (((bits.others | bits.dropped) & low_bits(length)) != 0) break;
      place.goes_on = place.at + length < until_;
      if (rules_.decomposes && place.at + length < text_.size() &&
          viewer_.continues_segment(text_.substr(place.at + length))) {
        --length;
        place.goes_on = false;
      }
      const std::uint64_t spaces = bits.spaces & low_bits(length);
      const std::uint64_t joined = spaces & (spaces << 1 | (place.ends_with_space ? 1 : 0));
      if (joined != 0) open_runs(joined, length, block.to, place, writer_);
      if (length != 0) place.ends_with_space = (spaces >> (length - 1) & 1) != 0;
      place.at += length;
    }
    place_ = place;
  }

  // Appends blocks up to one that is ASCII.
  HWY_NOINLINE void append_mixed() {
    const AlikeBlocks blocks(rules_);
    Place place = place_;
    bool is_mixed = true;
    for (Block block; place.goes_on && is_mixed;) {
      take(place, block);
      BlockBits bits{blocks.rewrite_ascii(block.from, block.to)};
      Shorter shorter;
      std::size_t length = block.count;
      bool is_end = length < alike_block_bytes;
      is_mixed = ((bits.others | bits.dropped) & low_bits(length)) != 0;
      if ((bits.others & low_bits(length)) != 0) {
        blocks.rewrite_others(block.from, block.to, tables_, bits);
        if ((bits.singles & low_bits(length)) != 0)
          length = rewrite_singles(viewer_, text_.substr(place.at), length, block.to, bits, shorter, tables_, is_end);
        bits.segments |= bits.follow & ~bits.must_follow;  // bytes that are not UTF-8
        // The last character may be cut, by the end of the block or of the text.
        if (length < alike_block_bytes ? (bits.must_follow >> length & 1) != 0 : bits.is_cut)
          length = begin_of_last(bits.must_follow, length);
      }
      const std::size_t next = place.at + length;
      if (rules_.decomposes && length > 0 && next < text_.size() && static_cast<signed char>(text_[next]) < 0) {
        // The last character may belong to a segment with what follows. The next block tells, if there is one.
        if (!is_end || viewer_.continues_segment(text_.substr(next))) length = begin_of_last(bits.must_follow, length);
      }

      // Which bytes are removed?
      const std::uint64_t whole = low_bits(length);
      const std::uint64_t spaces = bits.spaces & whole, dropped = bits.dropped & whole;
      bits.dropped = dropped;
      bits.segments &= whole;
      const std::uint64_t behind_space = spaces << 1 | (place.ends_with_space ? 1 : 0);
      // A sum carries through what is dropped, to what stands behind it.
      const std::uint64_t behind_dropped = ((behind_space & dropped) + dropped) & ~dropped;
      const std::uint64_t joined = spaces & (behind_space | behind_dropped);
      if ((dropped | bits.segments) != 0) {
        place.begin = take_apart(bits, joined, shorter, place.begin, place.at, block.to, writer_);
        place.has_span = false;
      } else if (joined != 0) {
        open_runs(joined, length, block.to, place, writer_);
      }
      if (const std::uint64_t kept = whole & ~dropped; kept != 0)
        place.ends_with_space = (spaces >> (63 - std::countl_zero(kept)) & 1) != 0;
      place.at += length;
      place.goes_on = !is_end && place.at < until_;
    }
    place_ = place;
  }

  const Viewer& viewer_;
  const AlikeRules& rules_;
  AlikeTables& tables_;
  const std::string_view text_;
  const std::size_t until_;
  ViewWriter& writer_;
  Place place_;
};

std::size_t append_alike_run(const Viewer& viewer, const AlikeRules& rules, AlikeTables& tables, std::string_view text,
                             std::size_t at, std::size_t until, ViewWriter& writer) {
  return AlikeRun(viewer, rules, tables, text, at, until, writer).append();
}

}  // namespace HWY_NAMESPACE
}  // namespace lode::text
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lode::text {

std::size_t rewrite_singles(const Viewer& viewer, std::string_view text, std::size_t count, std::uint8_t* to,
                            BlockBits& bits, Shorter& shorter, AlikeTables& tables, bool& is_end) {
  constexpr unsigned most_strangers = 4;
  unsigned strangers = 0;
  std::size_t shorter_count = 0;
  std::uint64_t must_follow = 0, dropped = 0, segments = 0, listed = 0, spaces = 0;
  for (std::uint64_t rest = bits.singles & low_bits(count); rest != 0; rest &= rest - 1) {
    const auto at = static_cast<std::size_t>(std::countr_zero(rest));
    const std::uint64_t bit = rest & (~rest + 1);
    const DecodedCharacter character = decode_utf8(text.substr(at));
    if (!character.is_valid) {
      to[at] = static_cast<std::uint8_t>(text[at]);
      segments |= bit;
      continue;
    }
    const Viewer::Prospect& seen = viewer.prospect(character.code);
    const bool is_other = !seen.has_room_in(character.length);
    if (is_other || at + character.length > count) {
      is_end = is_end || is_other;
      count = at;
      break;
    }
    if (character.length == 2 && ++strangers == most_strangers)
      tables.page = &viewer.page(static_cast<std::uint8_t>(text[at]));
    if (tables.rows->all[0].has(character.code) || tables.rows->all[1].has(character.code))
      tables.rows = &viewer.rows();
    must_follow |= ((bit << (character.length - 1)) - bit) << 1;
    // How much shorter it becomes is hard to predict, so there is no branch.
    shorter[shorter_count] = &seen;
    const std::size_t dropped_bytes = character.length - seen.length;
    shorter_count += dropped_bytes != 0 ? 1 : 0;
    const std::uint64_t dropped_bits = (bit << dropped_bytes) - bit;
    dropped |= dropped_bits << seen.length;
    listed |= dropped_bits & bit;
    spaces |= seen.fate == Viewer::Fate::space ? bit : 0;
    if (!seen.is_kept && dropped_bytes == 0) std::memcpy(to + at, seen.bytes.data(), seen.length);
  }
  bits.must_follow |= must_follow;
  bits.dropped |= dropped;
  bits.segments |= segments | listed;
  bits.listed = listed;
  bits.spaces |= spaces;
  return count;
}

namespace {
constexpr AlikePage no_page;
constexpr AlikeRows no_rows;
}  // namespace
const AlikeTables no_alike_tables{&no_page, &no_rows};

AppendAlikeRun alike_run_appender(InstructionSet set) { return LODE_FOR_INSTRUCTION_SET(set, append_alike_run); }

}  // namespace lode::text
#endif
