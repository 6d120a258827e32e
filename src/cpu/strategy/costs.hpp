// Costs: what each look costs. All choices between looks are made by this one table.
//
// The unit is a cycle of one core. A number is a cost for each byte of the text unless its comment says otherwise. The
// numbers are fitted by bench/lode-bench-sweep, which measures every look both on sets and texts that suit it and on
// others. Wrong numbers make a search slower and change no result.
#pragma once

#include <cstddef>

#include "base/instruction_sets.hpp"

namespace lode {

struct Costs {
  // One pattern by its probes.
  double probes;             // the cost without a sample of the text
  double rare_probes;        // the cost where few places pass two probes
  double probes_pass;        // added for each place that passes both
  double three_probes;       // the cost where a third probe joins the two
  double three_probes_pass;  // added for each place that passes all three
  double probes_of_others;   // is added for a pattern that is left out of a sieve
  // One pattern of one or two bytes: two probes decide, and what passes is only counted.
  double counted;
  double counted_among_many;  // the pattern has two bytes, the set is larger and its blocks smaller
  // One pattern by its letters.
  double letters;
  double letter_shift;  // is added for each shift of the letters' bits
  double many_letters;  // takes the place of both if the pattern has more letters than usual
  // Few patterns by the letters that they share.
  double shared_letters;
  double shared_letter;      // is added for each letter
  double sharing_pattern;    // is added for each pattern
  double shared_test;        // is added for each test of a letter at an offset
  std::size_t shared_tests;  // the least number of tests that a pattern is charged
  // At most 64 patterns by a sieve.
  double sieve;
  double sieve_pass;         // is added for each bin that passes at a place
  double sieve_pass_of_few;  // takes its place if the sieve has at most eight patterns
  // Windows: the cost of one that is looked up.
  double window;
  double window_word;   // is added for each word of four bytes, at least twice
  double window_found;  // is added for each place whose window is one of the class
  // What may be asked before a window is hashed: the Bloom filter, a near table, or pairs.
  double bloom;      // a look-up in the Bloom filter
  double near;       // the near table, which is asked at each place whatever the stride
  double near_pass;  // is added for each sampled place that passes the near table
  double pair;       // a look-up of a pair
  double pair_pass;  // is added for each pair that is in the table
};

const Costs& costs_of(InstructionSet set);

}  // namespace lode
