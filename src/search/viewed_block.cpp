#include "search/viewed_block.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "text/condition.hpp"

namespace lode {
namespace {

constexpr std::uint64_t least_slack_bytes = 256;
constexpr std::uint64_t most_bytes_before = condition_bytes_before;  // before a block; a cut character has no more

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

// Decodes the block and what is around it. Sets its begin and end in what is plain.
void ViewedBlock::decode(const BlockRange& range, std::uint64_t slack, std::size_t& begin, std::size_t& end) {
  const text::Decoder& decoder = *setup_.decoder;
  text::Decoder::State state = range.state;
  decoded_.bytes.clear();
  decoded_.spans.clear();
  decoded_.barriers.clear();
  decoded_places_.restart();
  // A character that begins before the block may reach into it, and a condition looks at one there.
  const std::uint64_t before = decoder.decodes_lines() ? most_bytes_before : 0;
  decoded_begin_ = range.begin - std::min(range.begin, before);
  std::size_t at = decoded_begin_ - base_;
  at = decoder.append(window_, at, range.begin - base_, base_, state, decoded_);
  begin = decoded_.bytes.size();
  at = decoder.append(window_, at, range.end - base_, base_, state, decoded_);
  end = decoded_.bytes.size();
  const std::size_t until = std::min<std::uint64_t>(window_.size(), range.end - base_ + slack);
  const std::size_t cut = base_ + until < size_ ? until % decoder.unit_bytes() : 0;
  decoder.append(window_, at, until - cut, base_, state, decoded_);
}

ViewedBlock::Part ViewedBlock::part_of(std::uint64_t record) const {
  const Records& records = *setup_.records;
  if (record >= records.size()) return {plain_.size(), plain_.size(), false, record};
  return {records.begin_of(record), records.end_of(record), false, record};  // records lie in memory
}

// Finds the part that holds a place of the original, or else the next one.
ViewedBlock::Part ViewedBlock::part_at(std::uint64_t place) const {
  if (setup_.records == nullptr) return {0, plain_.size(), plain_is_cut_, 0};
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
  if (setup_.records == nullptr) return {plain_.size(), plain_.size(), false, 0};
  return part_of(part.record + 1);
}

// The first cut in a part from a place on. Behind `until` it does not matter where it is.
std::size_t ViewedBlock::next_cut(const Part& part, std::size_t at, std::size_t until) const {
  const std::size_t end = std::min(part.end, std::max(at, until) + most_bytes_before);
  return part.begin + setup_.viewer->next_cut(plain_.substr(part.begin, end - part.begin), at - part.begin);
}

std::size_t ViewedBlock::append(const Part& part, std::size_t at, std::size_t until) {
  const std::string_view bytes = plain_.substr(part.begin, part.end - part.begin);
  return part.begin +
         setup_.viewer->append(bytes, at - part.begin, until - part.begin, plain_base_ + part.begin, viewed_);
}

std::uint64_t ViewedBlock::cut_before(std::uint64_t place) {
  if (setup_.viewer == nullptr) return place;
  for (std::uint64_t slack = least_slack_bytes;; slack *= 4) {
    const std::uint64_t first = place - std::min(place, slack);
    hold(first, place + 4);
    plain_ = window_;
    const Part part = part_at(place);
    if (place <= base_ + part.begin) return place;
    const std::uint64_t begin = std::max(first, base_ + part.begin);
    const std::string_view bytes = window_.substr(begin - base_, part.end - (begin - base_));
    const std::size_t cut = setup_.viewer->last_cut(bytes, place - begin);
    if (cut != 0 || begin == base_ + part.begin) return begin + cut;
  }
}

// Whether the view leaves plain bytes as they are, as far as a match may reach and a mark behind it.
bool ViewedBlock::is_unchanged(std::size_t begin, std::size_t end) const {
  if (setup_.viewer == nullptr) return true;
  const std::size_t last = std::min<std::uint64_t>(plain_.size(), end + setup_.reach + 1);
  return setup_.unchanged.is(plain_.substr(begin, last - begin));
}

void ViewedBlock::view(const BlockRange& range) {
  places_.restart();
  for (std::uint64_t slack = least_slack_bytes + 4 * setup_.reach;; slack *= 4) {
    hold(range.begin - std::min(range.begin, most_bytes_before), range.end + slack);
    std::size_t at = range.begin - base_, until = range.end - base_;
    if (setup_.decoder != nullptr) {
      decode(range, slack, at, until);
      plain_ = decoded_.bytes;
      plain_base_ = 0;
    } else {
      plain_ = window_;
      plain_base_ = base_;
    }
    plain_is_cut_ =
        setup_.decoder != nullptr ? size_ - std::min(size_, range.end) > slack : base_ + window_.size() < size_;
    begin_ = plain_base_ + at;
    if ((lies_as_is_ = is_unchanged(at, until))) {
      const std::size_t last = std::min<std::uint64_t>(plain_.size(), until + setup_.reach);
      // Fewer bytes may have been decoded than were hoped for.
      if (setup_.decoder != nullptr && plain_is_cut_ && plain_.size() < last + most_condition_bytes_behind) continue;
      as_is_ = plain_.substr(at, last - at);
      core_bytes_ = until - at;
      return;
    }
    viewed_.bytes.clear();
    viewed_.spans.clear();
    Part part = part_at(range.begin);
    // A byte order mark may lie before the text's first segment, in a block of its own.
    const bool begins_text = range.begin == 0 || (setup_.decoder != nullptr && decoded_begin_ == 0 && at == 0);
    const bool begins_part = begins_text || (setup_.records != nullptr && at <= part.begin);
    if (begins_part)
      at = std::max(at, part.begin);
    else if (range.seeks_cut || setup_.decoder != nullptr)
      at = next_cut(part, at, until);
    while (at < until) {
      if (at < part.end) {
        at = append(part, at, until);
      } else {
        part = part_behind(part);
        at = part.begin;
      }
    }
    core_bytes_ = viewed_.bytes.size();
    if (core_bytes_ == 0) return;  // a long segment, or a long run of what is dropped, is viewed by one block alone
    while (at < part.end && viewed_.bytes.size() < core_bytes_ + setup_.reach)
      at = append(part, at, std::min<std::size_t>(part.end, at + setup_.reach));
    // The end of what is plain may have cut the last segment.
    if (!part.is_cut || at + most_condition_bytes_behind < plain_.size()) return;
  }
}

// Begin and end of the match are places in what is plain, and in the original.
bool ViewedBlock::meets_condition(std::uint32_t distinct, std::uint64_t begin, std::uint64_t end,
                                  std::uint64_t original, std::uint64_t original_end) const {
  const auto holds = [&](std::string_view bytes, std::uint64_t first, std::uint64_t last) {
    return setup_.condition.holds(distinct, reinterpret_cast<const std::uint8_t*>(bytes.data()), first, last,
                                  bytes.size());
  };
  if (setup_.decoder != nullptr && !setup_.decoder->decodes_lines())
    return holds(window_, original - base_, original_end - base_);
  return holds(plain_, begin - plain_base_, end - plain_base_);
}

bool ViewedBlock::keeps_matches(std::uint64_t begin, std::uint64_t end) {
  for (std::size_t at = 0; !lies_as_is_ && at < viewed_.spans.size(); ++at) {
    const std::string_view segment = viewed_.viewed(at);
    if (viewed_.spans[at].is_segment && segment.size() > 1 && text::decode_utf8(segment).length != segment.size())
      return false;  // a character within the segment is none of the original
  }
  const auto begins_within = [&](std::uint64_t place) {
    const std::string_view rest = bytes().substr(place);
    Match character{place, 0, text::decode_utf8(rest).length};
    return bring_back(character) && character.offset >= begin && character.offset < end;
  };
  std::uint64_t last = core_bytes_ - 1;
  while (last != 0 && !text::begins_character(bytes()[last])) --last;
  const bool all_begin_within = begins_within(0) && begins_within(last);
  places_.restart();
  decoded_places_.restart();
  return all_begin_within;
}

bool ViewedBlock::bring_back(Match& match) {
  std::uint64_t begin = begin_ + match.offset, end = begin + match.length;
  if (!lies_as_is_) {
    if (!places_.begin(match.offset, begin)) return false;
    if (!places_.end(match.offset + match.length, end)) return false;
  }
  std::uint64_t original = begin, original_end = end;
  if (setup_.decoder != nullptr) {
    if (!decoded_places_.begin(begin, original) || !decoded_places_.end(end, original_end)) return false;
    const std::vector<std::uint64_t>& barriers = decoded_.barriers;
    const auto barrier = std::lower_bound(barriers.begin(), barriers.end(), begin);
    if (barrier != barriers.end() && *barrier < end) return false;
  }
  if (setup_.condition.is_wanted() && !meets_condition(match.pattern_id, begin, end, original, original_end))
    return false;
  match.offset = original;
  match.length = static_cast<std::uint32_t>(std::min<std::uint64_t>(original_end - original, max_match_length));
  return true;
}

}  // namespace lode
