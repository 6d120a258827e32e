#include "gpu/self_test.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/hash.hpp"
#include "base/threads.hpp"
#include "gpu/engine/engine.hpp"
#include "gpu/engine/scan.hpp"
#include "gpu/kernel_cache.hpp"
#include "gpu/kernel_sources.hpp"
#include "lode/error.hpp"
#include "lode/plan.hpp"
#include "lode/version.hpp"

namespace lode::gpu {
namespace {

constexpr std::size_t text_bytes = 6000;
constexpr std::uint64_t piece_bytes = 2500;  // three pieces, with matches across their ends
constexpr std::size_t planted_every = 37;

struct Case {
  std::string_view algorithm;
  std::vector<std::string_view> patterns;
};

constexpr std::string_view story = "the quick brown fox jumps over the lazy dogs and a cat aaaaaaaaaaaaaaaaaaaaaaaa ";

// The patterns of a case have one length and case rule, so that few kernels are compiled. `filter` gets many patterns,
// because it leaves few to `vector`.
std::vector<Case> cases() {
  Case many{"filter", {}};
  for (std::size_t begin = 0; begin + 20 < story.size(); begin += 4) many.patterns.push_back(story.substr(begin, 20));
  return {many, {"vector", {"brown fox"}}};
}

// The text has letters in a fixed disorder; between them stand pieces of the patterns, and whole patterns.
std::string make_text() {
  std::string text;
  std::uint32_t state = 1;
  const auto next = [&state] { return (state = state * 1664525 + 1013904223) >> 16; };
  while (text.size() < text_bytes) {
    for (std::size_t byte = 0; byte < planted_every; ++byte) text += static_cast<char>('a' + next() % 26);
    const std::size_t begin = next() % story.size();
    text += story.substr(begin, next() % 64);
  }
  return text;
}

std::vector<Match> find_plainly(std::string_view text, const PlanData& plan) {
  std::vector<Match> matches;
  for (std::uint64_t offset = 0; offset < text.size(); ++offset) {
    for (std::uint32_t distinct = 0; distinct < plan.distinct_count(); ++distinct) {
      const std::string_view pattern = plan.patterns[plan.lowest_id(distinct)];
      if (text.substr(offset).starts_with(pattern))
        matches.push_back({offset, distinct, static_cast<std::uint32_t>(pattern.size())});
    }
  }
  return matches;
}

struct Answer {
  std::uint64_t count = 0;
  std::vector<Match> list;
};

Answer search(Engine& engine, std::string_view text, Mode mode) {
  ScanText scanned;
  scanned.size = text.size();
  scanned.read = [text](std::uint64_t offset, std::span<char> into) {
    std::memcpy(into.data(), text.data() + offset, into.size());
  };
  ScanRequest request;
  request.end = text.size();
  request.mode = mode;
  request.piece_bytes = piece_bytes;
  Answer answer;
  Engine* const engines[] = {&engine};
  scan(engines, scanned, request, [&](const PieceResult& piece) {
    answer.count += piece.matches;
    answer.list.insert(answer.list.end(), piece.list.begin(), piece.list.end());
    return true;
  });
  return answer;
}

// The key names everything that the outcome of the test depends on.
std::string fact_key(const Limits& limits) {
  std::string key = "self-test passed, " + limits.version + ", library " + std::to_string(LODE_VERSION_MAJOR) + "." +
                    std::to_string(LODE_VERSION_MINOR) + "." + std::to_string(LODE_VERSION_PATCH) + ", kernels";
  for (const Case& tested : cases()) {
    const std::string source = kernel_source(tested.algorithm);
    key += " " +
           std::to_string(content_hash({reinterpret_cast<const std::uint8_t*>(source.data()), source.size()}, false));
  }
  return key;
}

}  // namespace

void run_self_test(const std::string& name, const std::shared_ptr<Runtime>& runtime) {
  const std::string text = make_text();
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::device, "device " + name + " (" + runtime->limits().name + ") fails its self-test: " + what +
                                       "; it is not used: update its driver, or search with --device cpu");
  };
  const std::vector<Case> tested = cases();
  constexpr Mode modes[] = {Mode::count, Mode::list};
  const auto jobs = static_cast<unsigned>(tested.size() * std::size(modes));
  // The jobs run at the same time, because compiling takes nearly all of the time.
  run_shares(thread_count(0), jobs, [&](unsigned job) {
    const Case& own = tested[job / std::size(modes)];
    const Mode mode = modes[job % std::size(modes)];
    const Plan plan = Plan::build(PatternSet(own.patterns));
    const std::vector<Match> expected = find_plainly(text, plan.data());
    Answer answer;
    try {
      Engine engine(runtime, plan.data(), own.algorithm, {});
      answer = search(engine, text, mode);
    } catch (const Error& error) {
      refuse(error.what());
    }
    if (answer.count != expected.size())
      refuse(std::string(own.algorithm) + " finds " + std::to_string(answer.count) + " matches where there are " +
             std::to_string(expected.size()));
    if (mode == Mode::list && answer.list != expected)
      refuse(std::string(own.algorithm) + " lists other matches than there are");
  });
}

void require_sound(const std::string& name, const std::shared_ptr<Runtime>& runtime) {
  const std::string key = fact_key(runtime->limits());
  if (read_cached_fact(key)) return;
  run_self_test(name, runtime);
  store_cached_fact(key, "yes");
}

}  // namespace lode::gpu
