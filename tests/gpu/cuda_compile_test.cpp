// Compiles every kernel with CUDA's compiler: all algorithms, with patterns that need all their kinds of passes, in all
// modes, for several generations of devices. This needs NVRTC but no device. If NVRTC is missing, the tests are skipped
// with the reason.

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gpu/abi.hpp"
#include "gpu/algorithms/algorithm.hpp"
#include "gpu/cuda/nvrtc.hpp"
#include "gpu/kernel_sources.hpp"
#include "host_runtime.hpp"
#include "lode/lode.hpp"
#include "support/environment.hpp"

namespace lode::gpu::tests {
namespace {

// Looks like a CUDA device to algorithms that make their passes. Its memory is the host's, and it runs nothing.
class CudaLikeRuntime final : public Runtime {
 public:
  CudaLikeRuntime() {
    limits_ = host_->limits();
    limits_.max_group_items = 1024;
    limits_.team_items = 32;
    limits_.local_bytes = 227 << 10;
    limits_.unit_local_bytes = 228 << 10;
    limits_.compute_units = 132;
  }

  const Limits& limits() const override { return limits_; }
  std::unique_ptr<Buffer> make_buffer(std::uint64_t bytes) override { return host_->make_buffer(bytes); }
  std::unique_ptr<PinnedBuffer> make_pinned_buffer(std::uint64_t bytes) override {
    return host_->make_pinned_buffer(bytes);
  }
  std::unique_ptr<Queue> make_queue() override { return host_->make_queue(); }
  std::string compile(const KernelSource&) override {
    throw std::logic_error("an algorithm compiles no kernel itself");
  }
  std::unique_ptr<Kernel> load_kernel(const KernelSource&, std::string_view) override {
    throw std::logic_error("an algorithm loads no kernel itself");
  }
  std::uint32_t groups_per_unit(const Kernel&, const Launch&) const override { return 1; }
  std::unique_ptr<Buffer> adopt(std::uintptr_t, std::uint64_t) override {
    throw std::logic_error("an algorithm adopts no memory");
  }

 private:
  std::shared_ptr<Runtime> host_ = host::make_host_runtime({});
  Limits limits_;
};

// The sets have short and long patterns, few and many, with and without case, so that they need filters of every stride
// and tables in every place.
std::vector<std::pair<std::string, PatternSet>> pattern_sets() {
  std::vector<std::pair<std::string, PatternSet>> sets;
  for (const bool folds : {false, true}) {
    const std::string suffix = folds ? ", folded" : "";
    const auto add = [&](const std::string& name, const std::vector<std::string>& patterns) {
      PatternSet set;
      for (const std::string& pattern : patterns) set.add(pattern, folds);
      sets.emplace_back(name + suffix, std::move(set));
    };
    add("one", {"needle in a haystack"});
    add("short", {"a", "be", "sea", "deed"});
    lode::tests::Random random(7);
    std::vector<std::string> many;
    for (int count = 0; count < 5000; ++count) many.push_back(random.bytes("acgtnx", random.between(4, 40)));
    add("many", many);
    if (folds || lode::tests::test_effort() == 0) continue;
    for (int count = 0; count < 200'000; ++count) many.push_back(random.bytes("acgt", 20));
    add("very many", many);
  }
  return sets;
}

class CudaCompile : public testing::TestWithParam<int> {};

TEST_P(CudaCompile, TakesEveryKernel) {
  cuda::NvrtcLibraries libraries(99);
  const cuda::NvrtcChoice choice = libraries.find(GetParam());
  if (choice.nvrtc == nullptr) GTEST_SKIP() << choice.reason;
  CudaLikeRuntime runtime;
  std::set<std::string> compiled;  // each kernel is compiled once, however many patterns ask for it
  const auto compile = [&](const std::string& file, const std::string& entry,
                           const std::vector<std::pair<std::string, std::int64_t>>& constants) {
    std::string key = entry;
    for (const auto& [name, value] : constants) key += " " + name + "=" + std::to_string(value);
    if (!compiled.insert(key).second) return;
    try {
      EXPECT_GT(choice.nvrtc->compile({kernel_source(file), entry, constants}, choice.target).size(), 100U) << key;
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  };
  // The modes with the most code are compiled with all constants, the others once with each kernel.
  const std::vector<int> large_modes = {LODE_MODE_LIST, LODE_MODE_FIRST};
  std::vector<int> all_modes = large_modes;
  if (GetParam() == 90 && lode::tests::test_effort() > 0)
    all_modes.insert(all_modes.end(), {LODE_MODE_COUNT, LODE_MODE_PER_DISTINCT, LODE_MODE_CONTAINS, LODE_MODE_ANY,
                                       LODE_MODE_PER_RECORD});
  std::set<std::string> kernels;
  for (const auto& [name, patterns] : pattern_sets()) {
    const Plan plan = Plan::build(patterns);
    for (const AlgorithmInfo& algorithm : list_algorithms()) {
      if (!refusal(algorithm.name, patterns).empty()) continue;
      const SearcherOptions options;
      const std::unique_ptr<Algorithm> made = make_algorithm(algorithm.name, {runtime, plan.data(), options});
      ASSERT_NE(made, nullptr) << algorithm.name;
      EXPECT_FALSE(made->passes().empty()) << algorithm.name << ", " << name;
      for (const Pass& pass : made->passes()) {
        for (const int mode : kernels.insert(pass.file + " " + pass.entry).second ? all_modes : large_modes) {
          auto constants = pass.constants;
          constants.emplace_back("LODE_TEAM", runtime.limits().team_items);
          constants.emplace_back("LODE_MODE", mode);
          constants.emplace_back("LODE_RECORDS", mode > LODE_MODE_LIST ? 1 : 0);
          compile(pass.file, pass.entry, constants);
          if (mode != LODE_MODE_LIST) continue;
          constants.back().second = 1;  // lists of records
          compile(pass.file, pass.entry, constants);
        }
      }
    }
  }
  for (const char* const entry : {"lode_records_index", "lode_records_fill"})
    compile("records", entry, {{"LODE_MODE", LODE_MODE_FIRST}, {"LODE_RECORDS", 0}, {"LODE_TEAM", 32}});
  compile("cells", "lode_cells", {{"LODE_MODE", LODE_MODE_FIRST}, {"LODE_RECORDS", 0}, {"LODE_TEAM", 32}});
  for (const int local : {0, 1})
    compile("rabin_karp", "lode_rabin_karp_flags",
            {{"LODE_FOLDS", 1},
             {"LODE_LOCAL_BITS", local},
             {"LODE_MODE", LODE_MODE_COUNT},
             {"LODE_RECORDS", 0},
             {"LODE_TEAM", 32}});
  compile("order", "lode_order_tiles",
          {{"LODE_ORDER_TILE", 1024}, {"LODE_MODE", LODE_MODE_LIST}, {"LODE_RECORDS", 0}, {"LODE_TEAM", 1}});
  EXPECT_GT(compiled.size(), all_modes.size() * list_algorithms().size());
  RecordProperty("kernels", static_cast<int>(compiled.size()));
}

// 90 is Hopper, 75 is Turing, and the compiler does not know the last one yet.
std::vector<int> architectures() {
  return lode::tests::test_effort() == 0 ? std::vector<int>{90} : std::vector<int>{90, 75, 999};
}

INSTANTIATE_TEST_SUITE_P(Architectures, CudaCompile, testing::ValuesIn(architectures()),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace lode::gpu::tests
