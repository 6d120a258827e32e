// The SIMD part of alike_run.hpp. Where the bits of a block (alike_blocks-inl.hpp) say that bytes are no character that a
// table has, they are looked at one by one: what stays as long, or becomes shorter, is rewritten; what becomes longer, or
// nothing, or belongs to a segment with others, ends the run. Where bytes are removed, all that stands behind them in the
// block is moved, by whole vectors.
//
// Three loops take turns: for blocks of ASCII, for those of which the tables know all characters, and for the rest. The
// last one ends a block where a character ends, so the next block waits until all is known of it.
//
// Loses where nearly each segment has several characters: a run is then a block that is begun, and hardly used.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "text/alike_run.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "text/alike_blocks-inl.hpp"

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

// For each character of a block that becomes shorter: what it becomes. Such a character has at least two bytes.
using Shorter = std::array<const Viewer::Prospect*, alike_block_bytes / 2>;

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

// How far a run has come.
struct Place {
  std::size_t at;
  bool ends_with_space;
  bool goes_on;
};
// The bytes that are written, but are not yet in a span.
struct Rest {
  std::size_t begin;
  bool has_span;  // one that begins there, and is empty
};

// Opens a span behind each run of joined spaces, which reach to it. The last one is left open.
//
//   block     _ a , _ b _ _ _ c         joined: the space behind the comma, and two more
//   spans    |_ a ,|  b _|    c
//
// What stands behind a run is moved to where that begins. Three are done at a time, whether wanted or not: how many a
// block has cannot be predicted, and is seldom more.
HWY_INLINE void open_runs(std::uint64_t joined, std::size_t at, std::size_t length, std::uint8_t* to, Rest& rest,
                          ViewWriter& writer) {
  std::array<std::uint8_t, 2 * alike_block_bytes> rewritten;
  copy_block(to, rewritten.data());
  const auto first = static_cast<std::size_t>(std::countr_zero(joined));
  const std::uint64_t base = writer.base() + at, viewed = writer.size() + (at - rest.begin);
  if (!rest.has_span) {
    writer.run(rest.begin, at + first);
    rest.begin = at + first;
  }
  const std::uint64_t starts = joined << 1 & ~joined & low_bits(length);
  const auto count = static_cast<std::size_t>(std::popcount(starts));
  ViewedSpan* const spans = writer.span_room(count + 3);
  std::uint64_t left = starts;
  for (std::size_t span = 0; span < count; span += 3) {
    for (std::size_t next = span; next < span + 3; ++next, left &= left - 1) {
      const auto start = static_cast<std::size_t>(std::countr_zero(left));
      const auto before = static_cast<std::size_t>(std::popcount(joined & ((left ^ (left - 1)) >> 1)));
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
    rest.begin = at + start;
    rest.has_span = true;
  }
  const auto joined_at_end = static_cast<std::size_t>(std::countl_one(joined << (64 - length)));
  if (joined_at_end != 0) {
    writer.run(rest.begin, at + length - joined_at_end);
    writer.join(at + length);
    rest.begin = at + length;
    rest.has_span = false;
  }
}

// Makes spans of a block's parts, one by one, writes what became shorter, and moves what stands behind it.
inline void take_apart(const BlockBits& parts, std::uint64_t joined, const Viewer::Prospect* const* shorter,
                       std::size_t at, std::uint8_t* block, Rest& rest, ViewWriter& writer) {
  std::array<std::uint8_t, 2 * alike_block_bytes> rewritten;
  copy_block(block, rewritten.data());
  const std::uint64_t removed = joined | parts.dropped;
  std::uint64_t left = removed | parts.segments;
  writer.run(rest.begin, at + static_cast<std::size_t>(std::countr_zero(left)));
  ViewedSpan* const spans = writer.span_room(2 * static_cast<std::size_t>(std::popcount(left)));
  ViewedSpan* span = spans;
  std::uint64_t viewed = writer.size();
  char* const to = writer.room(0) - viewed;
  const std::uint64_t base = writer.base() + at;
  auto end = static_cast<std::size_t>(std::countr_zero(left));  // of the last part
  while (left != 0) {
    const auto first = static_cast<std::size_t>(std::countr_zero(left));
    if (end != first) {
      *span++ = {viewed, base + end, base + first, false};
      viewed += first - end;
    }
    if ((parts.segments >> first & 1) != 0) {
      end = first + 1 + static_cast<std::size_t>(std::countr_one(parts.must_follow >> first >> 1));
      const Viewer::Prospect* const seen = (parts.listed >> first & 1) != 0 ? *shorter++ : nullptr;
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
      const std::uint64_t here = joined & left & low_bits(end);
      if (here != 0) span[-1].original_end = base + 64 - static_cast<std::uint64_t>(std::countl_zero(here));
    }
    copy_block(rewritten.data() + end, reinterpret_cast<std::uint8_t*>(to) + viewed);
    left &= ~low_bits(end);
  }
  writer.open(static_cast<std::size_t>(span - spans), viewed);
  rest = {at + end, false};
}

// A run: characters from one place on that are rewritten where they stand. It is written by three loops, because most
// texts have long parts of ASCII or of one script.
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
        place_{at, writer.ends_with_space(), at < until},
        rest_{at, false} {}

  std::size_t append() {
    while (place_.goes_on) {
      append_mixed();
      if (place_.goes_on) append_even();
      if (place_.goes_on) append_ascii();
    }
    writer_.run(rest_.begin, place_.at);
    writer_.end_with_space(place_.ends_with_space);
    return place_.at;
  }

 private:
  // So many blocks without characters that are looked at one by one promise more of them.
  static constexpr unsigned enough_even_blocks = 2;

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
    const std::size_t written = place.at - rest_.begin;
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
      if (joined != 0) open_runs(joined, place.at, length, block.to, rest_, writer_);
      if (length != 0) place.ends_with_space = (spaces >> (length - 1) & 1) != 0;
      place.at += length;
    }
    place_ = place;
  }

  // Appends blocks up to one that is ASCII, or to some of which the tables know all characters.
  HWY_NOINLINE void append_mixed() {
    const AlikeBlocks blocks(rules_);
    Place place = place_;
    bool is_mixed = true;
    unsigned even_blocks = 0;
    for (Block block; place.goes_on && is_mixed && even_blocks < enough_even_blocks;) {
      take(place, block);
      BlockBits bits{blocks.rewrite_ascii(block.from, block.to)};
      Shorter shorter;
      std::size_t length = block.count;
      bool is_end = length < alike_block_bytes;
      is_mixed = ((bits.others | bits.dropped) & low_bits(length)) != 0;
      if ((bits.others & low_bits(length)) != 0) {
        blocks.rewrite_others(block.from, block.to, tables_, 0, bits);
        if ((bits.singles & low_bits(length)) != 0)
          length = rewrite_singles(viewer_, text_.substr(place.at), length, block.to, bits, shorter, tables_, is_end);
        bits.segments |= bits.follow & ~bits.must_follow;  // bytes that are not UTF-8
        // The last character may be cut, by the end of the block or of the text.
        if (length < alike_block_bytes ? (bits.must_follow >> length & 1) != 0 : bits.owed != 0)
          length = begin_of_last(bits.must_follow, length);
      }
      const std::size_t reached = place.at + length;
      if (rules_.decomposes && length > 0 && reached < text_.size() && static_cast<signed char>(text_[reached]) < 0) {
        // The last character may belong to a segment with what follows. The next block tells, if there is one.
        if (!is_end || viewer_.continues_segment(text_.substr(reached)))
          length = begin_of_last(bits.must_follow, length);
      }

      bits.cut(length);
      const std::uint64_t joined = bits.joined(place.ends_with_space);
      if ((joined | bits.dropped | bits.segments) != 0)
        shorten(bits, joined, shorter.data(), place.at, length, block.to);
      if (const std::uint64_t written = low_bits(length) & ~bits.dropped; written != 0)
        place.ends_with_space = ends_with(bits.spaces, written);
      place.at += length;
      place.goes_on = !is_end && place.at < until_;
      even_blocks = bits.singles == 0 ? even_blocks + 1 : 0;
    }
    place_ = place;
  }

  // Appends blocks of which the tables know all characters. Such a block ends where its 64 bytes end, be it within a
  // character, and the next one does not wait until all is known of it.
  HWY_NOINLINE void append_even() {
    const AlikeBlocks blocks(rules_);
    const auto* const text = reinterpret_cast<const std::uint8_t*>(text_.data());
    Place place = place_;
    std::uint64_t owed = 0;  // bytes that belong to the last character
    while (place.at != 0 && place.at + alike_block_bytes < until_ && place.at + alike_block_bytes + 2 <= text_.size()) {
      const std::size_t written = place.at - rest_.begin;
      auto* const to = reinterpret_cast<std::uint8_t*>(writer_.room(written + 2 * alike_block_bytes)) + written;
      BlockBits bits{blocks.rewrite_ascii(text + place.at, to)};
      if (bits.others == 0 || bits.dropped != 0) break;
      blocks.rewrite_others(text + place.at, to, tables_, owed, bits);
      if ((bits.singles | (bits.follow ^ bits.must_follow)) != 0) break;
      std::uint64_t joined = bits.joined(place.ends_with_space);
      std::size_t length = alike_block_bytes;
      if ((bits.segments | joined) != 0) {
        // Spans are made of whole characters, so the next block takes one that is removed at the end of this one.
        if ((bits.segments | joined) >> 61 != 0) {
          length = static_cast<std::size_t>(63 - std::countl_zero(bits.segments | joined));
          bits.cut(length);
          joined &= low_bits(length);
        }
        if ((bits.segments | joined) != 0) shorten(bits, joined, nullptr, place.at, length, to);
      }
      place.at += length;
      place.ends_with_space = ends_with(bits.spaces, low_bits(length) & ~bits.dropped);
      owed = bits.owed;
    }
    if (place.at == place_.at) return;
    // The next block begins where a character does. If that belongs to the same segment as the last one, so does this.
    if (owed != 0 || (rules_.decomposes && viewer_.continues_segment(text_.substr(place.at)))) {
      do --place.at;
      while (!begins_character(text_[place.at]));
      place.ends_with_space = false;  // behind a space, the last character would be joined if it was one, too
    }
    place_ = place;
  }

  // Removes bytes of a block, of which spans are made.
  HWY_NOINLINE void shorten(const BlockBits& bits, std::uint64_t joined, const Viewer::Prospect* const* shorter,
                            std::size_t at, std::size_t length, std::uint8_t* to) {
    if ((bits.dropped | bits.segments) != 0)
      take_apart(bits, joined, shorter, at, to, rest_, writer_);
    else
      open_runs(joined, at, length, to, rest_, writer_);
  }

  const Viewer& viewer_;
  const AlikeRules& rules_;
  AlikeTables& tables_;
  const std::string_view text_;
  const std::size_t until_;
  ViewWriter& writer_;
  Place place_;
  Rest rest_;
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
    if (tables.rows->has(character.code)) tables.rows = &viewer.rows();
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
