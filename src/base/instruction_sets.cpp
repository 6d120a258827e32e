#include "base/instruction_sets.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/threads.hpp"
#include "lode/error.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "base/instruction_sets.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#if HWY_ONCE
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace lode {
namespace {

struct Row {
  InstructionSet set;
  const char* name;
  std::int64_t target;  // its bit in Highway's sets of targets
};

constexpr Row rows[] = {
    {InstructionSet::avx512vbmi, "avx512vbmi", HWY_AVX3_DL},
    {InstructionSet::avx2, "avx2", HWY_AVX2},
    {InstructionSet::sse4, "sse4", HWY_SSE4},
    {InstructionSet::neon, "neon", HWY_NEON},
    {InstructionSet::baseline, "baseline", HWY_EMU128 | HWY_SCALAR},
};

// Highway's own library answers this too, but it measures the clock when it is loaded, which takes longer than a search
// of a small file. A target needs what Highway compiles its code for, with one exception: SSE4 is compiled for AES,
// too, but none of the functions that use it are called. So processors of 2008 to 2010 and plain virtual ones run SSE4.
std::int64_t supported_targets() {
  std::int64_t targets = HWY_EMU128 | HWY_SCALAR;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const auto all = [](auto... there) { return ((there != 0) && ...); };
  unsigned eax = 0, ebx = 0, leaf1_ecx = 0, extended_ecx = 0, leaf7_ecx = 0, edx = 0;
  __get_cpuid(1, &eax, &ebx, &leaf1_ecx, &edx);
  __get_cpuid(0x80000001u, &eax, &ebx, &extended_ecx, &edx);
  __get_cpuid_count(7, 0, &eax, &ebx, &leaf7_ecx, &edx);
  const bool f16c = (leaf1_ecx >> 29 & 1) != 0;
  const bool lzcnt = (extended_ecx >> 5 & 1) != 0;
  const bool vaes = (leaf7_ecx >> 9 & 1) != 0;
  // __builtin_cpu_supports() also asks whether the system saves the wide registers.
  if (!all(__builtin_cpu_supports("ssse3"), __builtin_cpu_supports("sse4.1"), __builtin_cpu_supports("sse4.2")))
    return targets;
  targets |= HWY_SSE4;
  if (!all(__builtin_cpu_supports("avx"), __builtin_cpu_supports("avx2"), __builtin_cpu_supports("fma"),
           __builtin_cpu_supports("bmi"), __builtin_cpu_supports("bmi2"), lzcnt, f16c)) {
    return targets;
  }
  targets |= HWY_AVX2;
  if (all(__builtin_cpu_supports("avx512f"), __builtin_cpu_supports("avx512vl"), __builtin_cpu_supports("avx512cd"),
          __builtin_cpu_supports("avx512dq"), __builtin_cpu_supports("avx512bw"), __builtin_cpu_supports("avx512vnni"),
          __builtin_cpu_supports("vpclmulqdq"), __builtin_cpu_supports("avx512vbmi"),
          __builtin_cpu_supports("avx512vbmi2"), __builtin_cpu_supports("avx512vpopcntdq"),
          __builtin_cpu_supports("avx512bitalg"), __builtin_cpu_supports("gfni"), vaes)) {
    targets |= HWY_AVX3_DL;
  }
#elif defined(__aarch64__)
  targets |= HWY_NEON;
#endif
  return targets;
}

std::string list_names() {
  std::string names;
  for (const InstructionSet set : instruction_sets()) names += std::string(names.empty() ? "" : ", ") + name_of(set);
  return names;
}

}  // namespace

const char* name_of(InstructionSet set) {
  for (const Row& row : rows)
    if (row.set == set) return row.name;
  return "unknown";
}

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets;
  // On a virtual machine it takes microseconds to ask the processor.
  static const std::int64_t there = supported_targets() & HWY_TARGETS;
  for (const Row& row : rows)
    if ((there & row.target) != 0) sets.push_back(row.set);
  return sets;
}

InstructionSet choose_instruction_set(std::string_view name) {
  const char* source = "instruction set";
  if (name.empty()) {
    const char* forced = std::getenv("LODE_TARGET");
    if (forced == nullptr || *forced == '\0') return instruction_sets().front();
    name = forced;
    source = "LODE_TARGET";
  }
  for (const InstructionSet set : instruction_sets())
    if (name == name_of(set)) return set;
  throw Error(ErrorKind::invalid_argument, std::string(source) + " " + std::string(name) +
                                               " is not one that this machine runs: use one of " + list_names());
}

bool is_intel() {
#if defined(__x86_64__)
  return __builtin_cpu_is("intel") != 0;
#else
  return false;
#endif
}

std::string describe_cpu() {
  std::string name = "CPU";
#if defined(__x86_64__)
  unsigned registers[12] = {};
  if (static_cast<unsigned>(__get_cpuid_max(0x80000000u, nullptr)) >= 0x80000004u) {
    for (unsigned leaf = 0; leaf < 3; ++leaf)
      __get_cpuid(0x80000002u + leaf, &registers[leaf * 4], &registers[leaf * 4 + 1], &registers[leaf * 4 + 2],
                  &registers[leaf * 4 + 3]);
    char brand[sizeof registers + 1] = {};
    std::memcpy(brand, registers, sizeof registers);
    name = brand;
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
  }
#endif
  return name + ", " + std::to_string(available_threads()) + " threads, instruction sets " + list_names();
}

}  // namespace lode
#endif
