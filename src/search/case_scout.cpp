#include "search/case_scout.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "text/unicode.hpp"

namespace lode {
namespace {

// More patterns have so many spellings, or such short ones, that to find them costs as much as to view the text.
constexpr std::uint32_t most_patterns = 2;
constexpr std::size_t most_spellings = 48;  // of all anchors
constexpr std::size_t least_anchor_bytes = 5;
// Where more than one part in so many of a block is to be viewed, the whole block may as well be taken.
constexpr std::uint64_t least_block_per_viewed = 4;
// To view a range takes as long as to search so many bytes where they lie.
constexpr std::uint64_t bytes_for_range = std::uint64_t{1} << 14;
// After each piece the scout decides whether to go on.
constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 15, quick_piece_bytes = std::uint64_t{1} << 17;

// These are all the ways to write a segment of a pattern, but for the case of ASCII letters.
using Writings = std::vector<std::string>;

struct Anchor {
  std::vector<std::string> spellings;
  std::uint64_t bytes_before = 0;
};

std::vector<Writings> segments_of(std::span<const std::uint8_t> bytes) {
  std::string_view pattern(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<Writings> segments;
  while (!pattern.empty()) {
    const text::DecodedCharacter character = text::decode_utf8(pattern);
    Writings writings;
    if (!character.is_valid) {
      writings.emplace_back(pattern.substr(0, 1));
    } else {
      bool has_ascii = false;
      for (const char32_t variant : text::case_variants(character.code)) {
        if (variant < 0x80 && std::exchange(has_ascii, true)) continue;
        text::append_utf8(variant, writings.emplace_back());
      }
    }
    segments.push_back(std::move(writings));
    pattern.remove_prefix(character.is_valid ? character.length : 1);
  }
  return segments;
}

std::size_t longest_of(const Writings& writings) {
  return std::max_element(writings.begin(), writings.end(),
                          [](const auto& a, const auto& b) { return a.size() < b.size(); })
      ->size();
}

// Finds the part of a pattern that has most bytes, among those with at most so many spellings.
std::optional<Anchor> anchor_of(std::span<const std::uint8_t> pattern, std::size_t most) {
  const std::vector<Writings> segments = segments_of(pattern);
  std::size_t best_begin = 0, best_end = 0, best_bytes = 0, best_spellings = 0;
  for (std::size_t begin = 0; begin < segments.size(); ++begin) {
    std::size_t spellings = 1, bytes = 0;
    for (std::size_t end = begin; end < segments.size(); ++end) {
      spellings *= segments[end].size();
      if (spellings > most) break;
      bytes += segments[end].front().size();
      if (bytes < best_bytes || (bytes == best_bytes && spellings >= best_spellings)) continue;
      std::tie(best_begin, best_end, best_bytes, best_spellings) = std::tuple(begin, end + 1, bytes, spellings);
    }
  }
  if (best_bytes < least_anchor_bytes) return std::nullopt;
  Anchor anchor;
  for (std::size_t before = 0; before < best_begin; ++before) anchor.bytes_before += longest_of(segments[before]);
  anchor.spellings.emplace_back();
  for (std::size_t at = best_begin; at < best_end; ++at) {
    std::vector<std::string> longer;
    for (const std::string& spelling : anchor.spellings)
      for (const std::string& writing : segments[at]) longer.push_back(spelling + writing);
    anchor.spellings.swap(longer);
  }
  return anchor;
}

}  // namespace

std::unique_ptr<const CaseScout> CaseScout::make(const PlanData& plan, InstructionSet set) {
  if (plan.view != View("fold-simple") || plan.keeps_case || plan.distinct_count() > most_patterns) return nullptr;
  PatternSet spellings;
  std::uint64_t bytes_before = 0;
  bool is_quick = plan.unchanged.kind() == text::UnchangedText::Kind::plain;
  for (std::uint32_t distinct = 0; distinct < plan.distinct_count(); ++distinct)
    is_quick = is_quick && anchor_of(plan.bytes(distinct), 1);
  for (std::uint32_t distinct = 0; distinct < plan.distinct_count(); ++distinct) {
    const std::size_t most = is_quick ? 1 : most_spellings / plan.distinct_count();
    const std::optional<Anchor> anchor = anchor_of(plan.bytes(distinct), most);
    if (!anchor) return nullptr;
    for (const std::string& spelling : anchor->spellings) spellings.add(spelling);
    bytes_before = std::max(bytes_before, anchor->bytes_before);
  }
  PlanOptions options;
  options.view = View("fold-ascii");
  return std::unique_ptr<const CaseScout>(new CaseScout(Plan::build(spellings, options), is_quick, bytes_before, set));
}

CaseScout::CaseScout(Plan anchors, bool is_quick, std::uint64_t bytes_before, InstructionSet set)
    : anchors_(std::move(anchors)),
      is_quick_(is_quick),
      bytes_before_(bytes_before),
      search_(make_cpu_search("filter", anchors_.data(), options_, set, 1)) {}

bool CaseScout::find(std::string_view text, std::uint64_t begin, std::uint64_t end, std::vector<Range>& ranges) const {
  ranges.clear();
  const std::uint64_t behind = anchors_.data().patterns.max_length();
  const std::uint64_t of_range = is_quick_ ? bytes_for_range : bytes_before_ + behind;
  const std::uint64_t step = is_quick_ ? quick_piece_bytes : piece_bytes;
  std::uint64_t viewed = 0;  // bytes, about
  const auto add = [&](std::uint64_t place) {
    const std::uint64_t first = std::max(begin, place - std::min(place, bytes_before_));
    const std::uint64_t last = std::min(end, place + 1);
    if (first >= last) return;
    if (ranges.empty() || ranges.back().end < first) {
      ranges.push_back({first, first});
      viewed += of_range;
    }
    viewed += last - ranges.back().end;
    ranges.back().end = last;
  };
  for (std::uint64_t at = begin; at < end; at += step) {
    RunOptions run;
    run.end = end - at <= step ? end - at + bytes_before_ : step;
    CallReport report;
    search_->run_ordered(
        text.substr(at, run.end + behind), run, false,
        [&](std::span<const Match> found) {
          for (const Match& match : found) add(at + match.offset);
          return true;
        },
        report);
    if (viewed > std::min(at + step, end) / least_block_per_viewed - begin / least_block_per_viewed) return false;
  }
  return true;
}

std::string CaseScout::strategy() const {
  const std::size_t count = anchors_.patterns().size();
  return (is_quick_ ? "viewed where " : "beyond ASCII, viewed where ") + std::to_string(count) +
         (count == 1 ? " spelling of a part occurs: " : " spellings of parts occur: ") + search_->strategy();
}

}  // namespace lode
