#include "record_workload.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <unordered_set>

#include "base/threads.hpp"

namespace lode::bench {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t block_bytes = mebibyte;
constexpr std::uint64_t letter_count = 16;

char printable_of(std::uint64_t byte) { return static_cast<char>(' ' + ((byte * 95) >> 8)); }
char letter_of(std::uint64_t byte) { return static_cast<char>('a' + byte % letter_count); }

void fill_with(char (*byte_of)(std::uint64_t), std::uint64_t seed, std::span<char> text) {
  run_ranges(thread_count(0), text.size(), block_bytes, [&](std::uint64_t begin, std::uint64_t end) {
    std::seed_seq seeds{seed, begin / block_bytes};
    std::mt19937_64 random(seeds);
    for (std::uint64_t at = begin; at < end;) {
      std::uint64_t bits = random();
      for (int byte = 0; byte < 8 && at < end; ++byte, bits >>= 8) text[at++] = byte_of(bits & 255);
    }
  });
}

std::vector<std::string> make_printable_patterns(const RecordRecipe& recipe, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> patterns;
  std::unordered_set<std::string> seen;
  while (patterns.size() < recipe.patterns) {
    std::string pattern(recipe.pattern_bytes, ' ');
    for (char& byte : pattern) byte = printable_of(draw(random, 256));
    if (seen.insert(pattern).second) patterns.push_back(std::move(pattern));
  }
  return patterns;
}

}  // namespace

std::vector<RecordRecipe> record_recipes(std::uint64_t text_bytes) {
  // The origin reports 2615 matches in 128 MB, here in records of 100 bytes.
  constexpr double few = 2615.0 * 100 / (128 * mebibyte);
  std::vector<RecordRecipe> recipes(10);
  for (RecordRecipe& recipe : recipes) {
    recipe.text_bytes = text_bytes;
    recipe.planted = few;
  }
  recipes[0].name = "few-hits";
  recipes[1].name = "10-percent";
  recipes[1].planted = 0.1;
  recipes[2].name = "90-percent";
  recipes[2].planted = 0.9;
  recipes[3].name = "english";
  recipes[3].text = RecordText::english;
  recipes[3].planted = 0;
  recipes[4].name = "long-records";
  recipes[4].shortest = recipes[4].longest = mebibyte;
  recipes[4].patterns = 8000;
  recipes[4].planted = 1;
  for (std::size_t few_patterns = 0; few_patterns < 3; ++few_patterns) {
    RecordRecipe& recipe = recipes[5 + few_patterns];
    recipe.patterns = std::uint64_t{1} << (2 * few_patterns);
    recipe.name = "short-records-" + std::to_string(recipe.patterns);
    recipe.shortest = 16;
    recipe.longest = 24;
    recipe.planted = 0.01;
  }
  recipes[8].name = "letters";
  recipes[8].text = RecordText::letters;
  recipes[8].patterns = letter_count;
  recipes[8].pattern_bytes = 1;
  recipes[8].planted = 0;
  // 256 MiB among a million of 20 bytes, where the others have 128 MiB.
  recipes[9].name = "one-long-record";
  recipes[9].long_record = 2 * text_bytes;
  recipes[9].text_bytes = text_bytes / 128 * 20'000'000 / mebibyte;
  recipes[9].shortest = recipes[9].longest = 20;
  recipes[9].patterns = 16;
  recipes[9].planted = 0.01;
  return recipes;
}

std::vector<RecordRecipe> large_record_recipes() {
  std::vector<RecordRecipe> recipes;
  for (const RecordRecipe& recipe : record_recipes(1024 * mebibyte))
    if (recipe.name != "english" && recipe.name != "long-records" && !recipe.name.starts_with("short-"))
      recipes.push_back(recipe);
  for (RecordRecipe& recipe : recipes) {
    recipe.name = "large-" + recipe.name;
    if (recipe.text == RecordText::printable && recipe.long_record == 0) recipe.patterns = 8000;
    // Among the million short ones that it has in the usual size, too.
    if (recipe.long_record != 0) {
      recipe.long_record = 1024 * mebibyte;
      recipe.text_bytes = 20'000'000;
    }
  }
  return recipes;
}

RecordWorkload::RecordWorkload(RecordRecipe recipe, const std::filesystem::path& sample) : recipe_(std::move(recipe)) {
  text_ = std::make_unique<TextMemory>(recipe_.text_bytes + recipe_.long_record);
  switch (recipe_.text) {
    case RecordText::printable:
      fill_with(printable_of, text_seed, text_->bytes());
      patterns_ = make_printable_patterns(recipe_, pattern_seed);
      break;
    case RecordText::english: {
      const TextGenerator prose(TextKind::english, text_seed, WordChain::train(sample));
      prose.fill(0, text_->bytes());
      PatternRequest request;
      request.count = recipe_.patterns;
      request.min_length = request.max_length = recipe_.pattern_bytes;
      request.seed = pattern_seed;
      patterns_ = make_patterns(request, prose, recipe_.text_bytes);
      break;
    }
    case RecordText::letters:
      fill_with(letter_of, text_seed, text_->bytes());
      for (std::uint64_t letter = 0; letter < letter_count; ++letter) patterns_.emplace_back(1, letter_of(letter));
      break;
  }
  make_offsets();
  plant();
  records_ = Records::with_offsets({text_->bytes().data(), text_->bytes().size()}, offsets_);
}

void RecordWorkload::make_offsets() {
  std::mt19937_64 random(text_seed);
  const std::uint64_t end = text_->bytes().size();
  offsets_.reserve(recipe_.text_bytes / recipe_.shortest + 3);
  offsets_.push_back(0);
  bool has_long = recipe_.long_record == 0;
  while (offsets_.back() < end) {
    std::uint64_t length = recipe_.shortest + draw(random, recipe_.longest - recipe_.shortest + 1);
    if (!has_long && offsets_.back() >= recipe_.text_bytes / 2) {
      length = recipe_.long_record;
      has_long = true;
    }
    offsets_.push_back(std::min(end, offsets_.back() + length));
  }
}

void RecordWorkload::plant() {
  std::mt19937_64 random(plant_seed);
  const auto most = static_cast<std::uint64_t>(recipe_.planted * 4294967296.0);
  for (std::size_t record = 0; most > 0 && record + 1 < offsets_.size(); ++record) {
    const std::string& pattern = patterns_[draw(random, patterns_.size())];
    const std::uint64_t length = offsets_[record + 1] - offsets_[record];
    const bool is_long = length == recipe_.long_record;
    if (random() >> 32 >= most && !is_long) continue;
    if (length < pattern.size()) continue;
    // In the long record at its end: what balances badly has to read all of it.
    const std::uint64_t place = is_long ? length - pattern.size() : draw(random, length - pattern.size() + 1);
    std::memcpy(text_->bytes().data() + offsets_[record] + place, pattern.data(), pattern.size());
  }
}

}  // namespace lode::bench
