// The SIMD part of the sieve of small sets, and its tables; sieve.hpp tells the idea.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/sieve.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/mask_bits-inl.hpp"

#ifndef LODE_CPU_SIEVE_ONCE
#define LODE_CPU_SIEVE_ONCE

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/bytes.hpp"
#include "cpu/comparison_budget.hpp"
#include "cpu/sieve.hpp"
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

HWY_INLINE std::uint32_t bins_by_halves(const Sieve& sieve, std::uint64_t window) {
  std::uint32_t bins = 0xff;
  for (std::uint32_t test = 0; test < Sieve::half_tests; ++test) {
    const auto byte = static_cast<std::uint8_t>(window >> (8 * sieve.half_places()[test]));
    bins &= sieve.tables().low_halves[test][byte & 15] & sieve.tables().high_halves[test][byte >> 4];
  }
  return bins;
}

#if HWY_TARGET == HWY_AVX3_DL

// The tables in registers, and looking up pairs in them.
class LookUp {
 public:
  explicit HWY_INLINE LookUp(const Sieve::Tables& tables) {
    for (std::uint32_t test = 0; test < tests; ++test) {
      low_[test] = hn::Load(Bytes(), tables.pairs[test]).raw;
      high_[test] = hn::Load(Bytes(), tables.pairs[test] + lanes).raw;
    }
  }

  static constexpr std::uint32_t tests = Sieve::pair_tests;
  using Places = std::array<std::uint32_t, tests>;
  static const Places& places(const Sieve& sieve) { return sieve.pair_places(); }
  struct Indices {
    __m512i of[tests];
  };

  static HWY_INLINE Indices indices(const std::uint8_t* at, const Places& places, bool folded) {
    const auto mask = hn::Set(Bytes(), std::uint8_t{0xfc});
    const hn::Repartition<std::uint16_t, Bytes> wide;
    Indices all;
    for (std::uint32_t test = 0; test < tests; ++test) {
      const auto first = load_bytes(at + places[test], folded);
      const auto second = load_bytes(at + places[test] + 1, folded);
      const auto shifted = hn::BitCast(Bytes(), hn::ShiftLeft<2>(hn::BitCast(wide, second)));
      all.of[test] = _mm512_ternarylogic_epi64(first.raw, shifted.raw, mask.raw, 0x78);  // first ^ (shifted & mask)
    }
    return all;
  }

  HWY_INLINE ByteVector passing_bins(const Indices& all) const {
    static_assert(tests == 3);
    const auto found = [&](std::uint32_t test)
                           HWY_ATTR { return _mm512_permutex2var_epi8(low_[test], all.of[test], high_[test]); };
    return ByteVector{_mm512_ternarylogic_epi64(found(0), found(1), found(2), 0x80)};  // all three
  }

  static HWY_INLINE std::uint32_t bins_of(const Sieve& sieve, std::uint64_t window) {
    std::uint32_t bins = 0xff;
    for (std::uint32_t test = 0; test < tests; ++test) {
      const auto first = static_cast<std::uint8_t>(window >> (8 * sieve.pair_places()[test]));
      const auto second = static_cast<std::uint8_t>(window >> (8 * sieve.pair_places()[test] + 8));
      bins &= sieve.tables().pairs[test][Sieve::pair_entry(first, second)];
    }
    return bins;
  }

 private:
  __m512i low_[tests];
  __m512i high_[tests];
};

#elif HWY_TARGET == HWY_SCALAR

class LookUp {
 public:
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

  static HWY_INLINE std::uint32_t bins_of(const Sieve& sieve, std::uint64_t window) {
    return bins_by_halves(sieve, window);
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

  static HWY_INLINE std::uint32_t bins_of(const Sieve& sieve, std::uint64_t window) {
    return bins_by_halves(sieve, window);
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
        budget_(sieve.budget_bytes(out.end() - out.begin())) {}

  void run() {
    if (size_ < 2) return;
    // Places at which the core of an occurrence that starts in the range may lie; it has at least two bytes.
    const std::uint64_t end = std::min(out_.end() + sieve_.max_core_offset(), size_ - 1);
    for (std::uint64_t at = out_.begin(); at < end && !is_exhausted();) {
      const std::uint64_t readable = std::min(end, std::max(size_, reach) - reach);
      std::uint64_t count = readable < at ? 0 : std::min(round_words, (readable - at) / 64);
      if (count != 0) {
        scan_words(text_ + at, count);
      } else {
        // The text's last bytes, with zero bytes behind them.
        std::uint8_t bytes[64 + reach] = {};
        std::memcpy(bytes, text_ + at, std::min(size_ - at, 64 + reach));
        scan_words(bytes, count = 1);
        if (end - at < 64) hits_[0] &= (std::uint64_t{1} << (end - at)) - 1;
      }
      queue_hits(at, count);
      at += count * 64;
    }
    if (!is_exhausted()) verify_queue();
    if (HWY_UNLIKELY(is_exhausted())) sieve_.scan_by_hashes(out_, exhausted_at_);
  }

 private:
  static constexpr std::size_t queue_places = 512;
  static constexpr std::uint64_t never = UINT64_MAX;
  static constexpr std::uint64_t round_words = 32;
  // Bytes that are read behind 64 places.
  static constexpr std::uint64_t reach = Sieve::most_core_bytes - 1;
  static_assert(64 % lanes == 0);

  // Notes which of `count` times 64 places pass. A branch on that would be mispredicted about as often as one does.
  void scan_words(const std::uint8_t* bytes, const std::uint64_t count) {
    const Bytes d;
    const LookUp look_up(sieve_.tables());
    const LookUp::Places places = LookUp::places(sieve_);
    for (std::uint64_t word = 0; word < count; ++word) {
      std::uint64_t hits = 0;
      for (std::uint64_t part = 0; part < 64; part += lanes) {
        const auto indices = LookUp::indices(bytes + word * 64 + part, places, folded);
        const auto passing = look_up.passing_bins(indices);
        hits |= mask_bits(d, hn::Ne(passing, hn::Zero(d))) << part;
      }
      hits_[word] = hits;
    }
  }

  void queue_hits(std::uint64_t at, std::uint64_t count) {
    for (std::uint64_t word = 0; word < count && !is_exhausted(); ++word) {
      for (std::uint64_t hits = hits_[word]; hits != 0; hits &= hits - 1)
        queue_[queued_++] = at + word * 64 + static_cast<unsigned>(std::countr_zero(hits));
      if (queued_ > queue_places - 64) verify_queue();
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

  void verify_queue() {
    // Most places equal no pattern, or the only bin's: told apart without a branch.
    std::size_t left = 0;
    for (std::size_t item = 0; item < queued_; ++item) {
      const std::uint64_t window = window_at(queue_[item]);
      const std::uint32_t bins = LookUp::bins_of(sieve_, window);
      const auto bin = static_cast<unsigned>(std::countr_zero(bins | 1u << (Sieve::bins - 1)));
      left_[left] = {queue_[item], window, bins};
      left += (equal_members(bin, window) | (bins & (bins - 1))) != 0 ? 1 : 0;
    }
    for (std::size_t item = 0; item < left; ++item) {
      if (HWY_UNLIKELY(budget_.is_spent())) {
        exhausted_at_ = left_[item].place;
        break;
      }
      verify(left_[item]);
    }
    out_.add_candidates(queued_);
    queued_ = 0;
  }

  struct Candidate {
    std::uint64_t place;
    std::uint64_t window;
    std::uint32_t bins;
  };

  bool is_exhausted() const { return exhausted_at_ != never; }

  void verify(const Candidate& candidate) {
    for (std::uint32_t bins = candidate.bins; bins != 0; bins &= bins - 1) {
      const auto bin = static_cast<unsigned>(std::countr_zero(bins));
      for (std::uint64_t equal = equal_members(bin, candidate.window); equal != 0; equal &= equal - 1)
        emit(sieve_.tables().members[bin][std::countr_zero(equal)], candidate.place);
    }
  }

  HWY_INLINE std::uint64_t equal_members(unsigned bin, std::uint64_t window) const {
    const hn::CappedTag<std::uint64_t, Sieve::bin_members> d;
    std::uint64_t equal = 0;
    for (std::uint32_t member = 0; member < Sieve::bin_members; member += static_cast<std::uint32_t>(hn::Lanes(d))) {
      const auto masked = hn::And(hn::Set(d, window), hn::Load(d, sieve_.tables().masks[bin] + member));
      equal |= mask_bits(d, hn::Eq(masked, hn::Load(d, sieve_.tables().values[bin] + member))) << member;
    }
    return equal;
  }

  HWY_INLINE void emit(const Sieve::Member& member, std::uint64_t place) {
    const std::uint64_t start = place - member.core_offset;
    if (start > size_ || member.length > size_ - start) return;  // also where it wraps round before the piece
    if (member.is_decided || budget_.equal(text_ + start, member.bytes, member.length, member.ignore_case))
      out_.emit(start, member.distinct, member.length);
  }

  const Sieve& sieve_;
  Collector& out_;
  const std::uint8_t* text_;
  const std::uint64_t size_;
  ComparisonBudget budget_;
  std::uint64_t exhausted_at_ = never;  // the budget has ended; places from this one on are not looked at
  std::size_t queued_ = 0;
  std::uint64_t hits_[round_words];    // of each place of a round: whether a core may lie there
  std::uint64_t queue_[queue_places];  // places that passed
  Candidate left_[queue_places + 1];   // of them, those to be looked at closely; written before that is known
};

void scan_sieve(const Sieve& sieve, Collector& out) {
  sieve.folded() ? SieveScan<true>(sieve, out).run() : SieveScan<false>(sieve, out).run();
}

}  // namespace HWY_NAMESPACE
}  // namespace lode
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lode {

Sieve::Sieve(const PlanData& plan, std::span<const std::uint32_t> distincts, Tests tests)
    : tests_(tests), rolling_(plan, distincts) {
  struct Chosen {
    std::uint32_t distinct;
    std::uint32_t core_offset;
    std::array<std::uint8_t, most_core_bytes> core;  // 0 behind the end of a shorter one
  };
  std::size_t shortest = most_core_bytes;
  for (const std::uint32_t distinct : distincts) {
    folded_ |= plan.ignore_case(distinct);
    shortest = std::min(shortest, plan.bytes(distinct).size());
  }
  const auto core_bytes = static_cast<std::uint32_t>(std::max<std::size_t>(shortest, least_core_bytes));
  pair_places_ = {0, (core_bytes - 2) / 2, core_bytes - 2};
  half_places_ = {0, core_bytes / 3, core_bytes * 2 / 3, core_bytes - 1};
  const auto folded_byte = [&](std::uint8_t byte) {
    return folded_ ? static_cast<std::uint8_t>(byte | (loose_fold_mask & 0xff)) : byte;
  };
  Frequencies frequencies;
  double all_bytes = 0;
  std::vector<Chosen> chosen;
  for (const std::uint32_t distinct : distincts) {
    const std::span<const std::uint8_t> bytes = plan.bytes(distinct);
    const auto span = static_cast<std::uint32_t>(std::min<std::size_t>(bytes.size(), core_bytes));
    const auto reach = bytes.first(std::min<std::size_t>(bytes.size(), most_core_offset + core_bytes));
    Chosen one{distinct, choose_probe_window(reach, plan.ignore_case(distinct), span), {}};
    for (std::uint32_t at = 0; at < span; ++at) one.core[at] = folded_byte(bytes[one.core_offset + at]);
    chosen.push_back(one);
    core_offsets_.emplace_back(distinct, one.core_offset);
    max_core_offset_ = std::max(max_core_offset_, one.core_offset);
    for (const std::uint8_t byte : bytes) frequencies.of_byte[folded_byte(byte)] += 1;
    all_bytes += static_cast<double>(bytes.size());
  }
  std::sort(core_offsets_.begin(), core_offsets_.end());
  for (double& frequency : frequencies.of_byte) frequency /= all_bytes;
  for (std::uint32_t first = 0; first < 256; ++first)
    for (std::uint32_t second = 0; second < 256; ++second)
      frequencies.of_pair_entry[pair_entry(static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(second))] +=
          frequencies.of_byte[first] * frequencies.of_byte[second];
  // Equal and similar cores share a bin, which they widen least.
  std::sort(chosen.begin(), chosen.end(), [](const Chosen& a, const Chosen& b) { return a.core < b.core; });

  const auto count = static_cast<std::uint32_t>(chosen.size());
  for (auto& values : tables_.values)
    std::fill(std::begin(values), std::end(values), 1);  // with a mask of 0: no member
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
      tables_.members[bin][member] = {bytes.data(),
                                      static_cast<std::uint32_t>(bytes.size()),
                                      one.distinct,
                                      static_cast<std::uint8_t>(one.core_offset),
                                      plan.ignore_case(one.distinct),
                                      !folded_ && one.core_offset == 0 && compared == bytes.size()};
      add_core(bin, std::span(one.core).first(std::min<std::size_t>(bytes.size(), core_bytes)));
    }
  }
  expected_passes_ = estimate_passes(frequencies);
}

void Sieve::scan_by_hashes(Collector& out, std::uint64_t place) const {
  const auto wants = [&](std::uint64_t start, std::uint32_t distinct) {
    const auto known = std::lower_bound(core_offsets_.begin(), core_offsets_.end(), std::pair(distinct, 0u));
    return start + known->second >= place;
  };
  const std::uint64_t first = place - std::min<std::uint64_t>(place, max_core_offset_);
  rolling_.scan(out, std::max(first, out.begin()), wants);
}

void Sieve::add_core(std::uint32_t bin, std::span<const std::uint8_t> core) {
  const auto bit = static_cast<std::uint8_t>(1u << bin);
  for (std::uint32_t test = 0; test < pair_tests; ++test) {
    const std::uint32_t place = pair_places_[test];
    if (place + 1 < core.size()) {
      tables_.pairs[test][pair_entry(core[place], core[place + 1])] |= bit;
    } else {
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
