#include "cpu/verify/automaton.hpp"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/hash.hpp"

namespace lode {
namespace {

std::uint64_t branch_key(std::uint32_t state, std::uint16_t by_class) {
  return (std::uint64_t{state} << 9 | by_class) + 1;
}
// The seed is secret, so that nobody can make patterns whose branches collide.
std::uint64_t mixed(std::uint64_t key) { return XXH3_64bits_withSeed(&key, sizeof key, process_seed()); }

// The number of bytes that both begin with. Patterns that nest share almost all of them, so that it takes eight at a time.
std::size_t common_prefix(std::string_view one, std::string_view other) {
  const std::size_t length = std::min(one.size(), other.size());
  std::size_t at = 0;
  for (; at + 8 <= length; at += 8) {
    std::uint64_t words[2];
    std::memcpy(&words[0], one.data() + at, 8);
    std::memcpy(&words[1], other.data() + at, 8);
    if (words[0] != words[1]) return at + static_cast<std::size_t>(std::countr_zero(words[0] ^ words[1])) / 8;
  }
  while (at < length && one[at] == other[at]) ++at;
  return at;
}

}  // namespace

Automaton::Automaton(const PlanData& plan, std::span<const std::uint32_t> distincts, Direction direction) {
  const bool ignore_case = plan.ignore_case(distincts.front());
  number_classes(plan, distincts, ignore_case);
  std::uint64_t size = 0;
  for (const std::uint32_t distinct : distincts) size += plan.bytes(distinct).size();
  std::string bytes(size, '\0');
  auto end = bytes.begin();
  std::vector<Pattern> patterns;
  patterns.reserve(distincts.size());
  found_.reserve(distincts.size() + 1);
  for (const std::uint32_t distinct : distincts) {
    const auto pattern = plan.bytes(distinct);
    const auto begin = end;
    end = direction == Direction::backward ? std::reverse_copy(pattern.begin(), pattern.end(), begin)
                                           : std::copy(pattern.begin(), pattern.end(), begin);
    patterns.push_back({{begin, end}, distinct});
  }
  if (ignore_case)
    for (char& byte : bytes) byte = static_cast<char>(fold(static_cast<std::uint8_t>(byte)));
  std::sort(patterns.begin(), patterns.end(), [](const Pattern& a, const Pattern& b) { return a.bytes < b.bytes; });
  const std::vector<Edge> edges = add_patterns(patterns);
  const std::vector<std::uint32_t> order = states_by_depth();
  row_shift_ = static_cast<std::uint32_t>(std::bit_width(class_count_ - 1));
  const std::uint64_t row_bytes = (std::uint64_t{edges.size()} << row_shift_) * sizeof(std::uint32_t);
  if (row_bytes <= std::min(most_row_bytes, usual_row_bytes + row_bytes_per_pattern_byte * size))
    fill_rows(edges, order);
  else
    fill_links(edges, order);
}

void Automaton::number_classes(const PlanData& plan, std::span<const std::uint32_t> distincts, bool ignore_case) {
  std::array<bool, 256> seen{};
  for (const std::uint32_t distinct : distincts)
    for (const std::uint8_t byte : plan.bytes(distinct)) seen[ignore_case ? fold(byte) : byte] = true;
  for (std::size_t byte = 0; byte < seen.size(); ++byte)
    if (seen[byte]) class_of_[byte] = static_cast<std::uint16_t>(class_count_++);
  if (!ignore_case) return;
  for (std::size_t byte = 'A'; byte <= 'Z'; ++byte) class_of_[byte] = class_of_[fold(static_cast<std::uint8_t>(byte))];
}

// Adds the states of each pattern from where it differs from the one before it: the others are there already.
std::vector<Automaton::Edge> Automaton::add_patterns(std::span<const Pattern> sorted) {
  std::vector<Edge> edges(1);
  depths_.assign(1, 0);
  outputs_.assign(1, 0);
  std::vector<std::uint32_t> path(1);  // states of the pattern before, by depth
  std::string_view before;
  for (const Pattern& pattern : sorted) {
    const std::size_t common = common_prefix(pattern.bytes, before);
    path.resize(common + 1);
    for (std::size_t at = common; at < pattern.bytes.size(); ++at) {
      edges.push_back({path[at], class_of_[static_cast<std::uint8_t>(pattern.bytes[at])]});
      depths_.push_back(static_cast<std::uint32_t>(at + 1));
      outputs_.push_back(0);
      path.push_back(static_cast<std::uint32_t>(edges.size() - 1));
    }
    // Only a damaged plan has equal patterns. They are chained like outputs that follow each other.
    found_.push_back({pattern.distinct, static_cast<std::uint32_t>(pattern.bytes.size()), outputs_[path.back()]});
    outputs_[path.back()] = static_cast<std::uint32_t>(found_.size() - 1);
    max_length_ = std::max(max_length_, found_.back().length);
    before = pattern.bytes;
  }
  return edges;
}

std::vector<std::uint32_t> Automaton::states_by_depth() const {
  std::vector<std::uint32_t> places(std::size_t{max_length_} + 2);
  for (const std::uint32_t depth : depths_) ++places[depth + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  std::vector<std::uint32_t> order(depths_.size());
  for (std::uint32_t state = 0; state < depths_.size(); ++state) order[places[depths_[state]]++] = state;
  return order;
}

void Automaton::inherit_outputs(std::uint32_t state, std::uint32_t failure) {
  if (outputs_[state] == 0) {
    outputs_[state] = outputs_[failure];
    return;
  }
  std::uint32_t last = outputs_[state];
  while (found_[last].next != 0) last = found_[last].next;
  found_[last].next = outputs_[failure];
}

void Automaton::fill_links(std::span<const Edge> edges, std::span<const std::uint32_t> order) {
  states_.resize(edges.size());
  children_of_root_.assign(class_count_, 0);
  std::uint64_t branches = 0;
  for (std::uint32_t state = 1; state < edges.size(); ++state) {
    const Edge& edge = edges[state];
    if (edge.parent == 0)
      children_of_root_[edge.by_class] = state;
    else if (edge.parent + 1 == state)
      states_[edge.parent].first_class = edge.by_class;
    else
      ++branches;
  }
  branches_.resize(std::bit_ceil(2 * branches + 2));
  for (std::uint32_t state = 1; state < edges.size(); ++state) {
    const Edge& edge = edges[state];
    if (edge.parent == 0 || edge.parent + 1 == state) continue;
    states_[edge.parent].has_more = 1;
    const std::uint64_t key = branch_key(edge.parent, edge.by_class);
    std::uint64_t slot = mixed(key) & (branches_.size() - 1);
    while (branches_[slot].key != 0) slot = (slot + 1) & (branches_.size() - 1);
    branches_[slot] = {key, state};
  }
  for (const std::uint32_t state : order.subspan(1)) {
    const Edge& edge = edges[state];
    const std::uint32_t failure = edge.parent == 0 ? 0 : next_state(states_[edge.parent].failure, edge.by_class);
    states_[state].failure = failure;
    inherit_outputs(state, failure);
  }
}

std::uint32_t Automaton::child_of(std::uint32_t state, std::uint16_t by_class) const {
  const std::uint64_t key = branch_key(state, by_class);
  for (std::uint64_t slot = mixed(key) & (branches_.size() - 1); branches_[slot].key != 0;
       slot = (slot + 1) & (branches_.size() - 1))
    if (branches_[slot].key == key) return branches_[slot].child;
  return 0;
}

void Automaton::fill_rows(std::span<const Edge> edges, std::span<const std::uint32_t> order) {
  rows_.assign(edges.size() << row_shift_, 0);
  const auto entry = [&](std::uint32_t state, std::uint32_t by_class) -> std::uint32_t& {
    return rows_[(std::size_t{state} << row_shift_) + by_class];
  };
  for (std::uint32_t state = 1; state < edges.size(); ++state)
    entry(edges[state].parent, edges[state].by_class) = state;
  std::vector<std::uint32_t> failures(edges.size());
  for (const std::uint32_t state : order) {
    const std::uint32_t failure = failures[state];
    if (state != 0) inherit_outputs(state, failure);
    for (std::uint32_t by_class = 0; by_class < class_count_; ++by_class) {
      const std::uint32_t of_failure = state == 0 ? 0 : entry(failure, by_class);
      std::uint32_t& next = entry(state, by_class);
      if (next != 0)
        failures[next] = of_failure;
      else
        next = of_failure;
    }
  }
  for (std::uint32_t& next : rows_) next = next << row_shift_ | (outputs_[next] != 0 ? has_output : 0);
}

void Automaton::find_longest(const std::uint8_t* text, std::uint64_t begin, std::uint64_t end, std::uint64_t size,
                             std::span<std::uint32_t> longest) const {
  if (!has_rows())
    find_longest_from<LinkCursor>(text, begin, end, size, longest);
  else if ((end - begin) / lanes < std::uint64_t{lanes} * max_length_)
    find_longest_from<RowCursor>(text, begin, end, size, longest);
  else
    find_longest_by_rows(text, begin, end, size, longest);
}

void Automaton::find_longest_by_rows(const std::uint8_t* text, std::uint64_t begin, std::uint64_t end,
                                     std::uint64_t size, std::span<std::uint32_t> longest) const {
  const std::uint64_t span = (end - begin) / lanes;
  std::array<std::uint32_t, lanes> row{};
  for (std::uint64_t lane = 0; lane < lanes; ++lane)
    row[lane] = cursor_at<RowCursor>(text, begin + (lane + 1) * span, size).row;
  const std::uint32_t* const rows = rows_.data();
  for (std::uint64_t at = span; at-- > 0;) {
    for (std::uint64_t lane = 0; lane < lanes; ++lane) {
      row[lane] = rows[(row[lane] & ~has_output) + class_of_[text[begin + lane * span + at]]];
      longest[lane * span + at] = (row[lane] & has_output) != 0 ? outputs_[(row[lane] & ~has_output) >> row_shift_] : 0;
    }
  }
  const std::uint64_t rest = begin + lanes * span;
  find_longest_from<RowCursor>(text, rest, end, size, longest.subspan(lanes * span));
}

}  // namespace lode
