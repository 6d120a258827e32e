// NestedPatterns: for leftmost kinds, of patterns that begin one another (a, aa, aaa …) the one that is wanted at a place.
//
// Of all patterns that start at a place one is wanted, and each of them begins with the shortest. So it is enough to look
// for *roots*, patterns that none other begins; from a root that is found the wanted pattern is reached by comparing the
// text with the patterns that the root begins, in the order of their bytes: whatever occurs here begins the last of them
// that is not greater than the text.
//
//   patterns a, ab, abc, abd, b; roots a, b        text at a place: abcx…
//   in order  a  ab  abc  abd    the last that is not greater: abc; it occurs; so do those that begin it: ab, a
//
// A pattern's *parent* is the longest other one that begins it; *jumps* lead to one further up, so that the longest that
// is not longer than what was found equal is reached in a few steps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lode/match.hpp"
#include "lode/pattern_set.hpp"
#include "plan/plan_data.hpp"

namespace lode {

class NestedPatterns {
 public:
  explicit NestedPatterns(const PlanData& plan);

  /// The roots; their ids are for match().
  const PatternSet& roots() const noexcept { return roots_; }

  struct Rules {
    MatchKind kind = MatchKind::leftmost_longest;
    Condition condition = Condition::none;
    std::uint8_t line_terminator = '\n';
  };
  /// The wanted one of the patterns that the root begins at data[start], as distinct index and length; nothing where the
  /// condition holds for none. `size` bytes are there: to the text's end, or beyond the longest pattern and a byte more.
  struct Wanted {
    std::uint32_t distinct;
    std::uint32_t length;
  };
  std::optional<Wanted> match(std::uint32_t root, const std::uint8_t* data, std::uint64_t start, std::uint64_t size,
                              const Rules& rules) const;

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  // In the order of the patterns' bytes, folded where they ignore case; those that do come behind all others.
  struct Node {
    std::uint32_t distinct;
    std::uint32_t parent;  // a node, or none
    std::uint32_t jump;    // a node further up, or none
    std::uint32_t depth;   // nodes above it
    std::uint32_t first;   // the node with the lowest distinct index among it and those above it
  };
  std::uint32_t length_of(std::uint32_t node) const {
    return static_cast<std::uint32_t>(plan_.bytes(nodes_[node].distinct).size());
  }
  void add_node(std::uint32_t distinct, std::uint32_t parent);
  std::uint32_t longest_within(std::uint32_t node, std::uint32_t shortest_node, std::uint64_t length) const;

  const PlanData& plan_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> root_nodes_;  // root id -> node; one more at the end
  std::vector<bool> root_is_first_;        // its distinct index is lower than those of all patterns that it begins
  PatternSet roots_;
};

}  // namespace lode
