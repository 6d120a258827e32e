#include "build_cost.hpp"

#include <malloc.h>
#include <unistd.h>

#include <fstream>

#include "measure.hpp"

namespace lode::bench {
namespace {

std::uint64_t resident_now_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all_pages = 0;
  std::uint64_t resident_pages = 0;
  file >> all_pages >> resident_pages;
  return resident_pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

BuildCost measure_build(const Task& task, int repetitions) {
  BuildCost cost;
  const PatternSet set = pattern_set_of(task);
  cost.pattern_bytes = set.total_bytes();

  PlanOptions one_thread;
  one_thread.threads = 1;
  ::malloc_trim(0);
  const std::uint64_t before_bytes = resident_now_bytes();
  const Plan plan = Plan::build(set, one_thread);
  const Searcher searcher(plan);
  ::malloc_trim(0);
  const std::uint64_t after_bytes = resident_now_bytes();
  cost.resident_bytes = after_bytes > before_bytes ? after_bytes - before_bytes : 0;
  cost.plan_bytes = plan.memory_bytes();
  const std::string saved = plan.serialize();
  cost.saved_bytes = saved.size();

  const std::vector<Job> jobs = {
      {"plan, 1 thread", [&] { (void)Plan::build(set, one_thread); }},
      {"plan, all threads", [&] { (void)Plan::build(set); }},
      {"searcher", [&] { const Searcher made(plan); }},
      {"save", [&] { (void)plan.serialize(); }},
      {"load", [&] { (void)Plan::deserialize(saved); }},
  };
  std::vector<std::vector<double>> seconds = measure(jobs, repetitions);
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    cost.steps.push_back({jobs[job].name, std::move(seconds[job])});
  }
  return cost;
}

}  // namespace lode::bench
