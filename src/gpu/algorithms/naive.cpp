#include "gpu/algorithms/algorithm.hpp"

namespace lode::gpu {
namespace {

class Naive final : public Algorithm {
 public:
  explicit Naive(const AlgorithmSetup& setup) {
    Pass pass;
    pass.file = "naive";
    pass.entry = "lode_naive";
    pass.group_items = choose_group_items(setup, 256);
    pass.local_bytes = 4096;
    pass.groups_per_unit = setup.options.gpu_groups_per_unit;
    for (pass.pattern = 0; pass.pattern < setup.plan.distinct_count(); ++pass.pattern) passes_.push_back(pass);
  }
};

}  // namespace

std::unique_ptr<Algorithm> make_naive(const AlgorithmSetup& setup) { return std::make_unique<Naive>(setup); }

}  // namespace lode::gpu
