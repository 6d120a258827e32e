#include "kernel_trials.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "gpu/engine/engine.hpp"
#include "gpu/kernel_sources.hpp"
#include "seam_helpers.hpp"
#include "support/oracle.hpp"
#include "text/word_characters.hpp"

namespace lode::gpu::tests {
namespace {

using lode::tests::fold;
using Found = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // (start, distinct)

bool meets_condition(const Trial& trial, std::uint32_t start, std::uint32_t stop) {
  const abi::lode_piece& piece = trial.piece;
  lode::tests::Rules rules;
  rules.line_terminator = static_cast<char>(piece.line_terminator);
  for (const Condition condition : {Condition::whole_word, Condition::whole_line, Condition::whole_line_crlf})
    if (piece.condition == condition_value(condition)) rules.condition = condition;
  const std::string_view text = std::string_view(trial.text).substr(piece.first, piece.size - piece.first);
  return lode::tests::meets_condition(text, start - piece.first, stop - start, rules);
}

Found find_all(const Trial& trial) {
  Found found;
  const PlanData& plan = trial.plan.data();
  for (std::uint32_t start = trial.piece.begin; start < trial.piece.end; ++start) {
    for (std::uint32_t distinct = 0; distinct < plan.distinct_count(); ++distinct) {
      const auto pattern = plan.bytes(distinct);
      if (start + pattern.size() > trial.piece.size) continue;
      bool equal = true;
      for (std::size_t at = 0; equal && at < pattern.size(); ++at) {
        const char ours = static_cast<char>(pattern[at]);
        const char theirs = trial.text[start + at];
        equal = plan.ignore_case(distinct) ? fold(theirs) == fold(ours) : theirs == ours;
      }
      const auto stop = static_cast<std::uint32_t>(start + pattern.size());
      if (equal && meets_condition(trial, start, stop)) found.emplace_back(start, distinct);
    }
  }
  return found;
}

}  // namespace

void KernelTrials::check(const Trial& trial, const Algorithm& algorithm, std::uint32_t mode, std::uint32_t groups) {
  const PlanData& plan = trial.plan.data();
  const Found expected = find_all(trial);
  abi::lode_piece piece = trial.piece;
  piece.capacity = static_cast<std::uint32_t>(random_.chance(80) ? expected.size() : expected.size() / 2);

  std::vector<abi::lode_pattern> rows;
  const std::span<const std::uint32_t> characters = text::WordCharacters::get().words();
  std::vector<std::uint32_t> words(characters.begin(), characters.end());
  for (std::uint32_t distinct = 0; distinct < plan.distinct_count(); ++distinct) {
    const auto bytes = plan.bytes(distinct);
    const bool folds = plan.ignore_case(distinct);
    const auto length = static_cast<std::uint32_t>(bytes.size());
    const std::size_t first = words.size();
    rows.push_back({static_cast<std::uint32_t>(first), length | (folds ? LODE_PATTERN_FOLDS : 0U)});
    words.resize(first + (length + 3) / 4);
    for (std::size_t at = 0; at < length; ++at) {
      const char byte = static_cast<char>(bytes[at]);
      words[first + at / 4] |= std::uint32_t{static_cast<unsigned char>(folds ? fold(byte) : byte)} << (at % 4 * 8);
    }
  }
  const auto text = put(*runtime_, std::vector<char>(trial.text.begin(), trial.text.end()));
  const auto patterns = put(*runtime_, rows);
  const auto pattern_words = put(*runtime_, words);
  const std::vector<abi::lode_totals> no_totals(1 + groups);  // the first one stands for the header
  const auto header = put(*runtime_, no_totals);
  const auto list = runtime_->make_buffer(std::max<std::uint64_t>(1, piece.capacity) * sizeof(abi::lode_match));
  const auto per_distinct = put(*runtime_, std::vector<std::uint32_t>(rows.size()));
  const std::unique_ptr<Queue> queue = runtime_->make_queue();
  for (const Pass& pass : algorithm.passes()) {
    piece.pattern = pass.pattern;
    piece.adds = 1;
    std::vector<Argument> arguments = {text.get(),   piece,      patterns.get(),    pattern_words.get(),
                                       header.get(), list.get(), per_distinct.get()};
    append_arguments(arguments, {});
    arguments.insert(arguments.end(), pass.arguments.begin(), pass.arguments.end());
    const Launch launch{groups, pass.group_items, std::max(pass.local_bytes, 16 * pass.group_items)};
    queue->launch(kernel_of(pass, mode), launch, arguments);
  }
  queue->wait();

  const auto counters = get<std::uint32_t>(*runtime_, *header, 2);
  if (mode == LODE_MODE_LIST) {
    ASSERT_EQ(counters[1] != 0, expected.size() > piece.capacity);
    if (counters[1] != 0) return;
    ASSERT_EQ(counters[0], expected.size());
    Found found;
    for (const abi::lode_match& match : get<abi::lode_match>(*runtime_, *list, counters[0]))
      found.emplace_back(match.start, match.distinct);
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found, expected);
    return;
  }
  std::uint64_t matches = 0;
  const auto totals = get<abi::lode_totals>(*runtime_, *header, no_totals.size());
  for (std::uint32_t group = 1; group <= groups; ++group) matches += totals[group].matches;
  ASSERT_EQ(matches, expected.size());
  if (mode != LODE_MODE_PER_DISTINCT) return;
  std::vector<std::uint32_t> counts(rows.size());
  for (const auto& [start, distinct] : expected) ++counts[distinct];
  ASSERT_EQ(get<std::uint32_t>(*runtime_, *per_distinct, rows.size()), counts);
}

const Kernel& KernelTrials::kernel_of(const Pass& pass, std::uint32_t mode) {
  const std::uint32_t team = runtime_->limits().team_items;
  KernelSource source{kernel_source(pass.file), pass.entry, pass.constants};
  source.constants.emplace_back("LODE_MODE", mode);
  source.constants.emplace_back("LODE_RECORDS", 0);
  source.constants.emplace_back("LODE_TEAM", team == 0 ? pass.group_items : team);
  std::string key = pass.entry;
  for (const auto& [name, value] : source.constants) key += " " + name + "=" + std::to_string(value);
  std::unique_ptr<Kernel>& kernel = kernels_[key];
  if (!kernel) kernel = runtime_->load_kernel(source, runtime_->compile(source));
  return *kernel;
}

void KernelTrials::place_piece(Trial& trial) {
  const auto blocks = static_cast<std::uint32_t>(trial.text.size() / 16);
  abi::lode_piece& piece = trial.piece;
  piece.first = static_cast<std::uint32_t>(random_.below(16));
  piece.size = static_cast<std::uint32_t>(random_.between(std::max(16 * blocks - 15, piece.first + 1), 16 * blocks));
  const bool is_whole = random_.chance(50);
  piece.begin = is_whole ? piece.first : static_cast<std::uint32_t>(random_.between(piece.first, piece.size));
  piece.end = is_whole ? piece.size : static_cast<std::uint32_t>(random_.between(piece.begin, piece.size));
}

}  // namespace lode::gpu::tests
