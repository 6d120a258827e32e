#include "cpu/instruction_sets.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/threads.hpp"
#include "lode/error.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/instruction_sets.cpp"
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
  std::int64_t target;  // Highway's bit
};

constexpr Row rows[] = {
    {InstructionSet::avx512vbmi, "avx512vbmi", HWY_AVX3_DL}, {InstructionSet::avx512, "avx512", HWY_AVX3},
    {InstructionSet::avx2, "avx2", HWY_AVX2},                {InstructionSet::sse4, "sse4", HWY_SSE4},
    {InstructionSet::ssse3, "ssse3", HWY_SSSE3},             {InstructionSet::neon, "neon", HWY_NEON},
    {InstructionSet::baseline, "baseline", HWY_EMU128 | HWY_SCALAR},
};

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
  const std::int64_t there = hwy::SupportedTargets() & HWY_TARGETS;
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
