// Search: the command's work once the command line is understood and the plan is there. It goes through the inputs,
// writes what was asked for, and returns the exit status.
//
// Inputs are searched one after the other, each by all threads. If there are many, threads take batches of them
// instead, and each thread searches one file at a time. Their output is put in order. A file that is not small and
// plain, or whose search fails, is left, and searched by all threads when its turn comes:
//
//   batch      file 1  file 2  file 3           a helper searches 1 and 3 and leaves 2, which is large
//   finish()   write 1, search 2, write 3       the command's thread, batch after batch
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/search/input_search.hpp"
#include "io/walk.hpp"

namespace lode::command {

class Search {
 public:
  /// `stage_seconds`: how long the stages before took; the search is prepared here and adds its own. `matches_nothing`:
  /// there are no patterns, and the plan only stands in.
  Search(const Settings& settings, const Device& device, Plan plan, StageSeconds stage_seconds, bool matches_nothing,
         Writer& writer);

  int run();

 private:
  /// A file to be searched, or a path that cannot be read.
  struct Target {
    std::string path;
    std::string failure;  // why it cannot be read; empty for a file
    bool name_shown = false;
  };
  class Targets;
  struct Batch;
  class Helper;

  void search_all();
  /// Deals the remaining targets out to helpers. The first ones were searched before.
  void deal_out(Targets& targets);
  bool finish(Batch& batch);
  bool deals_out() const;
  /// Each returns false to end the whole search.
  bool search_target(const Target& target);
  bool search_input(io::Input& input, bool name_shown);
  bool is_output(const io::Input& input) const;
  void leave_standard_input(io::Input& input, const InputResult& result) const;
  void take_result(const std::string& name, const InputResult& result);
  void tell(const std::string& message);
  void report(const std::string& message, ErrorKind kind);

  const Settings& settings_;
  Writer& writer_;
  SearchTools tools_;
  InputSearch input_search_;
  ProgressBar progress_bar_;
  struct stat output_status_ {};
  bool output_is_file_ = false;

  bool muted_ = false;  // set in repetitions: all messages were given the first time
  bool any_match_ = false;
  bool any_error_ = false;
};

}  // namespace lode::command
