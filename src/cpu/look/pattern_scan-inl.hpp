// PatternScan: the scan of one pattern over a range, as vector.cpp describes it. vector_together.cpp probes by itself
// at first, and hands over what two probes let through. Both include this file once for each target.
//
// A round looks at its places in one of three ways, and chooses the way of the next one:
//
//   two probes ---- candidates in a quarter of the groups, ----> three probes
//       |    ^      or in a twelfth of the last 64               (has_third_, for the rest of the range)
//       |    |                                                       |
//       |    +-- two letters pass in a quarter of the vectors --+    | candidates in a quarter of the groups
//       |        or fewer; or the probe that decides goes first |    v
//       +------- candidates in every group ------------------> letters (letters_ of them; one more if much passes)
//
// Beside that, two probes that decide a pattern are counted without looking (are_frequent_), a large text is probed in
// four parts side by side while candidates are rare (has_parted_), and what has used up its budget ends the scan.
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

#include "base/mask_bits-inl.hpp"
#include "cpu/look/letter_bits-inl.hpp"
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

  /// The first two probes, and the third, made ready to be kept in registers.
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

    /// Which places of a vector pass the first `probes` probes.
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
    /// Which places pass the third probe; the first again, where there are but two.
    HWY_INLINE hn::Mask<Bytes> test_third(std::uint64_t at) const {
      auto three = hn::LoadU(d_, third_text + at);
      if constexpr (folded) three = hn::Or(three, hn::Set(d_, third->case_bit));
      return hn::Eq(three, hn::Set(d_, third->byte));
    }

    hn::Vec<Bytes> first_byte, second_byte, first_case, second_case;
    const std::uint8_t *first_text, *second_text, *third_text;
    const Probe* third;
  };

  /// The end of the places at which a whole group of vectors may begin: all its probes lie inside the piece, and all
  /// its places in the range.
  std::uint64_t group_begins() const { return group_begins(end_of_places()); }

  /// Scans the range from `at` on. Whoever calls this calls neither take() nor close().
  void scan_from(std::uint64_t at) {
    std::array<Places, parts> left{{{at, end_of_places()}}};
    std::size_t count = 1;
    // scan_places() is called in one place of the code only, so that what it keeps may stay in registers.
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

  /// Ends a scan that was made by calls of take_first(), take() and add().
  void close() {
    if (HWY_UNLIKELY(is_exhausted())) pattern_.scan_in_bounded_time(out_, exhausted_at_, out_.end());
    tell();
  }

  bool is_exhausted() const { return exhausted_at_ != never; }
  const VectorPattern& pattern() const { return pattern_; }
  const Probe& first() const { return first_; }
  /// Takes the first `count` places from `at` on. A whole group begins there.
  void take_first(std::uint64_t at, std::uint64_t count) { finish(at, probe_two(at), (std::uint64_t{1} << count) - 1); }

  /// Whether what passes two probes is only counted. Then add() takes the place of take().
  bool only_counts() const { return pattern_.is_decided_by_two() && counts_; }
  void add(std::uint64_t occurrences) { occurrences_ += occurrences; }

  /// Takes the places of a vector that have passed two probes.
  HWY_INLINE void take(std::uint64_t at, hn::Mask<Bytes> mask) { finish(at, mask, ~std::uint64_t{0}); }

 private:
  static constexpr std::uint64_t parts = Piece::parts;

  // Which four vectors form a group: vectors side by side, or one of each part of the range.
  enum class Groups { beside, parted };

  using Letters = LetterBits<folded, std::tuple_size_v<decltype(VectorPattern::letters)>>;

  // The end of the places in the range at which the pattern may begin.
  std::uint64_t end_of_places() const {
    const std::uint64_t size = out_.piece().size;
    const std::uint64_t length = pattern_.bytes.size();
    return length > size ? 0 : std::min<std::uint64_t>(out_.end(), size - length + 1);
  }

  void tell() {
    if (occurrences_ != 0) out_.add(pattern_.distinct, occurrences_);
    out_.add_candidates(candidates_);
  }

  // The end of the places before `end` at which a whole group may begin.
  std::uint64_t group_begins(std::uint64_t end) const {
    const std::uint64_t size = out_.piece().size;
    const std::uint64_t reach = std::uint64_t{pattern_.probe_reach} + 1;
    return size < group_ + reach || end < group_ ? 0 : std::min(end - group_, size - reach - group_) + 1;
  }

  struct Places {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  // Scans four parts of the places side by side, as long as few groups have candidates: memory gives four streams
  // faster than one. Returns what is left of each part. The first place is aligned.
  std::array<Places, parts> scan_parts(const Places& places) {
    has_parted_ = true;
    const std::uint64_t at = places.begin;
    const std::uint64_t span = (places.end - at) / parts / group_ * group_;
    const std::uint64_t last_part = at + (parts - 1) * span;
    // The last part's vectors are the first that would leave the piece.
    const std::uint64_t begins = group_begins(places.end);
    const std::uint64_t last = begins > last_part ? std::min(at + span - lanes_, begins - 1 - (parts - 1) * span) : 0;
    std::uint64_t next = at;
    while (next <= last && letters_ == 0 && !is_exhausted()) next = scan_groups<Groups::parted>(next, last, span);
    std::array<Places, parts> left;
    for (std::uint64_t part = 0; part < parts; ++part) {
      left[part] = {next + part * span, part + 1 < parts ? at + (part + 1) * span : places.end};
      // The budget ended in the last group. This part's vector of it may not have been looked at.
      if (exhausted_at_ < left[part].begin) left[part].begin = std::max(exhausted_at_, left[part].begin - lanes_);
    }
    return left;
  }

  // Scans places and takes them away from the front. What is left is to be scanned in parts, or in bounded time where
  // the budget has ended.
  void scan_places(Places& places) {
    std::uint64_t at = places.begin;
    const std::uint64_t end = places.end;
    const std::uint64_t reach = std::uint64_t{pattern_.probe_reach} + 1;
    // From `tried` on it is known whether candidates are frequent, and the rest may be scanned in parts.
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

  // Takes places until the load at `offset` behind the next one is aligned to vectors, and returns that one. Loads that
  // cross lines of the cache are slow where lines are still on their way.
  std::uint64_t align(std::uint64_t at, std::uint64_t offset) {
    const std::uint64_t lead = (0 - reinterpret_cast<std::uintptr_t>(text_ + at + offset)) % lanes_;
    if (lead != 0) take_first(at, lead);
    return at + lead;
  }

  // Chooses what comes after a round of probes, of whose groups so many had candidates. Where they are many a third
  // probe joins the two. Where they still are, or all groups have some, letters come next.
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

  // Counts the places of a round that two probes decide, where most groups have candidates. Takes and returns what
  // scan_round() does.
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

  // Scans a round by the first probes. It has groups of four vectors that lie `apart`; their first vectors begin at
  // `at` and behind, at `last` at the latest. Returns where the next round begins. All groups are probed first; then
  // those that had candidates are looked at. A branch for each group would cost more than they do, as no processor
  // foresees it. The loop is so small that all it needs stays in registers.
  template <Groups groups, std::size_t probes>
  HWY_NOINLINE std::uint64_t scan_round(const std::uint64_t at, const std::uint64_t last, const std::uint64_t apart) {
    const Probing<probes> probing(*this);
    const std::uint64_t end = at + std::min(round_groups_, (last - at) / step<groups>() + 1) * step<groups>();
    std::uint64_t left = 0;  // a bit for each group that had candidates, the lowest for the last
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

  // Looks at a group that has candidates. A third probe turns most of them away, before a branch depends on them.
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

  // How many words of 64 places from `at` on a round of letters may take: all places lie before `end`, and all that it
  // reads in the piece.
  std::uint64_t whole_words(std::uint64_t at, std::uint64_t end) const {
    const std::uint64_t readable = (out_.piece().size - at) / 64;
    const std::uint64_t reach = pattern_.probe_reach / 64 + 1;
    const std::uint64_t words = std::min({round_words, (end - at) / 64, readable - std::min(readable, reach)});
    return words / most_word_lanes * most_word_lanes;
  }

  // Scans a round by the first letters_ letters. Where too many places pass that they do not decide, the next round
  // takes one letter more. Where probes let few through, they come next.
  std::uint64_t scan_letters(const std::uint64_t at, const std::uint64_t words) {
    const std::size_t count = letters_;
    const bool decided = pattern_.letters_decide && count == pattern_.letter_count;
    if (shifted_letters_ != count) list_shifts(count);
    const std::uint64_t reach = pattern_.probe_reach / 64 + 1;
    letter_bits_.mark({pattern_.letters.data(), count}, text_ + at, text_ + furthest_, words + reach);
    std::uint64_t with_candidates = 0;  // vectors in which places pass two probes
    std::uint64_t with_letters = 0;     // vectors in which places pass all letters that are marked
    std::uint64_t with_hits = 0;        // vectors in which places pass all probes
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

  // Further probes turn away nearly all that letters let through. The one that did so last becomes one of the two; that
  // happens once in a range.
  void put_decisive_first() {
    is_decisive_first_ = true;
    second_ = pattern_.probes[0];
    first_ = pattern_.probes[decisive_];
    first_untested_ = 1;
    letters_ = 0;
  }

  // Lists the shifts of the first `letters` letters. If there is only one, it stands twice.
  void list_shifts(std::size_t letters) {
    shifted_letters_ = letters;
    shift_count_ = 0;
    for (std::size_t probe = 0; probe < pattern_.probe_count; ++probe)
      if (const std::size_t letter = pattern_.letter_of[probe]; letter < letters)
        shifts_[shift_count_++] = letter_bits_.shift(letter, pattern_.probes[probe].offset);
    if (shift_count_ == 1) shifts_[shift_count_++] = shifts_[0];
  }

  // Takes the places of a vector of words that passed the letters. Returns whether any passed all probes.
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

  // Returns the places at which the other letters are right, too; the first `letters` are. The probe that turned all
  // away the last time goes first.
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

  // The places, of 64, at which a probe is right.
  HWY_INLINE std::uint64_t bits_at(std::uint64_t at, const Probe& tested) const {
    std::uint64_t right = 0;
    for (std::uint64_t part = 0; part < 64; part += lanes_) right |= mask_bits(d_, probe(at + part, tested)) << part;
    return right;
  }

  // Prefetches the lines of a later group. It may lie behind the range, where the next range usually begins, but not
  // behind the piece.
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
  // This is not inlined, because it is long and many places call it.
  HWY_NOINLINE void finish_some(std::uint64_t at, hn::Mask<Bytes> mask, std::uint64_t wanted) {
    for (std::size_t next = first_untested_; next < pattern_.probe_count; ++next) {
      mask = hn::And(mask, probe(at, pattern_.probes[next]));
      if (hn::AllFalse(d_, mask)) return;
    }
    take_bits(at, mask_bits(d_, mask) & wanted, pattern_.probes_decide);
  }

  // Takes places that passed: as occurrences, or to be verified where that is not decided.
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
  static constexpr std::uint64_t least_round_groups = 8;  // groups of a round where many have candidates
  static constexpr std::uint64_t groups_for_third = 64;   // groups after which candidates are counted anew
  static constexpr std::uint64_t counted_groups = 64;     // groups of a round of count_places()
  static constexpr std::uint64_t tried_places = 4096;     // places that are scanned before the rest may be parted
  static constexpr std::uint64_t word_lanes_ = hn::MaxLanes(Words64());
  static constexpr std::uint64_t round_words = Letters::round_words;
  static constexpr std::size_t few_letters = 2;
  static constexpr std::ptrdiff_t probes_of_few = 8;  // probes that few_letters must have to be enough at first
  static constexpr std::size_t probes_per_branch = 8;
  static constexpr std::uint64_t never = UINT64_MAX;
  // A scan may compare so many bytes for each place of its range before a bounded search is likely to be faster.
  static constexpr std::uint64_t bytes_per_place = 4;
  static constexpr std::uint64_t line_bytes = 64;
  const VectorPattern& pattern_;
  Collector& out_;
  const std::uint8_t* text_;
  const std::uint64_t furthest_;  // the last place of a whole group in the piece
  Probe first_;                   // the two that are asked first
  Probe second_;
  std::size_t first_untested_ = 2;  // the first of the pattern's probes that is asked behind those two
  bool is_decisive_first_ = false;
  const bool may_take_letters_ = pattern_.probe_count > 2 && lanes_ > 1;
  const bool counts_;  // whether occurrences are only counted, in occurrences_
  const bool lists_;   // whether occurrences are only listed
  const std::uint32_t length_ = static_cast<std::uint32_t>(pattern_.bytes.size());
  std::uint64_t round_groups_ = least_round_groups;  // the most groups of the next round of probes
  std::uint64_t groups_ = 0;                         // groups that were probed since these two were last 0
  std::uint64_t with_candidates_ = 0;                // and those of them that had candidates
  bool has_parted_ = false;
  bool has_third_ = false;
  bool are_frequent_ = false;      // whether most groups of the last round of probes had candidates
  std::size_t letters_ = 0;        // how many the next round takes; 0: it takes two or three probes
  std::size_t first_letters_ = 0;  // how many the first round of letters takes
  std::size_t decisive_ = 0;       // the probe that last turned away what letters let through
  std::uint64_t candidates_ = 0;   // places that were compared whole
  std::uint64_t occurrences_ = 0;
  ComparisonBudget budget_;
  std::uint64_t exhausted_at_ = never;  // the first place for which the budget did not suffice
  // The shifts of the first shifted_letters_ letters.
  std::array<LetterShift, std::tuple_size_v<decltype(VectorPattern::probes)> + 1> shifts_;
  std::size_t shift_count_ = 0;
  std::size_t shifted_letters_ = 0;
  Letters letter_bits_;
};

/// Scans for one pattern by itself, from a place on (vector.cpp).
void scan_pattern(const VectorPattern& pattern, Collector& out, std::uint64_t at);
/// Scans for 2 … VectorPattern::most_together patterns; all ignore case, or none does (vector_together.cpp).
void scan_together(std::span<const VectorPattern> patterns, Collector& out);

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();
#endif
