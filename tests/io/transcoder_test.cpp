// Transcoders, against the decoder of a whole text: pieces of all sizes, and a writer that pauses.

#include "io/transcoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "support/decode_oracle.hpp"
#include "support/environment.hpp"

namespace lode::tests {
namespace {

// Reads all that there is, `most` bytes at a time, of a text that comes in pieces of random sizes.
std::string transcoded(std::string_view text, const View& view, std::size_t most, Random& random) {
  io::Transcoder transcoder(view, [&](std::span<char> into) {
    const std::size_t bytes = std::min({into.size(), text.size(), static_cast<std::size_t>(random.between(1, 9))});
    std::copy_n(text.data(), bytes, into.data());
    text.remove_prefix(bytes);
    return bytes;
  });
  std::string all, piece(most, ' ');
  while (const std::size_t got = transcoder.read(piece)) all.append(piece, 0, got);
  return all;
}

TEST(Transcoder, GivesWhatTheWholeTextIs) {
  Random random = make_random("Transcoder");
  for (std::uint64_t round = 0; round < test_rounds(300, 3000, 100'000); ++round) {
    const View view(
        random.pick(std::vector<std::string>{"utf-16", "utf-16le", "utf-16be", "utf-32", "auto", "latin-1"}));
    std::string text = random.bytes(std::string("\xFF\xFE"
                                                "\xFE"
                                                "a\0\xD8\xDC\x04",
                                                8),
                                    random.between(0, 40));
    if (random.chance(50)) text = "\xFF\xFE" + text;
    ASSERT_EQ(transcoded(text, view, random.between(1, 20), random), decode_by_meaning(text, view).bytes)
        << view.name() << ": " << escape(text);
  }
}

// A line must not wait for the next one.
TEST(Transcoder, KeepsBackNothingThatIsWhole) {
  bool is_written = false;
  io::Transcoder transcoder(View("utf-16le"), [&](std::span<char> into) -> std::size_t {
    EXPECT_FALSE(is_written) << "more was asked for";
    is_written = true;
    const std::string_view line("o\0n\0e\0\n\0", 8);
    std::copy(line.begin(), line.end(), into.begin());
    return line.size();
  });
  std::string line(16, ' ');
  EXPECT_EQ(transcoder.read(line), 4U);
  EXPECT_EQ(line.substr(0, 4), "one\n");
}

}  // namespace
}  // namespace lode::tests
