// CpuSearch: the CPU as a backend. It owns a scanner, which the executor runs on threads.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "lode/error.hpp"
#include "search/backend.hpp"
#include "search/executor.hpp"

namespace lode {

class CpuSearch final : public Backend {
 public:
  /// `plan` and `options` outlive this.
  CpuSearch(std::shared_ptr<const Scanner> scanner, const PlanData& plan, const SearcherOptions& options,
            InstructionSet set, unsigned threads)
      : scanner_(std::move(scanner)), setup_{plan, *scanner_, options, set, threads} {}

  const ExecutorSetup& setup() const { return setup_; }
  /// Makes the same search with other options, which outlive it, on so many threads.
  std::shared_ptr<const CpuSearch> with(const SearcherOptions& options, unsigned threads) const {
    return std::make_shared<const CpuSearch>(scanner_, setup_.plan, options, setup_.set, threads);
  }

  Totals run_counts(const Text& text, const RunOptions& run, Collector::Mode mode, bool stop_at_first,
                    CallReport&) const override {
    check(text);
    return lode::run_counts(setup_, text, run, mode, stop_at_first);
  }
  std::uint64_t run_ordered(const Text& text, const RunOptions& run, bool, const TakeMatches& take,
                            CallReport&) const override {
    check(text);
    return lode::run_ordered(setup_, text, run, take);
  }
  std::string strategy() const override { return scanner_->describe(); }

 private:
  static void check(const Text& text) {
    if (text.resident() != nullptr)
      throw Error(ErrorKind::unsupported, "a text that is resident on a GPU is searched by a searcher of that GPU");
  }

  const std::shared_ptr<const Scanner> scanner_;
  const ExecutorSetup setup_;
};

/// Makes the backend for an algorithm by name. Throws Error(unsupported) if the algorithm does not run on the CPU.
inline std::shared_ptr<const CpuSearch> make_cpu_search(const std::string& algorithm, const PlanData& plan,
                                                        const SearcherOptions& options, InstructionSet set,
                                                        unsigned threads) {
  std::unique_ptr<Scanner> scanner = make_scanner(algorithm, plan, set, threads);
  if (!scanner) throw Error(ErrorKind::unsupported, algorithm + " does not run on the CPU");
  return std::make_shared<const CpuSearch>(std::move(scanner), plan, options, set, threads);
}

}  // namespace lode
