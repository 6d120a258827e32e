// Form: a rewriting of a pattern that is searched beside it, under the same id.
//
// A text may hold a pattern in another writing: in UTF-16, on the other strand of DNA, in base64, in a JSON string. A
// form makes *spellings* of the pattern, each of which is searched like a pattern; a match tells which form was found.
// The pattern as it is given is always searched, too. Spellings of one pattern that are equal count once, as the first
// of their forms in the order below: a palindromic site equals its reverse complement, and is found as given.
//
//   lode::PatternSet patterns{"GAATTTC"};
//   patterns.set_forms(0, lode::Forms("reverse-complement"));
//   lode::Searcher(lode::Plan::build(patterns)).find("GAAATTC")   // (0, id 0), 7 bytes, reverse_complement
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lode/export.hpp"

namespace lode {

enum class Form : std::uint32_t {
  as_given = 0,
  // The pattern, which must be UTF-8, in UTF-16. Where it ignores case, its characters are spelled in all their cases
  // (those of simple folding), unless ignoring the case of ASCII bytes does the same.
  utf_16le = 1,
  utf_16be = 2,
  // The pattern consists of IUPAC's letters for DNA or RNA (ACGTU RYSWKM BDHVN), in either case. Each degenerate letter
  // is spelled as each of the bases that it stands for. T is U where the pattern has U and no T.
  iupac = 3,
  // The other strand, read in its own direction. Letters are those of `iupac`. With both forms its degenerate letters
  // are spelled out, too.
  reverse_complement = 4,
  // The characters of base64 that are the same whatever stands before and behind the pattern, for each of the three
  // ways in which it may be aligned; in the usual and in the URL-safe alphabet. They keep their case. A way with fewer
  // than four such characters is left out: patterns below three bytes have no spelling, and those of three have one.
  base64 = 5,
  // The pattern, which must be UTF-8, as a JSON string has it that escapes all but ASCII: \u00e9 and \u00E9.
  json = 6,
};

/// A form makes at most so many spellings of a pattern; beyond, building a plan throws Error(limit).
inline constexpr std::uint64_t max_spellings = 4096;

/// "as-given", "utf-16le", "utf-16be", "iupac", "reverse-complement", "base64" or "json".
LODE_API std::string_view form_name(Form form) noexcept;

/// A set of forms. The pattern as given is always searched, and is not in it.
class LODE_API Forms {
 public:
  Forms() = default;
  /// Names, separated by commas: "utf-16le,base64". Throws Error(invalid_argument) for a name that is unknown.
  explicit Forms(std::string_view names);

  bool empty() const noexcept { return bits_ == 0; }
  bool has(Form form) const noexcept { return (bits_ >> static_cast<std::uint32_t>(form) & 1U) != 0; }
  Forms with(Form form) const noexcept;
  Forms with(Forms others) const noexcept;
  /// The names in the order of the enumeration, separated by commas.
  std::string names() const;
  bool operator==(const Forms&) const = default;

 private:
  friend class PatternSet;
  friend class PlanFile;
  /// Whether all are known.
  bool is_sound() const noexcept;

  std::uint8_t bits_ = 0;  // bit n: the form n; never that of as_given
};

}  // namespace lode
