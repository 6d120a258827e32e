// Divides patterns into length classes and gives each its stride and window.
//
// The choice minimises an estimate of the work per byte of text: looking at every stride-th place, and verifying the
// places whose window happens to stand in the table. The number of these is estimated from how often windows of one
// pattern stand in another.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/filter.hpp"

namespace lode {

/// Only length ranges, counts, strides and windows of the result are set. Every distinct pattern is in one class.
std::vector<LengthClass> choose_length_classes(const PlanData& plan, const FilterCosts& costs);

}  // namespace lode
