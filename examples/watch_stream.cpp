// Reports patterns in a stream while it arrives, in bounded memory: some command | watch_stream PATTERN…
#include <array>
#include <exception>
#include <iostream>
#include <span>

#include "lode/lode.hpp"

int main(int argument_count, char** arguments) try {
  lode::PatternSet patterns;
  for (int i = 1; i < argument_count; ++i) patterns.add(arguments[i]);
  const lode::Searcher searcher(lode::Plan::build(patterns));

  lode::Stream stream(searcher, [&](std::span<const lode::Match> matches) {
    for (const lode::Match& match : matches) {
      std::cout << match.offset << '\t' << patterns[match.pattern_id] << '\n';
    }
    return true;
  });
  // A match that crosses from one piece into the next is reported, too, and only once.
  std::array<char, 5> piece;
  while (std::cin.read(piece.data(), piece.size()) || std::cin.gcount() > 0) {
    stream.push({piece.data(), static_cast<std::size_t>(std::cin.gcount())});
    stream.flush();  // this reports what is certain by now, without waiting for a full buffer
    std::cout.flush();
  }
  stream.finish();
  return 0;
} catch (const std::exception& error) {
  std::cerr << "watch_stream: " << error.what() << '\n';
  return 2;
}
