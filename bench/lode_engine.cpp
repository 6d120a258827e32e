#include "lode_engine.hpp"

#include <algorithm>

namespace lode::bench {
namespace {

class LodeEngine final : public Engine {
 public:
  LodeEngine(Plan plan, SearcherOptions options, bool finds)
      : searcher_(std::move(plan), std::move(options)), finds_(finds) {}

  std::uint64_t count(std::string_view text) override {
    if (!finds_) return searcher_.count(text);
    std::uint64_t found = 0;
    searcher_.find(text, [&](std::span<const Match> matches) {
      found += matches.size();
      return true;
    });
    return found;
  }

  std::string detail() const override { return searcher_.algorithm() + ", " + searcher_.instruction_set(); }
  std::uint64_t memory_bytes() const override { return searcher_.plan().memory_bytes(); }

 private:
  Searcher searcher_;
  bool finds_;
};

}  // namespace

PatternSet pattern_set_of(const Task& task) {
  PatternSet set;
  for (const std::string& pattern : task.patterns) set.add(pattern, task.ignore_case);
  return set;
}

std::unique_ptr<Engine> make_lode_engine(const Task& task, const EngineKind& kind) {
  PatternSet set = pattern_set_of(task);
  if (kind.algorithm != "auto") {
    if (const std::string reason = refusal(kind.algorithm, set); !reason.empty()) throw NotServed(reason);
  }
  PlanOptions plan_options;
  plan_options.text_sample = task.text_sample;
  plan_options.threads = kind.threads;
  SearcherOptions options;
  options.algorithm = kind.algorithm;
  options.threads = kind.threads;
  options.schedule = kind.schedule;
  if (kind.chunks != 0) options.chunk_bytes = std::max<std::uint64_t>(1, task.text_bytes / kind.chunks);
  return std::make_unique<LodeEngine>(Plan::build(std::move(set), plan_options), std::move(options), kind.finds);
}

}  // namespace lode::bench
