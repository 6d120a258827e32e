// Viewer: puts a text through the steps of a view, segment by segment.
//
//   view        fold,one-space
//   original    S t r a ß e   _ _ Ö L        _: a blank. ß and Ö have two bytes
//   segments    S t r a ß  e [_ _] Ö L
//   viewed      s t r a ss e   _   ö l
//   spans       "Stra" as it lies; ß: one segment; "e"; a blank to which others are joined; "ÖL"
//
// A cut is a place where a segment begins, whatever stands before it: at a letter, but not at a mark, and where blanks
// count as one not at a blank. So a text may be viewed part by part, from cut to cut.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "lode/view.hpp"
#include "text/alike_run.hpp"
#include "text/unicode.hpp"

namespace lode::text {

class Viewer {
 public:
  /// `instruction_set`: a name for choose_instruction_set().
  explicit Viewer(const View& view, std::string_view instruction_set = {});
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;
  ~Viewer();

  /// Appends the segments of `text` from the cut `at` to the first cut at or behind `until`, or to the end of the text.
  /// Returns that place. `base` is where the text lies in the original. Blanks that are joined to the last character of a
  /// span make no segment of it here: the span reaches behind them, and so does that character.
  std::size_t append(std::string_view text, std::size_t at, std::size_t until, std::uint64_t base,
                     ViewedText& out) const;
  /// The first cut at or behind a place, which may lie within a character; the text's end if there is none.
  std::size_t next_cut(std::string_view text, std::size_t at) const;
  /// The last cut at or before a place, which may be the text's end; 0 if there is none.
  std::size_t last_cut(std::string_view text, std::size_t at) const;
  /// Whether the first character of a text that is not empty belongs to the segment before it, if there is one.
  bool continues_segment(std::string_view text) const;

  // The members below serve append_alike_run().

  /// The fate of a character that is a segment by itself: what it becomes.
  enum class Fate : std::uint8_t {
    one,       // one character
    space,     // a space, which joins those beside it
    none,      // nothing
    several,   // several characters
    ignorable  // it is dropped before the text is cut into segments
  };
  struct Prospect {
    std::array<char, 4> bytes{};  // of what it becomes, if that is one character or a space
    std::uint8_t length = 0;
    Fate fate = Fate::one;
    bool begins_segment = true;  // whatever stands before it; not if it is ignorable
    bool is_kept = false;        // it becomes itself

    /// Whether the character may be rewritten where it stands, in as many bytes.
    bool has_room_in(std::size_t length_there) const {
      return begins_segment && length - 1U < length_there && (fate == Fate::one || fate == Fate::space);
    }
  };
  const Prospect& prospect(char32_t code) const {
    const Block* block = blocks_[code / block_size].load(std::memory_order_acquire);
    return (block != nullptr ? *block : make_block(code / block_size))[code % block_size];
  }
  /// The page of characters of two bytes that begin with `lead`.
  const AlikePage& page(std::uint8_t lead) const {
    const std::size_t index = (lead & 0x1F) / 2;
    const AlikePage* page = pages_[index].load(std::memory_order_acquire);
    return page != nullptr ? *page : make_page(index);
  }
  const AlikeRows& rows() const {
    const AlikeRows* rows = rows_.load(std::memory_order_acquire);
    return rows != nullptr ? *rows : make_rows();
  }

 private:
  static constexpr std::size_t block_size = 256;
  using Block = std::array<Prospect, block_size>;

  const Block& make_block(std::size_t index) const;
  Prospect foresee(char32_t code) const;
  bool begins_segment(char32_t code) const;
  bool is_cut(const DecodedCharacter& character) const;
  const AlikePage& make_page(std::size_t index) const;
  const AlikeRows& make_rows() const;
  void transform(std::u32string& codes) const;
  void decompose(std::u32string& codes) const;
  void fold(std::u32string& codes) const;
  void compose(std::u32string& codes) const;
  void drop(std::u32string& codes) const;

  const View view_;
  const UnicodeData& data_;
  bool decomposes_ = false;  // text is decomposed on the way, so that a segment may be several characters
  bool compatible_ = false;
  bool composes_ = false;
  // The prospects of all characters, block by block, made when a text first has one of the block.
  mutable std::array<std::atomic<const Block*>, last_code_point / block_size + 1> blocks_{};
  AlikeRules rules_;
  AppendAlikeRun append_alike_run_;
  // The pages of characters of two bytes, made when a text first has one of the page.
  mutable std::array<std::atomic<const AlikePage*>, 16> pages_{};
  mutable std::atomic<const AlikeRows*> rows_{};
};

}  // namespace lode::text
