#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <unordered_set>

#include "generators.hpp"

namespace lode::bench {
namespace {

struct NamedPatternKind {
  std::string_view name;
  PatternKind kind;
};
constexpr std::array pattern_kinds = {
    NamedPatternKind{"english", PatternKind::english},
    NamedPatternKind{"dna", PatternKind::dna},
    NamedPatternKind{"random", PatternKind::random},
    NamedPatternKind{"log", PatternKind::log},
    NamedPatternKind{"common-prefix", PatternKind::common_prefix},
    NamedPatternKind{"common-suffix", PatternKind::common_suffix},
    NamedPatternKind{"one-letter", PatternKind::one_letter},
    NamedPatternKind{"nearly-repeated", PatternKind::nearly_repeated},
    NamedPatternKind{"every-length", PatternKind::every_length},
};

/// Distinct patterns in the making.
class Collection {
 public:
  explicit Collection(const PatternRequest& request) : request_(request) { seen_.reserve(request.count); }

  /// Adds what `make` returns, `wanted` new ones; a string that does not fit or is there already is drawn
  /// again.
  template <typename Make>
  void collect(std::uint64_t wanted, Make make) {
    // Ten thousand failures in a row mean that there are no more.
    for (int failures = 0; wanted > 0;) {
      std::string pattern = make();
      const bool fits = pattern.size() >= request_.min_length && pattern.size() <= request_.max_length;
      if (fits && seen_.insert(pattern).second) {
        patterns_.push_back(std::move(pattern));
        --wanted;
        failures = 0;
      } else if (++failures == 10000) {
        throw std::runtime_error(fmt::format("only {} distinct patterns of {} to {} bytes could be drawn, not {}",
                                             patterns_.size(), request_.min_length, request_.max_length,
                                             request_.count));
      }
    }
  }

  std::size_t size() const { return patterns_.size(); }

  std::vector<std::string> shuffled(std::mt19937_64& random) && {
    for (std::size_t left = patterns_.size(); left > 1; --left) {
      std::swap(patterns_[left - 1], patterns_[draw(random, left)]);
    }
    return std::move(patterns_);
  }

 private:
  const PatternRequest& request_;
  std::vector<std::string> patterns_;
  std::unordered_set<std::string> seen_;
};

std::uint64_t draw_length(std::mt19937_64& random, const PatternRequest& request) {
  return request.min_length + draw(random, request.max_length - request.min_length + 1);
}

bool is_letter(char byte) { return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z'); }

/// Words and phrases as they stand in prose: begin and end at the edge of a word, inside one line unless lines are too
/// short for what is asked for.
class PhraseSource {
 public:
  PhraseSource(const PatternRequest& request, std::shared_ptr<const WordChain> chain)
      : request_(request),
        joins_lines_(request.kind == PatternKind::every_length || request.max_length > line_width),
        prose_(TextKind::english, ~request.seed, std::move(chain)),
        block_(TextGenerator::block_bytes) {}

  /// May come out too short or too long.
  std::string next(std::mt19937_64& random) {
    skip_words(random);
    const std::uint64_t length = draw_length(random, request_);
    const std::string_view text(block_.data(), block_.size());
    std::size_t end = at_;
    do {
      end = std::min(text.find_first_of(" \n", end + 1), text.size());
    } while (end < text.size() && text[end] == ' ' && end - at_ < length);
    std::size_t last = end;
    while (last > at_ && std::string_view(",.;:!?\"')]-").find(text[last - 1]) != std::string_view::npos) --last;
    return std::string(text.substr(at_, last - at_));
  }

  /// From the begin of a word, as long as asked for but at the end of a block.
  std::string next_of(std::uint64_t length, std::mt19937_64& random) {
    skip_words(random);
    return std::string(std::string_view(block_.data(), block_.size()).substr(at_, length));
  }

 private:
  // A few words, so that neighbouring phrases share none.
  void skip_words(std::mt19937_64& random) {
    for (std::uint64_t skip = draw(random, 8); skip > 0; --skip) to_next_word();
    to_next_word();
  }

  void to_next_word() {
    const std::string_view text(block_.data(), block_.size());
    const std::size_t blank = text.find_first_of(" \n", at_);
    at_ = blank == text.npos ? text.npos : text.find_first_not_of(" \n", blank);
    if (at_ == text.npos || !filled_) {
      prose_.fill(next_block_++ * TextGenerator::block_bytes, block_);
      if (joins_lines_) std::replace(block_.begin(), block_.end(), '\n', ' ');
      filled_ = true;
      at_ = 0;
    }
  }

  const PatternRequest& request_;
  const bool joins_lines_;
  TextGenerator prose_;
  std::vector<char> block_;
  bool filled_ = false;
  std::uint64_t next_block_ = 0;
  std::size_t at_ = 0;
};

/// Every piece of every word of a chain. A phrase that holds a word which is no such piece occurs in no text
/// of the chain, wherever it starts.
class PieceSet {
 public:
  explicit PieceSet(const WordChain& chain) {
    for (std::uint32_t id = 0; id < chain.word_count(); ++id) {
      const std::string_view word = chain.word(id);
      for (std::size_t begin = 0; begin < word.size(); ++begin) {
        for (std::size_t size = 1; size <= word.size() - begin; ++size) pieces_.insert(word.substr(begin, size));
      }
    }
  }
  bool contains(std::string_view piece) const { return pieces_.count(piece) != 0; }

 private:
  std::unordered_set<std::string_view> pieces_;  // of the chain's own bytes
};

/// The phrase with one letter of one of its words changed for a letter from elsewhere in prose; empty where
/// that gives a piece of a word that exists.
std::string made_absent(std::string phrase, const PieceSet& pieces, std::string_view letters, std::mt19937_64& random) {
  if (phrase.empty()) return {};
  const std::size_t at = draw(random, phrase.size());
  const char letter = letters[draw(random, letters.size())];
  if (!is_letter(phrase[at]) || !is_letter(letter)) return {};
  phrase[at] = letter;
  const std::size_t blank_before = phrase.rfind(' ', at);
  const std::size_t begin = blank_before == phrase.npos ? 0 : blank_before + 1;
  const std::size_t end = std::min(phrase.find(' ', at), phrase.size());
  if (pieces.contains(std::string_view(phrase).substr(begin, end - begin))) return {};
  return phrase;
}

/// Blocks of a text, here and there.
class BlockSource {
 public:
  BlockSource(const TextGenerator& text, std::uint64_t text_bytes) : text_(text), text_bytes_(text_bytes) {}

  /// Valid until the next call. A block costs far more than a pattern, so the same one comes 64 times.
  std::string_view next(std::mt19937_64& random) {
    if (uses_++ % 64 == 0) {
      const std::uint64_t blocks = (text_bytes_ + TextGenerator::block_bytes - 1) / TextGenerator::block_bytes;
      const std::uint64_t begin = draw(random, blocks) * TextGenerator::block_bytes;
      block_.resize(std::min(TextGenerator::block_bytes, text_bytes_ - begin));
      text_.fill(begin, block_);
    }
    return {block_.data(), block_.size()};
  }

 private:
  const TextGenerator& text_;
  std::uint64_t text_bytes_;
  std::uint64_t uses_ = 0;
  std::vector<char> block_;
};

/// A piece from anywhere in the block; empty where it would hold a line feed and must not.
std::string any_piece(std::string_view block, const PatternRequest& request, std::mt19937_64& random) {
  const std::uint64_t length = draw_length(random, request);
  if (length > block.size()) return {};
  const std::string_view piece = block.substr(draw(random, block.size() - length + 1), length);
  const bool may_hold_line_feed = request.kind == PatternKind::random;
  return may_hold_line_feed || piece.find('\n') == piece.npos ? std::string(piece) : std::string();
}

/// A client's address or a request's path from a line of an access log: what indicator lists hold.
std::string address_or_path(std::string_view block, std::mt19937_64& random) {
  const std::size_t line = block.find('\n', draw(random, block.size()));
  if (line == block.npos) return {};
  const std::size_t path = block.find(" /", line + 1);
  const std::size_t begin = draw(random, 2) == 0 || path == block.npos ? line + 1 : path + 1;
  const std::size_t end = block.find(' ', begin);
  return end == block.npos ? std::string() : std::string(block.substr(begin, end - begin));
}

std::string unknown_host(const PatternRequest& request, std::mt19937_64& random) {
  constexpr std::string_view domain = ".invalid";
  std::string name(draw_length(random, request), 'a');
  for (char& letter : name) letter = static_cast<char>('a' + draw(random, 26));
  if (name.size() > domain.size() + 3) name.replace(name.size() - domain.size(), domain.size(), domain);
  return name;
}

/// `number` in letters a … z, least significant first, `size` of them.
std::string letters_of(std::uint64_t number, std::uint64_t size) {
  std::string letters(size, 'a');
  for (char& letter : letters) {
    letter = static_cast<char>('a' + number % 26);
    number /= 26;
  }
  return letters;
}

std::string worst_case(const PatternRequest& request, std::uint64_t number) {
  if (request.kind == PatternKind::nearly_repeated) {
    std::string pattern(request.max_length, 'a');
    if (number > 0 && number <= pattern.size()) pattern[number - 1] = 'b';
    return pattern;
  }
  // A frequent piece of prose, so that the common part is met again and again.
  constexpr std::string_view common = "and in the house of the king and of all the people ";
  const std::uint64_t own_size = std::min<std::uint64_t>(request.max_length, 4);
  const std::uint64_t common_size = std::min<std::uint64_t>(request.max_length - own_size, common.size());
  const std::string own = letters_of(number, own_size);
  const std::string_view shared = common.substr(0, common_size);
  if (request.kind == PatternKind::common_prefix) return std::string(shared) + own;
  if (request.kind == PatternKind::common_suffix) return own + std::string(shared);
  return std::string(shared.substr(0, common_size / 2)) + own + std::string(shared.substr(common_size / 2));
}

void collect_english(Collection& collection, const PatternRequest& request, std::uint64_t present,
                     const std::shared_ptr<const WordChain>& chain, std::mt19937_64& random) {
  if (!chain) throw std::runtime_error("English patterns need a sample text to learn from");
  PhraseSource phrases(request, chain);
  collection.collect(present, [&] { return phrases.next(random); });
  if (present == request.count) return;
  const PieceSet pieces(*chain);
  std::vector<char> letters(TextGenerator::block_bytes);
  TextGenerator(TextKind::english, request.seed, chain).fill(0, letters);
  collection.collect(request.count - present, [&] {
    return made_absent(phrases.next(random), pieces, {letters.data(), letters.size()}, random);
  });
}

void collect_lengths(Collection& collection, const PatternRequest& request,
                     const std::shared_ptr<const WordChain>& chain, std::mt19937_64& random) {
  if (!chain) throw std::runtime_error("patterns of every length need a sample text to learn from");
  PhraseSource phrases(request, chain);
  const std::uint64_t lengths = request.max_length - request.min_length + 1;
  collection.collect(request.count, [&] {
    const std::uint64_t length = request.min_length + collection.size() % lengths;
    std::string phrase = phrases.next_of(length, random);
    return phrase.size() == length ? phrase : std::string();
  });
}

}  // namespace

PatternKind pattern_kind_of(std::string_view name) {
  for (const NamedPatternKind& row : pattern_kinds) {
    if (row.name == name) return row.kind;
  }
  std::string known;
  for (const NamedPatternKind& row : pattern_kinds) known.append(" ").append(row.name);
  throw std::runtime_error("unknown kind of patterns '" + std::string(name) + "'; known:" + known);
}

std::vector<std::string> pattern_kind_names() {
  std::vector<std::string> names;
  for (const NamedPatternKind& row : pattern_kinds) names.emplace_back(row.name);
  return names;
}

std::vector<std::string> make_patterns(const PatternRequest& request, const TextGenerator& text,
                                       std::uint64_t text_bytes) {
  if (request.min_length == 0 || request.min_length > request.max_length) {
    throw std::runtime_error("pattern lengths must be at least 1, the shortest first");
  }
  if (!(request.share_present >= 0 && request.share_present <= 1)) {
    throw std::runtime_error("the share of patterns present lies between 0 and 1");
  }
  std::mt19937_64 random(request.seed * 0x9E3779B97F4A7C15u + request.count);
  const auto present = static_cast<std::uint64_t>(static_cast<double>(request.count) * request.share_present + 0.5);
  if (present > 0 && text_bytes == 0) throw std::runtime_error("patterns that are present need a text");
  const std::uint64_t absent = request.count - present;
  Collection collection(request);
  switch (request.kind) {
    case PatternKind::english: collect_english(collection, request, present, text.chain(), random); break;
    case PatternKind::dna:
    case PatternKind::random: {
      const TextGenerator other(request.kind == PatternKind::dna ? TextKind::dna : TextKind::random, ~request.seed);
      BlockSource here(text, text_bytes);
      BlockSource elsewhere(other, std::uint64_t{1} << 40);
      collection.collect(present, [&] { return any_piece(here.next(random), request, random); });
      collection.collect(absent, [&] { return any_piece(elsewhere.next(random), request, random); });
      break;
    }
    case PatternKind::log: {
      BlockSource here(text, text_bytes);
      collection.collect(present, [&] { return address_or_path(here.next(random), random); });
      collection.collect(absent, [&] { return unknown_host(request, random); });
      break;
    }
    case PatternKind::common_prefix:
    case PatternKind::common_suffix:
    case PatternKind::one_letter:
    case PatternKind::nearly_repeated: {
      std::uint64_t number = 0;
      collection.collect(request.count, [&] { return worst_case(request, number++); });
      break;
    }
    case PatternKind::every_length: collect_lengths(collection, request, text.chain(), random); break;
  }
  return std::move(collection).shuffled(random);
}

}  // namespace lode::bench
