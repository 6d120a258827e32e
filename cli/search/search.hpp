// Search: the command's work once the command line is understood: compiles the patterns, goes through the inputs,
// writes what was asked for, and says with its exit status how it went.
//
// Inputs are searched one after the other, each by all threads. Where there are many, threads take batches of them
// instead, each thread one file at a time, and their output is put in order; what is not a small plain file, or does not
// go well, is left to be searched in its turn, as if it were the only one.
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
  /// `stage_seconds`: of what went before; preparing the search is the last one. `matches_nothing`: the plan stands in for
  /// one of no patterns.
  Search(const Settings& settings, const Device& device, Plan plan, StageSeconds stage_seconds, bool matches_nothing,
         Writer& writer);

  int run();

 private:
  /// A file still to be searched, or what cannot be.
  struct Target {
    std::string path;
    std::string failure;
    bool name_shown = false;
  };
  class Targets;
  struct Batch;
  class Helper;

  void search_all();
  /// With helpers; the first targets have been searched.
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

  bool muted_ = false;  // a repetition: messages were given the first time
  bool any_match_ = false;
  bool any_error_ = false;
};

}  // namespace lode::command
