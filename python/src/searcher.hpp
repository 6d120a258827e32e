// SearcherCore: a plan, options and a device, from which the library's two searchers are made when first needed.
//
// A Searcher and a RecordSearcher each have tables of their own, and a program that uses only one of them should not
// pay for both. The constructor checks everything that needs no tables. Safe to use from any number of threads, with or
// without the GIL.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "interruptible.hpp"
#include "lode/records.hpp"
#include "lode/searcher.hpp"

namespace lode::python {

class SearcherCore {
 public:
  /// Throws Error(unsupported) if the algorithm does not serve the patterns, Error(invalid_argument) for names that do
  /// not exist.
  SearcherCore(Plan plan, SearcherOptions options, Device device);

  /// Call these without the GIL, because making the tables may take seconds.
  const Searcher& of_texts() const;
  const RecordSearcher& of_records() const;
  /// The searcher for RecordSearcher::find(), which takes any match kind.
  const RecordSearcher& finder_in_records() const;

  const Plan& plan() const noexcept { return plan_; }
  const Device& device() const noexcept { return device_; }
  const SearcherOptions& options() const noexcept { return options_; }
  bool takes_long(std::uint64_t bytes) const noexcept { return may_take_long(bytes, plan_.patterns().total_bytes()); }

 private:
  Plan plan_;
  SearcherOptions options_;
  Device device_;
  void begin_anew_after_fork() const;
  SearcherOptions options_here() const;
  const RecordSearcher& record_searcher(std::unique_ptr<const RecordSearcher>& searcher, MatchKind kind) const;

  mutable std::mutex mutex_;    // guards the members below
  mutable unsigned forks_ = 0;  // forks_after_use() when the searchers were made
  mutable std::unique_ptr<const Searcher> of_texts_;
  mutable std::unique_ptr<const RecordSearcher> of_records_;
  mutable std::unique_ptr<const RecordSearcher> finder_in_records_;  // for other match kinds than `overlapping`
};

}  // namespace lode::python
