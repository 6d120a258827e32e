// The SIMD part of LetterGroup; letter_group.hpp tells the idea. The scan goes in rounds of 4096 places. In each round
// all letters are marked first; then the patterns follow one by one.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/look/letter_group.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/look/letter_bits-inl.hpp"

#ifndef LODE_CPU_LETTER_GROUP_ONCE
#define LODE_CPU_LETTER_GROUP_ONCE

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "cpu/look/letter_group.hpp"
#include "cpu/verify/comparison_budget.hpp"

#endif

HWY_BEFORE_NAMESPACE();
namespace lode {
namespace HWY_NAMESPACE {

template <bool folded>
class LetterGroupScan {
 public:
  LetterGroupScan(const LetterGroup& group, Collector& out)
      : group_(group),
        out_(out),
        reach_words_(group.probe_reach() / 64 + 1),
        progress_(group.members().size(), {ComparisonBudget(bytes_per_place * (out.end() - out.begin()))}) {}

  void run() {
    const Piece& piece = out_.piece();
    for (std::uint64_t at = out_.begin(); at < out_.end(); at += round_places) {
      const std::uint64_t words = std::min(round_words, (out_.end() - at + 63) / 64);
      const std::uint64_t marked_bytes = (words + reach_words_) * 64;
      const std::uint64_t left = piece.size - at;
      if (marked_bytes <= left) {
        mark(piece.data + at, piece.data + piece.size - 1, words + reach_words_);
      } else {  // zeros behind the piece may seem to be letters; no place is taken whose pattern would reach them
        std::memcpy(end_, piece.data + at, left);
        std::memset(end_ + left, 0, marked_bytes - left);
        mark(end_, end_, words + reach_words_);
      }
      for (std::size_t member = 0; member < progress_.size(); ++member) take_round(member, at, words);
    }
    for (std::size_t member = 0; member < progress_.size(); ++member) close(member);
  }

 private:
  using Letters = LetterBits<folded, LetterGroup::most_letters>;

  static constexpr std::uint64_t round_words = Letters::round_words;
  static constexpr std::uint64_t round_places = LetterGroup::round_places;
  static_assert(round_places == round_words * 64);
  static constexpr std::uint64_t word_lanes = hn::MaxLanes(Words64());
  static constexpr std::size_t tests_at_once = 4;
  static constexpr std::uint64_t bytes_per_place = 4;  // bytes that may be compared for each place, as in `vector`
  static constexpr std::uint64_t never = UINT64_MAX;

  // The counts of one pattern in the range.
  struct Progress {
    ComparisonBudget budget;
    std::uint64_t occurrences = 0;
    std::uint64_t candidates = 0;        // places that were compared whole
    std::uint64_t exhausted_at = never;  // the first place for which the budget did not suffice
  };

  void mark(const std::uint8_t* text, const std::uint8_t* furthest, std::uint64_t words) {
    letter_bits_.mark(group_.letters(), text, furthest, words);
  }

  void take_round(std::size_t number, std::uint64_t at, std::uint64_t words) {
    const LetterGroup::Member& member = group_.members()[number];
    const std::uint64_t size = out_.piece().size;
    const std::uint64_t length = member.pattern.bytes.size();
    const std::uint64_t end = length > size ? 0 : std::min(out_.end(), size - length + 1);
    Progress& progress = progress_[number];
    if (at >= end || progress.exhausted_at != never || !test(member, words)) return;
    const std::uint64_t places = std::min(end - at, words * 64);
    if (places < round_places) leave_places(places);
    if (member.pattern.probes_decide)
      progress.occurrences += count_hits();
    else
      compare_hits(member, at, progress);
  }

  // Sets hits_ to the places, in a round of `words` words, at which all tests of the pattern pass. Returns whether
  // there is any.
  bool test(const LetterGroup::Member& member, std::uint64_t words) {
    const std::span<const LetterGroup::Test> tests = member.tests;
    bool any = test_next<false>(tests.first(std::min(tests.size(), tests_at_once)), words);
    for (std::size_t first = tests_at_once; any && first < tests.size(); first += tests_at_once)
      any = test_next<true>(tests.subspan(first, std::min(tests.size() - first, tests_at_once)), words);
    return any;
  }
  template <bool some_passed>
  bool test_next(std::span<const LetterGroup::Test> tests, std::uint64_t words) {
    switch (tests.size()) {
      case 1: return test_some<1, some_passed>(tests, words);
      case 2: return test_some<2, some_passed>(tests, words);
      case 3: return test_some<3, some_passed>(tests, words);
      default: return test_some<tests_at_once, some_passed>(tests, words);
    }
  }

  template <std::size_t count, bool some_passed>
  bool test_some(std::span<const LetterGroup::Test> tests, std::uint64_t words) {
    const Words64 d;
    LetterShift shifts[count];
    for (std::size_t at = 0; at < count; ++at) shifts[at] = letter_bits_.shift(tests[at].letter, tests[at].offset);
    auto any = hn::Zero(d);
    for (std::uint64_t word = 0; word < words; word += word_lanes) {
      auto hits = shifted_bits(word, shifts[0]);
      for (std::size_t at = 1; at < count; ++at) hits = hn::And(hits, shifted_bits(word, shifts[at]));
      if constexpr (some_passed) hits = hn::And(hits, hn::Load(d, hits_ + word));
      hn::Store(hits, d, hits_ + word);
      any = hn::Or(any, hits);
    }
    return !no_bits(any);
  }

  // Clears the hits behind the first `places` places.
  void leave_places(std::uint64_t places) {
    for (std::uint64_t word = places / 64; word < round_words; ++word)
      hits_[word] = word * 64 >= places ? 0 : hits_[word] & ((std::uint64_t{1} << places % 64) - 1);
  }

  std::uint64_t count_hits() const {
#if HWY_TARGET == HWY_AVX2  // AVX2 has an instruction that counts the bits of a number, and none for vectors
    std::uint64_t sum = 0;
    for (const std::uint64_t word : hits_) sum += static_cast<std::uint64_t>(std::popcount(word));
    return sum;
#else
    const Words64 d;
    auto sums = hn::Zero(d);
    for (std::uint64_t word = 0; word < round_words; word += word_lanes)
      sums = hn::Add(sums, hn::PopulationCount(hn::Load(d, hits_ + word)));
    return hn::GetLane(hn::SumOfLanes(d, sums));
#endif
  }

  void compare_hits(const LetterGroup::Member& member, std::uint64_t at, Progress& progress) {
    for (std::uint64_t word = 0; word < round_words; ++word)
      if (hits_[word] != 0) compare(member, at + word * 64, hits_[word], progress);
  }

  // Compares the pattern at the places, from `at` on, whose bits are set.
  void compare(const LetterGroup::Member& member, std::uint64_t at, std::uint64_t bits, Progress& progress) {
    const std::span<const std::uint8_t> bytes = member.pattern.bytes;
    for (; bits != 0 && progress.exhausted_at == never; bits &= bits - 1) {
      const std::uint64_t place = at + static_cast<unsigned>(std::countr_zero(bits));
      if (progress.budget.is_spent()) {
        progress.exhausted_at = place;
        return;
      }
      ++progress.candidates;
      const std::uint8_t* const text = out_.piece().data + place;
      const bool is_equal = progress.budget.equal(text, bytes.data(), bytes.size(), member.pattern.ignore_case);
      progress.occurrences += is_equal ? 1 : 0;
    }
  }

  void close(std::size_t number) {
    const Progress& progress = progress_[number];
    const VectorPattern& pattern = group_.members()[number].pattern;
    if (progress.exhausted_at != never) pattern.scan_in_bounded_time(out_, progress.exhausted_at, out_.end());
    if (progress.occurrences != 0) out_.add(pattern.distinct, progress.occurrences);
    out_.add_candidates(progress.candidates);
  }

  const LetterGroup& group_;
  Collector& out_;
  const std::uint64_t reach_words_;  // the words behind a round that probes reach
  std::vector<Progress> progress_;
  HWY_ALIGN std::uint64_t hits_[round_words] = {};  // the places of a round at which one pattern's tests pass
  Letters letter_bits_;
  std::uint8_t end_[Letters::most_words * 64];  // the text's last bytes, then zeros
};

void scan_letter_group(const LetterGroup& group, Collector& out) {
  group.folded() ? LetterGroupScan<true>(group, out).run() : LetterGroupScan<false>(group, out).run();
}

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lode {
namespace {

constexpr double few_left = 0.5;  // with fewer places left of a round on average, most rounds have none

}  // namespace

std::optional<LetterGroup> LetterGroup::make(const PlanData& plan, std::span<const std::uint32_t> distincts,
                                             std::string_view sample) {
  if (distincts.size() > most_patterns || sample.empty()) return std::nullopt;
  LetterGroup group;
  for (const std::uint32_t distinct : distincts) {
    Member& member = group.members_.emplace_back(Member{VectorPattern(plan, distinct), {}, 0});
    const VectorPattern& pattern = member.pattern;
    for (std::size_t at = 0; at < pattern.probe_count; ++at) {
      const std::optional<std::uint32_t> letter = group.number_of(pattern.probes[at]);
      if (!letter) return std::nullopt;
      member.tests.push_back({*letter, pattern.probes[at].offset});
    }
    group.probe_reach_ = std::max(group.probe_reach_, pattern.probe_reach);
  }
  std::array<double, most_letters> frequencies{};
  for (const char byte : sample)
    for (std::size_t letter = 0; letter < group.letter_count_; ++letter)
      if ((static_cast<std::uint8_t>(byte) | group.letters_[letter].case_bit) == group.letters_[letter].byte)
        frequencies[letter] += 1 / static_cast<double>(sample.size());
  for (Member& member : group.members_) group.order_tests(member, frequencies);
  return group;
}

std::optional<std::uint32_t> LetterGroup::number_of(const Probe& probe) {
  for (std::size_t letter = 0; letter < letter_count_; ++letter)
    if (letters_[letter].byte == probe.byte && letters_[letter].case_bit == probe.case_bit)
      return static_cast<std::uint32_t>(letter);
  if (letter_count_ == most_letters) return std::nullopt;
  letters_[letter_count_] = {0, probe.byte, probe.case_bit};
  folded_ = folded_ || probe.case_bit != 0;
  return static_cast<std::uint32_t>(letter_count_++);
}

void LetterGroup::order_tests(Member& member, std::span<const double> frequencies) const {
  std::stable_sort(member.tests.begin(), member.tests.end(),
                   [&](const Test& a, const Test& b) { return frequencies[a.letter] < frequencies[b.letter]; });
  double left = round_places;
  for (const Test& test : member.tests) {
    if (left < few_left) break;
    left *= frequencies[test.letter];
    ++member.likely_tests;
  }
}

LetterGroupRunner letter_group_runner(InstructionSet set) { return LODE_FOR_INSTRUCTION_SET(set, scan_letter_group); }

}  // namespace lode
#endif
