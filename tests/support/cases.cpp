#include "support/cases.hpp"

#include <cctype>

namespace lode::tests {
namespace {

using std::string_literals::operator""s;
using enum MatchKind;
using enum Condition;

CasePattern ignoring(std::string bytes) { return {std::move(bytes), true}; }

std::string repeat(std::string_view piece, std::size_t times) {
  std::string joined;
  for (std::size_t i = 0; i < times; ++i) joined += piece;
  return joined;
}

std::string all_bytes() {
  std::string bytes;
  for (int code = 0; code < 256; ++code) bytes += static_cast<char>(code);
  return bytes;
}

std::vector<CasePattern> each_byte() {
  std::vector<CasePattern> patterns;
  for (const char byte : all_bytes()) patterns.emplace_back(std::string(1, byte));
  return patterns;
}

// Gives (0, 0), (1, 1), … (count - 1, count - 1).
std::vector<std::pair<std::uint64_t, std::uint32_t>> diagonal(std::uint32_t count) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs;
  for (std::uint32_t i = 0; i < count; ++i) pairs.emplace_back(i, i);
  return pairs;
}

// Gives (0, id), (step, id), …, `count` of them.
std::vector<std::pair<std::uint64_t, std::uint32_t>> every(std::uint64_t step, std::uint64_t count) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs;
  for (std::uint64_t i = 0; i < count; ++i) pairs.emplace_back(i * step, 0);
  return pairs;
}

const std::string pangram = "the quick brown fox jumps over the lazy dog";
const std::string folding_edges = "@A[`a{@Z[`z{";

std::vector<Case> make_table() {
  return {
      // Cases of one pattern.
      {"empty_text", "", {"a"}, {}},
      {"empty_text_many", "", {"a", "bc", "def"}, {}},
      {"one_byte", "a", {"a"}, {{0, 0}}},
      {"one_byte_absent", "b", {"a"}, {}},
      {"one_byte_runs", "abaab", {"a"}, {{0, 0}, {2, 0}, {3, 0}}},
      {"equal_to_text", "kitty", {"kitty"}, {{0, 0}}},
      {"longer_than_text", "kitt", {"kitty"}, {}},
      {"one_longer_than_text", "kitt", {"kitty", "kit"}, {{0, 1}}},
      {"at_start", "kitty and puppy", {"kitty"}, {{0, 0}}},
      {"at_end", "kitty and puppy", {"puppy"}, {{10, 0}}},
      {"in_the_middle", "kitty and puppy", {"and"}, {{6, 0}}},
      {"last_byte_missing", "kitty and pupp", {"puppy"}, {}},
      {"first_byte_missing", "itty and puppy", {"kitty"}, {}},
      {"two_bytes", "abab", {"ab"}, {{0, 0}, {2, 0}}},
      {"three_bytes", "abcabdabc", {"abc"}, {{0, 0}, {6, 0}}},
      {"four_bytes", "abcdabceabcd", {"abcd"}, {{0, 0}, {8, 0}}},
      {"near_misses", "kittx kittz xitty kitty", {"kitty"}, {{18, 0}}},
      {"first_and_last_agree", "kxxxy kixty kitty", {"kitty"}, {{12, 0}}},
      {"false_start", "aaab", {"aab"}, {{1, 0}}},
      {"false_start_periodic", "abababc", {"ababc"}, {{2, 0}}},
      {"seventeen_bytes", "0123456789abcdefg", {"0123456789abcdefg"}, {{0, 0}}},
      {"sixty_five_bytes", "<" + repeat("0123456789abcdef", 4) + ">", {repeat("0123456789abcdef", 4) + ">"}, {{1, 0}}},

      // Cases of overlaps and periods.
      {"overlap_pair", "aaa", {"aa"}, {{0, 0}, {1, 0}}},
      {"overlap_triple", "aaaaa", {"aaa"}, {{0, 0}, {1, 0}, {2, 0}}},
      {"period_two", "ababab", {"abab"}, {{0, 0}, {2, 0}}},
      {"period_three", "abcabcabca", {"abcabca"}, {{0, 0}, {3, 0}}},
      {"long_run", repeat("a", 40), {repeat("a", 33)}, every(1, 8)},
      {"long_period", repeat("ab", 30), {repeat("ab", 20)}, every(2, 11)},
      {"all_lengths_of_a_run",
       "aaaa",
       {"a", "aa", "aaa", "aaaa", "aaaaa"},
       {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 1}, {1, 2}, {2, 0}, {2, 1}, {3, 0}}},
      {"chained", "abcbcdcde", {"abc", "bcb", "cbcd", "dcd", "cde"}, {{0, 0}, {1, 1}, {2, 2}, {5, 3}, {6, 4}}},
      {"border_overlap", "abaababaab", {"abaab", "ab"}, {{0, 0}, {0, 1}, {3, 1}, {5, 0}, {5, 1}, {8, 1}}},
      {"fibonacci_word", "abaababaabaab", {"abaaba", "baab"}, {{0, 0}, {1, 1}, {5, 0}, {6, 1}, {9, 1}}},

      // Cases of nested patterns, prefixes, suffixes and duplicates.
      {"ushers", "ushers", {"he", "she", "hers", "his"}, {{1, 1}, {2, 0}, {2, 2}}},
      {"prefixes", "abcd", {"a", "ab", "abc", "abcd"}, {{0, 0}, {0, 1}, {0, 2}, {0, 3}}},
      {"prefixes_backwards", "abcd", {"abcd", "abc", "ab", "a"}, {{0, 0}, {0, 1}, {0, 2}, {0, 3}}},
      {"suffixes", "abcd", {"d", "cd", "bcd", "abcd"}, {{0, 3}, {1, 2}, {2, 1}, {3, 0}}},
      {"inside", "abcde", {"abcde", "bcd", "c"}, {{0, 0}, {1, 1}, {2, 2}}},
      {"prefix_only_present", "abx", {"abc", "ab"}, {{0, 1}}},
      {"suffix_only_present", "xbc", {"abc", "bc"}, {{1, 1}}},
      {"duplicates", "xabx", {"ab", "ab", "ab"}, {{1, 0}, {1, 1}, {1, 2}}},
      {"duplicates_apart", "abcd", {"ab", "cd", "ab", "x", "cd"}, {{0, 0}, {0, 2}, {2, 1}, {2, 4}}},
      {"duplicates_one_byte", "aba", {"a", "b", "a"}, {{0, 0}, {0, 2}, {1, 1}, {2, 0}, {2, 2}}},
      {"duplicates_by_case", "Ab", {"ab", ignoring("AB"), ignoring("ab"), "Ab"}, {{0, 1}, {0, 2}, {0, 3}}},
      {"same_first_bytes", "abcdxabcdy", {"abcdx", "abcdy", "abcdz"}, {{0, 0}, {5, 1}}},
      {"same_last_bytes", "xabcdyabcd", {"xabcd", "yabcd", "zabcd"}, {{0, 0}, {5, 1}}},
      {"same_lengths", "onetwosix", {"one", "two", "six", "ten"}, {{0, 0}, {3, 1}, {6, 2}}},
      {"same_bytes_other_order", "abcacb bca", {"abc", "acb", "bca", "cba"}, {{0, 0}, {1, 2}, {3, 1}, {7, 2}}},

      // The examples of the papers that first described the algorithms.
      {"boyer_moore_example", "ZZGCAGAGAG", {"GCAGAGAG"}, {{2, 0}}},
      {"boyer_moore_paper", "GCATCGCAGAGAGTATACAGTACG", {"GCAGAGAG"}, {{5, 0}}},
      {"boyer_moore_twice", "GCAGAGAGCAGAGAG", {"GCAGAGAG"}, {{0, 0}, {7, 0}}},
      {"kitty_and_puppy", "kitty and puppy", {"kitty", "puppy"}, {{0, 0}, {10, 1}}},
      {"puppy_elephant", "puppy, elephant", {"kitty", "puppy"}, {{0, 1}}},
      {"four_words_at_start", "that", {"that", "with", "have", "from"}, {{0, 0}}},
      {"four_words_second", "with", {"that", "with", "have", "from"}, {{0, 1}}},
      {"four_words_third", "havefrom", {"that", "with", "have", "from"}, {{0, 2}, {4, 3}}},
      {"four_words_fourth", "from", {"that", "with", "have", "from"}, {{0, 3}}},
      {"four_words_all", "fromhavewiththat", {"that", "with", "have", "from"}, {{0, 3}, {4, 2}, {8, 1}, {12, 0}}},

      // Cases of bytes of every kind.
      {"nul_bytes", "a\0b\0\0c"s, {"\0"s, "\0\0"s, "b\0"s, "a\0b"s}, {{0, 3}, {1, 0}, {2, 2}, {3, 0}, {3, 1}, {4, 0}}},
      {"only_nuls", "\0\0\0\0"s, {"\0\0\0"s}, {{0, 0}, {1, 0}}},
      {"nul_at_the_end", "abc\0"s, {"c\0"s, "c\0\0"s}, {{2, 0}}},
      {"nuls_long", std::string(40, '\0'), {std::string(38, '\0')}, every(1, 3)},
      {"newlines", "a\nb\n\nc", {"\n", "\n\n", "b\n", "a\nb"}, {{0, 3}, {1, 0}, {2, 2}, {3, 0}, {3, 1}, {4, 0}}},
      {"carriage_returns", "a\r\nb", {"\r\n", "\r", "\n"}, {{1, 0}, {1, 1}, {2, 2}}},
      {"high_bytes",
       "\x80\xFF\xC3\xA9\xFF",
       {"\xFF", "\xC3\xA9", "\x80\xFF", "\xA9\xC3"},
       {{0, 2}, {1, 0}, {2, 1}, {4, 0}}},
      {"high_and_low_bit", "\x01\x81\x01", {"\x01", "\x81"}, {{0, 0}, {1, 1}, {2, 0}}},
      {"utf8", "naïve café", {"ï", "é", "café", "a"}, {{1, 3}, {2, 0}, {7, 2}, {8, 3}, {10, 1}}},
      {"utf8_half_of_a_letter", "é", {"\xC3", "\xA9"}, {{0, 0}, {1, 1}}},
      {"byte_ff_runs", "\xFF\xFF\xFF", {"\xFF\xFF"}, {{0, 0}, {1, 0}}},
      {"all_bytes", all_bytes(), each_byte(), diagonal(256)},
      {"all_bytes_as_one", all_bytes(), {all_bytes()}, {{0, 0}}},
      {"all_bytes_in_turn",
       all_bytes() + all_bytes(),
       {"\xFE\xFF\0\x01"s, "\xFF"s, "\0"s},
       {{0, 2}, {254, 0}, {255, 1}, {256, 2}, {511, 1}}},
      {"bytes_that_differ_in_one_bit", "pqrstuvw0123", {"q2", "p1", "12", "uv", "vu"}, {{5, 3}, {9, 2}}},

      // Cases of letters' case.
      {"case_exact", "Kitty kitty KITTY", {"kitty"}, {{6, 0}}},
      {"case_ignored", "Kitty kitty KITTY", {ignoring("kitty")}, {{0, 0}, {6, 0}, {12, 0}}},
      {"case_ignored_upper_pattern", "Kitty kitty KITTY", {ignoring("KITTY")}, {{0, 0}, {6, 0}, {12, 0}}},
      {"case_ignored_mixed_pattern", "kItTy", {ignoring("KiTtY")}, {{0, 0}}},
      {"case_mixed_set",
       "Ab ab AB",
       {"Ab", ignoring("aB"), "ab", "AB"},
       {{0, 0}, {0, 1}, {3, 1}, {3, 2}, {6, 1}, {6, 3}}},
      {"case_one_byte",
       "aAbB",
       {ignoring("a"), "B", ignoring("B"), "a"},
       {{0, 0}, {0, 3}, {1, 0}, {2, 2}, {3, 1}, {3, 2}}},
      {"case_edges_exact",
       folding_edges,
       {"@", "A", "[", "`", "a", "{"},
       {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 0}, {8, 2}, {9, 3}, {11, 5}}},
      {"case_edges_ignored",
       folding_edges,
       {ignoring("@"), ignoring("["), ignoring("`"), ignoring("{")},
       {{0, 0}, {2, 1}, {3, 2}, {5, 3}, {6, 0}, {8, 1}, {9, 2}, {11, 3}}},
      {"case_edges_long",
       "@ABYZ[ `abyz{ @abyz[ `abyz[",
       {ignoring("@abyz["), ignoring("`ABYZ{")},
       {{0, 0}, {7, 1}, {14, 0}}},
      {"case_edges_not_letters",
       "0P1Q p@ \x10\x30",
       {ignoring("0p"), ignoring("P@"), ignoring("\x10"), ignoring("0")},
       {{0, 0}, {0, 3}, {5, 1}, {8, 2}, {9, 3}}},
      {"case_digits_unfolded",
       "\x11\x31\x51\x71",
       {ignoring("\x11"), ignoring("1"), ignoring("Q")},
       {{0, 0}, {1, 1}, {2, 2}, {3, 2}}},
      {"case_high_bytes_unfolded",
       "\xC1\xE1\xC1",
       {ignoring("\xE1"), ignoring("\xC1\xE1"), "\xE1\xC1"},
       {{0, 1}, {1, 0}, {1, 2}}},
      {"case_high_bytes_unfolded_long",
       "xx\xC9xxxx\xE9xx",
       {ignoring("XX\xE9XX"), ignoring("xx\xC9xx"), ignoring("x\xC9")},
       {{0, 1}, {1, 2}, {5, 0}}},
      {"case_whole_alphabet",
       "AbCdEfGhIjKlMnOpQrStUvWxYz",
       {ignoring("abcdefghijklmnopqrstuvwxyz"), ignoring("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), "abcdefghijklmnopqrstuvwxyz"},
       {{0, 0}, {0, 1}}},
      {"case_exact_beside_folded_text", "abcdABCDabCD", {"ABCD", ignoring("cdab")}, {{2, 1}, {4, 0}, {6, 1}}},
      {"case_folded_long",
       "XX" + repeat("aBcDeFgH", 5) + "XX",
       {ignoring(repeat("AbCdEfGh", 5)), ignoring("xxAb"), ignoring("GHxx")},
       {{0, 1}, {2, 0}, {40, 2}}},

      // Cases of mixed lengths.
      {"lengths_one_to_nine",
       "abcdefghi",
       {"a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh", "abcdefghi"},
       {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}, {0, 7}, {0, 8}}},
      {"one_short_among_long",
       "xxxthequickbrownfoxjumps",
       {"quickbrownfoxjumps", "x", "thequickbrownfox", "overthelazydog"},
       {{0, 1}, {1, 1}, {2, 1}, {3, 2}, {6, 0}, {18, 1}}},
      {"pangram_words",
       pangram,
       {"the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog", "cat"},
       {{0, 0}, {4, 1}, {10, 2}, {16, 3}, {20, 4}, {26, 5}, {31, 0}, {35, 6}, {40, 7}}},
      {"pangram_letters", "the dog", {"t", "h", "e", "o", "z"}, {{0, 0}, {1, 1}, {2, 2}, {5, 3}}},
      {"dna", "ACGTACGTTACG", {"ACGT", "CGTT", "TACG", "GGGG"}, {{0, 0}, {3, 2}, {4, 0}, {5, 1}, {8, 2}}},
      {"long_and_its_window",
       repeat("z", 20) + "needle",
       {repeat("z", 16) + "needle", "zneed", "needle"},
       {{4, 0}, {19, 1}, {20, 2}}},
      {"difference_in_the_last_byte",
       repeat("q", 31) + "1" + repeat("q", 31) + "2",
       {repeat("q", 31) + "1", repeat("q", 31) + "2", repeat("q", 31) + "3"},
       {{0, 0}, {32, 1}}},
      {"difference_in_the_first_byte",
       "1" + repeat("q", 31) + "2" + repeat("q", 31),
       {"1" + repeat("q", 31), "2" + repeat("q", 31), "3" + repeat("q", 31)},
       {{0, 0}, {32, 1}}},
      {"difference_in_the_middle",
       repeat("q", 20) + "1" + repeat("q", 20),
       {repeat("q", 15) + "1" + repeat("q", 15), repeat("q", 15) + "2" + repeat("q", 15)},
       {{5, 0}}},

      // Cases of whole words.
      {"word_alone", "cat", {"cat"}, {{0, 0}}, overlapping, whole_word},
      {"word_between_blanks", "a cat sat", {"cat"}, {{2, 0}}, overlapping, whole_word},
      {"word_edges", "cat concat catalog cat", {"cat"}, {{0, 0}, {19, 0}}, overlapping, whole_word},
      {"word_bytes",
       "cat_ _cat cat9 9cat cat\x80 \x80"
       "cat cat- -cat",
       {"cat"},
       {{20, 0}, {26, 0}, {30, 0}, {36, 0}},
       overlapping,
       whole_word},
      {"word_between_letters_beyond_ascii",
       "\u00E9cat cat\u00E9 \u4E2Dcat cat\u0301 cat\u0967 cat\u203F cat\u200D \U00010400cat cat\U00010400",
       {"cat"},
       {},
       overlapping,
       whole_word},
      {"word_between_other_characters",
       "\u201Ccat\u201D \u2014cat\u2026 \U0001F600cat\U0001F600",
       {"cat"},
       {{3, 0}, {13, 0}, {24, 0}},
       overlapping,
       whole_word},
      {"word_beside_cut_characters",
       "\xC3"
       "cat cat\xE4\xB8 \xA9"
       "cat cat\xF0\x90\x90 \xC1\xA1"
       "cat \xED\xA0\x80"
       "cat",
       {"cat"},
       {{1, 0}, {5, 0}, {12, 0}, {16, 0}, {25, 0}, {32, 0}},
       overlapping,
       whole_word},
      {"word_within_a_character", "\xC3\xA9 \xA9 \xC3", {"\xA9", "\xC3"}, {{3, 0}, {5, 1}}, overlapping, whole_word},
      {"word_of_letters_beyond_ascii",
       "\u043A\u043E\u0442 \u043A\u043E\u0442\u0438\u043A \u00AB\u043A\u043E\u0442\u00BB",
       {"\u043A\u043E\u0442", "\u043E"},
       {{0, 0}, {20, 0}},
       overlapping,
       whole_word},
      {"word_bytes_edges",
       "cat/cat:cat@cat[cat`cat{cat^cat\x7F"
       "cat",
       {"cat"},
       {{0, 0}, {4, 0}, {8, 0}, {12, 0}, {16, 0}, {20, 0}, {24, 0}, {28, 0}, {32, 0}},
       overlapping,
       whole_word},
      {"word_bytes_within_edges", "0cat cat9 Acat catZ acat catz", {"cat"}, {}, overlapping, whole_word},
      {"word_with_nul_beside", "\0cat\0"s, {"cat"}, {{1, 0}}, overlapping, whole_word},
      {"word_pattern_of_blanks", "a b", {" ", "a b", "a "}, {{0, 1}}, overlapping, whole_word},
      {"word_pattern_of_punctuation", "a -- b--c --", {"--"}, {{2, 0}, {10, 0}}, overlapping, whole_word},
      {"word_one_byte", "a ab b a", {"a", "b"}, {{0, 0}, {5, 1}, {7, 0}}, overlapping, whole_word},
      {"word_nested",
       "new york new",
       {"new", "new york", "york", "yor"},
       {{0, 0}, {0, 1}, {4, 2}, {9, 0}},
       overlapping,
       whole_word},
      {"word_ignoring_case",
       "CAT Cats cAt",
       {ignoring("cat"), "CAT"},
       {{0, 0}, {0, 1}, {9, 0}},
       overlapping,
       whole_word},
      {"word_before_kind", "abcd ab", {"ab", "abcd", "abc"}, {{0, 1}, {5, 0}}, leftmost_first, whole_word},
      {"word_before_longest", "ab abc", {"ab", "ab a", "ab abc", "abc"}, {{0, 2}}, leftmost_longest, whole_word},

      // Cases of whole lines.
      {"line_alone", "cat", {"cat"}, {{0, 0}}, overlapping, whole_line},
      {"line_with_newline", "cat\n", {"cat"}, {{0, 0}}, overlapping, whole_line},
      {"line_each", "cat\ncats\nacat\ncat", {"cat"}, {{0, 0}, {14, 0}}, overlapping, whole_line},
      {"line_empty_ones", "\n\ncat\n\n", {"cat"}, {{2, 0}}, overlapping, whole_line},
      {"line_carriage_return", "cat\r\ncat\n", {"cat", "cat\r"}, {{0, 1}, {5, 0}}, overlapping, whole_line},
      {"line_many_patterns",
       "a\nab\nabc\n",
       {"a", "ab", "abc", "b"},
       {{0, 0}, {2, 1}, {5, 2}},
       overlapping,
       whole_line},
      {"line_ignoring_case", "CAT\ncat", {ignoring("Cat"), "cat"}, {{0, 0}, {4, 0}, {4, 1}}, overlapping, whole_line},
      {"line_crlf", "cat\r\ncat\ncat\rx", {"cat", "cat\r"}, {{0, 0}, {0, 1}, {5, 0}}, overlapping, whole_line_crlf},
      {"line_crlf_at_the_end", "cat\r\n", {"cat"}, {{0, 0}}, overlapping, whole_line_crlf},
      {"line_crlf_twice", "cat\r\r\n\r\ncat", {"cat", "cat\r"}, {{0, 1}, {8, 0}}, overlapping, whole_line_crlf},
      {"line_crlf_of_the_terminator", "a\r\n\n\r\nb", {"\r", "\n"}, {{3, 1}, {4, 0}}, overlapping, whole_line_crlf},
      {"line_crlf_kind", "ab\r\nab\rx", {"a", "ab", "ab\r"}, {{0, 2}}, leftmost_longest, whole_line_crlf},
      {"line_duplicates", "x\ny\n", {"y", "x", "y"}, {{0, 1}, {2, 0}, {2, 2}}, overlapping, whole_line},
      {"line_over_two_lines", "a\nb\nab\n", {"a\nb", "b\n"}, {{0, 0}}, overlapping, whole_line},
      {"line_of_the_terminator", "a\n\n\nb", {"\n"}, {{2, 0}}, overlapping, whole_line},
      {"line_nul_terminated",
       "cat\0dog\ncat\0cat"s,
       {"cat", "dog\ncat"},
       {{0, 0}, {4, 1}, {12, 0}},
       overlapping,
       whole_line,
       '\0'},
      {"line_kind", "ab\nab\na", {"a", "ab", "ab\nab"}, {{0, 2}, {6, 0}}, leftmost_longest, whole_line},

      // Cases of match kinds.
      {"longest_of_prefixes", "abcd", {"a", "abc", "ab"}, {{0, 1}}, leftmost_longest},
      {"first_of_prefixes", "abcd", {"ab", "abc", "a"}, {{0, 0}}, leftmost_first},
      {"first_is_not_longest", "abcd", {"a", "abcd"}, {{0, 0}}, leftmost_first},
      {"first_then_the_rest", "abcd", {"a", "abcd", "bc", "d"}, {{0, 0}, {1, 2}, {3, 3}}, leftmost_first},
      {"longest_then_nothing", "abcd", {"a", "abcd", "bc", "d"}, {{0, 1}}, leftmost_longest},
      {"leftmost_beats_longest", "xabcdef", {"bcdef", "ab"}, {{1, 1}}, leftmost_longest},
      {"leftmost_beats_first", "xabcdef", {"bcdef", "ab"}, {{1, 1}}, leftmost_first},
      {"longest_run", "aaaaa", {"aa"}, {{0, 0}, {2, 0}}, leftmost_longest},
      {"first_run", "aaaaa", {"aa"}, {{0, 0}, {2, 0}}, leftmost_first},
      {"longest_run_with_rest", "aaaaa", {"a", "aa", "aaa"}, {{0, 2}, {3, 1}}, leftmost_longest},
      {"first_run_with_rest", "aaaaa", {"aa", "aaa", "a"}, {{0, 0}, {2, 0}, {4, 2}}, leftmost_first},
      {"longest_tie_to_lowest_id", "abab", {"ab", "ab"}, {{0, 0}, {2, 0}}, leftmost_longest},
      {"longest_tie_of_cases", "AB ab", {ignoring("ab"), "AB", "ab"}, {{0, 0}, {3, 0}}, leftmost_longest},
      {"longest_tie_exact_first", "AB ab", {"AB", ignoring("ab"), "ab"}, {{0, 0}, {3, 1}}, leftmost_longest},
      {"first_tie_of_cases", "AB ab", {"xx", "AB", ignoring("ab")}, {{0, 1}, {3, 2}}, leftmost_first},
      {"adjacent", "abcabc", {"abc"}, {{0, 0}, {3, 0}}, leftmost_longest},
      {"overlap_dropped", "abcbcd", {"abc", "cbc", "bcd"}, {{0, 0}, {3, 2}}, leftmost_first},
      {"starts_where_the_last_ended", "samwise", {"sam", "samwise", "wise"}, {{0, 0}, {3, 2}}, leftmost_first},
      {"first_samwise", "samwise", {"samwise", "sam", "wise"}, {{0, 0}}, leftmost_first},
      {"longest_samwise", "samwise", {"sam", "samwise", "wise"}, {{0, 1}}, leftmost_longest},
      {"chain_of_overlaps", "abababab", {"aba", "bab"}, {{0, 0}, {3, 1}}, leftmost_first},
      {"long_match_swallows", repeat("ab", 40), {repeat("ab", 39), "b"}, {{0, 0}, {79, 1}}, leftmost_longest},
      {"kinds_with_nuls", "\0\0\0"s, {"\0"s, "\0\0"s}, {{0, 1}, {2, 0}}, leftmost_longest},
  };
}

}  // namespace

PatternSet Case::pattern_set() const {
  PatternSet set;
  for (const CasePattern& pattern : patterns) set.add(pattern.bytes, pattern.ignore_case);
  return set;
}

std::vector<Match> Case::matches(std::uint64_t shift) const {
  std::vector<Match> shifted;
  for (const auto& [offset, id] : expected) {
    shifted.push_back({offset + shift, id, static_cast<std::uint32_t>(patterns[id].bytes.size())});
  }
  return shifted;
}

const std::vector<Case>& case_table() {
  static const std::vector<Case> table = make_table();
  return table;
}

Padding find_padding(const Case& row) {
  const auto is_free = [&](char byte) {
    for (const CasePattern& pattern : row.patterns) {
      for (const char taken : pattern.bytes) {
        if (fold(taken) == fold(byte)) return false;
      }
    }
    return true;
  };
  if (row.condition == Condition::whole_line || row.condition == Condition::whole_line_crlf)
    return {is_free(row.line_terminator), row.line_terminator};
  for (const char byte : std::string_view(".x \n\0\xFF", 6)) {
    if (is_free(byte) && !(row.condition == Condition::whole_word &&
                           (std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '_')))
      return {true, byte};
  }
  for (int code = 0; code < 256; ++code) {
    const char byte = static_cast<char>(code);
    if (is_free(byte) && row.condition == Condition::none) return {true, byte};
  }
  return {};
}

}  // namespace lode::tests
