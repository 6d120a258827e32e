// KernelTrials runs an algorithm's kernels through the seam and without the engine, on a piece that begins and ends
// anywhere, and compares them with a loop over places.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "gpu/abi.hpp"
#include "gpu/algorithms/algorithm.hpp"
#include "lode/plan.hpp"
#include "support/environment.hpp"

namespace lode::gpu::tests {

struct Trial {
  std::string text;  // consists of whole blocks
  abi::lode_piece piece{};
  Plan plan = Plan::build(PatternSet{"a"});
};

class KernelTrials {
 public:
  KernelTrials(std::shared_ptr<Runtime> runtime, const std::string& name)
      : runtime_(std::move(runtime)), random_(lode::tests::make_random(name)) {}

  Runtime& runtime() { return *runtime_; }
  lode::tests::Random& random() { return random_; }

  /// Draws where the piece and the wanted range begin and end in the trial's text.
  void place_piece(Trial& trial);
  /// Searches the piece with so many groups for each pass. Sometimes the list is too small, which the kernels must
  /// report. Fails the running test if an answer is wrong.
  void check(const Trial& trial, const Algorithm& algorithm, std::uint32_t mode, std::uint32_t groups);

 private:
  const Kernel& kernel_of(const Pass& pass, std::uint32_t mode);

  std::shared_ptr<Runtime> runtime_;
  lode::tests::Random random_;
  std::map<std::string, std::unique_ptr<Kernel>> kernels_;
};

}  // namespace lode::gpu::tests
