// Tables of `rabin-karp`: for each pattern length (and case rule) a hash table of its patterns.
//
// The hash of bytes b0 … bn-1 is the polynomial (b0+1)·B^(n-1) + … + (bn-1+1) modulo a prime. It rolls: from one place
// to the next it takes one multiplication, and a look-up of what the byte that leaves has weighed. B is drawn at random
// for each process. Two strings of n bytes have the same hash for at most n of all B, so that nobody can make texts or
// patterns whose hashes collide. The prime is 2^31 - 1 for patterns of up to 1024 bytes. It is 2^61 - 1 for longer
// ones: there a chance collision costs more, and fewer places are looked at side by side.
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

/// Patterns of at most so many bytes have hashes modulo 2^31 - 1.
inline constexpr std::uint32_t longest_of_short_hashes = 1024;

/// Arithmetic modulo 2^bits - 1, for 31 and 61 bits. A hash that rolls is below 2^(bits + 1): it is one of several
/// numbers that are the same modulo the prime.
template <unsigned bits>
class RollingHash {
 public:
  static constexpr std::uint64_t prime = (std::uint64_t{1} << bits) - 1;

  /// B of this process, below 2^(bits - 2).
  static std::uint64_t base();

  /// A number that is hash * factor + added modulo the prime. Precondition: added <= prime + 256, and either
  /// factor < 2^(bits - 2), or factor <= prime and hash <= prime.
  static std::uint64_t multiply_add(std::uint64_t hash, std::uint64_t factor, std::uint64_t added) {
    __extension__ using Wide = std::conditional_t<bits == 31, std::uint64_t, unsigned __int128>;
    // Modulo the prime 2^bits is 1, so that upper bits are added to lower ones.
    const Wide product = static_cast<Wide>(hash) * factor + added;
    return (static_cast<std::uint64_t>(product) & prime) + static_cast<std::uint64_t>(product >> bits);
  }

  /// The number below the prime that is the same modulo it.
  static std::uint64_t reduce(std::uint64_t hash) {
    const std::uint64_t sum = (hash & prime) + (hash >> bits);
    return std::min(sum, sum - prime);
  }
};

struct RabinKarpGroup {
  std::uint32_t length = 0;
  bool ignore_case = false;
  std::uint64_t weight = 0;  // B^length
  // By byte: what it adds when it leaves, -weight * (byte + 1), and the 1 by which the byte that enters counts more.
  std::array<std::uint64_t, 256> leaving{};
  std::uint64_t mark_mask = 0;        // the bits of a hash that number its mark
  std::uint32_t slot_shift = 0;       // a hash begins its search at slot rolling_key(hash) >> slot_shift
  std::vector<std::uint64_t> marks;   // a bit for each number: whether a hash is marked by it; most are 0
  std::vector<std::uint64_t> hashes;  // by slot, valid where the slot has an owner
  std::vector<std::uint32_t> owners;  // by slot: distinct index + 1, or 0 where the slot is free
};

/// The key of a reduced hash, whose upper bits choose a slot. It spreads hashes of short patterns, which are
/// neighbours.
inline std::uint64_t rolling_key(std::uint64_t hash) { return hash * 0x9E3779B97F4A7C15u; }

/// The marks of a group, which must outlive this.
class RollingMarks {
 public:
  explicit RollingMarks(const RabinKarpGroup& group) : marks_(group.marks.data()), mask_(group.mark_mask) {}
  /// Whether a pattern may have that reduced hash.
  bool has(std::uint64_t hash) const { return (marks_[(hash & mask_) / 64] >> hash % 64 & 1) != 0; }

 private:
  const std::uint64_t* marks_;
  std::uint64_t mask_;
};

/// The reduced hash of `length` bytes, which are folded first if `folded`.
template <unsigned bits>
std::uint64_t rolling_hash(const std::uint8_t* bytes, std::size_t length, bool folded);

/// Builds a group for each length and case rule: of all distinct patterns, or of `distincts`. In its hash table a slot
/// that is taken leads to the next.
std::vector<RabinKarpGroup> build_rabin_karp_groups(const PlanData& plan);
std::vector<RabinKarpGroup> build_rabin_karp_groups(const PlanData& plan, std::span<const std::uint32_t> distincts);

}  // namespace lode
