#include "cpu/verify/bounded_search.hpp"

#include <algorithm>
#include <unordered_set>

namespace lode {

BoundedSearch::Way BoundedSearch::choose(std::uint64_t bytes, std::size_t lengths) {
  // An automaton of many states has no rows and takes long to build; hashes of few lengths take few passes.
  constexpr std::size_t few_lengths = 4;
  const bool is_better_hashed = bytes > many_bytes && lengths <= few_lengths;
  return is_better_hashed || bytes > Automaton::most_pattern_bytes ? Way::hashes : Way::automaton;
}

void BoundedSearch::fill(const std::vector<Window>& windows) const {
  Tables& tables = *tables_;
  tables.distincts.clear();  // a call before this one may have failed
  tables.offsets.clear();
  tables.automata.clear();
  for (const Window& window : windows) {
    tables.distincts.push_back(window.distinct);
    tables.max_offset = std::max(tables.max_offset, window.offset);
  }
  std::sort(tables.distincts.begin(), tables.distincts.end());
  tables.distincts.erase(std::unique(tables.distincts.begin(), tables.distincts.end()), tables.distincts.end());
  tables.offsets.resize(tables.distincts.size() * stride_);
  for (const Window& window : windows) {
    const auto index =
        std::lower_bound(tables.distincts.begin(), tables.distincts.end(), window.distinct) - tables.distincts.begin();
    tables.offsets[static_cast<std::size_t>(index) * stride_ + window.offset % stride_] =
        static_cast<std::uint8_t>(window.offset);
  }
  std::uint64_t bytes = 0;
  std::unordered_set<std::size_t> lengths;
  for (const std::uint32_t distinct : tables.distincts) {
    bytes += plan_->bytes(distinct).size();
    lengths.insert(plan_->bytes(distinct).size());
  }
  if (way_.value_or(choose(bytes, lengths.size())) == Way::hashes) {
    tables.rolling.emplace(*plan_, tables.distincts, set_);
    return;
  }
  std::vector<std::uint32_t> by_case(tables.distincts);
  const auto folded = std::stable_partition(by_case.begin(), by_case.end(),
                                            [&](std::uint32_t distinct) { return !plan_->ignore_case(distinct); });
  for (const auto patterns : {std::span(by_case.begin(), folded), std::span(folded, by_case.end())})
    if (!patterns.empty()) tables.automata.emplace_back(*plan_, patterns);
}

void BoundedSearch::scan(Collector& out, std::uint64_t place, std::uint64_t end,
                         const std::function<std::vector<Window>()>& windows) const {
  std::call_once(tables_->once, [&] { fill(windows()); });
  const Tables& tables = *tables_;
  const auto is_wanted = [&](std::uint64_t start, std::uint32_t distinct) {
    const auto index =
        std::lower_bound(tables.distincts.begin(), tables.distincts.end(), distinct) - tables.distincts.begin();
    const std::uint64_t residue = (stride_ - start % stride_) % stride_;
    return start + tables.offsets[static_cast<std::size_t>(index) * stride_ + residue] >= place;
  };
  const std::uint64_t first = place - std::min<std::uint64_t>(place, tables.max_offset);
  const std::uint64_t begin = std::max(first, out.begin());
  if (begin >= end) return;
  if (tables.rolling) {
    tables.rolling->scan(out, begin, end, is_wanted);
    return;
  }
  for (const Automaton& automaton : tables.automata) {
    automaton.scan(out.piece().data, begin, end, out.piece().size,
                   [&](std::uint64_t end_of_match, const Automaton::Output& output) {
                     const std::uint64_t start = end_of_match - output.length;
                     // What starts at `place` or behind it has its window there, too.
                     if (start < place && !is_wanted(start, output.distinct)) return;
                     out.emit(start, output.distinct, output.length);
                   });
  }
}

}  // namespace lode
