// The scanner of `filter`. It runs the looks that the plan's strategy names (strategy/strategy.hpp), one after the
// other.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cpu/look/letter_group.hpp"
#include "cpu/look/sieve.hpp"
#include "cpu/look/window_class.hpp"
#include "cpu/scanner.hpp"
#include "cpu/strategy/strategy.hpp"
#include "cpu/vector.hpp"

namespace lode {
namespace {

class FilterScanner final : public Scanner {
 public:
  FilterScanner(const PlanData& plan, InstructionSet set, unsigned threads)
      : run_class_(class_runner(set)),
        run_patterns_(vector_runner(set)),
        run_sieve_(sieve_runner(set)),
        run_letters_(letter_group_runner(set)) {
    Strategy strategy = choose_strategy(plan, set);
    description_ = lode::describe(strategy, plan);
    add_patterns(plan, strategy.probed, patterns_);
    for (Strategy::Windows& windows : strategy.windows) {
      const LengthClass& length_class = plan.filter.classes[windows.length_class];
      Class& added =
          classes_.emplace_back(WindowClass(plan, length_class, set, threads, std::move(windows.first_look)));
      if (windows.is_counted_by_probes) add_patterns(plan, members_of(plan, length_class), added.counted);
    }
    sieve_ = std::move(strategy.sieve);
    letters_ = std::move(strategy.letters);
  }

  std::string describe() const override { return description_; }

  void scan(Collector& out) const override {
    if (letters_ && out.takes_counts()) {
      run_letters_(*letters_, out);
      return;
    }
    run_patterns_(patterns_, out);
    if (sieve_) run_sieve_(*sieve_, out);
    for (const Class& one : classes_) {
      if (!one.counted.empty() && out.takes_counts()) {
        run_patterns_(one.counted, out);
      } else {
        run_class_(one.windows, out);
      }
    }
  }

 private:
  struct Class {
    explicit Class(WindowClass windows_of_class) : windows(std::move(windows_of_class)) {}
    WindowClass windows;
    std::vector<VectorPattern> counted;  // the class's patterns, if they are counted one by one
  };

  static void add_patterns(const PlanData& plan, const std::vector<std::uint32_t>& distincts,
                           std::vector<VectorPattern>& patterns) {
    for (const std::uint32_t distinct : distincts) patterns.emplace_back(plan, distinct);
  }

  ClassRunner run_class_;
  VectorRunner run_patterns_;
  SieveRunner run_sieve_;
  LetterGroupRunner run_letters_;
  std::string description_;
  std::vector<VectorPattern> patterns_;
  std::unique_ptr<const Sieve> sieve_;  // null where there is no sieve
  std::vector<Class> classes_;
  std::optional<LetterGroup> letters_;  // if set, this counts instead of all the others
};

}  // namespace

std::unique_ptr<Scanner> make_filter_scanner(const PlanData& plan, InstructionSet set, unsigned threads) {
  return std::make_unique<FilterScanner>(plan, set, threads);
}

}  // namespace lode
