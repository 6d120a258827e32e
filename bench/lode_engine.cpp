#include "lode_engine.hpp"

#include <algorithm>

#include "lode/error.hpp"
#include "lode/records.hpp"
#include "lode/stream.hpp"

namespace lode::bench {
namespace {

// "filter, avx2: 8 by a sieve of halves of bytes"
template <class AnySearcher>
std::string describe(const AnySearcher& searcher) {
  const std::string strategy = searcher.strategy();
  return searcher.algorithm() + ", " + searcher.instruction_set() + (strategy.empty() ? "" : ": " + strategy);
}

class LodeEngine final : public Engine {
 public:
  LodeEngine(Plan plan, SearcherOptions options, Model model, bool finds)
      : searcher_(std::move(plan), std::move(options)), model_(model), finds_(finds) {}

  std::uint64_t count(std::string_view text) override {
    if (model_ == Model::find) return list(text);
    if (model_ == Model::count && !finds_) return searcher_.count(text);
    std::uint64_t found = 0;
    const MatchSink sink = [&](std::span<const Match> matches) {
      found += matches.size();
      return true;
    };
    if (model_ == Model::count) {
      searcher_.find(text, sink);
    } else {
      Stream stream(searcher_, sink);
      for (std::size_t at = 0; at < text.size(); at += stream_piece_bytes)
        stream.push(text.substr(at, stream_piece_bytes));
      stream.finish();
    }
    return found;
  }

  std::string detail() const override { return describe(searcher_); }
  std::uint64_t memory_bytes() const override { return searcher_.plan().memory_bytes(); }

 private:
  std::uint64_t list(std::string_view text) {
    list_.clear();
    searcher_.find(text, [&](std::span<const Match> matches) {
      list_.insert(list_.end(), matches.begin(), matches.end());
      return true;
    });
    return list_.size();
  }

  Searcher searcher_;
  Model model_;
  bool finds_;
  std::vector<Match> list_;
};

// First occurrences in the lines of the text, whose places are known before.
class LodeRecordEngine final : public Engine {
 public:
  LodeRecordEngine(Plan plan, SearcherOptions options) : searcher_(std::move(plan), std::move(options)) {}

  std::uint64_t count(std::string_view text) override {
    if (text.size() != bytes_) records_ = Records::of_lines(text);
    bytes_ = text.size();
    return searcher_.first(records_).pattern_ids.size();
  }
  std::string detail() const override { return describe(searcher_); }
  std::uint64_t memory_bytes() const override { return searcher_.plan().memory_bytes(); }

 private:
  RecordSearcher searcher_;
  std::uint64_t bytes_ = 0;
  Records records_;
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
  plan_options.view = View(task.view);
  plan_options.text_sample = task.text_sample;
  plan_options.threads = kind.threads;
  SearcherOptions options;
  options.algorithm = kind.algorithm;
  options.threads = kind.threads;
  options.instruction_set = task.instruction_set;
  options.schedule = kind.schedule;
  if (kind.chunks != 0) options.chunk_bytes = std::max<std::uint64_t>(1, task.text_bytes / kind.chunks);
  Plan plan = Plan::build(std::move(set), plan_options);
  if (task.model == Model::records) {
    try {
      return std::make_unique<LodeRecordEngine>(std::move(plan), std::move(options));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::unsupported) throw NotServed(error.what());
      throw;
    }
  }
  return std::make_unique<LodeEngine>(std::move(plan), std::move(options), task.model, kind.finds);
}

}  // namespace lode::bench
