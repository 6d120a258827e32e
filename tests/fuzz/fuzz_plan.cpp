// Fuzz target: the bytes are a saved plan, once as they are and once with a right checksum. A malformed plan must be
// refused with Error(damaged_plan), and an accepted one must search without leaving its memory.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "fuzz/byte_source.hpp"
#include "lode/lode.hpp"

namespace {

using lode::PatternSet;
using lode::Plan;
using lode::tests::ByteSource;

// Makes small plans, which together have every kind of section.
std::string make_plan(unsigned number) {
  PatternSet patterns;
  switch (number % 5) {
    case 0: patterns.add("kitty"); break;
    case 1:
      for (const char* pattern : {"a", "kitty", "a", "puppy", "elephants never forget"}) {
        patterns.add(pattern, patterns.size() % 2 == 0, patterns.size() % 3 == 0 ? "label" : "");
      }
      break;
    case 2:
      for (std::size_t length = 1; length < 30; ++length) patterns.add(std::string(length, 'a'));
      break;
    case 3:  // no window tells these patterns apart
      for (int i = 0; i < 60; ++i) patterns.add(std::string(80, 'a') + "number " + std::to_string(i), i % 5 == 0);
      break;
    default:
      for (int i = 0; i < 50; ++i) patterns.add("pattern number " + std::to_string(i * 7919));
      break;
  }
  return Plan::build(patterns).serialize();
}

std::string read_blob(ByteSource source) {
  const std::uint8_t choice = source.byte();
  if (choice == 0) return std::string(source.rest());
  std::string blob = make_plan(choice);
  while (!source.rest().empty()) {
    const std::size_t at = source.byte() + std::size_t{256} * source.byte();
    const std::uint8_t value = source.byte();
    if (at < blob.size()) blob[at] = static_cast<char>(value);
    if (at == 0xFFFF) blob.resize(blob.size() * value / 255);
  }
  return blob;
}

// The place of the checksum in a plan, and the first byte that it covers, as in src/plan/plan_file.hpp.
constexpr std::size_t checksum_place = 16;
constexpr std::size_t checksum_begin = 24;

void try_plan(const std::string& blob) {
  try {
    const Plan plan = Plan::deserialize(blob);
    std::string text = "kitty and puppy at the zoo " + std::string(90, 'a') + "number 17";
    text.append(plan.patterns()[0].substr(0, 500));
    text.append(blob.substr(0, 500));
    for (const lode::AlgorithmInfo& algorithm : lode::list_algorithms()) {
      if (!lode::refusal(algorithm.name, plan).empty()) continue;
      lode::SearcherOptions options;
      options.algorithm = algorithm.name;
      options.threads = 1;
      const lode::Searcher searcher(plan, options);
      for (const lode::Match& match : searcher.find(text)) {
        if (match.pattern_id >= plan.patterns().size() || match.offset + match.length > text.size()) std::abort();
      }
      if (searcher.count_per_pattern(text).size() != plan.patterns().size()) std::abort();
    }
    Plan::deserialize(plan.serialize());
  } catch (const lode::Error& error) {
    if (error.kind() != lode::ErrorKind::damaged_plan) {
      std::fprintf(stderr, "%s: %s\n", lode::name_of(error.kind()), error.what());
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string blob = read_blob({data, size});
  try_plan(blob);
  if (blob.size() < checksum_begin) return 0;
  std::memcpy(blob.data(), "LODEPLAN", 8);
  const std::uint64_t checksum = XXH3_64bits(blob.data() + checksum_begin, blob.size() - checksum_begin);
  std::memcpy(blob.data() + checksum_place, &checksum, sizeof checksum);
  try_plan(blob);
  return 0;
}
