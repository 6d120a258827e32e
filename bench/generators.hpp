// Seeded generators of texts and pattern sets for benches.
//
// A text is a function of (kind, seed, sample): the byte at an offset never depends on how much is asked for,
// so any piece of a text of any size can be made again, on any number of threads. Texts are made block by
// block, every block from its own random stream; nothing is repeated, except in the two kinds whose worst
// case is repetition. Pattern sets hold distinct patterns; which share of them was drawn so that it can occur
// is asked for, and what really occurs is measured by whoever uses them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lode::bench {

/// A number in [0, bound), the same on every platform. Precondition: bound > 0.
std::uint64_t draw(std::mt19937_64& random, std::uint64_t bound);

/// The words of a sample text and which words followed each: a Markov chain of order 1. Immutable.
class WordChain {
 public:
  /// Words are what stands between blanks, punctuation included. Throws std::runtime_error where the sample
  /// has fewer than 1000 words.
  explicit WordChain(std::string_view sample);
  /// Trains on one file, or on all regular files of a folder, in byte order of their names.
  static std::shared_ptr<const WordChain> train(const std::filesystem::path& sample);

  std::size_t word_count() const noexcept { return words_.size(); }
  std::string_view word(std::uint32_t id) const noexcept { return {words_[id].bytes, words_[id].length}; }
  /// Any word of the sample, the frequent ones more often.
  std::uint32_t start(std::mt19937_64& random) const;
  /// Prose in lines of at most 72 bytes; the last byte is LF. Precondition: at least 64 bytes.
  void write_prose(std::mt19937_64& random, std::span<char> into) const;

 private:
  static constexpr std::size_t max_word_length = 20;  // longer ones are left out of the chain
  struct Word {
    char bytes[max_word_length + 4];  // zero-padded, so that a word is copied whole
    std::uint32_t first_successor;    // index into successors_
    std::uint32_t successor_count;    // at least 1
    std::uint8_t length;              // 1 … max_word_length
    bool ends_sentence;
  };
  std::vector<Word> words_;
  std::vector<std::uint32_t> successors_;  // word ids, one per word of the sample, grouped by the word before
};

enum class TextKind {
  english,          // prose of a WordChain
  dna,              // one line of A, C, G, T, all equally likely
  dna_reads,        // the same in lines of 150
  random,           // bytes, all equally likely
  log,              // access-log lines
  repeated,         // the letter a
  periodic,         // abcdefgh over and over
  nearly_repeated,  // the letter a, and a b somewhere in each 64 bytes
};

/// Throws std::runtime_error for a name that is none.
TextKind text_kind_of(std::string_view name);
std::vector<std::string> text_kind_names();

class TextGenerator {
 public:
  /// The chain is needed for `english` alone; throws std::runtime_error where it is missing.
  TextGenerator(TextKind kind, std::uint64_t seed, std::shared_ptr<const WordChain> chain = {});

  /// Writes the text's bytes [offset, offset + into.size()); parallel over blocks.
  void fill(std::uint64_t offset, std::span<char> into) const;

  static constexpr std::uint64_t block_bytes = std::uint64_t{1} << 18;
  TextKind kind() const noexcept { return kind_; }
  const std::shared_ptr<const WordChain>& chain() const noexcept { return chain_; }

 private:
  void fill_block(std::uint64_t block, std::span<char> into) const;

  TextKind kind_;
  std::uint64_t seed_;
  std::shared_ptr<const WordChain> chain_;
};

constexpr std::size_t line_width = 72;  // bytes of a line of prose at most

enum class PatternKind {
  english,          // words and phrases; present: from another text of the chain, absent: with a letter changed so
                    // that no text of the chain can hold them. Those longer than a line have blanks for line ends
  dna,              // present: pieces of the text, absent: of another seed
  random,           // the same for bytes
  log,              // present: addresses and paths of the text, absent: host names that it does not know
  common_prefix,    // differ in their last bytes alone
  common_suffix,    // differ in their first bytes alone
  one_letter,       // neighbours differ in one letter in the middle
  nearly_repeated,  // max_length times the letter a; then the same with a b at the first place, at the second …
  every_length,     // prose of min_length bytes, then of one more, and so on; after max_length from the start
};

PatternKind pattern_kind_of(std::string_view name);
std::vector<std::string> pattern_kind_names();

struct PatternRequest {
  PatternKind kind = PatternKind::english;
  std::uint64_t count = 0;
  std::uint64_t min_length = 5;
  std::uint64_t max_length = 20;
  double share_present = 0.5;  // 0 … 1; no meaning for the last five kinds, whose patterns are all alike
  std::uint64_t seed = 0;
};

/// `text` and `text_bytes` say what the patterns will be looked for in. Every pattern is distinct, between
/// the two lengths, and free of LF unless the kind is `random`. Throws std::runtime_error where so many do
/// not exist.
std::vector<std::string> make_patterns(const PatternRequest& request, const TextGenerator& text,
                                       std::uint64_t text_bytes);

}  // namespace lode::bench
