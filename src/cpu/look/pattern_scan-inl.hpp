// PatternScan: one pattern's scan of a range, as vector.cpp describes it. Or of a part of it, in which vector_together.cpp
// probes, and tells what two probes let through. Both include this once for each target.
#if defined(LODE_CPU_PATTERN_SCAN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LODE_CPU_PATTERN_SCAN_INL
#undef LODE_CPU_PATTERN_SCAN_INL
#else
#define LODE_CPU_PATTERN_SCAN_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "cpu/look/letter_bits-inl.hpp"
#include "cpu/mask_bits-inl.hpp"
#include "cpu/vector.hpp"
#include "cpu/verify/comparison_budget.hpp"

HWY_BEFORE_NAMESPACE();
namespace lode {
namespace HWY_NAMESPACE {

template <bool folded>
class PatternScan {
 public:
  PatternScan(const VectorPattern& pattern, Collector& out)
      : pattern_(pattern),
        out_(out),
        text_(out.piece().data),
        furthest_(out.piece().size - std::min(out.piece().size, group_)),
        first_(pattern.probes[0]),
        second_(pattern.probes[1]),
        counts_(out.takes_counts()),
        lists_(out.takes_places()),
        budget_(bytes_per_place * (out.end() - out.begin())) {
    const auto of_few = std::count_if(pattern.letter_of.begin(), pattern.letter_of.begin() + pattern.probe_count,
                                      [](std::uint8_t letter) { return letter < few_letters; });
    first_letters_ =
        std::min(of_few >= probes_of_few ? few_letters : VectorPattern::usual_letters, pattern.letter_count);
  }

  /// What the first probes take, in registers.
  template <std::size_t probes>
  struct Probing {
    HWY_INLINE Probing() {}  // the implicit one is not compiled for the target
    HWY_INLINE explicit Probing(const PatternScan& scan) {
      first_byte = hn::Set(d_, scan.first_.byte);
      second_byte = hn::Set(d_, scan.second_.byte);
      first_case = hn::Set(d_, scan.first_.case_bit);
      second_case = hn::Set(d_, scan.second_.case_bit);
      first_text = scan.text_ + scan.first_.offset;
      second_text = scan.text_ + scan.second_.offset;
      third = &scan.pattern_.probes[scan.pattern_.probe_count > 2 ? 2 : 0];
      third_text = scan.text_ + third->offset;
    }

    /// So many of them, at the places of a vector.
    HWY_INLINE hn::Mask<Bytes> test(std::uint64_t at) const {
      auto one = hn::LoadU(d_, first_text + at);
      auto two = hn::LoadU(d_, second_text + at);
      if constexpr (folded) {
        one = hn::Or(one, first_case);
        two = hn::Or(two, second_case);
      }
      const auto both = hn::And(hn::Eq(one, first_byte), hn::Eq(two, second_byte));
      return probes == 2 ? both : hn::And(both, test_third(at));
    }
    /// Of the third one, if there is one.
    HWY_INLINE hn::Mask<Bytes> test_third(std::uint64_t at) const {
      auto three = hn::LoadU(d_, third_text + at);
      if constexpr (folded) three = hn::Or(three, hn::Set(d_, third->case_bit));
      return hn::Eq(three, hn::Set(d_, third->byte));
    }

    hn::Vec<Bytes> first_byte, second_byte, first_case, second_case;
    const std::uint8_t *first_text, *second_text, *third_text;
    const Probe* third;
  };

  /// How many places there are from the piece's begin on at which a whole group of lanes may begin, all its probes inside
  /// the piece and all its places in the range.
  std::uint64_t group_begins() const { return group_begins(end_of_places()); }

  /// Scans the range from a place in it on; the only call.
  void scan_from(std::uint64_t at) {
    std::array<Places, parts> left{{{at, end_of_places()}}};
    std::size_t count = 1;
    // In one place of the code, so that what it keeps may stay in registers.
    for (std::size_t next = 0; next < count;) {
      Places& places = left[next];
      if (!is_exhausted()) scan_places(places);
      if (!is_exhausted() && places.begin < places.end) {
        left = scan_parts(places);
        count = parts;
        continue;
      }
      if (HWY_UNLIKELY(places.begin < places.end)) pattern_.scan_in_bounded_time(out_, places.begin, places.end);
      ++next;
    }
    tell();
  }

  /// Takes no more places; the last call after others than scan_from().
  void close() {
    if (HWY_UNLIKELY(is_exhausted())) pattern_.scan_in_bounded_time(out_, exhausted_at_, out_.end());
    tell();
  }

  bool is_exhausted() const { return exhausted_at_ != never; }
  const VectorPattern& pattern() const { return pattern_; }
  const Probe& first() const { return first_; }
  /// The first `count` places from `at` on, where a whole group begins.
  void take_first(std::uint64_t at, std::uint64_t count) { finish(at, probe_two(at), (std::uint64_t{1} << count) - 1); }

  /// Whether all that is done with what two probes let through is to count it: add() then takes the place of take().
  bool only_counts() const { return pattern_.is_decided_by_two() && counts_; }
  void add(std::uint64_t occurrences) { occurrences_ += occurrences; }

  /// What has passed two probes, of a vector of places.
  HWY_INLINE void take(std::uint64_t at, hn::Mask<Bytes> mask) { finish(at, mask, ~std::uint64_t{0}); }

 private:
  static constexpr std::uint64_t parts = Piece::parts;

  // Which of a round's places are probed at once: vectors side by side, or one of each part of the range.
  enum class Groups { beside, parted };

  using Letters = LetterBits<folded, std::tuple_size_v<decltype(VectorPattern::letters)>>;

  // Behind the last place of the range at which the pattern may begin.
  std::uint64_t end_of_places() const {
    const std::uint64_t size = out_.piece().size;
    const std::uint64_t length = pattern_.bytes.size();
    return length > size ? 0 : std::min<std::uint64_t>(out_.end(), size - length + 1);
  }

  void tell() {
    if (occurrences_ != 0) out_.add(pattern_.distinct, occurrences_);
    out_.add_candidates(candidates_);
  }

  // Behind the last place before `end` at which a whole group may begin.
  std::uint64_t group_begins(std::uint64_t end) const {
    const std::uint64_t size = out_.piece().size;
    const std::uint64_t reach = std::uint64_t{pattern_.probe_reach} + 1;
    return size < group_ + reach || end < group_ ? 0 : std::min(end - group_, size - reach - group_) + 1;
  }

  struct Places {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  // Places of the range's parts side by side, which memory gives faster than one after the other, as long as few groups
  // have candidates. Returns what is left of each part. The first place is aligned.
  std::array<Places, parts> scan_parts(const Places& places) {
    has_parted_ = true;
    const std::uint64_t at = places.begin;
    const std::uint64_t span = (places.end - at) / parts / group_ * group_;
    const std::uint64_t last_part = at + (parts - 1) * span;
    // The last part's vectors are the first ones that would leave the piece.
    const std::uint64_t begins = group_begins(places.end);
    const std::uint64_t last = begins > last_part ? std::min(at + span - lanes_, begins - 1 - (parts - 1) * span) : 0;
    std::uint64_t next = at;
    while (next <= last && letters_ == 0 && !is_exhausted()) next = scan_groups<Groups::parted>(next, last, span);
    std::array<Places, parts> left;
    for (std::uint64_t part = 0; part < parts; ++part) {
      left[part] = {next + part * span, part + 1 < parts ? at + (part + 1) * span : places.end};
      // In the last group, of which this part's vector may come later.
      if (exhausted_at_ < left[part].begin) left[part].begin = std::max(exhausted_at_, left[part].begin - lanes_);
    }
    return left;
  }

  // Takes those that it scans away. What is left is to be scanned in parts, or in bounded time where it is exhausted.
  void scan_places(Places& places) {
    std::uint64_t at = places.begin;
    const std::uint64_t end = places.end;
    const std::uint64_t reach = std::uint64_t{pattern_.probe_reach} + 1;
    // Where it is known whether candidates are frequent.
    const bool may_part = !has_parted_ && at < end && out_.piece().is_parted(end - at);
    const std::uint64_t tried = may_part ? at + tried_places : never;
    if (const std::uint64_t begins = group_begins(end); begins != 0) {
      while (at < begins && !is_exhausted()) {
        at = align(at, letters_ != 0 ? 0 : first_.offset);
        if (is_exhausted() || at >= begins) break;
        if (at >= tried && letters_ == 0 && (!are_frequent_ || only_counts()) && at < end &&
            out_.piece().is_parted(end - at)) {
          places.begin = at;
          return;
        }
        const std::uint64_t last = at < tried ? std::min(begins - 1, tried) : begins - 1;
        if (const std::uint64_t words = letters_ == 0 ? 0 : whole_words(at, end); words != 0)
          at = scan_letters(at, words);
        else
          at = scan_groups<Groups::beside>(at, last, lanes_);
      }
    }
    for (; at < end && at + lanes_ + reach <= out_.piece().size && !is_exhausted(); at += lanes_) {
      const std::uint64_t left = end - at;
      finish(at, probe_two(at), left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1);
    }
    for (; at < end && !is_exhausted(); ++at) verify(at);
    places.begin = std::min(exhausted_at_, end);
  }

  HWY_INLINE hn::Mask<Bytes> probe(std::uint64_t at, const Probe& probe) const {
    auto text = hn::LoadU(d_, text_ + at + probe.offset);
    if constexpr (folded) text = hn::Or(text, hn::Set(d_, probe.case_bit));
    return hn::Eq(text, hn::Set(d_, probe.byte));
  }
  HWY_INLINE hn::Mask<Bytes> probe_two(std::uint64_t at) const {
    return hn::And(probe(at, first_), probe(at, second_));
  }

  // Takes up places until `offset` behind the next one a vector's memory begins: loads that cross lines of the cache are
  // slow where lines are still on their way.
  std::uint64_t align(std::uint64_t at, std::uint64_t offset) {
    const std::uint64_t lead = (0 - reinterpret_cast<std::uintptr_t>(text_ + at + offset)) % lanes_;
    if (lead != 0) take_first(at, lead);
    return at + lead;
  }

  // After a round of probes of so many groups. Where candidates are many a third probe joins the two; where they still are,
  // or all groups have some, letters come next.
  void choose_next(std::uint64_t with_candidates, std::uint64_t groups) {
    are_frequent_ = with_candidates * 2 > groups;
    const bool are_many = with_candidates * 4 > groups;
    round_groups_ = are_many ? least_round_groups : round_groups;
    if (!may_take_letters_) return;
    if (with_candidates == groups || (has_third_ && are_many)) letters_ = first_letters_;
    groups_ += groups;
    with_candidates_ += with_candidates;
    has_third_ = has_third_ || are_many || (groups_ >= groups_for_third && with_candidates_ * 12 > groups_);
    if (groups_ < groups_for_third) return;
    groups_ = 0;
    with_candidates_ = 0;
  }

  // A round of two probes that decide, where most groups have candidates; as scan_round().
  template <Groups groups>
  std::uint64_t count_places(std::uint64_t at, const std::uint64_t last, const std::uint64_t apart) {
    constexpr std::uint64_t step = groups == Groups::beside ? group_ : lanes_;
    const std::uint64_t beside = groups == Groups::beside ? lanes_ : apart;
    std::uint64_t found = 0;
    std::uint64_t left = counted_groups;
    for (; left != 0 && at <= last; --left, at += step) {
      prefetch_group<groups>(at, apart);
      for (std::uint64_t vector = 0; vector < 4; ++vector) found += hn::CountTrue(d_, probe_two(at + vector * beside));
    }
    occurrences_ += found;
    are_frequent_ = found * 2 > counted_groups - left;
    return at;
  }

  template <Groups groups>
  HWY_INLINE std::uint64_t scan_groups(std::uint64_t at, const std::uint64_t last, const std::uint64_t apart) {
    if (are_frequent_ && only_counts()) return count_places<groups>(at, last, apart);
    return has_third_ ? scan_round<groups, 3>(at, last, apart) : scan_round<groups, 2>(at, last, apart);
  }

  template <Groups groups>
  static constexpr std::uint64_t step() {
    return groups == Groups::beside ? group_ : lanes_;
  }

  template <Groups groups, std::size_t probes>
  static HWY_INLINE bool any_of(const Probing<probes>& probing, std::uint64_t at, std::uint64_t apart) {
    const std::uint64_t beside = groups == Groups::beside ? lanes_ : apart;
    return !hn::AllFalse(d_, hn::Or(hn::Or(probing.test(at), probing.test(at + beside)),
                                    hn::Or(probing.test(at + 2 * beside), probing.test(at + 3 * beside))));
  }

  // A round of the first probes, over groups of four vectors that lie `apart`, of which the first begins at at … last, not
  // necessarily all. Returns where the next one begins. First all groups are probed, then those that had candidates are
  // looked at: a branch for each, which no processor foresees, would cost more than they do. The loop is so small that all
  // it needs stays in registers.
  template <Groups groups, std::size_t probes>
  HWY_NOINLINE std::uint64_t scan_round(const std::uint64_t at, const std::uint64_t last, const std::uint64_t apart) {
    const Probing<probes> probing(*this);
    const std::uint64_t end = at + std::min(round_groups_, (last - at) / step<groups>() + 1) * step<groups>();
    std::uint64_t left = 0;  // a bit for each group that had candidates, the last one's lowest
    for (std::uint64_t place = at; place < end; place += step<groups>()) {
      prefetch_group<groups>(place, apart);
      left += left + (any_of<groups>(probing, place, apart) ? 1 : 0);
    }
    const auto with_candidates = static_cast<std::uint64_t>(std::popcount(left));
    for (; left != 0; left &= ~(first_group_ >> std::countl_zero(left))) {
      const std::uint64_t place = end - (64 - static_cast<unsigned>(std::countl_zero(left))) * step<groups>();
      look_at<groups>(place, apart, probing);
      if (is_exhausted()) return place + step<groups>();
    }
    choose_next(with_candidates, (end - at) / step<groups>());
    return end;
  }

  // A group that has candidates. What a third probe turns away costs no branch that depends on the text.
  template <Groups groups, std::size_t probes>
  HWY_INLINE void look_at(std::uint64_t at, std::uint64_t apart, const Probing<probes>& probing) {
    const std::uint64_t beside = groups == Groups::beside ? lanes_ : apart;
    auto a = probing.test(at);
    auto b = probing.test(at + beside);
    auto c = probing.test(at + 2 * beside);
    auto e = probing.test(at + 3 * beside);
    if (only_counts()) {
      occurrences_ += hn::CountTrue(d_, a) + hn::CountTrue(d_, b) + hn::CountTrue(d_, c) + hn::CountTrue(d_, e);
      return;
    }
    if constexpr (probes == 2) {
      a = hn::And(a, probing.test_third(at));
      b = hn::And(b, probing.test_third(at + beside));
      c = hn::And(c, probing.test_third(at + 2 * beside));
      e = hn::And(e, probing.test_third(at + 3 * beside));
    }
    if (HWY_LIKELY(hn::AllFalse(d_, hn::Or(hn::Or(a, b), hn::Or(c, e))))) return;
    finish(at, a, ~std::uint64_t{0});
    finish(at + beside, b, ~std::uint64_t{0});
    finish(at + 2 * beside, c, ~std::uint64_t{0});
    finish(at + 3 * beside, e, ~std::uint64_t{0});
  }

  // How many words of 64 places from `at` on a round of letters may take: all of their starts lie before `end`, and what
  // it reads in the piece.
  std::uint64_t whole_words(std::uint64_t at, std::uint64_t end) const {
    const std::uint64_t readable = (out_.piece().size - at) / 64;
    const std::uint64_t reach = pattern_.probe_reach / 64 + 1;
    const std::uint64_t words = std::min({round_words, (end - at) / 64, readable - std::min(readable, reach)});
    return words / most_word_lanes * most_word_lanes;
  }

  // A round of the first letters_ letters. Where too many places pass that they do not decide, the next round takes one
  // letter more; where two probes let few through, two probes come next.
  std::uint64_t scan_letters(const std::uint64_t at, const std::uint64_t words) {
    const std::size_t count = letters_;
    const bool decided = pattern_.letters_decide && count == pattern_.letter_count;
    if (shifted_letters_ != count) list_shifts(count);
    const std::uint64_t reach = pattern_.probe_reach / 64 + 1;
    letter_bits_.mark({pattern_.letters.data(), count}, text_ + at, text_ + furthest_, words + reach);
    std::uint64_t with_candidates = 0;
    std::uint64_t with_letters = 0;  // all that are marked
    std::uint64_t with_hits = 0;
    for (std::uint64_t word = 0; word < words; word += word_lanes_) {
      auto hits = hn::And(shifted_bits(word, shifts_[0]), shifted_bits(word, shifts_[1]));
      if (no_bits(hits)) continue;
      ++with_candidates;
      for (std::size_t tested = 2; tested < shift_count_;) {
        hits = hn::And(hits, shifted_bits(word, shifts_[tested]));
        if (++tested % probes_per_branch == 0 && no_bits(hits)) break;
      }
      if (decided && counts_) {
        occurrences_ += set_bits(hits);
        continue;
      }
      if (no_bits(hits)) continue;
      ++with_letters;
      with_hits += take_words(at + word * 64, hits, count, decided) ? 1 : 0;
      if (is_exhausted()) return at;
    }
    const std::uint64_t vectors = words / word_lanes_;
    if (with_candidates * 4 <= vectors)
      letters_ = 0;
    else if (!decided && count < VectorPattern::usual_letters && with_letters * 4 > vectors &&
             count < pattern_.letter_count)
      letters_ = first_letters_ = count + 1;
    else if (!decided && !is_decisive_first_ && with_letters * 4 > vectors && with_hits * 16 < with_letters)
      put_decisive_first();
    else if (!decided && with_hits * 8 > vectors && count < pattern_.letter_count)
      ++letters_;
    return at + words * 64;
  }

  // Nearly all that letters had let through was turned away: the probe that did so last comes first. Once in a range.
  void put_decisive_first() {
    is_decisive_first_ = true;
    second_ = pattern_.probes[0];
    first_ = pattern_.probes[decisive_];
    first_untested_ = 1;
    letters_ = 0;
  }

  // At least two: one stands twice if need be.
  void list_shifts(std::size_t letters) {
    shifted_letters_ = letters;
    shift_count_ = 0;
    for (std::size_t probe = 0; probe < pattern_.probe_count; ++probe)
      if (const std::size_t letter = pattern_.letter_of[probe]; letter < letters)
        shifts_[shift_count_++] = letter_bits_.shift(letter, pattern_.probes[probe].offset);
    if (shift_count_ == 1) shifts_[shift_count_++] = shifts_[0];
  }

  // Returns whether any place passed all probes.
  HWY_INLINE bool take_words(std::uint64_t at, hn::Vec<Words64> words, std::size_t letters, bool decided) {
    HWY_ALIGN std::uint64_t each[most_word_lanes];
    hn::Store(words, Words64(), each);
    std::uint64_t passed = 0;
    for (std::uint64_t word = 0; word < word_lanes_; ++word) {
      const std::uint64_t place = at + word * 64;
      const std::uint64_t bits = decided ? each[word] : test_rest(place, each[word], letters);
      passed |= bits;
      if (decided && lists_)
        out_.list_places(place, bits, pattern_.distinct, length_);
      else
        take_bits(place, bits, pattern_.probes_decide);
    }
    return passed != 0;
  }

  // Returns those of the places, at which the first `letters` letters are right, where the other letters are right, too. The
  // probe that turned all away the last time goes first.
  HWY_INLINE std::uint64_t test_rest(std::uint64_t at, std::uint64_t bits, std::size_t letters) {
    if (bits == 0 || (bits &= bits_at(at, pattern_.probes[decisive_])) == 0) return 0;
    for (std::size_t next = 0; next < pattern_.probe_count; ++next) {
      if (pattern_.letter_of[next] < letters) continue;
      bits &= bits_at(at, pattern_.probes[next]);
      if (bits != 0) continue;
      decisive_ = next;
      break;
    }
    return bits;
  }

  HWY_INLINE std::uint64_t bits_at(std::uint64_t at, const Probe& tested) const {
    std::uint64_t right = 0;
    for (std::uint64_t part = 0; part < 64; part += lanes_) right |= mask_bits(d_, probe(at + part, tested)) << part;
    return right;
  }

  // Asks for the lines of a group that comes later; behind the range, where the next one usually begins, but not behind
  // the piece.
  template <Groups groups>
  HWY_INLINE void prefetch_group(std::uint64_t at, std::uint64_t apart) const {
    const std::uint64_t furthest = groups == Groups::beside ? furthest_ : furthest_ - (parts - 1) * apart;
    const std::uint64_t ahead =
        std::min(groups == Groups::beside ? Piece::prefetch_bytes : Piece::parted_prefetch_bytes, furthest);
    const std::uint8_t* const later = text_ + ahead + std::min(at, furthest - ahead);
    if constexpr (groups == Groups::beside) {
      for (std::uint64_t line = 0; line < group_; line += line_bytes) hwy::Prefetch(later + line);
    } else if constexpr (lanes_ == line_bytes) {
      for (std::uint64_t part = 0; part < parts; ++part) hwy::Prefetch(later + part * apart);
    }
  }

  HWY_INLINE void finish(std::uint64_t at, hn::Mask<Bytes> mask, std::uint64_t wanted) {
    if (HWY_UNLIKELY(!hn::AllFalse(d_, mask))) finish_some(at, mask, wanted);
  }
  // The function is not inlined, because it is long and many places call it.
  HWY_NOINLINE void finish_some(std::uint64_t at, hn::Mask<Bytes> mask, std::uint64_t wanted) {
    for (std::size_t next = first_untested_; next < pattern_.probe_count; ++next) {
      mask = hn::And(mask, probe(at, pattern_.probes[next]));
      if (hn::AllFalse(d_, mask)) return;
    }
    take_bits(at, mask_bits(d_, mask) & wanted, pattern_.probes_decide);
  }

  // Places that passed, and are occurrences if that is decided.
  HWY_INLINE void take_bits(std::uint64_t at, std::uint64_t bits, bool decided) {
    if (!decided) {
      for (; bits != 0; bits &= bits - 1) verify(at + static_cast<unsigned>(std::countr_zero(bits)));
    } else if (counts_) {
      occurrences_ += static_cast<std::uint64_t>(std::popcount(bits));
    } else if (lists_) {
      out_.list_places(at, bits, pattern_.distinct, length_);
    } else {
      for (; bits != 0; bits &= bits - 1)
        out_.emit(at + static_cast<unsigned>(std::countr_zero(bits)), pattern_.distinct, length_);
    }
  }

  void verify(std::uint64_t at) {
    if (is_exhausted()) return;
    const std::uint64_t length = pattern_.bytes.size();
    if (!pattern_.probes_decide && budget_.is_spent()) {
      exhausted_at_ = at;
      return;
    }
    ++candidates_;
    if (budget_.equal(text_ + at, pattern_.bytes.data(), length, folded))
      out_.emit(at, pattern_.distinct, static_cast<std::uint32_t>(length));
  }

  static constexpr Bytes d_{};
  static constexpr std::uint64_t lanes_ = hn::MaxLanes(Bytes());
  static constexpr std::uint64_t group_ = 4 * lanes_;
  static constexpr std::uint64_t round_groups = 64;
  static constexpr std::uint64_t first_group_ = std::uint64_t{1} << (round_groups - 1);
  static constexpr std::uint64_t least_round_groups = 8;  // where many have candidates
  static constexpr std::uint64_t groups_for_third = 64;
  static constexpr std::uint64_t counted_groups = 64;  // of a round
  static constexpr std::uint64_t tried_places = 4096;  // before parts
  static constexpr std::uint64_t word_lanes_ = hn::MaxLanes(Words64());
  static constexpr std::uint64_t round_words = Letters::round_words;
  static constexpr std::size_t few_letters = 2;
  static constexpr std::ptrdiff_t probes_of_few = 8;  // that they must have to be enough at first
  static constexpr std::size_t probes_per_branch = 8;
  static constexpr std::uint64_t never = UINT64_MAX;
  // A scan may compare so many bytes for each place of its range before a bounded search is likely to be faster.
  static constexpr std::uint64_t bytes_per_place = 4;
  static constexpr std::uint64_t line_bytes = 64;
  const VectorPattern& pattern_;
  Collector& out_;
  const std::uint8_t* text_;
  const std::uint64_t furthest_;  // place of the last whole group in the piece
  Probe first_;                   // of two
  Probe second_;
  std::size_t first_untested_ = 2;  // of the pattern's probes, behind those two
  bool is_decisive_first_ = false;
  const bool may_take_letters_ = pattern_.probe_count > 2 && lanes_ > 1;
  const bool counts_;  // occurrences are only counted, in occurrences_
  const bool lists_;   // occurrences are only listed
  const std::uint32_t length_ = static_cast<std::uint32_t>(pattern_.bytes.size());
  std::uint64_t round_groups_ = least_round_groups;  // of the next round of probes, at most
  std::uint64_t groups_ = 0;                         // probed by two
  std::uint64_t with_candidates_ = 0;                // of them
  bool has_parted_ = false;
  bool has_third_ = false;
  bool are_frequent_ = false;      // groups with candidates, in the last round of probes
  std::size_t letters_ = 0;        // of the next round; 0: two or three probes
  std::size_t first_letters_ = 0;  // of the first round of letters
  std::size_t decisive_ = 0;       // the probe that decided when letters had not
  std::uint64_t candidates_ = 0;   // compared whole
  std::uint64_t occurrences_ = 0;
  ComparisonBudget budget_;
  std::uint64_t exhausted_at_ = never;  // where the first place lies for which the budget did not suffice
  std::array<LetterShift, std::tuple_size_v<decltype(VectorPattern::probes)> + 1> shifts_;  // of shifted_letters_
  std::size_t shift_count_ = 0;
  std::size_t shifted_letters_ = 0;
  Letters letter_bits_;
};

/// One pattern by itself, from a place on (vector.cpp).
void scan_pattern(const VectorPattern& pattern, Collector& out, std::uint64_t at);
/// Two patterns to VectorPattern::most_together, all of which ignore case or none (vector_together.cpp).
void scan_together(std::span<const VectorPattern> patterns, Collector& out);

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();
#endif
