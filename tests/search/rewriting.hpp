// What tests of rewriting have in common: a text that is read, texts rewritten as a whole and in pieces, and what is
// expected.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lode/rewrite.hpp"
#include "lode/searcher.hpp"
#include "support/environment.hpp"

namespace lode::tests {

class SourceText final : public RandomAccessText {
 public:
  explicit SourceText(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  void read(std::uint64_t offset, std::span<char> into) const override {
    bytes_.copy(into.data(), into.size(), offset);
  }

 private:
  std::string_view bytes_;
};

inline std::string rewritten(const Searcher& searcher, const Text& text, const Replacements& replacements,
                             const RunOptions& run = {}) {
  std::string out;
  searcher.rewrite(
      text, replacements,
      [&](std::string_view bytes) {
        out += bytes;
        return true;
      },
      run);
  return out;
}

inline std::string rewritten_in_pieces(const Searcher& searcher, std::string_view text,
                                       const Replacements& replacements, Random& random) {
  std::string out;
  RewriteStream stream(searcher, replacements, [&](std::string_view bytes) {
    out += bytes;
    return true;
  });
  while (!text.empty()) {
    const std::size_t size = std::min<std::size_t>(text.size(), random.scale(1, 5000));
    stream.push(text.substr(0, size));
    text.remove_prefix(size);
    if (random.chance(20)) stream.flush();
  }
  stream.finish();
  return out;
}

// What `<id:bytes>` makes of the matches.
inline std::string expected_text(std::string_view text, const std::vector<Match>& matches) {
  std::string out;
  std::uint64_t at = 0;
  for (const Match& match : matches) {
    out += text.substr(at, match.offset - at);
    out += "<" + std::to_string(match.pattern_id) + ":";
    out += text.substr(match.offset, match.length);
    out += ">";
    at = match.offset + match.length;
  }
  return out += text.substr(at);
}

}  // namespace lode::tests
