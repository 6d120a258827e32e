#include "plan/boyer_moore.hpp"

#include <algorithm>

#include "gpu/algorithms/algorithm.hpp"

namespace lode::gpu {
namespace {

constexpr std::uint32_t block_places = 24;  // a run is as many of these as the cascading degree says
constexpr std::uint32_t max_cascade = 64;
constexpr std::uint32_t max_staged_length = 1024;  // longer patterns are read from global memory

// The best degree for short patterns, and for texts that nearly repeat a pattern. Longer patterns lose little by it.
constexpr std::uint32_t usual_cascade = 4;

class BoyerMoore final : public Algorithm {
 public:
  explicit BoyerMoore(const AlgorithmSetup& setup) {
    std::vector<std::uint32_t> words;
    for (std::uint32_t distinct = 0; distinct < setup.plan.distinct_count(); ++distinct) {
      const BoyerMooreTables tables(setup.plan.bytes(distinct), setup.plan.ignore_case(distinct));
      add_pass(setup, distinct, tables, words.size());
      words.insert(words.end(), tables.bad_character.begin(), tables.bad_character.end());
      words.insert(words.end(), tables.good_suffix.begin(), tables.good_suffix.end());
    }
    tables_ = upload(setup.runtime, words);
    for (Pass& pass : passes_) pass.arguments.front() = Argument(tables_.get());
  }

 private:
  void add_pass(const AlgorithmSetup& setup, std::uint32_t distinct, const BoyerMooreTables& tables,
                std::uint64_t first_word) {
    const auto length = static_cast<std::uint32_t>(tables.pattern.size());
    const unsigned asked = setup.options.gpu_cascade;
    const std::uint32_t cascade = asked == 0 ? usual_cascade : std::clamp(asked, 1u, max_cascade);
    const std::uint32_t room = setup.runtime.limits().local_bytes;
    const std::uint32_t team = std::max(1u, setup.runtime.limits().team_items);

    Pass pass;
    pass.file = "boyer_moore";
    pass.entry = "lode_boyer_moore";
    pass.pattern = distinct;
    pass.group_items = choose_group_items(setup, 128);
    pass.groups_per_unit = setup.options.gpu_groups_per_unit;
    abi::lode_skips skips{};
    skips.first_bad = first_word;
    skips.period = tables.period;
    // A run is an odd number of words, so that items that run in step read different banks.
    skips.run = cascade * block_places + 4;
    const auto local_bytes = [&] {
      const std::uint32_t tile_words = (pass.group_items * skips.run + length + 2) / 4;
      return 4 * (256 + length + (length + 3) / 4 + tile_words);
    };
    bool is_staged = length <= max_staged_length;
    if (is_staged) {
      // The longer runs are, the fewer items have room for theirs.
      while (local_bytes() > room && pass.group_items > team)
        pass.group_items = std::max(team, pass.group_items / 2 / team * team);
      is_staged = local_bytes() <= room;
    }
    if (is_staged) {
      pass.local_bytes = local_bytes();
    } else {
      // Runs at least as long as the pattern keep the worst case at a multiple of the text.
      pass.group_items = choose_group_items(setup, 128);
      skips.run = std::max(skips.run, (length + 3) / 4 * 4);
    }
    pass.places_per_group = std::uint64_t{pass.group_items} * skips.run;
    pass.constants = {{"LODE_STAGED", is_staged ? 1 : 0}, {"LODE_FOLDS", tables.ignore_case ? 1 : 0}};
    pass.arguments = {static_cast<const Buffer*>(nullptr), skips};
    passes_.push_back(std::move(pass));
  }

  std::unique_ptr<Buffer> tables_;
};

}  // namespace

TableBytes boyer_moore_table_bytes() { return {0, (256 + 1) * sizeof(std::uint32_t), sizeof(std::uint32_t)}; }

std::unique_ptr<Algorithm> make_boyer_moore(const AlgorithmSetup& setup) { return std::make_unique<BoyerMoore>(setup); }

}  // namespace lode::gpu
