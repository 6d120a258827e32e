// The SIMD part of the sieve, and its tables; sieve.hpp tells the idea.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/look/sieve.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/mask_bits-inl.hpp"
#include "cpu/verify/verifier-inl.hpp"

#ifndef LODE_CPU_SIEVE_ONCE
#define LODE_CPU_SIEVE_ONCE

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string_view>

#include "base/bytes.hpp"
#include "cpu/look/sieve.hpp"
#include "plan/probes.hpp"

#endif

HWY_BEFORE_NAMESPACE();
namespace lode {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Bytes = hn::ScalableTag<std::uint8_t>;
using ByteVector = hn::Vec<Bytes>;
constexpr std::uint64_t lanes = hn::MaxLanes(Bytes());

HWY_INLINE ByteVector load_bytes(const std::uint8_t* at, bool folded) {
  const auto bytes = hn::LoadU(Bytes(), at);
  return folded ? hn::Or(bytes, hn::Set(Bytes(), static_cast<std::uint8_t>(loose_fold_mask))) : bytes;
}

#if HWY_TARGET == HWY_AVX3_DL

// Looks up pairs of bytes. Each table fills two registers.
class LookUp {
 public:
  explicit HWY_INLINE LookUp(const Sieve::Tables& tables) {
    for (std::uint32_t test = 0; test < tests; ++test) {
      low_[test] = hn::Load(Bytes(), tables.pairs[test]).raw;
      high_[test] = hn::Load(Bytes(), tables.pairs[test] + lanes).raw;
    }
  }

  static constexpr std::uint32_t tests = Sieve::pair_tests;
  using Places = std::array<Sieve::PairPlaces, tests>;
  static const Places& places(const Sieve& sieve) { return sieve.pair_places(); }
  struct Indices {
    __m512i of[tests];
  };

  static HWY_INLINE Indices indices(const std::uint8_t* at, const Places& places, bool folded) {
    // There is no shift of bytes. A shift of words of two bytes, 7 … 0 and f … 8, moves two bits across:
    //   fedcba98 76543210  ->  dcba9876 543210..    and the mask clears 7 and 6 in the upper byte.
    // The permute ignores the top bit of an index, so this is Sieve::pair_entry().
    const auto mask = hn::Set(Bytes(), std::uint8_t{0xfc});
    const hn::Repartition<std::uint16_t, Bytes> wide;
    Indices all;
    for (std::uint32_t test = 0; test < tests; ++test) {
      const auto first = load_bytes(at + places[test].first, folded);
      const auto second = load_bytes(at + places[test].second, folded);
      const auto shifted = hn::BitCast(Bytes(), hn::ShiftLeft<2>(hn::BitCast(wide, second)));
      all.of[test] = _mm512_ternarylogic_epi64(first.raw, shifted.raw, mask.raw, 0x78);  // first ^ (shifted & mask)
    }
    return all;
  }

  HWY_INLINE ByteVector passing_bins(const Indices& all) const {
    static_assert(tests == 3);
    const auto found = [&](std::uint32_t test)
                           HWY_ATTR { return _mm512_permutex2var_epi8(low_[test], all.of[test], high_[test]); };
    return ByteVector{_mm512_ternarylogic_epi64(found(0), found(1), found(2), 0x80)};  // AND of all three
  }

 private:
  __m512i low_[tests];
  __m512i high_[tests];
};

#elif HWY_TARGET == HWY_SCALAR

class LookUp {
 public:
  // The portable code looks up the halves of one byte at a time.
  explicit LookUp(const Sieve::Tables& tables) : tables_(tables) {}

  static constexpr std::uint32_t tests = Sieve::half_tests;
  using Places = std::array<std::uint32_t, tests>;
  static const Places& places(const Sieve& sieve) { return sieve.half_places(); }
  struct Indices {
    std::uint8_t of[tests];
  };

  static Indices indices(const std::uint8_t* at, const Places& places, bool folded) {
    Indices all;
    for (std::uint32_t test = 0; test < tests; ++test)
      all.of[test] = hn::GetLane(load_bytes(at + places[test], folded));
    return all;
  }

  ByteVector passing_bins(const Indices& all) const {
    std::uint8_t found = 0xff;
    for (std::uint32_t test = 0; test < tests; ++test)
      found &= tables_.low_halves[test][all.of[test] & 15] & tables_.high_halves[test][all.of[test] >> 4];
    return hn::Set(Bytes(), found);
  }

 private:
  const Sieve::Tables& tables_;
};

#else

class LookUp {
 public:
  explicit HWY_INLINE LookUp(const Sieve::Tables& tables) {
    for (std::uint32_t test = 0; test < tests; ++test) {
      low_[test] = hn::LoadDup128(Bytes(), tables.low_halves[test]);
      high_[test] = hn::LoadDup128(Bytes(), tables.high_halves[test]);
    }
  }

  static constexpr std::uint32_t tests = Sieve::half_tests;
  using Places = std::array<std::uint32_t, tests>;
  static const Places& places(const Sieve& sieve) { return sieve.half_places(); }
  struct Indices {
    HWY_INLINE Indices() {}  // the implicit one is not compiled for the target
    ByteVector low[tests];
    ByteVector high[tests];
  };

  static HWY_INLINE Indices indices(const std::uint8_t* at, const Places& places, bool folded) {
    const auto low_half = hn::Set(Bytes(), std::uint8_t{15});
    Indices all;
    for (std::uint32_t test = 0; test < tests; ++test) {
      const auto bytes = load_bytes(at + places[test], folded);
      all.low[test] = hn::And(bytes, low_half);
      all.high[test] = hn::ShiftRight<4>(bytes);
    }
    return all;
  }

  HWY_INLINE ByteVector passing_bins(const Indices& all) const {
    auto found = hn::And(hn::TableLookupBytes(low_[0], all.low[0]), hn::TableLookupBytes(high_[0], all.high[0]));
    for (std::uint32_t test = 1; test < tests; ++test) {
      found = hn::And(found, hn::And(hn::TableLookupBytes(low_[test], all.low[test]),
                                     hn::TableLookupBytes(high_[test], all.high[test])));
    }
    return found;
  }

 private:
  ByteVector low_[tests];
  ByteVector high_[tests];
};

#endif

template <bool folded>
class SieveScan {
 public:
  SieveScan(const Sieve& sieve, Collector& out)
      : sieve_(sieve),
        out_(out),
        text_(out.piece().data),
        size_(out.piece().size),
        verifier_(sieve.plan(), sieve.bounded(), out) {}

  void run() {
    if (size_ < 2) return;
    // Cores of occurrences that start in the range begin before `end`. The last byte begins none: a core has at least
    // two.
    const std::uint64_t end = std::min(out_.end() + sieve_.max_core_offset(), size_ - 1);
    for (std::uint64_t at = out_.begin(); at < end && !is_exhausted();) {
      const std::uint64_t readable = std::min(end, std::max(size_, reach) - reach);
      std::uint64_t count = readable < at ? 0 : std::min(round_words, (readable - at) / 64);
      if (count != 0) {
        scan_words(at, text_ + at, count);
      } else {
        // Here the text ends: its last bytes are copied, with zero bytes behind them.
        std::uint8_t bytes[64 + reach] = {};
        std::memcpy(bytes, text_ + at, std::min(size_ - at, 64 + reach));
        scan_words(at, bytes, count = 1);
        if (end - at < 64) hits_[0] &= (std::uint64_t{1} << (end - at)) - 1;
      }
      verify_round(at);
      at += count * 64;
    }
    if (HWY_UNLIKELY(is_exhausted())) sieve_.scan_in_bounded_time(out_, exhausted_at_);
  }

 private:
  static constexpr std::uint64_t never = UINT64_MAX;
  static constexpr std::uint64_t round_words = 64;
  // The number of bytes that are read behind 64 places.
  static constexpr std::uint64_t reach = Sieve::most_core_bytes - 1;
  static_assert(64 % lanes == 0);

  // Notes which of `count` times 64 places from `at` on pass; `bytes` are the text there. There is no branch on what
  // passes: it would be mispredicted about as often as a place does.
  void scan_words(const std::uint64_t at, const std::uint8_t* bytes, const std::uint64_t count) {
    const Bytes d;
    const LookUp look_up(sieve_.tables());
    const LookUp::Places places = LookUp::places(sieve_);
    words_with_hits_ = 0;
    for (std::uint64_t word = 0; word < count; ++word) {
      std::uint64_t hits = 0;
      out_.piece().prefetch_ahead(at + word * 64);
      for (std::uint64_t part = 0; part < 64; part += lanes) {
        const auto indices = LookUp::indices(bytes + word * 64 + part, places, folded);
        const auto passing = look_up.passing_bins(indices);
        hn::StoreU(passing, d, bins_ + word * 64 + part);
        hits |= mask_bits(d, hn::Ne(passing, hn::Zero(d))) << part;
      }
      hits_[word] = hits;
      hit_words_[words_with_hits_] = static_cast<std::uint8_t>(word);
      words_with_hits_ += hits != 0 ? 1 : 0;
    }
  }

  HWY_INLINE std::uint64_t window_at(std::uint64_t place) const {
    std::uint64_t window = 0;
    if (HWY_LIKELY(size_ - place >= sizeof window))
      window = load_u64(text_ + place);
    else
      std::memcpy(&window, text_ + place, size_ - place);
    return folded ? window | loose_fold_mask * std::uint64_t{0x100000001} : window;
  }

  // Verifies what passed in the round that begins at `at`.
  void verify_round(std::uint64_t at) {
    std::size_t passed = 0;
    for (std::uint64_t word = 0; word < words_with_hits_; ++word)
      passed += list_bits(hits_[hit_words_[word]], hit_words_[word] * 64, places_ + passed);
    // Most places fit no member of their only bin. They are left out without a branch: a place stays if it fits a
    // member of its first bin, or if it has more bins.
    std::size_t left = 0;
    for (std::size_t item = 0; item < passed; ++item) {
      const std::uint16_t place = places_[item];
      const std::uint32_t bins = bins_[place];
      const auto bin = static_cast<unsigned>(std::countr_zero(bins));
      places_[left] = place;
      left += (equal_members(bin, window_at(at + place)) | (bins & (bins - 1))) != 0 ? 1 : 0;
    }
    pair_count_ = 0;
    for (std::size_t item = 0; item < left && !is_exhausted(); ++item) {
      pair_members(at, places_[item]);
      if (HWY_UNLIKELY(pair_count_ > pair_capacity)) emit_pairs(at);
    }
    emit_pairs(at);
    out_.add_candidates(passed);
  }

  bool is_exhausted() const { return exhausted_at_ != never; }

  // Adds the pairs of `place`, in the round that begins at `at`, and a member whose head stands there.
  HWY_INLINE void pair_members(std::uint64_t at, std::uint16_t place) {
    const std::uint64_t window = window_at(at + place);
    for (std::uint32_t bins = bins_[place]; bins != 0; bins &= bins - 1) {
      const auto bin = static_cast<std::uint32_t>(std::countr_zero(bins));
      for (std::uint64_t equal = equal_members(bin, window); equal != 0; equal &= equal - 1) {
        const auto member = static_cast<std::uint32_t>(std::countr_zero(equal));
        const PatternHead& head = sieve_.tables().members[bin][member];
        pairs_[pair_count_] = {place, static_cast<std::uint8_t>(bin), static_cast<std::uint8_t>(member)};
        pair_count_ += verifier_.has_head<folded>(head, at + place - head.offset) ? 1 : 0;
      }
    }
  }

  // Emits the pairs that match, up to the place at which the budget ends.
  void emit_pairs(std::uint64_t at) {
    const auto pair_at = [&](std::size_t item) HWY_ATTR {
      const Pair& pair = pairs_[item];
      const PatternHead& head = sieve_.tables().members[pair.bin][pair.member];
      return Verifier::Pair{at + pair.place, at + pair.place - head.offset, &head};
    };
    exhausted_at_ = std::min(exhausted_at_, verifier_.emit(pair_count_, pair_at));
    pair_count_ = 0;
  }

  // Which members of a bin fit the eight bytes of `window`, as bits.
  HWY_INLINE std::uint64_t equal_members(unsigned bin, std::uint64_t window) const {
    const hn::CappedTag<std::uint64_t, Sieve::bin_members> d;
    std::uint64_t equal = 0;
    for (std::uint32_t member = 0; member < Sieve::bin_members; member += static_cast<std::uint32_t>(hn::Lanes(d))) {
      const auto masked = hn::And(hn::Set(d, window), hn::Load(d, sieve_.tables().masks[bin] + member));
      equal |= mask_bits(d, hn::Eq(masked, hn::Load(d, sieve_.tables().values[bin] + member))) << member;
    }
    return equal;
  }

  struct Pair {
    std::uint16_t place;  // counted from the round's begin
    std::uint8_t bin;
    std::uint8_t member;  // its number in the bin
  };

  const Sieve& sieve_;
  Collector& out_;
  const std::uint8_t* text_;
  const std::uint64_t size_;
  Verifier verifier_;
  std::uint64_t exhausted_at_ = never;  // where the budget has ended: places from this one on are not looked at
  // The following is of one round, whose places are numbered from its begin.
  std::uint8_t bins_[round_words * 64];           // the bins that pass at each place
  std::uint64_t hits_[round_words];               // a bit for each place: whether any bin passes
  std::uint8_t hit_words_[round_words + 1];       // the numbers of the words of hits_ that are not 0
  std::uint64_t words_with_hits_ = 0;             // how many these are
  std::uint16_t places_[(round_words + 1) * 64];  // places that pass; then those of them that stay
  static constexpr std::size_t pair_capacity = 256;
  std::size_t pair_count_ = 0;
  // A pair is written before its head is compared, and stays if that is equal.
  Pair pairs_[pair_capacity + Sieve::most_patterns + 1];
};

void scan_sieve(const Sieve& sieve, Collector& out) {
  sieve.folded() ? SieveScan<true>(sieve, out).run() : SieveScan<false>(sieve, out).run();
}

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lode {

Sieve::Sieve(const PlanData& plan, std::span<const std::uint32_t> distincts, InstructionSet set)
    : plan_(&plan), tests_(sieve_tests(set)), bounded_(plan, set) {
  struct Chosen {
    std::uint32_t distinct;
    std::uint32_t core_offset;
    std::array<std::uint8_t, most_core_bytes> core;  // zeros stand behind the end of a shorter one
  };
  std::size_t shortest = most_core_bytes;
  for (const std::uint32_t distinct : distincts) {
    folded_ |= plan.ignore_case(distinct);
    shortest = std::min(shortest, plan.bytes(distinct).size());
  }
  const auto core_bytes = static_cast<std::uint32_t>(std::max<std::size_t>(shortest, least_core_bytes));
  const std::uint32_t middle = (core_bytes - 2) / 2;
  pair_places_ = {PairPlaces{0, 1}, {middle, middle + 1}, {core_bytes - 2, core_bytes - 1}};
  if (shortest == 2) pair_places_[1] = {1, 0};  // the same two bytes, which another entry tells apart again
  half_places_ = {0, core_bytes / 3, core_bytes * 2 / 3, core_bytes - 1};
  const auto folded_byte = [&](std::uint8_t byte) {
    return folded_ ? static_cast<std::uint8_t>(byte | (loose_fold_mask & 0xff)) : byte;
  };
  const PairCounts pairs = PairCounts::of_sample(plan.text_sample, folded_);
  Frequencies frequencies;
  double all_bytes = 0;
  std::vector<Chosen> chosen;
  for (const std::uint32_t distinct : distincts) {
    const std::span<const std::uint8_t> bytes = plan.bytes(distinct);
    const auto span = static_cast<std::uint32_t>(std::min<std::size_t>(bytes.size(), core_bytes));
    Chosen one{distinct, choose_core(bytes, plan.ignore_case(distinct), span, pairs), {}};
    for (std::uint32_t at = 0; at < span; ++at) one.core[at] = folded_byte(bytes[one.core_offset + at]);
    chosen.push_back(one);
    max_core_offset_ = std::max(max_core_offset_, one.core_offset);
    for (const std::uint8_t byte : bytes) frequencies.of_byte[folded_byte(byte)] += 1;
    all_bytes += static_cast<double>(bytes.size());
  }
  for (double& frequency : frequencies.of_byte) frequency /= all_bytes;
  for (std::uint32_t first = 0; first < 256; ++first)
    for (std::uint32_t second = 0; second < 256; ++second)
      frequencies.of_pair_entry[pair_entry(static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(second))] +=
          frequencies.of_byte[first] * frequencies.of_byte[second];
  // Sorting brings equal and similar cores together. They share a bin, which they widen least.
  std::sort(chosen.begin(), chosen.end(), [](const Chosen& a, const Chosen& b) { return a.core < b.core; });

  const auto count = static_cast<std::uint32_t>(chosen.size());
  for (auto& values : tables_.values)
    std::fill(std::begin(values), std::end(values), 1);  // no bytes fit this with a mask of 0: there is no member
  for (std::uint32_t bin = 0; bin < bins; ++bin) {
    const std::uint32_t first = count * bin / bins;
    const std::uint32_t last = count * (bin + 1) / bins;
    for (std::uint32_t at = first; at < last; ++at) {
      const Chosen& one = chosen[at];
      const std::span<const std::uint8_t> bytes = plan.bytes(one.distinct);
      const auto compared = static_cast<std::uint32_t>(std::min<std::size_t>(8, bytes.size() - one.core_offset));
      std::uint8_t value[8] = {};
      std::uint8_t mask[8] = {};
      for (std::uint32_t byte = 0; byte < compared; ++byte) {
        value[byte] = folded_byte(bytes[one.core_offset + byte]);
        mask[byte] = 0xff;
      }
      const std::uint32_t member = at - first;
      tables_.values[bin][member] = load_u64(value);
      tables_.masks[bin][member] = load_u64(mask);
      PatternHead& head = tables_.members[bin][member];
      head = PatternHead(bytes, plan.ignore_case(one.distinct), one.distinct);
      head.offset = static_cast<std::uint8_t>(one.core_offset);
      add_core(bin, std::span(one.core).first(std::min<std::size_t>(bytes.size(), core_bytes)));
    }
  }
  expected_passes_ = pairs.is_empty() ? estimate_passes(frequencies) : count_passes(plan.text_sample);
}

// Chooses the start at which the pairs that are looked up are rarest in the text's sample. Without a sample it is the
// start at which bytes are rare in ordinary texts.
std::uint32_t Sieve::choose_core(std::span<const std::uint8_t> pattern, bool ignore_case, std::uint32_t span,
                                 const PairCounts& pairs) const {
  // What passes is compared by eight bytes from the core on. So a core begins early enough for the pattern to have
  // them.
  const auto last_start = static_cast<std::uint32_t>(
      std::min<std::size_t>(pattern.size() - std::min<std::size_t>(pattern.size(), 8), most_core_offset));
  if (pairs.is_empty()) return choose_probe_window(pattern.first(last_start + span), ignore_case, span);
  std::uint32_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t start = 0; start <= last_start; ++start) {
    double product = 1;
    for (const PairPlaces& places : pair_places_)
      if (places.first < places.second && places.second < span)
        product *= 1.0 + pairs[pairs.index(pattern.data() + start + places.first)];
    if (product >= least) continue;
    least = product;
    best = start;
  }
  return best;
}

void Sieve::scan_in_bounded_time(Collector& out, std::uint64_t place) const {
  bounded_.scan(out, place, out.end(), [this] {
    std::vector<BoundedSearch::Window> cores;
    for (const auto& bin : tables_.members)
      for (const PatternHead& head : bin)
        if (head.length != 0) cores.push_back({head.distinct, head.offset});
    return cores;
  });
}

void Sieve::add_core(std::uint32_t bin, std::span<const std::uint8_t> core) {
  const auto bit = static_cast<std::uint8_t>(1u << bin);
  for (std::uint32_t test = 0; test < pair_tests; ++test) {
    const PairPlaces& places = pair_places_[test];
    if (places.last() < core.size()) {
      tables_.pairs[test][pair_entry(core[places.first], core[places.second])] |= bit;
    } else {
      // A shorter core has no such bytes: whatever stands there passes.
      for (std::uint8_t& entry : tables_.pairs[test]) entry |= bit;
    }
  }
  for (std::uint32_t test = 0; test < half_tests; ++test) {
    const std::uint32_t place = half_places_[test];
    for (std::uint32_t half = 0; half < 16; ++half) {
      if (place >= core.size() || (core[place] & 15) == half) tables_.low_halves[test][half] |= bit;
      if (place >= core.size() || core[place] >> 4 == half) tables_.high_halves[test][half] |= bit;
    }
  }
}

double Sieve::count_passes(std::string_view sample) const {
  const std::string_view text = sample.substr(0, most_counted_bytes);
  const std::uint32_t reach = tests_ == Tests::pairs ? pair_places_.back().last() : half_places_.back();
  const auto byte = [&](std::size_t at) {
    return static_cast<std::uint8_t>(static_cast<std::uint8_t>(text[at]) | (folded_ ? loose_fold_mask & 0xff : 0));
  };
  std::uint64_t passes = 0;
  for (std::size_t at = 0; at + reach < text.size(); ++at) {
    std::uint32_t found = 0xff;
    if (tests_ == Tests::pairs) {
      for (std::uint32_t test = 0; test < pair_tests; ++test)
        found &=
            tables_.pairs[test][pair_entry(byte(at + pair_places_[test].first), byte(at + pair_places_[test].second))];
    } else {
      for (std::uint32_t test = 0; test < half_tests; ++test) {
        const std::uint8_t one = byte(at + half_places_[test]);
        found &= tables_.low_halves[test][one & 15] & tables_.high_halves[test][one >> 4];
      }
    }
    passes += static_cast<std::uint64_t>(std::popcount(found));
  }
  return static_cast<double>(passes) / static_cast<double>(text.size());
}

double Sieve::estimate_passes(const Frequencies& frequencies) const {
  double all = 0;
  for (std::uint32_t bin = 0; bin < bins; ++bin) {
    double passes = 1;
    const auto share = [&](std::uint32_t count, auto set_of, const auto& frequency) {
      double sum = 0;
      for (std::uint32_t at = 0; at < count; ++at) sum += (set_of(at) >> bin & 1) != 0 ? frequency[at] : 0;
      return sum;
    };
    if (tests_ == Tests::pairs) {
      for (const auto& table : tables_.pairs)
        passes *= share(
            pair_entries, [&](std::uint32_t entry) { return table[entry]; }, frequencies.of_pair_entry);
    } else {
      for (std::uint32_t at = 0; at < half_tests; ++at)
        passes *= share(
            256,
            [&](std::uint32_t byte) { return tables_.low_halves[at][byte & 15] & tables_.high_halves[at][byte >> 4]; },
            frequencies.of_byte);
    }
    all += passes;
  }
  return all;
}

Sieve::Tests sieve_tests(InstructionSet set) {
  return set == InstructionSet::avx512vbmi ? Sieve::Tests::pairs : Sieve::Tests::halves;
}

SieveRunner sieve_runner(InstructionSet set) { return LODE_FOR_INSTRUCTION_SET(set, scan_sieve); }

}  // namespace lode
#endif
