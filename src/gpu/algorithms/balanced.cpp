#include <algorithm>

#include "base/bytes.hpp"
#include "gpu/algorithms/algorithm.hpp"
#include "plan/probes.hpp"

namespace lode::gpu {
namespace {

constexpr std::uint32_t balanced_places_of_item = 16;  // BALANCED_PLACES

// An item's share of the two queues. The first holds what earlier tiles have left, less than one place an item, and
// what a tile adds. The second holds less than one place an item of its own, and all that the first may pass on.
constexpr std::uint32_t balanced_queue_bytes_of_item =
    4 * ((balanced_places_of_item + 1) + (balanced_places_of_item + 2));
constexpr std::uint32_t counter_bytes = 16;

class Balanced final : public Algorithm {
 public:
  explicit Balanced(const AlgorithmSetup& setup) {
    const Limits& limits = setup.runtime.limits();
    const std::uint32_t team = std::max(1u, limits.team_items);
    const std::uint32_t room = (limits.local_bytes - counter_bytes) / balanced_queue_bytes_of_item / team * team;
    Pass pass;
    pass.file = "balanced";
    pass.entry = "lode_balanced";
    pass.group_items = std::max(team, std::min(choose_group_items(setup, 256), room));
    pass.local_bytes = counter_bytes + pass.group_items * balanced_queue_bytes_of_item;
    pass.places_per_group = std::uint64_t{pass.group_items} * balanced_places_of_item;
    pass.groups_per_unit = setup.options.gpu_groups_per_unit;
    for (pass.pattern = 0; pass.pattern < setup.plan.distinct_count(); ++pass.pattern) {
      const auto bytes = setup.plan.bytes(pass.pattern);
      const bool ignore_case = setup.plan.ignore_case(pass.pattern);
      const auto span = static_cast<std::uint32_t>(std::min<std::size_t>(2, bytes.size()));
      const std::uint32_t offset = choose_probe_window(bytes, ignore_case, span);
      const auto window = bytes.subspan(offset, span);
      const bool folds = ignore_case && std::any_of(window.begin(), window.end(), is_letter);
      std::uint32_t probe = 0;
      for (std::uint32_t at = 0; at < span; ++at)
        probe |= static_cast<std::uint32_t>(folds ? window[at] | 0x20 : window[at]) << (8 * at);
      pass.constants = {{"LODE_PROBES", span}, {"LODE_FOLDS", folds ? 1 : 0}};
      pass.arguments = {probe, offset};
      passes_.push_back(pass);
    }
  }
};

}  // namespace

std::unique_ptr<Algorithm> make_balanced(const AlgorithmSetup& setup) { return std::make_unique<Balanced>(setup); }

}  // namespace lode::gpu
