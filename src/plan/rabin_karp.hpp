// Tables of `rabin-karp`: for each pattern length (and case rule) a hash table of its patterns.
//
// The hash of bytes b0 … bn-1 is the polynomial b0·B^(n-1) + … + bn-1 modulo 2^64, which rolls: from one position to
// the next it takes one multiplication for the byte that leaves and one for all that stay.
// Source: R. M. Karp, M. O. Rabin, "Efficient randomized pattern-matching algorithms" (1987).
// Example: patterns `kitty`, `puppy`: one group of length 5; the hash of `kitty and` rolls from `kitty` to `itty `.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lode {

struct PlanData;

inline constexpr std::uint64_t rolling_base = 0x2545F4914F6CDD1Du;

struct RabinKarpGroup {
  std::uint32_t length = 0;
  bool ignore_case = false;
  std::uint64_t leaving = 0;     // B^length: what a byte weighs when it leaves
  std::uint32_t mark_shift = 0;  // of rolling_key(): that of a mark, as slot_shift is of a slot
  std::uint32_t slot_shift = 0;
  std::vector<std::uint64_t>
      marks;  // bits: whether any pattern's hash has that key; many for each, so that few are set
  std::vector<std::uint64_t> hashes;  // per slot; meaningful where owners is
  std::vector<std::uint32_t> owners;  // per slot: distinct index + 1, or 0 where the slot is free
};

/// Of a hash, what tables are entered with. The last bytes of what was hashed weigh little in the hash's upper bits; they do
/// in these. The next hash is made of it, too.
inline std::uint64_t rolling_key(std::uint64_t hash) { return hash * rolling_base; }

/// The marks of a group, which outlives this.
class RollingMarks {
 public:
  explicit RollingMarks(const RabinKarpGroup& group) : marks_(group.marks.data()), shift_(group.mark_shift) {}
  /// Whether a pattern may have the hash of that key.
  bool has(std::uint64_t key) const { return (marks_[key >> shift_ >> 6] >> (key >> shift_ & 63) & 1) != 0; }

 private:
  const std::uint64_t* marks_;
  std::uint32_t shift_;
};

/// Polynomial hash of `length` bytes, folded first where asked.
std::uint64_t rolling_hash(const std::uint8_t* bytes, std::size_t length, bool folded);

/// One group for each length and case rule; equal hashes share a run of slots. Of all distinct patterns, or of those. None
/// where more than `most_slots` are taken in a row.
std::vector<RabinKarpGroup> build_rabin_karp_groups(const PlanData& plan, std::uint64_t most_slots = UINT64_MAX);
std::vector<RabinKarpGroup> build_rabin_karp_groups(const PlanData& plan, std::span<const std::uint32_t> distincts,
                                                    std::uint64_t most_slots = UINT64_MAX);

}  // namespace lode
