#include "lode/view.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "lode/error.hpp"
#include "text/decoder.hpp"
#include "text/place_map.hpp"
#include "text/unicode_tables.hpp"
#include "text/viewer.hpp"

namespace lode {
namespace {

struct StepName {
  std::string_view name;
  ViewStep step;
};
// In the order in which they run.
constexpr std::array<StepName, 13> step_names = {{
    {"drop-ignorable", ViewStep::drop_ignorable},
    {"nfc", ViewStep::nfc},
    {"nfd", ViewStep::nfd},
    {"nfkc", ViewStep::nfkc},
    {"nfkd", ViewStep::nfkd},
    {"fold-ascii", ViewStep::fold_ascii},
    {"fold-simple", ViewStep::fold_simple},
    {"fold", ViewStep::fold},
    {"drop-marks", ViewStep::drop_marks},
    {"drop-punctuation", ViewStep::drop_punctuation},
    {"punctuation-as-space", ViewStep::punctuation_as_space},
    {"one-space", ViewStep::one_space},
    {"drop-space", ViewStep::drop_space},
}};
constexpr std::string_view words = "nfkc,drop-ignorable,fold,punctuation-as-space,one-space";

constexpr std::uint32_t mask(std::initializer_list<ViewStep> steps) {
  std::uint32_t all = 0;
  for (const ViewStep step : steps) all |= static_cast<std::uint32_t>(step);
  return all;
}
// A view takes at most one step of each group.
constexpr std::array alternatives = {
    mask({ViewStep::nfc, ViewStep::nfd, ViewStep::nfkc, ViewStep::nfkd}),
    mask({ViewStep::fold_ascii, ViewStep::fold_simple, ViewStep::fold}),
    mask({ViewStep::drop_punctuation, ViewStep::punctuation_as_space}),
    mask({ViewStep::one_space, ViewStep::drop_space}),
};

std::string names_of(std::uint32_t steps) {
  std::string names;
  for (const StepName& row : step_names)
    if ((steps & static_cast<std::uint32_t>(row.step)) != 0)
      names += (names.empty() ? "" : ",") + std::string(row.name);
  return names;
}

std::string names_of_encodings() {
  std::string names;
  for (std::uint32_t number = 1; !text::encoding_name(number).empty(); ++number)
    names += (number == 1 ? "" : ",") + std::string(text::encoding_name(number));
  return names;
}

}  // namespace

View::View(std::string_view steps) {
  while (!steps.empty()) {
    const std::size_t end = std::min(steps.find(','), steps.size());
    const std::string_view name = steps.substr(0, end);
    steps.remove_prefix(std::min(end + 1, steps.size()));
    if (name == "words") {
      steps_ |= View(words).steps_;
      continue;
    }
    if (const std::uint32_t number = text::encoding_number(name); number != 0) {
      if (decodes()) throw Error(ErrorKind::invalid_argument, "a view takes one encoding or layout, not two");
      steps_ |= number << encoding_shift;
      continue;
    }
    if (name == "fasta" || name == "fastq") {
      if (decodes()) throw Error(ErrorKind::invalid_argument, "a view takes one encoding or layout, not two");
      steps_ |= static_cast<std::uint32_t>(name == "fasta" ? Layout::fasta : Layout::fastq) << layout_shift;
      continue;
    }
    const auto row =
        std::find_if(step_names.begin(), step_names.end(), [&](const StepName& one) { return one.name == name; });
    if (row == step_names.end())
      throw Error(ErrorKind::invalid_argument, "a view has no step '" + std::string(name) +
                                                   "'; there are: words,fasta,fastq," + names_of(UINT32_MAX) +
                                                   ", and encodings: " + names_of_encodings());
    steps_ |= static_cast<std::uint32_t>(row->step);
  }
  for (const std::uint32_t group : alternatives)
    if (std::popcount(steps_ & group) > 1)
      throw Error(ErrorKind::invalid_argument,
                  "a view takes one of these steps, not both: " + names_of(steps_ & group));
}

bool View::is_sound() const noexcept {
  std::uint32_t known = 0;
  for (const StepName& row : step_names) known |= static_cast<std::uint32_t>(row.step);
  const std::uint32_t number = (steps_ >> encoding_shift) % most_encodings;
  const std::uint32_t layout_number = steps_ >> layout_shift;
  const bool decodes_soundly = number == 0 ? layout_number <= static_cast<std::uint32_t>(Layout::fastq)
                                           : layout_number == 0 && !text::encoding_name(number).empty();
  return decodes_soundly && (steps_ & ((1U << encoding_shift) - 1) & ~known) == 0 &&
         std::none_of(alternatives.begin(), alternatives.end(),
                      [&](std::uint32_t group) { return std::popcount(steps_ & group) > 1; });
}

bool View::keeps_ascii() const noexcept {
  return (steps_ & mask({ViewStep::drop_punctuation, ViewStep::punctuation_as_space, ViewStep::one_space,
                         ViewStep::drop_space})) == 0;
}

View View::with(ViewStep step) const noexcept {
  View view = *this;
  view.steps_ |= static_cast<std::uint32_t>(step);
  return view;
}

View View::without_fold() const noexcept {
  View view = *this;
  view.steps_ &= ~mask({ViewStep::fold_ascii, ViewStep::fold_simple, ViewStep::fold});
  return view;
}

View View::without_decoding() const noexcept {
  View view = *this;
  view.steps_ &= (1U << encoding_shift) - 1;
  return view;
}

std::string View::encoding() const {
  return std::string(text::encoding_name((steps_ >> encoding_shift) % most_encodings));
}

std::string View::name() const {
  const std::string first = layout() == Layout::fasta ? "fasta" : layout() == Layout::fastq ? "fastq" : encoding();
  const std::string others = names_of(steps_);
  return first + (first.empty() || others.empty() ? "" : ",") + others;
}

namespace {

ViewedText view_plain_text(std::string_view text, const View& view) {
  ViewedText viewed;
  text::Viewer(view).append(text, 0, text.size(), 0, viewed);
  // A character to which blanks are joined becomes a span of its own.
  std::vector<ViewedSpan> spans;
  for (std::size_t at = 0; at < viewed.spans.size(); ++at) {
    const ViewedSpan& span = viewed.spans[at];
    const std::uint64_t before = viewed.end_of(at) - span.viewed - 1;  // it is a space, which is one byte
    spans.push_back(span);
    if (span.is_segment || span.original_end - span.original == before + 1) continue;
    if (before == 0) {
      spans.back().is_segment = true;
    } else {
      spans.back().original_end = span.original + before;
      spans.push_back({span.viewed + before, span.original + before, span.original_end, true});
    }
  }
  viewed.spans = std::move(spans);
  return viewed;
}

}  // namespace

ViewedText view_text(std::string_view text, const View& view) {
  const auto decoder = text::Decoder::make(view, text.substr(0, text::Decoder::head_bytes));
  if (!decoder) return view_plain_text(text, view.without_decoding());
  text::PlainText plain;
  text::Decoder::State state;
  decoder->append(text, 0, text.size(), 0, state, plain);
  ViewedText viewed = view_plain_text(plain.bytes, view.without_decoding());
  text::PlaceMap places(plain, true);
  std::vector<ViewedSpan> spans;
  const auto add = [&](std::uint64_t viewed_place, std::uint64_t begin, std::uint64_t end) {
    ViewedSpan span{viewed_place, 0, 0, true};
    places.begin(begin, span.original);
    places.end(end, span.original_end);
    spans.push_back(span);
  };
  for (std::size_t at = 0; at < viewed.spans.size(); ++at) {
    const ViewedSpan& span = viewed.spans[at];
    if (span.is_segment) {
      add(span.viewed, span.original, span.original_end);
      continue;
    }
    for (std::uint64_t place = span.viewed; place < viewed.end_of(at);) {
      std::uint64_t next = place + 1;
      while (next < viewed.end_of(at) && !text::begins_character(viewed.bytes[next])) ++next;
      add(place, span.original + (place - span.viewed), span.original + (next - span.viewed));
      place = next;
    }
  }
  viewed.spans = std::move(spans);
  return viewed;
}

std::string_view unicode_version() { return text::tables::unicode_version; }

}  // namespace lode
