// The instruction sets that the SIMD files are compiled for, and choosing one at run time.
//
// A SIMD file is compiled once for each Highway target; LODE_FOR_INSTRUCTION_SET picks one target's function. The
// name that users see and force (LODE_TARGET in the environment, SearcherOptions::instruction_set) is ours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lode {

enum class InstructionSet { baseline, sse4, avx2, avx512vbmi, neon };

const char* name_of(InstructionSet set);

/// The sets that are compiled in and that this machine supports, best first.
std::vector<InstructionSet> instruction_sets();

/// The set of that name. An empty name means that of LODE_TARGET in the environment, or else the best. Throws
/// Error(invalid_argument).
InstructionSet choose_instruction_set(std::string_view name);

/// The function compiled for `set`; null where there is none.
template <class Baseline, class Sse4, class Avx2, class Avx512vbmi, class Neon>
auto pick_function(InstructionSet set, Baseline baseline, Sse4 sse4, Avx2 avx2, Avx512vbmi avx512vbmi, Neon neon) {
  using Function = std::conditional_t<!std::is_null_pointer_v<Baseline>, Baseline,
                                      std::conditional_t<!std::is_null_pointer_v<Neon>, Neon, Avx2>>;
  switch (set) {
    case InstructionSet::baseline: return Function{baseline};
    case InstructionSet::sse4: return Function{sse4};
    case InstructionSet::avx2: return Function{avx2};
    case InstructionSet::avx512vbmi: return Function{avx512vbmi};
    case InstructionSet::neon: return Function{neon};
  }
  return Function{};
}

/// Whether Intel made the processor. Its instructions take other times than those of others.
bool is_intel();

/// What this machine is, for people: "AMD EPYC, 2 threads".
std::string describe_cpu();

}  // namespace lode

// The functions of each target of a SIMD file, for use after <hwy/highway.h> in its HWY_ONCE part:
//   const auto run = LODE_FOR_INSTRUCTION_SET(set, run_on_target);
#define LODE_FOR_INSTRUCTION_SET(set, function)                                                                   \
  ::lode::pick_function(set, HWY_CHOOSE_FALLBACK(function), HWY_CHOOSE_SSE4(function), HWY_CHOOSE_AVX2(function), \
                        HWY_CHOOSE_AVX3_DL(function), HWY_CHOOSE_NEON(function))
