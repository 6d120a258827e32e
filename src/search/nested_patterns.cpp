#include "search/nested_patterns.hpp"

#include <algorithm>
#include <numeric>

#include "base/bytes.hpp"
#include "base/condition.hpp"

namespace lode {
namespace {

/// Up to where two are equal; both folded where the patterns ignore case.
std::uint64_t common_length(const std::uint8_t* a, const std::uint8_t* b, std::uint64_t from, std::uint64_t until,
                            bool folds) {
  std::uint64_t at = from;
  if (!folds) {
    for (; at + sizeof(std::uint64_t) <= until; at += sizeof(std::uint64_t)) {
      if (load_u64(a + at) != load_u64(b + at)) break;
    }
    while (at < until && a[at] == b[at]) ++at;
    return at;
  }
  for (; at + sizeof(std::uint64_t) <= until; at += sizeof(std::uint64_t)) {
    if (fold_u64(load_u64(a + at)) != fold_u64(load_u64(b + at))) break;
  }
  while (at < until && fold(a[at]) == fold(b[at])) ++at;
  return at;
}

}  // namespace

NestedPatterns::NestedPatterns(const PlanData& plan) : plan_(plan) {
  std::vector<std::uint32_t> order(plan.distinct_count());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const bool folds = plan.ignore_case(a);
    if (folds != plan.ignore_case(b)) return !folds;
    const auto left = plan.bytes(a), right = plan.bytes(b);
    const std::uint64_t shorter = std::min(left.size(), right.size());
    const std::uint64_t common = common_length(left.data(), right.data(), 0, shorter, folds);
    if (common == shorter) return left.size() < right.size();
    return folds ? fold(left[common]) < fold(right[common]) : left[common] < right[common];
  });
  nodes_.reserve(order.size());
  std::uint32_t above = none;  // the last node, and then those that it begins with
  for (const std::uint32_t distinct : order) {
    const auto bytes = plan.bytes(distinct);
    const bool folds = plan.ignore_case(distinct);
    const auto begins = [&](std::uint32_t node) {
      const std::uint32_t other = nodes_[node].distinct;
      const std::uint64_t length = length_of(node);
      return folds == plan.ignore_case(other) && length <= bytes.size() &&
             common_length(plan.bytes(other).data(), bytes.data(), 0, length, folds) == length;
    };
    while (above != none && !begins(above)) above = nodes_[above].parent;
    add_node(distinct, above);
    above = static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  root_nodes_.push_back(static_cast<std::uint32_t>(nodes_.size()));
  for (std::size_t root = 0; root + 1 < root_nodes_.size(); ++root) {
    const auto begin = nodes_.begin() + root_nodes_[root], end = nodes_.begin() + root_nodes_[root + 1];
    root_is_first_.push_back(
        std::all_of(begin, end, [&](const Node& node) { return node.distinct >= begin->distinct; }));
  }
}

void NestedPatterns::add_node(std::uint32_t distinct, std::uint32_t parent) {
  const auto self = static_cast<std::uint32_t>(nodes_.size());
  Node node{distinct, parent, none, 0, self};
  if (parent == none) {
    root_nodes_.push_back(self);
    roots_.add(plan_.patterns[plan_.lowest_id(distinct)], plan_.ignore_case(distinct));
  } else {
    const Node& up = nodes_[parent];
    node.depth = up.depth + 1;
    const bool jumps_further =
        up.jump != none && nodes_[up.jump].jump != none &&
        up.depth - nodes_[up.jump].depth == nodes_[up.jump].depth - nodes_[nodes_[up.jump].jump].depth;
    node.jump = jumps_further ? nodes_[up.jump].jump : parent;
    if (nodes_[up.first].distinct < distinct) node.first = up.first;
  }
  nodes_.push_back(node);
}

/// The longest of the node and those above it that is not longer than this. The shortest of them is not.
std::uint32_t NestedPatterns::longest_within(std::uint32_t node, std::uint32_t shortest_node,
                                             std::uint64_t length) const {
  while (node != shortest_node && length_of(node) > length) {
    const std::uint32_t jump = nodes_[node].jump;
    node = jump != none && length_of(jump) > length ? jump : nodes_[node].parent;
  }
  return node;
}

std::optional<NestedPatterns::Wanted> NestedPatterns::match(std::uint32_t root, const std::uint8_t* data,
                                                            std::uint64_t start, std::uint64_t size,
                                                            const Rules& rules) const {
  const std::uint32_t begin = root_nodes_[root];
  if (rules.kind == MatchKind::leftmost_first && rules.condition == Condition::none && root_is_first_[root]) {
    return Wanted{nodes_[begin].distinct, length_of(begin)};
  }
  const std::uint8_t* const text = data + start;
  const std::uint64_t left = size - start;
  const bool folds = plan_.ignore_case(nodes_[begin].distinct);
  const std::uint64_t known = length_of(begin);
  // The last node whose bytes are not greater than the text's, and how many of them are equal.
  std::uint32_t low = begin, high = root_nodes_[root + 1];
  std::uint64_t equal = known;
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    const auto bytes = plan_.bytes(nodes_[middle].distinct);
    const std::uint64_t shorter = std::min<std::uint64_t>(bytes.size(), left);
    const std::uint64_t common = common_length(bytes.data(), text, known, shorter, folds);
    const bool is_greater = common == shorter ? bytes.size() > left
                            : folds           ? fold(bytes[common]) > fold(text[common])
                                              : bytes[common] > text[common];
    if (is_greater) {
      high = middle;
    } else {
      low = middle;
      equal = common;
    }
  }
  std::uint32_t node = longest_within(low, begin, equal);
  if (rules.condition == Condition::none) {
    if (rules.kind == MatchKind::leftmost_first) node = nodes_[node].first;
    return Wanted{nodes_[node].distinct, length_of(node)};
  }
  std::optional<Wanted> wanted;
  for (; node != none; node = nodes_[node].parent) {
    const std::uint32_t length = length_of(node);
    if (!condition_holds(rules.condition, rules.line_terminator, data, start, start + length, size)) continue;
    if (!wanted || nodes_[node].distinct < wanted->distinct) wanted = Wanted{nodes_[node].distinct, length};
    if (rules.kind == MatchKind::leftmost_longest) break;
  }
  return wanted;
}

}  // namespace lode
