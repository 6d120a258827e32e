#include "support/engines.hpp"

#include <algorithm>
#include <functional>
#include <iostream>
#include <ostream>

namespace lode {

void PrintTo(const Match& match, std::ostream* out) {
  *out << "(" << match.offset << ", id " << match.pattern_id << ", length " << match.length;
  if (match.form != Form::as_given) *out << ", " << form_name(match.form);
  *out << ")";
}

}  // namespace lode

namespace lode::tests {

const std::vector<std::string>& algorithm_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> listed;
    for (const AlgorithmInfo& algorithm : list_algorithms()) listed.push_back(algorithm.name);
    listed.emplace_back("auto");
    return listed;
  }();
  return names;
}

namespace {

std::vector<Engine> list_engines(const std::function<std::vector<std::string>()>& choose_instruction_sets) {
  std::vector<Engine> engines;
  for (const std::string& algorithm : algorithm_names()) {
    for (const std::string& device : test_device_names()) {
      const std::vector<std::string> none = {""};
      for (const std::string& set : device == "cpu" ? choose_instruction_sets() : none)
        engines.push_back({algorithm, set, device});
    }
  }
  return engines;
}

std::string place_of(const Engine& engine) { return engine.device == "cpu" ? engine.instruction_set : engine.device; }

}  // namespace

std::vector<Engine> all_engines() { return list_engines(cpu_instruction_sets); }

std::vector<Engine> best_engines() {
  return list_engines([] { return std::vector<std::string>{cpu_instruction_sets().front()}; });
}

std::vector<Engine> draw_engines(Random& random) {
  return list_engines([&] { return std::vector<std::string>{random.pick(cpu_instruction_sets())}; });
}

std::string name_engine(const testing::TestParamInfo<Engine>& info) {
  return make_test_name(info.param.algorithm + "_" + place_of(info.param));
}

void PrintTo(const Engine& engine, std::ostream* out) { *out << engine.algorithm << " on " << place_of(engine); }

std::uint64_t fewer_on_gpus(std::uint64_t rounds) {
  return test_device_names().front() == "cpu" ? rounds : std::max<std::uint64_t>(1, rounds / 20);
}

std::uint64_t test_rounds_on(const std::string& device, std::uint64_t small, std::uint64_t normal,
                             std::uint64_t large) {
  if (device == "cpu") return test_rounds(small, normal, large);
  return test_rounds(device.starts_with("host") ? 10 : 3, 20, large);
}

SearcherOptions make_options(const Configuration& configuration, const Rules& rules) {
  SearcherOptions options;
  options.algorithm = configuration.engine.algorithm;
  options.instruction_set = configuration.engine.instruction_set;
  options.match_kind = rules.match_kind;
  options.condition = rules.condition;
  options.line_terminator = rules.line_terminator;
  options.threads = configuration.threads;
  options.schedule = configuration.schedule;
  options.chunk_bytes = configuration.chunk_bytes;
  options.memory_limit_bytes = configuration.memory_limit_bytes;
  options.gpu_cascade = configuration.gpu_cascade;
  options.gpu_group_items = configuration.gpu_group_items;
  options.gpu_groups_per_unit = configuration.gpu_groups_per_unit;
  return options;
}

std::string describe(const Configuration& configuration) {
  std::string shown = configuration.engine.algorithm + " on " + place_of(configuration.engine) + ", " +
                      std::to_string(configuration.threads) + " threads, " +
                      (configuration.schedule == Schedule::dynamic_chunks ? "dynamic" : "static") + " chunks of " +
                      std::to_string(configuration.chunk_bytes) + " bytes, memory limit " +
                      std::to_string(configuration.memory_limit_bytes);
  if (configuration.engine.device == "cpu") return shown;
  return shown + ", " + std::to_string(configuration.gpu_groups_per_unit) + " groups of " +
         std::to_string(configuration.gpu_group_items) + " items, cascade " + std::to_string(configuration.gpu_cascade);
}

std::string describe(const PatternSet& patterns) {
  std::string shown = std::to_string(patterns.size()) + " patterns:";
  for (std::uint32_t id = 0; id < patterns.size() && id < 12; ++id) {
    shown += "\n    " + std::to_string(id) + (patterns.ignore_case(id) ? " ignoring case: " : ": ") +
             escape(patterns[id], 100);
  }
  return shown;
}

std::string describe(const Rules& rules) {
  static const char* const kinds[] = {"overlapping", "leftmost-longest", "leftmost-first"};
  static const char* const conditions[] = {"no condition", "whole words", "whole lines",
                                           "whole lines that may end in CR"};
  return std::string(kinds[static_cast<int>(rules.match_kind)]) + ", " + conditions[static_cast<int>(rules.condition)] +
         ", terminator " + escape(std::string(1, rules.line_terminator));
}

namespace {

// The numbers of work-items in a group. For each size a device's compiler compiles all kernels once more, so under
// small effort each algorithm has only one size there. The host's kernels are compiled already.
std::vector<unsigned> sizes_of_groups(const Engine& engine) {
  const std::vector<unsigned> sizes = {3, 4, 32, 64, 128, 256};
  if (test_effort() > 0 || engine.device.starts_with("host")) return sizes;
  std::uint64_t seed = test_seed();
  for (const char letter : engine.algorithm) seed += static_cast<unsigned char>(letter);
  return {Random(seed).pick(sizes)};
}

}  // namespace

Configuration draw_configuration(Random& random, const Engine& engine) {
  static const std::vector<std::uint64_t> chunks = {0, 0, 1, 2, 3, 7, 16, 31, 64, 65, 100, 256, 1000, 4096, 65536};
  Configuration configuration;
  configuration.engine = engine;
  configuration.threads = random.pick(std::vector<unsigned>{1, 1, 2, 4});
  configuration.schedule = random.chance(50) ? Schedule::dynamic_chunks : Schedule::static_chunks;
  configuration.chunk_bytes = random.pick(chunks);
  configuration.memory_limit_bytes = random.pick(std::vector<std::uint64_t>{0, 0, 1, 1000, 100000, 1 << 20});
  if (engine.device == "cpu") return configuration;
  // A GPU takes several launches for each piece.
  if (configuration.chunk_bytes != 0)
    configuration.chunk_bytes = std::max<std::uint64_t>(configuration.chunk_bytes, 16);
  if (random.chance(60)) configuration.gpu_group_items = random.pick(sizes_of_groups(engine));
  configuration.gpu_groups_per_unit = random.pick(std::vector<unsigned>{0, 0, 1, 3});
  configuration.gpu_cascade = random.pick(std::vector<unsigned>{0, 0, 1, 5, 64});
  return configuration;
}

Rules draw_rules(Random& random) {
  Rules rules;
  rules.match_kind = static_cast<MatchKind>(random.below(3));
  rules.condition = random.chance(50) ? Condition::none : static_cast<Condition>(random.below(4));
  rules.line_terminator = random.chance(80) ? '\n' : random.pick(std::vector<char>{'\0', 'a', ' ', '\xFF'});
  return rules;
}

Account::~Account() {
  std::cout << test_name_ << ": " << run_count_ << " searchers ran";
  if (group_items_runs_ + piece_runs_ + memory_runs_ != 0) {
    std::cout << ", on GPUs " << group_items_runs_ << " with a size of work-groups, " << piece_runs_
              << " with one of pieces, " << memory_runs_ << " with a memory limit";
  }
  for (const auto& [reason, times] : refusals_) std::cout << "; skipped " << times << " times: " << reason;
  std::cout << "\n";
  EXPECT_GT(run_count_, 0U) << test_name_ << ": nothing was tested";
}

void Account::count_run(const Searcher& searcher) {
  ++run_count_;
  if (searcher.device().is_cpu()) return;
  const SearcherOptions& options = searcher.options();
  group_items_runs_ += options.gpu_group_items != 0 ? 1 : 0;
  piece_runs_ += options.chunk_bytes != 0 ? 1 : 0;
  memory_runs_ += options.memory_limit_bytes != 0 ? 1 : 0;
}

std::unique_ptr<Searcher> Account::make_searcher(const Plan& plan, const Configuration& configuration,
                                                 const Rules& rules) {
  const std::string reason = refusal(configuration.engine.algorithm, plan);
  const std::string& name = configuration.engine.algorithm;
  const bool one_pass_each = name != "filter" && name != "auto" && name != "rabin-karp";
  if (reason.empty() && test_effort() == 0 && configuration.engine.device != "cpu" && one_pass_each &&
      plan.distinct_count() > 250) {
    ++refusals_["hundreds of launches for one search take too long under small effort"];
    return nullptr;
  }
  if (reason.empty()) {
    auto searcher = std::make_unique<Searcher>(plan, make_options(configuration, rules),
                                               open_test_device(configuration.engine.device));
    count_run(*searcher);
    return searcher;
  }
  const std::string& algorithm = configuration.engine.algorithm;
  EXPECT_TRUE(algorithm != "filter" && algorithm != "auto") << algorithm << " must never refuse: " << reason;
  try {
    const Searcher searcher(plan, make_options(configuration, rules), open_test_device(configuration.engine.device));
    ADD_FAILURE() << describe(configuration) << " runs although it should refuse: " << reason;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported) << error.what();
  }
  ++refusals_[reason];
  return nullptr;
}

}  // namespace lode::tests
