// windows: hashes a window at every sampled place, tests two bits, verifies what passes.
//
// Idea: src/plan/filter.hpp says which windows stand in the tables and why every occurrence covers one. Here each class
// gets a blocked Bloom filter: two bits of one 32-bit word for each window, by the sum that its hash is made of. The
// sums of a vector of windows are made at once, and the words are gathered. The places that pass are hashed and go to a
// queue that verifies them (verify/place_queue-inl.hpp).
// Which classes are scanned so, and which otherwise, is decided in strategy/strategy.cpp.
// Worst case: every place passes and its bucket is long: sets of patterns that share all their windows, in a text made
// of them. Loses to `vector` on one pattern.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/look/windows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/mask_bits-inl.hpp"
#include "cpu/verify/place_queue-inl.hpp"
#include "cpu/words-inl.hpp"

#ifndef LODE_CPU_WINDOWS_ONCE
#define LODE_CPU_WINDOWS_ONCE

#include <algorithm>
#include <bit>

#include "cpu/look/window_class.hpp"

#endif

HWY_BEFORE_NAMESPACE();
namespace lode {
namespace HWY_NAMESPACE {

// The top bit of each lane tells whether the window with this sum passes by its word of the filter
// (WindowClass::passes). The word is shifted so that a wanted bit comes to the top, once for each of the two, and both
// results are ANDed:
//
//   sum >> 5 is 19 (mod 32)    the word's bit 19 from the top, shifted left by 19, is the top bit
HWY_INLINE WordVector passes_by_top(WordVector word, WordVector sum) {
#if HWY_TARGET == HWY_AVX3_DL
  // Rotations take a number modulo 32.
  const auto to_top = [&](WordVector number) HWY_ATTR { return WordVector{_mm512_rolv_epi32(word.raw, number.raw)}; };
#else
  const auto low_five = hn::Set(Words32(), 31);
  const auto to_top = [&](WordVector number) HWY_ATTR { return hn::Shl(word, hn::And(number, low_five)); };
#endif
  return hn::And(to_top(hn::ShiftRight<5>(sum)), to_top(hn::ShiftRight<10>(sum)));
}

// Vector form of hash_of_sum().
HWY_INLINE WordVector hashes_of_sums(WordVector sums) {
  return hn::Mul(hn::Xor(sums, hn::ShiftRight<15>(sums)), hn::Set(Words32(), window_finisher));
}

// Scans a range for the patterns of a class. Only the loop over windows, test_windows(), is compiled for each stride,
// number of words and case rule. It is called once a round, so everything else can read them at run time.
class ClassScan {
 public:
  ClassScan(const WindowClass& window_class, Collector& out)
      : class_(window_class),
        out_(out),
        text_(out.piece().data),
        stride_(window_class.length_class.stride),
        window_(window_class.length_class.window),
        words_(window_words(window_)),
        fold_mask_(window_class.length_class.fold != 0 ? loose_fold_mask : 0),
        test_windows_(window_class.length_class.fold != 0 ? choose_test<true>(stride_, words_)
                                                          : choose_test<false>(stride_, words_)),
        origin_((out.begin() + stride_ - 1) / stride_ * stride_),
        lines_(out.one_per_line() ? &out.lines() : nullptr),
        known_before_(lines_ != nullptr && lines_->known_count() > 1),
        queue_(window_class, out, origin_) {}

  void run() {
    const std::uint64_t size = out_.piece().size;
    if (size < window_ || out_.begin() >= out_.end()) return;
    // Windows of occurrences that start in the range begin before `end`.
    const std::uint64_t end = std::min(out_.end() + class_.length_class.max_offset, size - window_ + 1);
    const std::uint64_t most = lines_ != nullptr ? round_words : round_words / 4;
    const std::uint64_t begin = class_.first_look.near && out_.one_per_record() ? search_by_steps(end) : origin_;
    for (std::uint64_t at = begin; at < end && !queue_.is_exhausted();) {
      const std::uint64_t readable = std::min(end, std::max(size, word_reach()) - word_reach());
      std::uint64_t count = readable < at ? 0 : std::min(most, (readable - at) / 64);
      if (count != 0 && (class_.first_look.near || (class_.first_look.pairs && at >= PairTable::bytes_before))) {
        queue_first_look(at, count);
      } else {
        if (count != 0) {
          (this->*test_windows_)(at, count);
        } else {
          scan_rest(at, std::min<std::uint64_t>(end - at, 64));
          count = 1;
        }
        lines_ != nullptr ? search_lines(at, count) : queue_hits(at, count);
      }
      at += count * 64;
    }
    if (!queue_.is_exhausted()) queue_.verify();
    if (HWY_UNLIKELY(queue_.is_exhausted())) class_.scan_in_bounded_time(out_, queue_.exhausted_at());
  }

 private:
  static constexpr std::uint64_t lanes = hn::MaxLanes(Words32());
  // A group is one vector of windows for each residue of the places modulo 4. With 8 lanes, a load of words of four
  // bytes at place 0 is of the places 0, 4 … 28, one at place 1 of 1, 5 … 29.
  static constexpr std::uint64_t group_bytes = 4 * lanes;
  // A round is at most so many times 64 places.
  static constexpr std::size_t round_words = 64;
  static_assert(64 % group_bytes == 0);

  using WindowTest = void (ClassScan::*)(std::uint64_t at, std::uint64_t count);

  // The number of bytes beyond 64 places that their test reads.
  std::uint64_t word_reach() const { return 4 * words_ + 4; }

  // The sampled ones of 64 places, as bits: …0001 0001 with a stride of 4.
  std::uint64_t sampled_places() const { return ~std::uint64_t{0} / ((std::uint64_t{1} << stride_) - 1); }

  // Where window_sums_ holds the sum of the window at this place of a round. A group's sums lie residue by residue:
  // with 8 lanes and a stride of 2, those of the places 0, 4 … 28 come first, then those of 2, 6 … 30.
  HWY_INLINE std::uint64_t sum_index(std::uint64_t place) const {
    const std::uint64_t within = place % group_bytes;
    return place / group_bytes * (group_bytes / stride_) + within % 4 / stride_ * lanes + within / 4;
  }

  // Vector form of sum_index(). A lane that holds no place gets some valid index.
  HWY_INLINE WordVector sum_indices(WordVector places) const {
    constexpr int group_log2 = std::countr_zero(group_bytes);
    constexpr int lanes_log2 = std::countr_zero(lanes);
    const int stride_log2 = std::countr_zero(stride_);
    const Words32 d;
    const auto group = hn::ShiftLeftSame(hn::ShiftRight<group_log2>(places), group_log2 - stride_log2);
    const auto residue = hn::ShiftLeft<lanes_log2>(hn::ShiftRightSame(hn::And(places, hn::Set(d, 3)), stride_log2));
    const auto lane = hn::ShiftRight<2>(hn::And(places, hn::Set(d, group_bytes - 1)));
    return hn::And(hn::Add(hn::Add(group, residue), lane), hn::Set(d, round_words * 64 - 1));
  }

  template <bool folded, std::uint32_t stride>
  static WindowTest choose_test_of_words(std::uint32_t words) {
    switch (words) {
      case 1: return &ClassScan::test_windows<folded, stride, 1>;
      case 2: return &ClassScan::test_windows<folded, stride, 2>;
      case 3: return &ClassScan::test_windows<folded, stride, 3>;
      default: return &ClassScan::test_windows<folded, stride, 4>;
    }
  }
  template <bool folded>
  static WindowTest choose_test(std::uint32_t stride, std::uint32_t words) {
    switch (stride) {
      case 1: return choose_test_of_words<folded, 1>(words);
      case 2: return choose_test_of_words<folded, 2>(words);
      default: return choose_test_of_words<folded, 4>(words);
    }
  }

  // Tests the windows of `count` times 64 places from `at` on. It only notes what passed: a branch on that would wait
  // for the gather each time it is mispredicted.
  template <bool folded, std::uint32_t stride, std::uint32_t words>
  void test_windows(const std::uint64_t at, const std::uint64_t count) {
    constexpr std::uint64_t group_places = group_bytes / stride;
    // A line may be known before its places are tested: where another class has found matches, or where the line began
    // in an earlier round.
    const bool known_lines =
        lines_ != nullptr && (known_before_ || (at < out_.end() && lines_->is_known(at - out_.begin())));
    const Words32 d;
    const hn::RebindToSigned<Words32> signed_d;
    const auto* bits = class_.bits.data();
    const int shift = static_cast<int>(32 - class_.word_count_log2);
    const auto fold_mask = hn::Set(d, loose_fold_mask);
    const auto word_mask = hn::Set(d, window_word_mask(window_));
    WordVector multipliers[words];
    HWY_UNROLL(4)
    for (std::uint32_t word = 0; word < words; ++word) multipliers[word] = hn::Set(d, window_multipliers[word]);
    // The first place's window begins here. Its words lie four bytes apart, except the last (window_word_offset).
    const std::uint8_t* const first_word = text_ + at;
    const std::uint8_t* const last_word = first_word + window_word_offset(window_, words - 1);
    const WordVector residue_bytes[4] = {hn::Set(d, 0xffu), hn::Set(d, 0xff00u), hn::Set(d, 0xff0000u),
                                         hn::Set(d, 0xff000000u)};
    for (std::uint64_t group = 0; group < count * (64 / group_bytes); ++group) {
      const std::uint64_t place = group * group_bytes;
      if (group_bytes == 64 || place % 64 == 0) {
        hits_[place / 64] = 0;
        out_.piece().prefetch_ahead(at + place);
      }
      if (known_lines && lines_->are_known(std::min(at + place - out_.begin(), out_.end() - out_.begin()), group_bytes))
        continue;
      auto passed = hn::Zero(d);  // a byte for each place: byte r of lane i is place 4 * i + r of the group
      std::uint64_t hits = 0;
      for (std::uint32_t residue = 0; residue < 4; residue += stride) {
        WordVector sum = hn::Zero(d);
        HWY_UNROLL(4) for (std::uint32_t word = 0; word < words; ++word) {
          auto bytes = load_words((word + 1 == words ? last_word : first_word + 4 * word) + place + residue);
          if constexpr (folded) bytes = hn::Or(bytes, fold_mask);
          if constexpr (words == 1) bytes = hn::And(bytes, word_mask);
          const auto product = hn::Mul(bytes, multipliers[word]);
          sum = word == 0 ? product : hn::Add(sum, product);
        }
        const auto index = hn::BitCast(signed_d, hn::ShiftRightSame(sum, shift));
        const auto found = hn::GatherIndex(d, bits, index);
        hn::StoreU(sum, d, window_sums_ + group * group_places + residue / stride * lanes);
        const auto passes = hn::BitCast(d, hn::ShiftRight<31>(hn::BitCast(signed_d, passes_by_top(found, sum))));
        if constexpr (HWY_TARGET == HWY_SCALAR)
          hits |= std::uint64_t{hn::GetLane(passes) & 1} << residue;
        else
          passed = hn::OrAnd(passed, passes, residue_bytes[residue]);
      }
#if HWY_TARGET != HWY_SCALAR
      const hn::Repartition<std::uint8_t, Words32> bytes_d;
      hits = mask_bits(bytes_d, hn::MaskFromVec(hn::BitCast(bytes_d, passed)));
#endif
      hits_[place / 64] |= hits << (place % 64);
    }
  }

  // Lists the places, of `count` times 64 from `at` on, that pass the class's near table or pairs; returns how many.
  std::size_t list_first_look(const std::uint64_t at, const std::uint64_t count) {
    for (std::uint64_t word = 0; word < count; ++word) out_.piece().prefetch_ahead(at + word * 64);
    if (class_.first_look.pairs) return class_.pair_runner(*class_.first_look.pairs, text_ + at, count, places_);
    const std::size_t listed =
        class_.near_runners.list(*class_.first_look.near, text_ + at, count, sampled_places(), places_);
    std::size_t passed = 0;
#pragma GCC unroll 4
    for (std::size_t item = 0; item < listed; ++item) {
      const std::uint16_t place = places_[item];
      places_[passed] = place;
      passed += class_.first_look.near->passes_map(text_ + at + place) ? 1 : 0;
    }
    return passed;
  }

  // Looks for a match in each record up to a place, which it returns. Up to 64 records are open at a time, and a step
  // looks at the next 64 places of each. A record is closed once a match is known of it, so that little is looked at
  // behind that. Windows at `end` or behind it are not looked at.
  HWY_NOINLINE std::uint64_t search_by_steps(const std::uint64_t end) {
    const std::uint64_t sampled = sampled_places();
    const std::uint64_t begin = out_.begin();
    const std::uint8_t* const text = text_ + begin;
    const std::uint64_t reach = word_reach() + 64;
    const std::uint64_t readable = std::max(out_.piece().size, begin + reach) - reach - begin;
    std::uint64_t line = 0;  // the next one that has not been opened
    std::size_t open = 0;
    queue_.begin_disorder(origin_);
    for (;;) {
      for (; open < round_words && line < lines_->count(); ++line) {
        const std::uint32_t from = lines_->begin_of(line);
        if (begin + from >= out_.end() || lines_->begin_of(line + 1) > readable) break;
        lines_of_[open] = static_cast<std::uint32_t>(line);
        starts_[open] = from + static_cast<std::uint32_t>((stride_ - (begin + from) % stride_) % stride_);
        stops_[open] = static_cast<std::uint32_t>(std::min<std::uint64_t>(lines_->begin_of(line + 1), end - begin));
        open += starts_[open] < stops_[open] && !lines_->is_number_known(line) ? 1 : 0;
        out_.piece().prefetch_ahead(begin + from);
      }
      if (open == 0) break;
      search_step(text, sampled, open);
      if (queue_.is_exhausted()) return end;
      std::size_t left = 0;
      for (std::size_t word = 0; word < open; ++word) {
        const std::uint32_t start = starts_[word] + 64;
        const std::uint32_t stop = stops_[word];
        const bool is_known = lines_->is_number_known(lines_of_[word]);
        lines_of_[left] = lines_of_[word];
        starts_[left] = start;
        stops_[left] = stop;
        left += !is_known && start < stop ? 1 : 0;
      }
      open = left;
    }
    queue_.end_disorder();
    if (line == lines_->count() || begin + lines_->begin_of(line) >= out_.end()) return end;
    return (begin + lines_->begin_of(line) + stride_ - 1) / stride_ * stride_;
  }

  // Looks at the next 64 places of `open` records. In each, the first place that passes is verified; then, in those in
  // which that was no match, all others.
  void search_step(const std::uint8_t* const text, const std::uint64_t sampled, const std::size_t open) {
    const std::size_t listed =
        class_.near_runners.list_words(*class_.first_look.near, text, starts_, open, sampled, places_);
    const std::uint64_t distance = out_.begin() - origin_;
    std::size_t firsts = 0;
    std::size_t others = 0;
    std::uint32_t last_word = round_words;
    for (std::size_t item = 0; item < listed; ++item) {
      const std::uint32_t word = places_[item] / 64;
      const std::uint32_t place = starts_[word] + places_[item] % 64;
      const bool passes = (place < stops_[word]) & class_.first_look.near->passes_map(text + place);
      const bool is_first = word != last_word;
      first_places_[firsts] = place;
      other_places_[others] = place;
      firsts += (passes & is_first) ? 1 : 0;
      others += (passes & !is_first) ? 1 : 0;
      last_word = passes ? word : last_word;
    }
    for (std::size_t item = 0; item < firsts; ++item)
      queue_.add(distance + first_places_[item], hash_at(out_.begin() + first_places_[item]));
    if (firsts == 0) return;
    queue_.verify();
    for (std::size_t item = 0; item < others && !queue_.is_exhausted(); ++item) {
      queue_.add(distance + other_places_[item], hash_at(out_.begin() + other_places_[item]));
      queue_.drop_last(lines_->is_known(other_places_[item]));
      if (HWY_UNLIKELY(queue_.is_full())) queue_.verify();
    }
    if (queue_.size() != 0 && !queue_.is_exhausted()) queue_.verify();
  }

  // Queues the places that pass the class's near table or pairs. The Bloom filter, which test_windows() and
  // queue_hits() are for, is not asked.
  void queue_first_look(const std::uint64_t at, const std::uint64_t count) {
    const std::size_t passed = list_first_look(at, count);
#if HWY_TARGET == HWY_AVX3_DL
    if (lines_ == nullptr) {
      const auto last = hn::Set(Words32(), static_cast<std::uint32_t>(count * 64 - 1));
      queue_listed(at, passed,
                   [&](WordVector distances) HWY_ATTR { return hashes_at(text_ + at, hn::Min(distances, last)); });
      return;
    }
#endif
    for (std::size_t item = 0; item < passed && !queue_.is_exhausted(); ++item) {
      const std::uint64_t place = at + places_[item];
      queue_.add(place - origin_, hash_at(place));
      if (lines_ != nullptr) queue_.drop_last(lines_->is_known(place - out_.begin()));
      if (HWY_UNLIKELY(queue_.is_full())) queue_.verify();
    }
  }

  // Queues the first `count` of places_, which are relative to `at`, and verifies full queues. `hashes_of` is as in
  // PlaceQueue::add().
  template <class HashesOf>
  HWY_INLINE void queue_listed(std::uint64_t at, std::size_t count, HashesOf hashes_of) {
    for (std::size_t item = 0; item < count && !queue_.is_exhausted();) {
      item += queue_.add(at - origin_, places_ + item, count - item, hashes_of);
      if (HWY_UNLIKELY(queue_.is_full())) queue_.verify();
    }
  }

#if HWY_TARGET == HWY_AVX3_DL
  // The hashes of the windows at these distances from `text`.
  HWY_INLINE WordVector hashes_at(const std::uint8_t* text, WordVector distances) const {
    const Words32 d;
    const hn::RebindToSigned<Words32> signed_d;
    WordVector sum = hn::Zero(d);
    for (std::uint32_t word = 0; word < words_; ++word) {
      const auto* const from = reinterpret_cast<const std::uint32_t*>(text + window_word_offset(window_, word));
      auto bytes = hn::GatherOffset(d, from, hn::BitCast(signed_d, distances));
      bytes = hn::And(hn::Or(bytes, hn::Set(d, fold_mask_)), hn::Set(d, window_word_mask(window_)));
      sum = hn::Add(sum, hn::Mul(bytes, hn::Set(d, window_multipliers[word])));
    }
    return hashes_of_sums(sum);
  }
#endif

  HWY_INLINE std::uint32_t hash_at(std::uint64_t place) const {
    std::uint32_t sum = 0;
    for (std::uint32_t word = 0; word < words_; ++word) {
      const std::uint32_t bytes = load_u32(text_ + place + window_word_offset(window_, word)) | fold_mask_;
      sum += (bytes & window_word_mask(window_)) * window_multipliers[word];
    }
    return hash_of_sum(sum);
  }

  // Tests the `count` (at most 64) places from `at` on one by one, and reads nothing beyond the last window.
  void scan_rest(const std::uint64_t at, const std::uint64_t count) {
    hits_[0] = 0;
    for (std::uint64_t place = 0; place < count; place += stride_) {
      const std::uint32_t sum = window_sum(text_ + at + place, window_, fold_mask_ != 0);
      window_sums_[sum_index(place)] = sum;
      hits_[0] |= std::uint64_t{class_.passes(sum)} << place;
    }
  }

  // Queues a place that passed, counted from where its round begins, `at`.
  HWY_INLINE void queue_place(std::uint64_t at, std::uint64_t place) {
    queue_.add(at - origin_ + place, hash_of_sum(window_sums_[sum_index(place)]));
  }

  // Queues the places that passed in the round of `count` words that begins at `at`, and verifies full queues.
  void queue_hits(std::uint64_t at, std::uint64_t count) {
    std::size_t passed = 0;
    std::uint8_t hit_words[round_words + 1];
    std::size_t with_hits = 0;
    for (std::uint64_t word = 0; word < count; ++word) {
      hit_words[with_hits] = static_cast<std::uint8_t>(word);
      with_hits += hits_[word] != 0 ? 1 : 0;
    }
    for (std::size_t word = 0; word < with_hits; ++word)
      passed += list_bits(hits_[hit_words[word]], hit_words[word] * 64u, places_ + passed);
    const Words32 d;
    const hn::RebindToSigned<Words32> signed_d;
    const auto hashes_of = [&](WordVector distances) HWY_ATTR {
      return hashes_of_sums(hn::GatherIndex(d, window_sums_, hn::BitCast(signed_d, sum_indices(distances))));
    };
    queue_listed(at, passed, hashes_of);
  }

  // Looks for a match in each line of the round of `count` words that begins at `at`. In each line the first place that
  // passed is verified. Where that is no match the next ones are, in search_queued_lines().
  void search_lines(std::uint64_t at, std::uint64_t count) {
    std::uint64_t hits = 0;
    for (std::uint64_t word = 0; word < count; ++word) hits += static_cast<std::uint64_t>(std::popcount(hits_[word]));
    if (hits <= count) return queue_hits(at, count);  // these are too few to have many in a line
    queue_.verify();
    if (queue_.is_exhausted()) return;
    queue_.begin_disorder(at);
    const std::uint64_t begin = at - out_.begin();
    const std::uint64_t range_end = out_.end() - out_.begin();
    for (std::uint64_t word = 0; word < count; ++word) {
      line_ends_[word] = begin + word * 64 < range_end ? lines_->ends(begin + word * 64) : 0;
    }
    // In the sum of these, the carry of each line's start runs through the places that are neither hits nor ends (the
    // others) to the first one that is. With the lowest bit on the left:
    //
    //   hits            . 1 . 1 . . 1 .
    //   ends            . . . . 1 . . .
    //   starts          1 . . . . 1 . .
    //   others          1 . 1 . . 1 . 1
    //   others + starts . 1 1 . . . 1 1    AND hits:  . 1 . . . . 1 .  the first hit of each line
    std::uint64_t line_starts = 1;
    std::uint64_t carry = 0;
    for (std::uint64_t word = 0; word < count; ++word) {
      const std::uint64_t others = ~(hits_[word] | line_ends_[word]);
      line_starts |= line_ends_[word] << 1;
      const std::uint64_t sum = others + line_starts;
      const std::uint64_t carried = sum + carry;
      carry = (sum < others || carried < sum) ? 1 : 0;
      line_starts = line_ends_[word] >> 63;
      for (std::uint64_t first = carried & hits_[word]; first != 0; first &= first - 1) {
        const std::uint64_t place = word * 64 + static_cast<unsigned>(std::countr_zero(first));
        queue_place(at, place);
        queue_.drop_last(lines_->is_known(begin + place));
      }
      if (queue_.is_nearly_full()) search_queued_lines(at, count);
      if (queue_.is_exhausted()) return;
    }
    search_queued_lines(at, count);
    queue_.end_disorder();
  }

  // Verifies the queue, which has one place of each line. Lines in which that is no match get more: one, two, four and
  // so on, since a line in which much passes in vain would otherwise take a turn for each place.
  void search_queued_lines(std::uint64_t at, std::uint64_t count) {
    std::size_t open = queue_.size();
    for (std::size_t line = 0; line < open; ++line) {
      last_places_[line] = static_cast<std::uint16_t>(queue_.place(line) - (at - origin_));
    }
    queue_.verify();
    for (std::uint64_t more = 1; open != 0 && !queue_.is_exhausted(); more = std::min<std::uint64_t>(2 * more, 64)) {
      std::size_t left = 0;
      for (std::size_t line = 0; line < open; ++line) {
        std::uint64_t place = last_places_[line];
        if (lines_->is_known(at + place - out_.begin())) continue;
        bool is_open = true;
        for (std::uint64_t taken = 0; is_open && taken < more && !queue_.is_nearly_full(); ++taken) {
          const std::uint64_t next = next_hit_of_line(place, count);
          is_open = next != 0;
          if (is_open) queue_place(at, place = next);
        }
        if (is_open) last_places_[left++] = static_cast<std::uint16_t>(place);
      }
      open = left;
      queue_.verify();
    }
  }

  // The next place that passed in the same line, counted from the begin of the round; 0: there is none.
  HWY_INLINE std::uint64_t next_hit_of_line(std::uint64_t place, std::uint64_t count) const {
    std::uint64_t word = place / 64;
    if ((line_ends_[word] >> (place % 64) & 1) != 0) return 0;
    std::uint64_t stops = (hits_[word] | line_ends_[word]) & ~std::uint64_t{0} << 1 << (place % 64);
    while (stops == 0) {
      if (++word == count) return 0;
      stops = hits_[word] | line_ends_[word];
    }
    const auto bit = static_cast<unsigned>(std::countr_zero(stops));
    return (hits_[word] >> bit & 1) != 0 ? word * 64 + bit : 0;
  }

  const WindowClass& class_;
  Collector& out_;
  const std::uint8_t* text_;
  const std::uint32_t stride_;
  const std::uint32_t window_;
  const std::uint32_t words_;      // the words that a window is hashed as
  const std::uint32_t fold_mask_;  // what folds a word of four bytes; 0 where the class does not ignore case
  const WindowTest test_windows_;
  const std::uint64_t origin_;  // places in the queue are relative to it
  const Lines* const lines_;    // null unless one match of each line is wanted
  const bool known_before_;     // whether other classes have found matches
  PlaceQueue queue_;
  std::uint16_t places_[(round_words + 1) * 64];  // places of a round that passed
  std::uint16_t last_places_[round_words * 64];   // search_queued_lines: the last place of each line that was queued
  // search_by_steps: open records, by number, with the next place to look at and the place behind the last.
  std::uint32_t lines_of_[round_words + 1];
  std::uint32_t starts_[round_words + 1];
  std::uint32_t stops_[round_words + 1];
  std::uint32_t first_places_[round_words + 1];
  std::uint32_t other_places_[round_words * 64 + 1];
  std::uint64_t hits_[round_words];              // a bit for each place of a round: whether its window passed
  std::uint64_t line_ends_[round_words];         // the line terminators of a round, if lines are wanted
  std::uint32_t window_sums_[round_words * 64];  // the sums of all windows of a round; see sum_index()
};

void scan_class(const WindowClass& window_class, Collector& out) { ClassScan(window_class, out).run(); }

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lode {

ClassRunner class_runner(InstructionSet set) { return LODE_FOR_INSTRUCTION_SET(set, scan_class); }

}  // namespace lode
#endif
