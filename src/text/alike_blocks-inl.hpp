// AlikeBlocks: rewrites a block of 64 bytes where it stands, byte by byte, and tells which bytes are what. The SIMD files
// include it once for each target.
//
//   text      П    А    ,    _    中        D0 9F  D0 90  2C 20  E4 B8 AD
//   leads     1 .  1 .  . .  1 . .         where a character begins that has more bytes, by its first byte
//   follow    . 1  . 1  . .  . 1 1         what must follow leads: exactly these are bytes that go on
//   spaces    . .  . .  1 1  . . .
//   removed   . .  . .  . 1  . . .         spaces behind spaces, and what is dropped
//
// All are bits of a number, the lowest one the first byte. A character of two bytes is looked up at both of them: the
// last bit of the first byte and the last six of the second one choose among 128 entries, each of which says for seven
// bits whether they change.
//
//   П, D0 9F: 0 and 011111    its entry, 0 and 100000    п, D0 BF: 0 and 111111
//   Р, D0 A0: 0 and 100000    its entry, 1 and 100000    р, D1 80: 1 and 000000
#if defined(LODE_TEXT_ALIKE_BLOCKS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LODE_TEXT_ALIKE_BLOCKS_INL
#undef LODE_TEXT_ALIKE_BLOCKS_INL
#else
#define LODE_TEXT_ALIKE_BLOCKS_INL
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstring>

#include "base/bytes.hpp"
#include "base/mask_bits-inl.hpp"
#include "text/alike_run.hpp"
#include "text/unicode.hpp"

#ifndef LODE_TEXT_ALIKE_BLOCKS_ONCE
#define LODE_TEXT_ALIKE_BLOCKS_ONCE

namespace lode::text {

inline constexpr std::size_t alike_block_bytes = 64;

constexpr std::uint64_t low_bits(std::size_t count) {
  return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

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
  std::uint64_t owed = 0;         // bytes of the next block that belong to the last character

  // Takes the leads of what is rewritten without looking at characters one by one. `shorter_ones`, of three bytes, become
  // one byte. Leads behind which bytes are missing are left to those who look.
  HWY_INLINE void complete(std::uint64_t leads_of_two, std::uint64_t leads_of_three, std::uint64_t shorter_ones,
                           std::uint64_t shorter_spaces, std::uint64_t owed_before) {
    constexpr std::uint64_t last = std::uint64_t{1} << 63, last_two = std::uint64_t{3} << 62;
    leads_of_two &= follow >> 1 | last;
    leads_of_three &= (follow >> 1 | last) & (follow >> 2 | last_two);
    leads = leads_of_two | leads_of_three;
    must_follow = owed_before | leads << 1 | leads_of_three << 2;
    owed = leads >> 63 | leads_of_three >> 62;
    singles = others & ~(follow | leads);
    segments = shorter_ones & leads_of_three;
    dropped |= segments << 1 | segments << 2;
    spaces |= shorter_spaces & segments;
  }

  // Leaves out what is not before `end`, where a character ends.
  void cut(std::size_t end) {
    const std::uint64_t whole = low_bits(end);
    spaces &= whole;
    dropped &= whole;
    segments &= whole;
    owed = 0;
  }

  // Which spaces are removed?
  std::uint64_t joined(bool is_behind_space) const {
    const std::uint64_t behind_space = spaces << 1 | (is_behind_space ? 1 : 0);
    // A sum carries through what is dropped, to what stands behind it.
    const std::uint64_t behind_dropped = ((behind_space & dropped) + dropped) & ~dropped;
    return spaces & (behind_space | behind_dropped);
  }
};
// Whether the last of the bytes that are written is a space. They are some at least.
constexpr bool ends_with(std::uint64_t spaces, std::uint64_t written) {
  return (spaces >> (63 - std::countl_zero(written)) & 1) != 0;
}

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

  void rewrite_others(const std::uint8_t* from, std::uint8_t* to, const AlikeTables& tables, std::uint64_t owed,
                      BlockBits& bits) const {
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
      if (rules_.keeps_lead(byte) || of_row != 0) {
        leads_of_three |= bit;
        if (of_row == 0 || of_row == AlikeRow::kept) continue;
        to[at] = of_row;
        shorter |= bit;
        if (of_row == ' ') spaces |= bit;
      } else if (const std::uint8_t change = page.change_of(byte, behind); change != 0) {
        leads_of_two |= bit;
        to[at] = byte ^ (change >> 6 & 1);
      } else if (!begins_character(static_cast<char>(byte))) {
        to[at] = byte ^ (page.change_of(from[static_cast<std::ptrdiff_t>(at) - 1], byte) & 0x3F);
      }
    }
    bits.complete(leads_of_two, leads_of_three, shorter, rules_.joins_spaces ? spaces : 0, owed);
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
                                 std::uint64_t owed, BlockBits& bits) const {
    const AlikePage& page = *tables.page;
    const AlikeRows& rows = *tables.rows;
    const Bytes d;
    const SignedBytes of_signed;
    const auto kept_leads = hn::LoadDup128(d, rules_.kept_leads.data());
    const auto page_lead = hn::Set(d, page.lead);
    const auto without_last_bit = hn::Set(d, 0xFE);
    std::uint64_t follow = 0, known_of_two = 0, leads_of_three = 0, shorter = 0, spaces = 0;
    for (std::size_t at = 0; at < alike_block_bytes; at += vector_bytes) {
      const auto bytes = hn::LoadU(d, from + at);
      const auto before = hn::LoadU(d, from + at - 1);
      const auto behind = hn::LoadU(d, from + at + 1);
      const auto follows =
          hn::RebindMask(d, hn::Lt(hn::BitCast(of_signed, bytes), hn::Set(of_signed, static_cast<std::int8_t>(0xC0))));
      follow |= mask_bits(d, follows) << at;
      if (!hn::AllFalse(d, hn::Gt(bytes, hn::Set(d, 0xDF)))) {
        const auto kept = hn::TableLookupBytes(kept_leads, hn::And(bytes, hn::Set(d, 0xF)));
        leads_of_three |= mask_bits(d, hn::Eq(kept, hn::ShiftRight<4>(bytes))) << at;
        const auto third = hn::LoadU(d, from + at + 2);
        const auto in_row = [&](std::size_t row) {
          return hn::And(hn::Eq(bytes, hn::Set(d, rows.all[row].first)),
                         hn::Eq(behind, hn::Set(d, rows.all[row].second)));
        };
        const auto look_up_in_row = [&](std::size_t row) { return look_up(rows.all[row].becomes.data(), third); };
        ByteVector viewed = hn::Zero(d);
        // Chinese has both of the first two rows, and seldom the third.
        const auto in_first = in_row(0), in_second = in_row(1), in_third = in_row(2);
        if (!hn::AllFalse(d, hn::Or(in_first, in_second)))
          viewed = hn::IfThenElse(in_first, look_up_in_row(0), hn::IfThenElseZero(in_second, look_up_in_row(1)));
        if (!hn::AllFalse(d, in_third)) viewed = hn::IfThenElse(in_third, look_up_in_row(2), viewed);
        const auto is_known = hn::Ne(viewed, hn::Zero(d));
        if (!hn::AllFalse(d, is_known)) {
          const auto is_shorter = hn::AndNot(hn::Eq(viewed, hn::Set(d, AlikeRow::kept)), is_known);
          leads_of_three |= mask_bits(d, is_known) << at;
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
      const auto change = hn::IfThenElseZero(is_of_page, hn::BitCast(d, look_up(page, first, second)));
      const auto of_first = hn::And(hn::ShiftRight<6>(change), hn::Set(d, 1));
      const auto of_second = hn::And(change, hn::Set(d, 0x3F));
      hn::StoreU(hn::Xor(hn::LoadU(d, to + at), hn::IfThenElse(follows, of_second, of_first)), d, to + at);
      known_of_two |= mask_bits(of_signed, hn::Lt(hn::BitCast(of_signed, change), hn::Zero(of_signed))) << at;
    }
    bits.follow = follow;
    bits.complete(known_of_two & ~follow, leads_of_three & bits.others, shorter, rules_.joins_spaces ? spaces : 0,
                  owed);
  }

 private:
  // A bit of each byte becomes its sign, by which lanes are chosen.
  template <int bits>
  static HWY_INLINE hn::Vec<SignedBytes> with_sign(ByteVector bytes) {
    const hn::RepartitionToWide<Bytes> of_words;
    return hn::BitCast(SignedBytes(), hn::ShiftLeft<bits>(hn::BitCast(of_words, bytes)));
  }

  static HWY_INLINE hn::Vec<SignedBytes> look_up(const AlikePage& page, ByteVector first, ByteVector second) {
    const Bytes d;
    const SignedBytes of_signed;
    const auto low = hn::And(second, hn::Set(d, 0xF));
    const auto bit_4 = with_sign<3>(second), bit_5 = with_sign<2>(second), is_odd = with_sign<7>(first);
    const auto part = [&](std::size_t index) {
      return hn::BitCast(of_signed, hn::TableLookupBytes(hn::LoadDup128(d, page.changes.data() + index * 16), low));
    };
    const auto half = [&](std::size_t index) {
      return hn::IfNegativeThenElse(bit_5, hn::IfNegativeThenElse(bit_4, part(index + 3), part(index + 2)),
                                    hn::IfNegativeThenElse(bit_4, part(index + 1), part(index)));
    };
    return hn::IfNegativeThenElse(is_odd, half(4), half(0));
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

}  // namespace HWY_NAMESPACE
}  // namespace lode::text
HWY_AFTER_NAMESPACE();

#endif
