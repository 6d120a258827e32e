#include "search/viewed_block.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "base/condition.hpp"

namespace lode {
namespace {

constexpr std::uint64_t least_slack_bytes = 256;
constexpr std::uint64_t most_behind_bytes = 2;  // that a condition looks at

}  // namespace

ViewedBlock::ViewedBlock(const ViewedTextSetup& setup) : setup_(setup), size_(setup.text.size()) {
  if (setup.text.source() == nullptr) window_ = setup.text.bytes();
}

// Makes the window hold at least [begin, end), as far as the text goes.
void ViewedBlock::hold(std::uint64_t begin, std::uint64_t end) {
  end = std::min(end, size_);
  const RandomAccessText* const source = setup_.text.source();
  if (source == nullptr || (begin >= base_ && end <= base_ + window_.size())) return;
  buffer_.resize(end - begin);
  source->read(begin, buffer_);
  base_ = begin;
  window_ = {buffer_.data(), buffer_.size()};
}

ViewedBlock::Part ViewedBlock::part_of(std::uint64_t record) const {
  const Records& records = *setup_.records;
  if (record >= records.size()) return {window_.size(), window_.size(), false, record};
  return {records.begin_of(record), records.end_of(record), false, record};  // records lie in memory: base_ is 0
}

// The part that holds a place of the original, or else the next one.
ViewedBlock::Part ViewedBlock::part_at(std::uint64_t place) const {
  if (setup_.records == nullptr) return {0, window_.size(), base_ + window_.size() < size_, 0};
  std::uint64_t low = 0, high = setup_.records->size();
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (setup_.records->end_of(middle) <= place)
      low = middle + 1;
    else
      high = middle;
  }
  return part_of(low);
}

ViewedBlock::Part ViewedBlock::part_behind(const Part& part) const {
  if (setup_.records == nullptr) return {window_.size(), window_.size(), false, 0};
  return part_of(part.record + 1);
}

std::size_t ViewedBlock::append(const Part& part, std::size_t at, std::size_t until) {
  const std::string_view bytes = window_.substr(part.begin, part.end - part.begin);
  return part.begin + setup_.viewer->append(bytes, at - part.begin, until - part.begin, base_ + part.begin, viewed_);
}

std::uint64_t ViewedBlock::cut_before(std::uint64_t place) {
  if (setup_.viewer == nullptr) return place;
  for (std::uint64_t slack = least_slack_bytes;; slack *= 4) {
    const std::uint64_t first = place - std::min(place, slack);
    hold(first, place + 4);
    const Part part = part_at(place);
    if (place <= base_ + part.begin) return place;
    const std::uint64_t begin = std::max(first, base_ + part.begin);
    const std::string_view bytes = window_.substr(begin - base_, part.end - (begin - base_));
    const std::size_t cut = setup_.viewer->last_cut(bytes, place - begin);
    if (cut != 0 || begin == base_ + part.begin) return begin + cut;
  }
}

// Whether the view leaves the bytes as they are, as far as a match may reach and a mark behind it.
bool ViewedBlock::is_unchanged(std::uint64_t begin, std::uint64_t end) const {
  if (setup_.viewer == nullptr) return true;
  const std::uint64_t last = std::min(base_ + window_.size(), end + setup_.reach + 1);
  return setup_.unchanged.is(window_.substr(begin - base_, last - begin));
}

void ViewedBlock::view(std::uint64_t begin, std::uint64_t end, bool seeks_cut) {
  span_ = 0;
  for (std::uint64_t slack = least_slack_bytes + 4 * setup_.reach;; slack *= 4) {
    hold(begin - std::min<std::uint64_t>(begin, 3), end + slack);
    begin_ = begin;
    if ((lies_as_is_ = is_unchanged(begin, end))) {
      as_is_ = window_.substr(begin - base_, std::min(size_, end + setup_.reach) - begin);
      core_bytes_ = end - begin;
      end_ = end;
      return;
    }
    viewed_.bytes.clear();
    viewed_.spans.clear();
    std::size_t at = begin - base_;
    const std::size_t until = end - base_;
    Part part = part_at(begin);
    if (at <= part.begin)
      at = part.begin;
    else if (seeks_cut)
      at = part.begin + setup_.viewer->next_cut(window_.substr(part.begin, part.end - part.begin), at - part.begin);
    while (at < until) {
      if (at < part.end) {
        at = append(part, at, until);
      } else {
        part = part_behind(part);
        at = part.begin;
      }
    }
    core_bytes_ = viewed_.bytes.size();
    end_ = base_ + at;
    while (at < part.end && viewed_.bytes.size() < core_bytes_ + setup_.reach)
      at = append(part, at, std::min<std::size_t>(part.end, at + setup_.reach));
    // The window's end may have cut the last segment.
    if (!part.is_cut || at + most_behind_bytes < window_.size()) return;
  }
}

// Whether a segment begins at a viewed place. If so, `original` is set.
bool ViewedBlock::begins_segment(std::uint64_t place, std::uint64_t& original) {
  const std::vector<ViewedSpan>& spans = viewed_.spans;
  while (span_ + 1 < spans.size() && spans[span_ + 1].viewed <= place) ++span_;
  const ViewedSpan& span = spans[span_];
  if (span.is_segment ? place != span.viewed : !text::begins_character(viewed_.bytes[place])) return false;
  original = span.original + (place - span.viewed);
  return true;
}

// Whether a segment ends at a viewed place, behind the last one that begins_segment() was asked for.
bool ViewedBlock::ends_segment(std::uint64_t place, std::uint64_t& original) const {
  const std::vector<ViewedSpan>& spans = viewed_.spans;
  std::size_t at = span_;
  while (at + 1 < spans.size() && spans[at + 1].viewed < place) ++at;
  const ViewedSpan& span = spans[at];
  if (place == viewed_.end_of(at)) {
    original = span.original_end;
    return true;
  }
  original = span.original + (place - span.viewed);
  return !span.is_segment && text::begins_character(viewed_.bytes[place]);
}

bool ViewedBlock::bring_back(Match& match) {
  std::uint64_t begin = begin_ + match.offset, end = begin + match.length;
  if (!lies_as_is_) {
    if (!begins_segment(match.offset, begin)) return false;
    if (!ends_segment(match.offset + match.length, end)) return false;
  }
  if (!condition_holds(setup_.options.condition, static_cast<std::uint8_t>(setup_.options.line_terminator),
                       reinterpret_cast<const std::uint8_t*>(window_.data()), begin - base_, end - base_,
                       window_.size()))
    return false;
  match.offset = begin;
  match.length = static_cast<std::uint32_t>(std::min<std::uint64_t>(end - begin, UINT32_MAX));
  return true;
}

}  // namespace lode
