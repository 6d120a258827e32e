#include "cpu/strategy/costs.hpp"

#include <array>

namespace lode {
namespace {

// Costs with vectors of 16 bytes. The tables below change what differs with wider ones.
constexpr Costs narrow = {
    .probes = 0.16,
    .rare_probes = 0.062,
    .probes_pass = 60,
    .three_probes = 0.11,
    .three_probes_pass = 100,
    .probes_of_others = 0.015,
    .counted = 0.058,
    .counted_among_many = 0.066,
    .letters = 0.084,
    .letter_shift = 0.0315,
    .many_letters = 0.252,
    .shared_letters = 0.077,
    .shared_letter = 0.0345,
    .sharing_pattern = 0.012,
    .shared_test = 0.0113,
    .shared_tests = 4,
    .sieve = 0.36,
    .sieve_pass = 40,
    .sieve_pass_of_few = 45,
    .window = 1.2,
    .window_word = 0.4,
    .window_found = 20,
    .bloom = 5,  // a word at a time: there are no gathers
    .near = 0,   // never taken: it needs byte permutes of whole registers
    .near_pass = 0,
    .pair = 1.3,
    .pair_pass = 5,
};

// Costs with vectors of 32 bytes.
constexpr Costs avx2 = [] {
  Costs costs = narrow;
  costs.shared_letters = 0.125;
  costs.shared_letter = 0.02;
  costs.sharing_pattern = 0.0075;
  costs.shared_test = 0.014;
  costs.bloom = 2;
  return costs;
}();

// Costs with vectors of 64 bytes and byte permutes of whole registers.
constexpr Costs avx512 = [] {
  Costs costs = avx2;
  costs.counted_among_many = 0.085;
  costs.letters = 0.12;
  costs.letter_shift = 0.01;
  costs.many_letters = 0.13;
  costs.shared_letters = 0.07;
  costs.sharing_pattern = 0.008;
  costs.shared_test = 0.0072;
  costs.shared_tests = 0;
  costs.sieve = 0.3;
  costs.near = 0.5;
  costs.near_pass = 5;
  return costs;
}();

// Intel's cores gather faster than others, but permute two registers more slowly.
constexpr Costs of_intel(Costs costs) {
  if (costs.bloom == avx2.bloom) costs.bloom = 1.6;
  if (costs.near != 0) costs.near = 0.9;
  return costs;
}

}  // namespace

const Costs& costs_of(InstructionSet set) {
  static constexpr std::array<Costs, 3> intel = {of_intel(narrow), of_intel(avx2), of_intel(avx512)};
  static constexpr std::array<Costs, 3> others = {narrow, avx2, avx512};
  const std::array<Costs, 3>& table = is_intel() ? intel : others;
  switch (set) {
    case InstructionSet::avx512vbmi: return table[2];
    case InstructionSet::avx2: return table[1];
    default: return table[0];
  }
}

}  // namespace lode
