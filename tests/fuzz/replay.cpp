// Runs a fuzz target without libFuzzer: first with the files that are named (the regression corpus), then with drawn
// inputs.
//
// LODE_TEST_SEED and LODE_TEST_ROUNDS work as in the other tests. A target aborts on a failure. The message has the
// input and its seed.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/environment.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using lode::tests::Random;

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string draw_bytes(Random& random, std::uint64_t length) {
  static const std::vector<std::string> alphabets = {"ab", "abcA", "a \n\"{}:x0", "\1\2\3ab"};
  if (random.chance(60)) return random.bytes(random.pick(alphabets), length);
  std::string bytes;
  while (bytes.size() < length) bytes += static_cast<char>(random.next());
  return bytes;
}

// Draws a header of any bytes, and then bytes of a small alphabet, in which patterns repeat.
std::string draw_input(Random& random, const std::vector<std::string>& corpus) {
  std::string input;
  if (!corpus.empty() && random.chance(50)) {
    input = random.pick(corpus);
    for (std::uint64_t change = random.below(4); change > 0 && !input.empty(); --change) {
      input[random.below(input.size())] = static_cast<char>(random.next());
    }
    if (random.chance(20)) input.resize(random.below(input.size() + 1));
    return input;
  }
  for (std::uint64_t i = random.below(30); i > 0; --i) input += static_cast<char>(random.next());
  return input + draw_bytes(random, random.scale(1, 800));
}

}  // namespace

int main(int argument_count, char** arguments) {
  std::vector<std::string> corpus;
  for (int i = 1; i < argument_count; ++i) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(arguments[i])) {
      if (entry.is_regular_file()) corpus.push_back(read_file(entry.path()));
    }
  }
  for (const std::string& input : corpus) run(input);
  Random random = lode::tests::make_random("replay");
  const std::uint64_t rounds = lode::tests::test_rounds(300, 3000, 200'000);
  for (std::uint64_t round = 0; round < rounds; ++round) run(draw_input(random, corpus));
  std::printf("%zu files and %llu drawn inputs ran\n", corpus.size(), static_cast<unsigned long long>(rounds));
  return corpus.size() + rounds == 0 ? 1 : 0;
}
