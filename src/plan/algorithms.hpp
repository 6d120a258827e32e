// THE table of algorithms: name, what it serves, what it costs.
//
// Everything that offers algorithms (searchers, the command, tests, benches) reads this table; what runs one on a
// device is found by the same name in that device's own list.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lode/pattern_set.hpp"

namespace lode {

struct PlanData;

struct Algorithm {
  std::string_view name;
  std::string_view summary;
  std::string_view serves;
  std::uint32_t max_patterns;          // more are refused
  std::uint32_t max_distinct_lengths;  // more are refused
};

std::span<const Algorithm> algorithms();

/// The algorithm of that name, or null.
const Algorithm* find_algorithm(std::string_view name);

std::uint32_t count_distinct_lengths(const PatternSet& patterns);

/// Why `algorithm` does not serve the patterns; empty where it does.
std::string refusal_of(const Algorithm& algorithm, const PatternSet& patterns);

/// What `auto` means for these patterns.
const Algorithm& choose_algorithm(const PatternSet& patterns);

/// Whether windows of a text of the patterns' letters are mostly windows of patterns, though whole patterns are rare in
/// it. Then `auto` takes `rabin-karp` on the CPU, whose hashes nobody can make collide.
bool windows_tell_little(const PlanData& plan);

/// The algorithm of that name, or what `auto` means. Throws Error(invalid_argument) if there is none of the name, and
/// Error(unsupported) with the reason if it does not serve the patterns.
const Algorithm& resolve_algorithm(std::string_view name, const PatternSet& patterns);

}  // namespace lode
