// The engines to test: every algorithm on every instruction set of the CPU, or on every GPU, each with its threads,
// schedules and chunk sizes. The test program decides between CPU and GPUs (test_devices.hpp).
//
// An algorithm may refuse patterns. Then its searcher must throw Error(unsupported) with the reason, and the Account of
// the test counts the refusal. A test whose Account saw no run at all fails, because it tested nothing.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lode/lode.hpp"
#include "support/environment.hpp"
#include "support/oracle.hpp"
#include "support/test_devices.hpp"

namespace lode {
void PrintTo(const Match& match, std::ostream* out);
}

namespace lode::tests {

struct Engine {
  std::string algorithm;
  std::string instruction_set;  // empty on GPUs
  std::string device = "cpu";   // a name of test_device_names()
};

/// The names in the table of algorithms, and `auto`.
const std::vector<std::string>& algorithm_names();
/// All algorithms on all devices, and on the CPU with all instruction sets of this machine.
std::vector<Engine> all_engines();
/// All algorithms on all devices, and on the CPU with the best instruction set.
std::vector<Engine> best_engines();
/// All algorithms on all devices, and on the CPU with a drawn instruction set.
std::vector<Engine> draw_engines(Random& random);
/// The name that gtest shows for an engine.
std::string name_engine(const testing::TestParamInfo<Engine>& info);
void PrintTo(const Engine& engine, std::ostream* out);

/// The rounds of a random test: a twentieth if GPUs are tested, because launches are expensive on the host.
std::uint64_t fewer_on_gpus(std::uint64_t rounds);
/// The rounds of a random test on a device, by effort. GPUs get fewer than the CPU, and fewest of all one that compiles
/// its kernels in each round, which the optimized build lets take more.
std::uint64_t test_rounds_on(const std::string& device, std::uint64_t small, std::uint64_t normal, std::uint64_t large);

struct Configuration {
  Engine engine;
  unsigned threads = 1;
  Schedule schedule = Schedule::dynamic_chunks;
  std::uint64_t chunk_bytes = 0;
  std::uint64_t memory_limit_bytes = 0;
  // These are for kernels, and 0 on the CPU.
  unsigned gpu_cascade = 0;
  unsigned gpu_group_items = 0;
  unsigned gpu_groups_per_unit = 0;
};

SearcherOptions make_options(const Configuration& configuration, const Rules& rules = {});
std::string describe(const Configuration& configuration);
std::string describe(const PatternSet& patterns);
std::string describe(const Rules& rules);
/// Draws threads, a schedule, a chunk size and a memory limit, and for GPUs a shape of work-groups.
/// EntryPoint::find_list checks that a GPU keeps to them.
Configuration draw_configuration(Random& random, const Engine& engine);
Rules draw_rules(Random& random);

class Account {
 public:
  explicit Account(std::string test_name) : test_name_(std::move(test_name)) {}
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;
  /// Reports the account, and fails the test if nothing ran.
  ~Account();

  /// Null if the algorithm refuses the patterns, which is counted after the constructor was seen to throw.
  std::unique_ptr<Searcher> make_searcher(const Plan& plan, const Configuration& configuration,
                                          const Rules& rules = {});
  /// How often searchers ran on GPUs with the size of work-groups, of pieces or of memory that the test asked for; the
  /// least of the three.
  std::uint64_t least_run_with_gpu_limits() const { return std::min({group_items_runs_, piece_runs_, memory_runs_}); }

 private:
  void count_run(const Searcher& searcher);

  std::string test_name_;
  std::uint64_t run_count_ = 0;
  std::uint64_t group_items_runs_ = 0;
  std::uint64_t piece_runs_ = 0;
  std::uint64_t memory_runs_ = 0;
  std::map<std::string, std::uint64_t> refusals_;
};

}  // namespace lode::tests
