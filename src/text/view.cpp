#include "lode/view.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "lode/error.hpp"
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
    const auto row =
        std::find_if(step_names.begin(), step_names.end(), [&](const StepName& one) { return one.name == name; });
    if (row == step_names.end())
      throw Error(ErrorKind::invalid_argument,
                  "a view has no step '" + std::string(name) + "'; there are: words," + names_of(UINT32_MAX));
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
  return (steps_ & ~known) == 0 && std::none_of(alternatives.begin(), alternatives.end(),
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

std::string View::name() const { return names_of(steps_); }

ViewedText view_text(std::string_view text, const View& view) {
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

std::string_view unicode_version() { return text::tables::unicode_version; }

}  // namespace lode
