// PlaceMap: brings places of a viewed or decoded text back to where its segments lie in the original.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lode/view.hpp"
#include "text/unicode.hpp"

namespace lode::text {

class PlaceMap {
 public:
  /// `bytes_are_segments`: in a span of bytes that lie as they did, each is a segment, not each character.
  explicit PlaceMap(const ViewedText& text, bool bytes_are_segments = false)
      : text_(text), bytes_are_segments_(bytes_are_segments) {}

  /// To be called when the text has changed.
  void restart() { span_ = place_ = characters_ = 0; }
  /// Whether a segment begins at a place. If so, `original` is where. Places do not decrease from one call to the next.
  bool begin(std::uint64_t place, std::uint64_t& original) {
    while (span_ + 1 < text_.spans.size() && text_.spans[span_ + 1].viewed <= place) ++span_;
    const ViewedSpan& span = text_.spans[span_];
    if (!begins_segment(span, place)) return false;
    const std::uint64_t end = text_.end_of(span_);
    original = place_in(span, end, place);
    if (span.character_bytes == 0 || is_of_single_bytes(span, end)) return true;
    place_ = place;
    characters_ = (original - span.original) / span.character_bytes;
    return true;
  }
  /// Whether a segment ends at a place, behind the last one that begin() was asked for. If so, `original` is where.
  bool end(std::uint64_t place, std::uint64_t& original) const {
    std::size_t at = span_;
    while (at + 1 < text_.spans.size() && text_.spans[at + 1].viewed < place) ++at;
    const ViewedSpan& span = text_.spans[at];
    const std::uint64_t end = text_.end_of(at);
    if (place == end) {
      original = span.original_end;
      return true;
    }
    // Where a line ends, the next one begins behind the gap.
    original = span.gap_bytes != 0 ? place_in(span, end, place - 1) + 1 : place_in(span, end, place);
    return begins_segment(span, place);
  }

 private:
  bool begins_segment(const ViewedSpan& span, std::uint64_t place) const {
    if (span.is_segment) return place == span.viewed;
    return (bytes_are_segments_ && span.character_bytes == 0) || begins_character(text_.bytes[place]);
  }
  // Whether each of the span's characters is one byte here. The span ends at `end`.
  static bool is_of_single_bytes(const ViewedSpan& span, std::uint64_t end) {
    return (end - span.viewed) * span.character_bytes == span.original_end - span.original;
  }
  std::uint64_t place_in(const ViewedSpan& span, std::uint64_t end, std::uint64_t place) const {
    if (span.gap_bytes != 0)
      return span.original + (place - span.viewed) + (place - span.viewed) / span.line_bytes * span.gap_bytes;
    if (span.character_bytes == 0) return span.original + (place - span.viewed);
    if (is_of_single_bytes(span, end)) return span.original + (place - span.viewed) * span.character_bytes;
    // Counting goes on behind the last place, which may lie in an earlier span.
    const bool goes_on = place_ >= span.viewed && place >= place_;
    const char* const bytes = text_.bytes.data();
    const auto more = std::count_if(bytes + (goes_on ? place_ : span.viewed), bytes + place, begins_character);
    return span.original + ((goes_on ? characters_ : 0) + static_cast<std::uint64_t>(more)) * span.character_bytes;
  }

  const ViewedText& text_;
  const bool bytes_are_segments_;
  std::size_t span_ = 0;                      // the one that holds the last place
  std::uint64_t place_ = 0, characters_ = 0;  // that place, and the characters before it in its span, if it counts them
};

}  // namespace lode::text
