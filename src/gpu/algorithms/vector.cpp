#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <tuple>

#include "base/bytes.hpp"
#include "gpu/algorithms/algorithm.hpp"
#include "plan/probes.hpp"

namespace lode::gpu {
namespace {

constexpr std::uint32_t max_pattern_probes = 4;  // the most bytes of a probe
constexpr std::size_t max_patterns_of_pass = 8;  // VECTOR_MAX_PATTERNS
constexpr std::uint64_t places_of_item = 64;     // VECTOR_BLOCKS blocks
// Local memory for each item: the two counters of its team, which may have only this item, and, if teams exchange, its
// share of the queue.
constexpr std::uint32_t counter_bytes_of_item = 8;
constexpr std::uint32_t queue_bytes_of_item = 8;
constexpr std::uint32_t usual_group_items = 128;
constexpr std::uint32_t usual_items_of_unit = 768;
constexpr std::uint32_t usual_rounds = 8;

struct Kind {
  std::uint32_t probes = 0;
  bool folds = false;
  bool exact = false;
  auto operator<=>(const Kind&) const = default;  // NOLINT(modernize-use-nullptr): the check misreads it
};

class Vector final : public Algorithm {
 public:
  Vector(const AlgorithmSetup& setup, const std::vector<std::uint32_t>& distincts) {
    std::map<Kind, std::vector<abi::lode_probe>> kinds;
    for (const std::uint32_t distinct : distincts) add_pattern(kinds, setup.plan, distinct);

    std::vector<abi::lode_probe> probes;
    for (auto& [kind, members] : kinds) {
      // A pass reads blocks from its least to its most offset, so near offsets go into one pass.
      std::stable_sort(members.begin(), members.end(),
                       [](const auto& a, const auto& b) { return a.offset < b.offset; });
      for (std::size_t first = 0; first < members.size(); first += max_patterns_of_pass) {
        const std::size_t count = std::min(max_patterns_of_pass, members.size() - first);
        add_pass(setup, kind, std::span(members).subspan(first, count), probes);
      }
    }
    probes_ = upload(setup.runtime, probes);
    for (Pass& pass : passes_) pass.arguments.front() = Argument(probes_.get());
  }

 private:
  static void add_pattern(std::map<Kind, std::vector<abi::lode_probe>>& kinds, const PlanData& plan,
                          std::uint32_t distinct) {
    const auto bytes = plan.bytes(distinct);
    const bool ignore_case = plan.ignore_case(distinct);
    const std::uint32_t span = std::min<std::uint32_t>(max_pattern_probes, static_cast<std::uint32_t>(bytes.size()));
    const std::uint32_t offset = choose_probe_window(bytes, ignore_case, span);
    const auto window = bytes.subspan(offset, span);
    const auto letters = ignore_case ? std::count_if(window.begin(), window.end(), is_letter) : 0;

    abi::lode_probe probe{};
    probe.offset = offset;
    probe.distinct = distinct;
    for (std::uint32_t at = 0; at < span; ++at) {
      // If bit 0x20 of the text is set before comparing, it is set in the probe, too.
      const std::uint8_t byte = letters != 0 ? static_cast<std::uint8_t>(fold(window[at]) | 0x20) : window[at];
      probe.bytes |= std::uint32_t{byte} << (8 * at);
    }
    const bool exact = span == bytes.size() && (letters == 0 || letters == static_cast<std::ptrdiff_t>(span));
    kinds[{span, letters != 0, exact}].push_back(probe);
  }

  void add_pass(const AlgorithmSetup& setup, const Kind& kind, std::span<const abi::lode_probe> members,
                std::vector<abi::lode_probe>& probes) {
    const auto first = static_cast<std::uint32_t>(probes.size());
    const std::size_t slots = std::bit_ceil(members.size());
    probes.insert(probes.end(), members.begin(), members.end());
    abi::lode_probe filler = members.front();
    filler.distinct = LODE_NO_PATTERN;
    probes.resize(first + slots, filler);

    Pass pass;
    pass.file = "vector";
    pass.entry = "lode_vector";
    pass.constants = {{"LODE_PATTERNS", static_cast<std::int64_t>(slots)},
                      {"LODE_PROBES", kind.probes},
                      {"LODE_FOLDS", kind.folds ? 1 : 0},
                      {"LODE_EXACT", kind.exact ? 1 : 0}};
    pass.arguments = {static_cast<const Buffer*>(nullptr), first, members.front().offset, members.back().offset};
    pass.group_items = choose_group_items(setup, usual_group_items);
    const bool exchanges = setup.runtime.limits().team_items != 0;
    pass.local_bytes = pass.group_items * (counter_bytes_of_item + (exchanges ? queue_bytes_of_item : 0));
    pass.items_of_unit = usual_items_of_unit;
    pass.rounds = usual_rounds;
    pass.places_per_group = pass.group_items * places_of_item;
    pass.groups_per_unit = setup.options.gpu_groups_per_unit;
    passes_.push_back(std::move(pass));
  }

  std::unique_ptr<Buffer> probes_;
};

}  // namespace

TableBytes vector_table_bytes() {
  // A pass is filled up to a power of two, which at most doubles the probes.
  constexpr std::uint64_t kinds = max_pattern_probes * 2 * 2;
  return {kinds * max_patterns_of_pass * sizeof(abi::lode_probe), 2 * sizeof(abi::lode_probe), 0};
}

std::unique_ptr<Algorithm> make_vector_of(const AlgorithmSetup& setup, const std::vector<std::uint32_t>& distincts) {
  return std::make_unique<Vector>(setup, distincts);
}

std::unique_ptr<Algorithm> make_vector(const AlgorithmSetup& setup) {
  std::vector<std::uint32_t> all(setup.plan.distinct_count());
  std::iota(all.begin(), all.end(), 0);
  return make_vector_of(setup, all);
}

}  // namespace lode::gpu
