// Costs: what each way to look at a text costs, THE table by which all ways are compared.
//
// The unit is one: cycles of a core. Without another word a number is what each byte of the text costs. They are fitted by
// bench/lode-bench-sweep, whose grid has each way on sets and texts on which it is taken and on which it is not. Wrong ones
// make a search slower and change no result.
#pragma once

#include <cstddef>

#include "cpu/instruction_sets.hpp"

namespace lode {

struct Costs {
  // One pattern by its probes.
  double probes;             // without a sample of the text
  double rare_probes;        // where places that pass are rare,
  double probes_pass;        // and for each place that passes
  double three_probes;       // where a third probe joins the two,
  double three_probes_pass;  // and for each place that passes
  double probes_of_others;   // beside what counting takes of a pass with others
  // One pattern whose places are counted, because two probes decide.
  double counted;
  double counted_among_many;  // of two bytes, in smaller blocks
  // One pattern by its letters.
  double letters;
  double letter_shift;  // for each shift of their bits
  double many_letters;
  // Few patterns by the letters that they share.
  double shared_letters;
  double shared_letter;      // for each letter
  double sharing_pattern;    // for each pattern
  double shared_test;        // for each letter of a pattern that is tested
  std::size_t shared_tests;  // that a pattern costs at least
  // Few patterns by a sieve.
  double sieve;
  double sieve_pass;         // for each place that passes
  double sieve_pass_of_few;  // the same of up to eight patterns
  // Windows, for each one looked up.
  double window;
  double window_word;   // for each four bytes of it, two at least
  double window_found;  // for each that the text holds
  // Windows where tables of their bytes may be asked first: for each look-up, and for each place that passes.
  double filter;
  double near;
  double near_pass;
  double pair;
  double pair_pass;
};

const Costs& costs_of(InstructionSet set);

}  // namespace lode
