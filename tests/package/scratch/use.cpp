// Uses the installed C++ interface. The argument is the version that must be linked.
#include <cstring>
#include <iostream>
#include <vector>

#include <lode/lode.hpp>

int main(int argument_count, char** arguments) {
  if (argument_count != 2 || std::strcmp(arguments[1], lode::version()) != 0) {
    std::cerr << "version " << lode::version() << " is linked\n";
    return 1;
  }
  const lode::Searcher searcher(lode::Plan::build(lode::PatternSet{"he", "she", "hers"}));
  const std::vector<lode::Match> expected = {{1, 1, 3}, {2, 0, 2}, {2, 2, 4}};
  if (searcher.find("ushers") != expected) {
    std::cerr << "the matches are wrong\n";
    return 1;
  }
  // An exception must cross from the shared library into the program.
  try {
    lode::Plan::build(lode::PatternSet{});
  } catch (const lode::Error& error) {
    return error.kind() == lode::ErrorKind::invalid_pattern ? 0 : 1;
  }
  std::cerr << "an empty set was accepted\n";
  return 1;
}
