#include "cpu/scanner.hpp"

#include <array>

namespace lode {
namespace {

struct Row {
  std::string_view name;
  std::unique_ptr<Scanner> (*make)(const PlanData&, InstructionSet, unsigned threads);
};

constexpr std::array<Row, 6> scanners{{
    {"naive", make_naive_scanner},
    {"vector", make_vector_scanner},
    {"balanced", make_balanced_scanner},
    {"rabin-karp", make_rabin_karp_scanner},
    {"boyer-moore", make_boyer_moore_scanner},
    {"filter", make_filter_scanner},
}};

}  // namespace

std::unique_ptr<Scanner> make_scanner(std::string_view algorithm, const PlanData& plan, InstructionSet set,
                                      unsigned threads) {
  for (const Row& row : scanners)
    if (row.name == algorithm) return row.make(plan, set, threads);
  return nullptr;
}

}  // namespace lode
