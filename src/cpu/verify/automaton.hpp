// Automaton: some patterns as one machine. It finds all of their occurrences in a time that depends on the text and on
// its matches alone.
//
// Idea: a trie of the patterns. Each state stands for bytes that patterns begin with, and the machine is always in the
// longest one that the text read so far ends with. Where a state has no child for the next byte, its *failure* takes
// over: the longest shorter state that ends alike. Source: A. V. Aho, M. J. Corasick, "Efficient string matching"
// (1975).
// Example: `he`, `hers`, `she` in the text `shers`:
//
//   state:    0 -h-> 1 -e-> 2* -r-> 3 -s-> 4*      failure of 7 `she`: 2 `he`, which is an output of 7, too
//             0 -s-> 5 -h-> 6 -e-> 7*
//   text:     s5 h6 e7 (she, he)  r: 7 has no child, its failure 2 has: 3   s4 (hers)
//
// States are numbered in the order of sorted patterns, so that a state's first child is the number behind it, and a
// state takes 16 bytes. Further children stand in a hash table. Bytes that no pattern tells apart are one *class*.
// Where there is room, each state has a row instead: the state that follows, by the class of the next byte. A machine
// of patterns read backward, which reads the text backward, tells at each place which patterns start there.
// Worst case: two steps a byte on average, and one for each match.
// Loses where places can be skipped: it looks at each byte, and waits for each look. Immutable; safe to use from several
// threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "plan/plan_data.hpp"

namespace lode {

class Automaton {
 public:
  /// Sets of more bytes get no automaton: at up to 64 bytes for each of theirs it would take too much memory.
  static constexpr std::uint64_t most_pattern_bytes = std::uint64_t{1} << 24;

  enum class Direction { forward, backward };

  /// Preconditions: there are patterns, and all of them ignore case or none does; they have at most most_pattern_bytes.
  Automaton(const PlanData& plan, std::span<const std::uint32_t> distincts, Direction direction = Direction::forward);

  struct Output {
    std::uint32_t distinct = 0;
    std::uint32_t length = 0;
    std::uint32_t next = 0;  // in outputs(): the next shorter pattern found at the same place; 0: none
  };
  std::span<const Output> outputs() const { return found_; }

  std::uint32_t max_length() const { return max_length_; }

  /// Forward only. Calls report(end of the occurrence, output) for each occurrence that starts at text[begin … end), in
  /// any order.
  template <class Report>
  void scan(const std::uint8_t* text, std::uint64_t begin, std::uint64_t end, std::uint64_t size, Report report) const {
    if (has_rows())
      scan_rows(text, begin, end, size, report);
    else
      scan_from<LinkCursor>(text, begin, end, size, report);
  }

  /// Backward only. longest[i] becomes the place in outputs() of the longest pattern that starts at text[begin + i], or
  /// 0, for all places before `end`. The text has `size` bytes.
  void find_longest(const std::uint8_t* text, std::uint64_t begin, std::uint64_t end, std::uint64_t size,
                    std::span<std::uint32_t> longest) const;

  bool has_rows() const { return !rows_.empty(); }

 private:
  static constexpr std::uint16_t no_class = 0xffff;
  static constexpr std::uint16_t class_of_others = 0;  // the class of bytes that are in no pattern
  // Larger rows would lie in far memory and take long to fill. Sets of few bytes get less, because a search may have an
  // automaton for each of many patterns.
  static constexpr std::uint64_t most_row_bytes = std::uint64_t{1} << 25;
  static constexpr std::uint64_t usual_row_bytes = std::uint64_t{1} << 21;
  static constexpr std::uint64_t row_bytes_per_pattern_byte = 64;
  static constexpr std::uint32_t has_output = std::uint32_t{1} << 31;  // a flag in rows_: the next state has an output
  static constexpr std::uint64_t lanes = 4;  // read side by side, since each step waits for the last

  struct State {
    std::uint32_t failure = 0;
    std::uint16_t first_class = no_class;  // the class that leads to the first child
    std::uint16_t has_more = 0;            // 1 where branches_ has further children
  };
  struct Branch {
    std::uint64_t key = 0;  // branch_key() of state and class; 0 where the slot is free
    std::uint32_t child = 0;
  };
  // A pattern whose bytes are in the order in which they are read, folded where case is ignored.
  struct Pattern {
    std::string_view bytes;
    std::uint32_t distinct = 0;
  };
  // How a state is reached, while the automaton is built.
  struct Edge {
    std::uint32_t parent = 0;
    std::uint16_t by_class = 0;
  };

  void number_classes(const PlanData& plan, std::span<const std::uint32_t> distincts, bool ignore_case);
  std::vector<Edge> add_patterns(std::span<const Pattern> sorted);
  std::vector<std::uint32_t> states_by_depth() const;
  void fill_links(std::span<const Edge> edges, std::span<const std::uint32_t> order);
  void fill_rows(std::span<const Edge> edges, std::span<const std::uint32_t> order);
  void inherit_outputs(std::uint32_t state, std::uint32_t failure);
  std::uint32_t child_of(std::uint32_t state, std::uint16_t by_class) const;

  // The state that follows; the root, 0, if neither the state nor a failure of it has such a child.
  std::uint32_t next_state(std::uint32_t state, std::uint16_t by_class) const {
    if (by_class == class_of_others) return 0;
    for (; state != 0; state = states_[state].failure) {
      if (states_[state].first_class == by_class) return state + 1;
      if (states_[state].has_more != 0)
        if (const std::uint32_t child = child_of(state, by_class); child != 0) return child;
    }
    return children_of_root_[by_class];
  }

  // A cursor is a state that goes on byte by byte: one by links, one by rows.
  struct LinkCursor {
    explicit LinkCursor(const Automaton& automaton) : automaton(automaton) {}
    void step(std::uint8_t byte) { state = automaton.next_state(state, automaton.class_of_[byte]); }
    std::uint32_t output() const { return automaton.outputs_[state]; }
    std::uint32_t depth() const { return automaton.depths_[state]; }
    const Automaton& automaton;
    std::uint32_t state = 0;
  };
  struct RowCursor {
    explicit RowCursor(const Automaton& automaton) : automaton(automaton) {}
    void step(std::uint8_t byte) { row = automaton.rows_[(row & ~has_output) + automaton.class_of_[byte]]; }
    std::uint32_t output() const { return automaton.outputs_[(row & ~has_output) >> automaton.row_shift_]; }
    std::uint32_t depth() const { return automaton.depths_[(row & ~has_output) >> automaton.row_shift_]; }
    const Automaton& automaton;
    std::uint32_t row = 0;
  };

  template <class Report>
  void report_all(std::uint64_t end, std::uint32_t output, Report& report) const {
    for (; output != 0; output = found_[output].next) report(end, found_[output]);
  }

  // Reads on behind `end` as long as a pattern that starts before it may go on, and reports those that do.
  template <class Cursor, class Report>
  void finish(Cursor cursor, const std::uint8_t* text, std::uint64_t end, std::uint64_t size, Report& report) const {
    for (std::uint64_t at = end; at < size && at - cursor.depth() < end; ++at) {
      cursor.step(text[at]);
      for (std::uint32_t output = cursor.output(); output != 0; output = found_[output].next) {
        if (at + 1 - found_[output].length >= end) break;  // shorter ones start even later
        report(at + 1, found_[output]);
      }
    }
  }

  template <class Cursor, class Report>
  void scan_from(const std::uint8_t* text, std::uint64_t begin, std::uint64_t end, std::uint64_t size,
                 Report& report) const {
    Cursor cursor(*this);
    for (std::uint64_t at = begin; at < end; ++at) {
      cursor.step(text[at]);
      report_all(at + 1, cursor.output(), report);
    }
    finish(cursor, text, end, size, report);
  }

  // For a machine that reads backward: where it is at `end`, after what lies behind, as far as patterns may reach.
  template <class Cursor>
  Cursor cursor_at(const std::uint8_t* text, std::uint64_t end, std::uint64_t size) const {
    Cursor cursor(*this);
    for (std::uint64_t at = std::min(size, end + max_length_ - 1); at > end; --at) cursor.step(text[at - 1]);
    return cursor;
  }
  template <class Cursor>
  void find_longest_from(const std::uint8_t* text, std::uint64_t begin, std::uint64_t end, std::uint64_t size,
                         std::span<std::uint32_t> longest) const {
    auto cursor = cursor_at<Cursor>(text, end, size);
    for (std::uint64_t at = end; at > begin; --at) {
      cursor.step(text[at - 1]);
      longest[at - 1 - begin] = cursor.output();
    }
  }
  void find_longest_by_rows(const std::uint8_t* text, std::uint64_t begin, std::uint64_t end, std::uint64_t size,
                            std::span<std::uint32_t> longest) const;

  template <class Report>
  void scan_rows(const std::uint8_t* text, std::uint64_t begin, std::uint64_t end, std::uint64_t size,
                 Report& report) const {
    const std::uint64_t span = (end - begin) / lanes;
    if (span < std::uint64_t{lanes} * max_length_) return scan_from<RowCursor>(text, begin, end, size, report);
    std::array<std::uint32_t, lanes> row{};
    const std::uint32_t* const rows = rows_.data();
    for (std::uint64_t at = begin; at < begin + span; ++at) {
      std::uint32_t any = 0;
      for (std::uint64_t lane = 0; lane < lanes; ++lane)
        any |= row[lane] = rows[(row[lane] & ~has_output) + class_of_[text[at + lane * span]]];
      if ((any & has_output) == 0) continue;
      for (std::uint64_t lane = 0; lane < lanes; ++lane)
        if ((row[lane] & has_output) != 0)
          report_all(at + lane * span + 1, outputs_[(row[lane] & ~has_output) >> row_shift_], report);
    }
    for (std::uint64_t lane = 0; lane < lanes; ++lane) {
      RowCursor cursor(*this);
      cursor.row = row[lane];
      finish(cursor, text, begin + (lane + 1) * span, size, report);
    }
    if (begin + lanes * span < end) scan_from<RowCursor>(text, begin + lanes * span, end, size, report);
  }

  std::array<std::uint16_t, 256> class_of_{};
  std::uint32_t class_count_ = 1;
  std::uint32_t max_length_ = 0;
  std::vector<State> states_;                    // empty where there are rows
  std::vector<Branch> branches_;                 // a hash table of 2^n slots; one that is taken leads to the next
  std::vector<std::uint32_t> children_of_root_;  // the root's children by class
  std::vector<std::uint32_t> rows_;     // by state and class: where the next state's row begins, and has_output
  std::uint32_t row_shift_ = 0;         // a row has 2^row_shift_ entries
  std::vector<std::uint32_t> depths_;   // the number of bytes that each state stands for
  std::vector<std::uint32_t> outputs_;  // the longest pattern of each state, as its place in found_, or 0
  std::vector<Output> found_{1};        // one for each pattern; the first stands for none
};

}  // namespace lode
