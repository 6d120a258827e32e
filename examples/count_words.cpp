// Counts words in a file, in upper or lower case: count_words FILE WORD…
#include <cstdint>
#include <exception>
#include <iostream>
#include <vector>

#include "lode/lode.hpp"

int main(int argument_count, char** arguments) try {
  if (argument_count < 3) {
    std::cerr << "usage: count_words FILE WORD…\n";
    return 2;
  }
  lode::PatternSet words;
  for (int i = 2; i < argument_count; ++i) words.add(arguments[i], /*ignore_case=*/true);

  lode::SearcherOptions options;
  options.condition = lode::Condition::whole_word;
  const lode::Searcher searcher(lode::Plan::build(words), options);

  // All threads read a FileText at once, and it never lies in memory as a whole.
  const std::vector<std::uint64_t> counts = searcher.count_per_pattern(lode::FileText(arguments[1]));
  for (std::uint32_t id = 0; id < words.size(); ++id) std::cout << counts[id] << '\t' << words[id] << '\n';
  return 0;
} catch (const std::exception& error) {
  std::cerr << "count_words: " << error.what() << '\n';
  return 2;
}
