#include "base/instruction_sets.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

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

#if defined(__x86_64__)
// The processor's answer to one question. __builtin_cpu_supports() asks, too, but there are compilers whose run time
// does not, and then it says no to everything.
struct Cpuid {
  explicit Cpuid(unsigned leaf) { __get_cpuid_count(leaf, 0, &eax, &ebx, &ecx, &edx); }
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

bool has_bits(unsigned word, std::initializer_list<int> bits) {
  return std::all_of(bits.begin(), bits.end(), [&](int bit) { return (word >> bit & 1) != 0; });
}

// The registers that the system saves for a thread, as XGETBV tells: bit 1 stands for those of SSE, 2 for those of AVX,
// and 5 to 7 for those of AVX-512.
unsigned saved_registers(const Cpuid& features) {
  constexpr int osxsave = 27;
  if (!has_bits(features.ecx, {osxsave})) return 0;
  unsigned low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}
#endif

// Highway's own library answers this too, but it measures the clock when it is loaded, which takes longer than a search
// of a small file. A target needs what Highway compiles its code for, with one exception: SSE4 is compiled for AES,
// too, but none of the functions that use it are called. So processors of 2008 to 2010 and plain virtual ones run SSE4.
std::int64_t supported_targets() {
  std::int64_t targets = HWY_EMU128 | HWY_SCALAR;
#if defined(__x86_64__)
  constexpr int ssse3 = 9, fma = 12, sse4_1 = 19, sse4_2 = 20, avx = 28, f16c = 29;  // ecx of leaf 1
  constexpr int bmi1 = 3, avx2 = 5, bmi2 = 8, avx512f = 16, avx512dq = 17, avx512cd = 28, avx512bw = 30,
                avx512vl = 31;  // ebx of leaf 7
  constexpr int vbmi = 1, vbmi2 = 6, gfni = 8, vaes = 9, vpclmulqdq = 10, vnni = 11, bitalg = 12,
                vpopcntdq = 14;  // ecx of leaf 7
  constexpr int lzcnt = 5;       // ecx of leaf 0x80000001
  const Cpuid features(1), wide(7), extended(0x80000001u);
  const unsigned saved = saved_registers(features);
  if (!has_bits(features.ecx, {ssse3, sse4_1, sse4_2})) return targets;
  targets |= HWY_SSE4;
  if (!has_bits(saved, {1, 2}) || !has_bits(features.ecx, {avx, fma, f16c}) ||
      !has_bits(wide.ebx, {avx2, bmi1, bmi2}) || !has_bits(extended.ecx, {lzcnt})) {
    return targets;
  }
  targets |= HWY_AVX2;
  if (has_bits(saved, {5, 6, 7}) && has_bits(wide.ebx, {avx512f, avx512vl, avx512cd, avx512dq, avx512bw}) &&
      has_bits(wide.ecx, {vnni, vpclmulqdq, vbmi, vbmi2, vpopcntdq, bitalg, gfni, vaes})) {
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
  constexpr unsigned letters_ineI = 0x49656e69;  // of "GenuineIntel"
  // On a virtual machine it takes microseconds to ask.
  static const bool intel = Cpuid(0).edx == letters_ineI;
  return intel;
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
