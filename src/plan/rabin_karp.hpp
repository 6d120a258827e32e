// Tables of `rabin-karp`: for each pattern length (and case rule) a hash table of its patterns.
//
// The hash of bytes b0 … bn-1 is the polynomial (b0+1)·B^(n-1) + … + (bn-1+1) modulo a prime, which rolls: from one place to
// the next it takes one multiplication, and a look-up of what the byte that leaves has weighed. B is drawn at random for
// each process: two strings of n bytes have the same hash for n of the bases at most, so that nobody can make texts or
// patterns whose hashes meet. The prime is 2^31 - 1 for patterns of up to 1024 bytes; 2^61 - 1 for longer ones, of which a
// hash that is met by chance costs more, and which have fewer places looked at side by side.
// Source: R. M. Karp, M. O. Rabin, "Efficient randomized pattern-matching algorithms" (1987).
// Example: patterns `kitty`, `puppy`: one group of length 5; the hash of `kitty and` rolls from `kitty` to `itty `.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace lode {

struct PlanData;

/// Longest patterns whose hashes are modulo 2^31 - 1.
inline constexpr std::uint32_t longest_of_short_hashes = 1024;

/// Numbers modulo 2^bits - 1, for 31 and 61 bits. What rolls is one of several numbers that are the same modulo the prime, below
/// 2^(bits + 1).
template <unsigned bits>
class RollingHash {
 public:
  static constexpr std::uint64_t prime = (std::uint64_t{1} << bits) - 1;

  /// B of this process, below 2^(bits - 2).
  static std::uint64_t base();

  /// hash * factor + added, for factor < 2^(bits - 2) and added <= prime + 256; for factor <= prime if hash <= prime, too.
  static std::uint64_t multiply_add(std::uint64_t hash, std::uint64_t factor, std::uint64_t added) {
    __extension__ using Wide = std::conditional_t<bits == 31, std::uint64_t, unsigned __int128>;
    // 2^bits is 1, so that upper bits are added to lower ones.
    const Wide product = static_cast<Wide>(hash) * factor + added;
    return (static_cast<std::uint64_t>(product) & prime) + static_cast<std::uint64_t>(product >> bits);
  }

  /// The one number below the prime.
  static std::uint64_t reduce(std::uint64_t hash) {
    const std::uint64_t sum = (hash & prime) + (hash >> bits);
    return std::min(sum, sum - prime);
  }
};

struct RabinKarpGroup {
  std::uint32_t length = 0;
  bool ignore_case = false;
  std::uint64_t weight = 0;  // B^length
  std::array<std::uint64_t, 256>
      leaving{};                 // of each byte: -weight * (byte + 1) as it leaves, and 1 for the one that enters
  std::uint64_t mark_mask = 0;   // of hashes: the bits that number a mark
  std::uint32_t slot_shift = 0;  // of rolling_key()
  std::vector<std::uint64_t>
      marks;  // bits: whether any pattern's hash has that number; many for each, so that few are set
  std::vector<std::uint64_t> hashes;  // per slot; meaningful where owners is
  std::vector<std::uint32_t> owners;  // per slot: distinct index + 1, or 0 where the slot is free
};

/// Of a reduced hash, what slots are chosen by, its upper bits: hashes of short patterns are neighbours.
inline std::uint64_t rolling_key(std::uint64_t hash) { return hash * 0x9E3779B97F4A7C15u; }

/// The marks of a group, which outlives this.
class RollingMarks {
 public:
  explicit RollingMarks(const RabinKarpGroup& group) : marks_(group.marks.data()), mask_(group.mark_mask) {}
  /// Whether a pattern may have that reduced hash.
  bool has(std::uint64_t hash) const { return (marks_[(hash & mask_) / 64] >> hash % 64 & 1) != 0; }

 private:
  const std::uint64_t* marks_;
  std::uint64_t mask_;
};

/// Reduced polynomial hash of `length` bytes, folded first where asked.
template <unsigned bits>
std::uint64_t rolling_hash(const std::uint8_t* bytes, std::size_t length, bool folded);

/// One group for each length and case rule; slots that are taken by others lead to the next. Of all distinct patterns, or of
/// those.
std::vector<RabinKarpGroup> build_rabin_karp_groups(const PlanData& plan);
std::vector<RabinKarpGroup> build_rabin_karp_groups(const PlanData& plan, std::span<const std::uint32_t> distincts);

}  // namespace lode
