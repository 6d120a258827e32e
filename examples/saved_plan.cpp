// Compiles a list of patterns once and searches with it later, perhaps on another machine:
//   saved_plan build PATTERN-FILE PLAN-FILE
//   saved_plan search PLAN-FILE FILE
#include <exception>
#include <iostream>
#include <optional>
#include <string_view>

#include "lode/lode.hpp"

int main(int argument_count, char** arguments) try {
  const std::string_view chore = argument_count == 4 ? arguments[1] : "";
  if (chore == "build") {
    lode::PatternSet patterns;
    lode::append_pattern_file(patterns, arguments[2]);
    lode::Plan::build(std::move(patterns)).save(arguments[3]);
    return 0;
  }
  if (chore == "search") {
    // load() throws an error if the plan is damaged or comes from another version of Lode.
    const lode::Plan plan = lode::Plan::load(arguments[2]);
    const lode::Searcher searcher(plan);
    const lode::FileText text(arguments[3]);
    std::cout << plan.patterns().size() << " patterns, " << searcher.count(text) << " matches\n";
    if (const std::optional<lode::Match> match = searcher.first(text)) {
      std::cout << "first at " << match->offset << ": " << plan.patterns()[match->pattern_id] << '\n';
    }
    return 0;
  }
  std::cerr << "usage: saved_plan build PATTERN-FILE PLAN-FILE | saved_plan search PLAN-FILE FILE\n";
  return 2;
} catch (const std::exception& error) {
  std::cerr << "saved_plan: " << error.what() << '\n';
  return 2;
}
