#include "searcher.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "forks.hpp"
#include "lode/error.hpp"

namespace lode::python {

SearcherCore::SearcherCore(Plan plan, SearcherOptions options, Device device)
    : plan_(std::move(plan)), options_(std::move(options)), device_(std::move(device)), forks_(forks_after_use()) {
  const std::vector<AlgorithmInfo> rows = list_algorithms();
  const auto is_asked_for = [&](const AlgorithmInfo& row) { return row.name == options_.algorithm; };
  if (options_.algorithm != "auto" && std::none_of(rows.begin(), rows.end(), is_asked_for))
    throw Error(ErrorKind::invalid_argument,
                "there is no algorithm '" + options_.algorithm + "'; lode.algorithms() lists those that there are");
  const std::string reason = refusal(options_.algorithm, plan_);
  if (!reason.empty()) throw Error(ErrorKind::unsupported, reason);
  const std::vector<std::string> sets = cpu_instruction_sets();
  if (!options_.instruction_set.empty() && std::find(sets.begin(), sets.end(), options_.instruction_set) == sets.end())
    throw Error(ErrorKind::invalid_argument, "this machine does not run the instruction set '" +
                                                 options_.instruction_set +
                                                 "'; lode.cpu_instruction_sets() lists those that it runs");
}

// A searcher that the parent made expects threads, which the child does not have, so the child makes new ones. The old
// ones are not destroyed, because a thread of the parent may have held a lock in them.
void SearcherCore::begin_anew_after_fork() const {
  if (forks_ == forks_after_use()) return;
  forks_ = forks_after_use();
  static_cast<void>(of_texts_.release());
  static_cast<void>(of_records_.release());
  static_cast<void>(finder_in_records_.release());
}

SearcherOptions SearcherCore::options_here() const {
  SearcherOptions options = options_;
  options.threads = threads_here(options.threads);
  return options;
}

const Searcher& SearcherCore::of_texts() const {
  const std::lock_guard lock(mutex_);
  begin_anew_after_fork();
  if (!of_texts_) of_texts_ = std::make_unique<Searcher>(plan_, options_here(), device_here(device_));
  return *of_texts_;
}

const RecordSearcher& SearcherCore::record_searcher(std::unique_ptr<const RecordSearcher>& searcher,
                                                    MatchKind kind) const {
  const std::lock_guard lock(mutex_);
  begin_anew_after_fork();
  SearcherOptions options = options_here();
  options.match_kind = kind;
  if (!searcher) searcher = std::make_unique<RecordSearcher>(plan_, std::move(options), device_here(device_));
  return *searcher;
}

const RecordSearcher& SearcherCore::of_records() const { return record_searcher(of_records_, options_.match_kind); }

const RecordSearcher& SearcherCore::finder_in_records() const {
  const bool overlaps = options_.match_kind == MatchKind::overlapping;
  return record_searcher(overlaps ? of_records_ : finder_in_records_, MatchKind::overlapping);
}

}  // namespace lode::python
