#include "generators.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <unordered_map>

namespace lode::bench {
namespace {

struct NamedTextKind {
  std::string_view name;
  TextKind kind;
};
constexpr std::array text_kinds = {
    NamedTextKind{"english", TextKind::english},
    NamedTextKind{"dna", TextKind::dna},
    NamedTextKind{"dna-reads", TextKind::dna_reads},
    NamedTextKind{"random", TextKind::random},
    NamedTextKind{"log", TextKind::log},
    NamedTextKind{"repeated", TextKind::repeated},
    NamedTextKind{"nearly-repeated", TextKind::nearly_repeated},
    NamedTextKind{"periodic", TextKind::periodic},
};

std::mt19937_64 random_stream(std::uint64_t seed, TextKind kind, std::uint64_t block) {
  std::uint64_t mixed = seed * 0x9E3779B97F4A7C15u + (static_cast<std::uint64_t>(kind) << 56) + block;
  mixed = (mixed ^ (mixed >> 31)) * 0xBF58476D1CE4E5B9u;
  return std::mt19937_64(mixed ^ (mixed >> 29));
}

void write_random(std::mt19937_64& random, std::span<char> into) {
  std::size_t at = 0;
  for (; at + 8 <= into.size(); at += 8) {
    const std::uint64_t bits = random();
    std::memcpy(into.data() + at, &bits, 8);
  }
  const std::uint64_t bits = random();
  std::memcpy(into.data() + at, &bits, into.size() - at);
}

void write_bases(std::mt19937_64& random, std::span<char> into) {
  static const auto four_bases = [] {
    std::array<std::array<char, 4>, 256> table{};
    for (std::size_t code = 0; code < 256; ++code) {
      for (std::size_t base = 0; base < 4; ++base) table[code][base] = "ACGT"[(code >> (2 * base)) & 3];
    }
    return table;
  }();
  std::size_t at = 0;
  while (at < into.size()) {
    std::uint64_t bits = random();
    for (int quad = 0; quad < 8 && at < into.size(); ++quad, bits >>= 8) {
      const std::size_t size = std::min<std::size_t>(4, into.size() - at);
      std::memcpy(into.data() + at, four_bases[bits & 255].data(), size);
      at += size;
    }
  }
}

void write_log(std::mt19937_64& random, std::uint64_t offset, std::span<char> into) {
  static constexpr std::array<std::string_view, 8> paths = {
      "/",           "/index.html",       "/api/v1/items/", "/api/v2/users/",
      "/static/js/", "/images/products/", "/search?q=",     "/checkout/cart/"};
  static constexpr std::array<std::string_view, 6> agents = {
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/118.0 Safari/537.36",
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:109.0) Gecko/20100101 Firefox/118.0",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 16_6 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148",
      "curl/7.88.1",
      "python-requests/2.31.0",
      "Googlebot/2.1 (+http://www.google.com/bot.html)"};
  static constexpr std::array<std::string_view, 4> methods = {"GET", "GET", "GET", "POST"};
  static constexpr std::array<int, 8> statuses = {200, 200, 200, 200, 304, 301, 404, 500};
  constexpr std::uint64_t bytes_per_second = 4096;

  std::size_t at = 0;
  std::array<char, 512> line;
  while (at < into.size()) {
    const std::uint64_t fields = random();
    const std::uint64_t numbers = random();
    const std::uint64_t seconds = (offset + at) / bytes_per_second;
    const auto end = fmt::format_to(line.data(),
                                    FMT_STRING("{}.{}.{}.{} - - [{:02}/Mar/2026:{:02}:{:02}:{:02} +0000] \"{} {}{} "
                                               "HTTP/1.1\" {} {} \"-\" \"{}\"\n"),
                                    10 + (fields & 63), (fields >> 6) & 255, (fields >> 14) & 255, (fields >> 22) & 255,
                                    1 + seconds / 86400 % 28, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60,
                                    methods[(fields >> 30) & 3], paths[(fields >> 32) & 7], numbers & 0xFFFFF,
                                    statuses[(fields >> 35) & 7], (numbers >> 20) & 0xFFFF,
                                    agents[((fields >> 38) & 0xFFFF) * agents.size() >> 16]);
    const std::size_t size = std::min<std::size_t>(static_cast<std::size_t>(end - line.data()), into.size() - at);
    std::memcpy(into.data() + at, line.data(), size);
    at += size;
  }
  // A block may cut its last line short; the next one starts a new line.
  into.back() = '\n';
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path.string() + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

std::uint64_t draw(std::mt19937_64& random, std::uint64_t bound) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(random()) * bound) >> 64);
}

WordChain::WordChain(std::string_view sample) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  std::unordered_map<std::string_view, std::uint32_t> ids;
  std::vector<std::uint32_t> sequence;
  for (std::size_t begin = sample.find_first_not_of(blanks); begin < sample.size();) {
    const std::size_t end = std::min(sample.find_first_of(blanks, begin), sample.size());
    const std::string_view bytes = sample.substr(begin, end - begin);
    begin = std::min(sample.find_first_not_of(blanks, end), sample.size());
    if (bytes.size() > max_word_length || bytes.find('\0') != bytes.npos) continue;
    const auto [place, is_new] = ids.try_emplace(bytes, static_cast<std::uint32_t>(words_.size()));
    if (is_new) {
      Word word{};
      std::memcpy(word.bytes, bytes.data(), bytes.size());
      word.length = static_cast<std::uint8_t>(bytes.size());
      const std::size_t last = bytes.find_last_not_of("\"')]");
      word.ends_sentence = last != bytes.npos && std::string_view(".!?").find(bytes[last]) != std::string_view::npos;
      words_.push_back(word);
    }
    sequence.push_back(place->second);
  }
  if (sequence.size() < 1000) {
    throw std::runtime_error("the sample text has fewer than 1000 words; give a longer one");
  }
  for (const std::uint32_t id : sequence) ++words_[id].successor_count;
  std::uint32_t first = 0;
  for (Word& word : words_) {
    word.first_successor = first;
    first += word.successor_count;
  }
  successors_.resize(sequence.size());
  std::vector<std::uint32_t> filled(words_.size(), 0);
  for (std::size_t at = 0; at < sequence.size(); ++at) {
    const std::uint32_t id = sequence[at];
    // The last word is followed by the first, so that no chain ends.
    successors_[words_[id].first_successor + filled[id]++] = sequence[at + 1 < sequence.size() ? at + 1 : 0];
  }
}

std::shared_ptr<const WordChain> WordChain::train(const std::filesystem::path& sample) {
  if (!std::filesystem::is_directory(sample)) return std::make_shared<WordChain>(read_file(sample));
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(sample)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::string all;
  for (const auto& file : files) all += read_file(file) + "\n";
  return std::make_shared<WordChain>(all);
}

std::uint32_t WordChain::start(std::mt19937_64& random) const { return successors_[draw(random, successors_.size())]; }

void WordChain::write_prose(std::mt19937_64& random, std::span<char> into) const {
  char* at = into.data();
  // A word is copied as sizeof(Word::bytes) bytes whatever its length; the end of the block is written with
  // care.
  char* const careful = into.data() + into.size() - sizeof(Word::bytes) - 4;
  char* line = at;
  std::uint32_t id = start(random);
  while (at < careful) {
    const Word& word = words_[id];
    if (static_cast<std::size_t>(at - line) + word.length > line_width) {
      at[-1] = '\n';
      line = at;
    }
    std::memcpy(at, word.bytes, sizeof(word.bytes));
    at += word.length;
    *at++ = ' ';
    const std::uint64_t bits = random();
    if (word.ends_sentence && (bits & 7) == 0) {
      at[-1] = '\n';
      *at++ = '\n';
      line = at;
    }
    id = successors_[word.first_successor + static_cast<std::uint32_t>(((bits >> 32) * word.successor_count) >> 32)];
  }
  char* const end = into.data() + into.size();
  const Word& word = words_[id];
  const std::size_t size = std::min<std::size_t>(word.length, static_cast<std::size_t>(end - at));
  std::memcpy(at, word.bytes, size);
  std::fill(at + size, end, ' ');
  end[-1] = '\n';
}

TextKind text_kind_of(std::string_view name) {
  for (const NamedTextKind& row : text_kinds) {
    if (row.name == name) return row.kind;
  }
  std::string known;
  for (const NamedTextKind& row : text_kinds) known.append(" ").append(row.name);
  throw std::runtime_error("unknown kind of text '" + std::string(name) + "'; known:" + known);
}

std::vector<std::string> text_kind_names() {
  std::vector<std::string> names;
  for (const NamedTextKind& row : text_kinds) names.emplace_back(row.name);
  return names;
}

TextGenerator::TextGenerator(TextKind kind, std::uint64_t seed, std::shared_ptr<const WordChain> chain)
    : kind_(kind), seed_(seed), chain_(std::move(chain)) {
  if (kind == TextKind::english && !chain_) throw std::runtime_error("English text needs a sample text to learn from");
}

void TextGenerator::fill(std::uint64_t offset, std::span<char> into) const {
  if (into.empty()) return;
  const std::uint64_t end = offset + into.size();
  tbb::parallel_for(offset / block_bytes, (end - 1) / block_bytes + 1, [&](std::uint64_t block) {
    const std::uint64_t block_begin = block * block_bytes;
    const std::uint64_t begin = std::max(offset, block_begin);
    const std::uint64_t stop = std::min(end, block_begin + block_bytes);
    const std::span<char> piece = into.subspan(begin - offset, stop - begin);
    if (piece.size() == block_bytes) {
      fill_block(block, piece);
    } else {
      std::vector<char> whole(block_bytes);
      fill_block(block, whole);
      std::memcpy(piece.data(), whole.data() + (begin - block_begin), piece.size());
    }
  });
}

void TextGenerator::fill_block(std::uint64_t block, std::span<char> into) const {
  constexpr std::uint64_t read_line = 151;
  const std::uint64_t offset = block * block_bytes;
  std::mt19937_64 random = random_stream(seed_, kind_, block);
  switch (kind_) {
    case TextKind::english: chain_->write_prose(random, into); break;
    case TextKind::dna: write_bases(random, into); break;
    case TextKind::dna_reads:
      write_bases(random, into);
      for (std::uint64_t at = read_line - 1 - offset % read_line; at < into.size(); at += read_line) into[at] = '\n';
      break;
    case TextKind::random: write_random(random, into); break;
    case TextKind::log: write_log(random, offset, into); break;
    case TextKind::repeated: std::fill(into.begin(), into.end(), 'a'); break;
    case TextKind::nearly_repeated:
      std::fill(into.begin(), into.end(), 'a');
      for (std::size_t at = 0; at < into.size(); at += 64) into[at + draw(random, 64)] = 'b';
      break;
    case TextKind::periodic:
      for (std::size_t at = 0; at < into.size(); ++at) into[at] = static_cast<char>('a' + at % 8);
      break;
  }
}

}  // namespace lode::bench
